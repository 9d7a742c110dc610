"""Who wins: by strategy, by strategy against strategy, by seat, and by how the game went for a ship."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import (
    against,
    arrange,
    left_out_of,
    mark_of,
    row_chart,
    table_words,
    thinking,
    usual,
)
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    by_setting,
    games_line,
    is_known,
    points,
    where,
)
from jamaica_sim.report.chapters.ending import SOLE_LEADER_WINS
from jamaica_sim.report.chapters.race import home_words
from jamaica_sim.report.chapters.shortages import win_rate_after
from jamaica_sim.report.grid_charts import matrix
from jamaica_sim.report.judge import Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.row_charts import Row
from jamaica_sim.results.measures import FIRST_HOME, Floats
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM, strategy_names

Pair = tuple[str, str]
FATES = {  # facts about a ship, as subjects of a sentence
    "first ship home": "the first ship home",
    "sole leader at half-time": "the sole leader at half-time",
    "never ran short": "a ship that never ran short",
    "first Captain": "the first Captain",
    "last seat": "the last seat",
    "short three times or more": "a ship that ran short three times or more",
}


@dataclass(frozen=True)
class Duels(Findings):
    """Strategies in pairs under the same rules: shares of the victories, against a half."""

    place: str  # the rules in words, where they vary
    pairs: dict[Pair, Comparison]
    means: dict[str, Comparison]  # over all opponents, the best first
    games: int  # of each pair

    @property
    def order(self) -> list[str]:
        """The strategies, the best first."""
        return list(self.means)

    def share(self, name: str) -> Estimate:
        """The share of the victories over all opponents."""
        return self.means[name].estimate


@dataclass(frozen=True)
class LineUp(Findings):
    """One table of several strategies: win rates per ship, against an equal share, the best first."""

    setting: Setting
    rates: dict[str, Comparison]


@dataclass(frozen=True)
class WhoWins(Findings):
    """What the games show about who wins."""

    study: Study
    duels: list[Duels]
    line_ups: list[LineUp]
    fates: dict[str, Comparison]  # win rates of ships by a fact about the ship, against an equal share
    seats: Claim  # that the first Captain wins more often than the last seat


def find(study: Study) -> WhoWins:
    """Count wins by strategy, by pair, by fate and by seat."""
    mixed = [s for s in study.settings if s.is_mixed]
    duels = [s for s in mixed if duellists(s)]
    duels = duels if len({s.factors[LINE_UP] for s in duels}) > 1 else []
    fates = {} if mixed else _fates(study.reference.played)
    even = 1 / study.reference.rules.ships
    shown = thinking(usual(study)) or list(study.uniform())
    seats = {s.label: Comparison(seat_difference(s.played)) for s in shown}
    return WhoWins(
        study,
        [_duels(place, shares) for place, shares in shares_by_rules(study, duels).items()],
        [_line_up(s) for s in mixed if s not in duels],
        {name: Comparison(rate, even) for name, rate in fates.items() if is_known(rate)},
        Claim("the first Captain wins more often than the last seat", seats),
    )


def write(wins: WhoWins, judge: Judge) -> Chapter:
    """The chapter."""
    chapter = Chapter("who_wins", "Who wins")
    for duels in wins.duels:
        _write_duels(wins.study, duels, judge, chapter)
    for line_up in wins.line_ups:
        _write_line_up(wins.study, line_up, judge, chapter)
    if wins.fates:
        _write_fates(wins, judge, chapter)
    _write_seats(wins, judge, chapter)
    return chapter


# Strategy against strategy


def duellists(setting: Setting) -> list[str]:
    """The two strategies that have half of a table's seats each; empty for any other table."""
    seats = [strategy.label for strategy in setting.played.table.strategies]
    pair = list(dict.fromkeys(seats))
    return pair if len(pair) == 2 and seats.count(pair[0]) == seats.count(pair[1]) else []


def shares_by_rules(study: Study, duels: Sequence[Setting]) -> dict[str, dict[Pair, tuple[Floats, int]]]:
    """Each strategy's share of the victories against every other, by the rules in words where they vary.

    A share comes as sums, with the number of games. Victories of the ghost are left out.
    """
    names = [name for name in study.varying if name != LINE_UP]
    shares: dict[str, dict[Pair, tuple[Floats, int]]] = {}
    for setting in duels:
        sums, pair = setting.played.sums, duellists(setting)
        of_these_rules = shares.setdefault(f"({label_of(setting, names)})" if names else "", {})
        for name, other in (pair, pair[::-1]):
            of_these_rules[name, other] = (sums.group(name, "win") / sums.players("win"), setting.games)
    return shares


def _duels(place: str, shares: Mapping[Pair, tuple[Floats, int]]) -> Duels:
    pairs = {pair: Comparison(jackknife(values, games), 0.5) for pair, (values, games) in shares.items()}
    means = {name: _mean_share(shares, name) for name in sorted({name for name, _ in shares})}
    order = sorted(means, key=lambda name: -means[name].value)
    games = max(games for _, games in shares.values())
    return Duels(place, pairs, {name: Comparison(means[name], 0.5) for name in order}, games)


def _mean_share(shares: Mapping[Pair, tuple[Floats, int]], name: str) -> Estimate:
    own = [one for (a, _), one in shares.items() if a == name]
    total: Floats = sum((values for values, _ in own[1:]), own[0][0])
    return jackknife(total / len(own), sum(games for _, games in own))


def _write_duels(study: Study, duels: Duels, judge: Judge, chapter: Chapter) -> None:
    place, order, share = duels.place, duels.order, duels.share
    estimates = {pair: one.estimate for pair, one in duels.pairs.items()}
    chapter.tables += [_ranking(duels), _grid(duels)]
    beats = {pair: judge.is_above(one) for pair, one in duels.pairs.items()}
    planned = [name for name in order if name != RANDOM] or order
    top, second, last = planned[0], planned[min(1, len(planned) - 1)], planned[-1]
    others = len(order) - 1
    beats_all = all(won for (a, _), won in beats.items() if a == top)
    second_beats = all(won for (a, b), won in beats.items() if a == second and b != top)
    chapter.effect = abs(cohen_h(share(top).value, 0.5))
    wins_all = f"beats the {words.number(others)} other strategies here" if beats_all else "takes the most victories"
    least = f"{last} wins least{' among non-random strategies' if RANDOM in order else ''}"
    chapter.heading = chapter.heading or f"{top} {wins_all}; {least}"
    rest = f", and {second} all but {top}" if beats_all and second_beats and others > 1 else f"; {least}"
    chapter.headline = chapter.headline or f"{top} {wins_all}{rest}"
    duel = ""
    if (top, second) in estimates:
        duel = f"; against each other, {top} takes {prose.share(estimates[top, second])}"
    chapter.say(
        f"{top} takes {prose.share(share(top))} of the victories over all opponents, where 50% would be even {place}.",
        f"{second} comes next with {prose.share(share(second))}{duel}.",
        f"{least}: {prose.share(share(last))}.",
        _absent(order),
    )
    _write_pairs(duels, beats, chapter)
    ranking, grid = _duel_figures(duels, f"_{len(chapter.figures)}" if chapter.figures else "")
    chapter.figures += [ranking, grid]
    if chapter.hero is None:
        chapter.hero = ranking
        next_best = f", and {words.percent(estimates[top, second].value, 0)} against {second}, the next best"
        chapter.standfirst = [
            f"{top} takes {words.percent(share(top).value, 0)} of the victories over all opponents"
            f"{next_best if (top, second) in estimates else ''}.",
            f"{last} takes {words.percent(share(last).value, 0)}.",
            _absent(order),
        ]
        for name in dict.fromkeys((top, second, last)):
            unit = f"of the victories go to {name}, over all opponents"
            chapter.keys.append(KeyNumber(words.percent(share(name).value), unit, strong=name == top))


def _absent(order: Sequence[str]) -> str:
    """Which strategies of the library did not play, where most of them did."""
    absent = [name for name in strategy_names() if name not in order]
    if not absent or len(absent) > len(order) / 2:
        return ""
    return f"Not among them: {words.listed(absent)}."


def _write_pairs(duels: Duels, beats: Mapping[Pair, bool], chapter: Chapter) -> None:
    order, pairs = duels.order, {pair: one.estimate for pair, one in duels.pairs.items()}
    a, b = max(pairs, key=lambda pair: pairs[pair].value)
    close = sorted({(min(pair), max(pair)) for pair in pairs if not beats[pair] and not beats[pair[::-1]]})
    upset = next(((x, y) for x in order for y in order if order.index(x) > order.index(y) and beats.get((x, y))), None)
    more = f", and {len(close) - 4} pairs more" if len(close) > 4 else ""
    chapter.say(
        f"the most uneven pair is {a} against {b}: {prose.share(allowing_for(pairs[a, b], len(pairs)))}.",
        f"{upset[0]} beats {upset[1]}, which stands above it: {prose.share(pairs[upset])}."
        if upset
        else "whoever stands higher in the list also wins when the two meet."
        if not close
        else "",
        f"too close to call: {words.listed([f'{x} and {y}' for x, y in close[:4]])}{more}." if close else "",
    )


def _ranking(duels: Duels) -> ResultTable:
    rows = []
    for name in duels.order:
        others = {b: one.estimate.value for (a, b), one in duels.pairs.items() if a == name}
        rows.append((name, duels.share(name), max(others, key=others.__getitem__), min(others, key=others.__getitem__)))
    columns = ("strategy", "share", "best against", "worst against")
    note = "50% would be even; every opponent counts the same"
    title = f"Share of the victories over all opponents {duels.place}".strip()
    return ResultTable(title, columns, rows, frozenset({"share"}), note)


def _grid(duels: Duels) -> ResultTable:
    order = duels.order
    rows = [(a, *(duels.pairs[a, b].estimate if (a, b) in duels.pairs else "" for b in order)) for a in order]
    note = "share of the victories of the row's ships; both have half of the seats"
    title = f"Strategy against strategy {duels.place}".strip()
    return ResultTable(title, ("strategy", *order), rows, frozenset(order), note)


def _duel_figures(duels: Duels, number: str) -> tuple[Figure, Figure]:
    order, place = duels.order, duels.place
    made = [Row(name, [against(duels.share(name), 0.5)]) for name in order]
    drawing = row_chart("Share of the victories over all opponents", made, 29, high=1.0, line=0.5, line_name="even")
    sub = words.sentence(f"share of the victories over all opponents {place}; {duels.games:,} games against each")
    ranking = Figure(f"ranking{number}", "Which strategy wins", sub, drawing)
    values = {(a, b): duels.pairs[a, b].estimate.value for a in order for b in order if (a, b) in duels.pairs}
    texts = {pair: f"{100 * value:.0f}" for pair, value in values.items()}
    lines = "; ".join(f"{a} {texts[a, b]} against {b}" for a, b in list(values)[: len(order) - 1])
    grid = matrix(f"Strategy against strategy, share of the victories in percent: {lines}.", order, values, texts)
    sub = words.sentence(
        f"percent of the victories that the row takes from the column {place}; violet: more than half, grey: less"
    )
    return ranking, Figure(f"opponents{number}", "Strategy against strategy", sub, grid)


# One table of several strategies


def _line_up(setting: Setting) -> LineUp:
    even = 1 / setting.rules.ships
    in_order = sorted(setting.played.wins().rows, key=lambda row: -row[2].value)
    return LineUp(setting, {str(row[0]): Comparison(row[2], even) for row in in_order})


def _write_line_up(study: Study, line_up: LineUp, judge: Judge, chapter: Chapter) -> None:
    setting, results, place = line_up.setting, line_up.setting.played, where(study, line_up.setting)
    wins, voyages = results.wins(), results.voyages()
    chapter.tables += [
        ResultTable(f"Who wins {place}".strip(), wins.columns, wins.rows, wins.shares, "per ship"),
        ResultTable(f"Voyages {place}".strip(), voyages.columns, voyages.rows, voyages.shares, voyages.note),
    ]
    even, names = 1 / setting.rules.ships, list(line_up.rates)
    rates = {name: one.estimate for name, one in line_up.rates.items()}
    best, last = names[0], names[-1]
    is_clear = judge.is_above(line_up.rates[best])
    made = [Row(name, [against(rate, even)]) for name, rate in rates.items()]
    drawing = row_chart("Win rate per ship", made, line=even, line_name=f"an equal share, {even:.0%}")
    sub = words.sentence(f"share of the games that each ship wins {place}; {games_line([setting])}")
    figure = Figure(f"win_rates_{len(chapter.figures)}", "Who wins at this table", sub, drawing)
    chapter.figures.append(figure)
    chapter.effect = max(chapter.effect, abs(cohen_h(rates[best].value, even)) if is_clear else 0.0)
    chapter.say(
        f"{best} wins {prose.share(rates[best])} of the games with each of its ships, where {even:.1%} would be an "
        f"equal share {place}."
        if is_clear
        else f"no strategy wins clearly more than its share {place}.",
        f"{last} wins {prose.share(rates[last])}." if judge.is_clear(line_up.rates[last]) and last != best else "",
    )
    if chapter.hero is None:
        chapter.hero = figure
        chapter.heading = chapter.headline = (
            f"{best} wins more than its share" if is_clear else "No strategy wins clearly more than its share"
        )
        chapter.keys += [
            KeyNumber(words.percent(rates[name].value), f"of the games go to each ship of {name}", strong=name == best)
            for name in names[:4]
        ]
        share = words.percent(rates[best].value, 0)
        chapter.standfirst = [
            f"Each of its ships wins {share} of the games, where {words.percent(even, 0)} would be an equal share.",
            f"{last} wins {words.percent(rates[last].value, 0)}." if last != best else "",
        ]


# Who wins when all play alike


def _fates(results: Results) -> dict[str, Estimate]:
    """Win rates of ships by a fact about the ship, in words."""
    rates = (
        FIRST_HOME.of(results),
        SOLE_LEADER_WINS(results),
        win_rate_after(results, 0),
        results.of_ships("seat", 0, "win"),
        results.of_ships("seat", results.table.rules.players - 1, "win"),
        win_rate_after(results, 3),
    )
    return dict(zip(FATES, rates, strict=True))


def _write_fates(wins: WhoWins, judge: Judge, chapter: Chapter) -> None:
    study, setting = wins.study, wins.study.reference
    even, rates = 1 / setting.rules.ships, {name: one.estimate for name, one in wins.fates.items()}
    clear = {name for name, one in wins.fates.items() if judge.is_clear(one)}
    in_order = sorted(rates, key=lambda name: -rates[name].value)
    chapter.tables.append(
        ResultTable(
            f"Who wins {where(study, setting)}".strip(),
            ("a ship that is", "win rate", "effect size h"),
            [(name, rates[name], f"{cohen_h(rates[name].value, even):.2f}") for name in in_order],
            frozenset({"win rate"}),
            f"share of the games; {even:.1%} is an equal share, and h is against it",
        )
    )
    made = [Row(name, [against(rates[name], even)]) for name in in_order]
    drawing = row_chart("Who wins when all play alike", made, line=even, line_name=f"an equal share, {even:.0%}")
    sub = f"Share of the games that such a ship wins ({table_words(study)}); {games_line([setting])}"
    chapter.hero = Figure("fates", "Who wins when all play alike", sub, drawing)
    chapter.figures.append(chapter.hero)
    home, lead = rates["first ship home"], rates.get("sole leader at half-time")
    top, worst = in_order[0], in_order[-1]
    chapter.effect = max((abs(cohen_h(rates[name].value, even)) for name in clear), default=0.0)
    chapter.headline = f"The first ship home {home_words(home.value, even, 'first ship home' in clear)}"
    chapter.heading = f"When all play alike, {FATES[top]} wins most often"
    chapter.say(
        f"all play alike at each table here, so an equal share is {even:.1%}.",
        f"the first ship home wins {prose.share(home)}"
        + (f", and a ship that leads alone at half-time {prose.share(lead)}." if lead else "."),
        f"a ship that runs short three times or more wins {prose.share(rates[worst])}."
        if worst == "short three times or more" and worst in clear
        else "",
    )
    for name in in_order:
        if name in clear and len(chapter.keys) < 4:
            share = words.percent(rates[name].value, 0)
            chapter.keys.append(KeyNumber(share, f"win rate: {name}", strong=rates[name].value > even))
    chapter.standfirst = [
        f"An equal share would be {words.percent(even, 0)}.",
        f"Who leads alone at half-time wins {words.percent(lead.value, 0)}." if lead else "",
        f"The first Captain's seat wins {words.percent(rates['first Captain'].value, 0)}."
        if "first Captain" in clear
        else "No clear advantage of the first Captain was found.",
    ]


# Seats


def seat_difference(results: Results) -> Estimate:
    """How much more often the first Captain wins than the last seat, in points."""
    sums, last = results.sums, results.table.rules.players - 1
    return points(jackknife((sums.seat_wins(0) - sums.seat_wins(last)) / sums.games, results.games))


def _seat_column(seat: int) -> Callable[[Results], Estimate | str]:
    return lambda results: results.of_ships("seat", seat, "win") if seat < results.table.rules.players else ""


def _write_seats(wins: WhoWins, judge: Judge, chapter: Chapter) -> None:
    study, settings = wins.study, wins.study.uniform()
    columns: dict[str, Callable[[Results], object]] = {
        f"seat {seat}": _seat_column(seat) for seat in range(max(s.rules.players for s in settings))
    }
    shares = list(columns)
    columns["first less last, points"] = seat_difference
    note = "seat 0 is the first Captain, then clockwise"
    chapter.tables.append(by_setting(settings, "Win rate by seat", columns, shares, note))
    chapter.claims.append(wins.seats)
    verdict, cases = judge.verdict(wins.seats), wins.seats.cases
    shown = [s for s in settings if s.label in cases]
    setting = study.reference if study.reference in shown else shown[0]
    first, last = (setting.played.of_ships("seat", seat, "win") for seat in (0, setting.rules.players - 1))
    close = "" if judge.is_clear(cases[setting.label]) else ": too close to call"
    counts = [words.number(len(labels)) if labels else "none" for labels in (verdict.holds, verdict.fails)]
    chapter.say(
        f"the first Captain wins {prose.share(first)} of the games and the last seat {prose.share(last)}{close}.",
        f"of {words.number(len(cases))} tables the first Captain is clearly ahead at {counts[0]} and behind at "
        f"{counts[1]}{left_out_of(usual(study))}."
        if len(cases) > 1
        else "",
    )
    chapter.figures.append(_seat_figure(study))


def _seat_figure(study: Study) -> Figure:
    made = []
    for _, of_panel in arrange(study).panels[:1]:
        for name, group in of_panel:
            results = group[0].played
            first, last = (results.of_ships("seat", n, "win") for n in (0, results.table.rules.players - 1))
            marks = [mark_of(last, True, "base", name="last seat"), mark_of(first, True, name="first Captain")]
            made.append(Row(name, marks, 1 / results.table.rules.ships))
    if all(row.label in study.line_ups for row in made):
        made.sort(key=lambda row: row.marks[0].value - row.marks[1].value)
    sub = f"Share of the games that each seat wins; the upright mark is an equal share; {games_line(usual(study))}"
    drawing = row_chart("Win rate of the first Captain and of the last seat", made)
    return Figure("seats", "Is the first Captain ahead?", sub, drawing)


CHAPTERS = {"who_wins": ChapterSource(find, write)}
