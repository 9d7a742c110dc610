"""Charts of a grid: strategy against strategy as a matrix, a measure by two rules as a map. They know no game."""

import math
from dataclasses import dataclass

from jamaica_sim.report.drawing import Box, Canvas, Drawing, text_width


def matrix(
    label: str, names: list[str], cells: dict[tuple[str, str], float], texts: dict[tuple[str, str], str]
) -> Drawing:
    """Row against column, as shares: the further from a half, the darker; violet where the row is ahead, else grey."""

    def draw(canvas: Canvas) -> None:
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
                _tint(
                    canvas,
                    Box(x + 0.5, y + 0.5, x + cell - 0.5, y + tall - 0.5),
                    role,
                    step,
                    f"{a} against {b}: {texts[a, b]}",
                )
                ink = "onfill" if step == 3 else "ink"
                canvas.text(x + cell / 2, y + tall / 2, texts[a, b], "middle", ink, size=size)
        canvas.height = head + tall * len(names)

    return Drawing(label, draw)


TINTS = (0.0, 0.16, 0.38, 1.0)


def _tint(canvas: Canvas, box: Box, role: str, step: int, title: str) -> None:
    canvas.tint(box, role, TINTS[step], title)


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
    cells: dict[tuple[str, str], Cell]
    base: float
    down: str
    across: str


def heat_map(label: str, grid: HeatMap) -> Drawing:
    """Rows by columns: violet where there is more than at the base, grey where less, the further the darker."""
    reach = max((abs(c.value - grid.base) for c in grid.cells.values() if not math.isnan(c.value)), default=1) or 1

    def draw(canvas: Canvas) -> None:
        column = max(text_width(name, canvas.small) for name in [*grid.rows, grid.down]) + 12
        cell = (canvas.width - column) / len(grid.columns)
        tall = 32
        canvas.text(column, 8, grid.across, role="soft", small=True)
        canvas.text(0, 28, grid.down, role="soft", small=True)
        size = min(canvas.small, cell / max(len(c.text) for c in grid.cells.values()) * 1.7)
        for number, name in enumerate(grid.columns):
            canvas.text(column + cell * (number + 0.5), 28, name, "middle", small=True)
        for i, a in enumerate(grid.rows):
            y = 42 + tall * i
            canvas.text(0, y + tall / 2, a, small=True)
            for j, b in enumerate(grid.columns):
                x = column + cell * j
                one = grid.cells.get((a, b))
                canvas.rect(x + 0.5, y + 0.5, cell - 1, tall - 1, "card")
                if one is None or math.isnan(one.value):
                    continue
                strength = abs(one.value - grid.base) / reach
                step = (
                    0 if strength < 0.06 or not one.is_clear else 1 if strength < 0.25 else 2 if strength < 0.6 else 3
                )
                role = "subject" if one.value >= grid.base else "base"
                _tint(canvas, Box(x + 0.5, y + 0.5, x + cell - 0.5, y + tall - 0.5), role, step, one.title)
                canvas.text(x + cell / 2, y + tall / 2, one.text, "middle", "onfill" if step == 3 else "ink", size=size)
                if one.is_base:
                    for ends in ((0, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1), (1, 0, 1, 1)):
                        x1, y1, x2, y2 = (o + s * e for o, s, e in zip((x, y, x, y), (cell, tall, cell, tall), ends,
                                                                       strict=True))  # fmt: skip
                        canvas.line(x1, y1, x2, y2, "ink", 2)
        canvas.height = 42 + tall * len(grid.rows) + 2

    return Drawing(label, draw)
