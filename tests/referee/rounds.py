"""The round (T1 to T5): dice, cards, the two actions of each player, drawing.
The actions themselves are in other modules."""

from . import arrival, conservation, ghost, loading, moving
from .game import RESOURCES, WHEN, Game, Ship

HAND_LIMIT = 3


def play(game: Game) -> None:
    """All rounds, until a ship has finished (E1) or the round cap is reached (E4)."""
    while True:
        play_round(game)
        conservation.check_all(game)
        if is_over(game):
            return
        draw_cards(game)
        game.captain = (game.captain + 1) % game.players  # T5


def is_over(game: Game) -> bool:
    finished = any(ship.finished for ship in game.ships)
    if not finished and game.round < game.round_cap:
        return False
    game.absent("draw", "T4", "no cards are drawn after the last round")
    clause = "E1" if finished else "E4"
    game.rule(clause, game.next_kind() == "the end", f"the game is over, but {game.next_kind()} follows")
    return True


def play_round(game: Game) -> None:
    placed = roll_dice(game)
    turn_order = [game.ships[(game.captain + turn) % game.players] for turn in range(game.players)]
    cards = {ship.seat: choose_card(game, ship) for ship in turn_order}
    for ship in turn_order:
        take_turn(game, ship, cards[ship.seat], placed)
    if game.ghost:
        ghost.take_turn(game, game.ghost, placed)


def roll_dice(game: Game) -> list[int]:
    game.round += 1
    event = game.take("round", "T1", number=game.round)
    game.rule(
        "S3" if game.round == 1 else "T5",
        event["captain"] == game.captain,
        f"ship {event['captain']} is Captain instead of {game.captain}",
    )
    dice = event["dice"]
    faces = game.changes.get("action_die", (1, 2, 3, 4, 5, 6))
    game.rule("C4", len(dice) == 2 and all(die in faces for die in dice), f"dice {dice}")
    game.rule("T1", sorted(event["placed"]) == sorted(dice), f"dice {dice} placed as {event['placed']}")
    return event["placed"]


def choose_card(game: Game, ship: Ship) -> int:
    event = game.take("choose", "T2", ship=ship.seat)
    game.rule("T2", sorted(event["hand"]) == sorted(ship.hand), f"hand {event['hand']}, should be {sorted(ship.hand)}")
    game.rule("T2", event["card"] in ship.hand, f"card {event['card']} is not in the hand")
    ship.hand.remove(event["card"])
    ship.discard.add(event["card"])
    return event["card"]


def take_turn(game: Game, ship: Ship, card: int, placed: list[int]) -> None:
    """T3: the morning action completely, then the evening action."""
    for when, die in zip(WHEN, placed, strict=True):
        if ship.finished:
            game.take("skip", "E1", ship=ship.seat, when=when)
            continue
        game.absent("skip", "E1", "the ship has not finished")
        symbol = game.parts.cards[card][when]
        event = game.take("action", "T3", ship=ship.seat, when=when, symbol=symbol, die=die)
        game.require("TRACE", "forced" not in event, "only the ghost's moves can be forced")
        if symbol in RESOURCES:
            loading.load(game, ship, symbol, die)
        else:
            moving.move(game, ship, symbol, die)
            arrival.arrive(game, ship)


def draw_cards(game: Game) -> None:
    """T4: each player draws up to the limit. A ship that draws nothing may have an event without cards, or none."""
    waiting = {ship.seat: ship for ship in game.ships[: game.players]}
    while game.next_kind() == "draw":
        event = game.take("draw", "T4")
        game.rule("T4", event["ship"] in waiting, f"ship {event['ship']} does not draw (again)")
        draw(game, waiting.pop(event["ship"]), event)
    for ship in waiting.values():
        game.rule("T4", missing_cards(game, ship) == 0, f"ship {ship.seat} does not draw")


def draw(game: Game, ship: Ship, event: dict) -> None:
    missing = missing_cards(game, ship)
    game.rule(
        "T4", len(event["cards"]) == missing, f"ship {ship.seat} draws {event['cards']}, should be {missing} cards"
    )
    reshuffled = False
    for card in event["cards"]:
        if not ship.deck:
            ship.deck, ship.discard = ship.discard, set()
            reshuffled = True
        game.rule("T4", card in ship.deck, f"card {card} is not in the draw pile of ship {ship.seat}")
        ship.deck.remove(card)
        ship.hand.add(card)
        if not ship.deck and game.changes.get("early_reshuffle"):
            ship.deck, ship.discard = ship.discard, set()
    game.rule("T4", event["reshuffled"] == reshuffled, f"reshuffled is {event['reshuffled']}, should be {reshuffled}")


def missing_cards(game: Game, ship: Ship) -> int:
    limit = game.changes.get("hand_size", HAND_LIMIT)
    if ship.has_power(game.parts.morgans_map):
        game.uses_power(ship, game.parts.morgans_map, "R1")
        limit = game.changes.get("map_hand_size", limit + 1)  # R1: one better, unless said otherwise
    return max(0, limit - len(ship.hand))
