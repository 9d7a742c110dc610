"""The ghost ship: how often it wins, where it ends, what it takes; and what the rulebook claims about it."""

from functools import partial

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts, claims
from jamaica_sim.report.chapter import (
    Chapter,
    Finding,
    Picture,
    basis,
    by_setting,
    cell,
    is_clear,
    named,
    ratio,
    thinking,
)
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import proportion_interval
from jamaica_sim.tally.layout import RED_LINE

GHOST = "ghost ship"
ENDS = ("home", "past the red line", "before the red line")


def ghost(study: Study) -> Chapter:
    """The chapter on the ghost ship."""
    question = "How often does the ghost ship win, where does it end, and what does it take?"
    chapter = Chapter("ghost", "The ghost ship", question)
    settings = claims.ghost_settings(study)
    label = partial(claims.short_label, study)
    wins, ends, booty = _win_table(settings, label), _end_table(settings, label), _booty_table(settings, label)
    chapter.tables += [wins, ends, booty]
    few = {label(setting): setting.results for setting in _one_for_each_number(settings)}
    chapter.pictures += [
        Picture("ends", "Where the ghost ship is when the game ends.", lambda: charts.ghost_ends(few)),
        Picture("loot", "What the ghost ship takes when it wins a battle, per game.", lambda: charts.ghost_loot(few)),
    ]
    if len(few) > 1:
        everyone = named(settings)
        wins_picture = Picture(
            "wins", "The ghost ship's win rate by number of players.", lambda: charts.ghost_wins(everyone)
        )
        chapter.pictures.insert(0, wins_picture)
    chapter.find(*_win_findings(study, wins, settings))
    name = label(settings[0])
    chapter.say(
        f"At the end it is past the red line in {cell(ends, name, ENDS[1])} of the games and home in "
        f"{cell(ends, name, ENDS[0])} ({name}); it fights {cell(booty, name, 'battles')} battles and wins "
        f"{cell(booty, name, 'battles won')} of them."
    )
    return chapter


def _of_ghost(quantity):
    return lambda results: results.of_ships("group", results.table.groups.index(GHOST), quantity)


def _equal_share(results):
    return f"{1 / results.table.rules.ships:.1%}"


def _win_table(settings, label):
    columns = {
        "win rate": lambda results: results.ghost_win_rate,
        "equal share": _equal_share,
        "score": _of_ghost("score"),
        "position": _of_ghost("position_points"),
        "gold": _of_ghost("gold"),
        "treasures": _of_ghost("treasure_points"),
        "treasures taken": _of_ghost("treasures_taken"),
    }
    return by_setting(settings, "The ghost ship's wins", columns, ("win rate",), "win rate and points per game", label)


def _end_table(settings, label):
    columns = {word: _share_of_ends(number) for number, word in enumerate(ENDS)}
    return by_setting(settings, "Where the ghost ship is at the end", columns, ENDS, "share of the games", label)


def _share_of_ends(which):
    def read(results):
        behind, circuit, home = results.tally["final_spaces"][results.table.rules.players]
        counts = (home.sum(), circuit[RED_LINE:].sum(), behind.sum() + circuit[:RED_LINE].sum())
        return proportion_interval(int(counts[which]), results.games)

    return read


def _booty_table(settings, label):
    columns = {
        "battles": _of_ghost("battles"),
        "attacks": _of_ghost("attacks"),
        "battles won": ratio(lambda sums: sums.group(GHOST, "battles_won"), lambda sums: sums.group(GHOST, "battles")),
    }
    for kind, word in enumerate(charts.LOOT_WORDS):
        if LOOT_KINDS[kind] != "give":  # the ghost cannot (G6)
            columns[word] = _loot(kind)
    note = "times per game: its battles, those that it began, and what it took"
    return by_setting(settings, "What the ghost ship does in battle", columns, ("battles won",), note, label)


def _loot(kind):
    return lambda results: results.of_row("loot", results.table.rules.players, kind)


def _win_findings(study, wins, settings):
    """With two players, and where its win rate is furthest from an equal share."""
    found = []
    for setting in thinking(settings):
        rate, even = setting.results.ghost_win_rate, 1 / setting.rules.ships
        than = "more than" if rate.low > even else "less than" if rate.high < even else "about"
        text = (
            f"The ghost ship wins {cell(wins, claims.short_label(study, setting), 'win rate')} of the games with "
            f"{setting.rules.players} players, {than} the {even:.1%} that would be an equal share "
            f"{basis(study, setting)}."
        )
        effect = cohen_h(rate.value, even) if is_clear(rate, even) else 0.0
        found.append(Finding(text, effect, f"ghost wins {setting.rules.players}"))
    largest = max(found, key=lambda finding: abs(finding.effect))
    return [found[0], largest] if found[0].topic != largest.topic else [found[0]]


def _one_for_each_number(settings):
    """The first setting for each number of players."""
    first = {}
    for setting in settings:
        first.setdefault(setting.rules.players, setting)
    return list(first.values())


# What the rulebook says


def rule_book(study: Study) -> Chapter:
    """The chapter on the rulebook's claims."""
    question = "Is it true what the 2021 rulebook says about its own ghost ship?"
    chapter = Chapter("claims", "The rulebook's claims", question)
    tables = claims.all_tables(study)
    summary = claims.summary_table(tables)
    chapter.tables += [summary, *tables]
    chapter.find(_rare_finding(study, tables[0], summary))
    for claim, table in zip(claims.CLAIMS, tables[1:], strict=True):
        chapter.find(_claim_finding(study, claim, table, _verdict(summary, table.title)))
    caption = "What the ghost ship changes, in standard deviations of a single game, towards what the rulebook says."
    chapter.pictures.append(Picture("claims", caption, lambda: charts.claimed_changes(claims.effects(study))))
    chapter.cautions.append(
        f"Not rare is taken as at least {claims.NOT_RARE:.0%} of the games, and an effect below {claims.SMALL} "
        f"standard deviations as small. The verdicts allow for all {claims.tests_made(study)} tests at once, with "
        "wider intervals than those shown."
    )
    return chapter


def _verdict(summary, title):
    return f"{cell(summary, title, 'verdict')} ({cell(summary, title, 'holds at')} tables)"


def _rare_finding(study, table, summary):
    setting = claims.ghost_settings(study)[0]
    text = (
        f"{table.title}: {_verdict(summary, table.title)}. With {setting.rules.players} players it wins "
        f"{cell(table, 0, table.columns[1])} of the games, where {table.rows[0][2]} would be an equal share "
        f"({table.rows[0][0]}; {setting.games:,} games)."
    )
    return Finding(
        text,
        cohen_h(setting.results.ghost_win_rate.value, 1 / setting.rules.ships),
        f"ghost wins {setting.rules.players}",
    )


def _claim_finding(study, claim, table, verdict):
    """The claim with its verdict, and the table at which the change is largest among those who play with a plan."""
    planned = [claims.short_label(study, setting) for setting in thinking(study.settings)]
    places = [number for number, row in enumerate(table.rows) if row[0] in planned]
    place = max(places, key=lambda number: abs(table.rows[number][4].value))
    label, difference, effect = (table.rows[place][column] for column in (0, 3, 4))
    text = (
        f"{claim.words}: {verdict}. Where they change most, {claim.measure} go from {cell(table, place, 'without')} to "
        f"{cell(table, place, 'with')}, by {cell(table, place, 'difference')} ({label}; {difference.n:,} games each; "
        f"effect size {cell(table, place, 'effect size d')})."
    )
    return Finding(text, effect.value, f"ghost {claim.numerator}")
