"""Result rows as columns: flat, one row for each game, and tidy, one row for each ship of each game.

`docs/results.md` has the meaning of every column. pandas is imported by what needs it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.game.codes import GHOST_SHIP, LOOT_KINDS, RESOURCES
from jamaica_sim.play.game_table import GameTable

if TYPE_CHECKING:
    import pandas as pd

NOT_IN_TABLE = ("fortune",)  # used by comparisons only
INNER_NAMES = {
    "loaded": RESOURCES,
    "overboard": RESOURCES,
    "shortages": RESOURCES[:2],
    "loot": LOOT_KINDS,
}
OF_SHIP = re.compile(r"([a-z_]+?)_(\d)((?:_.+)?)")  # score_0, loaded_0_gold, lanes_0_fork1_outer
SETS = {
    "half_time_leaders": "half_time_leader",
    "half_time_last": "half_time_last",
}  # sets of ships, and their columns


def flat_columns(rows: np.ndarray, ships: int) -> Iterator[tuple[str, np.ndarray]]:
    """The result rows as flat columns: `score_0`, `loaded_0_gold`, ... for the ships that take part."""
    for name in RESULT_DTYPE.names or ():
        if name in NOT_IN_TABLE:
            continue
        values = rows[name]
        if values.ndim == 1:
            yield name, values
        elif name == "peak":
            for number, resource in enumerate(RESOURCES):
                yield f"peak_{resource}", values[:, number]
        else:
            for ship in range(ships):
                yield from _ship_columns(f"{name}_{ship}", values[:, ship], INNER_NAMES.get(name))


def _ship_columns(name: str, values: np.ndarray, inner: tuple[str, ...] | None) -> Iterator[tuple[str, np.ndarray]]:
    if values.ndim == 1:
        yield name, values
    elif inner:
        for number, word in enumerate(inner):
            yield f"{name}_{word}", values[:, number]
    else:
        for fork in range(values.shape[1]):
            for lane, word in enumerate(("outer", "inner")):
                yield f"{name}_fork{fork}_{word}", values[:, fork, lane]


def tidy_games(flat: Mapping[str, np.ndarray], table: GameTable) -> "pd.DataFrame":
    """One row for each ship of each game: which game, who, how it ended for that ship, then all that it did."""
    import pandas as pd

    ships, players = table.rules.ships, table.rules.players
    games = np.asarray(flat["game"]).size
    ship = np.tile(np.arange(ships, dtype=np.int8), games)
    captain = np.repeat(flat["first_captain"], ships)
    names = [strategy.label for strategy in table.strategies] + [GHOST_SHIP] * bool(table.rules.ghost)
    scores = np.stack([flat[f"score_{number}"] for number in range(ships)], axis=1).astype(np.int32)
    columns: dict[str, object] = {
        "game": np.repeat(flat["game"], ships),
        "ship": ship,
        "seat": np.where(ship < players, (ship - captain) % players, -1).astype(np.int8),
        "strategy": pd.Categorical.from_codes(
            np.tile([table.groups.index(name) for name in names], games), pd.Index(table.groups)
        ),
        "win": win_shares(flat, ships).ravel(),
        "lead": (scores - _best_other(scores)).ravel(),
    }
    for name, column in SETS.items():
        columns[column] = _members(flat[name], ships)
    columns["home_first"] = np.repeat(flat["ended_by"], ships) == ship
    for name in ("rounds", "finished", "lead_changes", *(f"peak_{resource}" for resource in RESOURCES)):
        columns[name] = np.repeat(flat[name], ships)
    for first, ship_number, kind in (match.groups() for name in flat if (match := OF_SHIP.fullmatch(name))):
        if ship_number == "0":
            parts = [flat[f"{first}_{number}{kind}"] for number in range(ships)]
            columns[f"{first}{kind}"] = np.stack(parts, axis=1).ravel()
    if table.rules.scores_house_points:
        parts = [np.asarray(columns[name]) for name in ("score", "position_points", "gold", "treasure_points")]
        columns["house_points"] = parts[0].astype(np.int32) - np.sum(parts[1:], axis=0, dtype=np.int32)
    return pd.DataFrame(columns)


def _members(sets: np.ndarray, ships: int) -> np.ndarray:
    """Whether each ship is in the set of its game."""
    return (np.asarray(sets)[:, None] >> np.arange(ships) & 1).astype(bool).ravel()


def win_shares(rows: np.ndarray | Mapping[str, np.ndarray], ships: int) -> np.ndarray:
    """Each ship's share of the victory in each game: 1, 0, or less than 1 where it is shared."""
    won = _members(rows["winners"], ships).reshape(-1, ships)
    return won / won.sum(axis=1, keepdims=True)


def _best_other(scores: np.ndarray) -> np.ndarray:
    """For each ship, the best score of the others."""
    if scores.shape[0] == 0:
        return scores
    first = scores.argmax(axis=1)
    best = np.repeat(scores.max(axis=1)[:, None], scores.shape[1], axis=1)
    second = scores.copy()
    np.put_along_axis(second, first[:, None], np.iinfo(second.dtype).min, axis=1)
    np.put_along_axis(best, first[:, None], second.max(axis=1)[:, None], axis=1)
    return best


def game_columns(rows: np.ndarray, ships: int) -> dict[str, np.ndarray]:
    """Result rows as columns by name, with the derived columns."""
    columns = dict(flat_columns(rows, ships))
    return columns | derived_columns(columns, ships)


def derived_columns(columns: dict[str, np.ndarray], ships: int) -> dict[str, np.ndarray]:
    """dict[str, np.ndarray] that people ask for and that follow from others."""

    def total(name: str, *kinds: str) -> np.ndarray:
        whole = [columns[f"{name}_{ship}{kind}"] for ship in range(ships) for kind in kinds or ("",)]
        return np.stack(whole).sum(axis=0, dtype=np.int64)

    scores = np.stack([columns[f"score_{ship}"] for ship in range(ships)]).astype(np.int64)
    winners = np.asarray(columns["winners"]).astype(np.int64)
    won = (winners >> np.arange(ships)[:, None] & 1).astype(bool)
    others = np.where(won, np.iinfo(np.int64).min // 2, scores).max(axis=0)
    winner_score = scores.max(axis=0)
    return {
        "margin": np.where(won.sum(axis=0) > 1, 0, winner_score - others),
        "winner_score": winner_score,
        "shortages": total("shortages", "_gold", "_food"),
        "battles": total("attacks"),
        "treasures": total("treasures_taken"),
        "comeback": (winners & columns["half_time_leaders"]) == 0,
    }
