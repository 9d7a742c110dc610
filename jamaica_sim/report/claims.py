"""What the 2021 rulebook says about its ghost ship, each claim as a hypothesis with an effect size and a verdict.

Differences are between games with and without the ghost ship on the same deals. Verdicts use intervals that are wider
than those shown, so that all of them together are wrong with a chance of at most 5% (Bonferroni).
"""

import math
from dataclasses import dataclass

from jamaica_sim.codes import WIN_UNITS
from jamaica_sim.experiment.setting import Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife, jackknife_error
from jamaica_sim.tally.layout import GAME_QUANTITIES

NOT_RARE = 0.1  # a share of the games that nobody would call rare: one in ten
SMALL = 0.2  # Cohen (1988): an effect that one hardly notices
HOLDS, SMALL_HOLDS, FAILS = "holds", "holds, but small", "does not hold"
OPPOSITE, NO_CHANGE, OPEN = "the opposite holds", "no change to speak of", "undecided"


@dataclass(frozen=True)
class Claim:
    """A claim about what the ghost ship changes: the measure, and whether it should rise (1) or fall (-1)."""

    words: str
    measure: str
    direction: int
    numerator: str
    per_ship_and_round: bool = False


RARELY = "It is not rare that the ghost ship wins"
CLAIMS = (
    Claim("It brings more battles", "battles per game", 1, "battles"),
    Claim("It brings more turns", "rounds per game", 1, "rounds"),
    Claim("It brings more shortages", "shortages per game", 1, "shortages"),
    Claim("It slows the game down", "spaces gained per ship and round", -1, "progress", per_ship_and_round=True),
)


def measured(claim: Claim, results: Results):
    """The claim's measure over all games, and over all but each part of them."""
    sums = results.sums
    if claim.per_ship_and_round:
        return sums.game(claim.numerator) / sums.game("rounds") / results.table.rules.players
    return sums.game(claim.numerator) / sums.games


def measure_of(claim: Claim, results: Results) -> Estimate:
    """The claim's measure with its interval."""
    return jackknife(measured(claim, results), results.games)


def change(claim: Claim, without: Setting, with_ghost: Setting, confidence: float = 0.95) -> Estimate:
    """What the ghost ship changes in the claim's measure, on the same deals."""
    values = measured(claim, with_ghost.results) - measured(claim, without.results)
    return jackknife(values, with_ghost.games, confidence)


def standardised(claim: Claim, without: Setting, with_ghost: Setting) -> Estimate:
    """The change in standard deviations of a single game without the ghost ship, in the direction that is claimed."""
    spread = spread_of(claim, without.results) * claim.direction
    difference = change(claim, without, with_ghost)
    ends = sorted((difference.low / spread, difference.high / spread)) if spread else (-math.inf, math.inf)
    return Estimate(difference.value / spread if spread else math.nan, *ends, difference.n)


def spread_of(claim: Claim, results: Results) -> float:
    """The standard deviation of the measure from game to game."""
    if not claim.per_ship_and_round:
        return game_spread(results, claim.numerator)
    return jackknife_error(measured(claim, results)) * math.sqrt(results.games)


def game_spread(results: Results, quantity: str) -> float:
    """The standard deviation of a quantity from game to game."""
    total, squares = (int(v) for v in results.tally["by_game"][GAME_QUANTITIES.index(quantity)])
    scale = WIN_UNITS if quantity.endswith("_wins") else 1
    games = results.games
    return math.sqrt(max(0, games * squares - total * total)) / games / scale


def judge(wide: Estimate, spread: float, direction: int) -> str:
    """The verdict on a change, from its wide interval and the standard deviation of a single game."""
    if math.isnan(wide.value):
        return OPEN
    if wide.low <= 0 <= wide.high:
        return NO_CHANGE if max(-wide.low, wide.high) < SMALL * spread else OPEN
    if (wide.value > 0) != (direction > 0):
        return OPPOSITE
    return HOLDS if abs(wide.value) >= SMALL * spread else SMALL_HOLDS


def judge_win_rate(wide: Estimate) -> str:
    """Whether a win rate is surely above, or surely below, what nobody would call rare."""
    return HOLDS if wide.low > NOT_RARE else FAILS if wide.high < NOT_RARE else OPEN


def tests_made(study: Study) -> int:
    """How many verdicts a study asks for."""
    return len(ghost_settings(study)) + len(CLAIMS) * len(study.contrasts("ghost"))


def ghost_settings(study: Study) -> list[Setting]:
    """The settings with the ghost ship, few players first."""
    return sorted((s for s in study.settings if s.rules.ghost), key=lambda s: s.rules.players)


def short_label(study: Study, setting: Setting) -> str:
    """A setting without saying whether the ghost is there."""
    names = [name for name in study.varying if name != "ghost"]
    return label_of(setting, names or ["players"]).replace(" and ghost", "")


def win_rate_table(study: Study) -> ResultTable:
    """The first claim: how often the ghost ship wins, against one game in ten and against an equal share."""
    confidence = 1 - 0.05 / tests_made(study)
    rows = []
    for setting in ghost_settings(study):
        results = setting.results
        shares = results.sums.group("ghost ship", "win") / results.sums.games
        verdict = judge_win_rate(jackknife(shares, results.games, confidence))
        rows.append(
            (
                short_label(study, setting),
                results.ghost_win_rate,
                f"{1 / results.table.rules.ships:.1%}",
                shares_apart(results.ghost_win_rate.value, 1 / results.table.rules.ships),
                verdict,
            )
        )
    columns = ("table", "ghost's win rate", "equal share", "effect size h", "verdict")
    note = f"not rare: at least one game in {1 / NOT_RARE:.0f}"
    return ResultTable(RARELY, columns, rows, frozenset({"ghost's win rate"}), note)


def shares_apart(share: float, other: float) -> str:
    """Cohen's h (1988) of two shares, with its sign."""
    return f"{cohen_h(share, other):.2f}"


def claim_table(study: Study, claim: Claim) -> ResultTable:
    """One claim at every table that was played both ways."""
    confidence = 1 - 0.05 / tests_made(study)
    rows = []
    for without, with_ghost in _contrasts(study):
        wide = change(claim, without, with_ghost, confidence)
        rows.append(
            (
                short_label(study, without),
                measure_of(claim, without.results),
                measure_of(claim, with_ghost.results),
                change(claim, without, with_ghost),
                standardised(claim, without, with_ghost),
                judge(wide, spread_of(claim, without.results), claim.direction),
            )
        )
    columns = ("table", "without", "with", "difference", "effect size d", "verdict")
    return ResultTable(claim.words, columns, rows, note=claim.measure)


def _contrasts(study):
    return sorted(study.contrasts("ghost"), key=lambda pair: pair[0].rules.players)


def effects(study: Study) -> dict:
    """For a chart: the standardised change by claim and table."""
    return {
        claim.measure: {short_label(study, pair[0]): standardised(claim, *pair) for pair in _contrasts(study)}
        for claim in CLAIMS
    }


def summary_table(tables: list[ResultTable]) -> ResultTable:
    """All claims in one table: at how many tables each verdict was reached, and over all."""
    rows = []
    for section in tables:
        verdicts = [row[-1] for row in section.rows]
        held = sum(verdict in (HOLDS, SMALL_HOLDS) for verdict in verdicts)
        rows.append((section.title, section.note, f"{held} of {len(verdicts)}", overall(verdicts)))
    return ResultTable("The claims", ("claim", "measure", "holds at", "verdict"), rows)


def overall(verdicts: list[str]) -> str:
    """One verdict from those of all tables."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    good = [verdict in (HOLDS, SMALL_HOLDS) for verdict in verdicts]
    if all(good):
        return "holds, at some tables but small"
    return "depends on the table" if any(good) else "not shown"


def all_tables(study: Study) -> list[ResultTable]:
    """The claims that this study can test, one table each."""
    tables = [win_rate_table(study)] if ghost_settings(study) else []
    return tables + [claim_table(study, claim) for claim in CLAIMS if study.contrasts("ghost")]
