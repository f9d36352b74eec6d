"""Claims about jobs that run in step: the chapter *gangs*.

The comment above a claim says what its chapter derives by SymPy or integrates, on its own route, and passes to
``claim``.
"""

from __future__ import annotations

from relmath import failures
from relmath.domain import Array
from relmath.fleet import gangs
from relmath.ledger.mechanism import Claim, Digits, Qualitative, Reproduced, Statement, Symbolic, Unsupported
from relmath.units import percent

MEMBERS = 512  # GPUs; the source says hundreds
MEAN, JITTER = 1.0, 2 * percent  # a step of one member, and its standard deviation: assumed
STEP = gangs.slowest(MEMBERS, MEAN, JITTER)
MOVE = 548.9  # seconds that a failure costs in the worked example of source A, taken as the price of a move
FALSE_ALARM, MISS = 0.001, 0.01  # assumed


def _gang_slowdown(slowdown: float) -> Array:
    """By the gang as it was."""
    return gangs.slowest_with(MEMBERS, MEAN, JITTER, slowdown) / STEP - 1


def _quarter_less_jitter(members: int) -> Array:
    """Share of the step that is saved."""
    return 1 - gangs.slowest(members, MEAN, 0.75 * JITTER) / gangs.slowest(members, MEAN, JITTER)


CLAIMS = (
    # The mean of the largest of 512 normal numbers by quadrature; its extreme-value form; and the gang with one member
    # slowed down by 5 and by 10 %, by the gang without it.
    Claim(
        "gang-pace",
        source="B",
        where="Introduction; Basic checks are not enough",
        chapter="fleet/gangs",
        says="A job whose processes work in step goes at the pace of its slowest member.",
        values={
            "it is never faster than its slowest member": Statement(
                "true", lambda: gangs.slowest_with(MEMBERS, MEAN, JITTER, 0.05) >= 1.05 * MEAN
            ),
            "512 GPUs with 2 % of jitter, slower than one by": Digits("6.09 %", lambda: STEP - 1, by="ours"),
            "the same by extreme-value theory": Digits(
                "6.16 %", lambda: gangs.slowest_extreme(MEMBERS, MEAN, JITTER) - 1, by="ours"
            ),
            "the gang's slow-down if one is 5 % slower": Digits("0.39 %", lambda: _gang_slowdown(0.05), by="ours"),
            "the gang's slow-down if one is 10 % slower": Digits("3.72 %", lambda: _gang_slowdown(0.10), by="ours"),
        },
        verdict=Reproduced(
            "And slower: with jitter the gang waits for whoever is late in each step, so that a member slowed down a "
            "little costs less than its own slow-down."
        ),
    ),
    # The mean of the smallest of N exponential times, by the product of their survival functions.
    Claim(
        "gang-stops",
        source="B",
        where="Introduction",
        chapter="fleet/gangs",
        says="A job stops wholly when one of its members fails.",
        values={
            "mean time to a stop of 64 nodes": Symbolic(
                "M_node/64",
                lambda mtbf: failures.cluster_mtbf(mtbf, 64),
                over={"M_node": (1e5, 1e8)},
                by="ours",
            ),
        },
        verdict=Reproduced("Members in series."),
    ),
    # The all-reduce without latency at k of m links by that at all of m; and the share of the step times that.
    Claim(
        "nic-links",
        source="B",
        where="Basic checks are not enough",
        chapter="fleet/gangs",
        says=(
            "A network adapter with fewer active links than expected does not stop a job: collectives run on, but "
            "throughput falls sharply and the job crawls."
        ),
        values={
            "collective slower, half of the links": Digits(
                "100 %", lambda: gangs.bandwidth_slowdown(1, 1 / 2), by="ours"
            ),
            "collective slower, 31 of 32 links": Digits(
                "3.2 %", lambda: gangs.bandwidth_slowdown(1, 31 / 32), by="ours"
            ),
            "step slower, half of the links, a fifth of it collectives": Digits(
                "20 %", lambda: gangs.bandwidth_slowdown(0.2, 1 / 2), by="ours"
            ),
            "step slower, 31 of 32 links, a fifth of it collectives": Digits(
                "0.65 %", lambda: gangs.bandwidth_slowdown(0.2, 31 / 32), by="ours"
            ),
        },
        verdict=Qualitative("The source gives no number. How sharply depends on how many links are lost."),
    ),
    # A step of 1 - f and f/b, by the step without the loss.
    Claim(
        "pcie-root",
        source="B",
        where="Sharing GPUs safely",
        chapter="fleet/gangs",
        says="A GPU that is joined to an adapter or a CPU through an unsuitable PCIe root complex loses bandwidth.",
        values={
            "slow-down of the step": Symbolic(
                "f_c*(1/b_r - 1)",
                gangs.bandwidth_slowdown,
                over={"f_c": (0.01, 1.0), "b_r": (0.05, 0.9)},
                by="ours",
            ),
            "half the bandwidth, 5 % of the step": Digits(
                "5 %", lambda: gangs.bandwidth_slowdown(0.05, 0.5), by="ours"
            ),
        },
        verdict=Qualitative("The source gives neither the bandwidth lost nor the share of the step that waits for it."),
    ),
    # Where g T - R vanishes; at the price of a failure, with the slow-down of the gang by one member slower by 5, 10 %.
    Claim(
        "hot-gpu",
        source="B",
        where="What is next",
        chapter="fleet/gangs",
        says=(
            "A GPU 10 to 15 degrees hotter than the others sets the pace of the whole group, even within limits; the "
            "job can be stopped and moved to cooler ones."
        ),
        values={
            "time left from which a move pays": Symbolic(
                "R/g_s", lambda r, g: gangs.break_even(g, r), over={"R": (1.0, 1e4), "g_s": (1e-4, 1.0)}, by="ours"
            ),
            "one GPU 5 % slower": Digits("39 h", lambda: gangs.break_even(_gang_slowdown(0.05), MOVE), by="ours"),
            "one GPU 10 % slower": Digits("4.1 h", lambda: gangs.break_even(_gang_slowdown(0.10), MOVE), by="ours"),
        },
        verdict=Unsupported(
            "No figure relates temperature to speed. It sets the pace if it is slow against the jitter of the others."
        ),
    ),
    # The mean of the largest with 2 % and with 1.5 % of jitter, for 8 and for 512 members and for one.
    Claim(
        "sched-ext",
        source="B",
        where="What is next",
        chapter="fleet/gangs",
        says=(
            "A scheduler of one's own for Linux cuts idle time at collectives: little on one machine, but a few per "
            "cent of throughput on hundreds of machines are much capacity."
        ),
        values={
            "a quarter less jitter, one member": Digits("0 %", lambda: _quarter_less_jitter(1), by="ours"),
            "a quarter less jitter, 8 members": Digits("0.69 %", lambda: _quarter_less_jitter(8), by="ours"),
            "a quarter less jitter, 512 members": Digits("1.43 %", lambda: _quarter_less_jitter(512), by="ours"),
        },
        verdict=Qualitative(
            "A plan, without a measurement. Less jitter does buy a gang more the larger it is, by the square root of a "
            "logarithm."
        ),
    ),
    # The quantile of the N-th root of 1 - p; and the square of its sum with that of the misses, by g mu/sigma.
    Claim(
        "straggler-detection",
        source="B",
        where="The closed loop",
        chapter="fleet/gangs",
        says="To look at a job as one distributed system finds a single slow process that holds up the others.",
        values={
            "threshold for 512 members, in deviations": Digits(
                "4.62", lambda: gangs.outlier_threshold(MEMBERS, FALSE_ALARM), by="ours"
            ),
            "steps until one 5 % slower stands out": Digits(
                "8", lambda: gangs.steps_to_detect(MEMBERS, MEAN, JITTER, 0.05, FALSE_ALARM, MISS), by="ours"
            ),
            "steps until one 1 % slower stands out": Digits(
                "193", lambda: gangs.steps_to_detect(MEMBERS, MEAN, JITTER, 0.01, FALSE_ALARM, MISS), by="ours"
            ),
        },
        verdict=Qualitative("The source gives neither a threshold nor a rate of false alarms."),
    ),
)
