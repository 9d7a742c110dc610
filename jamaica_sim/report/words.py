"""Words for figures. Nothing here knows the game."""

import math

from jamaica_sim.game.words import listed as listed

MINUS = "−"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(value: float) -> str:
    """A small whole number as a word."""
    return NUMBERS[int(value)] if float(value).is_integer() and 0 <= value < len(NUMBERS) else f"{value:,.0f}"


def percent(share: float, decimals: int = 1) -> str:
    """A share as text, from the raw value."""
    return signless(f"{100 * share:.{decimals}f}") + "%"


def amount(value: float, decimals: int = 1) -> str:
    """A number as text, with a true minus."""
    return signless(f"{value:,.{decimals}f}")


def at_most(value: float, decimals: int = 0) -> str:
    """A bound as text: rounded up, so that no figure below it is left out."""
    step = 10**decimals
    return amount(math.ceil(value * step - 1e-9) / step, decimals)


def signed(value: float, decimals: int = 1, unit: str = "") -> str:
    """A difference with its sign."""
    text = amount(value, decimals)
    return f"{text if text.startswith(MINUS) or float(text.replace(',', '')) == 0 else f'+{text}'}{unit}"


def signless(text: str) -> str:
    """No minus before zero, and a true minus sign elsewhere."""
    bare = text.lstrip("-")
    is_nothing = float(bare.replace(",", "")) == 0
    return bare if is_nothing or not text.startswith("-") else f"{MINUS}{bare}"


def sentence(text: str) -> str:
    """One line that begins with a capital, without the gaps that empty words leave."""
    text = " ".join(text.split())
    for mark in ",.:;":
        text = text.replace(f" {mark}", mark)
    return text[:1].upper() + text[1:]


def games(count: int) -> str:
    """A number of games in everyday words: "2.8 million games"."""
    if count >= 1_000_000:
        return f"{count / 1e6:.1f}".removesuffix(".0") + " million games"
    return f"{count:,} game{'s' if count != 1 else ''}"
