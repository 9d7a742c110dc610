"""The ghost ship: how often it wins, where it ends, what it takes; and what the rulebook of 2021 says of it.

Each saying of the rulebook is tested at every table, on the same deals without the ghost ship and with it.
"""

from collections.abc import Sequence
from functools import partial

from jamaica_sim.game.codes import GHOST_SHIP, LOOT_KINDS
from jamaica_sim.game.components.course import first_beyond
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Figure, KeyNumber, Read, games_line, rate_of
from jamaica_sim.report.chapters.battles import LOOT_WORDS
from jamaica_sim.report.chapters.race import ENDS
from jamaica_sim.report.charts.row_charts import Mark, Panel, Row
from jamaica_sim.report.figures import chart, mark_of, panels_chart
from jamaica_sim.report.parts import Part, Test, chapter_of, response, sheet
from jamaica_sim.report.sheet import Columns, Sheet, counted, quantity
from jamaica_sim.results.measures import (
    BATTLES,
    GHOST_WINS,
    LEAD_CHANGES,
    PACE,
    ROUNDS,
    SHORTAGES,
    Floats,
    Measure,
)
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import CLEARLY, Estimate, proportion_interval
from jamaica_sim.study.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.study.experiment.study import Study

MASTER = "master"
NEAR = (LINE_UP, "edition", "players")
ONE_IN_TEN = Test(  # a share of the games that nobody would call rare
    "win rate",
    "the ghost ship wins less than one game in ten",
    "the ghost ship wins more than one game in ten",
    "whether the ghost ship wins one game in ten is too close to call",
    0.1,
    -1,
)
# What the rulebook says that the ghost ship brings: the title, the measure, its direction, and the claim in both.
# "More turns" is one translation; the Portuguese rulebook has more twists.
SAYINGS: tuple[tuple[str, Measure, int, str, str], ...] = (
    ("It brings more battles", BATTLES, 1, "more battles", "fewer battles"),
    ("It brings more turns", ROUNDS, 1, "longer games", "shorter games"),
    ("It brings more twists", LEAD_CHANGES, 1, "more changes of the lead", "fewer changes of the lead"),
    ("It brings more shortages", SHORTAGES, 1, "more shortages", "fewer shortages"),
    ("It slows the game down", PACE, -1, "slower ships", "faster ships"),
)


def of_ghost(quantity: str) -> Read:
    """A column: a quantity of the ghost ship."""
    return lambda results: results.of_ships("group", results.table.groups.index(GHOST_SHIP), quantity)


def _share_of_ends(which: int, results: Results) -> Estimate:
    """The share of the games in which the ghost ship ends at this one of `ENDS`."""
    behind, circuit, home = results.tally["final_spaces"][results.table.rules.players]
    line = first_beyond(results.table.rules.components.board)
    counts = (home.sum(), circuit[line:].sum(), behind.sum() + circuit[:line].sum())
    return proportion_interval(int(counts[which]), results.games)


def _battles_won(results: Results) -> Floats:
    return rate_of(results.sums.group(GHOST_SHIP, "battles"), results.sums.group(GHOST_SHIP, "battles_won"))


def _loot(kind: int) -> Read:
    return lambda results: results.of_row("loot", results.table.rules.players, kind)


WINS: Columns = {
    "win rate": GHOST_WINS,
    "score": of_ghost("score"),
    "position": of_ghost("position_points"),
    "gold": of_ghost("gold"),
    "treasures": of_ghost("treasure_points"),
    "treasures taken": of_ghost("treasures_taken"),
}
DOES: Columns = {
    **{word: counted(partial(_share_of_ends, which)) for which, word in enumerate(ENDS)},
    "battles": of_ghost("battles"),
    "attacks": of_ghost("attacks"),
    "battles won": quantity(_battles_won, True),
    # The ghost gives nothing away (G6).
    **{word: _loot(kind) for kind, word in enumerate(LOOT_WORDS) if LOOT_KINDS[kind] != "give"},
}


def _sailing(study: Study) -> list[Setting]:
    """The settings with the ghost ship, few players first."""
    return sorted((s for s in study.settings if s.rules.ghost), key=lambda s: s.rules.players)


def _contrasts(study: Study) -> list[tuple[Setting, Setting]]:
    """Pairs of settings without and with the ghost ship, few players first."""
    return sorted(study.contrasts("ghost"), key=lambda pair: pair[0].rules.players)


def _label(study: Study, setting: Setting) -> str:
    """A setting in words, without a word about the ghost."""
    names = [name for name in study.varying if name != "ghost"]
    return label_of(setting, names or ["players"]).replace(" and ghost", "")


def _nearest(study: Study, settings: list[Setting]) -> dict[int, Setting]:
    """By number of players: the table that is most like the reference."""
    found: dict[int, Setting] = {}
    for s in sorted(settings, key=lambda s: -sum(s.factors[name] == study.reference.factors[name] for name in NEAR)):
        found.setdefault(s.rules.players, s)
    return dict(sorted(found.items()))


def _ghost(study: Study) -> list[Part]:
    settings, label = _sailing(study), partial(_label, study)
    line = list(_nearest(study, settings).values())
    few, ends, players = line[0], list(dict.fromkeys((line[0], line[-1]))), words.number(line[0].rules.players)
    masters = list(_nearest(study, [s for s in settings if s.strategies[0].name == MASTER and s not in line]).values())

    def part(title: str, columns: Columns, note: str, test: Test | None = None, shown: Sequence[str] = ()) -> Part:
        return sheet(study, title, columns, test=test, note=note, settings=settings, shown=shown, label=label)

    wins = part("The ghost ship's wins", WINS, "win rate and points per game", ONE_IN_TEN)
    note = "times per game: its battles, those that it began, its loot"
    does = part("What the ghost ship does in battle", DOES, note, shown=[name for name in DOES if name not in ENDS])
    cells, done = wins.sheet, does.sheet
    does.tables.append(done.table("Where the ghost ship is at the end", ENDS, "share of the games", label=label))

    def rates(tables: list[Setting]) -> str:
        told = [f"{cells.said('win rate', s)} with {words.number(s.rules.players)}" for s in tables]
        return f"{words.listed(told)} players"

    wins.facts = [
        f"it wins {rates(ends)}; an equal share is {words.listed([f'{1 / s.rules.ships:.0%}' for s in ends])}.",
        f"among masters it wins {rates(list(dict.fromkeys((masters[0], masters[-1]))))}." if masters else "",
        "the rulebook of 2021 says, for two players, that this is not rare.",
    ]
    wins.figures, wins.keys = [_wins_figure(study, cells, line, masters)], [_key(cells, s) for s in ends]
    does.facts = [
        f"with {players} players it comes home in {done.said(ENDS[0], few)} of the games; in {done.said(ENDS[2], few)} "
        "it is not even past the red line.",
        f"it fights {done.said('battles', few)} battles a game, begins {done.said('attacks', few)} of them, and wins "
        f"{done.said('battles won', few)}.",
    ]
    return [wins, does]


def _key(cells: Sheet, setting: Setting) -> KeyNumber:
    rules = setting.rules
    text = f"of the games it wins with {words.number(rules.players)} players; an equal share is {1 / rules.ships:.0%}"
    return KeyNumber(words.percent(cells.at("win rate", setting).value), text)


def _wins_figure(study: Study, cells: Sheet, line: list[Setting], masters: list[Setting]) -> Figure:
    """Battles without and with it, and its wins; hollow: its wins among masters."""
    pairs = {b: a for a, b in _contrasts(study)}
    battles, wins = [], []
    for s in line:
        label = f"{s.rules.players} players"
        if s in pairs:
            marks = [mark_of(BATTLES.of(pairs[s].played), False, "base", name="without")]
            battles.append(Row(label, [*marks, mark_of(BATTLES.of(s.played), name="with the ghost")]))
        elif pairs:
            battles.append(Row(label, [], note="always with it"))
        marks = [mark_of(cells.at("win rate", s), True, name=str(s.factors[LINE_UP]) if masters else "the ghost")]
        marks += [mark_of(cells.at("win rate", m), True, "subject", True, MASTER)
                  for m in masters if m.rules.players == s.rules.players]  # fmt: skip
        wins.append(Row(label, marks, 1 / s.rules.ships))
    panels = [
        *([Panel("Battles in a game", battles)] if battles else []),
        Panel("Games that the ghost wins", wins, form="dots" if masters else "bars", equal_name="an equal share"),
    ]
    sub = f"Means of {games_line(line)}, {study.reference.rules.edition} rules"
    title = "Battles, and wins of the ghost" if battles else "How often the ghost wins"
    return panels_chart("ghost", title, sub, panels, row_height=44)


# The rulebook's claims


def _rulebook(study: Study) -> list[Part]:
    pairs = _contrasts(study)
    own = next((pair for pair in pairs if study.reference in pair), pairs[0])
    played = {_label(study, a): (a.played, b.played) for a, b in (own, *(pair for pair in pairs if pair is not own))}
    parts, effects = [], {}
    for title, measure, direction, more, less in SAYINGS:
        part = response(
            title, measure, played,
            (f"the ghost ship brings {more}", f"the ghost ship brings {less}",
             f"the ghost ship changes {measure.noun} nowhere clearly"),
            note=f"{measure.column}; d in the direction that is claimed", direction=direction,
        )  # fmt: skip
        (table,) = part.tables
        effects[title] = {row[0]: row[-1] for row in table.rows}
        largest = max(abs(e.value) for e in effects[title].values())
        small = f"; effect sizes of at most {words.at_most(largest, 2)}, hardly noticeable" if largest < CLEARLY else ""
        _, before, _, change, *_ = table.rows[0]
        told = f"{prose.mean(before)} without the ghost, {prose.change(change)} with it ({_label(study, own[0])})"
        part.facts = [f"{measure.column}: {told}{small}."]
        parts.append(part)
    parts[0].figures = [_effects_figure(effects, games_line([b for _, b in pairs]))]
    parts[0].keys = [KeyNumber(words.signed(row[3].value), f"battles a game at {row[0]}")
                     for row in parts[0].tables[0].rows[:3]]  # fmt: skip
    return parts


def _effects_figure(effects: dict[str, dict[str, Estimate]], games: str) -> Figure:
    made = []
    for title, found in effects.items():
        in_order = sorted(found.items(), key=lambda item: item[1].value)
        ends = in_order[0][0], in_order[-1][0]
        marks = [
            Mark(e.value, words.amount(e.value, 2) if name in ends else "", title=f"{name}: {prose.whole(e)}")
            for name, e in in_order
        ]
        made.append(Row(title.removeprefix("It "), marks))
    made.sort(key=lambda row: -row.marks[-1].value)
    count = len(next(iter(effects.values())))
    sub = f"Standard deviations of a single game, to the right as the rulebook says; {count} tables, {games}"
    title, line = "What the ghost changes, as the rulebook says", f"hardly noticeable below {CLEARLY}"
    return chart("claims", title, sub, made, line=CLEARLY, line_name=line)


CHAPTERS = chapter_of("ghost", "The ghost ship", _ghost, lambda study: bool(_sailing(study))) | chapter_of(
    "claims", "The rulebook's claims", _rulebook, lambda study: bool(study.contrasts("ghost"))
)
