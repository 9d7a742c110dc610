"""The forms of a chart: rows of dots or bars, profiles along an axis, lines, curves, matrices. They know no game.

Marks are labelled directly: the first row in words, the others by their figure. Zero, equal shares and thresholds are
drawn. No axis is cut, except in curves: scales begin at zero, or include it where differences are shown.
"""

import math
from dataclasses import dataclass, field

from jamaica_sim.report.drawing import Canvas, Drawing, text_width, wrapped

ROW = {False: 36, True: 31}
BAR = 16
DOT = 7
GAP = 40  # between panels side by side
WIDE_TYPE = 1.18  # type may be this much wider on systems without the usual fonts, so figures at edges need room
MOST_LABEL = 170  # width of row labels on a desk
MOST_NARROW_LABEL = 104
LINES_TALL, CURVES_TALL = 190, 96


@dataclass(frozen=True)
class Mark:
    """One value of a row: a dot, or in a row of bars a part of the bar."""

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
    equal_text: str = ""
    note: str = ""  # small words at the end
    strong: bool = False


@dataclass(frozen=True)
class Panel:
    """Rows on one scale."""

    title: str
    rows: list[Row]
    low: float = 0.0
    high: float | None = None
    form: str = "dots"  # dots, bars, stack
    line: float | None = None  # a value that all rows share, such as 50% or no change
    line_name: str = ""
    dashed: bool = False
    bridge: bool = True
    equal_name: str = ""
    weight: float = 1.0

    @property
    def top(self) -> float:
        """The upper end of the scale."""
        if self.high is not None:
            return max([self.high, *(_reach(m) for row in self.rows for m in row.marks if self.form != "stack")])
        return max(
            [
                (sum(m.value for m in row.marks) if self.form == "stack" else max(map(_reach, row.marks)))
                for row in self.rows
                if row.marks
            ]
            + [row.equal for row in self.rows if row.equal is not None]
            + ([self.line] if self.line is not None else [])
            + [1e-9]
        )

    @property
    def bottom(self) -> float:
        """The lower end, zero unless something is negative."""
        return min([self.low] + [m.value for row in self.rows for m in row.marks if not math.isnan(m.value)])


def _reach(mark):
    """The upper end of a mark, with its interval."""
    return mark.high if mark.high is not None and math.isfinite(mark.high) else mark.value


def rows(label: str, panels: list[Panel], row_height: float | None = None, below: bool = False) -> Drawing:
    """Panels of the same rows, side by side on a desk and one below the other on a phone.

    With `below` the panels have different rows, and are one below the other everywhere.
    """
    panels = [panel for panel in panels if panel.rows]

    def draw(canvas: Canvas):
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
                y = _panel(canvas, panel, 0, column, canvas.width, y, height, figures) + 14
            return
        room = canvas.width - column - GAP * (len(panels) - 1)
        left, total = column, sum(panel.weight for panel in panels)
        for number, panel in enumerate(panels):
            right = left + room * panel.weight / total
            _panel(canvas, panel, 0 if number == 0 else None, left, right, 0.0, height)
            left = right + GAP

    return Drawing(label, draw)


def _panel(canvas, panel, label_left, left, right, y, height, figures=None):
    """Draw one panel; returns the y below it. `figures` are those of all panels, where one is below the other."""
    if panel.title:
        canvas.text(0 if canvas.narrow or figures else left, y + 9, panel.title, bold=True)
        y += 24
    y += 20 if panel.line_name or _has_names(panel, panel.rows[0]) else 4
    top, bottom = y - 2, y + height * len(panel.rows)
    figures = figures or [m.text for row in panel.rows for m in row.marks]
    before = WIDE_TYPE * max((text_width(t, canvas.size, True) for t in figures), default=0) + 14
    first, last = panel.bottom, panel.top
    negative = first < 0
    many = any(len(row.marks) > 1 for row in panel.rows) and panel.form == "dots"
    x0 = left + (before if negative or (many and _is_near(panel, first)) else 0)
    x1 = right - (6 if all(not m.text for row in panel.rows for m in row.marks) else before)
    span = (last - first) or 1

    def x(value):
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
        canvas.line(at, top, at, bottom, "ink", 1.25, "4 3" if panel.dashed else "")
        if panel.line_name:
            places = [(at, top - 9, "middle"), (at + 4, top - 9, "end"), (at - 4, top - 9, "start")]
            canvas.label(panel.line_name, places, "soft", small=True)
    unnamed = {m.name for row in panel.rows for m in row.marks} | {panel.equal_name}
    for number, row in enumerate(panel.rows):
        middle = top + 2 + height * (number + 0.5)
        if label_left is not None:
            _row_label(canvas, row, left - 10, middle)
        _row(canvas, panel, row, x, middle, right, unnamed, top - 9 if number == 0 else middle - 17)
    return bottom


def _has_names(panel, row):
    return bool(panel.equal_name) or any(m.name for m in row.marks)


def _is_near(panel, first):
    """Whether the figure left of a row's first dot would stand over the row's own label."""
    span = (panel.top - first) or 1
    lows = [min(m.value for m in row.marks) for row in panel.rows if len(row.marks) > 1]
    return bool(lows) and (min(lows) - first) / span < 0.12


def _row_label(canvas, row, width, middle):
    lines = wrapped(row.label, width, canvas.size, row.strong)
    start = middle - (len(lines) - 1) * canvas.size * 0.58
    for number, line in enumerate(lines):
        canvas.text(0, start + number * canvas.size * 1.16, line, bold=row.strong)


def _row(canvas, panel, row, x, middle, right, unnamed, above):
    """Draw one row. Each name is written where it appears first."""
    known = [m for m in row.marks if not math.isnan(m.value)]
    draw = {"dots": _dots, "bars": _bars, "stack": _stack}[panel.form]
    if row.equal is not None:  # before the figures, which keep clear of it
        at = x(row.equal)
        canvas.line(at, middle - 11, at, middle + 11, "ink", 2)
        canvas.keep_clear(at - 4, middle - 11, at + 4, middle + 11)
    end = draw(canvas, panel, row, known, x, middle, unnamed, above)
    unnamed -= {m.name for m in known}
    if row.equal is not None:
        if panel.equal_name in unnamed:
            unnamed.discard(panel.equal_name)
            places = [(at, above, "middle"), (at + 6, above, "end"), (at - 6, above, "start")]
            canvas.label(panel.equal_name, places, "soft", small=True)
        canvas.label(row.equal_text, [(at - 7, middle, "end"), (at + 7, middle, "start")], "soft", small=True)
    if row.note and known:  # in a row without marks the note stands in their place
        canvas.label(row.note, [(end + 10, middle, "start"), (right, middle, "end")], "soft", small=True)


def _name(canvas, mark, at, above, side):
    """The words of a mark, above the first row."""
    role = "subjecttext" if mark.role in ("subject", "pale") else "soft"
    places = {
        "left": [(at + 7, above, "end"), (at - 7, above, "start")],
        "right": [(at - 7, above, "start"), (at, above, "middle"), (at + 7, above, "end")],
        "only": [(at, above, "middle"), (at - 7, above, "start"), (at + 7, above, "end")],
    }[side]
    canvas.label(mark.name, places, role, small=True)


def _dots(canvas, panel, row, marks, x, middle, unnamed, above):
    if not marks:
        canvas.label(row.note or "no data", [(x(panel.bottom) + 8, middle, "start")], "soft", small=True)
        return x(panel.bottom)
    in_order = sorted(marks, key=lambda m: m.value)
    ends = x(in_order[0].value), x(in_order[-1].value)
    if len(marks) > 1 and panel.bridge:
        canvas.line(ends[0], middle, ends[1], middle, "pale", 4)
    for mark in marks:
        _whisker(canvas, panel, mark, x, middle, mark.role)
        canvas.dot(x(mark.value), middle, DOT, mark.role, mark.hollow, mark.title)
    line, equal = (None if value is None else x(value) for value in (panel.line, row.equal))
    _label_dots(canvas, in_order, x, middle, unnamed, above, line, equal)
    return ends[1] + DOT + text_width(in_order[-1].text, canvas.size, True) + 4


def _whisker(canvas, panel, mark, x, middle, role):
    """Draw the interval of a mark where it is wide enough to see; returns its ends, or else those of the mark."""
    at = x(mark.value)
    if mark.low is None or not math.isfinite(mark.low) or not math.isfinite(mark.high):
        return at, at
    low, high = x(max(mark.low, panel.bottom)), x(min(mark.high, panel.top))
    if high - low <= 2 * DOT:
        return at, at
    canvas.line(low, middle, high, middle, role, 2)
    for end in (low, high):
        canvas.line(end, middle - 5, end, middle + 5, role, 2)
    canvas.keep_clear(low, middle - 5, high, middle + 5)
    return low, high


def _label_dots(canvas, marks, x, middle, unnamed, above, line, equal):
    """Write figures outside the outermost dots; of dots between them where there is room. None crosses the line."""
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
        if mark.name in unnamed and side != "between":
            _name(canvas, mark, at, above, side)
    for mark, side in zip(marks, sides, strict=True):
        if side == "between" and mark.name in unnamed:
            canvas.label(mark.name, [(x(mark.value), above, "middle")], "soft", small=True)


def _clear_of(canvas, line, place, words, bold):
    """The place of a figure, or the next one beyond the line where it would cross it."""
    at, y, anchor = place
    box = canvas.box_of(at, y, words, anchor, bold=bold)
    if not box.left - 4 <= line <= box.right + 4:
        return place
    return line + (6 if anchor == "start" else -6), y, anchor


def _ends(mark, x):
    if mark.low is None or not math.isfinite(mark.low) or not math.isfinite(mark.high):
        return x(mark.value), x(mark.value)
    return x(mark.low), x(mark.high)


def _bars(canvas, panel, row, marks, x, middle, unnamed, above):
    """One bar, from zero, with its interval."""
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
        if mark.name in unnamed:
            _name(canvas, mark, zero, above, "right")
        end = max(end, max(at, ends[1]) + 7 + text_width(mark.text, canvas.size, True))
    return end


def _stack(canvas, panel, row, marks, x, middle, unnamed, above):
    """Parts of a bar, one after the other; a part carries its figure if that fits."""
    start = 0.0
    if row.equal is not None:
        canvas.keep_clear(x(row.equal) - 3, middle - 11, x(row.equal) + 3, middle + 11)
    for number, mark in enumerate(marks):
        left, right = x(start), x(start + mark.value)
        canvas.rect(left, middle - BAR / 2 - 2, max(0, right - left - 1), BAR + 4, mark.role, mark.title)
        if mark.text and text_width(mark.text, canvas.small) < right - left - 4:
            ink = "onfill" if mark.role in ("subject", "base") else "ink"
            _inside(canvas, mark.text, left, right, middle, ink)
        if mark.name in unnamed:
            role = "subjecttext" if mark.role in ("subject", "pale") else "soft"
            after = (right, above, "end") if number == len(marks) - 1 else (left, above, "start")
            canvas.label(mark.name, [(left, above, "start"), after], role, small=True)
        start += mark.value
    return x(start)


def _inside(canvas, words, left, right, middle, ink):
    """A figure inside its part of the bar, where no upright mark stands."""
    places = [((left + right) / 2, middle, "middle"), (right - 4, middle, "end"), (left + 4, middle, "start")]
    for x, y, anchor in places:
        box = canvas.box_of(x, y, words, anchor, small=True)
        if not canvas.is_marked(box):
            canvas.text(x, y, words, anchor, ink, small=True)
            return


# Profiles along an axis


@dataclass(frozen=True)
class Profile:
    """Columns along an axis that all profiles of a chart share."""

    label: str
    values: list[float]
    split: int | None = None  # columns before this one are the lesser part
    notes: list[tuple[float, str, str]] = field(default_factory=list)  # (place, words, anchor) above the columns
    width: dict = field(default_factory=dict)  # how many times as wide, and as many times lower, a column is
    low: dict = field(default_factory=dict)  # columns that hang below the line, such as an inner lane


def profiles(label: str, many: list[Profile], ticks: list[tuple[float, str]], first: int = 0, shaded=(), line=None,
             line_name: str = "", height: float = 62) -> Drawing:  # fmt: skip
    """Profiles one below the other, on one scale for all."""

    def draw(canvas: Canvas):
        high = max((v / p.width.get(i, 1) for p in many for i, v in enumerate(p.values)), default=1) or 1
        places = _places(many[0])
        total = places[-1][1]
        named = any(p.label for p in many)
        column = 0
        if named and not canvas.narrow:
            column = min(MOST_LABEL, max(text_width(p.label, canvas.size) for p in many)) + 14
        unit = (canvas.width - column - 8) / total
        y = 0.0
        for profile in many:
            if named and canvas.narrow:
                canvas.text(0, y + 9, profile.label)
                y += 16
            notes = 18 if profile.notes else 4
            base = y + notes + height
            for low_end, high_end in shaded:
                left = column + unit * places[low_end - first][0]
                right = column + unit * places[high_end - first][1]
                canvas.rect(left, base, right - left, 8, "card")
            for number, value in enumerate(profile.values):
                start, end = places[number]
                share = value / profile.width.get(number, 1) / high * height
                role = "pale" if profile.split is not None and number < profile.split else "subject"
                hangs = profile.low.get(number)
                top = base + 1 if hangs else base - share
                tall = min(share, 14) if hangs else share
                gap = 1 if unit > 4 else 0.4
                canvas.rect(column + unit * start, top, unit * (end - start) - gap, tall, role)
            canvas.line(column, base, column + unit * total, base, "ink", 1.25)
            if line is not None:
                at = column + unit * places[line - first][0]
                canvas.line(at, y + 2, at, base + 6, "red", 2)
            for place, words, anchor in profile.notes:
                at = column + unit * _middle(places, place - first)
                below = (at, base - height - 8, anchor)
                canvas.label(words, [below, (at, base - height - 8, "end")], "subjecttext", small=True)
            if named and not canvas.narrow:
                _row_label(canvas, Row(profile.label, []), column - 10, base - 14)
            y = base + 16
        for place, words in ticks:
            at = column + unit * _middle(places, place - first)
            anchors = [(at, y + 2, "middle"), (at, y + 2, "end"), (at, y + 2, "start")]
            canvas.label(words, anchors, "soft", small=True)
        if line is not None and line_name:
            at = column + unit * places[line - first][0]
            canvas.label(line_name, [(at, y + 2, "middle"), (at, y + 18, "middle")], "red", small=True)
        canvas.height = max(canvas.height, y + 12)

    return Drawing(label, draw)


def _places(profile):
    """Where each column begins and ends, in columns of single width."""
    ends, at = [], 0.0
    for number in range(len(profile.values)):
        wide = profile.width.get(number, 1)
        ends.append((at, at + wide))
        at += wide
    return ends


def _middle(places, number):
    whole = min(max(int(number), 0), len(places) - 1)
    return sum(places[whole]) / 2 + (number - whole)


# Lines


@dataclass(frozen=True)
class Series:
    """A line with its name at the end."""

    name: str
    values: list[float]
    texts: list[str]
    role: str = "subject"
    strong: bool = False
    dashes: str = ""


def lines(label: str, many: list[Series], steps: list[str], ticks: list[tuple[float, str]]) -> Drawing:
    """Lines over a few steps in their natural order; zero is always on the scale."""

    def draw(canvas: Canvas):
        values = [v for series in many for v in series.values] + [0.0] + [v for v, _ in ticks]
        low, high = min(values), max(values)
        span = (high - low) or 1
        names = max(text_width(f"{s.texts[-1]} {s.name}", canvas.size, True) for s in many) + 10
        left = 26.0
        right = canvas.width - (names if not canvas.narrow else text_width("00.0", canvas.size, True) + 12)
        top = 16.0
        step = (right - left - 30) / max(1, len(steps) - 1)

        def x(number):
            return left + 18 + step * number

        def y(value):
            return top + LINES_TALL * (high - value) / span

        for value, words in ticks:
            canvas.line(left, y(value), right, y(value), "ink" if value == 0 else "grid")
            canvas.text(left - 6, y(value), words, "end", "soft", small=True)
        for number, words in enumerate(steps):
            canvas.text(x(number), y(low) + 22, words, "middle", "soft", small=True)
        for series in many:
            points = [(x(i), y(v)) for i, v in enumerate(series.values)]
            canvas.path(points, series.role, 3 if series.strong else 1.75, series.dashes)
            for at in points:
                canvas.dot(*at, 4 if series.strong else 3.2, series.role)
        for series in sorted(many, key=lambda s: not s.strong):
            last = len(series.values) - 1
            role = "subjecttext" if series.role == "subject" else "soft"
            for number, words in enumerate(series.texts):
                at = x(number), y(series.values[number])
                if number == last and not canvas.narrow:
                    ends = [(at[0] + 9, at[1] + shift, "start") for shift in (0, -12, 12, -18, 18)]
                    canvas.label(f"{words} {series.name}", ends, role, bold=series.strong)
                else:
                    around = [(at[0], at[1] - 13, "middle"), (at[0], at[1] + 13, "middle"),
                              (at[0] + 9, at[1], "start"), (at[0] + 9, at[1] - 12, "start")]  # fmt: skip
                    canvas.label(words, around, role, small=True, bold=series.strong)
            if canvas.narrow:
                tries = [(x(i) + 14, y(series.values[i]) + shift, anchor) for shift in (-28, 28, -42, 42)
                         for i in range(last, -1, -1) for anchor in ("end", "middle", "start")]  # fmt: skip
                canvas.label(series.name, tries, role, small=True, bold=series.strong)
        canvas.height = max(canvas.height, y(low) + 32)

    return Drawing(label, draw)


# A matrix


def matrix(label: str, names: list[str], cells: dict, texts: dict) -> Drawing:
    """Row against column, as shares: the further from a half, the darker; violet where the row is ahead, else grey."""

    def draw(canvas: Canvas):
        column = max(text_width(name, canvas.small) for name in names) + 8
        cell = (canvas.width - column) / len(names)
        tall = min(cell, 34)
        head = max(text_width(name, canvas.small) for name in names) + 8
        size = min(canvas.small, cell * 0.52)
        for number, name in enumerate(names):
            canvas.text(column + cell * (number + 0.5), head - 6, name, "start", "soft", small=True, upright=True)
        for i, a in enumerate(names):
            y = head + tall * i
            canvas.text(0, y + tall / 2, a, small=True)
            for j, b in enumerate(names):
                x = column + cell * j
                if (a, b) not in cells:
                    canvas.rect(x + 0.5, y + 0.5, cell - 1, tall - 1, "card")
                    continue
                value = cells[a, b]
                strength = abs(value - 0.5) / 0.5
                role = "subject" if value >= 0.5 else "base"
                canvas.rect(x + 0.5, y + 0.5, cell - 1, tall - 1, "card")
                step = 0 if strength < 0.06 else 1 if strength < 0.2 else 2 if strength < 0.45 else 3
                _tint(canvas, x + 0.5, y + 0.5, cell - 1, tall - 1, role, step, f"{a} against {b}: {texts[a, b]}")
                ink = "onfill" if step == 3 else "ink"
                canvas.text(x + cell / 2, y + tall / 2, texts[a, b], "middle", ink, size=size)
        canvas.height = head + tall * len(names)

    return Drawing(label, draw)


TINTS = (0.0, 0.16, 0.38, 1.0)


def _tint(canvas, x, y, width, height, role, step, title):
    canvas._add("rect", title, class_=f"f-{role}", opacity=f"{TINTS[step]:g}", x=x, y=y, width=width, height=height)


# Curves over the values of a rule


@dataclass(frozen=True)
class Curve:
    """A quantity over steps: value and both ends of its interval, its figure, and words for when one points at it."""

    name: str
    values: list[tuple[float, float, float]]
    texts: list[str]
    titles: list[str]


def curves(label: str, many: list[Curve], steps: list[str], base: int | None = None) -> Drawing:
    """Small charts beside each other, each with its name and its own scale. The base is hollow, with a line across."""

    def draw(canvas: Canvas):
        columns = 1 if canvas.narrow or len(many) == 1 else 2
        wide = (canvas.width - GAP * (columns - 1)) / columns
        y = 0.0
        for start in range(0, len(many), columns):
            ends = [
                _curve(canvas, curve, steps, base, (wide + GAP) * place, wide, y)
                for place, curve in enumerate(many[start : start + columns])
            ]
            y = max(ends) + 22

    return Drawing(label, draw)


def _curve(canvas, curve, steps, base, left, wide, y):
    """Draw one small chart; returns the y below it."""
    known = [v for v in curve.values if not math.isnan(v[0])]
    low = min((v[1] if math.isfinite(v[1]) else v[0] for v in known), default=0.0)
    high = max((v[2] if math.isfinite(v[2]) else v[0] for v in known), default=1.0)
    span = (high - low) or 1.0
    canvas.text(left, y + 9, curve.name, bold=True)
    top, bottom = y + 42, y + 42 + CURVES_TALL
    room = max(text_width(text, canvas.small) for text in curve.texts) / 2 + 4
    step = (wide - 2 * room) / max(1, len(steps) - 1)

    def x(number):
        return left + room + step * number

    def at(value):
        return top + CURVES_TALL * (high - value) / span

    if base is not None and not math.isnan(curve.values[base][0]):
        level = at(curve.values[base][0])
        canvas.line(left, level, left + wide, level, "grid", 1.25)
    points = [(x(i), at(v[0])) for i, v in enumerate(curve.values) if not math.isnan(v[0])]
    canvas.path(points, "subject", 2)
    for i, (value, least, most) in enumerate(curve.values):
        if math.isnan(value):
            continue
        if math.isfinite(least) and math.isfinite(most) and at(least) - at(most) > 2 * 5:
            canvas.line(x(i), at(least), x(i), at(most), "subject", 1.5)
            canvas.keep_clear(x(i) - 1, at(most), x(i) + 1, at(least))
        canvas.dot(x(i), at(value), 5, "subject", i == base, curve.titles[i])
    _step_words(canvas, steps, x, bottom + 16, step, base)
    for i in _first_and_last(curve.values, base):
        value, least, most = curve.values[i]
        over, under = (at(end) if math.isfinite(end) else at(value) for end in (most, least))
        over, under = min(over, at(value) - 5), max(under, at(value) + 5)
        places = [(x(i), over - 9, "middle"), (x(i), under + 9, "middle")]
        canvas.label(curve.texts[i], places, "subjecttext", small=True, bold=i == base)
    return bottom + 24


def _first_and_last(values, base):
    """The steps in the order in which their figures get room: the base, the extremes, the ends, then all others."""
    known = [i for i, v in enumerate(values) if not math.isnan(v[0])]
    if not known:
        return []
    extremes = [max(known, key=lambda i: values[i][0]), min(known, key=lambda i: values[i][0])]
    wanted = [*([base] if base in known else []), *extremes, known[0], known[-1], *known]
    return list(dict.fromkeys(wanted))


def _step_words(canvas, steps, x, y, step, base):
    """The steps below a chart: as many as have room, the base always."""
    order = [*([base] if base is not None else []), 0, len(steps) - 1, *range(len(steps))]
    shown = steps
    if any(text_width(words, canvas.small) > step for words in steps) and any(len(w) > 6 for w in steps):
        shown = [w if len(w) <= 9 else f"{w[:7]}…" for w in steps]
    for number in dict.fromkeys(order):
        canvas.label(shown[number], [(x(number), y, "middle")], "ink" if number == base else "soft", small=True)


# A map over the values of two rules


@dataclass(frozen=True)
class HeatMap:
    """A quantity by two rules: the cells by the words of their row and column, and the value to compare them with."""

    @dataclass(frozen=True)
    class Cell:
        """One combination."""

        value: float
        text: str
        title: str
        is_base: bool = False
        is_clear: bool = True  # a difference that may be luck is not coloured

    rows: list[str]
    columns: list[str]
    cells: dict
    base: float
    down: str
    across: str


def heat_map(label: str, found: HeatMap) -> Drawing:
    """Rows by columns: violet where there is more than at the base, grey where less, the further the darker."""
    reach = max((abs(c.value - found.base) for c in found.cells.values() if not math.isnan(c.value)), default=1) or 1

    def draw(canvas: Canvas):
        column = max(text_width(name, canvas.small) for name in [*found.rows, found.down]) + 12
        cell = (canvas.width - column) / len(found.columns)
        tall = 32
        canvas.text(column, 8, found.across, role="soft", small=True)
        canvas.text(0, 28, found.down, role="soft", small=True)
        size = min(canvas.small, cell / max(len(c.text) for c in found.cells.values()) * 1.7)
        for number, name in enumerate(found.columns):
            canvas.text(column + cell * (number + 0.5), 28, name, "middle", small=True)
        for i, a in enumerate(found.rows):
            y = 42 + tall * i
            canvas.text(0, y + tall / 2, a, small=True)
            for j, b in enumerate(found.columns):
                x = column + cell * j
                one = found.cells.get((a, b))
                canvas.rect(x + 0.5, y + 0.5, cell - 1, tall - 1, "card")
                if one is None or math.isnan(one.value):
                    continue
                strength = abs(one.value - found.base) / reach
                step = (
                    0 if strength < 0.06 or not one.is_clear else 1 if strength < 0.25 else 2 if strength < 0.6 else 3
                )
                role = "subject" if one.value >= found.base else "base"
                _tint(canvas, x + 0.5, y + 0.5, cell - 1, tall - 1, role, step, one.title)
                canvas.text(x + cell / 2, y + tall / 2, one.text, "middle", "onfill" if step == 3 else "ink", size=size)
                if one.is_base:
                    for ends in ((0, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1), (1, 0, 1, 1)):
                        x1, y1, x2, y2 = (o + s * e for o, s, e in zip((x, y, x, y), (cell, tall, cell, tall), ends,
                                                                       strict=True))  # fmt: skip
                        canvas.line(x1, y1, x2, y2, "ink", 2)
        canvas.height = 42 + tall * len(found.rows) + 2

    return Drawing(label, draw)
