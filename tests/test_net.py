"""Strategies with a net: files that are checked before they are believed, folders that keep the net, and its play."""

import base64
import hashlib
import io
import signal
import zipfile
from pathlib import Path

import numpy as np
import pytest

from jamaica_sim.cli import main
from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import every_rules, problems_at
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.strategy.library import load_strategy, shipped_folder, strategy_from_identity
from jamaica_sim.strategy.net.forward import ARRAYS, FIRST
from jamaica_sim.strategy.net.layout import LAYOUT_HASH, LEARNED, ROWS
from jamaica_sim.strategy.net.net_file import LARGEST_NET, read_net, write_net
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.simulate import Stopped, resume_run, run_games

TOML = 'name = "mine"\n[net]\nfile = "mine.npz"\n[weights]\nfood = 12.0\n'


def some_arrays(seed=1):
    random = np.random.default_rng(seed)
    return {name: random.normal(0, 0.2, shape) for name, shape in ARRAYS.items()}


def written(folder: Path, content: bytes, text=TOML) -> Path:
    (folder / "mine.npz").write_bytes(content)
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder / "mine.toml"


def npz(**changes):
    """A file with a net in which some arrays are other arrays or bytes, or are left out (None)."""
    arrays = {"layout": np.array(int(LAYOUT_HASH, 16), "<u8")}
    arrays |= {name: array.astype("<f2") for name, array in some_arrays().items()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in (arrays | changes).items():
            member = io.BytesIO()
            if isinstance(array, bytes):
                member.write(array)
            elif array is not None:
                np.save(member, array, allow_pickle=True)
            if array is not None:
                archive.writestr(f"{name}.npy", member.getvalue())
    return content.getvalue()


def header(shape, kind="<f2", length=118):
    """The beginning of an array's file, with nothing after it."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(length - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def with_flag(content, flag):
    """A zip file whose members all claim a flag."""
    changed = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + place] |= flag
            at = changed.find(mark, at + 4)
    return bytes(changed)


HOSTILE = {
    "empty": (b"", "is not an .npz file"),
    "no zip file": (b"PK" + b"x" * 5000, "is not an .npz file"),
    "cut off": (npz()[:3000], "is not an .npz file"),
    "too long": (b"x" * (LARGEST_NET + 1), "cannot be read: it has 524,289 bytes or more"),
    "an array is missing": (npz(bias=None), "must have the arrays layout, rows, second, bias, last"),
    "an array too many": (npz(more=np.zeros(3)), "and nothing else"),
    "wrong shape": (npz(bias=np.zeros(33, "<f2")), r"'bias' must be float16 of shape \(32,\), not float16 of shape"),
    "wrong kind": (npz(bias=np.zeros(32)), "not float64"),
    "objects": (npz(bias=np.array([print] * 32, object)), "not object"),
    "Fortran's order": (npz(rows=np.asfortranarray(np.zeros((ROWS, FIRST), "<f2"))), "'rows' must be float16"),
    "a shape beyond all memory": (npz(rows=header((10**15, FIRST))), r"shape \(1000000000000000, 128\)"),
    "a shape and no numbers": (npz(rows=header((ROWS, FIRST))), "has 0 bytes"),
    "a bomb": (npz(rows=header((ROWS, FIRST)) + bytes(50 * 2**20)), "has at most 524,288"),
    "a header without an end": (npz(rows=header((ROWS, FIRST), length=60_000)), "is not an .npz file"),
    "no header": (npz(rows=b"hello"), "is not an .npz file"),
    "code in a header": (npz(rows=header("print(1)")), "is not an .npz file"),
    "not a number": (npz(last=np.full(32, np.nan, "<f2")), "'last' has numbers that are not finite"),
    "infinity": (npz(last=np.full(32, np.inf, "<f2")), "'last' has numbers that are not finite"),
    "huge numbers": (npz(last=np.full(32, 60_000, "<f2")), "not between ±1000"),
    "another layout": (
        npz(layout=np.array(5, "<u8")),
        "trained by another version, for other facts: train it again",
    ),
    "encrypted": (with_flag(npz(), 1), "is not an .npz file"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_in_one_sentence(what, tmp_path):
    content, problem = HOSTILE[what]
    with pytest.raises(StrategyError, match=problem) as error:
        load_strategy(written(tmp_path, content))
    assert str(error.value).startswith(f"{tmp_path / 'mine.toml'}, line 2: ") and "\n" not in str(error.value)


def test_a_deflated_bomb_is_refused(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("layout", *ARRAYS):
            archive.writestr(f"{name}.npy", header((ROWS, FIRST)) + bytes(20 * 2**20))
    with pytest.raises(StrategyError, match="must be|has .* bytes"):
        load_strategy(written(tmp_path, content.getvalue()))


def test_arbitrary_bytes_in_a_good_file_never_crash(tmp_path):
    random, good = np.random.default_rng(7), np.frombuffer(npz(), np.uint8)
    for _ in range(200):
        changed = good.copy()
        ends = np.concatenate([np.arange(400), good.size - 1 - np.arange(600)])  # headers, and the list of members
        changed[random.choice(ends, 3)] = random.integers(0, 256, 3)
        try:
            load_strategy(written(tmp_path, changed.tobytes()))
        except StrategyError:
            pass


@pytest.mark.parametrize(
    ("net", "problem"),
    [
        ("net = 5", "net must be a table"),
        ("[net]", "net must be a table with one line"),
        ('[net]\nfile = "a.npz"\nlayers = 3', "net must be a table with one line"),
        ("[net]\nfile = 3", "file must be the name of an .npz file in the same folder, not 3"),
        ('[net]\nfile = "../mine.npz"', "must lie beside it or below"),
        ('[net]\nfile = "/mine.npz"', "must lie beside it or below"),
        ('[net]\nfile = "mine.toml"', "file must be the name of an .npz file"),
        ('[net]\nfile = "other.npz"', "other.npz cannot be read: No such file or directory"),
    ],
)
def test_a_slip_in_the_table_is_refused(net, problem, tmp_path):
    with pytest.raises(StrategyError, match=problem):
        load_strategy(written(tmp_path, npz(), net))


def test_the_file_must_be_an_ordinary_one(tmp_path):
    path = written(tmp_path, npz())
    (tmp_path / "mine.npz").unlink()
    (tmp_path / "mine.npz").mkdir()
    with pytest.raises(StrategyError, match="mine.npz cannot be read"):
        load_strategy(path)


def test_what_is_written_is_read_again():
    content = write_net(some_arrays())
    net = read_net(content, "mine.npz", pytest.fail)
    assert content == write_net(net.arrays) and set(net.arrays) == set(ARRAYS)
    for name, array in some_arrays().items():
        assert np.abs(net.arrays[name] - array).max() < 1e-3


def test_an_identity_has_the_net(tmp_path):
    strategy = load_strategy(written(tmp_path, npz()))
    assert strategy.kind == "net" and len(strategy.functions) == len(LEARNED)
    identity = strategy.identity()
    (tmp_path / "mine.npz").unlink()
    assert strategy_from_identity(identity).digest == strategy.digest
    other = load_strategy(written(tmp_path, write_net(some_arrays(2))))
    assert other.text == strategy.text and other.digest != strategy.digest
    for net in (other.identity()["net"], "", "?", "AAAA"):
        with pytest.raises(StrategyError, match="changed|damaged|not an .npz file"):
            strategy_from_identity({**identity, "net": net})


def test_a_folder_is_resumed_without_the_file(tmp_path):
    def stop(done):
        signal.raise_signal(signal.SIGINT)

    path = written(tmp_path, npz())
    table = seat_table(players=3, strategies=[path, "balanced", "balanced"], seed=5)
    whole = run_games(table, 64)
    with pytest.raises(Stopped):
        run_games(table, 64, out=tmp_path / "part", chunk_size=8, progress=stop)
    (tmp_path / "mine.npz").unlink()
    path.unlink()
    assert resume_run(tmp_path / "part").tally.tobytes() == whole.tally.tobytes()


def test_a_folder_with_a_net_of_another_version_is_read_but_not_played(tmp_path):
    identity = load_strategy(written(tmp_path, npz())).identity()
    old = npz(layout=np.array(5, "<u8"), rows=np.zeros((16, 64), "<f2"))
    hashed = f"net\0mine\0{identity['text']}\0{hashlib.sha256(old).hexdigest()}"
    identity |= {"net": base64.b64encode(old).decode(), "sha256": hashlib.sha256(hashed.encode()).hexdigest()}
    strategy = strategy_from_identity(identity)
    assert strategy.name == "mine"
    with pytest.raises(UserError, match="trained by another version, for other facts: train it again"):
        strategy.addresses()


@pytest.mark.parametrize("rules", every_rules()[::5] + [Rules(players=3, hand_size=5, holds=3)], ids=str)
def test_any_net_plays_legally_and_does_not_peek(rules, tmp_path):
    assert problems_at(load_strategy(written(tmp_path, npz())), rules) == []


def test_master_is_shipped_with_its_net(runner):
    strategy = load_strategy("master")
    assert strategy.kind == "net" and (shipped_folder() / "master.npz").is_file()
    shown = runner.invoke(main, ["strategies", "show", "master"]).output
    assert "Decides by the net master.npz: place_dice, choose_card, choose_space, choose_loot" in shown


@pytest.fixture
def runner():
    from click.testing import CliRunner

    return CliRunner()


def test_master_is_much_stronger_than_champion():
    table = seat_table(Rules(players=4), ["master", "champion", "champion", "champion"], 77)
    rows = Worker(table).play(Chunk(0, 4000), True).rows
    assert (rows["winners"] & 1 != 0).mean() > 0.28  # even is 0.25; the standard error is 0.007


def test_errors_weaken_a_net(tmp_path):
    for file in ("master.toml", "master.npz"):
        (tmp_path / file).write_bytes((shipped_folder() / file).read_bytes())
    with (tmp_path / "master.toml").open("a", encoding="utf-8") as file:
        file.write("errors = 0.5\n")
    table = seat_table(Rules(players=3), [tmp_path / "master.toml", "balanced", "balanced"], 78)
    rows = Worker(table).play(Chunk(0, 1000), True).rows
    assert (rows["winners"] & 1 != 0).mean() < 0.2
