"""Tuning: variations on the same deals, an evolution that can be interrupted, and a verdict that may be "no gain".

The strategies here have no foresight, so that thousands of games take a moment.
"""

import json
import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim import Rules, RulesError, load_strategy, simulate, tune
from jamaica_sim.cli import main
from jamaica_sim.strategy.heuristic.weights import NAMES
from jamaica_sim.strategy.library import load_strategies
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.tune.arena import DEALS_A_FIELD, UNITS, Arena, try_strategies
from jamaica_sim.study.tune.evolution import FEWEST_DEALS, Evolution, Generation, TuningError, WeightSpace, scored
from jamaica_sim.study.tune.tune import tables_of

LAZY = {"progress": 0.0, "hurry": 0.0}  # a start that nearly everything improves
QUICK = {"against": "balanced", "weights": ["progress", "hurry"], "evaluations": 24, "games": 400}


def arena(*names, tables=None, seed=1):
    return Arena(tuple(tables or [Rules()]), tuple(load_strategies(names)), seed)


# The arena


def test_equal_strategies_win_exactly_their_share():
    """Each plays in every seat of a deal, so that even the luck of the deal cancels."""
    for rules, share in ((Rules(), UNITS // 4), (Rules(players=6, edition="2021"), UNITS // 6)):
        trial = try_strategies(arena("balanced", tables=[rules]), load_strategies(["balanced"]), 0, 30)
        assert (trial.wins == share).all()


def test_what_the_ghost_wins_nobody_else_does():
    trial = try_strategies(
        arena("balanced", tables=[Rules(players=2, edition="2021")]), load_strategies(["balanced"]), 0, 200
    )
    assert set(np.unique(trial.wins)) > {0, UNITS // 2} and 0.3 < trial.win_rate(0).value < 0.5


def test_a_trial_is_the_same_for_any_number_of_threads_and_in_pieces():
    where = arena("balanced", "racer", "hoarder", tables=[Rules(), Rules(players=3, edition="2021", ghost=True)])
    tried = load_strategies(["balanced", "racer"])
    whole = try_strategies(where, tried, 10, 50, threads=1)
    pieces = [try_strategies(where, tried, 10, 15, threads=2), try_strategies(where, tried, 25, 35, threads=3)]
    assert (whole.wins == np.concatenate([piece.wins for piece in pieces], axis=-1)).all()
    assert (whole.worth == np.concatenate([piece.worth for piece in pieces], axis=-1)).all()
    assert whole.deals == 50 and whole.gain(0, 1).value == -whole.gain(1, 0).value


def test_a_trial_plays_the_games_that_simulate_plays():
    where = arena("racer", seed=5)
    trial = try_strategies(where, load_strategies(["hoarder"]), 0, 40)
    seats = [["racer"] * seat + ["hoarder"] + ["racer"] * (3 - seat) for seat in range(4)]
    shares = [simulate(games=40, strategies=line_up, seed=5).by_strategy().set_index("strategy") for line_up in seats]
    assert trial.win_rate(0).value == pytest.approx(np.mean([table.loc["hoarder", "win_rate"] for table in shares]))


def test_the_field_is_drawn_from_the_pool_and_changes():
    where = arena("balanced", "racer", "hoarder", tables=[Rules(players=6)])
    fields = [where.field(0, deal) for deal in range(0, 20 * DEALS_A_FIELD, DEALS_A_FIELD)]
    assert {member for field in fields for member in field} == {0, 1, 2} and len({*map(tuple, fields)}) > 10
    assert all(len(field) == 5 for field in fields)
    assert where.field(0, 0) == where.field(0, DEALS_A_FIELD - 1) != where.field(0, 3 * DEALS_A_FIELD)


def test_a_stopped_trial_is_none():
    stopped = threading.Event()
    stopped.set()
    assert try_strategies(arena("balanced"), load_strategies(["racer"]), 0, 40, stop=stopped) is None


# The weights as a vector


def test_the_origin_is_the_start():
    start = load_strategy("champion").changes
    space = WeightSpace.around(start)
    assert space.weights(space.origin) == pytest.approx(start)
    assert set(space.names) == set(NAMES) - {"noise", "errors"}
    low, high = space.bounds.T
    assert (low <= space.origin).all() and (space.origin <= high).all() and (space.steps > 0).all()


def test_only_the_named_weights_change_and_stay_in_range():
    space = WeightSpace.around({"food": 3.0}, ["gold", "plenty", "gold"])
    assert space.names == ("gold", "plenty")
    changed = space.weights(np.array([1e6, -1e6]))
    assert changed == {"gold": 5.0, "food": 3.0, "plenty": 0.5}
    load_strategy(changed)


def test_an_unknown_weight_is_refused():
    with pytest.raises(StrategyError, match="did you mean 'gold'"):
        WeightSpace.around({}, ["golt"])


# The evolution


def told(evolution, generations, best=2.0):
    """Let an evolution climb towards `best` steps above its origin, without playing."""
    origin = evolution.space.origin
    for _ in range(generations):
        worth = [-float(((one - origin - best) ** 2).sum()) for one in evolution.ask()]
        evolution.tell(Generation(evolution.deals, worth, 1e-9, [evolution.deals, 5, 25]))


def test_an_evolution_finds_the_top_of_a_hill():
    evolution = Evolution(WeightSpace.around({}, ["gold", "food", "plenty"]), 3)
    told(evolution, 60)
    assert evolution.middle - evolution.space.origin == pytest.approx(2.0, abs=0.05)
    assert evolution.averaged_middle - evolution.space.origin == pytest.approx(2.0, abs=0.3)


def test_an_evolution_is_rebuilt_from_its_scores():
    space = WeightSpace.around({}, ["gold", "food", "plenty", "foresight"])
    evolution = Evolution(space, 3)
    told(evolution, 7)
    again = Evolution(space, 3, list(evolution.generations))
    assert all((one == other).all() for one, other in zip(evolution.ask(), again.ask(), strict=True))
    assert (again.deals, again.first_deal, again.evaluations) == (
        evolution.deals,
        evolution.first_deal,
        evolution.evaluations,
    )
    assert (again.averaged_middle == evolution.averaged_middle).all()


def test_one_weight_alone_can_be_tuned():
    evolution = Evolution(WeightSpace.around({}, ["gold"]), 3)
    told(evolution, 40)
    assert evolution.middle - evolution.space.origin == pytest.approx(2.0, abs=0.1)


def test_noise_asks_for_more_deals_and_a_plain_difference_for_fewer():
    evolution = Evolution(WeightSpace.around({}, ["gold", "food"]), 3)
    scores = [float(score) for score in range(evolution.population)]
    for noise, bigger in ((100.0, True), (100.0, True), (1e-6, False)):
        before = evolution.deals
        evolution.ask()
        evolution.tell(Generation(before, scores, noise, [before, 0, 0]))
        assert (evolution.deals > before) == bigger and evolution.deals % DEALS_A_FIELD == 0
    assert evolution.deals >= FEWEST_DEALS


def test_a_generation_knows_the_gain_of_its_middle():
    tried = load_strategies(["racer", "hoarder", "balanced", "random"])  # two variations, the middle, the start
    trial = try_strategies(arena("racer"), tried, 0, 60)
    generation = scored(trial)
    deals, total, _ = generation.gain
    assert len(generation.worth) == 2 and generation.noise > 0
    assert total / deals / UNITS == pytest.approx(trial.gain(2, 3).value) and total > 0


# Tuning


def test_a_bad_start_is_improved_and_the_verdict_says_so():
    tuned = tune(LAZY, **{**QUICK, "evaluations": 60, "games": 2000})
    assert tuned.verdict == "better" and tuned.complete and tuned.gain().low > 0.03
    assert "wins" in tuned.sentence() and "points more than" in tuned.sentence() and "seed 1." in tuned.sentence()
    assert set(tuned.strategy.changes) <= {"progress", "hurry"} and tuned.evaluations >= 60
    assert tuned.games >= 2000 and tuned.by_table().rows[0][0] == "4 players, 2007"


def test_where_nothing_is_to_be_gained_it_says_that():
    """Without a ghost ship, `ghost_spite` changes nothing."""
    tuned = tune("balanced", against="balanced", weights=["ghost_spite"], evaluations=5, games=400)
    assert tuned.sentence().startswith("No gain") and tuned.verdict != "better"
    assert tuned.win_rate().value == 0.25


def test_the_same_seed_gives_the_same_weights_for_any_number_of_threads():
    one, other = (tune(LAZY, **QUICK, seed=7, threads=threads) for threads in (1, 3))
    assert one.strategy.text == other.strategy.text and one.sentence() == other.sentence()
    assert tune(LAZY, **QUICK, seed=8).strategy.text != one.strategy.text


def test_several_kinds_of_table_and_changed_rules():
    tables = tables_of(None, [2, 3, 6], ["2007", "2021"], hand_size=4)
    assert [(r.players, r.edition, r.ghost, r.hand_size) for r in tables] == [
        (players, edition, players == 2, 4) for players in (2, 3, 6) for edition in ("2007", "2021")
    ]
    assert tables_of(Rules(players=3, ghost=True), None, "2021") == (Rules(players=3, ghost=True, edition="2021"),)
    with pytest.raises(RulesError, match="6"):
        tables_of(None, [3, 6], ghost=True)
    tuned = tune(LAZY, **QUICK, players=[2, 3], hand_size=4)
    assert [row[0] for row in tuned.by_table().rows] == [
        "2 players with the ghost, 2007, hand size 4",
        "3 players, 2007, hand size 4",
        "all",
    ]
    assert "on average over 2 kinds of table" in tuned.sentence()


def test_an_answer_to_one_strategy():
    tuned = tune(exploit={"progress": 0.0}, weights=["progress", "hurry"], evaluations=40, games=1000)
    assert tuned.exploits and tuned.verdict == "better"
    assert tuned.sentence().startswith("An answer to progress 0.0 was found")
    code = tune(exploit="corsair", weights=["progress"], evaluations=5, games=200)
    assert code.reference.name == "corsair" and "against 3 corsair" in code.sentence()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"start": "corsair"}, "corsair cannot be tuned"),
        ({"start": "random"}, "random cannot be tuned"),
        ({"start": "balansed"}, "did you mean 'balanced'"),
        ({"weights": ["golt"]}, "did you mean 'gold'"),
        ({"against": "rager"}, "did you mean 'racer'"),
        ({"against": "racer", "exploit": "racer"}, "not both"),
        ({"exploit": ["racer", "hoarder"]}, "only one strategy"),
        ({"minutes": 1, "evaluations": 5}, "not both"),
        ({"minutes": -1}, "above 0"),
        ({"evaluations": 0}, "from 1 on"),
        ({"games": 0}, "from 1 to"),
        ({"seed": -1}, "the seed must be"),
        ({"players": 7}, "players must be"),
        ({"hand_sise": 4}, "did you mean 'hand_size'"),
    ],
)
def test_what_cannot_be_tuned_is_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        tune(**{"start": "balanced", "evaluations": None, **options})


# Files


class Enough(Exception):
    pass


def stop_after(generations):
    def progress(so_far):
        assert so_far.gain.n > 0 and "points of win rate gained" in so_far.sentence()
        if so_far.generation == generations:
            raise Enough

    return progress


def test_an_interrupted_tuning_goes_on_to_the_same_end(tmp_path):
    whole = tune(LAZY, **QUICK, out=tmp_path / "whole.toml")
    for generations in (1, 3):
        with pytest.raises(Enough):
            tune(LAZY, **QUICK, out=tmp_path / "mine.toml", progress=stop_after(generations))
    assert not (tmp_path / "mine.toml").exists() and (tmp_path / "mine.tuning.json").is_file()
    tuned = tune(LAZY, **QUICK, out=tmp_path / "mine.toml")
    assert tuned.strategy.changes == whole.strategy.changes and tuned.evaluations == whole.evaluations
    written = load_strategy(tmp_path / "mine.toml")
    assert (written.name, written.changes) == ("mine", whole.strategy.changes)
    generations = [
        json.loads((tmp_path / f"{name}.tuning.json").read_text())["generations"] for name in ("mine", "whole")
    ]
    assert generations[0] == generations[1]


def test_a_tuning_that_has_ended_goes_on_with_a_larger_budget(tmp_path):
    first = tune(LAZY, **QUICK, out=tmp_path / "mine.toml")
    more = tune(LAZY, **{**QUICK, "evaluations": 40}, out=tmp_path / "mine.toml")
    assert first.evaluations < 40 <= more.evaluations
    assert more.strategy.changes == tune(LAZY, **{**QUICK, "evaluations": 40}).strategy.changes


def test_files_of_others_are_not_touched(tmp_path):
    (tmp_path / "mine.toml").write_text("[weights]\ngold = 1\n")
    with pytest.raises(TuningError, match="exists already"):
        tune(LAZY, **QUICK, out=tmp_path / "mine.toml")
    assert (tmp_path / "mine.toml").read_text() == "[weights]\ngold = 1\n"
    with pytest.raises(TuningError, match=r"ends in \.toml"):
        tune(LAZY, **QUICK, out=tmp_path / "mine.py")
    with pytest.raises(TuningError, match="there is no folder"):
        tune(LAZY, **QUICK, out=tmp_path / "nowhere" / "mine.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda history: "{", "is not the history of a tuning"),
        (lambda history: "[]", "is not the history of a tuning"),
        (lambda history: json.dumps({**history, "generations": [{"deals": 1}]}), "is not the history of a tuning"),
        (lambda history: json.dumps({**history, "schema": "other"}), "another version"),
        (lambda history: json.dumps({**history, "task": {**history["task"], "seed": 9}}), "with other seed"),
    ],
)
def test_a_history_that_does_not_fit_is_refused(tmp_path, change, problem):
    tune(LAZY, **{**QUICK, "evaluations": 5}, out=tmp_path / "mine.toml")
    history = tmp_path / "mine.tuning.json"
    history.write_text(change(json.loads(history.read_text())))
    with pytest.raises(TuningError, match=problem):
        tune(LAZY, **QUICK, out=tmp_path / "mine.toml")


def test_other_options_for_the_same_file_are_refused(tmp_path):
    tune(LAZY, **{**QUICK, "evaluations": 5}, out=tmp_path / "mine.toml")
    for changed, problem in (
        ({"weights": ["gold"]}, "weights"),
        ({"players": 3}, "tables"),
        ({"against": "racer"}, "field"),
        ({"seed": 2}, "seed"),
    ):
        with pytest.raises(TuningError, match=f"with other {problem}"):
            tune(LAZY, **{**QUICK, **changed}, out=tmp_path / "mine.toml")
    with pytest.raises(TuningError, match="with other start"):
        tune({}, **QUICK, out=tmp_path / "mine.toml")


# The command


def invoke(*words):
    return CliRunner().invoke(main, [*map(str, words)])


COMMAND = ("--against", "balanced", "--weight", "progress", "--weight", "hurry", "--games", "400")


@pytest.fixture
def lazy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lazy.toml").write_text("[weights]\nprogress = 0\nhurry = 0\n")
    return "lazy.toml"


def test_the_command_writes_a_file_that_plays(lazy):
    done = invoke("tune", lazy, *COMMAND, "--evaluations", 40, "--rule", "hand_size=4", "--out", "mine.toml")
    assert done.exit_code == 0, done.output
    assert "mine wins" in done.stdout and "Wrote mine.toml." in done.stdout and "±" in done.stdout
    assert load_strategy("mine.toml").changes.keys() <= {"progress", "hurry"}
    assert simulate(games=100, strategies=["mine.toml", "balanced"]).games == 100


def test_the_command_tunes_for_some_minutes(lazy):
    done = invoke("tune", lazy, *COMMAND, "--minutes", 0.01, "-p", 2, "-p", 3, "-e", "2021", "--out", "mine.toml")
    assert done.exit_code == 0, done.output
    assert json.loads(invoke("tune", lazy, *COMMAND, "--minutes", 0.01, "--out", "b.toml", "--format", "json").stdout)
    assert "2 players with the ghost, 2021" in done.stdout and "3 players, 2021" in done.stdout


def test_ctrl_c_keeps_the_best_and_the_same_command_goes_on(lazy, monkeypatch):
    from jamaica_sim.study.tune import tune as tuning

    def interrupted(*args):
        os.kill(os.getpid(), signal.SIGINT)
        return scored(*args)

    command = ("tune", lazy, *COMMAND, "--evaluations", 24, "--out", "mine.toml")
    with monkeypatch.context() as patched:
        patched.setattr(tuning, "scored", interrupted)
        stopped = invoke(*command)
    assert stopped.exit_code == 1 and "mine.toml has the best so far" in stopped.stderr
    assert "Traceback" not in stopped.output and load_strategy("mine.toml").name == "mine"
    done = invoke(*command)
    assert done.exit_code == 0, done.output
    assert "Wrote mine.toml." in done.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--out", "mine.toml"), "Name a file of weights"),
        (("lazy.toml",), "--out"),
        (("nowhere.toml", "--out", "mine.toml"), "There is no strategy file nowhere.toml"),
        (("corsair", "--out", "mine.toml"), "corsair cannot be tuned"),
        (("lazy.toml", "--out", "lazy.toml"), "exists already"),
        (("lazy.toml", "--out", "mine.toml", "--minutes", "1", "--evaluations", "5"), "either --minutes or"),
        (("lazy.toml", "--out", "mine.toml", "--weight", "golt"), "did you mean 'gold'"),
        (("lazy.toml", "--out", "mine.toml", "--rule", "hand_sise=4"), "did you mean 'hand_size'"),
        (("lazy.toml", "--out", "mine.toml", "--edition", "1999"), "must be 2007 or 2021"),
        (("lazy.toml", "--out", "mine.toml", "--players", "9"), "from 2 to 6"),
        (("lazy.toml", "--out", "mine.toml", "--exploit", "racer", "--against", "racer"), "not both"),
    ],
)
def test_the_command_refuses_in_one_sentence(lazy, words, problem):
    refused = invoke("tune", *words)
    assert refused.exit_code == 2 and problem in refused.stderr
    assert "Traceback" not in refused.output and refused.stderr.strip().count("\n") == 0
    assert [path.name for path in Path().iterdir()] == ["lazy.toml"]
