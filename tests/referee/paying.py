"""Paying (P1, P4, B6): the cost of a space, and which holds the tokens leave.
A ship that cannot pay is in shortage."""

from .game import SIXTH, Game, Ship

CURRENCY = {"sea": "food", "port": "gold", "lair": None, "port_royal": None}


def dues(game: Game, space: int) -> tuple[str | None, int]:
    """P1 to P3: what arriving on a space costs."""
    resource = CURRENCY[game.parts.kind[space]]
    return (resource, game.parts.cost[space]) if resource else (None, 0)


def is_short(game: Game, ship: Ship) -> bool:
    resource, due = dues(game, ship.position.space)
    return due > 0 and ship.stock(resource) < due


def pay_cost(game: Game, ship: Ship) -> None:
    resource, due = dues(game, ship.position.space)
    pay(game, ship, resource, due, "P1")


def pay_gunpowder(game: Game, ship: Ship, amount: int) -> None:
    """B6: the smallest holds first, an ordinary hold before the 6th among equals. Equal holds are one choice."""
    sizes = [(hold.amount, number == SIXTH) for number, hold in enumerate(ship.holds) if hold.resource == "gunpowder"]
    due, expected = amount, []
    for size, is_sixth in sorted(sizes):
        if due > 0:
            expected.append((size, is_sixth, min(size, due)))
            due -= min(size, due)
    before = [hold.amount for hold in ship.holds]
    payment = pay(game, ship, "gunpowder", amount, "B6")
    taken = [(before[number], number == SIXTH, tokens) for number, tokens in payment]
    game.rule("B6", sorted(taken) == sorted(expected), f"paid {payment}: not the smallest holds first")


def pay(game: Game, ship: Ship, resource: str, amount: int, clause: str) -> list[list[int]]:
    """A pay event: the amount due, out of holds that have it. The tokens go back to the bank."""
    stock = ship.stock(resource)
    event = game.take("pay", clause, ship=ship.seat, resource=resource, amount=amount)
    payment = event["holds"]
    numbers = [number for number, _ in payment]
    game.rule(clause, len(set(numbers)) == len(numbers), f"holds {numbers}: each at most once")
    for number, tokens in payment:
        game.rule(clause, number in range(len(ship.holds)), f"ship {ship.seat} has no hold {number}")
        hold = ship.holds[number]
        game.rule(clause, hold.resource == resource, f"hold {number} has no {resource}")
        game.rule(clause, 1 <= tokens <= hold.amount, f"{tokens} tokens out of hold {number}, which has {hold.amount}")
    game.rule(clause, sum(tokens for _, tokens in payment) == amount, f"the holds pay {payment}, due {amount}")
    if not game.changes.get("free_split"):
        in_part = [number for number, tokens in payment if tokens < ship.holds[number].amount]
        game.rule(clause, len(in_part) <= 1, f"holds {in_part} pay a part each: only the last hold may")
    for number, tokens in payment:
        ship.holds[number].remove(tokens)
    game.bank.returned[resource] += amount
    if amount == stock:
        game.rule("P4", ship.stock(resource) == 0, f"all the {resource} is paid")
    return payment
