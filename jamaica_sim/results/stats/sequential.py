"""Deciding while the games run: verdicts and intervals that hold however often one looks.

Everything is computed from running moments of deal values (n, sum, sum of squares). One may look after every deal
without raising the error rate, and no deal has to be kept. A deal is one game number played in several
seatings; its value is bounded by `span`.

A verdict comes from e-processes, one for each end of the margin and one for each side of zero (`verdict`). An interval
is a confidence sequence (`confidence_sequence`), the asymptotic one of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas
(2024), "Time-uniform central limit theory and asymptotic confidence sequences", Proposition 2.5. Both are tuned by the
variance that the deals have shown so far, and both run on the sum of squares: deals that have hardly varied yet count
as little evidence, not as certainty. So they keep their error rates on rare events too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, Literal

import numpy as np
from scipy import special

from jamaica_sim.results.stats.estimate import UNSEEN_SQUARES, Estimate, mean_about, squares_about_mean

Verdict = Literal["better", "worse", "equal", "undecided"]

# Before this many deals the normal approximation is not trusted and nothing is decided.
MIN_DEALS = 50

# Alternatives, in margins from the hypothesis, chosen by simulation. Against an end of the margin there is one. It is
# nearer to that end than zero is, because both ends must be rejected and chance favours one of them. Against zero there
# is a ladder, each rung twice as far and half as likely, so that a large difference is found at once.
END_ALTERNATIVE = 0.7
LADDER = tuple((0.7 * 2**rung, 0.5 ** (rung + 1)) for rung in range(10))

# No stake above this share of 1 / span: with larger ones the next term of the expansion of a bet would count.
MOST_STAKE = 0.5

# A confidence sequence is narrowest when the sum of squares is this many times variance² / margin². That lies between
# the first look and a verdict of "equal", which comes at about 10, so the width is within a tenth of its best at both.
TUNING = 1.5
# Least sum of squares to tune for, per squared log of alpha. Tuned for less, the sequence
# would decide while the sums of skewed values are still far from normal.
MIN_TUNING = 6.0


def log_evidence(
    n: Any, lead: Any, squares: Any, margin: float, span: float, alternatives: Sequence[tuple[float, float]] = LADDER
) -> Any:
    """The logarithm of an e-process against a mean of at most c: a bet that wins when deals lie above c.

    A mixture of exp(stake · lead - stake² · squares / 2). Each is the likelihood ratio of a normal mean some margins
    above c against c, with the variance of the deals so far (Wald 1945; Robbins 1970, mixtures; Howard et al. 2021,
    e-processes of sums). Where the mean is at most c, the chance that the result ever exceeds log(1 / alpha) is at most
    alpha. `lead` is the sum of the deal values minus n c, `squares` that of their squared deviations from the mean,
    `span` the largest absolute value. `alternatives` are distances from c, in margins, with weights of at most 1 in
    all.
    """
    seen = np.asarray(squares) + UNSEEN_SQUARES * span**2
    bets = []
    for distance, weight in alternatives:
        stake = np.minimum(distance * margin * n / seen, MOST_STAKE / span)
        bets.append(math.log(weight) + stake * lead - stake**2 * seen / 2)
    return np.logaddexp.reduce(bets, axis=0)


def verdicts(n: Any, total: Any, squares: Any, margin: float, alpha: float, span: float) -> tuple[Any, Any, Any]:
    """Whether the deals so far support "equal", "better" and "worse", as three truth values or arrays of them.

    "equal" rejects both ends of the margin, each at alpha. Only one of the two can be true, so the chance of a wrong
    "equal" is at most alpha (Berger 1982). "better" and "worse" reject zero, each at alpha / 2.
    """
    end = ((END_ALTERNATIVE, 1.0),)
    room = n * margin
    below, above = (log_evidence(n, room - sign * total, squares, margin, span, end) for sign in (1, -1))
    better, worse = (log_evidence(n, sign * total, squares, margin, span) for sign in (1, -1))
    is_equal = np.minimum(below, above) >= -math.log(alpha)
    is_enough = np.asarray(n) >= MIN_DEALS
    is_better, is_worse = (is_enough & ~is_equal & (side >= -math.log(alpha / 2)) for side in (better, worse))
    return is_enough & is_equal, is_better, is_worse


def verdict(
    n: int, total: int, total_sq: int, margin: float, alpha: float = 0.05, *, scale: int = 1, span: float = 1.0
) -> Verdict:
    """What the deals played so far say about the sign and size of the mean. Ask as often as you like.

    "equal": the mean lies within the margin, whatever its sign; otherwise "better" or "worse": it is above or below
    zero; otherwise "undecided". With a mean of zero the chance of ever hearing "better" or "worse" is at most alpha;
    with one outside the margin that of ever hearing "equal". Parameters as in `confidence_sequence`.
    """
    squares, n = squares_about_mean(n, total, total_sq)
    if n < MIN_DEALS:
        return "undecided"
    is_equal, is_better, is_worse = verdicts(n, index(total) / scale, squares / scale**2, margin, alpha, span)
    return "equal" if is_equal else "better" if is_better else "worse" if is_worse else "undecided"


def sequence_half_width(n: Any, squares: Any, margin: float, alpha: float = 0.05, span: float = 1.0) -> Any:
    """Half-width of the confidence sequence after n deals with this sum of squared deviations.

    Waudby-Smith et al. (2024), Proposition 2.5, with rho from Howard et al. (2021), Proposition 3: narrowest at
    `TUNING` times the squared variance over the squared margin.
    """
    seen = np.asarray(squares) / span**2 + UNSEEN_SQUARES
    tuned = np.maximum(MIN_TUNING * math.log(alpha) ** 2, TUNING * (seen / n * span / margin) ** 2)
    rho_sq = (-special.lambertw(-(alpha**2) / math.e, -1).real - 1) / tuned
    growth = seen * rho_sq + 1
    return span * np.sqrt(growth / rho_sq * np.log(growth / alpha**2)) / n


def confidence_sequence(
    n: int, total: int, total_sq: int, margin: float, alpha: float = 0.05, *, scale: int = 1, span: float = 1.0
) -> Estimate:
    """Interval for the mean deal value that holds at all looks together, with infinite ends before `MIN_DEALS`.

    From the number of deals, the sum of their integer values and of the squares. `margin` decides only after how many
    deals the sequence is narrowest; `alpha` is the chance that it ever misses the mean; `scale` is how many integer
    units make 1.0, `span` the largest absolute value after scaling.
    """
    squares, n = squares_about_mean(n, total, total_sq)
    half_width = sequence_half_width(n, squares / scale**2, margin, alpha, span) if n >= MIN_DEALS else math.inf
    return mean_about(n, total, scale, half_width)


def judge(difference: Estimate, margin: float) -> Verdict:
    """The verdict that one interval for a difference supports, in the order of precedence of `verdict`."""
    if -margin < difference.low and difference.high < margin:
        return "equal"
    if difference.low > 0:
        return "better"
    if difference.high < 0:
        return "worse"
    return "undecided"
