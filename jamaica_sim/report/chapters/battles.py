"""Battles: how often, where, who wins, what is taken and what they cost."""

from jamaica_sim.game.codes import GHOST_SHIP, LOOT_KINDS
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Figure, games_line, rate_of
from jamaica_sim.report.figures import stack
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, Test, board, chapter_of, sheet
from jamaica_sim.report.sheet import Sheet, quantity, ratio
from jamaica_sim.results.measures import BATTLES, Floats
from jamaica_sim.results.results import Results
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study

LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")
LEAD = "attacker less defender, points"


def _lead(results: Results) -> Floats:
    """By how many points attackers win a larger share of all battles than defenders."""
    sums = results.sums
    return 100 * rate_of(sums.game("battles"), sums.game("attacks_won") - sums.game("defences_won"))


def _of_ghost(results: Results, what: str, less: str = "") -> Floats:
    """A quantity of the ghost ship per game, or by how much it exceeds another; zero where it does not sail."""
    sums = results.sums
    if not results.table.rules.ghost:
        return 0 * sums.games
    count = sums.group(GHOST_SHIP, what)
    return (count - sums.group(GHOST_SHIP, less) if less else count) / sums.games


def _against(results: Results) -> Floats:
    """Battles per game that players begin against the ghost ship."""
    return _of_ghost(results, "battles", less="attacks")


def _among(results: Results) -> Floats:
    """Battles per game between players."""
    sums = results.sums
    return sums.game("battles") / sums.games - _of_ghost(results, "attacks") - _against(results)


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
AMONG = quantity(_among)
WHOM = {
    "between players": AMONG,
    "begun by the ghost": quantity(lambda results: _of_ghost(results, "attacks")),
    "against it": quantity(_against),
    "in all": BATTLES,
}
WHO_WINS = {"attacker wins": "subject", "nobody wins": "rule", "defender wins": "base"}  # roles in a bar
WHOM_ROLES = {"between players": "base", "begun by the ghost": "subject", "against it": "pale"}
ATTACK = Test(
    LEAD,
    "attackers win more often than defenders",
    "defenders win more often than attackers",
    "attackers and defenders win about as often",
)


def _pairs(study: Study) -> list[tuple[Setting, Setting]]:
    """Settings without and with the ghost ship, one pair for each number of players."""
    shown: dict[int, tuple[Setting, Setting]] = {}
    for a, b in study.contrasts("ghost"):
        near = all(a.factors[n] == study.reference.factors[n] for n in ("edition", "line_up"))
        if near or a.rules.players not in shown:
            shown[a.rules.players] = (a, b)
    return [shown[n] for n in sorted(shown)]


def _whom(study: Study, pairs: list[tuple[Setting, Setting]]) -> Part:
    """Who fights whom: the ghost's battles, and those of the players without it and with it."""
    with_ghost = [s for s in study.uniform() if s.rules.ghost]
    cells = Sheet(study, WHOM, settings=[*with_ghost, *(a for a, _ in pairs)])
    claim = Claim(
        "beside the ghost, players fight one another more",
        {f"{a.rules.players} players": Case(AMONG.difference(a.played, b.played)) for a, b in pairs},
        opposite="beside the ghost, players fight one another less",
        neither="beside the ghost, players fight one another about as often as without it",
    )
    without, own = next((pair for pair in pairs if study.reference in pair), pairs[-1])
    players = words.number(own.rules.players)
    facts = [
        f"with {players} players the ghost begins {cells.said('begun by the ghost', own)} of "
        f"{cells.said('in all', own)} battles a game; the players fight {cells.said('between players', own)} among "
        f"themselves, and {cells.said('between players', without)} where it does not sail."
    ]
    made = {
        f"{b.rules.players} players": [(name, cells.at(name, b), role) for name, role in WHOM_ROLES.items()]
        for _, b in pairs
    }
    table = cells.table("Who fights whom", note="battles per game", settings=with_ghost)
    alone = [cells.at("in all", a).value for a, _ in pairs]
    sub = f"Battles per game with the ghost; the upright mark: without it; {games_line([b for _, b in pairs])}"
    figure = stack("whom", "Who fights whom", sub, made, equals=alone)
    return Part(claim, facts, tables=[table], figures=[figure])


def _who_wins(cells: Sheet) -> Figure:
    return cells.stack("who", "Who wins a battle", "Share of all battles", WHO_WINS, "attacker wins", high=1.0)


def _parts(study: Study) -> list[Part]:
    pairs = _pairs(study)
    overview = sheet(
        study, "Battles", OVERVIEW,
        ["a game has {per game} battles; the attacker wins {attacker wins} of them, the defender {defender wins}",
         "a battle costs {gunpowder each} gunpowder"],
        ATTACK, note="shares of all battles, each counted once", figures=[] if pairs else [_who_wins],
        keys={"attacker wins": "of the battles go to the attacker", "defender wins": "go to the defender"},
    )  # fmt: skip
    loot = sheet(study, "What the winner of a battle takes", LOOT, note="share of all battles",
                 facts=["the winner takes gold in {gold} of all battles and nothing in {nothing}"])  # fmt: skip
    where = board(study, "battles", "Where battles are fought", overview.sheet, ("per game", "battles a game"))
    return [overview, *([_whom(study, pairs)] if pairs else []), loot, where]


CHAPTERS = chapter_of("battles", "Battles", _parts)
