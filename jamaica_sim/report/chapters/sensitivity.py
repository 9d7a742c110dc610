"""Which rules matter, and for which measure: all rules ranked by effect, and the shares of those that matter.

Which effects are large, small or open is the analysis's own verdict, on all of them together.
"""

from collections.abc import Sequence

from jamaica_sim.game.words import spoken_rule
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Figure, KeyNumber
from jamaica_sim.report.charts.drawing import Drawing
from jamaica_sim.report.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.report.parts import Part, Parts
from jamaica_sim.results.stats.estimate import NOTICEABLE
from jamaica_sim.study.lab.sensitivity import LARGE, OPEN, SMALL, Sensitivity

MOST_NAMED = 3  # rules in a sentence


def effects_chapter(found: Sensitivity) -> Parts:
    """What each rule changes over its whole range, the rule with the largest effect first."""
    task, names, count = found.task, found.task.space.names, len(found.task.quantities)
    leaders = [[spoken_rule(names[r]) for r in found.leaders(q)] for q in range(count + 1)]  # the last: of any measure
    large, small, unclear = ([spoken_rule(names[r]) for r in found.with_effects(v)] for v in (LARGE, SMALL, OPEN))
    facts = [f"{words.number(len(large)) if large else 'none'} of {words.number(len(names))} rules clearly matter."]
    for q, (quantity, first) in enumerate(zip(task.quantities, leaders, strict=False)):
        if first:
            r, unit = found.leaders(q)[0], " points" if quantity.share else ""
            amount = f"{words.amount(found.effects.size[r, q])} ± {words.amount(found.effects.error[r, q])}{unit}"
            others = f", not clearly more than on {_most(first[1:])}" if first[1:] else ""
            facts.append(f"{quantity.noun} depends most on {first[0]}: {amount} over its range{others}.")
    luck = words.listed([f"{words.percent(share, 0)} of {q.column}" for q, share in found.lucky])
    facts += [
        f"hardly any effect within their range: {words.listed(small)}." if small else "",
        f"too close to call with so many walks and games: {words.listed(unclear)}." if unclear else "",
        "a rule's share of the variance is what would stay if only the others were fixed (total Sobol index)."
        if found.kept else "",
        f"shares add up to more than one where rules work together or luck has a part: {luck} is luck."
        if found.kept and luck else "",
    ]  # fmt: skip
    played = f"{task.trajectories} walks, {task.games:,} games of each set of rules"
    sub = f"Mean change over a rule's whole range, in standard deviations from game to game; coloured from {NOTICEABLE}"
    keys = [KeyNumber(words.amount(found.sizes[r].max()), f"largest effect of {spoken_rule(names[r])}")
            for r in found.ranking[:3]]  # fmt: skip
    part = Part(
        facts=facts, tables=found.result_tables(),
        headline=f"What matters most: {_most(leaders[-1])}" if leaders[-1] else "No rule clearly matters",
        figures=[Figure("effects", "Effect of each rule", f"{sub}; {played}", _map(found))],
        keys=[*keys, KeyNumber(f"{len(found.measured):,}", f"sets of rules; {played}")],
    )  # fmt: skip
    return Parts("effects", "What matters", [part])


def _map(found: Sensitivity) -> Drawing:
    """Every rule by its effect on every measure."""
    quantities, names, cells = found.task.quantities, found.task.space.names, {}
    for r in found.ranking:
        for q, quantity in enumerate(quantities):
            size, unit = float(found.sizes[r, q]), " points" if quantity.share else ""
            told = f"{found.effects.size[r, q]:.2f} ± {found.effects.error[r, q]:.2f}{unit}"
            title = f"{names[r]} on {quantity.noun}: {told}"
            cells[names[r], quantity.column] = HeatMap.Cell(size, f"{size:.2f}", title, False, size >= NOTICEABLE)
    rows, columns = [names[r] for r in found.ranking], [q.column for q in quantities]
    lines = "; ".join(f"{n}: {', '.join(f'{c} {cells[n, c].text}' for c in columns)}" for n in rows[:6])
    return heat_map(f"Effect sizes of rules: {lines}.", HeatMap(rows, columns, cells, 0.0, "rule", "effect on"))


def _most(names: Sequence[str]) -> str:
    """Rules that may be first, the largest effect first; at most three are named."""
    more = [f"{words.number(len(names) - MOST_NAMED)} more"] if names[MOST_NAMED:] else []
    return words.listed([*names[:MOST_NAMED], *more])
