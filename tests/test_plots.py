"""Pictures for notebooks: every result draws what one wants to see first, with its intervals."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest

import jamaica_sim
from jamaica_sim import UserError, compare, simulate, sweep


def drawn(axes):
    """The names, from top to bottom, and the dots."""
    dots = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    return [tick.get_text() for tick in axes.get_yticklabels()][::-1], dots[::-1]


def test_a_run_draws_who_wins():
    results = simulate(games=300, strategies=["balanced", "random"], players=2)
    _, axes = plt.subplots()
    assert results.plot(ax=axes) is axes
    names, dots = drawn(axes)
    assert names == ["balanced", "random", "ghost ship"] and "win rate (%)" in axes.get_xlabel()
    assert dots == pytest.approx([100 * row[2].value for row in results.wins().rows])
    assert "score" in results.plot("score").get_xlabel() and "300 games" in axes.get_title(loc="left")
    with pytest.raises(UserError, match="no figure 'scores' to draw: did you mean 'score'"):
        results.plot("scores")


def test_a_comparison_and_a_sweep_draw_their_answer():
    names, _ = drawn(compare(["champion", "random"], games=200).plot())
    assert set(names) == {"champion", "random"}
    found = sweep({"hand_size": [2, 3]}, games=400, strategies="balanced")
    axes = found.plot()
    assert len(drawn(axes)[0]) == 2 and "rounds" in found.plot("rounds").get_xlabel()


def test_a_study_draws_a_measure_at_every_setting(tmp_path):
    text = 'title = "Hands"\nline_ups = ["balanced"]\nquestion = "battles"\n[rules]\nhand_size = [2, 3]\n'
    (tmp_path / "hands.toml").write_text(text, "utf-8")
    study = jamaica_sim.run_experiment(tmp_path / "hands.toml", games=200, out=tmp_path / "out")
    names, dots = drawn(study.plot("shortages"))
    assert len(names) == len(dots) == 2 and "battles" in study.plot().get_xlabel()
