"""Treasure cards (P2, R4, R5, B9, G4): drawing one on a lair, and passing one from ship to ship.
Looting checks whether it may be passed."""

from .game import SIXTH, Game, Hold, Ship


def draw(game: Game, ship: Ship) -> None:
    """P2: on a lair whose token is still there."""
    space = ship.position.space
    if space not in game.lair_tokens:
        game.absent("treasure", "P2", f"there is no token on space {space}")
        return
    if not game.pile:  # a variant's pile may be smaller than the number of lairs
        game.absent("treasure", "P2", "the pile is empty")
        game.lair_tokens.remove(space)
        return
    treasure = game.pile[0]
    game.take("treasure", "P2", ship=ship.seat, space=space, treasure=treasure)
    game.pile.remove(treasure)
    game.lair_tokens.remove(space)
    is_power = game.parts.treasure_kind[treasure] == "power"
    if ship.is_ghost:
        game.exercised("G4")  # unseen: it stays face down, even a power
    add(game, ship, treasure, face_up=is_power and not ship.is_ghost, contents=Hold())


def hand_over(game: Game, treasure: int, giver: Ship, taker: Ship) -> None:
    """A power lies face up after it was stolen or given (B10, G6); points and curses stay face down (R5)."""
    is_power = game.parts.treasure_kind[treasure] == "power"
    if not is_power:
        game.exercised("R5")
    was_active = giver.treasures[treasure]
    del giver.treasures[treasure]
    contents = Hold()
    if treasure in game.parts.sixth_hold and was_active:
        contents = giver.holds.pop(SIXTH)
        if contents.amount > 0:
            game.exercised("B9")  # the contents go along
        if taker.is_ghost and contents.resource not in (None, "gold"):  # G6: the ghost keeps only doubloons
            game.bank.returned[contents.resource] += contents.amount
            game.exercised("G6")
            contents = Hold()
    add(game, taker, treasure, face_up=is_power, contents=contents)


def add(game: Game, ship: Ship, treasure: int, face_up: bool, contents: Hold) -> None:
    ship.treasures[treasure] = face_up
    ship.gained_in[treasure] = game.round
    if face_up and treasure in game.parts.sixth_hold:
        ship.holds.append(contents)  # R4
