"""The charts of the chapter on changes: every measure's change in percent, and measures by the value of a factor."""

import math

from jamaica_sim.experiment.setting import LINE_UP, Setting, factor_value, factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import mark_of, spoken
from jamaica_sim.report.chapter import Figure, games_line
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.measures import COURSE, ROUNDS, Measure

MOST_VALUES = 8


def changes_figure(study: Study, factor: str, pairs: list[tuple[Setting, Setting]]) -> Figure:
    """The change of every measure in percent, at all pairs of settings."""
    rest = [n for n in study.varying if n != factor]
    lines = []
    for measure in COURSE:
        marks = []
        for a, b in pairs:
            change = measure.relative(a.played, b.played)
            title = f"{label_of(a, rest)}: {prose.whole(change, True)}"
            text = words.signed(100 * change.value, unit="%")
            marks.append(Mark(100 * change.value, text, hollow=_is_old(study, factor, a), title=title))
        marks.sort(key=lambda m: m.value)
        lines.append(Row(measure.column.capitalize(), [m if m in (marks[0], marks[-1]) else _silent(m) for m in marks]))
    lines.sort(key=lambda row: -max((abs(m.value) for m in row.marks if not math.isnan(m.value)), default=0.0))
    shown = lines[:MOST_VALUES]
    values = [m.value for row in shown for m in row.marks]
    label = f"Change of each measure in percent: {spoken([('', shown)])}"
    panel = Panel("", shown, line=0.0, line_name="no change", low=min(0.0, *values), high=max(0.0, *values))
    hollow = "; hollow: 2007 rules" if any(m.hollow for r in shown for m in r.marks) else ""
    sub = f"Change in percent, least and most of {words.number(len(pairs))} tables{hollow}"
    if len(pairs) == 1:
        sub = f"Change in percent; {games_line([study.reference])}"
    titles = {"ghost": "What the ghost changes", "edition": "What the 2021 rules change"}
    return Figure("changes", titles.get(factor, "What changes"), sub, rows(label, [panel]))


def _silent(mark: Mark) -> Mark:
    return Mark(mark.value, "", mark.role, mark.hollow, title=mark.title)


def _is_old(study: Study, factor: str, setting: Setting) -> bool:
    return factor != "edition" and "edition" in study.varying and setting.rules.edition == "2007"


def values_figure(
    study: Study, factor: str, compared: list[Setting], large: list[Measure], more: list[Measure] | None = None
) -> Figure:
    """The measures that change most, or `more` of them, for every value of the factor."""
    settings = [s for s in study.along(factor) if s in compared]
    measures = more or (large or list(COURSE))[:3]
    if not more and ROUNDS not in measures and factor != LINE_UP:
        measures = [*measures[:2], ROUNDS]
    if factor == LINE_UP:
        settings.sort(key=lambda s: -measures[0].of(s.played).value)
    else:
        settings.sort(key=lambda s: factor_value(s, factor))
    panels = []
    for measure in measures:
        made = [
            Row(factor_words(factor, s.factors[factor]), [mark_of(measure.of(s.played), measure.share)])
            for s in settings
        ]
        panels.append(Panel(measure.title, made, form="bars"))
    by = "strategy" if factor == LINE_UP else factor.replace("_", " ")
    label = f"By {by}: " + spoken([(p.title, p.rows) for p in panels])
    differs = factor == "players" and len({s.rules.ghost for s in settings}) > 1
    ghost = "; two players have the ghost ship with them" if differs else ""
    title = "What the number of players changes" if factor == "players" else f"The game by {by}"
    title = "What else changes" if more else title
    return Figure("more" if more else "values", title, f"Per game{ghost}; {games_line(settings)}", rows(label, panels))
