"""Names that lie: a strategy is what it plays, whatever it calls itself, everywhere a name could stand for it."""

import asyncio
import json
import tomllib

import httpx
import pytest

from jamaica_sim import Game, load_experiment, load_strategy, run_experiment, simulate
from jamaica_sim.report.report import make_report
from jamaica_sim.strategy.library import shipped_folder, told_apart
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.web.part import Studio
from jamaica_sim.web.question import Menu
from jamaica_sim.web.server import application

RACER = tomllib.loads((shipped_folder() / "racer.toml").read_text())["weights"]


def calls_itself(name, path, weights=RACER):
    path.parent.mkdir(exist_ok=True)
    lines = [f'name = "{name}"', "[weights]", *(f"{weight} = {value}" for weight, value in weights.items())]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def page_of(*files):
    """A studio with these files on its command line: asks a question as its page does."""
    app = application([Studio(files).part()], "key", 8117)

    async def go(path, question):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8117") as client:
            return await client.post(f"/key{path}", json=question)

    return lambda path, question: asyncio.run(go(path, question))


def test_a_page_shows_the_figures_of_the_strategy_that_it_seats(tmp_path):
    own = calls_itself("balanced", tmp_path / "lab" / "balanced.toml")
    ask = page_of(own, "racer")
    names = [one["name"] for one in ask("/api/box", {}).json()["strategies"]]
    mine = next(name for name in names if name.startswith("balanced") and name != "balanced")
    menu = Menu([own, "racer"])
    shown = {name: menu.strategy(name).digest for name in ("balanced", mine)}
    assert shown == {"balanced": load_strategy("balanced").digest, mine: load_strategy(own).digest}
    assert shown["balanced"] != shown[mine]


def test_one_label_is_never_two_strategies(tmp_path):
    """Also where another label of one of them makes up the number."""
    fast = load_strategy(calls_itself("mine", tmp_path / "a" / "mine.toml"))
    slow = load_strategy(calls_itself("mine", tmp_path / "b" / "mine.toml", {"progress": 0}))
    found = told_apart([fast, slow, slow.labelled("another")])
    assert len({s.label for s in found[:2]}) == 2


def test_players_from_one_factory_are_told_apart():
    def always(place):
        def player(question):
            return question.options[min(place, len(question.options) - 1)]

        return player

    first, last = always(0), always(99)
    names = simulate(games=4, players=3, strategies=[first, last, first]).by_strategy()["strategy"]
    assert sorted(names) == ["player (1)", "player (2)"]


def test_line_ups_of_one_name_stay_apart_in_an_experiment(tmp_path):
    fast = calls_itself("mine", tmp_path / "a" / "mine.toml")
    slow = calls_itself("mine", tmp_path / "b" / "mine.toml", {"progress": 0})
    file = tmp_path / "two.toml"
    file.write_text('title = "Two"\ngames = 60\nline_ups = ["a/mine.toml", "b/mine.toml"]\n[rules]\nplayers = 3\n')
    experiment = load_experiment(file)
    assert len({setting.label for setting in experiment.settings}) == 2
    study = run_experiment(experiment, tmp_path / "out")
    assert [setting.label for setting in study.settings] == [setting.label for setting in experiment.settings]
    due = [simulate(games=60, players=3, strategies=[name]).of_game("rounds").value for name in (fast, slow)]
    assert [setting.played.of_game("rounds").value for setting in study.settings] == due
    assert make_report(study)


def test_a_file_that_calls_itself_random_is_written_down(tmp_path):
    own = calls_itself("random", tmp_path / "random.toml")
    game = Game(players=3, strategies=[None, own, own], seed=3)
    for _ in range(4):
        game.answer(game.question.options[0])
    game.save(tmp_path / "game.jamaica.json")
    assert [bool(given) for given in json.loads((tmp_path / "game.jamaica.json").read_text())["answers"]] == [True] * 3


def test_nobody_is_called_like_the_ghost_ship(tmp_path):
    with pytest.raises(StrategyError, match="ghost ship"):
        load_strategy(calls_itself("ghost ship", tmp_path / "a.toml"))
