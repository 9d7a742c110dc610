"""Line-ups for the tests of ratings: tallies made from the wins of every game."""

import numpy as np

from jamaica_sim.results.stats.rating import LineUpTally


def tally_line_up(strategies, wins, ghost=False) -> LineUpTally:
    """The tally of one line-up from wins by (deal, rotation, seat from the first Captain), in `WIN_UNITS`.

    With the ghost ship, the wins that are missing are its own.
    """
    wins = np.asarray(wins, dtype=np.int64)
    deals, rotations, players = wins.shape
    seat_of_player = (np.arange(players)[None, :] + np.arange(rotations)[:, None]) % players
    by_player = np.take_along_axis(wins, seat_of_player[None], axis=2)
    per_deal = np.concatenate([by_player.sum(axis=1), wins.sum(axis=1)], axis=1)
    return LineUpTally(tuple(strategies), rotations, deals, per_deal.sum(axis=0), per_deal.T @ per_deal, ghost)
