"""How often the studio calls something clear where nothing differs: the same rules against themselves, on other luck.

A visit looks at all figures and all spaces after every batch up to 200,000 games. Its batches are drawn from a store
that is played once: for each size of a batch so many, and no batch twice in a visit. The page's own modules play and
judge, in node (`studio_false_alarms.mjs`).

    python benchmarks/studio_false_alarms.py --visits 1000
"""

import argparse
import json
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from jamaica_sim.web.inner_page import page_data
from jamaica_sim.web.question import Menu

GAMES = 200_000
LARGE, SMALL = 160, 48  # batches in the store, of the largest size and of each smaller one


def false_alarms(visits: int, games: int = GAMES, large: int = LARGE, small: int = SMALL) -> dict:
    """How many visits saw anything clear, and how often each figure and map was it."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.json")
        data.write_text(json.dumps(page_data(Menu(), "printed")))
        script = Path(__file__).with_suffix(".mjs")
        given = map(str, (data, files("jamaica_sim").joinpath("pages"), visits, games, large, small))
        done = subprocess.run(["node", str(script), *given], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main():
    """Print the share of visits with a false alarm."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=1000)
    parser.add_argument("--games", type=int, default=GAMES)
    options = parser.parse_args()
    found = false_alarms(options.visits, options.games)
    share = 100 * found["wrong"] / options.visits
    print(f"{found['wrong']} of {options.visits} visits ({share:.1f}%) saw something called clear.")
    for name, count in sorted(found["seen"].items(), key=lambda item: -item[1]):
        print(f"  {name}: {count}")


if __name__ == "__main__":
    main()
