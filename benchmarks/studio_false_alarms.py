"""How often the studio calls something clear where nothing differs: the same rules against themselves, on other luck.

A visit looks at all figures and all spaces after every batch up to 200,000 games. Its batches are drawn from a store
that is played once: for each size of a batch so many, and no batch twice in a visit.

    python benchmarks/studio_false_alarms.py --visits 1000
"""

import argparse
from collections import Counter

import numpy as np

from jamaica_sim.lab.common_deals import play_tables
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.rules import Rules
from jamaica_sim.studio.figures import Watch
from jamaica_sim.studio.live import batches

GAMES = 200_000
LARGE, SMALL = 160, 48  # batches in the store, of the largest size and of each smaller one


class Store:
    """Tallies of batches by their size, of the printed rules; every batch has games of its own."""

    def __init__(self, games: int = GAMES, large: int = LARGE, small: int = SMALL, **rules):
        self.table = seat_table(Rules(**rules))
        self.sizes = [size for _, size in batches(False, games)]
        self._tallies, first = {}, 0
        often = Counter(self.sizes)
        for size in often:
            self._tallies[size] = []
            for _ in range(max(2 * often[size], large if size == max(often) else small)):
                (found,) = play_tables([self.table], size, first)
                self._tallies[size].append(np.array([found.tally]))
                first += size

    def visit(self, generator) -> tuple[set[str], set[str]]:
        """The figures, and the maps, that are ever called clear during a visit."""
        watch = Watch(self.table, self.table)
        watch.is_changed = True  # as if a rule had been changed
        order = {size: list(generator.permutation(len(stored))) for size, stored in self._tallies.items()}
        figures, maps = set(), set()
        for size in self.sizes:
            watch.add(*(self._tallies[size][order[size].pop()] for _ in range(2)))
            figures |= {row["key"] for row in watch.rows() if row["state"] == "clear"}
            maps |= {name for name, (_, _, clear) in watch.spaces().items() if any(clear)}
        return figures, maps


def false_alarms(visits: int, store: Store, seed: int = 1) -> tuple[int, Counter, Counter]:
    """How many visits saw anything clear, and which figures and maps it was."""
    generator = np.random.default_rng(seed)
    wrong, figures, maps = 0, Counter(), Counter()
    for _ in range(visits):
        seen, coloured = store.visit(generator)
        wrong += bool(seen or coloured)
        figures.update(seen)
        maps.update(coloured)
    return wrong, figures, maps


def main():
    """Print the share of visits with a false alarm."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=1000)
    parser.add_argument("--games", type=int, default=GAMES)
    options = parser.parse_args()
    wrong, figures, maps = false_alarms(options.visits, Store(options.games))
    print(f"{wrong} of {options.visits} visits ({100 * wrong / options.visits:.1f}%) saw something called clear.")
    for name, count in (figures + maps).most_common():
        print(f"  {name}: {count}")


if __name__ == "__main__":
    main()
