"""The components of the game (C1 to C5), read from their CSV files. Nothing here knows a rule or a game in progress."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PORT_ROYAL = 0


@dataclass(frozen=True)
class Components:
    kind: dict[int, str]  # C1: space -> port_royal, sea, port, lair
    cost: dict[int, int]
    score: dict[int, int]
    ahead: dict[int, tuple[int, ...]]  # the spaces one step forward
    behind: dict[int, tuple[int, ...]]  # the spaces one step backward
    steps_left: dict[int, int]  # E3: shortest way forward to Port Royal; from Port Royal, the whole circuit
    cards: dict[int, dict[str, str]]  # C2: card -> {"morning": symbol, "evening": symbol}
    treasure_kind: dict[int, str]  # C3: treasure -> power, points, cursed
    treasure_value: dict[int, int]
    morgans_map: frozenset[int]  # the cards of this name; a variant may have several
    sabre: frozenset[int]
    lady_beth: frozenset[int]
    sixth_hold: frozenset[int]
    faces: tuple[int | str, ...]  # C5: 2, 4, 6, 8, 10, "star"
    shortage_symbols: frozenset[str]

    def lairs(self) -> set[int]:
        return {space for space, kind in self.kind.items() if kind == "lair"}


def load_components(folder: Path, changed: dict | None = None) -> Components:
    """The components of the CSV files; `changed` has the complete tables that a variant has instead."""
    return _components(folder) if not changed else build_components({**read_tables(folder), **changed})


@cache
def _components(folder: Path) -> Components:
    return build_components(read_tables(folder))


def read_tables(folder: Path) -> dict[str, list[dict]]:
    return {name: read_rows(folder / f"{name}.csv") for name in ("board", "action_cards", "treasures", "combat_die")}


def build_components(tables: dict[str, list[dict]]) -> Components:
    board, treasures, die = tables["board"], tables["treasures"], tables["combat_die"]
    ahead = {space: next_spaces(row["next"]) for space, row in enumerate(board)}
    behind = {space: tuple(before for before in ahead if space in ahead[before]) for space in ahead}
    return Components(
        kind={space: row["kind"] for space, row in enumerate(board)},
        cost={space: int(row["cost"]) for space, row in enumerate(board)},
        score={space: int(row["score"]) for space, row in enumerate(board)},
        ahead=ahead,
        behind=behind,
        steps_left=shortest_ways(behind),
        cards={
            card: {"morning": row["morning"], "evening": row["evening"]}
            for card, row in enumerate(tables["action_cards"])
        },
        treasure_kind={int(row["treasure"]): row["kind"] for row in treasures},
        treasure_value={int(row["treasure"]): int(row["value"]) for row in treasures},
        morgans_map=cards_named(treasures, "Morgan's Map"),
        sabre=cards_named(treasures, "Saran's Sabre"),
        lady_beth=cards_named(treasures, "Lady Beth"),
        sixth_hold=cards_named(treasures, "6th Hold"),
        faces=tuple(row["strength"] if row["strength"] == "star" else int(row["strength"]) for row in die),
        shortage_symbols=frozenset(row["shortage_symbol"] for row in die),
    )


def cards_named(treasures: list[dict], name: str) -> frozenset[int]:
    return frozenset(int(row["treasure"]) for row in treasures if row["name"] == name)


def next_spaces(spaces: str | list[int]) -> tuple[int, ...]:
    return tuple(int(space) for space in (spaces.split("|") if isinstance(spaces, str) else spaces))


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shortest_ways(behind: dict[int, tuple[int, ...]]) -> dict[int, int]:
    """Steps from each space to Port Royal, walking back from it one step at a time; Port Royal itself comes last."""
    steps_left = {}
    reached, steps = {PORT_ROYAL}, 0
    while reached:
        steps += 1
        reached = {before for space in reached for before in behind[space] if before not in steps_left}
        steps_left.update(dict.fromkeys(reached, steps))
    return steps_left
