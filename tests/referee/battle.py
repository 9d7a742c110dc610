"""Battle (B1 to B7, R2, R3, G5): who fights whom, gunpowder, rolls, Sabre, strengths.
The winner's choice is in looting."""

from dataclasses import dataclass

from . import looting
from .components import PORT_ROYAL
from .game import Game, Ship
from .paying import pay_gunpowder

LADY_BETH = 2  # R3
STAR = "star"


@dataclass
class Battle:
    attacker: Ship
    defender: Ship
    sabre_used: bool = False


def meet(game: Game, ship: Ship) -> None:
    """B1: a ship that ends a move with others attacks one of them, whatever their laps; never on Port Royal."""
    space = ship.position.space
    others = [other.seat for other in game.ships if other is not ship and other.position.space == space]
    if space == PORT_ROYAL or not others:
        game.absent("battle", "B1", "on Port Royal, or alone on the space")
        return
    event = game.take("battle", "B1", attacker=ship.seat, space=space)
    game.rule("B1", sorted(event["targets"]) == others, f"targets {event['targets']}, should be {others}")
    game.rule("B1", event["defender"] in others, f"ship {event['defender']} is not on the space")
    fight(game, Battle(ship, game.ships[event["defender"]]))


def fight(game: Game, battle: Battle) -> None:
    attacker, defender = battle.attacker, battle.defender
    attack, defence, winner = None, None, attacker
    powder = commit(game, attacker, "B2")
    face = roll(game, battle, attacker, "B2")
    if face == STAR:
        game.exercised("B3")
        game.absent("powder", "B3", "a star of the attacker wins at once")
        game.absent("roll", "B3", "a star of the attacker wins at once")
    else:
        attack = strength(game, attacker, face, powder)
        powder = commit(game, defender, "B4")
        face = roll(game, battle, defender, "B4")
        if face == STAR:
            winner = defender
        else:
            defence = strength(game, defender, face, powder)
            winner = stronger(battle, attack, defence)
    end(game, battle, winner, attack, defence)


def commit(game: Game, ship: Ship, clause: str) -> int:
    event = game.take("powder", clause, ship=ship.seat)
    amount = event["amount"]
    if ship.is_ghost:
        game.rule("G5", amount == 0, "the ghost has no gunpowder")
    game.rule(clause, 0 <= amount <= ship.stock("gunpowder"), f"{amount} gunpowder of {ship.stock('gunpowder')}")
    if amount > 0:
        pay_gunpowder(game, ship, amount)
    return amount


def roll(game: Game, battle: Battle, ship: Ship, clause: str) -> int | str:
    """A roll and, where the Sabre is used on it, the second one, which stands (B7)."""
    face = roll_once(game, ship, clause)
    while game.next_kind() == "sabre":
        draw_sabre(game, battle, ship)
        face = roll_once(game, ship, "B7")
    return face


def roll_once(game: Game, ship: Ship, clause: str) -> int | str:
    event = game.take("roll", clause, ship=ship.seat)
    game.rule("C5", event["face"] in game.parts.faces, f"face {event['face']!r}")
    return event["face"]


def draw_sabre(game: Game, battle: Battle, roller: Ship) -> None:
    event = game.take("sabre", "B7", of=roller.seat)
    holders = [ship for ship in (battle.attacker, battle.defender) if ship.has_power(game.parts.sabre)]
    game.rule("B7", event["ship"] in [ship.seat for ship in holders], f"ship {event['ship']} has no Sabre to use here")
    game.rule("B7", not battle.sabre_used, "the Sabre works once in a battle")
    battle.sabre_used = True
    game.uses_power(holders[0], game.parts.sabre, "R2")


def strength(game: Game, ship: Ship, face: int, powder: int) -> int:
    if not ship.has_power(game.parts.lady_beth):
        return face + powder
    game.uses_power(ship, game.parts.lady_beth, "R3")
    return face + powder + game.changes.get("lady_beth_bonus", LADY_BETH)


def stronger(battle: Battle, attack: int, defence: int) -> Ship | None:
    """B5: equal strength, nothing happens."""
    if attack == defence:
        return None
    return battle.attacker if attack > defence else battle.defender


def end(game: Game, battle: Battle, winner: Ship | None, attack: int | None, defence: int | None) -> None:
    event = game.take("battle_end", "B5")
    for name, ship, value in (("attack", battle.attacker, attack), ("defence", battle.defender, defence)):
        clause = "R3" if ship.has_power(game.parts.lady_beth) and value is not None else "B5"
        game.rule(clause, event[name] == value, f"{name} {event[name]}, should be {value}")
    game.rule("B5", event["winner"] == (None if winner is None else winner.seat), f"winner {event['winner']}")
    if winner is None:
        game.absent("loot", "B5", "nobody won")
    else:
        loser = battle.defender if winner is battle.attacker else battle.attacker
        looting.loot(game, winner, loser)
