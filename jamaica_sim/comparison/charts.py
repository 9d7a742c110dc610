"""Charts of a comparison: ratings, win rates and the difference with their intervals, and who finishes ahead of whom.

They use the one style of all charts. Every figure is also printed as a number, so nothing depends on colour alone.
"""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jamaica_sim.charts.style import COLOURS, GREY, PALE, chart, picture
from jamaica_sim.comparison.numbers import Numbers
from jamaica_sim.play.game_table import seed_words
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.variant import rules_told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIVERGING = "PuOr_r"  # ColorBrewer: safe for the colour-blind; orange is ahead, purple behind
DPI = 200  # for print
NO_BREAK = "\N{NO-BREAK SPACE}"
LONGEST_LINE = 24  # letters of a name
SMALL_PRINT = 96  # letters of a line of the small print
LINE_HEIGHT = 0.16  # of the small print, in inches


def charts(comparison: Numbers) -> dict[str, bytes]:
    """The charts of a comparison as PNG files, by name."""
    drawings = [win_rates, difference] if comparison.is_duel else [ratings, win_rates, matrix]
    if comparison.contest.against:
        drawings = [win_rates]
    return {draw.__name__: picture(draw(comparison), "png", DPI) for draw in drawings}


def _wrong(comparison: object) -> str | None:
    """The problem with an argument that is not a comparison; None for a comparison."""
    if isinstance(comparison, Numbers):
        return None
    return f"draws a comparison, what `compare` or `load_comparison` gives, not {type(comparison).__name__}."


def _not_a_duel(comparison: object) -> str | None:
    """The problem with an argument that is not a comparison of two strategies; None for such a comparison."""
    if isinstance(comparison, Numbers) and not comparison.is_duel:
        return f"draws a comparison of two strategies, and this one has {len(comparison.labels)}: use win_rates."
    return _wrong(comparison)


def _has_deals(comparison: Numbers) -> bool:
    return comparison.deals > 0


def _tall(height: float, comparison: Numbers) -> float:
    """A height in inches with room for small print of more than one line."""
    return height + LINE_HEIGHT * (len(_small_print(comparison)) - 1)


def _a_line_each(comparison: Numbers) -> float:
    return _tall(1.5 + 0.32 * len(comparison.labels), comparison)


@chart(height=_a_line_each, wants=_wrong, shows=_has_deals)
def win_rates(comparison: Numbers, ax: "Axes") -> None:
    """Win rates with their intervals, best on top, and the rate of equals as a line."""
    order = comparison.order
    _intervals(ax, [comparison.labels[s] for s in order], [comparison.win_rate(s) for s in order], 100)
    ax.axvline(100 * comparison.even, color=GREY, linestyle="--", linewidth=1)
    ax.set_xlabel("win rate per seat, percent (dashed: even)")
    _titled(ax, "Win rates", comparison)


@chart(height=_a_line_each, wants=_wrong, shows=_has_deals)
def ratings(comparison: Numbers, ax: "Axes") -> None:
    """Ratings with their intervals and ranks, strongest on top."""
    order = comparison.order
    ranks = [comparison.rank(s).replace(" ", NO_BREAK) for s in order]
    labels = [f"{comparison.labels[s]}  ({rank})" for s, rank in zip(order, ranks, strict=True)]
    _intervals(ax, labels, [comparison.points(s) for s in order], 1)
    ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
    ax.set_xlabel("rating (dashed: average of the field; in brackets: rank)")
    _titled(ax, "Ratings", comparison)


@chart(height=lambda comparison: _tall(2.0, comparison), wants=_not_a_duel, shows=_has_deals)
def difference(comparison: Numbers, ax: "Axes") -> None:
    """The difference in win rate of two strategies with its interval, against zero and the margin."""
    first, second = comparison.labels
    margin = 100 * comparison.plan.margin
    ax.axvspan(-margin, margin, color=PALE, zorder=0)
    ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
    _intervals(ax, [f"{first}\nless {second}"], [comparison.difference(0, 1)], 100)
    ax.set_xlabel("difference in win rate, points (grey: equal within the margin)")
    _titled(ax, "Difference", comparison)


@chart(
    height=lambda comparison: _tall(min(9.0, 2.4 + 0.42 * len(comparison.labels)), comparison),
    wants=_wrong,
    shows=_has_deals,
)
def matrix(comparison: Numbers, ax: "Axes") -> None:
    """Who finishes ahead of whom: the share of the row against the column, in percent."""
    order = comparison.order
    labels = [_wrapped(comparison.labels[s]) for s in order]
    shares = np.array([[100 * comparison.ahead(a, b).value if a != b else np.nan for b in order] for a in order])
    reach = 1.6 * min(max(5.0, np.nanmax(np.abs(shares - 50))), 30.0)  # pale enough for black numbers, mostly
    image = ax.imshow(shares, cmap=DIVERGING, vmin=50 - reach, vmax=50 + reach, aspect="auto")
    ax.set_facecolor(PALE)
    for row, column in zip(*np.nonzero(np.isfinite(shares)), strict=True):
        share = shares[row, column]
        ink = "white" if abs(share - 50) > 0.65 * reach else "black"
        ax.text(column, row, f"{share:.1f}", ha="center", va="center", color=ink, fontsize=min(8, 90 / len(order)))
    ax.set_xticks(range(len(order)), labels, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(order)), labels)
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03)
    bar.ax.set_ylim(np.nanmin(shares), np.nanmax(shares))
    bar.outline.set_visible(False)
    widest = max(comparison.ahead(*pair).half_width for pair in comparison.pairs)
    _titled(ax, "Row finishes ahead of column, percent", comparison, f"each ± {100 * widest:.1f} or less")


def _intervals(ax: "Axes", labels: Sequence[str], estimates: Sequence[Estimate], scale: float) -> None:
    """Points with intervals, one line each, and both as numbers on the right."""
    places = np.arange(len(labels))
    values = scale * np.array([e.value for e in estimates])
    low, high = (scale * np.array([getattr(e, end) for e in estimates]) for end in ("low", "high"))
    bounds = np.concatenate([values, low[np.isfinite(low)], high[np.isfinite(high)]])
    room = max(np.ptp(bounds), 1.0)  # an end without a bound stops at the edge of the picture
    low, high = np.maximum(low, bounds.min() - room), np.minimum(high, bounds.max() + room)
    reach = [values - low, high - values]
    ax.errorbar(values, places, xerr=reach, fmt="o", markersize=4, color=COLOURS[0], ecolor=COLOURS[1], capsize=4)
    for place, estimate in zip(places, estimates, strict=True):
        text = format(estimate, "" if scale == 1 else "%")
        ax.annotate(text, (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=9)
    ax.set_yticks(places, [_wrapped(label) for label in labels])
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.grid(False, axis="y")


def _wrapped(label: str) -> str:
    """A long name on several lines."""
    return "\n".join(textwrap.wrap(label, LONGEST_LINE, break_on_hyphens=False)) if "\n" not in label else label


def _titled(ax: "Axes", title: str, comparison: Numbers, intervals: str = "") -> None:
    """Title and, in small print, what was played."""
    lines = _small_print(comparison, intervals)
    ax.set_title(title, pad=8 + 72 * LINE_HEIGHT * len(lines))
    ax.text(0, 1.0, "\n".join([*lines, ""]), transform=ax.transAxes, fontsize=7.5)


def _small_print(comparison: Numbers, intervals: str = "") -> list[str]:
    """What was played, in lines."""
    contest = comparison.contest
    played = f"{comparison.games:,} games of {rules_told(contest.rules)}"
    intervals = intervals or f"{100 * comparison.confidence:.4g}% intervals over deals"
    return textwrap.wrap(f"{played}, seed {seed_words(contest.seed, contest.luck)}; {intervals}", SMALL_PRINT)
