"""Strategies compared on the same deals: who is better, by how much, and how surely.

Whether one is better than another is the comparison's own verdict, which allows for looking at it many times.
"""

from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Figure, KeyNumber, points
from jamaica_sim.report.charts.row_charts import Row
from jamaica_sim.report.figures import against, chart, mark_of
from jamaica_sim.report.parts import Part, Parts, pairs_map
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.compare.comparison import Comparison
from jamaica_sim.study.compare.comparison import matrix as pairwise

BEATS = {"better": "beats", "worse": "loses to", "equal": "is as good as", "undecided": "and {} are too close to call"}
SO = {"better": "clearly", "worse": "clearly", "equal": "as good as equal", "undecided": "too close to call"}


def standings_chapter(found: Comparison) -> Parts:
    """Who is better; with three or more strategies who beats whom; or how one ship does in a field."""
    labels, field, duel = found.labels, list(found.labels[1:]) if found.contest.against else [], found.is_duel
    order = [0, *found.order[1:]] if field else list(found.order)
    rates = {labels[s]: found.win_rate(s) for s in order}
    best, second, *_ = names = list(rates)
    even, games = words.percent(found.even), f"{found.games:,} games of {found.deals:,} deals"
    made = [Row(name, [mark_of(rate, True, "subject" if rate.value >= found.even or name == best else "base")])
            for name, rate in rates.items()]  # fmt: skip
    sub = f"Share of the games that each ship wins; {games}"
    ahead = {
        (labels[a], labels[b]): found.ahead(a, b) for a in (order[:1] if field else order) for b in order if a != b
    }
    figures = [chart("win_rates", "Win rates", sub, made, line=found.even, line_name=f"even, {even}"),
               _ahead(names, ahead)]  # fmt: skip
    facts = [f"{best} wins {prose.share(rates[best])} of the games with each of its ships; {even} is even.",
             "" if field else f"{names[-1]} wins {prose.share(rates[names[-1]])}."]  # fmt: skip
    tables = [*found.written_tables().values()]
    if field or duel:
        lead, verdict = (found.edge, found.edge_verdict) if field else (found.difference(*order), found.verdict(*order))
        how = f"{'above' if lead.value > 0 else 'below'} {'an equal share' if field else second}"
        facts.append(f"{best} is {prose.how_many(points(lead))} points {how}, {SO[verdict]}; less than "
                     f"{words.amount(100 * found.plan.margin)} would not matter.")  # fmt: skip
        other = (
            f"a field of {words.listed(field)}" if len(field) > 1 else f"tables full of {second}" if field else second
        )
        headline = f"{best} {BEATS[verdict].format(other)}{'' if verdict == 'undecided' else f' {other}'}"
    else:
        leaders = [labels[s] for s in order if found.ranks[s].best == 1]  # who may be the best
        count = words.number(len(rates))
        headline = f"{words.listed(leaders)} share the lead"
        if len(leaders) == 1:
            headline = f"{best} is the best of {count}"
        elif len(leaders) == len(rates):
            headline = f"The {count} strategies cannot be told apart"
        apart = sum(one in ("better", "worse") for one in found.verdicts.values())
        facts.append(f"{words.number(apart)} of {words.number(len(found.verdicts))} pairs are told apart.")
        facts += found.remarks()
        tables.append(pairwise(found, "win_rate"))
    keys = [KeyNumber(words.percent(rates[name].value), f"of the games go to each ship of {name}")
            for name in names[: 1 if field else 3]]  # fmt: skip
    keys += [
        KeyNumber(even, "would be even"),
        KeyNumber(f"{found.games:,}", f"games of {found.deals:,} deals"),
    ]
    return Parts(
        "comparison", "Who is better", [Part(None, facts, tables=tables, figures=figures, keys=keys, headline=headline)]
    )


def _ahead(names: list[str], ahead: dict[tuple[str, str], Estimate]) -> Figure:
    """How often the first finishes ahead of each other, or everybody ahead of everybody."""
    if len({one for one, _ in ahead}) == 1:
        made = [Row(other, [against(share, 0.5)]) for (_, other), share in ahead.items()]
        sub = f"Share of the games in which {names[0]} finishes ahead of a ship of each opponent"
        return chart("ahead", "Ahead of each opponent", sub, made, line=0.5, line_name="half")
    sub = "Percent of the games in which the row's ship finishes ahead of the column's; violet: more than half"
    title = "Who finishes ahead of whom"
    drawing = pairs_map(f"{title}, percent of the games", "{} ahead of {} in {}%", names, ahead)
    return Figure("matrix", title, sub, drawing)
