"""Reports: complete in themselves, no empty chapter, every figure from the results, the same in text and tables."""

import base64
import csv
import io
import json
import math
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.game.codes import LOOT_KINDS
from jamaica_sim.game.components import board
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.report import prose
from jamaica_sim.report.chapter import cell_text
from jamaica_sim.report.chapters import chapters_of, source_of
from jamaica_sim.report.games_to_watch import WORDS, games_of_setting, games_to_watch
from jamaica_sim.report.judge import Judge
from jamaica_sim.report.page import caption_of, html, write_report
from jamaica_sim.report.report import MOST_KEYS, make_report
from jamaica_sim.results.measures import BATTLES, PACE, SHORT
from jamaica_sim.results.stats.estimate import Estimate, cohen_h
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.file import ExperimentError, experiment_from_text
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import load_study
from jamaica_sim.study.games_to_watch import FILE, QUANTITIES

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
    "rungs": """
        compare = "line_up"
        line_ups = ["random", "racer", "balanced", ["racer", "random"], ["balanced", "racer"]]
        chapters = ["skill", "race"]
        [[tables]]
        players = 4
        [[tables]]
        players = 2
        edition = "2021"
    """,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folders of some small experiments, of one run of several strategies and of one comparison."""
    root = tmp_path_factory.mktemp("studies")
    for name, text in EXPERIMENTS.items():
        run_experiment(experiment_from_text(text, Path(f"{name}.toml")), root / name, games=GAMES)
    words = f"run --games {GAMES} --players 3 --ghost -s random -s balanced -s random --seed 5 --out {root / 'alone'}"
    assert CliRunner().invoke(main, words.split()).exit_code == 0
    words = f"compare random balanced --games 100 --players 3 --out {root / 'versus'}"
    assert CliRunner().invoke(main, words.split()).exit_code == 0
    return {name: root / name for name in (*EXPERIMENTS, "alone", "versus")}


@pytest.fixture(scope="module", params=[*EXPERIMENTS, "alone"])
def report(request, folders):
    return make_report(load_study(folders[request.param]))


@pytest.fixture(scope="module")
def page(report):
    return html(report)


class Page(HTMLParser):
    """The cells of all tables of a page, every address in it, and the labels of its charts."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.addresses, self.tags, self.charts, self._cell = [], [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        found = dict(attributes)
        self.addresses += [found[name] for name in ("src", "href", "srcset", "data", "action") if name in found]
        if tag == "svg":
            self.charts.append((found.get("role"), found.get("aria-label", "")))
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


def cells_of(table):
    return [
        cell_text(table, column, content)
        for row in table.rows
        for column, content in zip(table.columns, row, strict=True)
    ]


# The page


def test_html_needs_nothing_else(page):
    parsed = Page(page)
    assert not {"iframe", "object", "embed", "img"} & set(parsed.tags)
    assert all(address.startswith(("#", "data:")) for address in parsed.addresses)
    assert not re.search(r"@import|url\s*\(|<script[^>]+src", page)
    assert "http" not in page


def test_anchors_lead_somewhere(page):
    names = re.findall(r'id="([^"]+)"', page)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(names)
    assert len(names) == len(set(names))


def test_the_first_screen_has_a_headline_a_chart_and_three_to_five_numbers(report, page):
    first = page.split("</header>")[0]
    assert report.headline in first.replace("&#39;", "'") and "<svg" in first
    assert 3 <= len(report.keys) <= MOST_KEYS
    assert len(report.headline) < 90 and report.standfirst
    assert "±" not in re.sub(r'title="[^"]*"', "", first.split("<svg")[0].split("<body>")[1])


def test_no_chapter_is_empty(report, page):
    for number, chapter in enumerate(report.chapters):
        assert chapter.heading and chapter.paragraphs and chapter.tables, chapter.key
        most = 4 if chapter.key in ("who_wins", "skill") else 3
        assert (chapter.figures or number == 0) and len(chapter.figures) <= most, chapter.key
        assert all(table.rows and len(table.columns) > 1 for table in chapter.tables)
        assert all(len(row) == len(table.columns) for table in chapter.tables for row in table.rows)
        part = page.split(f'<section id="{chapter.key}"')[1].split("</section>")[0]
        assert part.count("<svg") == 2 * len(chapter.figures) and part.count("<table") == len(chapter.tables)
        assert sum(len(prose.plain(p).split()) for p in chapter.paragraphs) < 240, chapter.key


def test_chapters_are_in_the_order_of_their_effects(report):
    effects = [chapter.effect for chapter in report.chapters[1:]]
    assert effects == sorted(effects, reverse=True)


def test_no_sentence_is_said_twice(report):
    sentences = [s for chapter in report.chapters for s in chapter.sentences()] + report.standfirst
    assert len(sentences) == len(set(sentences))
    assert all(s[0].isupper() or not s[0].isalpha() for s in sentences)


def test_every_chart_says_what_it_shows(page):
    charts = Page(page).charts
    assert charts and all(role == "img" and len(label) > 25 for role, label in charts)
    assert all(re.search(r"\d", label) for _, label in charts)


def test_every_table_says_how_many_games(report):
    for table in tables_of(report):
        if any(isinstance(content, Estimate) for row in table.rows for content in row):
            assert re.search(r"\d games? behind each figure", caption_of(table)), table.title


def test_no_figure_has_more_games_behind_it_than_were_played(folders):
    report = make_report(load_study(folders["alone"]))
    assert max(figure.n for table in tables_of(report) for figure in table.estimates) == GAMES


def test_page_shows_the_cells(report, page):
    shown = [cell for row in Page(page).rows for cell in row]
    for table in tables_of(report):
        kept = cells_of(table)
        if len(table.rows) == 1 and table.columns[0] == "table":
            kept = kept[1:]  # a single row is not labelled with the page's only table
        assert [text for text in kept if text not in shown] == [], table.title


def test_tables_can_be_taken_along_as_csv(report, page):
    data = re.findall(r'href="data:text/csv;base64,([^"]+)"', page)
    assert len(data) == len(tables_of(report))
    for text, table in zip(data, tables_of(report), strict=True):
        rows = list(csv.DictReader(io.StringIO(base64.b64decode(text).decode())))
        assert len(rows) == len(table.rows)
        for row, cells in zip(rows, table.rows, strict=True):
            for column, content in zip(table.columns, cells, strict=True):
                if isinstance(content, Estimate) and not math.isnan(content.value):
                    assert float(row[column.replace(" ", "_")]) == pytest.approx(content.value)


def test_figures_in_the_text_are_those_of_the_tables(report):
    known = {text for table in tables_of(report) for text in cells_of(table)}
    for chapter in report.chapters:
        for sentence in chapter.sentences():
            for short, whole in prose.FIGURE.findall(sentence):
                text = whole.split("; n =")[0]
                assert text in known or any(_is_wider(text, other) for other in known), (chapter.key, sentence)
                assert short.strip("+%−") in whole or abs(_number(short) - _number(whole)) <= 0.051


def _is_wider(text, other):
    """Whether two texts have the same value, and the first the wider interval, as what was picked among many has."""
    (value, half), (same, narrow) = ((*one.split(" ± "), "")[:2] for one in (text, other))
    return bool(half and narrow) and value == same and _number(half.lstrip("<")) > _number(narrow.lstrip("<"))


def _number(text):
    return float(re.match(r"[+−]?[\d,.]+", text).group().replace("−", "-").replace(",", ""))


def test_a_figure_has_one_rounding_and_one_interval(report):
    texts = {}
    for table in tables_of(report):
        for row in table.rows:
            for column, content in zip(table.columns, row, strict=True):
                if isinstance(content, Estimate):
                    key = (row[0], column, round(content.value, 9), column in table.shares)
                    texts.setdefault(key, set()).add(cell_text(table, column, content))
    assert all(len(found) == 1 for found in texts.values())


# The figures


def table_of(report, title):
    tables = tables_of(report)
    return next((t for t in tables if t.title == title), None) or next(t for t in tables if t.title.startswith(title))


def column(table, row, name):
    return next(cells for cells in table.rows if cells[0] == row)[table.columns.index(name)].value


@pytest.fixture(scope="module")
def rows_and_tables(folders):
    """The report of the first experiment, and for each of its settings the result rows of its games."""
    report = make_report(load_study(folders["ghosts"]), tuple(CHAPTERS))
    study = load_study(folders["ghosts"])
    return report, {
        s.label: (Worker(s.results.table).play(Chunk(0, GAMES), keep_rows=True).rows.copy(), s.rules)
        for s in study.settings
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
        assert column(short, label, "ship was ahead") == pytest.approx(rows["shortages_ahead"].sum() / shortages.sum())


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
    for label, (rows, rules) in games.items():
        if rules.ghost:
            name = label.replace(", with the ghost", "")
            share = wins_of(rows, rules)[:, rules.players].mean()
            assert column(wins, name, "win rate") == pytest.approx(share)
            assert column(wins, name, "score") == pytest.approx(rows["score"][:, rules.players].mean())
            gold = rows["loot"][:, rules.players, LOOT_KINDS.index("gold")]
            assert column(booty, name, "gold") == pytest.approx(gold.mean())


def test_treasures_lanes_battles_and_box_from_the_games_themselves(rows_and_tables, folders):
    report, games = rows_and_tables
    label = load_study(folders["ghosts"]).reference.label
    rows, rules = games[label]
    wins = wins_of(rows, rules)[:, : rules.players]
    drawn = rows["lair_treasures"][:, : rules.players]
    cards = table_of(report, "Win rate of those who draw")
    drawers = np.concatenate([wins[drawn >> card & 1 == 1] for card in (7, 8)])
    assert column(cards, "Treasure +7", "win rate of drawers") == pytest.approx(drawers.mean())
    lanes = table_of(report, "Lanes")
    outer, inner = (rows["lanes"][:, : rules.players, 0, lane] > 0 for lane in (0, 1))
    assert column(lanes, "after space 6", "win rate outer") == pytest.approx(wins[outer & ~inner].mean())
    assert column(lanes, "after space 6", "outer lane") == pytest.approx((outer & ~inner).sum() / (outer ^ inner).sum())
    battles = table_of(report, "Battles")
    fought = rows["attacks"].sum()
    assert column(battles, label, "attacker wins") == pytest.approx(rows["attacks_won"].sum() / fought)
    assert column(battles, label, "defender wins") == pytest.approx(rows["defences_won"].sum() / fought)
    assert column(battles, label, "nobody wins") == pytest.approx(rows["attacks_drawn"].sum() / fought)
    booty = table_of(report, "What the winner of a battle takes")
    gold = rows["loot"][:, :, LOOT_KINDS.index("gold")].sum()
    assert column(booty, label, "gold") == pytest.approx(gold / fought)
    box = table_of(report, "Goods in play")
    over = (rows["peak"] > np.array([80, 45, 45])).any(axis=1)
    assert column(box, label, "box too small") == pytest.approx(over.mean())


def test_spaces_from_the_sums(folders):
    report = make_report(load_study(folders["ghosts"]), tuple(CHAPTERS))
    tally = load_study(folders["ghosts"]).reference.results.tally
    for what, field in (("shortages", "short"), ("battles", "fought")):
        tables = [t for t in tables_of(report) if t.title.startswith(f"{what.capitalize()} by space")]
        table = next(t for t in tables if t.rows[0][3].value == tally[field][0].max() / GAMES)
        for space, _, _, mean, share in table.rows:
            assert mean.value == tally[field][0][space] / GAMES
            assert share.value == pytest.approx(tally[field][0][space] / tally[field][0].sum())
    assert not tally["short"][:, len(board()) :].any()


# Effects and verdicts


def test_effects_of_shares_are_h_and_of_means_d(folders):
    study = load_study(folders["ghosts"])
    a, b = study.contrasts("ghost")[0]
    shares = [SHORT.of(s.results).value for s in (a, b)]
    assert SHORT.effect(a.results, b.results) == pytest.approx(cohen_h(shares[1], shares[0]))
    rows = [Worker(s.results.table).play(Chunk(0, GAMES), keep_rows=True).rows.copy() for s in (a, b)]
    battles = [r["attacks"].sum(axis=1) for r in rows]
    assert BATTLES.effect(a.results, b.results) == pytest.approx(
        (battles[1].mean() - battles[0].mean()) / battles[0].std()
    )


def test_the_spread_of_the_pace_is_that_of_single_games(folders):
    setting = load_study(folders["ghosts"]).reference
    rows = Worker(setting.results.table).play(Chunk(0, GAMES), keep_rows=True).rows
    table, players = setting.results.table, setting.rules.players
    to_finish, circuit = table.rulebook["to_finish"][0], int(table.rulebook["circuit"][0])
    lap, space = rows["final_lap"][:, :players], rows["final_space"][:, :players]
    progress = (circuit * (1 + lap) - to_finish[space]).sum(axis=1)
    rounds = rows["rounds"]
    pace = progress.sum() / rounds.sum()
    expected = (progress - pace * rounds).std() / rounds.mean() / players
    assert PACE.of(setting.results).value == pytest.approx(pace / players)
    assert PACE.spread(setting.results) == pytest.approx(expected, rel=1e-6)


# The command


def test_chapters_are_those_that_an_experiment_may_name():
    assert all(source_of(name) for name in CHAPTERS)
    assert set(WORDS) == set(QUANTITIES) and {kind.watch for kind in CHAPTERS.values()} <= {"", *WORDS}


def test_chapters_can_be_chosen_and_must_apply(folders):
    study = load_study(folders["powers"])
    assert [chapter.key for chapter in chapters_of(study, ("box", "scores"))[0]] == ["box", "scores"]
    with pytest.raises(ValueError, match="nothing to say about ghost"):
        chapters_of(study, ("ghost",))


def test_command_line_writes_a_page_and_refuses(folders, tmp_path):
    run = CliRunner().invoke
    page = tmp_path / "page.html"
    folder = str(folders["powers"])
    assert run(main, ["report", folder, "--chapter", "box", "--out", str(page)]).exit_code == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    for words, snippet in (
        ([], "Name the folder"),
        ([folder, "--chapter", "boxes"], "did you mean 'box'?"),
        ([folder, "--out", "page.pdf"], "ends in .html"),
        ([str(tmp_path)], "not a run's, an experiment's, a comparison's or a sweep's folder"),
        ([folder, "--all", "x"], "leave FOLDER"),
        ([folder, "--times", "5"], "go with --all"),
        ([str(folders["versus"]), "--chapter", "box"], "leave --chapter out"),
    ):
        refused = run(main, ["report", *words])
        assert refused.exit_code == 2 and snippet in refused.output, refused.output


def test_a_comparison_has_a_report_too(folders, tmp_path):
    page = tmp_path / "versus.html"
    made = CliRunner().invoke(main, ["report", str(folders["versus"]), "--out", str(page)])
    assert made.exit_code == 0, made.output
    text = page.read_text()
    assert "<h1>Balanced beats random</h1>" in text and "jamaica-sim compare random balanced" in text
    assert Page(text).rows


def test_what_is_left_out_is_said(folders):
    report = make_report(load_study(folders["duels"]), ("changes",))
    assert "Left out are the 3 settings" in " ".join(report.chapters[0].paragraphs)


def test_different_strategies_at_one_table_are_compared_too(tmp_path):
    text = """
        compare = "hand_size"
        line_ups = ["random", ["random", "balanced"]]
        [rules]
        players = 3
        hand_size = [3, 4]
    """
    study = run_experiment(experiment_from_text(text, Path("hands.toml")), tmp_path / "hands", games=60)
    report = make_report(study, ("changes",))
    assert "Left out" not in " ".join(report.chapters[0].paragraphs)
    assert len(table_of(report, "The course of a game").rows) == 4
    assert len(table_of(report, "4 cards in hand against").rows) == 2


def test_the_same_study_gives_the_same_file(folders, tmp_path):
    first, second = (
        write_report(make_report(load_study(folders["duels"]), ("who_wins",)), tmp_path / name).read_bytes()
        for name in ("a.html", "b.html")
    )
    assert first == second


def test_all_reports_and_their_index(tmp_path, monkeypatch):
    from jamaica_sim.study.experiment import file as experiments

    monkeypatch.setattr(experiments, "shipped_experiments", lambda: tmp_path / "experiments")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "tiny.toml").write_text(
        'title = "Tiny"\ngames = 30\nline_ups = ["random"]\nchapters = ["box"]'
    )
    (tmp_path / "experiments" / "sweeps").mkdir()
    (tmp_path / "experiments" / "sweeps" / "food.toml").write_text(
        'title = "Food"\ngames = 30\nline_ups = ["random"]\n[rules]\nstart_food = [2, 3]'
    )
    words = ["report", "--all", str(tmp_path / "reports"), "--times", "2", "--results", str(tmp_path / "played")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    text, page = ((tmp_path / "reports" / name).read_text() for name in ("README.md", "index.html"))
    assert "](tiny.html): Tiny" in text and "jamaica-sim report --all reports --times 2" in text
    assert 'href="tiny.html"' in page and "<svg" in page
    assert {path.name for path in (tmp_path / "reports").iterdir()} == {
        "README.md",
        "index.html",
        *(f"{name}{end}" for name in ("tiny", "food") for end in (".html", ".json")),
    }
    record = json.loads((tmp_path / "reports" / "tiny.json").read_text())
    assert record["games"] == 60 and record["headline"] and len(record["claims"]) == 1
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 0 and "1 of 1" not in again.output
    assert (tmp_path / "reports" / "index.html").read_text() == page
    # One report alone: the index keeps what it says of the others, and its order.
    alone = CliRunner().invoke(main, [*words, "--only", "tiny"])
    assert alone.exit_code == 0 and "food" not in alone.output, alone.output
    assert [(tmp_path / "reports" / name).read_text() for name in ("README.md", "index.html")] == [text, page]
    (tmp_path / "experiments" / "later.toml").write_text(
        'title = "Later"\ngames = 20\nline_ups = ["random"]\nchapters = ["box"]'
    )
    added = CliRunner().invoke(main, [*words, "--only", "later"])
    assert added.exit_code == 0, added.output
    text, page = ((tmp_path / "reports" / name).read_text() for name in ("README.md", "index.html"))
    assert re.findall(r'<article class="report" id="(\w+)"', page) == ["later", "tiny", "food"]
    assert re.findall(r"\]\((\w+)\.html\)", text) == ["later", "tiny", "food"]
    assert f"Jamaica · {40 + 60 + 120} games" in page
    wrong = CliRunner().invoke(main, [*words, "--only", "tinny"])
    assert wrong.exit_code == 2 and "did you mean 'tiny'" in wrong.output


def test_every_chapter_names_games_and_their_commands_show_them(report):
    """The command shows exactly the game that is described, typical or extreme."""
    page = html(report).replace("&#39;", "'")
    for chapter in report.chapters:
        assert chapter.watch or not CHAPTERS[chapter.key].watch, chapter.key
        assert all(game.command in page for game in chapter.watch)
    chapter = next(chapter for chapter in report.chapters if chapter.key == "race")
    typical, longest = chapter.watch[:2]
    for game in (typical, longest):
        words = shlex.split(game.command)
        assert words[:2] == ["jamaica-sim", "replay"]
        trace = json.loads(CliRunner().invoke(main, [*words[1:], "--format", "json"]).stdout)
        assert trace["config"]["game"] == game.game and trace["result"]["rounds"] == game.value
        assert f"{trace['result']['rounds']} rounds" in game.words
    assert longest.value > typical.value and "longest" in longest.words


def test_games_by_rules_of_ones_own_are_shown_and_replayed(tmp_path, monkeypatch):
    """Beside the printed rules: a longer hand by its option, a board of one's own by the folder that has it."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["board", "--out", "all.csv"]).exit_code == 0
    rows = Path("all.csv").read_text().splitlines(keepends=True)
    Path("mine.csv").write_text("".join(row for row in rows if not row.startswith(("17,", "46,"))))
    tables = ["[[tables]]", "[[tables]]\nhand_size = 5", "[[tables]]\nboard = 'mine.csv'"]
    Path("own.toml").write_text("\n".join(["line_ups = ['random']\nchapters = ['race']", *tables]))
    study = run_experiment("./own.toml", "own", games=60)
    (chapter,) = make_report(study).chapters
    _, printed, hand = chapter.watch
    assert "hand size 5" in hand.words and "--rule hand_size=5" in hand.command
    (board,) = games_to_watch(replace(study, settings=study.settings[::2]), "rounds")[2:]
    assert "board mine" in board.words and board.command.startswith("jamaica-sim replay own --setting 3 --game ")
    for game, setting in zip((printed, hand, board), study.settings, strict=True):
        trace = json.loads(CliRunner().invoke(main, [*shlex.split(game.command)[1:], "--format", "json"]).stdout)
        assert trace["result"]["rounds"] == game.value
        assert Worker(setting.played.table).play(Chunk(game.game, 1), keep_rows=True).rows["rounds"][0] == game.value


def test_games_to_watch_are_typical_and_extreme(folders):
    """Compared with all games that were looked at."""
    setting = load_study(folders["alone"]).reference
    rows = Worker(setting.results.table).play(Chunk(0, GAMES), keep_rows=True).rows
    shortages = rows["shortages"].sum(axis=(1, 2))
    typical, extreme = games_of_setting(setting, "shortages")
    assert extreme.value == shortages.max() == shortages[extreme.game]
    assert abs(typical.value - shortages.mean()) <= 0.5 and shortages[typical.game] == typical.value
    (ghost, best) = games_of_setting(setting, "ghost_lead")
    lead = rows["score"][:, 3] - rows["score"][:, :3].max(axis=1)
    assert best.value == lead.max() and lead[ghost.game] == ghost.value
    assert games_of_setting(setting, "no such quantity") == []


def test_a_folder_without_games_to_watch_still_reports(folders, tmp_path):
    """So does one whose file of games is damaged, or names games that the run does not have."""
    import shutil

    for number, content in enumerate((None, "{", "[]", '{"looked_at": 5, "games": {"rounds": [[999999, 5]]}}')):
        folder = tmp_path / str(number)
        shutil.copytree(folders["alone"], folder)
        (folder / FILE).unlink() if content is None else (folder / FILE).write_text(content)
        report = make_report(load_study(folder))
        assert report.headline and not any(chapter.watch for chapter in report.chapters)


def test_a_report_plays_no_games(folders, monkeypatch):
    from jamaica_sim.play import chunks

    def refuse(*arguments, **options):
        raise AssertionError("a report has played a game")

    monkeypatch.setattr(chunks.Worker, "play", refuse)
    assert all(chapter.watch for chapter in make_report(load_study(folders["alone"])).chapters if chapter.key == "race")


@pytest.mark.parametrize("name", [*EXPERIMENTS, "alone"])
def test_words_and_charts_come_from_the_findings_alone(folders, monkeypatch, name):
    """Once numbers are found, no chapter reads the results again, neither for its sentences nor for its charts."""
    study = load_study(folders[name])
    sources = {key: source for key in CHAPTERS if (source := source_of(key)).applies(study)}
    findings = {key: source.find(study) for key, source in sources.items()}
    judge = Judge(findings.values())

    def refuse(setting):
        raise AssertionError("the results are read once more")

    monkeypatch.setattr(Setting, "played", property(refuse))
    monkeypatch.setattr(Setting, "games", GAMES)  # how many were played may be said
    for key in sources:
        chapter = findings[key].write(judge)
        assert chapter.heading and all(figure.drawing.svg() for figure in chapter.figures), key


# Forms


def test_a_figure_does_not_cross_the_line():
    """A figure stands to the right of its dot, or to the left where it would cross the zero line."""
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    found = [Row(name, [Mark(value, f"at {name}")]) for name, value in (("a", -1.0), ("b", -8.0), ("c", 9.0))]
    svg = rows("", [Panel("", found, low=-10.0, line=0.0)]).file().decode()
    anchors = {
        name: "end" if 'text-anchor="end"' in tag else "start"
        for tag, name in re.findall(r"<text([^>]*)>at (.)</text>", svg)
    }
    assert anchors == {"a": "end", "b": "start", "c": "start"}


@pytest.mark.parametrize("ends", [(-9.0, -1.0), (-2.0, -0.1), (0.5, 6.0), (-0.3, 0.3)])
def test_figures_of_several_dots_do_not_cross_the_line(ends):
    from jamaica_sim.report.charts.drawing import text_width
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    row = Row("a", [Mark(value, "+10.1%") for value in ends])
    svg = rows("", [Panel("", [row], low=-10.0, high=10.0, line=0.0)]).file().decode()
    [line] = re.findall(r'stroke-width="1" x1="([\d.]+)" y1="[\d.]+" x2="\1"', svg)
    width, figures = text_width("+10.1%", 14, bold=True), re.findall(r'<text([^>]* x="([\d.]+)"[^>]*)>\+10', svg)
    assert len(figures) == 2
    for tag, at in figures:
        left = float(at) - (width if 'text-anchor="end"' in tag else 0)
        assert not left - 2 <= float(line) <= left + width + 2


def test_small_shares_of_the_box_are_told_apart():
    from jamaica_sim.report.figures import mark_of

    figures = [mark_of(Estimate(share, 0, 1, 9), True).text for share in (0.0, 0.0006, 0.0012, 0.018)]
    assert figures == ["0.0%", "0.06%", "0.12%", "1.8%"]


@pytest.mark.parametrize("form", ["dots", "bars"])
@pytest.mark.parametrize("value", [9.0, 9.3, 9.6, 9.9, 10.0, 10.1])
def test_a_figure_keeps_clear_of_the_upright_mark(form, value):
    from jamaica_sim.report.charts.drawing import text_width
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    row = Row("a", [Mark(value, "10.8 rounds")], equal=10.0)
    svg = rows("", [Panel("", [row], low=0.0, high=12.0, form=form)]).file().decode()
    [mark] = re.findall(r'stroke-width="2" x1="([\d.]+)" y1="[\d.]+" x2="\1"', svg)
    [(tag, at)] = re.findall(r'<text([^>]* x="([\d.]+)"[^>]*)>10.8 rounds</text>', svg)
    width = text_width("10.8 rounds", 14, bold=True)
    left = float(at) - (width if 'text-anchor="end"' in tag else 0)
    assert not left - 2 <= float(mark) <= left + width + 2


def test_a_bar_shows_a_wide_interval_and_its_figure_stands_beyond():
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    found = [
        Row(name, [Mark(5.0, f"at {name}", low=5 - half, high=5 + half)]) for name, half in (("a", 3), ("b", 0.01))
    ]
    svg = rows("", [Panel("", found, high=6.0, form="bars")]).file().decode()
    across = re.findall(
        r'<line class="s-ink" stroke-width="2" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="\2"/>', svg
    )
    [(left, _, right)] = across  # the narrow interval is not drawn
    figures = {name: float(at) for at, name in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>at (.)</text>', svg)}
    assert float(left) < float(right) < figures["a"] and figures["b"] < figures["a"]


@pytest.mark.parametrize(("form", "wide"), [("dots", True), ("bars", False)])
def test_dots_far_from_zero_use_the_width_and_bars_begin_at_zero(form, wide):
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row

    panel = Panel("", [Row("a", [Mark(9.0)]), Row("b", [Mark(10.0)])], form=form)
    assert (panel.bottom > 8) == wide and panel.top == 10
    assert Panel("", [Row("a", [Mark(9.0)]), Row("b", [Mark(1.0)])]).bottom == 0


def test_a_row_without_marks_says_why_once():
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    svg = rows("", [Panel("", [Row("a", [Mark(1.0, "1")]), Row("b", [], note="not drawn")])]).file().decode()
    assert svg.count(">not drawn<") == 1


def test_panels_below_one_another_share_their_scale():
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    panels = [
        Panel(title, [Row("one", [Mark(2.0, text)])], low=-1.0, high=5.0, line=0.0)
        for title, text in (("first", "2"), ("second", "a longer figure"))
    ]
    svg = rows("", panels, 25, below=True).file().decode()
    across = re.findall(r'<circle[^>]* cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert len(across) == 2 and across[0][0] == across[1][0] and float(across[0][1]) < float(across[1][1])


# One's own rules beside the printed ones


def test_values_that_are_no_scale_stand_beside_the_printed_rules(tmp_path):
    text = """
        compare = "variant"
        line_ups = ["balanced"]
        chapters = ["changes", "shortages"]
        [[tables]]
        name = "free ports"
        "ports.dearer" = -9
        [[tables]]
        name = "the printed rules"
        [[tables]]
        name = "full larder"
        start_food = 6
    """
    study = run_experiment(experiment_from_text(text, Path("own.toml")), tmp_path / "own", games=GAMES)
    report = make_report(study)
    said = " ".join(report.chapters[0].sentences())
    assert report.headline.startswith("With free ports: fewer ")
    assert "With full larder: " in said and "step" not in said
    assert report.hero.name == "options" and "beside the printed rules" in report.hero.sub
    assert re.search(r": .*? with free ports, .*? under the printed rules", " ".join(report.standfirst))


def test_the_question_decides_what_comes_first(tmp_path):
    """A report on fairness begins with the seats, whatever else the rules change."""
    text = """
        question = "first Captain's edge"
        chapters = ["changes"]
        line_ups = ["balanced"]
        [rules]
        start_gold = [3, [2, 3, 3, 4]]
    """
    study = run_experiment(experiment_from_text(text, Path("fair.toml")), tmp_path / "fair", games=20_000)
    report = make_report(study)
    assert "With 2, 3, 3, 4 doubloons at the start: a smaller edge" in report.headline
    assert all("seat" in key.words or "first less" in key.words for key in report.keys[1:2])
    assert "edge" not in make_report(replace(study, question="")).headline
    with pytest.raises(ExperimentError, match='did you mean "first Captain\'s edge"'):
        experiment_from_text('question = "first Captains edge"', Path("fair.toml"))


@pytest.mark.slow
def test_tension_is_told_where_it_was_measured(tmp_path):
    words = f"run --games 300 -s balanced --tension --out {tmp_path / 'run'}"
    assert CliRunner().invoke(main, words.split()).exit_code == 0
    study = load_study(tmp_path / "run")
    chapter = make_report(study, ("drama",)).chapters[0]
    decided = study.reference.played.drama.of("decided")
    assert f"The winner is decided after {100 * decided.value:.1f}% of the rounds" in prose.plain(
        " ".join(chapter.sentences())
    )
    assert decided in [content for table in chapter.tables for row in table.rows for content in row]


def test_a_heading_that_does_not_hold_at_every_table_says_at_which(tmp_path):
    """With six players the first ship home wins about half of the games. Heading and sentence say the same."""
    text = 'chapters = ["race"]\nline_ups = ["balanced"]\n[rules]\nplayers = [3, 6]\n'
    study = run_experiment(experiment_from_text(text, Path("race.toml")), tmp_path / "race", games=600)
    report = make_report(study)
    [chapter] = report.chapters
    assert report.headline == "The first ship home wins more than half of the games at one of two tables"
    assert any("of the games at one of two tables (3 players)" in s for s in chapter.sentences())


@pytest.mark.parametrize("gap", [0.0, 0.004, 0.03, 0.4])
@pytest.mark.parametrize("start", [0.0, 0.3, 0.59])
def test_two_marks_are_named_however_close_they_are(start, gap):
    from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows

    marks = [Mark(start, "a", "base", name="all balanced"), Mark(start + gap, "b", name="among masters")]
    made = [Row("no shortage", marks), Row("one shortage", [Mark(0.1, "c"), Mark(1.0, "d")])]
    drawing = rows("names", [Panel("", made, line=0.3, line_name="an equal share, 30%")])
    for narrow in (False, True):
        texts = re.findall(r">([^<]*)</text>", drawing.svg(narrow))
        assert {"all balanced", "among masters", "an equal share, 30%"} <= set(texts)
