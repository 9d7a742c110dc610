"""Charts along an axis: profiles of columns, curves over values. They know no game.

Profiles include zero. Curves have their own scale, because only their shape matters.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jamaica_sim.report.charts.drawing import Canvas, Drawing, text_width
from jamaica_sim.report.charts.row_charts import GAP, MOST_LABEL, Row, row_label

CURVES_TALL = 96


@dataclass(frozen=True)
class Profile:
    """Columns along an axis that all profiles of a chart share."""

    label: str
    values: list[float]
    split: int | None = None  # columns before this one are the lesser part
    notes: Sequence[tuple[float, str, str]] = field(default_factory=list)  # (place, words, anchor) above the columns


def histogram(label: str, many: list[Profile], first: int = 0) -> Drawing:
    """Columns over whole numbers from `first` on, about eight of which are written below; one scale for all."""
    count, height = len(many[0].values), 44 if len(many) > 2 else 90
    high = max((v for p in many for v in p.values), default=1) or 1

    def draw(canvas: Canvas) -> None:
        named, column, y = any(p.label for p in many), 0.0, 0.0
        if named and not canvas.narrow:
            column = min(MOST_LABEL, max(text_width(p.label, canvas.size) for p in many)) + 14
        unit = (canvas.width - column - 8) / count
        for profile in many:
            if named and canvas.narrow:
                canvas.text(0, y + 9, profile.label)
                y += 16
            base = y + (18 if profile.notes else 4) + height
            for number, value in enumerate(profile.values):
                role = "pale" if profile.split is not None and number < profile.split else "subject"
                tall = value / high * height
                canvas.rect(column + unit * number, base - tall, unit - (1 if unit > 4 else 0.4), tall, role)
            canvas.line(column, base, column + unit * count, base, "ink", 1.25)
            for place, words, anchor in profile.notes:
                at = column + unit * (place - first + 0.5), base - height - 8
                sides = dict.fromkeys((anchor, "end", "start"))
                canvas.label(words, [(*at, side) for side in sides], "subjecttext", small=True)
            if named and not canvas.narrow:
                row_label(canvas, Row(profile.label, []), column - 10, base - 14)
            y = base + 16
        for number in range(0, count, max(1, round((count - 1) / 8))):
            at = column + unit * (number + 0.5), y + 2
            canvas.label(str(first + number), [(*at, side) for side in ("middle", "end", "start")], "soft", small=True)
        canvas.height = max(canvas.height, y + 12)

    return Drawing(label, draw)


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
