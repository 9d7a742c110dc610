"""The shipped pages as a reader finds them: how many words, no two headlines alike, and one number for one quantity."""

import json
import re
from html.parser import HTMLParser

import pytest

import claims as docs
from jamaica_sim.results.measures import MEASURES

NOT_WORDS = {"script", "style", "svg", "table", "figure", "code", "pre"}  # charts, tables and commands
FIRST_SCREEN, OUTSIDE, FOLDED = 90, 1_000, 600
PAGES = sorted(path.stem for path in docs.REPORTS.glob("*.html"))


class Words(HTMLParser):
    """Counts the words of a page outside its charts and tables: on the first screen, further down, and folded."""

    def __init__(self, page):
        super().__init__()
        self.open, self.counts = [], {"first": 0, "outside": 0, "folded": 0}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in (*NOT_WORDS, "details", "header", "head"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]

    def handle_data(self, data):
        count = len(re.findall(r"\w[\w.,'’−+%/-]*", data))
        if {*NOT_WORDS, "head"} & {*self.open}:
            return
        self.counts["folded" if "details" in self.open else "outside"] += count
        self.counts["first"] += count if "header" in self.open else 0


def words_of(name):
    return Words((docs.REPORTS / f"{name}.html").read_text(encoding="utf-8")).counts


def record(name):
    return json.loads((docs.REPORTS / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_in_five_minutes(name):
    counts = words_of(name)
    assert counts["outside"] <= OUTSIDE and counts["folded"] <= FOLDED, counts
    assert name == "index" or counts["first"] <= FIRST_SCREEN, counts


def test_no_two_headlines_are_alike():
    headlines = [record(name)["headline"] for name in PAGES if name != "index"]
    assert len(set(headlines)) == len(headlines)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "index"])
def test_a_quantity_has_one_figure_at_one_table(name):
    """In the tables of a page, and in the claims of its JSON."""
    found = {}
    for title, rows in docs.tables_of_page(name):
        if "against" in title or "ifference" in title or not rows or next(iter(rows[0])) != "table":
            continue
        for row in rows:
            for measure in MEASURES:
                value = row.get(measure.column.replace(" ", "_"))
                if value:
                    found.setdefault((title.partition("(")[2], row["table"], measure.key), set()).add(
                        round(float(value), 9)
                    )
    for claim in record(name)["claims"]:
        for table, figures in claim["figures"].items():
            found.setdefault((claim["says"], claim["where"], table), set()).add(tuple(figures))
    assert found and {key: values for key, values in found.items() if len(values) > 1} == {}
