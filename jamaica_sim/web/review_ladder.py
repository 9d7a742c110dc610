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
        (4, False): ((6.8, 3.1), (10.4, 3.2), (13.7, 3.6), (19.0, 4.4), (24.1, 4.4), (25.7, 4.7)),
        (2, True): ((9.0, 4.5), (16.3, 4.1), (22.9, 4.8), (33.8, 6.6), (44.5, 7.3), (48.4, 8.0)),
    }.items()
}
RANKED: dict[Kind, dict[str, Value]] = {
    (4, False): {
        "balanced": Value(15.2, 4.5),
        "champion": Value(5.3, 2.7),
        "searcher": Value(1.4, 1.4),
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
