"""The benchmark command: how figures are made, kept and compared, and what it refuses. Nothing is measured here."""

import json
import math
import re
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner

import speed
from measuring import phases
from measuring.figures import NANOSECONDS, RATIO, SECONDS, SPEED, Figure, change, changes, ratio
from measuring.record import RecordFault, read_record, write_record
from measuring.timing import Spent, in_turns


def figure(median, spread=0.01, unit=RATIO, key="code", target=None, more_is_better=True):
    """A figure whose quartiles lie `spread` of it from its median."""
    samples = tuple(median * (1 + spread * step) for step in (-2, -1, 0, 1, 2))
    return Figure(key, f"what {key} is", unit, samples, target, more_is_better, 0.1, 0.2)


def run(*words):
    return CliRunner().invoke(speed.main, list(map(str, words)))


# Figures


def test_median_and_spread_do_not_follow_an_outlier():
    found = Figure("code", "code", RATIO, (1.0, 0.9, 1.1, 50.0, 1.0))
    assert found.median == 1.0 and found.spread == pytest.approx(0.05)


def test_a_ratio_is_made_pair_by_pair():
    """A machine that is slower for a while is slower for both."""
    ours, theirs = [Spent(2, 9), Spent(20, 9), Spent(2, 9)], [Spent(1, 9), Spent(10, 9), Spent(1.2, 9)]
    found = ratio("code", "code", 0.4, ours, theirs)
    assert found.samples == (0.5, 0.5, 0.6)
    assert (found.cpu, found.wall, found.met) == (2, 9, True)


@pytest.mark.parametrize(
    ("target", "more_is_better", "met"),
    [
        (0.8, True, True),
        (1.0, True, True),
        (1.1, True, False),
        (1.1, False, True),
        (0.9, False, False),
        (None, True, None),
    ],
)
def test_whether_an_aim_is_met(target, more_is_better, met):
    assert figure(1.0, target=target, more_is_better=more_is_better).met is met


def test_turns_go_forwards_and_backwards():
    order = []
    found = in_turns(3, lambda: order.append("a") or 1, lambda: order.append("b") or 2)
    assert order == ["a", "b", "b", "a", "a", "b"] and found == [[1, 1, 1], [2, 2, 2]]


# Comparing


@pytest.mark.parametrize(
    ("then", "now", "worse"),
    [
        (figure(1.0), figure(0.8), 0.25),  # of a ratio: a quarter more time
        (figure(1000, unit=SPEED), figure(1250, unit=SPEED), -0.2),
        (figure(10, unit=SECONDS, more_is_better=False), figure(15, unit=SECONDS, more_is_better=False), 0.5),
        (figure(10, unit=NANOSECONDS, more_is_better=False), figure(5, unit=NANOSECONDS, more_is_better=False), -0.5),
    ],
)
def test_a_change_is_in_time(then, now, worse):
    found = change(then, now)
    assert found.worse == pytest.approx(worse)
    assert found.is_regression is (worse > 0)


def test_noise_grows_with_both_spreads_shrinks_with_more_measurements_and_is_never_nothing():
    noise = 5 * 1.25 * 0.05 * math.sqrt(2.5) / math.sqrt(5)  # of 3% and 4% together, five measurements each
    assert change(figure(1.0, 0.03), figure(0.9, 0.04)).noise == pytest.approx(noise)
    assert not change(figure(1.0, 0.03), figure(0.9, 0.04)).is_regression
    then, now = (replace(old, samples=4 * old.samples) for old in (figure(1.0, 0.03), figure(0.9, 0.04)))
    assert change(then, now).noise == pytest.approx(5 * 1.86 * 0.05 / math.sqrt(20))
    assert change(then, now).is_regression
    assert change(figure(1.0, 0.0), figure(0.96, 0.0)).noise == 0.05
    assert not change(figure(1.0, 0.0), figure(0.96, 0.0)).is_regression
    assert change(figure(1.0, 0.0), figure(0.94, 0.0)).is_regression


def test_noise_is_not_less_than_outliers_and_counting_make_it():
    lucky = replace(figure(1.0), samples=(1.0, 1.0, 1.0, 1.0, 2.0))
    assert lucky.spread == 0 and lucky.comparable[1] == pytest.approx(1.25 * math.sqrt(0.2) / math.sqrt(5))
    assert replace(figure(1.0), counting_error=0.2).comparable == (1.0, 0.2)


def test_a_slower_machine_is_no_regression():
    """The steady figures are compared, which do not depend on how fast the machine was."""
    then, now = figure(1000, unit=SPEED), figure(500, unit=SPEED)
    assert change(then, now).is_regression
    then, now = replace(then, steady=(20.0, 21.0, 20.0)), replace(now, steady=(20.0, 20.0, 19.0))
    assert change(then, now).worse == pytest.approx(0)


def test_only_what_was_measured_in_the_same_way_is_compared():
    other_way = Figure("cost", "up to 10^8 games", RATIO, (1.0,))
    then = [figure(1.0), figure(1.0, key="gone"), other_way]
    now = [figure(1.0), figure(1.0, key="new"), figure(1.0, key="cost")]
    assert [found.key for found in changes(then, now)] == ["code"]


# Records


def test_a_record_is_read_as_it_was_written(tmp_path):
    sabre = replace(figure(17.0, unit=NANOSECONDS, key="decisions.use_sabre"), steady=(5.0, 5.1))
    figures = [figure(1.0, target=0.8), sabre]
    write_record(tmp_path / "record.json", {"processor": "one"}, True, figures)
    assert read_record(tmp_path / "record.json") == ({"processor": "one"}, figures)
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def damaged_records(tmp_path):
    path = tmp_path / "record.json"
    write_record(path, {"processor": "one"}, True, [figure(1.0)])
    whole = path.read_text()
    yield "cut off", whole[:-40]
    yield "no record", "[1, 2]"
    yield "another version", whole.replace('"format": 1', '"format": 99')
    yield "a figure without samples", json.dumps({**json.loads(whole), "figures": [{"key": "code"}]})
    for samples in ([], [0], ["fast"], 3, [float("nan")]):
        facts = json.loads(whole)
        facts["figures"][0]["samples"] = samples
        yield f"samples {samples}", json.dumps(facts)
    yield "no figures", json.dumps({**json.loads(whole), "figures": None})


def test_a_damaged_record_is_refused_in_one_sentence(tmp_path):
    for what, text in damaged_records(tmp_path):
        path = tmp_path / "damaged.json"
        path.write_text(text)
        with pytest.raises(RecordFault) as refused:
            read_record(path)
        assert str(refused.value).startswith(str(path)) and "\n" not in str(refused.value), what
        answer = run("--against", path, "help")
        assert answer.exit_code == 2 and "damaged.json" in answer.output, what
    with pytest.raises(RecordFault, match="cannot be read: No such file"):
        read_record(tmp_path / "none.json")


# The command


@pytest.fixture
def pretended(monkeypatch, tmp_path):
    """The command with figures that are set instead of measured, and no records kept."""
    found = {}
    monkeypatch.setattr(speed, "RECORDS", tmp_path / "records")
    row = speed.Row(lambda plan: found["figures"])
    monkeypatch.setattr(speed, "ROWS", {"code": row, "random-4": speed.Row(lambda plan: [], True)})
    return found


def test_help_names_every_row():
    answer = run("--help")
    assert answer.exit_code == 0
    assert all(name in answer.output.split("--yardstick")[0] for name in speed.ROWS)


def test_the_table(pretended):
    pretended["figures"] = [
        figure(0.9, target=0.85),
        figure(30.0, unit=SECONDS, key="cold-start", target=25, more_is_better=False),
        figure(123_456, unit=SPEED, key="tables.2007-4"),
    ]
    lines = run("code").stdout.splitlines()
    assert "processor" in lines[0] and "load average" in lines[0]
    assert (
        next(line.split() for line in lines if "what code is" in line)[3:]
        == "at least 0.85 0.90 ± 0.01 0.10 0.20 met".split()
    )
    assert next(line for line in lines if "cold-start" in line).split()[3:7] == "at most 25 s".split()
    assert next(line for line in lines if "cold-start" in line).endswith("NOT MET  ")
    assert next(line for line in lines if "tables.2007-4" in line).split()[3:] == ["123,456", "±", "1,235"]


def test_a_regression_is_pointed_at_and_ends_with_exit_code_1(pretended, tmp_path):
    record = tmp_path / "then.json"
    pretended["figures"] = [figure(1.0), figure(1000, unit=SPEED, key="tables.2007-4")]
    assert run("code", "--json", record).exit_code == 0
    assert run("code", "--against", record).exit_code == 0
    pretended["figures"] = [figure(0.8), figure(1000, unit=SPEED, key="tables.2007-4")]
    answer = run("code", "--against", record, "--json", tmp_path / "now.json")
    assert answer.exit_code == 1
    assert re.search(r"REGRESSION: what code is: slower by 25\.0%, noise 6\.\d%", answer.stdout)
    assert "2 figures compared with the earlier record, 1 of them slower beyond noise." in answer.stdout
    assert len(read_record(tmp_path / "now.json")[1]) == 2


def test_the_newest_record_that_is_kept_is_compared_with_unless_it_is_of_another_machine(pretended, tmp_path):
    records = tmp_path / "records"
    records.mkdir()
    for day, value in (("2026-01-01", 0.5), ("2026-02-01", 1.0)):
        pretended["figures"] = [figure(value)]
        assert run("code", "--json", records / f"{day}.json").exit_code in (0, 1)
    pretended["figures"] = [figure(0.8)]
    answer = run("code")
    assert answer.exit_code == 1 and "slower by 25.0%" in answer.stdout
    newest = records / "2026-02-01.json"
    facts = json.loads(newest.read_text())
    facts["machine"]["processor"] = "another"
    newest.write_text(json.dumps(facts))
    answer = run("code")
    assert answer.exit_code == 0 and "earlier record" not in answer.stdout
    assert "of another machine" in run("code", "--against", newest).stdout


def test_the_records_that_are_kept_can_be_read():
    assert speed.newest_record() is not None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["cod"], "there is no row 'cod': did you mean 'code'?"),
        (["code", "--yardstick", "nowhere"], "there is no yardstick nowhere."),
        ([], "the yardstick is missing for random-4: give --yardstick PATH, or name other rows."),
        (["--fast"], "No such option"),
        (["code", "--json", "nowhere/now.json"], "the folder of nowhere/now.json does not exist."),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(pretended, words, sentence):
    answer = run(*words)
    assert answer.exit_code == 2 and sentence in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1 and answer.stdout == ""


def test_a_yardstick_that_does_not_run_is_named(tmp_path):
    program = tmp_path / "yardstick"
    program.write_text(f"#!{sys.executable}\nprint('no JSON')\n")
    program.chmod(0o755)
    answer = run("random-4", "--quick", "--yardstick", program)
    assert answer.exit_code == 2 and f"the yardstick {program} does not run" in answer.stderr


def test_phases_are_marked_in_functions_that_the_engine_has():
    """Functions are found by name: whoever renames one must rename it there too."""
    assert phases.missing_functions() == []
