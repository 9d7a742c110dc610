"""Prepares a comparison of strategies, plays it, and keeps it in a folder. The result is in `comparison.py`.

Its settings are seatings: who sits where. They share their deals and one record of sums, those by deal.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import MOST_STRATEGIES, whole_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.rules import Rules, rules_of
from jamaica_sim.play import compile_ahead as warming
from jamaica_sim.play.chunks import Chunk, play_in_order
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import (
    FolderError,
    Manifest,
    ManifestKind,
    StudyFacts,
    plain_table,
    read_complete,
    wrong_settings,
)
from jamaica_sim.play.stopping import interruptible
from jamaica_sim.strategy.house.compile import needs_compiling as house_needs_compiling
from jamaica_sim.strategy.library import AnyStrategy, load_strategies, told_apart
from jamaica_sim.strategy.strategy import Strategy, StrategyError
from jamaica_sim.study.compare.comparison import Comparison
from jamaica_sim.study.compare.deals import BY_DEAL, DealPlayer, contest_of, sums_before
from jamaica_sim.study.compare.design import ComparisonPlan, Contest, Design
from jamaica_sim.study.folder import StudyFolder, Unfinished, UnsavedSums, read_sums, unfinished
from jamaica_sim.study.saved_folder import SUMS
from jamaica_sim.study.simulate import Plan, Players, Stopped, Sums, open_players, playing

Progress = Callable[[Comparison], object]  # gets the comparison so far, at each look
DEFAULT_GAMES = 100_000
DEFAULT_MOST_GAMES = 1_000_000


def compare(
    strategies: AnyStrategy | Sequence[AnyStrategy],
    *more: AnyStrategy,
    against: Sequence[AnyStrategy] | None = None,
    games: int | None = None,
    until: str | None = None,
    margin: float = 0.01,
    alpha: float = 0.05,
    max_games: int | None = None,
    rules: Rules | None = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    measures: Mapping[str, Any] | None = None,
    threads: int | None = None,
    chunk_games: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Comparison], object] | None = None,
    out: str | os.PathLike[str] | None = None,
    **rule_changes: Any,
) -> Comparison:
    """Compare strategies on the same deals. Threads, chunk size and cluster do not change the result.

    Parameters
    ----------
    strategies : list of str, dict or Strategy
        Two or more names, files, dictionaries of weights or loaded strategies; a strategy may appear twice.
        With `against` only one.
    more : str, dict or Strategy
        The others, where they are not in a list: `compare("balanced", "racer")`.
    against : list of str, dict or Strategy, optional
        A field of opponents: the one strategy has one ship at every table, against these.
    games : int, optional
        How many games to play, rounded up so that every pair meets equally often; 100,000 without `until`.
    until : str, optional
        "verdict": play until every pair (or the one and its field) is told apart, or equal within the margin.
    margin : float
        The difference in win rate that matters.
    alpha : float
        One minus the confidence of the intervals; also the chance of a wrong verdict.
    max_games : int, optional
        With `until`: after how many games to stop without a verdict.
    rules : Rules, optional
        The rules; fields may also be given by name (`players=3, edition="2021"`).
    seed : int
        Seed of all luck.
    luck : dict, optional
        Sources of luck that are drawn from another seed, such as `{"dice": 7}`; see `simulate`.
    measures : dict, optional
        Measures of your own, see `simulate`; the name of a strategy means its ships in each seating.
    threads, chunk_games : int, optional
        How the work is cut up; they change nothing but the speed.
    cluster : str, optional
        Instead of threads: `tcp://HOST:PORT`, the address of a Dask scheduler, or `local:N` for N processes here.
    progress : callable, optional
        Called with the `Comparison` so far, every thousand games or so.
    out : path, optional
        A new folder for the comparison: `load_comparison` reads it, `resume` goes on with it if it was stopped.

    Examples
    --------
    >>> from jamaica_sim import compare
    >>> comparison = compare(["balanced", "random"], games=400)
    >>> print(comparison.difference("balanced", "random").value > 0.4)
    True
    >>> comparison.by_pair()["verdict"].tolist()
    ['better']
    """
    games, max_games = (None if many is None else whole_games(many) for many in (games, max_games))
    plan = make_plan(games, until, margin, alpha, max_games)
    everyone: Any = [strategies, *more] if more else strategies
    contest = prepare(everyone, rules, seed, against, luck, measures, **rule_changes)
    plan.looks(contest.design)
    warm_up(contest)
    return play_comparison(contest, plan, progress, out=out, threads=threads, chunk_size=chunk_games, cluster=cluster)


def play_comparison(
    contest: Contest,
    plan: ComparisonPlan,
    progress: Progress | None = None,
    out: AnyPath | None = None,
    **who: Any,
) -> Comparison:
    """Play a comparison to its end, in a new folder if one is named. `who` says who plays, see `open_players`.

    Ctrl-C raises `Stopped` with the comparison so far.
    """
    with open_players([contest], **who, layout=BY_DEAL) as players:
        config = configuration(contest, plan)
        study = UnsavedSums(config, COMPARISON) if out is None else StudyFolder.create(out, config, COMPARISON)
        return _play(contest, plan, study, players, progress)


def resume_comparison(
    path: AnyPath, progress: Progress | None = None, *, trust: bool = False, **who: Any
) -> Comparison:
    """Go on with a comparison from its folder alone. See `play_comparison`."""
    left = unfinished(path, COMPARISON)
    if left is None:
        return load_comparison(path)
    contest, plan = read_configuration(left.config)
    contest = contest.with_code(trust)
    warm_up(contest)
    with open_players([contest], **who, layout=BY_DEAL) as players:
        return _play(contest, plan, StudyFolder.reopen(path, COMPARISON), players, progress)


def _play(
    contest: Contest, plan: ComparisonPlan, study: Sums, players: Players, progress: Progress | None
) -> Comparison:
    def so_far() -> Comparison:
        return Comparison(contest, plan, study.sums[0].copy(), complete=False, seconds=study.seconds)

    found, design = so_far(), contest.design
    try:
        with playing(study, [contest], players, Plan(design.games_in_deal, plan.looks(design)[0])) as looks:
            while not (plan.until_verdict and found.games and found.is_settled) and next(looks, None):
                found = so_far()
                if progress is not None and found.games:
                    progress(found)
            looks.close()
            found = replace(found, complete=True)
            if isinstance(study, StudyFolder):
                study.finish(found.files())
    except Stopped as stopped:
        stopped.answer = found if found.games else None
        raise
    return found


def unfinished_comparison(path: AnyPath) -> Unfinished | None:
    """What a comparison has left to do; None where it is complete and undamaged."""
    return unfinished(path, COMPARISON)


def load_comparison(path: AnyPath) -> Comparison:
    """The comparison in a folder, which must be complete."""
    manifest = read_complete(path, COMPARISON)
    sums = read_sums(path, manifest, COMPARISON)
    contest, plan = read_configuration(manifest["configuration"])
    found = Comparison(contest, plan, sums[0], seconds=manifest["seconds"])
    if found.games != manifest["games_done"] or not is_look(plan, contest.design, found.games):
        raise FolderError(f"{Path(path) / SUMS} was written by another version of jamaica-sim: play it again.")
    return found


def make_plan(
    games: int | None = None,
    until: str | None = None,
    margin: float = 0.01,
    alpha: float = 0.05,
    max_games: int | None = None,
) -> ComparisonPlan:
    """The plan that these options describe; options that contradict each other are refused."""
    if until not in (None, "verdict"):
        raise UserError(f"a comparison can go on until 'verdict', not {until!r}.")
    if until and games is not None:
        raise UserError("give either games or until='verdict', not both; max_games caps the latter.")
    if max_games is not None and not until:
        raise UserError("max_games caps a comparison until a verdict; without until, give games.")
    if until:
        return ComparisonPlan(DEFAULT_MOST_GAMES if max_games is None else max_games, True, margin, alpha)
    return ComparisonPlan(DEFAULT_GAMES if games is None else games, False, margin, alpha)


# Before the first game


def prepare(
    strategies: AnyStrategy | Sequence[AnyStrategy],
    rules: Rules | None = None,
    seed: int = 1,
    against: AnyStrategy | Sequence[AnyStrategy] | None = None,
    luck: Mapping[str, int] | None = None,
    measures: Mapping[str, Any] | None = None,
    **rule_changes: Any,
) -> Contest:
    """The contest of these strategies, or of one against a field. Refuses what cannot be compared."""
    rules = rules_of(rule_changes) if rules is None else rules.but(**rule_changes)
    loaded = load_strategies(strategies)
    if against is not None:
        if len(loaded) != 1:
            raise UserError(f"one strategy can play against a field, not {len(loaded)}: name the others in the field.")
        loaded += load_strategies(against)
        if len(loaded) == 1:
            raise UserError("the field is empty: name at least one opponent, such as balanced.")
    if len(loaded) < 2:
        raise UserError("a comparison needs at least two strategies: name another one, such as balanced.")
    if len(loaded) > MOST_STRATEGIES:
        raise UserError(f"a comparison can have at most {MOST_STRATEGIES} strategies, not {len(loaded):,}.")
    table = GameTable.seat(rules, loaded[:1], seed, luck)
    named = tuple(told_apart(loaded, every_one=True))
    contest = Contest(table.rules, named, table.seed, against is not None, table.luck, measures=measures or {})
    contest.own_measures()  # refuses those that cannot be taken
    return contest


def needs_compiling(contest: Contest) -> str:
    """What has to be compiled before the first game; empty where it can start at once."""
    waiting = warming.needs_compiling(contest.strategies, warming.COMPARE) or house_needs_compiling(contest.rules)
    if waiting:
        return waiting
    needs_check = any(strategy.kind == "code" for strategy in contest.strategies)
    return "the check of strategies (some seconds)" if needs_check and not answer_again.is_compiled() else ""


def warm_up(contest: Contest) -> None:
    """Compile everything. Refuse strategies of code that give illegal answers here or look beyond their view."""

    code = {s.digest: s for s in contest.strategies if s.kind == "code"}
    interruptible(lambda: warming.compile_missing(contest.strategies, warming.COMPARE))
    interruptible(lambda: _check_code(code.values(), contest.rules))
    interruptible(lambda: list(play_in_order([contest], [Chunk(0, 1)], 1, make_worker=DealPlayer)))


def _check_code(strategies: Iterable[Strategy], rules: Rules) -> None:
    for strategy in strategies:
        from jamaica_sim.play.check import problems_at  # slow, and only code is checked

        if problems := problems_at(strategy, rules):
            raise StrategyError(f"{strategy.path}: {problems[0]}; see: jamaica-sim strategies check {strategy.path}")


# In a folder


def configuration(contest: Contest, plan: ComparisonPlan) -> dict[str, Any]:
    """Everything that decides the result of a comparison."""
    design = contest.design
    games = sum(plan.looks(design)) * design.games_in_deal
    seatings = [seats.tolist() for deal in design.seatings for seats in deal]
    return {
        **plain_table(contest),
        "first_game": 0,
        "per_game": False,
        "against": contest.against,
        **vars(plan),
        "games": games,
        "settings": [
            {"label": ", ".join(contest.labels[s] for s in seats), "rules": {}, "seats": seats} for seats in seatings
        ],
    }


def read_configuration(config: dict[str, Any]) -> tuple[Contest, ComparisonPlan]:
    """The contest and the plan that a configuration describes."""
    contest = contest_of(config)
    if len(contest.strategies) < 2:
        raise FolderError("the comparison has fewer than two strategies.")
    contest.own_measures()  # refuses what cannot be read
    plan = ComparisonPlan(*(config[name] for name in ("games", "until_verdict", "margin", "alpha")))
    plan.looks(contest.design)
    seatings = [seats for deal in contest.design.seatings.tolist() for seats in deal]
    if [setting["seats"] for setting in config["settings"]] != seatings:
        raise FolderError("the comparison has other line-ups than this version would play: play it again.")
    return contest, plan


class _ComparisonFacts(StudyFacts):
    against: bool
    until_verdict: bool
    margin: float
    alpha: float


def _wrong_comparison(manifest: Manifest) -> str:
    return wrong_settings(manifest, manifest["configuration"]["games"])


FILES = re.compile(r"sums\.npy|sums-[0-9]{12,13}\.npy|(?!manifest\.)[a-z][a-z_]{0,39}\.(csv|json)")
COMPARISON = ManifestKind(
    "jamaica-comparison/3", "a comparison's", FILES, _ComparisonFacts, _wrong_comparison, sums_before, MOST_STRATEGIES
)


def is_look(plan: ComparisonPlan, design: Design, games: int) -> bool:
    """Whether a comparison looks at its sums after so many games."""
    return games in (0, *(deals * design.games_in_deal for deals in accumulate(plan.looks(design))))
