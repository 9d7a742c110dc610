"""Shortages: how many, where, when, of what, and how ships that run short fare."""

from jamaica_sim.report.chapter import Figure, rate_of
from jamaica_sim.report.figures import at_equal
from jamaica_sim.report.parts import Part, Test, board, chapter_of, sheet
from jamaica_sim.report.sheet import Sheet, per_player, quantity, ratio, win_rate
from jamaica_sim.results.measures import SHORT, SHORTAGES, SHORTAGES_EACH, Measure
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.study.experiment.study import Study

LEVELS = {"none": "no shortage", "one": "one shortage", "two": "two shortages", "three or more": "three or more"}


def after(level: int) -> Measure:
    """The win rate of the ships with this many shortages; the last level includes all above."""
    return win_rate(lambda results: results.sums.ships_and_wins("shortages", level))


def cost_of_shortages(results: Results) -> Estimate:
    """The win rate of ships that never ran short less that of ships that ran short three times or more, in points."""
    many = results.sums.ships_and_wins("shortages", len(LEVELS) - 1)
    less = rate_of(*results.sums.ships_and_wins("shortages", 0)) - rate_of(*many)
    return jackknife(less, min(int(many[0][0]), results.games)).scaled(100)


OVERVIEW = {
    "per game": SHORTAGES,
    "per ship": SHORTAGES_EACH,
    "games with one": SHORT,
    "ships with one": per_player("short", True),
    "at ports": quantity("gold_shortages"),
    "at sea": quantity("food_shortages"),
    "share at ports": ratio("gold_shortages", "shortages"),
    "ship was ahead": ratio("shortages_ahead", "shortages"),
    "ship was behind": ratio("shortages_behind", "shortages"),
}
NOTE = (
    "at ports for lack of doubloons, at sea for lack of food; ahead and behind: of the mean of the other ships when "
    "the round began, share of the shortages"
)
COST = "none less three, points"
COSTS = {word: after(level) for level, word in enumerate(LEVELS)} | {COST: cost_of_shortages}
PORTS = Test(
    "share at ports",
    "more shortages are at ports (no gold) than at sea (no food)",
    "more shortages are at sea (no food) than at ports (no gold)",
    "about as many shortages are at ports (no gold) as at sea (no food)",
    0.5,
)
NEVER = Test(
    COST,
    "ships that never run short win more often than ships that do three times or more",
    "ships that run short three times or more win more often than ships that never do",
    "whether a ship runs short makes no clear difference to its win rate",
)


def _cost_figure(cells: Sheet) -> Figure:
    title, even = "Win rate by number of shortages", at_equal(1 / cells.study.reference.rules.ships)
    return cells.by_column("cost", title, "Share of their games that ships win", LEVELS, **even)


def _parts(study: Study) -> list[Part]:
    is_none = not SHORTAGES.of(study.reference.played).value
    facts = [
        "a game has {per game} shortages, {per ship} for each player's ship",
        "{games with one} of the games have at least one; {share at ports} of the shortages are at ports",
    ]
    overview = sheet(
        study, "Shortages", OVERVIEW, ["no ship ran short in these games"] if is_none else facts,
        None if is_none else PORTS, note=NOTE, keys={"per game": "shortages in a game"},
    )  # fmt: skip
    middle = ("share at ports", "of them at ports")
    where = board(study, "shortages", "Where ships run short", overview.sheet, middle, rounds=True)
    if is_none:
        return [overview, where]
    cost = sheet(
        study, "Win rate by shortages of the ship", COSTS,
        ["ships that never run short win {none} of their games, those that do three times or more {three or more}",
         "a long game has more shortages, so these win rates do not say what one shortage costs"],
        NEVER, note="players' ships", figures=[_cost_figure],
    )  # fmt: skip
    return [where, overview, cost]


CHAPTERS = chapter_of("shortages", "Shortages", _parts)
