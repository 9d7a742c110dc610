"""The judge: which differences of a report are clear, and what may be said of a claim.

Chapters find numbers first and list every comparison that a sentence could rest on (`Findings`). The judge sees the
comparisons of all chapters together: the chance that even one of those that it calls clear is luck is at most 5% (Holm
1979). Words are written afterwards, from the findings and from what the judge says.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jamaica_sim.report import words
from jamaica_sim.results.stats.estimate import Estimate, clear_together

MOST_NAMED = 2  # settings by name in a sentence
HOLDS, PARTLY, FAILS, NOT_SHOWN = "holds", "holds in part", "does not hold", "not shown"


@dataclass(frozen=True, eq=False)
class Case:
    """An estimate and the value that it is compared with."""

    estimate: Estimate
    null: float = 0.0


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence about one measure at several settings: the comparison at each, by the setting in words."""

    says: str  # without its scope
    cases: Mapping[str, Case]
    direction: int = 1  # -1 where the measure should be below the null value
    where: str = ""  # the table, where the cases are not tables but players at one of several
    opposite: str = ""  # what is said where the measure is clearly on the other side
    neither: str = ""  # and where it is clear at no setting
    at: str = "at"  # before the settings, and what they are
    noun: str = "tables"


class Findings:
    """The numbers of a chapter, with all its comparisons and claims among its attributes."""


@dataclass(frozen=True)
class Verdict:
    """What may be said of a claim: where it holds, where it fails, where it is open."""

    claim: Claim
    holds: tuple[str, ...]
    fails: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def kind(self) -> str:
        """One of `HOLDS`, `PARTLY`, `FAILS`, `NOT_SHOWN`."""
        if len(self.holds) == len(self.claim.cases):
            return HOLDS
        if self.holds:
            return PARTLY
        return FAILS if len(self.fails) == len(self.claim.cases) else NOT_SHOWN

    @property
    def games(self) -> int:
        """The fewest games or ships behind one of its estimates."""
        return min(c.estimate.n for c in self.claim.cases.values())

    @property
    def turned(self) -> "Verdict":
        """The verdict on the opposite claim."""
        claim = replace(self.claim, says=self.claim.opposite, opposite=self.claim.says)
        return Verdict(claim, self.fails, self.holds, self.open)

    def told(self, named: bool = True) -> str:
        """The sentence of the claim: what is so, and at which settings, or at how many; empty where nothing is.

        Every sentence and every heading about a claim comes from here, so no two of them can disagree.
        """
        if not self.holds and not self.fails:
            return self.claim.neither
        if len(self.fails) > len(self.holds):
            return self.turned.told(named)
        return f"{self.claim.says} {self.scope() if named else self.count()}".strip() if self.claim.says else ""

    def count(self, noun: str = "") -> str:
        """At how many settings the claim holds, such as "at two of three tables"; empty for a single setting."""
        count, held, at, noun = len(self.claim.cases), len(self.holds), self.claim.at, noun or self.claim.noun
        if count == 1:
            return ""
        if held == count:
            return f"{at} {'both' if count == 2 else f'all {words.number(count)}'} {noun}"
        return f"{at} {words.number(held) if held else 'none'} of {words.number(count)} {noun}"

    def scope(self, noun: str = "") -> str:
        """Where the claim holds, in words that may follow it; empty for a single setting."""
        if len(self.claim.cases) == 1 or self.kind == HOLDS:
            return self.count(noun)
        at = self.claim.at
        parts = [f"not {at} {_few(self.fails)}" if self.fails else "",
                 f"unclear {at} {_few(self.open)}" if self.open else ""]  # fmt: skip
        if self.holds and len(self.holds) <= min(MOST_NAMED, len(self.fails) + len(self.open)):
            parts = [_few(self.holds), f"the opposite {at} {words.number(len(self.fails))}" if self.fails else ""]
        return f"{self.count(noun)} ({'; '.join(part for part in parts if part)})"

    def record(self) -> dict[str, Any]:
        """The verdict as plain values for JSON."""
        figures = {
            name: [case.estimate.value, case.estimate.low, case.estimate.high, case.estimate.n]
            for name, case in self.claim.cases.items()
        }
        own = {"says": self.claim.says, "where": self.claim.where, "verdict": self.kind, "holds": self.holds}
        return own | {"fails": self.fails, "open": self.open, "games": self.games, "figures": figures}


def _few(labels: tuple[str, ...]) -> str:
    more = f"; {len(labels) - MOST_NAMED} more" if len(labels) > MOST_NAMED else ""
    return f"{'; '.join(labels[:MOST_NAMED])}{more}"


def comparisons_in(findings: object) -> Iterator[Case]:
    """Every comparison in some findings."""
    if isinstance(findings, Case):
        yield findings
    elif isinstance(findings, Claim):
        yield from findings.cases.values()
    elif isinstance(findings, Findings):
        yield from comparisons_in(vars(findings))
    elif isinstance(findings, Mapping):
        for value in findings.values():
            yield from comparisons_in(value)
    elif isinstance(findings, list | tuple):
        for value in findings:
            yield from comparisons_in(value)


class Judge:
    """Says of every comparison in some findings whether it is clear, all of them tested together."""

    def __init__(self, findings: Iterable[object]):
        listed = list(dict.fromkeys(comparison for one in findings for comparison in comparisons_in(one)))
        clear = clear_together((comparison.estimate, comparison.null) for comparison in listed)
        self._clear = dict(zip(listed, clear, strict=True))

    @property
    def count(self) -> int:
        """How many comparisons there are."""
        return len(self._clear)

    def is_clear(self, comparison: Case) -> bool:
        """Whether an estimate clearly differs from its null value. The comparison must be among the findings."""
        return self._clear[comparison]

    def is_above(self, comparison: Case) -> bool:
        """Whether an estimate is clearly above its null value."""
        return self.is_clear(comparison) and comparison.estimate.value > comparison.null

    def is_below(self, comparison: Case) -> bool:
        """Whether an estimate is clearly below its null value."""
        return self.is_clear(comparison) and comparison.estimate.value < comparison.null

    def verdict(self, claim: Claim) -> Verdict:
        """What may be said of a claim."""
        as_said, other = (self.is_above, self.is_below) if claim.direction > 0 else (self.is_below, self.is_above)
        holds = tuple(name for name, case in claim.cases.items() if as_said(case))
        fails = tuple(name for name, case in claim.cases.items() if other(case))
        unclear = tuple(name for name in claim.cases if name not in (*holds, *fails))
        return Verdict(claim, holds, fails, unclear)
