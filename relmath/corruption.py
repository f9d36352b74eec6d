"""Silent corruption: what wrong values do that no error reports."""

# What a flipped bit does to a number (the chapter bit-flip)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from relmath.domain import Array, count, fitting_shapes, is_lazy, number, positive_finite
from relmath.elementwise import in_blocks

NORMAL_TAIL = 0.5  # from here on, in standard deviations, differences of tails are the accurate ones


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: a sign bit, above the bits of the exponent, above those of the fraction.

    ``has_infinity`` tells whether the largest exponent is kept for infinity and NaN, as in IEEE 754. Where it is not,
    only the pattern of all ones, with either sign, is NaN, and there is no infinity.
    """

    name: str
    exponent_bits: int
    fraction_bits: int
    has_infinity: bool = True

    @property
    def bits(self) -> int:
        """Number of bits, the sign included."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        """What is taken from the stored exponent."""
        return int(2 ** (self.exponent_bits - 1) - 1)

    @property
    def top_exponent(self) -> int:
        """The largest exponent as it is stored: all ones."""
        return int(2**self.exponent_bits - 1)

    @property
    def largest(self) -> float:
        """The largest finite value."""
        return float(_decoded(np.int64(self.special_pattern - 1), self))

    @property
    def special_pattern(self) -> int:
        """The first pattern after the finite ones without a sign: infinity, or NaN where there is none."""
        first = self.top_exponent << self.fraction_bits
        return first if self.has_infinity else first + 2**self.fraction_bits - 1


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            Format("float16", 5, 10),
            Format("bfloat16", 8, 7),
            Format("float32", 8, 23),
            Format("float8_e4m3fn", 4, 3, has_infinity=False),
            Format("float8_e5m2", 5, 2),
        )
    }
)
"""Number formats by the names that they have as dtypes: FP16, BF16, FP32, and FP8 in its two kinds.

:meta hide-value:
"""


class Census(NamedTuple):
    """How many values, or what share of them, a flipped bit leads where; a flip of each value is one of the five."""

    up: Any
    """Multiplied by exactly 2^(2^j), for bit j of the exponent."""
    down: Any
    """Divided by exactly that."""
    infinite: Any
    """Now infinite."""
    nan: Any
    """Now NaN."""
    other: Any
    """Anything else: a flip of the sign or of the fraction, and of the exponent to or from 0 and subnormal numbers."""


def compose(sign: Array, exponent: Array, fraction: Array, dtype: Any = "float16") -> Array:
    r"""Value of the bits of a floating-point number.

    .. math:: (-1)^s\; 2^{e - b}\, \bigl(1 + f/2^{n_f}\bigr)

    with the bias b = 2^(n_e - 1) - 1; for e = 0 it is (-1)^s 2^(1 - b) f/2^(n_f) instead. The largest e stands for
    infinity (f = 0) and NaN; in ``float8_e4m3fn`` it is an exponent like the others, and only the largest e with the
    largest f is NaN.

    Parameters
    ----------
    sign : array_like
        Sign bit, s: 0 or 1.
    exponent : array_like
        Stored exponent, e. Whole, from 0 to 2^(n_e) - 1.
    fraction : array_like
        Stored fraction, f. Whole, from 0 to 2^(n_f) - 1.
    dtype : str or dtype
        The format, by a name in :data:`FORMATS` or as a dtype of that name.

    Returns
    -------
    array_like
        The value, exactly.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    IEEE Std 754-2019, 3.4; Micikevicius et al. (2022), arXiv:2209.05433, for FP8.

    Examples
    --------
    >>> float(compose(0, 15, 512)), float(compose(1, 0, 1)), float(compose(0, 31, 0))
    (1.5, -5.960464477539063e-08, inf)
    """
    form = _format(dtype)
    sign = _field("sign", sign, 1)
    exponent = _field("exponent", exponent, form.exponent_bits)
    fraction = _field("fraction", fraction, form.fraction_bits)
    pattern = (sign * 2**form.exponent_bits + exponent) * 2**form.fraction_bits + fraction
    return in_blocks(lambda number: _value(number, form), pattern)


def decode(pattern: Array, dtype: Any) -> Array:
    """Value of a bit pattern.

    Parameters
    ----------
    pattern : array_like
        The bits as an unsigned number. Whole, from 0 to 2^bits - 1.
    dtype : str or dtype
        The format, as for :func:`compose`.

    Returns
    -------
    array_like
        The value, exactly.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> float(decode(0x3E00, "float16")), float(decode(0x7F, "float8_e4m3fn"))
    (1.5, nan)
    """
    form = _format(dtype)
    pattern = _field("pattern", pattern, form.bits)
    return in_blocks(lambda number: _value(number, form), pattern)


def nearest(value: Array, dtype: Any) -> Array:
    """Value of the format that is nearest; of two, the one whose pattern is even.

    Parameters
    ----------
    value : array_like
        Any numbers, infinity and NaN too.
    dtype : str or dtype
        The format, as for :func:`compose`.

    Returns
    -------
    array_like
        The rounded value. What is too large becomes infinite, or NaN where the format has no infinity.

    Raises
    ------
    ValueError
        If dtype is no known format, or value is no number.

    Examples
    --------
    >>> float(nearest(0.1, "float16")), float(nearest(1e6, "float16"))
    (0.0999755859375, inf)
    """
    form = _format(dtype)
    return in_blocks(lambda number: _decoded(_encoded(number, form), form), _numbers(value))


def encode(value: Array, dtype: Any) -> Array:
    """Bit pattern of a value that the format holds.

    Parameters
    ----------
    value : array_like
        Values that the format holds: round others by :func:`nearest`.
    dtype : str or dtype
        The format, as for :func:`compose`.

    Returns
    -------
    array_like
        The bits as an unsigned number, in 32 bits. Of the patterns that mean NaN it is the quiet one with no other bit
        set.

    Raises
    ------
    ValueError
        If the format does not hold a value. What it does not hold of a lazy array becomes the pattern of NaN.

    Examples
    --------
    >>> [format(int(bits), "016b") for bits in encode([1.5, -1.5], "float16")]
    ['0011111000000000', '1011111000000000']
    """
    form = _format(dtype)
    value = _held(value, form, nan=True)
    return in_blocks(lambda number: _encoded(number, form), value).astype(np.uint32)


def flip(value: Array, bit: Array, dtype: Any) -> Array:
    r"""Value after one of its bits has been flipped.

    Bit j of the exponent multiplies or divides by :math:`2^{2^j}`, where neither the exponent before nor the one after
    is 0 or the largest.

    Parameters
    ----------
    value : array_like
        Values that the format holds, NaN excepted: round others by :func:`nearest`.
    bit : array_like
        Which bit: from 0, the lowest of the fraction, to the sign, which is bit 15 of ``float16``.
    dtype : str or dtype
        The format, as for :func:`compose`.

    Returns
    -------
    array_like
        The value that the changed pattern stands for.

    Raises
    ------
    ValueError
        If the format does not hold a value, or has no such bit.

    Examples
    --------
    >>> float(flip(0.02001953125, 14, "float16")), float(flip(510.0, 13, "float16"))
    (1312.0, nan)
    """
    form = _format(dtype)
    value = _held(value, form, nan=False)
    bit = _bit(bit, form)
    fitting_shapes(value=value, bit=bit)
    return in_blocks(lambda number, place: _flipped(number, place, form), value, bit)


def census(dtype: Any, bit: Array, values: Array | None = None) -> Census:
    r"""Where a flip of a bit leads: counts of values that grow, shrink, become infinite or NaN, or none of these.

    Parameters
    ----------
    dtype : str or dtype
        The format, as for :func:`compose`.
    bit : array_like
        Which bit, as for :func:`flip`.
    values : array_like, optional
        The values whose flips are counted, such as the weights of a layer; those that are not finite are left out. By
        default all finite values of the format, 0 with both its signs; ``float32`` has too many, so give a sample.

    Returns
    -------
    Census
        Counts, each of the shape of *bit*: up, down, infinite, nan, other.

    Raises
    ------
    ValueError
        If the format has no such bit or does not hold a value, or no values are given for ``float32``.

    Examples
    --------
    >>> census("float16", 14)
    Census(up=28672, down=28672, infinite=2, nan=2046, other=4096)
    """
    form = _format(dtype)
    bit = _bit(bit, form)
    if values is not None:
        chosen = _numbers(values)
        patterns = _encoded(np.ravel(_held(chosen[np.isfinite(chosen)], form, nan=False)), form)
    elif form.bits > 16:
        raise ValueError(
            f"values must be given for {form.name}, whose 2^{form.bits} patterns are too many to count: decode random "
            "patterns, or take the values of a tensor"
        )
    else:
        patterns = _finite_patterns(form)
    return _by_bit(bit, form, patterns, np.ones(patterns.size, dtype=np.int64))


def normal_census(dtype: Any, bit: Array, sd: Array = 1.0) -> Census:
    r"""Where a flip of a bit leads a value from a normal distribution of mean 0, in probabilities.

    The value is rounded to the format; what rounds to no finite number is left out, so that the five add up to 1.

    Parameters
    ----------
    dtype : str or dtype
        The format, as for :func:`compose`, of 16 bits or fewer.
    bit : array_like
        Which bit, as for :func:`flip`.
    sd : array_like
        Standard deviation, sigma. Above 0, and finite.

    Returns
    -------
    Census
        Probabilities, each of the shape to which *bit* and *sd* broadcast: up, down, infinite, nan, other.

    Raises
    ------
    ValueError
        If the format has more than 16 bits or no such bit, or *sd* is outside its domain.

    Examples
    --------
    >>> for name in ("float16", "bfloat16"):
    ...     shares = normal_census(name, 14)
    ...     print(f"{shares.infinite + shares.nan:.3f} of N(0, 1) are no longer finite, {shares.up:.3f} grow")
    0.272 of N(0, 1) are no longer finite, 0.683 grow
    0.272 of N(0, 1) are no longer finite, 0.682 grow
    """
    form = _format(dtype)
    bit, sd = _bit(bit, form), positive_finite("sd", sd)
    fitting_shapes(bit=bit, sd=sd)
    bits, deviations = np.broadcast_arrays(bit, sd)
    shares = np.empty((len(Census._fields), *bits.shape))
    for index in np.ndindex(bits.shape):
        weights = normal_shares(form.name, float(deviations[index]))
        shares[(slice(None), *index)] = _by_bit(bits[index], form, _finite_patterns(form), weights)
    return Census(*(share if share.ndim else share.item() for share in shares))


def normal_shares(dtype: Any, sd: float = 1.0) -> Array:
    """Probability of each finite value of a format, if a normal value of mean 0 is rounded to it.

    Parameters
    ----------
    dtype : str or dtype
        The format, as for :func:`compose`, of 16 bits or fewer.
    sd : float
        Standard deviation, sigma. Above 0, and finite.

    Returns
    -------
    numpy.ndarray
        Probabilities that add up to 1, in the order of the patterns without NaN and infinity: from 0 up to the largest
        value, then from -0 down.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> len(normal_shares("float8_e4m3fn")), round(float(normal_shares("float8_e4m3fn")[0]), 5)
    (254, 0.00039)
    """
    form = _format(dtype)
    if form.bits > 16:
        raise ValueError(
            f"dtype must be a format of 16 bits or fewer, but is {form.name}: draw a sample, and count it by census()"
        )
    values = _decoded(np.arange(form.special_pattern), form)
    last = values[-1] + (values[-1] - values[-2]) / 2  # from where on rounding leaves the finite numbers
    ends = np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [last]])
    scale = np.sqrt(2) * np.minimum(positive_finite("sd", sd), 1e9 * last)  # beyond, all are alike to the last digit
    with np.errstate(over="ignore", under="ignore"):  # far out in the tail it is 0
        low, high = ends[:-1] / scale, ends[1:] / scale
        near, far = special.erf(high) - special.erf(low), special.erfc(low) - special.erfc(high)
        shares = np.where(high < NORMAL_TAIL, near, far)
        return np.concatenate([shares, shares]) / (2 * shares.sum())


def _format(dtype: Any) -> Format:
    """Give the format that a name, a NumPy dtype or a framework's own (torch.bfloat16) means."""
    try:
        name = np.dtype(dtype).name if dtype is not None else "None"
    except TypeError:
        name = str(dtype).rpartition(".")[2]
    if name not in FORMATS:
        raise ValueError(f"dtype must be one of {', '.join(FORMATS)}, but is {dtype!r}")
    return FORMATS[name]


def _field(name: str, value: Array, bits: int) -> Array:
    """Check an unsigned number of so many bits."""
    return count(name, value, most=2**bits - 1)


def _bit(bit: Array, form: Format) -> Array:
    return count("bit", bit, most=form.bits - 1)


def _numbers(value: Array) -> Array:
    """Take any numbers in doubles, also those of the small formats, which NumPy itself does not know."""
    if getattr(getattr(value, "dtype", None), "name", None) in FORMATS:
        with np.errstate(invalid="ignore"):  # of the many patterns of NaN the signalling ones
            value = value.astype(np.float64)
    return number("value", value)


def _held(value: Array, form: Format, *, nan: bool) -> Array:
    """Check that a format holds the values, and, unless it is allowed, that none is NaN."""
    given = _numbers(value)
    rounded = in_blocks(lambda block: _decoded(_encoded(block, form), form), given)
    fits = (rounded == given) | (np.isnan(given) if nan else False)
    if is_lazy(given):
        return np.where(fits, given, np.nan)
    if not np.all(fits):
        index = tuple(np.argwhere(~fits)[0].tolist())
        misfit, near = float(np.asarray(given)[index]), float(np.asarray(rounded)[index])
        what = f"value{list(index) or ''} must be a number that {form.name} holds, but is {misfit!r}"
        if np.isnan(misfit):
            raise ValueError(f"{what}, which has many patterns: decode(pattern ^ 2**bit) flips one of them")
        if not np.isfinite(near):
            raise ValueError(f"{what}: its largest is {form.largest!r}")
        raise ValueError(f"{what}: round it, nearest() gives {near!r}")
    return given


@lru_cache
def _small_table(form: Format) -> Array:
    """Give the value of each pattern of a small format."""
    return _decoded(np.arange(2**form.bits), form)


def _finite_patterns(form: Format) -> Array:
    """Give the patterns of all finite values of a small format: from 0 up, then from -0 down."""
    unsigned = np.arange(form.special_pattern)
    return np.concatenate([unsigned, unsigned + 2 ** (form.bits - 1)])


def _value(pattern: Array, form: Format) -> Array:
    """Decode patterns that come as doubles; NaN, which a lazy array has for what is none, stays NaN."""
    wrong = np.isnan(pattern)
    return np.where(wrong, np.nan, _decoded(np.where(wrong, 0, pattern).astype(np.int64), form))


def _decoded(pattern: Array, form: Format) -> Array:
    """Value of patterns that are whole numbers."""
    exponent = (pattern >> form.fraction_bits) & form.top_exponent
    fraction = pattern & (2**form.fraction_bits - 1)
    whole = np.where(exponent > 0, fraction + 2**form.fraction_bits, fraction).astype(np.float64)
    size = np.ldexp(whole, np.maximum(exponent, 1) - (form.bias + form.fraction_bits))
    unsigned = pattern & (2 ** (form.bits - 1) - 1)
    size = np.where(unsigned > form.special_pattern - (not form.has_infinity), np.nan, size)
    if form.has_infinity:
        size = np.where(unsigned == form.special_pattern, np.inf, size)
    return np.where(pattern >> (form.bits - 1), -size, size)


def _encoded(value: Array, form: Format) -> Array:
    """Pattern of the nearest value. Patterns follow one another as values do, so that rounding up may carry."""
    size = np.abs(value)
    special = ~np.isfinite(size)
    _, power = np.frexp(np.where(special, 1.0, size))  # size is from half of 2^power to below it
    exponent = np.where(size == 0, 1, np.maximum(power - 1 + form.bias, 1))
    with np.errstate(over="ignore", under="ignore"):
        steps = np.rint(np.ldexp(np.where(special, 0.0, size), form.bias + form.fraction_bits - exponent))
    pattern = steps.astype(np.int64) + ((exponent.astype(np.int64) - 1) << form.fraction_bits)
    pattern = np.where(special, form.special_pattern, np.minimum(pattern, form.special_pattern))
    quiet = form.special_pattern | (2 ** (form.fraction_bits - 1) if form.has_infinity else 0)
    pattern = np.where(np.isnan(size), quiet, pattern)
    return pattern + (np.signbit(value).astype(np.int64) << (form.bits - 1))


def _flipped(value: Array, bit: Array, form: Format) -> Array:
    """Flip; NaN, which a lazy array has for what is not held, stays NaN, and a bit that there is not gives NaN."""
    wrong = np.isnan(value) | np.isnan(bit)
    place = np.where(wrong, 0, bit).astype(np.int64)
    after = _decoded(_encoded(value, form) ^ (np.int64(1) << place), form)
    return np.where(wrong, np.nan, after)


def _by_bit(bit: Array, form: Format, patterns: Array, weights: Array) -> Census:
    """Add up the weights of patterns by what a flip makes of them; for each bit."""
    values = _small_table(form).__getitem__ if form.bits <= 16 else lambda pattern: _decoded(pattern, form)
    before = values(patterns)
    places = np.asarray(bit, dtype=np.int64)
    totals = np.empty((len(Census._fields), *places.shape), dtype=weights.dtype)
    for index in np.ndindex(places.shape):
        place = int(places[index])
        after = values(patterns ^ (1 << place))
        kinds = np.zeros((len(Census._fields), before.size), dtype=bool)
        power = place - form.fraction_bits
        if 0 <= power < form.exponent_bits:
            factor = 2.0**2**power
            kinds[0] = (before != 0) & (after == before * factor)  # doubles hold the products exactly
            kinds[1] = (before != 0) & (after == before / factor)
        kinds[2], kinds[3] = np.isinf(after), np.isnan(after)
        kinds[4] = ~kinds.any(axis=0)
        totals[(slice(None), *index)] = [weights[kind].sum() for kind in kinds]
    return Census(*(total if total.ndim else total.item() for total in totals))
