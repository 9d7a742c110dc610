"""What if: the game with another card and the same luck, and what each card was worth."""

from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.play.compile_ahead import WHAT_IF, compile_missing
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions, Position
from jamaica_sim.replays.box import Box, box_of
from jamaica_sim.replays.chances import advise
from jamaica_sim.replays.chances_told import half_width
from jamaica_sim.replays.replay import replay_table
from jamaica_sim.replays.trace import Trace, result_of
from jamaica_sim.replays.words import card_name
from jamaica_sim.rules import Rules
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.strategy.option_words import COLOURS


def card_choice(positions: GamePositions, trace: Trace, round_number: int, ship: str | int) -> Position:
    """The position where a ship chose its card in a round. A ship is named by seat, `ship2`, or by colour, `Green`."""
    players = trace["config"]["players"]
    seats = {colour.lower(): seat for seat, colour in enumerate(COLOURS[:players])}
    seats |= {f"ship{seat}": seat for seat in range(players)} | {str(seat): seat for seat in range(players)}
    if str(ship).lower() not in seats:
        raise UserError(f"there is no ship {ship!r}: there are {', '.join(COLOURS[:players])}.")
    rounds = positions.all[-1].round  # of a game that is not over, those so far
    if not 1 <= round_number <= rounds:
        raise UserError(f"the game has the rounds 1 to {rounds}, not {round_number}.")
    position = positions.choice(round_number, seats[str(ship).lower()])
    if position is None:
        raise UserError(f"in round {round_number} this ship had only one card to choose.")
    return position


def card_in_hand(position: Position, box: Box, card: str | int) -> int:
    """The number of a card that the ship could choose, from its symbols, such as `gold/gold`, or its number."""
    hand = {card_name(box, held): held for held in position.options}
    text = str(card).lower().replace(" ", "")
    chosen = hand.get(text, int(text) if text.isdecimal() else -1)
    if chosen not in position.options:
        raise UserError(f"there is no card {card!r} in the hand: it has {', '.join(hand)}.")
    return chosen


def with_card(positions: GamePositions, trace: Trace, position: Position, card: int) -> Trace:
    """The trace of the game with another card; its configuration says what was changed."""
    row, events = positions.retold(position, card)
    changed = {"round": position.round, "ship": position.player, "card": card}
    config = trace["config"] | {"what_if": changed}
    events = trace["events"][: position.event] + events
    return {**trace, "config": config, "events": events, "result": result_of(row, len(trace["result"]["scores"]))}


def replay_what_if(
    game: int,
    round_number: int,
    ship: str | int,
    card: str | int,
    *,
    rules: Rules | None = None,
    strategies: Any = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> Trace:
    """One game as it would have gone on if a ship had chosen another card: a trace, as `replay` gives it.

    Examples
    --------
    >>> from jamaica_sim import replay_what_if
    >>> replay_what_if(42, 5, "Green", "backward/forward")["config"]["what_if"]
    {'round': 5, 'ship': 2, 'card': 5}
    """
    table = seat_table(rules, strategies, seed, luck, **rule_changes)
    compile_missing(table.strategies, WHAT_IF)
    trace, positions = replay_table(table, game), GamePositions(table, game)
    position = card_choice(positions, trace, round_number, ship)
    return with_card(positions, trace, position, card_in_hand(position, box_of(trace, table.rules), card))


def replay_advice(
    game: int,
    round_number: int,
    ship: str | int,
    games: int = 1000,
    *,
    rules: Rules | None = None,
    strategies: Any = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> dict[str, Estimate]:
    """A ship's chance to win with each card of its hand, by what it knows, each from `games` games played on.

    Examples
    --------
    >>> from jamaica_sim import replay_advice
    >>> sorted(replay_advice(42, 5, "Green", games=20))
    ['backward/forward', 'food/gunpowder', 'forward/backward']
    """
    table = seat_table(rules, strategies, seed, luck, **rule_changes)
    compile_missing(table.strategies, WHAT_IF)
    trace, positions = replay_table(table, game), GamePositions(table, game)
    position, box = card_choice(positions, trace, round_number, ship), box_of(trace, table.rules)
    found = {}
    for card, chances in advise(positions, position, games).chances.items():
        chance, half = chances.of(position.player), half_width(chances.of(position.player), games)
        found[card_name(box, card)] = Estimate(chance, max(0.0, chance - half), min(1.0, chance + half), games)
    return dict(sorted(found.items(), key=lambda item: -item[1].value))
