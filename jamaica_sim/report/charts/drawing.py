"""Drawings: SVG in the page's own colours and type, made twice, wide for a desk and narrow for a phone.

A canvas knows how wide its words are, so that labels do not overlap. One unit is one pixel of the page. Colours are
roles (see `COLOURS`), never values: the page defines them for its light and its dark theme.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.escape import html_text

Place = tuple[float, float, str]  # where words may stand: x, y and the side that is there
WIDE, NARROW = 720, 358
SIZE, SMALL = {False: 14, True: 13}, {False: 13, True: 12.5}  # of type, by whether the drawing is narrow
LINE = 1.16  # height of a line of type
SPARE = 1.035  # a font may be this much wider than the one that was measured

# Each role with its colour on light and on dark paper, and its one meaning.
COLOURS = {
    "paper": ("#fdfcf9", "#15181d"),
    "card": ("#f5f3ed", "#1e2229"),  # forks of the course, code
    "ink": ("#1c2127", "#eceae4"),  # text, zero, equal shares, thresholds
    "soft": ("#59626d", "#a9b0ba"),  # secondary text
    "rule": ("#dcd8ce", "#363c45"),
    "grid": ("#e9e6de", "#262b33"),
    "subject": ("#5b3fa3", "#a78bf0"),  # what the report is about
    "pale": ("#9d88d3", "#745dac"),  # a lesser part of it
    "subjecttext": ("#54399a", "#bda8f7"),
    "base": ("#6a7582", "#8a94a0"),  # what it is compared with
    "onfill": ("#ffffff", "#12141a"),  # text on subject and base
    "red": ("#b3352b", "#f0857a"),  # the board's red line
    "heat0": ("#fbf3de", "#262219"),
    "heat1": ("#f7dc9d", "#4d3a1c"),
    "heat2": ("#eebb5c", "#82581f"),
    "heat3": ("#dc8a33", "#bd7b26"),
    "heat4": ("#b7561f", "#eba945"),
    "heat5": ("#7b2d16", "#ffe0a0"),
    "heatline": ("#8a7a5c", "#8d8268"),
}
HEATS = 6
SANS = 'Arial, "Liberation Sans", "Helvetica Neue", Helvetica, sans-serif'

# Widths of letters in thousandths of the type size, plain and bold (Arial and its metric twins).
WIDTHS = {
    191: "'", 222: "ijl’", 278: " !,./:;I[\\]ft·", 333: "()-`r“”{}", 355: '"', 389: "*", 469: "^", 500: "Jcksvxyz",
    549: "±≥≤", 556: "#$0123456789?L_abdeghnopqu–", 584: "+<=>~−×", 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw",
    778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1000: "—→", 1015: "@",
}  # fmt: skip
BOLD_WIDTHS = {
    238: "'", 278: " ,./I\\ijl’·", 333: "!()-:;[]`ft", 389: "*r{}", 474: '"', 500: "z“”", 549: "±≥≤",
    556: "#$0123456789J_aceksvxy–", 584: "+<=>^~−×", 611: "?FLTZbdghnopqu", 667: "EPSVXY", 722: "&ABCDHKNRU",
    778: "GOQw", 833: "M", 889: "%m", 944: "W", 975: "@", 1000: "—→",
}  # fmt: skip
PLAIN, BOLD = ({c: w for w, letters in table.items() for c in letters} for table in (WIDTHS, BOLD_WIDTHS))


def text_width(words: str, size: float, bold: bool = False) -> float:
    """The width of a line of type, on the wide side."""
    table = BOLD if bold else PLAIN
    return SPARE * size * sum(table.get(c, 700) for c in words) / 1000


def wrapped(words: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Words on as many lines as they need."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@dataclass(frozen=True)
class Rectangle:
    """A rectangle that something takes up."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Rectangle") -> bool:
        """Whether the two overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class Canvas:
    """Marks and words at pixels, y downwards; words are placed by the middle of their line."""

    def __init__(self, narrow: bool, width: float | None = None):
        self.narrow, self.width = narrow, width or (NARROW if narrow else WIDE)
        self.height = 0.0
        self.size, self.small = SIZE[narrow], SMALL[narrow]
        self._parts: list[str] = []
        self._words: list[Rectangle] = []
        self._marks: list[Rectangle] = []

    def _add(self, tag: str, title: str = "", **attributes: str | float) -> None:
        written = "".join(f' {name.rstrip("_").replace("_", "-")}="{_text(v)}"' for name, v in attributes.items())
        inside = f"<title>{html_text(title, False)}</title></{tag}>" if title else ""
        self._parts.append(f"<{tag}{written}>{inside}" if title else f"<{tag}{written}/>")

    def _reach(self, y: float) -> None:
        self.height = max(self.height, y)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, role: str = "ink", width: float = 1.0, dashes: str = ""
    ) -> None:
        """A line."""
        extra = {"stroke_dasharray": dashes} if dashes else {}
        self._add("line", class_=f"s-{role}", stroke_width=width, x1=x1, y1=y1, x2=x2, y2=y2, **extra)
        self._reach(max(y1, y2) + width / 2)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        title: str = "",
        *,
        keep_clear: bool = False,
        outline: str = "",
    ) -> None:
        """A rectangle; nothing is written over one that is kept clear."""
        css = f"f-{role}" + (f" s-{outline}" if outline else "")
        self._add("rect", title, class_=css, x=x, y=y, width=max(width, 0), height=max(height, 0))
        self._reach(y + height)
        if keep_clear:
            self._marks.append(Rectangle(x, y, x + width, y + height))

    def tint(self, box: Rectangle, role: str, opacity: float, title: str) -> None:
        """A rectangle through which one can see."""
        place = {"x": box.left, "y": box.top, "width": box.right - box.left, "height": box.bottom - box.top}
        self._add("rect", title, class_=f"f-{role}", opacity=f"{opacity:g}", **place)

    def dot(
        self, x: float, y: float, radius: float, role: str, hollow: bool = False, title: str = "", outline: str = ""
    ) -> None:
        """A dot, filled or hollow."""
        css = f"f-paper s-{role}" if hollow else f"f-{role}" + (f" s-{outline}" if outline else "")
        extra = {"stroke_width": 1.75} if hollow else {}
        self._add("circle", title, class_=css, cx=x, cy=y, r=radius - (0.9 if hollow else 0), **extra)
        self._marks.append(Rectangle(x - radius, y - radius, x + radius, y + radius))
        self._reach(y + radius)

    def path(
        self,
        points: Sequence[tuple[float, float]],
        role: str,
        width: float = 2.0,
        dashes: str = "",
        closed: bool = False,
        title: str = "",
    ) -> None:
        """A line through points, or a filled shape."""
        d = "M" + "L".join(f"{_text(x)} {_text(y)}" for x, y in points) + ("Z" if closed else "")
        extra = {"stroke_dasharray": dashes} if dashes else {}
        if closed:
            self._add("path", title, class_=f"f-{role} s-heatline", stroke_width=0.75, d=d)
        else:
            self._add("path", title, class_=f"s-{role}", fill="none", stroke_width=width, d=d, **extra)
        self._reach(max(y for _, y in points))

    def keep_clear(self, left: float, top: float, right: float, bottom: float) -> None:
        """Let no label go here."""
        self._marks.append(Rectangle(left, top, right, bottom))

    def box_of(
        self,
        x: float,
        y: float,
        words: str,
        anchor: str = "start",
        small: bool = False,
        bold: bool = False,
        size: float | None = None,
    ) -> Rectangle:
        """The room that words take."""
        size = size or (self.small if small else self.size)
        width, half = text_width(words, size, bold), size * LINE / 2
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        return Rectangle(left, y - half, left + width, y + half)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        anchor: str = "start",
        role: str = "ink",
        small: bool = False,
        bold: bool = False,
        *,
        size: float | None = None,
        upright: bool = False,
        halo: bool = False,
    ) -> None:
        """Words at a place, even if it is not free; with a halo they are legible over lines."""
        css = " ".join(filter(None, (f"f-{role}", "sm" if small else "", "b" if bold else "", "halo" if halo else "")))
        own = size or (self.small if small else self.size)
        extra: dict[str, str | float] = {"style": f"font-size:{_text(size)}px"} if size else {}
        if anchor != "start":
            extra["text_anchor"] = anchor
        if upright:
            extra["transform"] = f"translate({_text(x)} {_text(y)}) rotate(-90)"
            place: dict[str, float] = {"x": 0, "y": own * 0.35}
        else:
            place = {"x": x, "y": y + own * 0.35}
            box = self.box_of(x, y, words, anchor, small, bold, size)
            self._words.append(box)
            self._reach(box.bottom)
        written = "".join(f' {n.rstrip("_").replace("_", "-")}="{_text(v)}"' for n, v in {**place, **extra}.items())
        self._parts.append(f'<text class="{css}"{written}>{html_text(words, False)}</text>')

    def label(
        self,
        words: str,
        places: Sequence[Place],
        role: str = "ink",
        small: bool = False,
        bold: bool = False,
        *,
        gap: float = 0.0,
    ) -> bool:
        """Write words at the first place (x, y, anchor) that is free and inside; returns whether there was one.

        A gap is left free to both sides.
        """
        for x, y, anchor in places:
            box = self.box_of(x, y, words, anchor, small, bold)
            inside = box.left >= 0 and box.right <= self.width and box.top >= 0
            free = Rectangle(box.left - gap, box.top, box.right + gap, box.bottom)
            if inside and not any(free.meets(other) for other in (*self._words, *self._marks)):
                self.text(x, y, words, anchor, role, small, bold, halo=True)
                return True
        return False

    def is_marked(self, box: Rectangle) -> bool:
        """Whether a box overlaps something that is kept clear."""
        return any(box.meets(other) for other in self._marks)

    def content(self) -> str:
        """Everything that was drawn, as SVG."""
        return "".join(self._parts)


def _text(value: str | float) -> str:
    if isinstance(value, str):
        return html_text(value)
    return f"{value:z.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Drawing:
    """A chart that is drawn on demand, with words that say what it shows."""

    label: str
    draw: Callable[[Canvas], None] = field(repr=False)

    def svg(self, narrow: bool = False, css: str = "") -> str:
        """The chart for a page. The page defines its colours and type."""
        width, height, content = self._drawn(narrow)
        return f"<svg {self._head(width, height, css or ('narrow' if narrow else 'wide'))}>{content}</svg>"

    def _drawn(self, narrow: bool) -> tuple[float, int, str]:
        """Width, height and content."""
        canvas = Canvas(narrow)
        self.draw(canvas)
        return canvas.width, round(canvas.height + 4), canvas.content()

    def _head(self, width: float, height: int, css: str) -> str:
        return f'class="chart {css}" viewBox="0 0 {width} {height}" role="img" aria-label="{html_text(self.label)}"'

    def file(self, narrow: bool = False) -> bytes:
        """The chart as a file of its own, on light paper."""
        width, height, content = self._drawn(narrow)
        size = f'width="{width}" height="{height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {self._head(width, height, "alone")}>'
        body = f'<style>{stylesheet()}</style><rect class="f-paper" {size}/>{content}</svg>'
        return (head + body).encode()

    def save(self, path: str | PathLike[str], narrow: bool = False) -> None:
        """Write the chart to an SVG file."""
        write_whole(Path(path), self.file(narrow))

    def _repr_html_(self) -> str:
        return f'<div style="max-width:{WIDE}px">{self.file().decode()}</div>'


def colours(dark: bool = False) -> str:
    """The roles as CSS variables."""
    return "".join(f"--{role}:{pair[dark]};" for role, pair in COLOURS.items())


def classes() -> str:
    """The looks of marks and words by role, as CSS classes."""
    fills = "".join(f".f-{role}{{fill:var(--{role})}}.s-{role}{{stroke:var(--{role})}}" for role in COLOURS)
    halo = ".halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}"
    return (
        f".f-none{{fill:none}}{fills}{halo}.chart .b{{font-weight:700}}.chart text{{font-variant-numeric:tabular-nums}}"
    )


def stylesheet() -> str:
    """All styles that a chart in a file of its own needs."""
    fonts = f".chart text{{font-family:{SANS};font-size:{SIZE[False]}px}}.chart .sm{{font-size:{SMALL[False]}px}}"
    return f":root{{{colours()}}}{classes()}{fonts}"
