"""Reviews in words, for a terminal, and as a page: one game, or all games of a folder with a chart over time."""

from collections.abc import Callable, Sequence
from math import inf, isinf
from pathlib import Path

from jamaica_sim import __version__
from jamaica_sim.charts.axis_charts import Curve, curves
from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.row_charts import Mark, Panel, Row, rows
from jamaica_sim.escape import link
from jamaica_sim.replays.page import replay_page
from jamaica_sim.replays.steps import steps_of
from jamaica_sim.replays.trace import Trace
from jamaica_sim.report.chapter import Figure
from jamaica_sim.report.page import page_style, template
from jamaica_sim.store.atomic_files import write_whole
from jamaica_sim.studio.coach import adviser
from jamaica_sim.studio.review import FEW, LAST_GAMES, Decision, Review, Value, mean_of
from jamaica_sim.studio.review_ladder import as_champion

ERROR_RATE = "Error rate: points of the chance to win that decisions cost in a game; the fewer, the better."
Named = tuple[str, Review]
Rates = dict[str, Value]


def review_lines(review: Review) -> list[str]:
    """One review."""
    lines = ["  Your chance to win, in points:"]
    lines += [f"    {name:<26}{text:>12}" for name, _, text, _ in _split(review)] + [""]
    if review.worst():
        lines.append("  Most expensive decisions:")
        lines += [f"    {sentence}" for sentence in map(_sentence(review), review.worst())]
    lines.append("  By kind of decision:")
    for kind, (count, cost) in review.by_kind().items():
        lines.append(f"    {kind:<42}{count:>3} {'time ' if count == 1 else 'times'}  {(-cost).change:>12}")
    return lines


def _split(review: Review) -> list[tuple[str, Value, str, str]]:
    """The parts of the result, the result itself, and with average luck: name, value, text and colour."""
    result = Value(review.result, inf)
    return [
        ("chance at the start", review.start, str(review.start), "base"),
        ("luck", review.luck, review.luck.change, "subject"),
        ("mistakes of the others", review.others, review.others.change, "subject"),
        ("your decisions", review.own, review.own.change, "subject"),
        ("result (100: a victory)", result, f"{review.result:.0f}", "base"),
        ("result with average luck", review.adjusted, str(review.adjusted), "base"),
    ]


def _sentence(review: Review) -> Callable[[Decision], str]:
    def sentence(decision: Decision) -> str:
        given, better = review.words(decision)
        return f"round {decision.position.round}: {given} rather than {better} cost {decision.cost} points"

    return sentence


def summary_lines(reviews: Sequence[Named], beside: Rates) -> list[str]:
    """The error rate over all games, the last ten first, and that of strategies beside it."""
    lines = [ERROR_RATE, f"({_judge()})"]
    for name, value in {**_own_rates(reviews), **beside}.items():
        lines.append(f"  {name:<20}{str(value):>10}")
        if len(lines) == 3 and (champion := _as_champion(reviews)):
            lines.append(f"    {champion}")
    return [*lines, *_won(reviews)]


def _judge() -> str:
    return f"Each decision is judged by games that the strategy {adviser().name} plays on."


def _own_rates(reviews: Sequence[Named]) -> Rates:
    """The error rate of the last ten games, and of all where there are more."""
    errors = [review.error for _, review in reviews]
    last = errors[-LAST_GAMES:]
    rates = {f"last {len(last)} games" if len(last) > 1 else "this game": mean_of(last)}
    return rates | ({f"all {len(errors)} games": mean_of(errors)} if len(errors) > len(last) else {})


def _as_champion(reviews: Sequence[Named]) -> str:
    last = [review for _, review in reviews[-LAST_GAMES:]]
    return as_champion(mean_of([review.error for review in last]), [review.box.rules for review in last])


def _won(reviews: Sequence[Named]) -> list[str]:
    """A sentence about several games: the share that was won, as it was and with average luck."""
    if len(reviews) == 1:
        return []
    won = sum(review.result for _, review in reviews) / len(reviews)
    adjusted = mean_of([review.adjusted for _, review in reviews])
    return [f"You won {won:.0f}% of {len(reviews)} games; in percent, with average luck: {adjusted}."]


def address_of(review: Review, trace: Trace, decision: Decision) -> str:
    """Where the replay page shows a decision."""
    steps = steps_of(trace, review.box)
    event = decision.position.event
    found = next((k for k, step in enumerate(steps) if step.first + step.count > event), len(steps) - 1)
    start = max((k for k in range(found + 1) if steps[k].kind == "dice"), default=0)
    return f"#r{decision.position.round}.{found - start + 1}&view={review.seat}"


def review_page(path: Path, reviews: Sequence[Named], traces: Sequence[Trace], beside: Rates) -> None:
    """Write a page with the reviews, and beside it the games, to which the decisions link."""
    folder = path.with_name(f"{path.stem}_games")
    folder.mkdir(exist_ok=True)
    sections = []
    for number, ((name, review), trace) in enumerate(zip(reviews, traces, strict=True), 1):
        page = folder / f"{number}.html"
        replay_page(trace, page, rules=review.box.rules)
        sentence = _sentence(review)
        worst = [
            (link(f"{folder.name}/{page.name}") + address_of(review, trace, decision), sentence(decision))
            for decision in review.worst()
        ]
        said = [
            "Most expensive decisions, each with a link to the game:" if worst else "No decision is clearly a mistake."
        ]
        figures = [_split_figure(review), _kinds_figure(review)]
        sections.append({"name": name.replace("_", " "), "said": said, "worst": worst, "figures": figures})
    if len(reviews) > 1:
        figure = _games_figure([review.error for _, review in reviews])
        sections.append({"name": "From game to game", "said": _won(reviews), "worst": [], "figures": [figure]})
    said = [ERROR_RATE, *filter(None, [_as_champion(reviews)]), _judge()]
    content = {"games": len(reviews), "said": said, "hero": _rates_figure(_own_rates(reviews), beside)}
    text = template("review.html.j2").render(**content, sections=sections[::-1], version=__version__, **page_style())
    write_whole(path, text.encode())


def _mark(value: Value, text: str, role: str = "subject") -> Mark:
    """A value with its interval, if it has one."""
    if isinf(value.half):
        return Mark(value.points, str(round(value.points)), role)
    return Mark(value.points, text, role, low=value.points - value.half, high=value.points + value.half)


def _chart(label: str, rows_of: Sequence[tuple[str, Mark]]) -> Drawing:
    """A row for each value; the scale has room for all intervals."""
    low = min(0.0, *(mark.value if mark.low is None else mark.low for _, mark in rows_of))
    return rows(label, [Panel("", [Row(name, [mark]) for name, mark in rows_of], low=low)])


def _rates_figure(own: Rates, beside: Rates) -> Figure:
    sub = f"Points of the chance to win that decisions cost in a game; 95% intervals, but for means of fewer than {FEW}"
    roles = [(own, "subject"), (beside, "base")]
    marks = [(name, _mark(value, str(value), role)) for rates, role in roles for name, value in rates.items()]
    return Figure("rates", "Error rate" + " beside strategies" * bool(beside), sub, _chart("Error rate", marks))


def _games_figure(errors: Sequence[Value]) -> Figure:
    """The error rate of each game with its interval, and the mean of the last ten."""
    means = [mean_of(errors[max(0, k + 1 - LAST_GAMES) : k + 1]) for k in range(len(errors))]
    steps = [str(number) for number in range(1, len(errors) + 1)]
    shown = {"each game": errors} | ({f"mean of the last {LAST_GAMES}": means} if len(errors) > LAST_GAMES else {})
    many = [
        Curve(
            name,
            [(value.points, value.points - value.half, value.points + value.half) for value in values],
            [str(round(value.points)) for value in values],
            [f"game {step}: {value}" for step, value in zip(steps, values, strict=True)],
        )
        for name, values in shown.items()
    ]
    return Figure(
        "games",
        "Error rate from game to game",
        "With 95% intervals; each chart has its own scale",
        curves("Error rates", many, steps),
    )


def _split_figure(review: Review) -> Figure:
    marks = [(name, _mark(value, text, role)) for name, value, text, role in _split(review)]
    title = "Where the result came from"
    sub = f"Points of your chance to win, with 95% intervals; {review.games} games played on with each answer"
    return Figure("split", title, sub, _chart(title, marks))


def _kinds_figure(review: Review) -> Figure:
    title, sub = "What your decisions cost, by their kind", "Points of your chance to win, with 95% intervals"
    kinds = review.by_kind().items()
    marks = [(f"{kind} ({count}×)", _mark(cost, str(cost))) for kind, (count, cost) in kinds]
    return Figure("kinds", title, sub, _chart(title, marks))
