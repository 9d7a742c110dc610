"""What if: the game with another card, or any other answer, and the same luck; and what each answer was worth."""

from collections import Counter
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import shown
from jamaica_sim.files.limits import is_number, whole_games
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import listed
from jamaica_sim.play.compile_ahead import WHAT_IF, compile_missing
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions, Position
from jamaica_sim.play.trace import Trace, replay_table, result_of
from jamaica_sim.replays.box import Box, box_of
from jamaica_sim.replays.chances import advise
from jamaica_sim.replays.chances_told import half_width
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.strategy.option_words import COLOURS, option_words, ship_names

CARD = "choose_card"


def choice_at(positions: GamePositions, round_number: int, ship: str | int, decision: str = CARD) -> Position:
    """The position in which a player chose in a round. A ship is named by seat, `ship2`, or by colour, `Green`.

    `decision` is a decision point; where a round has several of the same, `choose_loot:2` is the second of them.
    """
    players = positions.table.rules.players
    seats = {colour.lower(): seat for seat, colour in enumerate(COLOURS[:players])}
    seats |= {f"ship{seat}": seat for seat in range(players)} | {str(seat): seat for seat in range(players)}
    if str(ship).lower() not in seats:
        raise UserError(f"there is no ship {ship!r}: there are {', '.join(COLOURS[:players])}.")
    rounds = positions.all[-1].round  # of a game that is not over, those so far
    if not 1 <= round_number <= rounds:
        raise UserError(f"the game has the rounds 1 to {rounds}, not {round_number}.")
    choices = choices_of(positions, round_number, seats[str(ship).lower()])
    position = choices.get(decision) or choices.get(f"{decision}:1") or choices.get(decision.removesuffix(":1"))
    if position is None:
        if decision == CARD:
            raise UserError(f"in round {round_number} this ship had only one card to choose.")
        there = listed([*choices]) if choices else "none"
        raise UserError(f"in round {round_number} this ship had no decision {decision!r}: it had {there}.")
    return position


def choices_of(positions: GamePositions, round_number: int, player: int) -> dict[str, Position]:
    """A player's choices in a round, by decision point; `choose_loot:2` is the second of several."""
    its = [p for p in positions.decisions() if (p.round, p.player) == (round_number, player)]
    asked = Counter(position.decision for position in its)
    found: dict[str, Position] = {}
    for position in its:
        name = position.decision
        times = sum(other.partition(":")[0] == name for other in found)
        found[f"{name}:{times + 1}" if asked[name] > 1 else name] = position
    return found


def answer_of(position: Position, box: Box, answer: str | int) -> int:
    """The number of a legal answer, from its words, such as `gold/gold` or `space 12`, or its number."""
    names = _names(box.rules)
    told = {option_words(position, option, box.rules, names): option for option in reversed(position.options)}
    text = str(answer).lower().replace(" ", "")
    chosen = {words.lower().replace(" ", ""): option for words, option in told.items()}.get(text)
    chosen = int(text) if chosen is None and is_number(text) else chosen
    if chosen not in position.options:
        there = ", ".join(f"{words} ({option})" for words, option in reversed(told.items()))
        what = "card" if position.decision == CARD else "answer"
        raise UserError(f"there is no {what} {shown(answer)}: there are {there}.")
    return int(chosen)


def _names(rules: Rules) -> list[str]:
    return ship_names(rules.players, bool(rules.ghost))


def with_answer(positions: GamePositions, trace: Trace, position: Position, answer: int) -> Trace:
    """The trace of the game with another answer; its configuration says what was changed."""
    row, events = positions.retold(position, answer)
    changed: dict[str, Any] = {"round": position.round, "ship": position.player}
    if position.decision == CARD:
        changed |= {"card": answer}
    else:
        rules = positions.table.rules
        words = option_words(position, answer, rules, _names(rules))
        changed |= {"decision": position.decision, "answer": answer, "words": words}
    config = trace["config"] | {"what_if": changed}
    events = trace["events"][: position.event] + events
    return {**trace, "config": config, "events": events, "result": result_of(row, len(trace["result"]["scores"]))}


def replay_what_if(
    game: int,
    round_number: int,
    ship: str | int,
    answer: str | int,
    decision: str = CARD,
    *,
    rules: Rules | None = None,
    strategies: Any = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> Trace:
    """One game as it would have gone on with another card, or another answer: a trace, as `replay` gives it.

    `decision` is a decision point, such as "choose_space"; "choose_loot:2" is the second of several in the round.

    Examples
    --------
    >>> from jamaica_sim import replay_what_if
    >>> replay_what_if(42, 5, "Green", "backward/forward")["config"]["what_if"]
    {'round': 5, 'ship': 2, 'card': 5}
    """
    table = seat_table(rules, strategies, seed, luck, **rule_changes)
    compile_missing(table.strategies, WHAT_IF)
    trace, positions = replay_table(table, game), GamePositions(table, game)
    position = choice_at(positions, round_number, ship, decision)
    return with_answer(positions, trace, position, answer_of(position, box_of(trace, table.rules), answer))


def replay_advice(
    game: int,
    round_number: int,
    ship: str | int,
    games: int = 1000,
    decision: str = CARD,
    *,
    rules: Rules | None = None,
    strategies: Any = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> dict[str, Estimate]:
    """A ship's chance to win with each card of its hand, or each answer, by what it knows.

    Each is from `games` games played on. `decision` is a decision point, as for `replay_what_if`.

    Examples
    --------
    >>> from jamaica_sim import replay_advice
    >>> sorted(replay_advice(42, 5, "Green", games=20))
    ['backward/forward', 'food/gunpowder', 'forward/backward']
    """
    games, table = whole_games(games), seat_table(rules, strategies, seed, luck, **rule_changes)
    compile_missing(table.strategies, WHAT_IF)
    trace, positions = replay_table(table, game), GamePositions(table, game)
    position, box = choice_at(positions, round_number, ship, decision), box_of(trace, table.rules)
    names, found = _names(table.rules), {}
    for answer, chances in advise(positions, position, games).chances.items():
        chance, half = chances.of(position.player), half_width(chances.of(position.player), games)
        found[option_words(position, answer, box.rules, names)] = Estimate(
            chance, max(0.0, chance - half), min(1.0, chance + half), games
        )
    return dict(sorted(found.items(), key=lambda item: -item[1].value))
