"""Claims hold: those of the docs against the shipped tables, those of reports against their study; not when mutated.

A sentence that stays the same although a sign is swapped, a table is dropped or an error is larger would be no claim.
"""

import math
import re
from copy import copy
from dataclasses import replace

import pytest

import claims as docs
from jamaica_sim import balance, compare, sensitivity, sweep
from jamaica_sim.game.words import spoken_rule
from jamaica_sim.report import prose
from jamaica_sim.report.chapters import source_of
from jamaica_sim.report.chapters.balancing import proposals_chapter
from jamaica_sim.report.chapters.comparing import standings_chapter
from jamaica_sim.report.chapters.sensitivity import effects_chapter
from jamaica_sim.report.chapters.sweeping import swept_chapter
from jamaica_sim.report.judge import (
    FAILS,
    HOLDS,
    NOT_SHOWN,
    PARTLY,
    Case,
    Claim,
    Findings,
    Judge,
)
from jamaica_sim.report.parts import Part
from jamaica_sim.results.stats.estimate import Estimate, allowing_for
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.file import experiment_from_text
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.lab.balance_result import Balance
from jamaica_sim.study.lab.sensitivity import Sensitivity

STUDY = """
compare = "ghost"
line_ups = ["balanced"]
[rules]
edition = "2021"
[[tables]]
players = 2
[[tables]]
players = [3, 4, 5]
ghost = [false, true]
[measures]
close = "margin < 3"
battles_each = "battles / rounds"
"""


def around(value, half=1.0, n=100):
    return Estimate(value, value - half, value + half, n)


def verdict_on(values, null=0.0, direction=1):
    claim = Claim("it", {name: Case(around(v), null) for name, v in values.items()}, direction)
    return Judge([claim]).verdict(claim)


# Verdicts


def test_a_claim_holds_at_all_at_some_or_is_not_shown():
    assert (
        verdict_on({"a": 9.0, "b": 7.0}).kind == HOLDS and verdict_on({"a": 9.0, "b": 7.0}, direction=-1).kind == FAILS
    )
    mixed = verdict_on({"a": 9.0, "b": -7.0, "c": 0.1})
    assert mixed.kind == PARTLY and (mixed.holds, mixed.fails, mixed.open) == (("a",), ("b",), ("c",))
    assert mixed.scope() == "at one of three tables (a; the opposite at one)"
    most = verdict_on({"a": 9.0, "b": 8.0, "c": 8.0, "d": -9.0, "e": 0.1})
    assert most.scope() == "at three of five tables (not at d; unclear at e)"
    assert verdict_on({"a": 0.1, "b": -0.2}).kind == NOT_SHOWN


def test_what_was_picked_among_many_has_a_wider_interval():
    """Of twenty means of nothing, the interval of the largest holds nothing in 95 of 100 studies, not in 36."""
    import numpy as np

    luck = np.random.default_rng(3).standard_t(63, size=(600, 20))
    largest = [around(value, 1.9983) for value in luck.max(axis=1)]
    assert np.mean([e.low <= 0 for e in largest]) < 0.7
    assert np.mean([allowing_for(e, 20).low <= 0 for e in largest]) > 0.95


# Reports

LUCK = """
line_ups = ["racer", "balanced"]
compare = "line_up"
chapters = ["luck", "ladder", "swings", "decisions", "mixed", "cards", "worths", "restricted"]
[rules]
players = [3, 2]
"""
LADDER = """
compare = "line_up"
line_ups = ["random", "racer", "balanced", ["racer", "random"], ["balanced", "racer"]]
[[tables]]
players = 4
[[tables]]
players = 2
"""
STUDIES = {"ghosts": (STUDY, 600), "luck": (LUCK, 40), "ladder": (LADDER, 300)}
LABORATORY = {"sweep": swept_chapter, "balance": proposals_chapter}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """By name: studies, a sweep and a search for rules."""
    root, found = tmp_path_factory.mktemp("claims"), {}
    for name, (text, games) in STUDIES.items():
        experiment = experiment_from_text(text, root / f"{name}.toml")
        found[name] = run_experiment(experiment, root / name, games=games, threads=1)
    found["sweep"] = sweep({"hand_size": "2..3"}, games=20, strategies="random")
    found["balance"] = balance(
        {"rounds": {"at_most": 10}, "ghost": (10, 90)},
        ranges={"hand_size": "2..5", "start_food": "1..4"},
        players=2, games=100, search_games=80, trials=10, strategies="balanced", adapt=1, finalists=1,
    )  # fmt: skip
    return found


@pytest.fixture(scope="module")
def study(answers):
    return answers["ghosts"]


def text_of(findings):
    """Everything that a chapter says, and the claims that it keeps as data."""
    judge = Judge([findings])
    chapter = findings.write(judge)
    said = (chapter.heading, *chapter.standfirst, *chapter.sentences())
    return prose.plain(" ".join(said)), [judge.verdict(claim).record() for claim in chapter.claims]


def inside(found, here):
    """What findings, lists and dictionaries have in them, each with its place: classes and attributes, and parts."""
    if isinstance(found, Findings):
        kind = here if "[" in here else type(found).__name__
        return {name: (value, f"{kind}.{name}") for name, value in vars(found).items()}
    pairs = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list | tuple) else ()
    return {key: (value, f"{here}[{key}]" if isinstance(value, Part) else here) for key, value in pairs}


def changed(found, how, place, here=""):
    """The findings with the comparisons at one place changed; `how` gets and returns a dictionary."""
    if isinstance(found, Case):
        return how({"": found})[""] if here == place else found
    if isinstance(found, Claim):
        return replace(found, cases=how(dict(found.cases))) if here == place else found
    made = {key: changed(value, how, place, at) for key, (value, at) in inside(found, here).items()}
    if isinstance(found, Findings):
        other = copy(found)
        vars(other).update(made)
        return other
    return made if isinstance(found, dict) else type(found)(made.values()) if isinstance(found, list | tuple) else found


def places_in(found, here=""):
    """Every place that has comparisons, and whether they are a claim on several tables."""
    if isinstance(found, Case | Claim):
        return {here: isinstance(found, Claim) and len(found.cases) > 1}
    places = {}
    for value, at in inside(found, here).values():
        places |= places_in(value, at)
    return places


def wider(times):
    """Every interval so many times as wide."""

    def how(cases):
        ends = {
            name: (c.estimate.value, times * c.estimate.half_width or times, c.estimate.n) for name, c in cases.items()
        }
        return {name: replace(c, estimate=around(*ends[name])) for name, c in cases.items()}

    return how


def turned(cases):
    """Every estimate on the other side of its null value."""
    sides = {name: (2 * c.null - c.estimate.value, c.estimate.half_width, c.estimate.n) for name, c in cases.items()}
    return {name: replace(c, estimate=around(*sides[name])) for name, c in cases.items()}


def dropped(cases):
    return {name: c for name, c in cases.items() if name != next(iter(cases))} if len(cases) > 1 else cases


OF_CAUSES = [name for name, kind in CHAPTERS.items() if kind.causes]
ALL = {name: "luck" for name in OF_CAUSES} | {"skill": "ladder", "sweep": "sweep", "balance": "balance"}


@pytest.mark.parametrize("name", [*CHAPTERS, *LABORATORY])
def test_a_mutated_study_has_other_sentences(answers, name):
    """Every comparison of every chapter: made sure, then turned, made vague, or a table dropped."""
    find, answer = LABORATORY.get(name) or source_of(name).find, ALL.get(name, "ghosts")
    findings, unmoved = find(answers[answer]), []
    places = places_in(findings)
    for place in places:
        findings = changed(findings, wider(1e-6), place)
    sure = text_of(findings)
    for place, has_tables in places.items():
        for how in (turned, wider(1e12), *((dropped,) if has_tables else ())):
            if text_of(changed(findings, how, place)) == sure:
                unmoved.append((place, how.__name__))
    assert places and not unmoved


def test_verdicts_decide_what_is_said_of_a_proposal(answers, monkeypatch):
    """Met by the same players; with those who adapted met, missed, or not known, which is not missed."""
    said = []
    monkeypatch.setattr(Balance, "best", 1)
    for adapted_verdict in ("met", "missed", "too close to call"):

        def verdict(search, target, number, adapted=False, after=adapted_verdict):
            return "missed" if not number else after if adapted else "met"

        monkeypatch.setattr(Balance, "verdict", verdict)
        said.append(text_of(proposals_chapter(answers["balance"]))[0])
    assert len(set(said)) == 3 and "until the players adapt" in said[1] and "until the players adapt" not in said[2]


# Answers whose verdicts are their own: comparisons of strategies and effects of rules


def less_sure(answer):
    """The same figures with intervals so wide that nothing is known."""
    answer = replace(answer)
    if isinstance(answer, Sensitivity):
        answer.__dict__["effects"] = replace(answer.effects, error=1e9 * (answer.effects.error + 1))
        return answer
    object.__setattr__(answer, "plan", replace(answer.plan))
    object.__setattr__(answer.plan, "alpha", 1e-12)
    return answer


def exchanged(answer):
    """Everything that was found of the first is said of the last."""
    if isinstance(answer, Sensitivity):
        answer = replace(answer)
        answer.__dict__["effects"] = replace(answer.effects, size=answer.effects.size[::-1])
        return answer
    return replace(answer, contest=replace(answer.contest, strategies=answer.contest.strategies[::-1]))


CONTESTS = {"duel": (["champion", "balanced"], {}), "field": ("balanced", {"against": ["racer", "hoarder"]}),
            "several": (["champion", "racer", "gambler"], {})}  # fmt: skip
RULES = {"action_die": "2,3,4|4,5,6", "hand_size": "2..4", "start_food": "2..4", "limited_bank": (False, True)}
# What stays when less is known: figures with their intervals, and what a share of the variance is.
FIGURES = re.compile(r"\S+ wins \S+%|Of the victories|A rule's share|Shares add up")


@pytest.mark.parametrize("name", [*CONTESTS, "rules"])
def test_a_mutated_answer_has_no_sentence_of_the_sure_one(name):
    """Nothing but figures stays of what is said when it is made vague, and of what names somebody when exchanged."""
    if name == "rules":
        pytest.importorskip("SALib", reason="the extra lab is not installed")
        given = {"trajectories": 6, "samples": 2, "strategies": "racer", "players": 2}
        source, answer = effects_chapter, sensitivity(RULES, 100, **given)
    else:
        who, against = CONTESTS[name]
        source, answer = standings_chapter, compare(who, **against, games=360, seed=2, players=3)

    def said(of):
        findings = source(of)
        chapter = findings.write(Judge([findings]))
        told = (chapter.heading, *chapter.standfirst, *chapter.sentences())
        return [prose.plain(s).capitalize() for s in told if s]

    sure = [s for s in said(answer) if not FIGURES.match(s)]
    names = re.compile("|".join(map(spoken_rule, RULES) if name == "rules" else answer.labels), re.IGNORECASE)
    assert len(sure) > 1 and not set(sure) & set(said(less_sure(answer)))
    assert not {s for s in sure if names.search(s)} & set(said(exchanged(answer)))


def test_a_claim_says_its_scope_and_is_kept_as_data(study):
    from jamaica_sim.report.report import make_report

    report = make_report(study, ("ghost", "drama"))
    says = {claim["says"]: claim for claim in report.claims}
    seldom = says["the ghost ship wins less than one game in ten"]
    assert set(seldom["figures"]) == {f"{n} players" for n in (2, 3, 4, 5)} and seldom["verdict"] in (HOLDS, PARTLY)
    assert all(len(figures) == 4 for figures in seldom["figures"].values())


# The docs


def test_the_shipped_tables_bear_every_claim_of_the_docs():
    assert docs.check_pages() == []


@pytest.mark.parametrize("key", docs.read_claims())
def test_mutated_tables_bear_no_claim(key):
    """A swapped sign, a dropped table, an error so large that a row does not clearly have the most."""
    claim = docs.read_claims()[key]
    cells = docs.cells_of_page(claim.report)
    assert claim.problems({name: e for name, e in cells.items() if name[0] != claim.table})
    turned = {name: Estimate(-e.value, -e.high, -e.low, e.n) for name, e in cells.items()}
    wide = {name: around(e.value, 1e3) for name, e in cells.items()}
    two_sided = claim.low <= 0 <= claim.high and math.isclose(-claim.low, claim.high)
    if not two_sided:
        assert claim.problems(turned) or claim.high <= 0.1
    if claim.most:
        assert claim.problems(wide)


def test_a_page_is_tied_to_its_claims(monkeypatch, tmp_path):
    """Another figure in a sentence, a paragraph without a marker, a claim that nobody makes: all are found."""
    text = (docs.ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("")
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    for old, new, words in (
        ("It adds 4.7 to 6.6", "It adds 4.7 to 9.6", "does not say"),
        ("<!-- claims: skill-pool skill-random -->", "", "has no claim"),
        ("Among four `champion`, the cards", "Among four players, the cards", "does not say that champion plays"),
    ):
        assert old in text
        (tmp_path / "docs" / "findings.md").write_text(text.replace(old, new))
        assert any(words in problem for problem in docs.check_pages()), words


def test_fresh_games_that_differ_are_noticed():
    shipped = {("t", "r", "c"): around(5.0, 0.1)}
    assert docs.contradictions(shipped, {("t", "r", "c"): around(5.15, 0.1)}) == []
    assert len(docs.contradictions(shipped, {("t", "r", "c"): around(5.5, 0.1)})) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["player_counts", "rule_book_claims", "ghost_that_wins"])
def test_fresh_games_bear_the_claims(name, tmp_path):
    """A small part of what `tools/claims.py --fresh` does before a release."""
    assert docs.check_fresh(name, 4_000, docs.read_claims(), tmp_path) == []
