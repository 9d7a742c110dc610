"""Recompute the sentences of the shipped reports from fresh games, by other code than the product's.

Every figure in the text of a report in `reports/` is counted again from games of another seed: from the result rows
with plain NumPy or, where the rows do not have it, from replayed games, event by event. Nothing of `tally`, `results`,
`stats` or `report` is used. A figure further than four standard errors away (those of the report and of the fresh games
together) is an error, and the script ends with exit code 1.

    python benchmarks/check_reports.py [--games 20000] [--replays 300] [reports/*.html]
"""

import argparse
import html
import math
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from jamaica_sim.components import board, treasures
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.replays.replay import replay_table
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.library import load_strategies, quick_names

SEED = 20_261_116
MOST_ERRORS = 4.0
CHUNK = 2_000
WORDS = dict(zip("two three four five six".split(), range(2, 7), strict=True))
NAMES = [card.name for card in treasures()]
FIGURE = re.compile(r'<b title="([^"]*)">([^<]*)</b>')
BESIDE = re.compile(r"; (?:(?:, | and )?<b title[^>]*>[^<]*</b>)+ (?:with|without|by the|under|among) ")
HALF_WIDTH = re.compile(r"± (&lt;)?([\d.]+)")


def steps_home():
    """From each space the fewest steps to Port Royal; from Port Royal itself the whole circuit."""
    steps = {}
    for number in range(len(board()) - 1, -1, -1):
        steps[number] = 1 + min(0 if following == 0 else steps[following] for following in board()[number].next)
    return np.array([steps[number] for number in range(len(board()))])


STEPS = steps_home()
RED_LINE = next(number for number, space in enumerate(board()) if number and space.score > 0)


class Games:
    """Fresh games at one table: result rows, and a few of them replayed."""

    made = {}

    def __init__(self, games, replays, strategies=("balanced",), **rules):
        self.rules = Rules(**rules)
        table = GameTable.seat(self.rules, load_strategies(list(strategies)), SEED)
        worker = Worker(table)
        parts = [
            worker.play(Chunk(first, min(CHUNK, games - first)), keep_rows=True).rows.copy()
            for first in range(0, games, CHUNK)
        ]
        self.rows = np.concatenate(parts)
        self.table, self.replays = table, replays
        self.players, self.ships = self.rules.players, self.rules.ships
        won = self.rows["winners"][:, None].astype(np.int64) >> np.arange(self.ships) & 1
        self.wins = won / won.sum(axis=1, keepdims=True)
        self.seats = [strategy.name for strategy in table.strategies]
        self._traces = None

    @classmethod
    def of(cls, options, **what):
        """The games at a table, played once."""
        key = tuple(sorted((name, str(value)) for name, value in what.items()))
        if key not in cls.made:
            cls.made[key] = cls(options.games, options.replays, **what)
        return cls.made[key]

    @property
    def traces(self):
        """Some of the games, event by event."""
        if self._traces is None:
            self._traces = [replay_table(self.table, game) for game in range(self.replays)]
        return self._traces

    # Figures: each is a value and its standard error

    def mean(self, values):
        """A mean over games."""
        values = np.asarray(values, float)
        return values.mean(), values.std(ddof=1) / math.sqrt(values.size)

    def ratio(self, above, below, scale=1.0):
        """A ratio of sums over games, its error from the residuals."""
        above, below = np.asarray(above, float), np.asarray(below, float)
        value = above.sum() / below.sum()
        error = (above - value * below).std(ddof=1) / below.mean() / math.sqrt(above.size)
        return scale * value, scale * error

    def share(self, above, below):
        """A ratio of sums over games, in percent."""
        return self.ratio(above, below, 100.0)

    def of_ships(self, chosen):
        """The win rate in percent of the players' ships that a mask chooses."""
        wins = self.wins[:, : self.players]
        return self.share((wins * chosen).sum(axis=1), chosen.sum(axis=1))

    def count(self, name):
        """A field of the rows, summed over ships."""
        values = self.rows[name].astype(float)
        return values.reshape(len(values), -1).sum(axis=1)

    @property
    def ones(self):
        """A one for each game."""
        return np.ones(len(self.rows))

    def seat(self, seat):
        """The win rate in percent of a seat from the first Captain."""
        ship = (self.rows["first_captain"].astype(int) + seat) % self.players
        return self.share(self.wins[np.arange(len(self.rows)), ship], self.ones)

    def drew(self, names):
        """Win rate in percent of the ships that drew one of these cards, a ship counted for each card."""
        drawn = self.rows["lair_treasures"][:, : self.players].astype(np.int64)
        wins = self.wins[:, : self.players]
        cards = [number for number, name in enumerate(NAMES) if name in names]
        above = sum(((drawn >> card & 1) * wins).sum(axis=1) for card in cards)
        return self.share(above, sum((drawn >> card & 1).sum(axis=1) for card in cards))

    def shortages(self):
        """Shortages of each player's ship."""
        return self.rows["shortages"][:, : self.players].astype(int).sum(axis=2)

    def progress(self):
        """Spaces that the players' ships have gone since the start, all together."""
        lap, space = (self.rows[name][:, : self.players].astype(int) for name in ("final_lap", "final_space"))
        return (STEPS[0] * (1 + lap) - STEPS[space]).sum(axis=1)

    def ghost_at(self, where):
        """Whether the ghost ship ends home, past the red line or before it."""
        lap, space = (self.rows[name][:, self.players].astype(int) for name in ("final_lap", "final_space"))
        home, past = lap > 0, (lap == 0) & (space >= RED_LINE)
        return {"home": home, "past": past, "before": ~home & ~past}[where].astype(float)

    def by_event(self, count):
        """What a function counts in each replayed game, as an array."""
        return np.array([count(trace) for trace in self.traces], float)


def course(games, name):
    """A measure of a game by the name that a report gives it."""
    rows = games.rows
    scores = rows["score"][:, : games.ships].astype(int)
    in_order = np.sort(scores, axis=1)
    simple = {
        "battles": lambda: games.count("attacks"),
        "shortages": lambda: games.count("shortages"),
        "rounds": lambda: rows["rounds"],
        "treasures taken": lambda: games.count("treasures_taken"),
        "winner's score": lambda: in_order[:, -1],
        "winner's lead": lambda: in_order[:, -1] - in_order[:, -2],
        "lead changes": lambda: rows["lead_changes"],
    }
    if name in simple:
        return games.mean(simple[name]())
    if name == "games short":
        return games.share(games.count("shortages") > 0, games.ones)
    if name == "spaces per ship and round":
        return games.ratio(games.progress(), rows["rounds"].astype(float) * games.players)
    ended = rows["ended_by"].astype(int)
    first = np.where(ended >= 0, games.wins[np.arange(len(rows)), np.maximum(ended, 0)], 0.0)
    return games.share(first, games.ones)


def lasting(games, low, high):
    """Which games last from so many to so many rounds."""
    return (games.rows["rounds"] >= int(low)) & (games.rows["rounds"] <= int(high))


NOUNS = {
    "the number of battles": "battles",
    "the number of shortages": "shortages",
    "the length of a game": "rounds",
    "the number of treasures taken": "treasures taken",
    "the winner's score": "winner's score",
    "the winner's lead": "winner's lead",
    "the number of lead changes": "lead changes",
    "the pace of a ship": "spaces per ship and round",
    "the share of games with a shortage": "games short",
    "the share of games that the first ship home wins": "first home wins",
}


class Page:
    """A report: its sentences with their figures, and its reference table."""

    def __init__(self, path, options):
        self.name, text = path.stem, path.read_text(encoding="utf-8")
        self.options = options
        reference = re.search(r'<p class="note">(?:Where nothing else is said: )?([^<]*)</p>', text).group(1)
        words = re.match(
            r"(\w+) players?( and the ghost ship)?, (?:the printed )?(\d+) rules(?:, all (\w+))?", reference
        )
        self.base = {
            "players": WORDS[words.group(1).lower()],
            "edition": words.group(3),
            "ghost": bool(words.group(2)),
            "strategies": (words.group(4) or "balanced",),
        }
        self.sentences = []
        for paragraph in re.findall(r"<p>(.*?)</p>", text.split("<footer")[0], re.S):
            self.sentences += re.split(r"(?<=[a-z0-9%>.)])\. (?=[A-Z0-9<])", paragraph.replace("\n", " "))

    def games(self, **changes):
        """The games at the reference table, or at one that differs from it."""
        what = {**self.base, **changes}
        if what["players"] == 2:
            what["ghost"] = True
        return Games.of(self.options, **what)


def labelled(label):
    """The changes that a label such as "5 players, champion" or "3 players, 2007" stands for."""
    changes = {}
    for part in (word.strip() for word in label.split(",")):
        if re.fullmatch(r"\d players", part):
            changes["players"] = int(part[0])
        elif re.fullmatch(r"\d{4}", part):
            changes["edition"] = part
        elif part in ("no ghost", "with the ghost"):
            changes["ghost"] = part == "with the ghost"
        elif part:
            changes["strategies"] = (part,)
    return changes


def change(a, b, name):
    """A measure in b minus that in a."""
    (before, before_error), (after, after_error) = course(a, name), course(b, name)
    return after - before, math.hypot(before_error, after_error)


def duel(page, first, second):
    """The share of the victories in percent that the first of two strategies takes from the second."""
    games = Games.of(page.options, **{**page.base, "strategies": (first, second)})
    mine = np.array([name == first for name in games.seats])
    own = (games.wins[:, : games.players] * mine).sum(axis=1)
    return games.share(own, games.wins[:, : games.players].sum(axis=1))


def over_all(page, first, everybody):
    """The mean of such shares over all opponents, game by game, because the same deals are played against each."""
    shares = []
    for other in everybody:
        if other != first:
            games = Games.of(page.options, **{**page.base, "strategies": (first, other)})
            mine = np.array([name == first for name in games.seats])
            shares.append((games.wins[:, : games.players] * mine).sum(axis=1))
    return games.mean(100 * np.mean(shares, axis=0))


LIBRARY = quick_names()  # the report plays all strategies but those that search


def powder(trace):
    return sum(event["amount"] for event in trace["events"] if event["event"] == "powder")


def fights(trace):
    return sum(event["event"] == "battle" for event in trace["events"])


def taken(kind):
    """A function that counts the battles of a trace that ended with gold taken, or were won with nothing taken."""

    def count(trace):
        ends = [e for e in trace["events"] if e["event"] in ("battle_end", "loot")]
        if kind == "gold":
            return sum(e["event"] == "loot" and e["take"] == "hold" and e["resource"] == "gold" for e in ends)
        won = sum(e["event"] == "battle_end" and e["winner"] is not None for e in ends)
        return won - sum(e["event"] == "loot" and e["take"] != "nothing" for e in ends)

    return count


def fought_on(space):
    return lambda trace: sum(e["event"] == "battle" and e["space"] == space for e in trace["events"])


def shortages_in(trace, ships):
    """Each shortage: the space, and how the ship stood against the mean of the others when the round began."""
    place = {ship: (0, 0) for ship in range(ships)}
    before, found = dict(place), []
    for event in trace["events"]:
        if event["event"] == "round":
            before = dict(place)
        elif event["event"] in ("move", "retreat"):
            place[event["ship"]] = event["to"]["space"], event["to"]["lap"]
        elif event["event"] == "shortage":
            left = {ship: STEPS[space] - STEPS[0] * lap for ship, (space, lap) in before.items()}
            own = left.pop(event["ship"])
            found.append((place[event["ship"]][0], np.sign(np.mean(list(left.values())) - own)))
    return found


def shortage_share(games, test):
    """The share in percent of the shortages that pass a test, from replays."""
    found = [shortages_in(trace, games.ships) for trace in games.traces]
    above = [sum(test(space, side) for space, side in game) for game in found]
    return games.share(above, [len(game) for game in found])


def lane(games, space, outer):
    """The share of the ships, or the win rate in percent, by lane at the fork after a space."""
    fork = [6, 19, 32].index(space)
    lanes = games.rows["lanes"][:, : games.players, fork].astype(int)
    only = [(lanes[:, :, side] > 0) & (lanes[:, :, 1 - side] == 0) for side in (0, 1)]
    if outer is None:
        return games.share(only[0].sum(axis=1), (only[0] | only[1]).sum(axis=1))
    return games.of_ships(only[0 if outer else 1])


def half_time(games):
    leaders = games.rows["half_time_leaders"].astype(np.int64)
    led = leaders[:, None] >> np.arange(games.ships) & 1
    sole = led.sum(axis=1) == 1
    return games.share((games.wins * led).sum(axis=1) * sole, sole)


def source(games, name):
    best = np.argmax(games.wins, axis=1)
    at = np.arange(len(games.rows))
    return games.mean(games.rows[name][at, best].astype(float))


SOURCES = {"its place in the race": "position_points", "doubloons": "gold", "treasures": "treasure_points"}
CARD = {"+": "Treasure +", "curse of −": "Cursed -"}


def card(words):
    """The name of a card from the words of a sentence."""
    words = words.removeprefix("a ").removeprefix("the ")
    for start, name in CARD.items():
        if words.startswith(start):
            return name + words.removeprefix(start)
    return words


N = "(#)"  # a figure


def rules_of(page):
    """Every kind of sentence: its pattern, and what its figures should be."""
    own = page.games

    def when_all(name):
        return own(strategies=(name,))

    def ghost(players, **more):
        return own(players=WORDS[players], ghost=True, **more)

    previous = {}  # a sentence without a beginning of its own compares what the one before it compares

    def contrast(m, name):
        previous["contrast"] = m
        if m.group("ghost"):
            return [course(own(ghost=False), name), course(own(ghost=True), name)]
        if m.group("edition"):
            old = "2007" if m.group("edition") == "2021" else "2021"
            return [course(own(edition=e), name) for e in (old, m.group("edition"))]
        many, few = m.group("many"), m.group("few")
        return [course(own(players=WORDS[n]), name) for n in (few, many)]

    claimed = {"battles": "battles", "turns": "rounds", "shortages": "shortages"}
    return [
        (
            rf"(?i)(?:(?P<ghost>with the ghost ship)|by the rules of (?P<edition>\d+)|with (?P<many>\w+) players "
            rf"instead of (?P<few>\w+)), (?P<noun>[a-z' ]+?) (?:rises|falls)[a-z ]*, from {N} to {N}",
            lambda m: contrast(m, NOUNS[m.group("noun")]),
        ),
        (
            rf"^(?P<noun>The [a-z' ]+?) (?:rises|falls)[a-z ]*, from {N} to {N}",
            lambda m: contrast(previous["contrast"], NOUNS["t" + m.group("noun")[1:]]),
        ),
        (
            rf"(?P<noun>The [a-z' ]+) is {N} when all play (?P<a>\w+) and {N} when all play (?P<b>\w+)",
            lambda m: [course(when_all(m.group(n)), NOUNS["t" + m.group("noun")[1:]]) for n in ("a", "b")],
        ),
        (
            rf"It brings more (?P<what>\w+): [a-z, ()]+; from {N} \(([^)]*)\) to {N} \(([^)]*)\)",
            lambda m: claim_at(page, m, claimed[m.group("what")]),
        ),
        (
            rf"It slows the game down: [a-z, ()]+; from {N} \(([^)]*)\) to {N} \(([^)]*)\)",
            lambda m: claim_at(page, m, "spaces per ship and round"),
        ),
        (rf"A game has {N} battles", lambda m: [course(own(), "battles")]),
        (
            rf"The attacker wins {N} of them and the defender {N}",
            lambda m: [own().share(own().count(n), own().count("attacks")) for n in ("attacks_won", "defences_won")],
        ),
        (
            rf"The others, {N}, end level",
            lambda m: [own().share(own().count("attacks_drawn"), own().count("attacks"))],
        ),
        (
            rf"The winner takes gold in {N} of all battles and nothing in {N}",
            lambda m: [own().share(own().by_event(taken(k)), own().by_event(fights)) for k in ("gold", "nothing")],
        ),
        (rf"A battle costs {N} gunpowder", lambda m: [own().ratio(own().by_event(powder), own().by_event(fights))]),
        (
            rf"Most are fought on space (\d+), an? [a-z ]+: {N} of all",
            lambda m: [own().share(own().by_event(fought_on(int(m.group(1)))), own().by_event(fights))],
        ),
        (
            rf"With (\w+) players the ghost begins {N} battles a game",
            lambda m: [ghost_battles(ghost(m.group(1).lower()), "attacks")],
        ),
        (
            rf"Among themselves the players fight [a-z ]+ without it: {N} battles instead of {N}",
            lambda m: [among(own(ghost=True)), among(own(ghost=False))],
        ),
        (
            rf"With (\w+) players it wins {N} of the games, where",
            lambda m: [ghost_wins(ghost(m.group(1).lower()))],
        ),
        (rf"With (\w+) it wins {N}, and", lambda m: [ghost_wins(ghost(m.group(1).lower()))]),
        (
            rf"It comes home in {N} of the games with (\w+) players, and in {N} it is not",
            lambda m: [
                ghost(m.group(2)).share(ghost(m.group(2)).ghost_at(w), ghost(m.group(2)).ones)
                for w in ("home", "before")
            ],
        ),
        (
            rf"Its gold is worth {N} points at the end, its place on the board {N} with (\w+) players",
            lambda m: [ghost_points(ghost(m.group(3)), n) for n in ("gold", "position_points")],
        ),
        (
            rf"With (\w+) the gold is worth {N} and the place {N}",
            lambda m: [ghost_points(ghost(m.group(1).lower()), n) for n in ("gold", "position_points")],
        ),
        (
            rf"It fights {N} battles a game, begins {N} of them, and wins {N}",
            lambda m: [
                ghost_battles(ghost("two"), "battles"),
                ghost_battles(ghost("two"), "attacks"),
                ghost("two").share(ghost("two").rows["battles_won"][:, 2], ghost("two").rows["battles"][:, 2]),
            ],
        ),
        (
            rf"A game has {N} shortages, {N} for each player's ship",
            lambda m: [
                course(own(), "shortages"),
                own().ratio(own().count("shortages"), own().ones * own().players),
            ],
        ),
        (rf"of the games have at least one: {N}", lambda m: [course(own(), "games short")]),
        (
            rf"Space (\d+) costs \d [a-z]+ and makes {N} of all",
            lambda m: [shortage_share(own(), lambda space, side: space == int(m.group(1)))],
        ),
        (rf"^{N} are at ports, for want of gold", lambda m: [ports(own())]),
        (
            rf"often: {N} of their games, those that do three times or more {N}",
            lambda m: [own().of_ships(own().shortages() == 0), own().of_ships(own().shortages() >= 3)],
        ),
        (
            rf"ahead of the others' mean in {N} of the cases and behind it in {N}",
            lambda m: [shortage_share(own(), lambda space, side, s=s: side == s) for s in (1, -1)],
        ),
        (
            rf"Whoever draws (.+?) wins {N} of the games, where all who draw win {N}",
            lambda m: [own().drew([card(m.group(1))]), own().drew(NAMES)],
        ),
        (rf"Whoever draws (.+?) wins {N}$", lambda m: [own().drew([card(m.group(1))])]),
        (rf"A game brings {N} treasures", lambda m: [course(own(), "treasures taken")]),
        (
            rf"The power of (.+?) itself is worth {N} points of win rate: those who draw it win {N} with the power and "
            rf"{N} where",
            lambda m: power(page, m.group(1)),
        ),
        (
            rf"^{N} of the games last (?P<low>\d+) to (?P<high>\d+)",
            lambda m: [own().share(lasting(own(), m.group("low"), m.group("high")), own().ones)],
        ),
        (rf"A game lasts {N} rounds", lambda m: [course(own(), "rounds")]),
        (rf"The ship that comes home first wins {N}", lambda m: [course(own(), "first home wins")]),
        (rf"The first ship home wins {N}", lambda m: [course(own(), "first home wins")]),
        (
            rf"A ship that runs short three times or more wins {N}",
            lambda m: [own().of_ships(own().shortages() >= 3)],
        ),
        (rf"A ship that leads alone at half-time wins {N}", lambda m: [half_time(own())]),
        (rf"^{N} times in a game a ship takes the lead alone", lambda m: [course(own(), "lead changes")]),
        (
            rf"are taken by {N} to {N} of the ships",
            lambda m: sorted(lane(own(), space, None) for space in (6, 19, 32))[::2],
        ),
        (
            rf"After space (\d+) those outside win [a-z]+ often, {N} of their games against {N}",
            lambda m: [lane(own(), int(m.group(1)), outer) for outer in (True, False)],
        ),
        (rf"The winner has {N} points", lambda m: [course(own(), "winner's score")]),
        (
            rf"{N} of them come from (.+?) and {N} from (.+?); (.+?) brings? {N}",
            lambda m: [source(own(), SOURCES[m.group(n)]) for n in (2, 4, 5)],
        ),
        (rf"It is {N} points ahead of the second", lambda m: [course(own(), "winner's lead")]),
        (rf"^In {N} of the games it leads by", lambda m: [close(own())]),
        (
            rf"not have sufficed in {N} of the games with (\w+) players(?: \(([^)]*)\))?",
            lambda m: [too_small(own(**{"players": WORDS[m.group(2)], **labelled(m.group(3) or "")}))],
        ),
        (
            rf"Most often it is (\w+) that runs out, in {N}",
            lambda m: [runs_out(page.worst, ("gold", "food", "gunpowder").index(m.group(1)))],
        ),
        (
            rf"The first Captain wins {N} of the games and the last seat {N}",
            lambda m: [own().seat(0), own().seat(own().players - 1)],
        ),
        (
            rf"(\w+) takes {N} of the victories over all opponents",
            lambda m: [over_all(page, m.group(1).lower(), LIBRARY)],
        ),
        (
            rf"(\w+) comes next with {N}; against each other, (\w+) takes {N}",
            lambda m: [
                over_all(page, m.group(1).lower(), LIBRARY),
                duel(page, m.group(3), m.group(1).lower()),
            ],
        ),
        (
            rf"The fewest of those with a plan takes (\w+): {N}",
            lambda m: [over_all(page, m.group(1), LIBRARY)],
        ),
        (rf"The most uneven pair is (\w+) against (\w+): {N}", lambda m: [duel(page, m.group(1), m.group(2))]),
        (rf"(\w+) beats (\w+), which stands above it: {N}", lambda m: [duel(page, m.group(1).lower(), m.group(2))]),
    ]


def claim_at(page, m, name):
    labels = [group for group in m.groups() if group and ("player" in group)]
    found = []
    for label in labels:
        changes = {"ghost": False, **labelled(label)}
        found.append(change(page.games(**changes), page.games(**{**changes, "ghost": True}), name))
    return found


def ghost_wins(games):
    return games.share(games.wins[:, games.players], games.ones)


def ghost_points(games, name):
    return games.mean(games.rows[name][:, games.players])


def ghost_battles(games, name):
    return games.mean(games.rows[name][:, games.players])


def among(games):
    battles = games.count("attacks")
    return games.mean(battles - games.rows["battles"][:, games.players] if games.rules.ghost else battles)


def ports(games):
    return games.share(games.rows["shortages"][:, :, 0].astype(int).sum(axis=1), games.count("shortages"))


def close(games):
    in_order = np.sort(games.rows["score"][:, : games.ships].astype(int), axis=1)
    return games.share(in_order[:, -1] - in_order[:, -2] <= 3, games.ones)


def too_small(games):
    Page.worst = games
    return games.share((games.rows["peak"] > np.array([80, 45, 45])).any(axis=1), games.ones)


def runs_out(games, resource):
    return games.share(games.rows["peak"][:, resource] > (80, 45, 45)[resource], games.ones)


def power(page, name):
    off = {"Morgan's Map": {"map_hand_size": 3}, "Lady Beth": {"lady_beth_bonus": 0}}[name]
    on, without = page.games().drew([name]), page.games(**off).drew([name])
    return [(on[0] - without[0], math.hypot(on[1], without[1])), on, without]


# Comparing


def figures_of(sentence):
    """The figures of a sentence: value, standard error, rounding, short text."""
    found = []
    for title, short in FIGURE.findall(sentence):
        value = float(re.sub(r"[^\d.\-]", "", title.split(" ±")[0].replace("−", "-")))
        match = HALF_WIDTH.search(title)
        half = float(match.group(2)) if match else 0.0
        digits = len(title.split(" ±")[0].partition(".")[2].rstrip("%"))
        rounding = 0.5 * 10.0**-digits
        found.append((value, (half + rounding) / 1.96, rounding, short))
    return found


def check(page):
    """Check every sentence with figures: how many figures, wrong ones, unknown sentences, and the largest distance."""
    checked, wrong, unknown, largest = 0, [], [], 0.0
    rules = [(re.compile(pattern.replace("(#)", "(§)")), expect) for pattern, expect in rules_of(page)]
    for whole in page.sentences:
        sentence = BESIDE.split(whole)[0]  # figures of the tables beside the reference are in the page's tables
        if "<b title" not in sentence:
            continue
        plain = html.unescape(FIGURE.sub("§", sentence)).strip()
        said = figures_of(sentence)
        match = next(((found, expect) for rule, expect in rules if (found := rule.search(plain))), None)
        if match is None:
            unknown.append(plain)
            continue
        expected = match[1](match[0])
        if len(expected) != len(said):
            unknown.append(f"{plain} ({len(said)} figures, {len(expected)} counted)")
            continue
        for (value, error, rounding, short), (truth, own) in zip(said, expected, strict=True):
            away = max(0.0, abs(abs(value) - abs(truth)) - rounding) / math.hypot(error, own)
            largest = max(largest, away)
            checked += 1
            if away > MOST_ERRORS:
                wrong.append(f"{plain}: says {short}, counted {truth:.3f} ± {1.96 * own:.3f} ({away:.1f} errors)")
    return checked, wrong, unknown, largest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path, help="HTML reports  [default: all in reports/]")
    parser.add_argument("--games", type=int, default=20_000, help="fresh games at each table")
    parser.add_argument("--replays", type=int, default=300, help="of which so many are replayed")
    options = parser.parse_args()
    folder = Path(__file__).parent.parent / "reports"
    pages = options.pages or sorted(p for p in folder.glob("*.html") if p.stem != "index")
    failed = Counter()
    for path in pages:
        checked, wrong, unknown, largest = check(Page(path, options))
        print(
            f"{path.stem}: {checked} figures counted again, the furthest {largest:.1f} standard errors away", flush=True
        )
        for kind, lines in (("WRONG", wrong), ("NOT CHECKED", unknown)):
            failed[kind] += len(lines)
            for line in lines:
                print(f"  {kind}: {line}")
    return 1 if failed["WRONG"] or failed["NOT CHECKED"] else 0


if __name__ == "__main__":
    sys.exit(main())
