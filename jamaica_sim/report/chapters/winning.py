"""Who wins: by strategy, by strategy against strategy, by seat, and by how the game went for a ship."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.grid_charts import matrix
from jamaica_sim.charts.row_charts import Row
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import arrange, left_out_of, mark_name, thinking, usual, without
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, is_known, where
from jamaica_sim.report.chapters.ending import SOLE_LEADER_WINS
from jamaica_sim.report.chapters.race import home_words
from jamaica_sim.report.chapters.shortages import after
from jamaica_sim.report.figures import against, at_equal, chart, mark_of
from jamaica_sim.report.judge import Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, quantity
from jamaica_sim.results.measures import FIRST_HOME, Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM, strategy_names

Pair = tuple[str, str]


def seat(number: int) -> Measure:
    """The win rate of a seat; 0 is the first Captain, -1 the last. Unknown where there is no such seat."""

    def rate(results: Results) -> Estimate:
        players = results.table.rules.players
        if number >= players:
            return Estimate(math.nan, -math.inf, math.inf, 0)
        return results.of_ships("seat", number % players, "win")

    def sums(results: Results) -> Floats:
        return results.sums.seat_wins(number % results.table.rules.players) / results.sums.games

    return quantity(sums, True, rate)


def _seat_lead(results: Results) -> Floats:
    """How much more often the first Captain wins than the last seat, in points."""
    sums = results.sums
    return 100 * (sums.seat_wins(0) - sums.seat_wins(results.table.rules.players - 1)) / sums.games


SEAT_LEAD = "first less last, points"
FATES = {  # facts about a ship, by its subject in a sentence
    "first ship home": (FIRST_HOME, "the first ship home"),
    "sole leader at half-time": (SOLE_LEADER_WINS, "the sole leader at half-time"),
    "never ran short": (after(0), "a ship that never ran short"),
    "first Captain": (seat(0), "the first Captain"),
    "last seat": (seat(-1), "the last seat"),
    "short three times or more": (after(3), "a ship that ran short three times or more"),
}


class Duels(Findings):
    """Strategies in pairs under the same rules: shares of the victories, against a half."""

    def __init__(self, place: str, shares: Mapping[Pair, tuple[Floats, int]]):
        self.place = place  # the rules in words, where they vary
        self.pairs = {pair: Comparison(jackknife(values, games), 0.5) for pair, (values, games) in shares.items()}
        means = {}
        for name in dict.fromkeys(a for a, _ in shares):
            own = [one for (a, _), one in shares.items() if a == name]
            total: Floats = sum((values for values, _ in own[1:]), own[0][0])
            means[name] = jackknife(total / len(own), sum(games for _, games in own))
        # over all opponents, the best first
        self.means = {name: Comparison(means[name], 0.5) for name in sorted(means, key=lambda name: -means[name].value)}
        self.games = min(games for _, games in shares.values())  # of each pair

    def share(self, name: str) -> Estimate:
        """The share of the victories over all opponents."""
        return self.means[name].estimate

    def write(self, judge: Judge, chapter: Chapter) -> None:
        """Who beats whom."""
        order, share, place = list(self.means), self.share, self.place
        pairs = {pair: one.estimate for pair, one in self.pairs.items()}
        beats = {pair: judge.is_above(one) for pair, one in self.pairs.items()}
        planned = [name for name in order if name != RANDOM] or order
        top, second, last = planned[0], planned[min(1, len(planned) - 1)], planned[-1]
        others = len(order) - 1
        beats_all = all(won for (a, _), won in beats.items() if a == top)
        second_beats = all(won for (a, b), won in beats.items() if a == second and b != top)
        wins_all = (
            f"beats the {words.number(others)} other strategies here" if beats_all else "takes the most victories"
        )
        # those that cannot be told from the last
        lasts = [name for name in planned[1:] or planned if share(name).low <= share(last).high]
        among = " among non-random strategies" if RANDOM in order else ""
        least = f"{words.listed(lasts)} win{'s' * (len(lasts) < 2)} least{among}"
        absent = [name for name in strategy_names() if name not in order]
        not_here = f"{words.listed(absent)} of the library did not play." if 0 < len(absent) <= len(order) / 2 else ""
        met = (top, second) in pairs
        chapter.effect = abs(cohen_h(share(top).value, 0.5))
        chapter.say(
            f"{top} takes {prose.share(share(top))} of the victories over all opponents, where 50% would be even "
            f"{place}.",
            f"{second} comes next with {prose.share(share(second))}"
            + (f"; against each other, {top} takes {prose.share(pairs[top, second])}." if met else "."),
            f"{least}: {f'{last} ' * (len(lasts) > 1)}{prose.share(share(last))}.",
            not_here,
        )
        self._write_pairs(pairs, beats, chapter)
        chapter.tables += self._tables()
        ranking, grid = self._figures(f"_{len(chapter.figures)}" if chapter.figures else "")
        chapter.figures += [ranking, grid]
        if chapter.heading:
            return
        rest = f", and {second} all but {top}" if beats_all and second_beats and others > 1 else f"; {least}"
        chapter.heading, chapter.headline = f"{top} {wins_all}; {least}", f"{top} {wins_all}{rest}"
        next_best = f", and {words.percent(pairs[top, second].value, 0)} against {second}, the next best" if met else ""
        chapter.standfirst = [
            f"{top} takes {words.percent(share(top).value, 0)} of the victories over all opponents{next_best}.",
            f"{last} takes {words.percent(share(last).value, 0)}.",
            not_here,
        ]
        for name in dict.fromkeys((top, second, last)):
            unit = f"of the victories go to {name}, over all opponents"
            chapter.keys.append(KeyNumber(words.percent(share(name).value), unit, strong=name == top))

    def _write_pairs(self, pairs: Mapping[Pair, Estimate], beats: Mapping[Pair, bool], chapter: Chapter) -> None:
        order = list(self.means)
        (a, b), *others = sorted(pairs, key=lambda pair: -pairs[pair].value)
        widest = allowing_for(pairs[a, b], len(pairs))
        is_clear = not others or widest.low > pairs[others[0]].high
        uneven = "the most uneven pair is" if is_clear else "among the most uneven pairs is"
        close = sorted({(min(pair), max(pair)) for pair in pairs if not beats[pair] and not beats[pair[::-1]]})
        upsets = [(low, high) for n, low in enumerate(order) for high in order[:n] if beats.get((low, high))]
        ranks = "" if close else "whoever stands higher in the list also wins when the two meet."
        if upsets:
            ranks = f"{upsets[0][0]} beats {upsets[0][1]}, which stands above it: {prose.share(pairs[upsets[0]])}."
        more = f", and {len(close) - 4} pairs more" if len(close) > 4 else ""
        chapter.say(
            f"{uneven} {a} against {b}: {prose.share(widest)}.",
            ranks,
            f"too close to call: {'; '.join(f'{x} and {y}' for x, y in close[:4])}{more}." if close else "",
        )

    def _tables(self) -> list[ResultTable]:
        order, ranks, grid = list(self.means), [], []
        for name in order:
            own = {b: one.estimate for (a, b), one in self.pairs.items() if a == name}
            best, worst = (pick(own, key=lambda b: own[b].value) for pick in (max, min))
            ranks.append((name, self.share(name), best, worst))
            grid.append((name, *(own.get(b, "") for b in order)))
        over_all, against_each = (
            f"{title} {self.place}".strip()
            for title in ("Share of the victories over all opponents", "Strategy against strategy")
        )
        columns = ("strategy", "share", "best against", "worst against")
        note = "50% would be even; every opponent counts the same"
        return [
            ResultTable(over_all, columns, ranks, frozenset({"share"}), note),
            ResultTable(against_each, ("strategy", *order), grid, frozenset(order),
                        "share of the victories of the row's ships; both have half of the seats"),
        ]  # fmt: skip

    def _figures(self, number: str) -> tuple[Figure, Figure]:
        order, place = list(self.means), self.place
        made = [Row(name, [against(self.share(name), 0.5)]) for name in order]
        sub = words.sentence(f"share of the victories over all opponents {place}; {self.games:,} games against each")
        name, title = f"ranking{number}", "Which strategy wins"
        ranking = chart(name, title, sub, made, 29, high=1.0, line=0.5, line_name="even")
        shares = {(a, b): self.pairs[a, b].estimate for a in order for b in order if (a, b) in self.pairs}
        sub = words.sentence(
            f"percent of the victories that the row takes from the column {place}; violet: more than half, grey: less; "
            f"{self.games:,} games of each pair"
        )
        label = "Strategy against strategy, share of the victories in percent"
        drawing = matrix_of(label, "{0} {2} against {1}", order, shares)
        return ranking, Figure(f"opponents{number}", "Strategy against strategy", sub, drawing)


def matrix_of(label: str, cell: str, names: list[str], shares: Mapping[Pair, Estimate]) -> Drawing:
    """Shares of rows against columns. The label says the first row; `cell` says row, column and percentage."""
    texts = {pair: f"{100 * share.value:.0f}" for pair, share in shares.items()}
    lines = "; ".join(cell.format(a, b, texts[a, b]) for a, b in list(texts)[: len(names) - 1])
    return matrix(f"{label}: {lines}.", names, {pair: share.value for pair, share in shares.items()}, texts)


def duellists(setting: Setting) -> list[str]:
    """The two strategies that have half of a table's seats each; empty for any other table."""
    seats = [strategy.label for strategy in setting.strategies]
    pair = list(dict.fromkeys(seats))
    return pair if len(pair) == 2 and seats.count(pair[0]) == seats.count(pair[1]) else []


def shares_by_rules(study: Study, duels: Sequence[Setting]) -> dict[str, dict[Pair, tuple[Floats, int]]]:
    """Each strategy's share of the victories against every other, by the rules in words where they vary.

    A share comes as sums, with the number of games. Victories of the ghost are left out.
    """
    shares: dict[str, dict[Pair, tuple[Floats, int]]] = {}
    for setting in duels:
        sums, pair = setting.played.sums, duellists(setting)
        place = without(LINE_UP, study, setting)
        of_these_rules = shares.setdefault(f"({place})" if place else "", {})
        for name, other in (pair, pair[::-1]):
            of_these_rules[name, other] = (sums.group(name, "win") / sums.players("win"), setting.games)
    return shares


class LineUp(Findings):
    """One table of several strategies: win rates per ship, against an equal share, the best first."""

    def __init__(self, study: Study, setting: Setting):
        self.place, self.games, self.even = where(study, setting), games_line([setting]), 1 / setting.rules.ships
        wins, voyages = setting.played.wins(), setting.played.voyages()
        in_order = sorted(wins.rows, key=lambda row: -row[2].value)
        self.rates = {str(row[0]): Comparison(row[2], self.even) for row in in_order}
        self.tables = [
            replace(wins, title=f"Who wins {self.place}".strip(), note="per ship"),
            replace(voyages, title=f"Voyages {self.place}".strip()),
        ]

    def write(self, judge: Judge, chapter: Chapter) -> None:
        """Who wins at this table."""
        chapter.tables += self.tables
        even, place = self.even, self.place
        rates = {name: one.estimate for name, one in self.rates.items()}
        best, last = list(rates)[0], list(rates)[-1]
        is_clear = judge.is_above(self.rates[best])
        made = [Row(name, [against(rate, even)]) for name, rate in rates.items()]
        sub = words.sentence(f"share of the games that each ship wins {place}; {self.games}")
        name = f"win_rates_{len(chapter.figures)}"
        chapter.figures.append(chart(name, "Who wins at this table", sub, made, **at_equal(even)))
        chapter.effect = max(chapter.effect, abs(cohen_h(rates[best].value, even)) if is_clear else 0.0)
        chapter.say(
            f"{best} wins {prose.share(rates[best])} of the games with each of its ships, where {even:.1%} would be an "
            f"equal share {place}."
            if is_clear
            else f"no strategy wins clearly more than its share {place}.",
            f"{last} wins {prose.share(rates[last])}." if judge.is_clear(self.rates[last]) and last != best else "",
        )
        if chapter.heading:
            return
        equal = words.percent(even, 0)
        chapter.heading, first = "No strategy wins clearly more than its share", f"An equal share would be {equal}."
        if is_clear:
            chapter.heading = f"{best} wins more than its share"
            wins = words.percent(rates[best].value, 0)
            first = f"Each of its ships wins {wins} of the games, where {equal} would be an equal share."
        chapter.keys += [
            KeyNumber(words.percent(rate.value), f"of the games go to each ship of {name}", strong=name == best)
            for name, rate in list(rates.items())[:4]
        ]
        chapter.standfirst = [first, f"{last} wins {words.percent(rates[last].value, 0)}." if last != best else ""]


class WhoWins(Findings):
    """What the games show about who wins: by strategy, by pair, by fate and by seat."""

    def __init__(self, study: Study):
        mixed = [s for s in study.settings if s.is_mixed]
        duels = [s for s in mixed if duellists(s)]
        duels = duels if len({s.factors[LINE_UP] for s in duels}) > 1 else []
        most = max(s.rules.players for s in study.uniform())
        columns = {f"seat {n}": seat(n) for n in range(most)} | {SEAT_LEAD: quantity(_seat_lead)}
        fates = {} if mixed else {name: measure for name, (measure, _) in FATES.items()}
        compared = [*fates, "seat 0", "last seat"]
        self.sheet = figures = Sheet(study, columns | {"last seat": seat(-1)} | fates, compared)
        self.even, shown = 1 / study.reference.rules.ships, dict.fromkeys((study.reference, *thinking(usual(study))))
        self.duels = [Duels(place, shares) for place, shares in shares_by_rules(study, duels).items()]
        self.line_ups = [LineUp(study, s) for s in mixed if s not in duels]
        # win rates of ships by a fact about the ship, against an equal share
        self.fates = {name: Comparison(figures.at(name), self.even) for name in fates if is_known(figures.at(name))}
        self.seats = Claim(
            "the first Captain wins more often than the last seat",
            {s.label: Comparison(figures.at(SEAT_LEAD, s)) for s in shown},
        )

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        chapter = Chapter("who_wins", "Who wins")
        for duels in self.duels:
            duels.write(judge, chapter)
        for line_up in self.line_ups:
            line_up.write(judge, chapter)
        if self.fates:
            self._write_fates(judge, chapter)
        self._write_seats(judge, chapter)
        return chapter

    def _write_fates(self, judge: Judge, chapter: Chapter) -> None:
        """Who wins when all play alike."""
        figures, even, tell = self.sheet, self.even, self.sheet.teller(judge)
        clear = {name for name, one in self.fates.items() if judge.is_clear(one)}
        rates = {name: figures.at(name) for name in sorted(self.fates, key=lambda name: -figures.at(name).value)}
        top, worst = list(rates)[0], list(rates)[-1]
        others = figures.beside if len(figures.beside) <= 3 else {}
        content = [
            (name, rate, *(figures.at(name, s) for s in others.values()), f"{cohen_h(rate.value, even):.2f}")
            for name, rate in rates.items()
        ]
        title = f"Who wins {where(figures.study, figures.study.reference)}".strip()
        columns = ("a ship that is", "win rate", *others, "effect size h")
        note = f"share of the games; {even:.1%} is an equal share, and h is against it"
        chapter.tables.append(ResultTable(title, columns, content, frozenset(columns[1:-1]), note))
        made = [figures.row(name, name, even) for name in rates]
        sub = figures.sub("Share of the games that such a ship wins")
        chapter.figures.append(chart("fates", "Who wins when all play alike", sub, made, **at_equal(even)))
        chapter.effect = max((abs(cohen_h(rates[name].value, even)) for name in clear), default=0.0)
        home = home_words(self.fates["first ship home"].estimate.value, even, "first ship home" in clear)
        chapter.headline = f"The first ship home {home}"
        chapter.heading = f"When all play alike, {FATES[top][1]} wins most often"
        lead = "sole leader at half-time"
        chapter.say(
            f"all play alike at each table here, so an equal share is {even:.1%}.",
            tell("the first ship home wins {first ship home} of the games"),
            tell(f"a ship that leads alone at half-time wins {{{lead}}}") if lead in rates else "",
            tell(f"a ship that runs short three times or more wins {{{worst}}}")
            if worst == "short three times or more" and judge.is_below(self.fates[worst])
            else "",
        )
        chapter.keys += [
            KeyNumber(words.percent(rate.value, 0), f"win rate: {name}", strong=rate.value > even)
            for name, rate in rates.items()
            if name in clear
        ][:4]
        chapter.standfirst = [
            f"An equal share would be {words.percent(even, 0)}.",
            f"A ship that leads alone at half-time wins {words.percent(rates[lead].value, 0)}."
            if lead in rates
            else "",
            f"The first Captain's seat wins {words.percent(rates['first Captain'].value, 0)}."
            if "first Captain" in clear
            else "No clear advantage of the first Captain was found.",
        ]

    def _write_seats(self, judge: Judge, chapter: Chapter) -> None:
        figures, cases, verdict = self.sheet, self.seats.cases, judge.verdict(self.seats)
        study, columns = figures.study, [name for name in figures.columns if name.startswith("seat ")]
        note = "seat 0 is the first Captain, then clockwise"
        chapter.tables.append(figures.table("Win rate by seat", [*columns, SEAT_LEAD], note))
        chapter.claims.append(self.seats)
        own = cases.get(study.reference.label)
        close = "" if own and judge.is_clear(own) else ": too close to call"
        counts = [words.number(len(labels)) if labels else "none" for labels in (verdict.holds, verdict.fails)]
        ahead = f"the first Captain is clearly ahead at {counts[0]} and behind at {counts[1]}"
        if not verdict.holds and not verdict.fails:
            ahead = "at none is either of the two clearly ahead"
        seats = f"the first Captain wins {{seat 0}} of the games and the last seat {{last seat}}{close}"
        chapter.say(
            figures.tell(judge, seats),
            f"of {words.number(len(cases))} tables, {ahead}{left_out_of(usual(study))}." if len(cases) > 1 else "",
        )
        tables, factor = arrange(study)
        if is_one := factor in ("", "edition", LINE_UP):  # of two editions or line-ups the first stands for both
            shown = {name: group[0] for name, group in tables.items()}
        else:
            both = [(name, s) for name, group in tables.items() for s in group]
            shown = {", ".join(filter(None, (name, mark_name(factor, s)))): s for name, s in both}
        made = []
        for name, s in shown.items():
            marks = [mark_of(figures.at("last seat", s), True, "base", name="last seat"),
                     mark_of(figures.at("seat 0", s), True, name="first Captain")]  # fmt: skip
            made.append(Row(name, marks, 1 / s.rules.ships))
        if all(row.label in study.line_ups for row in made):
            made.sort(key=lambda row: row.marks[0].value - row.marks[1].value)
        settings = list(shown.values())
        where = f" ({mark_name(factor, settings[0])})" if factor and is_one else ""
        sub = (
            f"Share of the games that each seat wins{where}; the upright mark is an equal share; {games_line(settings)}"
        )
        chapter.figures.append(chart("seats", "Is the first Captain ahead?", sub, made))


CHAPTERS = {"who_wins": ChapterSource(WhoWins, WhoWins.write)}
