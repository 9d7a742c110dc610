"""The sentences of a comparison: what its numbers say, in words to quote."""

import math
from collections.abc import Sequence

from jamaica_sim.comparison.numbers import Numbers
from jamaica_sim.play.game_table import seed_words
from jamaica_sim.variant import rules_told


def sentence(numbers: Numbers) -> str:
    """The result in one sentence to quote."""
    describe = _against if numbers.contest.against else _duel if numbers.is_duel else _lead
    result = describe(numbers)
    return f"{result}, {numbers.games:,} games, seed {seed_words(numbers.contest.seed, numbers.contest.luck)}."


def _duel(numbers: Numbers) -> str:
    points = "the players' points" if numbers.contest.rules.ghost else "the points"
    verdict = numbers.verdict(0, 1)
    first, second = (1, 0) if verdict == "worse" else (0, 1)
    names, share = (numbers.labels[first], numbers.labels[second]), numbers.share_of_points(first, second)
    if verdict in ("better", "worse"):
        return f"{names[0]} beats {names[1]} in {share:%} of {points}"
    if verdict == "equal":
        return (
            f"{names[0]} and {names[1]} are equal within {_points(numbers.plan.margin)} of win rate: "
            f"{names[0]} has {share:%} of {points}"
        )
    return f"{names[0]} and {names[1]} are too close to call: {names[0]} has {share:%} of {points}"


def _against(numbers: Numbers) -> str:
    name, *field = numbers.labels
    opponents = _and(field) if len(field) > 1 else field[0]
    even = f"at tables of {numbers.contest.rules.players}, where {100 * numbers.even:.3g}% is even"
    rate = f"it wins {numbers.win_rate(0):%} {even}"
    verdict = numbers.edge_verdict
    if verdict in ("better", "worse"):
        return f"{name} is {verdict} than the field of {opponents}: {rate}"
    if verdict == "equal":
        within = f"within {_points(numbers.plan.margin)} of win rate"
        return f"{name} and the field of {opponents} are equal {within}: {rate}"
    return f"{name} and the field of {opponents} are too close to call: {rate}"


def _lead(numbers: Numbers) -> str:
    leaders = [s for s in numbers.order if numbers.ranks[s].best == 1]
    names = [numbers.labels[s] for s in leaders]
    table = f"at tables of {numbers.contest.rules.players}, where {100 * numbers.even:.3g}% is even"
    field = f"{len(numbers.labels)} strategies"
    if len(names) == 1:
        return f"{names[0]} leads {field} with a win rate of {numbers.win_rate(leaders[0]):%} {table}"
    if len(names) == len(numbers.labels):
        return f"{field} cannot be told apart {table}"
    best = f"{names[0]} with a win rate of {numbers.win_rate(leaders[0]):%}"
    return f"{_and(names)} share the lead of {field}, {best} {table}"


def remarks(numbers: Numbers) -> list[str]:
    """Further findings, a sentence each."""
    if numbers.contest.against:
        edge = f"{numbers.labels[0]} wins {numbers.edge:%} more than an equal share"
        return [f"{edge}; it had one ship at every table, once in every seat of each deal."]
    if numbers.is_duel:
        return [_pairing_remark(numbers)]
    return [_circle_remark(numbers), _verdict_remark(numbers)]


def _pairing_remark(numbers: Numbers) -> str:
    gain = numbers.pairing_gain * numbers.luck_gain
    if not math.isfinite(gain):
        return "The same deals cancel all luck: with seats exchanged, every deal ended as before."
    needed = round(gain * numbers.games, -2 if numbers.games >= 1000 else 0)
    if gain < 1:
        return f"The same deals did not save games here: independent ones would have needed about {needed:,.0f}."
    luck = "" if numbers.luck_gain == 1 else " and known luck"
    return (
        f"The same deals{luck} saved {1 - 1 / gain:.0%} of the games: independent ones would have needed about "
        f"{needed:,.0f} for the same interval."
    )


def _circle_remark(numbers: Numbers) -> str:
    transitivity = numbers.transitivity
    if transitivity.verdict == "transitive":
        return "The field is transitive: whoever finishes ahead of a strategy is also ahead of all that it beats."
    if transitivity.verdict == "undecided":
        close = transitivity.pairs - transitivity.settled
        pairs = f"{close} of {transitivity.pairs} pairs {'is' if close == 1 else 'are'}"
        return f"No circle was found, but {pairs} too close to say who finishes ahead."
    if not transitivity.cycles:
        return "The field is not transitive: there is a circle of four or more strategies."
    a, b, c = transitivity.cycles[0]
    shares = ", ".join(f"{numbers.ahead(*pair).value:.1%}" for pair in ((a, b), (b, c), (c, a)))
    names = [numbers.labels[s] for s in (a, b, c)]
    return (
        f"Rock, paper, scissors: {names[0]} finishes ahead of {names[1]}, {names[1]} of {names[2]} and "
        f"{names[2]} of {names[0]} ({shares})."
    )


def _verdict_remark(numbers: Numbers) -> str:
    verdicts = list(numbers.verdicts.values())
    equal, unclear = verdicts.count("equal"), verdicts.count("undecided")
    return (
        f"Of {len(verdicts)} pairs at common tables: {len(verdicts) - equal - unclear} differ in win rate, "
        f"{equal} equal within {_points(numbers.plan.margin)}, {unclear} undecided."
    )


def circumstances(numbers: Numbers) -> str:
    """What was played, in one sentence."""
    rules, design = numbers.contest.rules, numbers.contest.design
    kind = "confidence sequences" if numbers.plan.until_verdict else "intervals"
    stopped = "" if numbers.complete else "; stopped early"
    return (
        f"{rules_told(rules)}: {numbers.deals:,} deals, each played in "
        f"{design.games_in_deal} seatings; {100 * numbers.confidence:.4g}% {kind} over deals{stopped}."
    )


def _points(margin: float) -> str:
    points = f"{100 * margin:.4g}"
    return f"{points} point{'s' * (points != '1')}"


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
