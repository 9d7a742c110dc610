"""Charts of a grid: strategy against strategy as a matrix, a measure by two rules as a map. They know no game."""

import math
from dataclasses import dataclass

from jamaica_sim.report.charts.drawing import LINE, Canvas, Drawing, Rectangle, text_width, wrapped

TINTS = (0.0, 0.16, 0.38, 1.0)
TALL = 32


@dataclass(frozen=True)
class HeatMap:
    """A quantity by rows and columns: the cells by the words of both, and the value to compare them with."""

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
    down: str = ""  # what the rows and the columns are
    across: str = ""
    steps: tuple[float, ...] = (0.06, 0.25, 0.6)  # from which share of the largest difference a tint begins


def matrix(
    label: str, names: list[str], cells: dict[tuple[str, str], float], texts: dict[tuple[str, str], str]
) -> Drawing:
    """Row against column, as shares: the further from a half, the darker; violet where the row is ahead, else grey."""
    made = {(a, b): HeatMap.Cell(v, texts[a, b], f"{a} against {b}: {texts[a, b]}") for (a, b), v in cells.items()}
    return heat_map(label, HeatMap(names, names, made, 0.5, steps=(0.06, 0.2, 0.45)), reach=0.5)


def heat_map(label: str, grid: HeatMap, reach: float = 0.0) -> Drawing:
    """Rows by columns: violet where there is more than at the base, grey where less, the further the darker.

    Column heads that are wider than their column stand upright, or on several lines where their words fit.
    """
    values = [cell.value for cell in grid.cells.values() if not math.isnan(cell.value)]
    reach = reach or max((abs(value - grid.base) for value in values), default=1) or 1

    def draw(canvas: Canvas) -> None:
        column = max(text_width(name, canvas.small) for name in [*grid.rows, grid.down]) + 12
        cell = (canvas.width - column) / len(grid.columns)
        size = min(canvas.small, cell * (0.6 if not grid.across else 1.0),
                   cell / max(len(c.text) for c in grid.cells.values()) * 1.7)  # fmt: skip
        top = _heads(canvas, grid, column, cell)
        for i, a in enumerate(grid.rows):
            y = top + TALL * i
            canvas.text(0, y + TALL / 2, a, small=True)
            for j, b in enumerate(grid.columns):
                box = Rectangle(column + cell * j, y, column + cell * (j + 1), y + TALL)
                canvas.rect(box.left + 0.5, y + 0.5, cell - 1, TALL - 1, "card")
                one = grid.cells.get((a, b))
                if one is not None and not math.isnan(one.value):
                    _cell(canvas, grid, one, box, abs(one.value - grid.base) / reach, size)
        canvas.height = top + TALL * len(grid.rows) + 2

    return Drawing(label, draw)


def _heads(canvas: Canvas, grid: HeatMap, column: float, cell: float) -> float:
    """Write the heads of the columns; returns the y below them."""
    y = 20.0 if grid.across else 0.0
    if grid.across:
        canvas.text(column, 8, grid.across, role="soft", small=True)
    lines = [wrapped(name, cell - 4, canvas.small) for name in grid.columns]
    is_upright = any(text_width(line, canvas.small) > cell - 2 for head in lines for line in head)
    step = canvas.small * LINE
    tall = max(text_width(name, canvas.small) for name in grid.columns) if is_upright else step * max(map(len, lines))
    for number, (name, head) in enumerate(zip(grid.columns, lines, strict=True)):
        x = column + cell * (number + 0.5)
        if is_upright:
            canvas.text(x, y + tall, name, "start", "soft", small=True, upright=True)
            continue
        for place, line in enumerate(head):
            canvas.text(x, y + tall - step * (len(head) - place - 0.5), line, "middle", small=True)
    if grid.down:
        canvas.text(0, y + tall - step / 2, grid.down, role="soft", small=True)
    return y + tall + 8


def _cell(canvas: Canvas, grid: HeatMap, one: HeatMap.Cell, box: Rectangle, strength: float, size: float) -> None:
    step = sum(strength >= least for least in grid.steps) if one.is_clear else 0
    inside = Rectangle(box.left + 0.5, box.top + 0.5, box.right - 0.5, box.bottom - 0.5)
    canvas.tint(inside, "subject" if one.value >= grid.base else "base", TINTS[step], one.title)
    middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    canvas.text(*middle, one.text, "middle", "onfill" if step == 3 else "ink", size=size)
    if one.is_base:
        canvas.rect(box.left, box.top, box.right - box.left, box.bottom - box.top, "none", outline="ink")
