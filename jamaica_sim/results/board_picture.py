"""Draws the board: kinds of space, costs, points and lanes, or how often something happened on each space.

Kinds differ by shape as well as by colour, so that the picture can be read in grey and by colour-blind readers.
matplotlib is imported when a picture is drawn, never before.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jamaica_sim.errors import UserError
from jamaica_sim.game.components.course import Space, end_of_loss, lane_spaces, previous_spaces
from jamaica_sim.game.rules import Rules
from jamaica_sim.results.picture_style import pyplot
from jamaica_sim.results.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Board = tuple[Space, ...]
HEATS = {"landings": "landed", "shortages": "short", "battles": "fought"}
SHAPES = {"port_royal": "*", "sea": "o", "port": "s", "lair": "D"}
FILLS = {"port_royal": "#CC79A7", "sea": "#CFE6F5", "port": "#F3DC8C", "lair": "#6B6B6B"}
SIZES = {"port_royal": 1500, "sea": 560, "port": 520, "lair": 400}
NAMES = {
    "port_royal": "Port Royal, start and finish",
    "sea": "sea, cost in food",
    "port": "port, cost in doubloons",
    "lair": "pirate lair, free, a treasure",
}
LINE, FAINT = "#555555", "#9A9A9A"
HEAT_COLOURS = ("#FFF9E8", "#FBDD9C", "#F2A65A", "#C75B39", "#6E1F30")
WIDE = 1.35  # width of the board over its height
LABELLED = 12  # this many spaces, those with the most, carry their figure
WORDS_WIDE, WORDS_HIGH = 0.14, 0.06  # size of the words between two lanes, as shares of the picture
ENOUGH = 0.7  # of that size from the middle of the words to a space


def draw_board(
    results: "Results | None" = None,
    heat: str = "landings",
    ax: "Axes | None" = None,
    rules: "Rules | None" = None,
) -> "Axes":
    """Draw the board on axes. With results, the colour of a space shows its landings, shortages or battles per game.

    The board is that of the results, or of the rules, or else the printed one.

    Examples
    --------
    >>> from jamaica_sim import draw_board, simulate
    >>> draw_board(simulate(games=100, strategies="random"), "shortages").get_title(loc="left")
    'Shortages per game by space'
    """
    if results is not None and not isinstance(results, Results):
        raise TypeError(f"draw_board takes the results of `simulate` or `load_results`, not {type(results).__name__}.")

    if ax is None:
        _, ax = pyplot().subplots(figsize=(10, 7.2), layout="constrained")
    rules = results.table.rules if results is not None else rules or Rules()
    _draw(ax, rules.components.board, results, heat)
    return ax


def _draw(ax: "Axes", board: Board, results: Results | None, heat: str) -> None:
    _lay_out(ax)
    _draw_course(ax, board)
    if results is None:
        _draw_kinds(ax, board)
        _draw_points(ax, board)
        ax.set_title("The board: costs in the spaces, points beside them", loc="left")
    else:
        _draw_heat(ax, board, results, heat)
        ax.set_title(f"{heat.capitalize()} per game by space", loc="left")


def _lay_out(ax: "Axes") -> None:
    ax.set_xlim(-0.02, 1.03)
    ax.set_ylim(0.0, 1.01)
    ax.set_aspect(1 / WIDE)
    ax.axis("off")


def _draw_course(ax: "Axes", board: Board) -> None:
    lanes = lane_spaces(board)
    inner = {space for _, short in lanes for space in short}
    for number, space in enumerate(board):
        for following in space.next:
            end = board[following]
            is_inner = number in inner or following in inner
            ax.annotate(
                "",
                xy=(end.x, end.y),
                xytext=(space.x, space.y),
                zorder=1,
                arrowprops={
                    "arrowstyle": "-|>",
                    "color": FAINT,
                    "linewidth": 1.1,
                    "linestyle": (0, (3, 2)) if is_inner else "-",
                    "shrinkA": 11,
                    "shrinkB": 12,
                    "mutation_scale": 9,
                },
            )
    for outer, short in lanes:
        x, y = _clearing(board, outer, short)
        words = f"outer lane {len(outer)} spaces\ninner lane {len(short)} (dashed)"
        ax.text(x, y, words, ha="center", va="center", fontsize=8.5, style="italic", color=LINE, zorder=2)


def _clearing(board: Board, outer: Sequence[int], short: Sequence[int]) -> tuple[float, float]:
    """The place between two lanes where words are furthest from every space; too near there, beyond the inner lane."""
    around = [(space.x, space.y) for space in board]
    along = [_middle(board, outer, axis) for axis in "xy"], [_middle(board, short, axis) for axis in "xy"]
    (x, y), (other_x, other_y) = along

    def room(place: tuple[float, float]) -> float:
        return min(max(abs(place[0] - sx) / WORDS_WIDE, abs(place[1] - sy) / WORDS_HIGH) for sx, sy in around)

    def best(ways: Sequence[float]) -> tuple[float, float]:
        asides = [share / 120 for share in range(-10, 11)]
        places = [(x + way * (other_x - x) + aside, y + way * (other_y - y)) for way in ways for aside in asides]
        return max(places, key=room)

    between = best([share / 20 for share in range(11)])
    return between if room(between) >= ENOUGH else best([1.3, 1.4, 1.5])


def _middle(board: Board, lane: Sequence[int], axis: str) -> float:
    return sum(getattr(board[space], axis) for space in lane) / len(lane)


def _spaces_of(board: Board, kind: str) -> list[tuple[int, Space]]:
    return [(number, space) for number, space in enumerate(board) if space.kind == kind]


def _mark_spaces(ax: "Axes", kind: str, spaces: list[tuple[int, Space]], **colour: Any) -> None:
    """Mark each of some spaces, in the shape of their kind."""
    x, y = [space.x for _, space in spaces], [space.y for _, space in spaces]
    ax.scatter(x, y, s=SIZES[kind], marker=SHAPES[kind], edgecolor=LINE, linewidth=0.8, zorder=3, **colour)


def _draw_kinds(ax: "Axes", board: Board) -> None:
    for kind in SHAPES:
        spaces = _spaces_of(board, kind)
        _mark_spaces(ax, kind, spaces, facecolor=FILLS[kind])
        for _, space in spaces:
            if kind in ("sea", "port"):
                ax.text(space.x, space.y, str(space.cost), ha="center", va="center_baseline", fontsize=11, zorder=4)
    _explain_kinds(ax, FILLS)


def _draw_points(ax: "Axes", board: Board) -> None:
    """The number of each space and, past the red line, its points; in inner lanes they lie beyond the number."""
    _number_spaces(ax, board)
    inner = {space for _, short in lane_spaces(board) for space in short}
    lost = min(board[1].score, 0)  # what a space up to the red line is worth
    for number, space in enumerate(board):
        if space.score != lost or lost == 0:
            x, y = _beside(board, number, -0.07 if number in inner else -0.042 if number else -0.055)
            points = f"{space.score:+d}" if space.score else "0"
            ax.text(x, y, points, ha="center", va="center", fontsize=9, weight="bold", color="#0072B2")
    _draw_red_line(ax, board)


def _number_spaces(ax: "Axes", board: Board) -> None:
    """The number of each space on its outer side; in inner lanes on its inner side, where there is more room."""
    inner = {space for _, short in lane_spaces(board) for space in short}
    for number in range(len(board)):
        x, y = _beside(board, number, -0.036 if number in inner else 0.036)
        ax.text(x, y, str(number), ha="center", va="center", fontsize=8, color=LINE, zorder=4)


def _draw_red_line(ax: "Axes", board: Board) -> None:
    """Draw the line up to which ships lose points at the end (E2); there is none where space 1 costs no points."""
    lost, first = board[1].score, end_of_loss(board)
    if lost >= 0 or not first:
        return
    ahead = board[first]
    before = [board[number] for number in previous_spaces(board)[first]]
    behind = min(before, key=lambda space: math.dist((space.x, space.y), (ahead.x, ahead.y)))
    x, y = 0.3 * ahead.x + 0.7 * behind.x, 0.3 * ahead.y + 0.7 * behind.y
    right, up = (1 if x < 0.5 else -1), (1 if y < 0.5 else -1)  # towards the middle of the board, where there is room
    if abs(ahead.x - behind.x) > abs(ahead.y - behind.y):
        ends, words = ([x, x], [y - 0.08 * up, y + 0.19 * up]), (x, y + 0.2 * up)
        sides: dict[str, Any] = {"ha": "center", "va": "bottom" if up > 0 else "top"}
    else:
        ends, words = ([x - 0.06 * right, x + 0.11 * right], [y, y]), (x + 0.12 * right, y)
        sides = {"ha": "left" if right > 0 else "right", "va": "center"}
    ax.plot(*ends, color="#D55E00", linewidth=2, zorder=0)
    ax.text(*words, f"red line: {lost} up to here", **sides, fontsize=8, color="#B34700")


def _beside(board: Board, number: int, distance: float) -> tuple[float, float]:
    """A point beside a space, across the course: away from the middle of the board, or towards it if `distance` < 0."""
    space, behind = board[number], board[previous_spaces(board)[number][0]]
    ahead = board[space.next[0]]
    dx, dy = behind.y - ahead.y, ahead.x - behind.x
    if dx * (space.x - 0.5) + dy * (space.y - 0.5) < 0:
        dx, dy = -dx, -dy
    reach = math.hypot(dx, dy)
    return space.x + dx / reach * distance, space.y + dy / reach * distance * WIDE


def _explain_kinds(ax: "Axes", fills: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], marker=shape, linestyle="", markersize=11, markerfacecolor=fills.get(kind, "white"),
               markeredgecolor=LINE, label=NAMES[kind])
        for kind, shape in SHAPES.items()
    ]  # fmt: skip
    ax.legend(handles=keys, loc="center", bbox_to_anchor=(0.52, 0.5), frameon=False, fontsize=9, labelspacing=0.9)


def heat_values(results: Results, heat: str) -> list[float]:
    """The mean number per game on each space."""
    if heat not in HEATS:
        raise UserError(f"there is no heat {heat!r}: choose {', '.join(HEATS)}.")
    column = results.spaces().columns.index(heat)
    return [row[column].value for row in results.spaces().rows]


def _draw_heat(ax: "Axes", board: Board, results: Results, heat: str) -> None:
    plt = pyplot()
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    values = heat_values(results, heat)
    colours = LinearSegmentedColormap.from_list("heat", HEAT_COLOURS)
    scale = Normalize(0, max(values) or 1)
    for kind in SHAPES:
        spaces = _spaces_of(board, kind)
        _mark_spaces(ax, kind, spaces, c=[values[number] for number, _ in spaces], cmap=colours, norm=scale)
    if not any(values):
        ax.text(0.5, 0.5, f"There were no {heat} in {results.games:,} games.", ha="center", fontsize=13, zorder=6)
    most = sorted(range(len(values)), key=values.__getitem__, reverse=True)[:LABELLED]
    for number in (number for number in most if values[number] > 0):
        ink = "white" if values[number] > 0.6 * max(values) else "black"
        x, y = board[number].x, board[number].y
        ax.text(x, y, f"{values[number]:.2g}", ha="center", va="center_baseline", fontsize=8, color=ink, zorder=5)
    _number_spaces(ax, board)
    _explain_kinds(ax, {})
    bar = plt.colorbar(plt.cm.ScalarMappable(scale, colours), ax=ax, location="bottom", shrink=0.4, aspect=30, pad=0.01)
    bar.set_label(f"{heat} per game, all ships")
    bar.outline.set_visible(False)
