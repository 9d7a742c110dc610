"""Claims hold: those of the docs against the shipped tables, those of reports against their study; not when mutated.

A sentence that stays the same although a sign is swapped, a table is dropped or an error is larger would be no claim.
"""

import math
from dataclasses import replace
from pathlib import Path

import pytest

import claims as docs
from jamaica_sim.experiment.file import experiment_from_text
from jamaica_sim.experiment.run_experiment import run_experiment
from jamaica_sim.report import prose
from jamaica_sim.report.chapters import source_of
from jamaica_sim.report.judge import (
    FAILS,
    HOLDS,
    NO_MORE,
    NOT_SHOWN,
    PARTLY,
    Claim,
    Comparison,
    Judge,
    allowing_for,
)
from jamaica_sim.stats.estimate import Estimate

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
"""


def around(value, half=1.0, n=100):
    return Estimate(value, value - half, value + half, n)


def verdict_on(values, null=0.0, direction=1, margin=0.0, half=1.0):
    claim = Claim("it", {name: Comparison(around(v, half), null) for name, v in values.items()}, direction, margin)
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
    assert most.scope() == "at three of five tables (not at d; too close to call at e)"
    assert verdict_on({"a": 0.1, "b": -0.2}).kind == NOT_SHOWN


def test_no_difference_is_claimed_only_if_the_whole_interval_is_small():
    """Absence of evidence is none of absence."""
    small = verdict_on({"a": 0.01, "b": -0.02}, margin=0.5, half=0.1)
    assert small.kind == NO_MORE and 0.1 < small.bound < 0.5
    assert verdict_on({"a": 0.01, "b": -0.02}, margin=0.5, half=1.0).kind == NOT_SHOWN


def test_what_was_picked_among_many_has_a_wider_interval():
    """Of twenty means of nothing, the interval of the largest holds nothing in 95 of 100 studies, not in 36."""
    import numpy as np

    luck = np.random.default_rng(3).standard_t(63, size=(600, 20))
    largest = [around(value, 1.9983) for value in luck.max(axis=1)]
    assert np.mean([e.low <= 0 for e in largest]) < 0.7
    assert np.mean([allowing_for(e, 20).low <= 0 for e in largest]) > 0.95


# Reports


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims") / "ghosts"
    return run_experiment(experiment_from_text(STUDY, Path("ghosts.toml")), folder, games=600)


def text_of(source, found):
    chapter = source.write(found, Judge([found]))
    return prose.plain(" ".join((chapter.headline, chapter.heading, *chapter.standfirst, *chapter.sentences())))


def mutated(claim, how):
    """The claim with the sign of its first clear case swapped, with that case dropped, or with a far larger error."""
    judge = Judge([claim])
    name = next(name for name, case in claim.cases.items() if judge.is_clear(case))
    case, cases = claim.cases[name], dict(claim.cases)
    e = case.estimate
    if how == "drop":
        del cases[name]
    elif how == "sign":
        cases[name] = Comparison(around(2 * case.null - e.value, e.half_width, e.n), case.null)
    else:
        cases[name] = Comparison(around(e.value, 50 * e.half_width, e.n), case.null)
    return replace(claim, cases=cases)


@pytest.mark.parametrize("how", ["sign", "drop", "error"])
@pytest.mark.parametrize(("chapter", "field"), [("drama", "loses"), ("ghost", "seldom"), ("ghost", "below_share")])
def test_a_mutated_study_has_another_sentence(study, chapter, field, how):
    source = source_of(chapter)
    found = source.find(study)
    other = replace(found, **{field: mutated(getattr(found, field), how)})
    if (field, how) == ("below_share", "drop"):  # its scope is not said where it holds at the others too
        assert Judge([other]).verdict(other.below_share).claim.cases != found.below_share.cases
        return
    if field == "below_share":  # said where the stronger word does not hold
        nowhere = {name: Comparison(around(0.9, 0.01), case.null) for name, case in found.seldom.cases.items()}
        found, other = (replace(one, seldom=replace(found.seldom, cases=nowhere)) for one in (found, other))
    assert text_of(source, found) != text_of(source, other)


@pytest.mark.parametrize("how", ["sign", "drop", "error"])
def test_a_mutated_change_has_another_sentence(study, how):
    source = source_of("changes")
    found = source.find(study)
    factor = found.factors[0]
    battles = next(change for change in factor.changes if change.measure.key == "battles")
    changes = [replace(c, claim=mutated(c.claim, how)) if c is battles else c for c in factor.changes]
    other = replace(found, factors=[replace(factor, changes=changes), *found.factors[1:]])
    assert text_of(source, found) != text_of(source, other)


def test_a_claim_says_its_scope_and_is_kept_as_data(study):
    from jamaica_sim.report.report import make_report

    report = make_report(study, ("ghost", "drama"))
    says = {claim["says"]: claim for claim in report.claims}
    seldom = says["the ghost ship seldom wins"]
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
@pytest.mark.parametrize("name", ["player_counts", "rule_book_claims"])
def test_fresh_games_bear_the_claims(name, tmp_path):
    """A small part of what `tools/claims.py --fresh` does before a release."""
    assert docs.check_fresh(name, 4_000, docs.read_claims(), tmp_path) == []
