"""The table of games made tidy: one row for each ship of each game. pandas is imported by what needs it."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from jamaica_sim.game.codes import GHOST_SHIP, RESOURCES
from jamaica_sim.play.game_columns import members_of, win_shares
from jamaica_sim.play.game_table import GameTable

if TYPE_CHECKING:
    import pandas as pd

OF_SHIP = re.compile(r"([a-z_]+?)_(\d)((?:_.+)?)")  # score_0, loaded_0_gold, lanes_0_fork1_outer
SETS = {
    "half_time_leaders": "half_time_leader",
    "half_time_last": "half_time_last",
}  # sets of ships, and their columns


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
        columns[column] = members_of(flat[name], ships)
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
