"""The ids of every clause of the rules that the engine plays (`docs/rules.md`), in one place.

A test names the clauses that it would catch if broken with `@pytest.mark.clause("H2", "H4")`.
"""

SECTIONS = {
    "C": 6,  # components
    "S": 3,  # setup
    "T": 5,  # the round
    "L": 4,  # loading
    "M": 4,  # moving
    "P": 4,  # the cost of a space
    "B": 10,  # battle
    "H": 4,  # shortage
    "R": 5,  # treasures
    "E": 4,  # the end
    "G": 8,  # the ghost ship
    "K": 3,  # who knows what
}
CLAUSES = tuple(f"{section}{number}" for section, last in SECTIONS.items() for number in range(1, last + 1))


def missing(proven) -> list[str]:
    """The clauses that none of the tests has proven."""
    return [clause for clause in CLAUSES if clause not in proven]
