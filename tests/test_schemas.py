"""The JSON schemas for editors agree with the program: they accept what it accepts, and refuse slips."""

import json
import re
import tomllib

import jsonschema
import pytest
from documented import PAGES, fences_of

import schemas
from jamaica_sim import new_experiment, new_rules, new_strategy, report_on, run_experiment
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.variant import load_rules, rule_rows
from jamaica_sim.strategy.library import load_strategy, shipped_folder
from jamaica_sim.study.experiment.file import load_experiment, shipped_experiments

SAVED = [fence for page in PAGES if page.is_file() for fence in fences_of(page) if fence.file.endswith(".toml")]


def problems(name, text):
    schema = json.loads((schemas.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    return [error.message for error in validator.iter_errors(tomllib.loads(text))]


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_the_shipped_schema_is_that_of_the_tables(name):
    written = (schemas.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert written == schemas.text_of(name), "run tools/schemas.py"


STRATEGIES = [*shipped_folder().glob("*.toml"), *shipped_experiments().glob("skill/*.toml")]
STRATEGIES += shipped_experiments().glob("restricted/*.toml")


@pytest.mark.parametrize("path", sorted(STRATEGIES), ids=lambda path: path.stem)
def test_shipped_strategies_keep_to_the_schema(path):
    assert problems("strategy", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", sorted(shipped_experiments().glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_experiments_keep_to_the_schema(path):
    assert problems("experiment", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("fence", SAVED, ids=lambda fence: fence.file)
def test_what_the_docs_save_as_files_keeps_to_a_schema(fence):
    if fence.file != "wrong.toml" and not {"[sweep]", "[ranges]", "[targets]"} & set(fence.text.split()):
        assert any(problems(name, fence.text) == [] for name in schemas.SCHEMAS)


def spelt(value):
    return json.dumps(list(value) if isinstance(value, tuple) else value)


@pytest.mark.parametrize("quote", ["", '"'])
def test_every_rule_with_its_own_value_keeps_to_the_schemas(quote):
    """Each by its name, once as tables of TOML (space.6.cost) and once in quotes ("space.6.cost")."""
    rows = [row for row in rule_rows(Rules()) if row.value is not None and ("." in row.name or not quote)]
    rules = "".join(f"{quote}{row.name}{quote} = {spelt(row.value)}\n" for row in rows)
    assert problems("rules", rules) == []
    assert problems("experiment", f"[rules]\n{rules}") == []


GOOD = ["ports.dearer = -1", '"seas.dearer" = 2', "red_line = 30", "treasure.plus_7 = 1", '[card]\n3.morning = "food"']


@pytest.mark.parametrize("text", [*GOOD, "edition = 2021", '"card.gold/gold" = "gold/food"'])
def test_a_rule_that_can_be_played_keeps_to_the_schema(text, tmp_path):
    (tmp_path / "rules.toml").write_text(text)
    load_rules(tmp_path / "rules.toml")
    assert problems("rules", text) == []


@pytest.mark.parametrize(
    ("name", "text", "load"),
    [
        ("rules", "hand_sise = 4", load_rules),
        ("rules", "hand_size = 40", load_rules),
        ("rules", "[space.6]\ncots = 3", load_rules),
        ("rules", "treasure.lady_bet = 0", load_rules),
        ("rules", "ports.deaerer = 1", load_rules),
        ("strategy", "[weights]\ngolld = 1.0", load_strategy),
        ("strategy", "[weights]\ngold = 99", load_strategy),
        ("strategy", 'bans = ["lair"]', load_strategy),
        ("strategy", "gold = 1.0", load_strategy),
        ("experiment", 'titel = "x"', load_experiment),
        ("experiment", 'chapters = ["whowins"]', load_experiment),
        ("experiment", "[rules]\nplayers = [3, 9]", load_experiment),
        ("experiment", "[rules]\nhand_sise = 4", load_experiment),
        ("experiment", '[[tables]]\nnmae = "x"', load_experiment),
    ],
)
def test_what_the_program_refuses_an_editor_marks(name, text, load, tmp_path):
    path = tmp_path / "slip.toml"
    path.write_text(text)
    with pytest.raises(ValueError):
        load(path)
    assert problems(name, text)


def test_new_files_name_their_schema_and_keep_to_it(tmp_path):
    rules = Rules(edition="2021", players=3).but(action_die=(1, 2, 3), **{"space.6.cost": 1, "treasure.plus_7": 1})
    made = {
        "strategy": new_strategy("mine", tmp_path),
        "rules": new_rules("ours", tmp_path),
        "experiment": new_experiment("asked", tmp_path, rules),
    }
    for kind, path in made.items():
        text = path.read_text(encoding="utf-8")
        assert text.splitlines()[0] == f"#:schema {(schemas.FOLDER / f'{kind}.json').as_uri()}"
        assert problems(kind, text) == []
    printed, changed = (setting.rules for setting in load_experiment(made["experiment"]).settings)
    assert changed == rules and printed == Rules(edition="2021", players=3)


@pytest.mark.parametrize("kind", ["strategy", "rules"])
def test_every_line_that_a_new_file_offers_can_be_used(kind, tmp_path):
    make, load = {"strategy": (new_strategy, load_strategy), "rules": (new_rules, load_rules)}[kind]
    text = make("mine", tmp_path).read_text(encoding="utf-8")
    whole = re.sub(r"^# (?=[\w.]+ = |\[)", "", text, flags=re.M)
    (tmp_path / "whole.toml").write_text(whole, encoding="utf-8")
    load(tmp_path / "whole.toml")
    assert whole.count("\n# ") < text.count("\n# ") / 1.5 and problems(kind, whole) == []


def test_an_experiment_on_a_file_of_rules_keeps_its_names_and_its_report_tells_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "storm.toml").write_text('edition = "2021"\nstart_food = 5\nports.dearer = -1\n')
    path = new_experiment("stormy_sea", rules="storm.toml")
    text = path.read_text(encoding="utf-8")
    assert 'start_food = 5\n"ports.dearer" = -1\n' in text and problems("experiment", text) == []
    run_experiment(path, "played", games=40)
    report = report_on("played", "report.html").read_text(encoding="utf-8")
    assert "2021 rules, all balanced. Stormy sea: start food 5, ports 1 cheaper." in report
    (tmp_path / "printed.toml").write_text("players = 3\n")
    with pytest.raises(ValueError, match="nothing to compare"):
        new_experiment("other", rules="printed.toml")


def test_a_new_experiment_can_be_run_and_compares_what_differs(tmp_path):
    found = load_experiment(new_experiment("a_name_" + "x" * 50, tmp_path))
    assert [setting.rules.hand_size for setting in found.settings] == [3, 4]
    with pytest.raises(ValueError, match="nothing to compare"):
        new_experiment("other", tmp_path, Rules(players=3))
    with pytest.raises(ValueError, match="exists already"):
        new_rules("a_name_" + "x" * 50, tmp_path)
