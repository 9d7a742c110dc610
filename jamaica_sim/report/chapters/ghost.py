"""The ghost ship: how often it wins, where it ends, what it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.components import red_line
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import left_out_of, mark_of, spoken, thinking
from jamaica_sim.report.axis_charts import Series, lines
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Column,
    Figure,
    KeyNumber,
    Read,
    board_of,
    by_setting,
    games_line,
    ratio,
)
from jamaica_sim.report.chapters.battles import LOOT_WORDS
from jamaica_sim.report.chapters.race import ENDS, end_figure
from jamaica_sim.report.chapters.rulebook import contrasts, ghost_settings, short_label, wins_chart
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.row_charts import Panel, Row, rows
from jamaica_sim.results.measures import BATTLES, GHOST_SHIP, GHOST_WINS, PACE, ROUNDS, SHORTAGES
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.clear import CLEARLY
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval

PICKS_FIGHTS = 1.4  # times as many battles, and at least half of the new ones begun by the ghost


@dataclass(frozen=True)
class Ghost(Findings):
    """What the games show about the ghost ship."""

    study: Study
    settings: list[Setting]  # with it, few players first
    line: list[Setting]  # for each number of players the setting nearest to the reference
    pairs: list[tuple[Setting, Setting]]  # without and with it
    below_share: Claim  # it wins less than an equal share
    seldom: Claim  # it wins fewer than one game in ten, and less than half of an equal share
    tables: list[ResultTable]


def find(study: Study) -> Ghost:
    """Count its wins, ends and booty."""
    settings, label = ghost_settings(study), partial(short_label, study)
    planned = thinking(settings)
    rates = {label(s): (GHOST_WINS.of(s.played), 1 / s.rules.ships) for s in planned}
    below = {name: Comparison(rate, even) for name, (rate, even) in rates.items()}
    seldom = {name: Comparison(rate, min(words.SELDOM, even / 2)) for name, (rate, even) in rates.items()}
    tables = [_win_table(settings, label), _end_table(settings, label), _booty_table(settings, label)]
    return Ghost(
        study,
        settings,
        one_for_each_number(study, settings),
        [(a, b) for a, b in contrasts(study) if b in planned],
        Claim("the ghost ship wins less than its share", below, -1),
        Claim("the ghost ship seldom wins", seldom, -1),
        tables,
    )


def write(ghost: Ghost, judge: Judge) -> Chapter:
    """The chapter on the ghost ship."""
    chapter = Chapter("ghost", "The ghost ship", tables=ghost.tables, claims=[ghost.below_share, ghost.seldom])
    clear = [one for one in ghost.below_share.cases.values() if judge.is_clear(one)]
    chapter.effect = max((abs(cohen_h(one.estimate.value, one.null)) for one in clear), default=0.0)
    chapter.heading = f"It {_wins_words(ghost, judge)}"
    _write_wins(ghost, judge, chapter)
    _write_points(ghost, chapter)
    chapter.figures += _figures(ghost)
    _first_screen(ghost, judge, chapter)
    return chapter


def one_for_each_number(study: Study, settings: Sequence[Setting]) -> list[Setting]:
    """For each number of players the setting nearest to the reference."""
    first: dict[int, Setting] = {}
    reference = study.reference.factors
    for setting in settings:
        near = all(setting.factors[n] == reference[n] for n in (LINE_UP, "edition"))
        if near or setting.rules.players not in first:
            first[setting.rules.players] = setting
    return [first[n] for n in sorted(first)]


def of_ghost(quantity: str) -> Read:
    """A column: a quantity of the ghost ship."""
    return lambda results: results.of_ships("group", results.table.groups.index(GHOST_SHIP), quantity)


def _win_table(settings: Sequence[Setting], label: partial[str]) -> ResultTable:
    columns: dict[str, Column] = {
        "win rate": GHOST_WINS.of,
        "equal share": lambda results: f"{1 / results.table.rules.ships:.1%}",
        "score": of_ghost("score"),
        "position": of_ghost("position_points"),
        "gold": of_ghost("gold"),
        "treasures": of_ghost("treasure_points"),
        "treasures taken": of_ghost("treasures_taken"),
    }
    return by_setting(settings, "The ghost ship's wins", columns, ("win rate",), "win rate and points per game", label)


def _end_table(settings: Sequence[Setting], label: partial[str]) -> ResultTable:
    columns = {word: share_of_ends(number) for number, word in enumerate(ENDS)}
    return by_setting(settings, "Where the ghost ship is at the end", columns, ENDS, "share of the games", label)


def share_of_ends(which: int) -> Read:
    """A column: the share of the games in which the ghost ship ends at this one of `ENDS`."""

    def read(results: Results) -> Estimate:
        behind, circuit, home = results.tally["final_spaces"][results.table.rules.players]
        line = red_line.first_beyond(results.table.rules.components.board)
        counts = (home.sum(), circuit[line:].sum(), behind.sum() + circuit[:line].sum())
        return proportion_interval(int(counts[which]), results.games)

    return read


GHOST_BATTLES_WON = ratio(
    lambda sums: sums.group(GHOST_SHIP, "battles_won"), lambda sums: sums.group(GHOST_SHIP, "battles")
)


def _booty_table(settings: Sequence[Setting], label: partial[str]) -> ResultTable:
    columns = {"battles": of_ghost("battles"), "attacks": of_ghost("attacks"), "battles won": GHOST_BATTLES_WON}
    for kind, word in enumerate(LOOT_WORDS):
        if LOOT_KINDS[kind] != "give":  # the ghost cannot (G6)
            columns[word] = _loot(kind)
    note = "times per game: its battles, those that it began, and what it took"
    return by_setting(settings, "What the ghost ship does in battle", columns, ("battles won",), note, label)


def _loot(kind: int) -> Read:
    return lambda results: results.of_row("loot", results.table.rules.players, kind)


# Sentences


def _wins_words(ghost: Ghost, judge: Judge) -> str:
    """How often it wins: a word that is true at every table, or with its scope."""
    seldom = judge.verdict(ghost.seldom)
    if seldom.kind == HOLDS:
        rates = [one.estimate.value for one in ghost.seldom.cases.values()]
        often = "never" if not any(rates) else "hardly ever" if max(rates) < words.HARDLY_EVER else "seldom"
        return f"{often} wins"
    players = {short_label(ghost.study, s): s.rules.players for s in thinking(ghost.settings)}
    fails = {players[name] for name in (*seldom.fails, *seldom.open)}
    fewest = max(fails) + 1
    if any(n >= fewest for n in players.values()):
        return f"seldom wins with {words.number(fewest)} players{' or more' if max(players.values()) > fewest else ''}"
    below = judge.verdict(ghost.below_share)
    if below.kind == HOLDS:
        return "wins less than its share"
    return f"wins less than its share {below.scope()}" if below.holds else "wins no less than its share"


def _write_wins(ghost: Ghost, judge: Judge, chapter: Chapter) -> None:
    few, many = ghost.line[0], ghost.line[-1]
    home, before = (share_of_ends(n) for n in (0, 2))
    seldom = judge.verdict(ghost.seldom)
    chapter.say(
        f"with {words.number(few.rules.players)} players it wins {prose.share(GHOST_WINS.of(few.played))} of the "
        f"games, where {1 / few.rules.ships:.1%} would be an equal share.",
        f"with {words.number(many.rules.players)} it wins {prose.share(GHOST_WINS.of(many.played))}, and "
        f"{1 / many.rules.ships:.1%} would be equal."
        if many is not few
        else "",
        f"it seldom wins {seldom.scope()}: fewer than one game in ten, and less than half of an equal share"
        f"{left_out_of(ghost.settings)}."
        if len(seldom.claim.cases) > 1 and seldom.holds
        else "",
        f"it comes home in {prose.share(home(few.played))} of the games with {words.number(few.rules.players)} "
        f"players, and in {prose.share(before(few.played))} it is not even past the red line.",
    )


def _write_points(ghost: Ghost, chapter: Chapter) -> None:
    few, many = ghost.line[0], ghost.line[-1]
    place, gold = of_ghost("position_points"), of_ghost("gold")
    later = ""
    if many is not few:
        number = words.number(many.rules.players)
        later = f"with {number} the place is worth {prose.mean(place(many.played))}."
        if place(many.played).value < place(few.played).value:
            later = (
                f"with {number} the gold is worth {prose.mean(gold(many.played))} and the place "
                f"{prose.mean(place(many.played))}: what it loses is ground."
            )
    battles, attacks = (of_ghost(quantity)(few.played) for quantity in ("battles", "attacks"))
    chapter.say(
        f"its gold is worth {prose.mean(gold(few.played))} points at the end, its place on the board "
        f"{prose.mean(place(few.played))} with {words.number(few.rules.players)} players.",
        later,
        f"it fights {prose.mean(battles)} battles a game, begins {prose.mean(attacks)} of them, and wins "
        f"{prose.share(GHOST_BATTLES_WON(few.played))}.",
    )


# Figures


def _figures(ghost: Ghost) -> list[Figure]:
    figures = [wins_chart(ghost.study, ghost.settings, "wins")]
    if len(ghost.line) > 2:
        figures.append(_points_figure(ghost.line))
    board = board_of(ghost.study)
    ends = end_figure(
        "The ghost ship", board, ghost.line, lambda one: one.tally["final_spaces"][one.table.rules.players]
    )
    return [*figures, ends]


def _points_figure(line: list[Setting]) -> Figure:
    sources = (("position_points", "place on the board", True, ""), ("gold", "gold", False, ""),
               ("treasure_points", "treasures", False, "2 3"))  # fmt: skip
    many = []
    for quantity, name, strong, dashes in sources:
        values = [of_ghost(quantity)(s.played).value for s in line]
        many.append(Series(name, values, [words.amount(v) for v in values], strong=strong, dashes=dashes))
    low, high = (int(f(v for s in many for v in s.values)) for f in (min, max))
    ticks = [(float(v), words.amount(v, 0)) for v in range(low - low % 2 - (2 if low < 0 else 0), high + 2, 2)]
    label = "The ghost's points by source and number of players: " + "; ".join(
        f"{s.name} {', '.join(s.texts)}" for s in many
    )
    sub = f"Mean points of the ghost by source, {line[0].rules.edition} rules; {games_line(line)}"
    drawing = lines(label, many, [f"{s.rules.players} players" for s in line], ticks)
    return Figure("points", "Where its points come from", sub, drawing)


# The first screen


def _first_screen(ghost: Ghost, judge: Judge, chapter: Chapter) -> None:
    study, pairs, few, many = ghost.study, ghost.pairs, ghost.line[0], ghost.line[-1]
    fights = "picks fights but " if pairs and all(_picks_fights(a, b) for a, b in pairs) else ""
    chapter.headline = f"The ghost ship {fights}{_wins_words(ghost, judge)}"
    chapter.standfirst = _standfirst(ghost)
    reference = next((pair for pair in pairs if study.reference in pair), pairs[0] if pairs else None)
    if reference:
        without, with_ghost = (s.played for s in reference)
        before, after = BATTLES.of(without).value, BATTLES.of(with_ghost).value
        chapter.keys.append(
            KeyNumber(
                words.signed(BATTLES.difference(without, with_ghost).value),
                f"battles a game with {words.number(reference[0].rules.players)} players: {words.amount(after)} "
                f"instead of {words.amount(before)}",
            )
        )
    for setting in dict.fromkeys((few, many)):
        rate = GHOST_WINS.of(setting.played).value
        chapter.keys.append(
            KeyNumber(
                words.one_in(rate) or words.percent(rate),
                f"of the games it wins with {words.number(setting.rules.players)} players; an equal share is 1 in "
                f"{setting.rules.ships}",
            )
        )
    if reference:
        change = ROUNDS.relative(without, with_ghost).value
        how = words.size(ROUNDS.effect(without, with_ghost), change)
        length = {"hardly": "the game is hardly any longer or shorter", "a little": "the game is a little "
                  + ("longer" if change > 0 else "shorter")}.get(how, "the length of a game")  # fmt: skip
        chapter.keys.append(KeyNumber(words.signed(100 * change, unit="%"), f"rounds: {length}", strong=False))
    chapter.hero = _hero(ghost)


def _picks_fights(without: Setting, with_ghost: Setting) -> bool:
    more = BATTLES.of(with_ghost.played).value / BATTLES.of(without.played).value
    begun = of_ghost("attacks")(with_ghost.played).value
    return more >= PICKS_FIGHTS and begun >= 0.5 * BATTLES.difference(without.played, with_ghost.played).value


def _standfirst(ghost: Ghost) -> list[str]:
    study, pairs, sentences = ghost.study, ghost.pairs, []
    if pairs:
        of_reference = [p for p in pairs if p[0].factors[LINE_UP] == study.reference.factors[LINE_UP]] or pairs
        added = sorted(BATTLES.difference(a.played, b.played).value for a, b in of_reference)
        low, high = (words.amount(v) for v in (added[0], added[-1]))
        numbers = [words.number(n) for n in sorted({a.rules.players for a, _ in of_reference})]
        where = numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        sentences.append(f"It adds {low if low == high else f'{low} to {high}'} battles to a game of {where} players.")
    rates = [(s, GHOST_WINS.of(s.played).value) for s in dict.fromkeys((ghost.line[-1], ghost.line[0]))]
    often = [
        f"{words.one_game_in(rate) or words.percent(rate) + ' of the games'} with {words.number(s.rules.players)} "
        "players"
        for s, rate in rates
    ]
    sentences.append(f"It wins {words.listed(often)}.")
    others = (ROUNDS, SHORTAGES, PACE)
    if pairs and all(abs(m.effect(a.played, b.played)) < CLEARLY for m in others for a, b in pairs):
        sentences.append("The length of a game, the shortages and the pace of the ships change little.")
    return sentences


def _hero(ghost: Ghost) -> Figure:
    study, panels, line = ghost.study, [], ghost.line
    if ghost.pairs:
        shown: dict[int, tuple[Setting, Setting]] = {}
        for a, b in ghost.pairs:
            near = all(a.factors[n] == study.reference.factors[n] for n in (LINE_UP, "edition"))
            if near or a.rules.players not in shown:
                shown[a.rules.players] = (a, b)
        made = []
        for setting in line:
            n = setting.rules.players
            if n in shown:
                without, with_ghost = (BATTLES.of(s.played) for s in shown[n])
                marks = [mark_of(without, False, "base", name="without"), mark_of(with_ghost, name="with the ghost")]
                made.append(Row(f"{n} players", marks))
            else:
                made.append(Row(f"{n} players", [mark_of(BATTLES.of(setting.played))], note="always with it"))
        panels.append(Panel("Battles in a game", made, weight=1.15))
    wins = []
    for setting in line:
        mark = mark_of(GHOST_WINS.of(setting.played), True, name="the ghost")
        even = 1 / setting.rules.ships
        wins.append(Row(f"{setting.rules.players} players", [mark], even, words.percent(even, 0)))
    panels.append(Panel("Games that the ghost wins", wins, form="bars", equal_name="an equal share"))
    label = "The ghost ship: " + spoken([(p.title, p.rows) for p in panels])
    sub = f"Means of {games_line(line)}, {line[0].rules.edition} rules"
    title = "Battles, and wins of the ghost" if ghost.pairs else "How often the ghost wins"
    return Figure("ghost", title, sub, rows(label, panels, row_height=44))


CHAPTERS = {"ghost": ChapterSource(find, write, lambda study: any(s.rules.ghost for s in study.settings))}
