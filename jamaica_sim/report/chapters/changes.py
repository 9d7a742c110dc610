"""What the factors of an experiment change in the course of a game, on the same deals.

Two settings are compared only where they differ in the factor alone. The values of a scale (players, hand size) are
told from one end to the other, and a trend is claimed only if every step of it is clear. Any other value (an edition, a
house rule, a line-up) is told beside the first one, which is the printed one where there is one.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

from jamaica_sim.experiment.setting import (
    LINE_UP,
    USUAL,
    Setting,
    differing_factors,
    label_of,
    order_of,
)
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import (
    has_chapter,
    is_like,
    is_random,
    thinking,
    value_words,
)
from jamaica_sim.report.chapter import Chapter, ChapterSource, KeyNumber
from jamaica_sim.report.chapters.change_charts import (
    MOST_OPTIONS,
    NOUNS,
    Change,
    Factor,
    Fairness,
    Option,
    SettingPair,
    before_and_after,
    changes_figure,
    fairness,
    options_figures,
    rest,
    values_figure,
)
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.sheet import Sheet, sheet
from jamaica_sim.results.measures import CAPTAIN, COURSE, ROUNDS, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.rules import HOUSE_RULES
from jamaica_sim.stats.clear import CLEARLY, NOTICEABLE

MOST_SENTENCES = 3
MANY_LINE_UPS = 2  # mixed line-ups are compared too, unless there are more than this, as in a tournament


@dataclass(frozen=True)
class Changes(Findings):
    """What the factors of an experiment change."""

    sheet: Sheet
    factors: list[Factor]


# Finding


def find(study: Study) -> Changes:
    """Compare the settings of each factor, measure by measure."""
    figures = sheet(study, {m.column: m for m in COURSE}, settings=compared_settings(study))
    factors = [_factor(study, name) for name in study.varying]
    return Changes(figures, [factor for factor in factors if factor])


def compared_settings(study: Study) -> list[Setting]:
    """The settings whose games are compared: all, or without the mixed ones where these are many."""
    mixed = {s.factors[LINE_UP] for s in study.settings if s.is_mixed}
    return list(study.settings) if len(mixed) <= MANY_LINE_UPS else list(study.uniform())


def _factor(study: Study, name: str) -> Factor | None:
    settings = [s for s in compared_settings(study) if name != LINE_UP or not s.is_mixed]
    values = list(dict.fromkeys(order_of(s, name) for s in settings))
    is_scale = len(values) > 2 and all(isinstance(v, int | float) for v in values)
    reference = study.reference
    printed = [order_of(s, name) for s in settings if not s.rules.changes()]
    first = next((v for v in values if v in printed), order_of(reference, name))
    if len(values) == 2 and (len(set(printed)) != 1):
        first = min(values)
    if is_scale:
        first = order_of(reference, name)
        settings = [s for s in settings if s in study.along(name)]
    by_value: dict[Any, list[SettingPair]] = {value: [] for value in values if value != first}
    for a, b in product(settings, settings):
        if (
            order_of(a, name) == first != order_of(b, name)
            and differing_factors(a, b) == [name]
            and is_like(a, b, name)
        ):
            by_value[order_of(b, name)].append((a, b))
    planned = thinking(study.settings)
    every = [pair for pairs in by_value.values() for pair in pairs]
    if not every:
        return None
    shown = [
        [(a, b) for a, b in pairs if a in planned and b in planned] or pairs for pairs in by_value.values() if pairs
    ]
    if is_scale:
        along = [s for s in settings if is_like(s, reference, name)]
        in_order = sorted(thinking(along), key=lambda s: order_of(s, name))
        options = [_option(study, name, [pair for pairs in shown for pair in pairs], in_order)]
    else:
        options = [_option(study, name, pairs) for pairs in shown]
    return Factor(name, is_scale, options, _difference_table(study, name, every, is_one=len(by_value) == 1))


def _option(study: Study, name: str, pairs: list[SettingPair], steps: "list[Setting] | None" = None) -> Option:
    ends = (steps[0], steps[-1]) if steps else next((pair for pair in pairs if study.reference in pair), pairs[0])
    changes = []
    for measure in COURSE:
        differences = [Comparison(measure.difference(a.played, b.played)) for a, b in pairs]
        cases = dict(zip((rest(study, name, a) for a, _ in pairs), differences, strict=True))
        if steps:
            cases = {
                f"the step from {value_words(name, a)} to {apart(name, a, b)}": Comparison(
                    measure.difference(a.played, b.played)
                )
                for a, b in zip(steps, steps[1:], strict=False)
            }
        rises = measure.of(ends[1].played).value >= measure.of(ends[0].played).value
        says = f"{instead(name, *ends)} there are {measure.more if rises else measure.less}"
        effects = [measure.effect(a.played, b.played) for a, b in pairs]
        relatives = [measure.relative(a.played, b.played) for a, b in pairs]
        changes.append(Change(measure, effects, differences, relatives, Claim(says, cases, 1 if rises else -1)))
    fair = fairness(pairs) if name not in USUAL and not steps else []
    return Option(value_words(name, ends[1]), pairs, ends, sorted(changes, key=lambda c: -c.size), fair)


def _difference_table(study: Study, factor: str, pairs: list[SettingPair], is_one: bool) -> ResultTable:
    several = len({rest(study, factor, a) for a, _ in pairs}) > 1
    names = [
        rest(study, factor, a) if is_one and several
        else ", ".join(filter(None, (value_words(factor, b), rest(study, factor, a) if several else "")))
        for a, b in pairs
    ]  # fmt: skip
    content = [
        (name, *(measure.difference(a.played, b.played) for measure in COURSE))
        for name, (a, b) in zip(names, pairs, strict=True)
    ]
    first, second = (value_words(factor, setting) for setting in pairs[0])
    title = f"{second} against {first}" if is_one else f"Difference from {first}"
    columns = [f"{measure.column}, points" if measure.share else measure.column for measure in COURSE]
    return ResultTable(words.sentence(title), ("table", *columns), content, note="differences on the same deals")


# Words


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
    return f"with {value_words(factor, b)} instead of {apart(factor, b, a)}"


def apart(factor: str, first: Setting, second: Setting) -> str:
    """The value at the second setting without the words that it shares with the first, as in "hand size 5 to 6"."""
    before, after = (value_words(factor, s).split() for s in (first, second))
    shared = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return " ".join(after[shared:])


def write(changes: Changes, judge: Judge) -> Chapter:
    """The chapter."""
    figures = changes.sheet
    chapter = Chapter("changes", "What changes", tables=[figures.table("The course of a game", note="means per game")])
    for number, factor in enumerate(changes.factors):
        chapter.tables.append(factor.table)
        if number == 0:
            _lead(figures, factor, judge, chapter)
        if len(factor.options) > 1:
            _write_options(figures, factor, judge, chapter)
        else:
            _write_change(figures, factor, judge, chapter, is_main=number == 0)
    chapter.say(_left_out(figures.study))
    chapter.heading = chapter.heading or "Nothing here can be compared"
    return chapter


def _write_change(figures: Sheet, factor: Factor, judge: Judge, chapter: Chapter, is_main: bool) -> None:
    [option] = factor.options
    large = option.large(judge)
    top = large[: MOST_SENTENCES if is_main else 1]
    chapter.claims += [change.claim for change in top]
    sentences = [_sentence(figures, factor, judge, change, is_first=n == 0) for n, change in enumerate(top)]
    if is_main and factor.name not in USUAL and len(large) > MOST_SENTENCES:
        more = [(c.measure, c.differences[option.pairs.index(option.ends)].estimate) for c in large[MOST_SENTENCES:]
                if option.ends in option.pairs]  # fmt: skip
        lines = [f"{m.column} {prose.change(change, ' points' if m.share else '')}" for m, change in more]
        sentences.append(f"other clear changes: {words.listed(lines)}." if lines else "")
    small = [change for change in option.changes if change not in large] if is_main else []
    if small:
        names = words.listed([change.measure.column for change in small])
        least = f"effect sizes of at most {words.at_most(max(c.size for c in small), 2)}"
        sentences.append(f"hardly visible beside the luck of a game ({least}): {names}." if large else "")
    chapter.say(*sentences)


def _sentence(figures: Sheet, factor: Factor, judge: Judge, change: Change, is_first: bool) -> str:
    """A measure before and after the change, at the reference or between the ends, with its scope.

    Where nothing clear happens at the reference but does under rules of one's own, these are told.
    """
    measure, (a, b), pairs = change.measure, factor.options[0].ends, factor.options[0].pairs
    own = [n for n, one in enumerate(change.differences) if judge.is_clear(one) and pairs[n][0].rules.changes()]
    if own and (a, b) in pairs and not judge.is_clear(change.differences[pairs.index((a, b))]):
        a, b = pairs[max(own, key=lambda n: abs(change.effects[n]))]
    before, after = figures.at(measure.column, a), figures.at(measure.column, b)
    show = prose.share if measure.share else prose.mean
    start = f"{instead(factor.name, a, b)}, " if is_first else ""
    rises, verdict = "rises" if after.value > before.value else "falls", judge.verdict(change.claim)
    size = ""
    if (a, b) in pairs and not factor.is_scale:
        number = pairs.index((a, b))
        size = f" {words.size(change.effects[number], change.relatives[number].value)}"
    scope = ""
    if len(change.claim.cases) > 1 and verdict.holds:
        scope = f"; {change.phrase} {verdict.scope('steps' if factor.is_scale else 'tables')}"
    return f"{start}{measure.noun} {rises}{size}, from {show(before)} to {show(after)}{scope}."


def _write_options(figures: Sheet, factor: Factor, judge: Judge, chapter: Chapter) -> None:
    """Each value beside the first, in a paragraph of its own: what it is, and its largest clear changes."""
    for option in _by_size(factor, judge)[:MOST_OPTIONS]:
        large = option.large(judge, NOTICEABLE)[:2]
        chapter.claims += [change.claim for change in large]
        told = [_beside(figures, factor, option, change, judge) for change in large]
        fair = [one for one in option.fairness if judge.is_clear(one.difference)]
        for phrase in dict.fromkeys(one.phrase for one in fair):
            cases = [_fairly(figures, factor, option, one) for one in fair if one.phrase == phrase]
            told.append(f"{phrase}, {words.listed(cases)}")
        about = f"{option.name}: {_about(factor, option)}".rstrip(": ")
        chapter.say(f"{about}.", f"{'; '.join(told) or 'no clear change that anybody would notice'}.")


def _about(factor: Factor, option: Option) -> str:
    """What a house rule says, in its own words."""
    house = option.ends[1].rules.house_rules if factor.name == HOUSE_RULES else None
    return house.description.rstrip(".") if house else ""


def _beside(figures: Sheet, factor: Factor, option: Option, change: Change, judge: Judge) -> str:
    """A clear change, at the pair that is shown or else where it is largest; and at how many tables there is one."""
    clear = [n for n, one in enumerate(change.differences) if judge.is_clear(one)]
    shown = option.pairs.index(option.ends)
    number = shown if shown in clear else max(clear, key=lambda n: abs(change.effects[n]))
    (a, b), column = option.pairs[number], change.measure.column
    phrase = change.measure.more if change.effects[number] > 0 else change.measure.less
    scope = f" ({rest(figures.study, factor.name, a)})" if number != shown else ""
    if len(option.pairs) > 1 and len(clear) == len(option.pairs):
        scope = f" ({judge.verdict(change.claim).count() or 'at all tables'})"
    before, after = figures.said(column, a), figures.said(column, b)
    if prose.plain(before) == prose.plain(after):  # too small for the figures, but clear on the same deals
        difference = prose.change(change.differences[number].estimate, " points" if change.measure.share else "")
        return f"{phrase}, {difference} beside {before}{scope}"
    return f"{phrase}, {after} instead of {before}{scope}"


def _fairly(figures: Sheet, factor: Factor, option: Option, fair: Fairness) -> str:
    """A clear change in who wins, and at which table."""
    table = rest(figures.study, factor.name, option.pairs[fair.number][0])
    is_edge = fair.measure is CAPTAIN
    before, after = (prose.mean(one.scaled(100)) if is_edge else prose.share(one) for one in (fair.before, fair.after))
    unit = " points" if is_edge else ""
    return f"{after} instead of {before}{unit}{f' ({table})' if table else ''}"


def _by_size(factor: Factor, judge: Judge) -> list[Option]:
    """The options, those that change the game most first."""
    return sorted(factor.options, key=lambda o: -max((c.size for c in o.large(judge, NOTICEABLE)), default=0.0))


def _left_out(study: Study) -> str:
    """Sentences about the settings that are not compared here."""
    missing = [s for s in study.settings if s not in compared_settings(study)]
    unlike = [s for s in study.along("players") if "players" in study.varying
              and not is_like(s, study.reference, "players") and s not in missing]  # fmt: skip
    parts = []
    if missing:
        own = ", and who wins has a chapter of its own" if has_chapter(study, "who_wins") else ""
        parts.append(
            f"Left out here are the {len(missing)} settings in which different strategies sit at one table: there it "
            f"is the strategies that make the difference{own}."
        )
    if unlike and "ghost" not in study.varying:
        labels = list(dict.fromkeys(label_of(s, ["players"]) for s in unlike))
        parts.append(f"{words.listed(labels)}: not compared with tables without the ghost ship.")
    if any(is_random(s) for s in study.settings) and len(thinking(study.settings)) < len(study.settings):
        parts.append("Tables where all play at random are in the figures and tables, not in the sentences.")
    return " ".join(words.sentence(part) for part in parts)


# The first screen


def _lead(figures: Sheet, factor: Factor, judge: Judge, chapter: Chapter) -> None:
    options = _by_size(factor, judge)
    option = options[0]
    large = option.large(judge, CLEARLY if len(options) == 1 else NOTICEABLE)
    measures = [change.measure for change in large]
    chapter.effect = option.changes[0].size
    chapter.headline = chapter.heading = _headline(figures.study, judge, factor, option, large)
    if len(options) > 1:
        chapter.figures += options_figures(figures, factor, options, judge)
        chapter.hero = chapter.figures[0]
    elif factor.is_scale:
        shown = measures[:2] if ROUNDS in measures[:2] else [*(measures or list(COURSE))[:2], ROUNDS]
        others = [m for m in measures if m not in shown][:3]
        chapter.hero = values_figure(figures, factor, shown)
        chapter.figures += [chapter.hero, *([values_figure(figures, factor, others, more=True)] if others else [])]
    else:
        chapter.hero = changes_figure(figures, factor)
        chapter.figures += [chapter.hero, *(before_and_after(figures, measure) for measure in measures[:2])]
    keys = measures[:2] if ROUNDS in measures[:2] else [*measures[:2], ROUNDS]
    chapter.keys += [_key(figures, factor, option, measure) for measure in keys]
    rest_told = "" if len(large) > 3 else "The rest changes little beside the luck of a game."
    if not large:
        rest_told = "No measure of the game changes by more than a fifth of a standard deviation."
    about = f"{_about(factor, option)}." if _about(factor, option) else ""
    chapter.standfirst = [about, *(_plainly(figures, factor, option, measure) for measure in measures[:2]), rest_told]


def _headline(study: Study, judge: Judge, factor: Factor, option: Option, large: list[Change]) -> str:
    phrases = [change.phrase for change in large if judge.verdict(change.claim).kind == HOLDS][:2]
    if len(factor.options) > 1:
        count, nouns = words.number(len(factor.options)), NOUNS.get(factor.name, f"values of {factor.name}")
        if not large:
            return f"None of {count} {nouns} changes the game by much"
        return f"Of {count} {nouns}, {option.name} changes the game most: {words.listed(phrases or [large[0].phrase])}"
    if factor.name not in USUAL and not factor.is_scale:
        start = f"With {option.name}"
        return f"{start}: {words.listed(phrases)}" if phrases else f"{start} the game changes at some tables only" \
            if large else f"{start} the game hardly changes"  # fmt: skip
    is_one = factor.name == "ghost"
    subject = {"ghost": "The ghost ship", "edition": f"The {option.name} rules"}.get(factor.name, "")
    if factor.is_scale:
        low, high = value_words(factor.name, option.ends[0]), apart(factor.name, *option.ends)
        subject = f"From {low} to {high} the game has"
        if factor.name == "players":
            numbers = [words.number(s.rules.players) for s in option.ends]
            subject = f"More players, from {numbers[0]} to {numbers[1]}, mean"
    verb = "" if factor.is_scale else "brings" if is_one else "bring" if subject else f"{option.name} brings"
    if not phrases:
        if factor.is_scale:
            return f"From {low} to {high} the game changes {'in different ways' if large else 'little'}"
        return f"{subject} {'changes' if is_one else 'change'} the game {'in different ways' if large else 'by little'}"
    rounds = next(change for change in option.changes if change.measure is ROUNDS)
    is_short = factor.is_scale and rounds not in large and rounds.size < CLEARLY
    return f"{subject} {verb} {words.listed(phrases)}{', but hardly a longer game' if is_short else ''}"


def _plainly(figures: Sheet, factor: Factor, option: Option, measure: Measure) -> str:
    """A change in everyday words, for the first screen."""
    a, b = option.ends
    before, after = (figures.at(measure.column, s).value for s in (a, b))
    show = words.percent if measure.share else words.amount
    thing = measure.noun if measure.share else measure.column
    if factor.is_scale:
        low, high = value_words(factor.name, a), apart(factor.name, a, b)
        return f"{thing}: {show(before)} with {low}, {show(after)} with {high}."
    return f"{thing}: {show(after)} instead of {show(before)}."


def _key(figures: Sheet, factor: Factor, option: Option, measure: Measure) -> KeyNumber:
    a, b = option.ends
    before, after = (figures.at(measure.column, s).value for s in (a, b))
    if factor.is_scale:
        text = f"{words.amount(before)} → {words.amount(after)}"
        return KeyNumber(
            text, f"{measure.title}: with {value_words(factor.name, a)} and with {apart(factor.name, a, b)}"
        )
    change = next(c for c in option.changes if c.measure is measure)
    number = option.pairs.index(option.ends)
    relative, difference = change.relatives[number].value, change.differences[number].estimate
    if words.size(change.effects[number], relative) == "hardly":
        return KeyNumber(words.signed(100 * relative, unit="%"), f"{measure.title}: hardly any change", strong=False)
    show = words.percent if measure.share else words.amount
    return KeyNumber(
        words.signed(difference.value, prose.decimals_of(difference.value), " points" if measure.share else ""),
        f"{measure.title}: {show(after)} instead of {show(before)}",
    )


CHAPTERS = {"changes": ChapterSource(find, write, lambda study: bool(study.varying))}
