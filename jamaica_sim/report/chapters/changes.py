"""What the factors of an experiment change in the course of a game, on the same deals."""

import math

from jamaica_sim.experiment.setting import (
    LINE_UP,
    USUAL,
    VARIANT,
    Setting,
    factor_value,
    factor_words,
    label_of,
)
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    by_setting,
    chapter_named,
    chart_rows,
    games_line,
    mark_of,
    spoken,
    thinking,
    usual,
)
from jamaica_sim.report.forms import Mark, Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.measures import COURSE, ROUNDS, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import CLEARLY

MOST_SENTENCES = 3
MOST_VALUES = 8
MANY_LINE_UPS = 2  # mixed line-ups are compared too, unless there are more than this, as in a tournament


@chapter_named("changes", applies=lambda study: bool(study.varying))
def changes(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("changes", "What changes")
    settings = compared_settings(study)
    shares = [m.column for m in COURSE if m.share]
    course = by_setting(settings, "The course of a game", {m.column: m.of for m in COURSE}, shares, "means per game")
    chapter.tables.append(course)
    factors = [factor for factor in study.varying if pairs_of(study, factor)]
    for number, factor in enumerate(factors):
        _tell_factor(study, looks, chapter, factor, is_main=number == 0)
    chapter.say(left_out(study, settings))
    chapter.heading = chapter.heading or "Nothing here can be compared"
    return chapter


def compared_settings(study: Study) -> list[Setting]:
    """The settings whose games are compared: all, or without the mixed ones where these are many."""
    mixed = {s.factors[LINE_UP] for s in study.settings if s.is_mixed}
    return list(study.settings) if len(mixed) <= MANY_LINE_UPS else list(study.uniform())


def left_out(study: Study, settings) -> str:
    """A sentence about the settings that are not compared here."""
    missing = [s for s in study.settings if s not in settings]
    if not missing:
        return ""
    return (
        f"Left out here are the {len(missing)} settings in which different strategies sit at one table: there it is "
        "the strategies that make the difference"
        + (", and who wins has a chapter of its own." if "who_wins" in (study.chapters or ("who_wins",)) else ".")
    )


def pairs_of(study: Study, factor: str) -> list[tuple[Setting, Setting]]:
    """Pairs of settings that differ in the factor alone: both values, or the reference and each other value."""
    settings = compared_settings(study)
    if factor == LINE_UP:  # a sentence then says "when all play"
        settings = [s for s in settings if not s.is_mixed]
    pairs = [(a, b) for a, b in study.contrasts(factor) if a in settings and b in settings]
    if pairs:
        return pairs
    return [(study.reference, s) for s in study.along(factor) if s is not study.reference and s in settings]


def pair_of_reference(study: Study, pairs):
    """The pair to show where only one can be shown: the one with the reference in it, or the first."""
    return next((pair for pair in pairs if study.reference in pair), pairs[0])


def _tell_factor(study, looks, chapter, factor, is_main):
    pairs = pairs_of(study, factor)
    table = _difference_table(study, factor, pairs)
    chapter.tables.append(table)
    found = _findings(study, looks, pairs)
    many = not study.contrasts(factor)
    if is_main:
        _lead(study, chapter, factor, found, many)
    top = found["large"][: MOST_SENTENCES if is_main else 1]
    said = [_sentence(study, factor, measure, pairs, many) for measure in top]
    if is_main and factor not in USUAL:  # the name of a rule is long: it is said once
        said[1:] = [_sentence(study, factor, measure, pairs, many, is_first=False) for measure in top[1:]]
        said.append(_also(study, factor, found["large"][MOST_SENTENCES:], pairs, many))
    chapter.say(*said, _small(found) if is_main else "")


def _difference_table(study, factor, pairs):
    rest = [name for name in study.varying if name != factor]
    is_contrast = bool(study.contrasts(factor))
    rows_ = [
        (
            label_of(a, rest) if is_contrast and rest else factor_words(factor, b.factors[factor]),
            *(measure.difference(a.results, b.results) for measure in COURSE),
        )
        for a, b in pairs
    ]
    first, second = (factor_words(factor, setting.factors[factor]) for setting in pairs[0])
    title = f"{second} against {first}" if is_contrast else f"Difference from {first}"
    columns = [f"{measure.column}, points" if measure.share else measure.column for measure in COURSE]
    return ResultTable(title[0].upper() + title[1:], ("table", *columns), rows_, note="differences on the same deals")


def _findings(study, looks, pairs):
    """The measures in three heaps: large changes (largest first), small but clear changes, no clear change."""
    planned = thinking(study.settings)
    shown = [(a, b) for a, b in pairs if a in planned and b in planned] or pairs
    heaps = {"large": [], "small": [], "none": []}
    sizes = {}
    for measure in COURSE:
        effects = [measure.effect(a.results, b.results) for a, b in shown]
        clear = [looks.is_clear(measure.difference(a.results, b.results)) for a, b in shown]
        sizes[measure.key] = max(abs(effect) for effect in effects)
        large = [e for e, ok in zip(effects, clear, strict=True) if ok and abs(e) >= CLEARLY]
        heap = "large" if large else "small" if any(clear) else "none"
        heaps[heap].append(measure)
    for heap in heaps.values():
        heap.sort(key=lambda measure: -sizes[measure.key])
    return heaps | {"sizes": sizes, "pairs": shown}


# The first screen


def _lead(study, chapter, factor, found, many):
    chapter.effect = max(found["sizes"].values())
    chapter.headline = chapter.heading = _headline(study, factor, found, many)
    chapter.hero = _values_figure(study, factor, found) if many else _changes_figure(study, factor, found)
    chapter.figures += [chapter.hero, *_more_figures(study, factor, found, many)]
    a, b = pair_of_reference(study, found["pairs"])
    if many:
        a, b = _ends(study, factor)
    for measure in found["large"][:2]:
        chapter.keys.append(_key(factor, measure, a, b, many))
    if ROUNDS not in found["large"][:2]:
        chapter.keys.append(_key(factor, ROUNDS, a, b, many))
    chapter.standfirst = [
        *(_plainly(study, factor, measure, a, b, many) for measure in found["large"][:2]),
        _rest(found),
    ]


def _plainly(study, factor, measure, a, b, many):
    """A change in everyday words, for the first screen."""
    if factor == LINE_UP:
        a, b = _extremes(study, measure, factor)
    before, after = measure.of(a.results).value, measure.of(b.results).value
    show = words.percent if measure.share else words.amount
    has_subject = factor in USUAL  # the name of a rule is no subject of a sentence
    verb = words.times(after / before) if has_subject and before > 0 and not measure.share else ""
    thing = measure.noun if measure.share else measure.column
    if factor == LINE_UP:
        return f"{thing}: {show(before)} with {a.strategies[0].name}, {show(after)} with {b.strategies[0].name}."
    if many:
        values = [factor_words(factor, s.factors[factor]) for s in (a, b)]
        return f"{thing} a game: {show(before)} with {values[0]}, {show(after)} with {values[1]}."
    if verb:
        return f"{_subject(study, factor)} {verb if factor == 'ghost' else _plural(verb)} the {measure.column}."
    return f"{thing}: {show(after)} instead of {show(before)}."


def _plural(verb):
    """The verb in the plural."""
    first, *rest = verb.split(" ")
    words_ = [first, *rest] if first != "nearly" and first != "more" else rest
    whole = " ".join(
        [w[:-1] if w.endswith("s") and w in ("doubles", "halves", "trebles", "adds") else w for w in words_]
    )
    return f"{first} {whole}" if words_ is rest else whole


def _rest(found):
    if not found["large"]:
        return "No measure of the game changes by more than a fifth of a standard deviation."
    if len(found["large"]) <= 3:
        return "The rest changes little beside the luck of a game."
    return ""


def _headline(study, factor, found, many):
    large = found["large"]
    if factor == LINE_UP:
        return _line_up_headline(study, found)
    phrases = [_phrase(measure, found["pairs"], many) for measure in large]
    phrases = [p for p in phrases if p][:2]
    if factor not in USUAL and not many:
        start = f"With {factor_words(factor, found['pairs'][0][1].factors[factor])}"
        return f"{start}: {words.listed(phrases)}" if phrases else f"{start} the game hardly changes"
    subject, is_one = _subject(study, factor), factor == "ghost"
    if not phrases:
        return f"{subject} hardly {'changes' if is_one else 'change'} the game"
    verb = "mean" if many else "brings" if is_one else "bring"
    but = ""
    if ROUNDS not in large and found["sizes"][ROUNDS.key] < CLEARLY:
        but = ", but hardly a longer game" if many else ""
    return f"{subject} {verb} {words.listed(phrases)}{but}"


def _subject(study, factor):
    """The subject of a headline."""
    if factor == "ghost":
        return "The ghost ship"
    if factor == "players":
        return "More players"
    if factor == "edition":
        return f"The {max(s.rules.edition for s in study.settings)} rules"
    return "The variants" if factor == VARIANT else f"Other values of {factor.replace('_', ' ')}"


def _phrase(measure: Measure, pairs, many) -> str:
    """More or less of a measure, if three pairs in four go the same way."""
    signs = [(measure.effect(a.results, b.results) > 0) == (_rises(a, b) if many else True) for a, b in pairs]
    if sum(signs) >= 0.75 * len(signs):
        return measure.more
    return measure.less if len(signs) - sum(signs) >= 0.75 * len(signs) else ""


def _rises(a, b):
    """Whether b has the larger value of the factor in which the two differ."""
    factor = next(f for f in a.factors if factor_value(a, f) != factor_value(b, f))
    before, after = factor_value(a, factor), factor_value(b, factor)
    return after > before if type(before) is type(after) else True


def _line_up_headline(study, found):
    measure = next((m for m in found["large"] if m is not ROUNDS), ROUNDS)
    low, high = _extremes(study, measure, LINE_UP)
    return (
        f"{measure.column.capitalize()} hang on the strategy: {words.amount(measure.of(low.results).value)} a game "
        f"with {low.strategies[0].name}, {words.amount(measure.of(high.results).value)} with {high.strategies[0].name}"
    )


def _extremes(study, measure, factor):
    alike = [s for s in study.along(factor) if s in study.uniform()]
    planned = thinking(alike)
    in_order = sorted(planned if len(planned) > 1 else alike, key=lambda s: measure.of(s.results).value)
    return in_order[0], in_order[-1]


def _ends(study, factor):
    """The settings with the least and the largest value of a factor with many values."""
    along = thinking([s for s in study.along(factor) if s in compared_settings(study)])
    if factor == LINE_UP:
        return _extremes(study, COURSE[1], factor)
    along.sort(key=lambda s: factor_value(s, factor))
    return along[0], along[-1]


def _key(factor, measure, a, b, many):
    before, after = measure.of(a.results), measure.of(b.results)
    if many:
        names = [factor_words(factor, s.factors[factor]) for s in (a, b)]
        text = f"{words.amount(before.value)} → {words.amount(after.value)}"
        return KeyNumber(
            text, f"{measure.column} in a game with {names[0].replace(' players', '')} and with {names[1]}"
        )
    change = measure.relative(a.results, b.results).value
    if words.size(measure.effect(a.results, b.results), change) == "hardly":
        return KeyNumber(words.signed(100 * change, unit="%"), f"{measure.column}: hardly any change", strong=False)
    difference = measure.difference(a.results, b.results)
    unit = " points" if measure.share else ""
    show = words.percent if measure.share else words.amount
    return KeyNumber(
        words.signed(difference.value, prose.decimals_of(difference.value), unit),
        f"{measure.column} a game: {show(after.value)} instead of {show(before.value)}",
    )


# Sentences


def instead(factor: str, a: Setting, b: Setting) -> str:
    """The beginning of a sentence about a change."""
    before, after = a.factors[factor], b.factors[factor]
    if factor == "ghost":
        return "with the ghost ship"
    if factor == "edition":
        return f"by the rules of {after}"
    if factor == LINE_UP:
        return f"when all play {after} instead of {before}"
    if factor == "players":
        return f"with {words.number(after)} players instead of {words.number(before)}"
    if factor == VARIANT:
        return f"with {after.name} instead of {before.name}"
    return f"with {factor_words(factor, after)} instead of {before}"


def _sentence(study, factor, measure, pairs, many, is_first=True):
    """A measure before and after the change, at the reference or between the ends."""
    a, b = _ends(study, factor) if many else pair_of_reference(study, pairs)
    if factor == LINE_UP:
        a, b = _extremes(study, measure, factor)
    show = prose.share if measure.share else prose.mean
    before, after = show(measure.of(a.results)), show(measure.of(b.results))
    rises = "rises" if measure.of(b.results).value > measure.of(a.results).value else "falls"
    if factor == LINE_UP:
        return (
            f"{measure.noun} is {before} when all play {a.strategies[0].name} and {after} when all play "
            f"{b.strategies[0].name}."
        )
    how = (
        ""
        if many
        else f" {words.size(measure.effect(a.results, b.results), measure.relative(a.results, b.results).value)}"
    )
    start = f"{instead(factor, a, b)}, " if is_first else ""
    return f"{start}{measure.noun} {rises}{how}, from {before} to {after}."


def _also(study, factor, measures, pairs, many):
    """One sentence about all large changes that have none of their own."""
    if not measures:
        return ""
    a, b = _ends(study, factor) if many else pair_of_reference(study, pairs)
    told = [
        f"{m.column} {prose.change(m.difference(a.results, b.results), ' points' if m.share else '')}" for m in measures
    ]
    return f"other clear changes: {words.listed(told)}."


def _small(found):
    """One sentence about all differences that are too small to matter."""
    small = [m for m in (*found["small"], *found["none"])]
    if not small:
        return ""
    largest = max(found["sizes"][m.key] for m in small)
    names = words.listed([m.column for m in small])
    return f"Too small to matter, with effect sizes of at most {largest:.2f}: {names}."


# Figures


def _changes_figure(study, factor, found):
    """The change of every measure in percent, at all pairs of settings."""
    rows_ = []
    for measure in sorted(COURSE, key=lambda m: -abs(_largest_change(m, found["pairs"]))):
        marks = []
        for a, b in found["pairs"]:
            change = measure.relative(a.results, b.results)
            rest = label_of(a, [n for n in study.varying if n != factor])
            marks.append(
                Mark(
                    100 * change.value,
                    words.signed(100 * change.value, unit="%"),
                    hollow=_is_old(study, factor, a),
                    title=f"{rest}: {prose.whole(change, True)}",
                )  # fmt: skip
            )
        marks.sort(key=lambda m: m.value)
        kept = [m if i in (0, len(marks) - 1) else _silent(m) for i, m in enumerate(marks)]
        rows_.append(Row(measure.column.capitalize(), kept))
    shown = rows_[:MOST_VALUES]
    label = f"Change of each measure in percent: {spoken([('', shown)])}"
    panel = Panel("", shown, line=0.0, line_name="no change", low=min(0.0, *_all(shown)), high=max(0.0, *_all(shown)))
    hollow = "; hollow: 2007 rules" if any(m.hollow for r in shown for m in r.marks) else ""
    tables = len(found["pairs"])
    sub = f"Change in percent, least and most of {words.number(tables)} tables{hollow}"
    if tables == 1:
        sub = f"Change in percent; {games_line([study.reference])}"
    title = {"ghost": "What the ghost changes", "edition": "What the 2021 rules change"}.get(factor, "What changes")
    return Figure("changes", title, sub, rows(label, [panel]))


def _more_figures(study, factor, found, many):
    """The measures that change most, before and after; of a factor with many values, further measures by value."""
    if many:
        rest = [m for m in found["large"] if m is not ROUNDS][2:5] if factor != LINE_UP else found["large"][3:6]
        return [_values_figure(study, factor, found, rest, "more")] if rest else []
    figures = []
    for measure in found["large"][:2]:
        drawing_ = chart_rows(study, measure.column.capitalize(), measure.of, measure.share)
        unit = "Share of the games" if measure.share else "Mean per game"
        sub = f"{unit}, before and after; {games_line(usual(study))}"
        figures.append(
            Figure(
                f"by_table_{measure.game or measure.key}", f"{measure.column.capitalize()} at each table", sub, drawing_
            )
        )
    return figures


def _all(shown):
    return [m.value for row in shown for m in row.marks]


def _silent(mark):
    return Mark(mark.value, "", mark.role, mark.hollow, title=mark.title)


def _is_old(study, factor, setting):
    return factor != "edition" and "edition" in study.varying and setting.rules.edition == "2007"


def _largest_change(measure, pairs):
    changes_ = [measure.relative(a.results, b.results).value for a, b in pairs]
    return max((c for c in changes_ if not math.isnan(c)), key=abs, default=0.0)


def _values_figure(study, factor, found, measures=None, name="values"):
    """The measures that change most, for every value of the factor."""
    settings = [s for s in study.along(factor) if s in compared_settings(study)]
    if measures is None:
        measures = (found["large"] or list(COURSE))[:3]
        if ROUNDS not in measures and factor != LINE_UP:
            measures = [*measures[:2], ROUNDS]
    if factor == LINE_UP:
        settings.sort(key=lambda s: -measures[0].of(s.results).value)
    else:
        settings.sort(key=lambda s: factor_value(s, factor))
    panels = []
    for measure in measures:
        made = [
            Row(
                factor_words(factor, s.factors[factor]),
                [mark_of(measure.of(s.results), measure.share)],
            )
            for s in settings
        ]
        panels.append(Panel(measure.title, made, form="bars"))
    by = "strategy" if factor == LINE_UP else factor.replace("_", " ")
    label = f"By {by}: " + spoken([(p.title, p.rows) for p in panels])
    sub = f"Per game; {games_line(settings)}"
    title = "What the number of players changes" if factor == "players" else f"The game by {by}"
    if name == "more":
        title = "What else changes"
    return Figure(name, title, sub, rows(label, panels))
