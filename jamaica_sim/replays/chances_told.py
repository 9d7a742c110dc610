"""Chances in words: for a terminal, and for the page. Every number has its 95% interval and its number of games."""

import math
from typing import Any

from jamaica_sim.play.positions import Chances
from jamaica_sim.replays.box import Box
from jamaica_sim.replays.chances import BLUNDER, SMALLEST_SWING, Change, Choice, GameChances
from jamaica_sim.replays.moments import DECISION, LUCK
from jamaica_sim.replays.steps import steps_of
from jamaica_sim.replays.summary import hanging
from jamaica_sim.replays.words import VERBS, did
from jamaica_sim.strategy.option_words import option_words
from jamaica_sim.strategy.question import ASKS

SPECTATOR = "for a spectator who sees all hands"


def half_width(chance: float, games: int) -> float:
    """Half the width of a chance's 95% interval: Agresti-Coull, so that chances of 0 and 1 have one too."""
    trials = games + 4
    middle = (chance * games + 2) / trials
    return 2 * math.sqrt(middle * (1 - middle) / trials)


def percent(chance: float, games: int, digits: int = 0) -> str:
    """A chance with its interval."""
    return f"{100 * chance:.{digits}f}% ± {100 * half_width(chance, games):.{digits}f}"


def points(value: float, error: float) -> str:
    """A change of a chance with its interval, in points."""
    change, half = round(100 * value), max(round(200 * error), int(error > 0))
    return f"{change:+d} ± {half}" if change else f"0 ± {half}"


def swing_text(change: Change, names: list[str]) -> str:
    """A swing in words: `the Sabre's reroll of Red's die, 2: -23 ± 3 points of Blue's chance to win`."""
    return f"{change.moment.name}: {points(change.size, change.error)} points of {names[change.ship]}'s chance to win"


def blunder_text(choice: Choice, names: list[str], box: Box) -> str:
    """A decision that cost much, in words."""
    position, best = choice.position, choice.best
    instead = option_words(position, best, box.rules, names)
    done = f"{names[position.player]} {did(position, position.answer, box, names)} rather than {instead}"
    cost, error = choice.cost(position.player)
    return f"{done}: {points(-cost, error)} points of its chance to win"


def chances_lines(chances: GameChances) -> list[str]:
    """The chances for a terminal: before each round, the largest swings, each ship's gain by luck and by decisions."""
    names = [ship.name for ship in chances.ships]
    games = chances.games
    lines = hanging("", f"Chances to win before each round {SPECTATOR}, from {games:,} games played on from there")
    widths = [max(len(name), 10) for name in names]
    lines += ["", "  round  " + "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))]
    for number, before in enumerate(chances.rounds, 1):
        cells = (f"{percent(c, games):>{width}}" for c, width in zip(before.wins, widths, strict=True))
        lines.append(f"  {number:>5}  " + "  ".join(cells))
    swings, blunders = chances.lucky_swings(), chances.blunders()
    if swings:
        lines += ["", f"  Largest swings by luck, of {100 * SMALLEST_SWING:.0f} points of a chance or more:"]
        for swing in swings:
            lines += hanging(f"    round {swing.moment.round:>2}: ", f"{swing_text(swing, names)}.")
    if blunders:
        lines += ["", f"  Decisions that cost {100 * BLUNDER:.0f} points or more, by what their player could know:"]
        for choice in blunders:
            text = blunder_text(choice, names, chances.box)
            lines += hanging(f"    round {choice.position.round:>2}: ", f"{text}.")
    return [*lines, "", *_split_lines(chances, names, widths)]


def _split_lines(chances: GameChances, names: list[str], widths: list[int]) -> list[str]:
    """A row for each part of the change of each ship's chance."""
    splits = [chances.split(ship) for ship in range(len(names))]
    rows = {
        "start": [percent(split.before[0], chances.games) for split in splits],
        "luck": [points(*split.luck) for split in splits],
        "decisions": [points(*split.decisions) for split in splits],
        "end": [f"{100 * chances.result.of(split.ship):.0f}%" for split in splits],
    }
    meaning = (
        "Each ship's chance to win from the start to the end, in points. Luck adds up what every throw, roll and draw "
        "changed, decisions what every choice changed, one's own or another's. Start, luck and decisions make the end: "
        "luck above +100 means that choices took some of it away."
    )
    lines = [*hanging("  ", meaning), ""]
    lines.append(" " * 13 + "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True)))
    for name, cells in rows.items():
        lines.append(f"  {name:<11}" + "  ".join(f"{c:>{width}}" for c, width in zip(cells, widths, strict=True)))
    return lines


def advice_lines(choice: Choice, names: list[str], box: Box) -> list[str]:
    """The chances of one decision for a terminal, best answer first."""
    position, player = choice.position, choice.position.player
    games = next(iter(choice.chances.values())).games
    what = "card" if position.decision == "choose_card" else f"answer to the question {ASKS[position.decision]}"
    words = {answer: option_words(position, answer, box.rules, names) for answer in choice.chances}
    width = max(20, *(len(text) + 2 for text in words.values()))
    heading = (
        f"Round {position.round}: {names[player]}'s chance to win with each {what}, from {games:,} games each. What "
        "this ship cannot know (the hands of others, face-down cards, decks) is dealt anew in every game."
    )
    lines = [*hanging("", heading), ""]
    best = choice.best if len({chances.of(player) for chances in choice.chances.values()}) > 1 else None
    for answer in sorted(choice.chances, key=lambda answer: -choice.chances[answer].of(player)):
        remarks = ["played"] * (answer == position.answer) + ["best"] * (answer == best)
        remark = f"  ({' and '.join(remarks)})" if remarks else ""
        chance = percent(choice.chances[answer].of(player), games, digits=1)
        lines.append(f"  {words[answer]:<{width}}{chance:>12}{remark}")
    if choice.is_blunder:
        lines += ["", f"{blunder_text(choice, names, box)}."]
    return lines


def for_page(chances: GameChances) -> dict[str, Any]:
    """The chances as the page needs them: after each step that changes them, of each decision, swings, the split."""
    names, box, games = [ship.name for ship in chances.ships], chances.box, chances.games
    steps = steps_of(chances.trace, box)
    step_of = {event: at for at, step in enumerate(steps) for event in range(step.first, step.first + step.count)}

    def step_at(event: int, kind: str) -> int:
        """The step of an event. The event of a round has two: `dice` for luck, then `place` for the decision."""
        at = step_of.get(event, len(steps) - 1)
        return at - 1 if steps[at].kind == "place" and kind == LUCK else at

    marks = [[0, *_mark(chances.rounds[0])]]
    for moment, after in (pair for of_round in chances.moments for pair in of_round):
        marks.append([step_at(moment.event, moment.kind), *_mark(after)])
    winners = chances.result.wins
    marks.append([len(steps) - 1, winners.round(4).tolist(), [0] * len(names)])
    swings = [
        {"step": step_at(swing.moment.event, LUCK), "text": swing_text(swing, names)}
        for swing in chances.lucky_swings()
    ]
    blunders = [
        {"step": step_at(choice.position.event, DECISION), "text": blunder_text(choice, names, box)}
        for choice in chances.blunders()
    ]
    splits = [
        [percent(split.before[0], games), points(*split.luck), points(*split.decisions)]
        for split in map(chances.split, range(len(names)))
    ]
    decisions = [_decision(choice, step_at(choice.position.event, DECISION), names, box) for choice in chances.choices]
    told = {"swings": swings, "blunders": blunders, "splits": splits, "decisions": decisions}
    return {"games": games, "marks": marks, **told}


def _mark(chances: Chances) -> tuple[list[float], list[float]]:
    wins = chances.wins.tolist()
    return [round(chance, 4) for chance in wins], [round(half_width(chance, chances.games), 4) for chance in wins]


def _decision(choice: Choice, step: int, names: list[str], box: Box) -> dict[str, Any]:
    position = choice.position
    options = []
    for answer, chances in choice.chances.items():
        chance = chances.of(position.player)
        name = option_words(position, answer, box.rules, names)
        options.append([answer, name, round(chance, 4), round(half_width(chance, chances.games), 4)])
    return {
        "step": step,
        "player": position.player,
        "verb": VERBS[position.decision],
        "is_card": position.decision == "choose_card",
        "answer": position.answer,
        "loss": round(choice.loss, 4) if choice.is_blunder else 0,
        "options": options,
    }
