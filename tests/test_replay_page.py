"""The page that plays a game: its data, that it is whole and safe, and its table from step to step, run by Node."""

import copy
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
import referee
from command import type_in
from referee.game import MISSING, Game

import jamaica_sim
from jamaica_sim import replay, replay_page
from jamaica_sim.game.components import board
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay_table
from jamaica_sim.replays.page import page_data

TABLE = Path(jamaica_sim.__file__).parent / "pages" / "shared" / "table.js"
CORE = Path(__file__).parent / "replay_core.mjs"
NODE = shutil.which("node")
TABLES = [
    *(Rules(edition=edition, players=players) for edition in ("2007", "2021") for players in range(2, 7)),
    *(Rules(edition=edition, players=players, ghost=True) for edition in ("2007", "2021") for players in (3, 5)),
    Rules(players=3, holds=2, start_food=0, start_gold=7, start_score=-9),
    Rules(players=3, ghost=True, ghost_gold=(0, 9), lady_beth_bonus=7, treasure_pile=2),
    Rules(players=4, edition="2021", round_cap=4, action_die=(1, 10)),
    Rules(players=3).but(**{"space.2.kind": "lair", "space.8.cost": 6, "space.0.score": 40}),
]
IN_FULL = 6  # one game of this many is looked at frame by frame; of the others two digests are compared


def random_games(games):
    """Random games at every kind of table: they reach every situation."""
    return [replay_table(seat_table(rules, "random"), game) for rules in TABLES for game in games]


@pytest.fixture(scope="module")
def traces():
    return random_games(range(1))


def in_node(pages, table=TABLE):
    """The results of the page's own functions for these data."""
    lines = "\n".join(json.dumps(data) for data in pages)
    command = [NODE, CORE, table]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed; the browser's tests run the same code")


@pytest.fixture(scope="module")
def played(traces):
    return in_node([page_data(trace) | {"in_full": i % IN_FULL == 0} for i, trace in enumerate(traces)])


def positions_by_round(trace):
    """Where each ship is after each round, from the moves and retreats of the trace alone."""
    ships = trace["config"]["players"] + trace["config"]["ghost"]
    now, after = [[0, 0]] * ships, []
    for event in trace["events"]:
        if event["event"] == "round" and event["number"] > 1:
            after.append(list(now))
        if event["event"] in ("move", "retreat"):
            now = [*now[: event["ship"]], [event["to"]["space"], event["to"]["lap"]], *now[event["ship"] + 1 :]]
    return [*after, now]


def check_games(traces, played):
    """The page ends where the game ended, and ships are where the trace says after every round."""
    for trace, shown in zip(traces, played, strict=True):
        assert shown["disagreements"] == []
        assert shown["scores"] == trace["result"]["scores"]
        assert shown["rounds"] == positions_by_round(trace)


@needs_node
def test_the_page_ends_where_the_game_ended_and_ships_are_where_the_trace_says(traces, played):
    check_games(traces, played)


@pytest.mark.slow
@needs_node
def test_the_same_for_many_games():
    traces = random_games(range(1, 3))
    played = in_node([page_data(trace) for trace in traces])
    check_games(traces, played)
    check_secrets(traces[::2], played[::2])  # one game of each table


class Watched(Game):
    """The referee's game, with a picture of the table before each event and at the end."""

    def take(self, kind, clause, **expected):
        self.pictures.append(self.picture())
        return super().take(kind, clause, **expected)

    def picture(self):
        return {
            "ships": list(map(ship_as_the_page_has_it, self.ships)),
            "pile": self.pile[:],
            "lairs": sorted(self.lair_tokens),
        }


def ship_as_the_page_has_it(ship):
    holds = [(it.resource, it.amount) if it.resource not in (None, MISSING) else None for it in ship.holds]
    treasures = {side: sorted(card for card, up in ship.treasures.items() if up == side) for side in (True, False)}
    place = ship.position.space, ship.position.lap
    return {
        "place": place,
        "holds": holds + [None] * (6 - len(holds)),
        "hand": sorted(ship.hand),
        "up": treasures[True],
        "down": treasures[False],
    }


def refereed(trace):
    """The table before each event and after the last one, as the referee has it, who knows only rules and trace."""
    games = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(referee, "Game", lambda *parts: games.append(Watched(*parts)) or games[0])
        Watched.pictures = []
        referee.check(trace)
    return [*Watched.pictures, games[0].picture()]


def on_the_page(ship):
    holds = [hold and (hold["resource"], hold["amount"]) for hold in ship["holds"]]
    place = ship["space"], ship["lap"]
    return {
        "place": place,
        "holds": holds + [None] * (6 - len(holds)),
        "hand": sorted(ship["hand"]),
        "up": sorted(ship["powers"]),
        "down": sorted(ship["down"]),
    }


def battle_by_events(events):
    """What a battle came to, by its events."""
    first, *others, last = events
    sides = []
    for part, strength in (("attacker", "attack"), ("defender", "defence")):
        mine = [event for event in others if event["ship"] == first[part]]
        [powder] = [event["amount"] for event in mine if event["event"] == "powder"] or [None]
        faces = [event["face"] for event in mine if event["event"] == "roll"]
        sides.append({"ship": first[part], "powder": powder, "faces": faces, "strength": last[strength]})
    sabre = next(({"by": e["ship"], "of": e["of"]} for e in others if e["event"] == "sabre"), None)
    return {"space": first["space"], "sides": sides, "sabre": sabre, "over": {"winner": last["winner"]}}


def check_frames(trace, frames):
    """Every frame shows the table as the referee has it; round, battles and shortages are as the events say."""
    pictures, events, battle, place = refereed(trace), trace["events"], None, 0
    for [kind, first, count, *_], [state, _] in zip(page_data(trace)["steps"], frames, strict=True):
        at = len(events) if kind == "end" else first + count
        ships, lairs = list(map(on_the_page, state["ships"])), sorted(state["lairs"])
        assert {"ships": ships, "pile": state["pile"], "lairs": lairs} == pictures[at], f"{kind} at {at}"
        if kind == "setup":
            continue
        place = first if kind == "dice" else place
        of_round = events[place]
        assert (state["round"], state["captain"]) == (of_round["number"], of_round["captain"])
        assert (state["dice"], state["placed"]) == (of_round["dice"], None if kind == "dice" else of_round["placed"])
        acting = {event["ship"] for event in events[place:at] if event["event"] == "action"}
        assert {seat for seat, ship in enumerate(state["ships"]) if ship["shown"]} == acting
        assert kind not in ("action", "shortage") or state["shortage"] == (
            events[first] if kind == "shortage" else None
        )
        battle = first if kind == "battle" else battle
        if kind == "battle_end":
            sides = [
                {name: value for name, value in side.items() if name != "bonus"} for side in state["battle"]["sides"]
            ]
            assert {**state["battle"], "sides": sides} == battle_by_events(events[battle:at])
        assert bool(state["battle"]) >= (kind in ("battle", "powder", "roll", "sabre", "battle_end"))
        assert not state["battle"] or kind not in ("action", "retreat", "shortage", "end")


@needs_node
def test_every_frame_is_the_table_as_the_referee_has_it(traces, played):
    for trace, shown in list(zip(traces, played, strict=True))[::IN_FULL]:
        check_frames(trace, shown["shown"]["all"])


def check_in_full(traces, table):
    played = in_node([page_data(trace) | {"in_full": "all"} for trace in traces], table)
    check_games(traces, played)
    for trace, shown in zip(traces, played, strict=True):
        check_frames(trace, shown["shown"]["all"])


# What a slip in the page's table would be, one by one: what stands there, and instead of it.
MUTANTS = [
    ("event.face + side.bonus + (side.powder || 0)", "event.face + side.bonus"),
    ("beth && !star ? box.lady_beth_bonus : 0", "0"),
    ("side.strength = star ? null", "side.strength = star ? 9"),
    ("state.pile = state.pile.slice(1)", "state.pile = [...state.pile]"),
    ("{ by: event.ship, of: event.of }", "{ by: event.of, of: event.ship }"),
    ("[event.attacker, event.defender].map(ship", "[event.defender, event.attacker].map(ship"),
    ("{ winner: event.winner }", "{ winner: state.battle.sides[0].ship }"),
    ("lair => lair !== event.space", "lair => lair"),
    ("held.amount === amount ? null", "held.amount < amount ? null"),
    ("held.amount - amount }", "held.amount - 1 }"),
    ('=== "hold") takeOut(state.ships[event.loser]', '=== "hold") takeOut(state.ships[event.ship]'),
    ("event.treasure, event.loser, event.ship)", "event.treasure, event.ship, event.loser)"),
    ("&& !state.ships[event.ship].ghost);\n  },\n  finish", ");\n  },\n  finish"),
    ("ship.hand.indexOf(event.card), 1)", "0, 1)"),
    ("...event.cards].sort", "].sort"),
    ("for (const ship of state.ships) Object.assign(ship, { card: null, shown: false });", ""),
    ("state.ships[event.ship].shown = true", "state.ships[event.ship].shown = false"),
    ("captain: event.captain, dice", "captain: event.number % 2, dice"),
    ('ship.ghost ? [numberOf(box, "Lady Beth")] : []', "[]"),
    ("box.start_score : box.board", "0 : box.board"),
    ('=== "gold" ? held.amount', '=== "food" ? held.amount'),
    ("value < 0)", "value < -2)"),
]


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize(("stands", "instead"), MUTANTS)
def test_a_slip_in_the_table_shows(traces, tmp_path, stands, instead):
    source, own = TABLE.read_text(), tmp_path / "table.js"
    assert source.count(stands) == 1, f"the table has no {stands}"
    own.write_text(source.replace(stands, instead))
    with pytest.raises(AssertionError):
        check_in_full(traces[:12:3], own)


@needs_node
def test_ships_sail_along_the_course(played):
    neighbours = {(a, b) for a, space in enumerate(board()) for b in space.next}
    neighbours |= {(b, a) for a, b in neighbours}
    paths = [path for shown in played for path in shown["paths"]]
    assert len(paths) > 1000
    assert all(pair in neighbours for path in paths for pair in zip(path, path[1:], strict=False))


@needs_node
def test_marks_are_those_of_the_trace(traces, played):
    for trace, shown in zip(traces, played, strict=True):
        for kind, event in (
            ("attack", "battle"),
            ("shortage", "shortage"),
            ("treasure", "treasure"),
            ("finish", "finish"),
        ):
            marks = [mark["ship"] for mark in shown["marks"] if mark["kind"] == kind]
            assert marks == [e.get("ship", e.get("attacker")) for e in trace["events"] if e["event"] == event]


def exchanged(trace):
    """The same game with the treasures that lie face down exchanged."""
    other = copy.deepcopy(trace)
    down = {4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11, 11: 4}

    def swap(card):
        return down.get(card, card)

    setup = other["setup"]
    for name in ("pile", "removed"):
        setup[name] = [swap(card) for card in setup[name]]
    for event in other["events"]:
        if "treasure" in event:
            event["treasure"] = swap(event["treasure"])
    return other


def check_secrets(traces, played):
    """Public views stay the same when hidden treasures are exchanged."""
    changed = in_node([page_data({**exchanged(trace), "result": trace["result"]}) for trace in traces])
    pairs = [(before["digests"], after["digests"]) for before, after in zip(played, changed, strict=True)]
    assert all(before["public"] == after["public"] for before, after in pairs)
    assert sum(before["all"] != after["all"] for before, after in pairs) > len(pairs) / 2


@needs_node
def test_public_views_do_not_change_when_hidden_treasures_are_exchanged(traces, played):
    check_secrets(traces[::3], played[::3])


@needs_node
def test_a_view_shows_its_own_cards_and_no_others(played):
    for shown in played[::IN_FULL]:
        assert len(shown["shown"]) > 3
        for view, frames in shown["shown"].items():
            for state, _ in frames[:-1]:
                assert view == "all" or set(state["pile"]) <= {None}
                for ship, seen in enumerate(state["ships"]):
                    if view != "all" and view != str(ship):
                        assert set(seen["hand"]) <= {None}
                        assert seen["shown"] or seen["card"] in (None, "hidden")
                    elif not seen["ghost"]:
                        assert None not in seen["hand"] and None not in seen["down"]


@needs_node
def test_sentences_name_a_face_down_treasure_to_those_who_know_it_only():
    trace = replay(3, strategies="random", players=3)
    (shown,) = in_node([page_data(trace) | {"in_full": True}])
    drawn = [
        (at, event["ship"])
        for at, event in ((step[1], trace["events"][step[1]]) for step in page_data(trace)["steps"] if step[2])
        if event["event"] == "treasure" and event["treasure"] > 3
    ]
    assert drawn
    steps = {step[1]: number for number, step in enumerate(page_data(trace)["steps"]) if step[0] == "treasure"}
    for at, ship in drawn:
        words = {view: "".join(map(str, frames[steps[at]][1])) for view, frames in shown["shown"].items()}
        knowing = {view for view, text in words.items() if re.search(r"(Treasure|Cursed) [+-]\d", text)}
        assert knowing == {"all", str(ship)}


class Parts(HTMLParser):
    """The elements of a page, and the addresses from which it would load something."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.scripts, self._inside = [], [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.links += [attributes[name] for name in ("src", "href", "srcset", "data") if attributes.get(name)]
        if tag == "script":
            self._inside = attributes.get("id", "code")

    def handle_data(self, data):
        if self._inside:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data

    def handle_endtag(self, tag):
        if tag == "script":
            self._inside = None


def test_one_file_that_loads_nothing():
    page = replay_page(replay(2, strategies="random", players=4))
    parts = Parts(page)
    assert all(link.startswith(("#", "data:,")) for link in parts.links)
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|@import|url\((?!#)|fetch\(|XMLHttp|eval\(", page)
    assert parts.tags.count("script") == 2 and not re.search(r"@[A-Z]+@", page)


MARKUP = "</script><img src=x onerror=alert(1)><!--"


def test_names_with_markup_stay_names():
    trace = replay(2, strategies="random", players=3)
    trace["config"]["strategies"] = [MARKUP, "@SCRIPT@ & \"'", "\u2028<b>"]
    page = replay_page(trace)
    parts = Parts(page)
    assert "img" not in parts.tags and parts.tags.count("script") == 2
    names = [ship["strategy"] for ship in json.loads(parts.scripts["data"])["ships"]]
    assert names == trace["config"]["strategies"]
    assert json.loads(parts.scripts["data"])["trace"] == trace


def test_a_long_game_of_six_is_small():
    table = seat_table(strategies="random", players=6)
    longest = max((replay_table(table, game) for game in range(12)), key=lambda trace: trace["result"]["rounds"])
    assert longest["result"]["rounds"] > 30
    assert len(replay_page(longest).encode()) < 600_000


def test_the_longest_game_there_can_be_is_below_a_megabyte():
    """Six players whose dice show only ones: a game of more than 60 rounds."""
    table = seat_table(strategies="random", players=6, action_die=(1, 1, 1, 1, 1, 1))
    trace = replay_table(table, 1)
    assert trace["result"]["rounds"] > 60
    assert len(replay_page(trace).encode()) < 1_000_000


def test_the_command_writes_the_page(tmp_path):
    done = type_in("replay", "--game", 2, "-s", "random", "--players", 3, "--html", tmp_path / "game.html")
    assert done.exit_code == 0 and "open it in a browser" in done.stderr
    assert (tmp_path / "game.html").read_text() == replay_page(replay(2, strategies="random", players=3))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--html", "game.txt"], "ends in .html"),
        (["--html", "nowhere/game.html"], "no folder to write this file to"),
        (["--html", "game.html", "--format", "json"], "Choose one of"),
        (["--summary", "--format", "json"], "Choose one of"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = type_in("replay", "--game", 2, "-s", "random", *words)
    assert done.exit_code == 2 and sentence in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_a_fault_ended_has_a_page_to_its_last_event():
    trace = replay(2, strategies="random", players=3)
    broken = trace | {"events": trace["events"][:200], "result": None}
    data = page_data(broken, fault="the strategy gave up.")
    assert data["steps"][-1][0] == "fault" and data["steps"][-1][4] == ["The game ends here: the strategy gave up"]
    if NODE:
        assert in_node([data])[0]["frames"] == len(data["steps"])
