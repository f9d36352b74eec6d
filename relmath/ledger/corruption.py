"""Claims about silent corruption: the chapters *bit-flip*, *attention* and *verified-checkpoints*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from relmath import corruption, failures
from relmath.domain import Array
from relmath.ledger.mechanism import Claim, Corrected, Digits, Qualitative, Reproduced, Symbolic, Unsupported
from relmath.units import day

# What a flipped bit does to a number (the chapter bit-flip)

# What a flipped bit does to a number

FP16 = corruption.FORMATS["float16"]
LLAMA3_TIME, LLAMA3_UNEXPECTED, LLAMA3_SILENT = 54 * day, 419, 6


def _with_the_printed_value() -> int:
    """Patterns of FP16 whose value is the printed formula's."""
    sign, exponent, fraction = np.meshgrid(range(2), range(32), range(1024), indexing="ij")
    printed = (-1.0) ** sign * np.ldexp(1 + fraction / 1024, exponent - 15)
    return int(np.sum(corruption.compose(sign, exponent, fraction) == printed))


def _slipping(flips: int) -> int:
    """Sets of so many bits, of 16 and their parity, whose flip leaves the parity even."""
    words = np.arange(2**17)
    ones = np.bitwise_count(words)
    return int(np.sum((ones == flips) & (ones % 2 == 0)))


BIT_FLIP = (
    # The exponent of NumPy's own 1.0, and what is left of 16 bits.
    Claim(
        "fp16-layout",
        source="A",
        where="The exponent flip in FP16",
        chapter="corruption/bit-flip",
        says="FP16 has one sign bit, five bits of exponent and ten of fraction; its exponent is stored with 15 added.",
        values={
            "sign": Digits("1", lambda: FP16.bits - FP16.exponent_bits - FP16.fraction_bits),
            "exponent": Digits("5", lambda: FP16.exponent_bits),
            "fraction": Digits("10", lambda: FP16.fraction_bits),
            "bias": Digits("15", lambda: FP16.bias),
        },
        verdict=Reproduced(),
    ),
    # Patterns at which the SymPy value has the printed piece; the rest.
    Claim(
        "fp16-value",
        source="A",
        where="The exponent flip in FP16",
        chapter="corruption/bit-flip",
        says="The value of the bits (s, e, m) is (−1)^s 2^(e−15) (1 + m/1024).",
        values={
            "patterns with this value": Digits("61 440", _with_the_printed_value, by="ours"),
            "patterns with another": Digits("4 096", lambda: 2**16 - _with_the_printed_value(), by="ours"),
        },
        verdict=Reproduced(
            "For stored exponents from 1 to 30. At 0 stand zero and the subnormal numbers, at 31 infinity and NaN."
        ),
    ),
    # The ratio of the values at e + 16 and at e.
    Claim(
        "flip-factor",
        source="A",
        where="The exponent flip in FP16",
        chapter="corruption/bit-flip",
        says="A flip of the highest bit of the exponent changes the size of a number by a factor of 2^(±16) = 65 536.",
        values={
            "factor of 0.75": Digits("65 536", lambda: corruption.flip(0.75, 14, "float16") / 0.75),
            "its inverse, of 4": Digits("1.5259e-5", lambda: corruption.flip(4, 14, "float16") / 4, by="ours"),
        },
        verdict=Reproduced("Upwards. Downwards the factor is one by 65 536."),
    ),
    # Pairs of exponents e, e + 2^4, times two signs and 2^10 fractions.
    Claim(
        "flip-law",
        source="A",
        where="The exponent flip in FP16",
        chapter="corruption/bit-flip",
        says="A flip of bit 14 changes e to e ± 16, and multiplies or divides the value by 65 536.",
        values={
            "finite values": Digits("63 488", lambda: sum(corruption.census("float16", 14)), by="ours"),
            "multiplied": Digits("28 672", lambda: corruption.census("float16", 14).up, by="ours"),
            "divided": Digits("28 672", lambda: corruption.census("float16", 14).down, by="ours"),
            "infinite": Digits("2", lambda: corruption.census("float16", 14).infinite, by="ours"),
            "NaN": Digits("2 046", lambda: corruption.census("float16", 14).nan, by="ours"),
            "neither": Digits("4 096", lambda: corruption.census("float16", 14).other, by="ours"),
        },
        verdict=Corrected(
            "Not from 1 up to 2, where the new exponent is 31, which means infinity or NaN; and not where the exponent "
            "before or after is 0: zero, subnormal numbers, and from 2 up to 4."
        ),
    ),
    # The parity of the flipped word, for every choice of bits.
    Claim(
        "parity-slip",
        source="A",
        where="Silent data corruption",
        chapter="corruption/bit-flip",
        says="Silent corruption arises as single-bit errors or faults of an ALU slip past parity checks.",
        values={
            "single flips of 17 bits that slip": Digits("0", lambda: _slipping(1), by="ours"),
            "double flips that slip": Digits("136", lambda: _slipping(2), by="ours"),
            "triple flips that slip": Digits("0", lambda: _slipping(3), by="ours"),
        },
        verdict=Corrected(
            "A parity bit finds every single flip in what it covers. What slips are flips of an even number of bits, "
            "results that were wrong before their parity was taken, and paths that no parity covers."
        ),
    ),
    # 6 of 419; 54 days by 6, in seconds.
    Claim(
        "silent-faults",
        source="A",
        where="Silent data corruption",
        chapter="corruption/bit-flip",
        says="Not every hardware fault shows as a crash, an ECC error or a trap.",
        values={
            "share of Llama 3's unexpected interruptions": Digits(
                "1.4 %", lambda: LLAMA3_SILENT / LLAMA3_UNEXPECTED, by="ours"
            ),
            "time between them": Digits("9.0 d", lambda: LLAMA3_TIME / LLAMA3_SILENT, by="ours"),
            "chance of one in a week on 16 384 GPUs": Digits(
                "54 %", lambda: failures.probability_of_failure(7 * day, LLAMA3_TIME / LLAMA3_SILENT), by="ours"
            ),
        },
        verdict=Qualitative("So reported; and these six are those that somebody noticed."),
    ),
    # Draws, rounded by NumPy and flipped in place: a route without any weights.
    Claim(
        "silent-spread",
        source="A",
        where="Silent data corruption",
        chapter="corruption/bit-flip",
        says="Single wrong values spread through nonlinear operations and destabilise the training of the whole fleet "
        "(Dixit et al., 2021).",
        values={
            "single flips of N(0, 1) in FP16 that move the value by less than a tenth": Digits(
                "48 %", lambda: _small_moves("float16"), by="ours"
            ),
        },
        verdict=Unsupported(
            "The report that is cited is about processors of a general fleet; its abstract names no training. Nearly "
            "half of the single flips of an FP16 value from N(0, 1) move it by less than a tenth."
        ),
    ),
)


def _small_moves(dtype: str, share: float = 0.1) -> float:
    """Chance that a flip of any bit moves a value of N(0, 1) by less than a share of it."""
    form = corruption.FORMATS[dtype]
    patterns = np.arange(2**form.bits)
    before = corruption.decode(patterns, dtype)
    before = before[np.isfinite(before)]
    after = corruption.flip(before[:, np.newaxis], np.arange(form.bits), dtype)
    moved = np.abs(after - before[:, np.newaxis]) < share * np.abs(before[:, np.newaxis])
    return float(corruption.normal_shares(dtype) @ moved.mean(axis=1))


# Verified checkpoints

VERIFY, WRITE_TIME = 60, 20  # our assumptions
MTBF_SILENT = 54 * day / 6  # Llama 3: six silent corruptions in 54 days
NOTICED = 2 * day  # and one more assumption


def _verified() -> Array:
    return corruption.verified_interval(VERIFY, WRITE_TIME, MTBF_SILENT)


def _newest_is_clean(interval: float, latency: float) -> float:
    """Chance that an exponential latency ends before the next checkpoint: a mean over the phase, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    left = interval * (1 - nodes) / 2  # time to the next checkpoint
    return float(weights @ stats.expon(scale=latency).cdf(left) / 2)


VERIFIED = (
    # The root of the slope of the first-order overhead, with and without fail-stop errors; it and the overhead at the
    # assumed numbers; interval + verification + reading back; the integrals of the exponential law of the latency over
    # the phase, and the least k from their root.
    Claim(
        "rollback-verified",
        source="A",
        where="Silent data corruption, last sentence",
        chapter="corruption/verified-checkpoints",
        says="Silent corruption requires a rollback to the last verified clean checkpoint.",
        values={
            "interval, silent errors alone": Symbolic(
                "sqrt(M_s*(V + delta))",
                corruption.verified_interval,
                over={"V": (1.0, 1e3), "delta": (1.0, 1e3), "M_s": (1e4, 1e7)},
                by="ours",
            ),
            "interval, with fail-stop errors": Symbolic(
                "sqrt((V + delta)/(1/(2*M_f) + 1/M_s))",
                corruption.verified_interval,
                over={"V": (1.0, 1e3), "delta": (1.0, 1e3), "M_s": (1e4, 1e7), "M_f": (1e3, 1e6)},
                by="ours",
            ),
            "interval in the example": Digits("2.19 h", _verified, by="ours"),
            "overhead there": Digits(
                "2.03 %",
                lambda: corruption.first_order_verified_overhead(_verified(), VERIFY, WRITE_TIME, MTBF_SILENT),
                by="ours",
            ),
            "a rollback there": Digits("2.21 h", lambda: _verified() + VERIFY + WRITE_TIME, by="ours"),
            "newest is clean after two days": Digits(
                "2.2 %", lambda: _newest_is_clean(float(_verified()), NOTICED), by="ours"
            ),
            "to keep then, for 99 %": Digits(
                "102", lambda: corruption.clean_checkpoints(_verified(), NOTICED, 0.99), by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no number. Ours are for a silent error in nine days, a verification of 60 s and a write "
            "of 20 s. The source takes for granted that there is such a checkpoint: without a verification the newest "
            "is seldom clean, and how many to keep depends on how late corruption is noticed."
        ),
    ),
)

CLAIMS = BIT_FLIP + VERIFIED
