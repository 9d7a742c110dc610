"""What the factors of an experiment change in the course of a game, on the same deals.

Two settings are compared only where they differ in the factor alone. The values of a scale (players, hand size) are
told from one end to the other, and a trend is claimed only if every step of it is clear. Any other value (an edition, a
house rule, a line-up) is told beside the first one, which is the printed one where there is one.
"""

from jamaica_sim.experiment.setting import LINE_UP, USUAL, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import has_chapter, is_like, is_random, thinking, value_words, without
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber
from jamaica_sim.report.chapters import change_charts as charts
from jamaica_sim.report.chapters.change_charts import Change, Factor, Option, Shift, apart, instead
from jamaica_sim.report.judge import HOLDS, Findings, Judge
from jamaica_sim.report.sheet import Sheet
from jamaica_sim.results.measures import CAPTAIN, COURSE, ROUNDS, Measure
from jamaica_sim.rules import HOUSE_RULES
from jamaica_sim.stats.clear import CLEARLY, NOTICEABLE

MOST_SENTENCES = 3


class Changes(Findings):
    """What the factors of an experiment change, measure by measure."""

    def __init__(self, study: Study):
        self.sheet = Sheet(study, {m.column: m for m in COURSE}, settings=charts.compared_settings(study))
        factors = [Factor(study, name) for name in study.varying]
        self.factors = [factor for factor in factors if factor.options]

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        figures, table = self.sheet, self.sheet.table("The course of a game", note="means per game")
        chapter = Chapter("changes", "What changes", tables=[table])
        for number, factor in enumerate(self.factors):
            chapter.tables += factor.tables
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
        more = [shift for change in large[MOST_SENTENCES:] if (shift := change.at(option.ends))]
        lines = [f"{shift.measure.column} {_difference(shift)}" for shift in more]
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
    measure, option = change.measure, factor.options[0]
    shift = change.at(option.ends)
    own = [one for one in change.clear(judge) if one.pair[0].rules.changes()]
    if own and shift and not judge.is_clear(shift.difference):
        shift = max(own, key=lambda one: abs(one.effect))
    a, b = shift.pair if shift else option.ends
    before, after = figures.at(measure.column, a), figures.at(measure.column, b)
    show = prose.share if measure.share else prose.mean
    start = f"{instead(factor.name, a, b)}, " if is_first else ""
    rises, verdict = "rises" if after.value > before.value else "falls", judge.verdict(change.claim)
    size = f" {words.size(shift.effect, shift.relative.value)}" if shift and not factor.is_scale else ""
    scope = ""
    if len(change.claim.cases) > 1 and verdict.holds:
        scope = f"; {change.phrase} {verdict.scope('steps' if factor.is_scale else 'tables')}"
    values = f"from {show(before)} to {show(after)}"
    if shift and prose.plain(show(before)) == prose.plain(show(after)):  # too small for the figures
        values = f"by {prose.how_many(shift.difference.estimate)}{' points' * measure.share} from {show(before)}"
    return f"{start}{measure.noun} {rises}{size}, {values}{scope}."


def _write_options(figures: Sheet, factor: Factor, judge: Judge, chapter: Chapter) -> None:
    """Each value beside the first, in a paragraph of its own: what it is, and its largest clear changes."""
    for option in _by_size(factor, judge)[: charts.MOST_OPTIONS]:
        large = option.large(judge, NOTICEABLE)[:2]
        chapter.claims += [change.claim for change in large]
        changes = [_beside(figures, factor, option, change, judge) for change in large]
        fair = [one for one in option.fairness if judge.is_clear(one.difference)]
        for phrase in dict.fromkeys(one.phrase for one in fair):
            cases = [_fairly(figures, factor, one) for one in fair if one.phrase == phrase]
            changes.append(f"{phrase}, {words.listed(cases)}")
        told = f"{'; '.join(changes) or 'no clear change that anybody would notice'}."
        if factor.name == LINE_UP:
            chapter.say(f"when all play {option.name}: {told}")
        else:
            chapter.say(f"{option.name}: {_about(factor, option)}".rstrip(": ") + ".", told)


def _about(factor: Factor, option: Option) -> str:
    """What a house rule says, in its own words."""
    house = option.ends[1].rules.house_rules if factor.name == HOUSE_RULES else None
    return house.description.rstrip(".") if house else ""


def _beside(figures: Sheet, factor: Factor, option: Option, change: Change, judge: Judge) -> str:
    """A clear change, at the pair that is shown or else where it is largest; and at how many tables there is one."""
    clear, shown = change.clear(judge), change.at(option.ends)
    shift = shown if shown in clear else max(clear, key=lambda one: abs(one.effect))
    assert shift is not None  # only changes that are clear somewhere are told
    a, b = shift.pair
    scope = f" ({without(factor.name, figures.study, a)})" if shift is not shown else ""
    if len(option.pairs) > 1 and len(clear) == len(option.pairs):
        scope = f" ({judge.verdict(change.claim).count() or 'at all tables'})"
    before, after = (figures.said(change.measure.column, s) for s in (a, b))
    if prose.plain(before) == prose.plain(after):  # too small for the figures, but clear on the same deals
        return f"{shift.phrase}, {_difference(shift)} beside {before}{scope}"
    return f"{shift.phrase}, {after} instead of {before}{scope}"


def _difference(shift: Shift) -> str:
    return prose.change(shift.difference.estimate, " points" if shift.measure.share else "")


def _fairly(figures: Sheet, factor: Factor, shift: Shift) -> str:
    """A clear change in who wins, and at which table."""
    table = without(factor.name, figures.study, shift.pair[0])
    is_edge = shift.measure is CAPTAIN
    ends = shift.before, shift.after
    before, after = (prose.mean(one.scaled(100)) if is_edge else prose.share(one) for one in ends)
    unit = " points" if is_edge else ""
    return f"{after} instead of {before}{unit}{f' ({table})' if table else ''}"


def _by_size(factor: Factor, judge: Judge) -> list[Option]:
    """The options, those that change the game most first."""
    return sorted(factor.options, key=lambda o: -max((c.size for c in o.large(judge, NOTICEABLE)), default=0.0))


def _left_out(study: Study) -> str:
    """Sentences about the settings that are not compared here."""
    missing = [s for s in study.settings if s not in charts.compared_settings(study)]
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


def _before_and_after(figures: Sheet, measure: Measure) -> Figure:
    title = f"{measure.column.capitalize()} at each table"
    sub = f"{'Share of the games' if measure.share else 'Mean per game'}, before and after"
    return figures.by_table(f"by_table_{measure.game or measure.key}", title, sub, measure.column)


def _lead(figures: Sheet, factor: Factor, judge: Judge, chapter: Chapter) -> None:
    options = _by_size(factor, judge)
    option = options[0]
    large = option.large(judge, CLEARLY if len(options) == 1 else NOTICEABLE)
    measures = [change.measure for change in large]
    chapter.effect = option.changes[0].size
    chapter.headline = chapter.heading = _headline(judge, factor, option, large)
    if len(options) > 1:
        chapter.figures += charts.options_figures(figures, factor, options, judge)
    elif factor.is_scale:
        shown = measures[:2] if ROUNDS in measures[:2] else [*(measures or list(COURSE))[:2], ROUNDS]
        chapter.figures.append(charts.values_figure(figures, factor, shown))
        if more := [m for m in measures if m not in shown][:3]:
            chapter.figures.append(charts.values_figure(figures, factor, more, more=True))
    else:
        chapter.figures.append(charts.changes_figure(figures, factor))
        chapter.figures += [_before_and_after(figures, measure) for measure in measures[:2]]
    keys = measures[:2] if ROUNDS in measures[:2] else [*measures[:2], ROUNDS]
    chapter.keys += [_key(figures, factor, option, measure) for measure in keys]
    others = "" if len(large) > 3 else "The rest changes little beside the luck of a game."
    if not large:
        others = "No measure of the game changes by more than a fifth of a standard deviation."
    about = f"{_about(factor, option)}." if _about(factor, option) else ""
    chapter.standfirst = [about, *(_plainly(figures, factor, option, measure) for measure in measures[:2]), others]


def _headline(judge: Judge, factor: Factor, option: Option, large: list[Change]) -> str:
    phrases = [change.phrase for change in large if judge.verdict(change.claim).kind == HOLDS][:2]
    if len(factor.options) > 1:
        count, nouns = words.number(len(factor.options)), charts.NOUNS.get(factor.name, f"values of {factor.name}")
        if not large:
            return f"None of {count} {nouns} changes the game by much"
        return f"Of {count} {nouns}, {option.name} changes the game most: {words.listed(phrases or [large[0].phrase])}"
    if factor.name not in USUAL and not factor.is_scale:
        start = f"With {option.name}"
        if phrases:
            return f"{start}: {words.listed(phrases)}"
        return f"{start} the game {'changes at some tables only' if large else 'hardly changes'}"
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
        values = f"with {value_words(factor.name, a)} and with {apart(factor.name, a, b)}"
        return KeyNumber(f"{words.amount(before)} → {words.amount(after)}", f"{measure.title} a game {values}")
    shift = next(change for change in option.changes if change.measure is measure).at(option.ends)
    assert shift is not None  # the ends of a scale need not be a pair; any other ends are
    if words.size(shift.effect, shift.relative.value) == "hardly":
        text = words.signed(100 * shift.relative.value, unit="%")
        return KeyNumber(text, f"{measure.title}: hardly any change", strong=False)
    difference, show = shift.difference.estimate.value, words.percent if measure.share else words.amount
    text = words.signed(difference, prose.decimals_of(difference), " points" if measure.share else "")
    return KeyNumber(text, f"{measure.title}: {show(after)} instead of {show(before)}")


CHAPTERS = {"changes": ChapterSource(Changes, Changes.write, lambda study: bool(study.varying))}
