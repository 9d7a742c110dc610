"""Comparisons from Python: what they say is right, exact where it must be, and the same however it is played."""

import json
import math
import signal

import numpy as np
import pandas as pd
import pytest
from line_ups import tally_line_up
from scipy import stats

from jamaica_sim import UserError, compare
from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.report import prose
from jamaica_sim.report.report import report_comparison
from jamaica_sim.results.stats.control import FIRST_STAGE
from jamaica_sim.results.stats.rating import Transitivity, rate
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.compare.compare import make_plan, play_comparison, prepare, resume_comparison
from jamaica_sim.study.compare.comparison import Comparison
from jamaica_sim.study.compare.deals import (
    DealPlayer,
    fortune_by_deal,
    leads_by_game,
    no_deals,
    tally_deals,
)
from jamaica_sim.study.compare.design import ComparisonPlan
from jamaica_sim.study.simulate import Stopped

WEAK = 'name = "{}"\n[weights]\nprogress = {}\n'

# Winners of real games of balanced (0), champion (1), gambler (2), hoarder (3) and racer (4), four players, seed 4: for
# each line-up, deals of four games in which player i sits in seat i + r; a digit is the set of the winners' seats.
RECORDED = """
0123 2241844182148241  0132 2882244414481214  0213 2842484888444424  0231 2111144481241411  0312 4248482848122188
0321 8144482484281128  0124 1121422122222281  0142 4421182824221248  0214 4222121811888418  0241 1484822442442228
0412 1111288841828282  0421 1224212444441211  0134 1121222121141248  0143 4441221424228882  0314 4844882818121222
0341 1121841842248184  0413 4812484218221212  0431 8128224121218121  0234 4288444288281144  0243 8841121828122242
0324 1228222482414288  0342 1848484241482148  0423 2241184112884281  0432 1288124812282228  1234 a112814811881184
1243 4418124218484281  1324 12441114124c1844  1342 1144114244248118  1423 122112a818481218  1432 1281228884881148
"""
BY_CHOIX = [0.4501, 0.6856, -0.3783, -0.8504, 0.0931]  # choix 0.4.1, ilsr_top1, without seat effects


@pytest.fixture(scope="module")
def duel():
    """Balanced against random at a table of three."""
    return compare(["balanced", "random"], games=300, players=3, seed=3)


@pytest.fixture(scope="module")
def field():
    """Three strategies and the ghost at tables of four."""
    return compare(["random", "balanced", "hoarder"], games=400, players=4, ghost=True)


# Two strategies


def test_a_strategy_is_equal_to_itself_deal_by_deal():
    for players in (2, 3, 4):
        same = compare(["balanced", "balanced"], until="verdict", margin=0.04, players=players)
        assert same.labels == ["balanced #1", "balanced #2"]
        assert same.verdict(0, 1) == "equal" and same.difference(0, 1).value == 0
        assert same.games < 20_000
        assert math.isinf(same.pairing_gain) or math.isnan(same.pairing_gain)
        assert "balanced #1 and balanced #2 are equal within 4 points of win rate" in same.sentence()


def test_the_better_one_is_found_soon():
    found = compare(["random", "balanced"], until="verdict")
    assert found.verdict(0, 1) == "worse" and found.verdict(1, 0) == "better" and found.is_settled
    assert found.games == 1000  # the first look
    share = found.share_of_points(1, 0)
    assert found.sentence() == f"balanced beats random in {share:%} of the points, 1,000 games, seed 1."


def test_intervals_are_paired_and_count_deals(duel):
    contest = duel.contest
    deals = DealPlayer(contest).deals(0, duel.deals)
    leads = leads_by_game(contest.design, deals)
    lead, luck = leads.sum(axis=1), fortune_by_deal(contest.design, deals)
    early, told = slice(FIRST_STAGE), np.corrcoef(lead[:FIRST_STAGE], luck[:FIRST_STAGE])[0, 1] ** 2
    multiple = np.polyfit(luck[early], lead[early], 1)[0] * max(0, 1 - (1 - told) / ((FIRST_STAGE - 2) * told))
    without_luck = lead - multiple * luck * (np.arange(150) >= FIRST_STAGE)
    per_seat = without_luck / (WIN_UNITS * 3)  # three ships of each in the two games of a deal
    unseen = 4 * (2 / 3) ** 2  # two imagined deals at each end, in which one strategy wins both games
    error = math.sqrt((per_seat.var() * 150 + unseen) / 149 / 150)
    difference = duel.difference(0, 1)
    assert difference.value == pytest.approx(per_seat.mean(), abs=1e-5)
    assert difference.half_width == pytest.approx(stats.t.ppf(0.975, 149) * error, rel=1e-4)
    assert difference.n == duel.deals == 150 and duel.games == 300
    assert duel.pairing_gain == pytest.approx(leads.var(axis=0).sum() / lead.var())
    assert duel.luck_gain == pytest.approx(lead.var() / without_luck.var(), rel=1e-3)


def test_known_luck_is_taken_off_without_moving_the_result():
    away, gains = [], []
    for players, ghost in ((2, True), (4, False), (5, False)):
        found = compare(["balanced", "racer"], games=6000, players=players, ghost=ghost, seed=players)
        raw = replaced(found, stage_deals=found.tally.stage_deals * 0)
        assert found.knows_luck and not raw.knows_luck and raw.luck_gain == 1
        one, other = found.difference(0, 1), raw.difference(0, 1)
        assert one.half_width < 0.97 * other.half_width
        assert found.ahead(0, 1).half_width < raw.ahead(0, 1).half_width
        assert "The same deals and known luck saved" in found.remarks()[0]
        assert "The same deals saved" in raw.remarks()[0]
        gains.append(found.luck_gain)
        # The mean difference of the two is zero; its error follows from the luck taken off.
        away.append((one.value - other.value) / (math.sqrt(1 - 1 / found.luck_gain) * other.half_width / 1.96))
    assert min(gains) > 1.08 and np.abs(away).max() < 4


def test_one_against_a_field():
    found = compare("balanced", against=["random", "hoarder"], games=480)
    design = found.contest.design
    deals = DealPlayer(found.contest).deals(0, found.deals)
    seated = design.seatings[deals.kinds] == 0
    rates = (deals.wins * seated).sum(axis=(1, 2)) / (WIN_UNITS * 4)
    assert found.win_rate(0).value == pytest.approx(rates.mean())
    assert found.edge.value == pytest.approx(rates.mean() - 1 / 4)
    error = math.sqrt((rates.var() * found.deals + 4) / (found.deals - 1) / found.deals)
    assert found.edge.half_width == pytest.approx(stats.t.ppf(0.975, found.deals - 1) * error)
    assert found.edge_verdict == "better"
    assert found.sentence().startswith("balanced is better than the field of random and hoarder: it wins ")
    assert [row[0] for row in found.result_tables()[0].rows][0] == "balanced"
    assert set(found.files()) == {"comparison.json", "strategies.csv", "pairs.csv"}
    made = report_comparison(found, "one")
    assert made.command.startswith("jamaica-sim compare balanced --against random hoarder --games 480")
    [chapter] = made.chapters
    assert made.headline == "Balanced beats a field of random and hoarder"
    said, edge = prose.plain(" ".join([*made.standfirst, *chapter.sentences()])), 100 * found.edge.value
    assert f"Balanced wins {100 * found.win_rate(0).value:.1f}% of the games with each of its ships;" in said
    assert any(f"Balanced is {edge:.{digits}f} points above an equal share, clearly" in said for digits in (0, 1))
    assert made.hero.name == "win_rates" and [figure.name for figure in chapter.figures] == ["ahead"]


def test_against_itself_one_is_equal():
    same = compare("balanced", against=["balanced"], until="verdict", margin=0.04)
    assert same.edge_verdict == "equal" and same.edge.value == pytest.approx(0, abs=0.04) and same.is_settled


def test_the_field_is_checked():
    with pytest.raises(ValueError, match="one strategy can play against a field, not 2"):
        prepare(["balanced", "racer"], against=["random"])
    with pytest.raises(ValueError, match="the field is empty"):
        prepare("balanced", against=[])


def test_shares_add_up(duel):
    assert duel.share_of_points(0, 1).value + duel.share_of_points(1, 0).value == pytest.approx(1)
    assert duel.ahead(0, 1).value + duel.ahead(1, 0).value == pytest.approx(1)
    assert duel.win_rate(0).value + duel.win_rate(1).value == pytest.approx(2 / 3)
    assert duel.even == pytest.approx(1 / 3)


def test_the_ghosts_wins_count_for_nobody():
    haunted = compare(["balanced", "random"], games=400, players=2)
    ghost = 1 - haunted.win_rate(0).value - haunted.win_rate(1).value
    assert 0 < ghost < 0.6 and haunted.even == pytest.approx((1 - ghost) / 2)
    assert "of the players' points" in haunted.sentence()
    share = haunted.win_rate(0).value / (haunted.win_rate(0).value + haunted.win_rate(1).value)
    assert haunted.share_of_points(0, 1).value == pytest.approx(share)


def duel_of(values, **plan):
    """A comparison of two strategies at a table of four. `values` has the lead of the first in each deal, in games."""
    contest = prepare(["random", "balanced"])
    tally = no_deals(contest.design)[0]
    for lead in values:
        wins = np.array([1 + lead / 2, 1 - lead / 2, 0.5, 0.5, 0.5, 0.5]) * WIN_UNITS
        wins = wins.round().astype(int)
        tally.deals[0] += 1
        tally.wins[0] += wins
        tally.products[0] += np.outer(wins, wins)
        tally.leads[0] += [lead * WIN_UNITS, (lead * WIN_UNITS) ** 2]
    return Comparison(contest, ComparisonPlan(1000, **plan), tally)


@pytest.mark.parametrize(
    ("values", "verdict", "words"),
    [
        ([2, 0, 2, 0] * 30, "better", "random beats balanced in 75.0% ± "),
        ([-2, 0, -2, 0] * 30, "worse", "balanced beats random in 75.0% ± "),
        ([1, -1] * 4000, "equal", "random and balanced are equal within 2 points of win rate: random has 50.0% ± "),
        ([2, -2, 0], "undecided", "random and balanced are too close to call: random has 50.0% ± "),
    ],
)
@pytest.mark.parametrize("until", [False, True])
def test_verdicts_in_words(values, verdict, words, until):
    found = duel_of(values, margin=0.02, until_verdict=until)
    assert found.verdict(0, 1) == verdict
    if not (until and verdict == "equal"):
        assert found.sentence().startswith(words)
    assert found.sentence().endswith(f", {2 * len(values):,} games, seed 1.")


def test_a_verdict_that_holds_at_every_look_has_wider_intervals():
    values = [2, 0, 0, -2, 1] * 40
    once, always = (duel_of(values, until_verdict=until) for until in (False, True))
    for width in ("difference", "share_of_points"):
        one, other = (getattr(found, width)(0, 1).half_width for found in (once, always))
        assert one < other < 4 * one
    # Without the ghost the share of the points is the difference in other words.
    assert always.share_of_points(0, 1).half_width == pytest.approx(always.difference(0, 1).half_width)


def test_what_pairing_saved_is_said():
    assert "every deal ended as before" in duel_of([0] * 10).remarks()[0]
    gain = duel_of([1, -1, 2, 0])
    gain.tally.leads[1] = gain.tally.leads[0]
    assert gain.pairing_gain == pytest.approx(2)
    assert "saved 50% of the games" in gain.remarks()[0]
    assert "did not save games" in replaced(gain, leads=gain.tally.leads // 4).remarks()[0]


def replaced(comparison, **sums):
    tally = comparison.tally.copy()
    for name, value in sums.items():
        setattr(tally, name, value)
    return Comparison(comparison.contest, comparison.plan, tally)


# Many strategies


def test_a_field_is_ranked(field):
    assert [field.labels[s] for s in field.order] == ["balanced", "hoarder", "random"]
    assert field.rank(1) == "1" and field.rank(0) == "3"
    assert field.games == 432 and field.contest.design.games_in_cycle == 36
    assert 0.2 < field.even < 0.25
    assert field.sentence().startswith("balanced leads 3 strategies with a win rate of ")
    assert sum(points.value for points in map(field.points, range(3))) == pytest.approx(0, abs=1e-6)


def test_the_matrix_is_complementary(field):
    for a, b in field.pairs:
        assert field.ahead(a, b).value + field.ahead(b, a).value == pytest.approx(1)
        assert field.difference(a, b).value == pytest.approx(-field.difference(b, a).value)
        assert field.difference(a, b).value == pytest.approx(field.win_rate(a, b).value - field.win_rate(b, a).value)
    assert field.transitivity.verdict in ("transitive", "undecided")


def test_more_strategies_than_players():
    found = compare(["random", "random", "balanced"], games=300, players=2)
    assert found.labels == ["random #1", "random #2", "balanced"]
    assert [table.title for table in found.result_tables()] == [
        "Strategies",
        "Who finishes ahead of whom",
        "Win rate by opponent",
        "Seats",
    ]
    assert found.rank(2) == "1" and found.rank(0) == found.rank(1) == "2 to 3"
    assert found.win_rate(2).n == 2 * found.deals / 3
    assert found.difference(0, 1).value == 0  # the same strategy, the same deals
    assert np.mean([found.win_rate(s).value for s in range(3)]) == pytest.approx(found.even)


def test_three_times_the_same_cannot_be_told_apart():
    same = compare(["balanced"] * 3, games=30, players=3)
    assert same.sentence() == (
        "3 strategies cannot be told apart at tables of 3, where 33.3% is even, 30 games, seed 1."
    )
    assert {same.rank(s) for s in range(3)} == {"1 to 3"}


def test_until_every_pair_is_settled():
    contest = prepare(["random", "balanced", "hoarder"])
    looks = []
    play_comparison(contest, make_plan(until="verdict", margin=0.1), looks.append)
    *before, last = looks
    assert last.is_settled and not any(look.is_settled for look in before)
    assert "undecided" not in last.verdicts.values()
    once = Comparison(last.contest, ComparisonPlan(1000), last.tally)
    assert last.points(1).half_width > 1.2 * once.points(1).half_width


def test_the_cap_ends_it_without_a_verdict():
    capped = compare(["hoarder", "gambler"], until="verdict", max_games=2001, margin=0.0005, players=4)
    assert capped.games == 2000 and not capped.is_settled
    assert "too close to call" in capped.sentence()


def test_circles_in_words(field):
    def remark(found):
        told = Comparison(field.contest, field.plan, field.tally)
        told.__dict__["transitivity"] = found
        return told.remarks()[0]

    assert remark(Transitivity("transitive", (), 3, 3)).startswith("The field is transitive")
    assert "2 of 3 pairs are too close" in remark(Transitivity("undecided", (), 1, 3))
    assert "random finishes ahead of balanced, balanced of hoarder and hoarder of random" in remark(
        Transitivity("cyclic", ((0, 1, 2),), 3, 3)
    )
    assert "four or more" in remark(Transitivity("cyclic", (), 4, 6))


def recorded():
    """The recorded games: a tally for each line-up, and the games as (winner, losers), each whole win six times."""
    tallies, games = [], []
    words = RECORDED.split()
    for line, digits in zip(words[::2], words[1::2], strict=True):
        line = tuple(map(int, line))
        winners = np.array([int(digit, 16) for digit in digits]).reshape(-1, 4)[:, :, None] >> np.arange(4) & 1
        wins = winners * (WIN_UNITS // winners.sum(axis=2, keepdims=True))
        tallies.append(tally_line_up(line, wins))
        for rotation, by_seat in ((r, deal[r]) for deal in wins for r in range(4)):
            seated = [line[(seat - rotation) % 4] for seat in range(4)]
            for winner, parts in zip(seated, by_seat, strict=True):
                games += [(winner, [s for s in seated if s != winner])] * (parts // 10)
    return tallies, games


def test_the_rating_of_real_games_agrees_with_choix():
    rating = rate(recorded()[0], prior=0)
    for strength, other in zip(rating.strengths, BY_CHOIX, strict=True):
        assert abs(strength.value - other) < 0.02 * strength.half_width  # they differ by the seat effects


def test_what_choix_says_is_recorded_rightly():
    choix = pytest.importorskip("choix")
    strengths = choix.ilsr_top1(5, recorded()[1], alpha=0.0, tol=1e-12)
    assert strengths - strengths.mean() == pytest.approx(BY_CHOIX, abs=1e-4)


# Whatever is given, however it is played


@pytest.mark.parametrize("names", [["random", "balanced", "random"], ["racer", "balanced"]])
def test_threads_and_chunks_change_nothing(names):
    one = compare(names, games=600, players=2, threads=1)
    other = compare(names, games=600, players=2, threads=3, chunk_games=50)
    assert one.as_json() == other.as_json() and one.as_csv() == other.as_csv()


def test_a_duel_that_goes_on_from_an_earlier_look_ends_alike(tmp_path):
    contest, plan = prepare(["racer", "balanced"], players=3), make_plan(games=6000)
    looks = []
    whole = play_comparison(contest, plan, looks.append)
    assert [np.count_nonzero(look.tally.stage_deals) for look in looks[:3]] == [3, 3, 4]
    with pytest.raises(Stopped):
        play_comparison(contest, plan, lambda look: signal.raise_signal(signal.SIGINT), tmp_path / "duel")
    end = resume_comparison(tmp_path / "duel", threads=1, chunk_size=100)
    assert end.knows_luck and end.as_json() == whole.as_json()
    assert end.tally.tobytes() == whole.tally.tobytes()


def test_strategies_may_be_named_one_after_the_other():
    as_list, one_by_one = compare(["balanced", "racer"], games=80), compare("balanced", "racer", games=80)
    assert one_by_one.sentence() == as_list.sentence()


def test_progress_is_told():
    told = []
    compare(["random", "random"], games=3000, progress=told.append)
    assert [comparison.games for comparison in told] == [1000, 2000, 3000]


def test_files_of_the_same_name_are_told_apart(tmp_path):
    for number, folder in enumerate(("mine", "yours")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "swift.toml").write_text(WEAK.format("swift", number + 1))
    files = [str(tmp_path / folder / "swift.toml") for folder in ("mine", "yours")]
    assert compare(files, games=20).labels == ["swift (mine)", "swift (yours)"]
    assert prepare([*files, files[0]]).labels == ["swift (mine) #1", "swift (yours)", "swift (mine) #2"]
    (tmp_path / "mine" / "other.toml").write_text(WEAK.format("swift", 3))
    assert prepare([*files, tmp_path / "mine" / "other.toml"]).labels == [
        "swift (mine/swift.toml)",
        "swift (yours/swift.toml)",
        "swift (mine/other.toml)",
    ]


def test_a_file_called_like_a_shipped_strategy(tmp_path):
    file = tmp_path / "balanced.toml"
    file.write_text(WEAK.format("balanced", 1))
    assert prepare(["balanced", file]).labels == ["balanced", f"balanced ({file})"]
    loaded = load_strategy(str(file))
    assert prepare(["random", loaded]).labels == ["random", "balanced"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"strategies": ["balanced"]}, "at least two strategies"),
        ({"strategies": "balanced"}, "at least two strategies"),
        ({"strategies": ["balanced", "balansed"]}, "did you mean 'balanced'"),
        ({"games": 0}, "from 1 to"),
        ({"games": 10**30}, "from 1 to 1,000,000,000,000, not 1000"),
        ({"until": "verdict", "max_games": 10**30}, "from 1 to 1,000,000,000,000, not 1000"),
        ({"games": 2.5}, "whole number"),
        ({"until": "morning"}, "until 'verdict'"),
        ({"until": "verdict", "games": 10}, "not both"),
        ({"max_games": 10}, "max_games caps"),
        ({"until": "verdict", "max_games": 1}, "2 strategies at tables of 4 once take 2 games"),
        ({"margin": 0}, "margin must be from"),
        ({"margin": 1}, "one point of win rate"),
        ({"alpha": 0.9}, "alpha must be from"),
        ({"players": 7}, "players must be"),
        ({"players": 6, "ghost": True}, "free colour"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        compare(**{"strategies": ["random", "random"], **options})


def test_code_that_does_not_play_by_the_rules_is_refused(tmp_path):
    cheat = tmp_path / "cheat.py"
    cheat.write_text('"""Plays a card that nobody has."""\n\ndef choose_card(view, rules, weights):\n    return 40\n')
    with pytest.raises(StrategyFault, match="not one of the legal options.*jamaica-sim replay"):
        compare(["random", str(cheat)])
    cheat.write_text('"""Answers with a fraction."""\n\ndef choose_card(view, rules, weights):\n    return 0.5\n')
    with pytest.raises(StrategyError, match="returns a fraction"):
        compare(["random", str(cheat)])


# Tables and files


def test_tables_for_pandas(duel, field):
    assert list(duel.by_strategy()["strategy"]) == ["balanced", "random"]
    pairs = field.by_pair()
    assert len(pairs) == 3 and set(pairs["verdict"]) <= {"better", "worse", "equal", "undecided"}
    assert (pairs["difference_low"] <= pairs["difference"]).all()
    assert field.by_seat()["win_rate"].sum() < 1  # the ghost has the rest
    assert list(field.by_strategy()["rank"]) == ["1", "2", "3"]


def test_a_folder_is_written_whole(duel, field, tmp_path):
    duel.save(tmp_path / "duel")
    field.save(tmp_path / "deep" / "field")
    files = sorted(path.name for path in (tmp_path / "deep" / "field").iterdir())
    assert files == ["comparison.json", "pairs.csv", "seats.csv", "strategies.csv"]
    assert sorted(path.name for path in (tmp_path / "duel").iterdir()) == [
        "comparison.json", "pairs.csv", "strategies.csv",
    ]  # fmt: skip
    facts = json.loads((tmp_path / "duel" / "comparison.json").read_text())
    assert facts["sentence"] == duel.sentence() and facts["complete"] is True and facts["seed"] == 3
    assert [s["name"] for s in facts["strategies"]] == ["balanced", "random"]
    assert len(facts["tables"]["pairs"]) == 1
    read = pd.read_csv(tmp_path / "deep" / "field" / "pairs.csv")
    assert read.equals(field.by_pair().astype(read.dtypes.to_dict()))
    with pytest.raises(ValueError, match="exists already"):
        duel.save(tmp_path / "duel")


def test_a_folder_that_could_not_be_finished_is_not_there(duel, tmp_path, monkeypatch):
    monkeypatch.setattr("jamaica_sim.study.compare.comparison.pair_table", lambda comparison: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        duel.save(tmp_path / "duel")
    assert list(tmp_path.iterdir()) == []


def test_sums_do_not_grow_with_the_games():
    contest = prepare(["random", "random", "random", "balanced"], players=3)
    few, many = (tally_deals(contest.design, DealPlayer(contest).deals(0, n)) for n in (1, 50))
    assert few.dtype == many.dtype and few.shape == many.shape == (1,)


@pytest.mark.parametrize("contest", [{"against": ["balanced"]}, {"against": None}])
def test_two_strategies_have_no_seats_at_tables_of_more(contest):
    strategies = ["random"] if contest["against"] else ["random", "balanced"]
    assert len(compare(strategies, games=20, players=2, **contest).by_seat()) == 2
    with pytest.raises(UserError, match="where three or more strategies are compared"):
        compare(strategies, games=20, players=3, **contest).by_seat()
