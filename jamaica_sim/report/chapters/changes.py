"""What the factors of an experiment change in the course of a game, on the same deals.

Two settings are compared only where they differ in the factor alone. A trend is claimed only if every step of it is
clear; otherwise the two ends are named.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jamaica_sim.experiment.setting import LINE_UP, USUAL, VARIANT, Setting, factor_value, factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart_rows, is_random, thinking, usual
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, by_setting, games_line
from jamaica_sim.report.chapters.change_charts import changes_figure, values_figure
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.results.measures import COURSE, ROUNDS, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import CLEARLY

MOST_SENTENCES = 3
MANY_LINE_UPS = 2  # mixed line-ups are compared too, unless there are more than this, as in a tournament
SettingPair = tuple[Setting, Setting]


@dataclass(frozen=True)
class Change(Findings):
    """What one factor does to one measure: the difference of each pair of settings, and the steps of a trend."""

    measure: Measure
    size: float  # the largest effect size of a pair
    effects: list[float]
    differences: list[Comparison]
    claim: Claim  # that the measure goes the same way in every pair, or at every step


@dataclass(frozen=True)
class Factor(Findings):
    """A factor with the pairs of settings that differ in it alone."""

    name: str
    has_many: bool  # more than two values
    pairs: list[SettingPair]
    shown: list[SettingPair]  # without random play
    ends: SettingPair  # the settings to show where only two can be shown
    changes: list[Change]  # the largest first
    table: ResultTable


@dataclass(frozen=True)
class Changes(Findings):
    """What the factors of an experiment change."""

    study: Study
    course: ResultTable
    factors: list[Factor]


def find(study: Study) -> Changes:
    """Compare the settings of each factor, measure by measure."""
    settings = compared_settings(study)
    shares = [m.column for m in COURSE if m.share]
    course = by_setting(settings, "The course of a game", {m.column: m.of for m in COURSE}, shares, "means per game")
    return Changes(study, course, [_factor(study, name) for name in study.varying if pairs_of(study, name)])


def _factor(study: Study, name: str) -> Factor:
    pairs = pairs_of(study, name)
    planned = thinking(study.settings)
    shown = [(a, b) for a, b in pairs if a in planned and b in planned] or pairs
    has_many = not study.contrasts(name)
    ends = _ends(study, name) if has_many else pair_of_reference(study, shown)
    changes = [_change(study, name, measure, shown, ends, has_many) for measure in COURSE]
    table = _difference_table(study, name, pairs)
    return Factor(name, has_many, pairs, shown, ends, sorted(changes, key=lambda c: -c.size), table)


def _change(
    study: Study, factor: str, measure: Measure, pairs: list[SettingPair], ends: SettingPair, has_many: bool
) -> Change:
    effects = [measure.effect(a.played, b.played) for a, b in pairs]
    differences = [Comparison(measure.difference(a.played, b.played)) for a, b in pairs]
    rest = [name for name in study.varying if name != factor]
    cases = {label_of(a, rest) if rest else "": one for (a, _), one in zip(pairs, differences, strict=True)}
    if has_many and factor != LINE_UP:
        along = _in_order(study, factor)
        cases = {
            f"from {factor_words(factor, a.factors[factor])} to {factor_words(factor, b.factors[factor])}": Comparison(
                measure.difference(a.played, b.played)
            )
            for a, b in zip(along, along[1:], strict=False)
        }
    low, high = (measure.of(s.played).value for s in ends)
    rises = high >= low
    says = f"{instead(factor, *ends)} there are {measure.more if rises else measure.less}"
    claim = Claim(says, cases, 1 if rises else -1)
    return Change(measure, max(map(abs, effects)), effects, differences, claim)


def write(changes: Changes, judge: Judge) -> Chapter:
    """The chapter."""
    study = changes.study
    chapter = Chapter("changes", "What changes", tables=[changes.course])
    for number, factor in enumerate(changes.factors):
        _write_factor(study, judge, chapter, factor, is_main=number == 0)
    chapter.say(_left_out(study))
    chapter.heading = chapter.heading or "Nothing here can be compared"
    return chapter


# Which settings are compared


def compared_settings(study: Study) -> list[Setting]:
    """The settings whose games are compared: all, or without the mixed ones where these are many."""
    mixed = {s.factors[LINE_UP] for s in study.settings if s.is_mixed}
    return list(study.settings) if len(mixed) <= MANY_LINE_UPS else list(study.uniform())


def _is_like(a: Setting, b: Setting, factor: str) -> bool:
    """Whether the ghost ship sails at both tables or at neither; two players have it without choosing it."""
    return factor == "ghost" or a.rules.ghost == b.rules.ghost


def pairs_of(study: Study, factor: str) -> list[SettingPair]:
    """Pairs of settings that differ in the factor alone: both values, or the reference and each other value."""
    settings = compared_settings(study)
    if factor == LINE_UP:  # a sentence then says "when all play"
        settings = [s for s in settings if not s.is_mixed]
    if pairs := [(a, b) for a, b in study.contrasts(factor) if a in settings and b in settings]:
        return pairs
    others = [s for s in study.along(factor) if s is not study.reference and s in settings]
    return [(study.reference, s) for s in others if _is_like(study.reference, s, factor)]


def pair_of_reference(study: Study, pairs: list[SettingPair]) -> SettingPair:
    """The pair to show where only one can be shown: the one with the reference in it, or the first."""
    return next((pair for pair in pairs if study.reference in pair), pairs[0])


def _in_order(study: Study, factor: str) -> list[Setting]:
    """The settings along a factor that can be compared with the reference, the least value first."""
    along = [s for s in study.along(factor) if s in compared_settings(study) and _is_like(s, study.reference, factor)]
    return sorted(thinking(along), key=lambda s: factor_value(s, factor))


def _ends(study: Study, factor: str) -> SettingPair:
    """The settings with the least and the largest value of a factor with many values."""
    if factor == LINE_UP:
        return _extremes(study, COURSE[1])
    along = _in_order(study, factor)
    return along[0], along[-1]


def _extremes(study: Study, measure: Measure) -> SettingPair:
    """The line-ups with the least and with the most of a measure."""
    alike = [s for s in study.along(LINE_UP) if s in study.uniform()]
    planned = thinking(alike)
    in_order = sorted(planned if len(planned) > 1 else alike, key=lambda s: measure.of(s.played).value)
    return in_order[0], in_order[-1]


def _left_out(study: Study) -> str:
    """Sentences about the settings that are not compared here."""
    missing = [s for s in study.settings if s not in compared_settings(study)]
    unlike = [s for s in study.along("players") if "players" in study.varying
              and not _is_like(s, study.reference, "players") and s not in missing]  # fmt: skip
    parts = []
    if missing:
        own = ", and who wins has a chapter of its own" if "who_wins" in (study.chapters or ("who_wins",)) else ""
        parts.append(
            f"Left out here are the {len(missing)} settings in which different strategies sit at one table: there it "
            f"is the strategies that make the difference{own}."
        )
    if unlike and "ghost" not in study.varying:
        parts.append(f"{words.listed([s.label for s in unlike])}: not compared with tables without the ghost ship.")
    if any(is_random(s) for s in study.settings) and len(thinking(study.settings)) < len(study.settings):
        parts.append("Tables where all play at random are in the figures and tables, not in the sentences.")
    return " ".join(words.sentence(part) for part in parts)


# What is said


def _large(factor: Factor, judge: Judge) -> list[Change]:
    """The changes that are clear and large in a pair, the largest first."""
    return [
        change
        for change in factor.changes
        if any(
            judge.is_clear(one) and abs(e) >= CLEARLY for one, e in zip(change.differences, change.effects, strict=True)
        )
    ]


def _write_factor(study: Study, judge: Judge, chapter: Chapter, factor: Factor, is_main: bool) -> None:
    chapter.tables.append(factor.table)
    large = _large(factor, judge)
    if is_main:
        _lead(study, judge, chapter, factor, large)
    top = large[: MOST_SENTENCES if is_main else 1]
    sentences = [_sentence(study, factor, judge, change) for change in top]
    chapter.claims += [change.claim for change in top if factor.name != LINE_UP]
    sentences[1:] = [_sentence(study, factor, judge, change, is_first=False) for change in top[1:]]
    if is_main and factor.name not in USUAL:
        sentences.append(_also(factor, large[MOST_SENTENCES:]))
    chapter.say(*sentences, _small(factor, large) if is_main else "")


def _difference_table(study: Study, factor: str, pairs: list[SettingPair]) -> ResultTable:
    rest = [name for name in study.varying if name != factor]
    is_contrast = bool(study.contrasts(factor))
    content = [
        (
            label_of(a, rest) if is_contrast and rest else factor_words(factor, b.factors[factor]),
            *(measure.difference(a.played, b.played) for measure in COURSE),
        )
        for a, b in pairs
    ]
    first, second = (factor_words(factor, setting.factors[factor]) for setting in pairs[0])
    title = f"{second} against {first}" if is_contrast else f"Difference from {first}"
    columns = [f"{measure.column}, points" if measure.share else measure.column for measure in COURSE]
    note = "differences on the same deals"
    return ResultTable(title[0].upper() + title[1:], ("table", *columns), content, note=note)


def _lead(study: Study, judge: Judge, chapter: Chapter, factor: Factor, large: list[Change]) -> None:
    """The first screen."""
    chapter.effect = factor.changes[0].size
    chapter.headline = chapter.heading = _headline(study, judge, factor, large)
    measures = [change.measure for change in large]
    chapter.hero = (
        values_figure(study, factor.name, compared_settings(study), measures)
        if factor.has_many
        else changes_figure(study, factor.name, factor.shown)
    )
    chapter.figures += [chapter.hero, *_more_figures(study, factor, measures)]
    keys = measures[:2] if ROUNDS in measures[:2] else [*measures[:2], ROUNDS]
    chapter.keys += [_key(factor, measure) for measure in keys]
    rest = "" if len(large) > 3 else "The rest changes little beside the luck of a game."
    if not large:
        rest = "No measure of the game changes by more than a fifth of a standard deviation."
    chapter.standfirst = [*(_plainly(study, factor, measure) for measure in measures[:2]), rest]


def _plainly(study: Study, factor: Factor, measure: Measure) -> str:
    """A change in everyday words, for the first screen."""
    a, b = _extremes(study, measure) if factor.name == LINE_UP else factor.ends
    before, after = measure.of(a.played).value, measure.of(b.played).value
    show = words.percent if measure.share else words.amount
    thing = measure.noun if measure.share else measure.column
    if factor.name == LINE_UP:
        return f"{thing}: {show(before)} with {a.strategies[0].name}, {show(after)} with {b.strategies[0].name}."
    if factor.has_many:
        values = [factor_words(factor.name, s.factors[factor.name]) for s in (a, b)]
        return f"{thing} a game: {show(before)} with {values[0]}, {show(after)} with {values[1]}."
    players = "" if "players" not in study.varying else f" with {words.number(b.rules.players)} players"
    return f"{thing}{players}: {show(after)} instead of {show(before)}."


def _headline(study: Study, judge: Judge, factor: Factor, large: list[Change]) -> str:
    if factor.name == LINE_UP:
        measure = next((change.measure for change in large if change.measure is not ROUNDS), ROUNDS)
        low, high = _extremes(study, measure)
        return (
            f"{measure.column.capitalize()} depend on the strategy: {words.amount(measure.of(low.played).value)} a "
            f"game with {low.strategies[0].name}, {words.amount(measure.of(high.played).value)} with "
            f"{high.strategies[0].name}"
        )
    phrases = []
    for change in large:
        if judge.verdict(change.claim).kind == HOLDS:
            phrases.append(change.measure.more if change.claim.direction > 0 else change.measure.less)
    phrases = phrases[:2]
    if factor.name not in USUAL and not factor.has_many:
        start = f"With {factor_words(factor.name, factor.shown[0][1].factors[factor.name])}"
        return f"{start}: {words.listed(phrases)}" if phrases else f"{start} the game changes at some tables only" \
            if large else f"{start} the game hardly changes"  # fmt: skip
    subject, is_one = _subject(study, factor.name), factor.name == "ghost"
    if not phrases:
        how = "the game in different ways" if large else "the game by little"
        return f"{subject} {'changes' if is_one else 'change'} {how}"
    verb = "mean" if factor.has_many else "brings" if is_one else "bring"
    rounds = next(change for change in factor.changes if change.measure is ROUNDS)
    is_short = factor.has_many and rounds not in large and rounds.size < CLEARLY
    return f"{subject} {verb} {words.listed(phrases)}{', but hardly a longer game' if is_short else ''}"


def _subject(study: Study, factor: str) -> str:
    """The subject of a headline."""
    if factor == "players":
        low, high = (words.number(s.rules.players) for s in _ends(study, factor))
        return f"More players, from {low} to {high},"
    names = {"ghost": "The ghost ship", VARIANT: "The variants"}
    if factor == "edition":
        return f"The {max(s.rules.edition for s in study.settings)} rules"
    return names.get(factor, f"Other values of {factor.replace('_', ' ')}")


def _key(factor: Factor, measure: Measure) -> KeyNumber:
    a, b = factor.ends
    before, after = measure.of(a.played), measure.of(b.played)
    if factor.has_many:
        names = [factor_words(factor.name, s.factors[factor.name]) for s in (a, b)]
        text = f"{words.amount(before.value)} → {words.amount(after.value)}"
        return KeyNumber(
            text, f"{measure.column} in a game with {names[0].replace(' players', '')} and with {names[1]}"
        )
    change = measure.relative(a.played, b.played).value
    if words.size(measure.effect(a.played, b.played), change) == "hardly":
        return KeyNumber(words.signed(100 * change, unit="%"), f"{measure.column}: hardly any change", strong=False)
    difference = measure.difference(a.played, b.played)
    unit = " points" if measure.share else ""
    show = words.percent if measure.share else words.amount
    return KeyNumber(
        words.signed(difference.value, prose.decimals_of(difference.value), unit),
        f"{measure.column} a game: {show(after.value)} instead of {show(before.value)}",
    )


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


def _sentence(study: Study, factor: Factor, judge: Judge, change: Change, is_first: bool = True) -> str:
    """A measure before and after the change, at the reference or between the ends, with its scope."""
    measure = change.measure
    a, b = _extremes(study, measure) if factor.name == LINE_UP else factor.ends
    show = prose.share if measure.share else prose.mean
    before, after = show(measure.of(a.played)), show(measure.of(b.played))
    if factor.name == LINE_UP:
        return (
            f"{measure.noun} is {before} when all play {a.strategies[0].name} and {after} when all play "
            f"{b.strategies[0].name}."
        )
    rises = "rises" if measure.of(b.played).value > measure.of(a.played).value else "falls"
    size = words.size(measure.effect(a.played, b.played), measure.relative(a.played, b.played).value)
    start = f"{instead(factor.name, a, b)}, " if is_first else ""
    verdict = judge.verdict(change.claim)
    scope = ""
    if len(change.claim.cases) > 1:
        same = measure.more if change.claim.direction > 0 else measure.less
        scope = f"; {same} {verdict.scope('steps' if factor.has_many else 'tables')}" if verdict.holds else ""
    return f"{start}{measure.noun} {rises}{'' if factor.has_many else f' {size}'}, from {before} to {after}{scope}."


def _also(factor: Factor, large: Sequence[Change]) -> str:
    """One sentence about all large changes that have none of their own."""
    if not large:
        return ""
    a, b = factor.ends
    changes = [(c.measure, c.measure.difference(a.played, b.played)) for c in large]
    lines = [f"{m.column} {prose.change(change, ' points' if m.share else '')}" for m, change in changes]
    return f"other clear changes: {words.listed(lines)}."


def _small(factor: Factor, large: Sequence[Change]) -> str:
    """One sentence about all differences that are too small to matter."""
    small = [change for change in factor.changes if change not in large]
    if not small:
        return ""
    largest = max(change.size for change in small)
    names = words.listed([change.measure.column for change in small])
    return f"Too small to matter, with effect sizes of at most {words.at_most(largest, 2)}: {names}."


def _more_figures(study: Study, factor: Factor, measures: list[Measure]) -> list[Figure]:
    """The measures that change most, before and after; of a factor with many values, further measures by value."""
    if factor.has_many:
        rest = [m for m in measures if m is not ROUNDS][2:5] if factor.name != LINE_UP else measures[3:6]
        return [values_figure(study, factor.name, compared_settings(study), measures, rest)] if rest else []
    figures = []
    for measure in measures[:2]:
        drawing = chart_rows(study, measure.column.capitalize(), measure.of, measure.share)
        unit = "Share of the games" if measure.share else "Mean per game"
        sub = f"{unit}, before and after; {games_line(usual(study))}"
        name = f"by_table_{measure.game or measure.key}"
        figures.append(Figure(name, f"{measure.column.capitalize()} at each table", sub, drawing))
    return figures


CHAPTERS = {"changes": ChapterSource(find, write, lambda study: bool(study.varying))}
