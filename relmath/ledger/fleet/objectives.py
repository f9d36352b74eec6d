"""Claims about objectives and results: the chapter *objectives*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

from relmath import availability
from relmath.fleet import objectives, retries
from relmath.ledger.failures import LLAMA3_FAILURES, LLAMA3_GPUS, LLAMA3_TIME
from relmath.ledger.mechanism import Claim, Digits, Qualitative, Symbolic, Unsupported
from relmath.units import day, hour, minute

CHAPTER = "fleet/objectives"
UP, BEFORE, AFTER = 0.9995, 0.98, 0.995  # as printed; all other figures are ours where no source is named
NODES = 1250
NODE_MTBF = 150_000 / 29 * hour  # of source A
KOKOLIS = 1000 * day / 6.50  # 6.50 failures per 1 000 node-days
LLAMA = LLAMA3_TIME * (LLAMA3_GPUS / 8) / LLAMA3_FAILURES
SHORT, LONG = 0.998, 0.90  # success of jobs of two kinds
MONTHS, JOBS = 12, 300
SETTLE, STARTUP = 10 * minute, minute

SHARE = (0.01, 0.99)


def _long_share(success: float) -> float:
    """Share of long jobs with which all jobs succeed so often."""
    return float(optimize.brentq(lambda share: share * LONG + (1 - share) * SHORT - success, 0, 1))


def _worst_month(success: float) -> float:
    """Mean success of the worst of so many months that are all alike."""
    failures = np.arange(JOBS)
    worst = np.sum(1 - stats.binom.cdf(failures, JOBS, 1 - success) ** MONTHS)
    return float(1 - worst / JOBS)


def _sensitivity_for_one_retry() -> float:
    return float(optimize.brentq(lambda s: retries.platform_loss(1 - BEFORE, 1, s) - (1 - AFTER), 0, 1))


CLAIMS = (
    # 1 - A of a year; M (1 - A)/A for three MTBFs; and A to the power of all nodes.
    Claim(
        "slo-availability",
        source="B",
        where="Results",
        chapter=CHAPTER,
        says="The availability of GPU nodes is steadily above 99.95 %.",
        values={
            "down a year at 99.95 %": Digits("4.38 h", lambda: availability.downtime(UP), by="ours"),
            "time to restore at source A's node MTBF": Digits(
                "2.59 h", lambda: objectives.allowed_mttr(NODE_MTBF, UP), by="ours"
            ),
            "at the rate of Kokolis et al.": Digits("1.85 h", lambda: objectives.allowed_mttr(KOKOLIS, UP), by="ours"),
            "at that of the Llama 3 run": Digits("3.17 h", lambda: objectives.allowed_mttr(LLAMA, UP), by="ours"),
            "all of 1 250 nodes up": Digits("53.5 %", lambda: availability.series(UP, NODES), by="ours"),
        },
        verdict=Unsupported(
            "No count, period or definition is given, and the source calls its targets illustrative. What it demands "
            "can be computed: a node is back within two to three hours, on average, from the failure on."
        ),
    ),
    # The ratio of the logarithms; 1 minus its inverse; and the sensitivity that solves (1 - p)(1 + p s) = S1.
    Claim(
        "slo-success",
        source="B",
        where="Results",
        chapter=CHAPTER,
        says="The share of successful jobs rose from about 98 % to more than 99.5 %.",
        values={
            "hazard divided by": Digits("4.03", lambda: objectives.hazard_ratio(BEFORE, AFTER), by="ours"),
            "share of failures to prevent, without retries": Digits(
                "75.2 %", lambda: 1 - 1 / objectives.hazard_ratio(BEFORE, AFTER), by="ours"
            ),
            "share of failures to recognise, by one retry alone": Digits(
                "76.5 %", _sensitivity_for_one_retry, by="ours"
            ),
        },
        verdict=Unsupported(
            "No number of jobs, period or control is given, nor which measure achieved what. By itself, one retry of "
            "three failures in four would do."
        ),
    ),
    # The share x that solves x L + (1 - x) S for both successes; and the mean of the worst of twelve months alike.
    Claim(
        "before-after",
        source="B",
        where="Results",
        chapter=CHAPTER,
        says="The results were reached after the improvements described, and through them.",
        values={
            "long jobs that would explain 98 %": Digits("18.4 %", lambda: _long_share(BEFORE), by="ours"),
            "and 99.5 %": Digits("3.1 %", lambda: _long_share(AFTER), by="ours"),
            "worst of twelve months at 99 %, 300 jobs each": Digits("98.0 %", lambda: _worst_month(0.99), by="ours"),
        },
        verdict=Unsupported(
            "There is no control. A change in the mix of jobs, or the choice of a bad month as the start, gives the "
            "same figures without any measure. Chance alone does not, if there were some hundreds of jobs."
        ),
    ),
    # 1 minus the product of 1 - b over four causes, against their sum; and the smallest n by trying.
    Claim(
        "slo-causes",
        source="B",
        where="How success is measured",
        chapter=CHAPTER,
        says="Each objective is split by cause, so that a miss points to the layer that answers for it.",
        values={
            "four budgets of 0.2, 0.1, 0.15 and 0.05 % together": Digits(
                "0.4991 %", lambda: objectives.all_budgets([0.002, 0.001, 0.0015, 0.0005]), by="ours"
            ),
            "jobs that tell 99.5 % from 98 %": Digits(
                "456", lambda: objectives.jobs_to_tell_apart(BEFORE, AFTER, 0.05, 0.9), by="ours"
            ),
            "jobs that tell a cause at 0.2 % from one at 0.1 %": Digits(
                "12 746", lambda: objectives.jobs_to_tell_apart(0.998, 0.999, 0.05, 0.9), by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no budgets. They add up, as good as exactly; but each cause takes many times the jobs to "
            "be judged that the whole takes."
        ),
    ),
    # The probability that the last of N exponential starts is within t_d - t_s; and its inverse.
    Claim(
        "slo-start",
        source="B",
        where="How success is measured",
        chapter=CHAPTER,
        says="A job shall start in time once the capacity that it needs is there.",
        values={
            "probability that a node starts in time": Symbolic(
                "1 - exp(-(t_d - t_s)/t_w)",
                objectives.start_in_time,
                over={"t_d": (900.0, 2000.0), "t_s": (100.0, 800.0), "t_w": (10.0, 100.0)},
                by="ours",
            ),
            "deadline for 99 %, one node": Digits(
                "14.6 min", lambda: objectives.deadline_for(0.99, SETTLE, STARTUP), by="ours"
            ),
            "128 nodes": Digits("19.5 min", lambda: objectives.deadline_for(0.99, SETTLE, STARTUP, 128), by="ours"),
        },
        verdict=Qualitative(
            "No deadline is given; ours holds capacity for 10 min, two runs of a slow check. The hold that keeps bad "
            "nodes out is itself the larger part of the time to start, except for gangs of several hundred nodes."
        ),
    ),
    # The inverse of the step time of a gang whose slowest member takes a tenth longer.
    Claim(
        "slo-goodput",
        source="B",
        where="How success is measured",
        chapter=CHAPTER,
        says="Useful work is what counts: a job delayed by one slow GPU looks healthy by its uptime.",
        values={"goodput with one member a tenth slower, all of them up": Digits("90.9 %", lambda: 1 / 1.1, by="ours")},
        verdict=Qualitative("The source gives no number. No objective of the three sees this loss."),
    ),
)
