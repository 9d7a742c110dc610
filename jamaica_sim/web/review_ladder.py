"""An error rate on the skill ladder: what part of its choices a champion of the same strength takes at random.

`python benchmarks/coach.py ladder` measures the rates, against champions.
"""

from collections.abc import Iterable
from math import hypot, isinf

import numpy as np

from jamaica_sim.game.rules import Rules
from jamaica_sim.web.review import Value

AT_RANDOM = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5)  # shares of the champion's choices
Kind = tuple[int, bool] | None  # players, and whether there is a ghost; none for changed rules
GAMES = 50
LADDER: dict[Kind, tuple[Value, ...]] = {  # in GAMES games each
    kind: tuple(Value(points, half) for points, half in rungs)
    for kind, rungs in {
        (4, False): ((8.1, 3.2), (11.6, 3.5), (14.6, 4.0), (19.5, 4.9), (23.7, 4.7), (24.0, 4.5)),
        (2, True): ((10.0, 4.5), (17.6, 4.0), (24.3, 4.7), (35.2, 6.6), (45.1, 7.4), (47.3, 8.3)),
    }.items()
}
RANKED: dict[Kind, dict[str, Value]] = {
    (4, False): {
        "balanced": Value(15.5, 4.4),
        "champion": Value(6.6, 2.6),
        "master": Value(3.1, 2.0),
        "searcher": Value(1.7, 0.9),
    }
}


def kind_of(rules: Rules) -> Kind:
    """The kind of table by which the ladder is chosen: the editions share one, changed rules have none."""
    printed = Rules(players=rules.players, edition=rules.edition, ghost=rules.ghost)
    return (rules.players, bool(rules.ghost)) if rules == printed else None


def as_champion(error: Value, tables: Iterable[Rules]) -> str:
    """Which champion loses as much; nothing without an interval, or where no ladder was measured for all tables."""
    kinds = {kind_of(rules) for rules in tables}
    ladder = LADDER.get(kinds.pop()) if len(kinds) == 1 else None
    if ladder is None or isinf(error.half):
        return ""
    points = [rung.points for rung in ladder]
    half = hypot(error.half, float(np.interp(error.points, points, [rung.half for rung in ladder])))

    def share(rate: float) -> str:
        return "half or more" if rate >= points[-1] else f"{100 * np.interp(rate, points, AT_RANDOM):.0f}%"

    ends = " to ".join(dict.fromkeys([share(error.points - half), share(error.points + half)]))
    worth = f"95%: {ends} at random"
    if error.points >= points[-1]:
        return f"at beginner level, or below ({worth})"
    is_equal = error.points <= points[0]
    erring = "" if is_equal else f" with {share(error.points)} of its choices at random"
    return f"about as good as champion{erring} ({worth})"


def ranking_at(rules: Rules) -> str:
    """The error rates of strategies at this kind of table, in words; nothing where they were not measured."""
    ranked = RANKED.get(kind_of(rules), {})
    told = ", ".join(f"{name} {value}" for name, value in ranked.items())
    return f"For comparison, against champions, {GAMES} games each: {told}." if told else ""
