"""Silent corruption: bits against other decoders, counts by whole numbers, probabilities in 50 digits, lazy arrays."""

import inspect
import struct
from fractions import Fraction

import dask
import dask.array as da
import ml_dtypes
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from relmath import corruption
from relmath.notebook import notation
from tests.functions import near

pytestmark = pytest.mark.usefixtures("fifty_digits")

# What a flipped bit does to a number (the chapter bit-flip)

DTYPES = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
SMALL = [name for name in DTYPES if name != "float32"]
every_format = pytest.mark.parametrize("name", DTYPES)
every_small_format = pytest.mark.parametrize("name", SMALL)


def patterns_of(name):
    """All patterns of a small format; a sample of float32's, which holds its ends and the ends of its binades."""
    bits = corruption.FORMATS[name].bits
    if bits <= 16:
        return np.arange(2**bits, dtype=f"uint{bits}")
    ends = np.arange(512, dtype=np.uint32)[:, None] * 2**23 + np.array([0, 1, 2**22, 2**23 - 1], dtype=np.uint32)
    sample = np.random.default_rng(754).integers(2**32, size=200_000, dtype=np.uint32)
    return np.concatenate([ends.ravel(), sample])


def values_of(name):
    """As NumPy and ml_dtypes read the patterns."""
    with np.errstate(invalid="ignore"):  # patterns of signalling NaN
        return patterns_of(name).view(DTYPES[name]).astype(np.float64)


FIELDS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float8_e4m3fn": (4, 3), "float8_e5m2": (5, 2)}


def in_smallest(pattern, name):
    """A pattern's value in units of the smallest number above 0, or the name of what it is, by whole numbers alone."""
    exponent_bits, fraction_bits = FIELDS[name]
    top, full = 2**exponent_bits - 1, 2**fraction_bits
    sign, rest = divmod(pattern, full * (top + 1))
    exponent, fraction = divmod(rest, full)
    if exponent == top and (fraction == full - 1 if name.endswith("fn") else True):
        return "infinite" if fraction == 0 else "nan"
    size = (fraction + full) * 2 ** (exponent - 1) if exponent else fraction
    return -size if sign else size


def exact_value(pattern, name):
    """The same as a fraction: the smallest number is 2^(2 - 2^(n_e - 1) - n_f)."""
    exponent_bits, fraction_bits = FIELDS[name]
    units = in_smallest(pattern, name)
    return units if isinstance(units, str) else units * Fraction(2) ** (2 - 2 ** (exponent_bits - 1) - fraction_bits)


def is_same(computed, exact):
    if isinstance(exact, str):
        return np.isinf(computed) if exact == "infinite" else np.isnan(computed)
    return np.isfinite(computed) and Fraction(float(computed)) == exact


# Values of patterns


@every_format
def test_every_pattern_has_the_value_that_numpy_and_ml_dtypes_give_it(name):
    """Independent decoders; the signs of zeros, too."""
    computed, expected = corruption.decode(patterns_of(name), name), values_of(name)
    np.testing.assert_array_equal(computed, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(computed[number]), np.signbit(expected[number]))


@every_format
def test_every_pattern_has_the_value_that_its_digits_spell(name):
    """By Python's own whole numbers and fractions, without doubles; every 37th pattern of the longer formats."""
    patterns = patterns_of(name)
    patterns = patterns if patterns.size <= 256 else patterns[::37]
    computed = corruption.decode(patterns, name)
    assert all(is_same(value, exact_value(int(bits), name)) for value, bits in zip(computed, patterns, strict=True))


def test_float16_is_what_struct_unpacks():
    """A third decoder, of Python's standard library."""
    unpacked = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in range(2**16)]
    np.testing.assert_array_equal(corruption.decode(np.arange(2**16), "float16"), unpacked)


@every_format
def test_a_value_is_composed_of_its_fields(name):
    form = corruption.FORMATS[name]
    patterns = patterns_of(name).astype(np.int64)
    fields = (
        patterns >> (form.bits - 1),
        (patterns >> form.fraction_bits) % 2**form.exponent_bits,
        patterns % 2**form.fraction_bits,
    )
    np.testing.assert_array_equal(corruption.compose(*fields, name), corruption.decode(patterns, name))


@every_format
def test_a_format_knows_its_limits(name):
    info = ml_dtypes.finfo(DTYPES[name])
    form = corruption.FORMATS[name]
    assert (form.bits, form.exponent_bits, form.fraction_bits) == (info.bits, info.nexp, info.nmant)
    assert form.largest == float(info.max)
    assert corruption.decode(1, name) == float(info.smallest_subnormal)


@every_format
def test_encoding_undoes_decoding(name):
    """NaN excepted, which comes back as the quiet one."""
    patterns, values = patterns_of(name), values_of(name)
    number = ~np.isnan(values)
    encoded = corruption.encode(values, name)
    assert encoded.dtype == np.uint32
    np.testing.assert_array_equal(encoded[number], patterns[number])
    assert np.isnan(corruption.decode(encoded[~number], name)).all()
    quiet = np.array(np.nan).astype(DTYPES[name])[()]
    assert corruption.encode(np.nan, name) == int.from_bytes(quiet.tobytes(), "little")


@every_format
def test_rounding_is_that_of_numpy_and_ml_dtypes(name):
    """From float32, which ml_dtypes rounds once; all magnitudes, ties, and what is too large or too small."""
    random = np.random.default_rng(754)
    largest = corruption.FORMATS[name].largest
    values = np.unique(values_of(name)[np.isfinite(values_of(name))])
    ties = (values[1:] + values[:-1]) / 2
    drawn = random.normal(size=50_000) * 10 ** random.uniform(-12, 12, 50_000)
    drawn = np.concatenate([drawn, ties, [largest * 1.01, largest * 1.1, -largest * 2, 0.0, -0.0, np.inf, -np.inf]])
    with np.errstate(over="ignore", under="ignore"):
        drawn = drawn.astype(np.float32)
        expected = drawn.astype(DTYPES[name]).astype(np.float64)
    computed = corruption.nearest(drawn, name)
    np.testing.assert_array_equal(computed, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(computed)[number], np.signbit(expected)[number])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding_gives_the_nearest(value):
    """Of any double, by exact fractions: no neighbour is nearer. A cast by way of float32 would round twice."""
    for name in DTYPES:
        form = corruption.FORMATS[name]
        rounded = float(corruption.nearest(value, name))
        if not np.isfinite(rounded):
            step = form.largest - corruption.decode(form.special_pattern - 2, name)
            assert abs(Fraction(value)) >= Fraction(form.largest) + Fraction(step) / 2
            continue
        error = abs(Fraction(rounded) - Fraction(value))
        bits = int(corruption.encode(abs(rounded), name))
        for other in (bits - 1, bits + 1):
            neighbour = float(corruption.decode(max(other, 0), name))
            if np.isfinite(neighbour):
                distance = abs(Fraction(neighbour) - abs(Fraction(value)))
                assert error < distance or (error == distance and bits % 2 == 0)


# Flips


@every_format
def test_a_flip_is_one_of_the_pattern(name):
    """By the exclusive or of unsigned numbers and other decoders."""
    patterns, values = patterns_of(name), values_of(name)
    number = ~np.isnan(values)
    for bit in range(corruption.FORMATS[name].bits):
        flipped = patterns ^ patterns.dtype.type(1 << bit)
        with np.errstate(invalid="ignore"):
            expected = flipped.view(DTYPES[name]).astype(np.float64)
        np.testing.assert_array_equal(corruption.flip(values[number], bit, name), expected[number])


def test_real_cases():
    flips = {(65504.0, 10): np.nan, (510.0, 13): np.nan, (1.0, 14): np.inf, (-1.0, 14): -np.inf, (0.0, 14): 2.0}
    for (value, bit), after in flips.items():
        np.testing.assert_array_equal(corruption.flip(value, bit, "float16"), after)
    np.testing.assert_array_equal(
        corruption.flip([448.0, 1.875, 1.0], [0, 6, 6], "float8_e4m3fn"), [np.nan, np.nan, 256]
    )


@given(st.sampled_from(list(DTYPES)), st.integers(0, 2**32 - 1), st.integers(0, 31))
def test_a_flip_undoes_itself(name, pattern, bit):
    form = corruption.FORMATS[name]
    value = corruption.decode(pattern % 2**form.bits, name)
    after = corruption.decode(pattern % 2**form.bits ^ 2 ** (bit % form.bits), name)
    if not (np.isnan(value) or np.isnan(after)):
        assert corruption.flip(value, bit % form.bits, name) == after
        assert corruption.flip(after, bit % form.bits, name) == value


def test_flips_broadcast_and_keep_shapes():
    values = np.array([[0.5], [1.5], [-3.0]])
    table = corruption.flip(values, np.arange(16), "float16")
    assert table.shape == (3, 16)
    assert table[1, 14] != table[1, 14]
    assert table[2, 15] == 3.0
    assert np.ndim(corruption.flip(0.5, 14, "float16")) == 0
    assert corruption.flip(values[:0], 3, "float16").shape == (0, 1)


@pytest.mark.parametrize("dtype", ["bfloat16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)])
def test_a_format_may_be_given_as_its_dtype(dtype):
    assert corruption.flip(1.5, 14, dtype) != 1.5
    assert corruption.census(dtype, 14) == corruption.census("bfloat16", 14)


def test_tensors_of_a_small_format_are_taken_as_they_are():
    weights = np.array([0.02, -0.5, 3.0]).astype(ml_dtypes.bfloat16)
    assert corruption.census("bfloat16", 14, values=weights) == (2, 0, 0, 0, 1)
    assert corruption.flip(weights, 15, "bfloat16").tolist() == (-weights.astype(float)).tolist()


# The census


def counted(name, bit):
    """The census by whole numbers alone, a pattern at a time."""
    exponent_bits, fraction_bits = FIELDS[name]
    units = [in_smallest(pattern, name) for pattern in range(2 ** (1 + exponent_bits + fraction_bits))]
    counts = dict.fromkeys(corruption.Census._fields, 0)
    is_exponent = fraction_bits <= bit < fraction_bits + exponent_bits
    factor = 2**2 ** (bit - fraction_bits) if is_exponent else None
    for pattern, before in enumerate(units):
        after = units[pattern ^ 1 << bit]
        if isinstance(before, str):
            continue
        if isinstance(after, str):
            counts[after] += 1
        elif factor and before and after == before * factor:
            counts["up"] += 1
        elif factor and before and after * factor == before:
            counts["down"] += 1
        else:
            counts["other"] += 1
    return tuple(counts.values())


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_the_census_of_fp8_by_whole_numbers(name):
    for bit in range(8):
        assert corruption.census(name, bit) == counted(name, bit)


@pytest.mark.parametrize("bit", [0, 9, 10, 12, 13, 14, 15])
def test_the_census_of_float16_by_whole_numbers(bit):
    assert corruption.census("float16", bit) == counted("float16", bit)


@pytest.mark.parametrize("bit", [6, 7, 10, 14])
def test_the_census_of_bfloat16_by_whole_numbers(bit):
    assert corruption.census("bfloat16", bit) == counted("bfloat16", bit)


def test_the_published_census():
    assert corruption.census("float16", 14) == (28_672, 28_672, 2, 2_046, 4_096)


@every_small_format
def test_every_finite_value_is_counted_once(name):
    form = corruption.FORMATS[name]
    census = corruption.census(name, np.arange(form.bits))
    assert (sum(census) == np.isfinite(values_of(name)).sum()).all()
    assert all(counts.shape == (form.bits,) for counts in census)
    other_bits = [*range(form.fraction_bits), form.bits - 1]
    assert not census.up[other_bits].any()
    assert not census.down[other_bits].any()
    np.testing.assert_array_equal(census.up, census.down)  # a flip undoes itself


@pytest.mark.parametrize("bit", [0, 22, 23, 27, 30, 31])
def test_a_sample_of_float32_against_the_counts_of_its_binades(bit):
    """Of all patterns: 2^24 (2^7 - 2) up, 2 infinite; a sample has its binomial share of each."""
    sample = np.random.default_rng(32).integers(2**32, size=400_000, dtype=np.uint32)
    census = corruption.census("float32", bit, values=corruption.decode(sample, "float32"))
    finite = 2 * 255 * 2**23
    up = 2 * 2**23 * (2**7 - 2) if 23 <= bit < 31 else 0
    nan = 2 * (2**23 - 1) if 23 <= bit < 31 else 0
    for count, of_all in ((census.up, up), (census.down, up), (census.nan, nan), (census.other, finite - 2 * up - nan)):
        assert stats.binomtest(int(count), int(sum(census)), of_all / finite).pvalue > 1e-3


def test_values_that_are_not_finite_are_left_out():
    census = corruption.census("float16", [14, 0], values=[[0.5, np.nan], [np.inf, 1.0]])
    assert [counts.tolist() for counts in census] == [[1, 0], [0, 0], [1, 0], [0, 0], [0, 2]]
    assert corruption.census("float16", 3, values=[]) == (0, 0, 0, 0, 0)


def test_flips_raise_no_warning():
    chosen = {name: values_of(name)[~np.isnan(values_of(name))][::7] for name in DTYPES}
    with np.errstate(all="raise"):
        for name, values in chosen.items():
            for bit in range(0, corruption.FORMATS[name].bits, 2):
                corruption.flip(values, bit, name)
                corruption.census(name, bit, values=values)
        for name in SMALL:
            corruption.normal_census(name, 3, [1e-300, 1e-30, 1.0, 1e30, 1e300])


# Normal values


def exact_share(low, high, sd):
    """Probability that a normal value lies between, either sign, in 50 digits."""
    low, high = (mp.mpf(float(end)) / mp.mpf(float(sd)) / mp.sqrt(2) for end in (low, high))
    return mp.erfc(low) - mp.erfc(high) if low > 1 else mp.erf(high) - mp.erf(low)


@pytest.mark.parametrize("sd", [1e-3, 0.02, 0.3, 1.0, 1.47, 30.0, 1e4])
def test_shares_of_the_top_bit_in_50_digits(sd):
    """What rounds to 1 <= |x| < 2 is no longer finite; what rounds to |x| >= 4 shrinks by exactly 65536."""
    census = corruption.normal_census("float16", 14, sd)
    kept = exact_share(0, 65520, sd)
    assert census.nan + census.infinite == near(exact_share(1 - 2**-12, 2 - 2**-11, sd) / kept)
    assert census.down == near(exact_share(4 - 2**-10, 65520, sd) / kept)
    assert sum(census) == near(1)
    smallest = mp.mpf(2) ** -14 - mp.mpf(2) ** -25
    assert census.up == near(exact_share(smallest, 1 - mp.mpf(2) ** -12, sd) / kept)


@every_small_format
@pytest.mark.parametrize("sd", [0.02, 1.0, 7.0])
def test_shares_of_values_in_50_digits(name, sd):
    """Each value has the probability of all that lies nearer to it than to its neighbours."""
    shares = corruption.normal_shares(name, sd)
    values = np.unique(np.abs(values_of(name)[np.isfinite(values_of(name))]))
    assert shares.sum() == near(1)
    assert shares.size == 2 * values.size
    ends = np.concatenate([[0], (values[1:] + values[:-1]) / 2, [1.5 * values[-1] - 0.5 * values[-2]]])
    kept = exact_share(0, ends[-1], sd)
    for i in np.random.default_rng(8).integers(values.size, size=60):
        expected = exact_share(ends[i], ends[i + 1], sd) / kept / 2
        assert shares[i] == pytest.approx(float(expected), rel=1e-11, abs=1e-300)
        assert shares[values.size + i] == shares[i]


@every_small_format
def test_shares_are_those_of_a_sample(name):
    """Independent of all quadrature: draw, round by NumPy or ml_dtypes, flip the views."""
    form = corruption.FORMATS[name]
    drawn = np.random.default_rng(16).normal(size=400_000).astype(np.float32).astype(DTYPES[name])
    before = drawn.astype(np.float64)
    for bit in (form.bits - 2, form.bits - 3):
        with np.errstate(invalid="ignore"):
            after = (drawn.view(f"uint{form.bits}") ^ (1 << bit)).view(DTYPES[name]).astype(np.float64)
        factor = 2.0**2 ** (bit - form.fraction_bits)
        census = corruption.normal_census(name, bit)
        seen = (
            (census.up, (after == before * factor) & (before != 0)),
            (census.down, (after == before / factor) & (before != 0)),
            (census.infinite, np.isinf(after)),
            (census.nan, np.isnan(after)),
        )
        for share, sample in seen:
            assert stats.binomtest(int(sample.sum()), sample.size, float(min(share, 1))).pvalue > 1e-4


@given(st.floats(-320, 300).map(lambda power: 10.0**power).filter(bool), st.sampled_from(SMALL))
def test_shares_have_their_limits(sd, name):
    """They add up to 1 for any deviation: all are 0 for a tiny one, all values are equally dense for a huge one."""
    form = corruption.FORMATS[name]
    shares = corruption.normal_shares(name, sd)
    assert shares.sum() == near(1)
    assert (shares >= 0).all()
    if sd < 1e-60:
        assert shares[0] == 0.5
    if sd > 1e60:
        assert shares[form.special_pattern - 1] == near(shares[form.special_pattern - 2], rel=1e-9)


def test_shares_broadcast():
    census = corruption.normal_census("float8_e5m2", [[6], [0]], [0.1, 1.0, 10.0])
    assert census.up.shape == (2, 3)
    assert census.nan[0, 1] == corruption.normal_census("float8_e5m2", 6, 1.0).nan


# Arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: corruption.flip(0.1, 14, "float16"),
            r"^value must be .* float16 holds, but is 0\.1: round it",
        ),
        (lambda: corruption.flip([0.5, 0.1], 14, "float16"), r"^value\[1\] must be .*, nearest\(\) gives 0\.09997"),
        (lambda: corruption.flip(1e9, 14, "float16"), r"but is 1000000000\.0: its largest is 65504\.0"),
        (lambda: corruption.flip(np.inf, 3, "float8_e4m3fn"), "but is inf: its largest is 448"),
        (lambda: corruption.flip(np.nan, 3, "float16"), "but is nan, which has many patterns"),
        (lambda: corruption.flip("one", 3, "float16"), "^value must be a number, but is no number"),
        (lambda: corruption.flip(1.0, 16, "float16"), "^bit must be a whole number from 0 to 15, but is 16"),
        (lambda: corruption.flip(1.0, -1, "float16"), "^bit must be a whole number from 0 to 15, but is -1"),
        (lambda: corruption.flip(1.0, 1.5, "float16"), "^bit must be a whole number from 0 to 15, but is 1.5"),
        (
            lambda: corruption.flip(1.0, [3, 8], "float8_e5m2"),
            r"^bit\[1\] must be .* from 0 to 7, but is 8",
        ),
        (lambda: corruption.flip([1.0, 2.0], [1, 2, 3], "float16"), r"^shapes must broadcast"),
        (lambda: corruption.flip(1.0, 3, "float64"), "^dtype must be one of float16, .*, but is 'float64'"),
        (lambda: corruption.flip(1.0, 3, None), "^dtype must be one of float16, .*, but is None"),
        (lambda: corruption.decode(2**16, "float16"), "^pattern must be a whole number from 0 to 65535, but is 65536"),
        (lambda: corruption.encode(0.1, "bfloat16"), "^value must be a number that bfloat16 holds"),
        (lambda: corruption.nearest("x", "bfloat16"), "^value must be a number"),
        (lambda: corruption.compose(2, 0, 0), "^sign must be a whole number from 0 to 1, but is 2"),
        (lambda: corruption.compose(0, 32, 0), "^exponent must be a whole number from 0 to 31, but is 32"),
        (lambda: corruption.compose(0, 0, 1024), "^fraction must be a whole number from 0 to 1023, but is 1024"),
        (lambda: corruption.census("float32", 3), "^values must be given for float32, .* decode random patterns"),
        (lambda: corruption.census("float16", 3, values=[0.1]), r"^value\[0\] must be a number that float16 holds"),
        (lambda: corruption.census("float16", 16), "^bit must be a whole number from 0 to 15, but is 16"),
        (lambda: corruption.normal_census("float32", 3), "^dtype must be a format of 16 bits or fewer, but is float32"),
        (lambda: corruption.normal_census("float16", 3, 0.0), "^sd must be above 0 and finite, but is 0.0"),
        (lambda: corruption.normal_census("float16", 3, np.inf), "^sd must be above 0 and finite, but is inf"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_lazy_arrays_stay_lazy():
    """Under a scheduler that refuses to run; computed later, values are NumPy's, and NaN outside the domain."""

    def refuse(*arguments, **options):
        raise AssertionError("computed")

    values = np.array([0.5, 1.5, -3.0, 0.1, np.nan, 1e9])
    held = corruption.flip(values[:3], 14, "float16")
    with dask.config.set(scheduler=refuse):
        lazy = da.from_array(values, chunks=2)
        flipped = corruption.flip(lazy, 14, "float16")
        rounded = corruption.nearest(lazy, "float16")
        encoded = corruption.encode(lazy, "float16")
        decoded = corruption.decode(da.from_array(np.array([0x3C00, 2**16]), chunks=1), "float16")
        out_of_reach = corruption.flip(1.5, da.from_array(np.array([3, 16]), chunks=1), "float16")
    assert all(isinstance(array, da.Array) for array in (flipped, rounded, encoded, decoded, out_of_reach))
    np.testing.assert_array_equal(flipped.compute(), [*held, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(rounded.compute(), corruption.nearest(values, "float16"))
    np.testing.assert_array_equal(decoded.compute(), [1.0, np.nan])
    np.testing.assert_array_equal(out_of_reach.compute(), [corruption.flip(1.5, 3, "float16"), np.nan])
    assert encoded.compute()[:3].tolist() == corruption.encode(values[:3], "float16").tolist()
    assert np.isnan(corruption.decode(encoded.compute()[3:], "float16")).all()


def test_every_number_has_its_symbol():
    names = {entry.code for entry in notation.table().values()}
    for function in (corruption.compose, corruption.flip, corruption.normal_census):
        assert set(inspect.signature(function).parameters) - {"dtype"} <= names
