"""Charts: each function takes results and an optional axes, draws, and returns the axes, also in a notebook.

Results are those of one run, or several by name: `rounds(results)`, `rounds({"2007": old, "2021": new})`.
"""

import math

import numpy as np

from jamaica_sim.charts.style import COLOURS, DASHES, GREY, MARKS, chart
from jamaica_sim.codes import LOOT_KINDS, RESOURCES
from jamaica_sim.components import board, treasures
from jamaica_sim.engine.board import lane_spaces
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import BOX, GAME_QUANTITIES, RED_LINE, SCORE_LOW

PERCENT = 100


def several(results) -> dict:
    """Results by name, of one run or of several."""
    return results if isinstance(results, dict) else {"": results}


def _rows(results):
    return 1.3 + 0.34 * len(several(results))


def _percent_axis(axis):
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * PERCENT:g}%"))


def _whole_axis(axis):
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, nbins="auto"))


def _legend(ax, names, **place):
    if len([name for name in names if name]) > 1:
        ax.legend(**place)


def _whiskers(ax, places, estimates: list[Estimate], number=0, across=False, label=None, offset=0.0, linestyle=""):
    """Points with their intervals; `across` lays them along the x axis."""
    values = np.array([e.value for e in estimates])
    low = np.array([e.value - e.low if math.isfinite(e.low) else 0 for e in estimates])
    high = np.array([e.high - e.value if math.isfinite(e.high) else 0 for e in estimates])
    places = np.asarray(places, float) + offset
    x, y, errors = (values, places, {"xerr": (low, high)}) if across else (places, values, {"yerr": (low, high)})
    ax.errorbar(
        x,
        y,
        **errors,
        marker=MARKS[number % len(MARKS)],
        color=COLOURS[number % len(COLOURS)],
        linestyle=linestyle,
        markersize=5.5,
        capsize=2.5,
        elinewidth=1.2,
        label=label,
    )


def _names_down(ax, names):
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)


def _mark(ax, value, text, upright=True):
    """A thin line at a value that means something, with its name."""
    draw = ax.axvline if upright else ax.axhline
    draw(value, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1, label=text)


def dots(estimates: dict, ax, quantity: str, share=False, number=0, fair=None):
    """Named estimates under one another; the workhorse for any quantity by setting."""
    _whiskers(ax, range(len(estimates)), list(estimates.values()), number, across=True)
    _names_down(ax, list(estimates))
    ax.set_xlabel(quantity)
    if fair is not None:
        _mark(ax, fair, "even")
    if share:
        _percent_axis(ax.xaxis)


@chart(_rows)
def per_game(results, quantity: str, words: str, share=False, ax=None):
    """A quantity of the game, by run."""
    dots({name: r.of_game(quantity) for name, r in several(results).items()}, ax, words, share)
    ax.set_title(words.capitalize())


# Who wins


@chart(lambda results: 1.4 + 0.34 * len(results.table.groups))
def win_rates(results, ax=None):
    """The win rate of each strategy at one table, per seat."""
    rates = {name: results.win_rate(name) for name in results.table.groups}
    dots(rates, ax, "win rate per ship", share=True, fair=1 / results.table.rules.ships)
    ax.set_title("Win rate by strategy")


@chart()
def seats(results, ax=None):
    """The win rate by seat from the first Captain."""
    runs = several(results)
    for number, (name, one) in enumerate(runs.items()):
        rates = [one.of_ships("seat", seat, "win") for seat in range(one.table.rules.players)]
        _whiskers(ax, range(len(rates)), rates, number, label=name, linestyle=DASHES[number % len(DASHES)])
    ax.set_xlabel("seat: 0 is the first Captain, then clockwise")
    ax.set_ylabel("win rate")
    ax.set_title("Win rate by seat")
    _whole_axis(ax.xaxis)
    _percent_axis(ax.yaxis)
    _legend(ax, runs, loc="center left", bbox_to_anchor=(1, 0.5))


@chart(5.6)
def opponents(shares: dict, ax=None):
    """Strategy against strategy: `shares[row, column]` is the share of the victory of the row's ships, as estimates."""
    from matplotlib.colors import LinearSegmentedColormap

    names = list(dict.fromkeys(row for row, _ in shares))
    grid = np.array([[shares[a, b].value if (a, b) in shares else math.nan for b in names] for a in names])
    colours = LinearSegmentedColormap.from_list("even", ("#D98A3D", "#FFFFFF", "#5B9BC8")).with_extremes(bad="#F4F4F4")
    ax.imshow(grid, cmap=colours, vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(grid):
        if not math.isnan(share):
            ax.text(column, row, f"{share * PERCENT:.0f}", ha="center", va="center", fontsize=9)
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.grid(visible=False)
    ax.set_xlabel("against")
    ax.set_title("Share of the victories in percent, row against column")


@chart(lambda rates: 1.4 + 0.34 * len(rates))
def strategy_rates(rates: dict, even: float, ax=None):
    """Each strategy's mean share of the victory over all its opponents, best first."""
    best = dict(sorted(rates.items(), key=lambda item: -item[1].value))
    dots(best, ax, "share of the victories, mean over all opponents", share=True, fair=even)
    ax.set_title("Strategies by their share of the victories")


# Shortages and battles over the race


def _by_round(results, field, ax, words, least=0.01):
    runs = several(results)
    for number, (name, one) in enumerate(runs.items()):
        reached = one.tally["games_in_round"]
        rounds = np.flatnonzero(reached >= max(1, least * one.games))
        mean = one.tally[field][0][rounds] / reached[rounds]
        ax.plot(
            rounds,
            mean,
            color=COLOURS[number % len(COLOURS)],
            linestyle=DASHES[number % len(DASHES)],
            marker=MARKS[number % len(MARKS)],
            markersize=4,
            label=name,
        )
    ax.set_xlabel("round")
    ax.set_ylabel(f"{words}\nper game still on")
    ax.set_ylim(bottom=0)
    ax.set_title(f"{words.capitalize()} by round")
    _whole_axis(ax.xaxis)
    _legend(ax, runs)


@chart()
def shortages_by_round(results, ax=None):
    """Shortages in each round, per game that came so far; rounds that one game in a hundred reaches."""
    _by_round(results, "short_in_round", ax, "shortages")


@chart()
def battles_by_round(results, ax=None):
    """Battles in each round, per game that came so far."""
    _by_round(results, "fought_in_round", ax, "battles")


@chart()
def shortage_cost(results, ax=None):
    """The win rate of ships by how often they ran short."""
    runs = several(results)
    for number, (name, one) in enumerate(runs.items()):
        rates = [shortage_win_rate(one, level) for level in range(4)]
        spread = 0.06 * (number - (len(runs) - 1) / 2)
        _whiskers(ax, range(4), rates, number, label=name, offset=spread, linestyle=DASHES[number % len(DASHES)])
    ax.set_xticks(range(4), ("none", "one", "two", "three or more"))
    ax.set_xlabel("shortages of the ship in the game")
    ax.set_ylabel("win rate")
    ax.set_ylim(bottom=0)
    ax.set_title("Win rate by shortages")
    _percent_axis(ax.yaxis)
    _legend(ax, runs)


def shortage_win_rate(results, level: int) -> Estimate:
    """The win rate of the ships with so many shortages; 3 stands for three or more."""
    return _rate(*results.sums.alike("shortages", level))


def _rate(ships, wins):
    with np.errstate(invalid="ignore", divide="ignore"):
        return jackknife(wins / ships, int(ships[0]))


# The ghost ship


@chart()
def ghost_wins(results, ax=None):
    """The ghost's win rate by number of players; runs are grouped by what else tells them apart."""
    lines = {}
    for one in several(results).values():
        rules = one.table.rules
        if rules.ghost:
            key = f"{rules.edition}, {' v. '.join(name for name in one.table.groups if name != 'ghost ship')}"
            lines.setdefault(key, []).append((rules.players, one.ghost_win_rate))
    for number, (name, points) in enumerate(lines.items()):
        players, rates = zip(*sorted(points, key=lambda point: point[0]), strict=True)
        _whiskers(ax, players, rates, number, label=name, linestyle=DASHES[number % len(DASHES)])
    known = sorted({players for points in lines.values() for players, _ in points})
    ax.plot(known, [1 / (n + 1) for n in known], color=GREY, linewidth=1, marker="_", label="an equal share")
    ax.set_xlabel("players")
    ax.set_ylabel("win rate of the ghost ship")
    ax.set_ylim(bottom=0)
    ax.set_title("How often the ghost ship wins")
    _whole_axis(ax.xaxis)
    _percent_axis(ax.yaxis)
    ax.legend()


@chart()
def ghost_loot(results, ax=None):
    """What the ghost takes when it wins a battle, per game."""
    runs = {name: one for name, one in several(results).items() if one.table.rules.ghost}
    kinds = [kind for kind, word in enumerate(LOOT_KINDS) if word != "give"]  # the ghost gives nothing (G6)
    _loot_bars(runs, lambda one, kind: one.of_row("loot", one.table.rules.players, kind), kinds, ax)
    ax.set_title("What the ghost ship takes")


LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")


def _loot_bars(runs, loot, kinds, ax):
    for number, (name, one) in enumerate(runs.items()):
        spread = 0.12 * (number - (len(runs) - 1) / 2)
        _whiskers(ax, range(len(kinds)), [loot(one, kind) for kind in kinds], number, label=name, offset=spread)
    ax.set_xticks(range(len(kinds)), [LOOT_WORDS[kind].replace(" ", "\n", 1) for kind in kinds])
    ax.set_ylabel("times per game")
    ax.set_ylim(bottom=0)
    _legend(ax, runs)


@chart()
def ghost_ends(results, ax=None):
    """Where the ghost is when the game ends."""
    runs = {name: one for name, one in several(results).items() if one.table.rules.ghost}
    _end_lines(runs, lambda one: one.tally["final_spaces"][one.table.rules.players], ax)
    ax.set_title("Where the ghost ship is at the end")


def _end_lines(runs, ends, ax):
    """Shares by final space; home stands after the last space, and what is behind the start at space 0."""
    for number, (name, one) in enumerate(runs.items()):
        behind, circuit, home = ends(one).reshape(3, -1)
        along = circuit.copy()
        along[0] += behind.sum()
        share = np.append(along, home.sum()) / max(1, (along.sum() + home.sum()))
        ax.plot(
            share,
            color=COLOURS[number % len(COLOURS)],
            linestyle=DASHES[number % len(DASHES)],
            drawstyle="steps-mid",
            label=name,
        )
    for outer, inner in lane_spaces(board()):
        ax.axvspan(min(outer) - 0.5, max(inner) + 0.5, color="#F3F3F3", zorder=0)
    _mark(ax, RED_LINE - 0.5, "red line")
    ax.set_xticks([*range(0, len(board()), 10), len(board())], [*map(str, range(0, len(board()), 10)), "home"])
    ax.set_xlabel("space (shaded: where the course divides, outer lane first)")
    ax.set_ylabel("share of the ships")
    ax.set_ylim(bottom=0)
    _percent_axis(ax.yaxis)
    ax.legend()


@chart(lambda changes: 1.8 + 0.45 * len(next(iter(changes.values()))))
def claimed_changes(changes: dict, ax=None):
    """What the ghost ship changes: `changes[measure][table]` are estimates in standard deviations of a single game."""
    for number, (measure, effects) in enumerate(changes.items()):
        offset = 0.14 * (number - (len(changes) - 1) / 2)
        _whiskers(ax, range(len(effects)), list(effects.values()), number, across=True, label=measure, offset=offset)
        _names_down(ax, list(effects))
    ax.axvline(0, color=GREY, linewidth=1)
    ax.set_xlabel("effect size d; to the right as the rulebook says")
    ax.set_title("What the ghost ship changes", pad=40)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.1)


# Treasures


def treasure_names() -> dict:
    """The cards by name, equal ones together: numbers of the cards."""
    names = {}
    for number, card in enumerate(treasures()):
        names.setdefault(card.name, []).append(number)
    return names


def treasure_rates(results, cards) -> tuple[Estimate, Estimate, Estimate]:
    """The win rate of the ships with one of these cards at the end, of all other ships, and the difference."""
    sums, players = results.sums, results.table.rules.players
    ships, wins = (sum(parts) for parts in zip(*(sums.alike("treasures", card) for card in cards), strict=True))
    others, other_wins = sums.games * players * len(cards) - ships, sums.players("win") * len(cards) - wins
    with np.errstate(invalid="ignore", divide="ignore"):
        rate, other_rate = wins / ships, other_wins / others
    return (
        jackknife(rate, int(ships[0])),
        jackknife(other_rate, results.games),
        jackknife(rate - other_rate, int(ships[0])),
    )


@chart(4.2)
def treasure_wins(results, ax=None):
    """The win rate with and without each treasure card, the best card on top."""
    rates = {name: treasure_rates(results, cards) for name, cards in treasure_names().items()}
    rates = {name: rate for name, rate in rates.items() if not math.isnan(rate[0].value)}
    best = sorted(rates, key=lambda name: -rates[name][0].value)
    for number, (which, label) in enumerate(((0, "with the card"), (1, "without it"))):
        _whiskers(ax, range(len(best)), [rates[name][which] for name in best], number, across=True, label=label)
    _names_down(ax, best)
    ax.set_xlabel("win rate")
    ax.set_title("Win rate with and without each treasure")
    _percent_axis(ax.xaxis)
    ax.legend()


# The race


def _histogram(runs, field, ax, words, shift=0, most=0.999):
    for number, (name, one) in enumerate(runs.items()):
        counts = one.tally[field] if isinstance(field, str) else field(one)
        share = counts / counts.sum()
        inside = np.flatnonzero(counts)
        top = int(np.searchsorted(np.cumsum(share), most)) + 1
        values = np.arange(inside[0] if inside.size else 0, top)
        ax.plot(
            values + shift,
            share[values],
            color=COLOURS[number % len(COLOURS)],
            linestyle=DASHES[number % len(DASHES)],
            drawstyle="steps-mid",
            label=name,
        )
        if len(runs) == 1:
            ax.fill_between(values + shift, share[values], step="mid", color=COLOURS[0], alpha=0.15, linewidth=0)
    ax.set_xlabel(words)
    ax.set_ylim(bottom=0)
    _percent_axis(ax.yaxis)
    _legend(ax, runs)


@chart()
def rounds(results, ax=None):
    """How long games last."""
    _histogram(several(results), "rounds", ax, "rounds")
    ax.set_ylabel("share of the games")
    ax.set_title("How many rounds a game lasts")
    _whole_axis(ax.xaxis)


LANES = ("outer", "inner")


def lane_rates(results, fork: int):
    """At a fork: the share of the ships that took the outer lane, the win rates by lane, their difference."""
    sums = results.sums
    (outer, outer_wins), (inner, inner_wins) = (sums.alike("lanes", fork, lane) for lane in range(2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share, rates = outer / (outer + inner), (outer_wins / outer, inner_wins / inner)
    return (
        jackknife(share, int((outer + inner)[0])),
        jackknife(rates[0], int(outer[0])),
        jackknife(rates[1], int(inner[0])),
        jackknife(rates[0] - rates[1], int((outer + inner)[0])),
    )


@chart()
def lanes(results, ax=None):
    """Win rates by lane at each fork, outer and inner; the label says how many ships took the outer one."""
    forks = range(len(lane_spaces(board())))
    rates = [lane_rates(results, fork) for fork in forks]
    for lane, word in enumerate(LANES):
        _whiskers(ax, forks, [rate[1 + lane] for rate in rates], lane, label=f"{word} lane", offset=0.16 * lane - 0.08)
    names = [
        f"after space {min(outer) - 1}\n{rate[0].value:.0%} go outside"
        for (outer, _), rate in zip(lane_spaces(board()), rates, strict=True)
    ]
    ax.set_xticks(list(forks), names)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylabel("win rate")
    ax.set_title("Win rate by lane")
    _percent_axis(ax.yaxis)
    ax.legend()


@chart()
def ends(results, ax=None):
    """Where players' ships are when the game ends."""
    _end_lines(several(results), lambda one: one.tally["final_spaces"][: one.table.rules.players].sum(axis=0), ax)
    ax.set_title("Where ships are at the end")


# Battles


@chart()
def loot(results, ax=None):
    """What winners of battles take, per game over all ships."""
    runs = several(results)
    _loot_bars(runs, loot_of_all, range(len(LOOT_KINDS)), ax)
    ax.set_title("What the winner of a battle takes")


def loot_of_all(results, kind: int) -> Estimate:
    """How often per game all ships take this; the interval adds up those of the ships, the widest it can be."""
    parts = [results.of_row("loot", ship, kind) for ship in range(results.table.rules.ships)]
    value, half_width = sum(p.value for p in parts), sum(p.half_width for p in parts)
    return Estimate(value, value - half_width, value + half_width, results.games)


# Scores and drama


@chart()
def scores(results, ax=None):
    """The points of all players' ships and of the winner, at one table."""
    pair = {"all players": results, "the winner": results}
    counts = iter((results.tally["scores"][: results.table.rules.players].sum(axis=0), results.tally["winner_scores"]))
    _histogram(pair, lambda _: next(counts), ax, "points at the end", SCORE_LOW)
    ax.set_ylabel("share of the ships")
    ax.set_title("Points at the end")


SOURCES = (
    ("winner_position_points", "place in the race"),
    ("winner_gold", "doubloons"),
    ("winner_treasure_points", "treasures"),
)


@chart(_rows)
def winner_sources(results, ax=None):
    """The winner's points by source."""
    runs = several(results)
    start = np.zeros(len(runs))
    for number, (quantity, word) in enumerate(SOURCES):
        values = np.array([one.of_game(quantity).value for one in runs.values()])
        bars = ax.barh(range(len(runs)), values, left=start, height=0.62, color=COLOURS[number], alpha=0.75, label=word)
        ax.bar_label(bars, [f"{value:.1f}" for value in values], label_type="center", fontsize=9, color="white")
        start += values
    _names_down(ax, list(runs))
    ax.set_xlabel("points of the winner")
    ax.set_title("Where the winner's points come from", pad=24)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.1)


@chart()
def margins(results, ax=None):
    """How far the winner is ahead of the best other ship."""
    _histogram(several(results), "margins", ax, "points ahead of the second", most=0.995)
    ax.set_ylabel("share of the games")
    ax.set_title("The winner's lead")


@chart(lambda results: 0.6 + _rows(results))
def drama(results, ax=None):
    """How often the leader at half-time and the first ship home win, against an equal share."""
    runs = several(results)
    pairs = (("half_time_leader_wins", "leader at half-time"), ("finisher_wins", "first ship home"))
    for number, (quantity, word) in enumerate(pairs):
        _whiskers(
            ax, range(len(runs)), [one.of_game(quantity) for one in runs.values()], number, across=True, label=word
        )
    fair = [1 / one.table.rules.ships for one in runs.values()]
    ax.plot(fair, range(len(runs)), linestyle="", marker="|", markersize=12, color=GREY, label="an equal share")
    _names_down(ax, list(runs))
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the victories")
    ax.set_title("Does the leader win?", pad=24)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.1)
    _percent_axis(ax.xaxis)


# The box


def over_the_box(results, resource: int) -> Estimate:
    """The share of the games with more tokens of a resource in play at once than the box holds."""
    counts = results.tally["peaks"][resource]
    return proportion_interval(int(counts[BOX[resource] + 1 :].sum()), results.games)


@chart()
def peaks(results, ax=None):
    """The most tokens of each resource in play at once, as a share of what the box holds."""
    for resource, word in enumerate(RESOURCES):
        counts = results.tally["peaks"][resource]
        values = np.arange(int(np.searchsorted(np.cumsum(counts), 0.999 * results.games)) + 1)
        reached = 1 - np.cumsum(counts[values]) / results.games
        label = f"{word}, of {BOX[resource]}"
        ax.plot(values / BOX[resource], reached, color=COLOURS[resource], linestyle=DASHES[resource], label=label)
    _mark(ax, 1, "the box is empty")
    ax.set_xlim(left=0)
    ax.set_ylim(0, 1)
    ax.set_xlabel("most tokens in play at once, as a share of the box")
    ax.set_ylabel("share of the games\nwith more than that")
    ax.set_title("How full the table gets")
    _percent_axis(ax.xaxis)
    _percent_axis(ax.yaxis)
    ax.legend()


assert {quantity for quantity, _ in SOURCES} <= set(GAME_QUANTITIES)
