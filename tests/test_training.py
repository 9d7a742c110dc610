"""Training: labels by search, examples, the trainer's sums, and the command from a start to a verdict."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.game.codes import BACKWARD, CHOOSE_CARD, FORWARD, PLACE_DICE
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.net.forward import ARRAYS
from jamaica_sim.strategy.net.layout import LEARNED, ROWS, number
from jamaica_sim.strategy.net.net_file import write_net
from jamaica_sim.strategy.search.searcher import ORDER_BITS
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.strategy.toml_file import read_toml
from jamaica_sim.study.train import train as training
from jamaica_sim.study.train.compiled import BATCH, train_batches
from jamaica_sim.study.train.examples import (
    LabelMaker,
    _work,
    arrays_of,
    examples_of,
    new_parameters,
    parameters_of,
    read_examples,
    together,
    train_on,
    write_examples,
)
from jamaica_sim.study.tune.arena import Arena

pytestmark = pytest.mark.slow  # its own compiled pieces take longer than the tests
RULES = Rules(players=3, ghost=True, edition="2021")


def labelled(size=60, lot=0) -> np.ndarray:
    champion = load_strategy("champion")
    return LabelMaker(RULES, [champion], (1.0,), training.teacher_of(champion.changes)).make(5, lot, size)


@pytest.fixture(scope="module")
def labels():
    return labelled()


@pytest.fixture(scope="module")
def examples(labels):
    return examples_of(labels[labels["options"] > 1], RULES, load_strategy("champion").weights)


def with_net(parameters, name="mine") -> Strategy:
    champion = load_strategy("champion")
    text = training.write_toml(name, "", champion.changes, net=f"{name}.npz")
    return read_toml(text, Path(f"{name}.toml"), write_net(arrays_of(parameters)))


def test_labels_are_the_same_again_and_other_lots_are_others(labels):
    again, other = labelled(), labelled(lot=1)
    assert labels.tobytes() == again.tobytes() and labels["value"].tobytes() != other["value"].tobytes()
    assert set(labels["asked"]["decision"]) <= set(LEARNED) and len(set(labels["asked"]["decision"])) > 3


def test_a_label_has_every_option_once_and_a_value_for_each(labels):
    for label in labels:
        options = label["option"][: label["options"]].tolist()
        values = label["value"][: label["options"]]
        assert len(set(options)) == len(options) and (values > -0.5).all() and (values <= 1).all()
        if label["asked"]["decision"] == CHOOSE_CARD:
            assert sum(1 << option for option in options) == label["asked"]["legal"]
        if label["asked"]["decision"] == PLACE_DICE:
            assert len(options) == 2 * int(label["asked"]["hand"]).bit_count()


def test_examples_point_into_the_layout_and_survive_a_file(examples, tmp_path):
    assert examples.rows.min() >= 0 and examples.rows.max() < ROWS
    assert examples.firsts[-1] == examples.values.size == examples.lists.size - 1
    (tmp_path / "lot.npz").write_bytes(write_examples(examples))
    again = read_examples(tmp_path / "lot.npz")
    assert again is not None and again.rows.tobytes() == examples.rows.tobytes()
    both = together([examples, examples])
    assert both.size == 2 * examples.size and both.lists[-1] == 2 * examples.rows.size


def test_what_others_may_do_with_the_dice_is_counted_over_the_cards_that_they_may_hold(labels, examples):
    """By plain loops: shares of the cards not discarded that bring a ship home, or onto a space that it cannot pay."""
    book = rulebook_of(RULES)[0]
    labels, seen = labels[labels["options"] > 1], set()
    for d, label in enumerate(labels):
        view = label["asked"]
        if view["decision"] != PLACE_DICE:
            continue
        for option in range(label["options"]):
            start, end = examples.lists[examples.firsts[d] + 1 + option :][:2]
            facts = dict(zip(examples.rows[start:end].tolist(), examples.numbers[start:end].tolist(), strict=True))
            dice = view["dice"][::-1] if label["option"][option] >> ORDER_BITS else view["dice"]
            home, short = outcomes(view, book, [int(die) for die in dice])
            assert facts.get(int(number("others_home")), 0) == pytest.approx(home, abs=1e-6)
            assert facts.get(int(number("others_short")), 0) == pytest.approx(short, abs=1e-6)
            seen |= {"home"} if home else set()
            seen |= {"short"} if short else set()
    assert seen == {"home", "short"}


def outcomes(view, book, dice) -> tuple[float, float]:
    """Shares of the others' cards that bring them home, and that end on a space which their goods cannot pay."""
    home = short = 0.0
    for ship in range(RULES.players):
        cards = [c for c in range(11) if not int(view["discard"][ship]) >> c & 1]
        for card in cards if ship != view["me"] else ():
            space, lap = int(view["space"][ship]), int(view["lap"][ship])
            for symbol, die in zip(book["card_symbol"][card], dice, strict=True):
                if symbol < FORWARD or lap == 1:
                    continue
                ends = int(book["ends"][2 if symbol == BACKWARD else int(lap != 0), die, space])
                first = (ends & -ends).bit_length() - 1
                lap += (first < space) if symbol == FORWARD else -(first > space)
                space = first
                if lap == 1:
                    home += 1 / len(cards)
                elif not any(pays(view["stock"][ship], book, end) for end in range(64) if ends >> end & 1):
                    short += 1 / len(cards)
    return home, short


def pays(stock, book, space) -> bool:
    return stock[book["currency"][space]] >= book["cost"][space]


def test_damaged_examples_are_not_read(examples, tmp_path):
    file = tmp_path / "lot.npz"
    wrong = [
        replace(examples, rows=examples.rows + np.int16(ROWS)),
        replace(examples, rows=-examples.rows - np.int16(1)),
        replace(examples, lists=examples.lists + 5),
        replace(examples, lists=examples.lists[::-1].copy()),
        replace(examples, firsts=examples.firsts[:-1]),
        replace(examples, numbers=np.full_like(examples.numbers, np.inf)),
        replace(examples, values=examples.values.astype(np.float64)),
    ]
    for content in (*map(write_examples, wrong), b"", b"PK", write_examples(examples)[:-40]):
        file.write_bytes(content)
        assert read_examples(file) is None
    assert read_examples(tmp_path / "none.npz") is None


def test_the_gradient_is_the_loss_s(examples):
    """One step of Adam moves each parameter against its slope; the slope is compared with a difference of losses."""
    few = np.arange(min(examples.size, BATCH))
    parameters = new_parameters(3)

    def loss(p):
        g, m, s = (np.zeros_like(p) for _ in range(3))
        e = examples
        rates = np.zeros(1)
        total = train_batches(p.copy(), g, m, s, e.rows, e.numbers, e.lists, e.firsts, e.values, few, 0, rates, _work())
        return total / few.size, g / few.size

    _, slopes = loss(parameters)
    random = np.random.default_rng(1)
    steep = np.flatnonzero(np.abs(slopes) > 0.02)
    for k in random.choice(steep, 12, replace=False):
        step = np.zeros_like(parameters)
        step[k] = 1e-2
        difference = (loss(parameters + step)[0] - loss(parameters - step)[0]) / 2e-2
        assert difference == pytest.approx(slopes[k], rel=0.15, abs=0.02)


def test_training_follows_the_labels(examples):
    """A net that has seen its few examples often enough prefers the option with the best value in nearly all."""
    trained = train_on(new_parameters(1), examples, 150, 2e-3, 1, lambda done, of: False)
    assert trained is not None
    strategy = with_net(trained)
    assert parameters_of(strategy.net.arrays) == pytest.approx(trained, rel=2e-3, abs=1e-3)
    e, best = examples, 0
    for d in range(e.size):
        scores = []
        for o in range(e.firsts[d] + 1, e.firsts[d + 1]):
            rows = [slice(e.lists[i], e.lists[i + 1]) for i in (e.firsts[d], o)]
            scores.append(score(trained, *(np.concatenate([x[r] for r in rows]) for x in (e.rows, e.numbers))))
        values = e.values[e.firsts[d] + 1 : e.firsts[d + 1]]
        best += values[int(np.argmax(scores))] >= values.max() - 1e-6
    assert best > 0.8 * e.size


def score(parameters, rows, numbers):
    """The net's score by plain NumPy."""
    net = arrays_of(parameters)
    first = np.maximum((net["rows"][rows] * numbers[:, None]).sum(axis=0), 0)
    return np.maximum(first @ net["second"] + net["bias"], 0) @ net["last"]


def test_stopping_ends_the_training(examples):
    assert train_on(new_parameters(1), examples, 5, 2e-3, 1, lambda done, of: True) is None


def test_generations_double_and_a_larger_task_has_the_same_lots():
    arena = Arena((RULES,), (load_strategy("veteran"),), 1)
    task = training.Task(load_strategy("champion"), arena, 210 * training.LOT)
    assert list(task.generations()) == [range(25), range(25, 50), range(50, 100), range(100, 200), range(200, 210)]
    assert list(replace(task, labels=10).generations()) == [range(1)]


@pytest.fixture
def small(monkeypatch):
    """A training of a few labels."""
    monkeypatch.setattr(training, "LOT", 40)
    monkeypatch.setattr(training, "FIRST_GENERATION", 2)


def trained_in(folder, *options):
    words = ["train", "--start", "champion", "--players", "3", "--labels", "160", "--games", "60", "--out"]
    return CliRunner().invoke(main, [*words, str(folder / "expert.toml"), *options])


def test_the_command_writes_a_strategy_and_goes_on(small, tmp_path):
    done = trained_in(tmp_path)
    assert done.exit_code == 0, done.output
    assert (
        "expert wins" in done.output and "160 labels" in done.output and "as one ship against 2 veteran" in done.output
    )
    strategy = load_strategy(tmp_path / "expert.toml")
    assert strategy.kind == "net" and strategy.name == "expert"
    before = {file.name: file.read_bytes() for file in (tmp_path / "expert.training").iterdir()}
    assert sorted(before) == ["lot-000000.npz", *(f"lot-00000{i}.npz" for i in (1, 2, 3)), "net-1.npz", "task.json"]
    (tmp_path / "expert.training" / "lot-000001.npz").write_bytes(b"damaged")
    assert trained_in(tmp_path).exit_code == 0
    assert {file.name: file.read_bytes() for file in (tmp_path / "expert.training").iterdir()} == before
    assert load_strategy(tmp_path / "expert.toml").digest == strategy.digest
    other = trained_in(tmp_path, "--seed", "9")
    assert other.exit_code == 2 and "belongs to a training with other seed" in other.output


def test_an_interrupted_training_keeps_its_labels(small, tmp_path):
    champion = load_strategy("champion")
    task = training.make_task(champion, (RULES,), 240, "veteran", 30, 1, "part")
    seen = []

    def stop(what, done, of):
        seen.append(what)
        if done == 40 * 3:
            signal.raise_signal(signal.SIGINT)

    stopped = training.carry_out(task, tmp_path / "part.toml", 1, stop)
    assert not stopped.complete and stopped.evaluations in (120, 160) and "training" in seen
    assert load_strategy(tmp_path / "part.toml").kind == "net"  # of the first generation
    whole = training.carry_out(task, tmp_path / "part.toml", 2)
    (tmp_path / "whole").mkdir()
    again = training.carry_out(task, tmp_path / "whole" / "part.toml", 1)
    assert whole.complete and again.strategy.digest == whole.strategy.digest
    assert whole.trial.wins.tolist() == again.trial.wins.tolist()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--out", "mine.txt"], "a strategy file ends in .toml"),
        (["--out", "none/mine.toml"], "There is no folder none"),
        (["--out", "there.toml"], "there.toml exists already"),
        (["--out", "a.toml", "--start", "searcher"], "The strategy searcher cannot be trained"),
        (["--out", "a.toml", "--labels", "0"], "it must be a whole number from 1"),
        (["--out", "a.toml", "--every-table", "-p", "3"], "--every-table plays tables of every kind"),
        (["--labels", "5"], "Name the strategy file to write"),
    ],
)
def test_what_cannot_be_trained_is_refused(options, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.toml").write_text("", encoding="utf-8")
    refused = CliRunner().invoke(main, ["train", *options])
    assert refused.exit_code == 2 and problem in refused.output
    assert [file.name for file in tmp_path.iterdir()] == ["there.toml"]


def test_a_damaged_task_is_refused(small, tmp_path):
    (tmp_path / "expert.training").mkdir()
    for content in ("", "[]", json.dumps({"seed": 1})):
        (tmp_path / "expert.training" / "task.json").write_text(content, encoding="utf-8")
        refused = trained_in(tmp_path)
        assert refused.exit_code == 2 and "belongs to a training with other" in refused.output


def test_a_net_can_be_trained_further_for_changed_rules(small, tmp_path):
    start = with_net(new_parameters(4), "begun")
    task = training.make_task(start, (Rules(players=2, hand_size=5, holds=4),), 80, "balanced", 30, 1, "further")
    done = training.carry_out(task, tmp_path / "further.toml", 1)
    assert done.complete and set(done.strategy.net.arrays) == set(ARRAYS) and done.reference is start
