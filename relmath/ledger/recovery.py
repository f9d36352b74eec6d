"""Claims about recovery, goodput and growing fleets: the chapters *anatomy*, *goodput* and *scale-limit*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from relmath import checkpoints, recovery
from relmath.domain import Array
from relmath.ledger.mechanism import (
    Bound,
    Claim,
    Corrected,
    Digits,
    Qualitative,
    Reproduced,
    Statement,
    Symbolic,
    Unsupported,
)
from relmath.units import GB, day, hour

GPUS = 8  # a node
NODE_MTBF = 150_000 / 29 * hour
NODES = 1250  # 10 000 GPUs
MTBF = NODE_MTBF / NODES
SIZE, BANDWIDTH = 2450 * GB, 100 * GB
WRITE_TIME = RELOAD = 24.5
DETECT, RESCHEDULE = 30, 60
DOWNTIME = DETECT + RESCHEDULE
YOUNG = checkpoints.young(WRITE_TIME, MTBF)
RECOVERY = recovery.recovery_time(DETECT, RESCHEDULE, RELOAD, YOUNG / 2)
MONTH = 30 * day

JOB = (WRITE_TIME, MTBF, RELOAD, DOWNTIME)
FLEET = (NODE_MTBF, WRITE_TIME, RELOAD, DOWNTIME)


def _replay_is_most_from() -> float:
    """Interval from which on replay takes longer than all other phases together."""
    return float(optimize.brentq(lambda t: t / 2 - recovery.recovery_time(DETECT, RESCHEDULE, RELOAD, 0), 1, 1e4))


def _reload(size: float, bandwidth: float) -> Array:
    return checkpoints.write_time(size, bandwidth)  # reading as fast as writing


def _both_ways_cost_more() -> bool:
    factors = np.geomspace(1, 100, 50)
    longer, shorter = (checkpoints.first_order_overhead(YOUNG * f, WRITE_TIME, MTBF) for f in (factors, 1 / factors))
    return bool(np.all(np.diff(longer) > 0) and np.all(np.diff(shorter) > 0))


def _first_order_overhead() -> Array:
    return 1 - recovery.first_order_goodput(YOUNG, WRITE_TIME, MTBF, RECOVERY)


def _twice_counted() -> Array:
    return checkpoints.first_order_overhead(YOUNG, WRITE_TIME, MTBF) + RECOVERY / MTBF


def _overhead_at(mtbf: Array = MTBF, write_time: Array = WRITE_TIME, downtime: Array = DOWNTIME) -> Array:
    """Exact overhead, of useful time, at Young's interval."""
    return checkpoints.overhead(checkpoints.young(write_time, mtbf), write_time, mtbf, RELOAD, downtime)


def _downtime_for(overhead: float) -> float:
    return float(optimize.brentq(lambda d: _overhead_at(downtime=d) - overhead, 0, hour))


def _mtbf_for(overhead: float) -> float:
    return float(optimize.brentq(lambda m: _overhead_at(mtbf=m) - overhead, 0.01 * hour, 100 * hour))


def _days(overhead: float) -> Array:
    """Days for 30 days of work, the overhead being of useful time."""
    return recovery.wall_time(MONTH, 1 / (1 + overhead))


def _first_order_speedup(of_useful_time: bool) -> float:
    lost = [
        1 - recovery.first_order_goodput(checkpoints.young(WRITE_TIME, m), WRITE_TIME, m, _recovery_at(m))
        for m in (2 * MTBF, MTBF)
    ]
    return float(2 * (1 + lost[0]) / (1 + lost[1]) if of_useful_time else 2 * (1 - lost[1]) / (1 - lost[0]))


def _recovery_at(mtbf: float) -> Array:
    return recovery.recovery_time(DETECT, RESCHEDULE, RELOAD, checkpoints.young(WRITE_TIME, mtbf) / 2)


def _fastest_gpus(restart: float, downtime: float) -> Array:
    return GPUS * recovery.fastest_fleet(NODE_MTBF, WRITE_TIME, restart, downtime)


def _fastest_gpus_first_order() -> float:
    """Where N (1 - w) is largest, w being the first-order overhead of writing and rework at Young's interval."""

    def slowness(nodes: float) -> float:
        mtbf = NODE_MTBF / nodes
        return float(
            -nodes * (1 - checkpoints.first_order_overhead(checkpoints.young(WRITE_TIME, mtbf), WRITE_TIME, mtbf))
        )

    return GPUS * float(optimize.minimize_scalar(slowness, (1e4, 1e5), tol=1e-10).x)


def _speed(nodes: Array, restart: float, downtime: float, write_time: float = 0) -> Array:
    """Speed by that of one node without failures."""
    return nodes * recovery.fleet_efficiency(nodes, NODE_MTBF, write_time, restart, downtime)


CLAIMS = (
    # The sum of the four phases as an expression; tau/2 at Young's interval, and the sum, in seconds; and, by counting
    # what a segment takes beyond work and write, the mean cost of a failure, in seconds.
    Claim(
        "recovery-table",
        source="A",
        where="Anatomy of recovery time, equation and table",
        chapter="recovery/anatomy",
        says=(
            "A failure costs four phases: detect 30 s, reschedule 60 s, reload 24.5 s and replay 427.2 s, together "
            "541.7 s."
        ),
        values={
            "the sum": Symbolic(
                "T_detect + T_reschedule + T_reload + T_replay",
                recovery.recovery_time,
                over=dict.fromkeys(("T_detect", "T_reschedule", "T_reload", "T_replay"), (1.0, 1e3)),
            ),
            "reload": Digits("24.5 s", lambda: _reload(SIZE, BANDWIDTH)),
            "replay": Digits("427.2 s", lambda: YOUNG / 2),
            "total": Digits("541.7 s", lambda: RECOVERY),
            "exact mean": Digits("548.9 s", lambda: recovery.failure_cost(YOUNG, *JOB), by="ours"),
        },
        verdict=Reproduced(
            "Detect and reschedule are inputs. The exact mean also counts the write under way, failures during "
            "recovery, and that early failures are the likelier ones."
        ),
    ),
    # Replay by the total; replay by the next largest phase; and the interval at which tau/2 = D + R, in seconds.
    Claim(
        "replay-dominates",
        source="A",
        where="Anatomy of recovery time; Key takeaways",
        chapter="recovery/anatomy",
        says="Replay usually dominates, and the checkpoint interval sets it.",
        values={
            "its share": Digits("78.9 %", lambda: YOUNG / 2 / RECOVERY, by="ours"),
            "it is the largest phase": Statement("true", lambda: max(DETECT, RESCHEDULE, RELOAD) < YOUNG / 2),
            "it is more than half from an interval of": Digits("229 s", _replay_is_most_from, by="ours"),
        },
        verdict=Reproduced("While the interval is longer than twice the other phases."),
    ),
    # The sign of the product of the slopes of replay and of writing in tau, and of the second derivative of the sum.
    Claim(
        "replay-loop",
        source="A",
        where="Anatomy of recovery time",
        chapter="recovery/anatomy",
        says="Replay and the checkpoint interval form a reinforcing loop: less replay means more writing.",
        values={
            "a longer and a shorter interval both cost more than Young's": Statement(
                "true", _both_ways_cost_more, by="ours"
            ),
        },
        verdict=Corrected(
            "It is a balance, as the second half of the sentence says: one cost rises where the other falls, and their "
            "sum has one minimum. A reinforcing loop would run away."
        ),
    ),
    # Size by bandwidth as an expression; the sign of its slope in either.
    Claim(
        "reload-scaling",
        source="A",
        where="Anatomy of recovery time",
        chapter="recovery/anatomy",
        says="The time to reload grows with the size of the checkpoint and with the bandwidth of the storage.",
        values={
            "time to reload": Symbolic("S/B", _reload, over={"S": (1e9, 1e13), "B": (1e9, 1e12)}, by="ours"),
            "it grows with the size": Statement("true", lambda: _reload(2 * SIZE, BANDWIDTH) > RELOAD),
            "it grows with the bandwidth": Statement("false", lambda: _reload(SIZE, 2 * BANDWIDTH) > RELOAD, by="ours"),
        },
        verdict=Corrected("It falls with the bandwidth: S/B."),
    ),
    # With m = 3, (m - 1/2) t_h by integration over the phase, and (1 - p^m) t_h/(p^m (1 - p)) from a recurrence; and
    # with p = 1/1000, on 1 250 nodes, at a mean of 30 s to detect, the time between false alarms for m = 1, 2 and 3.
    Claim(
        "heartbeat-trade",
        source="A",
        where="Anatomy of recovery time",
        chapter="recovery/anatomy",
        says="More aggressive heartbeats detect a failure sooner, at the price of false alarms.",
        values={
            "mean time to detect, three misses": Symbolic(
                "5*t_h/2", lambda h: recovery.detection_time(h, 3), over={"t_h": (0.1, 100.0)}, by="ours"
            ),
            "mean time to a false alarm, three misses": Symbolic(
                "t_h*(1 + p_miss + p_miss**2)/p_miss**3",
                lambda h, p: recovery.false_alarm_time(h, 3, p),
                over={"t_h": (0.1, 100.0), "p_miss": (1e-6, 0.5)},
                by="ours",
            ),
            "one miss, every 60 s": Digits("48 s", lambda: recovery.false_alarm_time(60, 1, 1e-3) / NODES, by="ours"),
            "two, every 20 s": Digits("4.4 h", lambda: recovery.false_alarm_time(20, 2, 1e-3) / NODES, by="ours"),
            "three, every 12 s": Digits("111 d", lambda: recovery.false_alarm_time(12, 3, 1e-3) / NODES, by="ours"),
        },
        verdict=Qualitative(
            "The source gives no number. If heartbeats are lost independently, more misses of a shorter period buy "
            "both at once; if a network falls silent as a whole, only a longer wait helps."
        ),
    ),
    # The smallest number of spares with a Poisson sum of at least 99 %, at 64 nodes, 6.50 failures per 1 000 node-days
    # and 72 h of repair; the same for 1 250 nodes at the source's node MTBF.
    Claim(
        "hot-spares",
        source="A",
        where="How to use this appendix; Anatomy of recovery time",
        chapter="recovery/anatomy",
        says="The time to reschedule depends on hot spares kept ready; how many are needed can be computed.",
        values={
            "64 nodes as in a research cluster": Digits(
                "4", lambda: recovery.spares(64 * 6.5 / (1000 * day) * 72 * hour, 0.99), by="ours"
            ),
            "1 250 nodes of the source": Digits(
                "28", lambda: recovery.spares(NODES * 72 * hour / NODE_MTBF, 0.99), by="ours"
            ),
        },
        verdict=Qualitative("The source does not compute it. Three days of repair and 99 % are our assumptions."),
    ),
    # tau/T at the source's numbers; and whether 1 - (its share of writes) - (its share of failures) is the same.
    Claim(
        "goodput-ratio",
        source="A",
        where="Goodput and rawput, equation",
        chapter="recovery/goodput",
        says="The goodput ratio, committed steps over steps without failures, is useful time over wall time.",
        values={
            "useful time over wall time": Symbolic(
                "tau/((M + D)*exp(R/M)*(exp((tau + delta)/M) - 1))",
                checkpoints.efficiency,
                over={"tau": (100.0, 1e4), "delta": (1.0, 1e3), "M": (1e3, 1e5), "R": (1.0, 1e3), "D": (1.0, 1e3)},
                by="ours",
            ),
            "in the worked example": Digits("93.65 %", lambda: checkpoints.efficiency(YOUNG, *JOB), by="ours"),
        },
        verdict=Reproduced("If a step takes as long after a failure as before."),
    ),
    # (T_detect + T_reschedule + T_reload + tau/2)/M at Young's interval.
    Claim(
        "recovery-overhead",
        source="A",
        where="Goodput and rawput, second source of the gap",
        chapter="recovery/goodput",
        says="Recovery and rework take 3.6 % of the time.",
        values={"of useful time": Digits("3.6 %", lambda: RECOVERY / MTBF)},
        verdict=Reproduced("Of useful time, to first order."),
    ),
    # delta/tau + recovery/M; the same by 1 + itself; T/tau - 1; 1 - tau/T.
    Claim(
        "goodput-sum",
        source="A",
        where="Goodput and rawput, the two sources of the gap",
        chapter="recovery/goodput",
        says="The gap between rawput and goodput is 2.9 % for writes and 3.6 % for recovery.",
        values={
            "sum, of useful time": Digits("6.50 %", _first_order_overhead, by="ours"),
            "sum, of wall time": Digits("6.11 %", lambda: 1 - 1 / (1 + _first_order_overhead()), by="ours"),
            "exact, of useful time": Digits("6.78 %", lambda: checkpoints.overhead(YOUNG, *JOB), by="ours"),
            "exact, of wall time": Digits("6.35 %", lambda: 1 - checkpoints.efficiency(YOUNG, *JOB), by="ours"),
            "with replay counted twice": Digits("9.37 %", _twice_counted, by="ours"),
        },
        verdict=Corrected(
            "The sum is of useful time and of first order: it counts failures in useful time only, while they strike "
            "in all of the wall time. Each basis gives another figure, so the basis must be said."
        ),
    ),
    # Whether the model's exact overhead lies in the range, in either basis; and the MTBF and the downtime that would
    # bring the overhead of useful time to 10 and to 25 %.
    Claim(
        "overhead-10-25",
        source="A",
        where="Goodput and rawput",
        chapter="recovery/goodput",
        says="At 10 000 GPUs published reports consistently show 10 to 25 % of overhead in total.",
        values={
            "the source's own inputs give as much": Statement(
                "false", lambda: checkpoints.overhead(YOUNG, *JOB) >= 0.10, by="ours"
            ),
            "MTBF for 10 %": Digits("2.15 h", lambda: _mtbf_for(0.10), by="ours"),
            "MTBF for 25 %": Digits("0.53 h", lambda: _mtbf_for(0.25), by="ours"),
            "downtime for 10 %": Digits("9.0 min", lambda: _downtime_for(0.10), by="ours"),
            "downtime for 25 %": Digits("44.1 min", lambda: _downtime_for(0.25), by="ours"),
        },
        verdict=Unsupported(
            "No report is named, and the source's own model gives 6.8 %. Two published reports claim less: over 90 % "
            "and 97 % of effective time."
        ),
    ),
    # 30 days by (1 + w) and by 1/(1 - w), for w of 10 and 25 %.
    Claim(
        "days-33-38",
        source="A",
        where="Goodput and rawput",
        chapter="recovery/goodput",
        says="With that overhead, 30 days of work take 33 to 38 days.",
        values={
            "10 %, of useful time": Digits("33 d", lambda: _days(0.10)),
            "25 %, of useful time": Digits("38 d", lambda: _days(0.25)),
            "10 %, of wall time": Digits("33.3 d", lambda: recovery.wall_time(MONTH, 0.90), by="ours"),
            "25 %, of wall time": Digits("40.0 d", lambda: recovery.wall_time(MONTH, 0.75), by="ours"),
            "at the model's overhead": Digits(
                "32.0 d", lambda: recovery.wall_time(MONTH, checkpoints.efficiency(YOUNG, *JOB)), by="ours"
            ),
        },
        verdict=Corrected(
            "True if the overhead is of useful time (25 % is 37.5 days). By the goodput ratio, defined a paragraph "
            "earlier, it is of wall time, and they are 33.3 to 40.0 days."
        ),
    ),
    # 30 days by 1/100, and by the difference of the wall times at the efficiency and at a hundredth more.
    Claim(
        "point-of-overhead",
        source="A",
        where="Goodput and rawput",
        chapter="recovery/goodput",
        says="Each percentage point of overhead won back is money and time saved.",
        values={
            "of useful time, in 30 days of work": Digits("7.2 h", lambda: _days(0.0678) - _days(0.0578), by="ours"),
            "of wall time, in 30 days of work": Digits(
                "8.1 h",
                lambda: (
                    recovery.wall_time(MONTH, checkpoints.efficiency(YOUNG, *JOB))
                    - recovery.wall_time(MONTH, checkpoints.efficiency(YOUNG, *JOB) + 0.01)
                ),
                by="ours",
            ),
        },
        verdict=Qualitative("The source gives no number; here it is for 30 days of work."),
    ),
    # The ratio of MTBFs, and T/tau - 1 at Young's interval, for N and 2N nodes.
    Claim(
        "doubling-overhead",
        source="A",
        where="Perspective: the hidden price of scale",
        chapter="recovery/scale-limit",
        says="From 5 000 to 10 000 GPUs the MTBF halves, and the overhead of failures rises.",
        values={
            "MTBF at 5 000": Digits("8.28 h", lambda: 2 * MTBF, by="ours"),
            "overhead at 5 000, of useful time": Digits("4.57 %", lambda: _overhead_at(mtbf=2 * MTBF), by="ours"),
            "overhead at 10 000, of useful time": Digits("6.78 %", _overhead_at, by="ours"),
        },
        verdict=Reproduced(),
    ),
    # The ratio of wall times: exactly, at the optima; with 1/(N (1 - w)); with (1 + w)/N.
    Claim(
        "speedup-below-2",
        source="A",
        where="Perspective: the hidden price of scale",
        chapter="recovery/scale-limit",
        says="From 5 000 to 10 000 GPUs a job becomes less than twice as fast.",
        values={
            "speed-up": Bound("< 2", lambda: recovery.speedup(NODES, NODES // 2, *FLEET)),
            "exact": Digits("1.959", lambda: recovery.speedup(NODES, NODES // 2, *FLEET), by="ours"),
            "with 1/(N (1 - w))": Digits("1.957", lambda: _first_order_speedup(False), by="ours"),
            "with (1 + w)/N": Digits("1.961", lambda: _first_order_speedup(True), by="ours"),
        },
        verdict=Reproduced("By 2 %: the price is small at this scale."),
    ),
    # 8 N where the derivative of the speed vanishes, for three readings; the first order's in closed form.
    Claim(
        "more-gpus-slower",
        source="A",
        where="Perspective: the hidden price of scale",
        chapter="recovery/scale-limit",
        says="At the limit more GPUs can even lengthen the wall time, if fault tolerance does not keep up.",
        values={
            "GPUs, detect and reschedule as downtime": Digits(
                "1.18e6", lambda: _fastest_gpus(RELOAD, DOWNTIME), by="ours"
            ),
            "GPUs, all phases exposed to failures": Digits(
                "8.79e5", lambda: _fastest_gpus(RELOAD + DOWNTIME, 0), by="ours"
            ),
            "GPUs, no recovery": Digits("4.84e6", lambda: _fastest_gpus(0, 0), by="ours"),
            "GPUs, no recovery, first order": Digits("1.35e6", _fastest_gpus_first_order, by="ours"),
        },
        verdict=Qualitative(
            "True of writes and reloads whose time does not shrink as the fleet grows. The source does not say where; "
            "the model puts it a hundredfold beyond 10 000 GPUs."
        ),
    ),
    # The limit for N -> oo of the speed N/(1 + N D/M_node), in GPUs, of downtime alone; of (1 + w)/N; and of the speed
    # with a write.
    Claim(
        "amdahl",
        source="A",
        where="Perspective: the hidden price of scale",
        chapter="recovery/scale-limit",
        says="It is Amdahl's law again: serial recovery bounds what parallelism can gain.",
        values={
            "GPUs' worth of speed at most, for downtime alone": Digits(
                "1.66e6", lambda: GPUS * _speed(10**15, 0, DOWNTIME), by="ours"
            ),
            "with reload the speed has a maximum and falls to nothing": Statement(
                "true",
                lambda: _speed(10**9, RELOAD, DOWNTIME) < 1e-9 * _speed(10**5, RELOAD, DOWNTIME),
                by="ours",
            ),
            "with writes, too": Statement(
                "true", lambda: _speed(10**9, 0, 0, WRITE_TIME) < 1e-9 * _speed(10**5, 0, 0, WRITE_TIME), by="ours"
            ),
        },
        verdict=Corrected(
            "Exactly so for downtime, in which nothing fails: the speed saturates at M/D of one node. Writes and "
            "reloads must succeed whole, so that their cost grows exponentially: the speed has a maximum, then falls."
        ),
    ),
)
