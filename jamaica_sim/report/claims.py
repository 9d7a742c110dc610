"""What the 2021 rulebook says about its ghost ship, each claim as a hypothesis with an effect size and a verdict.

Differences are between games with and without the ghost ship on the same deals. Verdicts use intervals that are wider
than those shown, so that all of them together are wrong with a chance of at most 5% (Bonferroni).
"""

import math
from dataclasses import dataclass

from jamaica_sim.experiment.setting import Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.results.measures import BATTLES, PACE, ROUNDS, SHORTAGES, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

NOT_RARE = 0.1  # a share of the games that nobody would call rare: one in ten
SMALL = 0.2  # Cohen (1988): an effect that one hardly notices
HOLDS, SMALL_HOLDS, FAILS = "holds", "holds, but small", "does not hold"
OPPOSITE, NO_CHANGE, OPEN = "the opposite holds", "no change to speak of", "undecided"


@dataclass(frozen=True)
class Claim:
    """A claim about what the ghost ship changes: the measure, and whether it should rise (1) or fall (-1)."""

    words: str
    short: str
    measure: Measure
    direction: int


RARELY = "It is not rare that the ghost ship wins"
CLAIMS = (
    Claim("It brings more battles", "more battles", BATTLES, 1),
    Claim("It brings more turns", "more turns", ROUNDS, 1),
    Claim("It brings more shortages", "more shortages", SHORTAGES, 1),
    Claim("It slows the game down", "a slower game", PACE, -1),
)


def standardised(claim: Claim, without: Setting, with_ghost: Setting) -> Estimate:
    """The change in standard deviations of a single game without the ghost ship, in the direction that is claimed."""
    found = claim.measure.effect_interval(without.results, with_ghost.results)
    if claim.direction > 0:
        return found
    return Estimate(-found.value, -found.high, -found.low, found.n)


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
    """Whether a win rate is surely above, or surely below, a share that nobody would call rare."""
    return HOLDS if wide.low > NOT_RARE else FAILS if wide.high < NOT_RARE else OPEN


def tests_made(study: Study) -> int:
    """How many verdicts a study asks for."""
    return len(ghost_settings(study)) + len(CLAIMS) * len(study.contrasts("ghost"))


def ghost_settings(study: Study) -> list[Setting]:
    """The settings with the ghost ship, few players first."""
    return sorted((s for s in study.settings if s.rules.ghost), key=lambda s: s.rules.players)


def contrasts(study: Study) -> list[tuple[Setting, Setting]]:
    """Pairs of settings without and with the ghost ship, few players first."""
    return sorted(study.contrasts("ghost"), key=lambda pair: pair[0].rules.players)


def short_label(study: Study, setting: Setting) -> str:
    """A setting in words, without a word about the ghost."""
    names = [name for name in study.varying if name != "ghost"]
    return label_of(setting, names or ["players"]).replace(" and ghost", "")


def verdict_on_wins(study: Study, setting: Setting) -> str:
    """Whether it is not rare that the ghost ship wins."""
    results = setting.results
    shares = results.sums.group("ghost ship", "win") / results.sums.games
    return judge_win_rate(jackknife(shares, results.games, 1 - 0.05 / tests_made(study)))


def win_rate_table(study: Study) -> ResultTable:
    """The first claim: how often the ghost ship wins, against one game in ten and against an equal share."""
    rows = []
    for setting in ghost_settings(study):
        results, even = setting.results, 1 / setting.rules.ships
        rate = results.ghost_win_rate
        effect = f"{cohen_h(rate.value, even):.2f}"
        rows.append((short_label(study, setting), rate, f"{even:.1%}", effect, verdict_on_wins(study, setting)))
    columns = ("table", "ghost's win rate", "equal share", "effect size h", "verdict")
    note = f"not rare: at least one game in {1 / NOT_RARE:.0f}; h is against an equal share"
    return ResultTable(RARELY, columns, rows, frozenset({"ghost's win rate"}), note)


def claim_table(study: Study, claim: Claim) -> ResultTable:
    """One claim at every table that was played both ways."""
    confidence, measure = 1 - 0.05 / tests_made(study), claim.measure
    rows = []
    for without, with_ghost in contrasts(study):
        wide = measure.difference(without.results, with_ghost.results, confidence)
        rows.append(
            (
                short_label(study, without),
                measure.of(without.results),
                measure.of(with_ghost.results),
                measure.difference(without.results, with_ghost.results),
                standardised(claim, without, with_ghost),
                judge(wide, measure.spread(without.results), claim.direction),
            )
        )
    columns = ("table", "without", "with", "difference", "effect size d", "verdict")
    note = f"{measure.column} per game; d in the direction that is claimed"
    return ResultTable(claim.words, columns, rows, note=note)


def summary_table(tables: list[ResultTable]) -> ResultTable:
    """All claims in one table: at how many tables each holds, and its overall verdict."""
    rows = []
    for table in tables:
        verdicts = [row[-1] for row in table.rows]
        held = sum(verdict in (HOLDS, SMALL_HOLDS) for verdict in verdicts)
        rows.append((table.title, f"{held} of {len(verdicts)}", overall(verdicts)))
    return ResultTable("The claims", ("claim", "holds at", "verdict"), rows)


def overall(verdicts: list[str]) -> str:
    """One verdict from the verdicts of all tables."""
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
