"""Battles: how often, where, who wins, what is taken and what they cost."""

from jamaica_sim.game.codes import LOOT_KINDS
from jamaica_sim.report.chapter import Figure, rate_of
from jamaica_sim.report.parts import Part, Test, board, chapter_of, sheet
from jamaica_sim.report.sheet import Sheet, quantity, ratio
from jamaica_sim.results.measures import BATTLES, Floats
from jamaica_sim.results.results import Results
from jamaica_sim.study.experiment.study import Study

LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")
LEAD = "attacker less defender, points"


def _lead(results: Results) -> Floats:
    """By how many points attackers win a larger share of all battles than defenders."""
    sums = results.sums
    return 100 * rate_of(sums.game("battles"), sums.game("attacks_won") - sums.game("defences_won"))


OVERVIEW = {
    "per game": BATTLES,
    "per round": ratio("battles", "rounds", share=False),
    "attacker wins": ratio("attacks_won", "battles"),
    "defender wins": ratio("defences_won", "battles"),
    "nobody wins": ratio("drawn_battles", "battles"),
    LEAD: quantity(_lead),
    "gunpowder each": ratio("powder_spent", "battles", share=False),
}
LOOT = {word: ratio(f"loot_{kind}", "battles") for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)}
LOOT["no winner"] = OVERVIEW["nobody wins"]
ATTACK = Test(
    LEAD,
    "attackers win more often than defenders",
    "defenders win more often than attackers",
    "attackers and defenders win about as often",
)


def _who_wins(cells: Sheet) -> Figure:
    shown = {column: column for column in ("attacker wins", "defender wins", "nobody wins")}
    return cells.by_column("who", "Who wins a battle", "Share of all battles", shown)


def _parts(study: Study) -> list[Part]:
    overview = sheet(
        study, "Battles", OVERVIEW,
        ["a game has {per game} battles; the attacker wins {attacker wins} of them, the defender {defender wins}",
         "a battle costs {gunpowder each} gunpowder"],
        ATTACK, note="shares of all battles, each counted once", figures=[_who_wins],
        keys={"attacker wins": "of the battles go to the attacker", "defender wins": "go to the defender"},
    )  # fmt: skip
    loot = sheet(study, "What the winner of a battle takes", LOOT, note="share of all battles",
                 facts=["the winner takes gold in {gold} of all battles and nothing in {nothing}"])  # fmt: skip
    where = board(study, "battles", "Where battles are fought", overview.sheet, ("per game", "battles a game"))
    return [overview, loot, where]


CHAPTERS = chapter_of("battles", "Battles", _parts)
