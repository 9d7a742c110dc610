"""The index of reports: two pages that lead to all reports in a folder, from the JSON file beside each report.

A report's JSON has what the index shows of it, and the report's claims with their verdicts and figures.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jamaica_sim import __version__
from jamaica_sim.files.atomic_files import json_bytes, write_whole
from jamaica_sim.files.escape import link, markdown, visible
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.report import prose
from jamaica_sim.report.page import page_style, svg_html, template
from jamaica_sim.report.report import Report

LARGEST_RECORD = 2**22  # bytes


def record_of(report: Report) -> dict[str, Any]:
    """What the index and programs may know of a report, as plain values."""
    hero, picture = report.hero, None
    if hero:
        picture = {"name": hero.name, "title": hero.title, "sub": hero.sub, "label": hero.drawing.label}
        picture["svg"] = str(svg_html(hero))
    return {
        "name": report.name,
        "title": report.title,
        "headline": report.headline,
        "standfirst": prose.plain(" ".join(report.standfirst)),
        "reference": report.reference,
        "games": report.games,
        "seed": report.seed,
        "facts": report.facts,
        "claims": report.claims,
        "hero": picture,
    }


def write_record(report: Report, folder: Path) -> Path:
    """Write the JSON file beside a report's pages."""
    path = folder / f"{report.name}.json"
    write_whole(path, json_bytes(record_of(report)))
    return path


def write_index(folder: Path, command: str, names: Sequence[str]) -> list[Path]:
    """Write index.html and README.md, which lead to those of the named reports that are in a folder."""
    from markupsafe import Markup

    records = [json.loads(read_plain_file(path, LARGEST_RECORD)) for name in names
             if (path := folder / f"{name}.json").is_file()]  # fmt: skip
    for record in records:
        if record["hero"]:
            record["hero"]["svg"] = Markup(record["hero"]["svg"])  # made by us: its words are escaped
    facts = {"reports": records, "command": command}
    games = sum(record["games"] for record in records)
    pages = {
        "index.html": template("index.html.j2").render(games=games, version=__version__, **facts, **page_style()),
        "README.md": _readme(records, command),
    }
    for name, text in pages.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in pages]


def _readme(records: Sequence[dict[str, Any]], command: str) -> str:
    """The index for readers of the repository: the headline of each report, with a link."""
    headlines = [f"- [{markdown(record['headline'])}]({link(record['name'])}.html): {markdown(record['title'])}"
                 for record in records]  # fmt: skip
    about = "What the shipped experiments show, each as one HTML file. `index.html` has charts. One command makes them:"
    return "\n".join(["# Reports", "", about, "", f"    {visible(command)}", "", *headlines, ""])
