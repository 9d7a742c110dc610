"""The race: how long it is, which lanes are taken, where ships end, whether the first ship home wins."""

import numpy as np

from jamaica_sim.engine.board import forks
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    by_setting,
    chapter_named,
    few_settings,
    games_line,
    mark_of,
    of_each_edition,
    of_game,
    points,
    rate_of,
    spoken,
    tells,
    thinking,
    usual,
    where,
)
from jamaica_sim.report.chapters.ghost import ENDS, end_figure
from jamaica_sim.report.forms import Panel, Profile, Row, profiles, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.the_board import board
from jamaica_sim.results.measures import FIRST_HOME, ROUNDS
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.jackknife import jackknife

MOST_PROFILES = 5


@chapter_named("race")
def race(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("race", "The race")
    settings, setting = study.uniform(), study.reference
    lanes = [_lane_table(study, s) for s in [setting, *(s for s in of_each_edition(study) if s is not setting)]]
    chapter.tables += [_length_table(settings), _end_table(settings), *lanes]
    results = setting.results
    even, home = 1 / setting.rules.ships, FIRST_HOME.of(results)
    for s in thinking(usual(study)):
        looks.is_clear(FIRST_HOME.of(s.results), 1 / s.rules.ships)
    is_clear = looks.is_clear(home, even)
    chapter.effect = abs(cohen_h(home.value, even)) if is_clear else 0.0
    low, high = (_quantile(share)(results) for share in (0.05, 0.95))
    told = tells(study, "who_wins") and not any(s.is_mixed for s in study.settings)  # that chapter says it
    chapter.heading = (
        f"Nine games in ten last {low} to {high} rounds"
        if told
        else f"The first ship home {home_words(home.value, even, is_clear)}"
    )
    if told:
        chapter.effect = min(chapter.effect, 0.1)
    chapter.say(
        f"a game lasts {prose.mean(ROUNDS.of(results))} rounds, nine games in ten from {low} to {high}.",
        ""
        if told
        else f"the ship that comes home first wins {prose.share(home)} of the games, where {even:.1%} would be an "
        "equal share.",
    )
    _tell_lanes(looks, chapter, results)
    chapter.figures += [_length_figure(study), _players_ends(study), _lane_figure(study)]
    chapter.keys.append(
        KeyNumber(
            words.percent(home.value, 0),
            f"of the games go to the first ship home; an equal share is {words.percent(even, 0)}",
            strong=False,
        )
    )
    return chapter


def home_words(rate: float, even: float, is_clear: bool) -> str:
    """How often the first ship home wins, in words."""
    if not is_clear:
        return "wins no more than its share"
    plain = words.fraction(rate)
    if plain:
        return f"wins {plain} of the games"
    return f"wins {words.percent(rate, 0)} of the games" if rate > even else "wins less than its share"


def _quantile(share):
    def read(results):
        return int(np.searchsorted(np.cumsum(results.tally["rounds"]), share * results.games))

    return read


def _length_table(settings):
    columns = {
        "rounds": ROUNDS.of,
        "nine in ten: from": _quantile(0.05),
        "to": _quantile(0.95),
        "first home wins": FIRST_HOME.of,
        "unfinished": of_game("unfinished"),
    }
    return by_setting(settings, "How long a game lasts", columns, ("first home wins", "unfinished"))


def _share_at(which):
    def read(results):
        ships, _ = results.sums.alike("ends", which)
        return jackknife(ships / (results.sums.games * results.table.rules.players), results.games)

    return read


def _wins_at(which):
    def read(results):
        ships, wins = results.sums.alike("ends", which)
        return jackknife(rate_of(ships, wins), int(ships[0]))

    return read


def _end_table(settings):
    columns = {word: _share_at(which) for which, word in enumerate(ENDS)}
    columns |= {f"wins {word}": _wins_at(which) for which, word in enumerate(ENDS)}
    note = "share of the players' ships that end there, and the win rate of those"
    return by_setting(settings, "Where ships are at the end", columns, list(columns), note)


# Lanes


def lane_rates(results, fork: int):
    """At a fork: the share of the ships that took the outer lane, the win rates by lane, their difference in points."""
    sums = results.sums
    (outer, outer_wins), (inner, inner_wins) = (sums.alike("lanes", fork, lane) for lane in range(2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = outer / (outer + inner)
    rates = rate_of(outer, outer_wins), rate_of(inner, inner_wins)
    both = int((outer + inner)[0])
    return (
        jackknife(share, both),
        jackknife(rates[0], int(outer[0])),
        jackknife(rates[1], int(inner[0])),
        points(jackknife(rates[0] - rates[1], both)),
    )


def _lane_table(study, setting):
    rows_ = [(f"after space {space}", *lane_rates(setting.results, fork)) for fork, space in enumerate(forks(board()))]
    columns = ("fork", "outer lane", "win rate outer", "win rate inner", "difference, points")
    note = "players' ships that passed the fork by one lane only"
    return ResultTable(f"Lanes {where(study, setting)}".strip(), columns, rows_, frozenset(columns[1:4]), note)


def _tell_lanes(looks, chapter, results):
    found = [(space, *lane_rates(results, fork)) for fork, space in enumerate(forks(board()))]
    clear = [row for row in found if looks.is_clear(row[4])]
    shares = [row[1] for row in found]
    low, high = min(shares, key=lambda e: e.value), max(shares, key=lambda e: e.value)
    taken = f"{prose.share(low)} to {prose.share(high)} of the ships"
    text = f"the outer lanes, longer but with treasures, are taken by {taken}."
    if not clear:
        chapter.say(text, "which lane a ship takes makes no clear difference to its win rate.")
        return
    space, share, outer, inner, difference = max(clear, key=lambda row: abs(row[4].value))
    more = "more" if difference.value > 0 else "less"
    chapter.say(
        text,
        f"after space {space} those outside win {more} often, {prose.share(outer)} of their games against "
        f"{prose.share(inner)}; but a ship chooses its lane by what it carries and by who is ahead.",
    )


def _lane_figure(study):
    results = study.reference.results
    made = []
    for fork, space in enumerate(forks(board())):
        share, outer, inner, _ = lane_rates(results, fork)
        made.append(
            Row(
                f"After {space}: {words.percent(share.value, 0)} outside",
                [mark_of(inner, True, "base", name="inner lane"), mark_of(outer, True, name="outer lane")],
            )
        )
    even = 1 / study.reference.rules.ships
    label = f"Win rate by lane: {spoken([('', made)])}"
    panel = Panel("", made, line=even)
    spaces = words.listed([str(space) for space in forks(board())])
    sub = f"Win rate by lane at the forks after spaces {spaces}; the line is an equal share, {even:.0%}"
    return Figure("lanes", "Which lane wins", sub, rows(label, [panel]))


# Figures


def _length_figure(study):
    shown = few_settings(study, ROUNDS.of)
    settings = [s for _, s in shown]
    if len(shown) > MOST_PROFILES:
        made = [Row(name, [mark_of(ROUNDS.of(s.results))]) for name, s in shown]
        label = f"Mean number of rounds: {spoken([('', made)])}"
        sub = f"Mean number of rounds; {games_line(settings)}"
        return Figure("rounds", "How long a game lasts", sub, rows(label, [Panel("", made, form="bars")], 27))
    counts = [s.results.tally["rounds"] for s in settings]
    first = min(int(np.flatnonzero(c)[0]) for c in counts)
    last = max(int(np.searchsorted(np.cumsum(c) / c.sum(), 0.995)) for c in counts)
    many, told = [], []
    for (name, s), c in zip(shown, counts, strict=True):
        share = c[first : last + 1] / c.sum()
        mean = ROUNDS.of(s.results).value
        many.append(Profile(name, list(share), None, [(mean, f"mean {words.amount(mean)}", "middle")]))
        told.append(f"{name} mean {words.amount(mean)}".strip())
    step = max(1, round((last - first) / 8))
    ticks = [(n, str(n)) for n in range(first, last + 1, step)]
    label = f"How many rounds games last, share of the games: {'; '.join(told)}."
    drawing = profiles(label, many, ticks, first=first, height=44 if len(many) > 2 else 90)
    sub = f"Share of the games by number of rounds, one scale for all; {games_line(settings)}"
    return Figure("rounds", "How long a game lasts", sub, drawing)


def _players_ends(study):
    settings = [s for s in study.along("players") if s in usual(study)]
    settings.sort(key=lambda s: s.rules.players)
    figure = end_figure(
        "Players' ships", settings[:4], lambda one: one.tally["final_spaces"][: one.table.rules.players].sum(axis=0)
    )
    return figure
