"""Causes in experiments and reports: found beside the settings, kept, resumed, and told in sentences that are true."""

import json
from pathlib import Path

import pytest

from jamaica_sim.causes.findings import bans_cost, estimate, find_causes, plain
from jamaica_sim.experiment.file import experiment_from_text
from jamaica_sim.experiment.folder import CAUSES, EXPERIMENT, unfinished_settings
from jamaica_sim.experiment.run_experiment import resume_experiment, run_experiment
from jamaica_sim.experiment.study import load_study
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.report import prose
from jamaica_sim.report.report import make_report
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.store.manifest import FolderFault, read_manifest

SMALL = """
title = "Small"
games = 60
line_ups = ["racer"]
chapters = ["luck", "worths", "restricted"]
[rules]
players = 3
"""
RATED = {"champion": (100.0, 90.0, 110.0, 400), "racer": (-100.0, -110.0, -90.0, 400)}


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
    return source.write(found, Judge([found]))


def told(study):
    return [prose.plain(s) for chapter in make_report(study).chapters for s in chapter.sentences()]


def test_findings_are_kept_with_the_experiment(folder):
    study = load_study(folder)
    assert set(study.causes) == {"tables", "who", "worths", "restricted"}
    shares = [estimate(v).value for v in study.causes["tables"][0]["luck"]["shares"].values()]
    assert sum(shares) == pytest.approx(1)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["complete"] and CAUSES in manifest["files"] and unfinished_settings(folder, EXPERIMENT) is None


def test_the_same_findings_again(folder, tmp_path):
    again = run_experiment(experiment_from_text(SMALL, Path("small.toml")), tmp_path / "again", threads=2)
    assert again.causes == load_study(folder).causes


def test_an_experiment_that_was_stopped_finds_them_later(folder, tmp_path, monkeypatch):
    from jamaica_sim.experiment import run_experiment as running
    from jamaica_sim.run.simulate import Stopped

    def stop(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(running, "find_causes", stop)
        with pytest.raises(Stopped):
            run_experiment(experiment_from_text(SMALL, Path("small.toml")), tmp_path / "cut", threads=1)
    assert unfinished_settings(tmp_path / "cut", EXPERIMENT) is not None
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
    assert study.causes is None and read_manifest(tmp_path / "plain" / "000_3_players_no_ghost_2007_racer")["complete"]


def test_the_report_leads_with_the_luck(folder):
    report = make_report(load_study(folder))
    assert report.headline.startswith("The luck of Jamaica sits in ") and report.hero.name == "budget"
    assert [chapter.key for chapter in report.chapters][0] == "luck"
    assert {chapter.key for chapter in report.chapters} == {"luck", "worths", "restricted"}


# Sentences on truths that can be read off


def with_causes(study, **found):
    from dataclasses import replace

    return replace(study, causes={**study.causes, **found})


@pytest.mark.parametrize(
    "effect, sentence",
    [
        (Estimate(-0.05, -0.06, -0.04, 100), "Attacking pays: barred from it a ship wins 5 points less often."),
        (Estimate(0.05, 0.04, 0.06, 100), "Attacking does not pay: barred from it a ship wins 5 points more often."),
        (Estimate(0.01, -0.01, 0.03, 100), "Attacking: without it +1 points, too close to call."),
    ],
)
def test_what_is_said_of_a_ban(folder, effect, sentence):
    study = load_study(folder)
    changed = [{"name": "attack", "effect": plain(effect)}, *study.causes["restricted"][1:]]
    found = [s for s in told(with_causes(study, restricted=changed)) if s.startswith("Attacking")]
    assert found == [sentence]


def test_what_is_said_of_a_shortage(folder):
    study = load_study(folder)
    cost = [{"name": "a shortage forgiven", "effect": plain(Estimate(0.08, 0.07, 0.09, 500))}]
    sentences = told(with_causes(study, worths={**study.causes["worths"], "shortage": cost}))
    assert "A shortage costs 8 points of win rate, measured by forgiving one of them." in sentences


def test_what_is_said_of_powers_and_seats(folder):
    study = load_study(folder)
    powers = [{"name": name, "effect": plain(Estimate(v, v - 0.01, v + 0.01, 500))} for name, v in
              (("Lady Beth", 0.03), ("Saran's Sabre", 0.06), ("6th Hold", 0.001))]  # fmt: skip
    seats = [{"name": name, "effect": plain(Estimate(v, v - 0.01, v + 0.01, 500))} for name, v in
             (("first Captain", 0.03), ("one to the left", 0.0), ("two to the left", -0.03))]  # fmt: skip
    sentences = told(with_causes(study, worths={**study.causes["worths"], "powers": powers, "seats": seats}))
    assert (
        "To the ship that draws it a power is worth, in points of win rate: Saran's Sabre +6, Lady Beth +3 and 6th "
        "Hold 0 (6th Hold: too close to call)."
    ) in sentences
    assert (
        "Against an equal share the first Captain's win rate is +3 points, and that of the player who is last in the "
        "first round −3."
    ) in sentences


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
        (0.5, 0.3, "the games show the opposite."),
        (0.3, 0.5, "the games show that they do."),
        (0.4, 0.41, "the games do not say whether they do."),
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
    (found,) = [s for s in sentences if s.startswith("One chooses the card")]
    assert f"{verdict} Movement (dice and cards drawn) is {100 * movement:.0f}% of the luck" in found


def test_a_figure_without_its_sign_has_none_in_its_interval():
    shown = prose.how_many(Estimate(-5.3, -6.2, -4.4, 100))
    assert prose.plain(shown) == "5.3" and "5.3 ± 0.9; n = 100" in shown and "−" not in shown


def test_the_largest_shares_are_named(folder):
    study = load_study(folder)
    table = study.causes["tables"][0]["luck"]
    values = {"combat": 0.5, "dice": 0.25, "decks": 0.2, "captain": 0.05}
    luck = {**table, "shares": {name: plain(Estimate(v, v - 0.01, v + 0.01, 50)) for name, v in values.items()}}
    report = make_report(with_causes(study, tables=[{"luck": luck}]))
    assert report.headline == "The luck of Jamaica sits in combat die and dice: about three quarters of it"
    assert "50% is combat die, 25% dice, 20% cards drawn" in prose.plain(report.standfirst[0])


def test_bans_cost_what_two_runs_differ_by():
    from jamaica_sim.causes.worth import rows_of
    from jamaica_sim.results.game_columns import win_shares

    table = seat_table(strategies="racer", players=3, seed=6)
    found = bans_cost(table, 80, 1)
    assert set(found) == {"attack", "lairs", "gunpowder", "backward", "shortage"}
    base = win_shares(rows_of(table, 80, 1), 3)[:, 0].mean()
    assert all(-base <= effect.value <= 1 - base and effect.n == 80 for effect in found.values())


def test_only_what_is_wanted_is_looked_for():
    table = seat_table(strategies="racer", players=3, seed=6)
    said = []
    assert find_causes([table], ["race"], 100, 1, said.append) == {"tables": [{}]} and said == []


def test_the_headline_has_the_span_of_all_tables(folder):
    """What two sources are together at the first table is not said of the others."""
    from dataclasses import replace

    study = load_study(folder)
    one = study.causes["tables"][0]["luck"]
    tables = []
    for decks, dice in ((0.3, 0.28), (0.2, 0.18)):
        shares = {"decks": decks, "dice": dice, "combat": 0.1}
        tables.append({"luck": {**one, "shares": {n: [v, v - 0.01, v + 0.01, 50] for n, v in shares.items()}}})
    two = replace(with_causes(study, tables=tables), settings=(*study.settings, replace(study.settings[0], label="b")))
    assert written("luck", two).headline.startswith("cards drawn and dice are 38% to 58% of the luck")


def test_tables_side_by_side_name_every_source_once(folder):
    from dataclasses import replace

    study = load_study(folder)
    one = study.causes["tables"][0]["luck"]
    more = {**one, "shares": {**one["shares"], "shortage": [0.1, 0.05, 0.15, 50]}}
    two = with_causes(study, tables=[{"luck": one}, {"luck": more}])
    chapter = written("luck", replace(two, settings=(*study.settings, replace(study.settings[0], label="other"))))
    columns = chapter.tables[-1].columns
    assert len(columns) == len(set(columns)) == 1 + len(more["shares"])
    assert chapter.tables[-1].rows[0][-1] == "not drawn"
    charts = " ".join(figure.drawing.label for figure in chapter.figures if figure.name.startswith("tables"))
    assert charts.count("shortage die:") == 1 and "stolen cards" not in charts  # which is in the table
    assert "not drawn; other 10.0%" in charts
    told_last = prose.plain(chapter.sentences()[-1])
    assert told_last == "With other, the share of shortage die is larger: 10.0% instead of none."
    unlike = replace(
        study.settings[0], label="unlike", factors={**study.settings[0].factors, "players": 4, "edition": 2}
    )
    chapter = written("luck", replace(two, settings=(*study.settings, unlike)))
    assert not any("largest clear differences" in s for s in chapter.sentences())  # two things differ


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
    assert any(s.startswith("Its share of all that decides: random ") and "racer" not in s for s in sentences)


def test_what_moves_along_the_ladder(rungs):
    report = make_report(
        with_shares(
            rungs, ({"dice": 0.3, "decks": 0.5, "combat": 0.2}, 50), ({"dice": 0.41, "decks": 0.38, "combat": 0.21}, 50)
        )
    )
    assert report.headline == "From random to racer dice decide more, cards drawn less"
    assert report.chapters[0].heading == "cards drawn and dice lead at both rungs"
    assert [key.text for key in report.keys] == ["−12.0", "+11.0"]
    assert report.reference == "Where nothing else is said: three players, 2007 rules."
    assert [prose.plain(s) for s in report.standfirst] == [
        "From random to racer the share of cards drawn in the game's luck shrinks from 50.0% to 38.0%.",
        "From random to racer the share of dice in the game's luck grows from 30.0% to 41.0%.",
    ]
    sentences = [prose.plain(s) for s in report.chapters[0].sentences()]
    assert "Dice: 30.0% of the game's luck among random, 41.0% among racer." in sentences
    assert "What else differs between random and racer is too close to call." in sentences


def test_the_luck_sits_in_the_same_places(rungs):
    shares = {"dice": 0.3, "decks": 0.5, "combat": 0.2}
    report = make_report(with_shares(rungs, (shares, 50), (shares, 50)))
    assert report.headline == "No clear change in where the luck sits from random to racer" and report.keys == []
    assert "What differs between random and racer is too close to call." in told(
        with_shares(rungs, (shares, 50), (shares, 50))
    )


def mixed_findings(spread=60.0, skill=0.07):
    """Three pools; in the one without random play, `skill` is the share of skill."""
    found = []
    for name, v, part in (
        ("with random play", 200.0, 0.19),
        ("without random play", spread, skill),
        ("among the three best", 20.0, 0.01),
    ):
        shares = {"decks": 0.9 - part, "strategies": part, "dice": 0.1}
        found.append({
            "name": name, "pool": ["racer", "champion"], "deals": 50, "games": 500, "rated_games": 400,
            "shares": {n: plain(Estimate(x, x - 0.01, x + 0.01, 50)) for n, x in shares.items()},
            "shapley": {"strategies": plain(Estimate(0.3, 0.28, 0.32, 50))},
            "spread": plain(Estimate(v, v - 3, v + 3, 400)),
            "ratings": {n: plain(Estimate(*e)) for n, e in RATED.items()},
        })  # fmt: skip
    return found


def with_skill(study, **facts):
    mixed = mixed_findings(**facts)
    table = {**study.causes["tables"][0], "mixed": mixed[1]}
    return with_causes(study, mixed=mixed, tables=[table])


@pytest.mark.parametrize(
    "spread, sentence",
    [
        (64.0, "Without random play they spread less than the players of chess and more than those of tetris."),
        (13.0, "Without random play they spread less than the players of jewels and more than those of yahtzee."),
        (300.0, None),
    ],
)
def test_jamaica_beside_published_games(folder, spread, sentence):
    chapter = written("mixed", with_skill(load_study(folder), spread=spread))
    sentences = [prose.plain(s) for s in chapter.sentences()]
    found = [s for s in sentences if s.startswith("Without random play")]
    assert found == ([sentence] if sentence else [])
    assert chapter.heading == "skill is 7% of what decides where players differ"
    assert "It is 19% with random play and 1% among racer and champion." in sentences
    table = next(t for t in chapter.tables if t.title == "Spread of ratings")
    assert len(table.rows) == 12 and [row[-1] for row in table.rows].count("published") == 9


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
    assert "20 deals are too few to tell how much a source explains by itself: it takes about 320." in text
    assert "20 deals are too few to tell how much of who wins is foretold by who plays" in text
    assert "chaotic" not in text and "foretells" not in text
    assert chapters["luck"].heading.startswith("too few deals to rank ")
    assert chapters["swings"].heading == "too few games to tell when the chances move most"
    assert chapters["mixed"].heading == "too few deals to tell how much is skill" and chapters["mixed"].keys == []
    assert not any("skill" in key.words for key in report.keys)
    assert not any("skill" in sentence for sentence in report.standfirst)
    labels = [figure.drawing.label for figure in (report.hero, *chapters["swings"].figures, *chapters["mixed"].figures)]
    assert any("skill 0.0%" in label for label in labels) and not any("−" in label for label in labels)
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
    sentences = written("mixed", two).sentences()
    said = [prose.plain(s) for s in sentences]
    assert "Skill counts for more with 4 players, 7.0%, than with 6 players, 3.0%." in said
    assert any("7.0% ± 1.1; n = 50" in s for s in sentences)  # ± 1.0 before it was picked as the largest of two
    same = replace(with_causes(study, tables=[more[0], more[0]]), settings=settings)
    assert "The share of skill differs too little between the tables to call." in written("mixed", same).sentences()


def test_the_first_picture_has_skill_where_it_was_found(folder):
    study = load_study(folder)
    assert "skill" not in make_report(study).hero.drawing.label
    report = make_report(with_skill(study), ("luck",))
    assert "Equal players: skill none; " in report.hero.drawing.label
    assert "Players who differ: skill 7.0%; " in report.hero.drawing.label
    assert (
        prose.plain(report.standfirst[-1]) == "Where players differ, 7% is skill: what can be foretold from who plays."
    )


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
    assert any(s.startswith("60% of who wins is decided when the dice are thrown") for s in sentences)
    assert [figure.name for figure in chapter.figures] == ["swings"]
    less = {**found, "shares": {"dice": share, "combat": plain(Estimate(0.4, 0.35, 0.45, 50))}}
    chapter = written("swings", with_causes(study, tables=[{"swings": less}]))
    assert chapter.heading == "the chances move most when the dice are thrown"
    chapter = written("decisions", study)
    sentences = [prose.plain(s) for s in chapter.sentences()]
    assert chapter.heading == "decisions cost a player about 6 points, each taken alone"
    assert any(s.startswith("By decisions, each taken alone, a player loses 6 points of win chance") for s in sentences)
    assert "Most of it is lost by: the card to play 5." in sentences
    (table,) = chapter.tables
    assert [row[0] for row in table.rows] == ["all decisions", "the card to play", "a reroll by the sabre"]
    close = {**losses, "together": plain(Estimate(0.06, -0.05, 0.17, 50))}
    heading = written("decisions", with_causes(study, losses=close)).heading
    assert heading == "what decisions cost is too close to call"


def test_every_decision_has_its_words():
    from jamaica_sim.codes import DECISIONS
    from jamaica_sim.report.chapters.swings import DECIDED

    assert set(DECIDED) == set(DECISIONS) and len(set(DECIDED.values())) == len(DECISIONS)


# Bans in line-ups of an experiment's own

BANNED = """
title = "Banned"
games = 80
chapters = ["bans"]
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
    from jamaica_sim.causes.worth import rows_of
    from jamaica_sim.results.game_columns import win_shares

    assert banned.causes is None
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


def test_the_headline_names_what_is_worth_most():
    def chapter(**found):
        return of_bans({"": {name: Estimate(v, v - 1, v + 1, 500) for name, v in found.items()}})

    one = chapter(lairs=-15.0, attack=-10.0, gunpowder=-5.0, backward=-16.0)
    assert one.headline == "treasure lairs are worth most: 15 points of win rate"
    assert prose.plain(" ".join(one.standfirst)).endswith(
        "Of the other parts of the game, backward cards aside: attacks 10 and gunpowder 5 points."
    )
    two = chapter(lairs=-15.0, attack=-14.0, backward=-3.0)
    assert two.headline == "treasure lairs and attacks are worth most: 14 to 15 points of win rate each"
    assert chapter(lairs=0.1, attack=0.2).headline == "no ban clearly costs wins"


def of_bans(costs):
    """The chapter on bans from made-up costs, by table."""
    from jamaica_sim.report.chapters.worths import Bans
    from jamaica_sim.report.judge import Comparison, Judge

    judged = {place: {ban: Comparison(cost) for ban, cost in one.items()} for place, one in costs.items()}
    bans = Bans("bans", "on the same deals", judged)
    return bans.write(Judge([bans]))


@pytest.mark.parametrize("last, everywhere", [(-3.0, True), (0.5, False)])
def test_whether_every_part_pays_everywhere(last, everywhere):
    costs = {
        "2007": {"attack": Estimate(-5.0, -6.0, -4.0, 500)},
        "2021": {"attack": Estimate(last, last - 1, last + 1, 500)},
    }
    assert (of_bans(costs).heading == "each ban costs wins, at each of two tables") == everywhere
