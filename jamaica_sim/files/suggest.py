"""Did you mean: the known word nearest to a misspelt one, and the words that suggest it."""

from collections.abc import Collection, Sequence

from jamaica_sim.errors import UserError

LIKELY_SLIP = 0.75  # the likeness of a misspelling: `start_gold` is no misspelt `start_gunpowder` (0.72)


def nearest(word: str, known: Collection[str], similarity: float = LIKELY_SLIP) -> str | None:
    """The known word most like this one, if its likeness, from 0 (none) to 1 (the same), is at least `similarity`."""
    from difflib import get_close_matches  # only a mistake needs it

    found = get_close_matches(str(word), known, 1, similarity)
    return found[0] if found else None


def did_you_mean(word: str, known: Collection[str], all_are: str = "known are", otherwise: str = "") -> str:
    """The end of a message about an unknown word: the nearest known one, or else `otherwise` or all known ones."""
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else otherwise or f"{all_are} {', '.join(known)}."


def place_of(word: str, known: Sequence[str], what: str) -> int:
    """The index of a word among the known ones; an unknown word is a ValueError that names the nearest one."""
    if not isinstance(word, str):
        raise UserError(f"a {what} is named by a text, not {word!r}: {', '.join(known)}.")
    if word not in known:
        raise UserError(f"there is no {what} {word!r}: {did_you_mean(word, known, 'there are')}")
    return list(known).index(word)
