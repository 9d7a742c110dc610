"""Every clause of the rules has a test that would catch it if broken: the last test of the suite says so, or fails."""

from clauses import missing


def test_every_clause_is_proven(proven_clauses):
    assert missing(proven_clauses) == []
