"""How much is skill where strategies differ, and Jamaica beside published games.

Skill is measured in two ways: how much can be predicted from who plays (`Budget.skill_and_luck`), and how far ratings
spread (`causes/skill.py`).
"""

from typing import Any

from jamaica_sim.causes.findings import POOL, WITH_RANDOM, estimate
from jamaica_sim.causes.skill import PUBLISHED
from jamaica_sim.charts.row_charts import Mark, Row
from jamaica_sim.experiment.setting import LINE_UP
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import without
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, difference
from jamaica_sim.report.chapters import sources as of
from jamaica_sim.report.chapters.sources import SOURCES, estimates
from jamaica_sim.report.figures import chart, mark_of, panels_chart
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.elo import chance_ahead
from jamaica_sim.stats.estimate import Estimate

SKILL = "strategies"


class Mixed(Findings):
    """How much is skill in each pool of strategies and at each table: how much who plays foretells of who wins."""

    def __init__(self, study: Study):
        self.pools: dict[str, Any] = {_named(pool): pool for pool in of.causes_of(study)["mixed"]}
        self.skills = {name: estimate(pool["shares"][SKILL]) for name, pool in self.pools.items()}
        self.spreads = {name: estimate(pool["spread"]) for name, pool in self.pools.items()}  # of ratings
        self.at_tables: dict[str, Any] = {}
        for setting, mixed in zip(study.settings, of.by_table(study, "mixed").values(), strict=True):
            label = without(LINE_UP, study, setting) if study.varying else setting.label
            self.at_tables.setdefault(label, mixed)
        self.by_table = {label: estimate(one["shares"][SKILL]) for label, one in self.at_tables.items()}
        order = sorted(self.by_table.values(), key=lambda e: e.value)
        pairs = len(order) * (len(order) - 1) // 2  # the two are picked among so many pairs
        widest = Comparison(allowing_for(difference(order[0], order[-1]), pairs))
        self.widest = widest if pairs else None  # the table where skill counts most minus the one where it counts least
        ratings = estimates(self.pools[POOL]["ratings"])
        best, *_, poorest = ratings
        self.rated = best, poorest
        # how often the best of the pool comes out ahead of the poorest, by their ratings
        self.ahead = Comparison(ahead(difference(ratings[poorest], ratings[best])), 0.5)

    def write(self, judge: Judge) -> Chapter:
        """Skill where strategies differ, and the spread of ratings beside published games."""
        skill, seats = self.skills[POOL], words.listed(self.pools[POOL]["pool"], "or")
        chapter = Chapter("mixed", "Skill", effect=skill.value)
        if of.is_vague(skill):
            chapter.heading = "too few deals to tell how much is skill"
            what = f"how much of who wins is foretold by who plays, where every seat is {seats}"
            first = [of.too_few_deals(skill, what)]
        else:
            text = words.percent(prose.clipped(skill).value, 0)
            others = [f"{prose.share(share, 0)} {name}" for name, share in self.skills.items() if name != POOL]
            chapter.heading = f"skill is {text} of what decides where players differ"
            chapter.keys = [KeyNumber(text, "of what decides where players differ: skill")]
            first = [
                f"where every seat is {seats}, who plays foretells {prose.share(skill, 0)} of who wins a game; the "
                "rest is luck.",
                f"it is {words.listed(others)}.",
            ]
        best, poorest = self.rated
        chapter.say(
            *first,
            f"over many games skill shows: by their ratings {best}, the best of them, comes out ahead of {poorest}, "
            f"the poorest, in {prose.share(self.ahead.estimate, 0)} of their games."
            if judge.is_above(self.ahead)
            else "",
            "who sits where also changes to whom the luck falls. That happens among equally good strategies too; it "
            "is no skill, and is not counted as such.",
        )
        chapter.say(self._by_table(judge))
        spreads = [f"{prose.mean(value)} {name}" for name, value in self.spreads.items()]
        chapter.say(
            "the wider the ratings of those who play a game, the more skill there is in it (Duersch, Lambrecht and "
            f"Oechssler 2020). The standard deviation of these strategies, in Elo points: {words.listed(spreads)}.",
            _beside(self.spreads[POOL]),
            "the published figures are those of people on online platforms, in games of two (working paper of 2018, "
            "read where another text quotes it). Jamaica's are those of strategies, so only the order of magnitude can "
            "be compared.",
        )
        chapter.figures = [self._skill_chart(), self._spread_chart()]
        chapter.tables = self._tables()
        return chapter

    def _by_table(self, judge: Judge) -> str:
        """A sentence about the tables with the largest and the smallest share of skill; empty for a single table."""
        if self.widest is None:
            return ""
        if not judge.is_above(self.widest):
            return "the share of skill differs too little between the tables to call."
        shares = self.by_table
        least, *_, most = sorted(shares, key=lambda label: shares[label].value)
        highest, lowest = (prose.share(allowing_for(shares[label], len(shares))) for label in (most, least))
        return f"skill counts for more with {most}, {highest}, than with {least}, {lowest}."

    def _skill_chart(self) -> Figure:
        shown = {"": self.skills}
        if len(self.by_table) > 1:
            shown = {f"By who plays ({next(iter(self.by_table))})": self.skills, f"By table ({POOL})": self.by_table}
        high = max(share.high for shares in shown.values() for share in shares.values())
        sub = f"Share of who wins that who plays foretells; {self.pools[POOL]['deals']:,} deals each"
        return panels_chart(
            "mixed", "How much is skill", sub, [of.bars(*one, high) for one in shown.items()], below=True
        )

    def _spread_chart(self) -> Figure:
        marks = {f"Jamaica, {name}": mark_of(value) for name, value in self.spreads.items()}
        marks |= {name: Mark(value, f"{value:g}", "base") for name, value in PUBLISHED.items()}
        order = sorted(marks, key=lambda name: -marks[name].value)
        made = [Row(name, [marks[name]], strong=name.startswith("Jamaica")) for name in order]
        games = self.pools[POOL]["rated_games"]
        sub = (
            f"Standard deviation of Elo ratings; Jamaica: strategies, {games:,} games a pool; others: people, published"
        )
        return chart("spread", "Jamaica beside published games", sub, made)

    def _tables(self) -> list[ResultTable]:
        kinds = list(dict.fromkeys((SKILL, *(name for pool in self.pools.values() for name in pool["shares"]))))
        more = {f"{label}, {POOL}": one for label, one in self.at_tables.items()} if len(self.at_tables) > 1 else {}
        content = [
            (name, *(estimates(pool["shares"]).get(kind, "not drawn") for kind in kinds),
             estimate(pool["shapley"][SKILL]))
            for name, pool in (self.pools | more).items()
        ]  # fmt: skip
        columns = ("who plays", *(SOURCES[kind] for kind in kinds), "line-up (Shapley)")
        note = (
            "skill: what who plays explains by itself; sources of luck: what is open once that is known; line-up: the "
            "Shapley effect of who plays, which counts half of what it stirs up"
        )
        rated: list[tuple[object, ...]] = [
            (f"Jamaica, {name}", spread, ahead(spread), "measured") for name, spread in self.spreads.items()
        ]
        rated += [
            (name, f"{value:g}", words.percent(chance_ahead(value)), "published") for name, value in PUBLISHED.items()
        ]
        meaning = "ahead: how often a player who is a standard deviation better than another comes out ahead of it"
        best, shares = [(" v. ".join(self.rated), self.ahead.estimate)], frozenset({"ahead"})
        return [
            ResultTable("Skill and luck", columns, content, frozenset(columns[1:]), note, unit="deal"),
            ResultTable("Spread of ratings", ("game", "standard deviation", "ahead", "from"), rated, shares, meaning),
            *(
                ResultTable(f"Ratings {name}", ("strategy", "Elo points"), [*estimates(pool["ratings"]).items()])
                for name, pool in self.pools.items()
            ),
            ResultTable("The best and the poorest", ("pair", "ahead"), best, shares),
        ]


def _named(pool: Any) -> str:
    """A pool by its name, or by its members where that would say how good they are: the library grows."""
    known: str = pool["name"]
    return known if known in (POOL, WITH_RANDOM) else f"among {words.listed(pool['pool'])}"


def _beside(spread: Estimate) -> str:
    """A sentence about the published games that the pool without random play clearly lies between."""
    above = [name for name, published in PUBLISHED.items() if published > spread.high]
    below = [name for name, published in PUBLISHED.items() if published <= spread.low]
    if not above or not below:
        return ""
    return f"{POOL} they spread less than the players of {above[-1]} and more than those of {below[0]}."


def ahead(gap: Estimate) -> Estimate:
    """How often a player comes out ahead of another who is rated so much lower."""
    return Estimate(chance_ahead(gap.value), chance_ahead(gap.low), chance_ahead(gap.high), gap.n)


CHAPTERS = {"mixed": ChapterSource(Mixed, Mixed.write, of.has_causes("mixed"))}
