"""The book of a game: where every ship is and what it has, kept from event to event. Nothing is decided here."""

from dataclasses import dataclass, field

from jamaica_sim.play.trace import Event, Trace
from jamaica_sim.replays.box import SIXTH_HOLD, STARTING_GOODS, Box
from jamaica_sim.strategy.option_words import COLOURS, GHOST
from jamaica_sim.strategy.player import OUTSIDE

Contents = tuple[str, int] | None  # of a hold: resource and amount
Holds = dict[int, Contents]


@dataclass
class Ship:
    """One ship."""

    name: str  # its colour
    strategy: str  # empty for a person, or whoever else answers from outside
    box: Box = field(repr=False)
    holds: Holds
    is_ghost: bool = False
    space: int = 0
    lap: int = 0
    powers: list[int] = field(default_factory=list)
    face_down: list[int] = field(default_factory=list)
    hand: list[int] = field(default_factory=list)
    card: int = 0  # chosen in this round
    house_points: int = 0  # given by house rules at the end

    @property
    def to_go(self) -> int:
        """Spaces to the finish."""
        return self.box.to_go(self.space, self.lap)

    def points(self) -> tuple[int, int, int, int]:
        """The points that it would score now: for its place, doubloons, treasures and curses (E2)."""
        goods = filter(None, self.holds.values())
        values = [self.box.treasures[card].value for card in self.face_down]
        return (
            self.box.position_points(self.space, self.lap),
            sum(amount for resource, amount in goods if resource == "gold"),
            sum(value for value in values if value > 0),
            sum(value for value in values if value < 0),
        )

    @property
    def score(self) -> int:
        """Its points if the game ended now."""
        return sum(self.points()) + self.house_points


class Book:
    """All ships and lairs: `note` enters one event."""

    def __init__(self, trace: Trace, box: Box) -> None:
        self.box = box
        config, setup = trace["config"], trace["setup"]
        self.captain = setup["captain"]
        self.ships = [self._fit_out(seat, name) for seat, name in enumerate(config["strategies"])]
        for ship, hand in zip(self.ships, setup["hands"], strict=True):
            ship.hand = list(hand)
        if config["ghost"]:
            self.ships.append(self._fit_out_ghost())
        self.plundered: set[int] = set()  # lairs
        self.round = 0
        self.action: Event = {}  # the `action` event that is being resolved
        self.powder: dict[int, int] = {}  # by ship, in this battle
        self.rolled: set[int] = set()  # ships that have, in this battle
        self.looting = False  # whether the next load is loot

    def _empty_holds(self) -> Holds:
        return dict.fromkeys(range(self.box.rules.holds))

    def _fit_out(self, seat: int, strategy: str) -> Ship:
        rules, holds = self.box.rules, self._empty_holds()
        for hold, resource in enumerate(STARTING_GOODS):
            _fill(holds, hold, resource, rules.start_goods(resource)[seat - self.captain])
        return Ship(COLOURS[seat], "" if strategy == OUTSIDE else strategy, self.box, holds)

    def _fit_out_ghost(self) -> Ship:
        holds = self._empty_holds()
        for hold, amount in enumerate(self.box.rules.ghost_gold):
            _fill(holds, hold, "gold", amount)
        return Ship(GHOST, "", self.box, holds, is_ghost=True, powers=[self.box.card_named("Lady Beth")])

    def note(self, event: Event) -> None:
        """Enter an event. Events that change nothing on the table have no method here."""
        entry = getattr(self, f"_{event['event']}", None)
        if entry is not None:
            entry(event)

    def leaders(self) -> list[int]:
        """Who would win if the game ended now (E3)."""
        best = max((ship.score, -ship.to_go) for ship in self.ships)
        return [number for number, ship in enumerate(self.ships) if (ship.score, -ship.to_go) == best]

    def bonus(self, ship: int) -> int:
        """What Lady Beth adds to the ship's combat rolls (R3)."""
        return self.box.rules.lady_beth_bonus * (self.box.card_named("Lady Beth") in self.ships[ship].powers)

    def _round(self, event: Event) -> None:
        self.round, self.captain = event["number"], event["captain"]

    def _choose(self, event: Event) -> None:
        ship = self.ships[event["ship"]]
        ship.hand = [card for card in event["hand"] if card != event["card"]]
        ship.card = event["card"]

    def _draw(self, event: Event) -> None:
        self.ships[event["ship"]].hand += event["cards"]

    def _action(self, event: Event) -> None:
        self.action, self.looting = event, False

    def _load(self, event: Event) -> None:
        self.looting = False
        _fill(self.ships[event["ship"]].holds, event["hold"], event["resource"], event["amount"])

    def _pay(self, event: Event) -> None:
        for hold, amount in event["holds"]:
            _take_out(self.ships[event["ship"]].holds, hold, amount)

    def _move(self, event: Event) -> None:
        ship = self.ships[event["ship"]]
        ship.space, ship.lap = event["to"]["space"], event["to"]["lap"]

    _retreat = _move

    def _battle(self, event: Event) -> None:
        self.powder, self.rolled = {}, set()

    def _powder(self, event: Event) -> None:
        self.powder[event["ship"]] = event["amount"]

    def _roll(self, event: Event) -> None:
        self.rolled.add(event["ship"])

    def _treasure(self, event: Event) -> None:
        self.plundered.add(event["space"])
        ship = self.ships[event["ship"]]
        self._lay_down(ship, event["treasure"], face_up=self.box.is_power(event["treasure"]) and not ship.is_ghost)

    def _loot(self, event: Event) -> None:
        winner, loser = self.ships[event["ship"]], self.ships[event["loser"]]
        if event["take"] == "hold":
            _take_out(loser.holds, event["hold"], event["amount"])
            self.looting = True
        elif event["take"] in ("power", "hidden"):
            self._hand_over(event["treasure"], loser, winner)
        elif event["take"] == "give":
            self._hand_over(event["treasure"], winner, loser)

    def _house(self, event: Event) -> None:
        """What a house rule did."""
        ship = self.ships[event.get("ship", 0)]
        if event["what"] == "give":
            there = ship.holds.get(event["hold"]) if event["emptied"] is None else None
            _fill(ship.holds, event["hold"], event["resource"], event["amount"] + (there[1] if there else 0))
        elif event["what"] == "take":
            _take_out(ship.holds, event["hold"], event["amount"])
        elif event["what"] == "hold":
            _take_out(self.ships[event["loser"]].holds, event["hold"], event["amount"])
            _fill(ship.holds, event["into"], event["resource"], event["amount"])
        elif event["what"] == "sail":
            self._move(event)
        elif event["what"] == "treasure":
            self._lay_down(ship, event["treasure"], self.box.is_power(event["treasure"]) and not ship.is_ghost)
        elif event["what"] == "return":
            ship.face_down.remove(event["treasure"])
        elif event["what"] == "captain":
            self.captain = event["captain"]
        elif event["what"] == "points":
            ship.house_points = event["is"] - event["was"]

    def contents_along(self, loot: Event) -> str:
        """What becomes of the goods in a 6th Hold that changes hands (B9, G6), in words."""
        giver, taker = self.ships[loot["loser"]], self.ships[loot["ship"]]
        if loot["take"] == "give":
            giver, taker = taker, giver
        contents = giver.holds.get(SIXTH_HOLD)
        if loot["treasure"] != self.box.card_named("6th Hold") or not contents:
            return ""
        lost = taker.is_ghost and contents[0] != "gold"
        return f" with {contents[1]} {contents[0]} in it{', which go into the sea' if lost else ''}"

    def _hand_over(self, card: int, giver: Ship, taker: Ship) -> None:
        """A power lies face up from now on (B10, G6); the 6th Hold takes its contents along (B9)."""
        face_up = card in giver.powers
        (giver.powers if face_up else giver.face_down).remove(card)
        contents = None
        if face_up and card == self.box.card_named("6th Hold"):
            contents = giver.holds.pop(SIXTH_HOLD, None)
        if taker.is_ghost and contents and contents[0] != "gold":
            contents = None
        self._lay_down(taker, card, self.box.is_power(card), contents)

    def _lay_down(self, ship: Ship, card: int, face_up: bool, contents: Contents = None) -> None:
        (ship.powers if face_up else ship.face_down).append(card)
        if face_up and card == self.box.card_named("6th Hold"):
            ship.holds[SIXTH_HOLD] = contents


def _fill(holds: Holds, hold: int, resource: str, amount: int) -> None:
    holds[hold] = (resource, amount) if amount > 0 else None


def _take_out(holds: Holds, hold: int, amount: int) -> None:
    contents = holds[hold]
    assert contents is not None  # goods come out of a hold that has some
    _fill(holds, hold, contents[0], contents[1] - amount)
