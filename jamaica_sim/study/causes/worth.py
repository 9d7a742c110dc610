"""What each thing is worth, in win rate. Every figure comes from a designed or a natural experiment.

Designed: the same deals with and without the thing, for one ship. Natural: luck alone decides who gets the thing, such
as the card that a ship draws. Ships that merely ended up with a thing are never compared. A ship that
differs from the others has another rulebook only, so the deals stay the same.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from jamaica_sim.engine.machine.hold_word import no_cargo
from jamaica_sim.engine.rulebook import POWER_NAMES
from jamaica_sim.engine.state import POSITION_BYTES, RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import HOLDS, MAX_FACE
from jamaica_sim.game.components import action_cards
from jamaica_sim.play.chunks import CHUNK, chunks, in_order, play_in_order, threads_or_all
from jamaica_sim.play.compile_ahead import RUN, compile_missing
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import GamePlayer, field_in
from jamaica_sim.results.stats.estimate import Estimate, jackknife, leave_out
from jamaica_sim.results.stats.variance_shares import mean_of, share_of

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


SHIP = 0  # the ship that differs; the first Captain is drawn, so this ship sits in every seat
PIECES = 20  # of the games, played by threads in turn
MOST_SHORTAGES = 6  # how many shortages of one ship in a game are forgiven in turn, at most
STARTS = {
    "one doubloon more": {"gold": 1},
    "one doubloon less": {"gold": -1},
    "one food more": {"food": 1},
    "one food less": {"food": -1},
    "one gunpowder": {"gunpowder": 1},
    "three gunpowder": {"gunpowder": 3},
    "one hold more": {"holds": 1},
    "one hold less": {"holds": -1},
}


@dataclass(frozen=True)
class Worth:
    """How much one thing changes the win rate of the ship that has it."""

    name: str
    effect: Estimate
    design: str


def rows_of(table: GameTable, games: int, threads: int | None = None) -> np.ndarray:
    """The result rows of a table's first games."""
    compile_missing(table.strategies, RUN)
    work = chunks(0, games, min(CHUNK, max(64, games // 8)))
    return np.concatenate([p.rows for p in play_in_order([table], work, threads_or_all(threads), keep_rows=True)])


def _paired(before: np.ndarray, after: np.ndarray, ships: int, who: np.ndarray) -> Estimate:
    """Mean change of the win share of ship `who[game]`, on the same deals; games with nobody (-1) are left out."""
    there = np.flatnonzero(who >= 0)
    return mean_of((win_shares(after, ships) - win_shares(before, ships))[there, who[there]])


def starts(table: GameTable, games: int = 5000, threads: int | None = None) -> list[Worth]:
    """What it is worth to begin with more or less than the others.

    One hold more is a sixth hold from the start. At that table the card 6th Hold does nothing for anybody.
    """
    plain, who, found = rows_of(table, games, threads), np.full(games, SHIP), []
    for name, change in STARTS.items():
        base, before = table, plain
        if table.rules.holds + change.get("holds", 0) == HOLDS:
            base = without_power(table, "sixth_hold")
            before = rows_of(base, games, threads)
        after = rows_of(handicapped(base, SHIP, **change), games, threads)
        found.append(Worth(name, _paired(before, after, table.rules.ships, who), "designed"))
    return found


def cards_left_out(table: GameTable, games: int = 5000, threads: int | None = None) -> list[Worth]:
    """What each action card is worth: the loss of a ship whose deck lacks it."""
    before, ships = rows_of(table, games, threads), table.rules.ships
    who, found = np.full(games, SHIP), []
    for number, card in enumerate(action_cards()):
        after = rows_of(handicapped(table, SHIP, without_card=number), games, threads)
        found.append(Worth(f"{card.morning}/{card.evening}", _paired(after, before, ships, who), "designed"))
    return found


def powers(table: GameTable, games: int = 5000, threads: int | None = None) -> list[Worth]:
    """What each power does for the ship that draws it: the same deals with the power switched off.

    Both games are the same until the card is drawn, so the same ship draws it.
    """
    before, ships = rows_of(table, games, threads), table.rules.ships
    names, found = [card.name for card in table.rules.components.treasures], []
    for power, name in POWER_NAMES.items():
        if name not in names or (power == "lady_beth" and table.rules.ghost):
            continue
        drawers = drawers_of(before, names.index(name), table.rules.players)
        after = rows_of(without_power(table, power), games, threads)
        found.append(Worth(name, _paired(after, before, ships, drawers), "designed"))
    return found


def drawers_of(rows: np.ndarray, treasure: int, players: int) -> np.ndarray:
    """The player that drew a treasure card from a lair in each game, -1 where none did."""
    drew = rows["lair_treasures"][:, :players].astype(np.int64) >> treasure & 1
    return np.where(drew.any(1), drew.argmax(1), -1)


def treasures(table: GameTable, games: int = 20_000, threads: int | None = None) -> list[Worth]:
    """Wins of the players that drew each treasure card, against the mean of all cards drawn. Luck decides the card."""
    rows, players = rows_of(table, games, threads), table.rules.players
    wins = win_shares(rows, table.rules.ships)
    names = [card.title for card in table.rules.components.treasures]
    cards = list(dict.fromkeys(names))  # cards of one name are alike
    won, drawn = np.zeros((len(cards), games)), np.zeros((len(cards), games))
    for number, name in enumerate(names):
        who = drawers_of(rows, number, players)
        there = np.flatnonzero(who >= 0)
        won[cards.index(name), there] += wins[there, who[there]]
        drawn[cards.index(name), there] += 1
    sums = leave_out(np.stack([won, drawn]))  # by part left out, won and drawn, card
    rates = sums[:, 0] / np.maximum(sums[:, 1], 1)
    everyone = sums[:, 0].sum(1) / np.maximum(sums[:, 1].sum(1), 1)
    contrasts = rates - everyone[:, None]
    return [
        Worth(name, jackknife(contrasts[:, card], int((drawn[card] > 0).sum())), "natural")
        for card, name in enumerate(cards)
        if drawn[card].any()
    ]


def first_hands(table: GameTable, games: int = 5000, threads: int | None = None) -> list[Worth]:
    """Wins of the players who were dealt each action card in the first hand, against those who were not."""
    compile_missing(table.strategies, RUN)
    players, size = table.rules.players, -(-games // PIECES)
    work = [range(first, min(first + size, games)) for first in range(0, games, size)]
    player = partial(GamePlayer, table.rules, table.strategies, table.seed, table.luck)
    dealt = in_order(player, lambda one, games: _dealt(one, table.rulebook, games), work, threads_or_all(threads))
    hands, wins = map(np.concatenate, zip(*dealt, strict=True))
    wins = wins[:, :players]
    found = []
    for number, card in enumerate(action_cards()):
        has = (hands >> number & 1).astype(float)
        sums = leave_out(np.stack([(wins * has).sum(1), has.sum(1), (wins * (1 - has)).sum(1), (1 - has).sum(1)]))
        with np.errstate(invalid="ignore"):  # in a game or two nobody may have had it
            effect = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
        found.append(Worth(f"{card.morning}/{card.evening}", jackknife(effect, games), "natural"))
    return found


def _dealt(player: GamePlayer, rulebook: np.ndarray, games: range) -> tuple[np.ndarray, np.ndarray]:
    """Every player's first hand in some games, and every ship's share of the win."""
    players = player.rules.players
    room, rows = np.zeros((1, POSITION_BYTES), np.uint8), np.zeros(len(games), RESULT_DTYPE)
    hands, offset = np.zeros((len(games), players), np.int64), field_in(STATE_DTYPE, "hands")[1]
    for i, game in enumerate(games):
        player.capture(room)
        player.play_rows(rulebook, game, rows[i : i + 1])
        hands[i] = room[0, offset : offset + 8 * players].view(np.int64)
    return hands, win_shares(rows, player.rules.ships)


def seats(table: GameTable, games: int = 20_000, threads: int | None = None) -> list[Worth]:
    """Wins of each seat from the first Captain, against an equal share among players. The first Captain is drawn."""
    rows, players = rows_of(table, games, threads), table.rules.players
    wins = win_shares(rows, table.rules.ships)[:, :players]
    even = wins.sum(1) / players
    names = ["first Captain", *(f"{number} to the left" for number in ("one", "two", "three", "four", "five"))]
    games_of = np.arange(games)
    return [
        Worth(name, mean_of(wins[games_of, (rows["first_captain"] + place) % players] - even), "natural")
        for place, name in enumerate(names[:players])
    ]


def shortage_forgiven(table: GameTable, games: int = 5000, threads: int | None = None) -> list[Worth]:
    """What a shortage costs: one of a ship's shortages is forgiven on the same deals, each in turn."""
    before, ships = rows_of(table, games, threads), table.rules.ships
    suffered = before["shortages"][:, SHIP].astype(int).sum(1)
    gain, count = np.zeros(games), np.zeros(games)
    won = win_shares(before, ships)[:, SHIP]
    for number in range(1, min(int(suffered.max(initial=0)), MOST_SHORTAGES) + 1):
        after = rows_of(handicapped(table, SHIP, forgiven=number), games, threads)
        there = suffered >= number
        gain += np.where(there, win_shares(after, ships)[:, SHIP] - won, 0)
        count += there
    return [Worth("a shortage forgiven", share_of(gain, count), "designed")]


DESIGNS = {
    "starts": starts,
    "cards": cards_left_out,
    "powers": powers,
    "treasures": treasures,
    "hands": first_hands,
    "seats": seats,
    "shortage": shortage_forgiven,
}
