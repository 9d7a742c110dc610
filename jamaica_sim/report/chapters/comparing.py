"""Strategies compared on the same deals: who is better, by how much, and how surely.

Whether one is better than another is the comparison's own verdict, which allows for looking at it many times.
"""

from dataclasses import dataclass

from jamaica_sim.charts.grid_charts import matrix
from jamaica_sim.charts.row_charts import Mark, Row
from jamaica_sim.comparison.comparison import Comparison
from jamaica_sim.comparison.tables import all_tables
from jamaica_sim.comparison.tables import matrix as pairwise
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import against, mark_of, row_chart
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, points
from jamaica_sim.report.judge import Findings, Judge, allowing_for
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate

BETTER = {"better", "worse"}


@dataclass(frozen=True)
class Contest(Findings):
    """What a comparison showed: strategies by win rate, the best first; or one ship and its field."""

    rates: dict[str, Estimate]  # win rate of each ship; the one ship first, if there is a field
    ahead: dict[tuple[str, str], Estimate]  # how often the first finishes ahead of the second
    field: list[str]  # the strategies that one ship meets; empty where all meet all
    lead: Estimate | None  # points of win rate of one over the other, or of the one ship over an equal share
    share: Estimate | None  # of the victories that the best two share, what the best takes
    verdict: str  # on the lead
    leaders: list[str]  # who may be the best
    ratings: dict[str, Estimate]
    decided: tuple[int, int]  # pairs that are told apart, and all pairs
    even: float
    margin: float  # points of win rate that would not matter
    players: int
    played: str
    games: int
    remarks: list[str]
    tables: list[ResultTable]


def find(comparison: Comparison) -> Contest:
    """Read rates, pairs and verdicts."""
    field = list(comparison.labels[1:]) if comparison.contest.against else []
    order = [0, *comparison.order[1:]] if field else list(comparison.order)
    labels, several = comparison.labels, not (field or comparison.is_duel)
    pairs = [(a, b) for a in (order[:1] if field else order) for b in order if a != b]
    lead, verdict = None, ""
    if field:
        lead, verdict = points(comparison.edge), comparison.edge_verdict
    elif comparison.is_duel:
        lead, verdict = points(comparison.difference(*order)), comparison.verdict(*order)
    verdicts = [] if field else list(comparison.verdicts.values())
    return Contest(
        {labels[s]: comparison.win_rate(s) for s in order},
        {(labels[a], labels[b]): comparison.ahead(a, b) for a, b in pairs},
        field,
        lead,
        None if field else comparison.share_of_points(*order[:2]),
        verdict,
        [labels[s] for s in order if comparison.ranks[s].best == 1] if several else [],
        {f"{labels[s]} (rank {comparison.rank(s)})": comparison.points(s) for s in order} if several else {},
        (sum(one in BETTER for one in verdicts), len(verdicts)),
        comparison.even,
        100 * comparison.plan.margin,
        comparison.contest.rules.players,
        f"games of {comparison.deals:,} deals",
        comparison.games,
        list(comparison.remarks()) if several else [],
        [*all_tables(comparison).values(), *([pairwise(comparison, "win_rate")] if several else [])],
    )


def write(contest: Contest, judge: Judge) -> Chapter:
    """Who is better, and with three or more strategies who beats whom; or how one ship does in a field."""
    rates, even, remarks = contest.rates, words.percent(contest.even), contest.remarks
    best, *_, last = rates
    chapter = Chapter("comparison", "Who is better", tables=contest.tables)
    chapter.effect = abs(cohen_h(rates[best].value, contest.even))
    chapter.headline = _headline(contest)
    told, pairs = contest.decided
    chapter.heading = "The verdict is in" if contest.verdict != "undecided" else "No verdict yet"
    if contest.ratings:
        chapter.heading = f"{words.number(told)} of {words.number(pairs)} pairs are told apart"
    chapter.say(
        f"{best} wins {prose.share(rates[best])} of the games with each of its ships, where {even} is even.",
        "" if contest.field else f"{last} wins {prose.share(rates[last])}.",
    )
    if contest.lead is not None:
        how = "more than an equal share" if contest.field else f"more than {last}"
        how = how if contest.lead.value > 0 else how.replace("more", "less")
        chapter.say(
            f"that is {prose.how_many(contest.lead)} points of win rate {how}; less than "
            f"{words.amount(contest.margin)} would not matter."
        )
    if contest.ratings or len(contest.field) > 1:
        chapter.say(_extreme(contest), *remarks)
    chapter.hero = _win_rates(contest)
    chapter.figures = [chapter.hero, *_second_figures(contest)]
    shown = 1 if contest.field else min(3, len(rates))
    chapter.keys = [
        KeyNumber(words.percent(rate.value), f"of the games go to each ship of {name}", strong=name == best)
        for name, rate in list(rates.items())[:shown]
    ]
    chapter.keys += [KeyNumber(even, "would be even", False)] if contest.field else []
    chapter.keys.append(KeyNumber(f"{contest.games:,}", contest.played, False))
    if contest.share is None:
        first = f"{best} wins {words.percent(rates[best].value)} of its games, where {even} is even."
    else:
        second = list(rates)[1]
        taken = words.percent(contest.share.value, 0)
        first = f"Of the victories that {best} and {second} share, {best} takes {taken}."
    chapter.standfirst = [first, *remarks[:1]]
    return chapter


def _headline(contest: Contest) -> str:
    best, second, *_ = contest.rates
    if contest.field:
        second = f"a field of {words.listed(contest.field)}" if len(contest.field) > 1 else f"tables full of {second}"
    if contest.verdict:
        verbs = {"better": "beats", "worse": "loses to", "equal": "is as good as"}
        if contest.verdict == "undecided":
            return f"{best} and {'its field' if contest.field else second} are too close to call"
        return f"{best} {verbs[contest.verdict]} {second}"
    count = words.number(len(contest.rates))
    if len(contest.leaders) == 1:
        return f"{contest.leaders[0]} is the best of {count}"
    if len(contest.leaders) == len(contest.rates):
        return f"The {count} strategies cannot be told apart"
    return f"{words.listed(contest.leaders)} share the lead"


def _extreme(contest: Contest) -> str:
    """The easiest pair of all, or the hardest opponent of a field; picked among many, so its interval is wider."""
    pick = min if contest.field else max
    pair = pick(contest.ahead, key=lambda one: contest.ahead[one].value)
    share = prose.share(allowing_for(contest.ahead[pair], len(contest.ahead)))
    hardest = f"{pair[1]} is the hardest of the field: " if contest.field else "the most uneven pair: "
    return f"{hardest}{pair[0]} finishes ahead of {pair[1]} in {share} of the games."


# Figures


def _win_rates(contest: Contest) -> Figure:
    first = next(iter(contest.rates))
    made = []
    for name, rate in contest.rates.items():
        strong = name == first if contest.field else rate.value >= contest.even
        made.append(Row(name, [mark_of(rate, True, "subject" if strong else "base")]))
    even = contest.even
    drawing = row_chart("Win rate per seat", made, line=even, line_name=f"even, {words.percent(even)}")
    sub = f"Share of the games that each ship wins; {contest.games:,} {contest.played}"
    return Figure("win_rates", "Win rates", sub, drawing)


def _dot(name: str, e: Estimate, decimals: int = 1) -> Row:
    text = words.signed(e.value, decimals)
    return Row(name, [Mark(e.value, text, low=e.low, high=e.high, title=prose.whole(e))])


def _second_figures(contest: Contest) -> list[Figure]:
    best, second, *_ = names = list(contest.rates)
    if contest.field:
        made = [Row(other, [against(share, 0.5)]) for (_, other), share in contest.ahead.items()]
        drawing = row_chart(f"{best} finishes ahead of a ship of", made, line=0.5, line_name="half")
        sub = f"Share of the games in which {best} finishes ahead of a ship of each opponent"
        return [Figure("ahead", "Ahead of each opponent", sub, drawing)]
    if contest.lead is not None:
        lead, margin = contest.lead, contest.margin
        drawing = row_chart("Difference in win rate in points", [_dot(f"{best} less {second}", lead)], line=margin,
                            line_name="the margin", dashed=True, low=min(0.0, lead.low),
                            high=max(margin, lead.high))  # fmt: skip
        return [Figure("difference", "By how much", "Points of win rate; interval over deals", drawing)]
    values = [rating.value for rating in contest.ratings.values()]
    made = [_dot(name, rating, 0) for name, rating in contest.ratings.items()]
    ends = {"low": min(0.0, *values), "high": max(values)}
    ratings = row_chart("Ratings", made, line=0.0, line_name="the field's mean", **ends)
    texts = {pair: f"{100 * share.value:.0f}" for pair, share in contest.ahead.items()}
    lines = "; ".join(f"{a} ahead of {b} in {texts[a, b]}%" for a, b in list(texts)[: len(names) - 1])
    label = f"Who finishes ahead of whom, percent of the games: {lines}."
    drawing = matrix(label, names, {pair: share.value for pair, share in contest.ahead.items()}, texts)
    sub = "Percent of the games in which the row's ship finishes ahead of the column's; violet: more than half"
    return [
        Figure("ratings", "Ratings", "Rating points: 400 more are ten times the chance to win", ratings),
        Figure("matrix", "Who finishes ahead of whom", sub, drawing),
    ]
