"""Shortages: how many, where, when, of what, and how ships that run short fare."""

from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.board_map import BoardMap, board_maps, figure_text
from jamaica_sim.report.chapter import (
    KIND_WORDS,
    Chapter,
    Figure,
    KeyNumber,
    base_rules,
    by_setting,
    chapter_named,
    cost_words,
    games_line,
    is_known,
    mark_of,
    of_each_edition,
    players_words,
    points,
    rate_of,
    ratio,
    round_table,
    space_shares,
    space_table,
    spoken,
    table_words,
    thinking,
    usual,
)
from jamaica_sim.report.forms import Panel, Profile, Row, profiles, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.the_board import board
from jamaica_sim.results.measures import SHORT, SHORTAGES
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

LEVELS = ("none", "one", "two", "three or more")
PORTS = ratio(lambda sums: sums.game("gold_shortages"), lambda sums: sums.game("shortages"))
AHEAD = ratio(lambda sums: sums.game("shortages_ahead"), lambda sums: sums.game("shortages"))
BEHIND = ratio(lambda sums: sums.game("shortages_behind"), lambda sums: sums.game("shortages"))


@chapter_named("shortages")
def shortages(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("shortages", "Shortages")
    settings, setting = study.uniform(), study.reference
    editions = of_each_edition(study)
    chapter.tables += [
        _overview(settings),
        _cost_table(settings),
        *(space_table(study, s, "shortages") for s in editions),
        round_table(study, setting, "shortages"),
    ]
    results = setting.results
    if not SHORTAGES.of(results).value:
        chapter.heading = "Nobody runs short"
        chapter.say("no ship ran short in any of these games.")
        chapter.figures.append(_round_figure(study))
        return chapter
    _tell_where(study, looks, chapter, editions)
    _tell_cost(study, looks, chapter)
    chapter.map = shortage_map(study, editions[:1])
    chapter.figures += [shortage_map(study, editions), _cost_figure(study), _round_figure(study)]
    chapter.keys.append(
        KeyNumber(words.amount(SHORTAGES.of(results).value), "shortages in a game", strong=False)  # fmt: skip
    )
    return chapter


def _per_player(above):
    return lambda results: ratio(above, lambda sums: sums.games * results.table.rules.players)(results)


PER_SHIP = _per_player(lambda sums: sums.game("shortages"))


def _overview(settings):
    columns = {
        "per game": SHORTAGES.of,
        "per ship": PER_SHIP,
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


def win_rate_after(results, level: int) -> Estimate:
    """The win rate of the ships with this many shortages; the last level includes all above."""
    ships, wins = results.sums.alike("shortages", level)
    return jackknife(rate_of(ships, wins), int(ships[0]))


def cost_of_shortages(results) -> Estimate:
    """The win rate of ships that never ran short minus that of ships that ran short three times or more."""
    (ships, wins), (many, many_wins) = (results.sums.alike("shortages", level) for level in (0, len(LEVELS) - 1))
    return jackknife(rate_of(ships, wins) - rate_of(many, many_wins), int(many[0]))


def _cost_table(settings) -> ResultTable:
    columns = {word: _after(level) for level, word in enumerate(LEVELS)}
    columns["none less three, points"] = lambda results: points(cost_of_shortages(results))
    return by_setting(settings, "Win rate by shortages of the ship", columns, LEVELS, "players' ships")


def _after(level):
    return lambda results: win_rate_after(results, level)


# Sentences


def _tell_where(study, looks, chapter, editions):
    results = study.reference.results
    costly = [number for number, space in enumerate(board()) if space.cost > 0]
    space, mean, part = space_shares(results, "shortages")[0]
    kind = KIND_WORDS[board()[space].kind]
    is_clear = looks.is_clear(part, 1 / len(costly))
    chapter.heading = (
        f"Ships run short most of all at the {kind} on {space}" if is_clear else "No space stands out for shortages"
    )
    chapter.effect = abs(cohen_h(part.value, 1 / len(costly))) if is_clear else 0.0
    short = SHORT.of(results)
    often = words.fraction(short.value)
    chapter.say(
        f"a game has {prose.mean(SHORTAGES.of(results))} shortages, "
        f"{prose.mean(PER_SHIP(results))} for each player's ship.",
        f"{often} of the games have at least one: {prose.share(short)}." if often else "",
        f"space {space} costs {cost_words(board()[space])} and makes {prose.share(part)} of all shortages, where an "
        f"equal share of the {len(costly)} spaces that cost something is {1 / len(costly):.1%}."
        if is_clear
        else "",
    )
    for s in editions:
        ports = PORTS(s.results)
        looks.is_clear(ports, 0.5)
    told = [f"{prose.share(PORTS(s.results))} by the rules of {s.rules.edition}" for s in editions]
    ports = PORTS(results)
    looked = looks.is_clear(ports, 0.5)
    chapter.say(
        f"at ports, for want of gold, are {words.listed(told)}; the others are at sea, for want of food."
        if len(editions) > 1
        else f"{prose.share(ports)} are at ports, for want of gold; the others are at sea, for want of food."
        if looked
        else f"ports and the sea share them about evenly: {prose.share(ports)} are at ports."
    )


def _tell_cost(study, looks, chapter):
    results = study.reference.results
    never, often = win_rate_after(results, 0), win_rate_after(results, len(LEVELS) - 1)
    clear = [s for s in thinking(usual(study)) if looks.is_clear(cost_of_shortages(s.results))]
    ahead, behind = AHEAD(results), BEHIND(results)
    difference = Estimate(ahead.value - behind.value, *_apart(results), ahead.n)
    was = looks.is_clear(difference)
    if study.reference in clear and is_known(never) and is_known(often):
        chapter.effect = max(chapter.effect, abs(cohen_h(never.value, often.value)))
        more = "more" if never.value > often.value else "less"
        cost = (
            f"ships that never run short win {more} often: {prose.share(never)} of their games, those that do three "
            f"times or more {prose.share(often)}."
        )
    else:
        cost = "whether a ship ran short makes no clear difference to its win rate here."
    stood = (
        f"when the round began, a ship that then ran short was ahead of the others' mean in {prose.share(ahead)} of "
        f"the cases and behind it in {prose.share(behind)}"
    )
    chapter.say(
        cost,
        f"{stood}: being behind is not the reason." if was and ahead.value > behind.value else f"{stood}.",
        "How often a ship runs short also hangs on how long its game lasts, so this is no measure of what one shortage "
        "costs.",
    )


def _apart(results):
    sums = results.sums
    gap = jackknife(
        (sums.game("shortages_ahead") - sums.game("shortages_behind")) / sums.game("shortages"), results.games
    )
    return gap.low, gap.high


# Figures


def shortage_map(study: Study, editions) -> Figure:
    """Where ships run short, on one scale for all editions."""
    maps, told = [], []
    for s in editions:
        values = [0.0] * len(board())
        found = space_shares(s.results, "shortages")
        for space, mean, _ in found:
            values[space] = mean.value
        ports = PORTS(s.results)
        title = f"{s.rules.edition} rules: {words.amount(SHORTAGES.of(s.results).value)} in a game"
        maps.append(
            BoardMap(title if len(editions) > 1 else "", values, words.percent(ports.value), "of them at ports")
        )
        top = ", ".join(f"space {space} {figure_text(mean.value)}" for space, mean, _ in found[:4])
        told.append(f"{s.rules.edition} rules, {words.percent(ports.value)} at ports, most on {top}")
    label = f"Map of the board with shortages per game on each space. {'; '.join(told)}."
    one_scale = "; one scale for both" if len(editions) > 1 else ""
    where = ", ".join(filter(None, (players_words(study), base_rules(study))))
    sub = f"Shortages per game on each space ({where}){one_scale}; the four worst carry "
    return Figure("map", "Where ships run short", sub + "their figure", board_maps(label, maps, "shortages a game"))


def _cost_figure(study):
    results = study.reference.results
    even = 1 / study.reference.rules.ships
    names = ("no shortage", "one shortage", "two shortages", "three or more")
    made = [Row(name, [mark_of(win_rate_after(results, n), True)]) for n, name in enumerate(names)]
    label = f"Win rate by the ship's shortages: {spoken([('', made)])}"
    panel = Panel("", made, line=even, line_name=f"an equal share, {even:.0%}")
    sub = f"Share of their games that ships win ({table_words(study)}); {games_line([study.reference])}"
    return Figure("cost", "How those fare who run short", sub, rows(label, [panel]))


def _round_figure(study):
    table = round_table(study, study.reference, "shortages")
    values = [row[2].value for row in table.rows]
    first = table.rows[0][0] if table.rows else 0
    peak = max(range(len(values)), key=values.__getitem__) if values else 0
    notes = [(first + peak, f"{words.amount(values[peak], 2)} in round {first + peak}", "middle")] if values else []
    ticks = [(row[0], f"{row[0]}") for row in table.rows if (row[0] - first) % 3 == 0]
    label = "Shortages by round, per game that came so far: " + ", ".join(
        f"round {row[0]} {words.amount(row[2].value, 2)}" for row in table.rows
    )
    drawing = profiles(label, [Profile("", values or [0.0], None, notes)], ticks, first=first, height=90)
    sub = f"Per game that came so far, by round ({table_words(study)}); {games_line([study.reference])}"
    return Figure("rounds", "When ships run short", sub, drawing)
