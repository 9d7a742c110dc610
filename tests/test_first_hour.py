"""The first hour at the command line: hints where a newcomer errs, numbers as people write them, bars, completion."""

import io

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from rich.console import Console

from jamaica_sim.cli import main, show
from jamaica_sim.cli.options import number_of_games
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate


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


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        (["run", "-s"], "cham", "champion"),
        (["compare"], "rac", "racer"),
        (["run", "-r"], "hand", "hand_size="),
        (["experiment", "run"], "gho", "ghost_ship"),
        (["strategies", "show"], "cor", "corsair"),
        ([], "comp", "compare"),
    ],
)
def test_the_shell_completes_names(words, begun, offered):
    found = ShellComplete(main, {}, "jamaica-sim", "_JAMAICA_SIM_COMPLETE").get_completions(words, begun)
    assert offered in [item.value for item in found]
