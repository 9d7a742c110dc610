"""Conservation: every treasure and every card is in exactly one place, and the ships have what the bank handed out.
It is checked after every round; a failure here is one that no check of a single event found."""

from .game import RESOURCES, SIXTH, Game
from .loading import BOX, ordinary


def check_all(game: Game) -> None:
    check_treasures(game)
    check_cards(game)
    check_goods(game)


def check_treasures(game: Game) -> None:
    owned = [treasure for ship in game.ships for treasure in ship.treasures]
    places = sorted(game.pile + game.removed + owned)
    game.require("S2", places == sorted(game.parts.treasure_kind), "each treasure is in one place")
    if "treasure_pile" not in game.changes and "components" not in game.changes:
        game.require("P2", len(game.pile) == len(game.lair_tokens), "one card in the pile for each token on a lair")


def check_cards(game: Game) -> None:
    for ship in game.ships[: game.players]:
        cards = [*ship.hand, *ship.deck, *ship.discard]
        game.require("T4", sorted(cards) == sorted(game.parts.cards), f"each card of ship {ship.seat} is in one place")


def check_goods(game: Game) -> None:
    for resource in RESOURCES:
        on_ships = sum(ship.stock(resource) for ship in game.ships)
        out = game.bank.out(resource)
        game.require("L1", on_ships == out, f"{on_ships} {resource} on ships, {out} out of the bank")
        if game.changes.get("limited_bank"):
            box = game.changes.get("bank", BOX)[RESOURCES.index(resource)]
            game.require("C6", out <= box, f"{out} {resource} in play, more than the {box} of the box")
    for ship in game.ships:
        slots = max(SIXTH, ordinary(game)) + ship.has_power(game.parts.sixth_hold)
        game.require("R4", len(ship.holds) == slots, f"ship {ship.seat} has {len(ship.holds)} holds")
