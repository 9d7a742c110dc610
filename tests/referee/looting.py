"""Loot (B8, B9, G6, G7): what the winner of a battle takes or gives, and whether it may."""

from . import treasures
from .game import MISSING, Game, Ship
from .loading import can_load, stow


def loot(game: Game, winner: Ship, loser: Ship) -> None:
    clause = loot_clause(winner, loser)
    event = game.take("loot", clause, ship=winner.seat, loser=loser.seat)
    check_decider(game, event, winner, loser)
    take = event["take"]
    if take == "hold":
        take_hold(game, event, winner, loser, clause)
    elif take in ("power", "hidden"):
        take_treasure(game, event, winner, loser, clause)
    elif take == "give":
        give_treasure(game, event, winner, loser, clause)


def loot_clause(winner: Ship, loser: Ship) -> str:
    if winner.is_ghost:
        return "G6"
    return "G7" if loser.is_ghost else "B8"


def check_decider(game: Game, event: dict, winner: Ship, loser: Ship) -> None:
    """A player decides itself; for the ghost, the player on the left of the ship it fought (G5)."""
    if winner.is_ghost:
        left = (loser.seat + 1) % game.players
        game.rule("G5", event["decider"] == left, f"ship {event['decider']} decides for the ghost instead of {left}")
    else:
        game.require(loot_clause(winner, loser), event["decider"] == winner.seat, "a player decides itself")


def take_hold(game: Game, event: dict, winner: Ship, loser: Ship, clause: str) -> None:
    number = event["hold"]
    game.rule(clause, number in range(len(loser.holds)), f"ship {loser.seat} has no hold {number}")
    hold = loser.holds[number]
    game.rule(clause, hold.resource not in (None, MISSING), f"hold {number} is empty")
    game.rule(
        clause,
        (event["resource"], event["amount"]) == (hold.resource, hold.amount),
        f"loot of {event['amount']} {event['resource']}, should be {hold}",
    )
    resource, amount = hold.resource, hold.amount
    if winner.is_ghost and resource != "gold":  # G6: thrown into the sea
        game.bank.returned[resource] += amount
        hold.remove(amount)
        game.absent("load", clause, "the ghost keeps only doubloons")
        return
    game.rule(clause, can_load(winner, resource), f"every hold of the winner has {resource} already")
    hold.remove(amount)
    stow(game, winner, resource, amount)


def take_treasure(game: Game, event: dict, winner: Ship, loser: Ship, clause: str) -> None:
    """A face-up card by choice, or a face-down one unseen. Lady Beth stays with the ghost (G1, G7)."""
    treasure = event["treasure"]
    game.rule(clause, treasure in loser.treasures, f"ship {loser.seat} does not have treasure {treasure}")
    face_up = loser.treasures[treasure]
    game.rule(clause, face_up == (event["take"] == "power"), f"{event['take']}, but face up is {face_up}")
    if loser.is_ghost:
        game.rule("G7", treasure not in game.parts.lady_beth, "Lady Beth cannot be stolen from the ghost")
    treasures.hand_over(game, treasure, loser, winner)


def give_treasure(game: Game, event: dict, winner: Ship, loser: Ship, clause: str) -> None:
    """To a player a cursed card (B8), to the ghost any (G7), unless a choice says otherwise; the ghost none (G6)."""
    treasure = event["treasure"]
    game.rule(clause, not winner.is_ghost, "the ghost never gives a treasure")
    game.rule(clause, treasure in winner.treasures, f"ship {winner.seat} does not have treasure {treasure}")
    any_card = (
        not game.changes.get("ghost_takes_cursed_only") if loser.is_ghost else game.changes.get("give_any_treasure")
    )
    if not any_card:
        game.rule(clause, game.parts.treasure_kind[treasure] == "cursed", f"treasure {treasure} is not cursed")
    treasures.hand_over(game, treasure, winner, loser)
