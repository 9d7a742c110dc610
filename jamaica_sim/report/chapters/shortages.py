"""Shortages: how many, where, when, of what, and how ships that run short fare."""

from jamaica_sim.charts.axis_charts import Profile, histogram
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report import spaces as board
from jamaica_sim.report.arrangement import table_words, usual
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, difference, is_known, points, rate_of
from jamaica_sim.report.figures import at_equal, chart
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, games_behind, mapped, per_player, quantity, ratio, win_rate
from jamaica_sim.results.measures import SHORT, SHORTAGES, SHORTAGES_EACH, Measure
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

LEVELS = {"none": "no shortage", "one": "one shortage", "two": "two shortages", "three or more": "three or more"}


def after(level: int) -> Measure:
    """The win rate of the ships with this many shortages; the last level includes all above."""
    return win_rate(lambda results: results.sums.alike("shortages", level))


OVERVIEW = {
    "per game": SHORTAGES,
    "per ship": SHORTAGES_EACH,
    "games with one": SHORT,
    "ships with one": per_player("short", True),
    "at ports": quantity("gold_shortages"),
    "at sea": quantity("food_shortages"),
    "share at ports": ratio("gold_shortages", "shortages"),
    "ship was ahead": ratio("shortages_ahead", "shortages"),
    "ship was behind": ratio("shortages_behind", "shortages"),
}
COST = "none less three, points"
COSTS = {word: after(level) for level, word in enumerate(LEVELS)}


NOTE = (
    "at ports for want of doubloons, at sea for want of food; ahead and behind: of the mean of the other ships when "
    "the round began, share of the shortages"
)


def cost_of_shortages(results: Results) -> Estimate:
    """The win rate of ships that never ran short minus that of ships that ran short three times or more."""
    many = results.sums.alike("shortages", len(LEVELS) - 1)
    return jackknife(rate_of(*results.sums.alike("shortages", 0)) - rate_of(*many), games_behind(many[0], results))


def _ahead_less_behind(results: Results) -> Estimate:
    sums = results.sums
    more = sums.game("shortages_ahead") - sums.game("shortages_behind")
    return jackknife(rate_of(sums.game("shortages"), more), results.games)


def _lead_of(space: int, shares: board.SpaceShares) -> Estimate:
    """Shortages per game on a space minus those on the worst other space, which is picked among all others."""
    means = {number: mean for number, mean, _ in shares}
    own = means.pop(space, Estimate(0.0, 0.0, 0.0, shares[0][1].n))
    other = max(means.values(), key=lambda mean: mean.value)
    return allowing_for(difference(other, own), len(means))


class Shortages(Findings):
    """What the games show about shortages: by space, round and ship."""

    def __init__(self, study: Study):
        setting, shown = study.reference, mapped(study)
        columns = OVERVIEW | COSTS | {COST: lambda results: points(cost_of_shortages(results))}
        compared = ["per game", "per ship", "games with one", "share at ports", "none", "three or more"]
        self.sheet = figures = Sheet(study, columns, compared)
        self.tables = [
            figures.table("Shortages", OVERVIEW, NOTE),
            figures.table("Win rate by shortages of the ship", [*COSTS, COST], "players' ships"),
            *(board.space_table(study, s, "shortages") for s in shown),
            board.round_table(study, setting, "shortages"),
        ]
        titles = [
            f"{name}: {words.amount(figures.at('per game', s).value)} in a game"
            for s, name in zip(shown, figures.names_of(shown), strict=True)
        ]
        ports = [words.percent(figures.at("share at ports", s).value) for s in shown]
        self.maps = [
            board.map_of(s, "shortages", title if len(shown) > 1 else "", share, "of them at ports")
            for s, title, share in zip(shown, titles, ports, strict=True)
        ]
        # by table: its rounds, and the shortages in each
        self.rounds = {
            name: board.round_table(study, s, "shortages").rows for name, s in figures.side_by_side().items()
        }
        tables_played = [s for s in usual(study) if SHORTAGES.of(s.played).value]
        spaces = {s.label: board.space_shares(s.played, "shortages") for s in tables_played}
        self.space, _, part = board.space_shares(setting.played, "shortages")[0]  # with the most at the reference table
        costly = sum(one.cost > 0 for one in board.board_of(setting))
        self.part = Comparison(allowing_for(part, costly), 1 / max(1, costly))  # of all shortages
        self.most = Claim(
            f"space {self.space} has more shortages than any other space",
            {label: Comparison(_lead_of(self.space, shares)) for label, shares in spaces.items()},
        )
        self.leaders = {label: shares[0][0] for label, shares in spaces.items()}  # the space with the most, by table
        self.ports = Comparison(figures.at("share at ports"), 0.5)
        self.cost = Comparison(cost_of_shortages(setting.played))
        self.stood = Comparison(_ahead_less_behind(setting.played))

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        chapter, figures = Chapter("shortages", "Shortages", tables=self.tables), self.sheet
        if not figures.at("per game").value:
            chapter.heading = "Nobody runs short"
            chapter.say("no ship ran short in any of these games.")
            chapter.figures.append(self._round_figure())
            return chapter
        self._write_where(judge, chapter)
        self._write_cost(judge, chapter)
        place = table_words(figures.study)
        chapter.map, where = board.board_figures("Where ships run short", "shortages", place, self.maps)
        even = 1 / figures.study.reference.rules.ships
        rates = chart(
            "cost", "Win rate by number of shortages", figures.sub("Share of their games that ships win"),
            [figures.row(name, column) for column, name in LEVELS.items()],
            **at_equal(even),
        )  # fmt: skip
        chapter.figures += [where, rates, self._round_figure()]
        chapter.keys.append(KeyNumber(words.amount(figures.at("per game").value), "shortages in a game", strong=False))
        return chapter

    def _write_where(self, judge: Judge, chapter: Chapter) -> None:
        figures, space, part = self.sheet, self.space, self.part
        tell, is_clear, most = figures.teller(judge), judge.is_above(part), judge.verdict(self.most)
        reference = figures.study.reference
        one = board.board_of(reference)[space]
        kind = board.KIND_WORDS[one.kind]
        chapter.claims.append(self.most)
        chapter.heading = "No space stands out for shortages"
        if reference.label in most.holds:
            chapter.heading = f"Ships run short most often at the {kind} on space {space}"
        elif is_clear:
            chapter.heading = f"The {kind} on space {space} is among those with the most shortages"
        chapter.effect = abs(cohen_h(part.estimate.value, part.null)) if is_clear else 0.0
        often = words.fraction(figures.at("games with one").value)
        others = "; ".join(f"space {self.leaders[label]} at {label}" for label in most.fails[:3])
        chapter.say(
            tell("a game has {per game} shortages, {per ship} for each player's ship"),
            tell(f"{often} of the games have at least one: {{games with one}}") if often else "",
            f"space {space} costs {board.cost_words(one)} and makes {prose.share(part.estimate)} of all shortages, "
            f"where an equal share of the {round(1 / part.null)} spaces that cost something is {part.null:.1%}."
            if is_clear
            else "",
            f"space {space} has more shortages than any other {most.scope()}."
            if len(most.claim.cases) > 1 and most.holds
            else "",
            f"another space has more elsewhere: {others}." if most.kind != HOLDS and others else "",
        )
        beside_sea = "fewer than" if judge.is_below(self.ports) else "about as many as"
        beside_sea = "more than" if judge.is_above(self.ports) else beside_sea
        chapter.say(tell(f"{{share at ports}} are at ports, for want of gold, {beside_sea} at sea, for want of food"))

    def _write_cost(self, judge: Judge, chapter: Chapter) -> None:
        never, often = self.sheet.at("none"), self.sheet.at("three or more")
        tell, cost = (
            self.sheet.teller(judge),
            "whether a ship ran short makes no clear difference to its win rate here.",
        )
        if judge.is_clear(self.cost) and is_known(never) and is_known(often):
            chapter.effect = max(chapter.effect, abs(cohen_h(never.value, often.value)))
            cost = tell(
                f"ships that never run short win {'more' if never.value > often.value else 'less'} often: {{none}} of "
                "their games, those that do three times or more {three or more}"
            )
        reason = ": being behind is not the reason" if judge.is_above(self.stood) else ""
        stood = tell(
            "when the round began, a ship that then ran short was ahead of the others' mean in {ship was ahead} of "
            f"the cases and behind it in {{ship was behind}}{reason}"
        )
        chapter.say(
            cost, stood, "A long game has more shortages, so these win rates do not say what one shortage costs."
        )

    def _round_figure(self) -> Figure:
        first = min((rows[0][0] for rows in self.rounds.values() if rows), default=0)
        last = max((rows[-1][0] for rows in self.rounds.values() if rows), default=first)
        many, spoken = [], []
        for name, rows in self.rounds.items():
            known = {row[0]: row[2].value for row in rows}
            values = [known.get(n, 0.0) for n in range(first, last + 1)]
            peak = first + values.index(max(values))
            note = f"{words.amount(max(values), 2)} in round {peak}"
            many.append(Profile(name, values, None, [(peak, note, "middle")]))
            texts = [f"round {n} {words.amount(value, 2)}" for n, value in known.items()]
            spoken.append(f"{name} {', '.join(texts)}".strip())
        label = f"Shortages by round, per game that reached the round: {'; '.join(spoken)}"
        unit = "Shortages in each round, per game that reached it"
        return Figure("rounds", "When ships run short", self.sheet.sub(unit, many=True), histogram(label, many, first))


CHAPTERS = {"shortages": ChapterSource(Shortages, Shortages.write)}
