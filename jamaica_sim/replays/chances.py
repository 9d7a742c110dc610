"""Chances to win: before every round, and with every card that could have been chosen; and what changed them most.

A round's change is split in two. Decisions: for each card chosen, the chances it left against those of the chooser's
best card, where that card is better by two standard errors. Luck: the rest, that is dice, draws, rolls, and what the
other decisions made of them.
"""

import math
from dataclasses import dataclass
from typing import Any

from jamaica_sim.play.compile_ahead import CHANCES, compile_missing
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.replays.book import Book
from jamaica_sim.replays.box import Box, box_of
from jamaica_sim.replays.positions import Chances, GamePositions, Position
from jamaica_sim.replays.replay import replay_table
from jamaica_sim.replays.summary import hanging, turns_of
from jamaica_sim.replays.words import card_name
from jamaica_sim.rules import Rules

BLUNDER = 0.05  # of the chance to win, that a card must cost to be called a blunder
CERTAIN = 2  # standard errors that a difference must have to count
MOST_SWINGS = 5
SMALLEST_SWING = 0.05


@dataclass(frozen=True)
class Choice:
    """A card that was chosen, and the chances with each card that could have been."""

    position: Position
    chances: dict[int, Chances]

    @property
    def best(self) -> int:
        """The best card, which is the chosen one unless another is better beyond doubt."""
        ship, chosen = self.position.ship, self.position.answer
        other = max(self.chances, key=lambda card: self.chances[card].of(ship))
        lead, error = self.chances[other].lead_over(self.chances[chosen], ship)
        return other if lead > CERTAIN * error else chosen

    @property
    def loss(self) -> float:
        """What the choice cost the ship of its chance to win."""
        ship = self.position.ship
        return self.chances[self.best].of(ship) - self.chances[self.position.answer].of(ship)

    @property
    def is_blunder(self) -> bool:
        """Whether that is a lot."""
        return self.loss >= BLUNDER


@dataclass(frozen=True)
class GameChances:
    """The chances of a game: before each round, and of each choice of a card."""

    games: int
    rounds: list[Chances]
    choices: list[Choice]
    trace: dict
    box: Box

    def swings(self) -> list[dict]:
        """The rounds that changed a ship's chance most: which ship, by how much, by luck and by decisions, and why."""
        result, ships = self.trace["result"], len(Book(self.trace, self.box).ships)
        winners = result["winners"]
        end = [1 / len(winners) if ship in winners else 0.0 for ship in range(ships)]
        values = [chances.all() for chances in self.rounds] + [end]
        turns = turns_of(self.trace, self.box)
        found = []
        for number, (before, after) in enumerate(zip(values, values[1:], strict=False), 1):
            ship = max(range(ships), key=lambda k: abs(after[k] - before[k]))
            change = after[ship] - before[ship]
            error = math.sqrt((before[ship] * (1 - before[ship]) + after[ship] * (1 - after[ship])) / self.games)
            if abs(change) < max(SMALLEST_SWING, CERTAIN * error):
                continue
            decisions = sum(self._by_choice(choice, ship) for choice in self.choices if choice.position.round == number)
            why = max((turn for turn in turns if turn.round == number), key=lambda turn: turn.size, default=None)
            found.append(
                {
                    "round": number,
                    "ship": ship,
                    "change": change,
                    "luck": change - decisions,
                    "decisions": decisions,
                    "error": error,
                    "why": why.text if why else "nothing but sailing and loading",
                }
            )
        largest = sorted(found, key=lambda swing: -abs(swing["change"]))[:MOST_SWINGS]
        return sorted(largest, key=lambda swing: swing["round"])

    @staticmethod
    def _by_choice(choice, ship):
        return choice.chances[choice.position.answer].of(ship) - choice.chances[choice.best].of(ship)


def chances_of(positions: GamePositions, trace: dict, box: Box, games: int, progress=None) -> GameChances:
    """Play the game on from every round and with every card, so many times each."""
    rounds, choices = positions.before_rounds(), positions.choices()
    tasks = [(position, -1) for position in rounds]
    tasks += [(position, card) for position in choices for card in position.cards]
    played = iter(positions.play_on(tasks, games, progress))
    before = [next(played) for _ in rounds]
    chosen = [Choice(position, {card: next(played) for card in position.cards}) for position in choices]
    return GameChances(games, before, chosen, trace, box)


def replay_chances(
    game: int,
    games: int = 1000,
    *,
    rules: Rules | None = None,
    strategies: Any = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> GameChances:
    """The chances to win of one game, before every round and with every card, from so many games played on each.

    `replay_page(chances.trace, path, chances=chances)` shows them.
    """
    table = seat_table(rules, strategies, seed, luck, **rule_changes)
    compile_missing(table.strategies, CHANCES)
    trace = replay_table(table, game)
    return chances_of(GamePositions(table, game), trace, box_of(trace, table.rules), games)


def advise(positions: GamePositions, position: Position, games: int, progress=None) -> Choice:
    """The chances with each card of one choice."""
    played = positions.play_on([(position, card) for card in position.cards], games, progress)
    return Choice(position, dict(zip(position.cards, played, strict=True)))


def tasks_in(positions: GamePositions) -> int:
    """How many times the games of `chances_of` are played on."""
    return len(positions.before_rounds()) + sum(len(position.cards) for position in positions.choices())


# What is shown of them.


def percent(chance: float, games: int) -> str:
    """A chance with its 95% interval."""
    return f"{100 * chance:.0f}% ± {100 * _half_width(chance, games):.0f}"


def _half_width(chance, games):
    """Agresti-Coull, so that chances of 0 and 1 have an interval too."""
    trials = games + 4
    middle = (chance * games + 2) / trials
    return 2 * math.sqrt(middle * (1 - middle) / trials)


def swing_text(swing: dict, names: list[str]) -> str:
    """A swing in words."""
    parts = f"luck {100 * swing['luck']:+.0f}, decisions {100 * swing['decisions']:+.0f}"
    size = f"{100 * swing['change']:+.0f} ± {200 * swing['error']:.0f} points"
    return f"{size} for {names[swing['ship']]} ({parts}): {swing['why']}"


def for_page(chances: GameChances) -> tuple[dict, list[dict]]:
    """The chances and choices as the page wants them."""
    names = [ship.name for ship in Book(chances.trace, chances.box).ships]
    swings = [{"round": swing["round"], "text": swing_text(swing, names)} for swing in chances.swings()]
    rounds = [[round(chance, 4) for chance in before.all()] for before in chances.rounds]
    return {"games": chances.games, "rounds": rounds, "swings": swings}, [_for_page(c) for c in chances.choices]


def _for_page(choice):
    ship = choice.position.ship
    cards = [
        {
            "card": card,
            "chance": round(chances.of(ship), 4),
            "error": round(_half_width(chances.of(ship), chances.games), 4),
        }
        for card, chances in choice.chances.items()
    ]
    where = {"round": choice.position.round, "ship": ship, "chosen": choice.position.answer}
    return {**where, "blunder": choice.is_blunder, "loss": round(choice.loss, 4), "cards": cards}


def chances_lines(chances: GameChances) -> list[str]:
    """The chances for a terminal: before each round, the largest swings, the blunders."""
    names = [ship.name for ship in Book(chances.trace, chances.box).ships]
    games = chances.games
    lines = [f"Chances to win before each round, from {games:,} games played on from there", ""]
    widths = [max(len(name), 10) for name in names]
    lines.append("  round  " + "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True)))
    for number, before in enumerate(chances.rounds, 1):
        cells = (f"{percent(c, games):>{width}}" for c, width in zip(before.all(), widths, strict=True))
        lines.append(f"  {number:>5}  " + "  ".join(cells))
    swings = chances.swings()
    if swings:
        lines += ["", "  Largest swings:"]
        for swing in swings:
            lines += hanging(f"    round {swing['round']:>2}: ", f"{swing_text(swing, names)}.")
    blunders = [choice for choice in chances.choices if choice.is_blunder]
    if blunders:
        lines += ["", f"  Cards that cost {100 * BLUNDER:.0f} points or more:"]
        lines += [
            f"    round {choice.position.round:>2}: {_blunder(choice, names, chances.box)}." for choice in blunders
        ]
    return lines


def _blunder(choice, names, box):
    chosen, best = (card_name(box, card) for card in (choice.position.answer, choice.best))
    ship = choice.position.ship
    lead, error = choice.chances[choice.best].lead_over(choice.chances[choice.position.answer], ship)
    return f"{names[ship]} played {chosen}; {best} would have been {100 * lead:.0f} ± {200 * error:.0f} better"


def advice_lines(choice: Choice, names: list[str], box: Box) -> list[str]:
    """The chances of one choice for a terminal, best card first."""
    position, ship = choice.position, choice.position.ship
    games = next(iter(choice.chances.values())).games
    lines = [f"Round {position.round}: {names[ship]}'s chance to win with each card, from {games:,} games", ""]
    for card in sorted(choice.chances, key=lambda card: -choice.chances[card].of(ship)):
        remarks = ["played"] * (card == position.answer) + ["best"] * (card == choice.best)
        remark = f"  ({' and '.join(remarks)})" if remarks else ""
        lines.append(f"  {card_name(box, card):<20}{percent(choice.chances[card].of(ship), games):>10}{remark}")
    if choice.is_blunder:
        lines += ["", f"{_blunder(choice, names, box)}."]
    return lines
