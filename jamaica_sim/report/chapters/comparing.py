"""Strategies compared on the same deals: who is better, by how much, and how surely."""

from collections.abc import Callable

from jamaica_sim.comparison.comparison import Comparison
from jamaica_sim.comparison.tables import all_tables
from jamaica_sim.comparison.tables import matrix as pairwise
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import against, mark_of, row_chart
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, points
from jamaica_sim.report.grid_charts import matrix
from jamaica_sim.report.judge import allowing_for
from jamaica_sim.report.row_charts import Mark, Row
from jamaica_sim.stats.effect import cohen_h

BETTER = {"better", "worse"}


def comparison_chapters(comparison: Comparison) -> list[Chapter]:
    """The chapters of a comparison: who wins, with three or more strategies who beats whom; or one and its field."""
    if comparison.contest.against:
        return [_one_against_a_field(comparison)]
    chapters = [_who_is_better(comparison)]
    if not comparison.is_duel:
        chapters.append(_who_beats_whom(comparison))
    return chapters


def _who_is_better(comparison: Comparison) -> Chapter:
    chapter = Chapter("comparison", "Who is better")
    order, labels, even = comparison.order, comparison.labels, comparison.even
    best, last = order[0], order[-1]
    chapter.tables = list(all_tables(comparison).values())
    chapter.effect = abs(cohen_h(comparison.win_rate(best).value, even))
    chapter.headline = _headline(comparison)
    chapter.heading = _heading(comparison)
    chapter.say(
        f"{labels[best]} wins {prose.share(comparison.win_rate(best))} of the games with each of its ships, where "
        f"{words.percent(even)} is even.",
        f"{labels[last]} wins {prose.share(comparison.win_rate(last))}.",
    )
    if comparison.is_duel:
        lead = points(comparison.difference(best, last))
        chapter.say(
            f"the difference is {prose.how_many(lead)} points of win rate; less than "
            f"{words.amount(100 * comparison.plan.margin)} would not matter."
        )
    chapter.hero = _win_rates(
        comparison,
        "Share of the games that each ship wins",
        lambda s: "subject" if comparison.win_rate(s).value >= even else "base",
    )
    chapter.figures = [chapter.hero, _second_figure(comparison)]
    rates = [(s, comparison.win_rate(s)) for s in (order[:3] if len(order) > 3 else order)]
    chapter.keys = [
        KeyNumber(words.percent(rate.value), f"of the games go to each ship of {labels[s]}", strong=s == best)
        for s, rate in rates
    ]
    chapter.keys.append(_key_of_games(comparison))
    chapter.standfirst = _standfirst(comparison)
    return chapter


# One ship against a field


def _one_against_a_field(comparison: Comparison) -> Chapter:
    """How one ship of the first strategy does at tables where the other ships play strategies of a field."""
    chapter = Chapter("against", "Against the field", tables=list(all_tables(comparison).values()))
    name, even, rate, edge = comparison.labels[0], comparison.even, comparison.win_rate(0), points(comparison.edge)
    chapter.effect = abs(cohen_h(rate.value, even))
    chapter.headline = _headline_of_one(comparison)
    players = words.number(comparison.contest.rules.players)
    chapter.heading = "The verdict is in" if comparison.edge_verdict != "undecided" else "No verdict yet"
    chapter.say(
        f"{name} has one ship at every table of {players}. It wins {prose.share(rate)} of the games, where "
        f"{words.percent(even)} is even.",
        f"that is {prose.how_many(edge)} points {'more' if edge.value > 0 else 'less'} than an equal share; less than "
        f"{words.amount(100 * comparison.plan.margin)} would not matter.",
    )
    chapter.hero = _win_rates(comparison, "Share of the games that one ship wins", lambda s: "base" if s else "subject")
    chapter.figures = [chapter.hero, _ahead_of_each(comparison)]
    hardest = min(comparison.order[1:], key=lambda s: comparison.ahead(0, s).value)
    if len(comparison.labels) > 2:
        chapter.say(
            f"{comparison.labels[hardest]} is the hardest of the field: {name} finishes ahead of it in "
            f"{prose.share(comparison.ahead(0, hardest))} of the games."
        )
    chapter.keys = [
        KeyNumber(words.percent(rate.value), f"of the games go to the one ship of {name}"),
        KeyNumber(words.percent(even), "would be even", False),
        _key_of_games(comparison),
    ]
    chapter.standfirst = [
        f"{name} wins {words.percent(rate.value)} of its games against {_the_field(comparison)}, where "
        f"{words.percent(even)} is even."
    ]
    return chapter


def _the_field(comparison: Comparison) -> str:
    field = comparison.labels[1:]
    return f"a field of {words.listed(field)}" if len(field) > 1 else f"tables full of {field[0]}"


def _headline_of_one(comparison: Comparison) -> str:
    name, field = comparison.labels[0], _the_field(comparison)
    if comparison.edge_verdict == "undecided":
        return f"{name} and its field are too close to call"
    verbs = {"better": "beats", "worse": "loses to", "equal": "is as good as"}
    return f"{name} {verbs[comparison.edge_verdict]} {field}"


def _ahead_of_each(comparison: Comparison) -> Figure:
    """How often the one ship finishes ahead of a ship of each opponent."""
    made = [Row(comparison.labels[s], [against(comparison.ahead(0, s), 0.5)]) for s in comparison.order[1:]]
    label = f"{comparison.labels[0]} finishes ahead of a ship of"
    sub = f"Share of the games in which {comparison.labels[0]} finishes ahead of a ship of each opponent"
    return Figure("ahead", "Ahead of each opponent", sub, row_chart(label, made, line=0.5, line_name="half"))


# For both kinds of comparison


def _win_rates(comparison: Comparison, what: str, tone: Callable[[int], str]) -> Figure:
    """Win rates, a row for each strategy; `tone` gives its colour."""
    even = comparison.even
    made = [Row(comparison.labels[s], [mark_of(comparison.win_rate(s), True, tone(s))]) for s in comparison.order]
    drawing = row_chart("Win rate per seat", made, line=even, line_name=f"even, {words.percent(even)}")
    return Figure("win_rates", "Win rates", f"{what}; {_played(comparison)}", drawing)


def _played(comparison: Comparison) -> str:
    return f"{comparison.games:,} games of {comparison.deals:,} deals"


def _key_of_games(comparison: Comparison) -> KeyNumber:
    return KeyNumber(f"{comparison.games:,}", f"games of {comparison.deals:,} deals", False)


def _headline(comparison: Comparison) -> str:
    labels, order = comparison.labels, comparison.order
    if comparison.is_duel:
        first, second = (labels[s] for s in order)
        verdict = comparison.verdict(*order)
        if verdict in BETTER:
            return f"{first} beats {second}"
        if verdict == "equal":
            return f"{first} and {second} are equally good"
        return f"{first} and {second} are too close to call"
    leaders = [labels[s] for s in order if comparison.ranks[s].best == 1]
    if len(leaders) == 1:
        return f"{leaders[0]} is the best of {words.number(len(labels))}"
    if len(leaders) == len(labels):
        return f"The {words.number(len(labels))} strategies cannot be told apart"
    return f"{words.listed(leaders)} share the lead"


def _heading(comparison: Comparison) -> str:
    verdicts = list(comparison.verdicts.values())
    decided = sum(verdict in BETTER for verdict in verdicts)
    if comparison.is_duel:
        return "The verdict is in" if verdicts[0] != "undecided" else "No verdict yet"
    return f"{words.sentence(words.number(decided))} of {words.number(len(verdicts))} pairs are told apart"


def _standfirst(comparison: Comparison) -> list[str]:
    order, labels = comparison.order, comparison.labels
    best, second = order[0], order[1]
    share = comparison.share_of_points(best, second)
    sentences = [f"Of the victories that {labels[best]} and {labels[second]} share, {labels[best]} takes "
            f"{words.percent(share.value, 0)}."]  # fmt: skip
    if not comparison.is_duel:
        sentences.append(comparison.remarks()[0])
    return sentences


def _second_figure(comparison: Comparison) -> Figure:
    labels, order = comparison.labels, comparison.order
    margin = 100 * comparison.plan.margin
    if comparison.is_duel:
        lead = points(comparison.difference(*order))
        mark = Mark(lead.value, words.signed(lead.value), low=lead.low, high=lead.high, title=prose.whole(lead))
        made = [Row(f"{labels[order[0]]} less {labels[order[1]]}", [mark])]
        drawing = row_chart("Difference in win rate in points", made, line=margin, line_name="the margin", dashed=True,
                            low=min(0.0, lead.low), high=max(margin, lead.high))  # fmt: skip
        sub = f"Points of win rate; {100 * comparison.confidence:g}% interval over deals"
        return Figure("difference", "By how much", sub, drawing)
    made = []
    for s in order:
        rating = comparison.points(s)
        mark = Mark(rating.value, words.signed(rating.value, 0), low=rating.low, high=rating.high,
                    title=prose.whole(rating))  # fmt: skip
        made.append(Row(f"{labels[s]} (rank {comparison.rank(s)})", [mark]))
    low, high = (f(m.value for row in made for m in row.marks) for f in (min, max))
    drawing = row_chart("Ratings", made, line=0.0, line_name="the field's mean", low=min(0.0, low), high=high)
    sub = "Rating points: 400 more are ten times the chance to win"
    return Figure("ratings", "Ratings", sub, drawing)


def _who_beats_whom(comparison: Comparison) -> Chapter:
    chapter = Chapter("pairs", "Who beats whom", tables=[pairwise(comparison), pairwise(comparison, "win_rate")])
    order, labels = comparison.order, comparison.labels
    names = [labels[s] for s in order]
    cells = {(labels[a], labels[b]): comparison.ahead(a, b) for a in order for b in order if a != b}
    uneven = max(cells, key=lambda pair: cells[pair].value)
    chapter.heading = f"{uneven[0]} has the easiest game against {uneven[1]}"
    chapter.say(
        f"it finishes ahead of it in {prose.share(allowing_for(cells[uneven], len(cells)))} of the games.",
        *comparison.remarks(),
    )
    texts = {pair: f"{100 * share.value:.0f}" for pair, share in cells.items()}
    lines = "; ".join(f"{a} ahead of {b} in {texts[a, b]}%" for a, b in list(cells)[: len(names) - 1])
    drawing = matrix(f"Who finishes ahead of whom, percent of the games: {lines}.", names,
                     {pair: share.value for pair, share in cells.items()}, texts)  # fmt: skip
    sub = "Percent of the games in which the row's ship finishes ahead of the column's; violet: more than half"
    chapter.figures = [Figure("matrix", "Who finishes ahead of whom", sub, drawing)]
    return chapter
