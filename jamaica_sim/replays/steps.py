"""The steps of a game, one for each thing to look at, with the sentence that tells it.

A step is one event, or a few that belong together: all choices of a round, all draws, gunpowder and its payment. The
beginning of a round is two steps: the roll and the placing of the dice. The story and the page share these steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from jamaica_sim.play.trace import Event, Trace
from jamaica_sim.replays import sentences
from jamaica_sim.replays.book import Book
from jamaica_sim.replays.box import Box, way_back, way_sailed
from jamaica_sim.replays.words import Part

TOGETHER = ("choose", "draw")  # a run of these events is one step


@dataclass(frozen=True)
class StoryStep:
    """Some events in a row, the ship they speak of, and their sentence without this subject."""

    kind: str
    first: int
    count: int
    subject: int | None
    words: list[Part]
    path: list[int] | None = None  # the spaces that a ship passes, with its end

    def sentence(self) -> list[Part]:
        """The whole sentence, without its full stop."""
        return self.words if self.subject is None else [self.subject, " ", *self.words]


def steps_of(trace: Trace, box: Box, fault: str = "", pending: str | None = None) -> list[StoryStep]:
    """All steps, from the setup to the result, or to the fault that ended the game.

    `pending` is the kind of event that follows the last one, where a game waits for an answer.
    """
    events, book = trace["events"], Book(trace, box)
    steps = [StoryStep("setup", 0, 0, *sentences.setup(book, trace["setup"]))]
    position = 0
    while position < len(events):
        count = _belonging_together(events, position)
        steps += _steps_at(events, position, count, book, pending)
        for event in events[position : position + count]:
            book.note(event)
        position += count
    if trace["result"] is not None:
        steps.append(StoryStep("end", position, 0, *sentences.end(book, trace["result"])))
    elif fault:
        steps.append(StoryStep("fault", position, 0, None, [f"The game ends here: {fault.rstrip('.')}"]))
    return steps


def _belonging_together(events: list[Event], position: int) -> int:
    kind = events[position]["event"]
    count = 1
    if kind in TOGETHER:
        while position + count < len(events) and events[position + count]["event"] == kind:
            count += 1
    elif kind == "powder" and events[position]["amount"] and _kind_at(events, position + 1) == "pay":
        count = 2
    return count


def _kind_at(events: list[Event], position: int, otherwise: str | None = None) -> str | None:
    return events[position]["event"] if position < len(events) else otherwise


def _steps_at(events: list[Event], position: int, count: int, book: Book, pending: str | None) -> Iterator[StoryStep]:
    event = events[position]
    kind = event["event"]
    if kind == "round":
        book.note(event)
        yield StoryStep("dice", position, 1, *sentences.dice(book, event))
        yield StoryStep("place", position, 1, *sentences.place(book, event))
        return
    path = None
    if kind == "move":
        forward = book.action["symbol"] == "forward"
        path = way_sailed(book.box, event["from"], event["to"], forward, book.action["die"])
    elif kind == "retreat":
        path = way_back(book.box, event["from"], event["to"])
    if kind == "draw":
        subject, words = sentences.draw(book, events[position : position + count])
    else:
        subject, words = getattr(sentences, kind)(book, event, _kind_at(events, position + count, pending))
    yield StoryStep(kind, position, count, subject, words, path)
