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


pytestmark = pytest.mark.usefixtures("fifty_digits")

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
