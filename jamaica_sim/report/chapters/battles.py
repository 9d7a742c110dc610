"""Battles: how often, where, who wins, what is taken and what they cost."""

from dataclasses import dataclass

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import chapter as parts
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import few_settings, stack, table_words
from jamaica_sim.report.board_map import BoardMap, board_figures
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, mapped, quantity, share_of, sheet
from jamaica_sim.results.measures import BATTLES, GHOST_SHIP, Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h

CLOSE = 2  # attackers and defenders win about as often if their shares differ by fewer points
LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")


def _lead(results: Results) -> Floats:
    """By how many points attackers win a larger share of all battles than defenders."""
    sums = results.sums
    return 100 * parts.rate_of(sums.game("battles"), sums.game("attacks_won") - sums.game("defences_won"))


def _per(above: str, below: str, column: str) -> Measure:
    return quantity(column, lambda results: parts.rate_of(results.sums.game(below), results.sums.game(above)))


def _begun(results: Results) -> Floats:
    """Battles per game that the ghost ship begins."""
    return (
        results.sums.group(GHOST_SHIP, "attacks") / results.sums.games if results.table.rules.ghost else _none(results)
    )


def _against(results: Results) -> Floats:
    """Battles per game that players begin against the ghost ship."""
    if not results.table.rules.ghost:
        return _none(results)
    sums = results.sums
    return (sums.group(GHOST_SHIP, "battles") - sums.group(GHOST_SHIP, "attacks")) / sums.games


def _among(results: Results) -> Floats:
    """Battles per game between players."""
    return results.sums.game("battles") / results.sums.games - _begun(results) - _against(results)


def _none(results: Results) -> Floats:
    return 0 * results.sums.games


OVERVIEW = {
    "per game": BATTLES,
    "per round": _per("battles", "rounds", "per round"),
    "attacker wins": share_of("attacker wins", "attacks_won", "battles"),
    "defender wins": share_of("defender wins", "defences_won", "battles"),
    "nobody wins": share_of("nobody wins", "drawn_battles", "battles"),
    "attacker less defender, points": quantity("attacker less defender, points", _lead),
    "gunpowder each": _per("powder_spent", "battles", "gunpowder each"),
}
LOOT = {word: share_of(word, f"loot_{kind}", "battles") for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)}
LOOT["no winner"] = OVERVIEW["nobody wins"]
AMONG = quantity("between players", _among)
WHOM = {
    "between players": AMONG,
    "begun by the ghost": quantity("begun by the ghost", _begun),
    "against it": quantity("against it", _against),
}


@dataclass(frozen=True)
class Battles(Findings):
    """What the games show about battles."""

    sheet: Sheet
    lead: Comparison  # of attackers over defenders
    space: int  # with the most battles
    part: Comparison  # its share of all battles, against an equal share
    pairs: list[tuple[Setting, Setting]]  # without and with the ghost ship
    new: Comparison | None  # battles among players with the ghost minus those without it
    maps: list[BoardMap]
    tables: list[ResultTable]


def find(study: Study) -> Battles:
    """Count battles, and look for the space with the most."""
    setting, pairs, shown = study.reference, _pairs(study), mapped(study)[:2]
    figures = sheet(
        study,
        OVERVIEW | LOOT | WHOM,
        ["per game", "attacker wins", "defender wins", "gold", "nothing", "gunpowder each"],
    )
    spaces = parts.space_shares(setting.played, "battles")
    tables = [
        figures.table("Battles", OVERVIEW, "shares of all battles, each counted once"),
        figures.table("What the winner of a battle takes", LOOT, "share of all battles"),
        parts.space_table(study, setting, "battles"),
        parts.round_table(study, setting, "battles"),
    ]
    if pairs:
        with_ghost = [s for s in figures.settings if s.rules.ghost]
        tables.insert(1, figures.table("Who fights whom", WHOM, "battles per game", with_ghost))
    without, with_it = _pair_of_reference(study, pairs) if pairs else (setting, setting)
    return Battles(
        figures,
        Comparison(figures.at("attacker less defender, points")),
        spaces[0][0],
        Comparison(allowing_for(spaces[0][2], len(spaces)), 1 / (len(parts.board_of(setting)) - 1)),  # B1
        pairs,
        Comparison(AMONG.difference(without.played, with_it.played)) if pairs else None,
        [_map(figures, s, several=len(shown) > 1) for s in shown],
        tables,
    )


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


def _map(figures: Sheet, s: Setting, several: bool) -> BoardMap:
    title = figures.name_of(s) if several else ""
    total = words.amount(figures.at("per game", s).value)
    return BoardMap(title, parts.board_of(s), parts.space_means(s, "battles"), total, "battles a game")


def write(battles: Battles, judge: Judge) -> Chapter:
    """The chapter."""
    figures, lead, is_clear = battles.sheet, battles.lead.estimate, judge.is_clear(battles.lead)
    study = figures.study
    chapter = Chapter("battles", "Battles", tables=battles.tables)
    attack, defence = figures.at("attacker wins"), figures.at("defender wins")
    chapter.effect = abs(cohen_h(attack.value, defence.value)) if is_clear else 0.0
    chapter.heading = "Attacker and defender win about as often"
    if is_clear and abs(lead.value) >= CLOSE:
        more, fewer = ("Attackers", "defenders") if lead.value > 0 else ("Defenders", "attackers")
        chapter.heading = f"{more} win {'a little ' if abs(lead.value) < 10 else ''}more often than {fewer}"
    _write_ghost(battles, judge, chapter)
    chapter.say(
        figures.tell(judge, "a game has {per game} battles"),
        figures.tell(judge, "the attacker wins {attacker wins} of them and the defender {defender wins}"),
        figures.tell(judge, "the others, {nobody wins}, end level"),
    )
    kind = parts.KIND_WORDS[parts.board_of(study.reference)[battles.space].kind]
    chapter.say(
        figures.tell(judge, "the winner takes gold in {gold} of all battles and nothing in {nothing}"),
        figures.tell(judge, "a battle costs {gunpowder each} gunpowder"),
        f"most are fought on space {battles.space}, a {kind}: {prose.share(battles.part.estimate)} of all, where "
        f"{battles.part.null:.1%} would be an equal share of the spaces."
        if judge.is_above(battles.part)
        else "",
    )
    chapter.map, where = board_figures("Where battles are fought", "battles", table_words(study), battles.maps)
    chapter.figures += [_ghost_figure(battles) if battles.pairs else _who_wins_figure(figures), where]
    share = f"of the battles go to the attacker, {words.percent(defence.value)} to the defender"
    chapter.keys.append(KeyNumber(words.percent(attack.value), share, strong=False))
    return chapter


def _write_ghost(battles: Battles, judge: Judge, chapter: Chapter) -> None:
    if battles.new is None:
        return
    figures = battles.sheet
    without, with_ghost = _pair_of_reference(figures.study, battles.pairs)
    before, after = figures.at("between players", without), figures.at("between players", with_ghost)
    begun, fought = figures.at("begun by the ghost", with_ghost), figures.at("per game", with_ghost).value
    is_same = not judge.is_clear(battles.new) or abs(after.value - before.value) < 0.02 * before.value
    how = "about as much as" if is_same else "less than" if after.value < before.value else "more than"
    if begun.value >= 0.5 * (fought - figures.at("per game", without).value) > 0:
        chapter.heading = "The ghost starts most of the extra battles"
    chapter.say(
        f"with {words.number(with_ghost.rules.players)} players the ghost begins {prose.mean(begun)} battles a game.",
        f"among themselves the players fight {how} without it: {prose.mean(after)} battles instead of "
        f"{prose.mean(before)}.",
    )
    chapter.effect = max(chapter.effect, abs(cohen_h(begun.value / max(1e-9, fought), 0.0)))


def _ghost_figure(battles: Battles) -> Figure:
    roles = {"between players": "base", "begun by the ghost": "subject", "against it": "pale"}
    made = {
        f"{b.rules.players} players": [(name, battles.sheet.at(name, b), role) for name, role in roles.items()]
        for _, b in reversed(battles.pairs)
    }
    alone = [battles.sheet.at("per game", a).value for a, _ in reversed(battles.pairs)]
    sub = f"Battles per game with the ghost; the upright mark: without it; {games_line([b for _, b in battles.pairs])}"
    return stack("whom", "Who fights whom", sub, made, equals=alone)


def _who_wins_figure(figures: Sheet) -> Figure:
    roles = {"attacker wins": "subject", "nobody wins": "rule", "defender wins": "base"}
    shown = few_settings(figures.study, figures.reader("attacker wins"))
    made = {label: [(name, figures.at(name, s), role) for name, role in roles.items()] for label, s in shown}
    return stack(
        "who", "Who wins a battle", f"Share of all battles; {games_line([s for _, s in shown])}", made, high=1.0
    )


CHAPTERS = {"battles": ChapterSource(find, write)}
