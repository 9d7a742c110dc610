"""Folders from strangers: nothing outside them is touched, whatever they say, and all ends in one sentence."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from command import type_in
from folders import edit_manifest

from jamaica_sim import simulate
from jamaica_sim.files.atomic_files import hash_of, json_bytes, npy_bytes
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import EXPERIMENT, FolderFault, configuration, read_manifest
from jamaica_sim.play.tally.layout import TALLY_DTYPE
from jamaica_sim.study import parts as run_parts
from jamaica_sim.study.folder import StudyFolder
from jamaica_sim.study.parts import decode, encode
from jamaica_sim.study.simulate import run_games

VALID = "0" * 64


def assert_refused(result, *hints):
    """It ended in one sentence with the hints, without a traceback."""
    assert result.exit_code in (1, 2), (result.exit_code, result.output, result.exception)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    for hint in hints:
        assert hint in result.stderr


@pytest.fixture
def run(tmp_path):
    """The folder of a run that has not played any game yet."""
    config = configuration(seat_table(strategies=["random"], players=3), 0, 1000, per_game=True)
    StudyFolder.create(tmp_path / "run", config).close()
    return tmp_path / "run"


@pytest.mark.parametrize(
    "name",
    [
        "../victim.txt",
        "games/../../victim.txt",
        "/dev/zero",
        "manifest.json",
        ".lock",
        "",
        "sums.npy\n",
        "rows-00000000000\u0663.npy",
        "games/part-00000000.parquet/../../../victim.txt",
    ],
)
def test_only_names_that_the_program_writes_are_names(name, run):
    victim = run.parent / "victim.txt"
    victim.write_text("mine")
    edit_manifest(run, lambda manifest: manifest["files"].update({name: VALID}))
    for command in (["resume", run], ["merge", run, run, "--out", run.parent / "all"], ["report", run]):
        assert_refused(type_in(*command), "files is missing or of the wrong kind")
    assert victim.read_text() == "mine" and not (run.parent / "all").exists()


def test_an_absolute_path_is_no_name(run):
    victim = run.parent / "victim.txt"
    victim.write_text("mine")
    edit_manifest(run, lambda manifest: manifest["files"].update({str(victim): hash_of(b"mine")}))
    assert_refused(type_in("resume", run), "files")
    assert victim.read_text() == "mine"


@pytest.mark.parametrize(
    "what, value",
    [
        ("games_done", 2**70),
        ("games_done", -1),
        ("games_done", 1001),
        ("seconds", float("nan")),
        ("seconds", float("inf")),
        ("seconds", -1),
        ("seconds", 10**400),
        ("version", "1\x1b[2J"),
        ("engine", "x" * 10_000),
        ("started", "x" * 10_000),
        ("ranges", []),
        ("ranges", [[0, 10**30]]),
        ("ranges", [[0, 0], [5, 0]]),
        ("ranges", [[7, 0]]),
        ("complete", 1),
        ("files", {"sums.npy": "../x"}),
        ("files", {"sums.npy": 5}),
        ("configuration.games", 10**13),
        ("configuration.games", 0),
        ("configuration.first_game", 2**63 - 1),
        ("configuration.strategies", []),
        ("configuration.strategies", [None] * 4),
        ("configuration.rules", []),
        ("configuration.rules", {"players": 10**9}),
        ("configuration.rules", {"edition": [[[]]]}),
        ("configuration.rules", {"nonsense": 1}),
        ("configuration.seed", 2**63),
    ],
)
def test_a_manifest_is_bounded_before_it_is_believed(what, value, run):
    *inside, name = what.split(".")

    def change(manifest):
        (manifest[inside[0]] if inside else manifest)[name] = value

    edit_manifest(run, change)
    assert_refused(type_in("resume", run))
    assert sorted(os.listdir(run)) == ["games", "manifest.json"]


@pytest.mark.parametrize(
    "identity",
    [
        {"file": "../x.toml"},
        {"file": "x.toml\x07"},
        {"file": "x.py"},  # data by its own word, but a name of code
        {"kind": "built in", "name": "balanced"},
        {"label": "x" * 10_000},
        {"text": "x" * (2**20 + 1)},
        {"name": "\ud800"},
    ],
)
def test_a_strategy_in_a_manifest_is_bounded_too(identity, run):
    plain = {"name": "a", "label": "a", "kind": "data", "file": "a.toml", "sha256": VALID, "text": ""} | identity

    def change(manifest):
        manifest["configuration"]["strategies"] = [plain] * 3

    try:
        edit_manifest(run, change)
    except UnicodeEncodeError:  # what the program itself could not write
        file = run / "manifest.json"
        file.write_text(file.read_text().replace('"random"', '"\\ud800"'))
    assert_refused(type_in("resume", run))


def test_a_manifest_that_is_no_file(run, tmp_path):
    for make in (
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: os.mkfifo(path),
        lambda path: path.mkdir(),
        lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2**40),  # a hole: no room on the disk
    ):
        other = tmp_path / f"other{len(os.listdir(tmp_path))}"
        other.mkdir()
        make(other / "manifest.json")
        for command in (["resume", other], ["report", other], ["board", "--heat", "landings", "--from", other]):
            assert_refused(type_in(*command), "manifest.json")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"schema": ' * 900 + "1" + "}" * 900, "1" * 10_000, '{"a": 1e999}', ""]
)
def test_a_manifest_that_is_hard_to_read(text, run):
    (run / "manifest.json").write_text(text)
    for command in ("resume", "report"):
        assert_refused(type_in(command, run))


def counted(run, name, content):
    """Write a file, and have the run's manifest count it as the file of the first game."""

    def change(manifest):
        manifest["files"] = {name: hash_of(content)}
        manifest["games_done"], manifest["ranges"] = 1, [[0, 1]]

    (run / name).write_bytes(content)
    edit_manifest(run, change)


HEADER = "{'descr': '<i8', 'fortran_order': False, 'shape': %s, }"


def npy(header):
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


@pytest.mark.parametrize(
    "content",
    [
        npy(HEADER % "(1000000000000,)"),
        npy(HEADER % "(-1,)"),
        npy(HEADER % "(True,)"),
        npy(HEADER % "(1.5,)"),
        npy(HEADER % "'x'"),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
        npy("{'descr': [('a', '<i8', (10**9,))], 'fortran_order': False, 'shape': (1,), }"),
        npy("(" * 5000),
        npy("{" * 900),
        b"\x93NUMPY\x03\x00\xff\xff\xff\xff",
        b"\x93NUMPY",
        b"PK\x03\x04",
        b"",
    ],
)
def test_a_damaged_header_under_a_valid_hash(content, run):
    counted(run, "sums-000000000001.npy", content)
    for command in ("resume", "report"):
        assert_refused(type_in(command, run))


def test_sums_that_are_a_pipe_or_a_link(run):
    tally = np.zeros(1, TALLY_DTYPE)
    tally["games"] = 1
    counted(run, "sums-000000000001.npy", npy_bytes(tally))
    file = run / "sums-000000000001.npy"
    file.rename(run.parent / "elsewhere")
    file.symlink_to(run.parent / "elsewhere")
    assert_refused(type_in("resume", run), "missing or damaged")
    file.unlink()
    os.mkfifo(file)
    assert_refused(type_in("resume", run), "missing or damaged")


def test_folders_that_are_links(run, tmp_path):
    """A run writes and removes files only in its own folder."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / ".report.html.123.tmp").write_text("mine")
    (precious / "sums-000000000009.npy").write_text("mine")
    (run / "games").rmdir()
    (run / "games").symlink_to(precious)
    (run / "more").symlink_to(precious)
    assert_refused(type_in("resume", run), "is a link")
    assert len(os.listdir(precious)) == 2


@pytest.mark.parametrize("link", ["choices", "events", "events/battle", "choices/part-00000000000000.partial"])
def test_events_that_are_links(link, tmp_path):
    """Tables of events are written into the folder itself, also where a stranger's folder has links."""
    folder, precious = tmp_path / "run", tmp_path / "precious"
    simulate(games=2, strategies=["random"], out=folder, events=True)
    (folder / "choices" / "part-00000000000000.parquet").unlink()
    is_file = link.endswith("partial")
    precious.write_text("mine") if is_file else precious.mkdir()
    if (folder / link).is_dir():
        shutil.rmtree(folder / link)
    (folder / link).symlink_to(precious)
    result = type_in("resume", folder)
    if is_file:
        assert result.exit_code == 0 and precious.read_text() == "mine"
    else:
        assert result.exit_code == 1 and "is a link" in result.stderr and not list(precious.iterdir())


def test_a_lock_that_is_a_link_or_a_pipe(run, tmp_path):
    (run / ".lock").symlink_to(tmp_path / "made")
    assert_refused(type_in("resume", run), "not an ordinary file")
    assert not (tmp_path / "made").exists()
    (run / ".lock").unlink()
    os.mkfifo(run / ".lock")
    assert_refused(type_in("resume", run), "not an ordinary file")


def test_few_files_for_many_games(run):
    """The parts of 10^12 games are not counted out one by one."""

    def change(manifest):
        manifest["configuration"]["games"] = manifest["games_done"] = 10**12
        manifest["ranges"], manifest["complete"] = [[0, 10**12]], True

    edit_manifest(run, change)
    for command in (["resume", run], ["merge", run, run, "--out", run.parent / "all"]):
        assert_refused(type_in(*command))


@pytest.fixture
def experiment(tmp_path):
    """The folder of an experiment that has not played any game yet."""
    from jamaica_sim.study.experiment.file import experiment_from_text
    from jamaica_sim.study.experiment.study import configuration as configured

    found = experiment_from_text('line_ups = ["random"]\n[rules]\nplayers = [3, 4]\n', tmp_path / "small.toml")
    StudyFolder.create(tmp_path / "small", configured(found, 100), EXPERIMENT).close()
    return tmp_path / "small"


def test_sums_that_are_a_link(experiment, tmp_path):
    """Sums are added to the end of their file: never to one that lies elsewhere."""
    (tmp_path / "precious").write_bytes(b"mine")
    (experiment / "sums.npy").symlink_to(tmp_path / "precious")
    assert type_in("resume", experiment).exit_code == 0
    assert (tmp_path / "precious").read_bytes() == b"mine" and not (experiment / "sums.npy").is_symlink()


@pytest.mark.parametrize("change", [{"name": "../x"}, {"chapters": ["nonsense"]}, {"chapters": [[]]}, {"settings": []}])
def test_the_rest_of_an_experiment(change, experiment):
    edit_manifest(experiment, lambda manifest: manifest["configuration"].update(change))
    assert_refused(type_in("resume", experiment), f"configuration.{next(iter(change))}")


@pytest.mark.parametrize(
    "name", ["../victim.csv", "manifest.json", "x.py", "a/b.csv", "x.csv\n", "games/part-00000000.parquet"]
)
def test_the_files_of_a_comparison(name, tmp_path):
    from jamaica_sim.study.compare.compare import COMPARISON, configuration, make_plan, prepare

    config = configuration(prepare(["random", "random"]), make_plan(games=4))
    StudyFolder.create(tmp_path / "c", config, COMPARISON).close()
    (tmp_path / "victim.csv").write_text("mine")
    edit_manifest(tmp_path / "c", lambda manifest: manifest["files"].update({name: VALID}))
    assert_refused(type_in("resume", tmp_path / "c"), "files")
    assert (tmp_path / "victim.csv").read_text() == "mine"


def test_what_dead_writers_have_left_is_removed_and_keeps_nobody_out(tmp_path):
    """Even if the dead process had the same number as this one, as happens in containers."""
    for left in (f".pod.{os.getpid()}.tmp", f".pod.{os.getpid()}.0a1b2c3d.tmp"):
        (tmp_path / left).mkdir()
        (tmp_path / left / "manifest.json").write_text("{}")
    (tmp_path / ".podium.1.0a1b2c3d.tmp").mkdir()  # of another folder, and perhaps alive
    config = configuration(seat_table(strategies=["random"], players=3), 0, 1000, per_game=False)
    StudyFolder.create(tmp_path / "pod", config).close()
    assert sorted(os.listdir(tmp_path)) == [".podium.1.0a1b2c3d.tmp", "pod"]


def test_what_a_living_writer_writes_stays(tmp_path):
    from jamaica_sim.study.saved_folder import appearing_folder

    with appearing_folder(tmp_path / "pod") as beside:
        (beside / "precious").write_text("mine")
        config = configuration(seat_table(strategies=["random"], players=3), 0, 1000, per_game=False)
        StudyFolder.create(tmp_path / "pod", config).close()
        assert (beside / "precious").read_text() == "mine"
        with pytest.raises(OSError):
            os.rename(beside, tmp_path / "pod")
        (tmp_path / "pod").rename(tmp_path / "first")
    assert (tmp_path / "pod" / "precious").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["first", "pod"]


def test_a_file_half_written_by_a_dead_process_is_removed(tmp_path):
    from jamaica_sim.files.atomic_files import write_whole

    (tmp_path / ".page.html.1.0a1b2c3d.tmp").write_text("half")
    (tmp_path / ".page.html.notes.tmp").write_text("not ours")
    write_whole(tmp_path / "page.html", b"whole")
    assert sorted(os.listdir(tmp_path)) == [".page.html.notes.tmp", "page.html"]


def test_a_hostile_part_is_not_joined(tmp_path):
    """A Parquet file with a valid hash, but with more rows than the program writes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from jamaica_sim.study.parts import decode

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"game": pa.array(np.zeros(20_000_000, np.int8))}), sink, compression="zstd")
    small = sink.getvalue().to_pybytes()
    assert len(small) < 100_000
    with pytest.raises(ValueError, match="rows"):
        decode(small, 65_536, None)


@pytest.mark.parametrize("change", ["negative", "few", "twice", "others"])
def test_a_part_with_other_games_is_not_believed(change, tmp_path):
    """`games` and `merge` counted whatever a part had: "6,000 games" from ten rows."""
    import pyarrow as pa

    table = seat_table(strategies=["random"], players=3)
    for number in range(2):
        run_games(table, 20, first_game=20 * number, out=tmp_path / str(number), per_game=True)
    name = "games/part-00000000.parquet"
    rows = decode((tmp_path / "0" / name).read_bytes(), 20)
    games = {
        "negative": -np.arange(20),
        "few": np.arange(10),
        "twice": np.zeros(20, np.int64),
        "others": np.arange(1, 21),
    }[change]
    rows = rows.slice(0, len(games)).set_column(0, rows.schema.field(0), pa.array(games))
    content = bytes(encode(rows))
    (tmp_path / "0" / name).write_bytes(content)
    edit_manifest(tmp_path / "0", lambda manifest: manifest["files"].update({name: hash_of(content)}))
    assert_refused(type_in("games", tmp_path / "0"), "does not have the games of its run")
    result = type_in("merge", tmp_path / "0", tmp_path / "1", "--out", tmp_path / "all")
    assert_refused(result, "does not have the games of its run")
    assert not (tmp_path / "all").exists()


def test_a_run_without_rows_that_claims_many_games_is_not_played_again(tmp_path):
    run_games(seat_table(strategies=["random"], players=3), 20, out=tmp_path / "run")

    def forge(manifest):
        manifest["configuration"]["games"] = manifest["games_done"] = 10**12
        manifest["ranges"] = [[0, 10**12]]

    edit_manifest(tmp_path / "run", forge)
    assert_refused(type_in("games", tmp_path / "run"), "100,000,000 at most")
    edit_manifest(
        tmp_path / "run", lambda m: (m.update(games_done=30, ranges=[[0, 30]]), m["configuration"].update(games=30))
    )
    assert type_in("games", tmp_path / "run").exit_code in (1, 2)


def test_a_rule_that_is_left_to_its_default(tmp_path):
    run_games(seat_table(strategies=["random"], players=3), 20, out=tmp_path / "run", per_game=True)
    edit_manifest(tmp_path / "run", lambda manifest: manifest["configuration"]["rules"].pop("ghost"))
    assert type_in("games", tmp_path / "run").exit_code == 0


LAB_FORGERIES = {
    "deep": lambda state: "[" * 20_000 + "]" * 20_000,
    "empty": lambda state: {},
    "a list": lambda state: [],
    "texts": lambda state: {"points": "x", "batches": "x"},
    "huge": lambda state: {"points": {"0.0": [[10**400], [1.0]]}, "scales": [10**400], "batches": []},
    "few": lambda state: {name: type(value)() for name, value in state.items()},
}


@pytest.mark.parametrize("forgery", LAB_FORGERIES)
@pytest.mark.parametrize("kind", ["sensitivity", "balance"])
def test_forged_measurements_of_the_laboratory(kind, forgery, searched):
    folder = searched(kind)
    file = folder / "measured.json"
    content = LAB_FORGERIES[forgery](json.loads(file.read_text()))
    content = (content if isinstance(content, str) else json.dumps(content)).encode()
    file.write_bytes(content)
    edit_manifest(folder, lambda manifest: manifest["files"].update({"measured.json": hash_of(content)}))
    assert_refused(type_in("report", folder, "--out", folder.parent / "page.html"), "measured.json")


def _random_sums(sums):
    luck = np.random.default_rng(1)
    sums.view(np.int64)[:] = luck.integers(-(2**62), 2**62, sums.view(np.int64).size)


SUMS_FORGERIES = {
    "no games": lambda sums: sums.view(np.int64).fill(0),
    "other games": lambda sums: sums["part_games"].fill(1),
    "random": _random_sums,
    "a number less": lambda sums: sums[:-1],
    "texts": lambda sums: np.array(["x", "y"]),
}


@pytest.mark.parametrize("forgery", SUMS_FORGERIES)
def test_forged_sums_of_a_verdict(forgery, searched):
    folder = searched("balance")
    sums = np.load(folder / "sums.npy")
    changed = SUMS_FORGERIES[forgery](sums)
    content = npy_bytes(sums if changed is None else changed)
    (folder / "sums.npy").write_bytes(content)
    edit_manifest(folder, lambda manifest: manifest["files"].update({"sums.npy": hash_of(content)}))
    assert_refused(type_in("report", folder, "--out", folder.parent / "page.html"), "")


def test_sums_that_say_anything_are_read_without_a_bug(searched):
    """Whoever forges sums whose games fit together gets figures that mean nothing, or a sentence."""
    folder = searched("balance")
    sums = np.load(folder / "sums.npy")
    games, parts = sums["games"].copy(), sums["part_games"].copy()
    _random_sums(sums)
    sums["games"], sums["part_games"] = games, parts
    (folder / "sums.npy").write_bytes(content := npy_bytes(sums))
    edit_manifest(folder, lambda manifest: manifest["files"].update({"sums.npy": hash_of(content)}))
    assert type_in("report", folder, "--out", folder.parent / "page.html").exit_code in (0, 1, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"ranges": [{"name": 7, "values": [1, 2]}]},
        {"ranges": [{"name": "hand_size", "values": {"a": 1}}]},
        {"ranges": [{"name": "hand_size", "values": [[[2]], [3]]}]},
        {"ranges": [{"name": "board", "values": ["/etc/passwd.csv", "printed"]}]},
        {"targets": [{"quantity": {}, "low": 1, "high": 2}]},
        {"targets": [{"quantity": "rounds", "low": "x", "high": []}]},
        {"trials": 10**400},
        {"samples": "x"},
        {"title": []},
    ],
)
@pytest.mark.parametrize("kind", ["sensitivity", "balance"])
def test_forged_configurations_of_the_laboratory(kind, change, searched):
    folder = searched(kind)
    known = json.loads((folder / "manifest.json").read_text())["configuration"]
    edit_manifest(
        folder, lambda manifest: manifest["configuration"].update({k: v for k, v in change.items() if k in known})
    )
    if set(change) & set(known):
        result = type_in("report", folder, "--out", folder.parent / "page.html")
        assert result.exit_code in (1, 2) and result.stderr.count("\n") == 1, (result.output, result.exception)


@pytest.fixture(scope="module")
def searches(tmp_path_factory):
    """A small sensitivity analysis and a small search for rules."""
    pytest.importorskip("optuna", reason="the extra lab is not installed")
    home = tmp_path_factory.mktemp("searches")
    (home / "sensitivity.toml").write_text(
        """games = 10\ntrajectories = 2\nsamples = 2\nkept = 2\nstrategies = ["random"]
        [ranges]\nholds = [3, 5]\nhand_size = "2..3"\n"""
    )
    (home / "balance.toml").write_text(
        """games = 20\nsearch_games = 20\ntrials = 2\nadapt = 0\nstrategies = ["random"]
        [targets]\nrounds = [11, 12]\n[ranges]\nhand_size = "2..4"\n"""
    )
    for kind in ("sensitivity", "balance"):
        assert type_in(kind, home / f"{kind}.toml", "--out", home / kind).exit_code == 0
    return home


@pytest.fixture
def searched(searches, tmp_path):
    """A copy of one of them."""
    return lambda kind: Path(shutil.copytree(searches / kind, tmp_path / kind))


def test_the_manifest_of_a_run_in_parts_stays_small_enough():
    """The largest number of parts that a run can have fits into a manifest that can be read again."""
    from jamaica_sim.files.limits import MOST_ROWS
    from jamaica_sim.play.manifest import LARGEST_MANIFEST

    parts = MOST_ROWS // run_parts.PART + 1
    one = len(json_bytes({run_parts.part_name(parts): VALID}))
    assert parts * (one + 4) < LARGEST_MANIFEST / 1.5


def test_a_folder_that_is_checked_is_a_path_too(run):
    with pytest.raises(FolderFault):
        edit_manifest(run, lambda manifest: manifest["files"].update({"../x": VALID}))
        read_manifest(Path(run))
