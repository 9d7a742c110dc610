"""The drawn board: every space with its cost, number and points, and the colours of what happened there."""

from dataclasses import replace

import matplotlib
import pytest
from click.testing import CliRunner

matplotlib.use("agg")

import matplotlib.pyplot as plt

from jamaica_sim import simulate
from jamaica_sim.cli import main
from jamaica_sim.game.components import board, the_box
from jamaica_sim.game.rules import Rules
from jamaica_sim.results.board_picture import HEATS, draw_board, heat_values


@pytest.fixture(scope="module")
def results():
    return simulate(300, players=3, strategies=["random"])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_plain_board_has_every_space_cost_and_point():
    written = texts(draw_board())
    for number, space in enumerate(board()):
        assert written.count(str(number)) >= 1
        if space.score > 0:
            assert f"+{space.score}" in written
    costs = [str(space.cost) for space in board() if space.cost]
    numbers = [str(number) for number in range(len(board()))]
    assert sorted(text for text in written if text.isdigit()) == sorted(costs + numbers)
    assert sum("outer lane" in text for text in written) == 3


def test_a_board_of_ones_own_has_its_losses_and_free_spaces():
    own = Rules(board="h+9 s-4 s2-3>3/6 s1-2 p4-1 s2+0>7 s3+1 s2 s s p s s s s s", treasure_pile=0)
    ax = draw_board(rules=own)
    spaces, written = own.components.board, texts(ax)
    assert [written.count(points) for points in ("-4", "-3", "-2", "-1", "+1", "+9")] == [0, 1, 1, 1, 10, 1]
    numbers = [str(number) for number in range(len(spaces))]
    costs = [str(space.cost) for space in spaces[1:]]
    zero_points = ["0" for space in spaces if space.score == 0]
    assert sorted(text for text in written if text.isdigit()) == sorted(numbers + costs + zero_points)
    places = [text.get_position() for text in ax.texts if text.get_text()]
    assert len({*places}) == len(places)


def scored(points):
    """The printed rules, with these points for each space but Port Royal."""
    spaces = [replace(space, score=points(space) if number else space.score) for number, space in enumerate(board())]
    return Rules(components=replace(the_box(), board=tuple(spaces)))


@pytest.mark.parametrize(
    ("rules", "last", "lost"),
    [
        (Rules(), 38, -5),
        (Rules(red_line=31), 30, -5),
        (scored(lambda space: min(space.score + 2, 1)), 38, -3),
        (scored(lambda space: min(space.score, 0)), 38, -5),  # nothing to gain, but nothing to lose beyond the line
    ],
)
def test_the_red_line_is_drawn_after_the_last_space_that_costs_points(rules, last, lost):
    ax = draw_board(rules=rules)
    assert [words for words in texts(ax) if "red line" in words] == [f"red line: {lost} up to here"]
    (line,) = ax.lines
    here, ahead = board()[last], board()[board()[last].next[0]]
    x, y = ([min(ends), max(ends)] for ends in (line.get_xdata(), line.get_ydata()))
    assert x[0] <= 0.7 * here.x + 0.3 * ahead.x <= x[1] and y[0] <= 0.7 * here.y + 0.3 * ahead.y <= y[1]


@pytest.mark.parametrize("points", [-5, 0, 3])
def test_there_is_no_red_line_where_all_spaces_score_the_same(points):
    ax = draw_board(rules=scored(lambda space: points))
    assert not ax.lines and not any("red line" in words for words in texts(ax))


@pytest.mark.parametrize("heat", HEATS)
def test_heat_colours_every_space_by_its_figure(results, heat):
    ax = plt.figure().subplots()
    assert draw_board(results, heat, ax=ax) is ax
    drawn = {}
    for collection in ax.collections:
        values = collection.get_array()
        if values is not None:
            for (x, y), value in zip(collection.get_offsets(), values, strict=True):
                drawn[round(float(x), 3), round(float(y), 3)] = float(value)
    expected = results.tally[HEATS[heat]][0] / results.games
    assert drawn == pytest.approx({(s.x, s.y): expected[number] for number, s in enumerate(board())})
    assert f"{max(heat_values(results, heat)):.2g}" in texts(ax)


def test_the_words_between_lanes_touch_no_space():
    ax = draw_board()
    ax.figure.canvas.draw()
    spaces = [ax.transData.transform((space.x, space.y)) for space in board()]
    words = [text.get_window_extent() for text in ax.texts if text.get_text().startswith("outer lane")]
    radius = ax.figure.dpi / 72 * 9
    assert len(words) == 3
    assert not [box for box in words for space in spaces if box.padded(radius).contains(*space)]


def test_an_unknown_heat_is_refused(results):
    with pytest.raises(ValueError, match="landings, shortages, battles"):
        heat_values(results, "storms")


def test_command_line_draws_and_refuses(tmp_path):
    run = CliRunner().invoke
    assert run(main, ["board", "--out", str(tmp_path / "board.png")]).exit_code == 0
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    folder = str(tmp_path / "run")
    assert run(main, ["run", "--games", "50", "-s", "random", "-r", "hand_size=5", "--out", folder]).exit_code == 0
    drawn = run(main, ["board", "--heat", "shortages", "--from", folder, "--out", str(tmp_path / "heat.svg")])
    assert "shortages in 50 games of 4 players, edition 2007, hand size 5 (random), seed 1." in drawn.output
    assert "<svg" in (tmp_path / "heat.svg").read_text()
    assert run(main, ["board", "--heat", "shortages"]).exit_code == 2
    assert run(main, ["board", "--out", "board.gif"]).exit_code == 2
    assert run(main, ["board", "--heat", "battles", "--from", str(tmp_path)]).exit_code == 2
