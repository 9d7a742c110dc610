"""What designers would like to try can be asked: each idea is a few lines or a plain rule, and shows in games."""

import pytest
from house_ideas import IDEAS, table_of

from jamaica_sim import replay

GAMES = 12
TABLE = {"players": 4, "strategies": ["random"], "seed": 5}


@pytest.fixture(scope="module")
def printed():
    return [replay(game, **TABLE) for game in range(GAMES)]


@pytest.mark.slow
@pytest.mark.parametrize("idea", IDEAS, ids=lambda idea: idea.words)
def test_an_idea_shows_in_games_and_not_by_the_printed_rules(idea, printed):
    traces = [replay(game, **TABLE, **table_of(idea)) for game in range(GAMES)]
    assert idea.shows(traces) and not idea.shows(printed)
