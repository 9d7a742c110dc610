"""Charts of a comparison: ratings or win rates with intervals, the matrix of who finishes ahead of whom.

Colours can be told apart by colour-blind readers and in grey print; every figure also stands in the chart as a number.
Each chart draws into an axes that is handed over, or into a figure of its own.
"""

from io import BytesIO

import numpy as np
from matplotlib.figure import Figure

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#666666"  # of the palette of Okabe and Ito (2008)
DIVERGING = "PuOr_r"  # ColorBrewer: safe for the colour-blind; orange is ahead, purple behind
DPI = 200


def charts(comparison) -> dict[str, bytes]:
    """The charts of a comparison as PNG files, by name."""
    if comparison.is_duel:
        return {"win_rates": png(win_rate_chart(comparison)), "difference": png(difference_chart(comparison))}
    drawn = {"ratings": rating_chart(comparison), "win_rates": win_rate_chart(comparison), "matrix": matrix_chart(comparison)}
    return {name: png(axes) for name, axes in drawn.items()}


def png(axes) -> bytes:
    """The figure of an axes as a PNG file, the same bytes for the same figure."""
    content = BytesIO()
    axes.figure.savefig(content, format="png", dpi=DPI, metadata={"Software": None})
    return content.getvalue()


def win_rate_chart(comparison, axes=None):
    """Win rates with their intervals, best on top, and the rate of equals as a line."""
    order = comparison.order
    estimates = [comparison.win_rate(s) for s in order]
    axes = axes or _new_axes(7, 1.5 + 0.34 * len(order))
    _intervals(axes, [comparison.labels[s] for s in order], estimates, 100, "{:.1f}%")
    axes.axvline(100 / comparison.contest.rules.players, color=GREY, linestyle="--", linewidth=1)
    axes.set_xlabel("win rate per seat, percent (dashed: even)")
    return _titled(axes, "Win rates", comparison)


def rating_chart(comparison, axes=None):
    """Ratings with their intervals, strongest on top."""
    from jamaica_sim.analysis.compare import in_points

    order = comparison.order
    estimates = [in_points(comparison.rating.strengths[s]) for s in order]
    labels = [f"{comparison.labels[s]}  ({comparison.rank(s)})" for s in order]
    axes = axes or _new_axes(7, 1.5 + 0.34 * len(order))
    _intervals(axes, labels, estimates, 1, "{:+.0f}")
    axes.axvline(0, color=GREY, linestyle="--", linewidth=1)
    axes.set_xlabel("rating (dashed: average of the field; 400 points are ten to one); rank in brackets")
    return _titled(axes, "Ratings", comparison)


def difference_chart(comparison, axes=None):
    """The difference in win rate of two strategies with its interval, against zero and the margin."""
    first, second = comparison.labels
    margin = 100 * comparison.plan.margin
    axes = axes or _new_axes(7, 2.2)
    axes.axvspan(-margin, margin, color="#DDDDDD", zorder=0)
    axes.axvline(0, color=GREY, linestyle="--", linewidth=1)
    _intervals(axes, [f"{first}\nless {second}"], [comparison.difference(0, 1)], 100, "{:+.2f}")
    axes.set_xlabel("difference in win rate, points (grey: equal within the margin)")
    return _titled(axes, "Difference", comparison)


def matrix_chart(comparison, axes=None):
    """Who finishes ahead of whom: the share of the row against the column, in percent."""
    order = comparison.order
    labels = [comparison.labels[s] for s in order]
    shares = np.array([[comparison.ahead(a, b).value if a != b else np.nan for b in order] for a in order])
    side = 2.6 + 0.56 * len(order)
    axes = axes or _new_axes(side + 0.8, side)
    reach = max(0.05, np.nanmax(np.abs(shares - 0.5)))
    image = axes.imshow(100 * shares, cmap=DIVERGING, vmin=50 - 100 * reach, vmax=50 + 100 * reach)
    for row, column in zip(*np.nonzero(np.isfinite(shares)), strict=True):
        far = abs(shares[row, column] - 0.5) > 0.7 * reach
        text = f"{100 * shares[row, column]:.0f}" if reach > 0.2 else f"{100 * shares[row, column]:.1f}"
        axes.text(column, row, text, ha="center", va="center", color="white" if far else "black", fontsize=8)
    axes.set_xticks(range(len(order)), labels, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), labels)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03)
    bar.set_label("row finishes ahead of column, percent")
    bar.outline.set_visible(False)
    return _titled(axes, "Who finishes ahead of whom", comparison)


def _new_axes(width, height):
    return Figure(figsize=(width, height), layout="constrained").subplots()


def _intervals(axes, labels, estimates, scale, text):
    """Points with intervals, one line each, and the value as a number on the right."""
    places = np.arange(len(labels))
    values = scale * np.array([e.value for e in estimates])
    low, high = ([scale * getattr(e, end) for e in estimates] for end in ("low", "high"))
    finite = values[np.isfinite(values)]
    room = max(np.ptp(finite), 1.0)
    low = np.maximum(low, finite.min() - room)
    high = np.minimum(high, finite.max() + room)
    axes.errorbar(values, places, xerr=[values - low, high - values], fmt="o", color=BLUE, ecolor=ORANGE, capsize=4)
    for place, value in zip(places, values, strict=True):
        axes.annotate(text.format(value), (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=9)
    axes.set_yticks(places, labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color="#EEEEEE")
    axes.set_axisbelow(True)


def _titled(axes, title, comparison):
    rules = comparison.contest.rules
    ghost = " and the ghost ship" if rules.ghost else ""
    played = f"{comparison.games:,} games of {rules.players} players{ghost}, edition {rules.edition}"
    axes.set_title(f"{title}\n", loc="left", fontsize=11, fontweight="bold")
    level = f"{100 * comparison.confidence:.4g}% intervals over deals"
    axes.text(0, 1.0, f"{played}, seed {comparison.contest.seed}; {level}\n", transform=axes.transAxes, fontsize=7.5)
    return axes
