"""Reviews in words, for a terminal, and as a page: one game, or all games of a folder with a chart over time."""

import html
from collections.abc import Callable, Sequence
from pathlib import Path

from jamaica_sim.pages.page_files import styles
from jamaica_sim.replays.page import replay_page
from jamaica_sim.replays.steps import steps_of
from jamaica_sim.replays.trace import Trace
from jamaica_sim.store.atomic_files import write_whole
from jamaica_sim.studio.coach import adviser
from jamaica_sim.studio.review import LAST_GAMES, Decision, Review, Value, mean_of
from jamaica_sim.studio.review_ladder import as_champion

WIDTH, HEIGHT, LEFT, BELOW = 720, 260, 44, 26  # of the chart
Named = tuple[str, Review]


def review_lines(review: Review) -> list[str]:
    """One review."""
    lines = ["  Your chance to win, in points:"]
    lines += [f"    {name:<26}{value:>12}" for name, value in _split(review)] + [""]
    if review.worst():
        lines.append("  Most expensive decisions:")
        lines += [f"    {sentence}" for sentence in map(_sentence(review), review.worst())]
    lines.append("  By kind of decision:")
    for kind, (count, cost) in review.by_kind().items():
        lines.append(f"    {kind:<42}{count:>3} {'time ' if count == 1 else 'times'}  {(-cost).change:>12}")
    return lines


def _split(review: Review) -> list[tuple[str, str]]:
    """The parts of the result, the result itself, and what it would have been with average luck."""
    return [
        ("chance at the start", str(review.start)),
        ("luck", review.luck.change),
        ("mistakes of the others", review.others.change),
        ("your decisions", review.own.change),
        ("result (100: a victory)", f"{review.result:.0f}"),
        ("result with average luck", str(review.adjusted)),
    ]


def _sentence(review: Review) -> Callable[[Decision], str]:
    def sentence(decision: Decision) -> str:
        given, better = review.words(decision)
        return f"round {decision.position.round}: {given} rather than {better} cost {decision.cost} points"

    return sentence


def summary_lines(reviews: Sequence[Named], beside: dict[str, Value]) -> list[str]:
    """The error rate over all games, the last ten first, and that of strategies beside it."""
    errors = [review.error for _, review in reviews]
    last = errors[-LAST_GAMES:]
    lines = ["Error rate: points of the chance to win that decisions cost in a game; the fewer, the better."]
    lines.append(f"(Each decision is judged by games that the strategy {adviser().name} plays on.)")
    lines.append(f"  {f'last {len(last)} games' if len(last) > 1 else 'this game':<18}{str(mean_of(last)):>12}")
    if champion := as_champion(mean_of(last), [review.box.rules for _, review in reviews[-LAST_GAMES:]]):
        lines.append(f"    {champion}")
    if len(errors) > len(last):
        lines.append(f"  {f'all {len(errors)} games':<18}{str(mean_of(errors)):>12}")
    lines += [f"  {name:<18}{str(value):>12}" for name, value in beside.items()]
    if len(errors) > 1:
        won = sum(review.result for _, review in reviews) / len(errors)
        adjusted = mean_of([review.adjusted for _, review in reviews])
        lines.append(f"You won {won:.0f}% of {len(errors)} games; with average luck it would have been {adjusted}%.")
    return lines


def address_of(review: Review, trace: Trace, decision: Decision) -> str:
    """Where the replay page shows a decision."""
    steps = steps_of(trace, review.box)
    event = decision.position.event
    found = next((k for k, step in enumerate(steps) if step.first + step.count > event), len(steps) - 1)
    start = max((k for k in range(found + 1) if steps[k].kind == "dice"), default=0)
    return f"#r{decision.position.round}.{found - start + 1}&view={review.seat}"


def review_page(path: Path, reviews: Sequence[Named], traces: Sequence[Trace], beside: dict[str, Value]) -> None:
    """Write a page with the reviews, and beside it the games, to which the decisions link."""
    folder = path.with_name(f"{path.stem}_games")
    folder.mkdir(exist_ok=True)
    sections = []
    for number, ((name, review), trace) in enumerate(zip(reviews, traces, strict=True), 1):
        page = folder / f"{number}.html"
        replay_page(trace, page, rules=review.box.rules)
        rows = []
        for decision in review.worst():
            link = html.escape(f"{folder.name}/{page.name}{address_of(review, trace, decision)}")
            rows.append(f'<li><a href="{link}">{html.escape(_sentence(review)(decision))}</a></li>')
        worst = "<p>No decision was clearly a mistake.</p>"
        if rows:
            worst = f"<p>Most expensive decisions, each with a link to the game:</p><ol>{''.join(rows)}</ol>"
        split = "".join(f"<tr><td>{html.escape(words)}</td><td>{value}</td></tr>" for words, value in _split(review))
        kinds = "".join(
            f"<tr><td>{kind}</td><td>{count} ×</td><td>{(-cost).change}</td></tr>"
            for kind, (count, cost) in review.by_kind().items()
        )
        sections.append(
            f"<section><h2>{html.escape(name.replace('_', ' '))}</h2><div class='columns'>"
            f"<table><caption>Your chance to win, in points</caption>{split}</table>"
            f"<table><caption>Points lost, by kind of decision</caption>{kinds}</table></div>"
            f"{worst}</section>"
        )
    head = "".join(f"<p>{html.escape(line.strip())}</p>" for line in summary_lines(reviews, beside))
    own = (
        "main{max-width:820px;margin:16px auto;padding:0 16px}table{border-collapse:collapse}td{padding:2px 14px 2px 0}"
    )
    own += ".columns{display:flex;align-items:start;flex-wrap:wrap;gap:24px}section{margin:18px 0}h2{font-size:15px}"
    own += "caption{text-align:left;color:var(--soft)}section p{margin-top:10px}"
    own += "text{fill:var(--soft);font-size:11px}"
    text = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Jamaica: review</title><style>{styles('look.css')}{own}</style><main><h1>Review</h1>{head}"
        f"{_chart([review.error for _, review in reviews])}{''.join(reversed(sections))}</main></html>"
    )
    write_whole(path, text.encode())


def _chart(errors: Sequence[Value]) -> str:
    """The error rate of each game with its interval, and the mean of the last ten."""
    if len(errors) < 2:
        return ""
    top = max(error.points + error.half for error in errors)
    low = min(0.0, *(error.points - error.half for error in errors))

    def at(number: int, points: float) -> tuple[float, float]:
        across = LEFT + (number + 0.5) * (WIDTH - LEFT) / len(errors)
        return across, (HEIGHT - BELOW) * (top - points) / ((top - low) or 1) + 6

    marks = []
    for number, error in enumerate(errors):
        x, y = at(number, error.points)
        ends = [at(number, error.points + sign * error.half)[1] for sign in (-1, 1)]
        marks.append(
            f'<path d="M{x:.1f} {ends[0]:.1f}V{ends[1]:.1f}" stroke="var(--line)" stroke-width="3"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="var(--ship-0)">'
            f"<title>game {number + 1}: {error}</title></circle>"
        )
    means = [at(k, mean_of(errors[max(0, k + 1 - LAST_GAMES) : k + 1]).points) for k in range(len(errors))]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in means)
    zero = at(0, 0)[1]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Error rate of each game">'
        f'<path d="M{LEFT} {zero:.1f}H{WIDTH}" stroke="var(--soft)"/>'
        f'<text x="{LEFT - 6}" y="{zero + 4:.1f}" text-anchor="end">0</text>'
        f'<text x="{LEFT - 6}" y="14" text-anchor="end">{top:.0f}</text>{"".join(marks)}'
        f'<polyline points="{line}" fill="none" stroke="var(--red)" stroke-width="2"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 2}">each game with its 95% interval; '
        f"the line is the mean of the last {LAST_GAMES}</text></svg>"
    )
