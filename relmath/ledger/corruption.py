"""Claims about silent corruption: the chapters *bit-flip*, *attention* and *verified-checkpoints*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import stats

from relmath import corruption, failures
from relmath.domain import Array
from relmath.ledger.failures import LLAMA3_FAILURES, LLAMA3_TIME
from relmath.ledger.mechanism import (
    Claim,
    Corrected,
    Digits,
    Qualitative,
    Range,
    Reproduced,
    Statement,
    Symbolic,
    Unsupported,
)
from relmath.units import day

# What a flipped bit does to a number (the chapter bit-flip)

FP16 = corruption.FORMATS["float16"]
LLAMA3_SILENT = 6  # of the interruptions


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
                "1.4 %", lambda: LLAMA3_SILENT / LLAMA3_FAILURES, by="ours"
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


# Attention under corruption (chapter attention). Random heads are drawn with other seeds than in the chapter.

FACTOR = 2.0**16
WHERE = "Saturation of the softmax and explosion of the gradient"


Setting = tuple[Array, Array, Array, Array, Array]


def _heads(trials: int, tokens: int = 64, size: int = 64, dtype: Any = np.float64) -> Setting:
    """Input, weights for Q, K and V, and target."""
    random = np.random.default_rng(2021)
    x, target = random.standard_normal((2, trials, tokens, size))
    weights = random.standard_normal((3, trials, size, size)) / np.sqrt(size)
    x, w_q, w_k, w_v, target = (part.astype(dtype) for part in (x, *weights, target))
    return x, w_q, w_k, w_v, target


def _projected(trials: int, size: int = 64) -> tuple[Array, Array, Array]:
    """Queries, keys and values."""
    x, w_q, w_k, w_v, _ = _heads(trials, size=size)
    return x @ w_q, x @ w_k, x @ w_v


def _added(corrupt: Callable[[Array], Array]) -> tuple[Array, Array, Array]:
    """What a corruption of queries adds to the scores; the sound scores; what the corruption times the keys is."""
    q, k, v = _projected(4)
    scores = corruption.attention(q, k, v).scores
    struck = corrupt(q)
    added = corruption.attention(struck, k, v).scores - scores
    return added, scores, np.einsum("tid,tjd->tij", struck - q, k) / 8


def _row_follows_the_corruption() -> bool:
    added, _, expected = _added(lambda q: corruption.scale_row(q, 3, FACTOR))
    return np.allclose(added[:, 3], expected[:, 3], rtol=1e-9, atol=1e-6)


def _other_rows_change() -> bool:
    added, *_ = _added(lambda q: corruption.scale_row(q, 3, FACTOR))
    return bool(np.any(np.delete(added, 3, axis=1)))


def _change_over_score() -> float:
    added, scores, _ = _added(lambda q: corruption.scale_row(q, 3, FACTOR + 1))
    return float(np.median(added[:, 3] / scores[:, 3]))


def _element_scales_its_row() -> bool:
    added, scores, _ = _added(lambda q: corruption.scale_element(q, 3, 0, FACTOR))
    return bool(np.allclose(np.ptp(added[:, 3] / scores[:, 3], axis=-1), 0))


def _correlation() -> float:
    """Root mean square, over heads, of the correlation of the change with the score over many independent keys."""
    random = np.random.default_rng(64)
    q, k = random.standard_normal((1000, 1, 64)), random.standard_normal((1, 4000, 64))
    change, score = q[..., 0] * k[..., 0], q[:, 0] @ k[0].T
    products = (change * score).mean(axis=-1)
    return float(np.sqrt(np.mean(products**2 / (change**2).mean(axis=-1) / (score**2).mean(axis=-1))))


def _own_position_wins() -> float:
    q, k, v = _projected(400, size=16)
    weights = corruption.attention(corruption.scale_row(q, 5, FACTOR)[:, 5:6], k, v).weights
    return float(np.mean(weights[:, 0].argmax(axis=-1) == 5))


def _corrupted_key_takes() -> float:
    q, k, v = _projected(100, size=16)
    return float(np.mean(corruption.attention(q, corruption.scale_row(k, 5, FACTOR), v).weights[..., 5] > 0.5))


def _lead_exceeds(lead: Array, keys: int = 64) -> Array:
    """Probability that the largest of so many normal numbers leads by more: its law is that of an order statistic."""
    quantiles = np.linspace(0, 1, 4001)[1:-1]  # of the largest number
    largest = stats.norm.ppf(quantiles ** (1 / keys))
    return np.mean((stats.norm.cdf(largest - np.asarray(lead)[..., None]) / stats.norm.cdf(largest)) ** (keys - 1), -1)


def _vanish(lead_per_scale: Array) -> float:
    """Share of rows whose weights but one are below the doubles at the source's scale."""
    return float(np.mean(_lead_exceeds(1075 * np.log(2) / (FACTOR * lead_per_scale))))


@cache
def _shares() -> Array:
    """Shares of a whole row in each gradient, by the sound one: (gradient, head, scale)."""
    x, *weights, target = _heads(100)
    q, k, v = (x @ w for w in weights)
    scales = np.append(2.0 ** np.arange(8), FACTOR)
    norms = corruption.row_gradient_norms(q[:, :1] * scales[:, None], x[:, 0], target[:, 0], x, k, v)
    return np.array(norms) / np.array(norms)[..., :1]


def _tied_growth() -> float:
    """How the share in the key weights grows from one scale to twice that, if two keys tie."""
    x, *weights, target = _heads(1, tokens=2, size=4)
    _, k, v = (x @ w for w in weights)
    q = np.cross(k[0, 0, :3] - k[0, 1, :3], [1.0, 2.0, 3.0])  # at right angles to the difference of the keys
    rows = np.array([1000.0, 2000.0])[:, None] * np.append(q, 0)
    share = corruption.row_gradient_norms(rows, x[:, 0], target[:, 0], x, k, v)[1][0]
    return float(share[1] / share[0])


def _value_growth() -> float:
    sizes = [
        corruption.gradient_norm(
            corruption.training_step(
                *_heads(20), {"v": partial(corruption.scale_element, row=1, column=1, factor=factor)}, linear=True
            ).w_q
        )
        for factor in (FACTOR, 2 * FACTOR)
    ]
    return float(np.median(sizes[1] / sizes[0]))


def _lost_by_one_nan() -> float:
    gradient = np.ones((1, 100))
    gradient[0, 7] = np.nan
    (clipped,) = corruption.clip([gradient], limit=1.0)
    return float(np.mean(np.isnan((clipped + 7 * np.ones_like(clipped)) / 8)))


def _first_step_of_adam(spike: float = 1e30) -> float:
    m = v = 0.0
    for gradient in (*np.random.default_rng(1).standard_normal(1000), spike):
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
    return float(m / np.sqrt(v))


def _flipped(place: str, bit: int | None, trials: int = 150) -> tuple[Array, Array]:
    """Which of random flips in FP16 end in NaN, and which move the gradient by more than a tenth, or do so."""
    setting = _heads(trials, 32, 32, np.float16)
    random = np.random.default_rng(16)
    row, column = random.integers(0, 32, (2, trials))
    bits = random.integers(0, 16, trials) if bit is None else bit
    sound = corruption.training_step(*setting)
    struck = corruption.training_step(*setting, {place: lambda t: corruption.flip_elements(t, row, column, bits)})
    finite = corruption.is_finite(struck)
    with np.errstate(invalid="ignore"):
        pairs = zip(struck.gradients, sound.gradients, strict=True)
        moved = corruption.gradient_norm(*(b.astype(float) - a.astype(float) for b, a in pairs))
    return ~finite, ~(moved <= 0.1 * corruption.gradient_norm(*sound.gradients))


def _that_matter(bit: int | None) -> float:
    return float(np.mean([_flipped(place, bit, trials=60)[1] for place in corruption.PLACES]))


@cache
def _final_loss(place: str | None) -> Array:
    """Loss of heads after plain gradient descent, with a fault in the middle; one in a weight stays."""
    x, *teachers, _ = _heads(20, 16, 8)
    target = corruption.attention(*(x @ w for w in teachers)).output
    weights = [w[20:] for w in _heads(40, 16, 8)[1:4]]
    names = ("w_q", "w_k", "w_v")
    for step in range(200):
        fault = {}
        if step == 50 and place is not None:
            strike = partial(corruption.scale_element, row=0, column=0, factor=FACTOR)
            if place in names:
                weights[names.index(place)] = strike(weights[names.index(place)])
            else:
                fault = {place: strike}
        w_q, w_k, w_v = weights
        gradients = corruption.training_step(x, w_q, w_k, w_v, target, fault).gradients
        weights = [w - 0.02 * g for w, g in zip(weights, corruption.clip(gradients, limit=5.0), strict=True)]
    w_q, w_k, w_v = weights
    return corruption.training_step(x, w_q, w_k, w_v, target).loss


def _final_loss_by_sound(place: str) -> float:
    return float(np.median(_final_loss(place) / _final_loss(None)))


ATTENTION = (
    # The product of the corrupted queries and the keys, less that of the sound ones, in symbols.
    Claim(
        "perturbed-scores",
        source="A",
        where=WHERE,
        chapter="corruption/attention",
        says="If the query of token i is corrupted, row i of the scores changes by ΔQ_i K^T/√d, and no other row.",
        values={
            "row i changes by the corruption times the keys": Statement("true", _row_follows_the_corruption),
            "other rows change": Statement("false", _other_rows_change),
        },
        verdict=Reproduced("Scores are linear in the queries."),
    ),
    # The same products: Delta S over S, element by element; and 1/sqrt(d), from the covariance of the two.
    Claim(
        "row-scaling",
        source="A",
        where=WHERE,
        chapter="corruption/attention",
        says="The flip of one bit changes the whole row in proportion, ΔS_ij ≈ 65 536 S_ij, as ΔQ_i ≈ 2^16 Q_i.",
        values={
            "whole row, change over score": Digits("65 536", _change_over_score),
            "one element changes its row in one proportion": Statement("false", _element_scales_its_row, by="ours"),
            "correlation of change and score, one element of 64": Range("0.12 to 0.13", _correlation, by="ours"),
        },
        verdict=Corrected(
            "True for ΔQ_i = 2^16 Q_i, as the source says; but no flip of one bit does that. It changes one element "
            "q_ik, and adds 65 535 q_ik k_jk/√d to S_ij: along a column of the keys, not along the scores."
        ),
    ),
    # Limits of the softmax of three scores, with and without a tie, by SymPy.
    Claim(
        "softmax-saturates",
        source="A",
        where=WHERE,
        chapter="corruption/attention",
        says="The softmax of the corrupted row tends to 1 for one key and to 0 for all others.",
        values={
            "largest weight": Digits("1.0", lambda: corruption.softmax(FACTOR * np.array([0.0, -1.0, -2.0]))[0]),
            "any other": Digits("0.0", lambda: corruption.softmax(FACTOR * np.array([0.0, -1.0, -2.0]))[1]),
            "each of two that tie": Digits(
                "0.5", lambda: corruption.softmax(FACTOR * np.array([0.0, 0.0, -1.0]))[0], by="ours"
            ),
        },
        verdict=Reproduced(
            "Where scores stay finite and one of them is the largest: keys that tie share the weight, and an infinite "
            "score makes the row NaN."
        ),
    ),
    # Counted over random heads, whose first query, or first key, is scaled.
    Claim(
        "corrupted-key",
        source="A",
        where=WHERE,
        chapter="corruption/attention",
        says="The attention of the corrupted query collapses to the position of the corrupted key.",
        values={
            "the corrupted query's own position wins as a rule": Statement(
                "false", lambda: _own_position_wins() > 0.5, by="ours"
            ),
            "it wins": Range("0 to 5 %", _own_position_wins, by="ours"),
            "a corrupted key takes of all queries": Range("45 to 55 %", _corrupted_key_takes, by="ours"),
        },
        verdict=Corrected(
            "No key was corrupted but a query: the weight goes to the key with the largest perturbed score, whichever "
            "that is; the token's own, of 64, once in 64 times. A corrupted key does draw half of all queries."
        ),
    ),
    # Limits of derivatives of a loss by SymPy; the rest measured over 300 random heads of 64 tokens, d = 64.
    Claim(
        "gradient-infinite",
        source="A",
        where=WHERE,
        chapter="corruption/attention",
        says="So the gradient for query weights gets an unbounded factor ΔQ · 2^16, and its norm tends to infinity.",
        values={
            "W_Q share, limit": Digits("0.0", lambda: corruption.query_share(FACTOR, 0.35, 64), by="ours"),
            "W_Q share through the corruption, limit": Digits(
                "0.0", lambda: corruption.key_share(FACTOR, 0.35, 64), by="ours"
            ),
            "whole row: exactly 0": Range("95 to 100 %", lambda: _vanish(np.ones(1)), by="ours"),
            "one element: exactly 0": Range(
                "52 to 68 %", lambda: _vanish(stats.halfnorm.ppf(np.linspace(0, 1, 1001)[1:-1]) / 8), by="ours"
            ),
            "whole row: W_K share, peak": Range("10 to 25", lambda: np.median(_shares()[1], axis=0).max(), by="ours"),
            "whole row: W_V share": Range("5 to 8", lambda: np.median(_shares()[2, :, -1]), by="ours"),
            "two keys that tie: W_K share, twice the scale": Digits("2.00", _tied_growth, by="ours"),
            "a value struck: W_Q, twice the scale": Digits("2.00", _value_growth, by="ours"),
        },
        verdict=Corrected(
            "The gradient for W_Q holds the query through the softmax Jacobian alone, which stretches by 1/2 at most "
            "and vanishes where the row saturates: the norm is bounded whatever the query, and the row's share tends "
            "to 0. The factor stands in the gradient for W_K, where it loses against the Jacobian unless two keys tie. "
            "What does grow in proportion is the gradient for W_Q when a value is struck. Ours: 64 tokens, d = 64."
        ),
    ),
    # A mean with a NaN; random flips; the ratio of both moments of Adam in SymPy; training by Adam.
    Claim(
        "ruin-all-ranks",
        source="A",
        where=WHERE,
        chapter="corruption/attention",
        says=(
            "The next step ruins the parameters on all parallel ranks, makes all later outputs meaningless, and forces "
            "a rollback."
        ),
        values={
            "weights lost on all ranks by one NaN": Digits("100 %", _lost_by_one_nan, by="ours"),
            "bit 14 of a query in FP16 ends in NaN": Range(
                "45 to 62 %", lambda: np.mean(_flipped("q", 14)[0]), by="ours"
            ),
            "largest first step of Adam, in learning rates": Digits("3.16", _first_step_of_adam, by="ours"),
            "query struck once: loss at the end by the sound run's": Range(
                "0.95 to 1.05", lambda: _final_loss_by_sound("q"), by="ours"
            ),
            "query weight struck for good: training recovers": Statement(
                "false", lambda: _final_loss_by_sound("w_q") < 2, by="ours"
            ),
        },
        verdict=Corrected(
            "True of NaN, which clipping spreads to all weights and a finite check stops; and of a weight that stays "
            "corrupted. A finite fault in a query is gone with the next step."
        ),
    ),
    # Random flips in seven tensors in FP16, all bits alike, and the highest of the exponent.
    Claim(
        "one-value-destabilises",
        source="A",
        where="Attention under silent data corruption, introduction",
        chapter="corruption/attention",
        says="Single corrupted values spread through nonlinear operations and destabilise training of a whole fleet.",
        values={
            "flips of a random bit that matter": Range("5 to 14 %", lambda: _that_matter(None), by="ours"),
            "flips of bit 14 that matter": Range("92 to 100 %", lambda: _that_matter(14), by="ours"),
        },
        verdict=Qualitative(
            "The source gives no number. Ours: flips in FP16 that move the gradient of a head of 32 tokens by more "
            "than a tenth, or make it NaN."
        ),
    ),
)


# Verified checkpoints

VERIFY, WRITE_TIME = 60, 20  # our assumptions
MTBF_SILENT = LLAMA3_TIME / LLAMA3_SILENT
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


CLAIMS = BIT_FLIP + ATTENTION + VERIFIED
