"""Compares the statistics of random play with those of another engine of the same rules, the yardstick.

Every player count, edition and ghost setting is played by both. The table shows both values and their difference in
standard errors; a difference of more than four is a failure. Among some hundred comparisons, chance alone
puts a few beyond two standard errors and one in sixteen thousand beyond four. So the last line also says how the
differences are spread.

    python benchmarks/against_yardstick.py --yardstick PATH --games 200000
"""

import sys
from dataclasses import dataclass

import click
import numpy as np

from jamaica_sim.play.check import every_rules
from jamaica_sim.play.chunks import CHUNK, chunks, default_threads, play_in_order
from jamaica_sim.play.game_table import seat_table
from measuring.kernel import name_of
from measuring.yardstick import ask_yardstick

LIMIT = 4.0  # standard errors


@dataclass
class Moments:
    """The mean of a quantity over games, or the ratio of two means, from sums over chunks."""

    games: int = 0
    sums: np.ndarray | float = 0.0  # of x, w, xx, xw, ww: x is the quantity, w its divisor

    def add(self, values, weights):
        self.games += len(values)
        self.sums = self.sums + np.array(
            [values.sum(), weights.sum(), (values**2).sum(), (values * weights).sum(), (weights**2).sum()]
        )

    @property
    def value(self):
        return self.sums[0] / self.sums[1]

    @property
    def deviation(self):
        """Standard deviation for one game; for a ratio that of its linearisation."""
        x, w, xx, xw, ww = self.sums / self.games
        ratio = x / w
        return np.sqrt(max(0.0, xx - 2 * ratio * xw + ratio**2 * ww)) / w


def quantities(rows, rules):
    """Each quantity of the games in `rows`, as (name, values, divisors)."""
    players, ships = rules.players, rules.ships
    ones = np.ones(len(rows))
    winners = rows["winners"].astype(np.int64)[:, None] >> np.arange(ships) & 1
    wins = winners / winners.sum(axis=1, keepdims=True)
    seats = (rows["first_captain"][:, None] + np.arange(players)) % players
    by_seat = np.take_along_axis(wins, seats, axis=1)
    scores = rows["score"][:, :ships].astype(float)
    battles = rows["attacks"].sum(axis=1).astype(float)
    loot = rows["loot"].sum(axis=1).astype(float)  # gold, food, gunpowder, power, hidden, give, nothing
    yield "rounds", rows["rounds"].astype(float), ones
    yield "unfinished", 1.0 - rows["finished"], ones
    yield "battles", battles, ones
    yield "shortages", rows["shortages"].sum(axis=(1, 2)).astype(float), ones
    yield "games short", (rows["shortages"].sum(axis=(1, 2)) > 0).astype(float), ones
    yield "treasures", rows["treasures_taken"].sum(axis=1).astype(float), ones
    yield "player score", scores[:, :players].mean(axis=1), ones
    yield "  by position", rows["position_points"][:, :players].mean(axis=1), ones
    yield "  by gold", rows["gold"][:, :players].mean(axis=1), ones
    yield "  by treasures", rows["treasure_points"][:, :players].mean(axis=1), ones
    yield "winner score", scores.max(axis=1), ones
    yield "shared victory", (winners.sum(axis=1) > 1).astype(float), ones
    for seat in range(players):
        yield f"win rate, seat {seat}", by_seat[:, seat], ones
    if rules.ghost:
        yield "ghost win rate", wins[:, -1], ones
        yield "ghost score", scores[:, -1], ones
        yield "ghost home", (rows["final_lap"][:, ships - 1] == 1).astype(float), ones
        yield "ghost battles", rows["battles"][:, ships - 1].astype(float), ones
    yield "star, of battles", rows["stars"].sum(axis=1).astype(float), battles
    yield "tie, of battles", battles - rows["battles_won"].sum(axis=1), battles
    yield "loot: hold", loot[:, :3].sum(axis=1), ones
    yield "loot: power", loot[:, 3], ones
    yield "loot: face down", loot[:, 4], ones
    yield "loot: give", loot[:, 5], ones
    yield "loot: nothing", loot[:, 6], ones
    for number, resource in enumerate(("gold", "food", "gunpowder")):
        yield f"{resource} loaded", rows["loaded"][:, :, number].sum(axis=1).astype(float), ones
        yield f"{resource} over box", (rows["peak"][:, number] > rules.bank[number]).astype(float), ones


def their_value(report, name):
    """The yardstick's value of a quantity, and its standard deviation where the yardstick reports it."""
    if name.startswith("win rate"):
        return report["win_rate_by_seat_from_first_captain"][int(name.split()[-1])], None
    if name == "star, of battles":
        return report["battle_attacker_star_share"] + report["battle_defender_star_share"], None
    if name.endswith("over box"):
        return report[f"over_box_{name.split()[0]}_share"], None
    if name.endswith("loaded"):
        resource = name.split()[0]
        return report[f"{resource}_loaded_mean"], report[f"{resource}_loaded_sd"]
    key = {
        "rounds": "rounds_mean",
        "unfinished": "unfinished_share",
        "battles": "battles_mean",
        "shortages": "shortages_mean",
        "games short": "shortage_game_share",
        "treasures": "treasures_taken_mean",
        "player score": "player_score_mean",
        "  by position": "position_score_mean",
        "  by gold": "gold_end_mean",
        "  by treasures": "treasure_points_end_mean",
        "winner score": "winner_score_mean",
        "shared victory": "shared_victory_share",
        "ghost win rate": "ghost_win_rate",
        "ghost score": "ghost_score_mean",
        "ghost home": "ghost_finished_share",
        "ghost battles": "ghost_battles_per_game",
        "tie, of battles": "battle_tie_share",
        "loot: hold": "loot_hold_per_game",
        "loot: power": "loot_power_per_game",
        "loot: face down": "loot_face_down_per_game",
        "loot: give": "loot_give_per_game",
        "loot: nothing": "loot_nothing_per_game",
    }[name]
    independent_of_players = key in ("rounds_mean", "battles_mean", "shortages_mean", "treasures_taken_mean")
    return report[key], report[key.replace("_mean", "_sd")] if independent_of_players else None


def play_ours(rules, games, seed, threads):
    """Our games of one setting: the moments of each quantity."""
    table = seat_table(rules, "random", seed)
    found = {}
    for played in play_in_order([table], chunks(0, games, CHUNK), threads, keep_rows=True):
        for name, values, weights in quantities(played.rows, table.rules):
            found.setdefault(name, Moments()).add(values, weights)
    return found


def standard_errors(ours, theirs, their_deviation, their_games):
    """The difference of two values in standard errors; if the yardstick reports no spread, ours counts for both."""
    difference = ours.value - theirs
    variance = ours.deviation**2 / ours.games + (their_deviation or ours.deviation) ** 2 / their_games
    if variance == 0 and difference != 0:  # a share of 0 or 1 in our games: both engines together give the spread
        share = (ours.value * ours.games + theirs * their_games) / (ours.games + their_games)
        variance = share * (1 - share) * (1 / ours.games + 1 / their_games)
    return difference / np.sqrt(variance) if difference else 0.0


def compare(rules, yardstick, games, seed, threads):
    """Print one setting's table and return the differences."""
    ours = play_ours(rules, games, seed, threads)
    report = ask_yardstick(yardstick, rules, games, seed, threads)
    click.echo(f"\n{name_of(rules)}, {games:,} games each")
    click.echo(f"{'quantity':<18}{'ours':>12}{'yardstick':>12}{'difference':>12}")
    differences = {}
    for name, moments in ours.items():
        theirs, deviation = their_value(report, name)
        errors = standard_errors(moments, theirs, deviation, report["games"])
        differences[name] = errors
        mark = "  <<<" if abs(errors) > LIMIT else ""
        click.echo(f"{name:<18}{moments.value:>12.5f}{theirs:>12.5f}{errors:>+9.2f} se{mark}")
    return differences


@click.command()
@click.option("--yardstick", type=click.Path(exists=True), required=True, help="The other engine's program.")
@click.option("--games", default=200_000, show_default=True, help="Games of each engine in each setting.")
@click.option("--seed", default=1, show_default=True, help="Seed of both engines.")
@click.option("--threads", default=None, type=int, help="Threads.  [default: all cores]")
def main(yardstick, games, seed, threads):
    """Compare the statistics of random play with the yardstick's; exit code 1 where they differ."""
    differences = []
    for rules in every_rules():
        differences += compare(rules, yardstick, games, seed, threads or default_threads()).values()
    sizes = np.abs(differences)
    beyond = int((sizes > LIMIT).sum())
    click.echo(
        f"\n{sizes.size} comparisons: {(sizes > 2).mean():.1%} beyond two standard errors (4.6% by chance alone), "
        f"the largest {sizes.max():.2f}, {beyond} beyond {LIMIT:g}."
    )
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
