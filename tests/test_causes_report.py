"""Causes in experiments and reports: found beside the settings, kept, resumed, and told in sentences that are true."""

import json
from pathlib import Path

import pytest

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import FolderFault
from jamaica_sim.report import prose
from jamaica_sim.report.report import make_report
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.causes.findings import bans_cost, estimate, find_causes, plain
from jamaica_sim.study.experiment.file import experiment_from_text
from jamaica_sim.study.experiment.run_experiment import resume_experiment, run_experiment
from jamaica_sim.study.experiment.study import CAUSES, load_study, unfinished_experiment

SMALL = """
title = "Small"
games = 60
line_ups = ["racer"]
chapters = ["luck", "worths", "restricted"]
[rules]
players = 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("causes") / "small"
    run_experiment(experiment_from_text(SMALL, Path("small.toml")), path, threads=1)
    return path


def written(name, study):
    """One chapter, judged by itself."""
    from jamaica_sim.report.chapters import source_of
    from jamaica_sim.report.judge import Judge

    source = source_of(name)
    found = source.find(study)
    return found.write(Judge([found]))


def told(study):
    return [prose.plain(s) for chapter in make_report(study).chapters for s in chapter.sentences()]


def test_findings_are_kept_with_the_experiment(folder):
    study = load_study(folder)
    assert set(study.causes) == {"tables", "who", "worths", "restricted"}
    shares = [estimate(v).value for v in study.causes["tables"][0]["luck"]["shares"].values()]
    assert sum(shares) == pytest.approx(1)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["complete"] and CAUSES in manifest["files"] and unfinished_experiment(folder) is None


def test_the_same_findings_again(folder, tmp_path):
    again = run_experiment(experiment_from_text(SMALL, Path("small.toml")), tmp_path / "again", threads=2)
    assert again.causes == load_study(folder).causes


def test_an_experiment_that_was_stopped_finds_them_later(folder, tmp_path, monkeypatch):
    from jamaica_sim.study.experiment import run_experiment as running
    from jamaica_sim.study.simulate import Stopped

    def stop(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(running, "find_causes", stop)
        with pytest.raises(Stopped):
            run_experiment(experiment_from_text(SMALL, Path("small.toml")), tmp_path / "cut", threads=1)
    assert unfinished_experiment(tmp_path / "cut") is not None
    assert resume_experiment(tmp_path / "cut", threads=1).causes == load_study(folder).causes


def test_damaged_findings_are_refused(folder, tmp_path):
    import shutil

    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy" / CAUSES).write_text("{}")
    with pytest.raises(FolderFault, match="causes.json"):
        load_study(tmp_path / "copy")


def test_experiments_without_such_chapters_are_as_before(tmp_path):
    plain_text = SMALL.replace('["luck", "worths", "restricted"]', '["race"]')
    study = run_experiment(experiment_from_text(plain_text, Path("plain.toml")), tmp_path / "plain", threads=1)
    assert study.causes is None and unfinished_experiment(tmp_path / "plain") is None


def test_the_report_leads_with_the_luck(folder):
    report = make_report(load_study(folder))
    assert "luck" in report.headline and report.hero.name == "budget"
    assert [chapter.key for chapter in report.chapters][0] == "luck"
    assert {chapter.key for chapter in report.chapters} == {"luck", "worths", "restricted"}


# Sentences on truths that can be read off


def with_causes(study, **found):
    from dataclasses import replace

    return replace(study, causes={**study.causes, **found})


def test_what_is_said_of_a_shortage(folder):
    study = load_study(folder)
    for value, sentence in ((0.08, "A shortage costs wins."), (-0.08, "A shortage brings wins.")):
        cost = [{"name": "a shortage forgiven", "effect": plain(Estimate(value, value - 0.01, value + 0.01, 500))}]
        assert sentence in told(with_causes(study, worths={**study.causes["worths"], "shortage": cost}))


def test_what_is_said_of_powers_and_seats(folder):
    study = load_study(folder)
    powers = [{"name": name, "effect": plain(Estimate(v, v - 0.01, v + 0.01, 500))} for name, v in
              (("Lady Beth", 0.03), ("Saran's Sabre", 0.06), ("6th Hold", 0.001))]  # fmt: skip
    seats = [{"name": name, "effect": plain(Estimate(v, v - 0.01, v + 0.01, 500))} for name, v in
             (("first Captain", 0.03), ("one to the left", 0.0), ("two to the left", -0.03))]  # fmt: skip
    sentences = told(with_causes(study, worths={**study.causes["worths"], "powers": powers, "seats": seats}))
    assert (
        "To the ship that draws it a power is worth, in points of win rate: Saran's Sabre +6, Lady Beth +3 and 6th "
        "Hold 0."
    ) in sentences
    assert "Against an equal share, in points: first Captain +3, last seat −3." in sentences


def test_one_table_and_one_chart_have_every_price(folder):
    study = load_study(folder)
    chapter = next(c for c in make_report(study).chapters if c.key == "worths")
    (table,) = chapter.tables
    found = [one for listed in study.causes["worths"].values() for one in listed]
    assert len(table.rows) == len(found) and len(chapter.figures) == 1
    assert all(f"{one['name']} " in chapter.figures[0].drawing.label for one in found)
    values = [row[1].value for row in table.rows]
    assert values == sorted(values, reverse=True) == sorted((100 * one["effect"][0] for one in found), reverse=True)
    names = [row[0] for row in table.rows]
    assert len(set(names)) == len(names)  # nothing is called like another thing
    for name in ("one hold more at the start", "a shortage forgiven", "seat: first Captain", "power of Lady Beth"):
        assert names.count(name) == 1
    for one in study.causes["worths"]["cards"]:
        assert f"card {one['name']}" in names and f"{one['name']} in the first hand" in names


@pytest.mark.parametrize(
    "movement, others, verdict",
    [
        (0.5, 0.3, "Dice and cards are more of the luck than combat and treasures."),
        (0.3, 0.5, "Combat and treasures are more of the luck than dice and cards."),
        (0.4, 0.41, "Whether dice and cards are more of the luck than combat and treasures is too close to call."),
    ],
)
def test_whether_movement_decides_less(folder, movement, others, verdict):
    study = load_study(folder)
    table = study.causes["tables"][0]["luck"]
    groups = {
        name: plain(Estimate(v, v - 0.02, v + 0.02, 50))
        for name, v in (("movement", movement), ("combat and treasures", others))
    }
    sentences = told(with_causes(study, tables=[{"luck": {**table, "groups": groups}}]))
    told_of = f"Dice and cards drawn are {100 * movement:.0f}%, combat and treasures {100 * others:.0f}%."
    assert verdict in sentences and told_of in sentences


def test_a_figure_without_its_sign_has_none_in_its_interval():
    shown = prose.how_many(Estimate(-5.3, -6.2, -4.4, 100))
    assert prose.plain(shown) == "5.3" and "5.3 ± 0.9; n = 100" in shown and "−" not in shown


def test_the_largest_shares_are_named(folder):
    study = load_study(folder)
    table = study.causes["tables"][0]["luck"]
    values = {"combat": 0.5, "dice": 0.25, "decks": 0.2, "captain": 0.05}
    luck = {**table, "shares": {name: plain(Estimate(v, v - 0.01, v + 0.01, 50)) for name, v in values.items()}}
    report = make_report(with_causes(study, tables=[{"luck": luck}]))
    assert report.headline == "Combat die and dice are the largest part of the luck"
    assert "combat die 50%, dice 25% and cards drawn 20%" in prose.plain(report.standfirst[0])


def test_bans_cost_what_two_runs_differ_by():
    from jamaica_sim.play.game_columns import win_shares
    from jamaica_sim.study.causes.worth import rows_of

    table = seat_table(strategies="racer", players=3, seed=6)
    found = bans_cost(table, 80, 1)
    assert set(found) == {"attack", "lairs", "gunpowder", "backward", "shortage"}
    base = win_shares(rows_of(table, 80, 1), 3)[:, 0].mean()
    assert all(-base <= effect.value <= 1 - base and effect.n == 80 for effect in found.values())


def test_only_what_is_wanted_is_looked_for():
    table = seat_table(strategies="racer", players=3, seed=6)
    said = []
    assert find_causes([table], ["race"], 100, 1, said.append) == {} and said == []


def test_tables_side_by_side_name_every_source_once(folder):
    from dataclasses import replace

    study = load_study(folder)
    one = study.causes["tables"][0]["luck"]
    more = {**one, "shares": {**one["shares"], "shortage": [0.1, 0.05, 0.15, 50]}}
    two = with_causes(study, tables=[{"luck": one}, {"luck": more}])
    chapter = written("luck", replace(two, settings=(*study.settings, replace(study.settings[0], label="other"))))
    table = next(table for table in chapter.tables if table.title == "Luck budget by table")
    assert len(table.columns) == len(set(table.columns)) == 1 + len(more["shares"])
    assert table.rows[0][-1] == "not drawn"
    charts = " ".join(figure.drawing.label for figure in chapter.figures)
    assert charts.count("shortage die:") == 1 and "stolen cards" not in charts  # which is in the table
    assert "not drawn; other 10.0%" in charts


# Skill, along the ladder and beside other games

LADDER = """
title = "Ladder"
games = 60
compare = "line_up"
line_ups = ["random", "racer"]
chapters = ["ladder"]
[rules]
players = 3
"""


@pytest.fixture(scope="module")
def rungs(tmp_path_factory):
    path = tmp_path_factory.mktemp("ladder") / "ladder"
    return run_experiment(experiment_from_text(LADDER, Path("ladder.toml")), path, threads=1)


def with_shares(study, *tables):
    """The same ladder with given shares of the game's luck and numbers of deals."""
    found = []
    for kept, (shares, deals) in zip(study.causes["tables"], tables, strict=True):
        luck = {name: plain(Estimate(v, v - 0.01, v + 0.01, deals)) for name, v in shares.items()}
        found.append({"luck": {**kept["luck"], "of_the_games": luck, "deals": deals}})
    return with_causes(study, tables=found)


def test_the_ladder_leaves_out_what_players_draw_themselves(rungs):
    random, racer = (one["luck"] for one in rungs.causes["tables"])
    assert "own" in random["shares"] and "own" not in random["of_the_games"]
    for one in (random, racer):
        assert sum(values[0] for values in one["of_the_games"].values()) == pytest.approx(1)
    assert set(racer["of_the_games"]) == set(racer["shares"])
    sentences = told(rungs)
    (own,) = [s for s in sentences if s.startswith("What players draw themselves")]
    assert "of all that decides it is random " in own and "racer" not in own


def test_what_moves_along_the_ladder(rungs):
    report = make_report(
        with_shares(
            rungs, ({"dice": 0.3, "decks": 0.5, "combat": 0.2}, 50), ({"dice": 0.41, "decks": 0.38, "combat": 0.21}, 50)
        )
    )
    assert report.headline == "From random to racer less of the luck is cards drawn"
    assert [key.text for key in report.keys] == ["−12.0", "+11.0", "+1.0"]
    assert report.reference == "Unless noted: three players, 2007 rules."
    sentences = [prose.plain(s) for s in (*report.standfirst, *report.chapters[0].sentences())]
    assert "Cards drawn: 50.0% of the luck among random, 38.0% among racer." in sentences
    assert "From random to racer more of the luck is dice." in sentences
    assert "No clear change in the share of combat die from random to racer." in sentences


def test_the_luck_sits_in_the_same_places(rungs):
    shares = {"dice": 0.3, "decks": 0.5, "combat": 0.2}
    report = make_report(with_shares(rungs, (shares, 50), (shares, 50)))
    assert report.headline.startswith("No clear change in the share of ")


def mixed_findings(skill=0.07):
    """Three pools; in the one without random play, `skill` is the share of skill."""
    found = []
    for name, part in (("with random play", 0.19), ("without random play", skill), ("among the three best", 0.01)):
        shares = {"decks": 0.9 - part, "strategies": part, "dice": 0.1}
        found.append({
            "name": name, "pool": ["racer", "champion"], "deals": 50, "games": 500,
            "shares": {n: plain(Estimate(x, x - 0.01, x + 0.01, 50)) for n, x in shares.items()},
            "shapley": {"strategies": plain(Estimate(0.3, 0.28, 0.32, 50))},
        })  # fmt: skip
    return found


def with_skill(study, **facts):
    mixed = mixed_findings(**facts)
    table = {**study.causes["tables"][0], "mixed": mixed[1]}
    return with_causes(study, mixed=mixed, tables=[table])


def test_skill_where_players_differ(folder):
    chapter = written("mixed", with_skill(load_study(folder)))
    assert chapter.heading == "skill is 7% of what decides where players differ"
    assert "It is 19% with random play and 1% among racer and champion." in map(prose.plain, chapter.sentences())


def with_few_deals(study):
    """Made-up findings of few deals: a small share of skill, sources alone and all of them within wide intervals."""

    def vague(value, half=0.08):
        return plain(Estimate(value, value - half, value + half, 20))

    study = with_skill(study)
    table = study.causes["tables"][0]
    mixed = {**table["mixed"], "shares": {**table["mixed"]["shares"], "strategies": vague(-0.03)}}
    names = list(table["luck"]["shares"])
    luck = {
        **table["luck"],
        "shares": {name: vague(share, 0.05) for name, share in zip(names, (0.3, 0.28, 0.26, 0.16), strict=False)},
        "indices": {name: [vague(0.054), vague(1.023)] for name in names[:4]},
    }
    moved = {"dice": vague(0.4), "combat": vague(0.35), "captain": vague(-0.006)}
    swings = {
        "games": 20, "played_on": 32, "shares": moved, "variance": vague(0.7), "direct": vague(0.7),
        "steps": moved, "largest": moved, "groups": table["luck"]["groups"],
    }  # fmt: skip
    found = [mixed if pool["name"] == mixed["name"] else pool for pool in study.causes["mixed"]]
    return with_causes(study, mixed=found, tables=[{**table, "luck": luck, "mixed": mixed, "swings": swings}])


def test_few_deals_bear_no_claims(folder):
    report = make_report(with_few_deals(load_study(folder)), ("luck", "swings", "mixed"))
    chapters = {chapter.key: chapter for chapter in report.chapters}
    text = " ".join(prose.plain(s) for chapter in report.chapters for s in (*chapter.sentences(), chapter.heading))
    assert chapters["luck"].claims and report.headline == "Too few deals to say where most of the luck sits"
    assert chapters["swings"].heading == "too few games to tell when the chances move most"
    assert chapters["mixed"].heading == "too few deals to tell how much is skill"
    assert "is the largest part" not in text and "skill is" not in text
    labels = [figure.drawing.label for figure in (report.hero, *chapters["swings"].figures, *chapters["mixed"].figures)]
    assert labels and not any("−" in label for label in labels)
    skill = next(table for table in chapters["mixed"].tables if table.title == "Skill and luck")
    assert any(cell.value == -0.03 for row in skill.rows for cell in row if isinstance(cell, Estimate))  # kept as it is


def test_noise_leads_no_share_of_a_sentence_outside():
    assert prose.share(Estimate(1.02, 0.96, 1.08, 40), 0) == prose.figure("100%", "100.0% ± 6.0; n = 40")
    assert prose.plain(prose.share(Estimate(-0.03, -0.1, 0.04, 40), 0)) == "0%"
    kept = Estimate(0.3, 0.2, 0.5, 40)
    assert prose.clipped(kept) is kept


def test_skill_by_table(folder):
    from dataclasses import replace

    study = with_skill(load_study(folder))
    more = [{"mixed": mixed_findings(skill=part)[1]} for part in (0.07, 0.03)]
    settings = tuple(replace(study.settings[0], label=label) for label in ("4 players", "6 players"))
    two = replace(with_causes(study, tables=more), settings=settings)
    chapter = written("mixed", two)
    rows = {row[0]: row[1].value for row in chapter.tables[0].rows}
    assert [share for who, share in rows.items() if who.startswith(("4 players", "6 players"))] == [0.07, 0.03]
    assert "By table" in chapter.figures[0].drawing.label


def test_swings_and_decisions_are_told(folder):
    share = plain(Estimate(0.6, 0.55, 0.65, 50))
    found = {
        "games": 50, "played_on": 32, "shares": {"dice": share, "combat": share}, "variance": share, "direct": share,
        "steps": {"dice": share, "combat": share}, "largest": {"dice": share, "combat": share},
        "groups": {"movement": share, "combat and treasures": share},
    }  # fmt: skip
    lost = {
        name: plain(Estimate(v, v - 0.01, v + 0.01, 50)) for name, v in (("choose_card", 0.05), ("use_sabre", 0.001))
    }
    losses = {"games": 50, "decisions": 500, "played_on": 64, "by_decision": lost, "asked": lost,
              "together": plain(Estimate(0.06, 0.05, 0.07, 50))}  # fmt: skip
    study = with_causes(load_study(folder), tables=[{"swings": found}], losses=losses)
    chapter = written("swings", study)
    sentences = [prose.plain(s) for s in chapter.sentences()]
    assert "Shares of who wins, by when it is decided: dice 60% and combat die 60%." in [
        *sentences, *map(prose.plain, chapter.standfirst)]  # fmt: skip
    assert [figure.name for figure in chapter.figures] == ["swings"]
    less = {**found, "shares": {"dice": share, "combat": plain(Estimate(0.4, 0.35, 0.45, 50))}}
    chapter = written("swings", with_causes(study, tables=[{"swings": less}]))
    assert chapter.heading == "the chances move most with the dice"
    chapter = written("decisions", study)
    sentences = [prose.plain(s) for s in chapter.sentences()]
    assert chapter.heading == "decisions cost a player about 6 points, each taken alone"
    assert any(s.startswith("by decisions a player loses 6 points of win chance") for s in chapter.standfirst
               for s in [prose.plain(s)])  # fmt: skip
    assert "Most is lost by the card to play." in sentences and "The card to play: 5 points." in sentences
    (table,) = chapter.tables
    assert [row[0] for row in table.rows] == ["all decisions", "the card to play", "a reroll by the sabre"]
    close = {**losses, "together": plain(Estimate(0.06, -0.05, 0.17, 50))}
    heading = written("decisions", with_causes(study, losses=close)).heading
    assert heading == "what decisions cost is too close to call"


def test_every_decision_has_its_words():
    from jamaica_sim.game.codes import DECISIONS
    from jamaica_sim.report.chapters.worths import DECIDED

    assert set(DECIDED) == set(DECISIONS) and len(set(DECIDED.values())) == len(DECISIONS)


# Bans in line-ups of an experiment's own

BANNED = """
title = "Banned"
games = 80
chapters = ["restricted"]
line_ups = ["racer", ["no_lairs.toml", "racer", "racer"], ["no_attack.toml", "racer", "racer"]]
[rules]
players = 3
edition = "2021"
ghost = [false, true]
"""


@pytest.fixture(scope="module")
def banned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("banned")
    racer = (Path(__file__).parent.parent / "strategies" / "racer.toml").read_text()
    for ban in ("lairs", "attack"):
        (folder / f"no_{ban}.toml").write_text(f'name = "no_{ban}"\nbans = ["{ban}"]\n' + racer.split("\n", 1)[1])
    return run_experiment(experiment_from_text(BANNED, folder / "banned.toml"), folder / "out", threads=1)


def test_bans_of_line_ups_by_another_count(banned):
    """From result rows: what the ship with the ban wins, less a third of what the players win without any ban."""
    from jamaica_sim.play.game_columns import win_shares
    from jamaica_sim.study.causes.worth import rows_of

    assert not banned.causes
    (chapter,) = make_report(banned).chapters
    by_table = next(t for t in chapter.tables if t.title == "Restricted play by table")
    assert len(by_table.rows) == 2
    assert chapter.figures == []  # the first table is the hero
    wins = {}
    for setting in banned.settings:
        table = setting.results.table
        ships = win_shares(rows_of(table, 80, 1), table.rules.ships)
        wins[setting.rules.ghost, setting.strategies[0].label] = (ships[:, 0].mean(), ships[:, :3].sum(1).mean() / 3)
    for row, ghost in zip(by_table.rows, (False, True), strict=True):
        for column, label in ((1, "no_attack"), (2, "no_lairs")):
            expected = wins[ghost, label][0] - wins[ghost, "racer"][1]
            assert row[column].value == pytest.approx(100 * expected), (ghost, label)


def of_bans(costs):
    """The chapter on bans from made-up costs, by table."""
    from jamaica_sim.report.chapters.worths import restricted_parts
    from jamaica_sim.report.judge import Judge
    from jamaica_sim.report.parts import Parts

    found = Parts("restricted", "Restricted play", restricted_parts(costs, "on the same deals"))
    return found.write(Judge([found]))


def test_the_heading_names_what_is_worth_most():
    def heading(**found):
        return of_bans({"": {name: Estimate(v, v - 1, v + 1, 500) for name, v in found.items()}}).heading

    assert heading(lairs=-15.0, attack=-10.0, gunpowder=-5.0, backward=-16.0) == "treasure lairs are worth most"
    assert heading(lairs=-15.0, attack=-14.6, backward=-3.0) == "treasure lairs and attacks are worth about as much"


def test_whether_every_part_pays_everywhere():
    for last, said in ((-3.0, "in both cases"), (0.5, "in one of two cases (2007, no attacks)")):
        ends = (("2007", -5.0), ("2021", last))
        costs = {place: {"attack": Estimate(v, v - 1, v + 1, 500)} for place, v in ends}
        chapter = of_bans(costs)
        told_all = [chapter.heading.capitalize() + ".", *chapter.sentences()]
        assert f"A ship that has to do without a part of the game wins less often {said}." in told_all
