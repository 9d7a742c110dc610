"""Skill: a ladder of players, each rung against the one below, and which findings hold at every level of play.

The rungs are the line-ups in which all play alike, in the order of the experiment, weakest first; random play is one of
them. A finding holds at every level only if it is clear at each rung.
"""

from collections.abc import Sequence

from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import without
from jamaica_sim.report.chapter import KeyNumber, games_line
from jamaica_sim.report.chapters.winning import duellists
from jamaica_sim.report.charts.row_charts import Panel, Row
from jamaica_sim.report.figures import chart, mark_of, panels_chart
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, chapter_of, size_of
from jamaica_sim.report.sheet import Columns, Sheet
from jamaica_sim.results.measures import CAPTAIN, FIRST_HOME, GHOST_WINS, ROUNDS, SHORTAGES_EACH, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.strategy.library import RANDOM
from jamaica_sim.study.experiment.setting import LINE_UP, Setting
from jamaica_sim.study.experiment.study import Study

LEAST_RUNGS = 3
PANELS = 3  # side by side
NAMES = {GHOST_WINS: "ghost's wins", ROUNDS: "length in rounds"}
# Each finding with its opposite and its direction; measures without one are only followed along the ladder.
SAYS = {
    CAPTAIN: ("the first Captain wins more often than the mean seat", "the first Captain wins less often", 1),
    GHOST_WINS: ("the ghost ship wins less than its share", "the ghost ship wins more than its share", -1),
    FIRST_HOME: ("the first ship home wins more than half of the games", "it wins less than half of the games", 1),
}
MEASURES = (*SAYS, SHORTAGES_EACH, ROUNDS)


def rungs_of(study: Study) -> list[str]:
    """The rungs, weakest first: the line-ups in which all play alike."""
    return list(dict.fromkeys(s.factors[LINE_UP] for s in study.settings if not s.is_mixed))


def has_rungs(study: Study) -> bool:
    """Whether there is a ladder to climb."""
    return study.compare == LINE_UP and len(rungs_of(study)) >= LEAST_RUNGS


def tables_of(study: Study) -> dict[str, list[Setting]]:
    """All settings by their rules in words."""
    tables: dict[str, list[Setting]] = {}
    for setting in study.settings:
        tables.setdefault(without(LINE_UP, study, setting), []).append(setting)
    return tables


def _steps(place: str, settings: Sequence[Setting], rungs: list[str]) -> list[Part]:
    """Each rung's share of the victories against the rung below."""
    shares: dict[str, Estimate] = {}
    for setting in settings:
        pair = duellists(setting) if setting.is_mixed else []
        if pair and all(name in rungs for name in pair):
            low, high = sorted(pair, key=rungs.index)
            sums = setting.played.sums
            shares[f"{high} v. {low}"] = jackknife(sums.group(high, "win") / sums.players("win"), setting.games)
    if not shares:
        return []
    where = f" ({place})" if place else ""
    claim = Claim(
        "the better player wins", {match: Case(e, 0.5) for match, e in shares.items()},
        where=place, opposite="the better player loses",
        neither="the better player clearly wins no match", at="in",
        noun=f"matches between neighbours{where}",
    )  # fmt: skip
    match, top = list(shares.items())[-1]
    made = [Row(name, [mark_of(e, True)]) for name, e in reversed(shares.items())]
    title, note = f"Each rung against the one below{where}", "share of the victories of the two; 50% is even"
    sub = f"Share of the victories of the two, with equal numbers of ships; {games_line(settings)}"
    return [Part(
        claim, [f"{match}: {prose.share(top)} of the victories{where}."],
        [ResultTable(title, ("match", "victories"), [*shares.items()], frozenset({"victories"}), note)],
        [chart(f"ladder_{_name(place)}", title, sub, made, high=1.0, line=0.5, line_name="even")],
        effect=size_of(top, 0.5, True),
    )]  # fmt: skip


def _name(place: str) -> str:
    return place.replace(" ", "_").replace(",", "")


def _finding(measure: Measure, tables: dict[str, dict[str, Setting]]) -> Part:
    """One finding at each rung of every table: its claim, or the lowest and the highest rung."""
    cases: dict[str, Case] = {}
    facts, keys, name = [], [], NAMES.get(measure, measure.column)
    is_share = measure.share and not measure.gap
    for place, rungs in tables.items():
        found = {rung: measure.shown(s.played) if measure.gap else measure.of(s.played) for rung, s in rungs.items()
                 if measure.applies(s.played.table)}  # fmt: skip
        if not found:
            continue
        null = {GHOST_WINS: 1 / next(iter(rungs.values())).rules.ships, FIRST_HOME: 0.5}.get(measure, 0.0)
        cases |= {", ".join(filter(None, (place, rung))): Case(e, null) for rung, e in found.items()}
        low, *_, high = (rung for rung in found if rung != RANDOM)
        before, after = (prose.share(found[r]) if is_share else prose.mean(found[r]) for r in (low, high))
        unit, where = " points" if measure.gap else "", f" ({place})" if place else ""
        facts.append(f"{name}: {before}{unit} among {low}, {after} among {high}{where}.")
        keys.append(KeyNumber(prose.plain(after), f"{name}{', points,' if unit else ''} among {high}{where}"))
    claim = None
    if measure in SAYS:
        says, opposite, direction = SAYS[measure]
        claim = Claim(says, cases, direction, "", opposite, f"no level clearly shows that {says}", noun="levels")
    first = next(iter(cases.values()))
    return Part(claim, facts, keys=keys, effect=size_of(first.estimate, first.null, is_share))


def _parts(study: Study) -> list[Part]:
    names, every = rungs_of(study), tables_of(study)
    tables = {place: {rung: s for rung in names for s in settings if s.factors[LINE_UP] == rung}
              for place, settings in every.items()}  # fmt: skip
    known = [m for m in MEASURES if any(m.applies(s.played.table) for of in tables.values() for s in of.values())]
    parts = [_finding(measure, tables) for measure in known]
    for place, rungs in tables.items():
        own: Columns = {NAMES.get(m, m.column) + (", points" if m.gap else ""): m.shown if m.gap else m
                        for m in known if m.applies(next(iter(rungs.values())).played.table)}  # fmt: skip
        cells = Sheet(study, own, list(rungs.values()))
        title = f"The findings at each rung{f' ({place})' if place else ''}"
        label = {s: rung for rung, s in rungs.items()}
        parts[0].tables.append(cells.table(title, note="all ships alike", label=label.__getitem__))
        panels = [
            Panel(words.sentence(column), [Row(rung, [mark_of(cells.at(column, s), cells.is_share(column))])
                                           for rung, s in rungs.items()], line=0.0 if "points" in column else None)
            for column in own
        ]  # fmt: skip
        sub = f"All ships play alike{f'; {place}' if place else ''}; {games_line(list(rungs.values()))}"
        name = f"findings_{_name(place)}"
        parts[0].figures.append(panels_chart(name, "The findings at each rung", sub, panels[:PANELS]))
    return [*parts, *(part for place, settings in every.items() for part in _steps(place, settings, names))]


CHAPTERS = chapter_of("skill", "Skill", _parts, has_rungs)
