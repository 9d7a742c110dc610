"""Reviews in words, for a terminal, and as a page: one game, or all games of a folder with a chart over time."""

from collections.abc import Callable, Sequence
from math import inf, isinf
from pathlib import Path

from jamaica_sim import __version__
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.escape import link
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.trace import Trace
from jamaica_sim.replays.box import box_of
from jamaica_sim.replays.page import replay_page
from jamaica_sim.replays.steps import steps_of
from jamaica_sim.replays.summary import hanging
from jamaica_sim.report.chapter import Figure
from jamaica_sim.report.charts.axis_charts import Curve, curves
from jamaica_sim.report.charts.drawing import Drawing
from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows
from jamaica_sim.report.page import page_style, template
from jamaica_sim.strategy.option_words import ship_names
from jamaica_sim.web.coach import adviser
from jamaica_sim.web.record import ReviewedGame
from jamaica_sim.web.review import FEW, LAST_GAMES, Review, ReviewedDecision, Value, mean_of
from jamaica_sim.web.review_ladder import RANKED, as_champion, kind_of, ranking_at

ERROR_RATE = "Error rate: points of the chance to win that decisions cost in a game; the fewer, the better."
LUCK_IS_OPEN = "Luck and the others' mistakes cannot be told apart yet: more games can."
Link = Callable[[ReviewedGame, ReviewedDecision | None], str]  # the address of a game, or of a decision in it


def review_lines(review: Review) -> list[str]:
    """One review."""
    lines = ["  Your chance to win, in points:"]
    lines += [f"    {name:<28}{text:>12}" for name, _, text, _ in _split(review)]
    lines += [f"    {LUCK_IS_OPEN}"] * review.is_luck_open + [""]
    if review.worst():
        lines.append("  Most expensive decisions:")
        lines += [line for decision in review.worst() for line in hanging("    ", str(decision))]
    lines.append("  Cost by kind of decision:")
    for kind, (count, cost) in review.kinds.items():
        lines.append(f"    {kind:<42}{count:>3} {'time ' if count == 1 else 'times'}  {cost!s:>10}")
    return lines


def _split(review: Review) -> list[tuple[str, Value, str, str]]:
    """The parts of the result, the result itself, and with average luck: name, value, text and colour."""
    result = Value(review.result, inf)
    return [
        ("chance at the start", review.start, str(review.start), "base"),
        ("luck", review.luck, review.luck.change, "subject"),
        ("the others' mistakes gave you", review.others, review.others.change, "subject"),
        ("your decisions", review.own, review.own.change, "subject"),
        ("result (100: a victory)", result, f"{review.result:.0f}", "base"),
        ("result with average luck", review.adjusted, str(review.adjusted), "base"),
    ]


def summary_lines(record: Sequence[ReviewedGame]) -> list[str]:
    """The error rate over all games, the last ten first, and that of strategies as it was measured."""
    lines = [ERROR_RATE, f"({_judge()})"]
    lines += [f"  {name:<20}{value!s:>10}" for name, value in _own_rates(record).items()]
    if champion := _as_champion(record):
        lines.insert(3, f"    {champion}")
    return [*lines, *filter(None, [ranking_at(record[-1].table.rules)]), *_won(record)]


def _judge() -> str:
    return f"Each decision is judged by games that the strategy {adviser().name} plays on."


def _own_rates(record: Sequence[ReviewedGame]) -> dict[str, Value]:
    """The error rate of the last ten games, and of all where there are more."""
    errors = [one.review.error for one in record]
    last = errors[-LAST_GAMES:]
    rates = {f"last {len(last)} games" if len(last) > 1 else "this game": mean_of(last)}
    return rates | ({f"all {len(errors)} games": mean_of(errors)} if len(errors) > len(last) else {})


def _as_champion(record: Sequence[ReviewedGame]) -> str:
    last = record[-LAST_GAMES:]
    return as_champion(mean_of([one.review.error for one in last]), [one.table.rules for one in last])


def _won(record: Sequence[ReviewedGame]) -> list[str]:
    """A sentence about several games: the share that was won, as it was and with average luck."""
    if len(record) == 1:
        return []
    won = sum(one.review.result for one in record) / len(record)
    adjusted = mean_of([one.review.adjusted for one in record])
    return [f"You won {won:.0f}% of {len(record)} games; in percent, with average luck: {adjusted}."]


def address_of(trace: Trace, rules: Rules, seat: int, decision: ReviewedDecision) -> str:
    """Where the replay page shows a decision."""
    steps = steps_of(trace, box_of(trace, rules))
    found = next((k for k, step in enumerate(steps) if step.first + step.count > decision.event), len(steps) - 1)
    start = max((k for k in range(found + 1) if steps[k].kind == "dice"), default=0)
    return f"#r{decision.round}.{found - start + 1}&view={seat}"


def write_review_page(path: Path, record: Sequence[ReviewedGame]) -> None:
    """Write a page with the reviews, and beside it the games, to which the decisions link."""
    folder = path.with_name(f"{path.stem}_games")
    folder.mkdir(exist_ok=True)
    pages = {id(one): folder / f"{number}.html" for number, one in enumerate(record, 1)}
    for one in record:
        replay_page(one.game.trace(), pages[id(one)], rules=one.table.rules)

    def address(one: ReviewedGame, decision: ReviewedDecision | None) -> str:
        page = link(f"{folder.name}/{pages[id(one)].name}")
        where = (one.game.trace(), one.table.rules, one.review.seat)
        return page + (address_of(*where, decision) if decision else "")

    write_whole(path, review_page(record, address).encode())


def review_page(record: Sequence[ReviewedGame], address: Link) -> str:
    """A page with the record of all games, and the review of each."""
    sections = []
    for one in record:
        worst = [(address(one, decision), str(decision)) for decision in one.review.worst()]
        said = ["Most expensive decisions, each with a link:" if worst else "No decision is clearly a mistake."]
        said += [LUCK_IS_OPEN] * one.review.is_luck_open
        figures = [_split_figure(one.review), _kinds_figure(one.review)]
        name = f"{one.name.replace('_', ' ')}, {ship_names(one.table.rules.players, False)[one.review.seat]}"
        sections.append({"name": name, "said": said, "worst": worst, "figures": figures})
    games = [_row(one, address(one, None)) for one in record[::-1]] if len(record) > 1 else []
    if games:
        figure = _games_figure([one.review.error for one in record])
        sections.append({"name": "From game to game", "said": _won(record), "worst": [], "figures": [figure]})
    said = [ERROR_RATE, *filter(None, [_as_champion(record)]), _judge()]
    beside = RANKED.get(kind_of(record[-1].table.rules), {})
    content = {"games": len(record), "said": said, "hero": _rates_figure(_own_rates(record), beside), "rows": games}
    return template("review.html.j2").render(**content, sections=sections[::-1], version=__version__, **page_style())


def _row(one: ReviewedGame, address: str) -> dict[str, str]:
    """A game as a row of the record."""
    rules, review = one.table.rules, one.review
    others = [s.label.replace("_", " ") for k, s in enumerate(one.table.strategies) if k != review.seat]
    names = dict.fromkeys(["a person" if label == "outside" else label for label in others])
    return {
        "address": address,
        "when": one.name.partition("_")[0],
        "table": f"{rules.who_sails}, {rules.edition}",
        "against": ", ".join(names),
        "result": "won" if review.result == 100 else "shared" if review.result else "lost",
        "adjusted": str(review.adjusted),
        "error": str(review.error),
        "help": f"{one.helps}×" if one.helps else "",
    }


def _mark(value: Value, text: str, role: str = "subject") -> Mark:
    """A value with its interval, if it has one."""
    if isinf(value.half):
        return Mark(value.points, str(round(value.points)), role)
    return Mark(value.points, text, role, low=value.points - value.half, high=value.points + value.half)


def _chart(label: str, rows_of: Sequence[tuple[str, Mark]]) -> Drawing:
    """A row for each value; the scale has room for all intervals."""
    low = min(0.0, *(mark.value if mark.low is None else mark.low for _, mark in rows_of))
    return rows(label, [Panel("", [Row(name, [mark]) for name, mark in rows_of], low=low)])


def _rates_figure(own: dict[str, Value], beside: dict[str, Value]) -> Figure:
    sub = f"Points of the chance to win that decisions cost in a game; 95% intervals; none for fewer than {FEW} games"
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
    sub = (
        f"Points of your chance to win, with 95% intervals; on average {review.games} games played on with each answer"
    )
    return Figure("split", title, sub, _chart(title, marks))


def _kinds_figure(review: Review) -> Figure:
    title, sub = "What your decisions cost, by their kind", "Points of your chance to win, with 95% intervals"
    kinds = review.kinds.items()
    marks = [(f"{kind} ({count}×)", _mark(cost, str(cost))) for kind, (count, cost) in kinds]
    return Figure("kinds", title, sub, _chart(title, marks))
