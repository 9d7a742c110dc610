"""Which rules matter, and for which quantity: all rules ranked by effect, and the shares of those that matter."""

from jamaica_sim.lab.sensitivity_result import Sensitivity
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.chapters.sweeping import spoken_rule
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.grid_charts import HeatMap, heat_map
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.measures import Measure
from jamaica_sim.stats.clear import NOTICEABLE

SHORT = {
    "captain": "Captain", "seats": "seats", "rounds": "rounds", "shortages": "short", "battles": "battles",
    "ghost": "ghost", "comebacks": "comeback", "spread": "spread",
}  # fmt: skip


def sensitivity_chapters(analysis: Sensitivity) -> list[Chapter]:
    """The chapters: which rules matter most, and their shares of the variance."""
    return [_effects(analysis), *([_shares(analysis)] if analysis.kept else [])]


def effects_chart(analysis: Sensitivity) -> Drawing:
    """Every rule by its effect on every quantity, largest first; effects below a tenth are not coloured."""
    quantities = analysis.task.quantities
    columns = [SHORT[q.key] for q in quantities]
    cells, names = {}, [analysis.task.space.names[rule] for rule in analysis.ranking]
    for rule in analysis.ranking:
        for number, quantity in enumerate(quantities):
            size = float(analysis.sizes[rule, number])
            effect, error = analysis.effects.size[rule, number], analysis.effects.error[rule, number]
            unit = " points" if quantity.share else ""
            title = f"{analysis.task.space.names[rule]} on {quantity.noun}: {effect:.2f} ± {error:.2f}{unit}"
            name = analysis.task.space.names[rule], columns[number]
            cells[name] = HeatMap.Cell(size, f"{size:.2f}", title, False, size >= NOTICEABLE)
    lines = "; ".join(f"{name}: " + ", ".join(f"{c} {cells[name, c].text}" for c in columns) for name in names[:6])
    return heat_map(f"Effect sizes of rules: {lines}.", HeatMap(names, columns, cells, 0.0, "rule", "effect on"))


def _effects(analysis: Sensitivity) -> Chapter:
    chapter = Chapter("effects", "What matters", tables=[analysis.screening()])
    task = analysis.task
    mattering = [task.space.names[r] for r in analysis.ranking if analysis.sizes[r].max() >= NOTICEABLE]
    quiet = [task.space.names[r] for r in analysis.ranking if analysis.sizes[r].max() < NOTICEABLE]
    chapter.headline = (
        f"{words.listed([spoken_rule(name) for name in mattering[:2]])} matter most" if mattering else "No rule matters"
    )
    chapter.heading = f"{words.number(len(mattering))} of {words.number(len(task.counts))} rules matter noticeably"
    chapter.standfirst = [analysis.sentence()]
    sentences = []
    for number, quantity in enumerate(task.quantities):
        rule = analysis.most(number)
        if analysis.sizes[rule, number] >= NOTICEABLE:
            amount = words.amount(float(analysis.effects.size[rule, number]), 1)
            unit = " points" if quantity.share else ""
            name = spoken_rule(task.space.names[rule])
            sentences.append(f"{quantity.noun} depends most on {name}: {amount}{unit} over its range.")
    chapter.say(*sentences)
    if quiet:
        chapter.say(f"hardly any effect within their range: {words.listed(quiet)}.")
    sub = (
        f"Mean change over a rule's whole range, in standard deviations from game to game; coloured from {NOTICEABLE}; "
        f"{task.trajectories} walks, {task.games:,} games of each set of rules"
    )
    chapter.hero = Figure("effects", "Effect of each rule", sub, effects_chart(analysis))
    chapter.figures = [chapter.hero]
    chapter.keys = [
        KeyNumber(words.amount(float(analysis.sizes[r].max()), 1), f"largest effect of {task.space.names[r]}")
        for r in analysis.ranking[:3]
    ]
    chapter.keys.append(KeyNumber(f"{len(analysis.measured):,}", f"sets of rules, {task.games:,} games of each", False))
    return chapter


def _shares(analysis: Sensitivity) -> Chapter:
    chapter = Chapter("shares", "Shares of the variance", effect=-1.0, tables=[analysis.shares()])
    order, indices = sorted(analysis.kept, key=analysis.ranking.index), analysis.indices
    assert indices is not None  # there are some wherever rules were kept
    chapter.heading = "Shares of the variance when all rules vary together"
    chapter.say(
        "if all these rules vary at once, a rule's share is how much of what varies would stay if only the others were "
        "fixed (total Sobol index).",
        "shares add up to more than one where rules work together, and where luck has a part in it: "
        + words.listed([f"{words.percent(float(share), 0)} of {q.column}" for q, share in _lucky(analysis)])
        + " is luck."
        if _lucky(analysis)
        else "",
    )
    panels = []
    for number, quantity in enumerate(analysis.task.quantities):
        made = []
        for rule in order:
            index = analysis.kept.index(rule)
            share, error = indices.total[index, number], indices.total_error[index, number]
            name = analysis.task.space.names[rule]
            mark = Mark(max(0.0, float(share)), f"{share:.2f}", title=f"{name}: {share:.2f} ± {error:.2f}")
            made.append(Row(name, [mark]))
        top = max(1.0, *(row.marks[0].value for row in made))
        panels.append(Panel(quantity.column[0].upper() + quantity.column[1:], made, high=top, form="bars"))
    for start in range(0, len(panels), 2):
        group = panels[start : start + 2]
        lines = "; ".join(
            f"{p.title}: {', '.join(f'{r.label} {r.marks[0].text}' for r in p.rows)}" for p in group
        )  # fmt: skip
        sub = f"Share of the variance; {analysis.task.samples} samples"
        title = " and ".join(p.title for p in group)
        chapter.figures.append(Figure(f"shares_{start // 2 + 1}", title, sub, rows(f"{lines}.", group)))
    return chapter


def _lucky(analysis: Sensitivity) -> list[tuple[Measure, float]]:
    pairs = zip(analysis.task.quantities, analysis.luck, strict=True)
    return [(q, share) for q, share in pairs if share >= 0.1]
