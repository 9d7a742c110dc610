"""Charts along an axis: profiles of columns, curves over values. They know no game.

Profiles include zero. Curves have their own scale, because only their shape matters.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jamaica_sim.report.drawing import Canvas, Drawing, text_width
from jamaica_sim.report.row_charts import GAP, MOST_LABEL, Row, row_label

CURVES_TALL = 96


@dataclass(frozen=True)
class Profile:
    """Columns along an axis that all profiles of a chart share."""

    label: str
    values: list[float]
    split: int | None = None  # columns before this one are the lesser part
    notes: Sequence[tuple[float, str, str]] = field(default_factory=list)  # (place, words, anchor) above the columns
    width: dict[int, float] = field(default_factory=dict)  # how many times as wide and as low a column is
    low: dict[int, bool] = field(default_factory=dict)  # columns that hang below the line, such as an inner lane


def profiles(
    label: str,
    many: list[Profile],
    ticks: list[tuple[float, str]],
    *,
    first: int = 0,
    shaded: Sequence[tuple[int, int]] = (),
    line: int | None = None,
    line_name: str = "",
    height: float = 62,
) -> Drawing:
    """Profiles one below the other, on one scale for all."""

    def draw(canvas: Canvas) -> None:
        high = max((v / p.width.get(i, 1) for p in many for i, v in enumerate(p.values)), default=1) or 1
        places = _places(many[0])
        total = places[-1][1]
        named = any(p.label for p in many)
        column = 0.0
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
                row_label(canvas, Row(profile.label, []), column - 10, base - 14)
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


def histogram(label: str, many: list[Profile], first: int = 0) -> Drawing:
    """Columns over whole numbers, about eight of which are written below."""
    last = first + len(many[0].values) - 1
    ticks = [(float(n), str(n)) for n in range(first, last + 1, max(1, round((last - first) / 8)))]
    return profiles(label, many, ticks, first=first, height=44 if len(many) > 2 else 90)


def _places(profile: Profile) -> list[tuple[float, float]]:
    """Where each column begins and ends, in columns of single width."""
    ends, at = [], 0.0
    for number in range(len(profile.values)):
        wide = profile.width.get(number, 1)
        ends.append((at, at + wide))
        at += wide
    return ends


def _middle(places: list[tuple[float, float]], number: float) -> float:
    whole = min(max(int(number), 0), len(places) - 1)
    return sum(places[whole]) / 2 + (number - whole)


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

    def draw(canvas: Canvas) -> None:
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


def _curve(
    canvas: Canvas, curve: Curve, steps: list[str], base: int | None, left: float, wide: float, y: float
) -> float:
    """Draw one small chart; returns the y below it."""
    known = [v for v in curve.values if not math.isnan(v[0])]
    low = min((v[1] if math.isfinite(v[1]) else v[0] for v in known), default=0.0)
    high = max((v[2] if math.isfinite(v[2]) else v[0] for v in known), default=1.0)
    span = (high - low) or 1.0
    canvas.text(left, y + 9, curve.name, bold=True)
    top, bottom = y + 42, y + 42 + CURVES_TALL
    room = max(text_width(text, canvas.small) for text in curve.texts) / 2 + 4
    step = (wide - 2 * room) / max(1, len(steps) - 1)

    def x(number: float) -> float:
        return left + room + step * number

    def at(value: float) -> float:
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


def _first_and_last(values: list[tuple[float, float, float]], base: int | None) -> list[int]:
    """The steps in the order in which their figures get room: the base, the extremes, the ends, then all others."""
    known = [i for i, v in enumerate(values) if not math.isnan(v[0])]
    if not known:
        return []
    extremes = [max(known, key=lambda i: values[i][0]), min(known, key=lambda i: values[i][0])]
    wanted = [*([base] if base is not None and base in known else []), *extremes, known[0], known[-1], *known]
    return list(dict.fromkeys(wanted))


def _step_words(
    canvas: Canvas, steps: list[str], x: Callable[[float], float], y: float, step: float, base: int | None
) -> None:
    """The steps below a chart: as many as have room, the base always."""
    order = [*([base] if base is not None else []), 0, len(steps) - 1, *range(len(steps))]
    shown = steps
    if any(text_width(words, canvas.small) > step for words in steps) and any(len(w) > 6 for w in steps):
        shown = [w if len(w) <= 9 else f"{w[:7]}…" for w in steps]
    for number in dict.fromkeys(order):
        canvas.label(shown[number], [(x(number), y, "middle")], "ink" if number == base else "soft", small=True)
