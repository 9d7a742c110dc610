"""A ship that differs from the others: other goods at the start, another deck, a shortage that is forgiven. Also powers
that do nothing. Only the rulebook changes, so the deals stay the same.
"""

from dataclasses import replace

from jamaica_sim.engine.machine.hold_word import no_cargo
from jamaica_sim.engine.rulebook import POWER_NAMES
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import HOLDS, MAX_FACE
from jamaica_sim.game.components import action_cards
from jamaica_sim.play.game_table import GameTable

GOODS = ("gold", "food", "gunpowder")
FEWEST_HOLDS = 3


def handicapped(
    table: GameTable,
    ship: int = 0,
    *,
    holds: int = 0,
    without_card: int | None = None,
    forgiven: int = 0,
    **goods: int,
) -> GameTable:
    """The same table with one ship that begins with more or fewer goods or holds, or whose deck lacks a card.

    The ship's shortage number `forgiven` does not send it back: it pays what it has and stays. A sixth hold from the
    start takes the place of the card 6th Hold, which must do nothing at such a table.
    """
    if not 0 <= ship < table.rules.players:
        raise UserError(f"a handicap is for the ship of a player, 0 to {table.rules.players - 1}, not {ship}.")
    rulebook = table.rulebook.copy()
    record = rulebook[0]
    for name, more in goods.items():
        assert name in GOODS
        amount = int(record[f"start_{name}"][ship]) + more
        if not 0 <= amount <= MAX_FACE - record["seat_goods"].max():
            raise UserError(f"a ship can begin with 0 to {MAX_FACE} {name}, not {amount}.")
        record[f"start_{name}"][ship] = amount
    if holds:
        wanted = table.rules.holds + holds
        if not FEWEST_HOLDS <= wanted <= HOLDS:
            raise UserError(f"a ship can have {FEWEST_HOLDS} to {HOLDS} holds here, not {wanted}.")
        if wanted == HOLDS and record["sixth_hold"]:
            raise UserError('the card 6th Hold needs that place: first take without_power(table, "sixth_hold").')
        record["no_cargo"][ship] = no_cargo(wanted)
    if without_card is not None:
        if not 0 <= without_card < len(action_cards()):
            raise UserError(f"there are action cards 0 to {len(action_cards()) - 1}, not {without_card}.")
        record["all_cards"][ship] &= ~(1 << without_card)
    record["forgiven"][ship] = forgiven
    return replace(table, rulebook=rulebook)


def without_power(table: GameTable, power: str) -> GameTable:
    """The same table with one power that does nothing; its card is drawn, stolen and lies face up as usual."""
    if power not in POWER_NAMES:
        raise UserError(f"there is no power {power!r}: there are {', '.join(POWER_NAMES)}.")
    if power == "lady_beth" and table.rules.ghost:
        raise UserError("Lady Beth sails with the ghost ship: switch her off at a table without it.")
    rulebook = table.rulebook.copy()
    rulebook[power] = 0
    return replace(table, rulebook=rulebook)
