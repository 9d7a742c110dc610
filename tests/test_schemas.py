"""The JSON schemas for editors say what the program's own tables say, and take the files that are shipped."""

import tomllib

import pytest

import schemas
from jamaica_sim.experiment.file import shipped_experiments
from jamaica_sim.strategy.library import shipped_folder
from jamaica_sim.strategy.template import write_template


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_the_shipped_schema_is_that_of_the_tables(name):
    written = (schemas.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert written == schemas.text_of(name), "run benchmarks/schemas.py"


@pytest.mark.parametrize("path", sorted(shipped_folder().glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_strategies_keep_to_the_schema(path):
    schema = schemas.strategy_schema()["properties"]
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(data) <= set(schema)
    for name, value in data.get("weights", {}).items():
        limits = schema["weights"]["properties"][name]
        assert limits["minimum"] <= value <= limits["maximum"], name


@pytest.mark.parametrize("path", sorted(shipped_experiments().glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_experiments_keep_to_the_schema(path):
    schema = schemas.experiment_schema()["properties"]
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(data) <= set(schema) and set(data.get("rules", {})) <= set(schema["rules"]["properties"])
    assert set(data.get("chapters", [])) <= set(schema["chapters"]["items"]["enum"])


def test_a_new_file_names_its_schema(tmp_path):
    first = write_template("mine", tmp_path, False).read_text(encoding="utf-8").splitlines()[0]
    assert first == f"#:schema {(schemas.FOLDER / 'strategy.json').as_uri()}"
