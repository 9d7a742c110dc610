"""Setup of a game (S1 to S3, G1): from the config and the setup of a trace to ships at the start.
It reads no events."""

from .game import MISSING, SIXTH, Game, Hold, Ship

EDITIONS = ("2007", "2021")
HAND, PILE, GHOST_GOLD = 3, 9, (5, 3)  # unless a variant says otherwise
START = {"food": 3, "gold": 3, "gunpowder": 0}


def set_up(game: Game, config: dict, setup: dict) -> None:
    read_config(game, config)
    game.captain = setup["captain"]
    build_ships(game, config["ghost"])
    lay_treasures(game, setup["pile"], setup["removed"])
    deal_hands(game, setup["hands"])
    game.rule("S3", game.captain in range(game.players), f"Captain {game.captain} is not a player")


def read_config(game: Game, config: dict) -> None:
    game.players, game.edition, game.round_cap = config["players"], config["edition"], config["round_cap"]
    game.rule("S1", 2 <= game.players <= 6, f"{game.players} players")
    game.require("TRACE", game.edition in EDITIONS, f"edition {game.edition!r}")
    game.require("TRACE", game.round_cap >= 1, f"round cap {game.round_cap}")
    if game.players == 2:
        game.rule("G1", config["ghost"], "two players always play with the ghost")
    if config["ghost"]:
        game.rule("G1", game.players <= 5, f"the ghost needs a colour of its own, with {game.players} players")


def build_ships(game: Game, with_ghost: bool) -> None:
    for ship in range(game.players):  # S1
        goods = {resource: starting(game, resource, ship) for resource in START}
        game.ships.append(Ship(ship, False, ordinary_holds(game, *(stocked(*one) for one in goods.items()))))
        game.bank.issued.update(goods)
    if with_ghost:  # G1
        golds = game.changes.get("ghost_gold", GHOST_GOLD)
        ghost = Ship(game.players, True, ordinary_holds(game, *(stocked("gold", gold) for gold in golds)))
        ghost.treasures |= dict.fromkeys(game.parts.lady_beth, True)
        game.ships.append(ghost)
        game.bank.issued.update(gold=sum(golds))


def ordinary_holds(game: Game, *stock: Hold) -> list[Hold]:
    """As many holds as the ships of the game have; the others keep their numbers, and nothing can lie in them."""
    holds = game.changes.get("holds", SIXTH)
    there = [*stock[:holds], *(Hold() for _ in range(holds - len(stock)))]
    return there + [Hold(MISSING) for _ in range(SIXTH - len(there))]


def starting(game: Game, resource: str, ship: int) -> int:
    """One number for all ships, or one for each seat, counted from the first Captain."""
    goods = game.changes.get(f"start_{resource}", START[resource])
    return goods if isinstance(goods, int) else goods[(ship - game.captain) % game.players]


def stocked(resource: str, amount: int) -> Hold:
    return Hold(resource, amount) if amount else Hold()


def lay_treasures(game: Game, pile: list[int], removed: list[int]) -> None:
    shuffled = set(game.parts.treasure_kind)
    clause = "S2"
    if game.ghost:
        shuffled -= game.parts.lady_beth
        clause = "G1"
    game.rule("S2", len(pile) == game.changes.get("treasure_pile", PILE), f"the pile has {len(pile)} cards")
    game.rule(clause, sorted(pile + removed) == sorted(shuffled), "pile and removed are the treasures, each once")
    game.pile, game.removed = list(pile), list(removed)
    game.lair_tokens = game.parts.lairs()


def deal_hands(game: Game, hands: list[list[int]]) -> None:
    game.rule("S3", len(hands) == game.players, f"{len(hands)} hands for {game.players} players")
    for ship, hand in zip(game.ships[: game.players], hands, strict=True):
        ship.hand, ship.deck = set(hand), set(game.parts.cards) - set(hand)
        limit = game.changes.get("hand_size", HAND)
        game.rule(
            "S3", len(hand) == len(ship.hand) == limit, f"hand {hand} of ship {ship.seat}: {limit} different cards"
        )
        game.rule("S3", ship.hand <= set(game.parts.cards), f"hand {hand} of ship {ship.seat} is of the deck")
