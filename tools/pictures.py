"""Takes the charts that README and docs show out of the reports: `python tools/pictures.py`."""

import json
import re
from pathlib import Path

from jamaica_sim.report.charts.drawing import stylesheet

ROOT = Path(__file__).resolve().parent.parent
SHOWN = {
    "causes": "hero",
    "editions": "hero",
    "ghost_ship": "hero",
    "player_counts": "hero",
    "player_counts_map": "map",
    "restricted": "hero",
    "rule_book_claims": "hero",
    "skill": "hero",
}  # the figure of a report's first screen by the name of its picture


def picture(name: str) -> str:
    """A chart of a report as a file of its own, on light paper."""
    report = ROOT / "reports" / name.removesuffix("_map")
    if SHOWN[name] == "hero":
        page = json.loads(report.with_suffix(".json").read_text("utf-8"))["hero"]["svg"]
    else:
        page = report.with_suffix(".html").read_text("utf-8").split(f'<figure class="{SHOWN[name]}">')[1]
    found = re.search(r"<svg class=\"chart \w+\" viewBox=\"0 0 ([\d.]+) ([\d.]+)\"(.*?</svg>)", page, re.S)
    width, height, body = found.groups()
    marks, content = body.split(">", 1)
    size = f'width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="chart alone" viewBox="0 0 {width} {height}"'
    return f'{head}{marks}><style>{stylesheet()}</style><rect class="f-paper" {size}/>{content}\n'


def file_of(name: str) -> Path:
    """Where the docs have a picture."""
    return ROOT / "docs" / "_static" / f"{name}.svg"


if __name__ == "__main__":
    for name in SHOWN:
        file_of(name).write_text(picture(name), "utf-8")
        print(f"Wrote docs/_static/{name}.svg.")
