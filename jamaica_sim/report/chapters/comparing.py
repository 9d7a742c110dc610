"""Strategies compared on the same deals: who is better, by how much, and how surely.

Whether one is better than another is the comparison's own verdict, which allows for looking at it many times.
"""

from jamaica_sim.charts.row_charts import Mark, Row
from jamaica_sim.comparison.comparison import Comparison as Compared
from jamaica_sim.comparison.tables import all_tables
from jamaica_sim.comparison.tables import matrix as pairwise
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, difference, points
from jamaica_sim.report.chapters.winning import matrix_of
from jamaica_sim.report.figures import against, chart, mark_of
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate

BETTER = {"better", "worse"}
SO = {"better": "clearly", "worse": "clearly", "equal": "as good as equal", "undecided": "too close to call"}  # a lead


class Contest(Findings):
    """What a comparison showed: strategies by win rate, the best first; or one ship and its field."""

    def __init__(self, comparison: Compared):
        labels, plan = comparison.labels, comparison.plan
        self.field = list(labels[1:]) if comparison.contest.against else []  # that one ship meets
        order = [0, *comparison.order[1:]] if self.field else list(comparison.order)
        several = not (self.field or comparison.is_duel)
        self.rates = {labels[s]: comparison.win_rate(s) for s in order}  # the one ship first, if there is a field
        pairs = [(a, b) for a in (order[:1] if self.field else order) for b in order if a != b]
        # how often the first finishes ahead of the second
        self.ahead = {(labels[a], labels[b]): comparison.ahead(a, b) for a, b in pairs}
        first, *others = sorted(self.ahead.values(), key=lambda share: share.value if self.field else -share.value)
        # the most uneven pair less the next, or the hardest of a field; who does well in a deal is ahead of several,
        # so as unrelated estimates the difference is too vague
        self.extreme = Comparison(difference(others[0], first)) if others else None
        self.lead: Estimate | None = None  # points of win rate of one over the other, or of the one over an equal share
        self.verdict = ""  # on the lead
        self.share: Estimate | None = None  # of the victories that the best two share, what the best takes
        if self.field:
            self.lead, self.verdict = points(comparison.edge), comparison.edge_verdict
        else:
            self.share = comparison.share_of_points(*order[:2])
        if comparison.is_duel and not self.field:
            self.lead, self.verdict = points(comparison.difference(*order)), comparison.verdict(*order)
        ranked = order if several else []
        self.leaders = [labels[s] for s in ranked if comparison.ranks[s].best == 1]  # who may be the best
        self.ratings = {f"{labels[s]} (rank {comparison.rank(s)})": comparison.points(s) for s in ranked}
        self.verdicts = [] if self.field else list(comparison.verdicts.values())
        self.even, self.margin = comparison.even, 100 * plan.margin  # points of win rate that would not matter
        self.games, self.played = comparison.games, f"games of {comparison.deals:,} deals"
        self.remarks = list(comparison.remarks()) if several else []
        self.tables = [*all_tables(comparison).values(), *([pairwise(comparison, "win_rate")] if several else [])]

    def write(self, judge: Judge) -> Chapter:
        """Who is better, and with three or more strategies who beats whom; or how one ship does in a field."""
        rates, even = self.rates, words.percent(self.even)
        best, second, *_ = names = list(rates)
        last = names[-1]
        chapter = Chapter("comparison", "Who is better", headline=self._headline(), tables=self.tables)
        chapter.effect = abs(cohen_h(rates[best].value, self.even))
        chapter.heading = "The verdict is in" if self.verdict != "undecided" else "No verdict yet"
        if self.ratings:
            apart = sum(one in BETTER for one in self.verdicts)
            count = words.number(apart) if apart else "none"
            chapter.heading = f"{count} of {words.number(len(self.verdicts))} pairs are told apart"
        chapter.say(
            f"{best} wins {prose.share(rates[best])} of the games with each of its ships, where {even} is even.",
            "" if self.field else f"{last} wins {prose.share(rates[last])}.",
        )
        if self.lead is not None:
            how = f"{'more' if self.lead.value > 0 else 'less'} than {'an equal share' if self.field else last}"
            chapter.say(
                f"that is {prose.how_many(self.lead)} points of win rate {how}, {SO[self.verdict]}; less than "
                f"{words.amount(self.margin)} would not matter."
            )
        if self.ratings or len(self.field) > 1:
            chapter.say(self._extreme(judge), *self.remarks)
        made = []
        for name, rate in rates.items():
            strong = name == best if self.field else rate.value >= self.even
            made.append(Row(name, [mark_of(rate, True, "subject" if strong else "base")]))
        sub = f"Share of the games that each ship wins; {self.games:,} {self.played}"
        rates_chart = chart("win_rates", "Win rates", sub, made, line=self.even, line_name=f"even, {even}")
        chapter.figures = [rates_chart, *self._second_figures()]
        chapter.keys = [
            KeyNumber(words.percent(rates[name].value), f"of the games go to each ship of {name}", strong=name == best)
            for name in names[: 1 if self.field else 3]
        ]
        chapter.keys += [KeyNumber(even, "would be even", False)] if self.field else []
        chapter.keys.append(KeyNumber(f"{self.games:,}", self.played, False))
        first = f"{best} wins {prose.share(rates[best])} of its games, where {even} is even."
        if self.share is not None:
            first = f"Of the victories that {best} and {second} share, {best} takes {prose.share(self.share, 0)}."
        chapter.standfirst = [first, *self.remarks[:1]]
        return chapter

    def _headline(self) -> str:
        best, second, *_ = self.rates
        if self.field:
            second = f"a field of {words.listed(self.field)}" if len(self.field) > 1 else f"tables full of {second}"
        if self.verdict == "undecided":
            return f"{best} and {'its field' if self.field else second} are too close to call"
        if self.verdict:
            verbs = {"better": "beats", "worse": "loses to", "equal": "is as good as"}
            return f"{best} {verbs[self.verdict]} {second}"
        count = words.number(len(self.rates))
        if len(self.leaders) == 1:
            return f"{self.leaders[0]} is the best of {count}"
        if len(self.leaders) == len(self.rates):
            return f"The {count} strategies cannot be told apart"
        return f"{words.listed(self.leaders)} share the lead"

    def _extreme(self, judge: Judge) -> str:
        """The easiest pair of all, or the hardest opponent of a field; picked among many, so its interval is wider."""
        pick = min if self.field else max
        pair = pick(self.ahead, key=lambda one: self.ahead[one].value)
        share = prose.share(allowing_for(self.ahead[pair], len(self.ahead)))
        is_clear = self.extreme is not None and judge.is_clear(self.extreme)
        what = f"the most uneven pair{'' if is_clear else ', not clearly before the next'}"
        if self.field:
            what = f"{pair[1]} is the hardest of the field" if is_clear else "who is the hardest is too close to call"
        return f"{what}: {pair[0]} finishes ahead of {pair[1]} in {share} of the games."

    def _second_figures(self) -> list[Figure]:
        best, second, *_ = names = list(self.rates)
        if self.field:
            made = [Row(other, [against(share, 0.5)]) for (_, other), share in self.ahead.items()]
            sub = f"Share of the games in which {best} finishes ahead of a ship of each opponent"
            return [chart("ahead", "Ahead of each opponent", sub, made, line=0.5, line_name="half")]
        if self.lead is not None:
            sub, made = "Points of win rate; interval over deals", [_dot(f"{best} less {second}", self.lead)]
            low, high = min(0.0, self.lead.low), max(self.margin, self.lead.high)
            return [chart("difference", "By how much", sub, made, low=low, high=high, line=self.margin,
                          line_name="the margin", dashed=True)]  # fmt: skip
        values = [rating.value for rating in self.ratings.values()]
        made = [_dot(name, rating, 0) for name, rating in self.ratings.items()]
        sub = "Percent of the games in which the row's ship finishes ahead of the column's; violet: more than half"
        label = "Who finishes ahead of whom, percent of the games"
        return [
            chart("ratings", "Ratings", "Rating points: 400 more are ten times the chance to win", made, line=0.0,
                  line_name="the field's mean", low=min(0.0, *values), high=max(values)),
            Figure("matrix", "Who finishes ahead of whom", sub,
                   matrix_of(label, "{} ahead of {} in {}%", names, self.ahead)),
        ]  # fmt: skip


def _dot(name: str, e: Estimate, decimals: int = 1) -> Row:
    text = words.signed(e.value, decimals)
    return Row(name, [Mark(e.value, text, low=e.low, high=e.high, title=prose.whole(e))])
