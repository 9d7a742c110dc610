"""A game table: the rules, the seated strategies and the seed. Everything that a chunk of games needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import nearest
from jamaica_sim.files.limits import LUCK_SOURCES, check_luck, check_seed, plain
from jamaica_sim.game.codes import GHOST_SHIP, MAX_SHIPS
from jamaica_sim.game.rules import Rules, RulesError, rule_fields, rules_of
from jamaica_sim.game.words import rules_told
from jamaica_sim.play.own_measures import Measures, OwnMeasures
from jamaica_sim.strategy.library import Strategies, allow, load_strategies, told_apart, with_code_loaded
from jamaica_sim.strategy.strategy import Strategy

# The default line-up: as many of these as there are players, so that a plain run compares strategies.
DEFAULT_LINE_UP = ("balanced", "racer", "hoarder", "treasure_hunter", "provisioner", "gambler")
# Arguments of functions that also take rules by name: a misspelt one would be taken for a rule.
ARGUMENTS = ("games", "rules", "strategies", "seed", "luck", "threads", "first_game", "out", "per_game", "progress",
             "measures", "tension")  # fmt: skip


@dataclass(frozen=True)
class GameTable:
    """Rules, one strategy for each player, in seat order, and the seed of all luck.

    `luck` has the seeds of those sources of luck that are drawn from another seed, `measures` the measures of one's own
    that are taken of every game, by name.
    """

    rules: Rules
    strategies: tuple[Strategy, ...]
    seed: int
    rulebook: np.ndarray = field(repr=False, compare=False)
    luck: Mapping[str, int] = field(default_factory=dict, hash=False)
    measures: Measures = field(default_factory=dict, hash=False)

    @classmethod
    def seat(
        cls,
        rules: Rules,
        strategies: Sequence[Strategy],
        seed: int,
        luck: Mapping[str, int] | None = None,
        measures: Measures | None = None,
    ) -> "GameTable":
        """Seat strategies: one for all players, one for each, or a few taken in turn."""
        strategies = tuple(told_apart(strategies))
        if not strategies:
            raise UserError("no strategy is named: name one, or leave strategies out.")
        if len(strategies) > rules.players:
            larger = f"say --players {len(strategies)}, or " if len(strategies) <= MAX_SHIPS else ""
            raise UserError(
                f"{len(strategies)} strategies cannot be seated at a table of {rules.players} players: {larger}let "
                "them meet with `jamaica-sim compare`."
            )
        seed, luck = _plainest(seed, luck or {})
        seats = tuple(strategies[seat % len(strategies)] for seat in range(rules.players))
        table = cls(rules, seats, seed, rulebook_of(rules), luck, measures or {})
        table.own_measures()  # refuses those that cannot be taken here
        return table

    def but(self, rules: Rules | None = None, strategies: Sequence[Strategy] = ()) -> "GameTable":
        """The same luck and measures at other rules, or with other strategies."""
        return self.seat(rules or self.rules, strategies or self.strategies, self.seed, self.luck, self.measures)

    def own_measures(self) -> OwnMeasures | None:
        """The measures of one's own, ready to be taken at this table; None where there are none."""
        return OwnMeasures(self.measures, [s.label for s in self.strategies], self.rules) if self.measures else None

    def with_code(self, trust: bool = False) -> "GameTable":
        """The same table with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        allow([self.rules], trust)
        return replace(self, strategies=with_code_loaded(self.strategies, trust))

    @property
    def groups(self) -> list[str]:
        """The names to report by: each different strategy once, in seat order, then the ghost."""
        names = list(dict.fromkeys(strategy.label for strategy in self.strategies))
        return names + [GHOST_SHIP] * bool(self.rules.ghost)

    def in_words(self) -> str:
        """Who plays which game, such as "3 players and the ghost ship, edition 2007 (racer), seed 1"."""
        who = ", ".join(dict.fromkeys(strategy.label for strategy in self.strategies))
        return f"{rules_told(self.rules)} ({who}), seed {self.seed}"

    def group_of_ships(self) -> np.ndarray:
        """The number of each ship's group."""
        names = [strategy.label for strategy in self.strategies] + [GHOST_SHIP] * bool(self.rules.ghost)
        groups = np.zeros(MAX_SHIPS, np.int64)
        groups[: len(names)] = [self.groups.index(name) for name in names]
        return groups


def seed_words(seed: int, luck: Mapping[str, int]) -> str:
    """The seed of all luck, and of the sources that are drawn from another one, for a sentence."""
    return f"{seed}{''.join(f' ({source} of {other})' for source, other in luck.items())}"


def _plainest(seed: int, luck: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """The same luck in its plainest form: only sources whose seed differs, and one seed if all sources share it."""
    seed = plain(seed)
    check_seed(seed)
    luck = {source: plain(other) for source, other in luck.items()} if hasattr(luck, "items") else luck
    check_luck(luck)
    if set(luck) == set(LUCK_SOURCES) and len(set(luck.values())) == 1:
        seed = next(iter(luck.values()))
    return seed, {source: luck[source] for source in LUCK_SOURCES if luck.get(source, seed) != seed}


def _check_arguments(rules: object, rule_changes: Iterable[str]) -> None:
    """Refuse rules of another type, and a misspelt argument that would be taken for a rule."""
    if rules is not None and not isinstance(rules, Rules):
        raise RulesError(f"rules must be a Rules object, such as Rules(hand_size=4), not {type(rules).__name__}.")
    known = [rule.name for rule in rule_fields()]
    for name in rule_changes:
        near = nearest(name, ARGUMENTS)
        if near and name not in known and not nearest(name, known):
            meant = " here." if near == name else f": did you mean {near!r}?"
            raise RulesError(f"there is no argument {name!r}{meant}")


def seat_table(
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    luck: Mapping[str, int] | None = None,
    measures: Measures | None = None,
    **rule_changes: Any,
) -> GameTable:
    """A table from rules (or rule fields by name) and strategies (or their names, files or weights)."""
    _check_arguments(rules, rule_changes)
    rules = rules_of(rule_changes) if rules is None else rules.but(**rule_changes)
    if strategies is None:
        strategies = DEFAULT_LINE_UP[: rules.players]
    return GameTable.seat(rules, load_strategies(strategies), seed, luck, measures)
