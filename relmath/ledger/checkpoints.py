"""Claims about checkpoints: the chapters *size*, *young*, *daly* and *worked-example*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize

from relmath import checkpoints
from relmath.domain import Array
from relmath.ledger.mechanism import (
    Bound,
    Claim,
    Corrected,
    Digits,
    Qualitative,
    Range,
    Reproduced,
    Statement,
    Symbolic,
)
from relmath.units import GB, day, hour, minute, week

WRITE_TIME = 24.5  # 175 billion parameters at 100 GB/s
MTBF = 150_000 / 29 / 1250 * hour  # 10 000 GPUs in 1 250 nodes, printed as 4.14 h
YOUNG = checkpoints.young(WRITE_TIME, MTBF)

WIDE = {"delta": (1.0, 1e3), "M": (1e3, 1e6)}
RARE = 1e-8  # a write time, in units of the MTBF, so small that a leading term is all that is left


def _lowest(loss: Callable[[float], Array], write_time: float, mtbf: float) -> float:
    """Interval at which a loss is least: it is as large a little to the left as a little to the right."""
    guess = checkpoints.young(write_time, mtbf)
    return float(
        optimize.brentq(lambda interval: loss(interval * 1.001) - loss(interval / 1.001), guess / 9, guess * 9)
    )


def _correction(loss: Callable[[float], Array]) -> float:
    """What is to be added to Young's interval to make a loss least, by the write time, for rare failures."""
    return (_lowest(loss, RARE, 1.0) - float(checkpoints.young(RARE, 1.0))) / RARE


def _printed_loss(interval: Array, write_time: Array, mtbf: Array) -> Array:
    return write_time + interval**2 / (2 * mtbf) + write_time * interval / mtbf


def _printed_quadratic(interval: Array, write_time: Array, mtbf: Array) -> Array:
    return interval**2 + 2 * write_time * interval - 2 * write_time * mtbf - write_time**2 / 3


@np.vectorize
def _lowest_first_order_overhead(write_time: float, mtbf: float) -> float:
    return _lowest(lambda t: checkpoints.first_order_overhead(t, write_time, mtbf), write_time, mtbf)


@np.vectorize
def _lowest_printed_loss(write_time: float, mtbf: float) -> float:
    return _lowest(lambda t: _printed_loss(t, write_time, mtbf) / t, write_time, mtbf)


@np.vectorize
def _lowest_second_order_loss(write_time: float, mtbf: float) -> float:
    dropped = write_time**2 / (2 * mtbf)
    return _lowest(lambda t: (_printed_loss(t, write_time, mtbf) + dropped) / t, write_time, mtbf)


@np.vectorize
def _printed_quadratic_root(write_time: float, mtbf: float) -> float:
    return float(optimize.brentq(_printed_quadratic, 0, 2 * checkpoints.young(write_time, mtbf), (write_time, mtbf)))


def _order_of_printed_expansion() -> float:
    """Order that the printed sum keeps: its error falls by 2 to the power of one more when all times are halved."""

    def error(time: float) -> float:
        y = 2 * time
        return float(checkpoints.expected_time(time, time, 1) - (y + y**2 / 2 + y**3 / 6))

    return float(np.log2(error(0.02) / error(0.01))) - 1


def _lowest_with(restart: float, downtime: float) -> float:
    def wall_time(interval: float) -> Array:
        return checkpoints.expected_time(interval, WRITE_TIME, MTBF, restart, downtime) / interval

    return _lowest(wall_time, WRITE_TIME, MTBF)


def _restart_and_downtime_leave_the_optimum() -> bool:
    found = [_lowest_with(restart, downtime) for restart, downtime in [(0, 0), (WRITE_TIME, 90), (minute, hour)]]
    return np.allclose(found, checkpoints.optimal(WRITE_TIME, MTBF), rtol=1e-6)


def _cost_of_young(write_time: float, mtbf: float) -> Array:
    """Wall time that Young's interval takes beyond the exact optimum's, as a share."""

    def efficiency(interval: Array) -> Array:
        return checkpoints.efficiency(interval, write_time, mtbf)

    return efficiency(checkpoints.optimal(write_time, mtbf)) / efficiency(checkpoints.young(write_time, mtbf)) - 1


def _overshoot_grows() -> bool:
    ratios = np.geomspace(1e-9, 100, 1000)
    return bool(np.all(np.diff(checkpoints.young(ratios, 1) / checkpoints.optimal(ratios, 1)) > 0))


def _size(billions: float) -> Array:
    return checkpoints.checkpoint_size(billions * 1e9)


def _seconds(billions: float) -> Array:
    return checkpoints.write_time(_size(billions), 100 * GB)


def _least_overhead(billions: float) -> Array:
    """Overhead at the exact optimum, of a model on 10 000 GPUs with a storage of 100 GB/s."""
    write_time = _seconds(billions)
    return checkpoints.overhead(checkpoints.optimal(write_time, MTBF), write_time, MTBF)


def _share_left(write_time: Array) -> Array:
    """Least first-order overhead of a write, by that of a write of 24.5 s."""

    def least(seconds: Array) -> Array:
        return checkpoints.first_order_overhead(checkpoints.young(seconds, MTBF), seconds, MTBF)

    return least(write_time) / least(WRITE_TIME)


def _least_async_overhead(stall: Array, persist: Array, mtbf: Array) -> Array:
    return checkpoints.async_overhead(checkpoints.async_interval(stall, persist, mtbf), stall, persist, mtbf)


def _beside_the_root(stall: Array, persist: Array, mtbf: Array) -> Array:
    return _least_async_overhead(stall, persist, mtbf) - _least_async_overhead(stall, 0, mtbf)


def _useful_at_young(mtbf: float) -> Array:
    return checkpoints.efficiency(checkpoints.young(WRITE_TIME, mtbf), WRITE_TIME, mtbf)


def _half_useful(low: float, high: float) -> float:
    """Interval between two others at which half of the wall time is useful."""
    return float(optimize.brentq(lambda t: checkpoints.efficiency(t, WRITE_TIME, MTBF) - 0.5, low, high))


CLAIMS = (
    # The zero of the derivative of delta/tau + tau/2M.
    Claim(
        "young-formula",
        source="A",
        where="The Young-Daly model",
        chapter="checkpoints/young",
        says="The expected overhead is least at an interval of √(2δM).",
        values={"interval": Symbolic("sqrt(2*delta*M)", _lowest_first_order_overhead, over=WIDE)},
        verdict=Reproduced("To first order in τ/M; this is Young's formula, not yet Daly's."),
    ),
    # That zero at 24.5 s and 150 000/29/1 250 h, which is printed as 4.14 h; in seconds.
    Claim(
        "young-interval",
        source="A",
        where="Worked example, step 2",
        chapter="checkpoints/young",
        says="With 24.5 s to write and an MTBF of 4.14 h a checkpoint is best written every 14.2 min.",
        values={"interval": Digits("14.2 min", lambda: YOUNG)},
        verdict=Reproduced(),
    ),
    # delta/tau, and delta/(tau + delta), at that interval.
    Claim(
        "write-overhead",
        source="A",
        where="Worked example, interpretation; Goodput and rawput",
        chapter="checkpoints/young",
        says="Writing checkpoints alone takes 2.9 % of the training time.",
        values={
            "of useful time": Digits("2.9 %", lambda: WRITE_TIME / YOUNG),
            "of the cycle": Digits("2.79 %", lambda: WRITE_TIME / (YOUNG + WRITE_TIME), by="ours"),
        },
        verdict=Reproduced("Of useful time, τ; of the cycle, τ + δ, it is a little less."),
    ),
    # The same zero with half the MTBF, in seconds.
    Claim(
        "young-20k",
        source="A",
        where="Worked example, what it means for systems",
        chapter="checkpoints/young",
        says="Twice as many GPUs have half the MTBF, and the interval falls to 10.1 min.",
        values={"interval": Digits("10.1 min", lambda: checkpoints.young(WRITE_TIME, MTBF / 2))},
        verdict=Reproduced(),
    ),
    # The limit of (mean lost work)/tau for M -> oo, without a write; then tau/2 and both means, in seconds.
    Claim(
        "half-interval",
        source="A",
        where="The Young-Daly model; Anatomy of recovery time",
        chapter="checkpoints/young",
        says="A failure loses half an interval of work on average.",
        values={
            "share of the interval, for rare failures": Digits("0.5", lambda: checkpoints.mean_lost_work(1, np.inf)),
            "half the interval": Digits("427.2 s", lambda: YOUNG / 2, by="ours"),
            "failure in the interval": Digits("423.1 s", lambda: checkpoints.mean_lost_work(YOUNG, MTBF), by="ours"),
            "failure in the interval or its write": Digits(
                "434.8 s", lambda: checkpoints.mean_lost_work(YOUNG, MTBF, WRITE_TIME), by="ours"
            ),
        },
        verdict=Reproduced(
            "Exact in the limit of rare failures and a free write. Early failures are the likelier ones, which lowers "
            "it; a failure during the write loses the whole interval, which raises it."
        ),
    ),
    # limit(tau, delta, 0) == 0 and limit(tau, M, oo) == oo, as bools.
    Claim(
        "young-interpolates",
        source="A",
        where="The Young-Daly model",
        chapter="checkpoints/young",
        says="If checkpoints were free one would be written at each step; if nothing failed, none would be needed.",
        values={
            "the interval goes to 0 with the write time": Statement("true", lambda: checkpoints.young(0, MTBF) == 0),
            "the interval grows with the MTBF without end": Statement(
                "true", lambda: checkpoints.young(WRITE_TIME, np.inf) == np.inf
            ),
        },
        verdict=Reproduced(),
    ),
    # The interval of the worked example, in seconds; the solution x of sqrt(2 x M^2) = M, with delta = x M.
    Claim(
        "between-scales",
        source="A",
        where="The Young-Daly model",
        chapter="checkpoints/young",
        says="While a write takes far less than the MTBF, the best interval lies between the two.",
        values={
            "interval in the worked example": Range("24.5 to 14904 s", lambda: YOUNG),
            "delta/M at which Young's interval is the MTBF": Digits(
                "0.5", lambda: optimize.brentq(lambda x: checkpoints.young(x, 1) - 1, 0.01, 10), by="ours"
            ),
        },
        verdict=Reproduced("Of Young's interval, while δ < M/2: beyond, it is longer than the MTBF."),
    ),
    # True, where the zero of the derivative of delta/tau + (tau/2 + R + D)/M is still sqrt(2 delta M).
    Claim(
        "two-inputs",
        source="A",
        where="Checkpoint optimisation; Key takeaways",
        chapter="checkpoints/young",
        says="The best interval needs two inputs only, the write time and the MTBF.",
        values={
            "restart and downtime leave it where it is": Statement("true", _restart_and_downtime_leave_the_optimum)
        },
        verdict=Reproduced("True of Young's interval, and of the exact optimum as well."),
    ),
    # E from the renewal equation, without restart and downtime.
    Claim(
        "expected-time",
        source="A",
        where="Derivation of Daly's interval, mathematical setting",
        chapter="checkpoints/daly",
        says="An interval τ with its write δ takes M (e^((τ + δ)/M) − 1) on average, failures included.",
        values={
            "expected time": Symbolic(
                "M*(exp((tau + delta)/M) - 1)",
                checkpoints.expected_time,
                over={"tau": (10.0, 1e4), "delta": (1.0, 1e3), "M": (1e3, 1e5)},
            )
        },
        verdict=Reproduced("Without restart and downtime."),
    ),
    # Young by the exact optimum in the worked example: the ratio of the intervals, and of the times E/tau; minus 1.
    Claim(
        "young-accurate",
        source="A",
        where="Derivation of Daly's interval, introduction",
        chapter="checkpoints/daly",
        says="Young's formula is an accurate baseline where a write takes far less than the MTBF.",
        values={
            "too long in the worked example": Digits(
                "1.94 %", lambda: YOUNG / checkpoints.optimal(WRITE_TIME, MTBF) - 1, by="ours"
            ),
            "wall time lost by it there": Bound("< 0.01 %", lambda: _cost_of_young(WRITE_TIME, MTBF), by="ours"),
        },
        verdict=Reproduced(),
    ),
    # The zero of the derivative of the printed E[T]/tau; the same with delta^2/2M added to E[T]; and what the left
    # side of the printed quadratic is at the first of these.
    Claim(
        "daly-quadratic",
        source="A",
        where="Derivation of Daly's interval, proof by a Taylor expansion",
        chapter="checkpoints/daly",
        says=(
            "With a lost time of E[T] = δ + τ²/2M + δτ/M, the share E[T]/τ is least where τ² + 2δτ − 2δM − δ²/3 = 0."
        ),
        values={
            "minimum of the printed E[T]/tau": Symbolic("sqrt(2*delta*M)", _lowest_printed_loss, over=WIDE, by="ours"),
            "minimum with delta^2/2M kept": Symbolic(
                "sqrt(2*delta*M + delta**2)", _lowest_second_order_loss, over=WIDE, by="ours"
            ),
            "printed quadratic at the first": Symbolic(
                "2*delta*sqrt(2*delta*M) - delta**2/3",
                lambda delta, M: _printed_quadratic(checkpoints.young(delta, M), delta, M),
                over=WIDE,
                by="ours",
            ),
        },
        verdict=Corrected(
            "The printed share is least at Young's interval exactly, since δτ/M only adds the constant δ/M to it. With "
            "the dropped δ²/2M it is least at √(2δM + δ²). The quadratic follows from neither."
        ),
    ),
    # sqrt(-c) - b/2 of the printed tau^2 + b tau + c, in which b^2/4 was left out of the root; its true positive root;
    # and what the left side of the printed quadratic is at the former.
    Claim(
        "daly-root",
        source="A",
        where="Derivation of Daly's interval, positive root",
        chapter="checkpoints/daly",
        says="The positive root of τ² + 2δτ − 2δM − δ²/3 = 0 is √(2δM + δ²/3) − δ.",
        values={
            "as printed": Symbolic("sqrt(2*delta*M + delta**2/3) - delta", checkpoints.daly_as_printed, over=WIDE),
            "root of the printed quadratic": Symbolic(
                "sqrt(2*delta*M + 4*delta**2/3) - delta", _printed_quadratic_root, over=WIDE, by="ours"
            ),
            "printed quadratic at the printed root": Symbolic(
                "-delta**2",
                lambda delta, M: _printed_quadratic(checkpoints.daly_as_printed(delta, M), delta, M),
                over={"delta": (1.0, 1e3), "M": (1e3, 1e4)},
                by="ours",
            ),
        },
        verdict=Corrected("Completing the square adds δ² under the root: it is √(2δM + 4δ²/3) − δ."),
    ),
    # The series of the exact optimum, cut after delta/2M in the bracket; the exact optimum; and the limits, for
    # delta/M -> 0, of (printed - Young)/delta and (Daly - Young)/delta.
    Claim(
        "daly-2006",
        source="A",
        where="Derivation of Daly's interval, introduction and result",
        chapter="checkpoints/daly",
        says="√(2δM + δ²/3) − δ is the second-order interval that Daly published in 2006.",
        values={
            "Daly's interval": Symbolic(
                "sqrt(2*delta*M)*(1 + sqrt(delta/(2*M))/3 + delta/(18*M)) - delta",
                checkpoints.daly,
                over=WIDE,
                by="ours",
            ),
            "exact optimum": Symbolic(
                "M*(1 + LambertW(-exp(-1 - delta/M)))",
                checkpoints.optimal,
                over={"delta": (1.0, 1e3), "M": (1e2, 1e4)},
                by="ours",
            ),
            "correction by delta, as printed": Digits(
                "-1.000", lambda: (checkpoints.daly_as_printed(RARE, 1) - checkpoints.young(RARE, 1)) / RARE, by="ours"
            ),
            "correction by delta, Daly's": Digits(
                "-0.667", lambda: (checkpoints.daly(RARE, 1) - checkpoints.young(RARE, 1)) / RARE, by="ours"
            ),
        },
        verdict=Corrected(
            "Daly's is √(2δM) (1 + √(δ/2M)/3 + δ/18M) − δ for δ < 2M, and M from there on: the first terms of the "
            "series of the exact optimum, M (1 + W(−e^(−1 − δ/M))). The printed formula corrects Young's by −δ where "
            "−2δ/3 is right."
        ),
    ),
    # Ratios of the intervals at delta/M = 1/10, minus 1, and the ratio of the times E/tau, minus 1.
    Claim(
        "young-overshoot",
        source="A",
        where="Young and Daly compared",
        chapter="checkpoints/daly",
        says="At δ/M = 0.1 Young's interval is 27.44 % too long.",
        values={
            "as printed": Digits(
                "27.44 %", lambda: checkpoints.young(0.1, 1) / checkpoints.daly_as_printed(0.1, 1) - 1
            ),
            "against the exact optimum": Digits(
                "16.71 %", lambda: checkpoints.young(0.1, 1) / checkpoints.optimal(0.1, 1) - 1, by="ours"
            ),
            "against Daly 2006": Digits(
                "16.76 %", lambda: checkpoints.young(0.1, 1) / checkpoints.daly(0.1, 1) - 1, by="ours"
            ),
            "wall time lost by it": Digits("0.47 %", lambda: _cost_of_young(0.1, 1), by="ours"),
        },
        verdict=Corrected(
            "The printed figure is against the printed formula, which is neither Daly's nor the root of the quadratic "
            "above it. And little is lost: the minimum is flat."
        ),
    ),
    # Whether all coefficients of the series of 2x/u^2 in u = tau/M are positive, with x = -u - log(1 - u).
    Claim(
        "young-overshoot-grows",
        source="A",
        where="Young and Daly compared",
        chapter="checkpoints/daly",
        says="The longer writes are against the MTBF, the more Young's interval overshoots.",
        values={"it grows with delta/M": Statement("true", _overshoot_grows)},
        verdict=Reproduced(),
    ),
    # The degree in y = (tau + delta)/M of the printed expansion of e^y; and M (expansion - 1) - tau minus the E[T]
    # printed on the next line.
    Claim(
        "taylor-order",
        source="A",
        where="Derivation of Daly's interval, proof by a Taylor expansion",
        chapter="checkpoints/daly",
        says="The derivation expands the exponential to second order.",
        values={
            "order of the printed expansion": Digits("3", _order_of_printed_expansion, by="ours"),
            "what the next line drops": Symbolic(
                "delta**2/(2*M) + (tau + delta)**3/(6*M**2)",
                lambda tau, delta, M: checkpoints.expected_time(tau, delta, M) - tau - _printed_loss(tau, delta, M),
                over={"tau": (1.0, 10.0), "delta": (0.1, 1.0), "M": (1e4, 1e5)},
                by="ours",
                tolerance=1e-3,
            ),
        },
        verdict=Corrected(
            "The expansion shown is of third order, and the next line drops its cubic term and, of its second, δ²/2M. "
            "A correction of the order of δ needs the cubic term."
        ),
    ),
    # Limits, for delta/M -> 0, of (least-loss interval - Young)/delta, for E = M (e^((tau + delta)/M) - 1), for
    # E = M (e^(tau/M) - 1) + delta, whose writes cannot fail, and for E = tau + delta + tau^2/2M + tau^3/6M^2.
    Claim(
        "young-reason",
        source="A",
        where="Derivation of Daly's interval, introduction; Young and Daly compared",
        chapter="checkpoints/daly",
        says=(
            "Young's interval is too long because it neglects failures while a checkpoint is written, and several "
            "failures in one long window."
        ),
        values={
            "correction by delta": Digits(
                "-0.667", lambda: _correction(lambda t: checkpoints.expected_time(t, RARE, 1) / t), by="ours"
            ),
            "if writes could not fail": Digits(
                "-0.667", lambda: _correction(lambda t: (checkpoints.expected_time(t, 0, 1) + RARE) / t), by="ours"
            ),
            "from rework to third order alone": Digits(
                "-0.667",
                lambda: _correction(lambda t: checkpoints.first_order_overhead(t, RARE, 1) + t**2 / 6),
                by="ours",
            ),
        },
        verdict=Corrected(
            "The second reason holds, the first does not: to leading order it is too long by 2δ/3 whether writes can "
            "fail or not. That correction comes from the cubic term of rework, τ³/6M²; failures during the write "
            "enter one order later."
        ),
    ),
    # 1 - tau/M at the exact optimum, as an expression; the efficiency there for delta = M.
    Claim(
        "delta-near-mtbf",
        source="A",
        where="Worked example, limits of the formula",
        chapter="checkpoints/daly",
        says="As the write time nears the MTBF, checkpoint and restart alone may not progress usefully.",
        values={
            "efficiency at the optimum": Symbolic(
                "-LambertW(-exp(-1 - delta/M))",
                lambda delta, M: checkpoints.efficiency(checkpoints.optimal(delta, M), delta, M),
                over={"delta": (1.0, 1e3), "M": (1e2, 1e4)},
                by="ours",
            ),
            "efficiency at delta = M": Digits(
                "15.9 %", lambda: checkpoints.efficiency(checkpoints.optimal(1, 1), 1, 1), by="ours"
            ),
        },
        verdict=Qualitative(
            "Without restart and downtime the efficiency at the optimum is exactly 1 − τ/M. It falls without a "
            "threshold and never to 0; how much is useful the source does not say."
        ),
    ),
    # E from the renewal equation for one segment of length W without a write; the same for two weeks and 161.6 h.
    Claim(
        "restart-from-zero",
        source="B",
        where="Helping long jobs survive the loss of a machine",
        chapter="checkpoints/daly",
        says="Without checkpoints a lost machine makes weeks of work start over.",
        values={
            "expected time without checkpoints": Symbolic(
                "M*(exp(W/M) - 1)",
                lambda W, M: checkpoints.expected_time(W, 0, M),
                over={"W": (1e3, 1e6), "M": (1e4, 1e6)},
                by="ours",
            ),
            "two weeks of work at an MTBF of 161.6 h": Digits(
                "47.1 d", lambda: checkpoints.expected_time(2 * week, 0, 161.6 * hour), by="ours"
            ),
        },
        verdict=Qualitative("The source gives no number. The time grows exponentially in the work by the MTBF."),
    ),
    # The same expected time, with the MTBF that the parts of 625 and 1 250 nodes give.
    Claim(
        "needed-at-scale",
        source="A",
        where="Key takeaways",
        chapter="checkpoints/daly",
        says="At that scale (a few thousand GPUs, several days) no training run would end without fault tolerance.",
        values={
            "three days of work on 5 000 GPUs, never saved": Digits(
                "5.7 y", lambda: checkpoints.expected_time(3 * day, 0, 2 * MTBF), by="ours"
            ),
            "thirty days on 10 000 GPUs": Bound(
                "> 1e70 y", lambda: checkpoints.expected_time(30 * day, 0, MTBF), by="ours"
            ),
        },
        verdict=Reproduced(),
    ),
    # Daly's interval, as derived, with 5 min to write, in seconds.
    Claim(
        "daly-printed-optima",
        source="Daly 2006",
        where="Captions of figures 3 to 5",
        chapter="checkpoints/daly",
        says="With 5 min to write his formula gives 117, 57 and 9.1 min, at MTBFs of 24 h, 6 h and 15 min.",
        values={
            "MTBF 24 h": Digits("117 min", lambda: checkpoints.daly(5 * minute, 24 * hour)),
            "MTBF 6 h": Digits("57 min", lambda: checkpoints.daly(5 * minute, 6 * hour)),
            "MTBF 15 min": Digits("9.1 min", lambda: checkpoints.daly(5 * minute, 15 * minute)),
        },
        verdict=Reproduced(),
    ),
    # What the published recipe saves of each parameter, and the widths of those parts whose loss a training notices.
    Claim(
        "bytes-per-parameter",
        source="A",
        where="Size of checkpoints",
        chapter="checkpoints/size",
        says="Adam in mixed precision needs about 14 bytes of persistent state a parameter: 2 + 4 + 4 + 4.",
        values={
            "saved": Digits("14", lambda: checkpoints.BYTES_PER_PARAMETER["Adam in mixed precision"]),
            "needed to go on bit for bit": Digits(
                "12", lambda: checkpoints.BYTES_PER_PARAMETER["Adam in FP32"], by="ours"
            ),
        },
        verdict=Reproduced(
            "So much is saved. The BF16 weights are the master weights rounded: without them 12 bytes are enough."
        ),
    ),
    # Two bytes more, by the fourteen.
    Claim(
        "gradients-left-out",
        source="A",
        where="Table of checkpoint sizes, caption",
        chapter="checkpoints/size",
        says="Gradients are usually transient, and are computed anew after a recovery instead of being saved.",
        values={
            "what they would add": Digits(
                "14.3 %",
                lambda: (
                    checkpoints.BYTES_PER_PARAMETER["Adam in mixed precision, with gradients"]
                    / checkpoints.BYTES_PER_PARAMETER["Adam in mixed precision"]
                    - 1
                ),
                by="ours",
            )
        },
        verdict=Qualitative("The source gives no number. Training that resumes without them goes on bit for bit."),
    ),
    # Parameters times bytes, in bytes.
    Claim(
        "checkpoint-175b",
        source="A",
        where="Worked example, setting",
        chapter="checkpoints/size",
        says="The checkpoint of a model of 175 billion parameters has 2 450 GB.",
        values={"size": Digits("2 450 GB", lambda: _size(175))},
        verdict=Reproduced(),
    ),
    # The same for five models, and each by 100 GB/s; the tie at 24.5 rounded to the even side.
    Claim(
        "checkpoint-table",
        source="A",
        where="Table of checkpoint sizes",
        chapter="checkpoints/size",
        says="The table's sizes at 14 bytes a parameter, and its write times at 100 GB/s.",
        values={
            "7B, size": Digits("98 GB", lambda: _size(7)),
            "13B, size": Digits("182 GB", lambda: _size(13)),
            "70B, size": Digits("980 GB", lambda: _size(70)),
            "175B, size": Digits("2 450 GB", lambda: _size(175)),
            "1T, size": Digits("14 000 GB", lambda: _size(1000)),
            "7B, write time": Digits("0.98 s", lambda: _seconds(7)),
            "13B, write time": Digits("1.82 s", lambda: _seconds(13)),
            "70B, write time": Digits("9.8 s", lambda: _seconds(70)),
            "175B, write time": Digits("24.5 s", lambda: _seconds(175)),
            "1T, write time": Digits("140 s", lambda: _seconds(1000)),
            "175B, write time as rounded there": Digits("24 s", lambda: np.round(_seconds(175))),
        },
        verdict=Reproduced(
            "The table prints 24 s where the text has 24.5 s: the same number, its tie rounded to even."
        ),
    ),
    # The size for 175 billion parameters, in bytes.
    Claim(
        "terabytes-at-the-frontier",
        source="A",
        where="Size of checkpoints",
        chapter="checkpoints/size",
        says="At the frontier, from 175 billion parameters on, checkpoints reach terabytes.",
        values={"175B, size": Bound(">= 1000 GB", lambda: _size(175))},
        verdict=Reproduced(),
    ),
    # u/(1 - u), where -log(1 - u) - u is the write time by the MTBF.
    Claim(
        "write-time-significant",
        source="A",
        where="Size of checkpoints",
        chapter="checkpoints/size",
        says="At that scale the write time becomes a significant cost, which bears directly on the best interval.",
        values={
            "7B": Digits("1.16 %", lambda: _least_overhead(7), by="ours"),
            "175B": Digits("5.96 %", lambda: _least_overhead(175), by="ours"),
            "1T": Digits("15.1 %", lambda: _least_overhead(1000), by="ours"),
        },
        verdict=Qualitative(
            "The source gives no number. Ours are the overhead, of useful time, of writing and rework at the best "
            "interval on 10 000 GPUs."
        ),
    ),
    # Ratios of the least overhead sqrt(2 delta/M); sqrt(2b/M) + P/M less sqrt(2b/M); and the limit b -> 0 at tau = P.
    Claim(
        "all-under-root",
        source="A",
        where="Size of checkpoints",
        chapter="checkpoints/size",
        says=(
            "Asynchronous, incremental and distributed checkpoints all improve the result by making the write time "
            "under the root smaller."
        ),
        values={
            "four times the writers: half the overhead": Statement(
                "true",
                lambda: np.isclose(
                    _share_left(checkpoints.sharded_write_time(2450 * GB, 4 * 50, 2 * GB)), 0.5, rtol=1e-12
                ),
            ),
            "a quarter written: half the overhead": Statement(
                "true",
                lambda: np.isclose(
                    _share_left(checkpoints.incremental_write_time(WRITE_TIME, 0.25, 1e12)), 0.5, rtol=1e-9
                ),
            ),
            "asynchronous, beside the root": Symbolic(
                "P/M", _beside_the_root, over={"b": (10.0, 100.0), "P": (10.0, 100.0), "M": (1e4, 1e6)}, by="ours"
            ),
            "asynchronous, without a stall": Symbolic(
                "3*P/(2*M)",
                lambda P, M: _least_async_overhead(0, P, M),
                over={"P": (1.0, 1e3), "M": (1e4, 1e6)},
                by="ours",
            ),
        },
        verdict=Corrected(
            "True of distributed writes, and of the writing of incremental ones, whose chain takes longer to read. An "
            "asynchronous write leaves its stall under the root; its time to persist P stands beside it, as P/M, and "
            "no interval may be shorter than P."
        ),
    ),
    # Parameters times bytes by the bandwidth, in seconds.
    Claim(
        "write-time",
        source="A",
        where="Worked example, step 1",
        chapter="checkpoints/worked-example",
        says="Writing 2 450 GB at 100 GB/s takes 24.5 s.",
        values={"write time": Digits("24.5 s", lambda: checkpoints.write_time(2450 * GB, 100 * GB))},
        verdict=Reproduced(),
    ),
    # Half the MTBF against the whole: the ratio of tau/T at Young's interval, twice over; an hour by tau + delta.
    Claim(
        "faster-yet-interrupted",
        source="A",
        where="Worked example, what it means for systems",
        chapter="checkpoints/worked-example",
        says="Larger clusters are faster, but must be interrupted more often to protect their progress.",
        values={
            "speed-up of 20 000 over 10 000 GPUs": Digits(
                "1.95", lambda: 2 * _useful_at_young(MTBF / 2) / _useful_at_young(MTBF), by="ours"
            ),
            "writes in an hour, 10 000 GPUs": Digits("4.10", lambda: hour / (YOUNG + WRITE_TIME), by="ours"),
            "writes in an hour, 20 000 GPUs": Digits(
                "5.73", lambda: hour / (checkpoints.young(WRITE_TIME, MTBF / 2) + WRITE_TIME), by="ours"
            ),
        },
        verdict=Qualitative("The source gives no number. Ours are at Young's interval, without recovery."),
    ),
    # Write time and MTBF of the example, in seconds; their ratio, there and for 10^12 parameters on 12 500 nodes.
    Claim(
        "short-writes",
        source="A",
        where="The Young-Daly model, assumptions",
        chapter="checkpoints/worked-example",
        says="In industrial training clusters a write takes tens of seconds, while the MTBF is measured in hours.",
        values={
            "write time": Range("10 to 100 s", lambda: WRITE_TIME),
            "MTBF": Bound(">= 1 h", lambda: MTBF),
            "delta/M, 175B on 10 000 GPUs": Digits("0.16 %", lambda: WRITE_TIME / MTBF, by="ours"),
            "delta/M, 1T on 100 000 GPUs": Digits("9.4 %", lambda: _seconds(1000) / (MTBF / 10), by="ours"),
        },
        verdict=Reproduced(
            "In the worked example. At the far end of the source's own tables, a trillion parameters on 100 000 GPUs, "
            "a write takes minutes, and the MTBF is under half an hour."
        ),
    ),
    # Both real roots of e^(u + x) = 1 + 2u, times M; the mean lost work, from its integrals, at the larger.
    Claim(
        "too-rare-too-often",
        source="A",
        where="Checkpoint optimisation, introduction",
        chapter="checkpoints/worked-example",
        says="Saved too rarely, a failure destroys hours of training; saved too often, writing becomes the bottleneck.",
        values={
            "most often with half of the time useful": Digits("24.6 s", lambda: _half_useful(1, YOUNG), by="ours"),
            "most rarely with half of the time useful": Digits(
                "5.18 h", lambda: _half_useful(YOUNG, 10 * MTBF), by="ours"
            ),
            "work lost to a failure there": Digits(
                "2.07 h",
                lambda: checkpoints.mean_lost_work(_half_useful(YOUNG, 10 * MTBF), MTBF, WRITE_TIME),
                by="ours",
            ),
        },
        verdict=Qualitative("The source gives no number. Ours are for its worked example."),
    ),
)
