"""Nine thousand random manifests, TOML files, .npy headers and command lines: each ends in a result or a sentence.

No traceback, no hang, and not more than a gigabyte.
"""

import copy
import json
import os
import resource
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jamaica_sim.cli import main
from jamaica_sim.experiment.file import experiment_from_text
from jamaica_sim.experiment.folder import EXPERIMENT
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.run.folder import load_results, written_parts
from jamaica_sim.run.simulate import run_games
from jamaica_sim.store.atomic_files import load_array, npy_bytes
from jamaica_sim.store.manifest import RUN, manifest_bytes, read_manifest, table_of
from jamaica_sim.strategy.library import LOOKERS
from jamaica_sim.tally.layout import TALLY_DTYPE

pytestmark = pytest.mark.slow
MEMORY = 2**30  # bytes more than before

odd = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["../x", "/dev/zero", "\x1b[2J", "tally.npy", "code", "data", "x.py", "\ud800", "9" * 5000])
)
values = st.recursive(
    odd, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=8), v, max_size=3), max_leaves=6
)
LUCK = st.randoms(use_true_random=True)  # one draw for a whole example: many draws take longer than the test itself


def fuzz(examples):
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=10_000, suppress_health_check=checks, database=None)


@pytest.fixture(autouse=True)
def little_memory():
    """The largest size of the process grows by less than a gigabyte."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MEMORY


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a small run with rows."""
    out = tmp_path_factory.mktemp("fuzz") / "run"
    run_games(seat_table(strategies=["random"], players=3), 50, out=out, per_game=True)
    return out


def places(data, path=()):
    """The path to every value in nested data."""
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


def put(data, path, value):
    """The data with another value at a path."""
    if not path:
        return value
    data = copy.copy(data)
    data[path[0]] = put(data[path[0]], path[1:], value)
    return data


@fuzz(1000)
@given(data=st.data())
def test_manifests(data, played):
    """Any value anywhere in a manifest, with correct hashes where the program can write them."""
    original = json.loads((played / "manifest.json").read_text())
    manifest = original
    for _ in range(data.draw(st.integers(1, 3))):
        manifest = put(manifest, data.draw(st.sampled_from(list(places(manifest)))), data.draw(values))
    other = played.parent / "other"
    other.mkdir(exist_ok=True)
    for name in ("tally.npy", "tables.json"):
        if not (other / name).exists():
            os.link(played / name, other / name)
    try:
        content = manifest_bytes(manifest)
    except Exception:  # the program itself could not write it
        content = json.dumps(manifest).encode()
    (other / "manifest.json").write_bytes(content)
    for kind in (RUN, EXPERIMENT):
        try:
            read = read_manifest(other, kind)
            table_of(read["configuration"])
            written_parts(read)
            load_results(other).result_tables()
        except (ValueError, OSError) as error:
            assert str(error) and "\n" not in str(error)


KEYS = "title games seed chapters compare rules tables line_ups pairs players edition holds action_die name weights"
MARKS = """= [ ] { } , 'random' "all" 2020-01-01 1e999 -1 3 4 true nan [rules] [[tables]] [weights] foresight . #"""
WORDS = [*KEYS.split(), *MARKS.split(), "\n", "\n"]


def some_words(luck):
    return " ".join(luck.choices(WORDS, k=luck.randint(0, luck.choice([5, 15, 40]))))


@fuzz(3000)
@given(text=LUCK.map(some_words) | st.text(max_size=60))
def test_toml(text):
    try:
        experiment_from_text(text, Path("x.toml"))
    except ValueError as error:
        assert str(error)
    try:
        LOOKERS[".toml"](text, Path("x.toml"))
    except ValueError as error:
        assert str(error)


WHOLE = [npy_bytes(np.zeros(1, dtype)) for dtype in (np.dtype("i8"), TALLY_DTYPE)]
SHAPES = [-5, -1, 0, 1, 2, 255, 2**31, 2**63, 10**18, None, "", "1", "\0", "ä", "(1,)", "\U0001f3f4"]


def damaged(luck):
    """Bytes changed or cut off anywhere, and made-up headers."""
    content = bytearray(luck.choice(WHOLE))
    for _ in range(luck.randint(1, 4)):
        content[luck.randint(0, min(len(content) - 1, 400))] = luck.choice([0, 255, luck.randint(0, 255)])
    if luck.random() < 0.5:
        shape = luck.choice([*SHAPES, luck.randint(-5, 10 ** luck.randint(1, 18))])
        kind = luck.choice(["<i8", "|O", "<U9999"])
        header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': ({shape!r},)}}"
        content = b"\x93NUMPY\x01\x00" + len(header.encode()).to_bytes(2, "little") + header.encode()
    return bytes(content)[: luck.choice([len(content), luck.randint(0, len(content))])]


@fuzz(4000)
@given(content=LUCK.map(damaged))
def test_headers(content):
    for dtype in ("i8", TALLY_DTYPE):
        array = load_array(content, dtype)
        assert array is None or array.dtype == dtype


COMMANDS = "run resume merge compare experiment report board replay strategies games rules show list check new"
OPTIONS = """--games --players -p -s --strategy --rule -r --seed --out --threads --format --chapter --heat --from --game
--trust --help --version --edition --ghost --no-ghost"""
GIVEN = "0 1 3 -1 99999999999999999999 nan balanced random x.toml /dev/null . .. json csv landings hand_size=4 a=b ="
ANYTHING = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
ARGUMENTS = st.sampled_from([*COMMANDS.split(), *OPTIONS.split(), *GIVEN.split()]) | ANYTHING


@fuzz(1000)
@given(words=st.lists(ARGUMENTS, max_size=7))
def test_command_lines(words, tmp_path_factory, monkeypatch):
    """Everything up to the first game is run: from there on nothing depends on what was typed."""

    def enough(*_, **__):
        raise ValueError("enough")

    for name in ("run.play.warm_up", "comparison.play.warm_up", "replays.replay.replay_table", "play.check.check"):
        monkeypatch.setattr(f"jamaica_sim.{name}", enough)
    monkeypatch.setattr("jamaica_sim.cli.report._report_all", enough)
    home = tmp_path_factory.getbasetemp() / "typed"
    home.mkdir(exist_ok=True)
    monkeypatch.chdir(home)
    result = CliRunner().invoke(main, words)
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    assert result.exit_code in (0, 1, 2) and "\x1b" not in result.output
