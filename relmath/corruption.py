r"""Silent corruption: what wrong values do that no error reports, and what to do about them.

A *silent* error corrupts a number and is seen by a verification only, or when somebody notices. A *fail-stop* error
stops the job at once, as in :mod:`relmath.checkpoints`. Where both arrive in time, they are Poisson processes,
independent of one another; times from 1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import factorial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy import special

from relmath.domain import (
    Array,
    checked,
    computed,
    count,
    finite,
    first_misfit,
    fitting_shapes,
    is_lazy,
    non_negative,
    number,
    one_number,
    positive,
    positive_finite,
    probability,
)
from relmath.elementwise import in_blocks

# What a flipped bit does to a number. Chapter *bit-flip*.

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
        """The largest exponent as it is stored, which is all ones."""
        return int(2**self.exponent_bits - 1)

    @property
    def largest(self) -> float:
        """The largest finite value."""
        return float(_decoded(np.int64(self.special_pattern - 1), self))

    @property
    def special_pattern(self) -> int:
        """The first pattern after the finite ones without a sign, which is infinity, or NaN where there is none."""
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
"""Number formats by the names that they have as dtypes, FP16, BF16, FP32, and FP8 in its two kinds.

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
    """Anything else, as a flip of sign or fraction, or of the exponent to or from 0 and subnormal numbers."""


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
    fitting_shapes(sign=sign, exponent=exponent, fraction=fraction)
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
    return in_blocks(lambda number: _decoded(_encoded(number, form), form), _numbers("value", value))


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
    value = _held(form, "value", value, besides=np.isnan)
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
    value = _held(form, "value", value)
    bit = _bit_of(form)("bit", bit)
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
        A lazy array is computed, since counts cannot be put off.

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
    bit = computed(_bit_of(form), "bit", bit)
    if values is not None:
        held = computed(partial(_held, form, besides=_is_special), "values", values)
        patterns = _encoded(held[np.isfinite(held)], form)
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
    bit, sd = computed(_bit_of(form), "bit", bit), computed(positive_finite, "sd", sd)
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
    scale = np.sqrt(2) * min(
        one_number(positive_finite, "sd", sd), 1e9 * last
    )  # beyond, all are alike to the last digit
    with np.errstate(over="ignore", under="ignore"):  # far out in the tail it is 0
        low, high = ends[:-1] / scale, ends[1:] / scale
        near, far = special.erf(high) - special.erf(low), special.erfc(low) - special.erfc(high)
        shares = np.where(high < NORMAL_TAIL, near, far)
        return np.concatenate([shares, shares]) / (2 * shares.sum())


def _format(dtype: Any) -> Format:
    """Give the format that a name, a NumPy dtype or a framework's own (torch.bfloat16) means."""
    name = ""
    if dtype is not None:  # which is NumPy's name for doubles
        try:
            name = np.dtype(dtype).name
        except (SyntaxError, TypeError, ValueError):  # NumPy knows no such type
            name = str(dtype).rpartition(".")[2]
    if name not in FORMATS:
        raise ValueError(f"dtype must be one of {', '.join(FORMATS)}, but is {reprlib.repr(dtype)}")
    return FORMATS[name]


def _field(name: str, value: Array, bits: int) -> Array:
    """Check an unsigned number of so many bits."""
    return count(name, value, most=2**bits - 1)


def _bit_of(form: Format) -> Callable[[str, Array], Array]:
    """Give the check of a place in a format."""
    return partial(count, most=form.bits - 1)


def _is_special(value: Array) -> Array:
    return ~np.isfinite(value)


def _numbers(name: str, value: Array) -> Array:
    """Take any numbers in doubles, also those of the small formats, which NumPy itself does not know."""
    if getattr(getattr(value, "dtype", None), "name", None) in FORMATS:
        with np.errstate(invalid="ignore"):  # of the many patterns of NaN the signalling ones
            value = value.astype(np.float64)
    return number(name, value)


def _held(form: Format, name: str, value: Array, besides: Callable[[Array], Array] | None = None) -> Array:
    """Check that a format holds the values, NaN excepted; others are let through if `besides` says so."""
    given = _numbers(name, value)
    rounded = in_blocks(lambda block: _decoded(_encoded(block, form), form), given)
    fits = rounded == given
    if besides is not None:
        fits = fits | besides(given)
    if is_lazy(given):
        return np.where(fits, given, np.nan)
    if not np.all(fits):
        where, misfit = first_misfit(fits, name, given)
        near = float(first_misfit(fits, name, rounded)[1])
        what = f"{where} must be a number that {form.name} holds, but is {float(misfit)!r}"
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


# Attention under corruption. Chapter *attention*. Arrays are stacks of matrices, whose leading axes are trials, and are
# computed in the floating-point format that they come in: each step is rounded to it, and may overflow in it.


class Attention(NamedTuple):
    """What one head of attention computes on its way to its output."""

    scores: Array
    """Scores of each query (row) against each key (column), (..., m, n)."""
    weights: Array
    """Attention weights, the softmax of each row of scores, (..., m, n)."""
    output: Array
    """Weighted sums of the values, (..., m, d)."""


class Step(NamedTuple):
    """Loss and gradients of one training step of one head, with what a detector may look at."""

    loss: Array
    """The loss, in float64, (...)."""
    scores: Array
    """Scores, (..., n, n)."""
    output: Array
    """Output, (..., n, d)."""
    w_q: Array
    """Gradient for the query weights, (..., c, d)."""
    w_k: Array
    """Gradient for the key weights, (..., c, d)."""
    w_v: Array
    """Gradient for the value weights, (..., c, d)."""

    @property
    def gradients(self) -> tuple[Array, Array, Array]:
        """The gradients of the three weights."""
        return self.w_q, self.w_k, self.w_v


PLACES = ("x", "w_q", "w_k", "w_v", "q", "k", "v")
"""Where a fault may strike a training step, the input, the weights, or what is projected from them."""

_expected = np.errstate(over="ignore", under="ignore", invalid="ignore")  # Inf and NaN are what is studied here


@_expected
def product(a: Array, b: Array) -> Array:
    """Multiply matrices in their own format: sums of products are taken in float64, then rounded once.

    Matrix units, and NumPy for float16, take them in float32; with float64 no digit depends on the order of summation.
    Matrices are (..., m, n) and (..., n, d); a ValueError refuses others.

    Examples
    --------
    >>> ones = np.ones((1, 4096), np.float16)
    >>> product(ones, ones.T / 2).tolist()
    [[2048.0]]
    >>> product(ones * 64, ones.T).tolist()
    [[inf]]
    """
    a, b = _stacks(a=(a, "mn"), b=(b, "nd"))
    return _product(a, b)


def _product(a: Array, b: Array) -> Array:
    exact = np.matmul(a.astype(np.float64, copy=False), b.astype(np.float64, copy=False))
    return exact.astype(np.result_type(a, b), copy=False)


@_expected
def softmax(scores: Array) -> Array:
    r"""Softmax of the last axis, shifted by its largest score as every library does.

    .. math:: p_j = \frac{e^{S_j - \max_l S_l}}{\sum_k e^{S_k - \max_l S_l}}

    Parameters
    ----------
    scores : array_like of floats
        Scores S, (..., n), in any floating-point format.

    Returns
    -------
    ndarray
        Weights p, (..., n), in the same format. A row that holds an infinity above 0 or a NaN becomes NaN; an infinity
        below 0 is a weight of 0, and a row of nothing else NaN.

    Raises
    ------
    ValueError
        If the scores are no array of floats, or empty.

    Examples
    --------
    >>> softmax([0.0, 0.0, -np.inf]).tolist()
    [0.5, 0.5, 0.0]
    >>> softmax([0.0, np.inf]).tolist()
    [nan, nan]
    """
    (scores,) = _stacks(scores=(scores, "n"))
    return _softmax(scores)


def _softmax(scores: Array) -> Array:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / _sum(weights)


@_expected
def softmax_jacobian(weights: Array) -> Array:
    r"""Derivative of the softmax by its scores.

    .. math:: J = \operatorname{diag}(p) - p\,p^\top

    Its largest stretch is at most 1/2, and 0 where one weight is 1.

    Parameters
    ----------
    weights : array_like of floats
        Softmax weights p, (..., n).

    Returns
    -------
    ndarray
        Jacobian, (..., n, n).

    Raises
    ------
    ValueError
        If the weights are no array of floats, or empty.

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5]).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    (weights,) = _stacks(weights=(weights, "n"))
    diagonal = weights[..., None] * np.eye(weights.shape[-1], dtype=weights.dtype)
    return diagonal - weights[..., :, None] * weights[..., None, :]


@_expected
def attention(q: Array, k: Array, v: Array, inner: Any = None) -> Attention:
    r"""Scaled dot-product attention of one head.

    .. math:: S = \frac{Q K^\top}{\sqrt d}, \qquad P = \operatorname{softmax}(S), \qquad O = P V

    Parameters
    ----------
    q : ndarray of floats
        Queries Q, (..., m, d).
    k, v : ndarray of floats
        Keys K and values V, (..., n, d).
    inner : dtype, optional
        Format of scores and weights; float32 is what fused kernels keep them in. Else that of the queries.

    Returns
    -------
    Attention
        Scores and weights in the inner format, output in that of the queries.

    Raises
    ------
    ValueError
        If an argument is no array of floats, is empty, or has a shape that does not fit.

    References
    ----------
    Vaswani et al. (2017), arXiv:1706.03762.

    Examples
    --------
    Of two keys the query prefers the second, the more the longer the query:

    >>> k = v = np.eye(2)
    >>> attention(np.array([[0.0, 2.0]]), k, v).weights.round(2).tolist()
    [[0.2, 0.8]]
    >>> attention(np.array([[0.0, 2000.0]]), k, v).weights.round(2).tolist()
    [[0.0, 1.0]]
    """
    q, k, v = _stacks(q=(q, "md"), k=(k, "nd"), v=(v, "nd"))
    return _attention(q, k, v, _inner(q, inner))


def _attention(q: Array, k: Array, v: Array, inner: Any) -> Attention:
    scores = _product(q.astype(inner, copy=False), _transposed(k).astype(inner, copy=False)) * _per_root(k, inner)
    weights = _softmax(scores)
    return Attention(scores, weights, _product(weights, v.astype(inner, copy=False)).astype(q.dtype))


@_expected
def attention_gradients(q: Array, k: Array, v: Array, weights: Array, upstream: Array) -> tuple[Array, Array, Array]:
    r"""Gradients of a loss for queries, keys and values, from its gradient G for the output.

    .. math::
        \nabla_V = P^\top G, \qquad
        \nabla_S = P \circ \bigl(U - (P \circ U)\,\mathbf{1}\mathbf{1}^\top\bigr), \quad U = G V^\top, \qquad
        \nabla_Q = \frac{\nabla_S K}{\sqrt d}, \qquad \nabla_K = \frac{\nabla_S^\top Q}{\sqrt d}

    Row i of the gradient for the scores is the softmax Jacobian of that row times row i of U.

    Parameters
    ----------
    q : ndarray of floats
        Queries Q, (..., m, d), as the backward pass reads them.
    k, v : ndarray of floats
        Keys K and values V, (..., n, d).
    weights : ndarray of floats
        Attention weights P, (..., m, n); their format is that of the scores' gradient.
    upstream : ndarray of floats
        Gradient G of the loss for the output, (..., m, d).

    Returns
    -------
    tuple of ndarray
        Gradients for q, k and v, each shaped and in the format as these.

    Raises
    ------
    ValueError
        If an argument is no array of floats, is empty, or has a shape that does not fit.
    """
    q, k, v, weights, upstream = _stacks(
        q=(q, "md"), k=(k, "nd"), v=(v, "nd"), weights=(weights, "mn"), upstream=(upstream, "md")
    )
    return _attention_gradients(q, k, v, weights, upstream)


def _attention_gradients(q: Array, k: Array, v: Array, weights: Array, upstream: Array) -> tuple[Array, Array, Array]:
    inner = weights.dtype
    upstream = upstream.astype(inner, copy=False)
    by_score = _by_score(weights, upstream, v.astype(inner, copy=False))
    per_root = _per_root(k, inner)
    by_query = _product(by_score, k.astype(inner, copy=False)) * per_root
    by_key = _product(_transposed(by_score), q.astype(inner, copy=False)) * per_root
    by_value = _product(_transposed(weights), upstream)
    return by_query.astype(q.dtype), by_key.astype(k.dtype), by_value.astype(v.dtype)


@_expected
def training_step(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    target: Array,
    faults: Mapping[str, Callable[[Array], Array]] | None = None,
    inner: Any = None,
    *,
    linear: bool = False,
) -> Step:
    r"""Forward and backward pass of one head of self-attention, with faults on the way.

    .. math::
        Q = X W_Q, \quad K = X W_K, \quad V = X W_V, \qquad L = \tfrac12 \lVert O - Y \rVert^2, \qquad
        \nabla_{W_Q} = X^\top \nabla_Q, \ \dots

    A fault replaces a tensor by a corrupted one as soon as it is there; all that follows, the backward pass included,
    reads the corrupted one, and knows nothing of it: the gradient for the corrupted queries is taken for that of the
    sound ones.

    Parameters
    ----------
    x : ndarray of floats
        Input X, (..., n, c): n tokens of c numbers.
    w_q, w_k, w_v : ndarray of floats
        Weights, (..., c, d).
    target : ndarray of floats
        Target Y of the output, (..., n, d).
    faults : mapping, optional
        What corrupts a tensor, by its name out of :data:`PLACES`.
    inner : dtype, optional
        Format of scores and weights, as in :func:`attention`.
    linear : bool, optional
        Take the loss :math:`\langle Y, O \rangle` instead, whose gradient for the output is Y whatever happens: as if
        the layers above let no gradient grow.

    Returns
    -------
    Step
        Loss, scores, output and the gradients for the three weights.

    Raises
    ------
    ValueError
        If an argument is no array of floats, is empty, or has a shape that does not fit, also what a fault returns; or
        if a fault strikes an unknown place.

    Examples
    --------
    An element of a query that grows 65536 times hardly changes the gradient for the query weights:

    >>> random = np.random.default_rng(0)
    >>> x, w_q, w_k, w_v, target = random.normal(size=(5, 8, 8))
    >>> sound = training_step(x, w_q, w_k, w_v, target)
    >>> struck = training_step(x, w_q, w_k, w_v, target, {"q": lambda q: scale_element(q, 1, 2, 65536)})
    >>> round(float(gradient_norm(struck.w_q) / gradient_norm(sound.w_q)), 3)
    0.998
    """
    x, w_q, w_k, w_v, target = _stacks(
        x=(x, "nc"), w_q=(w_q, "cd"), w_k=(w_k, "cd"), w_v=(w_v, "cd"), target=(target, "nd")
    )
    faults = {} if faults is None else faults
    if not isinstance(faults, Mapping) or not all(map(callable, faults.values())):
        raise ValueError(
            f'faults must map places to functions, as {{"q": strike}} does, but are {reprlib.repr(faults)}'
        )
    if unknown := set(faults) - set(PLACES):
        raise ValueError(
            f"faults must strike one of {', '.join(PLACES)}, but strike {', '.join(sorted(map(str, unknown)))}"
        )

    def struck(place: str, tensor: Array) -> Array:
        if place not in faults:
            return tensor
        name = f"what the fault in {place} returns"
        (result,) = _stacks(**{name: (faults[place](tensor), "nd")})
        if result.shape != tensor.shape:
            raise ValueError(f"{name} must be of shape {tensor.shape}, as what it strikes, but is of {result.shape}")
        return result

    x, w_q, w_k, w_v = (struck(*tensor) for tensor in (("x", x), ("w_q", w_q), ("w_k", w_k), ("w_v", w_v)))
    q, k, v = (struck(*t) for t in (("q", _product(x, w_q)), ("k", _product(x, w_k)), ("v", _product(x, w_v))))
    scores, weights, output = _attention(q, k, v, _inner(q, inner))
    upstream = target if linear else output - target
    by_input = _transposed(x)
    gradients = (_product(by_input, g) for g in _attention_gradients(q, k, v, weights, upstream))
    terms = (output * target).astype(np.float64) if linear else np.square(upstream.astype(np.float64)) / 2
    loss = terms.sum(axis=(-2, -1))
    return Step(loss, scores, output, *gradients)


@_expected
def row_gradient_norms(
    rows: Array, x_i: Array, target: Array, x: Array, k: Array, v: Array, factors: Array = 1.0
) -> tuple[Array, Array, Array]:
    r"""Norms of what one token's query adds to the gradients of :func:`training_step`, for several such queries.

    .. math:: \lVert x_i \rVert\,\lVert \nabla_{q_i} \rVert, \qquad
        \lVert X^\top \nabla_{S_i} \rVert\,\frac{\lVert q_i \rVert}{\sqrt d}, \qquad
        \lVert X^\top p_i \rVert\,\lVert o_i - y_i \rVert

    Each share is a matrix of rank one, so that its Frobenius norm is a product of two lengths.

    Parameters
    ----------
    rows : ndarray of floats
        The query, sound or corrupted in m ways, as the pass reads it, (..., m, d).
    x_i, target : ndarray of floats
        Input of that token, (..., c), and target of its output, (..., d).
    x : ndarray of floats
        Input X of all tokens, (..., n, c).
    k, v : ndarray of floats
        Keys and values, (..., n, d).
    factors : ndarray of floats, optional
        What the elements of the sound query were multiplied by, (..., m, d): then the gradient for the query weights is
        taken through that multiplication. Else the pass knows nothing of it.

    Returns
    -------
    tuple of ndarray
        Norms of its shares in the gradients for the query, key and value weights, (..., m), in float64.

    Raises
    ------
    ValueError
        If an argument is no array of floats, is empty, or has a shape that does not fit.
    """
    rows, x_i, target, x, k, v = _stacks(
        rows=(rows, "md"), x_i=(x_i, "c"), target=(target, "d"), x=(x, "nc"), k=(k, "nd"), v=(v, "nd")
    )
    factors = number("factors", factors)
    _fits("factors", factors, rows.shape, "rows")
    _, weights, output = attention(rows, k, v)
    upstream = output - target[..., None, :]
    by_score = _by_score(weights, upstream, v)
    by_query = _product(by_score, k) * _per_root(k, k.dtype)
    return (
        _length(x_i)[..., None] * _length(by_query.astype(np.float64) * factors),
        _length(_product(by_score, x)) * _length(rows) / np.sqrt(rows.shape[-1]),
        _length(_product(weights, x)) * _length(upstream),
    )


@_expected
def query_gradient_bound(x: Array, k: Array, v: Array, upstream: Array) -> Array:
    r"""Largest norm that the gradient for the query weights can have, whatever the queries are.

    .. math:: \lVert \nabla_{W_Q} \rVert \le \frac{\lVert X \rVert\,\lVert G V^\top \rVert\,\lVert K \rVert}{2 \sqrt d}

    since no softmax Jacobian stretches by more than 1/2. Norms of X and K are spectral, the others Frobenius. Holds for
    any finite queries, corrupted or not.

    Parameters
    ----------
    x : ndarray of floats
        Input X, (..., n, c).
    k, v : ndarray of floats
        Keys and values, (..., n, d).
    upstream : ndarray of floats
        Gradient G of the loss for the output, (..., n, d).

    Returns
    -------
    ndarray
        Bound on the Frobenius norm, (...), in float64.

    Raises
    ------
    ValueError
        If an argument is no array of floats, is empty, or has a shape that does not fit, or is not finite.
    """
    matrices = _stacks(x=(x, "nc"), k=(k, "nd"), v=(v, "nd"), upstream=(upstream, "nd"))
    x, k, v, upstream = (
        finite(name, matrix.astype(np.float64))
        for name, matrix in zip(("x", "k", "v", "upstream"), matrices, strict=True)
    )
    spectral = np.linalg.norm(x, 2, axis=(-2, -1)) * np.linalg.norm(k, 2, axis=(-2, -1))
    return spectral * np.linalg.norm(upstream @ _transposed(v), axis=(-2, -1)) / (2 * np.sqrt(k.shape[-1]))


@_expected
def scaled(values: Array, factor: Array) -> Array:
    """Multiply values by a factor, in their own format: exactly, then rounded, so that the factor itself may exceed it.

    Examples
    --------
    >>> scaled(np.array([0.5, 2.0], np.float16), 65536).tolist()
    [32768.0, inf]
    """
    (values,) = _stacks(values=(values, ""))
    factor = number("factor", factor)
    fitting_shapes(values=values, factor=factor)
    return (values.astype(np.float64) * factor).astype(values.dtype)


def scale_row(matrix: Array, row: int, factor: float) -> Array:
    """Copy matrices, (..., n, d), with one row of each multiplied by a factor, as :func:`scaled` does.

    Examples
    --------
    >>> scale_row(np.ones((2, 2)), 0, 4).tolist()
    [[4.0, 4.0], [1.0, 1.0]]
    """
    struck, row, _ = _element(matrix, row)
    factor = number("factor", factor)
    _fits("factor", factor, struck[..., row, :].shape, "the row")
    struck[..., row, :] = scaled(struck[..., row, :], factor)
    return struck


def scale_element(matrix: Array, row: int, column: int, factor: float) -> Array:
    """Copy matrices, (..., n, d), with one element of each multiplied by a factor, as :func:`scaled` does.

    Examples
    --------
    >>> scale_element(np.ones((2, 2)), 0, 1, 4).tolist()
    [[1.0, 4.0], [1.0, 1.0]]
    """
    struck, row, column = _element(matrix, row, column)
    factor = number("factor", factor)
    _fits("factor", factor, struck[..., row, column].shape, "the elements")
    struck[..., row, column] = scaled(struck[..., row, column], factor)
    return struck


def flip_elements(matrix: Array, row: Array, column: Array, bit: Array) -> Array:
    """Copy matrices, (..., n, d), with one bit of one element of each flipped.

    Parameters
    ----------
    matrix : ndarray of floats
        The matrices.
    row, column : array_like of ints
        Which element of each matrix, (...) or one for all.
    bit : array_like of ints
        Which bit, from 0, the last of the significand, to the sign, (...) or one for all.

    Returns
    -------
    ndarray
        The struck matrices, in the same format.

    Raises
    ------
    ValueError
        If the matrices are no array of floats, or there is no such element or bit.

    Examples
    --------
    >>> flip_elements(np.array([[0.5]], np.float16), 0, 0, 14).tolist()
    [[32768.0]]
    """
    struck, row, column = _element(matrix, row, column)
    bit = count("bit", bit, most=8 * struck.dtype.itemsize - 1)
    for name, value in (("row", row), ("column", column), ("bit", bit)):
        _fits(name, value, struck.shape[:-2], "the stack of matrices")
    bit = np.asarray(bit).astype(int)
    stack = np.indices(struck.shape[:-2], sparse=True)
    struck[*stack, row, column] = _flip(struck[*stack, row, column], bit)
    return struck


@_expected
def gradient_norm(*gradients: Array) -> Array:
    """Length of all gradients taken together, in float64: over the last two axes of each.

    Examples
    --------
    >>> float(gradient_norm(np.full((1, 1), 3.0), np.full((1, 1), 4.0)))
    5.0
    """
    return _norm(_gradients(gradients))


def _norm(gradients: Sequence[Array]) -> Array:
    return _length(np.stack([_length(g.reshape(*g.shape[:-2], -1)) for g in gradients], axis=-1))


@_expected
def clip(gradients: Sequence[Array], limit: float) -> tuple[Array, ...]:
    r"""Clip gradients by their common norm.

    .. math:: g \min\left(1, \frac{c}{\lVert g \rVert}\right)

    Parameters
    ----------
    gradients : sequence of ndarray of floats
        Gradients, (..., c, d) each.
    limit : float
        Largest norm c that is left as it is, above 0; with infinity all are.

    Returns
    -------
    tuple of ndarray
        Clipped gradients, in float64. One that is not finite anywhere is not made so: NaN stays NaN.

    Raises
    ------
    ValueError
        If a gradient is no array of floats, or empty, if their shapes do not fit, or the limit is not above 0.

    Examples
    --------
    >>> [g.tolist() for g in clip([np.full((1, 1), 3.0), np.full((1, 1), 4.0)], limit=2.5)]
    [[[1.5]], [[2.0]]]
    >>> [g.tolist() for g in clip([np.full((1, 1), np.inf), np.full((1, 1), 4.0)], limit=1)]
    [[[nan]], [[0.0]]]
    """
    gradients = _gradients(gradients)
    limit = positive("limit", limit)
    norm = _norm(gradients)
    _fits("limit", limit, norm.shape, "the stack of gradients")
    factor = np.where(norm > limit, limit / np.where(norm > limit, norm, 1), 1)
    factor = np.where(np.isnan(norm), np.nan, factor)[..., None, None]
    return tuple(gradient.astype(np.float64) * factor for gradient in gradients)


def largest_score(step: Step) -> Array:
    """Largest score of each trial in absolute value, (...), in float64; NaN if one is NaN."""
    return np.abs(step.scores.astype(np.float64)).max(axis=(-2, -1))


def is_finite(step: Step) -> Array:
    """Tell of each trial, (...), whether all of its gradients are finite: what a loss scaler checks."""
    return np.logical_and.reduce([np.isfinite(g.astype(np.float64)).all(axis=(-2, -1)) for g in step.gradients])


def leading_weight(scale: Array, lead: Array, keys: Array) -> Array:
    r"""Softmax weight of a key that leads, when the query's row is scaled.

    .. math:: p = \frac{1}{1 + (n - 1)\,e^{-a \xi}}

    One of n keys has a score larger by the lead a than all others, which tie; the row is multiplied by xi.

    Parameters
    ----------
    scale : array_like
        Factor xi by which the row is scaled. Above 0 and finite.
    lead : array_like
        Lead a in the sound row's scores. Above 0 and finite.
    keys : array_like
        Number of keys, n. Whole, at least 2.

    Returns
    -------
    array_like
        Weight, between 1/n and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> leading_weight([1, 10, 100], lead=0.35, keys=64).round(3).tolist()
    [0.022, 0.345, 1.0]
    """
    return in_blocks(_leading_weight, *_row(scale, lead, keys))


def query_share(scale: Array, lead: Array, keys: Array) -> Array:
    r"""Share of a row in the gradient for the query weights when the row is scaled, by the sound row's.

    .. math:: \frac{p (1 - p)}{p_1 (1 - p_1)}

    with p of :func:`leading_weight`, and p_1 of it at a scale of 1. For keys that tie but for one, if the loss tells
    only the leading key apart.

    Parameters
    ----------
    scale, lead, keys : array_like
        As of :func:`leading_weight`.

    Returns
    -------
    array_like
        Norm by the sound one; 0 where it is below the doubles, from a lead times scale of some 745 on.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> query_share([1, 10, 100, 65536], lead=0.35, keys=64).tolist()[0::3]
    [1.0, 0.0]
    """
    return in_blocks(_query_share, *_row(scale, lead, keys))


def key_share(scale: Array, lead: Array, keys: Array) -> Array:
    r"""Share of a row in the gradient for the key weights when the row is scaled, by the sound row's.

    .. math:: \xi\,\frac{p (1 - p)}{p_1 (1 - p_1)}

    The gradient for the keys is the scores' times the query, and the query has grown xi times. It is also the share in
    the gradient for the query weights if one differentiates through the scaling.

    Parameters
    ----------
    scale, lead, keys : array_like
        As of :func:`leading_weight`.

    Returns
    -------
    array_like
        Norm by the sound one; 0 where it is below the doubles.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> key_share([1, 10, 100], lead=0.35, keys=64).round(2).tolist()
    [1.0, 104.83, 0.0]
    """
    return in_blocks(_key_share, *_row(scale, lead, keys))


def value_share(scale: Array, lead: Array, keys: Array) -> Array:
    r"""Share of a row in the gradient for the value weights when the row is scaled, by the sound row's.

    .. math:: \frac{\lVert p \rVert}{\lVert p_1 \rVert}, \qquad \lVert p \rVert^2 = p^2 + \frac{(1 - p)^2}{n - 1}

    for inputs of equal length at right angles. It tends to the length of 1/p_1, and never vanishes.

    Parameters
    ----------
    scale, lead, keys : array_like
        As of :func:`leading_weight`.

    Returns
    -------
    array_like
        Norm by the sound one.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> value_share([1, 10, 1000], lead=0.35, keys=64).round(2).tolist()
    [1.0, 2.83, 7.99]
    """
    return in_blocks(_value_share, *_row(scale, lead, keys))


def turning_scale(lead: Array, keys: Array) -> Array:
    r"""Scale at which the leading key has half the weight, and the share in the query weights turns from rise to fall.

    .. math:: \xi = \frac{\ln(n - 1)}{a}

    Parameters
    ----------
    lead, keys : array_like
        As of :func:`leading_weight`.

    Returns
    -------
    array_like
        Scale; below 1 where the sound row is already past it.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> round(float(turning_scale(lead=0.35, keys=64)), 1)
    11.8
    """
    lead, keys = checked(_ROW_CHECKS, lead=lead, keys=keys)
    return in_blocks(_turning_scale, lead, keys)


_ROW_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "scale": positive_finite,
    "lead": positive_finite,
    "keys": partial(count, least=2),
}


def _row(scale: Array, lead: Array, keys: Array) -> list[Array]:
    return checked(_ROW_CHECKS, scale=scale, lead=lead, keys=keys)


# The kernels of the row with one leading key. E = e^-(a xi) is never above 1; m = n - 1 others.


def _leading_weight(scale: Array, lead: Array, keys: Array) -> Array:
    return 1 / (1 + (keys - 1) * np.exp(-lead * scale))


def _query_share(scale: Array, lead: Array, keys: Array) -> Array:
    m = keys - 1
    mixture = (1 + m * np.exp(-lead)) / (1 + m * np.exp(-lead * scale))
    return np.exp(-lead * (scale - 1)) * mixture * mixture


def _key_share(scale: Array, lead: Array, keys: Array) -> Array:
    return scale * _query_share(scale, lead, keys)


def _value_share(scale: Array, lead: Array, keys: Array) -> Array:
    m = keys - 1
    e, sound = np.exp(-lead * scale), np.exp(-lead)
    return np.sqrt((1 + m * e * e) / (1 + m * sound * sound)) * ((1 + m * sound) / (1 + m * e))


def _turning_scale(lead: Array, keys: Array) -> Array:
    return np.log(keys - 1) / lead


# Checks of arrays that are computed in their own format.


def _stacks(**arguments: tuple[Array, str]) -> list[Array]:
    """Check arrays of floats, each with a letter for each of its last axes: the same letter is the same length."""
    arrays: list[Array] = []
    length: dict[str, tuple[str, int]] = {}
    stack = {}
    for name, (value, letters) in arguments.items():
        array = _floats(name, value)
        last = array.shape[len(array.shape) - len(letters) :]
        axes = f"(..., {', '.join(letters)})"
        if len(array.shape) < len(letters):
            raise ValueError(f"{name} must be of shape {axes}, but is of {array.shape}: add the axes that lack")
        for letter, size in zip(letters, last, strict=True):
            first, known = length.setdefault(letter, (name, size))
            if size == 0:
                raise ValueError(f"{name} must be of shape {axes}, none of them 0, but is of {array.shape}")
            if size != known:
                raise ValueError(
                    f"{name} must be of shape {axes} with {letter} = {known}, as {first} has, but is of {array.shape}: "
                    "cut or transpose one of them"
                )
        arrays.append(array)
        stack[name] = np.empty(array.shape[: len(array.shape) - len(letters)], dtype=[])
    try:
        np.result_type(*arrays)
    except TypeError:
        formats = ", ".join(f"{name} {array.dtype.name}" for name, array in zip(arguments, arrays, strict=True))
        raise ValueError(f"formats must have a common one, but are {formats}: make them equal by astype") from None
    fitting_shapes(**stack)
    return arrays


def _floats(name: str, value: Array) -> Array:
    """Check that it is an array of a floating-point format; lists of floats become doubles."""
    try:
        array = value if hasattr(value, "__array_function__") else np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # lists of unequal lengths
        raise ValueError(f"{name} must be an array of floats, but is none: {reprlib.repr(value)}") from None
    if np.ma.is_masked(array):
        raise ValueError(f"{name} must be an array of floats, but has masked elements: fill them or leave them out")
    if array.dtype.kind != "f" and array.dtype.name not in FORMATS:
        what = "whole numbers: choose their format by astype" if array.dtype.kind in "iu" else reprlib.repr(value)
        raise ValueError(f"{name} must be an array of floats, but is of {array.dtype.name}, {what}")
    return array


def _inner(q: Array, inner: Any) -> Any:
    """Give the format of scores and weights: if none is named, that of the queries."""
    if inner is None:
        return q.dtype
    try:
        dtype = np.dtype(inner)
    except TypeError:
        dtype = None
    if dtype is None or (dtype.kind != "f" and dtype.name not in FORMATS):
        raise ValueError(f"inner must be a floating-point format, as numpy.float32, but is {inner!r}")
    return dtype


def _element(matrix: Array, row: Array, column: Array = 0) -> tuple[Array, Array, Array]:
    """Copy matrices, and check which of their rows and columns are to be struck."""
    (matrix,) = _stacks(matrix=(matrix, "nd"))
    row = count("row", row, most=matrix.shape[-2] - 1)
    column = count("column", column, most=matrix.shape[-1] - 1)
    return np.array(matrix), np.asarray(row).astype(int), np.asarray(column).astype(int)


def _fits(name: str, value: Array, shape: tuple[int, ...], of: str) -> None:
    """Refuse what does not broadcast to a shape."""
    given = np.shape(value)
    try:
        fits = np.broadcast_shapes(given, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name} must be one number or fit the shape {shape} of {of}, but is of shape {given}")


def _gradients(gradients: Sequence[Array]) -> list[Array]:
    """Check gradients, (..., c, d) each with its own c and d, which have the same stack of trials."""
    if not isinstance(gradients, (list, tuple)) or not gradients:
        raise ValueError(f"gradients must be a list or tuple of at least one array, but are {reprlib.repr(gradients)}")
    arrays = [_stacks(**{f"gradients[{i}]": (g, "cd")})[0] for i, g in enumerate(gradients)]
    for i, array in enumerate(arrays):
        if array.shape[:-2] != arrays[0].shape[:-2]:
            raise ValueError(
                f"gradients[{i}] must have as many trials as gradients[0], which is of shape {arrays[0].shape}, but is "
                f"of {array.shape}"
            )
    return arrays


# Arithmetic in the format of the arrays.


def _by_score(weights: Array, upstream: Array, v: Array) -> Array:
    """Gradient for the scores, from that for the output: each row's softmax Jacobian times the row of U = G V^T."""
    u = _product(upstream, _transposed(v))
    return weights * (u - _sum(weights * u))


def _sum(rows: Array) -> Array:
    return rows.sum(axis=-1, keepdims=True, dtype=np.float64).astype(rows.dtype)


def _transposed(matrix: Array) -> Array:
    return np.swapaxes(matrix, -1, -2)


def _per_root(k: Array, dtype: Any) -> Array:
    return np.asarray(1 / np.sqrt(k.shape[-1])).astype(dtype)


def _length(rows: Array) -> Array:
    """Length along the last axis; in units of the largest element, lest the squares of small ones be 0."""
    rows = rows.astype(np.float64)
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    unit = np.where((largest > 0) & (largest < np.inf), largest, 1)
    return np.sqrt(np.square(rows / unit).sum(axis=-1)) * unit[..., 0]


def _flip(value: Array, bit: Array) -> Array:
    """Flip a bit of the patterns themselves, so that the values of a NaN's bits are kept, too."""
    pattern = np.dtype(f"u{value.dtype.itemsize}")
    return (value.view(pattern) ^ np.left_shift(1, bit).astype(pattern)).view(value.dtype)


# Verified checkpoints: a segment of work, a verification, a write. Chapter *verified-checkpoints*.


def verified_interval(verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array = np.inf) -> Array:
    r"""First-order optimal interval of checkpoints that are verified before they are written.

    .. math:: \tau = \sqrt{\frac{V + \delta}{1/(2 M_f) + 1/M_s}}

    A silent error is seen at the end of its interval and costs all of it; a fail-stop error costs half of it, on
    average. Minimises :func:`first_order_verified_overhead`. With fail-stop errors alone, this is Young's interval of
    the write and the verification together. It is longer than the exact optimum, :func:`optimal_verified_interval`, by
    between a half and two thirds of V + delta, while both times are short against the MTBFs.

    Parameters
    ----------
    verify : array_like
        Time to verify the state, V, in seconds. At least 0.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf_silent : array_like
        Mean time between silent errors of the whole job, M_s, in seconds. Above 0; infinite if there are none. A
        verification that sees a share r_v of the corrupt states counts as one that sees all, with r_v M_s for M_s.
    mtbf_failstop : array_like
        Mean time between fail-stop errors of the whole job, M_f, in seconds. Above 0; infinite if there are none.

    Returns
    -------
    array_like
        Time of computation between verifications, in seconds. 0 if verification and write are free, infinite if there
        are no errors.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Aupy et al. (2013), arXiv:1310.8486.

    Examples
    --------
    Six silent errors in 54 days:

    >>> from relmath.units import day, hour
    >>> round(float(verified_interval(60, 20, 54 * day / 6) / hour), 2)
    2.19
    """
    pattern = _checked(verify=verify, write_time=write_time, mtbf_silent=mtbf_silent, mtbf_failstop=mtbf_failstop)
    return in_blocks(_verified_interval, *pattern)


def first_order_verified_overhead(
    interval: Array, verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array = np.inf
) -> Array:
    r"""First-order overhead of checkpoints that are verified before they are written, of useful time.

    .. math:: \frac{V + \delta}{\tau} + \tau \Bigl(\frac{1}{2 M_f} + \frac{1}{M_s}\Bigr)

    Neglects a second error of either kind in the same interval, and what strikes during verification and write, so it
    is good for V + delta << tau << M. The exact overhead is :func:`verified_overhead`.

    Parameters
    ----------
    interval : array_like
        Time of computation between verifications, tau, in seconds. Above 0 and finite.
    verify : array_like
        Time to verify the state, V, in seconds. At least 0.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf_silent : array_like
        Mean time between silent errors of the whole job, M_s, in seconds. Above 0; infinite if there are none.
    mtbf_failstop : array_like
        Mean time between fail-stop errors of the whole job, M_f, in seconds. Above 0; infinite if there are none.

    Returns
    -------
    array_like
        Time lost per useful time (T/tau - 1), to first order.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour, percent
    >>> round(float(first_order_verified_overhead(2.19 * hour, 60, 20, 9 * day) / percent), 2)
    2.03
    """
    return in_blocks(
        _first_order_verified_overhead,
        *_checked(
            interval=interval,
            verify=verify,
            write_time=write_time,
            mtbf_silent=mtbf_silent,
            mtbf_failstop=mtbf_failstop,
        ),
    )


def verified_time(
    interval: Array,
    verify: Array,
    write_time: Array,
    mtbf_silent: Array,
    mtbf_failstop: Array = np.inf,
    restart: Array = 0,
    downtime: Array = 0,
) -> Array:
    r"""Expected wall time to compute an interval, verify it and write it, all errors on the way included.

    .. math::
        T = (M_f + D) \Bigl[ e^{R/M_f} \bigl(e^{\tau/M_s + (\tau + V + \delta)/M_f} - 1\bigr)
        - e^{\delta/M_f} \bigl(e^{\tau/M_s} - 1\bigr) \Bigr]

    and, without fail-stop errors, :math:`T = (\tau + V + R)\,e^{\tau/M_s} - R + \delta`. Silent errors strike the
    computation alone. The verification sees every one of them; then the last checkpoint is read back, which takes the
    restart R, and the interval computed again. Fail-stop errors strike at any time but the downtime; each costs the
    downtime D, in which nothing can fail, then the restart, then the interval again. The first start needs no restart.

    Parameters
    ----------
    interval : array_like
        Time of computation between verifications, tau, in seconds. Above 0 and finite.
    verify : array_like
        Time to verify the state, V, in seconds. At least 0.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf_silent : array_like
        Mean time between silent errors of the whole job, M_s, in seconds. Above 0; infinite if there are none.
    mtbf_failstop : array_like
        Mean time between fail-stop errors of the whole job, M_f, in seconds. Above 0; infinite if there are none.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a fail-stop error to the restart, D, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds; infinite where it is beyond the largest double.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour
    >>> round(float(verified_time(2.19 * hour, 60, 20, 9 * day, restart=20) / hour), 4)
    2.2348
    """
    return in_blocks(
        _verified_time,
        *_pattern(interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime),
    )


def verified_overhead(
    interval: Array,
    verify: Array,
    write_time: Array,
    mtbf_silent: Array,
    mtbf_failstop: Array = np.inf,
    restart: Array = 0,
    downtime: Array = 0,
) -> Array:
    r"""Exact overhead of verified checkpoints and errors, of useful time: the expected time by the interval, minus 1.

    .. math:: \frac{T}{\tau} - 1

    The assumptions are those of :func:`verified_time`; :func:`first_order_verified_overhead` is its first order,
    without restart and downtime.

    Parameters
    ----------
    interval : array_like
        Time of computation between verifications, tau, in seconds. Above 0 and finite.
    verify : array_like
        Time to verify the state, V, in seconds. At least 0.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf_silent : array_like
        Mean time between silent errors of the whole job, M_s, in seconds. Above 0; infinite if there are none.
    mtbf_failstop : array_like
        Mean time between fail-stop errors of the whole job, M_f, in seconds. Above 0; infinite if there are none.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a fail-stop error to the restart, D, in seconds. At least 0.

    Returns
    -------
    array_like
        Time lost per useful time.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour, percent
    >>> round(float(verified_overhead(2.19 * hour, 60, 20, 9 * day) / percent), 2)
    2.04
    """
    return in_blocks(
        _verified_overhead,
        *_pattern(interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime),
    )


def optimal_verified_interval(
    verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array = np.inf, restart: Array = 0
) -> Array:
    r"""Exactly optimal interval of checkpoints that are verified before they are written.

    Minimises :func:`verified_overhead`. There is one such interval, but no formula for it, except in special cases:
    :math:`\sqrt{M_s W + W^2/4} - W/2`, :math:`W = V + \delta`, without fail-stop errors and if reading takes as long as
    writing; and :func:`relmath.checkpoints.optimal` of W without silent ones. Solved by Newton's method. The downtime
    does not move it; the restart does, a little.

    Parameters
    ----------
    verify : array_like
        Time to verify the state, V, in seconds. At least 0.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf_silent : array_like
        Mean time between silent errors of the whole job, M_s, in seconds. Above 0; infinite if there are none.
    mtbf_failstop : array_like
        Mean time between fail-stop errors of the whole job, M_f, in seconds. Above 0; infinite if there are none.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.

    Returns
    -------
    array_like
        Time of computation between verifications, in seconds. 0 if verification and write are free, infinite if there
        are no errors.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour
    >>> round(float(optimal_verified_interval(60, 20, 9 * day, restart=20) / hour), 2)
    2.18
    """
    return in_blocks(
        _optimal_verified_interval,
        *_checked(
            verify=verify,
            write_time=write_time,
            mtbf_silent=mtbf_silent,
            mtbf_failstop=mtbf_failstop,
            restart=restart,
        ),
    )


def verify_every(verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array) -> Array:
    r"""Checkpoints from one verification to the next, where both may be chosen apart, to first order.

    .. math:: m = \sqrt{\frac{V M_s}{2\,\delta\,M_f}}

    The best time between verifications is :math:`\sqrt{V M_s}`, which is ``verified_interval(verify, 0,
    mtbf_silent)``, and the best time between writes is Young's, :math:`\sqrt{2 \delta M_f}`: this is their ratio. A
    fail-stop error goes back to the last checkpoint, a silent one to the last that was verified.

    Parameters
    ----------
    verify : array_like
        Time to verify the state, V, in seconds. At least 0.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. Above 0 and finite.
    mtbf_silent : array_like
        Mean time between silent errors of the whole job, M_s, in seconds. Above 0; infinite if there are none.
    mtbf_failstop : array_like
        Mean time between fail-stop errors of the whole job, M_f, in seconds. Above 0 and finite.

    Returns
    -------
    array_like
        Number of checkpoints, not rounded. Below 1 it is better to verify oftener than to write. Infinite if there are
        no silent errors.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour
    >>> round(float(verify_every(60, 20, 9 * day, 3.138 * hour)), 1)
    10.2
    """
    finite = _CHECKS | {"write_time": positive_finite, "mtbf_failstop": positive_finite}
    arguments = checked(
        finite, verify=verify, write_time=write_time, mtbf_silent=mtbf_silent, mtbf_failstop=mtbf_failstop
    )
    return in_blocks(_verify_every, *arguments)


def clean_checkpoints(interval: Array, detection_latency: Array, confidence: Array) -> Array:
    r"""Checkpoints to keep so that one of them is older than a corruption when it is noticed, with some confidence.

    .. math::
        \min \{k \ge 1 : P_k \le 1 - c\}, \qquad
        P_k = \frac{L_d}{\tau}\,\bigl(e^{\tau/L_d} - 1\bigr)\,e^{-k\tau/L_d}

    The corruption strikes at any moment between two checkpoints, all alike, and is noticed after an exponential time
    of mean L_d. All checkpoints written in between are corrupt, and the chance that these are k or more is P_k.

    Parameters
    ----------
    interval : array_like
        Time from one checkpoint to the next, tau, in seconds, the write included where it counts. Above 0 and finite.
    detection_latency : array_like
        Mean time from a corruption to its detection, L_d, in seconds. At least 0.
    confidence : array_like
        Probability that a clean checkpoint is left, c. 1 takes infinitely many, unless detection is immediate.

    Returns
    -------
    array_like
        Number of checkpoints, whole, at least 1. The risk that `confidence` allows is met within a relative 1e-9.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Aupy et al. (2013), arXiv:1310.8486, for the model.

    Examples
    --------
    A checkpoint every two hours, and corruption that is noticed after two days in the mean:

    >>> from relmath.units import day, hour
    >>> float(clean_checkpoints(2 * hour, 2 * day, confidence=0.99))
    112.0
    """
    return in_blocks(
        _clean_checkpoints,
        *_checked(interval=interval, detection_latency=detection_latency, confidence=confidence),
    )


def clean_checkpoints_verified(recall: Array, confidence: Array) -> Array:
    r"""Checkpoints to keep behind a verification that may miss a corruption, so that one is clean when it is seen.

    .. math:: \min \{k \ge 1 : (1 - r_v)^k \le 1 - c\}

    Each checkpoint is verified before it is written. A corrupt state passes with probability 1 - r_v each time,
    whatever happened before; k corrupt checkpoints are written if it passes k times.

    Parameters
    ----------
    recall : array_like
        Share of corrupt states that a verification recognises, r_v, between 0 and 1.
    confidence : array_like
        Probability that a clean checkpoint is left, c. 1 takes infinitely many, unless the verification is perfect.

    Returns
    -------
    array_like
        Number of checkpoints, whole, at least 1. The risk that `confidence` allows is met within a relative 1e-9.
        Infinite if the verification sees nothing, unless `confidence` is 0.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> clean_checkpoints_verified([0.5, 0.9, 1], confidence=0.99).tolist()
    [7.0, 2.0, 1.0]
    """
    return in_blocks(_clean_checkpoints_verified, *_checked(recall=recall, confidence=confidence))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "interval": positive_finite,
    "verify": non_negative,
    "write_time": non_negative,
    "mtbf_silent": positive,
    "mtbf_failstop": positive,
    "restart": non_negative,
    "downtime": non_negative,
    "detection_latency": non_negative,
    "confidence": probability,
    "recall": probability,
}


_checked = partial(checked, _CHECKS)


def _pattern(
    interval: Array,
    verify: Array,
    write_time: Array,
    mtbf_silent: Array,
    mtbf_failstop: Array,
    restart: Array,
    downtime: Array,
) -> list[Array]:
    return _checked(
        interval=interval,
        verify=verify,
        write_time=write_time,
        mtbf_silent=mtbf_silent,
        mtbf_failstop=mtbf_failstop,
        restart=restart,
        downtime=downtime,
    )


# The kernels: ufuncs only, on arguments already checked. Both branches of a `where` are evaluated, so each is kept from
# invalid operations where it does not count.

SLACK = 1e-9  # relative, of a risk that is allowed: 1 - 0.99 shall not ask for more than 0.01 does


def _verified_interval(verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array) -> Array:
    rate = 0.5 / mtbf_failstop + 1 / mtbf_silent
    never = rate == 0
    paid = verify + write_time
    return np.where(never, np.inf + 0 * paid, np.sqrt(paid / np.where(never, 1, rate)))


def _first_order_verified_overhead(
    interval: Array, verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array
) -> Array:
    return (verify + write_time) / interval + (interval / mtbf_failstop / 2 + interval / mtbf_silent)


def _verify_every(verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array) -> Array:
    free = verify == 0  # then there is no reason not to verify at every step, even if there is none to verify
    ratio = np.where(free, 0, mtbf_silent) / mtbf_failstop
    return np.sqrt(verify / write_time / 2) * np.sqrt(ratio)


def _grown(z: Array) -> Array:
    """(e^z - 1) / z for z of at least 0."""
    return np.where(z > 0, np.expm1(z) / np.where(z > 0, z, 1), 1)


def _shrunk(z: Array) -> Array:
    """(1 - e^-z) / z for z of at least 0."""
    return np.where(z > 0, -np.expm1(-z) / np.where(z > 0, z, 1), 1)


_BEYOND_ONE = [1 / factorial(k) for k in range(2, 14)]  # of (e^z - 1)/z - 1 = z (1/2 + z/6 + ...)
_CONVEX = [(k - 1) / factorial(k) for k in range(2, 16)]  # of (z - 1) e^z + 1 = z^2 (1/2 + z/3 + ...)


def _beyond_one(z: Array) -> Array:
    """(e^z - 1)/z - 1 for z between 0 and 2."""
    few = np.minimum(z, 0.5)
    return np.where(z < 0.5, few * polyval(few, _BEYOND_ONE, tensor=False), _grown(z) - 1)


def _convex_by(z: Array) -> Array:
    """((z - 1) e^z + 1) / z for z of at least 0."""
    few, many = np.minimum(z, 0.5), np.maximum(z, 0.5)
    return np.where(z < 0.5, few * polyval(few, _CONVEX, tensor=False), ((many - 1) * np.expm1(many) + many) / many)


def _verified_time(
    interval: Array,
    verify: Array,
    write_time: Array,
    mtbf_silent: Array,
    mtbf_failstop: Array,
    restart: Array,
    downtime: Array,
) -> Array:
    # A stretch of length l takes H(l) = (M_f + D)(e^(l/M_f) - 1), and T = e^(d + x) H(tau + V) + H(delta) +
    # (e^X - 1) H(R), all of them positive. With e^(X + r) taken out, each factor is bounded; it is put back in halves,
    # so that nothing on the way overflows before T does.
    def stretch(length: Array) -> Array:  # H(l) e^(-l/M_f)
        z = length / mtbf_failstop
        return length * _shrunk(z) - downtime * np.expm1(-z)

    x, d, r = interval / mtbf_silent, write_time / mtbf_failstop, restart / mtbf_failstop
    computed = interval / mtbf_failstop + verify / mtbf_failstop
    whole = np.minimum(x + computed + d, 1e5)
    decayed = np.exp(-np.minimum(r, 1e5))
    time = decayed * (
        stretch(interval + verify) + np.exp(-np.minimum(x + computed, 1e5)) * stretch(write_time)
    ) - np.expm1(-whole) * stretch(restart)
    growth = np.exp(np.minimum(whole + r, 1e5) / 2)
    return time * growth * growth


def _verified_overhead(
    interval: Array,
    verify: Array,
    write_time: Array,
    mtbf_silent: Array,
    mtbf_failstop: Array,
    restart: Array,
    downtime: Array,
) -> Array:
    # While errors are rare, the sum of what each part costs beyond the work: no term is a difference of nearly equal
    # ones. Where they are not, T/tau - 1 is good.
    arguments = (interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime)
    x, d, r = interval / mtbf_silent, write_time / mtbf_failstop, restart / mtbf_failstop
    computed = interval / mtbf_failstop + verify / mtbf_failstop
    rare = x + computed + d + r < 1

    def few(z: Array) -> Array:
        return np.minimum(z, 1)

    silent = np.expm1(few(x + d))
    working = interval * ((1 + silent) * _beyond_one(few(computed)) + silent)
    verifying = verify * (1 + silent) * _grown(few(computed))
    writing = write_time * _grown(few(d))
    reading = np.expm1(few(x + computed + d)) * (restart * _grown(few(r)) + downtime * np.expm1(few(r)))
    waiting = downtime * ((1 + silent) * np.expm1(few(computed)) + np.expm1(few(d)))
    terms = working / interval + (verifying + writing + reading + waiting) / interval
    return np.where(rare, terms, _verified_time(*arguments) / interval - 1)


STEPS_TO_OPTIMUM = 14  # of Newton's method: enough over 18 decades of each time, as tests show


def _optimal_verified_interval(
    verify: Array, write_time: Array, mtbf_silent: Array, mtbf_failstop: Array, restart: Array
) -> Array:
    # The slope of T/tau is zero where, with u = tau (1/M_s + 1/M_f) = x + y,
    #   a h(u) + e^(x - z) u (x g(y) + h(y)/y) = b,   h(u) = (u - 1) e^u + 1,   g(y) = (e^y - 1)/y.
    # Every term is positive, and the logarithm of the left side is convex in that of u: Newton's method cannot fail.
    rate = 1 / mtbf_silent + 1 / mtbf_failstop
    never = rate == 0
    rate = np.where(never, 1, rate)
    paid = verify + write_time
    free = paid == 0
    at_once, not_at_all = 0 * restart, np.inf + 0 * (paid + restart)  # NaN, where one of them is
    paid = np.where(free, 1, paid)
    again = restart / mtbf_failstop + verify / mtbf_failstop
    silent = (1 / mtbf_silent) / rate  # share of the errors
    a = rate * (restart + verify) * _shrunk(again)
    b = rate * paid * _shrunk(paid / mtbf_failstop)

    # Both the left side and its slope are divided by e^u, which may be beyond the doubles.
    u = 2 * np.log1p(np.sqrt(rate * paid / (0.5 + silent / 2)) / 2)
    for _ in range(STEPS_TO_OPTIMUM):
        x, y = silent * u, (1 - silent) * u
        scale = np.exp(-y - again)
        g = _grown(y)
        left = a * u * (np.exp(-u) * _convex_by(u)) + scale * u * (x * g + _convex_by(y))
        slope = u * u * (a + scale * (u * g + 1 + silent))
        u = u * np.exp(-(np.log(left / b) + u) * left / slope)
    return np.where(never, not_at_all, np.where(free, at_once, u / rate))


def _clean_checkpoints(interval: Array, detection_latency: Array, confidence: Array) -> Array:
    at_once = detection_latency == 0
    a = np.minimum(interval / np.where(at_once, 1, detection_latency), 1e100)
    few, many = np.minimum(a, 0.5), np.maximum(a, 0.5)
    series = np.log1p(few * polyval(few, _BEYOND_ONE, tensor=False))
    phase = np.where(a < 0.5, series, many + np.log(_shrunk(many)))  # log of (e^a - 1)/a
    number = np.ceil((phase + _doubt(confidence)) / a)
    return np.where(at_once, 1 + 0 * (a + confidence), np.maximum(number, 1))


def _clean_checkpoints_verified(recall: Array, confidence: Array) -> Array:
    perfect = recall == 1
    passes = -np.log1p(-np.where(perfect, 0, recall))  # minus the logarithm of the chance to pass
    blind = passes == 0
    number = np.ceil(_doubt(confidence) / np.where(blind, 1, passes))
    lost = np.where(confidence > 0, np.inf, 1) + 0 * confidence  # if it sees nothing
    number = np.where(blind, lost, np.maximum(number, 1))
    return np.where(perfect, 1 + 0 * confidence, number)


def _doubt(confidence: Array) -> Array:
    """Minus the logarithm of the risk that is allowed, with its slack; infinite at a confidence of 1."""
    sure = confidence == 1
    return np.where(sure, np.inf, -np.log1p(-np.where(sure, 0, confidence)) - np.log1p(SLACK))
