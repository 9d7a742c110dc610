"""The game in a terminal: what has happened since the last choice, the question, and its answers by number."""

import shlex
from collections.abc import Callable
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import is_number
from jamaica_sim.game.words import listed
from jamaica_sim.replays.box import box_by
from jamaica_sim.replays.words import capital
from jamaica_sim.strategy.question import Question
from jamaica_sim.web.coach import advise
from jamaica_sim.web.foresight import ahead_of, described
from jamaica_sim.web.saved_games import COACHED, RESIGNED, OpenGame
from jamaica_sim.web.told import told

HELP = (
    "Type the number of an answer; or c to ask the coach, b to take the last answer back, s to see the table, r to "
    "resign, q to leave (the game stays saved)."
)
UNTOLD = ("draw", "choose")  # kinds of steps that say nothing new
COACH_GAMES = 512  # for each answer: half a second
Say = Callable[[str], None]


def play_in_terminal(opened: OpenGame, say: Say, ask: Callable[[str], str]) -> None:
    """Play until the end, or until somebody leaves."""
    say(f"The game is saved in {opened.path}. {HELP}")
    heard: dict[int, int] = {}  # steps that each seat has been told
    seat: int | None = None
    shown = (-1, -1)  # who has seen the table last, and in which round
    while (question := opened.game.question) is not None and not opened.is_resigned:
        if len(opened.people) > 1 and question.player != seat:
            if ask(f"\n{question.names[question.player]}, are you ready? Press Enter, or q to leave.") == "q":
                return
        seat = question.player
        data = told(opened.game, seat)
        for sentence in _sentences(data, heard.get(seat, 0)):
            say(sentence)
        heard[seat] = len(data["steps"])
        if question.decision in ("place_dice", "choose_card") and shown != (seat, data["question"]["round"]):
            _table(opened, say)
            shown = (seat, data["question"]["round"])
        if not _ask(opened, data, say, ask):
            return
        heard[seat] = min(heard[seat], len(told(opened.game, seat)["steps"]))
    data = told(opened.game, opened.people[0])
    for sentence in _sentences(data, min(heard.values(), default=0)):
        say(sentence)
    say("You have resigned." if opened.is_resigned else _scores(data))
    say(f"To see it again{'' if opened.is_resigned else ', and to review your decisions'}:")
    for command in ("replay", "review")[: 1 if opened.is_resigned else 2]:  # only a whole game can be reviewed
        say(f"jamaica-sim {command} {shlex.quote(str(opened.path))}")


def _ask(opened: OpenGame, data: dict[str, Any], say: Say, ask: Callable[[str], str]) -> bool:
    """Ask until there is an answer; False if somebody leaves."""
    question = data["question"]
    names = [ship["name"] for ship in data["ships"]]
    dice = "morning {morning}, evening {evening}; ".format(**question["placed"]) if question["placed"] else ""
    asks = question["asks"] if question["decision"] == "house_choice" else f"you choose {question['asks']}:"
    say("")
    say(f"{names[question['player']]}, {dice}{asks}")
    for number, option in enumerate(question["options"], 1):
        does = f"  ({option['does']})" if option["does"] else ""
        say(f"  {number}: {option['words'].removeprefix('to ')}{does}")
    while True:
        try:
            word = ask(f"Your answer (1 to {len(question['options'])}, ? for help):").strip().lower()
        except EOFError:
            return False
        if word == "q":
            return False
        if word == "s":
            _table(opened, say)
        elif word == "c":
            _coach(opened, say)
        elif word == "r":
            opened.note(RESIGNED)
            return True
        elif word == "b":
            try:
                opened.take_back()
                return True
            except UserError as error:
                say(str(error))
        elif is_number(word) and 1 <= int(word) <= len(question["options"]):
            opened.answer(len(opened.game.answers), question["options"][int(word) - 1]["answer"])
            return True
        else:
            say(HELP)


def _coach(opened: OpenGame, say: Say) -> None:
    question = opened.game.question
    assert question is not None  # it has just been shown
    opened.note(COACHED)
    (*_, advice) = advise(opened.game, most=COACH_GAMES)
    for number, option in enumerate(advice.told()["options"], 1):
        chance = f"{100 * option['chance']:.0f}% ± {100 * option['half']:.0f}"
        cost = f", costs {100 * option['cost']:.0f} ± {100 * option['cost_half']:.0f} points"
        say(f"  {number}: {chance}  {option['verdict']}{cost if option['verdict'] == 'worse' else ''}")
    say(f"  {advice.sentence(question.words)}")


def _table(opened: OpenGame, say: Say) -> None:
    question = opened.game.question
    if question is None:
        return
    view, box, own = question.view, box_by(question.rules), question.view["ships"][question.player]
    for ship in view["ships"]:
        holds = ", ".join(f"{hold['amount']} {hold['resource']}" for hold in ship["holds"] if hold["resource"])
        treasures = ", ".join([*(p["name"] for p in ship["powers"]), *["a face-down treasure"] * ship["face_down"]])
        place = f"space {ship['space']}" if ship["space"] else "Port Royal"
        to_go = box.steps_home[ship["space"]] - box.steps_home[0] * ship["lap"]
        place += f", {to_go} to go; {_points(question, ship)} points"
        say(f"  {capital(ship['name'])}: {place}; {holds or 'empty holds'}{'; ' + treasures if treasures else ''}")
    ahead = [", ".join(described(question, one)) for one in ahead_of(question, own)]
    say(f"  Ahead of you: {'; '.join(f'{n} on {spaces}' for n, spaces in enumerate(ahead, 1))}")
    say(f"  Your hand: {', '.join(card['name'] for card in view['hand'])}")
    if view["treasures"]:
        say(f"  Your treasures: {', '.join(card['name'] for card in view['treasures'])}")


def _points(question: Question, ship: dict[str, Any]) -> str:
    """Points as far as the asked player knows them: place, gold, and treasures that it knows."""
    rules, at_start = question.rules, ship["lap"] < 0 or (ship["lap"], ship["space"]) == (0, 0)
    place = rules.start_score if at_start else rules.components.board[ship["space"]].score
    is_own = ship["ship"] == question.player
    known = question.view["treasures"] if is_own else ship["known"]
    treasures = sum(rules.components.treasures[card["treasure"]].value for card in known)
    return f"{place + ship['gold'] + treasures}{'+?' if ship['face_down'] > len(known) and not is_own else ''}"


def _sentences(data: dict[str, Any], first: int) -> list[str]:
    """What has happened in the steps from this one on; what a ship does in a row is one sentence."""
    names = [ship["name"] for ship in data["ships"]]
    sentences: list[list[str]] = []  # each by its clauses
    before = None
    for kind, _, _, subject, words, _ in data["steps"][first:]:
        text = "".join(_word(part, names) for part in words)
        if kind in UNTOLD or text.startswith("plays the evening's"):
            continue
        if subject is not None and subject == before and kind != "dice":
            sentences[-1].append(text)
        else:
            sentences += [[]] * (kind == "dice") + [[text if subject is None else f"{names[subject]} {text}"]]
        before = subject
    return [f"{capital(listed(clauses))}." if clauses else "" for clauses in sentences]


def _word(part: Any, names: list[str]) -> str:
    if isinstance(part, dict):  # the game is over, and nothing is secret
        return str(part["secret"])
    return names[part] if isinstance(part, int) else str(part)


def _scores(data: dict[str, Any]) -> str:
    names, result = [ship["name"] for ship in data["ships"]], data["trace"]["result"]
    return "Points: " + ", ".join(f"{name} {score}" for name, score in zip(names, result["scores"], strict=True)) + "."
