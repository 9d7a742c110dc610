"""Shortages: how many, where, when, of what, and how ships that run short fare."""

import math
from dataclasses import dataclass

from jamaica_sim.charts.axis_charts import Profile, histogram
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import chapter as parts
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import row_chart, table_words, usual
from jamaica_sim.report.board_map import BoardMap, board_figures
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, points
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, mapped, quantity, share_of, sheet, win_rate
from jamaica_sim.results.measures import SHORT, SHORTAGES, SHORTAGES_EACH, Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

LEVELS = {"none": "no shortage", "one": "one shortage", "two": "two shortages", "three or more": "three or more"}


def _ships_short(results: Results) -> Floats:
    return results.sums.players("short") / results.sums.games / results.table.rules.players


def after(level: int) -> Measure:
    """The win rate of the ships with this many shortages; the last level includes all above."""
    return win_rate(list(LEVELS)[level], lambda results: results.sums.alike("shortages", level))


OVERVIEW = {
    "per game": SHORTAGES,
    "per ship": SHORTAGES_EACH,
    "games with one": SHORT,
    "ships with one": quantity("ships with one", _ships_short, True),
    "at ports": quantity("at ports", "gold_shortages"),
    "at sea": quantity("at sea", "food_shortages"),
    "share at ports": share_of("share at ports", "gold_shortages", "shortages"),
    "ship was ahead": share_of("ship was ahead", "shortages_ahead", "shortages"),
    "ship was behind": share_of("ship was behind", "shortages_behind", "shortages"),
}
COST = "none less three, points"
COSTS = {word: after(level) for level, word in enumerate(LEVELS)}


@dataclass(frozen=True)
class Shortages(Findings):
    """What the games show about shortages."""

    sheet: Sheet
    tables: list[ResultTable]
    maps: list[BoardMap]
    space: int  # with the most shortages at the reference table
    part: Comparison  # its share of all shortages, against an equal share of the spaces that cost something
    most: Claim  # that this space has more shortages than any other
    leaders: dict[str, int]  # the space with the most shortages at each table
    ports: Comparison  # the share at ports, against a half
    cost: Comparison  # win rate without a shortage minus that with three or more
    stood: Comparison  # share of shortages of ships ahead minus that of ships behind


def find(study: Study) -> Shortages:
    """Count shortages by space, round and ship."""
    results = study.reference.played
    columns = OVERVIEW | COSTS | {COST: lambda results: points(cost_of_shortages(results))}
    figures = sheet(
        study, columns, ["per game", "per ship", "games with one", "share at ports", "none", "three or more"]
    )
    note = (
        "at ports for want of doubloons, at sea for want of food; ahead and behind: of the mean of the other ships "
        "when the round began, share of the shortages"
    )
    shown = mapped(study)
    tables = [
        figures.table("Shortages", OVERVIEW, note),
        figures.table("Win rate by shortages of the ship", [*COSTS, COST], "players' ships"),
        *(parts.space_table(study, s, "shortages") for s in shown),
        parts.round_table(study, study.reference, "shortages"),
    ]
    tables_played = [s for s in usual(study) if SHORTAGES.of(s.played).value]
    spaces = {s.label: parts.space_shares(s.played, "shortages") for s in tables_played}
    space, _, part = parts.space_shares(results, "shortages")[0]
    costly = sum(one.cost > 0 for one in parts.board_of(study.reference))
    return Shortages(
        figures,
        tables,
        [_map(figures, s, several=len(shown) > 1) for s in shown],
        space,
        Comparison(allowing_for(part, costly), 1 / max(1, costly)),
        Claim(
            f"space {space} has more shortages than any other space",
            {label: Comparison(_lead_of(space, shares)) for label, shares in spaces.items()},
        ),
        {label: shares[0][0] for label, shares in spaces.items()},
        Comparison(figures.at("share at ports"), 0.5),
        Comparison(cost_of_shortages(results)),
        Comparison(_ahead_less_behind(results)),
    )


def cost_of_shortages(results: Results) -> Estimate:
    """The win rate of ships that never ran short minus that of ships that ran short three times or more."""
    many = results.sums.alike("shortages", len(LEVELS) - 1)
    return jackknife(parts.rate_of(*results.sums.alike("shortages", 0)) - parts.rate_of(*many), int(many[0][0]))


def _ahead_less_behind(results: Results) -> Estimate:
    sums = results.sums
    more = sums.game("shortages_ahead") - sums.game("shortages_behind")
    return jackknife(parts.rate_of(sums.game("shortages"), more), results.games)


def _lead_of(space: int, shares: parts.SpaceShares) -> Estimate:
    """Shortages per game on a space minus those on the worst other space, which is picked among all others."""
    means = {number: mean for number, mean, _ in shares}
    own = means.pop(space, Estimate(0.0, 0.0, 0.0, shares[0][1].n))
    other = max(means.values(), key=lambda mean: mean.value)
    gap, reach = own.value - other.value, math.hypot(own.half_width, other.half_width)
    return allowing_for(Estimate(gap, gap - reach, gap + reach, own.n), len(means))


def _map(figures: Sheet, s: Setting, several: bool) -> BoardMap:
    title = f"{figures.name_of(s)}: {words.amount(figures.at('per game', s).value)} in a game" if several else ""
    ports = words.percent(figures.at("share at ports", s).value)
    return BoardMap(title, parts.board_of(s), parts.space_means(s, "shortages"), ports, "of them at ports")


def write(shortages: Shortages, judge: Judge) -> Chapter:
    """The chapter."""
    chapter = Chapter("shortages", "Shortages", tables=shortages.tables)
    figures = shortages.sheet
    when = _round_figure(figures, shortages.tables[-1])
    if not figures.at("per game").value:
        chapter.heading = "Nobody runs short"
        chapter.say("no ship ran short in any of these games.")
        chapter.figures.append(when)
        return chapter
    _write_where(shortages, judge, chapter)
    _write_cost(shortages, judge, chapter)
    place = table_words(figures.study)
    chapter.map, where = board_figures("Where ships run short", "shortages", place, shortages.maps)
    chapter.figures += [where, _cost_figure(figures), when]
    chapter.keys.append(KeyNumber(words.amount(figures.at("per game").value), "shortages in a game", strong=False))
    return chapter


def _write_where(shortages: Shortages, judge: Judge, chapter: Chapter) -> None:
    figures, space, part = shortages.sheet, shortages.space, shortages.part
    study, one = figures.study, parts.board_of(figures.study.reference)[space]
    kind, is_clear = parts.KIND_WORDS[one.kind], judge.is_above(part)
    most = judge.verdict(shortages.most)
    chapter.claims.append(shortages.most)
    chapter.heading = "No space stands out for shortages"
    if study.reference.label in most.holds:
        chapter.heading = f"Ships run short most of all at the {kind} on {space}"
    elif is_clear:
        chapter.heading = f"The {kind} on {space} is among the spaces with most shortages"
    chapter.effect = abs(cohen_h(part.estimate.value, part.null)) if is_clear else 0.0
    often = words.fraction(figures.at("games with one").value)
    others = "; ".join(f"space {shortages.leaders[label]} at {label}" for label in most.fails[:3])
    chapter.say(
        figures.tell(judge, "a game has {per game} shortages, {per ship} for each player's ship"),
        figures.tell(judge, f"{often} of the games have at least one: {{games with one}}") if often else "",
        f"space {space} costs {parts.cost_words(one)} and makes {prose.share(part.estimate)} of all shortages, "
        f"where an equal share of the {round(1 / part.null)} spaces that cost something is {part.null:.1%}."
        if is_clear
        else "",
        f"space {space} has more shortages than any other {most.scope()}."
        if len(most.claim.cases) > 1 and most.holds
        else "",
        f"another space has more elsewhere: {others}." if most.kind != HOLDS and others else "",
    )
    beside_sea = "fewer than" if judge.is_below(shortages.ports) else "about as many as"
    beside_sea = "more than" if judge.is_above(shortages.ports) else beside_sea
    chapter.say(
        figures.tell(judge, f"{{share at ports}} are at ports, for want of gold, {beside_sea} at sea, for want of food")
    )


def _write_cost(shortages: Shortages, judge: Judge, chapter: Chapter) -> None:
    figures = shortages.sheet
    never, often = figures.at("none"), figures.at("three or more")
    cost = "whether a ship ran short makes no clear difference to its win rate here."
    if judge.is_clear(shortages.cost) and parts.is_known(never) and parts.is_known(often):
        chapter.effect = max(chapter.effect, abs(cohen_h(never.value, often.value)))
        more = "more" if never.value > often.value else "less"
        cost = figures.tell(
            judge,
            f"ships that never run short win {more} often: {{none}} of their games, those that do three times or more "
            "{three or more}",
        )
    reason = ": being behind is not the reason" if judge.is_above(shortages.stood) else ""
    chapter.say(
        cost,
        figures.tell(
            judge,
            "when the round began, a ship that then ran short was ahead of the others' mean in {ship was ahead} of "
            f"the cases and behind it in {{ship was behind}}{reason}",
        ),
        "A long game has more shortages, so these win rates do not say what one shortage costs.",
    )


def _cost_figure(figures: Sheet) -> Figure:
    even = 1 / figures.study.reference.rules.ships
    made = [figures.row(name, column) for column, name in LEVELS.items()]
    drawing = row_chart("Win rate by the ship's shortages", made, line=even, line_name=f"an equal share, {even:.0%}")
    return Figure(
        "cost", "Win rate by number of shortages", figures.sub("Share of their games that ships win"), drawing
    )


def _round_figure(figures: Sheet, table: ResultTable) -> Figure:
    rounds, values = [row[0] for row in table.rows] or [0], [row[2].value for row in table.rows] or [0.0]
    peak = max(values)
    notes = [(rounds[values.index(peak)], f"{words.amount(peak, 2)} in round {rounds[values.index(peak)]}", "middle")]
    told = ", ".join(f"round {n} {words.amount(value, 2)}" for n, value in zip(rounds, values, strict=True))
    label = f"Shortages by round, per game that reached the round: {told}"
    drawing = histogram(label, [Profile("", values, None, notes)], rounds[0])
    return Figure("rounds", "When ships run short", figures.sub("Per game that reached the round"), drawing)


CHAPTERS = {"shortages": ChapterSource(find, write)}
