"""Claims about who may take work, and about repeat offenders: the chapter *admission*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from relmath.domain import Array
from relmath.fleet import admission
from relmath.ledger.mechanism import Claim, Digits, Qualitative, Statement, Symbolic, Unsupported
from relmath.units import day, hour, minute, percent

CYCLE = 30  # seconds, in which the source's node agent runs its quick checks
GANG = 64  # nodes; the source says hundreds of GPUs
PREVALENCE, COVERAGE = 1 * percent, 90 * percent  # assumed
NODE_MTBF = 150_000 / 29 * hour
MEAN = 6.5 / (1000 * day)  # failures of a node, as reported of a research cluster
SHAPE = 0.5  # assumed
RATE = SHAPE / MEAN
WATCHED = 90 * day


def _clean(rounds: int) -> Array:
    return admission.clean_start(GANG, admission.admitted_bad(PREVALENCE, COVERAGE, rounds))


def _posterior(failures: int, time: float) -> Array:
    """By the mean of the fleet."""
    return admission.posterior_rate(failures, time, SHAPE, RATE) / MEAN


CLAIMS = (
    # From the chance that a phase is uniform over the period: at 30 and 60 s for a period of 60 s, at 60 s for one of
    # 90 s; the mean of V over the period without a hold; and whether a check without a run is healthy.
    Claim(
        "settle",
        source="B",
        where="Automatic repair of a faulty machine; Testing a machine before it starts work",
        chapter="fleet/admission",
        says=(
            "Capacity is held back until the checks have run twice and settled. That closed the window in which a job "
            "could land on a machine just before a slow check found its fault."
        ),
        values={
            "no result after one cycle, check every 60 s": Digits(
                "50 %", lambda: admission.unsettled(CYCLE, 60), by="ours"
            ),
            "no result after two cycles, check every 60 s": Digits(
                "0 %", lambda: admission.unsettled(2 * CYCLE, 60), by="ours"
            ),
            "no result after two cycles, check every 90 s": Digits(
                "33.3 %", lambda: admission.unsettled(2 * CYCLE, 90), by="ours"
            ),
            "mean time in service before a result, no hold, check every 60 s": Digits(
                "30 s", lambda: admission.exposure(0, 60), by="ours"
            ),
            "a check that has not run yet is healthy": Statement(
                "false", lambda: admission.healthy(runs=0, failed=0), by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no period for its slow checks. The window is closed for each check whose period and run "
            "time fit into the hold; for a slower one it is narrowed."
        ),
    ),
    # The probability as an integral over the phase, without run time; and whether it is positive for a window of half
    # the period.
    Claim(
        "slow-check",
        source="B",
        where="Testing a machine before it starts work",
        chapter="fleet/admission",
        says=(
            "Some checks, such as counting network adapters, need more than one cycle. After a single check a job may "
            "start before the results of the others are in."
        ),
        values={
            "probability of no result yet": Symbolic(
                "1 - w_h/theta",
                admission.unsettled,
                over={"w_h": (1.0, 30.0), "theta": (31.0, 600.0)},
                by="ours",
            ),
            "a job may start first": Statement("true", lambda: admission.unsettled(CYCLE, 2 * CYCLE) > 0),
        },
        verdict=Qualitative("The source gives no period."),
    ),
    # Bayes' rule round by round, at one round; its power for 64 nodes, before and after; N - floor(N/3), from chains of
    # three; N (N - 1)/2; the digits of N in binary; 1 - exp(-64 minutes by the node's MTBF); and whether the share
    # vanishes short of full coverage.
    Claim(
        "preflight-minute",
        source="B",
        where="The closed loop",
        chapter="fleet/admission",
        says=(
            "A short run of collectives and pairwise network tests before the job finds every machine that would fail "
            "in its first minute."
        ),
        values={
            "bad among the admitted, one round": Digits(
                "0.101 %", lambda: admission.admitted_bad(PREVALENCE, COVERAGE, 1), by="ours"
            ),
            "clean start of 64 nodes, untested": Digits("52.6 %", lambda: _clean(0), by="ours"),
            "clean start of 64 nodes, one round": Digits("93.7 %", lambda: _clean(1), by="ours"),
            "pairs that name one bad of 64": Digits("43", lambda: admission.pair_tests(GANG), by="ours"),
            "all pairs of 64": Digits("2 016", lambda: GANG * (GANG - 1) / 2, by="ours"),
            "collectives that name one bad of 64": Digits("7", lambda: admission.group_tests(GANG), by="ours"),
            "64 sound nodes fail in their first minute": Digits(
                "0.021 %", lambda: -np.expm1(-GANG * minute / NODE_MTBF), by="ours"
            ),
            "less than full coverage finds every one": Statement(
                "false", lambda: admission.admitted_bad(PREVALENCE, 0.999999, 10) == 0, by="ours"
            ),
        },
        verdict=Unsupported(
            "No counts are given, before or after. To find every one takes full coverage, and some failures of the "
            "first minute have no fault before it."
        ),
    ),
    # 1 - (1 - c)^2 = 1/2, solved for c.
    Claim(
        "caught-before-start",
        source="B",
        where="Results",
        chapter="fleet/admission",
        says="Most faults are found before a job starts.",
        values={
            "coverage of a round, for half of the faults in two": Digits(
                "29.3 %", lambda: 1 - np.sqrt(admission.clean_start(1, 0.5)), by="ours"
            ),
        },
        verdict=Unsupported("No share is given. It takes little: two rounds that see three faults in ten each."),
    ),
    # Prior times likelihood, integrated; the mean by that of the fleet, after three failures in 90 days and with no
    # history; and 2 000 times the Poisson tail from three on.
    Claim(
        "hardware-ledger",
        source="B",
        where="Automatic repair of a faulty machine",
        chapter="fleet/admission",
        says=(
            "The unchangeable hardware identifier of a GPU is recorded when it is retired, so that a device that has "
            "failed again and again cannot return unnoticed under a new instance."
        ),
        values={
            "mean failure rate after three failures": Symbolic(
                "(alpha_g + 3)/(vartheta + t)",
                lambda t, alpha, vartheta: admission.posterior_rate(3, t, alpha, vartheta),
                over={"t": (1.0, 1e8), "alpha_g": (0.1, 10.0), "vartheta": (1e4, 1e8)},
                by="ours",
            ),
            "after three failures in 90 days, by the mean of the fleet": Digits(
                "3.23", lambda: _posterior(3, WATCHED), by="ours"
            ),
            "the same device under a new name": Digits("1.00", lambda: _posterior(0, 0), by="ours"),
            "of 2 000 like nodes, with three failures or more by chance": Digits(
                "43", lambda: 2000 * stats.poisson.sf(2, MEAN * WATCHED), by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no number, and does not say how many failures are too many. Among like devices many "
            "failures are luck; the more unlike they are, the more a history tells."
        ),
    ),
)
