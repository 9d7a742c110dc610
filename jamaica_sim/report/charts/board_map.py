"""The board as a map of what happens on each space: with a key.

Kinds of space differ by shape, amounts by colour; the four largest amounts are labelled. `results.board_picture`
draws the board itself, for print.
"""

import math
from dataclasses import dataclass

from jamaica_sim.game.components.course import Space, lane_spaces
from jamaica_sim.report.charts.drawing import HEATS, Canvas, Drawing

STEPS = tuple(digits * 10**power for power in range(-3, 3) for digits in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
LABELLED = 4
TALL = 0.74  # height of a map, as a share of its width


@dataclass(frozen=True)
class BoardMap:
    """The amount on each space, with words for the middle of the board."""

    spaces: tuple[Space, ...]
    values: list[float]
    big: str
    small: str


def step_for(most: float) -> float:
    """The round width of a class of colour with which six classes cover all amounts."""
    return next((step for step in STEPS if most <= HEATS * step), STEPS[-1])


def figure_text(value: float) -> str:
    """An amount on a space."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}"


def board_map(label: str, one: BoardMap, unit: str) -> Drawing:
    """The board with a key to its colours and shapes."""
    step = step_for(max(one.values))

    def draw(canvas: Canvas) -> None:
        bottom = _map(canvas, one, canvas.width if canvas.narrow else 560, step)
        _key(canvas, bottom + 14, step, unit, {one.spaces[n].kind for n, v in enumerate(one.values) if v > 0})

    return Drawing(label, draw)


def _map(canvas: Canvas, one: BoardMap, width: float, step: float) -> float:
    spaces, top, height, pad = one.spaces, 6, width * TALL, 14
    aside = 30  # room for figures beside the outermost spaces
    radius = max(6.5, width / 52)

    def at(number: int) -> tuple[float, float]:
        space = spaces[number]
        return aside + (width - 2 * aside) * space.x, top + pad + (height - 2 * pad) * (1 - space.y)

    inner = {space for _, short in lane_spaces(spaces) for space in short}
    for number, space in enumerate(spaces):
        for following in space.next:
            dashes = "3 3" if number in inner or following in inner else ""
            canvas.line(*at(number), *at(following), "rule", 1.25, dashes)
    for number, space in enumerate(spaces):
        x, y = at(number)
        value = one.values[number]
        heat = f"heat{min(HEATS - 1, int(value / step + 1e-9))}"
        words = f"space {number}, {space.kind.replace('_', ' ')}: {figure_text(value)}"
        _shape(canvas, space.kind, (x, y), radius, heat, words, value)
    most = sorted(range(len(spaces)), key=lambda n: -one.values[n])[:LABELLED]
    for number in most:
        if one.values[number] > 0:
            _figure(canvas, figure_text(one.values[number]), at(number), radius, (width / 2, top + height / 2))
    canvas.text(width / 2, top + height * 0.46, one.big, "middle", bold=True, size=26)
    canvas.text(width / 2, top + height * 0.46 + 24, one.small, "middle", "soft", small=True)
    return top + height


def _shape(
    canvas: Canvas, kind: str, at: tuple[float, float], radius: float, heat: str, words: str, value: float
) -> None:
    x, y = at
    if kind == "sea":
        canvas.dot(x, y, radius, heat, title=words, outline="heatline")
        return
    canvas.keep_clear(x - radius, y - radius, x + radius, y + radius)
    if kind == "port":
        side = radius * 0.92
        corners = [(x - side, y - side), (x + side, y - side), (x + side, y + side), (x - side, y + side)]
    elif kind == "lair":
        side = radius * 1.15 if value > 0 else radius * 0.6
        corners = [(x, y - side), (x + side, y), (x, y + side), (x - side, y)]
    else:
        corners = [
            (x + r * math.sin(math.pi * i / 5), y - r * math.cos(math.pi * i / 5))
            for i in range(10)
            for r in ((radius * 1.35 if i % 2 == 0 else radius * 0.55),)
        ]
    canvas.path(corners, heat, closed=True, title=words)


def _figure(canvas: Canvas, text: str, at: tuple[float, float], radius: float, middle: tuple[float, float]) -> None:
    """A figure beside its space, towards the middle of the board if there is room."""
    (x, y), (middle_x, middle_y) = at, middle
    right, below = (middle_x >= x), (middle_y >= y)
    side = (x + radius + 3, y, "start") if right else (x - radius - 3, y, "end")
    other = (x - radius - 3, y, "end") if right else (x + radius + 3, y, "start")
    up, down = (x, y - radius - 9, "middle"), (x, y + radius + 9, "middle")
    corners = [(side[0], y + (10 if below else -10), side[2]), (side[0], y - (10 if below else -10), side[2])]
    corners += [(other[0], y + shift, other[2]) for shift in (9, -9)]
    canvas.label(text, [side, down if below else up, other, up if below else down, *corners], bold=True, small=True)


def _key(canvas: Canvas, y: float, step: float, unit: str, kinds: set[str]) -> None:
    wide = 30 if canvas.narrow else 40
    for number in range(HEATS):
        canvas.rect(number * wide, y, wide, 12, f"heat{number}", outline="heatline")
    for number in range(0, HEATS + 1, 1 if step < 1 and not canvas.narrow else 2):
        canvas.text(number * wide, y + 23, f"{number * step:g}", "middle" if number else "start", "soft", small=True)
    names = {"port": "port", "sea": "sea", "lair": "lair", "port_royal": "Port Royal"}
    x, line = float(HEATS * wide + 22), y + 6
    if canvas.narrow:
        x, line = 0, y + 44
    for kind, name in names.items():
        if kind in kinds or kind == "port_royal":
            _shape(canvas, kind, (x + 8, line), 7, "heat2" if kind in kinds else "heat0", name, 1.0)
            canvas.text(x + 20, line, name, role="soft", small=True)
            x += 20 + 8 * len(name) + 10
    canvas.text(HEATS * wide + 22 if not canvas.narrow else HEATS * wide + 10, y + (24 if not canvas.narrow else 6),
                unit, role="soft", small=True)  # fmt: skip
