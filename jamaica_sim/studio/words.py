"""The words of an answer: what was changed as a title, and what it does in one sentence of clear figures."""

from collections.abc import Mapping
from typing import Any

from jamaica_sim.components.changes import BOARD, board_name
from jamaica_sim.components.course import NAMED
from jamaica_sim.house_file import PREFIX, HouseRules
from jamaica_sim.rules import Rules
from jamaica_sim.studio.figures import FEW, SEATS_IN_WORDS

LEAST_SIZE = 0.01  # standard deviations: a smaller effect is not worth a word
CLOSE = 2.0  # points: shares that differ by less are told with a decimal
Row = dict[str, Any]
POWERS = {
    "morgans_map": "Morgan's Map",
    "sarans_sabre": "Saran's Sabre",
    "lady_beth": "Lady Beth",
    "sixth_hold": "6th Hold",
}
FLAGS = {
    "limited_bank": "a limited bank",
    "early_reshuffle": "an early reshuffle",
    "steal_known": "stealing known cards",
    "ghost_takes_cursed_only": "a ghost ship that takes cursed cards only",
}
NUMBERS = {
    "hand_size": "a hand of {}",
    "map_hand_size": "a hand of {} with Morgan's Map",
    "start_food": "{} food at the start",
    "start_gold": "{} gold at the start",
    "start_gunpowder": "{} gunpowder at the start",
    "holds": "{} holds",
    "treasure_pile": "{} treasures in the pile",
    "start_score": "the start worth {}",
    "lady_beth_bonus": "Lady Beth +{}",
    "round_cap": "at most {} rounds",
    "red_line": "the red line before space {}",
    "ghost_gold": "a ghost ship with {} gold",
    "bank": "a bank of {} gold, food and gunpowder",
}


def title_of(changes: Mapping[str, Any], rules: Rules) -> str:
    """The changes in words: "Port 6 free and a hand of 4"."""
    of_house = [change_in_words(name, value, rules) for name, value in changes.items() if name.startswith(PREFIX)]
    parts = []
    for name, value in changes.items():
        if not name.startswith(PREFIX):
            words = change_in_words(name, value, rules)
            parts.append(f"{words} ({', '.join(of_house)})" if of_house and isinstance(value, HouseRules) else words)
    if not parts:
        return "The printed rules"
    text = parts[0] if len(parts) == 1 else f"{parts[0]} and {parts[1]}"
    if len(parts) > 2:
        text = f"{parts[0]}, {parts[1]} and {len(parts) - 2} more change{'s' * (len(parts) > 3)}"
    return text[0].upper() + text[1:]


def change_in_words(name: str, value: Any, rules: Rules) -> str:
    """One change in a few words."""
    room, *rest = name.split(".")
    if room == "space":
        return _space_in_words(int(rest[0]), rest[1], value, rules)
    if room == "treasure":
        card = POWERS.get(rest[0]) or f"treasure {rest[0].replace('plus_', '+').replace('minus_', '−')}"
        if rest[-1] == "value":
            return f"{card} worth {_signed(value)}"
        return f"no {card}" if value == 0 else f"{value} times {card}"
    if name == BOARD:
        return f"board “{board_name(value)}”" if NAMED.match(value) else f"a board {board_name(value)}"
    if isinstance(value, HouseRules):
        return f"house rules {value.name.removesuffix('.py').replace('_', ' ')}"
    if name.startswith(PREFIX):
        return f"{name.removeprefix(PREFIX).replace('_', ' ')} {value}"
    if room == "card":
        return f"card {Rules().components.action_cards[int(rest[0])].name} turned into {value}"
    if name.endswith(".dearer"):
        return f"{room} {abs(value)} {'dearer' if value > 0 else 'cheaper'}"
    if name in NUMBERS:
        text = "/".join(map(str, value)) if isinstance(value, tuple | list) else _signed(value)
        return NUMBERS[name].format("no" if value == 0 and name in ("start_food", "start_gold") else text)
    if isinstance(value, bool):
        return FLAGS.get(name, name.replace("_", " ")) if value else f"no {name.replace('_', ' ')}"
    if isinstance(value, tuple | list):
        value = " ".join("★" if part == "star" else str(part) for part in value)
    return f"{name.replace('_', ' ')} {value}"


def _space_in_words(number: int, what: str, value: Any, rules: Rules) -> str:
    kind = rules.components.board[number].kind
    place = "Port Royal" if number == 0 else f"{kind} {number}"
    if what == "cost":
        return f"{place} costs {value}" if value else f"{place} free"
    if what == "score":
        return f"{place} worth {_signed(value)}"
    if what == "next":
        return f"{place} leads to {str(value).replace('/', ' or ')}"
    return f"space {number} {'open sea' if value == 'sea' else f'a {value}'}"


def _signed(value: Any) -> str:
    return f"−{-value}" if isinstance(value, int) and value < 0 else str(value)


def amount(value: float) -> str:
    """A number for a sentence: one decimal, two where it is small."""
    value = abs(value)
    return f"{value:.2f}" if value < 0.095 else f"{value:.1f}"


def effect(row: Row) -> str:
    """A clear figure as a clause."""
    up, by, key = row["difference"] > 0, amount(row["difference"]), row["key"]
    if key.startswith(("win:", "seat:")) or key == "ghost":
        return f"{_winner(row)} wins {_shares(row)}"
    if key == "comebacks":
        return f"comebacks in {_shares(row)} of games"
    clauses = {
        "rounds": f"games {by} rounds {'longer' if up else 'shorter'}",
        "lead": f"the winner {by} points {'further' if up else 'less far'} ahead",
        "spread": f"win rates of strategies {by} points {'further apart' if up else 'closer together'}",
    }
    return clauses.get(key, f"{by} {'more' if up else 'fewer'} {row['label'].replace(' taken', '')} a game")


def _winner(row: Row) -> str:
    if row["key"].startswith("seat:"):
        return SEATS_IN_WORDS[int(row["key"].removeprefix("seat:"))]
    return "the ghost ship" if row["key"] == "ghost" else str(row["label"]).replace("_", " ")


def _shares(row: Row) -> str:
    """A share now and before, with a decimal where they are close."""
    digits = 1 if abs(row["difference"]) < CLOSE else 0
    return f"{row['value']:.{digits}f}% instead of {row['base']:.{digits}f}%"


def sentence_of(title: str, rows: list[Row], games: int, over: bool) -> dict[str, Any]:
    """The answer: the title, then the largest clear effect, one of another group, and who wins if that is clear."""
    if rows[0]["state"] == "base":
        return {"title": title, "text": _of_base(rows), "sure": True}
    clear = [row for row in rows if row["state"] == "clear" and abs(row["size"] or 0) >= LEAST_SIZE]
    clear.sort(key=lambda row: -abs(row["size"]))
    if not clear:
        waits = "too few games to say yet" if games < FEW else "too close to call yet"
        return {
            "title": title,
            "text": f"no difference that {games:,} games can show" if over else waits,
            "sure": False,
        }
    shown = clear[:1] + [row for row in clear[1:] if row["group"] != clear[0]["group"]][:1]
    if not any(row["group"] == "wins" for row in shown):
        shown += [row for row in clear if row["group"] == "wins"][:1]
    return {"title": title, "text": "; ".join(map(effect, shown)), "sure": True}


def _of_base(rows: list[Row]) -> str:
    by_key = {row["key"]: row for row in rows}
    best = max((row for row in rows if row["group"] == "wins"), key=lambda row: row["value"])
    rounds, shortages = by_key["rounds"]["value"], by_key["shortages"]["value"]
    game = f"a game has {rounds:.1f} rounds and {shortages:.1f} shortages"
    if len([row for row in rows if row["group"] == "wins"]) == 1:
        return f"{game}; the first Captain wins {by_key['seat:0']['value']:.0f}%"
    return f"{game}; {_winner(best)} wins most often, {best['value']:.0f}%"
