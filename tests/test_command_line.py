"""The command line as a user types it: tables, JSON and CSV, the story of a game, run folders, and refusals.

A refusal is one sentence on standard error and exit code 2, and leaves nothing behind.
"""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from command import type_in
from referee import check

from jamaica_sim import __version__, compare, load_experiment, run_experiment, sweep
from jamaica_sim.cli import main
from jamaica_sim.files.limits import LAST_GAME, MOST_GAMES
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay
from jamaica_sim.study.folder import table_of_run
from jamaica_sim.study.simulate import run_games, simulate

RANDOM = ["--strategy", "random"]
TITLES = ["Who wins", "Voyages", "Seats", "Fairness", "An average game", "How often"]


def shell(*words, **options):
    """Call a command in a process of its own."""
    command = [sys.executable, "-m", "jamaica_sim", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, **options)


def output_of(*words):
    """What a command that must succeed prints."""
    result = type_in(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


# run


def test_run_prints_tables_with_intervals():
    text = output_of("run", "--games", 300, "--players", 3, *RANDOM)
    for title in TITLES:
        assert f"{title} (" in text
    assert "300 games of 3 players, edition 2007, seed 1" in text
    assert text.count("±") > 20
    for measure in ("first Captain's edge", "first less last seat", "last seat wins", "gap between seats"):
        assert re.search(rf"^{measure} +-?[\d.]+ ± [\d.]+$", text, re.MULTILINE)


def test_run_says_who_wins_with_the_ghost():
    text = output_of("run", "--games", 300, "--players", 2, "--edition", 2021, *RANDOM)
    assert "ghost ship" in text and "won by the ghost ship" in text
    assert "2 players and the ghost ship, edition 2021" in text


def test_run_as_json_is_what_the_api_says():
    facts = json.loads(output_of("run", "--games", 300, "--seed", 9, "--format", "json", *RANDOM))
    results = simulate(300, strategies="random", seed=9)
    assert (facts["games"], facts["seed"], facts["strategies"]) == (300, 9, ["random"] * 4)
    assert facts["rules"] == results.table.rules.as_dict()
    assert list(facts["tables"]) == TITLES
    for title, rows in facts["tables"].items():
        assert rows == json.loads(json.dumps(results.tables()[title]))


def test_run_as_csv_reads_into_pandas():
    table = pd.read_csv(io.StringIO(output_of("run", "--games", 300, "--format", "csv", *RANDOM)))
    assert list(table.columns) == ["table", "row", "quantity", "value", "low", "high", "games"]
    wins = table[(table["table"] == "Seats") & (table["quantity"] == "win rate")]
    assert wins["value"].sum() == pytest.approx(1)
    assert (wins["low"] < wins["value"]).all() and (wins["value"] < wins["high"]).all()
    assert set(table["table"]) == set(TITLES)


def test_run_alone_is_useful():
    """Rules, strategies and seed have defaults."""
    facts = json.loads(output_of("run", "--games", 50, "--format", "json"))
    assert facts["rules"]["players"] == 4 and facts["rules"]["edition"] == "2007" and facts["seed"] == 1


def test_threads_do_not_change_what_is_printed():
    words = ["run", "--games", 2000, "--players", 5, "--ghost", "--format", "csv", *RANDOM]
    assert output_of(*words, "--threads", 1) == output_of(*words, "--threads", 2)


def test_rules_by_name():
    words = ["--rule", "hand_size=4", "--rule", "action_die=1,2,3", "--rule", "limited-bank=true"]
    rules = json.loads(output_of("run", "--games", 20, *words, "--format", "json", *RANDOM))["rules"]
    assert (rules["hand_size"], rules["action_die"], rules["limited_bank"]) == (4, [1, 2, 3], True)


def test_strategies_by_seat():
    words = ["run", "--games", 20, "--players", 3, "-s", "random", "-s", "racer", "--format", "json"]
    assert json.loads(output_of(*words))["strategies"] == ["random", "racer", "random"]


def test_run_from_the_shell():
    done = shell("run", "--games", 200, "--format", "json", *RANDOM)
    assert done.returncode == 0
    assert json.loads(done.stdout)["games"] == 200
    assert "Traceback" not in done.stderr


def test_version():
    assert __version__ in output_of("--version")


# replay


def test_replay_tells_a_story():
    text = output_of("replay", "--game", 3, "--players", 3, *RANDOM)
    trace = replay(3, strategies="random", players=3)
    assert "edition 2007, 3 players: game 3 of seed 1" in text
    for number in range(1, trace["result"]["rounds"] + 1):
        assert f"Round {number}:" in text
    for number, event in enumerate(event for event in trace["events"] if event["event"] == "round"):
        assert f"{event['placed'][0]} in the morning, {event['placed'][1]} in the evening" in text, number
    assert all(str(score) in text for score in trace["result"]["scores"])


def test_replay_as_json_is_the_trace():
    words = ["replay", "--game", 42, "--seed", 7, "--players", 4, "--ghost", "--edition", 2021, *RANDOM]
    trace = json.loads(output_of(*words, "--format", "json"))
    assert trace == replay(42, strategies="random", seed=7, players=4, ghost=True, edition="2021")
    assert check(trace)


def test_replay_from_the_shell():
    done = shell("replay", "--game", 1, *RANDOM)
    assert done.returncode == 0 and "Round 1:" in done.stdout


# The folder of a run


@pytest.fixture
def run_dir(tmp_path):
    """The folder of a finished run with a table of its games."""
    path = tmp_path / "runs" / "first"
    words = ["--games", 120, "--players", 3, "--ghost", "--seed", 5, "--first-game", 30, *RANDOM]
    output_of("run", *words, "--out", path, "--per-game")
    return path


def test_folder_has_manifest_sums_tables_and_games(run_dir):
    files = sorted(str(path.relative_to(run_dir)) for path in run_dir.rglob("*") if path.is_file())
    assert files == ["games/part-00000000.parquet", "games_to_watch.json", "manifest.json", "sums.npy", "tables.json"]


def test_manifest_says_all_that_is_needed_to_repeat_the_run(run_dir):
    manifest = json.loads((run_dir / "manifest.json").read_text())
    config = manifest["configuration"]
    assert (
        manifest["version"] == __version__ and manifest["complete"] and manifest["started"] and manifest["seconds"] >= 0
    )
    assert (config["seed"], config["first_game"], config["games"]) == (5, 30, 120)
    assert config["rules"]["players"] == 3 and config["rules"]["ghost"]
    again = run_games(table_of_run(run_dir), config["games"], first_game=config["first_game"])
    assert again.tables() == json.loads((run_dir / "tables.json").read_text())
    assert again.tally.tobytes() == np.load(run_dir / "sums.npy")[0].tobytes()


def test_games_read_into_pandas(run_dir):
    games = pd.read_parquet(run_dir / "games")
    rows = Worker(table_of_run(run_dir)).play(Chunk(30, 120), keep_rows=True).rows
    assert games["game"].tolist() == list(range(30, 150))
    assert games["rounds"].tolist() == rows["rounds"].tolist()
    assert games["score_3"].tolist() == rows["score"][:, 3].tolist()
    assert games["loaded_0_gunpowder"].tolist() == rows["loaded"][:, 0, 2].tolist()
    assert games["lanes_1_fork2_inner"].tolist() == rows["lanes"][:, 1, 2, 1].tolist()
    assert games["peak_food"].tolist() == rows["peak"][:, 1].tolist()
    assert "score_4" not in games  # there is no such ship


def test_replay_from_a_folder(run_dir):
    trace = json.loads(output_of("replay", run_dir, "--game", 77, "--format", "json"))
    games = pd.read_parquet(run_dir / "games").set_index("game")
    assert trace["result"]["scores"] == [int(games.loc[77, f"score_{ship}"]) for ship in range(4)]
    assert "has no game 5,000: its games are" in type_in("replay", run_dir, "--game", 5000).stderr
    refused = type_in("replay", run_dir, "--game", 77, "--players", 3)
    assert refused.exit_code == 2 and "leave the other options out" in refused.stderr


def test_without_per_game_there_is_no_table_of_games(tmp_path):
    output_of("run", "--games", 40, "--out", tmp_path / "run", *RANDOM)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "games_to_watch.json",
        "manifest.json",
        "sums.npy",
        "tables.json",
    ]


@pytest.mark.parametrize("chunk_size", [1, 7, 64])
def test_parts_do_not_depend_on_chunks(tmp_path, monkeypatch, chunk_size):
    """Parts are cut at multiples of their size, wherever a run or a chunk begins."""
    monkeypatch.setattr("jamaica_sim.study.parts.PART", 10)
    table = seat_table(strategies="random", players=3)
    run_games(table, 33, first_game=25, chunk_size=chunk_size, out=tmp_path / "run", per_game=True)
    parts = sorted((tmp_path / "run" / "games").iterdir())
    assert [part.name for part in parts] == [f"part-0000000{number}.parquet" for number in range(2, 6)]
    assert [pd.read_parquet(part)["game"].tolist() for part in parts] == [
        [*range(25, 30)], [*range(30, 40)], [*range(40, 50)], [*range(50, 58)],
    ]  # fmt: skip


# Refusals

REFUSED = [
    (["run", "--players", 1], "from 2 to 6"),
    (["run", "--players", 7], "from 2 to 6"),
    (["run", "--players", "four"], "four"),
    (["run", "--players", 6, "--ghost"], "2 to 5 players, not 6"),
    (["run", "--players", 2, "--no-ghost"], "two players always play with the ghost"),
    (["run", "--edition", 1999], "2007 or 2021"),
    (["run", "--games", 0], "not 0"),
    (["run", "--games", -3], "not -3"),
    (["run", "--games", "many"], "many"),
    (["run", "--games", 10**30], "from 1 to 1,000,000,000,000, not 1000"),
    (["run", "--first-game", 2**62 + 1], "from 0 to 4,611,686,018,427,387,904, not 4611"),
    (["compare", "random", "racer", "--games", 10**30], "from 1 to 1,000,000,000,000"),
    (["compare", "random", "racer", "--until", "verdict", "--max-games", 10**30], "from 1 to 1,000,000,000,000"),
    (["experiment", "run", "ghost_ship", "--games", 10**30], "from 1 to 1,000,000,000,000"),
    (["replay", "--game", 10**30], "from 0 to 4,611,687,018,427,387,903"),
    (["report", "--all", "reports", "--times", 10**30], "from 1 to 1,000"),
    (["run", "--seed", "lucky"], "lucky"),
    (["run", "--seed", -1], "not -1"),
    (["run", "--threads", 0], "not 0"),
    (["run", "--rule", "hand_sise=4"], "did you mean 'hand_size'"),
    (["run", "--rule", "hand_size"], "NAME=VALUE"),
    (["run", "--rule", "hand_size=big"], "big"),
    (["run", "--rule", "hand_size=0"], "hand_size must be a whole number from 1 to"),
    (["run", "--rule", "action_die=1"], "action_die must be"),
    (["run", "--strategy", "randon"], "did you mean 'random'"),
    (["run", "--players", 2, *RANDOM * 3], "cannot be seated at a table of 2 players: say --players 3, or let them"),
    (["run", *RANDOM * 7], "cannot be seated at a table of 4 players: let them meet with `jamaica-sim compare`"),
    (["run", "--rule", "port.dearer=1"], "did you mean 'ports.dearer'?"),
    (["run", "--strategy", "nofile.py"], "no strategy file nofile.py: `jamaica-sim strategies new NAME` writes one"),
    (["run", "--gmaes", 5], "No such option '--gmaes': did you mean '--games'?"),
    (["run", "--xyzzy"], "No such option '--xyzzy': --help lists the options."),
    (["compare", "-s", "random", "racer"], "No such option '-s'. Strategies are named without -s"),
    (["merge", "a", "b"], "Missing option '--out'. Name a new folder"),
    (["resume", "nowhere"], "is not a run's, an experiment's, a comparison's or a sweep's folder: there is no such"),
    (["run", "--format", "xml"], "xml"),
    (["run", "--fast"], "--fast"),
    (["run", "--per-game"], "--out"),
    (["replay"], "--game"),
    (["replay", "--game", -1], "not -1"),
    (["replay", "--game", "last"], "last"),
    (["replay", "nowhere", "--game", 1], "nowhere is not a run's, an experiment's or a sweep's folder"),
    (["replay", "--game", 1, "--players", 9], "from 2 to 6"),
]


def assert_refused(exit_code, stdout, stderr, hint):
    """Exit code 2, one sentence on standard error that helps, and nothing else."""
    assert exit_code == 2, stderr
    assert stdout == ""
    assert stderr.startswith("Error: ") and stderr.rstrip().endswith((".", "?")) and stderr.count("\n") == 1, stderr
    assert hint.lower() in stderr.lower()
    assert "Traceback" not in stderr


@pytest.mark.parametrize(("words", "hint"), REFUSED, ids=[" ".join(map(str, words)) for words, _ in REFUSED])
def test_refusals(words, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = type_in(*words)
    assert_refused(result.exit_code, result.stdout, result.stderr, hint)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [10**30, -1, False, 1.5, "7"])
def test_numbers_of_games_that_the_api_refuses(number, tmp_path):
    with pytest.raises(ValueError, match="the number of games must be a whole number from 1 to 1,000,000,000,000, not"):
        simulate(number, strategies="random")
    with pytest.raises(ValueError, match="the number of games must be"):
        run_experiment(load_experiment("ghost_ship"), tmp_path / "out", games=number)
    with pytest.raises(ValueError, match="the first game must be a whole number from 0 to"):
        simulate(5, strategies="random", first_game=number)
    with pytest.raises(ValueError, match="the game must be a whole number from 0 to 4,611,687,018,427,387,903, not"):
        replay(number, strategies="random")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", [0, -1, 1025, True, "2"])
def test_numbers_of_threads_that_the_api_refuses(threads, tmp_path):
    said = "it must be a whole number from 1 to 1,024, not"
    with pytest.raises(ValueError, match=said):
        simulate(5, strategies="random", threads=threads, out=tmp_path / "run")
    with pytest.raises(ValueError, match=said):
        compare(["random", "balanced"], games=4, threads=threads, out=tmp_path / "run")
    with pytest.raises(ValueError, match=said):
        run_experiment(load_experiment("ghost_ship"), tmp_path / "out", games=5, threads=threads)
    with pytest.raises(ValueError, match=said):
        sweep("hand_size=3,4", games=5, strategies="random", threads=threads, out=tmp_path / "swept")
    assert list(tmp_path.iterdir()) == []
    assert said in type_in("run", "--threads", 0).stderr


def test_arguments_that_the_api_refuses():
    with pytest.raises(ValueError, match=r"""luck is a dict such as \{"dice": 7\}, not 'dice'\."""):
        simulate(5, luck="dice")
    with pytest.raises(ValueError, match="no strategy is named: name one, or leave strategies out."):
        simulate(5, strategies=[])


def test_the_last_games_that_there_can_be():
    assert simulate(3, strategies="random", first_game=LAST_GAME).games == 3
    assert replay(LAST_GAME, strategies="random")["config"]["game"] == LAST_GAME
    assert LAST_GAME + MOST_GAMES < 2**63


def test_a_refused_run_makes_no_folder(tmp_path):
    for words in (["--players", 1], ["--edition", "1999"], ["--strategy", "nobody"], ["--rule", "round_cap=0"]):
        result = type_in("run", "--games", 10, *words, "--out", tmp_path / "run")
        assert result.exit_code == 2
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_as_it_is(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "result.txt").write_text("dear to me")
    result = type_in("run", "--games", 10, *RANDOM, "--out", tmp_path / "run")
    assert_refused(result.exit_code, result.stdout, result.stderr, "exists already")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["result.txt"]
    assert (tmp_path / "run" / "result.txt").read_text() == "dear to me"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    result = type_in("run", "--games", 10, *RANDOM, "--out", tmp_path / "file" / "deep" / "run")
    assert_refused(result.exit_code, result.stdout, result.stderr, "cannot be made")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_refusal_in_the_shell(tmp_path):
    done = shell("run", "--players", 1, "--out", "here", cwd=tmp_path)
    assert_refused(done.returncode, done.stdout, done.stderr, "from 2 to 6")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_command_names_the_nearest():
    result = type_in("rum")
    assert result.exit_code == 2
    assert "There is no command 'rum'. Did you mean 'run'?" in result.stderr


# Output that cannot be written

TALKATIVE = [
    ["--help"],
    ["--version"],
    ["strategies", "check", "--help"],
    ["strategies", "list"],
    ["run", "--games", 5, *RANDOM],
    pytest.param(["experiment", "show", "ghost_ship"], marks=pytest.mark.slow),
    pytest.param(["run", "--games", 5, "--format", "json", *RANDOM], marks=pytest.mark.slow),
    pytest.param(["replay", "--game", 1, *RANDOM], marks=pytest.mark.slow),
]


def errors_into(output, words):
    """Exit code and standard error of a command that writes its output to this file."""
    command = [sys.executable, "-m", "jamaica_sim", *map(str, words)]
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, timeout=300)
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", TALKATIVE, ids=lambda words: " ".join(map(str, words)))
def test_output_into_a_full_device_ends_in_one_sentence(words):
    with open("/dev/full", "w") as full:
        assert errors_into(full, words) == (1, "Error: The output cannot be written: No space left on device.\n")


@pytest.mark.parametrize("words", TALKATIVE, ids=lambda words: " ".join(map(str, words)))
def test_output_into_a_closed_pipe_ends_quietly(words):
    """As in `jamaica-sim ... | head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as closed:
        assert errors_into(closed, words)[1] == ""


def test_what_the_system_refuses_names_the_file(monkeypatch, tmp_path):
    monkeypatch.setattr("jamaica_sim.study.simulate.run_games", lambda *_, **__: open(tmp_path / "nowhere" / "x"))
    result = type_in("run", "--games", 5, *RANDOM)
    assert result.exit_code == 1
    assert result.stderr == f"Error: {tmp_path}/nowhere/x: No such file or directory.\n"


# Help


def every_command(command=main, path=()):
    """The words that call each command."""
    found = [path]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found += every_command(command.get_command(context, name), (*path, name))
    return found


@pytest.mark.parametrize("path", [(), ("run",), ("strategies", "check")])
def test_help_imports_nothing_large(path):
    code = "import sys; from jamaica_sim.cli import main; main(sys.argv[1:], standalone_mode=False)"
    code += "; sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, *path, "--help"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_warm_run_loads_nothing_that_takes_long():
    """Once everything is compiled, packages that a plain run does not use would take half of a start's time."""
    slow = {"numba", "scipy", "pandas", "matplotlib", "pyarrow"}
    code = "import sys; from jamaica_sim.cli import main; main(['run', '--games', '20'], standalone_mode=False)"
    code += f"; sys.exit(repr({slow} & set(sys.modules)) if {slow} & set(sys.modules) else 0)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("path", every_command(), ids=lambda path: " ".join(path) or "jamaica-sim")
def test_help_has_an_example(path):
    text = output_of(*path, "--help")
    example = " ".join(text.partition("Example: ")[2].split())
    assert " ".join(("jamaica-sim", *path)) in example
    assert text.startswith("Usage:")


@pytest.mark.parametrize("path", every_command(), ids=lambda path: " ".join(path) or "jamaica-sim")
def test_help_breaks_no_word_and_fits_a_narrow_terminal(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = output_of(*path, "--help").splitlines()
    assert max(map(len, lines)) <= 80 and not any(line.endswith("-") for line in lines)
    assert not re.search(
        r"\b(options|show|click)\.[a-z]", " ".join(lines)
    )  # a name of ours that a search has put there


def test_the_reference_tells_of_every_command():
    """Its options are made from the help texts when the site is built."""
    reference = (Path(__file__).parent.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [word for word in main.list_commands(None) if f"`{word}`" not in reference] == []
    assert ".. click:: jamaica_sim.cli:main" in reference


def test_a_bug_ends_in_one_sentence_with_its_trace_in_a_file(monkeypatch, tmp_path):
    """Whatever is not a `UserError` is ours: exit code 3, not 2, and the trace is kept to be reported."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(*arguments, **options):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("jamaica_sim.cli.rules._print_rows", broken)
    ended = CliRunner().invoke(main, ["rules", "list"])
    (trace,) = (tmp_path / "jamaica-sim" / "traces").iterdir()
    assert ended.exit_code == 3
    assert ended.output == (
        "Error: This is a bug in jamaica-sim, not a mistake of yours (ValueError: operands could not be broadcast "
        f"together). Please report it with the trace in {trace}.\n"
    )
    assert "in broken" in trace.read_text()
    shown = CliRunner().invoke(main, ["--traceback", "rules", "list"])
    assert isinstance(shown.exception, ValueError)


@pytest.mark.parametrize("words", [["strategies"], ["experiment"], ["rules"]], ids=" ".join)
def test_lists_are_printed_in_every_form(words):
    records = json.loads(output_of(*words, "list", "--format", "json"))
    lines = output_of(*words, "list", "--format", "csv").splitlines()
    assert lines[0].split(",") == list(records[0]) and len(lines) >= 1 + len(records) > 10


def test_quiet_prints_results_and_nothing_else():
    told = CliRunner().invoke(main, ["run", "--games", "50", "--quiet"])
    assert told.exit_code == 0 and told.stderr == "" and "Who wins" in told.stdout


@pytest.mark.parametrize("path", every_command(), ids=lambda path: " ".join(path) or "jamaica-sim")
def test_every_command_that_plays_many_games_can_be_quiet(path):
    text = output_of(*path, "--help")
    assert "--quiet" in text or "--threads" not in text
