"""The readable story of one game, told from its trace alone: what every ship did, and where it stood after each round.

A small book keeps positions, holds and cards from event to event; nothing is played or decided here. A trace does not
say how a variant fits out its ships, so the rules may be handed over with it; without them they are the rulebook's.
"""

import json
import textwrap
from dataclasses import dataclass, field
from functools import cache

from jamaica_sim.components import action_cards, board, treasures
from jamaica_sim.engine.board import lengths_to_finish
from jamaica_sim.rules import Rules

WIDTH = 100
BELOW_ACTION = " " * 15  # an action's sentences stand to the right of "    morning 5  "
GLUE = "\N{NO-BREAK SPACE}"  # holds words together when a line is wrapped
BOLD, PLAIN = "\033[1m", "\033[0m"
HEADINGS = ("Jamaica, ", "Round ")
SEAT_COLOURS = (31, 34, 32, 35, 33, 36)  # of a terminal
SIXTH_HOLD = 5


def tell(trace: dict, colour: bool = False, rules: Rules | None = None) -> str:
    """The story of a game, for a terminal of 100 columns.

    Parameters
    ----------
    trace : dict
        A trace, as `replay` gives it.
    colour : bool
        Whether to mark ships and headings with a terminal's colours.
    rules : Rules, optional
        The rules that were played, where they are not those of an edition as printed.
    """
    config = trace["config"]
    rules = rules or Rules(edition=config["edition"], players=config["players"], ghost=config["ghost"])
    book = _Book(config, trace["setup"], rules)
    lines = _Teller(trace, rules, book).story()
    if colour:
        lines = [_paint(line, book) for line in lines]
    return "\n".join(lines).replace(GLUE, " ")


def tell_interrupted(trace: dict, rules: Rules | None = None) -> str:
    """What happened in a game that a strategy's fault ended: the story of the whole rounds, then event by event."""
    events = trace["events"]
    starts = [number for number, event in enumerate(events) if event["event"] == "round"]
    last = starts[-1] if starts else 0
    story = tell({**trace, "events": events[:last]}, rules=rules)
    rest = [json.dumps(event) for event in events[last:]]
    return "\n".join([story, "", "The last round, event by event:", *rest])


# The book.


@dataclass
class _Ship:
    name: str
    label: str
    holds: dict  # hold: (resource, tokens), or None where it is empty
    is_ghost: bool = False
    space: int = 0
    lap: int = 0
    powers: list = field(default_factory=list)
    face_down: list = field(default_factory=list)
    hand: list = field(default_factory=list)
    reshuffled: bool = False

    @property
    def to_go(self):
        return _steps_left()[self.space] - _steps_left()[0] * self.lap

    @property
    def gold(self):
        return sum(tokens for resource, tokens in filter(None, self.holds.values()) if resource == "gold")


class _Book:
    """Where every ship is and what it has: `note` enters one event."""

    def __init__(self, config, setup, rules):
        self.ships = [self._fit_out(seat, name, rules) for seat, name in enumerate(config["strategies"])]
        for ship, hand in zip(self.ships, setup["hands"], strict=True):
            ship.hand = hand
        if config["ghost"]:
            self.ships.append(self._fit_out_ghost(rules))
        self.plundered = set()  # lairs

    @staticmethod
    def _fit_out(seat, strategy, rules):
        holds = dict.fromkeys(range(rules.holds))
        _fill(holds, 0, "food", rules.start_food)
        _fill(holds, 1, "gold", rules.start_gold)
        return _Ship(_glued(f"Ship {seat} ({strategy})"), _glued(f"{seat} {textwrap.shorten(strategy, 20)}"), holds)

    @staticmethod
    def _fit_out_ghost(rules):
        holds = dict.fromkeys(range(rules.holds))
        for hold, tokens in enumerate(rules.ghost_gold):
            _fill(holds, hold, "gold", tokens)
        return _Ship(_glued("the ghost ship"), "ghost", holds, is_ghost=True, powers=[_card_named("Lady Beth")])

    def note(self, event):
        """Enter an event; those that change nothing on the table have no entry."""
        entry = getattr(self, f"_{event['event']}", None)
        if entry is not None:
            entry(event)

    def _choose(self, event):
        self.ships[event["ship"]].hand = [card for card in event["hand"] if card != event["card"]]
        self.ships[event["ship"]].reshuffled = False

    def _draw(self, event):
        self.ships[event["ship"]].hand += event["cards"]
        self.ships[event["ship"]].reshuffled = event["reshuffled"]

    def _load(self, event):
        _fill(self.ships[event["ship"]].holds, event["hold"], event["resource"], event["amount"])

    def _pay(self, event):
        for hold, tokens in event["holds"]:
            _take_out(self.ships[event["ship"]].holds, hold, tokens)

    def _move(self, event):
        ship = self.ships[event["ship"]]
        ship.space, ship.lap = event["to"]["space"], event["to"]["lap"]

    _retreat = _move

    def _treasure(self, event):
        self.plundered.add(event["space"])
        ship = self.ships[event["ship"]]
        self._lay_down(ship, event["treasure"], face_up=_is_power(event["treasure"]) and not ship.is_ghost)

    def _loot(self, event):
        winner, loser = self.ships[event["ship"]], self.ships[event["loser"]]
        if event["take"] == "hold":
            _take_out(loser.holds, event["hold"], event["amount"])
        elif event["take"] in ("power", "hidden"):
            self._hand_over(event["treasure"], loser, winner)
        elif event["take"] == "give":
            self._hand_over(event["treasure"], winner, loser)

    def _hand_over(self, card, giver, taker):
        """A power lies face up from now on (B10, G6); the 6th Hold takes its contents along (B9)."""
        (giver.powers if card in giver.powers else giver.face_down).remove(card)
        contents = giver.holds.pop(SIXTH_HOLD, None) if card == _card_named("6th Hold") else None
        if taker.is_ghost and contents and contents[0] != "gold":
            contents = None
        self._lay_down(taker, card, _is_power(card), contents)

    @staticmethod
    def _lay_down(ship, card, face_up, contents=None):
        (ship.powers if face_up else ship.face_down).append(card)
        if face_up and card == _card_named("6th Hold"):
            ship.holds[SIXTH_HOLD] = contents


@cache
def _steps_left():
    return lengths_to_finish(board()).tolist()


def _fill(holds, hold, resource, tokens):
    holds[hold] = (resource, tokens) if tokens > 0 else None


def _take_out(holds, hold, tokens):
    resource, there = holds[hold]
    _fill(holds, hold, resource, there - tokens)


# The words.


@cache
def _card_named(name):
    return [card.name for card in treasures()].index(name)


def _is_power(card):
    return treasures()[card].kind == "power"


def _glued(text):
    return text.replace(" ", GLUE)


def _capital(text):
    return text[:1].upper() + text[1:]


def _listed(items, last="and"):
    """`a, b and c`."""
    items = list(items)
    return f" {last} ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)


def _action_card(card):
    return "/".join((action_cards()[card].morning, action_cards()[card].evening))


def _treasure_card(card):
    return _glued(treasures()[card].name)


def _tokens(event):
    return _glued(f"{event['amount']} {event['resource']}")


def _hold_name(hold):
    return _glued("the 6th Hold" if hold == SIXTH_HOLD else f"hold {hold}")


def _space_name(space):
    return _glued(f"space {space}" if space else "Port Royal")


def _destination(position):
    """A space with its kind, and whether it lies behind the start."""
    space = position["space"]
    remarks = [board()[space].kind] * (space > 0) + ["behind the start"] * (position["lap"] < 0)
    return f"{_space_name(space)} ({', '.join(remarks)})" if remarks else _space_name(space)


def _whereabouts(ship):
    """The same in the list of all ships."""
    if ship.lap == 1:
        return "Port Royal, home"
    kind = f" {board()[ship.space].kind}" if ship.space else ""
    behind = ", behind" if ship.lap < 0 else ""
    return f"{_space_name(ship.space)}{kind}{behind} ({ship.to_go} to go)"


def _boxes(ship):
    return " ".join(f"[{contents[1]}{GLUE}{contents[0]}]" if contents else f"[{GLUE}]" for contents in _in_order(ship))


def _in_order(ship):
    return [contents for _, contents in sorted(ship.holds.items())]


def _cards_of(ship):
    parts = []
    if ship.hand:
        parts.append(f"hand: {', '.join(map(_action_card, ship.hand))}{' (reshuffled)' if ship.reshuffled else ''}")
    if ship.powers or ship.face_down:
        cards = [_treasure_card(card) for card in ship.powers]
        if ship.face_down:
            values = ", ".join(
                _treasure_card(card) if _is_power(card) else f"{treasures()[card].value:+d}" for card in ship.face_down
            )
            cards.append(f"{len(ship.face_down)}{GLUE}face-down ({values})")
        parts.append(f"treasures: {', '.join(cards)}")
    return "; ".join(parts)


def _paint(line, book):
    if line.startswith(HEADINGS):
        return f"{BOLD}{line}{PLAIN}"
    for ship, colour in zip(book.ships, SEAT_COLOURS, strict=False):
        for name in {ship.name, _capital(ship.name), f"  {ship.label}  "}:
            line = line.replace(name, f"\033[{colour}m{name}{PLAIN}")
    return line


# The story.


class _Teller:
    """Reads the events one after the other and writes the lines; a method `_on_EVENT` tells one kind of event."""

    def __init__(self, trace, rules, book):
        self.trace = trace
        self.rules = rules
        self.book = book
        self.ships = book.ships
        self.events = trace["events"]
        self.position = 0
        self.lines = []
        self.action = None  # the `action` event that is being told
        self.clauses = []  # of the sentence that is being made
        self.start = ""  # what stands before that sentence, in the margin
        self.subject = ""  # how it begins where the margin does not tell who acts
        self.first_home = ""

    def story(self):
        """All lines."""
        self._tell_setup()
        while self.position < len(self.events):
            self._tell_round()
        if self.trace["result"] is not None:
            self._tell_end()
        return self.lines

    def _next_is(self, *kinds):
        return self.position < len(self.events) and self.events[self.position]["event"] in kinds

    def _take(self):
        """The next event, entered in the book."""
        event = self.events[self.position]
        self.position += 1
        self.book.note(event)
        return event

    def _write(self, text, first="", rest=""):
        self.lines += textwrap.wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
        )

    def _say(self, clause):
        self.clauses.append(clause)

    def _end_sentence(self, stop="."):
        if self.clauses:
            sentence = f"{self.subject}{_listed(self.clauses)}{stop}"
            self._write(sentence, f"{self.start:<15}", BELOW_ACTION + "  ")
        self.clauses, self.start, self.subject = [], "", ""

    def _name(self, ship):
        return self.ships[ship].name

    def _tell_setup(self):
        config, setup = self.trace["config"], self.trace["setup"]
        ghost = " and the ghost ship" if config["ghost"] else ""
        self._write(
            f"Jamaica, edition {config['edition']}, {config['players']} players{ghost}: "
            f"game {config['game']} of seed {config['seed']}"
        )
        for title, cards in (("Treasure pile, top first", setup["pile"]), ("Out of the game", setup["removed"])):
            self._write(f"{title}: {', '.join(map(_treasure_card, cards)) or 'none'}.", rest="  ")
        self._tell_table("At the start")

    def _tell_round(self):
        event = self._take()
        (first, second), (morning, evening) = event["dice"], event["placed"]
        rolls = f"rolls {first} and {second}: {morning} for the morning, {evening} for the evening"
        self.lines.append("")
        self._write(f"Round {event['number']}: {self._name(event['captain'])} is Captain and {rolls}", rest="  ")
        cards = {}
        while self._next_is("choose"):
            choice = self._take()
            cards[choice["ship"]] = choice["card"]
        while self._next_is("action", "skip"):
            self._tell_action(event, cards)
        while self._next_is("draw"):
            self._take()
        self._tell_table(f"After round {event['number']} (dice {morning} and {evening})")

    def _tell_action(self, this_round, cards):
        self.action = event = self._take()
        ship = self.ships[event["ship"]]
        if event["when"] == "morning":
            plays = f"is moved by {self._name(this_round['captain'])}"
            if not ship.is_ghost:
                plays = f"plays {_action_card(cards[event['ship']])}"
            self._write(f"{_capital(ship.name)} {plays}:", "  ", "    ")
        self.start = f"    {event['when']}"
        if event["event"] == "skip":
            self._say("is ignored, because the ship is home")
        else:
            self.start += f" {event['die']}"
            self._tell_consequences(ship, this_round["number"])
        self._end_sentence()

    def _tell_consequences(self, ship, number):
        drew, moved = False, False
        while self.position < len(self.events) and not self._next_is("action", "skip", "draw", "round"):
            kind = self.events[self.position]["event"]
            getattr(self, f"_on_{kind}")()
            drew, moved = drew or kind == "treasure", moved or kind == "move"
            if kind == "finish" and not self.first_home:
                self.first_home = f"{_capital(ship.name)} came home first, in round {number}"
        if moved and not drew and ship.space in self.book.plundered:
            self._say("finds the lair empty")

    def _on_load(self):
        event = self.events[self.position]
        scarce = " (the bank has no more)" if event["amount"] < self.action["die"] else ""
        self._tell_load(f"loads {_tokens(event)}{scarce}")

    def _tell_load(self, loads):
        event = self._take()
        if event["emptied"]:
            self._say(f"throws {_tokens(event['emptied'])} overboard")
        self._say(f"{loads} into {_hold_name(event['hold'])}")

    def _on_no_load(self):
        event = self._take()
        resource, holds = event["resource"], _in_order(self.ships[event["ship"]])
        full = all(contents and contents[0] == resource for contents in holds)
        why = f"every hold has {resource} already" if full else f"the bank has no {resource} left"
        self._say(f"loads nothing, because {why}")

    def _on_move(self):
        event = self._take()
        verb = f"sails {self.action['symbol']}"
        if self.action.get("forced"):
            rank = "in the lead" if self.action["symbol"] == "backward" else "in last place"
            verb = f"has to sail {self.action['symbol']}, being alone {rank},"
        self._tell_way(event, f"{verb} from {_space_name(event['from']['space'])}")

    def _on_retreat(self):
        self._tell_way(self._take(), "goes back")

    def _tell_way(self, event, verb):
        others = [_space_name(option["space"]) for option in event["options"] if option != event["to"]]
        instead = f" rather than {_listed(others, 'or')}" if others else ""
        self._say(f"{verb} to {_destination(event['to'])}{instead}")

    def _on_finish(self):
        self._take()
        self._say("has completed the circuit")

    def _on_pay(self):
        event = self._take()
        if not self._next_is("shortage"):
            self._say(f"pays {_tokens(event)} {self._sources(event)}")

    @staticmethod
    def _sources(event):
        """The holds that something was paid from."""
        if len(event["holds"]) == 1:
            return f"from {_hold_name(event['holds'][0][0])}"
        return f"({', '.join(f'{tokens} from {_hold_name(hold)}' for hold, tokens in event['holds'])})"

    def _on_shortage(self):
        event = self._take()
        paid = f"pays the {event['paid']} it has" if event["paid"] else "has none"
        self._say(f"runs short of {event['resource']} ({event['due']} due, {paid})")
        if event["symbol"] is not None:
            self._say(f"rolls a {event['symbol']} on the shortage die")
        if not self._next_is("retreat"):
            self._say("stays" if event["symbol"] == "star" else "stays, being behind the start")

    def _on_treasure(self):
        event = self._take()
        unseen = " unseen" if self.ships[event["ship"]].is_ghost else ""
        self._say(f"draws a treasure{unseen}: {_treasure_card(event['treasure'])}")

    def _on_battle(self):
        event = self._take()
        others = [self._name(ship) for ship in event["targets"] if ship != event["defender"]]
        instead = f" rather than {_listed(others, 'or')}" if others else ""
        self._say(f"attacks {self._name(event['defender'])}{instead}")
        self._end_sentence(":")
        end = next(e for e in self.events[self.position :] if e["event"] == "battle_end")
        for strength in (end["attack"], end["defence"]):
            if self._next_is("powder"):
                self._tell_throw(strength)
        self._take()
        if end["winner"] is None:
            self._say("It is a tie: nothing happens")
        else:
            self._tell_loot()
        self._end_sentence()
        self.subject = f"{_capital(self._name(event['attacker']))} then "

    def _tell_throw(self, strength):
        """One side of a battle: its gunpowder, its roll, and the second one by the Sabre."""
        powder = self._take()
        source = f" {self._sources(self._take())}" if self._next_is("pay") else ""
        face = self._take()["face"]
        rolls = f"rolls {_face(face)}"
        while self._next_is("sabre"):
            sabre, face = self._take(), self._take()["face"]
            whose = "its" if sabre["ship"] == sabre["of"] else f"{self._name(sabre['ship'])}'s"
            rolls += f", then by {whose} Saran's Sabre {_face(face)}"
        self._say(f"{_capital(self._name(powder['ship']))} adds {powder['amount'] or 'no'} gunpowder{source}")
        if strength is None:
            self._say(rolls)
        else:
            bonus = strength - face - powder["amount"]
            lady_beth = f" with Lady Beth's {bonus}" if bonus else ""
            self._say(f"{rolls}: strength {strength}{lady_beth}")
        self._end_sentence()

    def _tell_loot(self):
        event = self.events[self.position]
        loser = self._name(event["loser"])
        contents = self._contents_moved(event)
        self._take()
        self._say(f"{_capital(self._name(event['ship']))} wins")
        if event["take"] == "hold":
            self._say(f"takes {_tokens(event)} from {_hold_name(event['hold'])} of {loser}")
            if self._next_is("load"):
                self._tell_load("puts the loot")
            else:
                self._say("throws it into the sea")
        elif event["take"] == "power":
            article = "the " if event["treasure"] == _card_named("6th Hold") else ""
            self._say(f"takes {article}{_treasure_card(event['treasure'])} from {loser}{contents}")
        elif event["take"] == "hidden":
            self._say(f"takes a face-down treasure from {loser}: {_treasure_card(event['treasure'])}")
        elif event["take"] == "give":
            self._say(f"gives {loser} a treasure: {_treasure_card(event['treasure'])}{contents}")
        else:
            self._say("takes nothing")

    def _contents_moved(self, event):
        """What becomes of the tokens in a 6th Hold that changes hands (B9, G6)."""
        giver, taker = self.ships[event["loser"]], self.ships[event["ship"]]
        if event["take"] == "give":
            giver, taker = taker, giver
        contents = giver.holds.get(SIXTH_HOLD)
        if event.get("treasure") != _card_named("6th Hold") or not contents:
            return ""
        lost = taker.is_ghost and contents[0] != "gold"
        return f", with {contents[1]}{GLUE}{contents[0]} in it{' that go into the sea' if lost else ''}"

    def _tell_table(self, title):
        """Where everybody stands: two lines for each ship."""
        self.lines.append("")
        self._write(f"{title}:")
        places = [_whereabouts(ship) for ship in self.ships]
        label_width, place_width = max(len(ship.label) for ship in self.ships), max(map(len, places))
        for ship, place in zip(self.ships, places, strict=True):
            start = f"  {ship.label:<{label_width}}  "
            below = " " * len(start)
            first = f"{start}{place:<{place_width}}  "
            self._write(_boxes(ship), first, " " * len(first))
            self._write(_cards_of(ship), below, below + "  ")

    def _tell_end(self):
        result = self.trace["result"]
        scores, winners = result["scores"], result["winners"]
        self.lines.append("")
        if self.first_home:
            self._write(f"{self.first_home}: the game is over.")
        else:
            self._write(f"Nobody has come home after {result['rounds']} rounds: the game is over.")
        names = [_capital(ship.name) for ship in self.ships]
        width = max(map(len, names))
        self.lines += ["", f"  {'':<{width}}  position   gold  treasures  score"]
        ranking = sorted(range(len(names)), key=lambda ship: (-scores[ship], self.ships[ship].to_go, ship))
        for ship in ranking:
            position, gold, points = self._score_parts(self.ships[ship])
            self.lines.append(f"  {names[ship]:<{width}}  {position:>8}  {gold:>5}  {points:>9}  {scores[ship]:>5}")
        verb = "wins" if len(winners) == 1 else "share the victory"
        tie = scores.count(max(scores)) > len(winners)
        ahead = ", being further along than the others with as many" if tie else ""
        self.lines.append("")
        self._write(_capital(f"{_listed(map(self._name, winners))} {verb} with {_points(max(scores))}{ahead}."))

    def _score_parts(self, ship):
        at_start = ship.lap < 0 or (ship.lap == 0 and ship.space == 0)
        position = self.rules.start_score if at_start else board()[ship.space].score
        return position, ship.gold, sum(treasures()[card].value for card in ship.face_down)


def _face(face):
    return "a star" if face == "star" else str(face)


def _points(score):
    return f"{score} point" if abs(score) == 1 else f"{score} points"
