"""Sources of luck: their names, and what chapters about causes share: estimates from findings, charts by source."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose
from jamaica_sim.report.arrangement import mark_of, spoken
from jamaica_sim.report.chapter import Figure
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
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


def has_causes(*names: str) -> Callable[[Study], bool]:
    """Whether a study has findings of all these names."""

    def applies(study: Study) -> bool:
        causes = causes_of(study)
        return all(name in causes or any(name in one for one in causes.get("tables", [])) for name in names)

    return applies


def answers_questions(study: Study) -> bool:
    """Whether the report has a chapter for the questions of players, and findings to answer them."""
    return "questions" in study.chapters and has_causes("luck", "worths", "restricted")(study)


def estimates(values: Mapping[str, Sequence[float]]) -> Shares:
    """The estimates of findings, by name."""
    return {name: estimate(one) for name, one in values.items()}


def labels(study: Study) -> list[str]:
    """The names of the tables."""
    return [setting.label for setting in study.settings]


def difference(low: Estimate, high: Estimate) -> Estimate:
    """The second share minus the first. The deals of the two are treated as unrelated."""
    reach = math.hypot(low.half_width, high.half_width)
    change = high.value - low.value
    return Estimate(change, change - reach, change + reach, min(low.n, high.n))


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


def is_movement_tamed(groups: Shares) -> bool | None:
    """Whether combat and treasures clearly decide more than movement; None where it is too close to call."""
    movement, others = groups["movement"], groups["combat and treasures"]
    return False if movement.low > others.high else True if others.low > movement.high else None


# Charts


def chart(name: str, title: str, sub: str, panel: Panel) -> Figure:
    """A chart of one panel."""
    return Figure(name, title, sub, rows(spoken([("", panel.rows)]), [panel]))


def about_zero(effects: Shares) -> Panel:
    """Effects with their intervals about zero."""
    low = min(0.0, *(effect.low for effect in effects.values()))
    return Panel("", [Row(name, [mark_of(effect)]) for name, effect in effects.items()], low=low, line=0.0)


def bars(shares: Mapping[str, Estimate | None]) -> list[Row]:
    """The share of each source; "none" for a source that has no share."""
    return [
        Row(SOURCES[name], [Mark(0.0, "none") if share is None else mark_of(prose.clipped(share), True)])
        for name, share in shares.items()
    ]


def by_source(
    name: str, titles: tuple[str, str], sub: str, shares: Mapping[str, Shares], kinds: Sequence[str]
) -> list[Figure]:
    """Charts with a panel for each source, with tables or players as rows. Small sources are only in the tables."""
    large = [kind for kind in kinds if max(one[kind].value for one in shares.values() if kind in one) >= SMALL]
    figures, high = [], max(one[kind].high for one in shares.values() for kind in one)
    for start in range(0, len(large), PANELS):
        panels = [
            Panel(SOURCES[kind], [_dot(label, one.get(kind)) for label, one in shares.items()], high=high)
            for kind in large[start : start + PANELS]
        ]
        label = spoken([(panel.title, panel.rows) for panel in panels])
        figures.append(Figure(f"{name}_{start // PANELS}", titles[start > 0], sub, rows(label, panels)))
    return figures


def _dot(label: str, share: Estimate | None) -> Row:
    return Row(label, [], note="not drawn") if share is None else Row(label, [mark_of(prose.clipped(share), True)])
