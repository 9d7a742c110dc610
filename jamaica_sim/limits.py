"""How many games there can be: one place for the command line, the files and the API, which imports nothing."""

MOST_GAMES = 10**12  # of one run: months of a large cluster
LAST_GAME = 2**62  # that a run may begin with, so that the number of each of its games fits into 63 bits


def check_games(games, first_game=0):
    """Refuse numbers of games that cannot be played."""
    if not _is_whole(games, 1, MOST_GAMES):
        raise ValueError(f"the number of games must be a whole number from 1 to {MOST_GAMES:,}, not {games!r}.")
    check_game_number(first_game, "the first game")


def check_game_number(game, what="the game"):
    """Refuse what is not the number of a game."""
    if not _is_whole(game, 0, LAST_GAME):
        raise ValueError(f"{what} must be a whole number from 0 to {LAST_GAME:,}, not {game!r}.")


def _is_whole(value, low, high):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
