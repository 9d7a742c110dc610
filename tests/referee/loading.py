"""Loading (L1 to L4): which hold takes the tokens.
It serves load symbols and loot alike; the caller knows where the tokens come from."""

from .game import MISSING, RESOURCES, SIXTH, Game, Hold, Ship

BOX = (80, 45, 45)  # doubloons, food and gunpowder, unless a variant says otherwise


def load(game: Game, ship: Ship, resource: str, amount: int) -> None:
    """A load symbol: the tokens come from the bank; a limited one gives what it has left (C6)."""
    die, amount = amount, min(amount, left_in_bank(game, resource))
    if amount <= 0:
        game.take("no_load", "C6", ship=ship.seat, resource=resource, amount=die)
    elif can_load(ship, resource):
        stow(game, ship, resource, amount)
        game.bank.issued[resource] += amount
    else:
        game.take("no_load", "L3", ship=ship.seat, resource=resource, amount=die)


def left_in_bank(game: Game, resource: str) -> float:
    if not game.changes.get("limited_bank"):
        return float("inf")
    box = game.changes.get("bank", BOX)
    return box[RESOURCES.index(resource)] - game.bank.out(resource)


def can_load(ship: Ship, resource: str) -> bool:
    """L3: False where every hold contains the type already."""
    return any(hold.resource not in (resource, MISSING) for hold in ship.holds)


def stow(game: Game, ship: Ship, resource: str, amount: int) -> None:
    game.absent("no_load", "L3", "there is a hold without that type")
    event = game.take("load", "L1", ship=ship.seat, resource=resource, amount=amount)
    number = event["hold"]
    game.rule("L1", number in range(len(ship.holds)), f"ship {ship.seat} has no hold {number}")
    hold = ship.holds[number]
    game.require("L1", hold.resource != MISSING, f"ship {ship.seat} has no hold {number}")
    if any(other.resource is None for other in ship.holds):
        check_empty_hold(game, ship, number, event["emptied"])
    else:
        empty_hold(game, hold, resource, event["emptied"])
    hold.fill(resource, amount)
    if number == SIXTH >= ordinary(game):
        game.uses_power(ship, game.parts.sixth_hold, "R4")


def check_empty_hold(game: Game, ship: Ship, number: int, emptied: dict | None) -> None:
    game.rule("L1", ship.holds[number].resource is None, f"hold {number} is not empty, another one is")
    game.require("L2", emptied is None, "no hold has to be emptied")
    empty = [other for other, hold in enumerate(ship.holds) if hold.resource is None]
    if SIXTH in empty and len(empty) > 1 and SIXTH >= ordinary(game):
        game.rule("L4", number != SIXTH, "an empty ordinary hold is used before the 6th Hold")


def ordinary(game: Game) -> int:
    """How many ordinary holds a ship has; a variant may have six."""
    return game.changes.get("holds", SIXTH)


def empty_hold(game: Game, hold: Hold, resource: str, emptied: dict | None) -> None:
    game.rule("L2", hold.resource != resource, f"a hold of {resource} may not be emptied for {resource}")
    contents = {"resource": hold.resource, "amount": hold.amount}
    game.rule("L2", emptied == contents, f"emptied {emptied}, should be {contents}")
    game.bank.returned[hold.resource] += hold.amount
