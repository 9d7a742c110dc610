"""The sentence of each step. Its subject is a ship, so that sentences about the same ship can be joined.

A sentence is a list of texts, ships by number, and secrets. It says only what the book and the event say. A secret is
something that somebody at the table does not know at that moment (K1, K2, R5).
"""

from jamaica_sim.game.words import listed
from jamaica_sim.play.trace import Event, Result, Setup
from jamaica_sim.replays.book import Book
from jamaica_sim.replays.words import (
    Part,
    Secret,
    card_name,
    described_space,
    face_name,
    goods,
    into,
    listed_parts,
    points,
    treasure_name,
)
from jamaica_sim.strategy.option_words import house_option, space_name

Sentence = tuple[int | None, list[Part]]  # the ship it speaks of, and the words about it

SHORTAGE_DIE = {"circle": "back to a port", "square": "back to sea", "skull": "back to a lair", "star": "it stays"}


def setup(book: Book, setup: Setup) -> Sentence:
    """Before the first round."""
    return None, ["All ships lie at Port Royal; ", setup["captain"], " is the first Captain"]


def dice(book: Book, event: Event) -> Sentence:
    """The Captain's roll."""
    first, second = event["dice"]
    return event["captain"], [f"is Captain and rolls {first} and {second}"]


def place(book: Book, event: Event) -> Sentence:
    """The Captain's choice."""
    morning, evening = event["placed"]
    return event["captain"], [f"puts {morning} on the morning and {evening} on the evening"]


def choose(book: Book, event: Event, following: str | None) -> Sentence:
    """All players' cards."""
    return None, ["Every player chooses a card, face down"]


def draw(book: Book, events: list[Event]) -> Sentence:
    """All players' new cards."""
    words: list[Part] = ["The players draw cards"]
    shuffling = [event["ship"] for event in events if event["reshuffled"]]
    if shuffling:
        verb = "shuffles" if len(shuffling) == 1 else "shuffle"
        words += ["; ", *listed_parts(shuffling), f" {verb} the discard pile first"]
    return None, words


def action(book: Book, event: Event, following: str | None) -> Sentence:
    """An action begins."""
    if book.ships[event["ship"]].is_ghost:
        rank = "in the lead" if event["symbol"] == "backward" else "in last place"
        why = f", because it is alone {rank}" if event.get("forced") else ""
        how = f" {event['symbol']} by the {event['when']} die, {event['die']}{why}"
        return book.captain, ["moves ", event["ship"], how]
    plays = f"plays the {event['when']}'s {event['symbol']} with a {event['die']}"
    if event["when"] == "evening":
        return event["ship"], [plays]
    card = book.ships[event["ship"]].card
    return event["ship"], [f"reveals {card_name(book.box, card)} and {plays}"]


def skip(book: Book, event: Event, following: str | None) -> Sentence:
    """An evening at home."""
    return event["ship"], [f"is home, so the {event['when']} is ignored"]


def load(book: Book, event: Event, following: str | None) -> Sentence:
    """Goods come into a hold; the sentence of `loot` has named loot already."""
    hold = into(book.box, event["hold"])
    thrown = f"throws {goods(event['emptied'])} overboard" if event["emptied"] else ""
    if book.looting:
        return event["ship"], [f"{thrown} to make room" if thrown else f"stows it{hold}"]
    scarce = " (the bank has no more)" if book.action and event["amount"] < book.action["die"] else ""
    loads = f"loads {goods(event)}{hold}{scarce}"
    return event["ship"], [f"{thrown} and {loads}" if thrown else loads]


def no_load(book: Book, event: Event, following: str | None) -> Sentence:
    """A load that is ignored."""
    resource, holds = event["resource"], book.ships[event["ship"]].holds.values()
    full = all(contents and contents[0] == resource for contents in holds)
    why = f"every hold has {resource} already" if full else f"the bank has no {resource} left"
    return event["ship"], [f"loads nothing, because {why}"]


def move(book: Book, event: Event, following: str | None) -> Sentence:
    """A ship sails."""
    back = " back" if book.action["symbol"] == "backward" else ""
    return _sails(book, event, f"sails{back} from {space_name(event['from']['space'])}")


def retreat(book: Book, event: Event, following: str | None) -> Sentence:
    """A ship goes back after a shortage."""
    return _sails(book, event, "goes back")


def _sails(book: Book, event: Event, verb: str) -> Sentence:
    others = [space_name(option["space"], "") for option in event["options"] if option != event["to"]]
    instead = f" rather than {listed(others, 'or')}" if others else ""
    word = "" if event["event"] == "move" and event["from"]["space"] else "space "
    return event["ship"], [f"{verb} to {described_space(book.box, event['to'], book.plundered, word)}{instead}"]


def finish(book: Book, event: Event, following: str | None) -> Sentence:
    """A ship comes home."""
    return event["ship"], ["comes home"]


def pay(book: Book, event: Event, following: str | None) -> Sentence:
    """The cost of a space, or as much of it as there is."""
    return event["ship"], [f"pays all it has, {goods(event)}" if following == "shortage" else f"pays {goods(event)}"]


def shortage(book: Book, event: Event, following: str | None) -> Sentence:
    """A ship cannot pay."""
    words = f"runs short of {event['resource']} ({event['due']} due, {event['paid'] or 'none'} paid)"
    if event["symbol"] is not None:
        words += f", rolls a {event['symbol']} on the shortage die: {SHORTAGE_DIE[event['symbol']]}"
    if following != "retreat" and event["symbol"] != "star":
        words += ", and stays, being behind the start"
    return event["ship"], [words]


def treasure(book: Book, event: Event, following: str | None) -> Sentence:
    """A lair is plundered."""
    name = treasure_name(book.box, event["treasure"])
    if book.ships[event["ship"]].is_ghost:
        return event["ship"], ["draws a treasure unseen", Secret(f": {name}", "", ())]
    if book.box.is_power(event["treasure"]):
        return event["ship"], [f"draws a treasure: {name}"]
    return event["ship"], ["draws a face-down treasure", Secret(f": {name}", "", (event["ship"],))]


def battle(book: Book, event: Event, following: str | None) -> Sentence:
    """A battle begins."""
    others = [ship for ship in event["targets"] if ship != event["defender"]]
    instead: list[Part] = [" rather than ", *listed_parts(others, "or")] if others else []
    return event["attacker"], ["attacks ", event["defender"], *instead]


def powder(book: Book, event: Event, following: str | None) -> Sentence:
    """Gunpowder is committed, and paid."""
    return event["ship"], [f"adds {event['amount'] or 'no'} gunpowder"]


def roll(book: Book, event: Event, following: str | None) -> Sentence:
    """A combat roll, and the strength that comes of it."""
    again = event["ship"] in book.rolled
    face = f"rolls again: {face_name(event['face'])}" if again else f"rolls {face_name(event['face'])}"
    if event["face"] == "star":
        return event["ship"], [face]
    bonus, spent = book.bonus(event["ship"]), book.powder.get(event["ship"], 0)
    beth = f" with Lady Beth's {bonus}" if bonus else ""
    strength = f"strength {event['face'] + spent + bonus}{beth}"
    return event["ship"], [f"{face}{',' if again else ':'} {strength}"]


def sabre(book: Book, event: Event, following: str | None) -> Sentence:
    """A die is rolled again."""
    whose: list[Part] = ["its own die"] if event["of"] == event["ship"] else ["the die of ", event["of"]]
    return event["ship"], ["uses Saran's Sabre to roll ", *whose, " again"]


def battle_end(book: Book, event: Event, following: str | None) -> Sentence:
    """Who wins a battle."""
    if event["winner"] is None:
        return None, [f"It is a tie at {event['attack']}: nothing happens"]
    if event["attack"] is None or event["defence"] is None:
        return event["winner"], ["wins by the star"]
    return event["winner"], [
        f"wins {max(event['attack'], event['defence'])} to {min(event['attack'], event['defence'])}"
    ]


def loot(book: Book, event: Event, following: str | None) -> Sentence:
    """What the winner takes or gives."""
    ship, loser, take = event["ship"], event["loser"], event["take"]
    if take == "hold":
        lost = "" if following == "load" else " and throws it into the sea"
        return ship, [f"takes {goods(event)} from ", loser, lost]
    if take == "nothing":
        return ship, ["takes nothing"]
    name = treasure_name(book.box, event["treasure"])
    power = book.box.is_power(event["treasure"])
    known_to = (ship, loser)
    if take == "power":
        return ship, [f"takes {name} from ", loser, book.contents_along(event)]
    if take == "hidden":
        return ship, [
            "takes a face-down treasure from ",
            loser,
            f": {name}" if power else Secret(f": {name}", "", known_to),
        ]
    is_any = book.ships[loser].is_ghost or book.box.rules.give_any_treasure
    unnamed = "a face-down treasure" if is_any else "a cursed treasure"
    return ship, ["gives ", loser, " ", name if power else Secret(name, unnamed, known_to), book.contents_along(event)]


HOUSE_NUMBERS = {
    "die": "die",
    "cost": "cost of the space",
    "shortage": "shortage",
    "hand_limit": "hand limit",
    "battle_result": "result of the battle",
    "points": "points",
}


def house(book: Book, event: Event, following: str | None) -> Sentence:
    """What a house rule does."""
    rule, ship, what = f" (house rule {event['rule'].removesuffix('.py')})", event.get("ship", 0), event["what"]
    words: list[Part]
    if what in ("give", "take"):
        lost = f"throws {goods(event['emptied'])} overboard and " if event.get("emptied") else ""
        words = [f"{lost}{'gets' if what == 'give' else 'gives up'} {goods(event)}"]
    elif what == "hold":
        words = [f"takes {goods(event)} from ", event["loser"]]
    elif what == "sail":
        words = [f"is moved to {described_space(book.box, event['to'], book.plundered, 'space ')}"]
    elif what == "treasure":
        name = treasure_name(book.box, event["treasure"])
        words = ["draws a treasure", Secret(f": {name}", "", (ship,))]
    elif what == "return":
        words = ["puts a treasure back", Secret(f": {treasure_name(book.box, event['treasure'])}", "", (ship,))]
    elif what == "asks":
        words = [f"chooses {house_option(book.box.rules, event['moment'], event['answer'])}"]
    elif what == "captain":
        ship, words = event["captain"], ["becomes Captain"]
    elif what == "roll":
        return None, [f"A die of {event['faces']} faces shows {event['face']}{rule}"]
    elif what == "battle_result":
        return _changed_result(event["is"], rule)
    else:
        words = [f"has its {HOUSE_NUMBERS[what]} changed from {event['was']} to {event['is']}"]
    return ship, [*words, rule]


def _changed_result(winner: int, rule: str) -> Sentence:
    return (None, [f"Nobody wins{rule}"]) if winner < 0 else (winner, [f"is declared the winner{rule}"])


def end(book: Book, result: Result) -> Sentence:
    """Who has won."""
    scores, winners = result["scores"], result["winners"]
    limit = "" if result["finished"] else "Nobody has come home in time; "
    verb = "wins" if len(winners) == 1 else "share the victory"
    ahead = ", being further along" if scores.count(max(scores)) > len(winners) else ""
    words: list[Part] = [limit, *listed_parts(winners), f" {verb} with {points(max(scores))}{ahead}"]
    return None, words if limit else words[1:]
