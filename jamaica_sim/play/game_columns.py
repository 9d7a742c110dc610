"""Result rows as flat columns, one row for each game. `docs/results.md` has the meaning of every column."""

from collections.abc import Iterator, Mapping

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.game.codes import LOOT_KINDS, RESOURCES
from jamaica_sim.play.tally.layout import ROW_NUMBERS

NOT_IN_TABLE = ("fortune",)  # used by comparisons only
INNER_NAMES = {
    "loaded": RESOURCES,
    "overboard": RESOURCES,
    "shortages": RESOURCES[:2],
    "loot": LOOT_KINDS,
}


def numbered_row() -> np.ndarray:
    """A result row in which each number is its own place among the row's 16-bit numbers; the game's is no place."""
    return np.arange(ROW_NUMBERS, dtype=np.int16).view(RESULT_DTYPE)


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


def members_of(sets: np.ndarray, ships: int) -> np.ndarray:
    """Whether each ship is in the set of its game."""
    return (np.asarray(sets)[:, None] >> np.arange(ships) & 1).astype(bool).ravel()


def win_shares(rows: np.ndarray | Mapping[str, np.ndarray], ships: int) -> np.ndarray:
    """Each ship's share of the victory in each game: 1, 0, or less than 1 where it is shared."""
    won = members_of(rows["winners"], ships).reshape(-1, ships)
    return won / won.sum(axis=1, keepdims=True)


def game_columns(rows: np.ndarray, ships: int) -> dict[str, np.ndarray]:
    """Result rows as columns by name, with the derived columns."""
    columns = dict(flat_columns(rows, ships))
    return columns | derived_columns(columns, ships)


def derived_columns(columns: Mapping[str, np.ndarray], ships: int) -> dict[str, np.ndarray]:
    """Columns that people ask for and that follow from others."""

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
