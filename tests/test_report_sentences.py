"""Every kind of sentence in a report against a small truth: sixty games, replayed and counted event by event.

The counting here does not use the tally or the results: it reads the trace of each game.
"""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from jamaica_sim.game.components import board, treasures
from jamaica_sim.play.trace import replay_table
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapters import source_of
from jamaica_sim.report.judge import Judge
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.file import experiment_from_text
from jamaica_sim.study.experiment.run_experiment import run_experiment

GAMES = 60
TEXT = """
    compare = "ghost"
    line_ups = ["balanced"]
    [rules]
    edition = "2021"
    players = 3
    ghost = [false, true]
"""
CARDS = treasures()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    experiment = experiment_from_text(TEXT, Path("small.toml"))
    return run_experiment(experiment, tmp_path_factory.mktemp("small") / "small", games=GAMES)


@pytest.fixture(scope="module")
def traces(study):
    """By whether the ghost is there: the traces of all games."""
    return {s.rules.ghost: [replay_table(s.results.table, game) for game in range(GAMES)] for s in study.settings}


class Clear(Judge):
    """Calls every comparison clear."""

    def is_clear(self, comparison):
        return True


@pytest.fixture(scope="module")
def said(study):
    """The sentences of every chapter, with short figures; every figure that is looked at counts as clear."""
    sources = {key: source_of(key) for key in CHAPTERS if source_of(key).applies(study)}
    chapters = {key: source.find(study).write(Clear([])) for key, source in sources.items()}
    told = {key: [*chapter.standfirst, *chapter.paragraphs] for key, chapter in chapters.items()}
    return {key: prose.plain(" ".join(map(words.sentence, texts))).replace("\n", " ") for key, texts in told.items()}


def events(traces, kind):
    return [event for trace in traces for event in trace["events"] if event["event"] == kind]


def wins(trace, ship):
    winners = trace["result"]["winners"]
    return (ship in winners) / len(winners)


def figures(text, pattern):
    """The numbers where the pattern has a `#`."""
    found = re.search(pattern.replace("#", r"([+−]?[\d,.]*\d)"), text)
    assert found, f"{pattern!r} is not in {text!r}"
    return [float(number.replace("−", "-").replace(",", "")) for number in found.groups()]


def percent(part, whole):
    return pytest.approx(100 * part / whole, abs=0.051)


def mean(values):
    return pytest.approx(float(np.mean(values)), abs=0.51 if abs(np.mean(values)) >= 10 else 0.06)


def steps_home():
    """From each space the fewest steps to Port Royal; from Port Royal itself the whole circuit."""
    steps = {}
    for number in range(len(board()) - 1, -1, -1):
        steps[number] = 1 + min(0 if following == 0 else steps[following] for following in board()[number].next)
    return steps


# Battles


def battles_of(trace):
    """Each battle: attacker, defender, winner, what was taken."""
    found, current = [], None
    for event in trace["events"]:
        if event["event"] == "battle":
            current = {"attacker": event["attacker"], "defender": event["defender"], "space": event["space"]}
        elif event["event"] == "battle_end":
            current |= {"winner": event["winner"], "take": None}
            found.append(current)
        elif event["event"] == "loot":
            current["take"] = event.get("resource") if event["take"] == "hold" else event["take"]
    return found


def test_who_wins_battles_and_what_they_take(said, traces):
    battles = [b for trace in traces[False] for b in battles_of(trace)]
    attacker = sum(b["winner"] == b["attacker"] for b in battles)
    nobody = sum(b["winner"] is None for b in battles)
    defender = len(battles) - attacker - nobody
    text = said["battles"]
    assert figures(text, "A game has # battles; the attacker wins #% of them, the defender #%") == [
        mean([len(battles) / GAMES]),
        percent(attacker, len(battles)),
        percent(defender, len(battles)),
    ]
    gold = sum(b["take"] == "gold" for b in battles)
    nothing = sum(b["winner"] is not None and b["take"] in (None, "nothing") for b in battles)
    assert figures(text, "takes gold in #% of all battles and nothing in #%") == [
        percent(gold, len(battles)),
        percent(nothing, len(battles)),
    ]
    powder = sum(event["amount"] for event in events(traces[False], "powder"))
    assert figures(text, "A battle costs # gunpowder") == [mean([powder / len(battles)])]
    space, most = Counter(b["space"] for b in battles).most_common(1)[0]
    assert figures(text, "Space # has #% of all battles") == [space, percent(most, len(battles))]


def test_the_ghosts_battles(said, traces):
    ghost = 3
    battles = [b for trace in traces[True] for b in battles_of(trace)]
    own = [b for b in battles if ghost in (b["attacker"], b["defender"])]
    begun = sum(b["attacker"] == ghost for b in own)
    won = sum(b["winner"] == ghost for b in own)
    assert figures(said["ghost"], "It fights # battles a game, begins # of them, and wins #%") == [
        mean([len(own) / GAMES]),
        mean([begun / GAMES]),
        percent(won, len(own)),
    ]


def test_the_ghosts_wins_and_ends(said, traces):
    ghost, text = 3, said["ghost"]
    victories = sum(wins(trace, ghost) for trace in traces[True])
    assert figures(text, "It wins #% with three players; an equal share is #%") == [percent(victories, GAMES), 25.0]
    places = [trace["result"]["positions"][ghost] for trace in traces[True]]
    home = sum(place["lap"] > 0 for place in places)
    red_line = next(n for n, space in enumerate(board()) if n and space.score > 0)
    before = sum(place["lap"] < 0 or (place["lap"] == 0 and place["space"] < red_line) for place in places)
    assert figures(text, "comes home in #% of the games") == [percent(home, GAMES)]
    assert figures(text, "in #% it is not even past the red line") == [percent(before, GAMES)]


# Shortages


def shortages_of(trace, ships):
    """Each shortage: resource, space, ship, and whether the ship was ahead of the others' mean when the round began."""
    to_finish, circuit = steps_home(), steps_home()[0]
    place = {ship: (0, 0) for ship in range(ships)}
    before, found = dict(place), []
    for event in trace["events"]:
        if event["event"] == "round":
            before = dict(place)
        if event["event"] in ("move", "retreat"):
            place[event["ship"]] = event["to"]["space"], event["to"]["lap"]
        if event["event"] == "shortage":
            ship = event["ship"]
            left = {s: to_finish[space] - circuit * lap for s, (space, lap) in before.items()}
            others = np.mean([left[s] for s in range(ships) if s != ship])
            found.append((event["resource"], place[ship][0], ship, np.sign(others - left[ship])))
    return found


def test_where_ships_run_short_and_how_they_stood(said, traces):
    all_games = [shortages_of(trace, 3) for trace in traces[False]]
    found = [shortage for game in all_games for shortage in game]
    text = said["shortages"]
    assert figures(text, "A game has # shortages, # for each player's ship") == [
        mean([len(found) / GAMES]),
        mean([len(found) / GAMES / 3]),
    ]
    with_one = sum(bool(game) for game in all_games)
    ports = sum(resource == "gold" for resource, *_ in found)
    assert figures(text, "#% of the games have at least one; #% of the shortages are at ports") == [
        percent(with_one, GAMES),
        percent(ports, len(found)),
    ]
    space, most = Counter(space for _, space, *_ in found).most_common(1)[0]
    assert figures(text, "Space # has #% of all shortages") == [space, percent(most, len(found))]


def test_how_those_fare_who_run_short(said, traces):
    won = {0: [], 3: []}
    for trace in traces[False]:
        times = Counter(ship for _, _, ship, _ in shortages_of(trace, 3))
        for ship in range(3):
            won.setdefault(min(times[ship], 3), []).append(wins(trace, ship))
    assert figures(
        said["shortages"], "never run short win #% of their games, those that do three times or more #%"
    ) == [
        percent(sum(won[0]), len(won[0])),
        percent(sum(won[3]), len(won[3])),
    ]


# Treasures


def test_what_a_drawn_card_is_worth(said, traces):
    drawn, held = {}, {}
    everybody = []
    for trace in traces[False]:
        owner = {}
        for event in trace["events"]:
            if event["event"] == "treasure":
                drawn.setdefault(CARDS[event["treasure"]].name, []).append(wins(trace, event["ship"]))
                everybody.append(wins(trace, event["ship"]))
                owner[event["treasure"]] = event["ship"]
            elif event["event"] == "loot" and event.get("treasure") is not None:
                owner[event["treasure"]] = event["loser"] if event["take"] == "give" else event["ship"]
        for name in {card.name for card in CARDS}:
            for ship in range(3):
                has = any(CARDS[card].name == name and by == ship for card, by in owner.items())
                held.setdefault((name, has), []).append(wins(trace, ship))
    rates = {name: np.mean(values) for name, values in drawn.items()}
    best = max(rates, key=rates.get)
    text = said["treasures"]
    assert best.replace("Treasure ", "") in text
    drawn_best = r"Whoever draws .*? wins #% of the games, .*? The mean of all cards drawn is #%"
    assert figures(text, drawn_best) == [
        pytest.approx(100 * rates[best], abs=0.051),
        pytest.approx(100 * np.mean(everybody), abs=0.051),
    ]


# The race and its end


def test_the_race_and_the_score(said, traces):
    games = traces[False]
    rounds = [trace["result"]["rounds"] for trace in games]
    text = said["race"]
    assert figures(text, "A game lasts # rounds") == [mean(rounds)]
    in_order = sorted(rounds)
    assert figures(text, "of the games last # to #") == [
        in_order[int(np.ceil(0.05 * GAMES)) - 1],
        in_order[int(np.ceil(0.95 * GAMES)) - 1],
    ]
    best = [max(trace["result"]["scores"]) for trace in games]
    second = [sorted(trace["result"]["scores"])[-2] for trace in games]
    assert figures(said["scores"], "The winner has # points") == [mean(best)]
    lead = np.array(best) - second
    assert figures(said["scores"], r"It is # points ahead of the second; #% of the games are won by") == [
        pytest.approx(lead.mean(), abs=0.51),
        percent((lead <= 3).sum(), GAMES),
    ]


def test_who_comes_home_first_and_who_sits_where(said, traces):
    first = [next(e["ship"] for e in trace["events"] if e["event"] == "finish") for trace in traces[False]]
    home = sum(wins(trace, ship) for trace, ship in zip(traces[False], first, strict=True))
    text = said["who_wins"]
    assert figures(said["race"], "The first ship home wins #%") == [percent(home, GAMES)]
    captains = [trace["setup"]["captain"] for trace in traces[False]]
    seats = [
        sum(wins(trace, (captain + seat) % 3) for trace, captain in zip(traces[False], captains, strict=True))
        for seat in (0, 2)
    ]
    assert figures(text, "first Captain wins #% of the games and the last seat #%") == [
        percent(seats[0], GAMES),
        percent(seats[1], GAMES),
    ]


def test_who_leads_at_half_time(said, traces):
    to_finish, circuit = steps_home(), steps_home()[0]
    sole, won, level, changes = 0, 0.0, 0, 0
    for trace in traces[False]:
        left = {ship: circuit for ship in range(3)}
        after, before = [], None
        for event in [*trace["events"], {"event": "round"}]:
            if event["event"] == "round":
                after.append(dict(left))
            if event["event"] in ("move", "retreat"):
                left[event["ship"]] = to_finish[event["to"]["space"]] - circuit * event["to"]["lap"]
        for standing in after[1:]:
            ahead = [ship for ship in standing if standing[ship] == min(standing.values())]
            changes += before is not None and len(ahead) == 1 and ahead != before
            before = ahead
        half = after[trace["result"]["rounds"] // 2]
        ahead = [ship for ship in half if half[ship] == min(half.values())]
        if len(ahead) == 1:
            sole, won = sole + 1, won + wins(trace, ahead[0])
        else:
            level += 1
    text = said["drama"]
    assert figures(text, "alone at half-time wins #% of the games; an equal share is #%") == [percent(won, sole), 33.3]
    assert figures(text, "#% of the games have a sole leader then") == [percent(GAMES - level, GAMES)]
    assert figures(text, "takes the sole lead # times in a game") == [mean([changes / GAMES])]


# What the ghost changes


def test_what_the_ghost_changes_and_what_the_rulebook_claims(said, traces):
    counts = {ghost: [len(battles_of(trace)) for trace in games] for ghost, games in traces.items()}
    assert figures(said["changes"], "Battles: # with the ghost ship, # without the ghost ship") == [
        mean(counts[True]),
        mean(counts[False]),
    ]
    assert figures(said["claims"], "Battles: # without the ghost, # with it") == [
        mean(counts[False]),
        mean([np.mean(counts[True]) - np.mean(counts[False])]),
    ]
    short = [
        np.mean([len(shortages_of(trace, 4 if ghost else 3)) for trace in traces[ghost]]) for ghost in (True, False)
    ]
    expected = [mean([short[1]]), pytest.approx(short[0] - short[1], abs=0.06)]
    assert figures(said["claims"], "Shortages: # without the ghost, # with it") == expected


def test_the_box_is_enough(said):
    assert figures(said["box"], "80 doubloons, 45 food and 45 gunpowder; #% of the games need more") == [0.0]
