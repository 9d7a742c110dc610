"""Charts of rows: dots with their intervals and bars, in panels side by side. They know no game.

Marks are labelled directly: the first row in words, the others by their figure. Equal shares and thresholds are drawn.
Bars begin at zero, and differences include it. Dots begin near the least of them where zero would leave much of the
width empty; each has its figure.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from jamaica_sim.report.charts.drawing import Canvas, Drawing, Place, text_width, wrapped

ROW = {False: 36, True: 31}
BAR = 16
DOT = 7
GAP = 40  # between panels side by side
WIDE_TYPE = 1.18  # type may be this much wider on systems without the usual fonts, so figures at edges need room
MOST_LABEL = 170  # width of row labels on a desk
MOST_NARROW_LABEL = 104
NAME_GAP = 6  # between names
MOST_SHIFT = 90  # of a name from its mark
EMPTY = 1 / 3  # of a scale from zero, that dots may leave free


@dataclass(frozen=True)
class Mark:
    """One value of a row: a dot or a bar."""

    value: float
    text: str = ""  # its figure
    role: str = "subject"
    hollow: bool = False
    name: str = ""  # what it is, said in words at the first row
    low: float | None = None  # ends of an interval that is to be drawn
    high: float | None = None
    title: str = ""


@dataclass(frozen=True)
class Row:
    """A line of a chart."""

    label: str
    marks: list[Mark]
    equal: float | None = None  # where an upright mark stands: the equal share
    note: str = ""  # small words at the end
    strong: bool = False


@dataclass(frozen=True)
class Panel:
    """Rows on one scale."""

    title: str
    rows: list[Row]
    low: float | None = None
    high: float | None = None
    form: str = "dots"  # dots or bars
    line: float | None = None  # a value that all rows share, such as 50% or no change
    line_name: str = ""
    equal_name: str = ""

    @property
    def top(self) -> float:
        """The upper end of the scale."""
        if self.high is not None:
            return max([self.high, *(_reach(m) for row in self.rows for m in row.marks)])
        return max(
            [max(map(_reach, row.marks)) for row in self.rows if row.marks]
            + [row.equal for row in self.rows if row.equal is not None]
            + ([self.line] if self.line is not None else [])
            + [1e-9]
        )

    @property
    def bottom(self) -> float:
        """The lower end: what is given, or zero, unless something is negative or all dots are far from zero."""
        values = [m.value for row in self.rows for m in row.marks if not math.isnan(m.value)]
        if self.low is not None or self.form != "dots" or not values:
            return min([self.low or 0.0, *values])
        lows = [m.low for row in self.rows for m in row.marks if m.low is not None and math.isfinite(m.low)]
        marked = [self.line, *(row.equal for row in self.rows)]
        least = min([*values, *lows, *(value for value in marked if value is not None)])
        return max(0.0, least - (self.top - least) / 8) if least > EMPTY * self.top else min(0.0, least)


Scale = Callable[[float], float]  # the place of a value


@dataclass(frozen=True)
class Sides:
    """The left and the right end of a panel, and whether its rows are labelled."""

    left: float
    right: float
    labelled: bool = True


@dataclass(frozen=True)
class RowPlace:
    """Where a row is drawn, and which names are not written yet; `above` is where they go."""

    x: Scale
    middle: float
    right: float
    unnamed: set[str]
    above: float


def _reach(mark: Mark) -> float:
    """The upper end of a mark, with its interval."""
    return mark.high if mark.high is not None and math.isfinite(mark.high) else mark.value


def rows(label: str, panels: list[Panel], row_height: float | None = None, below: bool = False) -> Drawing:
    """Panels of the same rows, side by side on a desk and one below the other on a phone.

    With `below` the panels have different rows, and are one below the other everywhere.
    """
    panels = [panel for panel in panels if panel.rows]
    if len({panel.high for panel in panels}) == 1 and panels[0].high is not None:  # one scale for all
        start = min(panel.bottom for panel in panels)
        panels = [replace(panel, low=start) for panel in panels]

    def draw(canvas: Canvas) -> None:
        names = [row.label for panel in panels for row in panel.rows]
        most = MOST_NARROW_LABEL if canvas.narrow else MOST_LABEL
        column = min(most, WIDE_TYPE * max((text_width(name, canvas.size) for name in names), default=0)) + 12
        if not any(names):
            column = 0
        height = row_height if row_height and not canvas.narrow else ROW[canvas.narrow]
        if canvas.narrow and all(panel.form == "bars" for panel in panels):
            height = 25
        longest = max(len(wrapped(name, column - 10, canvas.size)) for name in names)  # 2 to spare for rounding
        height = max(height, longest * canvas.size * 1.16 + 6)
        if canvas.narrow or below or len(panels) == 1:
            y = 0.0
            figures = [m.text for panel in panels for row in panel.rows for m in row.marks] if below else None
            for panel in panels:
                y = _panel(canvas, panel, Sides(column, canvas.width), y, height, figures) + 14
            return
        room = canvas.width - column - GAP * (len(panels) - 1)
        left = column
        for number, panel in enumerate(panels):
            right = left + room / len(panels)
            _panel(canvas, panel, Sides(left, right, number == 0), 0.0, height)
            left = right + GAP

    return Drawing(label, draw)


def _panel(
    canvas: Canvas, panel: Panel, sides: Sides, y: float, height: float, figures: list[str] | None = None
) -> float:
    """Draw one panel; returns the y below it. `figures` are those of all panels, where one is below the other."""
    left, right = sides.left, sides.right
    if panel.title:
        canvas.text(0 if canvas.narrow or figures else left, y + 9, panel.title, bold=True)
        y += 24
    unnamed = {panel.equal_name, *(m.name for row in panel.rows for m in row.marks)} - {""}
    raised = 17 if canvas.narrow and panel.line_name and unnamed else 0  # the line's name above those of the marks
    y += raised + (20 if panel.line_name or _has_names(panel, panel.rows[0]) else 4)
    top, bottom = y - 2, y + height * len(panel.rows)
    figures = figures or [m.text for row in panel.rows for m in row.marks]
    before = WIDE_TYPE * max((text_width(t, canvas.size, True) for t in figures), default=0) + 14
    first, last = panel.bottom, panel.top
    is_bare = last <= 0 or all(not m.text for row in panel.rows for m in row.marks)  # figures are left of zero, or none
    x1 = right - (DOT + 2 if is_bare else before)
    span = (last - first) or 1
    x0 = left + (before if first < 0 else min(before, _lacking(canvas, panel, x1 - left, first, span)))

    def x(value: float) -> float:
        return x0 + (x1 - x0) * (value - first) / span

    if panel.form == "dots":
        for number in range(len(panel.rows)):
            middle = top + 2 + height * (number + 0.5)
            canvas.line(left, middle, right - 4, middle, "grid")
    zero = x(0) if first <= 0 <= last else None
    if zero is not None:
        canvas.line(zero, top, zero, bottom, "ink", 1)
    if panel.line is not None:
        at = x(panel.line)
        canvas.line(at, top, at, bottom, "ink", 1.25)
        if panel.line_name:
            above = top - 9 - raised
            places = [(at, above, "middle"), (at + 4, above, "end"), (at - 4, above, "start")]
            canvas.label(panel.line_name, places, "soft", small=True)
    for number, row in enumerate(panel.rows):
        middle = top + 2 + height * (number + 0.5)
        if sides.labelled:
            row_label(canvas, row, left - 10, middle)
        _row(canvas, panel, row, RowPlace(x, middle, right, unnamed, top - 9 if number == 0 else middle - 17))
    return bottom


def _has_names(panel: Panel, row: Row) -> bool:
    return bool(panel.equal_name) or any(m.name for m in row.marks)


def _lacking(canvas: Canvas, panel: Panel, width: float, first: float, span: float) -> float:
    """How much room the figures left of rows' first dots lack, where they would stand over the rows' own labels."""
    lacking = [0.0]
    for row in panel.rows:
        if panel.form != "dots" or len(row.marks) < 2:
            continue
        mark = min(row.marks, key=lambda m: m.value)
        low = mark.value if mark.low is None or not math.isfinite(mark.low) else mark.low
        at = min(max(0.0, (low - first) / span), 0.9)
        lacking.append((WIDE_TYPE * text_width(mark.text, canvas.size, True) + 14 - at * width) / (1 - at))
    return max(lacking)


def row_label(canvas: Canvas, row: Row, width: float, middle: float) -> None:
    """The words before a row, on as many lines as they need."""
    lines = wrapped(row.label, width, canvas.size, row.strong)
    start = middle - (len(lines) - 1) * canvas.size * 0.58
    for number, line in enumerate(lines):
        canvas.text(0, start + number * canvas.size * 1.16, line, bold=row.strong)


def _row(canvas: Canvas, panel: Panel, row: Row, place: RowPlace) -> None:
    """Draw one row. Each name is written where it appears first."""
    x, middle, unnamed, above = place.x, place.middle, place.unnamed, place.above
    known = [m for m in row.marks if not math.isnan(m.value)]
    draw = {"dots": _dots, "bars": _bars}[panel.form]
    at = x(row.equal) if row.equal is not None else 0.0
    if row.equal is not None:  # before the figures, which keep clear of it
        canvas.keep_clear(at - 4, middle - 11, at + 4, middle + 11)
    end = draw(canvas, panel, row, known, place)
    if row.equal is not None:
        canvas.line(at, middle - 11, at, middle + 11, "ink", 2)
        if panel.equal_name in unnamed and _name(canvas, panel.equal_name, "soft", at, above, "only"):
            unnamed.discard(panel.equal_name)
    if row.note and known:  # in a row without marks the note stands in their place
        canvas.label(row.note, [(end + 10, middle, "start"), (place.right, middle, "end")], "soft", small=True)


def _name(canvas: Canvas, name: str, role: str, at: float, above: float, side: str) -> bool:
    """Write the words of a mark above its row, at the mark or as near to it as there is room; returns whether."""
    places = {
        "left": [(at + 7, above, "end"), (at - 7, above, "start")],
        "right": [(at - 7, above, "start"), (at, above, "middle"), (at + 7, above, "end")],
        "only": [(at, above, "middle"), (at - 7, above, "start"), (at + 7, above, "end")],
    }[side]
    for shift in range(4, MOST_SHIFT, 4):
        places += [(at - 7 + shift, above, "start")] if side != "left" else []
        places += [(at + 7 - shift, above, "end")] if side != "right" else []
    places += [(canvas.width, above, "end")] if side == "right" else []
    return canvas.label(name, places, role, small=True, gap=NAME_GAP)


def _name_mark(canvas: Canvas, mark: Mark, at: float, place: RowPlace, side: str) -> None:
    """Name a mark, unless another row has done so; where there is no room, a later row will."""
    role = "subjecttext" if mark.role in ("subject", "pale") else "soft"
    if mark.name in place.unnamed and _name(canvas, mark.name, role, at, place.above, side):
        place.unnamed.discard(mark.name)


def _dots(canvas: Canvas, panel: Panel, row: Row, marks: list[Mark], place: RowPlace) -> float:
    x, middle = place.x, place.middle
    if not marks:
        canvas.label(row.note or "no data", [(x(panel.bottom) + 8, middle, "start")], "soft", small=True)
        return x(panel.bottom)
    in_order = sorted(marks, key=lambda m: m.value)
    ends = x(in_order[0].value), x(in_order[-1].value)
    if len(marks) > 1:
        canvas.line(ends[0], middle, ends[1], middle, "pale", 4)
    for mark in marks:
        _whisker(canvas, panel, mark, x, middle, mark.role)
        canvas.dot(x(mark.value), middle, DOT, mark.role, mark.hollow, mark.title)
    line, equal = (None if value is None else x(value) for value in (panel.line, row.equal))
    _label_dots(canvas, in_order, place, line, equal)
    return ends[1] + DOT + text_width(in_order[-1].text, canvas.size, True) + 4


def _whisker(canvas: Canvas, panel: Panel, mark: Mark, x: Scale, middle: float, role: str) -> tuple[float, float]:
    """Draw the interval of a mark where it is wide enough to see; returns its ends, or else those of the mark."""
    at = x(mark.value)
    if mark.low is None or mark.high is None or not math.isfinite(mark.low) or not math.isfinite(mark.high):
        return at, at
    low, high = x(max(mark.low, panel.bottom)), x(min(mark.high, panel.top))
    if high - low <= 2 * DOT:
        return at, at
    canvas.line(low, middle, high, middle, role, 2)
    for end in (low, high):
        canvas.line(end, middle - 5, end, middle + 5, role, 2)
    canvas.keep_clear(low, middle - 5, high, middle + 5)
    return low, high


def _label_dots(canvas: Canvas, marks: list[Mark], place: RowPlace, line: float | None, equal: float | None) -> None:
    """Write figures outside the outermost dots; of dots between them where there is room. None crosses the line."""
    x, middle = place.x, place.middle
    sides = ["only"] if len(marks) == 1 else ["left", *["between"] * (len(marks) - 2), "right"]
    reach = DOT + 4
    for mark, side in sorted(zip(marks, sides, strict=True), key=lambda pair: pair[1] == "between"):
        at, ends = x(mark.value), _ends(mark, x)
        is_subject = mark.role in ("subject", "pale")
        role, bold = ("subjecttext", not mark.hollow) if is_subject else ("soft", False)
        right_of = [(max(at + reach, ends[1] + 5), middle, "start")]
        left_of = [(min(at - reach, ends[0] - 5), middle, "end")]
        places = left_of if side == "left" else right_of + left_of
        if side == "only" and line is not None:
            box = canvas.box_of(*right_of[0][:2], mark.text, bold=bold)
            places.sort(key=lambda place: place[2] == "start" and box.left - DOT <= line <= box.right)
        elif line is not None:
            places = [_clear_of(canvas, line, place, mark.text, bold) for place in places]
        if equal is not None:
            places = [*places, (max(equal + 6, right_of[0][0]), middle, "start")]
        if side == "between":
            places = [(at, middle - 15, "middle")]
        canvas.label(mark.text, places, role, bold=bold, small=side == "between")
    order = ["right", "left", "only", "between"]  # the right one has least room
    for mark, side in sorted(zip(marks, sides, strict=True), key=lambda pair: order.index(pair[1])):
        _name_mark(canvas, mark, x(mark.value), place, "only" if side == "between" else side)


def _clear_of(canvas: Canvas, line: float, place: Place, words: str, bold: bool) -> Place:
    """The place of a figure, or the next one beyond the line where it would cross it."""
    at, y, anchor = place
    box = canvas.box_of(at, y, words, anchor, bold=bold)
    if not box.left - 4 <= line <= box.right + 4:
        return place
    return line + (6 if anchor == "start" else -6), y, anchor


def _ends(mark: Mark, x: Scale) -> tuple[float, float]:
    if mark.low is None or mark.high is None or not math.isfinite(mark.low) or not math.isfinite(mark.high):
        return x(mark.value), x(mark.value)
    return x(mark.low), x(mark.high)


def _bars(canvas: Canvas, panel: Panel, row: Row, marks: list[Mark], place: RowPlace) -> float:
    """One bar, from zero, with its interval."""
    x, middle = place.x, place.middle
    end = x(0)
    for mark in marks:
        at, zero = x(mark.value), x(0)
        canvas.rect(min(at, zero), middle - BAR / 2, abs(at - zero), BAR, mark.role, mark.title, keep_clear=True)
        ends = _whisker(canvas, panel, mark, x, middle, "ink")
        role = "subjecttext" if mark.role in ("subject", "pale") else "soft"
        places = [(max(at, ends[1]) + 7, middle, "start")] if mark.value >= 0 else [(ends[0] - 7, middle, "end")]
        if row.equal is not None and mark.value >= 0:
            places.append((x(row.equal) + 7, middle, "start"))
        canvas.label(mark.text, places, role, bold=mark.role == "subject")
        _name_mark(canvas, mark, zero, place, "right")
        end = max(end, max(at, ends[1]) + 7 + text_width(mark.text, canvas.size, True))
    return end
