"""Reports: complete in themselves, no empty chapter, every figure from the results, the same in text and tables."""

import math
import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner

matplotlib.use("agg")

import matplotlib.pyplot as plt

from jamaica_sim.cli import main
from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.components import board
from jamaica_sim.experiment.file import CHAPTER_NAMES, experiment_from_text
from jamaica_sim.experiment.play import run_experiment
from jamaica_sim.experiment.study import load_study
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.report import claims
from jamaica_sim.report import page as report_module
from jamaica_sim.report.chapter import MOST_FINDINGS, cell_text, figure, top_findings
from jamaica_sim.report.chapters import CHAPTERS, chapters_of
from jamaica_sim.report.page import FIGURE, caption_of, html, make_report, markdown, write_report
from jamaica_sim.stats.estimate import Estimate

GAMES = 400
EXPERIMENTS = {
    "ghosts": """
        compare = "ghost"
        line_ups = ["random"]
        [rules]
        edition = ["2007", "2021"]
        [[tables]]
        players = 2
        [[tables]]
        players = 3
        ghost = [false, true]
    """,
    "powers": """
        line_ups = ["random"]
        [[tables]]
        players = [4, 6]
        [[tables]]
        players = 4
        map_hand_size = 3
        [[tables]]
        players = 4
        lady_beth_bonus = 0
    """,
    "duels": """
        pairs = ["random", "balanced", "racer"]
        line_ups = ["random", "balanced"]
    """,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folders of three small experiments and of one run of several strategies."""
    root = tmp_path_factory.mktemp("studies")
    for name, text in EXPERIMENTS.items():
        run_experiment(experiment_from_text(text, Path(f"{name}.toml")), root / name, games=GAMES)
    words = f"run --games {GAMES} --players 3 --ghost -s random -s balanced -s random --seed 5 --out {root / 'alone'}"
    assert CliRunner().invoke(main, words.split()).exit_code == 0
    return {name: root / name for name in (*EXPERIMENTS, "alone")}


@pytest.fixture(scope="module", params=[*EXPERIMENTS, "alone"])
def report(request, folders):
    return make_report(load_study(folders[request.param]))


@pytest.fixture(scope="module")
def page(report):
    """The page; every chart is drawn, but only some reports take the time to write them as files."""
    if report.study.name in ("ghosts", "duels"):
        return html(report)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_module, "picture", _not_written)
        return html(report)


def _not_written(axes):
    plt.close(axes.figure)
    return b"<svg/>"


class Tables(HTMLParser):
    """The cells of all tables of a page, and every address in it."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.addresses, self.tags, self._cell = [], [], set(), None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "srcset", "data", "action")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self._cell)
            self._cell = None


def tables_of(report):
    return [table for chapter in report.chapters for table in chapter.tables]


def cells_of(section):
    return [
        cell_text(section, column, content)
        for row in section.rows
        for column, content in zip(section.columns, row, strict=True)
    ]


# The page


def test_html_needs_nothing_else(page):
    parsed = Tables(page)
    assert not {"script", "link", "iframe", "object", "embed"} & parsed.tags
    assert all(address.startswith(("#", "data:image/svg+xml;base64,")) for address in parsed.addresses)
    assert not re.search(r"@import|url\s*\(", page)
    assert "http" not in re.sub(r'src="data:[^"]*"', "", page)


def test_anchors_lead_somewhere(page):
    wanted = set(re.findall(r'href="#([^"]+)"', page))
    assert wanted <= set(re.findall(r'id="([^"]+)"', page))


def test_no_section_is_empty(report, page):
    assert report.chapters
    for chapter in report.chapters:
        assert chapter.question and chapter.sentences and chapter.tables and chapter.pictures, chapter.key
        assert all(table.rows and len(table.columns) > 1 for table in chapter.tables)
        assert all(len(row) == len(table.columns) for table in chapter.tables for row in table.rows)
        part = page.split(f'<section id="{chapter.key}">')[1].split("</section>")[0]
        assert part.count("<img ") == len(chapter.pictures) and part.count("<table") == len(chapter.tables)
        assert f"--chapter {chapter.key}" in part


def test_every_table_says_how_many_games(report):
    for section in tables_of(report):
        if any(isinstance(content, Estimate) for row in section.rows for content in row):
            assert re.search(r"\d games behind each figure", caption_of(section)), section.title


def test_page_shows_the_cells_and_nothing_else(report, page):
    shown = [cell for row in Tables(page).rows for cell in row]
    played = [text for s in report.study.settings for text in (s.label, f"{s.games:,}")]
    expected = [text for section in tables_of(report) for text in (*section.columns, *cells_of(section))]
    assert shown == [*expected, "table", "games", *played]


def test_figures_in_the_text_are_those_of_the_tables(report):
    for chapter in report.chapters:
        known = {text for table in chapter.tables for text in cells_of(table)}
        for sentence in chapter.sentences:
            assert set(FIGURE.findall(sentence)) <= known, sentence
    everything = {text for table in tables_of(report) for text in cells_of(table)}
    for finding in report.findings:
        found = FIGURE.findall(finding.text)
        assert found and set(found) <= everything, finding.text


def test_findings_are_few_clear_and_by_effect(report):
    assert 0 < len(report.findings) <= MOST_FINDINGS
    assert len({finding.topic for finding in report.findings}) == len(report.findings)
    assert all(
        math.isfinite(finding.effect) and "games" in finding.text or "ships" in finding.text
        for finding in report.findings
    )
    chapters = report.chapters[1:]
    if chapters:
        rest = [f for f in top_findings(chapters) if f.chapter != chapters[0].key and not f.factor]
        assert [abs(f.effect) for f in rest] == sorted((abs(f.effect) for f in rest), reverse=True)


def test_markdown_has_the_same_tables_and_its_pictures(folders):
    report = make_report(load_study(folders["powers"]), ("treasures", "race"))
    text, files = markdown(report, "pictures")
    assert set(re.findall(r"\]\(pictures/([^)]+)\)", text)) == set(files)
    assert all(b"<svg" in content for content in files.values())
    assert "http" not in text
    for section in tables_of(report):
        for row in section.rows:
            texts = [cell_text(section, *pair) for pair in zip(section.columns, row, strict=True)]
            assert f"| {' | '.join(texts)} |".replace("<", "&lt;") in text
    for finding in report.findings:
        assert finding.text.replace("<", "&lt;") in text.replace("**", "")


# The figures


def table_of(report, title):
    return next(section for section in tables_of(report) if section.title.startswith(title))


def column(section, row, name):
    return next(cells for cells in section.rows if cells[0] == row)[section.columns.index(name)].value


@pytest.fixture(scope="module")
def rows_and_tables(folders):
    """For each setting of the first experiment its report's tables and the games themselves, one row each."""
    report = make_report(load_study(folders["ghosts"]), CHAPTER_NAMES)
    return report, {
        s.label: (Worker(s.results.table).play(Chunk(0, GAMES), keep_rows=True).rows.copy(), s.rules)
        for s in report.study.settings
    }


def wins_of(rows, rules):
    """Each ship's share of the victory in each game."""
    won = rows["winners"][:, None] >> np.arange(rules.ships) & 1
    return won / won.sum(axis=1, keepdims=True)


def test_course_of_the_game_from_the_games_themselves(rows_and_tables):
    report, games = rows_and_tables
    course, short = table_of(report, "The course of a game"), table_of(report, "Shortages")
    for label, (rows, rules) in games.items():
        shortages = rows["shortages"].sum(axis=(1, 2))
        assert column(course, label, "rounds") == pytest.approx(rows["rounds"].mean())
        assert column(course, label, "battles") == pytest.approx(rows["attacks"].sum(axis=1).mean())
        assert column(course, label, "shortages") == pytest.approx(shortages.mean())
        assert column(course, label, "games short") == pytest.approx((shortages > 0).mean())
        assert column(short, label, "per ship") == pytest.approx(shortages.mean() / rules.players)
        ships_short = rows["shortages"][:, : rules.players].sum(axis=2) > 0
        assert column(short, label, "ships with one") == pytest.approx(ships_short.mean())
        assert column(short, label, "at ports") == pytest.approx(rows["shortages"][:, :, 0].sum(axis=1).mean())
        assert column(short, label, "share at ports") == pytest.approx(
            rows["shortages"][:, :, 0].sum() / shortages.sum()
        )


def test_differences_on_the_same_deals_from_the_games_themselves(rows_and_tables):
    report, games = rows_and_tables
    table = table_of(report, "With the ghost against no ghost")
    for edition in ("2007", "2021"):
        without, with_ghost = (games[f"3 players, {word}, {edition}"][0] for word in ("no ghost", "with the ghost"))
        cells = next(row for row in table.rows if edition in row[0])
        difference = with_ghost["rounds"].astype(float) - without["rounds"]
        estimate = cells[table.columns.index("rounds")]
        assert estimate.value == pytest.approx(difference.mean())
        assert estimate.half_width == pytest.approx(1.97 * difference.std() / GAMES**0.5, rel=0.4)


def test_wins_by_fate_from_the_games_themselves(rows_and_tables):
    report, games = rows_and_tables
    levels, ends = table_of(report, "Win rate by shortages"), table_of(report, "Where ships are at the end")
    seats = table_of(report, "Win rate by seat")
    for label, (rows, rules) in games.items():
        wins = wins_of(rows, rules)[:, : rules.players]
        shortages = rows["shortages"][:, : rules.players].sum(axis=2)
        for name, chosen in {"one": shortages == 1, "three or more": shortages >= 3}.items():
            if chosen.any():
                assert column(levels, label, name) == pytest.approx(wins[chosen].mean())
        home = rows["final_lap"][:, : rules.players] > 0
        assert column(ends, label, "home") == pytest.approx(home.mean())
        assert column(ends, label, "wins home") == pytest.approx(wins[home].mean())
        first = wins[np.arange(GAMES), rows["first_captain"]]
        assert column(seats, label, "seat 0") == pytest.approx(first.mean())


def test_the_ghost_from_the_games_themselves(rows_and_tables):
    report, games = rows_and_tables
    wins, booty = table_of(report, "The ghost ship's wins"), table_of(report, "What the ghost ship does")
    rare = table_of(report, claims.RARELY)
    for label, (rows, rules) in games.items():
        if rules.ghost:
            name = label.replace(", with the ghost", "")
            share = wins_of(rows, rules)[:, rules.players].mean()
            assert column(wins, name, "win rate") == pytest.approx(share)
            assert column(rare, name, "ghost's win rate") == pytest.approx(share)
            assert column(wins, name, "score") == pytest.approx(rows["score"][:, rules.players].mean())
            gold = rows["loot"][:, rules.players, LOOT_KINDS.index("gold")]
            assert column(booty, name, "gold") == pytest.approx(gold.mean())


def test_treasures_lanes_battles_and_box_from_the_games_themselves(rows_and_tables):
    report, games = rows_and_tables
    label = report.study.reference.label
    rows, rules = games[label]
    wins = wins_of(rows, rules)[:, : rules.players]
    cards = table_of(report, "Win rate by treasure held at the end")
    held = (
        rows["treasures_held"][:, : rules.players] >> 7 & 1 == 1,
        rows["treasures_held"][:, : rules.players] >> 8 & 1 == 1,
    )
    with_card = np.concatenate([wins[held[0]], wins[held[1]]])
    assert column(cards, "Treasure +7", "win rate with") == pytest.approx(with_card.mean())
    lanes = table_of(report, "Lanes")
    outer, inner = (rows["lanes"][:, : rules.players, 0, lane] > 0 for lane in (0, 1))
    assert column(lanes, "after space 6", "win rate outer") == pytest.approx(wins[outer & ~inner].mean())
    assert column(lanes, "after space 6", "outer lane") == pytest.approx((outer & ~inner).sum() / (outer ^ inner).sum())
    battles = table_of(report, "Battles")
    fought, won = rows["attacks"].sum(), rows["battles_won"].sum()
    assert column(battles, label, "ties") == pytest.approx((fought - won) / fought)
    only = (rows["attacks"] == rows["battles"])[:, : rules.players] & (rows["battles"] > 0)[:, : rules.players]
    attackers = rows["battles_won"][:, : rules.players][only].sum() / rows["battles"][:, : rules.players][only].sum()
    assert column(battles, label, "attackers win") == pytest.approx(attackers)
    box = table_of(report, "Tokens in play")
    over = (rows["peak"] > np.array([80, 45, 45])).any(axis=1)
    assert column(box, label, "box too small") == pytest.approx(over.mean())


def test_spaces_from_the_sums(rows_and_tables):
    report, _ = rows_and_tables
    tally = report.study.reference.results.tally
    for what, field in (("shortages", "short"), ("battles", "fought")):
        table = table_of(report, f"The spaces with the most {what}")
        for space, _, _, mean, share in table.rows:
            assert mean.value == tally[field][0][space] / GAMES
            assert share.value == pytest.approx(tally[field][0][space] / tally[field][0].sum())
        assert table.rows[0][3].value == tally[field][0].max() / GAMES
    assert len(board()) == tally["short"].shape[1]


# Verdicts


@pytest.mark.parametrize(
    ("low", "high", "direction", "verdict"),
    [
        (0.5, 0.9, 1, claims.HOLDS),
        (0.1, 0.2, 1, claims.SMALL_HOLDS),
        (-0.9, -0.5, 1, claims.OPPOSITE),
        (-0.9, -0.5, -1, claims.HOLDS),
        (-0.1, 0.1, 1, claims.NO_CHANGE),
        (-0.1, 0.9, 1, claims.OPEN),
    ],
)
def test_verdicts_on_a_change(low, high, direction, verdict):
    assert claims.judge(Estimate((low + high) / 2, low, high, 100), 1.0, direction) == verdict


def test_verdicts_on_a_win_rate():
    for low, high, verdict in ((0.11, 0.2, claims.HOLDS), (0.01, 0.09, claims.FAILS), (0.05, 0.15, claims.OPEN)):
        assert claims.judge_win_rate(Estimate(0.1, low, high, 100)) == verdict


def test_one_verdict_from_many():
    assert claims.overall([claims.HOLDS, claims.HOLDS]) == claims.HOLDS
    assert claims.overall([claims.HOLDS, claims.SMALL_HOLDS]).startswith("holds")
    assert claims.overall([claims.HOLDS, claims.FAILS]) == "depends on the table"
    assert claims.overall([claims.FAILS, claims.OPEN]) == "not shown"


def test_effect_size_of_shares():
    assert claims.cohen_h(0.5, 0.5) == 0
    assert claims.cohen_h(1.0, 0.0) == pytest.approx(math.pi)
    assert claims.cohen_h(0.65, 0.45) == pytest.approx(0.4049, abs=1e-3)  # Cohen (1988), table 6.2.2: 1.875 less 1.471


def test_nothing_is_never_negative():
    assert figure(Estimate(-0.001, -0.05, 0.05, 10)) == "0.00 ± 0.05"
    assert figure(Estimate(-0.3, -0.35, -0.25, 10)) == "-0.30 ± 0.05"


# The command


def test_sections_can_be_chosen_and_must_apply(folders):
    study = load_study(folders["powers"])
    assert [chapter.key for chapter in chapters_of(study, ("box", "scores"))] == ["box", "scores"]
    with pytest.raises(ValueError, match="nothing to say about ghost"):
        chapters_of(study, ("ghost",))


def test_command_line_writes_both_forms_and_refuses(folders, tmp_path):
    run = CliRunner().invoke
    page, text = tmp_path / "page.html", tmp_path / "text.md"
    folder = str(folders["powers"])
    assert run(main, ["report", folder, "--chapter", "box", "--out", str(page)]).exit_code == 0
    assert run(main, ["report", folder, "--chapter", "box", "--out", str(text)]).exit_code == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "text_pictures" / "box-peaks.svg").is_file()
    for words, snippet in (
        ([], "Name the folder"),
        ([folder, "--chapter", "boxes"], "did you mean 'box'?"),
        ([folder, "--out", "page.pdf"], "ends in .html or .md"),
        ([str(tmp_path)], "not an experiment's or a run's folder"),
        ([folder, "--all", "x"], "leave FOLDER"),
        ([folder, "--times", "5"], "go with --all"),
    ):
        refused = run(main, ["report", *words])
        assert refused.exit_code == 2 and snippet in refused.output, refused.output


def test_the_chapters_are_those_that_an_experiment_file_may_name():
    assert tuple(CHAPTERS) == CHAPTER_NAMES


def test_the_same_study_gives_the_same_file(folders, tmp_path):
    first, second = (
        write_report(make_report(load_study(folders["duels"]), ("who_wins",)), tmp_path / name).read_bytes()
        for name in ("a.html", "b.html")
    )
    assert first == second


def test_all_reports_and_their_index(tmp_path, monkeypatch):
    from jamaica_sim.experiment import file

    monkeypatch.setattr(file, "shipped_experiments", lambda: tmp_path / "experiments")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "tiny.toml").write_text(
        'title = "Tiny"\ngames = 30\nline_ups = ["random"]\nchapters = ["box"]'
    )
    words = ["report", "--all", str(tmp_path / "reports"), "--times", "2", "--results", str(tmp_path / "played")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    index = (tmp_path / "reports" / "README.md").read_text()
    assert (
        "[HTML](tiny.html)" in index and "60 games" in index and "jamaica-sim report --all reports --times 2" in index
    )
    assert {path.name for path in (tmp_path / "reports").iterdir()} == {
        "README.md",
        "tiny.html",
        "tiny.md",
        "tiny_pictures",
    }
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 0 and "1 of 1" not in again.output
