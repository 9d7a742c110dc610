"""The first hour at the command line: hints where a newcomer errs, numbers as people write them, bars, completion."""

import inspect
import io
import re

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from rich.console import Console

from jamaica_sim import (
    Rules,
    balance,
    find_games,
    load_rules,
    load_strategy,
    luck_shares,
    new_experiment,
    replay_chances,
    replay_story,
    report_on,
    run_experiment,
    sensitivity,
    simulate,
    sweep,
)
from jamaica_sim.cli import main, show
from jamaica_sim.cli.options import number_of_games
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate


@pytest.mark.parametrize(
    ("text", "games"),
    [("1e6", 1_000_000), ("10,000", 10_000), ("100k", 100_000), ("2M", 2_000_000), ("1.5k", 1500), ("1_000", 1000)],
)
def test_games_are_counted_as_people_write_them(text, games):
    assert number_of_games.convert(text, None, None) == games


@pytest.mark.parametrize("text", ["1.5", "1e", "k", "1,00", "1e99", "0", "-1", "1e6k", "½", ""])
def test_what_is_no_number_of_games_is_refused(text):
    with pytest.raises(click.UsageError, match="whole number from 1"):
        number_of_games.convert(text, None, None)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("run balanced racer", "Name strategies with -s, each"),
        ("run -s racer,balanced", "-s racer -s balanced"),
        ("run -s plain.txt", "ends in .toml (weights) or .py (code)"),
        ("compare -s champion", "named without -s"),
        ("run -s mine.toml", "stands below a line [weights]"),
        ("run -r players=9", "Error: players must be"),
        ("board pirates", "Name a folder with --from and what to show with --heat."),
        ("tune mine.toml", "such as --out mine.toml"),
        ("experiment run plain.txt", "Such a file ends in .toml."),
        ("strategies new mine.py", "leave its ending out"),
    ],
)
def test_a_dead_end_has_a_way_out(words, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("gold = 1.0\n")
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 2 and hint in done.output and done.output.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["strategies"], ["experiment"], ["rules"]])
def test_no_help_is_cut(words):
    assert "..." not in CliRunner().invoke(main, [*words, "--help"]).output.replace("[ARGS]...", "")


def table(rates):
    rows = [(name, Estimate(value, value - 0.02, value + 0.02, 100)) for name, value in rates.items()]
    return ResultTable("Who wins", ("strategy", "win rate"), rows, frozenset({"win rate"}))


def printed(monkeypatch, width, terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, no_color=True, **show.PLAINLY)
    monkeypatch.setattr(show, "output", lambda: console)
    show.print_tables([table({"balanced": 0.4, "racer": 0.2})], "The end.")
    return console.file.getvalue()


def test_a_terminal_shows_win_rates_as_bars_with_their_intervals(monkeypatch):
    lines = printed(monkeypatch, 100, True).splitlines()
    bars = {line.split()[0]: line.count("█") + line.count("▒") for line in lines if "█" in line}
    assert bars["balanced"] == show.BAR_WIDTH and 0.4 < bars["racer"] / bars["balanced"] < 0.6
    assert all("▒" in line for line in lines if "█" in line)


def test_bars_find_room_in_a_narrow_terminal(monkeypatch):
    assert all(len(line) <= 60 for line in printed(monkeypatch, 40, True).splitlines())


def test_what_is_piped_stays_plain(monkeypatch):
    assert not set("█▒") & set(printed(monkeypatch, 120, False))


def test_every_strip_of_a_wide_table_names_its_rows(monkeypatch):
    figure = Estimate(1.0, 0.9, 1.1, 100)
    rows = [(*key, figure, 0.25, figure) for key in (("3", "2"), ("3", "4"), ("5", "2"))]
    wide = ResultTable(
        "Values", ("hand_size", "holds", "rounds", "share", "battles"), rows, frozenset({"share"}), keys=2
    )
    console = Console(file=io.StringIO(), width=40, no_color=True, **show.PLAINLY)
    monkeypatch.setattr(show, "output", lambda: console)
    show.print_tables([wide], "The end.")
    text = console.file.getvalue()
    assert text.count("hand_size  holds") == text.count("3              4") > 1
    assert "25.0%" in text and "0.25" not in text


@pytest.mark.parametrize("width", [60, 120])
def test_the_line_of_a_setting_fits_a_terminal(width, monkeypatch):
    console = Console(file=io.StringIO(), force_terminal=True, width=width, no_color=True, **show.PLAINLY)
    monkeypatch.setattr(show, "errors", lambda: console)
    with show.watch_settings(5, 500_000)("2 players and ghost", 0) as progress:
        progress(500_000)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue()).splitlines()[-1]
    assert "2 players and ghost: 500,000 games in" in last
    assert len(last) <= width and ("a second" in last) == (width > 60)


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        (["run", "-s"], "cham", "champion"),
        (["compare"], "rac", "racer"),
        (["run", "-r"], "hand", "hand_size="),
        (["experiment", "run"], "gho", "ghost_ship"),
        (["sweep"], "hand", "hand_size="),
        (["sweep"], "act", "action_dice"),
        (["balance"], "fair", "fair_seats"),
        (["tune", "--against"], "vet", "veteran"),
        (["rules", "diff"], "20", "2021"),
        (["run", "-e"], "", "2007"),
        (["strategies", "show"], "cor", "corsair"),
        ([], "comp", "compare"),
    ],
)
def test_the_shell_completes_names(words, begun, offered):
    found = ShellComplete(main, {}, "jamaica-sim", "_JAMAICA_SIM_COMPLETE").get_completions(words, begun)
    assert offered in [item.value for item in found]


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda: simulate(10, strategy="balanced"), "there is no argument 'strategy': did you mean 'strategies'?"),
        (lambda: simulate(game=10), "there is no argument 'game': did you mean 'games'?"),
        (lambda: luck_shares(games=10), "there is no argument 'games' here."),
        (lambda: replay_chances(3, 2.5, strategies="random"), "a whole number of games must be played on, at least 2"),
        (lambda: simulate(10, player=3), "there is no rule 'player': did you mean 'players'?"),
        (lambda: simulate(10, rules={"hand_size": 4}), "rules must be a Rules object, such as Rules"),
        (lambda: sweep(["hand_size"]), 'a dictionary, such as {"hand_size": "2..6"}'),
        (lambda: sweep("hand_sise=3..4"), "did you mean 'hand_size'?"),
        (
            lambda: sweep("hand_size=3..4", 20, strategies="random").value("rounds", 4),
            "such as {'hand_size': 4}, not 4",
        ),
        (lambda: new_experiment("mine", rules={"hand_size": 4}), "rules must be a Rules object, such as"),
        (lambda: balance("fair_seat"), "did you mean 'fair_seats'?"),
        (lambda: sensitivity("hand_size"), "are a dictionary"),
        (lambda: Rules(hand_sise=4), "there is no rule 'hand_sise': did you mean 'hand_size'?"),
        (lambda: Rules("2021"), "every rule is named"),
        (lambda: Rules().but(space_6_cost=3), "did you mean 'space.6.cost'?"),
        (lambda: simulate(10, strategies=[None]), "a dictionary of weights or a function, not None"),
        (lambda: simulate(10, strategies=5), "a dictionary of weights or a function, not 5"),
        (lambda: load_strategy({"weights": {"gold": 1}}), "the weights themselves, such as {'gold': 1}"),
        (lambda: run_experiment("ghost_shp", "out"), "did you mean 'ghost_ship'?"),
    ],
)
def test_a_slip_in_python_is_answered_in_our_words(call, answer):
    with pytest.raises(ValueError, match=re.escape(answer)):
        call()


def test_rules_of_components_can_be_given_at_once():
    assert Rules(players=3, **{"space.6.cost": 3}) == Rules(players=3).but(**{"space.6.cost": 3})
    assert "hand_size: 'int' = 3" in str(inspect.signature(Rules)) or "hand_size: int = 3" in str(
        inspect.signature(Rules)
    )


def test_what_is_no_folder_and_no_trace_is_said():
    results = simulate(10, strategies="random")
    for call in (lambda: report_on(results), lambda: find_games(results)):
        with pytest.raises(TypeError, match=r"folder, such as simulate\(.* Results"):
            call()
    with pytest.raises(TypeError, match=r"such as replay_story\(replay\(42\)\)"):
        replay_story(42)


FILES = {
    "weights.toml": "[weights]\ngold = 1.0\n",
    "asked.toml": 'compare = "hand_size"\n[rules]\nhand_size = [3, 4]\n',
    "ours.toml": "hand_size = 4\n",
    "several.toml": "hand_size = [3, 4]\n",
    "space.toml": "[space]\n6 = 3\n",
    "margin.toml": "hand_size = [3, 4]\ngames = 10\n",
    "named.toml": 'strategies = ["balanced"]\n',
    "same.toml": 'compare = "variant"\n[[tables]]\nname = "a"\n[[tables]]\nname = "b"\n',
}


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("run --rules weights.toml", "it is a strategy: type `jamaica-sim run -s weights.toml`"),
        ("run --rules asked.toml", "it is an experiment: type `jamaica-sim experiment run asked.toml`"),
        ("run -s asked.toml", "it is an experiment: type `jamaica-sim experiment run asked.toml`"),
        ("run -s ours.toml", "it is a file of rules: type `jamaica-sim run --rules ours.toml`"),
        ("experiment run weights.toml", "it is a strategy: type `jamaica-sim run -s weights.toml`"),
        ("run --rules several.toml", "Error: several.toml: hand_size must be a whole number from 1 to 8, not 3, 4."),
        ("run --rules space.toml", "name space.6.cost or space.6.score or space.6.kind"),
        ("run --rules 2021", "the editions, 2007 and 2021, are given by --edition"),
        ("experiment run margin.toml", "the rule 'hand_size' stands below a line [rules]"),
        ("experiment run named.toml", "did you mean 'line_ups'?"),
        ("experiment run same.toml", "the variants a and b have the same rules, so there is nothing to compare.\n"),
        ("experiment run asked", "but there is a file: name it with its ending, asked.toml."),
        ("sweep weights.toml", "it is a strategy: type `jamaica-sim run -s weights.toml`"),
        ("replay 42", "such as --game 42"),
        ("games", "Name the folder that"),
    ],
)
def test_a_file_in_the_wrong_place_is_told_what_it_is(words, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 2 and hint in done.output and done.output.count("\n") == 1


@pytest.mark.parametrize("ending", [".toml", ".py"])
def test_a_file_may_begin_with_the_mark_of_some_editors(ending, tmp_path):
    text = {".toml": "[weights]\r\ngold = 1.2\r\n", ".py": "def choose_card(view, rules, weights):\r\n    return 3\r\n"}
    path = tmp_path / f"marked{ending}"
    path.write_bytes(b"\xef\xbb\xbf" + text[ending].encode())
    assert load_strategy(path).name == "marked"
    (tmp_path / "rules.toml").write_bytes(b"\xef\xbb\xbfhand_size = 4")
    assert load_rules(tmp_path / "rules.toml").hand_size == 4


def test_a_sweep_is_named_as_at_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = sweep("hand_size=3..4", games=40, strategies="random")
    assert [table.rules.hand_size for table in found.plan.tables] == [3, 4]
    (tmp_path / "mine.toml").write_text('games = 30\nline_ups = ["random"]\n[rules]\nhand_size = "3..5"\n')
    assert sweep("mine.toml").difference("rounds", {"hand_size": 5}).n == 30
    with pytest.raises(ValueError, match="has its own rules"):
        sweep("mine.toml", players=3)


def test_a_file_named_without_its_ending(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    done = CliRunner().invoke(main, ["run", "-s", "mine"])
    assert done.exit_code == 2 and "name it with its ending, mine.py." in done.output
