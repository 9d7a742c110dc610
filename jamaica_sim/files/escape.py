"""Escapes text from users for a terminal, a Markdown page and a browser; and the known word nearest to a misspelt one.

Names of files, strategies and experiments can contain anything. rich gets them with its markup off, matplotlib with its
formulas off, HTML through the templates' autoescape. Everything else goes through here.
"""

import codecs
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from html import escape
from urllib.parse import quote

from jamaica_sim.errors import UserError

# Characters that old terminals cannot show, and their replacements.
IN_ASCII = {
    "±": "+/-",
    "×": "x",
    "·": ".",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "→": "->",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "é": "e",
    "█": "#",
    "▒": ":",
    "━": "-",
    "─": "-",
    "│": "|",
}
PLAIN = "jamaica_plain"
LONGEST_SHOWN = 60  # characters of a value in a message
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # control, format, surrogate, private, unknown, separators


def visible(text: str, kept: str = "\n\t") -> str:
    """Text in which characters that a terminal would obey instead of show are written out."""
    if text.isprintable():
        return text
    return "".join(c if c in kept or unicodedata.category(c) not in INVISIBLE else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode() if ord(character) < 0x110000 else "?"


def raised(error: BaseException) -> str:
    """What somebody's code raised, also where the exception's own words raise."""
    try:
        words = str(error)
    except BaseException:
        words = "its words cannot be shown"
    return f"raised {type(error).__name__}: {words}".rstrip(": ")


def shown(value: object) -> str:
    """A value as a message shows it, however long it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "something too long to show"
    except BaseException:  # a user's object whose own words raise
        return "something that cannot be shown"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def markdown(text: object) -> str:
    """Text escaped for Markdown, on one line: nothing in it is a heading, a list, a link, a table or HTML."""
    line = re.sub(r"([\\`*\[\]|~])", r"\\\1", _one_line(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", line)
    line = line.replace("://", "&#58;//").replace("www.", "www&#46;")  # many readers make links of addresses
    line = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)
    return re.sub(r"^(#|[-+=](?=[-+=\s]|$))", r"\\\1", line)


def link(path: object) -> str:
    """A relative path as the address of a link, in Markdown or HTML."""
    return quote(str(path), safe="/", errors="replace")


def _one_line(text: object) -> str:
    return " ".join(visible(str(text), "\n\t").split())


def html_text(text: object, quote: bool = True) -> str:
    """Text escaped for a browser; inside an attribute, quotes must be too."""
    return escape(visible(str(text)), quote)


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook; the first column is aligned left, the others right."""

    def line(tag: str, row: Sequence[object]) -> str:
        cells = zip(["left", *["right"] * (len(row) - 1)], row, strict=True)
        return "".join(f"<{tag} style='text-align:{side}'>{html_text(cell)}</{tag}>" for side, cell in cells)

    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return (
        f"<table><caption style='text-align:left;caption-side:top'>{html_text(caption)}</caption>"
        f"<thead><tr>{line('th', columns)}</tr></thead><tbody>{body}</tbody></table>"
    )


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Error handler for streams: replace characters that a stream cannot show, or write out their codes."""
    assert isinstance(error, UnicodeEncodeError)
    wanted = error.object[error.start : error.end]
    return "".join(IN_ASCII.get(c) or _written_out(c) for c in wanted), error.end


codecs.register_error(PLAIN, _in_plain_letters)


def for_stream(text: str, encoding: str | None) -> str:
    """Text as a stream of this encoding can show it."""
    encoding = encoding or "utf-8"
    try:
        return visible(text).encode(encoding, PLAIN).decode(encoding)
    except LookupError:  # an encoding that Python does not know
        return visible(text).encode("ascii", PLAIN).decode("ascii")


# Did you mean


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
