"""Who wins: by strategy, by strategy against strategy, by seat, and by how the game went for a ship."""

from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    arrange,
    by_setting,
    chapter_named,
    games_line,
    is_known,
    mark_of,
    points,
    spoken,
    table_words,
    thinking,
    usual,
    where,
)
from jamaica_sim.report.chapters.ending import SOLE_LEADER_WINS
from jamaica_sim.report.chapters.race import home_words
from jamaica_sim.report.chapters.shortages import win_rate_after
from jamaica_sim.report.forms import Panel, Row, matrix, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.measures import FIRST_HOME
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM


@chapter_named("who_wins")
def who_wins(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("who_wins", "Who wins")
    mixed = [s for s in study.settings if s.is_mixed]
    duels = [s for s in mixed if duellists(s)]
    duels = duels if len({s.factors[LINE_UP] for s in duels}) > 1 else []
    for place, shares in shares_by_rules(study, duels).items():
        _tell_duels(looks, chapter, shares, place)
    for setting in mixed:
        if setting not in duels:
            _tell_line_up(study, looks, chapter, setting)
    if not mixed:
        _tell_fates(study, looks, chapter)
    _tell_seats(study, looks, chapter)
    return chapter


# Strategy against strategy


def duellists(setting: Setting) -> list[str]:
    """The two strategies that have half of a table's seats each; empty for any other table."""
    seats = [strategy.label for strategy in setting.results.table.strategies]
    pair = list(dict.fromkeys(seats))
    return pair if len(pair) == 2 and seats.count(pair[0]) == seats.count(pair[1]) else []


def shares_by_rules(study: Study, duels: list[Setting]) -> dict:
    """Each strategy's share of the victories against every other, by the rules in words where they vary.

    A share comes as sums, with the number of games. Victories of the ghost are left out.
    """
    names = [name for name in study.varying if name != LINE_UP]
    shares = {}
    for setting in duels:
        sums, pair = setting.results.sums, duellists(setting)
        of_these_rules = shares.setdefault(f"({label_of(setting, names)})" if names else "", {})
        for name, other in (pair, pair[::-1]):
            of_these_rules[name, other] = (sums.group(name, "win") / sums.players("win"), setting.games)
    return shares


def _tell_duels(looks, chapter, shares, place):
    estimates = {pair: jackknife(values, games) for pair, (values, games) in shares.items()}
    means = {name: _mean_share(shares, name) for name in sorted({name for name, _ in shares})}
    best = sorted(means, key=lambda name: -means[name].value)
    chapter.tables += [_ranking(best, means, estimates, place), _grid(best, estimates, place)]
    for name in best:
        looks.is_clear(means[name], 0.5)
    beats = {pair: looks.is_clear(share, 0.5) and share.value > 0.5 for pair, share in estimates.items()}
    planned = [name for name in best if name != RANDOM] or best
    top, last, second = planned[0], planned[-1], planned[1]
    beats_all = all(won for (a, _), won in beats.items() if a == top)
    chapter.effect = abs(cohen_h(means[top].value, 0.5))
    wins_all = "beats every other strategy" if beats_all else "takes the most victories"
    chapter.heading = chapter.heading or f"{top} {wins_all}; {last} is beaten most"
    chapter.headline = chapter.headline or f"{top} {wins_all}, and {second} all but {top}".replace(
        f", and {second} all but {top}",
        f", and {second} all but {top}"
        if all(won for (a, b), won in beats.items() if a == second and b != top)
        else f"; {last} is beaten most",
    )
    games = max(games for _, games in shares.values())
    chapter.say(
        f"{top} takes {prose.share(means[top])} of the victories over all opponents, where 50% would be even {place}.",
        f"{second} comes next with {prose.share(means[second])}; against each other, {top} takes "
        f"{prose.share(estimates[top, second])}."
        if (top, second) in estimates
        else f"{second} comes next with {prose.share(means[second])}.",
        f"the fewest of those with a plan takes {last}: {prose.share(means[last])}.",
    )
    _tell_pairs(chapter, estimates, beats, best)
    in_order = {(a, b): estimates[a, b] for a in best for b in best if (a, b) in estimates}
    number = f"_{len(chapter.figures)}" if chapter.figures else ""
    ranked = [Row(name, [mark_of(means[name], True, "subject" if means[name].value >= 0.5 else "base")])
              for name in best]  # fmt: skip
    label = f"Share of the victories over all opponents: {spoken([('', ranked)])}"
    panel = Panel("", ranked, high=1.0, line=0.5, line_name="even")
    sub = words.sentence(f"share of the victories over all opponents {place}; {games:,} games against each")
    ranking = Figure(f"ranking{number}", "Which strategy wins", sub, rows(label, [panel], row_height=29))
    texts = {pair: f"{100 * share.value:.0f}" for pair, share in in_order.items()}
    told = "; ".join(f"{a} {texts[a, b]} against {b}" for a, b in list(in_order)[: len(best) - 1])
    grid = matrix(f"Strategy against strategy, share of the victories in percent: {told}.", best,
                  {pair: share.value for pair, share in in_order.items()}, texts)  # fmt: skip
    sub = words.sentence(
        f"percent of the victories that the row takes from the column {place}; violet: more than half, grey: less"
    )
    chapter.figures += [ranking, Figure(f"opponents{number}", "Strategy against strategy", sub, grid)]
    if chapter.hero is None:
        chapter.hero = ranking
        chapter.standfirst = [
            f"{top} takes {words.percent(means[top].value, 0)} of the victories over all opponents, and "
            f"{words.percent(estimates[top, second].value, 0)} against {second}, the next best.",
            f"{last} takes {words.percent(means[last].value, 0)}.",
        ]
        for name in (top, second, last):
            chapter.keys.append(
                KeyNumber(
                    words.percent(means[name].value),
                    f"of the victories go to {name}, over all opponents",
                    strong=name == top,
                )  # fmt: skip
            )


def _tell_pairs(chapter, estimates, beats, best):
    a, b = max(estimates, key=lambda pair: estimates[pair].value)
    close = sorted({tuple(sorted(pair)) for pair in estimates if not beats[pair] and not beats[pair[::-1]]})
    circle = next(((x, y) for x in best for y in best if best.index(x) > best.index(y) and beats.get((x, y))), None)
    chapter.say(
        f"the most uneven pair is {a} against {b}: {prose.share(estimates[a, b])}.",
        f"{circle[0]} beats {circle[1]}, which stands above it: {prose.share(estimates[circle])}." if circle else
        "whoever stands higher in the list also wins when the two meet." if not close else "",
        f"too close to call: {words.listed([f'{x} and {y}' for x, y in close[:4]])}"
        f"{f', and {len(close) - 4} pairs more' if len(close) > 4 else ''}."
        if close
        else "",
    )  # fmt: skip


def _mean_share(shares, name):
    rows_ = [values for (a, _), (values, _) in shares.items() if a == name]
    return jackknife(sum(rows_) / len(rows_), sum(games for (a, _), (_, games) in shares.items() if a == name))


def _ranking(best, means, estimates, place):
    rows_ = []
    for name in best:
        against = {b: estimate.value for (a, b), estimate in estimates.items() if a == name}
        rows_.append((name, means[name], max(against, key=against.get), min(against, key=against.get)))
    columns = ("strategy", "share", "best against", "worst against")
    note = "50% would be even; every opponent counts the same"
    return ResultTable(
        f"Share of the victories over all opponents {place}".strip(), columns, rows_, frozenset({"share"}), note
    )


def _grid(best, estimates, place):
    rows_ = [(a, *(estimates.get((a, b), "") for b in best)) for a in best]
    note = "share of the victories of the row's ships; both have half of the seats"
    return ResultTable(f"Strategy against strategy {place}".strip(), ("strategy", *best), rows_, frozenset(best), note)


# One table of several strategies


def _tell_line_up(study, looks, chapter, setting):
    results, place = setting.results, where(study, setting)
    wins, voyages = results.wins(), results.voyages()
    chapter.tables += [
        ResultTable(f"Who wins {place}".strip(), wins.columns, wins.rows, wins.shares, "per ship"),
        ResultTable(f"Voyages {place}".strip(), voyages.columns, voyages.rows, voyages.shares, voyages.note),
    ]
    even = 1 / results.table.rules.ships
    in_order = sorted(wins.rows, key=lambda row: -row[2].value)
    clear = [looks.is_clear(row[2], even) for row in in_order]
    best, last = in_order[0], in_order[-1]
    made = [Row(str(row[0]), [mark_of(row[2], True, "subject" if row[2].value >= even else "base")])
            for row in in_order]  # fmt: skip
    label = f"Win rate per ship: {spoken([('', made)])}"
    panel = Panel("", made, line=even, line_name=f"an equal share, {even:.0%}")
    sub = words.sentence(f"share of the games that each ship wins {place}; {games_line([setting])}")
    figure = Figure(f"win_rates_{len(chapter.figures)}", "Who wins at this table", sub, rows(label, [panel]))
    chapter.figures.append(figure)
    chapter.effect = max(chapter.effect, abs(cohen_h(best[2].value, even)) if clear[0] else 0.0)
    said = (
        f"{best[0]} wins {prose.share(best[2])} of the games with each of its ships, where {even:.1%} would be an "
        f"equal share {place}."
        if clear[0]
        else f"no strategy wins clearly more than its share {place}."
    )
    chapter.say(said, f"{last[0]} wins {prose.share(last[2])}." if clear[-1] and last is not best else "")
    if chapter.hero is None:
        chapter.hero = figure
        chapter.heading = chapter.headline = (
            f"{best[0]} wins more than its share" if clear[0] else "No strategy wins clearly more than its share"
        )
        chapter.keys += [
            KeyNumber(words.percent(row[2].value), f"of the games go to each ship of {row[0]}", strong=row is best)
            for row in in_order[:4]
        ]
        share = words.percent(best[2].value, 0)
        chapter.standfirst = [
            f"Each of its ships wins {share} of the games, where {words.percent(even, 0)} would be an equal share.",
            f"{last[0]} wins {words.percent(last[2].value, 0)}." if last is not best else "",
        ]


# Who wins when all play alike


def _fates(results):
    """Win rates of ships by a fact about the ship, in words."""
    players = results.table.rules.players
    return {
        "first ship home": FIRST_HOME.of(results),
        "sole leader at half-time": SOLE_LEADER_WINS(results),
        "never ran short": win_rate_after(results, 0),
        "first Captain": results.of_ships("seat", 0, "win"),
        "last seat": results.of_ships("seat", players - 1, "win"),
        "short three times or more": win_rate_after(results, 3),
    }


def _tell_fates(study, looks, chapter):
    setting = study.reference
    even = 1 / setting.rules.ships
    found = {name: rate for name, rate in _fates(setting.results).items() if is_known(rate)}
    clear = {name: looks.is_clear(rate, even) for name, rate in found.items()}
    in_order = sorted(found, key=lambda name: -found[name].value)
    made = [Row(name, [mark_of(found[name], True, "subject" if found[name].value >= even else "base")])
            for name in in_order]  # fmt: skip
    table = ResultTable(
        f"Who wins {where(study, setting)}".strip(),
        ("a ship that is", "win rate", "effect size h"),
        [(name, found[name], f"{cohen_h(found[name].value, even):.2f}") for name in in_order],
        frozenset({"win rate"}),
        f"share of the games; {even:.1%} is an equal share, and h is against it",
    )
    chapter.tables.append(table)
    label = f"Who wins when all play alike: {spoken([('', made)])}"
    panel = Panel("", made, line=even, line_name=f"an equal share, {even:.0%}")
    sub = f"Share of the games that such a ship wins ({table_words(study)}); {games_line([setting])}"
    figure = Figure("fates", "Who wins when all play alike", sub, rows(label, [panel]))
    chapter.figures.append(figure)
    top = in_order[0]
    home = found["first ship home"]
    chapter.effect = max((abs(cohen_h(found[n].value, even)) for n in found if clear[n]), default=0.0)
    chapter.headline = f"The first ship home {home_words(home.value, even, clear['first ship home'])}"
    chapter.heading = "When all play alike, coming home first counts most" if top == "first ship home" else (
        f"When all play alike, it counts most to be {top}"
    )  # fmt: skip
    worst = in_order[-1]
    chapter.say(
        f"all play alike at each table here, so an equal share is {even:.1%}.",
        f"the first ship home wins {prose.share(home)}, and a ship that leads alone at half-time "
        f"{prose.share(found['sole leader at half-time'])}."
        if "sole leader at half-time" in found
        else f"the first ship home wins {prose.share(home)}.",
        f"a ship that runs short three times or more wins {prose.share(found[worst])}."
        if worst == "short three times or more" and clear[worst]
        else "",
    )
    chapter.hero = figure
    for name in in_order:
        if clear[name] and len(chapter.keys) < 4:
            chapter.keys.append(
                KeyNumber(words.percent(found[name].value, 0), f"win rate: {name}", strong=found[name].value > even)
            )
    captain = found["first Captain"]
    chapter.standfirst = [
        f"An equal share would be {words.percent(even, 0)}.",
        f"Who leads alone at half-time wins {words.percent(found['sole leader at half-time'].value, 0)}."
        if "sole leader at half-time" in found
        else "",
        f"The first Captain's seat wins {words.percent(captain.value, 0)}."
        if clear["first Captain"]
        else "The first Captain has no clear advantage.",
    ]


# Seats


def seat_difference(results) -> Estimate:
    """How much more often the first Captain wins than the last seat, in points."""
    sums, last = results.sums, results.table.rules.players - 1
    return points(jackknife((sums.seat_wins(0) - sums.seat_wins(last)) / sums.games, results.games))


def _seat_column(seat):
    return lambda results: results.of_ships("seat", seat, "win") if seat < results.table.rules.players else ""


def _tell_seats(study, looks, chapter):
    settings = study.uniform()
    columns = {f"seat {seat}": _seat_column(seat) for seat in range(max(s.rules.players for s in settings))}
    shares = list(columns)
    columns["first less last, points"] = seat_difference
    note = "seat 0 is the first Captain, then clockwise"
    chapter.tables.append(by_setting(settings, "Win rate by seat", columns, shares, note))
    shown = thinking(usual(study)) or list(settings)
    clear = {s.label: looks.is_clear(seat_difference(s.results)) for s in shown}
    setting = study.reference if study.reference in shown else shown[0]
    first, last = (setting.results.of_ships("seat", seat, "win") for seat in (0, setting.rules.players - 1))
    close = "" if clear[setting.label] else ": too close to call"
    chapter.say(
        f"the first Captain wins {prose.share(first)} of the games and the last seat {prose.share(last)}{close}.",
        _seats_elsewhere(shown, clear),
    )
    chapter.figures.append(_seat_figure(study))


def _seats_elsewhere(shown, clear):
    if len(shown) < 2:
        return ""
    ahead = sum(clear[s.label] and seat_difference(s.results).value > 0 for s in shown)
    behind = sum(clear[s.label] and seat_difference(s.results).value < 0 for s in shown)
    counts = [words.number(count) if count else "none" for count in (ahead, behind)]
    return (
        f"of {words.number(len(shown))} tables the first Captain is clearly ahead at {counts[0]} and behind at "
        f"{counts[1]}."
    )


def _seat_figure(study):
    arrangement = arrange(study)
    made = []
    for _, of_panel in arrangement.panels[:1]:
        for name, group in of_panel:
            results = group[0].results
            first, last = (results.of_ships("seat", n, "win") for n in (0, results.table.rules.players - 1))
            marks = [mark_of(last, True, "base", name="last seat"), mark_of(first, True, name="first Captain")]
            made.append(Row(name, marks, 1 / results.table.rules.ships))
    if all(row.label in study.line_ups for row in made):
        made.sort(key=lambda row: row.marks[0].value - row.marks[1].value)
    label = f"Win rate of the first Captain and of the last seat: {spoken([('', made)])}"
    sub = f"Share of the games that each seat wins; the upright mark is an equal share; {games_line(usual(study))}"
    return Figure("seats", "Is the first Captain ahead?", sub, rows(label, [Panel("", made)]))
