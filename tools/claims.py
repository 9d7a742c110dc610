"""Checks what we claim: sentences of the docs against the tables of the shipped reports, and both against fresh games.

`docs/claims.toml` has every claim of `docs/findings.md` and `README.md` as data: the sentence, the report, table, rows
and column that bear it, who plays, and the bounds of the figure or the row that has the most. A marker in the page,
`<!-- claims: KEY ... -->`, ties a paragraph to its claims.

    python tools/claims.py                                  # the tables of the shipped reports bear every claim
    python tools/claims.py --fresh [--games N] [NAME ...]   # everything once more, with another seed

Fresh games contradict a claim, or a figure of a shipped report, if they differ by more than four standard errors.
Exit code 1 if anything does. Searches for rules are not repeated, because another seed finds other rules: the base
rules and the proposals of the shipped report are played, with the players as they were before they adapted.
"""

import argparse
import base64
import csv
import fnmatch
import html
import io
import json
import math
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from jamaica_sim.report.report import Report, make_report, report_sweep
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.experiment.file import KINDS, SWEEPS, TARGETS, load_experiment, shipped_names
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.lab.balance_result import Balance
from jamaica_sim.study.lab.balance_task import BalanceTask
from jamaica_sim.study.lab.common_deals import play_tables
from jamaica_sim.study.lab.sweep import SweptRule, play_sweep
from jamaica_sim.study.lab.sweep_folder import load_sweep_file
from jamaica_sim.study.lab.targets import read_targets_file

ROOT = Path(__file__).parent.parent
REPORTS, CLAIMS = ROOT / "reports", ROOT / "docs" / "claims.toml"
PAGES = ("docs/findings.md", "README.md")
MARKER = re.compile(r"<!-- claims: ([\w\- ]+?) -->")
CSV = re.compile(r'aria-label="([^"]*)">\s*<table class="sort">.*?href="data:text/csv;base64,([^"]+)"', re.DOTALL)
FRESH_SEED = 20_270_117
MOST_ERRORS = 4.0
HALF_WIDTHS = 1.96  # standard errors in a half-width
Cells = dict[tuple[str, str, str], Estimate]  # by table, row and column


@dataclass(frozen=True)
class Claim:
    """A sentence of the docs and the cells that bear it.

    `rows` are patterns such as "4 players*". Every cell must lie within `low` and `high`; with `most`, the one row must
    clearly have more than every other row of the column, and with `least` clearly less. `who` names the players; the
    page must name them too.
    """

    key: str
    says: str
    report: str
    table: str
    column: str
    rows: tuple[str, ...]
    who: str = "balanced"
    low: float = -math.inf
    high: float = math.inf
    most: bool = False
    least: bool = False

    def problems(self, cells: Cells, slack: float = 0.0) -> list[str]:
        """What the cells do not bear, in words; `slack` standard errors are forgiven."""
        column = {row: e for (table, row, name), e in cells.items() if table == self.table and name == self.column}
        found = {pattern: fnmatch.filter(column, pattern) for pattern in self.rows}
        rows = [row for matching in found.values() for row in matching]
        missing = [pattern for pattern, matching in found.items() if not matching]
        if missing or not column:
            return [f"{self.key}: {self.report} has no {self.column!r} in {self.table!r} for {missing or 'any row'}"]
        problems = []
        for row in rows:
            value, error = column[row].value, slack * column[row].half_width / HALF_WIDTHS
            if not self.low - error <= value <= self.high + error:
                problems.append(f"{self.key}: {row}: {value:.4g} is not within {self.low:g} and {self.high:g}")
            others = [e for other, e in column.items() if other != row] if self.most or self.least else []
            for other in others:
                gap = (value - other.value) * (1 if self.most else -1)
                reach = math.hypot(column[row].half_width, other.half_width)
                if gap < (reach if not slack else -slack * reach / HALF_WIDTHS):
                    problems.append(f"{self.key}: {row} does not clearly have the {'most' if self.most else 'least'}")
                    break
        return problems


def read_claims() -> dict[str, Claim]:
    """All claims, by key."""
    data = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))
    return {
        key: Claim(key, one.pop("says"), *one.pop("at"), tuple(one.pop("rows")), **one) for key, one in data.items()
    }


def _plain(name: str) -> str:
    """The name of a table or column, as a CSV file has it."""
    return name.replace(" ", "_")


def _labels(leading: list[tuple[str, ...]]) -> list[str]:
    """A name for each row, from the cells before its figures: the first of them, or all where that is not enough."""
    firsts = [cells[0] for cells in leading]
    return firsts if len(set(firsts)) == len(firsts) else [", ".join(cells) for cells in leading]


def tables_of_page(name: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Title and rows of every table inside the page of a shipped report."""
    for title, data in CSV.findall((REPORTS / f"{name}.html").read_text(encoding="utf-8")):
        yield html.unescape(title), list(csv.DictReader(io.StringIO(base64.b64decode(data).decode())))


def cells_of_page(name: str) -> Cells:
    """Every estimate of a shipped report."""
    cells: Cells = {}
    for title, rows in tables_of_page(name):
        columns = list(rows[0])
        figures = [column for column in columns if f"{column}_low" in columns]
        keys = columns[: columns.index(figures[0])] if figures else []
        for label, row in zip(
            _labels([tuple(row[key] for key in keys) for row in rows]) if keys else (), rows, strict=False
        ):
            for column in figures:
                if row[f"{column}_low"] and row[column] not in ("", "nan"):
                    count = row.get(f"{column}_games") or row.get(f"{column}_deals") or 0
                    ends = float(row[f"{column}_low"]), float(row[f"{column}_high"])
                    cells[title, label, column] = Estimate(float(row[column]), *ends, int(count))
    return cells


def cells_of_tables(tables: Iterable[ResultTable]) -> Cells:
    """Every estimate of tables that were just made."""
    return {key: e for table in tables for key, e in _cells_of_table(table)}


def _cells_of_table(table: ResultTable) -> Iterator[tuple[tuple[str, str, str], Estimate]]:
    columns = list(zip(*table.rows, strict=True))
    keys = next((n for n, column in enumerate(columns) if any(isinstance(c, Estimate) for c in column)), 0)
    if not keys:
        return
    for label, row in zip(_labels([tuple(map(str, row[:keys])) for row in table.rows]), table.rows, strict=True):
        for column, content in zip(table.columns, row, strict=True):
            if isinstance(content, Estimate):
                yield (table.title, label, _plain(column)), content


def check_pages() -> list[str]:
    """What the shipped tables do not bear, and what binds a page to no claim or a claim to no page."""
    claims, problems, used = read_claims(), [], set()
    pages = {name: cells_of_page(name) for name in sorted({claim.report for claim in claims.values()})}
    for claim in claims.values():
        problems += claim.problems(pages[claim.report])
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for paragraph in text.split("\n\n"):
            keys = [key for found in MARKER.findall(paragraph) for key in found.split()]
            words = " ".join(MARKER.sub("", paragraph).split())
            used |= set(keys)
            for key in keys:
                if key not in claims:
                    problems.append(f"{page}: there is no claim {key}")
                elif " ".join(claims[key].says.split()) not in words:
                    problems.append(f"{page}: the paragraph of {key} does not say: {claims[key].says}")
                elif claims[key].who != "balanced" and f"`{claims[key].who}`" not in paragraph:
                    problems.append(f"{page}: {key} does not say that {claims[key].who} plays")
            is_text = page == "docs/findings.md" and not words.startswith(("#", "!"))
            if is_text and not keys and re.search(r"\d", re.sub(r"\(.*?\)|`.*?`", "", words)):
                problems.append(f"{page}: a paragraph with figures has no claim: {words[:80]}")
    return problems + [f"no page makes the claim {key}" for key in claims if key not in used]


def contradictions(shipped: Cells, fresh: Cells) -> list[str]:
    """The figures that differ by more than four standard errors, in words."""
    found = []
    for key in shipped.keys() & fresh.keys():
        old, new = shipped[key], fresh[key]
        error = math.hypot(old.half_width, new.half_width) / HALF_WIDTHS
        if math.isfinite(error) and abs(old.value - new.value) > MOST_ERRORS * error:
            found.append(f"{' / '.join(key)}: {old.value:.5g} shipped, {new.value:.5g} fresh ({error:.2g})")
    return sorted(found)


def _play_again(name: str, games: int | None, folder: Path) -> Report:
    if name in shipped_names(SWEEPS):
        plan = load_sweep_file(name, games)
        base, *tables = (replace(table, seed=FRESH_SEED) for table in plan.tables)
        return report_sweep(play_sweep(replace(plan, base=base, tables=(base, *tables))), name)
    experiment = load_experiment(name)
    return make_report(
        run_experiment(replace(experiment, seed=FRESH_SEED), folder / name, games=games or experiment.games)
    )


def play_proposals(name: str, games: int | None) -> list[ResultTable]:
    """The tables of a search's verdict, of the proposals in the shipped report and the base rules, on fresh deals."""
    facts, space, targets = read_targets_file(name)
    space = replace(space, base=replace(space.base, seed=FRESH_SEED))
    task = BalanceTask.checked(space, targets, **facts | ({"games": games} if games else {}))
    proposed = dict(tables_of_page(name))["Proposals"]
    points = [tuple(_index(rule, row["changes"], own) for rule, own in zip(space.rules, space.origin, strict=True))
              for row in proposed]  # fmt: skip
    played = play_tables([space.base, *map(space.table, points)], task.games)
    found = Balance(task, {}, np.array([results.tally for results in played]))
    found.__dict__["proposals"] = points
    return [found.judged(), found.others()]


def _index(rule: SweptRule, changes: str, own: int | None) -> int | None:
    """Which of its values a rule has in a proposal, such as "ghost_gold 8,7, lady_beth_bonus 5"."""
    told = (rf"(^|, ){re.escape(f'{rule.name} {rule.text(value)}')}(, |$)" for value in rule.values)
    return next((index for index, words in enumerate(told) if re.search(words, changes)), own)


def check_fresh(name: str, games: int | None, claims: dict[str, Claim], folder: Path) -> list[str]:
    """Play it with another seed and compare: claims of the docs, claims of the report, and every figure."""
    tables, again = [], {}
    if name in shipped_names(TARGETS):
        tables = play_proposals(name, games)
    else:
        report = _play_again(name, games, folder)
        tables = [table for chapter in report.chapters for table in chapter.tables]
        again = {(one["says"], one["where"]): one for one in report.claims}
    fresh, shipped = cells_of_tables(tables), cells_of_page(name)
    problems = [p for c in claims.values() if c.report == name for p in c.problems(fresh, MOST_ERRORS)]
    record = REPORTS / f"{name}.json"
    told = json.loads(record.read_text(encoding="utf-8"))["claims"] if record.is_file() else []
    for one in told:
        other = again.get((one["says"], one["where"]))
        if other is None:  # fewer games notice less, and may pick another space or card to speak of
            if not games:
                problems.append(f"{name}: fresh games do not make the claim: {one['says']}")
            continue
        old, new = ({("", w, ""): Estimate(*e) for w, e in which["figures"].items()} for which in (one, other))
        problems += [f"{name}: {one['says']}: {text}" for text in contradictions(old, new)]
    differing = contradictions(shipped, fresh)
    shared = len(shipped.keys() & fresh.keys())
    if len(differing) > 1 + shared / 1000:  # one in 16,000 differs so much by luck
        problems += [f"{name}: {text}" for text in differing]
    print(f"{name}: {shared} figures compared, {len(differing)} beyond {MOST_ERRORS:g} standard errors", flush=True)
    return problems


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--fresh", action="store_true", help="play the experiments once more, with another seed")
    options.add_argument("--games", type=int, help="games at each setting, instead of those of the experiment")
    options.add_argument("names", nargs="*", help="experiments, sweeps and targets; all by default")
    given = options.parse_args()
    problems = check_pages()
    if given.fresh:
        with TemporaryDirectory() as folder:
            for name in given.names or [name for kind in KINDS for name in shipped_names(kind)]:
                problems += check_fresh(name, given.games, read_claims(), Path(folder))
    print("\n".join(problems) or "Every claim is borne out.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
