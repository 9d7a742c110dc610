"""Shortages: how many, where, when, of what, and how ships that run short fare."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import chapter as parts
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import (
    base_rules,
    mark_of,
    of_each_edition,
    players_words,
    row_chart,
    table_words,
    usual,
)
from jamaica_sim.report.axis_charts import Profile, profiles
from jamaica_sim.report.board_map import BoardMap, board_maps, figure_text
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    Read,
    by_setting,
    games_line,
    points,
    rate_of,
    ratio,
)
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.row_charts import Row
from jamaica_sim.results.measures import SHORT, SHORTAGES, SHORTAGES_EACH, Floats
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results, Sums
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

LEVELS = ("none", "one", "two", "three or more")


def _of_shortages(quantity: str) -> Read:
    return ratio(lambda sums: sums.game(quantity), lambda sums: sums.game("shortages"))


PORTS, AHEAD, BEHIND = map(_of_shortages, ("gold_shortages", "shortages_ahead", "shortages_behind"))


@dataclass(frozen=True)
class Shortages(Findings):
    """What the games show about shortages."""

    study: Study
    editions: list[Setting]
    tables: list[ResultTable]
    space: int  # with the most shortages at the reference table
    part: Comparison  # its share of all shortages, against an equal share of the spaces that cost something
    most: Claim  # that this space has more shortages than any other
    ports: list[Comparison]  # the share at ports, by edition
    cost: Comparison  # win rate without a shortage minus that with three or more
    stood: Comparison  # share of shortages of ships ahead minus that of ships behind


def find(study: Study) -> Shortages:
    """Count shortages by space, round and ship."""
    settings, editions, results = study.uniform(), of_each_edition(study), study.reference.played
    tables = [
        _overview(settings),
        _cost_table(settings),
        *(parts.space_table(study, s, "shortages") for s in editions),
        parts.round_table(study, study.reference, "shortages"),
    ]
    spaces = parts.space_shares(results, "shortages")
    space, _, part = spaces[0]
    costly = sum(one.cost > 0 for one in parts.board_of(study))
    leads = {s.label: Comparison(_lead_of(space, s.played)) for s in usual(study) if SHORTAGES.of(s.played).value}
    return Shortages(
        study,
        editions,
        tables,
        space,
        Comparison(allowing_for(part, costly), 1 / max(1, costly)),
        Claim(f"space {space} has more shortages than any other space", leads),
        [Comparison(PORTS(s.played), 0.5) for s in editions],
        Comparison(cost_of_shortages(results)),
        Comparison(_ahead_less_behind(results)),
    )


def _lead_of(space: int, results: Results) -> Estimate:
    """Shortages per game on a space minus those on the worst other space, which is picked among all others."""
    means = {number: mean for number, mean, _ in parts.space_shares(results, "shortages")}
    own = means.pop(space)
    other = max(means.values(), key=lambda mean: mean.value)
    gap, reach = own.value - other.value, math.hypot(own.half_width, other.half_width)
    return allowing_for(Estimate(gap, gap - reach, gap + reach, own.n), len(means))


def write(shortages: Shortages, judge: Judge) -> Chapter:
    """The chapter."""
    study, results = shortages.study, shortages.study.reference.played
    chapter = Chapter("shortages", "Shortages", tables=shortages.tables)
    if not SHORTAGES.of(results).value:
        chapter.heading = "Nobody runs short"
        chapter.say("no ship ran short in any of these games.")
        chapter.figures.append(_round_figure(shortages))
        return chapter
    _write_where(shortages, judge, chapter)
    _write_cost(shortages, judge, chapter)
    chapter.map = shortage_map(study, shortages.editions[:1])
    chapter.figures += [shortage_map(study, shortages.editions), _cost_figure(study), _round_figure(shortages)]
    chapter.keys.append(KeyNumber(words.amount(SHORTAGES.of(results).value), "shortages in a game", strong=False))
    return chapter


def _per_player(above: Callable[[Sums], Floats]) -> Read:
    return lambda results: ratio(above, lambda sums: sums.games * results.table.rules.players)(results)


def _overview(settings: Sequence[Setting]) -> ResultTable:
    columns = {
        "per game": SHORTAGES.of,
        "per ship": SHORTAGES_EACH.of,
        "games with one": SHORT.of,
        "ships with one": _per_player(lambda sums: sums.players("short")),
        "at ports": lambda results: results.of_game("gold_shortages"),
        "at sea": lambda results: results.of_game("food_shortages"),
        "share at ports": PORTS,
        "ship was ahead": AHEAD,
        "ship was behind": BEHIND,
    }
    note = (
        "at ports for want of doubloons, at sea for want of food; ahead and behind: of the mean of the other ships "
        "when the round began, share of the shortages"
    )
    shares = ("games with one", "ships with one", "share at ports", "ship was ahead", "ship was behind")
    return by_setting(settings, "Shortages", columns, shares, note)


def win_rate_after(results: Results, level: int) -> Estimate:
    """The win rate of the ships with this many shortages; the last level includes all above."""
    ships, wins = results.sums.alike("shortages", level)
    return jackknife(rate_of(ships, wins), int(ships[0]))


def cost_of_shortages(results: Results) -> Estimate:
    """The win rate of ships that never ran short minus that of ships that ran short three times or more."""
    (ships, wins), (many, many_wins) = (results.sums.alike("shortages", level) for level in (0, len(LEVELS) - 1))
    return jackknife(rate_of(ships, wins) - rate_of(many, many_wins), int(many[0]))


def _cost_table(settings: Sequence[Setting]) -> ResultTable:
    columns = {word: _after(level) for level, word in enumerate(LEVELS)}
    columns["none less three, points"] = lambda results: points(cost_of_shortages(results))
    return by_setting(settings, "Win rate by shortages of the ship", columns, LEVELS, "players' ships")


def _after(level: int) -> Read:
    return lambda results: win_rate_after(results, level)


def _ahead_less_behind(results: Results) -> Estimate:
    sums = results.sums
    return jackknife(
        rate_of(sums.game("shortages"), sums.game("shortages_ahead") - sums.game("shortages_behind")), results.games
    )


# Sentences


def _write_where(shortages: Shortages, judge: Judge, chapter: Chapter) -> None:
    study, space, part = shortages.study, shortages.space, shortages.part
    results, board = study.reference.played, parts.board_of(study)
    kind, is_clear = parts.KIND_WORDS[board[space].kind], judge.is_above(part)
    most = judge.verdict(shortages.most)
    chapter.claims.append(shortages.most)
    is_first = study.reference.label in most.holds
    chapter.heading = "No space stands out for shortages"
    if is_first:
        chapter.heading = f"Ships run short most of all at the {kind} on {space}"
    elif is_clear:
        chapter.heading = f"The {kind} on {space} is among the spaces with most shortages"
    chapter.effect = abs(cohen_h(part.estimate.value, part.null)) if is_clear else 0.0
    often = words.fraction(SHORT.of(results).value)
    chapter.say(
        f"a game has {prose.mean(SHORTAGES.of(results))} shortages, "
        f"{prose.mean(SHORTAGES_EACH.of(results))} for each player's ship.",
        f"{often} of the games have at least one: {prose.share(SHORT.of(results))}." if often else "",
        f"space {space} costs {parts.cost_words(board[space])} and makes {prose.share(part.estimate)} of all "
        f"shortages, where an equal share of the {round(1 / part.null)} spaces that cost something is {part.null:.1%}."
        if is_clear
        else "",
        f"space {space} has more shortages than any other {most.scope()}."
        if len(most.claim.cases) > 1 and most.holds
        else "",
        _elsewhere(shortages, most.fails) if most.kind != HOLDS else "",
    )
    ports = [(s.rules.edition, one) for s, one in zip(shortages.editions, shortages.ports, strict=True)]
    by_edition = [f"{prose.share(one.estimate)} by the rules of {edition}" for edition, one in ports]
    own = next(one for s, one in zip(shortages.editions, shortages.ports, strict=True) if s is study.reference)
    chapter.say(
        f"at ports, for want of gold, are {words.listed(by_edition)}; the others are at sea, for want of food."
        if len(ports) > 1
        else f"{prose.share(own.estimate)} are at ports, for want of gold; the others are at sea, for want of food."
        if judge.is_clear(own)
        else f"{prose.share(own.estimate)} are at ports, for want of gold, the others at sea: no clear difference."
    )


def _elsewhere(shortages: Shortages, labels: tuple[str, ...]) -> str:
    """Which space clearly leads at the tables where this one does not."""
    settings = [s for s in usual(shortages.study) if s.label in labels]
    leaders = {s.label: parts.space_shares(s.played, "shortages")[0][0] for s in settings}
    where = "; ".join(f"space {space} at {label}" for label, space in leaders.items())
    return f"another space has more elsewhere: {where}." if leaders else ""


def _write_cost(shortages: Shortages, judge: Judge, chapter: Chapter) -> None:
    results = shortages.study.reference.played
    never, often = win_rate_after(results, 0), win_rate_after(results, len(LEVELS) - 1)
    ahead, behind = AHEAD(results), BEHIND(results)
    cost = "whether a ship ran short makes no clear difference to its win rate here."
    if judge.is_clear(shortages.cost) and parts.is_known(never) and parts.is_known(often):
        chapter.effect = max(chapter.effect, abs(cohen_h(never.value, often.value)))
        more = "more" if never.value > often.value else "less"
        cost = (
            f"ships that never run short win {more} often: {prose.share(never)} of their games, those that do three "
            f"times or more {prose.share(often)}."
        )
    stood = (
        f"when the round began, a ship that then ran short was ahead of the others' mean in {prose.share(ahead)} of "
        f"the cases and behind it in {prose.share(behind)}"
    )
    chapter.say(
        cost,
        f"{stood}: being behind is not the reason." if judge.is_above(shortages.stood) else f"{stood}.",
        "How often a ship runs short also depends on how long its game lasts, so this is no measure of what one "
        "shortage costs.",
    )


# Figures


def shortage_map(study: Study, editions: Sequence[Setting]) -> Figure:
    """Where ships run short, on one scale for all editions."""
    maps, lines = [], []
    for s in editions:
        shares = parts.space_shares(s.played, "shortages")
        values = [mean.value for _, mean, _ in sorted(shares, key=lambda item: item[0])]
        ports = words.percent(PORTS(s.played).value)
        title = f"{s.rules.edition} rules: {words.amount(SHORTAGES.of(s.played).value)} in a game"
        maps.append(BoardMap(title if len(editions) > 1 else "", values, ports, "of them at ports"))
        top = ", ".join(f"space {space} {figure_text(mean.value)}" for space, mean, _ in shares[:4])
        lines.append(f"{s.rules.edition} rules, {ports} at ports, most on {top}")
    label = f"Map of the board with shortages per game on each space. {'; '.join(lines)}."
    one_scale = "; one scale for both" if len(editions) > 1 else ""
    table = ", ".join(filter(None, (players_words(study), base_rules(study))))
    sub = f"Shortages per game on each space ({table}){one_scale}; the four worst carry their figure"
    drawing = board_maps(label, parts.board_of(study), maps, "shortages a game")
    return Figure("map", "Where ships run short", sub, drawing)


def _cost_figure(study: Study) -> Figure:
    results, even = study.reference.played, 1 / study.reference.rules.ships
    names = ("no shortage", "one shortage", "two shortages", "three or more")
    made = [Row(name, [mark_of(win_rate_after(results, n), True)]) for n, name in enumerate(names)]
    drawing = row_chart("Win rate by the ship's shortages", made, line=even, line_name=f"an equal share, {even:.0%}")
    sub = f"Share of their games that ships win ({table_words(study)}); {games_line([study.reference])}"
    return Figure("cost", "Win rate by number of shortages", sub, drawing)


def _round_figure(shortages: Shortages) -> Figure:
    study, table = shortages.study, shortages.tables[-1]
    values = [row[2].value for row in table.rows]
    first = table.rows[0][0] if table.rows else 0
    peak = max(range(len(values)), key=values.__getitem__) if values else 0
    notes = [(first + peak, f"{words.amount(values[peak], 2)} in round {first + peak}", "middle")] if values else []
    ticks = [(row[0], f"{row[0]}") for row in table.rows if (row[0] - first) % 3 == 0]
    label = "Shortages by round, per game that reached the round: " + ", ".join(
        f"round {row[0]} {words.amount(row[2].value, 2)}" for row in table.rows
    )
    drawing = profiles(label, [Profile("", values or [0.0], None, notes)], ticks, first=first, height=90)
    sub = f"Per game that reached the round ({table_words(study)}); {games_line([study.reference])}"
    return Figure("rounds", "When ships run short", sub, drawing)


CHAPTERS = {"shortages": ChapterSource(find, write)}
