"""Words for figures, each with the threshold that it stands for. Nothing here knows the game.

A reader may rely on these words: *seldom* is below one in ten and below half of an equal share, *doubles* is 1.9 to
2.15 times, and so on. `THRESHOLDS` is the list that the docs and every report show.
"""

import math

from jamaica_sim.stats.clear import A_LOT, CLEARLY, NOTICEABLE

MINUS = "−"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
HARDLY_EVER, SELDOM = 0.02, 0.1
SAME = 0.02  # a change by less than this share of the value goes unnoticed

THRESHOLDS = (
    ("never, hardly ever, seldom", "none seen; below 2%; below 10% and below half of an equal share"),
    ("about one in ten", "within 5% of it; one in N with N = 2 to 5, 10, 20, 25, 50, 100, 200, 500, 1,000"),
    ("doubles, nearly doubles, half as many again", "1.9 to 2.15 times; 1.7 to 1.9; 1.4 to 1.6"),
    ("trebles, more than trebles, a quarter more", "2.8 to 3.2 times; from 3.2; 1.2 to 1.3"),
    ("halves, nearly halves", "0.46 to 0.53 times; 0.53 to 0.6"),
    ("hardly, a little, clearly, a lot", "effect below 0.1 and below 2%; below 0.2; to 0.8; from 0.8"),
    ("too close to call", "the interval, widened for all figures that were compared, includes the threshold"),
)


def number(value: float) -> str:
    """A small whole number as a word."""
    return NUMBERS[int(value)] if float(value).is_integer() and 0 <= value < len(NUMBERS) else f"{value:,.0f}"


ONE_IN = (2, 3, 4, 5, 10, 20, 25, 50, 100, 200, 500, 1000)


def one_in(share: float) -> str:
    """A share as "1 in N" with a round N; empty where no such share is near."""
    nearest = min(ONE_IN, key=lambda n: abs(math.log(max(share, 1e-9) * n)))
    return f"1 in {nearest:,}" if share > 0 and abs(share * nearest - 1) <= 0.12 else ""


def one_game_in(share: float) -> str:
    """The same in words, with "about" where it is not within a twentieth: about one game in ten."""
    short = one_in(share)
    if not short:
        return ""
    n = int(short.split()[-1].replace(",", ""))
    about = "" if abs(share * n - 1) <= 0.05 else "about "
    return f"{about}one game in {number(n) if n <= 12 else f'{n:,}'}"


def fraction(share: float) -> str:
    """A large share in plain words, such as "about two thirds"; empty where none fits."""
    plain = ((1 / 3, "a third"), (0.5, "half"), (2 / 3, "two thirds"), (0.75, "three quarters"), (0.9, "nine in ten"))
    for value, words in plain:
        if abs(share - value) <= 0.01:
            return f"about {words}"
        if 0 < value - share <= 0.03:
            return f"nearly {words}"
    return "more than nine in ten" if share > 0.9 else "more than half" if share > 0.51 else ""


def times(ratio: float) -> str:
    """What a ratio does to a number, as a verb such as "doubles"; empty where no plain word is true."""
    bounds = (
        (0.46, 0.53, "halves"),
        (0.53, 0.6, "nearly halves"),
        (1.2, 1.3, "adds a quarter to"),
        (1.4, 1.6, "adds half as many again to"),
        (1.7, 1.9, "nearly doubles"),
        (1.9, 2.15, "doubles"),
        (2.8, 3.2, "trebles"),
        (3.2, math.inf, "more than trebles"),
    )
    return next((words for low, high, words in bounds if low <= ratio < high), "")


def size(effect: float, relative: float = math.inf) -> str:
    """How much something changes: hardly, a little, clearly, a lot; `relative` is the change over the value."""
    effect = abs(effect)
    if effect < NOTICEABLE and (abs(relative) < SAME or math.isinf(relative)):
        return "hardly"
    return "a little" if effect < CLEARLY else "clearly" if effect < A_LOT else "a lot"


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


def listed(words: list[str], joint: str = "and") -> str:
    """A list in words: "a, b and c"."""
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)


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
