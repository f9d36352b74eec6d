"""Numbers as they are shown: a few significant digits, and the unit that suits their size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from relmath import units

Scale = tuple[float, float, str]  # from this size on (SI), divide by this, and write this sign

MOST_DIGITS = 10  # that a page shows of a number: it need not agree with relmath to more

_SIGNS = {
    **{"millisecond": "ms", "second": "s", "minute": "min", "hour": "h", "day": "d", "week": "weeks", "year": "years"},
    **{"byte": "B", "KB": "KB", "MB": "MB", "GB": "GB", "TB": "TB"},
    **{"percent": "%", "billion": "billion", "FIT": "FIT", "1": ""},
}
_SUITABLE: dict[str, dict[str, float]] = {  # units that replace one another, and how many it takes to use each
    "time": {"millisecond": 0, "second": 1, "minute": 2, "hour": 1, "day": 2, "year": 2},
    "size": {"byte": 0, "KB": 1, "MB": 1, "GB": 1, "TB": 1},
}


@dataclass(frozen=True)
class Unit:
    """A unit by its name in :mod:`relmath.units`, or a ratio of two, as in ``GB/second``; ``1`` is no unit.

    Raises
    ------
    ValueError
        If relmath has no such unit.

    Examples
    --------
    >>> minute = Unit("minute")
    >>> minute.factor, minute.sign, show(852, minute), show(0.5, minute), show(0.029, Unit("percent"), digits=2)
    (60.0, 'min', '14.20 min', '500.0 ms', '2.9 %')
    """

    name: str

    def __post_init__(self) -> None:
        """Check the name."""
        if unknown := [name for name in self._parts if name not in _SIGNS]:
            raise ValueError(f"unit must be one of {', '.join(_SIGNS)}, or a ratio of two, but is {unknown[0]!r}")

    @property
    def _parts(self) -> list[str]:
        return self.name.split("/", 1)

    @property
    def factor(self) -> float:
        """What to multiply a value in this unit by, to have it in seconds, bytes or plain numbers."""
        factors = [float(getattr(units, name, 1)) for name in self._parts]
        return factors[0] if len(factors) == 1 else factors[0] / factors[1]

    @property
    def sign(self) -> str:
        """What is written behind a number."""
        return "/".join(_SIGNS[name] or name for name in self._parts) if "/" in self.name else _SIGNS[self.name]

    def labelled(self, label: str) -> str:
        """Write a label with the unit behind it, as on an axis: ``Interval [min]``."""
        return f"{label} [{self.sign}]" if self.sign else label

    @property
    def kind(self) -> str:
        """What is measured, where several units suit it: ``time`` or ``size``; else the unit itself."""
        return next((kind for kind, members in _SUITABLE.items() if self.name in members), self.name)

    @property
    def scales(self) -> list[Scale]:
        """The units in which a quantity of this kind is shown, from the smallest size up."""
        members = [(Unit(name), least) for name, least in _SUITABLE.get(self.kind, {self.name: 0}).items()]
        return [(least * unit.factor, unit.factor, unit.sign) for unit, least in members]


def show(value: float, unit: Unit, digits: int = 4, *, trim: bool = False) -> str:
    """Write a quantity, given in SI, in the unit of its kind that suits its size. ``explorer.js`` does the same.

    Trimmed, it has no zeros at the end: as befits what somebody set, and not what was computed. A bare whole number
    has none either: 43 pairs of nodes, not 43.00. A share just below 100 % has as many digits as it takes to say so.
    """
    if not math.isfinite(value):
        return significant(value, digits)
    size = abs(value) or 1  # so that 0 is 0 s and not 0 ms
    _, factor, sign = [scale for scale in unit.scales if scale[0] <= size][-1]
    if sign == "%" and value < 1:
        enough = (more for more in range(digits, MOST_DIGITS + 1) if float(f"{value / factor:.{more - 1}e}") < 100)
        digits = next(enough, digits)
    number = significant(value / factor, digits)
    if trim or (not sign and value % 1 == 0):
        number = trimmed(number)
    return f"{number} {sign}".rstrip()


def significant(number: float, digits: int) -> str:
    """Write a number with so many significant digits, and as a power of ten if it is very large or small."""
    if math.isnan(number):
        return "not defined"
    if number == 0 or math.isinf(number):
        return {0: "0", math.inf: "∞", -math.inf: "−∞"}[number]
    mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
    power = int(exponent)
    if not -5 < power < 7:
        text = f"{mantissa} × 10{str(power).translate(_SUPERSCRIPTS)}"
    else:
        text = grouped(float(f"{mantissa}e{power}"), max(0, digits - 1 - power))
    return text.replace("-", "−")


def grouped(number: float, decimals: int = 0) -> str:
    """Write a number with its thousands set apart by a space that does not break."""
    return f"{number:,.{decimals}f}".replace(",", "\u00a0")


def trimmed(text: str) -> str:
    """Leave out zeros at the end of decimals."""
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
