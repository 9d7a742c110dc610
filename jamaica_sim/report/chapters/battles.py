"""Battles: how often, where, who wins, what is taken and what they cost."""

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.board_map import BoardMap, board_maps, figure_text
from jamaica_sim.report.chapter import (
    KIND_WORDS,
    Chapter,
    Figure,
    KeyNumber,
    by_setting,
    chapter_named,
    few_settings,
    games_line,
    mark_of,
    of_each_edition,
    points,
    ratio,
    round_table,
    space_shares,
    space_table,
    table_words,
    where,
)
from jamaica_sim.report.chapters.ghost import GHOST, LOOT_WORDS
from jamaica_sim.report.forms import Mark, Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.the_board import board
from jamaica_sim.results.measures import BATTLES
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.jackknife import jackknife

CLOSE = 0.02  # attackers and defenders win about as often if their shares differ by less


def of_battles(quantity: str):
    """A column: a quantity per battle."""
    return ratio(lambda sums: sums.game(quantity), lambda sums: sums.game("battles"))


ATTACKER_WINS, DEFENDER_WINS, NOBODY_WINS = (of_battles(q) for q in ("attacks_won", "defences_won", "drawn_battles"))


def attackers_lead(results):
    """By how many points attackers win a larger share of all battles than defenders."""
    sums = results.sums
    return points(
        jackknife((sums.game("attacks_won") - sums.game("defences_won")) / sums.game("battles"), results.games)
    )


@chapter_named("battles")
def battles(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("battles", "Battles")
    settings, setting = study.uniform(), study.reference
    chapter.tables += [_overview(settings), _booty_table(settings), space_table(study, setting, "battles"),
                       round_table(study, setting, "battles")]  # fmt: skip
    results = setting.results
    lead = attackers_lead(results)
    is_clear = looks.is_clear(lead)
    attack, defence, level = (read(results) for read in (ATTACKER_WINS, DEFENDER_WINS, NOBODY_WINS))
    chapter.effect = abs(cohen_h(attack.value, defence.value)) if is_clear else 0.0
    chapter.heading = _heading(lead, is_clear)
    chapter.say(
        f"a game has {prose.mean(BATTLES.of(results))} battles.",
        f"the attacker wins {prose.share(attack)} of them and the defender {prose.share(defence)}.",
        f"the others, {prose.share(level)}, end level.",
    )
    gold = of_battles("loot_gold")(results)
    nothing = of_battles("loot_nothing")(results)
    powder = of_battles("powder_spent")(results)
    space, mean, part = space_shares(results, "battles")[0]
    even = 1 / (len(board()) - 1)  # not on Port Royal (B1)
    chapter.say(
        f"the winner takes gold in {prose.share(gold)} of all battles and nothing in {prose.share(nothing)}.",
        f"a battle costs {prose.mean(powder)} gunpowder.",
        f"most are fought on space {space}, a {KIND_WORDS[board()[space].kind]}: {prose.share(part)} of all, where "
        f"{even:.1%} would be an equal share of the spaces."
        if looks.is_clear(part, even)
        else "",
    )
    _tell_ghost(study, chapter)
    chapter.figures += [*_ghost_figure(study), _who_wins_figure(study), _loot_figure(study)][:2]
    chapter.map = battle_map(study)
    chapter.figures.append(chapter.map)
    chapter.keys.append(
        KeyNumber(
            words.percent(attack.value),
            f"of the battles go to the attacker, {words.percent(defence.value)} to the defender",
            strong=False,
        )  # fmt: skip
    )
    return chapter


def _heading(lead, is_clear):
    if not is_clear or abs(lead.value) < 100 * CLOSE:
        return "Attacker and defender win about as often"
    more = "Attackers" if lead.value > 0 else "Defenders"
    little = "a little " if abs(lead.value) < 10 else ""
    return f"{more} win {little}more often than {'defenders' if lead.value > 0 else 'attackers'}"


def _overview(settings):
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


def _booty_table(settings):
    columns = {word: of_battles(f"loot_{kind}") for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)}
    columns["no winner"] = NOBODY_WINS
    return by_setting(settings, "What the winner of a battle takes", columns, list(columns), "share of all battles")


# With the ghost ship


def _pairs(study):
    shown = {}
    for a, b in study.contrasts("ghost"):
        near = all(a.factors[n] == study.reference.factors[n] for n in ("edition", "line_up"))
        if near or a.rules.players not in shown:
            shown[a.rules.players] = (a, b)
    return [shown[n] for n in sorted(shown)]


def begun_by_ghost(results):
    """Battles per game that the ghost ship begins."""
    return results.of_ships("group", results.table.groups.index(GHOST), "attacks")


def against_ghost(results):
    """Battles per game that players begin against the ghost ship."""
    sums = results.sums
    return jackknife((sums.group(GHOST, "battles") - sums.group(GHOST, "attacks")) / sums.games, results.games)


def among_players(results):
    """Battles per game between players."""
    if not results.table.rules.ghost:
        return BATTLES.of(results)
    sums = results.sums
    return jackknife((sums.game("battles") - sums.group(GHOST, "battles")) / sums.games, results.games)


def _tell_ghost(study, chapter):
    pairs = _pairs(study)
    if not pairs:
        return
    without, with_ghost = next((p for p in pairs if study.reference in p), pairs[-1])
    before, after = among_players(without.results), among_players(with_ghost.results)
    begun = begun_by_ghost(with_ghost.results)
    fewer = "no more" if after.value <= before.value else "hardly more" if after.value < 1.05 * before.value else "more"
    chapter.heading = "The extra battles are the ghost's own, and it starts them"
    chapter.tables.insert(1, _whom_table(study))
    chapter.paragraphs.insert(
        0,
        words.sentence(
            f"with {words.number(with_ghost.rules.players)} players the ghost begins {prose.mean(begun)} battles a "
            f"game."
        )
        + "\n"
        + words.sentence(
            f"among themselves the players fight {fewer} than without it: {prose.mean(after)} battles instead of "
            f"{prose.mean(before)}."
        ),
    )
    share = begun.value / max(1e-9, BATTLES.of(with_ghost.results).value)
    chapter.effect = max(chapter.effect, abs(cohen_h(share, 0.0)))


def _whom_table(study):
    """Who fights whom, at the tables with the ghost ship."""
    columns = {"between players": among_players, "begun by the ghost": begun_by_ghost, "against it": against_ghost}
    return by_setting(
        [s for s in study.uniform() if s.rules.ghost], "Who fights whom", columns, note="battles per game"
    )


def _ghost_figure(study):
    pairs = _pairs(study)
    if not pairs:
        return []
    made = []
    for without, with_ghost in reversed(pairs):
        results = with_ghost.results
        parts = ((among_players(results), "base", "between players"), (begun_by_ghost(results), "subject",
                 "begun by the ghost"), (against_ghost(results), "pale", "against it"))  # fmt: skip
        marks = [Mark(e.value, words.amount(e.value), role, name=name, title=f"{name}: {prose.whole(e)}")
                 for e, role, name in parts]  # fmt: skip
        made.append(
            Row(
                f"{with_ghost.rules.players} players",
                marks,
                BATTLES.of(without.results).value,
                words.amount(BATTLES.of(without.results).value),
            )  # fmt: skip
        )
    label = "Who fights whom, battles per game: " + "; ".join(
        f"{row.label}: " + ", ".join(f"{m.name} {m.text}" for m in row.marks) for row in made
    )
    sub = f"Battles per game with the ghost; the upright mark: without it; {games_line([p[1] for p in pairs])}"
    made = [Row(r.label, r.marks, r.equal, note=words.amount(sum(m.value for m in r.marks))) for r in made]
    return [Figure("whom", "Who fights whom", sub, rows(label, [Panel("", made, form="stack")]))]


# Figures


def _who_wins_figure(study):
    made = []
    shown = few_settings(study, ATTACKER_WINS)
    for name_, s in shown:
        marks = []
        for read, role, name in (
            (ATTACKER_WINS, "subject", "the attacker"),
            (NOBODY_WINS, "rule", "nobody"),
            (DEFENDER_WINS, "base", "the defender"),
        ):
            e = read(s.results)
            marks.append(
                Mark(e.value, words.percent(e.value), role, name=name, title=f"{name}: {prose.whole(e, True)}")
            )
        made.append(Row(name_, marks))
    label = "Who wins a battle: " + "; ".join(
        f"{row.label} " + ", ".join(f"{m.name} {m.text}" for m in row.marks) for row in made
    )
    sub = f"Share of all battles; {games_line([s for _, s in shown])}"
    return Figure("who", "Who wins a battle", sub, rows(label, [Panel("", made, high=1.0, form="stack")]))


def _loot_figure(study):
    results = study.reference.results
    found = [(word, of_battles(f"loot_{kind}")(results)) for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)]
    found.append(("no winner", NOBODY_WINS(results)))
    found.sort(key=lambda item: -item[1].value)
    made = [Row(word, [mark_of(e, True, "base" if word in ("no winner", "nothing") else "subject")])
            for word, e in found]  # fmt: skip
    label = "What the winner takes, share of all battles: " + ", ".join(
        f"{w} {words.percent(e.value)}" for w, e in found
    )
    sub = f"Share of all battles ({table_words(study)}); {games_line([study.reference])}"
    return Figure("loot", "What the winner takes", sub, rows(label, [Panel("", made, form="bars")], row_height=27))


def battle_map(study: Study) -> Figure:
    """Where battles are fought."""
    maps, told = [], []
    for s in of_each_edition(study)[:1]:
        values = [0.0] * len(board())
        for space, mean, _ in space_shares(s.results, "battles"):
            values[space] = mean.value
        top = space_shares(s.results, "battles")[:4]
        maps.append(BoardMap("", values, words.amount(BATTLES.of(s.results).value), "battles a game"))
        told.append(", ".join(f"space {space} {figure_text(mean.value)}" for space, mean, _ in top))
    label = f"Map of the board with battles per game on each space; most on {'; '.join(told)}."
    sub = words.sentence(
        f"battles per game on each space; the four with the most carry their figure {where(study, study.reference)}"
    )
    return Figure("map", "Where battles are fought", sub, board_maps(label, maps, "battles a game"))
