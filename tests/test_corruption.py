"""Silent corruption: other decoders, counts by whole numbers, published forms, 50 digits by other routes, trials."""

import inspect
import struct
from fractions import Fraction
from itertools import product

import dask
import dask.array as da
import ml_dtypes
import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from relmath import checkpoints, corruption, simulation
from relmath.notebook import notation
from relmath.units import day, hour, minute, percent
from tests.functions import assert_lazy, assert_refused_by_name, by_parameter, exact, log_uniform, near, parameters_of

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
        (lambda: corruption.census("float16", 3, values=[0.1]), r"^values\[0\] must be a number that float16 holds"),
        (lambda: corruption.census("float16", 3, values=[[np.nan, 1.0], [np.inf, 0.1]]), r"^values\[1, 1\] must be"),
        (lambda: corruption.census("float16", 3, values=da.from_array(np.array([np.nan, 0.1]))), r"^values\[1\] must"),
        (lambda: corruption.census("float16", da.from_array(np.array([3, 16]))), r"^bit\[1\] must be .*, but is 16"),
        (
            lambda: corruption.compose([0, 1], [1, 2, 3], 0),
            r"^shapes must broadcast, but are sign \(2,\), exponent \(3,",
        ),
        (lambda: corruption.flip(1.0, 3, "i4,,"), "^dtype must be one of float16, .*, but is 'i4,,'"),
        (lambda: corruption.flip(1.0, 3, {"names": ["a"]}), "^dtype must be one of float16"),
        (lambda: corruption.normal_shares("float16", [1.0, 2.0]), r"^sd must be one number, but has shape \(2,\)"),
        (lambda: corruption.normal_shares("float16", []), r"^sd must be one number, but has shape \(0,\)"),
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


def test_a_census_of_lazy_arrays_is_computed():
    bits, values = np.array([14, 0]), np.array([0.5, np.nan, np.inf, 1.0])
    lazy = corruption.census("float16", da.from_array(bits), values=da.from_array(values, chunks=3))
    np.testing.assert_array_equal(lazy, corruption.census("float16", bits, values=values))
    shares = corruption.normal_census("float8_e5m2", 6, da.from_array(np.array([0.1, 1.0])))
    np.testing.assert_array_equal(shares, corruption.normal_census("float8_e5m2", 6, [0.1, 1.0]))


def test_every_number_has_its_symbol():
    names = {entry.code for entry in notation.table().values()}
    for function in (corruption.compose, corruption.flip, corruption.normal_census):
        assert set(inspect.signature(function).parameters) - {"dtype"} <= names


pytestmark = pytest.mark.usefixtures("fifty_digits")

# Attention under corruption (chapter attention)

ROW_FUNCTIONS = (
    corruption.leading_weight,
    corruption.query_share,
    corruption.key_share,
    corruption.value_share,
    corruption.turning_scale,
)
ROW_LEGAL = {"scale": 8.0, "lead": 0.35, "keys": 64.0}
ROW_ILLEGAL = {
    "scale": (0.0, -1.0, np.nan, np.inf),
    "lead": (0.0, -1.0, np.nan, np.inf),
    "keys": (1.0, 2.5, np.nan, np.inf),
}
SHORT = (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)


def draw_head(seed=0, tokens=3, size=2, trials=()):
    """Input, three weights and target, in doubles."""
    random = np.random.default_rng(seed)
    x, target = random.normal(size=(2, *trials, tokens, size))
    return [x, *random.normal(size=(3, *trials, size, size)), target]


def mp_loss(x, w_q, w_k, w_v, target, added_to_q, factors_of_q=None):
    """Squared loss in 50 digits, written out in scalars; what corrupts the queries is added, or multiplied."""
    q, k, v = x * w_q + added_to_q, x * w_k, x * w_v
    if factors_of_q is not None:
        q = mp.matrix([[q[i, j] * factors_of_q[i, j] for j in range(q.cols)] for i in range(q.rows)])
    loss = mp.mpf(0)
    for i in range(x.rows):
        powers = [mp.exp(sum(q[i, c] * k[j, c] for c in range(q.cols)) / mp.sqrt(q.cols)) for j in range(x.rows)]
        for c in range(q.cols):
            output = sum(power * v[j, c] for j, power in enumerate(powers)) / sum(powers)
            loss += (output - target[i, c]) ** 2 / 2
    return loss


def mp_gradient(setting, which, **corruption_of_q):
    """Central differences of that loss by one of the matrices: good to 30 digits."""
    step = mp.mpf(10) ** -16
    matrices = [mp.matrix(part.tolist()) for part in setting]
    gradient = np.zeros(setting[which].shape)
    for index in np.ndindex(gradient.shape):
        sides = []
        for sign in (1, -1):
            moved = [matrix.copy() for matrix in matrices]
            moved[which][index] += sign * step
            sides.append(mp_loss(*moved, **corruption_of_q))
        gradient[index] = float((sides[0] - sides[1]) / (2 * step))
    return gradient


@pytest.mark.parametrize("factor", [1.0, 2.0, -7.0, 40.0])
def test_gradients_are_differences_of_the_loss(factor):
    """A program that knows nothing of the fault takes it for a constant that was added to the queries."""
    setting = draw_head(seed=3)
    x, w_q, *_ = setting
    struck = corruption.training_step(*setting, {"q": lambda q: corruption.scale_element(q, 1, 0, factor)})
    added = mp.matrix((corruption.scale_element(x @ w_q, 1, 0, factor) - x @ w_q).tolist())
    for which, gradient in zip((1, 2, 3), struck.gradients, strict=True):
        np.testing.assert_allclose(gradient, mp_gradient(setting, which, added_to_q=added), rtol=1e-9, atol=1e-12)
    loss = mp_loss(*(mp.matrix(part.tolist()) for part in setting), added_to_q=added)
    assert struck.loss == near(loss)


def test_gradient_through_the_corruption_is_a_difference_too():
    """All other rows' targets are their outputs, so that the gradient is the corrupted row's alone."""
    setting = draw_head(seed=4)
    factors = np.ones((3, 2))
    factors[1] = 5.0, 2.0
    x, w_q, w_k, w_v, target = setting
    rows = (x @ w_q)[1:2] * factors[1:2]
    output = corruption.attention(x @ w_q * factors, x @ w_k, x @ w_v).output
    target[[0, 2]] = output[[0, 2]]
    through, _, _ = corruption.row_gradient_norms(rows, x[1], target[1], x, x @ w_k, x @ w_v, factors[1:2])
    differences = mp_gradient(setting, 1, added_to_q=mp.zeros(3, 2), factors_of_q=mp.matrix(factors.tolist()))
    assert through[0] == near(np.linalg.norm(differences), rel=1e-9)


def test_row_norms_are_those_of_the_whole_gradient_when_only_one_row_errs():
    setting = draw_head(seed=5, tokens=6, size=4, trials=(3,))
    x, w_q, w_k, w_v, target = setting
    fault = {"q": lambda q: corruption.scale_row(q, 2, 3.0)}
    output = corruption.training_step(*setting, fault).output
    others = [0, 1, 3, 4, 5]
    target[:, others] = output[:, others]
    step = corruption.training_step(x, w_q, w_k, w_v, target, fault)
    norms = corruption.row_gradient_norms(3 * (x @ w_q)[:, 2:3], x[:, 2], target[:, 2], x, x @ w_k, x @ w_v)
    for gradient, norm in zip(step.gradients, norms, strict=True):
        np.testing.assert_allclose(np.linalg.norm(gradient, axis=(-2, -1)), norm[:, 0], rtol=1e-10)


def test_leading_row_is_that_of_a_real_head():
    """Inputs at right angles, one key ahead, and a loss that tells only the leading key apart: no formula of ours."""
    n, lead = 12, 0.4
    x = np.eye(n)
    k, v = np.zeros((n, 2)), np.zeros((n, 2))
    k[0], v[0] = (lead * np.sqrt(2), 0), (0.01, -0.02)
    scales = np.array([1.0, 2.0, 6.0, 20.0])
    rows = scales[:, None] * np.array([1.0, 0.0])
    # An upstream gradient that does not change: a target far away.
    norms = np.array(corruption.row_gradient_norms(rows, x[5], np.array([1e6, 0.0]), x, k, v))
    shares = norms / norms[:, :1]
    expected = (corruption.query_share, corruption.key_share, corruption.value_share)
    for share, function in zip(shares, expected, strict=True):
        np.testing.assert_allclose(share, function(scales, lead, n), rtol=1e-6)
    weights = corruption.attention(rows, k, v).weights[:, 0]
    np.testing.assert_allclose(weights, corruption.leading_weight(scales, lead, n), rtol=1e-12)


def mp_leading_weight(scale, lead, keys):
    return mp.exp(lead * scale) / (mp.exp(lead * scale) + keys - 1)


@given(scale=log_uniform(-3, 3), lead=log_uniform(-6, -0.2), keys=st.integers(2, 10**6))
def test_leading_row_in_50_digits(scale, lead, keys):
    s, a, n = exact(scale, lead, keys)

    def product(at):
        return mp_leading_weight(at, a, n) * (1 - mp_leading_weight(at, a, n))

    def length(at):
        return mp.sqrt(mp_leading_weight(at, a, n) ** 2 + (1 - mp_leading_weight(at, a, n)) ** 2 / (n - 1))

    assert corruption.leading_weight(scale, lead, keys) == near(mp_leading_weight(s, a, n))
    assert corruption.query_share(scale, lead, keys) == near(product(s) / product(1))
    assert corruption.key_share(scale, lead, keys) == near(s * product(s) / product(1))
    assert corruption.value_share(scale, lead, keys) == near(length(s) / length(1))


@given(lead=log_uniform(-3, 1), keys=st.integers(3, 10**6))
def test_query_share_peaks_at_the_turning_scale(lead, keys):
    turn = corruption.turning_scale(lead, keys)
    assert corruption.leading_weight(turn, lead, keys) == near(0.5, rel=1e-9)
    around = corruption.query_share(turn * np.array([0.98, 1, 1.02]), lead, keys)
    assert around[1] >= max(around[0], around[2])


def test_limits_of_the_leading_row(strict):
    huge = 2.0**30
    assert corruption.leading_weight(huge, 0.35, 64) == 1
    assert corruption.query_share(huge, 0.35, 64) == corruption.key_share(huge, 0.35, 64) == 0
    sound = np.exp(0.35) + 63
    assert corruption.value_share(huge, 0.35, 64) == near(sound / np.sqrt(np.exp(0.7) + 63))
    for function in ROW_FUNCTIONS[1:4]:
        assert function(1, 0.35, 64) == near(1)
    assert corruption.turning_scale(0.35, 2) == 0


@by_parameter(ROW_FUNCTIONS)
def test_leading_row_refuses_by_name(function, name):
    assert_refused_by_name(function, name, ROW_LEGAL, ROW_ILLEGAL)


@pytest.mark.parametrize("function", ROW_FUNCTIONS)
def test_leading_row_is_lazy(function):
    arrays = {name: np.full(50, ROW_LEGAL[name]) for name in parameters_of(function)}
    assert_lazy(function, arrays, ROW_ILLEGAL)


# The bound, and what saturates


@given(
    seed=st.integers(0, 1000),
    magnitude=log_uniform(-3, 8),
    single=st.booleans(),
)
def test_no_query_carries_its_gradient_beyond_the_bound(seed, magnitude, single):
    setting = draw_head(seed, tokens=5, size=3)
    x, _, w_k, w_v, target = setting
    wild = magnitude * np.random.default_rng(seed + 1).normal(size=(5, 3))

    def strike(q):
        if not single:
            return wild
        struck = q.copy()
        struck[2, 1] = wild[2, 1]
        return struck

    step = corruption.training_step(*setting, {"q": strike})
    bound = corruption.query_gradient_bound(x, x @ w_k, x @ w_v, step.output - target)
    assert corruption.gradient_norm(step.w_q) <= bound * (1 + 1e-12)
    # The output is a mean of values: G cannot run away.
    v = x @ w_v
    assert np.all(step.output <= v.max(axis=0) + 1e-9)
    assert np.all(step.output >= v.min(axis=0) - 1e-9)


def test_the_bound_is_reached():
    """Two keys alike in weight, opposite in key and value: the Jacobian stretches by its half."""
    x, k, v = np.array([[1.0], [0.0]]), np.array([[1.0], [-1.0]]), np.array([[1.0], [-1.0]])
    upstream = np.array([[1.0], [0.0]])
    weights = np.full((2, 2), 0.5)
    by_query, _, _ = corruption.attention_gradients(np.zeros((2, 1)), k, v, weights, upstream)
    reached = np.linalg.norm(x.T @ by_query)
    assert reached == near(1)
    assert corruption.query_gradient_bound(x, k, v, upstream) == near(reached * np.sqrt(2) / np.sqrt(2))


@given(scores=st.lists(st.floats(-50, 50), min_size=1, max_size=8))
def test_jacobian_stretches_by_a_half_at_most_and_adds_up_to_nothing(scores):
    jacobian = corruption.softmax_jacobian(corruption.softmax(scores))
    eigenvalues = np.linalg.eigvalsh(jacobian)
    assert eigenvalues.max() <= 0.5 + 1e-12
    assert eigenvalues.min() >= -1e-12
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-15)


def test_jacobian_is_the_derivative_of_the_softmax():
    scores = np.array([0.3, -1.0, 2.0, 0.0])
    step = mp.mpf(10) ** -20

    def weight(i, j, sign):
        moved = [mp.mpf(s) + (sign * step if at == j else 0) for at, s in enumerate(scores)]
        return mp.exp(moved[i]) / sum(map(mp.exp, moved))

    derivative = [[float((weight(i, j, 1) - weight(i, j, -1)) / (2 * step)) for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(corruption.softmax_jacobian(corruption.softmax(scores)), derivative, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_limits_of_the_softmax(dtype, strict):
    scores = np.array([[3, 3, -1], [3, 2, -1], [0, -np.inf, 0], [np.inf, 0, 0], [np.nan, 0, 0]], dtype)
    weights = corruption.softmax(scores)
    assert weights.dtype == dtype
    sound = corruption.softmax(scores[:2] * np.asarray(2.0**10, dtype)).astype(float)
    assert sound.tolist() == [[0.5, 0.5, 0], [1, 0, 0]]
    assert weights[2].astype(float).tolist() == [0.5, 0, 0.5]
    assert np.isnan(weights[3:].astype(float)).all()


def test_a_saturated_row_leaves_the_value_weights_alone():
    setting = draw_head(seed=6, tokens=8, size=4)
    x, w_q, w_k, w_v, target = setting
    rows = (x @ w_q)[:1] * np.array([[1.0], [1e9]])
    by_query, by_key, by_value = corruption.row_gradient_norms(rows, x[0], target[0], x, x @ w_k, x @ w_v)
    assert by_query[1] == by_key[1] == 0
    winner = (x @ w_k @ (x @ w_q)[0]).argmax()
    expected = np.linalg.norm(x[winner]) * np.linalg.norm((x @ w_v)[winner] - target[0])
    assert by_value[1] == near(expected)


def test_two_keys_that_tie_let_the_key_weights_grow_for_ever():
    setting = draw_head(seed=7, tokens=2, size=2)
    x, _, w_k, w_v, target = setting
    k = x @ w_k
    tied = np.array([k[1, 1] - k[0, 1], k[0, 0] - k[1, 0]])  # at right angles to the difference of the keys
    factors = np.array([[1.0], [1e3], [1e6]])
    by_query, by_key, _ = corruption.row_gradient_norms(factors * tied, x[0], target[0], x, k, x @ w_v)
    np.testing.assert_allclose(by_key / by_key[0], factors[:, 0], rtol=1e-6)
    np.testing.assert_allclose(by_query / by_query[0], 1, rtol=1e-6)


def test_a_share_below_the_root_of_the_doubles_is_not_lost():
    """Squares of lengths below 1e-162 would be 0, and a share be called exactly 0 that is not."""
    x = k = v = np.eye(2)
    rows = np.array([[500 * np.sqrt(2), 0], [700 * np.sqrt(2), 0], [800 * np.sqrt(2), 0]])
    by_query, by_key, _ = corruption.row_gradient_norms(rows, x[0], np.array([5.0, 0]), x, k, v)
    assert by_query[0] == near(float(mp.exp(-500) * 4 / mp.sqrt(2)), rel=1e-9)
    assert by_key[1] > 0
    assert by_query[2] == 0


# Formats


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_products_are_those_of_numpy_in_the_same_format(dtype):
    """NumPy sums in float32, in its own order; rounded to 16 bits almost all agree, and the others to one unit."""
    a, b = np.random.default_rng(0).normal(size=(2, 20, 20)).astype(dtype)
    ours, theirs = corruption.product(a, b), np.matmul(a, b).astype(dtype)  # of bfloat16 NumPy makes float32
    assert ours.dtype == dtype
    assert np.mean(ours == theirs) > 0.99
    unit = float(ml_dtypes.finfo(dtype).eps)
    np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=2 * unit, atol=1e-6)


def test_a_sum_beyond_the_format_is_infinite_and_one_that_comes_back_is_not(strict):
    ones = np.ones((1, 3), np.float16)
    assert np.isinf(corruption.product(40_000 * ones, ones.T)).all()
    assert corruption.product(np.array([[65504, 65504, -65504]], np.float16), ones.T) == 65504


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("place", ["q", "k", "w_q", "w_k", "x"])
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_one_number_that_is_not_finite_spoils_every_gradient_without_a_warning(dtype, place, value):
    setting = [part.astype(dtype) for part in draw_head(seed=8, tokens=8, size=4)]
    step = corruption.training_step(*setting, {place: lambda m: corruption.scale_element(m, 0, 0, value)})
    assert not corruption.is_finite(step)
    for gradient in (step.w_q, step.w_k):
        assert not np.isfinite(gradient.astype(float)).any()
    clipped = corruption.clip(step.gradients, limit=1.0)
    assert all(np.isnan(g).any() for g in clipped)


def test_scores_in_float32_do_not_overflow_where_those_in_float16_do():
    setting = [part.astype(np.float16) for part in draw_head(seed=9, tokens=8, size=4)]
    fault = {"q": lambda q: corruption.scale_row(q, 0, 2.0**13)}
    short, wide = (corruption.training_step(*setting, fault, inner=inner) for inner in (None, np.float32))
    assert not corruption.is_finite(short)
    assert corruption.is_finite(wide)
    assert wide.scores.dtype == np.float32
    assert wide.w_q.dtype == wide.output.dtype == np.float16


@pytest.mark.parametrize("dtype", SHORT)
def test_a_bit_flipped_twice_is_as_it_was(dtype):
    bits = 8 * np.dtype(dtype).itemsize
    patterns = np.arange(2**bits, dtype=f"u{bits // 8}").view(dtype).reshape(-1, 1, 1)
    for bit in range(bits):
        once = corruption.flip_elements(patterns, 0, 0, bit)
        changed = once.view(f"u{bits // 8}") ^ patterns.view(f"u{bits // 8}")
        assert np.all(changed == 1 << bit)
        assert corruption.flip_elements(once, 0, 0, bit).tobytes() == patterns.tobytes()


def test_the_highest_bit_of_the_exponent_is_a_factor_of_65536_for_normal_numbers_off_one():
    values = np.array([0.5, -0.25, 0.999, 2.0**-14, 4.0, 1000.0], np.float16).reshape(-1, 1, 1)
    flipped = corruption.flip_elements(values, 0, 0, 14)
    ratio = flipped.astype(float) / values.astype(float)
    assert ratio.ravel().tolist() == [65536] * 4 + [1 / 65536] * 2
    ones = corruption.flip_elements(np.array([[[1.0]], [[1.5]]], np.float16), 0, 0, 14).ravel()
    assert np.isinf(ones[0])
    assert np.isnan(ones[1])


def test_each_trial_is_struck_at_its_own_place():
    zeros = np.zeros((3, 2, 2), np.float16)
    struck = corruption.flip_elements(zeros, [0, 1, 1], [1, 0, 1], [14, 13, 15])
    assert [np.argwhere(part.view(np.uint16)).tolist() for part in struck] == [[[0, 1]], [[1, 0]], [[1, 1]]]
    assert not zeros.any()


def test_a_factor_beyond_the_format_is_applied_exactly():
    assert corruption.scaled(np.float16([0.25, -1.0]), 2.0**16).tolist() == [16384, -np.inf]
    assert corruption.scale_row(np.full((1, 2), 0.5, np.float16), 0, 2.0**16).tolist() == [[32768, 32768]]


# Steps, norms and clipping


def test_trials_do_not_see_one_another():
    setting = draw_head(seed=10, tokens=5, size=3, trials=(4,))
    together = corruption.training_step(*setting)
    for i in range(4):
        alone = corruption.training_step(*(part[i] for part in setting))
        for one, all_ in zip(alone, together, strict=True):
            np.testing.assert_allclose(all_[i], one, rtol=1e-12)


def test_a_linear_loss_hands_down_what_is_given():
    """Twice the values, twice the gradients for queries and keys, and the same for values."""
    setting = draw_head(seed=11, tokens=5, size=3)
    once = corruption.training_step(*setting, linear=True)
    twice = corruption.training_step(*setting, {"v": lambda v: 2 * v}, linear=True)
    for factor, before, after in zip((2, 2, 1), once.gradients, twice.gradients, strict=True):
        np.testing.assert_allclose(after, factor * before, rtol=1e-9, atol=1e-12)
    assert once.loss == near(np.sum(once.output * setting[4]))


def test_an_unknown_place_is_named():
    with pytest.raises(ValueError, match=r"^faults must strike one of x, w_q, .*, but strike o, s$"):
        corruption.training_step(*draw_head(), {"s": np.copy, "o": np.copy})


def square(*shape, dtype=float):
    return np.ones(shape or (4, 4), dtype)


WHOLE = square(dtype=int)
REFUSED = [
    (lambda: corruption.softmax("ab"), "scores must be an array of floats, but is of str"),
    (lambda: corruption.softmax([1, 2]), "scores .* int64, whole numbers: choose their format by astype"),
    (lambda: corruption.softmax([[1.0], [1.0, 2.0]]), "scores must be an array of floats, but is none"),
    (lambda: corruption.softmax([]), "scores must be of shape .*, none of them 0, but is of .0,."),
    (lambda: corruption.softmax(np.ma.masked_equal([0.0, 1.0], 0)), "scores .* masked elements: fill them"),
    (lambda: corruption.softmax_jacobian(0.5), "weights must be of shape .*, but is of ..: add the axes"),
    (lambda: corruption.product(WHOLE, WHOLE), "a must be an array of floats, but is of int64"),
    (
        lambda: corruption.product(square(), square(3, 4)),
        "b must be of shape .* with n = 4, as a has, but is of .3, 4.",
    ),
    (
        lambda: corruption.product(square(dtype=np.float16), square(dtype=ml_dtypes.bfloat16)),
        "a float16, b bfloat16: make them equal by astype",
    ),
    (lambda: corruption.attention(square(4), square(), square()), "q must be of shape .* add the axes"),
    (lambda: corruption.attention(square(), square(), square(3, 4)), "v must be of shape .* n = 4, as k has"),
    (
        lambda: corruption.attention(square(2, 4, 4), square(3, 4, 4), square()),
        "must broadcast, but are q .2,., k .3,.",
    ),
    (lambda: corruption.attention(*[square()] * 3, "float99"), "inner must be a floating-point format.*'float99'"),
    (lambda: corruption.attention(*[square()] * 3, int), "inner must be a floating-point format"),
    (lambda: corruption.attention_gradients(*[square()] * 3, square(3, 4), square()), "weights must be .* m = 4, as q"),
    (lambda: corruption.training_step(*[WHOLE] * 5), "x must be an array of floats, but is of int64"),
    (lambda: corruption.training_step(*[square()] * 4, square(1, 4)), "target must be .* n = 4, as x has"),
    (lambda: corruption.training_step(*[square()] * 5, "q"), "faults must map places to functions.*'q'"),
    (lambda: corruption.training_step(*[square()] * 5, {"q": 3}), "faults must map places to functions"),
    (
        lambda: corruption.training_step(*[square()] * 5, {"q": lambda q: None}),
        "what the fault in q returns must be an",
    ),
    (lambda: corruption.training_step(*[square()] * 5, {"q": lambda q: q[:1]}), "returns must be of shape .4, 4."),
    (
        lambda: corruption.row_gradient_norms(square(), square(4), square(4), *[square()] * 3, square(3, 4)),
        "factors must be one number or fit the shape .4, 4. of rows, but is of shape .3, 4.",
    ),
    (
        lambda: corruption.query_gradient_bound(np.nan * square(), *[square()] * 3),
        r"x\[0, 0\] must be finite, but is nan",
    ),
    (lambda: corruption.scaled(square(), "2"), "factor must be a number"),
    (lambda: corruption.scale_row(WHOLE, 0, 0.5), "matrix must be an array of floats"),
    (lambda: corruption.scale_row(square(), 4, 2), "row must be a whole number from 0 to 3, but is 4"),
    (
        lambda: corruption.scale_row(square(), 0, [1, 2, 3]),
        "factor must be one number or fit the shape .4,. of the row",
    ),
    (lambda: corruption.scale_element(square(), 0, -1, 2), "column must be a whole number from 0 to 3, but is -1"),
    (lambda: corruption.flip_elements(square(dtype=np.float16), 0, 0, 16), "bit must be .* from 0 to 15, but is 16"),
    (lambda: corruption.flip_elements(WHOLE, 0, 0, 1), "matrix must be an array of floats"),
    (lambda: corruption.flip_elements(square(3, 4, 4), [0, 1], 0, 1), "row must be one number or fit the shape .3,."),
    (lambda: corruption.gradient_norm(), "gradients must be a list or tuple of at least one array"),
    (lambda: corruption.gradient_norm(square(4)), "gradients.0. must be of shape .* add the axes"),
    (lambda: corruption.gradient_norm(square(2, 4, 4), square(3, 4, 4)), "gradients.1. must have as many trials"),
    (lambda: corruption.clip(square(), 1.0), "gradients must be a list or tuple"),
    *[(lambda c=c: corruption.clip([square()], c), "limit must be above 0, but is") for c in (0.0, -1.0, np.nan, "1")],
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_attention_refuses_what_it_would_compute_wrongly(call, message):
    """Whole numbers would be cut, a bit beyond the format would flip nothing, and a limit below 0 turn the gradient."""
    with pytest.raises(ValueError, match=message):
        call()


def test_an_infinite_limit_clips_nothing():
    """As frameworks that have no other way to ask for the norm alone take it; infinity by infinity would be NaN."""
    assert corruption.clip([square()], np.inf)[0].tolist() == square().tolist()


@given(limit=log_uniform(-3, 3), seed=st.integers(0, 100))
def test_clipping_bounds_the_norm_and_keeps_the_direction(limit, seed):
    gradients = tuple(np.random.default_rng(seed).normal(size=(3, 2, 4, 4)))
    clipped = corruption.clip(gradients, limit)
    norm, before = corruption.gradient_norm(*clipped), corruption.gradient_norm(*gradients)
    np.testing.assert_allclose(norm, np.minimum(before, limit), rtol=1e-12)
    along = sum((a * b).sum(axis=(-2, -1)) for a, b in zip(clipped, gradients, strict=True))
    np.testing.assert_allclose(along, norm * before, rtol=1e-12)


def test_norms_neither_underflow_nor_overflow(strict):
    assert corruption.gradient_norm(np.full((2, 2), 1e-200)) == near(2e-200)
    assert corruption.gradient_norm(np.full((2, 2), 1e200), np.zeros((1, 1))) == near(2e200)
    assert corruption.gradient_norm(np.zeros((2, 2))) == 0
    assert corruption.gradient_norm(np.array([[np.inf, 1.0]])) == np.inf
    assert np.isnan(corruption.gradient_norm(np.array([[np.nan, np.inf]])))


def test_what_detectors_look_at():
    scores = np.array([[[1.0, -5.0]], [[np.nan, 1.0]]], np.float16)
    gradient = np.array([[[1.0]], [[np.inf]]], np.float16)
    step = corruption.Step(np.zeros(2), scores, gradient, gradient, np.ones_like(gradient), np.ones_like(gradient))
    assert corruption.largest_score(step)[0] == 5
    assert np.isnan(corruption.largest_score(step)[1])
    assert corruption.is_finite(step).tolist() == [True, False]


# Verified checkpoints

VERIFIED = (
    corruption.verified_interval,
    corruption.first_order_verified_overhead,
    corruption.verified_time,
    corruption.verified_overhead,
    corruption.optimal_verified_interval,
    corruption.verify_every,
    corruption.clean_checkpoints,
    corruption.clean_checkpoints_verified,
)
OF_VERIFIED_TIMES = VERIFIED[:6]

# A legal value of each parameter, and some outside its domain.
VERIFIED_LEGAL = {
    "interval": 1200.0,
    "verify": 60.0,
    "write_time": 20.0,
    "mtbf_silent": 8e5,
    "mtbf_failstop": 1e4,
    "restart": 30.0,
    "downtime": 90.0,
    "detection_latency": 2e5,
    "confidence": 0.1,
    "recall": 0.1,
}
VERIFIED_ILLEGAL = dict.fromkeys(VERIFIED_LEGAL, (-1.0, np.nan, np.inf)) | {
    "interval": (0.0, np.nan, np.inf),
    "mtbf_silent": (0.0, -1.0, np.nan),
    "mtbf_failstop": (0.0, -1.0, np.nan),
    "confidence": (-0.1, 1.5, np.nan),
    "recall": (-0.1, 1.5, np.nan),
}


def name_of(function):
    return function.__name__


def test_silent_errors_of_a_published_run():
    """Six in 54 days, with our 60 s to verify and 20 s to write: the figures that the chapter leads with."""
    interval = corruption.verified_interval(60, 20, 54 * day / 6)
    assert round(interval / hour, 2) == 2.19
    overhead = corruption.first_order_verified_overhead(interval, 60, 20, 54 * day / 6)
    assert round(overhead / percent, 2) == 2.03
    assert corruption.clean_checkpoints(interval, 2 * day, 0.99) == 102


@given(*[log_uniform(-6, 6)] * 4)
def test_the_published_interval(verify, write_time, mtbf_silent, mtbf_failstop):
    """Aupy et al. (2013), in 50 digits: sqrt(M_s (V + delta)), and its form with fail-stop errors."""
    v, delta, silent, failstop = exact(verify, write_time, mtbf_silent, mtbf_failstop)
    alone = corruption.verified_interval(verify, write_time, mtbf_silent)
    assert alone == near(mp.sqrt(silent * (v + delta)), rel=1e-14)
    both = corruption.verified_interval(verify, write_time, mtbf_silent, mtbf_failstop)
    assert both == near(mp.sqrt((v + delta) / (1 / (2 * failstop) + 1 / silent)), rel=1e-14)


@given(*[log_uniform(-3, 3)] * 4, log_uniform(-6, 2), st.booleans())
def test_no_other_interval_costs_less_to_first_order(verify, write_time, mtbf_silent, mtbf_failstop, step, longer):
    model = (verify, write_time, mtbf_silent, mtbf_failstop)
    best = corruption.verified_interval(*model)
    other = best * (1 + step) if longer else best / (1 + step)
    at_best, at_other = (corruption.first_order_verified_overhead(tau, *model) for tau in (best, other))
    assert at_other >= at_best * (1 - 1e-14)
    checks, errors = ((verify + write_time) / best, at_best / 2)
    assert checks == near(errors, rel=1e-13)  # both cost the same at the best interval


def segment_by_phases(interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime):
    """Mean time through a Markov chain of phases, each with integrals over the moment of a fail-stop error.

    Nothing of the closed form is used: four unknown mean times, to the end, from the start of computation,
    verification of a clean and of a corrupt state, and restart; a linear system in 50 digits. Computation, verification
    and write are separate phases here, where the chapter takes the first two as one.
    """

    def phase(length):
        """Chance to pass, and mean time spent."""
        if length == 0:
            return mp.mpf(1), mp.mpf(0)
        points = mp.linspace(0, length, 1 + int(mp.ceil(length / mtbf_failstop)))
        struck = mp.quad(lambda t: mp.exp(-t / mtbf_failstop) / mtbf_failstop, points)
        spent = mp.quad(lambda t: t * mp.exp(-t / mtbf_failstop) / mtbf_failstop, points)
        return 1 - struck, spent + length * (1 - struck)

    clean = mp.exp(-interval / mtbf_silent)
    p_c, t_c = phase(interval)
    p_v, t_v = phase(verify)
    p_w, t_w = phase(write_time)
    p_r, t_r = phase(restart)
    # Unknowns: C (compute), G (verify, state good), B (verify, state bad), W (write), R (restart).
    # A phase that fails costs the downtime and leads to R; B leads to R also when it passes, without the downtime.
    matrix = mp.matrix(
        [
            [1, -p_c * clean, -p_c * (1 - clean), 0, -(1 - p_c)],
            [0, 1, 0, -p_v, -(1 - p_v)],
            [0, 0, 1, 0, -1],
            [0, 0, 0, 1, -(1 - p_w)],
            [-p_r, 0, 0, 0, 1 - (1 - p_r)],
        ]
    )
    means = [(p_c, t_c), (p_v, t_v), (p_v, t_v), (p_w, t_w), (p_r, t_r)]
    times = mp.matrix([t + (1 - p) * downtime for p, t in means])
    return mp.lu_solve(matrix, times)[0]


@pytest.mark.parametrize("interval", [0.01, 0.7, 5])
@pytest.mark.parametrize(("verify", "write_time"), [(0, 0.2), (0.1, 0), (0.3, 0.5)])
@pytest.mark.parametrize(("restart", "downtime"), [(0, 0), (0.4, 0), (0, 2), (0.3, 0.1)])
def test_verified_time_by_phases(interval, verify, write_time, restart, downtime):
    arguments = (interval, verify, write_time, 2.3, 1.7, restart, downtime)
    expected = segment_by_phases(*exact(*arguments))
    assert corruption.verified_time(*arguments) == near(expected, rel=1e-13)
    assert corruption.verified_overhead(*arguments) == near(expected / exact(interval)[0] - 1, rel=1e-13)


@given(*[log_uniform(-9, 9)] * 5, *[log_uniform(-9, 4)] * 2)
def test_verified_time_over_its_domain(interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime):
    """Against its closed form, in as many digits as its cancellation takes: the test above tests the form."""
    arguments = (interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime)
    with mp.workdps(120):
        tau, v, delta, silent, failstop, r, d = exact(*arguments)
        x, y = tau / silent, (tau + v + delta) / failstop
        bracket = mp.exp(r / failstop) * mp.expm1(x + y) - mp.exp(delta / failstop) * mp.expm1(x)
        expected = (failstop + d) * bracket
        share = expected / tau - 1
    assume(max(x + y + r / failstop, 1) < 1e6)
    largest = np.finfo(float).max
    time, overhead = corruption.verified_time(*arguments), corruption.verified_overhead(*arguments)
    assert time == (near(expected, rel=1e-12) if expected < largest else np.inf)
    if expected < largest:
        assert overhead == near(share, rel=1e-12)


@given(*[log_uniform(-9, 9)] * 4, log_uniform(-9, 4))
def test_silent_errors_alone_by_counting_attempts(interval, verify, write_time, mtbf_silent, restart):
    """A geometric number of attempts fails, each costs computation, verification and restart; one write."""
    tau, v, delta, silent, r = exact(interval, verify, write_time, mtbf_silent, restart)
    failed = mp.expm1(tau / silent)
    expected = tau + v + delta + failed * (tau + v + r)
    model = (verify, write_time, mtbf_silent, np.inf, restart, 77)
    assume(expected < np.finfo(float).max)
    assert corruption.verified_time(interval, *model) == near(expected, rel=1e-12)
    assert corruption.verified_overhead(interval, *model) == near(expected / tau - 1, rel=1e-12)


@given(*[log_uniform(-4, 4)] * 4, *[log_uniform(-4, 2)] * 2)
def test_without_silent_errors_a_check_is_part_of_the_write(interval, verify, write_time, mtbf, restart, downtime):
    """Through the functions of another module."""
    ours = (interval, verify, write_time, np.inf, mtbf, restart, downtime)
    theirs = (interval, verify + write_time, mtbf, restart, downtime)
    assert corruption.verified_time(*ours) == pytest.approx(checkpoints.expected_time(*theirs), rel=1e-11)
    assert corruption.verified_overhead(*ours) == pytest.approx(checkpoints.overhead(*theirs), rel=1e-11)
    best = corruption.optimal_verified_interval(verify, write_time, np.inf, mtbf, restart)
    assert best == near(checkpoints.optimal(verify + write_time, mtbf), rel=1e-13)
    young = corruption.verified_interval(verify, write_time, np.inf, mtbf)
    assert young == near(checkpoints.young(verify + write_time, mtbf), rel=1e-14)


def simulate_segment(interval, verify, write_time, mtbf_silent, mtbf_failstop, restart, downtime, seed):
    """Walk one job along a line of time through many segments, with two clocks of errors that are never redrawn early.

    Unlike the chapter's simulation this one does not redraw the time to the next fail-stop error at each phase, and
    lets silent errors come by a clock that runs with the computation alone. Returns the wall time of each segment.
    """
    random = np.random.default_rng(seed)
    next_failstop = random.exponential(mtbf_failstop)  # in time that is not downtime
    next_silent = random.exponential(mtbf_silent)  # in time of computation
    times = []

    def run(length):
        """Time spent in a phase, and whether it passed."""
        nonlocal next_failstop
        if next_failstop >= length:
            next_failstop -= length
            return length, True
        spent, next_failstop = next_failstop, random.exponential(mtbf_failstop)
        return spent, False

    for _ in range(6000):
        wall, done = 0.0, False
        while not done:
            spent, passed = run(interval)
            wall += spent
            next_silent -= spent
            corrupt = next_silent < 0
            if corrupt:
                next_silent = random.exponential(mtbf_silent)
            if passed:
                spent, passed = run(verify)
                wall += spent
            if passed and not corrupt:
                spent, done = run(write_time)
                wall += spent
                passed = done
            if not done:
                wall += 0 if passed else downtime
                loaded = False
                while not loaded:
                    spent, loaded = run(restart)
                    wall += spent + (0 if loaded else downtime)
        times.append(wall)
    return np.array(times)


@pytest.mark.parametrize(
    "arguments",
    [
        (20 * minute, 60, 20, 54 * day / 6, 54 * day / 413, 20, 90),
        (30 * minute, 300, 180, 2 * hour, hour, 300, 120),
        (hour, 0, 60, hour, 100 * hour, 0, 0),
    ],
    ids=["published rates", "harsh", "silent"],
)
def test_verified_time_against_a_simulation(arguments):
    """99.9 % confidence, fixed seed: independent of renewal equations altogether."""
    low, high = simulation.mean_interval(simulate_segment(*arguments, seed=8486), confidence=0.999)
    assert low <= corruption.verified_time(*arguments) <= high


def slope_sign(interval, verify, write_time, mtbf_silent, mtbf_failstop, restart):
    """Sign of the slope of T/tau in 200 digits, from a difference of the closed form: no condition is derived."""
    with mp.workdps(200):
        v, delta, silent, r = exact(verify, write_time, mtbf_silent, restart)

        def per_second(tau):
            x = tau / silent
            if np.isinf(mtbf_failstop):
                return ((tau + v + r) * mp.exp(x) - r + delta) / tau
            m = mp.mpf(mtbf_failstop)
            whole = mp.exp(r / m) * mp.expm1(x + (tau + v + delta) / m)
            return m * (whole - mp.exp(delta / m) * mp.expm1(x)) / tau

        step = interval * mp.mpf(10) ** -60
        return mp.sign(per_second(interval + step) - per_second(interval - step))


@given(
    *[log_uniform(-9, 9)] * 3,
    st.one_of(log_uniform(-9, 9), st.just(np.inf)),
    st.one_of(log_uniform(-9, 9), st.just(0.0)),
)
def test_optimal_verified_interval_is_where_the_slope_changes_sign(
    verify, write_time, mtbf_silent, mtbf_failstop, restart
):
    model = (verify, write_time, mtbf_silent, mtbf_failstop, restart)
    if np.isfinite(mtbf_failstop):
        assume((verify + write_time + restart) / mtbf_failstop < 1e6)
    best = mp.mpf(float(corruption.optimal_verified_interval(*model)))
    little = best * mp.mpf(10) ** -12
    assert slope_sign(best - little, *model) < 0 < slope_sign(best + little, *model)


@given(*[log_uniform(-9, 9)] * 3)
def test_optimal_verified_interval_in_square_roots(verify, write_time, mtbf_silent):
    """The closed form for silent errors alone and a reading as long as the writing, without its cancellation."""
    v, delta, silent = exact(verify, write_time, mtbf_silent)
    w = v + delta
    expected = 2 * silent / (1 + mp.sqrt(1 + 4 * silent / w))
    best = corruption.optimal_verified_interval(verify, write_time, mtbf_silent, restart=write_time)
    assert best == near(expected, rel=1e-13)


@pytest.mark.parametrize(("silent", "failstop"), [(1, np.inf), (np.inf, 1), (1, 1), (3, 0.2)])
@pytest.mark.parametrize(("verify", "write_time", "restart"), [(1, 0, 0), (0.3, 0.7, 5), (0, 1, 1)])
def test_what_the_first_order_leaves_out(silent, failstop, verify, write_time, restart):
    """By hand, from e^z to the third power: between 1/2 and 2/3 of V + delta, whatever its parts and the restart."""
    scale = 1e-10
    model = (verify * scale, write_time * scale, silent, failstop)
    missing = corruption.optimal_verified_interval(*model, restart * scale) - corruption.verified_interval(*model)
    s, f = 1 / silent, 1 / failstop
    expected = -(s * s + s * f + f * f / 3) / (2 * (s + f / 2) ** 2)
    assert missing / (scale * (verify + write_time)) == pytest.approx(expected, rel=1e-4)


def every_mth_by_search(verify, write_time, mtbf_silent, mtbf_failstop):
    """Least overhead to first order over both times, on a grid that knows no formula for either."""
    save = np.geomspace(1, 1e5, 2001)[:, None]
    period = np.geomspace(1, 1e6, 2001)
    cost = write_time / save + save / 2 / mtbf_failstop + verify / period + period / mtbf_silent
    i, j = np.unravel_index(cost.argmin(), cost.shape)
    return period[j] / save[i, 0], cost[i, j]


@pytest.mark.parametrize("model", [(60, 20, 9 * day, 3 * hour), (5, 600, 9 * day, 30 * day), (60, 20, day, day)])
def test_verify_every_by_search(model):
    number, least = every_mth_by_search(*model)
    assert corruption.verify_every(*model) == pytest.approx(number, rel=0.02)
    each = corruption.first_order_verified_overhead(corruption.verified_interval(*model), *model)
    assert least <= each * 1.0001


def worst_of_kept(law, interval, kept):
    """Chance that the corruption is older than all kept checkpoints: the phase by mpmath's quadrature."""
    return mp.quad(lambda u: law(kept * interval - u), mp.linspace(0, interval, 5)) / interval


@pytest.mark.parametrize("latency", [1e-3, 0.3, 1, 7, 150])
@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.9, 0.99, 0.99999])
def test_clean_checkpoints_by_quadrature(latency, confidence):
    """The number suffices, and one less does not, or is none at all."""
    kept = corruption.clean_checkpoints(1, latency, confidence)

    def survives(time):
        return mp.exp(-time / mp.mpf(latency))

    assert worst_of_kept(survives, mp.mpf(1), kept) <= (1 - confidence) * (1 + 1e-8)
    assert kept == 1 or worst_of_kept(survives, mp.mpf(1), kept - 1) > (1 - confidence) * (1 - 1e-8)


@pytest.mark.parametrize(("interval", "latency"), [(2.19 * hour, 2 * day), (hour, 10 * minute), (hour, hour)])
def test_clean_checkpoints_by_playing_it(interval, latency):
    """Draw strikes and detections, count the checkpoints written in between: as many as the risk allows lose all."""
    random = np.random.default_rng(2013)
    strike = random.uniform(0, interval, 400_000)
    corrupt = np.floor((strike + random.exponential(latency, strike.size)) / interval)
    for confidence in (0.5, 0.9, 0.99):
        kept = int(corruption.clean_checkpoints(interval, latency, confidence))
        for number, enough in ((kept, True), (kept - 1, False)):
            lost = int(np.count_nonzero(corrupt >= number))
            low, high = stats.binomtest(lost, strike.size).proportion_ci(0.999)
            assert low <= 1 - confidence if enough else number == 0 or high > 1 - confidence


@given(st.floats(0.01, 0.999), st.floats(0, 0.9999))
def test_clean_checkpoints_verified_by_enumeration(recall, confidence):
    """Multiply the misses until the risk is small enough."""
    number, risk = 1, 1 - recall
    while risk > (1 - confidence) * (1 + 1e-9):
        number, risk = number + 1, risk * (1 - recall)
    assume(abs(risk / (1 - confidence) - 1) > 1e-8)  # at the very edge either will do
    assert corruption.clean_checkpoints_verified(recall, confidence) == number


def test_thresholds_have_slack():
    """A risk of a hundredth is what 0.99 leaves, although 1 - 0.99 is a rounding error more or less."""
    assert corruption.clean_checkpoints_verified([0.9, 0.99, 0.999], [0.99, 0.9999, 0.999]).tolist() == [2, 2, 1]
    # One checkpoint an e-th of whose phase is covered: (1/a)(1 - e^-a) of risk with a = 1.
    risk = float(-mp.expm1(-1))
    assert corruption.clean_checkpoints(1, 1, [1 - risk, 1 - risk + 1e-7]).tolist() == [1, 2]


def test_limits_of_verified_checkpoints(strict):
    for interval in (corruption.verified_interval, corruption.optimal_verified_interval):
        assert interval(0, 0, 5, 7) == 0
        assert interval(1, 1, np.inf) == np.inf
        assert interval(0, 0, np.inf, np.inf) == np.inf
    assert corruption.verified_time(10, 2, 1, np.inf) == 13
    assert corruption.verified_overhead(10, 2, 1, np.inf) == near(0.3, rel=1e-15)
    assert corruption.verified_time(10, 2, 1, 1e-3) == np.inf
    assert corruption.verify_every(0, 20, np.inf, 1e4) == 0
    assert corruption.verify_every(60, 20, np.inf, 1e4) == np.inf
    assert corruption.clean_checkpoints(5, 0, [0, 0.9, 1]).tolist() == [1, 1, 1]
    assert corruption.clean_checkpoints(5, 9, [0, 1]).tolist() == [1, np.inf]
    assert corruption.clean_checkpoints(1, 1e12, 0.99) == pytest.approx(np.log(100) * 1e12, rel=1e-8)
    assert corruption.clean_checkpoints_verified([0, 0, 1, 1, 0.5], [0, 0.5, 0.5, 1, 1]).tolist() == [
        1,
        np.inf,
        1,
        1,
        np.inf,
    ]


def test_extremes_of_verified_checkpoints(strict):
    """Every combination of tiny, everyday, huge and infinite: no NaN, no warning, and within the physical limits."""
    times = [1e-150, 1.0, 1e150]
    costs, gaps = [0, *times], [*times, np.inf]
    *model, restart = np.meshgrid(costs, costs, gaps, gaps, costs, sparse=True)
    assert (corruption.verified_interval(*model) >= 0).all()
    assert (corruption.optimal_verified_interval(*model, restart) >= 0).all()
    for interval, downtime in product(times, [0, 1.0, 1e150]):
        assert (corruption.verified_time(interval, *model, restart, downtime) >= interval * (1 - 1e-15)).all()
        assert (corruption.verified_overhead(interval, *model, restart, downtime) >= 0).all()
    interval, latency, confidence = np.meshgrid(times, costs, [0, 1e-300, 0.5, 1 - 1e-16, 1], sparse=True)
    assert (corruption.clean_checkpoints(interval, latency, confidence) >= 1).all()


@given(*[log_uniform(-4, 4)] * 2, *[log_uniform(-4, 8)] * 2, log_uniform(-6, 2))
def test_verified_intervals_grow(verify, write_time, mtbf_silent, mtbf_failstop, step):
    """With every time that checks and writes take, and with every MTBF; the exact one while errors are rare.

    Where the interval is longer than M_s, a longer check makes it shorter: an attempt is then so likely to fail that
    the check after it had better come soon.
    """
    model = [verify, write_time, mtbf_silent, mtbf_failstop]
    rare = 4 * (verify + write_time) * (1 + step) < min(mtbf_silent, mtbf_failstop)
    for interval in (corruption.verified_interval, *[corruption.optimal_verified_interval] * rare):
        here = interval(*model)
        for i in range(4):
            grown = [value * (1 + step) if i == j else value for j, value in enumerate(model)]
            assert interval(*grown) >= here * (1 - 1e-13)


def test_longer_checks_may_shorten_the_exact_interval():
    """Where errors are so frequent that the best interval is longer than their mean gap."""
    short, long = corruption.optimal_verified_interval([0.1, 1], 100, 1)
    assert 1 < long < short


@given(log_uniform(-3, 3), log_uniform(-3, 3), st.floats(0, 0.999), log_uniform(-6, 2))
def test_later_detection_and_more_confidence_take_more_checkpoints(interval, latency, confidence, step):
    here = corruption.clean_checkpoints(interval, latency, confidence)
    assert corruption.clean_checkpoints(interval, latency * (1 + step), confidence) >= here
    assert corruption.clean_checkpoints(interval, latency, confidence + (1 - confidence) / 2) >= here


@pytest.mark.parametrize("function", OF_VERIFIED_TIMES, ids=name_of)
@given(st.lists(log_uniform(-3, 3), min_size=7, max_size=7), log_uniform(-6, 6))
def test_the_unit_of_verified_times_does_not_matter(function, values, scale):
    arguments = dict(zip(parameters_of(function), values, strict=False))
    is_share = "overhead" in function.__name__ or function is corruption.verify_every
    scaled = function(**{name: scale * value for name, value in arguments.items()})
    expected = function(**arguments) * (1 if is_share else scale)
    assert scaled == pytest.approx(expected, rel=1e-11, abs=0)


@pytest.mark.parametrize("function", VERIFIED, ids=name_of)
def test_functions_of_verified_checkpoints_broadcast(function):
    """A grid of the first two arguments is what single calls give; scalars give a scalar."""
    first, second, *others = [VERIFIED_LEGAL[name] for name in parameters_of(function)]
    factors = np.array([1, 2, 3])
    grid = function(first * factors[:, None], second / factors, *others)
    singles = [[function(first * i, second / j, *others) for j in factors] for i in factors]
    assert type(singles[0][0]) is np.float64
    np.testing.assert_array_equal(grid, singles)
    assert function(first * np.ones((0, 3)), second, *others).shape == (0, 3)


@by_parameter(VERIFIED)
def test_bad_input_to_verified_checkpoints_is_refused_by_name(function, name):
    assert np.isfinite(function(**{key: VERIFIED_LEGAL[key] for key in parameters_of(function)}))
    assert_refused_by_name(function, name, VERIFIED_LEGAL, VERIFIED_ILLEGAL)


@pytest.mark.parametrize("name", ["write_time", "mtbf_failstop"])
def test_no_share_of_saves_to_verify_without_saves_or_stops(name):
    model = {key: VERIFIED_LEGAL[key] for key in parameters_of(corruption.verify_every)}
    with pytest.raises(ValueError, match=rf"^{name} must be above 0 and finite"):
        corruption.verify_every(**model | {name: np.inf})


@pytest.mark.parametrize("function", VERIFIED, ids=name_of)
def test_lazy_arrays_of_verified_checkpoints_stay_lazy(function):
    rng = np.random.default_rng(0)
    arrays = {name: VERIFIED_LEGAL[name] * rng.integers(1, 9, 50).astype(float) for name in parameters_of(function)}
    assert_lazy(function, arrays, VERIFIED_ILLEGAL)


pytestmark = pytest.mark.usefixtures("fifty_digits")
