"""Every clause of the rules has a test that would catch it if broken: the last test of the suite says so, or fails."""

from clauses import missing


def test_every_clause_is_proven(proven_clauses):
    unproven = missing(proven_clauses)
    assert not unproven, f"no test that passed is tagged with {', '.join(unproven)}"
