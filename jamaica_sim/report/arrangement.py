"""Which settings of a study a chart or a sentence shows, in which words and in which rows."""

from collections.abc import Sequence

from jamaica_sim.game.rules import HOUSE_RULES, NO_HOUSE_RULES
from jamaica_sim.game.words import SPOKEN, spoken_value
from jamaica_sim.report import words
from jamaica_sim.strategy.library import RANDOM
from jamaica_sim.study.experiment.setting import (
    LINE_UP,
    USUAL,
    Setting,
    differing_factors,
    factor_value,
    factor_words,
    label_of,
    shared_changes,
    varying_factors,
)
from jamaica_sim.study.experiment.study import Study

MOST_ROWS = 16
PRINTED = "the printed rules"
FINISH = "space.0.score"


def comparable(study: Study) -> list[Setting]:
    """The settings with one strategy for all. Unusual rules may differ only if they are the compared factor."""
    allowed = {*USUAL, study.compare}
    return [s for s in study.uniform() if set(differing_factors(s, study.reference)) <= allowed]


def main_factor(study: Study) -> str:
    """The factor that a study is about: what it compares, or else the one rule that varies; empty for none."""
    rules = compared_rules(study)
    return study.compare or (rules[0] if len(rules) == 1 else "")


def same_ghost(a: Setting, b: Setting, factor: str) -> bool:
    """Whether the ghost ship sails at both tables or at neither; two players have it without choosing it."""
    return factor == "ghost" or a.rules.ghost == b.rules.ghost


def value_words(factor: str, setting: Setting) -> str:
    """A factor's value in words; no house rules are the printed rules."""
    value = setting.factors[factor]
    if factor == FINISH:
        return f"a finish worth {value}"
    if factor in SPOKEN:
        return spoken_value(factor, value)
    return PRINTED if factor == HOUSE_RULES and value == NO_HOUSE_RULES else factor_words(factor, value)


def pair_of(study: Study) -> dict[str, Setting]:
    """The reference and one table beside it, in words: the other of two values compared, editions or kinds of player.

    Without words the reference alone, where no factor has two values at tables like it.
    """
    for factor in (main_factor(study), "edition", LINE_UP):
        along = study.along(factor) if factor in study.varying and factor != "players" else []
        if len(along) == 2:
            return {mark_name(factor, s): s for s in sorted(along, key=lambda s: s is not study.reference)}
    return {"": study.reference}


def named_by(setting: Setting, names: list[str]) -> str:
    """A setting in words, by these factors; by one rule alone it is called by its value."""
    if len(names) == 1 and names[0] not in USUAL:
        return value_words(names[0], setting)
    return label_of(setting, names) if names else ""


def without(factor: str, study: Study, setting: Setting) -> str:
    """A setting in words, without a factor; empty where no other varies."""
    others = [name for name in study.varying if name != factor]
    return label_of(setting, others) if others else ""


def is_random(setting: Setting) -> bool:
    """Whether all ships play at random."""
    return all(strategy.name == RANDOM for strategy in setting.strategies)


def without_random_play(settings: Sequence[Setting]) -> list[Setting]:
    """The settings in which somebody does not play at random, if any; random play is no finding about the game."""
    return [s for s in settings if not is_random(s)] or list(settings)


def left_out_of(settings: Sequence[Setting]) -> str:
    """Words for the settings that `without_random_play` leaves out; empty where it leaves out none."""
    return "; random play is left out" if len(without_random_play(settings)) < len(settings) else ""


def base_rules(study: Study) -> str:
    """The rules of the reference table in words, where rules are compared: figures of one table are about these."""
    compared = compared_rules(study)
    return rules_words(study.reference, compared) if compared else ""


def rules_words(setting: Setting, compared: list[str]) -> str:
    """The rules of a setting in words, by the rules that are compared."""
    return named_by(setting, compared) if setting.rules.changes() else PRINTED


def compared_rules(study: Study) -> list[str]:
    """The factors that vary and are rules of one's own: not players, ghost, edition or line-up."""
    return [name for name in study.varying if name not in USUAL]


def players_words(study: Study) -> str:
    """The players of the reference table in words."""
    rules = study.reference.rules
    return f"{words.number(rules.players)} players{' and the ghost ship' if rules.ghost else ''}"


def table_words(study: Study) -> str:
    """The reference table in words, said once on each page."""
    reference, base = study.reference, base_rules(study)
    rules = f"{reference.rules.edition} rules"
    rules = f"the printed {rules}" if base == PRINTED else f"{rules}, {base}" if base else rules
    if shared := shared_changes(study.settings):
        rules = f"{rules}, {shared}"
    is_alike = not reference.is_mixed and study.compare != LINE_UP
    who = f", all {reference.strategies[0].name}" if is_alike else ""
    return f"{players_words(study)}, {rules}{who}"


def arrange(study: Study) -> tuple[dict[str, list[Setting]], str]:
    """The tables of a chart in rows, by name, and the factor with two values whose marks share a row, or none.

    That is what the study compares, or else another factor. Of many tables those near the reference are shown.
    """
    chosen, factor = sorted(comparable(study), key=lambda s: s.rules.players), main_factor(study)
    varying = varying_factors(chosen, study.compare)
    if all(s.rules.ghost for s in chosen):
        varying = [f for f in varying if f != "ghost"]  # two players have the ghost without choosing it
    two = [f for f in dict.fromkeys((factor, *varying)) if f and len({factor_value(s, f) for s in chosen}) == 2]
    mark = two[0] if two else ""
    names = [f for f in varying if f != mark]

    def name_of(s: Setting) -> str:
        name = named_by(s, names)
        return name.replace(" and ghost", "") if mark == "ghost" else name

    if len({name_of(s) for s in chosen}) > MOST_ROWS / 2 and len(names) > 1:
        near = {factor, mark} if factor in names else {factor, mark, names[0]}
        chosen = [s for s in chosen if set(differing_factors(s, study.reference)) <= near]
        names = [f for f in names if f in near] or names[:1]
    rows: dict[str, list[Setting]] = {}
    for s in chosen:
        rows.setdefault(name_of(s), []).append(s)
    return dict(list(rows.items())[:MOST_ROWS]), mark if any(len(row) > 1 for row in rows.values()) else ""


def mark_name(factor: str, setting: Setting) -> str:
    """The words that tell a mark apart from the other of its row."""
    if factor and factor not in USUAL and not setting.rules.changes():
        return PRINTED
    names = {
        "ghost": "with the ghost" if setting.rules.ghost else "without",
        "edition": f"{setting.rules.edition} rules",
    }
    return names.get(factor) or (value_words(factor, setting) if factor else "")
