"""What a claim is, and how it is held against what relmath computes.

A claim states one or more named values, each of one of five kinds: :class:`Digits`, :class:`Bound`, :class:`Range`,
:class:`Symbolic` or :class:`Statement`. A value holds what is stated, as text, and a function that recomputes it. The
text of a quantity ends in its unit; what is recomputed is in the units of relmath.
"""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

from relmath import units

UNITS = {
    "": 1.0,
    "%": units.percent,
    "s": units.second,
    "min": units.minute,
    "h": units.hour,
    "d": units.day,
    "y": units.year,
    "GB": units.GB,
    "FIT": units.FIT,
}
BOUNDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
FUNCTIONS = {"sqrt": np.sqrt, "exp": np.exp, "log": np.log, "LambertW": lambda z: special.lambertw(z).real}
POINTS = 100
SEED = 2006  # fixed, so that the ledger checks the same points each time


class Outcome(NamedTuple):
    """What came of recomputing a value."""

    holds: bool
    recomputed: str


@dataclass(frozen=True)
class Value(ABC):
    """Something stated, and the function that recomputes it; ``by`` tells whether a source printed it or it is ours."""

    text: str
    recompute: Callable[..., Any]
    by: Literal["printed", "ours"] = field(default="printed", kw_only=True)

    @abstractmethod
    def check(self) -> Outcome:
        """Recompute the value with relmath, and tell whether it is what is stated."""


@dataclass(frozen=True)
class Plain(Value):
    """A value that is compared as it stands: a number with its unit, in the units of relmath, or a truth."""

    def __post_init__(self) -> None:
        """Let a text that cannot be read fail where it is written."""
        self.show(0)

    def check(self) -> Outcome:
        """Recompute the value with relmath, and tell whether it is what is stated."""
        value = self.recompute()
        return Outcome(self.matches(value), self.show(value))

    @abstractmethod
    def matches(self, value: Any) -> bool:
        """Tell whether a value is what is stated."""

    @abstractmethod
    def show(self, value: Any) -> str:
        """Write a value a little more precisely than is stated."""


class Digits(Plain):
    """Digits that are their own tolerance: "14.2 min" allows all that rounds to it."""

    def matches(self, value: Any) -> bool:
        """Tell whether a number rounds to the digits, whichever way a tie is rounded."""
        stated, unit = _read(self.text)
        number = _in_unit(value, unit)
        half_a_step = Decimal((0, (5,), _exponent(stated) - 1))
        return number.is_finite() and abs(number - stated) <= half_a_step

    def show(self, value: Any) -> str:
        """Write a number with two decimals more than are stated."""
        stated, unit = _read(self.text)
        return f"{_in_unit(value, unit):.{max(0, 2 - _exponent(stated))}f} {unit}".rstrip()


class Bound(Plain):
    """A limit with its sign, as "< 2" or ">= 99 %"."""

    def matches(self, value: Any) -> bool:
        """Tell whether a number keeps to the limit."""
        sign, limit, unit = self._parts()
        number = _in_unit(value, unit)
        return not number.is_nan() and bool(BOUNDS[sign](number, limit))

    def show(self, value: Any) -> str:
        """Write a number in four digits."""
        return f"{_in_unit(value, self._parts()[2]):.4g} {self._parts()[2]}".rstrip()

    def _parts(self) -> tuple[str, Decimal, str]:
        sign, _, quantity = self.text.partition(" ")
        if sign not in BOUNDS:
            raise ValueError(f"text must begin with one of {', '.join(BOUNDS)} and a space, but is {self.text!r}")
        return sign, *_read(quantity)


class Range(Plain):
    """Two ends, both allowed, as "33 to 38 d"."""

    def matches(self, value: Any) -> bool:
        """Tell whether a number lies between the ends."""
        low, high, unit = self._parts()
        number = _in_unit(value, unit)
        return not number.is_nan() and low <= number <= high

    def show(self, value: Any) -> str:
        """Write a number in four digits."""
        return f"{_in_unit(value, self._parts()[2]):.4g} {self._parts()[2]}".rstrip()

    def _parts(self) -> tuple[Decimal, Decimal, str]:
        low, _, high = self.text.partition(" to ")
        return _read(low)[0], *_read(high)


@dataclass(frozen=True)
class Symbolic(Value):
    """A formula in the symbols of the notation, and the function of relmath that stands for it.

    ``over`` gives each symbol's interval, in the order of the function's arguments. Here NumPy reads the formula and
    compares it with the function; a chapter compares it with the expression that SymPy derived.
    """

    over: Mapping[str, tuple[float, float]] = field(kw_only=True)
    tolerance: float = field(default=1e-9, kw_only=True)

    def check(self) -> Outcome:
        """Compare the formula with the function at random points, drawn evenly in the logarithm."""
        random = np.random.default_rng(SEED)
        points = {name: np.geomspace(low, high, POINTS) for name, (low, high) in self.over.items()}
        for column in points.values():
            random.shuffle(column)
        formula = eval(self.text, FUNCTIONS | points)
        difference = np.max(np.abs(np.asarray(self.recompute(*points.values())) / formula - 1))
        if difference <= self.tolerance:
            return Outcome(True, f"the same at {POINTS} points")
        return Outcome(False, f"differs by {difference:.1g} of it")


class Statement(Plain):
    """Something that is "true" or "false", as its name among the claim's values says."""

    def matches(self, value: Any) -> bool:
        """Tell whether a truth is the one stated."""
        return self.show(value) == self.text

    def show(self, value: Any) -> str:
        """Write a truth as it is stated."""
        return str(bool(value)).lower()


@dataclass(frozen=True)
class Verdict:
    """What became of a claim, and why."""

    reason: str

    @property
    def word(self) -> str:
        """The verdict in a word."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Reproduced(Verdict):
    """The printed value comes out; the reason, if any, names the limit within which it is true."""

    reason: str = ""


class Corrected(Verdict):
    """The printed value is wrong, or true only within limits that the source does not state."""


class Unsupported(Verdict):
    """The source gives no data for it."""


class Qualitative(Verdict):
    """The source gives no number; ours shows how far it is true."""


VERDICTS = tuple(verdict.__name__.lower() for verdict in (Reproduced, Corrected, Unsupported, Qualitative))


@dataclass(frozen=True)
class Claim:
    """A checkable statement of a source, in our own words, with the values that check it."""

    id: str
    source: str
    where: str
    chapter: str
    says: str
    values: Mapping[str, Value]
    verdict: Verdict

    def check(self) -> dict[str, Outcome]:
        """Recompute every value with relmath."""
        return {name: value.check() for name, value in self.values.items()}


def _read(text: str) -> tuple[Decimal, str]:
    """Take a quantity apart, "2 450 GB", into its number and its unit."""
    match = re.fullmatch(r"(-?\d[\d ]*(?:\.\d+)?(?:e-?\d+)?) ?(\D*)", text)
    if not match or match[2] not in UNITS:
        raise ValueError(f"text must be a number with a unit out of {', '.join(filter(None, UNITS))}, but is {text!r}")
    return Decimal(match[1].replace(" ", "")), match[2]


def _in_unit(value: Any, unit: str) -> Decimal:
    return Decimal(str(value)) / Decimal(str(UNITS[unit]))


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), "the texts hold finite numbers"
    return exponent
