"""Who wins: by strategy, by strategy against strategy, and by seat."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import without
from jamaica_sim.report.chapter import Figure, games_line, where
from jamaica_sim.report.figures import at_equal
from jamaica_sim.report.parts import Pair, Part, Test, chapter_of, grid, ranking, sheet
from jamaica_sim.report.sheet import Columns, Sheet, quantity
from jamaica_sim.results.measures import CAPTAIN, FIRST_LESS_LAST, SEATS, Floats, Measure
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.study.experiment.setting import LINE_UP, Setting
from jamaica_sim.study.experiment.study import Study

SEAT_LEAD, EDGE, GAP = "first less last, points", "first Captain's edge, points", "gap between seats, points"


def seat(number: int) -> Measure:
    """The win rate of a seat; 0 is the first Captain, -1 the last. Unknown where there is no such seat."""

    def rate(results: Results) -> Estimate:
        players = results.table.rules.players
        if number >= players:
            return Estimate(math.nan, -math.inf, math.inf, 0)
        return results.of_ships("seat", number % players, "win")

    return quantity(lambda r: r.sums.seat_wins(number % r.table.rules.players) / r.sums.games, True, rate)


FIRST = Test(
    SEAT_LEAD,
    "the first Captain wins more often than the last seat",
    "the last seat wins more often than the first Captain",
    "no clear difference between the first Captain and the last seat",
)


def duellists(setting: Setting) -> list[str]:
    """The two strategies that have half of a table's seats each; empty for any other table."""
    seats = [strategy.label for strategy in setting.strategies]
    pair = list(dict.fromkeys(seats))
    return pair if len(pair) == 2 and seats.count(pair[0]) == seats.count(pair[1]) else []


def _duels(study: Study, duels: Sequence[Setting]) -> list[Part]:
    """Strategies in pairs, for each set of rules: shares of the victories. Those of the ghost are left out."""
    by_rules: dict[str, dict[Pair, tuple[Floats, int]]] = {}
    for setting in duels:
        sums, pair, place = setting.played.sums, duellists(setting), without(LINE_UP, study, setting)
        shares = by_rules.setdefault(f"({place})" if place else "", {})
        for name, other in (pair, pair[::-1]):
            shares[name, other] = (sums.group(name, "win") / sums.players("win"), setting.games)
    parts = []
    for number, (place, shares) in enumerate(by_rules.items()):
        games = f"{min(games for _, games in shares.values()):,} games"
        pairs = {pair: jackknife(values, count) for pair, (values, count) in shares.items()}
        parts.append(grid(place, pairs, _over_all(shares), games, f"_{number}" if number else ""))
    return parts


def _over_all(shares: Mapping[Pair, tuple[Floats, int]]) -> dict[str, Estimate]:
    means = {}
    for name in dict.fromkeys(a for a, _ in shares):
        own = [one for (a, _), one in shares.items() if a == name]
        total: Floats = sum((values for values, _ in own[1:]), own[0][0])
        means[name] = jackknife(total / len(own), sum(games for _, games in own))
    return means


def _line_up(study: Study, setting: Setting, number: int) -> Part:
    """One table of several strategies: win rates per ship."""
    place, even, wins = where(study, setting), 1 / setting.rules.ships, setting.played.wins()
    rates = {str(row[0]): row[2] for row in wins.rows}
    best, *_, last = sorted(rates, key=lambda name: -rates[name].value)
    return ranking(
        "Who wins at this table", rates, even,
        (f"{{}} wins more than its share {place}", f"no strategy wins clearly more than its share {place}"),
        name=f"win_rates_{number}", line_name=at_equal(even)["line_name"],
        sub=words.sentence(f"share of the games that each ship wins {place}; {games_line([setting])}"),
        tables=[replace(wins, title=f"Who wins {place}".strip(), note="per ship"),
                replace(setting.played.voyages(), title=f"Voyages {place}".strip())],
        facts=[f"each ship of {best} wins {prose.share(rates[best])} of the games, and of {last} "
               f"{prose.share(rates[last])}; an equal share is {even:.1%} {place}."],
        unit="of the games go to each ship of {}",
    )  # fmt: skip


def _seat_figure(cells: Sheet) -> Figure:
    rules = cells.study.reference.rules
    seats = {f"seat {n}": f"seat {n}" if n else "first Captain" for n in range(rules.players)}
    unit = "Share of the games that each seat wins"
    return cells.by_column("seats", "Win rate by seat", unit, seats, **at_equal(1 / rules.ships))


def _parts(study: Study) -> list[Part]:
    mixed = [s for s in study.settings if s.is_mixed]
    duels = [s for s in mixed if duellists(s)]
    duels = duels if len({s.factors[LINE_UP] for s in duels}) > 1 else []
    seats = {f"seat {n}": seat(n) for n in range(max(s.rules.players for s in study.uniform()))}
    columns: Columns = {**seats, EDGE: CAPTAIN.shown, SEAT_LEAD: FIRST_LESS_LAST.shown, GAP: SEATS.shown,
                        "last seat": seat(-1)}  # fmt: skip
    return [
        *_duels(study, duels),
        *(_line_up(study, s, n) for n, s in enumerate(s for s in mixed if s not in duels)),
        sheet(
            study, "Win rate by seat", columns,
            ["the first Captain wins {seat 0} of the games and the last seat {last seat}",
                                           f"the first Captain's edge over the mean of the seats is {{{EDGE}}} points"],
            FIRST, note="seat 0 is the first Captain, then clockwise", shown=[*seats, EDGE, SEAT_LEAD, GAP],
            figures=[_seat_figure],
            keys={"seat 0": "of the games go to the first Captain", "last seat": "go to the last seat"},
        ),
    ]  # fmt: skip


CHAPTERS = chapter_of("who_wins", "Who wins", _parts)
