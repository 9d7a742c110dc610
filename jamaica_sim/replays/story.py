"""The story of one game for a terminal: what every ship did, where it stood after each round, and a summary.

The sentences are those of the steps; here they are joined and laid out. Nothing is played or decided here.
"""

import re
import textwrap
from collections.abc import Iterator
from itertools import zip_longest

from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import changes_told, listed
from jamaica_sim.play.trace import Event, Trace
from jamaica_sim.replays.book import Book, Ship
from jamaica_sim.replays.box import Box, box_of
from jamaica_sim.replays.chances import GameChances
from jamaica_sim.replays.chances_told import chances_lines
from jamaica_sim.replays.steps import StoryStep, steps_of
from jamaica_sim.replays.summary import summary_lines
from jamaica_sim.replays.words import KINDS, capital, card_name, full_name, spoken, treasure_name
from jamaica_sim.strategy.option_words import COLOURS, space_name

WIDTH = 100
GLUE = "\N{NO-BREAK SPACE}"  # holds words together when a line is wrapped
BOLD, PLAIN = "\033[1m", "\033[0m"
HEADINGS = ("Jamaica, ", "Round ", "Summary", "Chances ")
SEAT_COLOURS = (34, 31, 32, 35, 33, 36)  # of a terminal, the nearest to the ships' names
UNTOLD = ("setup", "dice", "place", "choose", "draw", "end")  # steps that the layout itself tells


def replay_story(trace: Trace, rules: Rules | None = None) -> str:
    """A game as a story in plain words, from its trace; `rules` where the trace does not tell them.

    Examples
    --------
    >>> from jamaica_sim import replay, replay_story
    >>> "Round 1" in replay_story(replay(3, strategies="random", players=3))
    True
    """
    return tell(trace, rules=rules)


def tell(
    trace: Trace,
    colour: bool = False,
    rules: Rules | None = None,
    chances: GameChances | None = None,
    reader: int | None = None,
    summary: bool = False,
) -> str:
    """The story of a game, for a terminal of 100 columns; with `summary` only its heading and its end.

    `chances` to win are told at the end. A game without a result is told to the last thing that happened: a strategy's
    fault ended it, or it goes on, and `reader` is the seat that must not learn more than it knows.
    """
    box = box_of(trace, rules)
    teller = _Teller(trace, box, reader)
    lines = _heading(trace, box, reader) if summary else teller.tell_game()
    if trace["result"] is not None:
        lines += ["", *summary_lines(trace, box), *(["", *chances_lines(chances)] if chances else [])]
    return _text(lines, colour, teller.book)


def _text(lines: list[str], colour: bool, book: Book) -> str:
    if colour:
        lines = [_paint(line, book) for line in lines]
    return "\n".join(lines).replace(GLUE, " ")


def _heading(trace: Trace, box: Box, reader: int | None) -> list[str]:
    config, told = trace["config"], changes_told(box.rules)
    game = f"game {config['game']} of seed {config['seed']}" if reader is None else "a game that is not over"
    lines = [f"Jamaica, edition {config['edition']}, {box.rules.who_sails}: {game}"]
    if told:
        lines += textwrap.wrap(f"with other rules: {told}", WIDTH, break_on_hyphens=False)
    if "what_if" in config:
        changed = config["what_if"]
        did = f"played {card_name(box, changed['card'])}" if "card" in changed else f"chosen {changed['words']}"
        lines.append(f"as it would have gone on if {COLOURS[changed['ship']]} had {did} in round {changed['round']}")
    return lines


def _paint(line: str, book: Book) -> str:
    if line.startswith(HEADINGS):
        return f"{BOLD}{line}{PLAIN}"
    for ship, colour in zip(book.ships, SEAT_COLOURS, strict=False):
        if not ship.is_ghost:
            line = re.sub(rf"\b{ship.name}\b", f"\033[{colour}m{ship.name}{PLAIN}", line)
    return line


class _Teller:
    """Lays out the steps: a heading for each round, two lines or more for each ship, then where everybody stands."""

    def __init__(self, trace: Trace, box: Box, reader: int | None = None) -> None:
        self.trace, self.box, self.reader = trace, box, reader
        self.book = Book(trace, box)
        self.steps = steps_of(trace, box)
        self.lines: list[str] = []
        self.column = max(len(ship.name) for ship in self.book.ships) + 2  # where the cards begin
        self.margin = " " * (self.column + max(len(card_name(box, card)) for card in range(len(box.cards))) + 7)

    def tell_game(self) -> list[str]:
        """All lines up to where everybody stands at the end."""
        self.lines += _heading(self.trace, self.box, self.reader)
        setup = self.trace["setup"]
        hidden = (("Treasure pile, top first", setup["pile"]), ("Out of the game", setup["removed"]))
        for title, cards in hidden if self.reader is None else ():
            names = ", ".join(treasure_name(self.box, card) for card in cards)
            self._write(f"{title}: {names or 'none'}.", rest="  ")
        self.lines.append("")
        self._tell_standings("At the start")
        action: list[StoryStep] = []  # the steps of one action, which become a paragraph
        for step in self.steps:
            if step.kind in ("action", "skip", "dice", "choose", "draw", "end") and action:
                self._tell_action(action)
                action = []
            if step.kind == "dice":
                self._tell_round(step)
            elif step.kind not in UNTOLD:
                action.append(step)
                continue
            self._note(step)
        if action:
            self._tell_action(action)
        if self.trace["result"] is not None:
            self._tell_standings(f"After round {self.book.round}")
        return self.lines

    def _note(self, step: StoryStep) -> None:
        for event in self.trace["events"][step.first : step.first + step.count]:
            self.book.note(event)

    def _write(self, text: str, first: str = "", rest: str = "") -> None:
        self.lines += textwrap.wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
        )

    def _tell_round(self, step: StoryStep) -> None:
        if self.book.round:
            self._tell_standings(f"After round {self.book.round}")
        event = self.trace["events"][step.first]
        morning, evening = event["placed"]
        captain = full_name(self.book.ships[event["captain"]])
        self.lines.append("")
        self._write(
            f"Round {event['number']}: {captain} is Captain, {morning} in the morning, {evening} in the evening"
        )

    def _tell_action(self, action: list[StoryStep]) -> None:
        """One paragraph: the ship and its card in the margin, the die, and what came of it."""
        event = self.trace["events"][action[0].first]
        if event["event"] == "house":
            self._tell_house(action)
            return
        start = self.margin
        if event["when"] == "morning":
            ship = self.book.ships[event["ship"]]
            played = "moved by " + self.book.ships[self.book.captain].name
            if not ship.is_ghost:
                played = card_name(self.box, ship.card)
            start = f"  {capital(ship.name):<{self.column}}{played}".ljust(len(self.margin))
        die = event["die"] if event["event"] == "action" else "-"
        for step in action:
            self._note(step)
        text = " ".join(self._sentences(action, event)) or "the game breaks off here."
        self._write(text, f"{start[:-4]}{die:>2}  ", self.margin + "  ")

    def _tell_house(self, steps: list[StoryStep]) -> None:
        """What house rules do while no ship is acting, a line each."""
        for step in steps:
            self._note(step)
            name = "" if step.subject is None else f"{capital(self.book.ships[step.subject].name)} "
            self._write(f"{name}{spoken(step.words, self.book.ships, self.reader)}.", "  ", self.margin + "  ")

    def _sentences(self, action: list[StoryStep], event: Event) -> Iterator[str]:
        """The steps as sentences. Consecutive steps of the same ship are one sentence.

        The ship in the margin is not named again until another has acted.
        """
        sentences: list[tuple[int | None, list[str]]] = [(event["ship"], [self._opening(action[0], event)])]
        for step, following in zip_longest(action[1:], action[2:]):
            if self._goes_without_saying(step, following):
                continue
            if step.subject != sentences[-1][0] or step.kind == "battle_end":
                sentences.append((step.subject, []))
            sentences[-1][1].append(spoken(step.words, self.book.ships, self.reader))
        for number, (subject, clauses) in enumerate(sentences):
            name = "" if number == 0 or subject is None else f"{capital(self.book.ships[subject].name)} "
            if any(clauses):
                yield f"{name}{listed(filter(None, clauses))}."

    def _opening(self, step: StoryStep, event: Event) -> str:
        if step.kind == "skip":
            return spoken(step.words, self.book.ships, self.reader)
        if event.get("forced"):
            return "is alone in the lead" if event["symbol"] == "backward" else "is alone in last place"
        return ""

    def _goes_without_saying(self, step: StoryStep, following: StoryStep | None) -> bool:
        """Whether a step is left out: a part payment that the shortage tells again, or loot that is simply stowed."""
        if step.kind == "pay":
            return following is not None and following.kind == "shortage"
        return step.kind == "load" and step.words == ["stows it"]

    def _tell_standings(self, title: str) -> None:
        """Where everybody stands: a line for each ship."""
        names = [capital(full_name(ship)) for ship in self.book.ships]
        whereabouts = [_whereabouts(ship) for ship in self.book.ships]
        name_width, where_width = max(len(title) - 2, *map(len, names)), max(map(len, whereabouts))
        self.lines.append(f"  {title:<{name_width + 2}}  {'':<{where_width}}  to go  points")
        for seat, (ship, name, where) in enumerate(zip(self.book.ships, names, whereabouts, strict=True)):
            unknown = [] if self.reader in (None, seat) else ship.face_down
            score = f"{ship.score - sum(self.box.treasures[card].value for card in unknown)}{'+?' * bool(unknown)}"
            start = f"    {name:<{name_width}}  {where:<{where_width}}  {ship.to_go:>5}  {score:>6}  "
            held = (_goods(ship), _treasures(ship, bool(unknown)))
            self._write("; ".join(filter(None, held)), start, " " * len(start))


def _whereabouts(ship: Ship) -> str:
    if ship.lap == 1:
        return "home"
    kind = f" {KINDS[ship.box.board[ship.space].kind]}" if ship.space else ""
    return f"{space_name(ship.space, '')}{kind}{' behind the start' if ship.lap < 0 else ''}"


def _goods(ship: Ship) -> str:
    contents = [contents for _, contents in sorted(ship.holds.items())]
    full = [f"{held[1]}{GLUE}{held[0]}" for held in contents if held]
    empty = len(contents) - len(full)
    return ", ".join(full + [f"{empty}{GLUE}empty"] * (empty > 0))


def _treasures(ship: Ship, is_hidden: bool) -> str:
    cards = [treasure_name(ship.box, card) for card in ship.powers]
    if is_hidden:
        return ", ".join([*cards, f"{len(ship.face_down)} face down"]).replace(" ", GLUE).replace(f",{GLUE}", ", ")
    for card in ship.face_down:
        value = ship.box.treasures[card].value
        cards.append(treasure_name(ship.box, card) if ship.box.is_power(card) else f"{value:+d}")
    return ", ".join(card.replace(" ", GLUE) for card in cards)
