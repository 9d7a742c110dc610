"""Sources of luck: their names, and what chapters about causes share: estimates from findings, charts by source."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose
from jamaica_sim.report.chapter import Figure
from jamaica_sim.report.figures import mark_of, panels_chart
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate

SOURCES = {
    "captain": "first Captain",
    "dice": "dice",
    "decks": "cards drawn",
    "treasures": "treasures",
    "combat": "combat die",
    "shortage": "shortage die",
    "hidden": "stolen cards",
    "house": "house rules",
    "own": "players' own luck",
    "strategies": "skill",
}
SMALL = 0.02  # a source whose share is below this everywhere has no chart
SURE = 0.02  # a share that may be small is told if its interval reaches no further than this to either side
PANELS = 3  # side by side
Shares = dict[str, Estimate]


def causes_of(study: Study) -> Mapping[str, Any]:
    """What the designs beside the settings showed."""
    return study.causes or {}


def has_causes(name: str) -> Callable[[Study], bool]:
    """Whether a study has findings of this name."""

    def applies(study: Study) -> bool:
        causes = causes_of(study)
        return name in causes or any(name in one for one in causes.get("tables", []))

    return applies


def estimates(values: Mapping[str, Sequence[float]]) -> Shares:
    """The estimates of findings, by name."""
    return {name: estimate(one) for name, one in values.items()}


def by_table(study: Study, name: str) -> dict[str, Any]:
    """The findings of one name at every table, by the table's label."""
    tables = causes_of(study)["tables"]
    return {setting.label: one[name] for setting, one in zip(study.settings, tables, strict=True)}


def is_vague(share: Estimate) -> bool:
    """Whether there were too few deals to tell a share that may be small."""
    return share.half_width > SURE


def too_few_deals(share: Estimate, what: str) -> str:
    """A sentence in place of a claim about a vague share, with the deals that it takes, on two digits."""
    needed = round(share.n * (share.half_width / SURE) ** 2)  # an interval narrows with the square root of the deals
    step = 10 ** max(0, len(str(needed)) - 2)
    return f"{share.n:,} deals are too few to tell {what}: it takes about {math.ceil(needed / step) * step:,}."


def groups_told(groups: Shares, of_what: str) -> str:
    """The share of movement, and the share of combat and treasures."""
    return (
        f"movement (dice and cards drawn) is {prose.share(groups['movement'], 0)} {of_what}, combat and treasures "
        f"(with stolen cards) {prose.share(groups['combat and treasures'], 0)}."
    )


# Tables and charts


def source_table(title: str, first: str, shares: Mapping[str, Shares], unit: str = "deal") -> ResultTable:
    """The share of every source, with a row for each table or kind of player."""
    kinds = list(dict.fromkeys(name for one in shares.values() for name in one))
    content = [(label, *(one.get(name, "not drawn") for name in kinds)) for label, one in shares.items()]
    columns = (first, *(SOURCES[name] for name in kinds))
    return ResultTable(title, columns, content, frozenset(columns[1:]), unit=unit)


def about_zero(effects: Shares) -> Panel:
    """Effects with their intervals about zero."""
    low = min(0.0, *(effect.low for effect in effects.values()))
    return Panel("", [Row(name, [mark_of(effect)]) for name, effect in effects.items()], low=low, line=0.0)


def bars(title: str, shares: Mapping[str, Estimate | None], high: float | None = None) -> Panel:
    """The share of each source; "none" for a source that has no share."""
    made = [
        Row(SOURCES.get(name, name), [Mark(0.0, "none") if e is None else mark_of(prose.clipped(e), True)])
        for name, e in shares.items()
    ]
    return Panel(title, made, form="bars", high=high)


def by_source(name: str, titles: tuple[str, str], sub: str, shares: Mapping[str, Shares]) -> list[Figure]:
    """Charts with a panel for each source, with tables or players as rows. Small sources are only in the tables."""
    kinds = dict.fromkeys(kind for one in shares.values() for kind in one)
    large = [kind for kind in kinds if max(one[kind].value for one in shares.values() if kind in one) >= SMALL]
    figures, high = [], max(one[kind].high for one in shares.values() for kind in one)
    for start in range(0, len(large), PANELS):
        panels = [
            Panel(SOURCES[kind], [_dot(label, one.get(kind)) for label, one in shares.items()], high=high)
            for kind in large[start : start + PANELS]
        ]
        figures.append(panels_chart(f"{name}_{start // PANELS}", titles[start > 0], sub, panels))
    return figures


def _dot(label: str, share: Estimate | None) -> Row:
    return Row(label, [], note="not drawn") if share is None else Row(label, [mark_of(prose.clipped(share), True)])
