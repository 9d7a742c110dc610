"""The ghost ship: how often it wins, where it ends, what it takes; and what the rulebook claims about it."""

from functools import partial

import numpy as np

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.components import red_line
from jamaica_sim.engine.board import lane_spaces
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import claims, prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    by_setting,
    chapter_named,
    chart_rows,
    games_line,
    mark_of,
    ratio,
    spoken,
    thinking,
)
from jamaica_sim.report.forms import Mark, Panel, Profile, Row, Series, lines, profiles, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.the_board import board
from jamaica_sim.results.measures import BATTLES, ROUNDS
from jamaica_sim.stats.clear import CLEARLY
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import proportion_interval

GHOST = "ghost ship"
ENDS = ("home", "past the red line", "before the red line")
LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")
MOST = 0.75  # a headline must hold at three tables in four
PICKS_FIGHTS = 1.4  # times as many battles, and at least half of the new ones begun by the ghost


@chapter_named("ghost", applies=lambda study: any(setting.rules.ghost for setting in study.settings))
def ghost(study: Study, looks: Looks) -> Chapter:
    """The chapter on the ghost ship."""
    chapter = Chapter("ghost", "The ghost ship")
    settings = claims.ghost_settings(study)
    label = partial(claims.short_label, study)
    chapter.tables += [_win_table(settings, label), _end_table(settings, label), _booty_table(settings, label)]
    line = one_for_each_number(study, settings)
    _tell_wins(looks, chapter, settings, line)
    _tell_points(chapter, line)
    chapter.figures += _figures(study, settings, line)
    _first_screen(study, looks, chapter, settings, line)
    return chapter


def one_for_each_number(study: Study, settings) -> list[Setting]:
    """For each number of players the setting nearest to the reference."""
    first = {}
    reference = study.reference.factors
    for setting in settings:
        near = all(setting.factors[n] == reference[n] for n in (LINE_UP, "edition"))
        if near or setting.rules.players not in first:
            first[setting.rules.players] = setting
    return [first[n] for n in sorted(first)]


def of_ghost(quantity):
    """A column: a quantity of the ghost ship."""
    return lambda results: results.of_ships("group", results.table.groups.index(GHOST), quantity)


def _equal_share(results):
    return f"{1 / results.table.rules.ships:.1%}"


def _win_table(settings, label):
    columns = {
        "win rate": lambda results: results.ghost_win_rate,
        "equal share": _equal_share,
        "score": of_ghost("score"),
        "position": of_ghost("position_points"),
        "gold": of_ghost("gold"),
        "treasures": of_ghost("treasure_points"),
        "treasures taken": of_ghost("treasures_taken"),
    }
    return by_setting(settings, "The ghost ship's wins", columns, ("win rate",), "win rate and points per game", label)


def _end_table(settings, label):
    columns = {word: share_of_ends(number) for number, word in enumerate(ENDS)}
    return by_setting(settings, "Where the ghost ship is at the end", columns, ENDS, "share of the games", label)


def share_of_ends(which):
    """A column: the share of the games in which the ghost ship ends at this one of `ENDS`."""

    def read(results):
        behind, circuit, home = results.tally["final_spaces"][results.table.rules.players]
        line = red_line.first_beyond(results.table.rules.components.board)
        counts = (home.sum(), circuit[line:].sum(), behind.sum() + circuit[:line].sum())
        return proportion_interval(int(counts[which]), results.games)

    return read


GHOST_BATTLES_WON = ratio(lambda sums: sums.group(GHOST, "battles_won"), lambda sums: sums.group(GHOST, "battles"))


def _booty_table(settings, label):
    columns = {"battles": of_ghost("battles"), "attacks": of_ghost("attacks"), "battles won": GHOST_BATTLES_WON}
    for kind, word in enumerate(LOOT_WORDS):
        if LOOT_KINDS[kind] != "give":  # the ghost cannot (G6)
            columns[word] = _loot(kind)
    note = "times per game: its battles, those that it began, and what it took"
    return by_setting(settings, "What the ghost ship does in battle", columns, ("battles won",), note, label)


def _loot(kind):
    return lambda results: results.of_row("loot", results.table.rules.players, kind)


# Sentences


def _tell_wins(looks, chapter, settings, line):
    planned = thinking(settings)
    effects = []
    for setting in planned:
        rate, even = setting.results.ghost_win_rate, 1 / setting.rules.ships
        if looks.is_clear(rate, even):
            effects.append(cohen_h(rate.value, even))
    chapter.effect = max((abs(e) for e in effects), default=0.0)
    chapter.heading = f"It {_wins_word(planned)}{_less_with_more(line)}"
    few, many = line[0], line[-1]
    said = [f"with {words.number(few.rules.players)} players it wins {prose.share(few.results.ghost_win_rate)} of the "
            f"games, where {1 / few.rules.ships:.1%} would be an equal share."]  # fmt: skip
    if many is not few:
        said.append(
            f"with {words.number(many.rules.players)} it wins {prose.share(many.results.ghost_win_rate)}, and "
            f"{1 / many.rules.ships:.1%} would be equal."
        )
    home, before = (share_of_ends(n) for n in (0, 2))
    said.append(
        f"it comes home in {prose.share(home(few.results))} of the games with {words.number(few.rules.players)} "
        f"players, and in {prose.share(before(few.results))} it is not even past the red line."
    )
    chapter.say(*said)


def _wins_word(settings):
    """The verb with the adverb that is true at three tables in four, such as "seldom wins"."""
    said = [
        words.how_often(s.results.ghost_win_rate.value, 1 / s.rules.ships, s.results.ghost_win_rate.value > 0)
        for s in settings
    ]
    for word in ("never", "hardly ever"):
        if said.count(word) >= MOST * len(said):
            return f"{word} wins"
    if sum(bool(word) for word in said) >= MOST * len(said):
        return "seldom wins"
    below = [s.results.ghost_win_rate.high < 1 / s.rules.ships for s in settings]
    return "wins less than its share" if sum(below) >= MOST * len(below) else "wins its share"


def _less_with_more(line):
    rates = [s.results.ghost_win_rate.value for s in line]
    return ", and less with every player more" if len(rates) > 2 and rates == sorted(rates, reverse=True) else ""


def _tell_points(chapter, line):
    few, many = line[0], line[-1]
    place, gold = of_ghost("position_points"), of_ghost("gold")
    said = [f"its gold is worth {prose.mean(gold(few.results))} points at the end, its place on the board "
            f"{prose.mean(place(few.results))} with {words.number(few.rules.players)} players."]  # fmt: skip
    if many is not few:
        said.append(
            f"with {words.number(many.rules.players)} the gold is worth {prose.mean(gold(many.results))} and the "
            f"place {prose.mean(place(many.results))}: what it loses is ground."
            if place(many.results).value < place(few.results).value
            else f"with {words.number(many.rules.players)} the place is worth {prose.mean(place(many.results))}."
        )
    won = GHOST_BATTLES_WON(few.results)
    battles, attacks = of_ghost("battles")(few.results), of_ghost("attacks")(few.results)
    said.append(
        f"it fights {prose.mean(battles)} battles a game, begins {prose.mean(attacks)} of them, and wins "
        f"{prose.share(won)}."
    )
    chapter.say(*said)


# Figures


def _figures(study, settings, line):
    played = games_line(settings)
    dots = chart_rows(
        study, "How often the ghost ship wins", lambda results: results.ghost_win_rate, True, settings,
        line=claims.NOT_RARE, line_name="one in ten", dashed=True, bridge=False,
    )  # fmt: skip
    sub = f"Share of the games; {played}"
    hollow = len({s.rules.edition for s in settings}) > 1
    figures = [Figure("wins", "How often the ghost wins", sub + ("; hollow: 2007 rules" if hollow else ""), dots)]
    if len(line) > 2:
        figures.append(_points_figure(line))
    figures.append(end_figure("The ghost ship", line, lambda one: one.tally["final_spaces"][one.table.rules.players]))
    return figures


def _points_figure(line):
    sources = (("position_points", "place on the board", True, ""), ("gold", "gold", False, ""),
               ("treasure_points", "treasures", False, "2 3"))  # fmt: skip
    many = []
    for quantity, name, strong, dashes in sources:
        estimates = [of_ghost(quantity)(s.results) for s in line]
        texts = [words.amount(e.value) for e in estimates]
        many.append(Series(name, [e.value for e in estimates], texts, strong=strong, dashes=dashes))
    steps = [f"{s.rules.players} players" for s in line]
    low, high = (int(f(v for s in many for v in s.values)) for f in (min, max))
    ticks = [(float(v), words.amount(v, 0)) for v in range(low - low % 2 - (2 if low < 0 else 0), high + 2, 2)]
    label = "The ghost's points by source and number of players: " + "; ".join(
        f"{s.name} {', '.join(s.texts)}" for s in many
    )
    sub = f"Mean points of the ghost by source, {line[0].rules.edition} rules; {games_line(line)}"
    return Figure("points", "Where its points come from", sub, lines(label, many, steps, ticks))


def end_figure(who: str, settings, ends) -> Figure:
    """Where ships are when the game ends, by number of players."""
    many, told, spaces = [], [], len(board())
    inner = {space for _, short in lane_spaces(board()) for space in short}
    line = red_line.first_beyond(board())
    for setting in settings[:4]:
        behind, circuit, home = ends(setting.results).reshape(3, -1)
        along = circuit[:spaces].astype(float).copy()
        along[0] += behind.sum()
        total = along.sum() + home.sum()
        values = np.append(along, home.sum()) / max(1, total)
        shares = values[:line].sum(), values[line:-1].sum(), values[-1]
        notes = [
            (line - 3, f"{words.percent(shares[0], 0)} before the line", "end"),
            (line + 4, f"{words.percent(shares[1], 0)} past it", "middle"),
            (len(values) - 1, f"{words.percent(shares[2], 0)} home", "middle"),
        ]
        name = f"{setting.rules.players} players"
        told.append(f"{name}: " + ", ".join(note[1] for note in notes))
        many.append(Profile(name, list(values), line, notes, {len(values) - 1: 5}, {n: True for n in inner}))
    label = f"{who} at the end of the game, share of the games by space. {'; '.join(told)}."
    shaded = [(min(outer), max(short)) for outer, short in lane_spaces(board())]
    ticks = [(1, "Port Royal"), *((n, f"space {n}") for n in (16, 29) if n < spaces - 6), (spaces, "home")]
    drawing = profiles(label, many, ticks, shaded=shaded, line=line, line_name="red line")
    sub = (
        "Each bar is a space, inner lanes hang below; home is five wide and a fifth as high: equal areas, equal shares"
    )
    return Figure("ends", f"Where {who[0].lower() + who[1:]} {'are' if who.endswith('s') else 'is'} at the end", sub,
                  drawing)  # fmt: skip


# The first screen


def _first_screen(study, looks, chapter, settings, line):
    planned = thinking(settings)
    pairs = [(a, b) for a, b in claims.contrasts(study) if b in planned]
    picks = bool(pairs) and sum(_picks_fights(a, b) for a, b in pairs) >= MOST * len(pairs)
    fights = "picks fights but " if picks else ""
    chapter.headline = f"The ghost ship {fights}{_wins_word(planned)}"
    few, many = line[0], line[-1]
    chapter.standfirst = _standfirst(study, pairs, few, many)
    reference = next((pair for pair in pairs if study.reference in pair), pairs[0] if pairs else None)
    if reference:
        more = BATTLES.difference(*(s.results for s in reference))
        before, after = (BATTLES.of(s.results).value for s in reference)
        chapter.keys.append(
            KeyNumber(
                words.signed(more.value),
                f"battles a game with {words.number(reference[0].rules.players)} players: {words.amount(after)} "
                f"instead of {words.amount(before)}",
            )
        )
    for setting in (few, many) if many is not few else (few,):
        rate = setting.results.ghost_win_rate.value
        chapter.keys.append(
            KeyNumber(
                words.one_in(rate) or words.percent(rate),
                f"of the games it wins with {words.number(setting.rules.players)} players; an equal share is 1 in "
                f"{setting.rules.ships}",
            )
        )
    if reference:
        change = ROUNDS.relative(*(s.results for s in reference)).value
        how = words.size(ROUNDS.effect(*(s.results for s in reference)), change)
        length = {"hardly": "the game is hardly any longer or shorter", "a little": "the game is a little "
                  + ("longer" if change > 0 else "shorter")}.get(how, "the length of a game")  # fmt: skip
        chapter.keys.append(KeyNumber(words.signed(100 * change, unit="%"), f"rounds: {length}", strong=False))
    chapter.hero = _hero(study, pairs, line)


def _picks_fights(without, with_ghost):
    more = BATTLES.of(with_ghost.results).value / BATTLES.of(without.results).value
    begun = of_ghost("attacks")(with_ghost.results).value
    return more >= PICKS_FIGHTS and begun >= 0.5 * BATTLES.difference(without.results, with_ghost.results).value


def _standfirst(study, pairs, few, many):
    said = []
    if pairs:
        of_reference = [p for p in pairs if p[0].factors[LINE_UP] == study.reference.factors[LINE_UP]] or pairs
        added = sorted(BATTLES.difference(a.results, b.results).value for a, b in of_reference)
        low, high = (words.amount(v, 0) for v in (added[0], added[-1]))
        span = words.number(float(low)) if low == high else f"{words.number(float(low))} to {words.number(float(high))}"
        said.append(f"It adds {span} battles to a game.")
    rates = [(s, s.results.ghost_win_rate.value) for s in ((many, few) if many is not few else (few,))]
    told = [
        f"{words.one_game_in(rate) or words.percent(rate) + ' of the games'} with {words.number(s.rules.players)} "
        "players"
        for s, rate in rates
    ]
    said.append(f"It wins {words.listed(told)}.")
    others = [m for m in claims.CLAIMS if m.measure is not BATTLES]
    if pairs and all(abs(m.measure.effect(a.results, b.results)) < CLEARLY for m in others for a, b in pairs):
        said.append("The rest goes much as before.")
    return said


def _hero(study, pairs, line):
    panels = []
    if pairs:
        shown = {}
        for a, b in pairs:
            near = all(a.factors[n] == study.reference.factors[n] for n in (LINE_UP, "edition"))
            if near or a.rules.players not in shown:
                shown[a.rules.players] = (a, b)
        made = []
        for setting in line:
            n = setting.rules.players
            if n in shown:
                without, with_ghost = (BATTLES.of(s.results) for s in shown[n])
                marks = [mark_of(without, False, "base", name="without"), mark_of(with_ghost, name="with the ghost")]
                made.append(Row(f"{n} players", marks))
            else:
                made.append(Row(f"{n} players", [mark_of(BATTLES.of(setting.results))], note="always with it"))
        panels.append(Panel("Battles in a game", made, weight=1.15))
    wins = []
    for setting in line:
        mark = mark_of(setting.results.ghost_win_rate, True, name="the ghost")
        even = 1 / setting.rules.ships
        wins.append(Row(f"{setting.rules.players} players", [mark], even, words.percent(even, 0)))
    panels.append(Panel("Games that the ghost wins", wins, form="bars", equal_name="an equal share"))
    label = "The ghost ship: " + spoken([(p.title, p.rows) for p in panels])
    sub = f"Means of {games_line(line)}, {line[0].rules.edition} rules"
    title = "More battles, few wins for the ghost" if pairs else "How often the ghost wins"
    return Figure("ghost", title, sub, rows(label, panels, row_height=44))


# What the rulebook says


@chapter_named("claims", applies=lambda study: bool(study.contrasts("ghost")))
def rule_book(study: Study, looks: Looks) -> Chapter:
    """The chapter on the rulebook's claims."""
    chapter = Chapter("claims", "The rulebook's claims")
    tables = claims.all_tables(study)
    summary = claims.summary_table(tables)
    chapter.tables += [summary, *tables]
    verdicts = {row[0]: row[-1] for row in summary.rows}
    chapter.headline = chapter.heading = _claims_headline(verdicts)
    _tell_claims(study, looks, chapter, tables, verdicts)
    battles = chart_rows(study, "Battles per game", BATTLES.of, settings=study.uniform())
    sub = f"Mean per game, without and with the ghost; {games_line(study.uniform())}"
    chapter.figures = [_effects_figure(study), Figure("battles", "Battles at each table", sub, battles),
                       *_rare_figure(study)]  # fmt: skip
    _claims_screen(study, chapter, verdicts)
    return chapter


SUBJECTS = {
    "It brings more battles": "battles",
    "It brings more turns": "turns",
    "It brings more shortages": "shortages",
    "It slows the game down": "pace",
    claims.RARELY: "wins",
}


def _claims_headline(verdicts):
    """A headline with the claims that clearly hold at every table, or else those that do not."""
    right = [SUBJECTS[c] for c, v in verdicts.items() if v == claims.HOLDS]
    wrong = [SUBJECTS[c] for c, v in verdicts.items() if v in (claims.OPPOSITE, claims.FAILS)]
    if len(right) == len(verdicts):
        return "The rulebook is right about its ghost ship"
    if right:
        return f"The rulebook is right about the {words.listed(right)}, and little else"
    if wrong:
        return f"The rulebook is wrong about the {words.listed(wrong)}"
    return "What the rulebook says of its ghost ship depends on the table"


def _tell_claims(study, looks, chapter, tables, verdicts):
    planned = [claims.short_label(study, s) for s in thinking(study.settings)]
    said, effects = [], []
    for claim, table in zip(claims.CLAIMS, tables[1:], strict=True):
        places = [row for row in table.rows if row[0] in planned] or table.rows
        looked = [(row, looks.is_clear(row[3])) for row in places]
        effects += [abs(row[4].value) for row, clear in looked if clear]
        said.append(both_ends(claim, places, verdicts[table.title]))
    rare = verdicts[claims.RARELY]
    settings = thinking(claims.ghost_settings(study))
    held = [s for s in settings if claims.verdict_on_wins(study, s) == claims.HOLDS]
    close = [s for s in settings if claims.verdict_on_wins(study, s) == claims.OPEN]
    numbers = sorted({s.rules.players for s in held})
    text = "Take not rare as one game in ten, and it "
    text += (
        f"holds only with {words.listed([words.number(n) for n in numbers], 'or')} players "
        f"({words.number(len(held))} of {words.number(len(settings))} tables)"
        if held and rare != claims.HOLDS
        else "holds at every table"
        if held
        else "holds nowhere"
    )
    text += (
        f"; too close to call: {words.listed([claims.short_label(study, s) for s in close], 'and')}." if close else "."
    )
    chapter.effect = max(effects, default=0.0)
    chapter.say("The 2021 rulebook says that it is not rare for the ghost ship to win.", text)
    for sentence in said:
        chapter.say(sentence)
    chapter.say(
        f"An effect below {claims.SMALL} standard deviations of a single game is called small. The verdicts allow for "
        f"all {claims.tests_made(study)} tests at once."
    )


def both_ends(claim, rows_, verdict) -> str:
    """A claim's verdict with the least and the largest change."""
    in_order = sorted(rows_, key=lambda row: row[3].value * claim.direction)
    least, most = in_order[0], in_order[-1]
    unit = claim.measure.column if "round" in claim.measure.column else f"{claim.measure.column} a game"
    unit = "rounds" if claim.measure is ROUNDS else unit
    ends = f"from {prose.change(least[3])} ({least[0]}) to {prose.change(most[3])} ({most[0]})"
    return f"{claim.words}: {verdict}; {ends} {unit}."


def _effects_figure(study):
    made = []
    planned = thinking(study.settings)
    pairs = [(a, b) for a, b in claims.contrasts(study) if a in planned] or claims.contrasts(study)
    for claim in claims.CLAIMS:
        found = [(claims.short_label(study, a), claims.standardised(claim, a, b)) for a, b in pairs]
        found.sort(key=lambda item: item[1].value)
        marks = []
        for number, (name, estimate) in enumerate(found):
            ends = number in (0, len(found) - 1)
            text = f"{words.amount(estimate.value, 2)}" if ends else ""
            marks.append(Mark(estimate.value, text, title=f"{name}: {prose.whole(estimate)}"))
        made.append(Row(claim.short.capitalize(), marks))
    made.sort(key=lambda row: -row.marks[-1].value)
    label = f"Effect sizes of the rulebook's claims: {spoken([('', made)])}"
    panel = Panel("", made, line=claims.SMALL, line_name=f"below {claims.SMALL} one hardly notices", dashed=True)
    sub = (
        f"Standard deviations of a single game, to the right as the rulebook says; "
        f"{words.number(len(pairs))} tables, {games_line([study.reference])} each"
    )
    return Figure("claims", "What the ghost changes, as the rulebook says", sub, rows(label, [panel]))


def _rare_figure(study):
    if "ghost" in (study.chapters or ("ghost",)):
        return []
    settings = claims.ghost_settings(study)
    drawing = chart_rows(
        study, "How often the ghost ship wins", lambda results: results.ghost_win_rate, True, settings,
        line=claims.NOT_RARE, line_name="one in ten", dashed=True, bridge=False,
    )  # fmt: skip
    return [Figure("rare", "How often the ghost wins", f"Share of the games; {games_line(settings)}", drawing)]


def _claims_screen(study, chapter, verdicts):
    held = {row[0]: row[1] for row in chapter.tables[0].rows}
    battles = claims.CLAIMS[0]
    pairs = claims.contrasts(study)
    reference = next((p for p in pairs if study.reference in p), pairs[0])
    ratio_ = BATTLES.of(reference[1].results).value / BATTLES.of(reference[0].results).value
    verb = words.times(ratio_)
    players = words.number(reference[0].rules.players)
    standfirst = []
    if verb:
        standfirst.append(f"With {players} players the ghost {verb} the battles.")
    small = [c.short for c in claims.CLAIMS if verdicts[c.words] != claims.HOLDS]
    if small:
        standfirst.append(
            f"{words.sentence(words.listed(small))}: small where they hold at all, and not at every table."
        )
    rare = verdicts[claims.RARELY]
    standfirst.append(
        "It is rare that it wins, but for the smallest tables."
        if rare == "depends on the table"
        else f"That it is not rare for it to win: {rare}."
    )
    chapter.standfirst = standfirst
    for claim in (battles.words, claims.RARELY, *(c.words for c in claims.CLAIMS[1:])):
        short = next((c.short for c in claims.CLAIMS if c.words == claim), "wins that are not rare")
        chapter.keys.append(KeyNumber(held[claim], f"tables have {short}", strong=verdicts[claim] == claims.HOLDS))
    chapter.keys = chapter.keys[:5]
    chapter.hero = _effects_figure(study)
