"""The shipped library and its page in the documentation, `docs/strategies.md`.

Strategies are strong where they should be, and each style differs from `balanced` in what its name says. All figures
come from the same deals for every strategy, so that differences are those of pairs of games.
"""

import hashlib
import importlib.util
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE, RULES_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import DECISIONS, LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER
from jamaica_sim.game.components import action_cards, treasures
from jamaica_sim.game.rules import EDITIONS, Rules
from jamaica_sim.play.state_record import new_state, play
from jamaica_sim.strategy import api as helpers
from jamaica_sim.strategy import names
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.library import load_strategy, quick_names, strategy_names
from jamaica_sim.study.tune.arena import Arena, try_strategies

PLAYERS, SEED, GAMES = 4, 11, 1200
LINE_UPS, GAMES_A_LINE_UP = 60, 20
PAGE = Path(__file__).parent.parent / "docs" / "strategies.md"
STYLES = "racer hoarder corsair treasure_hunter provisioner gambler endgame".split()

rulebook_for = cache(rulebook_of)
loaded = cache(load_strategy)


def games_of(names, edition, games, first_game=0):
    """The result rows of some games between these strategies, in seat order."""
    seats = [loaded(str(name)) for name in names]
    rows = np.zeros(games, RESULT_DTYPE)
    rules = Rules(players=len(seats), edition=edition)
    play(new_state(seats, rules), rulebook_for(rules), seats, SEED, first_game, rows)
    return rows


def victories(rows, ship):
    """The ship's share of the victory in each game."""
    winners = [int(members) for members in rows["winners"]]
    return np.array([(members >> ship & 1) / members.bit_count() for members in winners])


def interval(values):
    """Mean, and half the width of its 95% interval."""
    return values.mean(), 1.96 * values.std(ddof=1) / np.sqrt(values.size)


def surely_above(values, limit):
    """Whether the whole interval lies above; a failure shows the figures."""
    mean, half_width = interval(values)
    assert mean - half_width > limit, f"{mean:.4f} ± {half_width:.4f} over {values.size} games, not above {limit}"


# The library as such


def test_the_library_has_every_style_and_says_what_each_does():
    assert {"random", "balanced", "champion", *STYLES} <= set(strategy_names())
    library = [loaded(name) for name in strategy_names()]
    assert sum(strategy.kind == "code" for strategy in library) >= 2
    descriptions = [" ".join(strategy.description.split()) for strategy in library]
    assert all(100 < len(description) < 600 for description in descriptions)
    assert len(set(descriptions)) == len(library)
    assert all(strategy.intent for strategy in library if strategy.kind != "built in")
    assert all(strategy.name == strategy.path.stem for strategy in library if strategy.path)
    assert loaded("balanced").changes == {}  # it is the default weights


# Strength


@pytest.mark.parametrize("edition", EDITIONS)
def test_balanced_beats_three_random_players(edition):
    wins = [
        victories(games_of(np.roll(["balanced", "random", "random", "random"], seat), edition, GAMES // 4), seat)
        for seat in range(PLAYERS)
    ]
    surely_above(np.concatenate(wins), 0.95)


@pytest.mark.parametrize("edition", EDITIONS)
def test_champion_wins_against_three_opponents_drawn_from_the_library(edition):
    """In every seat of each line-up; the file is read as it is."""
    random = np.random.default_rng(SEED)
    # Champion itself, the strategy of the next test, and strategies that are as strong.
    equals = ("champion", "balanced", "veteran", "searcher")
    opponents = [name for name in strategy_names() if name not in equals]
    wins = []
    for line_up in range(LINE_UPS):
        others = random.choice(opponents, PLAYERS - 1, replace=False).tolist()
        for seat in range(PLAYERS):
            names = [*others[:seat], "champion", *others[seat:]]
            wins.append(victories(games_of(names, edition, GAMES_A_LINE_UP, line_up * GAMES_A_LINE_UP), seat))
    surely_above(np.concatenate(wins), 0.45)


@pytest.mark.parametrize("edition", EDITIONS)
def test_champion_is_stronger_than_balanced(edition):
    surely_above(victories(voyages("champion", edition), 0), 1 / PLAYERS)


def test_champion_is_stronger_than_veteran_at_every_kind_of_table():
    """One ship against a field of veterans; over all tables together the gain is beyond doubt."""
    tables = tuple(Rules(players=players, edition=edition) for players in (2, 3, 4, 6) for edition in EDITIONS)
    veteran, champion = loaded("veteran"), loaded("champion")
    trial = try_strategies(Arena(tables, (veteran,), SEED), [champion, veteran], 0, 160)
    assert trial.gain(0, 1).low > 0.015
    assert all(trial.gain(0, 1, table).value > 0 for table in range(len(tables)))


def test_veteran_stays_as_it_is():
    """Other strategies are measured against it."""
    digest = hashlib.sha256(repr(sorted(loaded("veteran").changes.items())).encode()).hexdigest()
    assert digest == "47fdbe4d6dff6e2284c083a347ece8be964e0dfeb8892f90fd1bf1b7eaf60ab8"


# Style: in the first seat, against three players of `balanced`


@cache
def voyages(name, edition):
    return games_of([name, "balanced", "balanced", "balanced"], edition, GAMES)


def home_first(rows):
    return (rows["ended_by"] == 0).astype(float)


def gold(rows):
    return rows["gold"][:, 0].astype(float)


def attacks(rows):
    return rows["attacks"][:, 0].astype(float)


def treasures_taken(rows):
    return rows["treasures_taken"][:, 0].astype(float)


def outer_lanes(rows):
    return rows["lanes"][:, 0, :, 0].sum(axis=1).astype(float)


def shortages(rows):
    return rows["shortages"][:, 0].sum(axis=1).astype(float)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("name", "quantity", "more"),
    [
        ("racer", home_first, 0.03),
        ("hoarder", gold, 3.0),
        ("corsair", attacks, 0.8),
        ("treasure_hunter", treasures_taken, 0.8),
        ("treasure_hunter", outer_lanes, 1.0),
        ("gambler", shortages, 2.0),
        ("provisioner", lambda rows: -shortages(rows), 0.7),
        ("endgame", lambda rows: -home_first(rows), 0.02),
        ("endgame", gold, 1.0),
    ],
)
def test_a_style_differs_from_balanced_in_what_its_name_says(name, quantity, more, edition):
    surely_above(quantity(voyages(name, edition)) - quantity(voyages("balanced", edition)), more)


@pytest.mark.parametrize("edition", EDITIONS)
def test_provisioner_has_under_half_the_shortages_of_gambler(edition):
    safe, bold = (shortages(voyages(name, edition)) for name in ("provisioner", "gambler"))
    surely_above(0.5 * bold - safe, 0)


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_two_styles_play_alike(edition):
    fields = {name: [name, "balanced", "balanced", "balanced"] for name in (*quick_names(), "searcher")}
    scores = {name: games_of(names, edition, 60)["score"].tobytes() for name, names in fields.items()}
    assert len(set(scores.values())) == len(scores)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_style_is_better_than_random_play(edition):
    for name in STYLES:
        rows = games_of([name, "random", "random", "random"], edition, 200)
        surely_above(victories(rows, 0), 0.6)


# The page


def section(title):
    """The text of one section of the page."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S)[1]


def first_column(title):
    """The names in the first column of a section's tables."""
    rows = [line.split("|")[1] for line in section(title).splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`@?(\w+)", row)]


def blocks(title, language=""):
    """The code blocks of a section, as they stand."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", section(title), re.M | re.S)
    return [text for named, text in found if named == language]


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A folder with the files of the page's first section."""
    monkeypatch.chdir(tmp_path)
    [data], [code, _] = (blocks("Write a strategy in ten minutes", language) for language in ("toml", "python"))
    Path("smuggler.toml").write_text(data, encoding="utf-8")
    Path("avenger.py").write_text(code, encoding="utf-8")
    return tmp_path


def test_the_examples_on_the_page_load_and_say_what_they_are(workshop):
    smuggler, avenger = load_strategy("smuggler.toml"), load_strategy("avenger.py")
    assert smuggler.description and smuggler.intent and len(smuggler.changes) == 4
    assert avenger.description and avenger.intent and set(avenger.functions) == {"choose_target", "attack_powder"}


def test_the_commands_on_the_page_work_as_they_stand(workshop):
    commands = [line for block in blocks("Write a strategy in ten minutes") for line in block.splitlines()]
    assert len(commands) == 3 and any("strategies check avenger.py" in command for command in commands)
    for command in commands:
        program, *words = command.split()
        assert program == "jamaica-sim"
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
        assert "avenger" in result.stdout or "smuggler" in result.stdout
        assert "Problem" not in result.stdout


def test_the_python_on_the_page_works_as_it_stands(workshop, capsys):
    _, code = blocks("Write a strategy in ten minutes", "python")
    exec(compile(code, "page", "exec"), {})
    out = capsys.readouterr().out
    assert all(name in out for name in ("smuggler", "avenger", "balanced", "random", "win_rate_low"))


def test_the_site_lists_every_field_that_strategies_read():
    """Each with a meaning, or one that the field before it has."""
    spec = importlib.util.spec_from_file_location("conf", PAGE.parent / "conf.py")
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    text = [(PAGE.parent / "strategy_fields.md").read_text(encoding="utf-8")]
    conf._list_fields(None, "strategy_fields", text)
    rows = [line.strip("| ").split(" | ") for line in text[0].splitlines() if line.startswith("| `")]
    listed = [row[0].strip("`") for row in rows]
    assert sorted(listed) == sorted((*VIEW_DTYPE.names, *RULES_DTYPE.names, *WEIGHTS_DTYPE.names))
    assert all(row[-1] and row[-1] != "|" for row in rows) and "@" not in text[0]


def test_the_page_lists_every_decision_and_helper():
    assert first_column("Decision points") == list(DECISIONS)
    types = {"Rulebook", "View", "Weights"}
    assert sorted(first_column("Helpers")) == sorted(set(helpers.__all__) - set(names.__all__) - types)
    named = re.findall(r"`([A-Z_0-9]+)`", section("Names"))
    shown = {name for name in names.__all__ if not name.startswith(("CARD_", "TREASURE_", "CURSED_"))}
    assert shown <= set(named) <= set(names.__all__)


def test_the_page_has_the_numbers_of_loot_cards_and_treasures():
    text = " ".join(section("Decision points").split())
    for number, words in (
        (f"{LOOT_POWER} + *t*", "take the face-up"),
        (f"{LOOT_HIDDEN}", "take a face-down"),
        (f"{LOOT_GIVE} + *t*", "give the loser"),
        (f"{LOOT_NOTHING}", "nothing"),
    ):
        assert f"| {number} | {words}" in text
    assert ", ".join(f"{i} {card.morning}/{card.evening}" for i, card in enumerate(action_cards())) in text
    assert ", ".join(f"{i} {card.name}" for i, card in enumerate(treasures())) in text
