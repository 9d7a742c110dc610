"""Which settings of a study a chart or a sentence shows, in which words, and in which rows, marks and panels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jamaica_sim.experiment.setting import (
    LINE_UP,
    USUAL,
    Setting,
    differing_factors,
    factor_value,
    factor_words,
    label_of,
    shared_changes,
    varying_factors,
)
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Figure, Read, is_known
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.prose import decimals_of, whole
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.results import Results
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.strategy.library import RANDOM

MOST_ROWS = 16
PRINTED = "the printed rules"


# Settings


def usual(study: Study) -> list[Setting]:
    """The settings with one strategy for all. Unusual rules may differ only if they are the compared factor."""
    allowed = {*USUAL, study.compare}
    return [s for s in study.uniform() if set(differing_factors(s, study.reference)) <= allowed]


def few_settings(study: Study, by: Read | None = None) -> list[tuple[str, Setting]]:
    """The settings along the compared factor with their names, or the reference alone; strategies sorted by `by`."""
    factor = study.compare or next(iter(study.varying), "players")
    along = [s for s in study.along(factor) if s in usual(study)][:MOST_ROWS]
    if len(along) < 2:
        return [("", study.reference)]
    if factor == LINE_UP and by:
        along.sort(key=lambda s: -by(s.played).value)
    elif factor == "ghost":
        return [("with the ghost" if s.rules.ghost else "without the ghost", s) for s in along]
    return [(f"{s.rules.edition} rules" if factor == "edition" else label_of(s, [factor]), s) for s in along]


def has_chapter(study: Study, key: str) -> bool:
    """Whether the study's report has this chapter."""
    return key in (study.chapters or (key,))


def is_random(setting: Setting) -> bool:
    """Whether all ships play at random."""
    return all(strategy.name == RANDOM for strategy in setting.strategies)


def thinking(settings: Sequence[Setting]) -> list[Setting]:
    """The settings in which somebody does not play at random, if any; random play is no finding about the game."""
    return [s for s in settings if not is_random(s)] or list(settings)


def left_out_of(settings: Sequence[Setting]) -> str:
    """Words for the settings that `thinking` leaves out; empty where it leaves out none."""
    return "; random play is left out" if len(thinking(settings)) < len(settings) else ""


def base_rules(study: Study) -> str:
    """The rules of the reference table in words, where rules are compared: figures of one table are about these."""
    compared = [name for name in study.varying if name not in USUAL]
    if not compared:
        return ""
    return label_of(study.reference, compared) if study.reference.rules.changes() else PRINTED


def players_words(study: Study) -> str:
    """The players of the reference table in words."""
    rules = study.reference.rules
    return f"{words.number(rules.players)} players{' and the ghost ship' if rules.ghost else ''}"


def table_words(study: Study) -> str:
    """The reference table in words, said once on each page."""
    reference, base = study.reference, base_rules(study)
    rules = f"{reference.rules.edition} rules"
    rules = f"the printed {rules}" if base == PRINTED else f"{rules}, {base}" if base else rules
    if shared := shared_changes(study.settings):
        rules = f"{rules}, {shared}"
    is_alike = not reference.is_mixed and study.compare != LINE_UP
    who = f", all {reference.strategies[0].name}" if is_alike else ""
    return f"{players_words(study)}, {rules}{who}"


def of_each_edition(study: Study) -> list[Setting]:
    """The reference under each edition that was played, the newer edition first."""
    if "edition" not in study.varying:
        return [study.reference]
    editions = [s for s in study.along("edition") if s in study.uniform()]
    return sorted(editions, key=lambda s: s.rules.edition, reverse=True)


# Charts


@dataclass(frozen=True)
class Arrangement:
    """Settings as a chart shows them: panels of rows of marks."""

    panels: list[tuple[str, list[tuple[str, list[Setting]]]]]
    mark: str = ""  # the factor that marks of a row differ in
    compared: bool = False

    def role(self, setting: Setting) -> tuple[str, bool]:
        """The colour and whether the mark is hollow."""
        if not self.mark:
            return "subject", False
        values = sorted({factor_value(s, self.mark) for _, panel in self.panels for _, row in panel for s in row})
        own = setting.rules.ghost if self.mark == "ghost" else factor_value(setting, self.mark)
        is_lower = not own if self.mark == "ghost" else own == values[0] and len(values) > 1
        if self.compared:
            return ("base" if is_lower else "subject"), False
        return "subject", is_lower

    def name(self, setting: Setting) -> str:
        """The words that tell a mark apart from the others of its row."""
        if not self.mark:
            return ""
        if self.mark == "ghost":
            return "with the ghost" if setting.rules.ghost else "without"
        if self.mark == "edition":
            return f"{setting.rules.edition} rules"
        return factor_words(self.mark, setting.factors[self.mark])


def arrange(study: Study, settings: Sequence[Setting] | None = None) -> Arrangement:
    """Put players (or strategies) in rows, the compared factor or edition in marks, and a third factor in panels."""
    chosen = list(usual(study) if settings is None else settings)
    varying = varying_factors(chosen, study.compare)
    if all(s.rules.ghost for s in chosen):
        varying = [f for f in varying if f != "ghost"]  # two players have the ghost without choosing it
    row = next((f for f in ("players", LINE_UP) if f in varying), varying[0] if varying else "players")
    if row == "players" and study.compare == LINE_UP and LINE_UP in varying:
        row = LINE_UP
    others = [f for f in varying if f != row]
    few = {f: len({factor_value(s, f) for s in chosen}) for f in others}
    mark = next((f for f in (study.compare, "ghost", "edition", *others) if few.get(f) == 2), "")
    panel = next((f for f in others if f != mark and few[f] <= 3), "")
    free = {row, mark, panel} | ({"ghost"} if all(s.rules.ghost for s in chosen) else set())
    shown = [s for s in chosen if set(differing_factors(s, study.reference)) <= free] or chosen[:MOST_ROWS]
    if "ghost" in varying and "ghost" not in free:
        shown = [s for s in chosen if factor_value(s, "ghost") == factor_value(study.reference, "ghost")
                 and set(differing_factors(s, study.reference)) <= free]  # fmt: skip
    panels: dict[str, dict[str, list[Setting]]] = {}
    for s in shown:
        of_panel = panels.setdefault(factor_words(panel, s.factors[panel]) if panel else "", {})
        name = label_of(s, [row]).replace(" and ghost", "") if varying else ""
        of_panel.setdefault(name, []).append(s)
    return Arrangement(
        [(f"{p} rules" if panel == "edition" else p, list(of_panel.items())) for p, of_panel in panels.items()],
        mark,
        bool(mark) and mark == study.compare,
    )


def chart_rows(
    study: Study,
    label: str,
    read: Read,
    share: bool = False,
    settings: Sequence[Setting] | None = None,
    equal: Callable[[Results], float] | None = None,
    fine: bool = False,
    **panel: Any,
) -> Drawing:
    """A measure by setting: dots on a common scale; strategies are sorted by value, players keep their order."""
    arrangement = arrange(study, settings)
    panels = []
    top = 0.0
    for title, of_panel in arrangement.panels:
        made = []
        for name, group in of_panel:
            estimates = [(s, read(s.played)) for s in group]
            known = [(s, e) for s, e in estimates if is_known(e)]
            marks = [mark_of(e, share, *arrangement.role(s), arrangement.name(s), fine) for s, e in known]
            even = equal(group[0].played) if equal else None
            made.append(Row(name, marks, even))
            top = max([top, *(m.value for m in marks)] + ([even] if even is not None else []))
        if all(n in study.line_ups for n, _ in of_panel):
            made.sort(key=lambda r: -max((m.value for m in r.marks), default=-math.inf))
        panels.append((title, made))
    label = f"{label}: {spoken(panels)}"
    return rows(label, [Panel(t, r, high=top or 1, **panel) for t, r in panels])


def mark_of(
    estimate: Estimate,
    share: bool = False,
    role: str = "subject",
    hollow: bool = False,
    name: str = "",
    fine: bool = False,
) -> Mark:
    """A mark with its figure, and its interval where that is wide enough to see; `fine`: small shares in detail."""
    text = ""
    if is_known(estimate):
        decimals = decimals_of(100 * estimate.value) if fine else 1
        text = words.amount(estimate.value, decimals_of(estimate.value))
        if share:
            text = words.percent(estimate.value, decimals)
    title = f"{name + ': ' if name else ''}{whole(estimate, share)}"
    return Mark(estimate.value, text, role, hollow, name, estimate.low, estimate.high, title)


def against(estimate: Estimate, even: float) -> Mark:
    """A share as a mark, coloured by whether it reaches an equal share."""
    return mark_of(estimate, True, "subject" if estimate.value >= even else "base")


def spoken(panels: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """The numbers of a chart in words, for readers who hear it."""
    parts = []
    for title, of_panel in panels:
        lines = []
        for row in of_panel:
            figures = ", ".join(f"{m.name + ' ' if m.name else ''}{m.text}" for m in row.marks if m.text)
            lines.append(f"{row.label} {figures or row.note}".strip())
        parts.append(f"{title + ': ' if title else ''}{'; '.join(lines)}")
    return ". ".join(parts) + "."


def row_chart(label: str, made: list[Row], row_height: float | None = None, **panel: Any) -> Drawing:
    """One panel of rows, with a label that says its numbers."""
    return rows(f"{label}: {spoken([('', made)])}", [Panel("", made, **panel)], row_height)


def chart(name: str, title: str, sub: str, panels: Sequence[Panel], **looks: Any) -> Figure:
    """A figure of panels, with a label that says its numbers."""
    return Figure(
        name, title, sub, rows(spoken([(panel.title, panel.rows) for panel in panels]), list(panels), **looks)
    )
