"""Rules that meet targets: the search, its verdict on fresh deals, players who adapt, folders, files and reports."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

pytest.importorskip("optuna", reason="the extra lab is not installed")

from jamaica_sim import balance, load, simulate
from jamaica_sim.cli import main
from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.report.page import html
from jamaica_sim.report.report import report_balance
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.experiment.file import shipped_names
from jamaica_sim.study.lab import asking, rule_space
from jamaica_sim.study.lab import balance as balancing
from jamaica_sim.study.lab import search as searching
from jamaica_sim.study.lab.balance_result import missed_in_words
from jamaica_sim.study.lab.balance_task import BalanceTask
from jamaica_sim.study.lab.rule_space import ExtraMissing
from jamaica_sim.study.lab.search import Candidate, RuleSearch
from jamaica_sim.study.lab.targets import Target, around, read_targets, read_targets_file
from jamaica_sim.study.tune import tune as tuning
from jamaica_sim.study.tune.adapting import adapt

RANGES = {"start_food": "0..4", "hand_size": "2..4", "treasure_pile": "7..9"}
SMALL = {
    "trials": 16,
    "games": 600,
    "search_games": 240,
    "adapt": 0,
    "finalists": 2,
    "strategies": "random",
    "players": 3,
}
TARGETS = {"shortages": {"at_most": 12.0}, "rounds": (10, 60)}


@pytest.fixture(scope="module")
def few_games():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "RUNGS", (4, 2, 1))
        yield


@pytest.fixture(scope="module")
def found(few_games):
    return balance(TARGETS, RANGES, threads=2, **SMALL)


def run(*words):
    return CliRunner().invoke(main, list(map(str, words)))


def ghost_target(low=15.0, high=25.0):
    return read_targets({"ghost": [low, high]}, seat_table(Rules(players=2), "random"))[0]


def test_targets():
    target = ghost_target()
    assert [target.distance(v) for v in (10, 15, 20, 26)] == [5, 0, 0, 1]
    verdicts = [target.verdict(Estimate(v, v - 1, v + 1, 9)) for v in (10, 15, 20, 25.5, 27)]
    assert verdicts == ["missed", "too close to call", "met", "too close to call", "missed"]
    assert target.words() == "15 to 25%"
    table = seat_table(Rules(), "random")
    assert read_targets({"seats": {"at_most": 2}}, table)[0].words() == "at most 2 points"
    assert read_targets({"rounds": {"at_least": 9}}, table)[0].words() == "at least 9"


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({}, r"\[targets\]"),
        ({"rouns": [1, 2]}, "did you mean 'rounds'"),
        ({"ghost": [1, 2]}, "does not sail"),
        ({"rounds": [3, 2]}, "least value"),
        ({"rounds": [1]}, "least, most"),
        ({"rounds": {"about": 3}}, "least, most"),
        ({"rounds": [1, "two"]}, "numbers"),
    ],
)
def test_targets_that_are_refused(targets, words):
    with pytest.raises(ValueError, match=words):
        read_targets(targets, seat_table(Rules(), "random"))


def made_search(measure, targets, ranges, seed=1, batches=6):
    """A search over a function instead of the game."""
    space = around(seat_table(Rules(), "random"), ranges)
    search = RuleSearch(space, targets, (1.0,) * len(targets), seed, 800)
    for _ in range(batches):
        batch = [Candidate(p, 800, tuple(measure(p)), (0.0,) * len(targets)) for p in search.ask()]
        search.tell(batch)
    return search


def test_the_search_finds_what_needs_two_rules_and_changes_nothing_else():
    """Only hand_size and start_food together reach both targets; a third rule is bait that moves nothing."""
    ranges = {"hand_size": "2..5", "start_food": "0..6", "start_gold": "0..6"}
    targets = tuple(Target(t.quantity, 10.0, 11.0) for t in read_targets({"rounds": [0, 1], "battles": [0, 1]},
                                                                       seat_table(Rules(), "random")))  # fmt: skip
    search = made_search(lambda p: (8 + p[0], 6 + 0.8 * p[1]), targets, ranges)
    best = search.front()[-1]
    assert search.miss(best) == 0 and best.point == (2, 5, 3)
    assert search.front()[0].point == search.origin == (1, 3, 3)
    assert [search.cost(c.point) for c in search.front()] == sorted(search.cost(c.point) for c in search.front())


def test_a_search_is_rebuilt_from_its_batches():
    targets = (Target(ghost_target().quantity, 3.0, 4.0),)
    ranges = {"hand_size": "2..5", "start_food": "0..6"}
    search = made_search(lambda p: (p[0] * p[1],), targets, ranges, batches=3)
    again = RuleSearch(search.space, targets, (1.0,), 1, 800, [list(batch) for batch in search.batches])
    assert again.ask() == search.ask() and again.tried == search.tried
    with pytest.raises(ValueError, match="cannot be rebuilt"):
        RuleSearch(search.space, targets, (1.0,), 1, 800, [list(reversed(batch)) for batch in search.batches])


def test_the_last_step_to_the_target_counts_however_small():
    """The first rule alone comes very near the target; together with the second it reaches it."""
    target = (Target(ghost_target().quantity, 10.0, 11.0),)
    search = made_search(
        lambda p: (5 + 0.8 * p[0] + 0.3 * (3 - p[1]),), target, {"start_food": "3..9", "holds": "2..5"}
    )
    assert search.miss(search.front()[-1]) == 0 and len(search.front()) >= 2


def test_poor_candidates_play_few_games(found):
    games = [candidate.games for candidate in found.search.known.values()]
    assert set(games) <= {60, 120, 240} and 60 in games and 240 in games
    front = found.search.front()
    assert front[0].point == found.search.origin


def test_proposals_are_judged_on_fresh_deals(found):
    """Each figure is that of an ordinary run of the proposal's rules on deals that the search never saw."""
    assert found.proposals and found.best >= 1
    for number in range(len(found.proposals) + 1):
        alone = simulate(600, rules=found.rules(number), strategies="random", first_game=balancing.FRESH, threads=1)
        assert found.value("rounds", number).value == pytest.approx(alone.of_game("rounds").value)
        assert found.value("shortages", number).value == pytest.approx(alone.of_game("shortages").value)
    assert found.difference("shortages", found.best).value < 0
    assert "fresh deals" in found.sentence() and not found.has_adapted
    told = json.loads(found.as_json())
    assert told["proposals"][found.best - 1] == found.changes(found.best)
    assert found.as_csv().startswith("table,row")


def test_nothing_has_to_change_where_the_targets_are_met(few_games):
    easy = balance({"rounds": (1, 100)}, {"hand_size": "2..4"}, threads=1, **{**SMALL, "trials": 4})
    assert "nothing has to change" in easy.sentence() and easy.proposals == [] and easy.best == 0
    assert html(report_balance(easy, "easy"))


@pytest.fixture
def few_variations(monkeypatch):
    monkeypatch.setattr(balancing, "adapt", lambda table, steps, **more: adapt(table, steps, 24, 800, **more))


def test_players_adapt(few_games, few_variations, tmp_path):
    """The best answers found under a finalist's rules, and under the base rules, play the same fresh deals again."""
    given = {**SMALL, "strategies": "racer", "trials": 4, "games": 200, "finalists": 1, "players": 4}
    given |= {"adapt": 1, "space.0.score": 0, "out": tmp_path / "b"}
    found = balance({"shortages": {"at_most": 1}}, {"start_food": (3, 7)}, threads=1, **given)
    assert found.has_adapted and len(found.state["adapted"]) == 1 + len(found.proposals)
    assert found.state["adapted"][0]["name"] == "answer 1 to racer" and found.state["adapted"][0]["weights"]
    for adapted in (False, True):
        base, proposal = (found.judged_at(number, adapted) for number in (0, 1))
        assert base.games == proposal.games >= 200 and base.table.rules == found.rules(0)
        alone = simulate(
            base.games, rules=found.rules(1), strategies=list(proposal.table.strategies), first_game=balancing.FRESH
        )
        assert (alone.tally == proposal.tally).all()
    assert "adapted" in found.sentence() and html(report_balance(found, "x"))
    assert any("adapted" in table.title for table in found.result_tables())
    assert load(tmp_path / "b").result_tables() == found.result_tables()


def test_adapted_players_are_judged_on_deals_that_their_tuning_never_saw(few_games, few_variations, monkeypatch):
    """The verdict of the tuning decides who plays on, so its deals are no longer fresh."""
    tuned, judged = set(), set()
    try_strategies, play_tables = tuning.try_strategies, asking.play_tables

    def tried(arena, strategies, first, deals, *rest):
        tuned.update(range(first, first + deals))
        return try_strategies(arena, strategies, first, deals, *rest)

    def played(tables, games, first, *rest):
        if first >= balancing.FRESH:
            judged.update(range(first, first + games))
        return play_tables(tables, games, first, *rest)

    monkeypatch.setattr(tuning, "try_strategies", tried)
    monkeypatch.setattr(asking, "play_tables", played)
    given = {**SMALL, "strategies": "balanced", "trials": 4, "games": 200, "adapt": 1, "finalists": 1, "seed": 77}
    balance({"shortages": {"at_most": 1}}, {"start_food": (3, 7)}, threads=1, **given)
    assert len(judged) >= 200 and len(tuned) > 100
    assert not judged & tuned


def test_finalists_are_judged_until_they_are_decided(few_games):
    """Games are doubled while a finalist is undecided, and a target that no games decide ends the doubling."""
    given = {**SMALL, "games": 100, "trials": 8, "finalists": 1, "players": 3}
    clear = balance({"shortages": {"at_most": 12.0}}, {"start_food": "1..4"}, threads=1, **given)
    value = clear.value("shortages", 1).value
    said = []
    task = replace(clear.task, targets=(Target(clear.task.targets[0].quantity, value - 0.3, value + 0.1),))
    close = balancing.run_balance(task, threads=1, remark=said.append)
    assert clear.judged_at(0).games < close.judged_at(0).games == 800
    assert {close.verdict(task.targets[0], n) for n in range(1, len(close.proposals) + 1)} == {"too close to call"}
    assert "Too few for shortages" in said[0] and "up to 800" in said[0]


@pytest.mark.slow
def test_a_verdict_is_seldom_wrong_at_any_look():
    """With the true value on the end of the range, a verdict at any of four looks is wrong in one of twenty at most."""
    quantity = read_targets({"rounds": [0, 1]}, seat_table(Rules(), "random"))[0].quantity
    wrong = 0
    truth = simulate(200_000, strategies="balanced", seed=999).of_game("rounds").value
    target = Target(quantity, truth, truth + 100)
    for seed in range(200):
        looks = [simulate(games, strategies="balanced", seed=seed) for games in (200, 400, 800, 1600)]
        wrong += any(target.judge(one, 200) != "too close to call" for one in looks)
    assert wrong <= 15


def test_a_small_miss_is_no_zero():
    assert [missed_in_words(miss) for miss in (0.0, 0.004, 0.013)] == ["nothing", "less than 0.01", "0.01"]


def test_the_report(found):
    report = report_balance(found, "name")
    page = html(report)
    assert report.headline and "How close each change comes" in page and "new games" in page
    assert "Judged" in page


FILE = """
strategies = ["random"]
trials = 8
games = 100
search_games = 100
adapt = 0

[rules]
players = 3

[targets]
shortages = { at_most = 12 }

[ranges]
start_food = "2..4"
treasure.sixth_hold = [0, 1]
"""


def test_the_command(tmp_path, few_games):
    (tmp_path / "t.toml").write_text(FILE)
    done = run("balance", tmp_path / "t.toml", "--out", tmp_path / "out", "-t", "1")
    assert done.exit_code == 0 and "Front" in done.output, done.output
    assert json.loads(run("balance", tmp_path / "t.toml", "--trials", "4", "--format", "json").stdout)["trials"] >= 4
    assert run("balance").exit_code == 2 and "shipped one" in run("balance").output
    assert "ghost_that_wins" in run("balance", "--list").output


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[targets]", "[target]"), "there is no key 'target'"),
        (("at_most = 12", "about = 12"), "least, most"),
        (('"2..4"', '"2..99"'), "start_food=11 cannot be played"),
        (("[ranges]\n", "ranges = 3\n[ranged]\n"), "there is no key|ranges"),
    ],
)
def test_files_that_are_refused(tmp_path, change, words):
    (tmp_path / "t.toml").write_text(FILE.replace(*change))
    with pytest.raises(UserError, match=words):
        read_targets_file(tmp_path / "t.toml")


def test_shipped_targets_can_be_searched():
    assert set(shipped_names("targets")) == {"ghost_that_wins", "fair_seats"}
    for name in shipped_names("targets"):
        facts, space, targets = read_targets_file(name)
        task = BalanceTask.checked(space, targets, **facts)
        assert task.title and task.description and task.adapt and None not in space.origin
        assert not space.base.rules.changes()
    assert read_targets_file("ghost_that_wins")[1].base.rules.edition == "2021"


def test_a_missing_package_is_told_before_there_is_a_folder(monkeypatch, tmp_path):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(rule_space, "import_module", missing)
    done = run("balance", "fair_seats", "--out", tmp_path / "out")
    assert done.exit_code == 2 and "pip install optuna SALib" in done.output
    with pytest.raises(ExtraMissing):
        balance(TARGETS, RANGES, out=tmp_path / "out", **SMALL)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "spoilt", "own"), [("start_food", 0, 3), ("hand_size", 5, 3)])
def test_a_planted_optimum_is_found(rule, spoilt, own):
    """From rules with one number spoilt, with the original's figures as targets, the search comes back to them."""
    original = simulate(20_000, strategies="balanced")
    targets = {}
    for key in ("rounds", "shortages", "battles"):
        value = original.of_game(key).value
        targets[key] = (value - 0.2, value + 0.2)
    ranges = {
        "start_food": "0..6",
        "start_gold": "0..6",
        "hand_size": "2..5",
        "holds": "3..5",
        "space.0.score": "10..20",
    }
    few = {"trials": 80, "games": 8_000, "search_games": 2_000, "adapt": 0}
    found = balance(targets, ranges, strategies="balanced", **few, **{rule: spoilt})
    assert found.changes(found.best) == {rule: own}
    assert found.met(found.best) == 3 and found.met(0) < 3
