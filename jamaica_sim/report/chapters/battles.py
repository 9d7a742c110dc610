"""Battles: how often, where, who wins, what is taken and what they cost."""

from dataclasses import dataclass

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import chapter as parts
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import few_settings, mark_of, of_each_edition, row_chart, table_words
from jamaica_sim.report.board_map import BoardMap, board_maps, figure_text
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    Read,
    by_setting,
    games_line,
    points,
    ratio,
)
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.measures import BATTLES, GHOST_SHIP
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

CLOSE = 2  # attackers and defenders win about as often if their shares differ by fewer points
LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")


def of_battles(quantity: str) -> Read:
    """A column: a quantity per battle."""
    return ratio(lambda sums: sums.game(quantity), lambda sums: sums.game("battles"))


ATTACKER_WINS, DEFENDER_WINS, NOBODY_WINS = (of_battles(q) for q in ("attacks_won", "defences_won", "drawn_battles"))


def attackers_lead(results: Results) -> Estimate:
    """By how many points attackers win a larger share of all battles than defenders."""
    sums = results.sums
    return points(
        jackknife((sums.game("attacks_won") - sums.game("defences_won")) / sums.game("battles"), results.games)
    )


@dataclass(frozen=True)
class Battles(Findings):
    """What the games show about battles."""

    study: Study
    lead: Comparison  # of attackers over defenders
    space: int  # with the most battles
    part: Comparison  # its share of all battles, against an equal share
    pairs: list[tuple[Setting, Setting]]  # without and with the ghost ship
    new: Comparison | None  # battles among players with the ghost minus those without it
    tables: list[ResultTable]


def find(study: Study) -> Battles:
    """Count battles, and look for the space with the most."""
    settings, setting, board = study.uniform(), study.reference, parts.board_of(study)
    spaces = parts.space_shares(setting.played, "battles")
    pairs = _pairs(study)
    tables = [_overview(settings), _booty_table(settings), parts.space_table(study, setting, "battles"),
              parts.round_table(study, setting, "battles")]  # fmt: skip
    if pairs:
        tables.insert(1, _whom_table(study))
    return Battles(
        study,
        Comparison(attackers_lead(setting.played)),
        spaces[0][0],
        Comparison(allowing_for(spaces[0][2], len(spaces)), 1 / (len(board) - 1)),  # not on Port Royal (B1)
        pairs,
        Comparison(_change_among_players(*_pair_of_reference(study, pairs))) if pairs else None,
        tables,
    )


def write(battles: Battles, judge: Judge) -> Chapter:
    """The chapter."""
    study, results = battles.study, battles.study.reference.played
    chapter = Chapter("battles", "Battles", tables=battles.tables)
    lead, is_clear = battles.lead.estimate, judge.is_clear(battles.lead)
    attack, defence, level = (read(results) for read in (ATTACKER_WINS, DEFENDER_WINS, NOBODY_WINS))
    chapter.effect = abs(cohen_h(attack.value, defence.value)) if is_clear else 0.0
    chapter.heading = _heading(lead, is_clear)
    _write_ghost(battles, judge, chapter)
    chapter.say(
        f"a game has {prose.mean(BATTLES.of(results))} battles.",
        f"the attacker wins {prose.share(attack)} of them and the defender {prose.share(defence)}.",
        f"the others, {prose.share(level)}, end level.",
    )
    gold, nothing = (of_battles(f"loot_{kind}")(results) for kind in ("gold", "nothing"))
    kind = parts.KIND_WORDS[parts.board_of(study)[battles.space].kind]
    chapter.say(
        f"the winner takes gold in {prose.share(gold)} of all battles and nothing in {prose.share(nothing)}.",
        f"a battle costs {prose.mean(of_battles('powder_spent')(results))} gunpowder.",
        f"most are fought on space {battles.space}, a {kind}: {prose.share(battles.part.estimate)} of all, where "
        f"{battles.part.null:.1%} would be an equal share of the spaces."
        if judge.is_above(battles.part)
        else "",
    )
    chapter.figures += [*_ghost_figure(battles.pairs), _who_wins_figure(study), _loot_figure(study)][:2]
    chapter.map = battle_map(study)
    chapter.figures.append(chapter.map)
    share = f"of the battles go to the attacker, {words.percent(defence.value)} to the defender"
    chapter.keys.append(KeyNumber(words.percent(attack.value), share, strong=False))
    return chapter


def _heading(lead: Estimate, is_clear: bool) -> str:
    if not is_clear or abs(lead.value) < CLOSE:
        return "Attacker and defender win about as often"
    more = "Attackers" if lead.value > 0 else "Defenders"
    little = "a little " if abs(lead.value) < 10 else ""
    return f"{more} win {little}more often than {'defenders' if lead.value > 0 else 'attackers'}"


def _overview(settings: tuple[Setting, ...]) -> ResultTable:
    columns = {
        "per game": BATTLES.of,
        "per round": ratio(lambda sums: sums.game("battles"), lambda sums: sums.game("rounds")),
        "attacker wins": ATTACKER_WINS,
        "defender wins": DEFENDER_WINS,
        "nobody wins": NOBODY_WINS,
        "attacker less defender, points": attackers_lead,
        "gunpowder each": of_battles("powder_spent"),
    }
    note = "shares of all battles, each counted once"
    return by_setting(settings, "Battles", columns, ("attacker wins", "defender wins", "nobody wins"), note)


def _booty_table(settings: tuple[Setting, ...]) -> ResultTable:
    columns = {word: of_battles(f"loot_{kind}") for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)}
    columns["no winner"] = NOBODY_WINS
    return by_setting(settings, "What the winner of a battle takes", columns, list(columns), "share of all battles")


# With the ghost ship


def _pairs(study: Study) -> list[tuple[Setting, Setting]]:
    """Settings without and with the ghost ship, one pair for each number of players."""
    shown: dict[int, tuple[Setting, Setting]] = {}
    for a, b in study.contrasts("ghost"):
        near = all(a.factors[n] == study.reference.factors[n] for n in ("edition", "line_up"))
        if near or a.rules.players not in shown:
            shown[a.rules.players] = (a, b)
    return [shown[n] for n in sorted(shown)]


def _pair_of_reference(study: Study, pairs: list[tuple[Setting, Setting]]) -> tuple[Setting, Setting]:
    return next((pair for pair in pairs if study.reference in pair), pairs[-1])


def begun_by_ghost(results: Results) -> Estimate:
    """Battles per game that the ghost ship begins."""
    return results.of_ships("group", results.table.groups.index(GHOST_SHIP), "attacks")


def against_ghost(results: Results) -> Estimate:
    """Battles per game that players begin against the ghost ship."""
    sums = results.sums
    begun = sums.group(GHOST_SHIP, "battles") - sums.group(GHOST_SHIP, "attacks")
    return jackknife(begun / sums.games, results.games)


def among_players(results: Results) -> Estimate:
    """Battles per game between players."""
    if not results.table.rules.ghost:
        return BATTLES.of(results)
    sums = results.sums
    return jackknife((sums.game("battles") - sums.group(GHOST_SHIP, "battles")) / sums.games, results.games)


def _change_among_players(without: Setting, with_ghost: Setting) -> Estimate:
    before, after = without.played.sums, with_ghost.played.sums
    change = (after.game("battles") - after.group(GHOST_SHIP, "battles")) / after.games
    return jackknife(change - before.game("battles") / before.games, with_ghost.games)


def _write_ghost(battles: Battles, judge: Judge, chapter: Chapter) -> None:
    if battles.new is None:
        return
    without, with_ghost = _pair_of_reference(battles.study, battles.pairs)
    before, after = among_players(without.played), among_players(with_ghost.played)
    begun = begun_by_ghost(with_ghost.played)
    is_same = not judge.is_clear(battles.new) or abs(after.value - before.value) < 0.02 * before.value
    how = "about as much as" if is_same else "less than" if after.value < before.value else "more than"
    added = BATTLES.difference(without.played, with_ghost.played)
    if begun.value >= 0.5 * added.value > 0:
        chapter.heading = "The ghost starts most of the extra battles"
    chapter.say(
        f"with {words.number(with_ghost.rules.players)} players the ghost begins {prose.mean(begun)} battles a game.",
        f"among themselves the players fight {how} without it: {prose.mean(after)} battles instead of "
        f"{prose.mean(before)}.",
    )
    share = begun.value / max(1e-9, BATTLES.of(with_ghost.played).value)
    chapter.effect = max(chapter.effect, abs(cohen_h(share, 0.0)))


def _whom_table(study: Study) -> ResultTable:
    """Who fights whom, at the tables with the ghost ship."""
    columns = {"between players": among_players, "begun by the ghost": begun_by_ghost, "against it": against_ghost}
    settings = [s for s in study.uniform() if s.rules.ghost]
    return by_setting(settings, "Who fights whom", columns, note="battles per game")


def _ghost_figure(pairs: list[tuple[Setting, Setting]]) -> list[Figure]:
    if not pairs:
        return []
    made = []
    for without, with_ghost in reversed(pairs):
        results = with_ghost.played
        sources = ((among_players(results), "base", "between players"), (begun_by_ghost(results), "subject",
                   "begun by the ghost"), (against_ghost(results), "pale", "against it"))  # fmt: skip
        marks = [Mark(e.value, words.amount(e.value), role, name=name, title=f"{name}: {prose.whole(e)}")
                 for e, role, name in sources]  # fmt: skip
        alone = BATTLES.of(without.played).value
        total = words.amount(sum(m.value for m in marks))
        made.append(Row(f"{with_ghost.rules.players} players", marks, alone, words.amount(alone), total))
    label = f"Who fights whom, battles per game: {_stacks_spoken(made, ': ')}"
    sub = f"Battles per game with the ghost; the upright mark: without it; {games_line([p[1] for p in pairs])}"
    return [Figure("whom", "Who fights whom", sub, rows(label, [Panel("", made, form="stack")]))]


def _stacks_spoken(made: list[Row], joint: str = " ") -> str:
    return "; ".join(f"{row.label}{joint}" + ", ".join(f"{m.name} {m.text}" for m in row.marks) for row in made)


# Figures


def _who_wins_figure(study: Study) -> Figure:
    made, shown = [], few_settings(study, ATTACKER_WINS)
    for label, s in shown:
        shares = ((ATTACKER_WINS(s.played), "subject", "the attacker"), (NOBODY_WINS(s.played), "rule", "nobody"),
                  (DEFENDER_WINS(s.played), "base", "the defender"))  # fmt: skip
        marks = [Mark(e.value, words.percent(e.value), role, name=name, title=f"{name}: {prose.whole(e, True)}")
                 for e, role, name in shares]  # fmt: skip
        made.append(Row(label, marks))
    sub = f"Share of all battles; {games_line([s for _, s in shown])}"
    drawing = rows(f"Who wins a battle: {_stacks_spoken(made)}", [Panel("", made, high=1.0, form="stack")])
    return Figure("who", "Who wins a battle", sub, drawing)


def _loot_figure(study: Study) -> Figure:
    results = study.reference.played
    loot = {word: of_battles(f"loot_{kind}")(results) for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)}
    loot["no winner"] = NOBODY_WINS(results)
    made = [Row(word, [mark_of(e, True, "base" if word in ("no winner", "nothing") else "subject")])
            for word, e in sorted(loot.items(), key=lambda item: -item[1].value)]  # fmt: skip
    sub = f"Share of all battles ({table_words(study)}); {games_line([study.reference])}"
    drawing = row_chart("What the winner takes, share of all battles", made, 27, form="bars")
    return Figure("loot", "What the winner takes", sub, drawing)


def battle_map(study: Study) -> Figure:
    """Where battles are fought."""
    setting, board = of_each_edition(study)[0], parts.board_of(study)
    shares = parts.space_shares(setting.played, "battles")
    values = [mean.value for _, mean, _ in sorted(shares, key=lambda item: item[0])]
    drawn = BoardMap("", values, words.amount(BATTLES.of(setting.played).value), "battles a game")
    top = ", ".join(f"space {space} {figure_text(mean.value)}" for space, mean, _ in shares[:4])
    label = f"Map of the board with battles per game on each space; most on {top}."
    sub = words.sentence(
        f"battles per game on each space; the four with the most carry their figure "
        f"{parts.where(study, study.reference)}"
    )
    return Figure("map", "Where battles are fought", sub, board_maps(label, board, [drawn], "battles a game"))


CHAPTERS = {"battles": ChapterSource(find, write)}
