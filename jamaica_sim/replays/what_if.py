"""What if: the game as it would have gone on with another card, its luck kept."""

from jamaica_sim.play.positions import GamePositions, Position
from jamaica_sim.replays.trace import result_of


def with_card(positions: GamePositions, trace: dict, position: Position, card: int) -> dict:
    """The trace of the game with another card; its configuration says what was changed."""
    row, events = positions.retold(position, card)
    changed = {"round": position.round, "ship": position.player, "card": card}
    config = trace["config"] | {"what_if": changed}
    events = trace["events"][: position.event] + events
    return {**trace, "config": config, "events": events, "result": result_of(row, len(trace["result"]["scores"]))}
