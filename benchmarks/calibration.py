"""Checks whether comparisons and studies of causes keep their promises on real games: how often equals are called
different, and how often intervals hold.

Every line plays many small comparisons or studies, each on deals of its own, with the functions that the commands use.
    python benchmarks/calibration.py                 about ten minutes on two cores
    python benchmarks/calibration.py --runs 60       a quick look
    python benchmarks/calibration.py --only causes   studies of causes alone
    python benchmarks/calibration.py --only reviews  reviews of games alone
"""

import json
import math
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
import numpy as np

from jamaica_sim.game.codes import DECISIONS, WIN_UNITS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import default_threads
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.outside.game import Game
from jamaica_sim.results.stats.control import STAGE_ENDS
from jamaica_sim.results.stats.estimate import bounded_interval, proportion_interval
from jamaica_sim.results.stats.sequential import MIN_DEALS, judge, sequence_half_width, verdicts
from jamaica_sim.strategy.library import load_strategies
from jamaica_sim.study.causes import worth
from jamaica_sim.study.causes.budget import luck_budget
from jamaica_sim.study.compare.compare import prepare, warm_up
from jamaica_sim.study.compare.comparison import Comparison
from jamaica_sim.study.compare.deals import DealPlayer, fortune_by_deal, leads_by_game, no_deals, tally_deals
from jamaica_sim.study.compare.design import ComparisonPlan
from jamaica_sim.web.levels import LEVELS, opponent
from jamaica_sim.web.review import error_of, positions_of

ALPHA = 0.05
MARGIN = 0.05  # wide, to suit a few hundred deals
SPAN = 0.5  # the largest difference of a deal of two games at a table of four: one strategy wins both games
POOL = 10_000  # deals to draw from
LOOKS, LOOK_DEALS = 240, 500  # of a comparison that is resampled
TRUTH = 250  # times the deals of one run, so that the error of the truth itself does not matter
ELSEWHERE = [
    ("champion", "balanced", {"players": 5}),
    ("balanced", "racer", {"players": 2, "ghost": True, "edition": "2021"}),
    ("balanced", "gambler", {"players": 3, "edition": "2021"}),
]
FIELD = ["balanced", "champion", "gambler", "hoarder", "racer"]
STUDY_DEALS, STUDY_GAMES = 40, 1000  # of a small study of causes
LARGE = 50  # the study that it is checked against is this many times as large
OTHERS = "champion"  # at the table of a game that is reviewed
REVIEWED = [Rules(), Rules(players=2, ghost=True, edition="2021")]
REVIEW_GAMES = 100
TWIN_HEAD = '"""Plays at random, with other luck."""\n\nfrom jamaica_sim.strategy.api import luck, pick_random\n'
TWIN = "\n\ndef {}(view, rules, weights):\n    luck(view)\n    return pick_random(view, view.legal)\n"


@dataclass(frozen=True)
class Finding:
    """How often something happened, and how often it may."""

    what: str
    share: float
    runs: int
    low: float  # what is promised
    high: float

    @property
    def holds(self) -> bool:
        """Whether the share is as promised, allowing for the luck of so few runs."""
        seen = proportion_interval(round(self.share * self.runs), self.runs)
        return seen.high >= self.low and seen.low <= self.high

    def line(self) -> str:
        """The finding in one line."""
        seen = proportion_interval(round(self.share * self.runs), self.runs)
        promised = f"at most {self.high:.0%}" if self.low == 0 else f"{self.low:.0%} to {self.high:.0%}"
        word = "ok" if self.holds else "NOT AS PROMISED"
        return f"{self.what:<78} {self.share:6.1%}  ({seen.low:.1%} to {seen.high:.1%}; {promised})  {word}"


def random_twin(folder: str) -> str:
    """A strategy that must be as good as `random`, but plays other games."""
    file = Path(folder) / "twin.py"
    file.write_text(TWIN_HEAD + "".join(TWIN.format(decision) for decision in DECISIONS))
    return str(file)


def played(contest, deals, threads, first=0, size=200):
    """Play deals of a contest in parts, by several threads; each part is numbered as a comparison of its own."""

    def play(start):
        part = DealPlayer(contest).deals(start, min(size, first + deals - start))
        return replace(part, numbers=part.numbers - start)

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(play, range(first, first + deals, size))


def small_comparison(contest, part):
    """A comparison made from some deals."""
    return Comparison(contest, ComparisonPlan(1, alpha=ALPHA, margin=MARGIN), tally_deals(contest.design, part)[0])


def differences(contest, part):
    """The difference in win rate of two strategies by deal and game; the games of a deal add up to its difference."""
    in_deal = contest.design.games_in_deal * contest.rules.players / 2
    return leads_by_game(contest.design, part) / (WIN_UNITS * in_deal)


def differences_without_luck(contest, parts):
    """The differences by deal with known luck subtracted, of many runs at once."""
    leads = np.array([differences(contest, part).sum(axis=1) for part in parts])
    return without_luck(leads, np.array([fortune_by_deal(contest.design, part) for part in parts]))


def without_luck(values, luck):
    """The values of deals with luck subtracted as in `stats.control`, of many runs at once."""
    left = values.astype(float)
    for start, end in zip(STAGE_ENDS.tolist(), STAGE_ENDS[1:].tolist(), strict=False):
        if start >= values.shape[1]:
            break
        early, control = (v[:, :start] - v[:, :start].mean(axis=1, keepdims=True) for v in (values, luck))
        common, square = (early * control).sum(axis=1), (control**2).sum(axis=1)
        told = common**2 / np.maximum(square * (early**2).sum(axis=1), 1e-300)
        kept = np.maximum(0, 1 - (1 - told) / np.maximum((start - 2) * told, 1e-300))
        left[:, start:end] -= (kept * common / np.maximum(square, 1e-300))[:, None] * luck[:, start:end]
    return left


def running(values):
    """Deals, sums and squares about the mean after every deal, of many runs at once."""
    n = np.arange(1, values.shape[1] + 1)
    total = np.cumsum(values, axis=1)
    return n, total, np.cumsum(values**2, axis=1) - total**2 / n


def sequences(values, margin):
    """Mean and half-width after every deal of many runs at once, from the first deal that may decide."""
    n, total, squares = running(values)
    half_width = sequence_half_width(n, squares, margin, ALPHA, span=SPAN)
    return (total / n)[:, MIN_DEALS - 1 :], half_width[:, MIN_DEALS - 1 :]


def first_verdicts(n, total, squares, margin):
    """The first verdict of many runs at once (0 none, 1 equal, 2 better, 3 worse), and the look at which it came."""
    said = np.select(verdicts(n, total, squares, margin, ALPHA, SPAN), [1, 2, 3], 0)
    look = np.where(said.any(axis=1), (said > 0).argmax(axis=1), said.shape[1] - 1)
    return said[np.arange(len(said)), look], look


def ever_called_different(values, margin):
    """Runs that say better or worse before they say equal, asked after every deal."""
    return first_verdicts(*running(values), margin)[0] > 1


def ever_called_equal(values, margin):
    """Runs that say equal first, asked after every deal."""
    return first_verdicts(*running(values), margin)[0] == 1


def stopping(runs, seed, threads):
    """Games until the verdict at a margin of one point, on resampled deals of balanced and racer.

    The values are shifted so that their mean is the difference in question. There is a look every 500 deals.
    Known luck is subtracted, and for comparison also left in.
    """
    contest = prepare(["balanced", "racer"], seed=seed)
    warm_up(contest)
    parts = list(played(contest, POOL, threads))
    pool = np.concatenate([differences(contest, part).sum(axis=1) for part in parts])
    luck = np.concatenate([fortune_by_deal(contest.design, part) for part in parts])
    luck = luck - luck.mean()
    rng = np.random.default_rng(seed)
    for words, difference in (("equal", 0.0), ("half the margin", 0.005), ("the margin", 0.01), ("twice it", 0.02)):
        moved = pool - pool.mean() + difference
        ends = [resampled_ends(moved, luck, rng) for _ in range(4 * runs // 20)]
        (said, look), (_, look_with_luck) = (
            map(np.concatenate, zip(*of, strict=True)) for of in zip(*ends, strict=True)
        )
        games, with_luck = (2 * LOOK_DEALS * (looks + 1) for looks in (look, look_with_luck))
        error = 1.96 * games.std() / math.sqrt(len(games))
        yield (
            f"Stopping: the difference is {words}: {games.mean():,.0f} ± {error:,.0f} games until the verdict; "
            f"{with_luck.mean():,.0f} with luck left in"
        )
        if difference in (0.0, 0.01):
            wrong = said > 1 if difference == 0 else said == 1
            name = "different" if difference == 0 else "equal"
            yield Finding(f"Stopping: called {name} though the difference is {words}", *share_of(wrong), 0, ALPHA)


def resampled_ends(values, luck, rng):
    """First verdicts and their looks of 20 comparisons of deals drawn from these: luck subtracted, then left in."""
    drawn = rng.integers(0, values.size, (20, LOOKS * LOOK_DEALS))
    n = LOOK_DEALS * np.arange(1, LOOKS + 1)
    for found in (without_luck(values[drawn], luck[drawn]), values[drawn]):
        by_look = found.reshape(20, LOOKS, LOOK_DEALS)
        total, raw = by_look.sum(axis=2).cumsum(axis=1), (by_look**2).sum(axis=2).cumsum(axis=1)
        yield first_verdicts(n, total, raw - total**2 / n, 0.01)


def rare_differences(runs, seed):
    """Fixed numbers of games in which differences are rare and one-sided, and come to one point on average."""
    rng = np.random.default_rng(seed)
    for deals in (150, 300, 1000):
        found = rng.binomial(deals, 0.01 / SPAN, 10 * runs)  # the deals in which the first wins both games
        equal = [judge(bounded_interval(deals, k, k, scale=2, span=SPAN), 0.01) == "equal" for k in found.tolist()]
        yield Finding(f"{2 * deals} games, a rare difference of one point: called equal", *share_of(equal), 0, ALPHA)


def share_of(flags):
    """The share of true flags, and the number of flags."""
    flags = np.asarray(list(flags), bool)
    return float(flags.mean()), int(flags.size)


def equals(runs, deals, seed, threads, twin):
    """Equal strategies that play different games: `random` and its twin."""
    contest = prepare(["random", twin], seed=seed)
    warm_up(contest)
    parts = list(played(contest, runs * deals, threads, size=deals))
    fixed = [small_comparison(contest, part).verdict(0, 1) in ("better", "worse") for part in parts]
    yield Finding("A/A: random and its twin called different, once at the end", *share_of(fixed), 0, ALPHA)
    values = differences_without_luck(contest, parts)
    yield Finding("A/A: the same, asked after every deal", *share_of(ever_called_different(values, MARGIN)), 0, ALPHA)


def equals_among_others(runs, seed, threads):
    """The same strategy twice, told apart only by where it sits relative to a third."""
    contest = prepare(["balanced", "balanced", "racer"], players=3, seed=seed)
    warm_up(contest)
    found = [small_comparison(contest, part) for part in played(contest, runs * 100, threads, size=100)]
    share = share_of(not _holds(c.difference(0, 1), 0) for c in found)
    yield Finding("A/A: balanced twice, beside racer, called different", *share, 0, ALPHA)
    share = share_of(c.verdict(0, 1) in ("better", "worse") for c in found)
    yield Finding("A/A: the same as the verdict, which counts all three pairs", *share, 0, ALPHA)


def duel(runs, deals, seed, threads):
    """Balanced against racer: intervals against the truth of many more deals, and what pairing is worth."""
    contest = prepare(["balanced", "racer"], seed=seed)
    warm_up(contest)
    long_run = played(contest, TRUTH * deals, threads, first=runs * deals)
    by_game = np.concatenate([differences(contest, part) for part in long_run])
    truth = by_game.sum(axis=1).mean()
    parts = list(played(contest, runs * deals, threads, size=deals))
    covered = share_of(_holds(small_comparison(contest, part).difference(0, 1), truth) for part in parts)
    yield Finding(f"Coverage: balanced less racer is {truth:.4f}; 95% interval of {deals} deals", *covered, 0.93, 0.98)
    values = differences_without_luck(contest, parts)
    moved = values - np.array([differences(contest, part).sum(axis=1) for part in parts])
    error = 1.96 * moved.std() / math.sqrt(moved.size)
    by = f"{100 * moved.mean():.3f} ± {100 * error:.3f} points"
    yield f"Known luck: taking it off moved the mean of {moved.size:,} deals by {by}"
    mean, half_width = sequences(values, MARGIN)
    missed = share_of((np.abs(mean - truth) > half_width).any(axis=1))
    yield Finding("Sequence: misses that truth at any of its looks", *missed, 0, ALPHA)
    said = share_of(ever_called_equal(values, 0.9 * truth))
    yield Finding("Sequence: calls them equal within less than the truth, at any look", *said, 0, ALPHA)
    yield pairing(by_game)


def duels_elsewhere(runs, deals, seed, threads):
    """Other pairs at other tables: intervals against the truth of many more deals."""
    for first, second, rules in ELSEWHERE:
        contest = prepare([first, second], seed=seed, **rules)
        warm_up(contest)
        in_deal = WIN_UNITS * contest.design.games_in_deal * contest.rules.players / 2
        long_run = played(contest, TRUTH * deals // 2, threads, first=runs * deals)
        truth = np.concatenate([leads_by_game(contest.design, p).sum(axis=1) for p in long_run]).mean() / in_deal
        found = [small_comparison(contest, part) for part in played(contest, runs * deals, threads, size=deals)]
        covered = share_of(_holds(comparison.difference(0, 1), truth) for comparison in found)
        where = ", ".join(f"{name} {value}" for name, value in rules.items())
        yield Finding(f"Coverage: {first} less {second}, {where}: {deals} deals", *covered, 0.93, 0.98)


def pairing(by_game):
    """The paired interval against one of as many games that share no deals, in words."""
    games = len(by_game) // 2 * 2
    paired = by_game[: games // 2].sum(axis=1)
    unpaired = by_game[: games // 2, 0] + by_game[games // 2 : games, 1]
    widths = [1.96 * v.std() / math.sqrt(v.size) for v in (paired, unpaired)]
    return (
        f"Pairing: {games:,} games of balanced and racer: ± {100 * widths[0]:.3f} points on the same deals, "
        f"± {100 * widths[1]:.3f} on different ones; as if by {(widths[1] / widths[0]) ** 2:.2f} times the games"
    )


def field(runs, seed, threads):
    """Five strategies at tables of four: every kind of interval against the truth of many more deals."""
    contest = prepare(FIELD, seed=seed)
    warm_up(contest)
    deals, numbers = 3 * len(contest.design.cycle), range(len(FIELD))
    sums = no_deals(contest.design)
    for part in played(contest, TRUTH * deals, threads, first=runs * deals, size=deals):
        sums.view(np.int64)[:] += tally_deals(contest.design, part).view(np.int64)
    truth = Comparison(contest, ComparisonPlan(1), sums[0])
    found = [small_comparison(contest, part) for part in played(contest, runs * deals, threads, size=deals)]

    def coverage(estimate, arguments):
        hits = [[_holds(estimate(c, *a), estimate(truth, *a).value) for a in arguments] for c in found]
        return float(np.mean(hits)), runs  # the figures of one run depend on each other, so the runs are counted

    each, pairs = [(s,) for s in numbers], truth.pairs
    where = f"five strategies, {deals} deals"
    yield Finding(f"Coverage: win rates of {where}", *coverage(Comparison.win_rate, each), 0.93, 0.97)
    yield Finding("Coverage: ratings", *coverage(Comparison.points, each), 0.93, 0.97)
    yield Finding("Coverage: differences in win rate", *coverage(Comparison.difference, pairs), 0.93, 1.0)
    yield Finding("Coverage: who finishes ahead of whom", *coverage(Comparison.ahead, pairs), 0.93, 0.97)
    order = [truth.win_rate(s).value for s in numbers]
    wrong = [
        any((v == "better") != (order[a] > order[b]) for (a, b), v in c.verdicts.items() if v in ("better", "worse"))
        for c in found
    ]
    yield Finding("Verdicts: any pair of the five called the wrong way round", *share_of(wrong), 0, ALPHA)


def causes(runs, seed, threads):
    """Small studies of causes, four balanced or two strategies mixed: their intervals against larger studies."""
    table = seat_table(strategies=["balanced"], seed=seed)
    yield _budgets("luck budget", table, (), lambda budget: budget.shares, runs // 2, threads)
    pool = load_strategies(["balanced", "racer"])
    yield _budgets("skill and luck", table, pool, lambda budget: budget.skill_and_luck, runs // 4, threads)

    def prices(number, games):
        found = worth.starts(replace(table, seed=seed + number), games, threads)
        return {one.name: one.effect for one in found}

    truth = prices(0, LARGE * STUDY_GAMES)
    studies = [prices(1 + number, STUDY_GAMES) for number in range(runs // 4)]
    yield _study_coverage(f"prices of starting goods, {STUDY_GAMES:,} games", studies, truth)


def reviews(runs, seed):
    """Games reviewed twice, with other luck: the two error rates may differ by as much as both intervals say."""
    for rules in REVIEWED:
        table = Game(rules=rules, strategies=[None, *[OTHERS] * (rules.players - 1)], seed=seed).table
        found = []
        for number in range(runs // 2):
            deal, level = divmod(number, len(LEVELS))
            positions, seat = positions_of(table, opponent([*LEVELS][level]), deal)
            pair = []
            for again in (1, 2):
                positions.table = replace(positions.table, seed=seed + again)  # of the games played on
                pair.append(error_of(positions, seat, REVIEW_GAMES))
            found.append(abs(pair[0].points - pair[1].points) <= math.hypot(*(value.half for value in pair)))
        where = f"{rules.players} players, {rules.edition}{', ghost' * bool(rules.ghost)}"
        yield Finding(
            f"Coverage: reviews of a game, {where}, {REVIEW_GAMES} games an answer", *share_of(found), 0.93, 0.97
        )


def _budgets(what, table, pool, read, runs, threads):
    deals = STUDY_DEALS
    studies = [read(luck_budget(table, deals, pool, first=n * deals, threads=threads)) for n in range(runs)]
    truth = read(luck_budget(table, LARGE * deals, pool, first=runs * deals, threads=threads))
    return _study_coverage(f"{what}, {deals} deals", studies, truth)


def _study_coverage(what, studies, truth):
    """How often the intervals of studies hold the values of a larger study.

    Runs are counted by study, because the figures of one study depend on each other.
    """
    hits = [[_holds(estimate, truth[name].value) for name, estimate in study.items()] for study in studies]
    return Finding(f"Coverage: {what}", float(np.mean(hits)), len(studies), 0.93, 0.98)


def _holds(estimate, truth):
    return estimate.low <= truth <= estimate.high


@click.command()
@click.option("--runs", default=400, show_default=True, help="Comparisons for each line.")
@click.option("--deals", default=400, show_default=True, help="Deals in each comparison of two.")
@click.option("--seed", default=1, show_default=True, help="Seed of all luck.")
@click.option("--threads", default=None, type=int, help="Threads.  [default: all cores]")
@click.option("--only", type=click.Choice(["comparisons", "causes", "reviews"]), default=None, help="Only these.")
@click.option("--out", type=click.Path(), default=None, help="Also write the findings there, as JSON.")
def main(runs, deals, seed, threads, only, out):
    """Play many comparisons and studies and count how often they are right. Exit code 1 where a promise is broken."""
    threads = threads or default_threads()
    started = time.perf_counter(), time.process_time()
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        comparisons = (
            equals(runs, deals, seed, threads, random_twin(folder)),
            equals_among_others(runs, seed, threads),
            duel(runs, deals, seed, threads),
            duels_elsewhere(runs, deals // 2, seed, threads),
            stopping(runs, seed, threads),
            rare_differences(runs, seed),
            field(runs, seed, threads),
        )
        wanted = {
            "comparisons": comparisons,
            "causes": (causes(runs, seed, threads),),
            "reviews": (reviews(runs, seed),),
        }
        for part in wanted[only] if only else (one for parts in wanted.values() for one in parts):
            for finding in part:
                findings.append(finding)
                click.echo(finding.line() if isinstance(finding, Finding) else finding)
    click.echo(f"{time.perf_counter() - started[0]:.0f} s, {time.process_time() - started[1]:.0f} CPU seconds")
    if out:
        facts = [asdict(f) if isinstance(f, Finding) else {"what": f} for f in findings]
        Path(out).write_text(json.dumps({"runs": runs, "deals": deals, "seed": seed, "findings": facts}, indent=2))
    raise SystemExit(not all(f.holds for f in findings if isinstance(f, Finding)))


if __name__ == "__main__":
    main()
