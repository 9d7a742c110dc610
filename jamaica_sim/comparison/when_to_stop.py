"""How long a comparison is played, and what counts as a difference."""

from dataclasses import dataclass

from jamaica_sim.comparison.design import Design
from jamaica_sim.errors import UserError
from jamaica_sim.limits import check_games

LOOK_GAMES = 1_000  # games between two looks, about
MOST_LOOKS = 1_000_000  # looks in all, about; beyond a billion games looks become rarer
LEAST_SHARE, MOST_SHARE = 0.0005, 0.2  # limits of margin and alpha


@dataclass(frozen=True)
class ComparisonPlan:
    """How long to play, and what counts as a difference."""

    games: int  # with `until_verdict` at most this many
    until_verdict: bool = False  # stop as soon as every pair is told apart or equal
    margin: float = 0.01  # the difference in win rate that matters
    alpha: float = 0.05  # one minus the confidence; also the chance of a wrong verdict, at all looks together

    def __post_init__(self) -> None:
        check_games(self.games)
        for name, meaning in (("margin", "0.01 is one point of win rate"), ("alpha", "0.05 is for 95% intervals")):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not LEAST_SHARE <= value <= MOST_SHARE:
                raise UserError(f"the {name} must be from {LEAST_SHARE} to {MOST_SHARE}, not {value!r}: {meaning}.")

    def looks(self, design: Design) -> list[int]:
        """The numbers of deals between looks: whole cycles of the design, so that every look is balanced."""
        in_cycle = design.games_in_cycle
        cycles = self.games // in_cycle if self.until_verdict else -(-self.games // in_cycle)
        if cycles == 0:
            raise UserError(
                f"{self.games:,} games are too few: all line-ups of {design.strategies} strategies at tables of "
                f"{design.players} once take {in_cycle:,} games."
            )
        step = max(-(-LOOK_GAMES // in_cycle), cycles // MOST_LOOKS)
        steps = [min(step, cycles - done) for done in range(0, cycles, step)]
        return [cycles * len(design.cycle) for cycles in steps]
