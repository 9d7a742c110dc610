"""Positions of a game: played on unchanged they give the same game, and a player's chances use only what it knows."""

import numpy as np
import pytest

from jamaica_sim.engine.state import STATE_DTYPE
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions, Onward
from jamaica_sim.play.trace import replay_table

GAME = 5
TABLES = {
    "four": (Rules(), ["balanced", "random"]),
    "ghost": (Rules(players=3, ghost=True, edition="2021"), ["balanced", "random"]),
    "two": (Rules(players=2, hand_size=4), ["balanced", "racer"]),
}


@pytest.fixture(scope="module", params=TABLES)
def played(request):
    table = seat_table(*TABLES[request.param])
    return replay_table(table, GAME), GamePositions(table, GAME)


def test_there_is_a_position_before_every_round_and_at_every_choice(played):
    trace, positions = played
    assert [position.round for position in positions.between_rounds()] == list(range(1, trace["result"]["rounds"] + 1))
    number, chosen = 0, []
    for event in trace["events"]:
        number = event["number"] if event["event"] == "round" else number
        if event["event"] == "choose" and len(event["hand"]) > 1:
            chosen.append((number, event["ship"], tuple(sorted(event["hand"])), event["card"]))
    found = [(p.round, p.player, p.options, p.answer) for p in positions.decisions("choose_card")]
    assert found == chosen


def test_a_position_says_which_event_its_answer_leads_to(played):
    trace, positions = played
    events = {"place_dice": "round", "choose_card": "choose", "choose_space": "move", "choose_retreat": "retreat"}
    events |= {"attack_powder": "powder", "defence_powder": "powder", "choose_loot": "loot", "hold_to_pay": "pay"}
    for position in positions.between_rounds():
        assert trace["events"][position.event]["number"] == position.round
    for position in positions.decisions():
        event = trace["events"][position.event]
        assert event["event"] == events.get(position.decision, event["event"])
        if position.decision == "choose_card":
            assert (event["ship"], event["card"]) == (position.player, position.answer)
        elif position.decision == "choose_space":
            assert (event["ship"], event["to"]["space"]) == (position.player, position.answer)


def test_the_game_itself_comes_of_the_cards_that_were_played(played):
    trace, positions = played
    for position in positions.decisions("choose_card")[::7]:
        row, events = positions.retold(position, position.answer)
        assert trace["events"][: position.event] + events == trace["events"]
        assert row["score"][: len(trace["result"]["scores"])].tolist() == trace["result"]["scores"]


def test_luck_that_is_kept_to_the_end_of_a_round_leads_to_the_next_one(played):
    """So the chances after the last event of a round are those before the next round, game by game."""
    trace, positions = played
    starts = positions.between_rounds()
    ends = [start.event for start in starts[1:]] + [len(trace["events"])]
    tasks = [Onward(start) for start in starts]
    tasks += [positions.after(start, end - 1) for start, end in zip(starts, ends, strict=True)]
    found = positions.chances(tasks, 12)
    before, after = found[: len(starts)], found[len(starts) :]
    for number, chances in enumerate(after[:-1], 1):
        assert (chances.shares == before[number].shares).all(), f"round {number}"
    winners = trace["result"]["winners"]
    assert (after[-1].wins == [(ship in winners) / len(winners) for ship in range(after[-1].wins.size)]).all()
    assert all(chances.wins.sum() == pytest.approx(1) for chances in found)
    assert any((chances.shares != before[0].shares).any() for chances in before)


def test_a_throw_is_kept_and_what_comes_after_it_is_new(played):
    """Chances after a throw, found twice, are the same."""
    trace, positions = played
    start = positions.between_rounds()[3]
    way = positions.after(start, start.event)
    (kept,), (again,) = (positions.chances([way], 30) for _ in range(2))
    assert (kept.shares == again.shares).all()
    assert kept.games == 30 and kept.errors.max() < 0.5


def exchanged(positions, position):
    """The same position, but with other hands and decks of the others, other knowledge and other luck."""
    other = GamePositions.__new__(GamePositions)
    other.__dict__ |= positions.__dict__
    other._records = positions._records.copy()
    record = other._records[position.index]

    def field(name):
        dtype, offset = STATE_DTYPE.fields[name]
        return record[offset : offset + dtype.itemsize].view(dtype.base).reshape(dtype.shape)

    for ship in range(positions.table.rules.players):
        if ship != position.player:
            hand, deck = int(field("hands")[ship]), int(field("deck")[ship])
            lowest, new = hand & -hand, deck & -deck
            if new:
                field("hands")[ship], field("deck")[ship] = hand ^ lowest | new, deck ^ new | lowest
    field("knows")[[s for s in range(6) if s != position.player]] = 0
    field("key")[:] += 1
    return other


def test_a_players_chances_do_not_depend_on_what_it_cannot_know(played):
    _, positions = played
    changed = 0
    for position in positions.decisions("choose_card")[2:20:5]:
        other = exchanged(positions, position)
        blind = [Onward(position, answer, as_known=True) for answer in position.options]
        for here, there in zip(positions.chances(blind, 12), other.chances(blind, 12), strict=True):
            assert (here.shares == there.shares).all()
        (seeing,), (elsewhere,) = (p.chances([Onward(position)], 12) for p in (positions, other))
        changed += (seeing.shares != elsewhere.shares).any()
    assert changed  # the chances of a spectator, who sees all, do change


def test_every_kind_of_decision_can_be_played_on_blindly(played):
    _, positions = played
    kinds = {position.decision: position for position in positions.decisions()}
    tasks = [Onward(p, answer, as_known=True) for p in kinds.values() for answer in p.options]
    for chances in positions.chances(tasks, 4):
        assert chances.wins.sum() == pytest.approx(1)


def test_answers_are_compared_on_the_same_luck(played):
    _, positions = played
    position = positions.decisions("choose_card")[0]
    first, second = positions.chances([Onward(position, answer) for answer in position.options[:2]], 60)
    gain, error = first.gain_over(second, position.player)
    assert gain == pytest.approx(first.of(position.player) - second.of(position.player))
    assert 0 <= error < 0.2


def test_a_slip_is_refused_in_a_sentence(played):
    _, positions = played
    start, asked = positions.between_rounds()[0], positions.decisions()[0]
    with pytest.raises(ValueError, match="nobody is asked between two rounds"):
        positions.chances([Onward(start, as_known=True)], 10)
    with pytest.raises(ValueError, match="61 is not one of the legal answers"):
        positions.chances([Onward(asked, 61)], 10)
    with pytest.raises(ValueError, match="at least 2, not 1"):
        positions.chances([Onward(start)], 1)


@pytest.mark.slow
def test_chances_at_the_start_are_those_of_whole_games():
    """New luck shuffles decks and throws dice again; the hands dealt before the first round differ between games."""
    table = seat_table(players=3, ghost=True, strategies=["balanced", "random", "racer"], seed=9)
    starts = [(positions, positions.between_rounds()[0]) for positions in (GamePositions(table, g) for g in range(120))]
    mixed = np.mean([positions.chances([Onward(start)], 60)[0].wins for positions, start in starts], axis=0)
    whole = win_shares(Worker(table).play(Chunk(1000, 10_000), keep_rows=True).rows, 4).mean(axis=0)
    assert np.abs(mixed - whole).max() < 0.06
    assert mixed.sum() == pytest.approx(1)
