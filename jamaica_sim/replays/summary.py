"""A game in short: who led when, what turned it, and where the points came from.

Turning points are measured by standing: doubloons and treasures at their present value, and progress as if every space
were worth the same. So a retreat long before the finish counts too, which the printed points would not show.
"""

import textwrap
from dataclasses import dataclass

from jamaica_sim.game.words import listed
from jamaica_sim.play.trace import Event, Result, Trace
from jamaica_sim.replays.book import Book, Ship
from jamaica_sim.replays.box import Box
from jamaica_sim.replays.steps import StoryStep, steps_of
from jamaica_sim.replays.words import capital, full_name, spoken

MOST_TURNS = 5
SMALLEST_TURN = 3  # points
TURNING = ("loot", "shortage", "treasure")  # what can turn a game in one step, besides sailing and loading


@dataclass(frozen=True)
class Turn:
    """A step that changed the standing of ships: which ships, and by how much."""

    round: int
    step: int
    text: str
    changes: tuple[tuple[int, float], ...]

    @property
    def size(self) -> float:
        """The largest change of a ship's standing."""
        return max(abs(change) for _, change in self.changes)


@dataclass(frozen=True)
class Summary:
    """A game in short.

    By round, `leaders` are the ships that would win if the game ended there; `ahead` are those nearest to the finish.
    """

    leaders: list[list[int]]
    ahead: list[list[int]]
    turns: list[Turn]
    points: list[tuple[int, int, int, int]]
    counts: list[dict[str, int]]


def summarise(trace: Trace, box: Box) -> Summary:
    """The summary of a game that is over."""
    book = Book(trace, box)
    leaders: list[list[int]] = []
    ahead: list[list[int]] = []
    counts = [dict.fromkeys(("attacks", "battles", "won", "shortages", "treasures"), 0) for _ in book.ships]
    for event in trace["events"]:
        if event["event"] == "round" and book.round:
            _note_leaders(book, leaders, ahead)
        book.note(event)
        _count(counts, event)
    if book.round:
        _note_leaders(book, leaders, ahead)
    large = [turn for turn in turns_of(trace, box) if turn.size >= SMALLEST_TURN]
    largest = sorted(large, key=lambda turn: (-turn.size, turn.step))[:MOST_TURNS]
    points = [ship.points() for ship in book.ships]
    return Summary(leaders, ahead, sorted(largest, key=lambda turn: turn.step), points, counts)


def turns_of(trace: Trace, box: Box) -> list[Turn]:
    """Every step of loot, shortage or treasure that changed a standing by at least half a point."""
    book, steps, turns = Book(trace, box), steps_of(trace, box), []
    joined: list[StoryStep] = []
    for number, step in enumerate(steps):
        if not _belongs_to(step, steps[number - 1]):
            before, began, joined = [_standing(ship) for ship in book.ships], number, []
        joined.append(step)
        if step.kind != "place":  # its event was noted with the dice
            for event in trace["events"][step.first : step.first + step.count]:
                book.note(event)
        complete = number + 1 == len(steps) or not _belongs_to(steps[number + 1], step)
        if joined[0].kind in TURNING and complete:
            all_changes = [(ship, _standing(book.ships[ship]) - was) for ship, was in enumerate(before)]
            changes = tuple((ship, change) for ship, change in all_changes if abs(change) >= 0.5)
            if changes:
                turns.append(Turn(book.round, began, _sentence(joined, book.ships), changes))
    return turns


def _belongs_to(step: StoryStep, before: StoryStep) -> bool:
    """Loot and its stowing are one thing, and so are a shortage and its retreat."""
    return (before.kind, step.kind) in (("loot", "load"), ("shortage", "retreat"))


def _standing(ship: Ship) -> float:
    rules, whole = ship.box.rules, ship.box.steps_home[0]
    worth = ship.box.board[0].score - rules.start_score
    return sum(ship.points()[1:]) + worth * (whole - ship.to_go) / whole


def _note_leaders(book: Book, leaders: list[list[int]], ahead: list[list[int]]) -> None:
    leaders.append(book.leaders())
    nearest = min(ship.to_go for ship in book.ships)
    ahead.append([number for number, ship in enumerate(book.ships) if ship.to_go == nearest])


def _count(counts: list[dict[str, int]], event: Event) -> None:
    kind = event["event"]
    if kind == "battle":
        counts[event["attacker"]]["attacks"] += 1
        for side in ("attacker", "defender"):
            counts[event[side]]["battles"] += 1
    elif kind == "battle_end" and event["winner"] is not None:
        counts[event["winner"]]["won"] += 1
    elif kind in ("shortage", "treasure"):
        counts[event["ship"]][f"{kind}s"] += 1


def _sentence(steps: list[StoryStep], ships: list[Ship]) -> str:
    """Steps of one ship as a sentence, by someone who sees all cards."""
    clauses = [spoken(step.words, ships) for step in steps if step.words != ["stows it"]]
    subject = steps[0].subject
    assert subject is not None  # a turn is what a ship does
    return f"{capital(ships[subject].name)} {listed(clauses)}"


def in_rows(leaders: list[list[int]]) -> list[tuple[int, int, list[int]]]:
    """Consecutive rounds with the same leaders: first round, last round, leaders."""
    rows: list[tuple[int, int, list[int]]] = []
    for number, ships in enumerate(leaders, 1):
        if rows and rows[-1][2] == ships:
            rows[-1] = (rows[-1][0], number, ships)
        else:
            rows.append((number, number, ships))
    return rows


def summary_lines(trace: Trace, box: Box) -> list[str]:
    """The summary for a terminal."""
    summary, ships, result = summarise(trace, box), Book(trace, box).ships, trace["result"]
    lines = ["Summary", *hanging("  ", verdict(trace, box))]
    for title, leaders in (("Most points", summary.leaders), ("Furthest along", summary.ahead)):
        spans = [f"{listed(ships[ship].name for ship in who)} {_rounds(*span)}" for *span, who in in_rows(leaders)]
        lines += hanging(f"  {title}: ", f"{', '.join(spans)}.")
    if summary.turns:
        lines.append("  Turning points, by the change of gold, treasures and progress in points:")
        for turn in summary.turns:
            changes = ", ".join(f"{ships[ship].name} {change:+.0f}" for ship, change in turn.changes)
            lines += hanging(f"    round {turn.round:>2}: ", f"{turn.text} ({changes}).")
    names = [capital(full_name(ship)) for ship in ships]
    width = max(map(len, names))
    lines += ["", f"  {'':<{width}}  place  gold  treasures  cursed  score   battles won  shortages  lairs"]
    ranking = sorted(range(len(ships)), key=lambda ship: _rank(ship, result, box))
    for ship in ranking:
        place, gold, good, cursed = summary.points[ship]
        count = summary.counts[ship]
        won = f"{count['won']} of {count['battles']}"
        lines.append(
            f"  {names[ship]:<{width}}  {place:>5}  {gold:>4}  {good:>9}  {cursed:>6}  {result['scores'][ship]:>5}"
            f"   {won:>11}  {count['shortages']:>9}  {count['treasures']:>5}"
        )
    return lines


def _rank(ship: int, result: Result, box: Box) -> tuple[int, int, int]:
    position = result["positions"][ship]
    return -result["scores"][ship], box.to_go(position["space"], position["lap"]), ship


def verdict(trace: Trace, box: Box) -> str:
    """Who has won, by how much, and how the game ended."""
    ships, result = Book(trace, box).ships, trace["result"]
    scores, winners = result["scores"], result["winners"]
    best, rounds = max(scores), f"{result['rounds']} round{'s' * (result['rounds'] != 1)}"
    names = capital(listed(full_name(ships[ship]) for ship in winners))
    others = [(scores[ship], full_name(ships[ship])) for ship in range(len(ships)) if ship not in winners]
    if len(winners) > 1:
        margin = ""
    elif best == max(others)[0]:
        margin = f", as many as {max(others)[1]} but further along"
    else:
        margin = f", {best - max(others)[0]} more than {max(others)[1]}"
    verb = "wins" if len(winners) == 1 else "share the victory"
    home = [event["ship"] for event in trace["events"] if event["event"] == "finish"]
    ending = f"{capital(ships[home[0]].name)} came home first." if home else "Nobody came home in time."
    return f"{names} {verb} with {best} point{'s' * (abs(best) != 1)}{margin}, after {rounds}. {ending}"


def _rounds(first: int, last: int) -> str:
    return f"in round {first}" if first == last else f"in rounds {first} to {last}"


def hanging(start: str, text: str) -> list[str]:
    """A paragraph with a hanging indent: later lines begin below the text of the first."""
    return textwrap.wrap(text, 100, initial_indent=start, subsequent_indent=" " * len(start))
