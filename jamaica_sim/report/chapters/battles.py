"""Battles: how often, where, who wins, what is taken and what they cost."""

from jamaica_sim.components import board
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts
from jamaica_sim.report.chapter import (
    Chapter,
    Finding,
    Picture,
    basis,
    by_round,
    by_setting,
    cautious_ratio,
    cell,
    heat,
    is_clear,
    of_game,
    overlay,
    points,
    rate_of,
    ratio,
    where,
    worst_spaces,
)
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.jackknife import jackknife

ATTACKER, DEFENDER = 0, 1


def battles(study: Study) -> Chapter:
    """The chapter."""
    question = "How often do ships fight, who wins, what is taken and what does it cost?"
    chapter = Chapter("battles", "Battles", question)
    settings, setting = study.uniform(), study.reference
    overview, taken, spaces = _overview(settings), _booty_table(settings), worst_spaces(study, setting, "battles")
    chapter.tables += [overview, taken, spaces, by_round(study, setting, "battles")]
    chapter.pictures += [
        heat(study, setting, "battles"),
        Picture(
            "by_round",
            "Battles in each round, in the games that come so far.",
            lambda: charts.battles_by_round(overlay(study)),
        ),
        Picture("loot", "What the winner of a battle takes, times per game.", lambda: charts.loot(overlay(study))),
    ]
    name = setting.label
    chapter.say(
        f"A game has {cell(overview, name, 'per game')} battles {where(study, setting)}, and "
        f"{cell(overview, name, 'gunpowder each')} gunpowder is spent in each; the winner takes gold in "
        f"{cell(taken, name, charts.LOOT_WORDS[0])} of them and nothing in {cell(taken, name, charts.LOOT_WORDS[-1])}."
    )
    chapter.find(*_role_finding(study, setting, overview), *_space_finding(study, setting, spaces))
    return chapter


def _role(role):
    """The share of their battles that ships win which in their game only attacked, or only defended."""

    def read(results):
        fought, won = results.sums.role(role)
        return jackknife(rate_of(fought, won), int(fought[0]))

    return read


def role_difference(results):
    """By how much attackers win a larger share of their battles than defenders."""
    (attacks, won), (defences, held) = (results.sums.role(role) for role in (ATTACKER, DEFENDER))
    return points(jackknife(rate_of(attacks, won) - rate_of(defences, held), int(attacks[0])))


def _overview(settings):
    columns = {
        "per game": of_game("battles"),
        "per round": ratio(lambda sums: sums.game("battles"), lambda sums: sums.game("rounds")),
        "ties": ratio(
            lambda sums: sums.game("battles") - sums.game("decided_battles"), lambda sums: sums.game("battles")
        ),
        "attackers win": _role(ATTACKER),
        "defenders win": _role(DEFENDER),
        "difference, points": role_difference,
        "gunpowder each": ratio(lambda sums: sums.game("powder_spent"), lambda sums: sums.game("battles")),
    }
    note = "attackers and defenders: players' ships that in their game only attacked, or only were attacked"
    return by_setting(settings, "Battles", columns, ("ties", "attackers win", "defenders win"), note)


def _loot_share(kind):
    return lambda results: cautious_ratio(charts.loot_of_all(results, kind), results.of_game("decided_battles"))


def _booty_table(settings):
    columns = {word: _loot_share(kind) for kind, word in enumerate(charts.LOOT_WORDS)}
    note = "share of the battles that were not a tie; these intervals are on the wide side"
    return by_setting(settings, "What the winner of a battle takes", columns, list(columns), note)


def _role_finding(study, setting, overview):
    attack, defence = (_role(role)(setting.results) for role in (ATTACKER, DEFENDER))
    if not is_clear(role_difference(setting.results)):
        return []
    text = (
        f"Attackers win {cell(overview, setting.label, 'attackers win')} of their battles, defenders "
        f"{cell(overview, setting.label, 'defenders win')} {basis(study, setting)}."
    )
    return [Finding(text, cohen_h(attack.value, defence.value), "attack or defence")]


def _space_finding(study, setting, spaces):
    even = 1 / (len(board()) - 1)  # not on Port Royal (B1)
    space, kind, _, _, share = spaces.rows[0]
    if not is_clear(share, even):
        return []
    text = (
        f"Space {space}, a {kind}, sees {cell(spaces, 0, 'share')} of all battles, where {even:.1%} would be an equal "
        f"share of the spaces {basis(study, setting)}."
    )
    return [Finding(text, cohen_h(share.value, even), "where battles are")]
