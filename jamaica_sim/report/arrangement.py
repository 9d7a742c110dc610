"""Which settings of a study a chart or a sentence shows, in which words, and in which rows, marks and panels."""

import math
from collections.abc import Callable, Mapping, Sequence
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
from jamaica_sim.report.chapter import Figure, games_line, is_known
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.prose import decimals_of, whole
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.rules import HOUSE_RULES, NO_HOUSE_RULES
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.strategy.library import RANDOM

Reader = Callable[[Setting], Estimate]
MOST_ROWS = 16
PRINTED = "the printed rules"


# Settings


def usual(study: Study) -> list[Setting]:
    """The settings with one strategy for all. Unusual rules may differ only if they are the compared factor."""
    allowed = {*USUAL, study.compare}
    return [s for s in study.uniform() if set(differing_factors(s, study.reference)) <= allowed]


def main_factor(study: Study) -> str:
    """The factor that a study is about: what it compares, or else the one rule that varies; empty for none."""
    rules = [name for name in study.varying if name not in USUAL]
    return study.compare or (rules[0] if len(rules) == 1 else "")


def is_like(a: Setting, b: Setting, factor: str) -> bool:
    """Whether the ghost ship sails at both tables or at neither; two players have it without choosing it."""
    return factor == "ghost" or a.rules.ghost == b.rules.ghost


def value_words(factor: str, setting: Setting) -> str:
    """A factor's value in words; a house rule by its name in quotes, none by the printed rules."""
    if factor != HOUSE_RULES:
        return factor_words(factor, setting.factors[factor])
    name = str(setting.factors[factor])
    return PRINTED if name == NO_HOUSE_RULES else f"“{name.removesuffix('.py').replace('_', ' ').capitalize()}”"


def few_settings(study: Study, by: Reader | None = None) -> list[tuple[str, Setting]]:
    """The settings along the compared factor with their names, or the reference alone; strategies sorted by `by`."""
    factor = study.compare or next(iter(study.varying), "players")
    along = [s for s in study.along(factor) if s in usual(study)][:MOST_ROWS]
    if len(along) < 2:
        return [("", study.reference)]
    if factor == LINE_UP and by:
        along.sort(key=lambda s: -by(s).value)
    elif factor == "ghost":
        return [("with the ghost" if s.rules.ghost else "without the ghost", s) for s in along]
    return [(f"{s.rules.edition} rules" if factor == "edition" else _short(factor, s), s) for s in along]


def _short(factor: str, setting: Setting) -> str:
    return value_words(factor, setting) if factor == HOUSE_RULES else label_of(setting, [factor])


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


def arrange(study: Study) -> Arrangement:
    """Put players (or strategies) in rows, the compared factor or edition in marks, and a third factor in panels."""
    chosen = usual(study)
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


def by_table(
    name: str,
    title: str,
    sub: str,
    study: Study,
    read: Reader,
    *,
    share: bool = True,
    equal: Callable[[Setting], float] | None = None,
    fine: bool = False,
    **panel: Any,
) -> Figure:
    """A measure at every table: dots on a common scale; strategies are sorted by value, players keep their order."""
    arrangement = arrange(study)
    panels = []
    top = 0.0
    for heading, of_panel in arrangement.panels:
        made = []
        for label, group in of_panel:
            known = [(s, read(s)) for s in group if is_known(read(s))]
            marks = [mark_of(e, share, *arrangement.role(s), arrangement.name(s), fine) for s, e in known]
            even = equal(group[0]) if equal else None
            made.append(Row(label, marks, even))
            top = max([top, *(m.value for m in marks)] + ([even] if even is not None else []))
        if all(label in study.line_ups for label, _ in of_panel):
            made.sort(key=lambda r: -max((m.value for m in r.marks), default=-math.inf))
        panels.append((heading, made))
    sub = f"{sub}; {games_line(usual(study))}"
    return chart(name, title, sub, [Panel(h, r, high=top or 1, **panel) for h, r in panels])


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


def stack(
    name: str,
    title: str,
    sub: str,
    rows_: Mapping[str, Sequence[tuple[str, Estimate, str]]],
    equals: Sequence[float] = (),
    **panel: Any,
) -> Figure:
    """Bars of parts: for each row its parts by name, with estimate and role; shares where they add up to `high=1`.

    `equals` are upright marks, one in each row.
    """
    share = panel.get("high") == 1
    show = words.percent if share else words.amount
    made = []
    for number, (label, parts) in enumerate(rows_.items()):
        marks = [Mark(max(0.0, e.value), show(e.value), role, name=part, title=f"{part}: {whole(e, share)}")
                 for part, e, role in parts]  # fmt: skip
        total = "" if share else words.amount(sum(m.value for m in marks))
        equal = equals[number] if equals else None
        made.append(Row(label, marks, equal, "" if equal is None else words.amount(equal), total))
    return chart(name, title, sub, [Panel("", made, form="stack", **panel)])


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
    label = f"{title}: {spoken([(panel.title, panel.rows) for panel in panels])}"
    return Figure(name, title, sub, rows(label, list(panels), **looks))
