"""Claims about acting on problems: the chapter *remediation*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from relmath.domain import Array
from relmath.fleet import remediation
from relmath.ledger.mechanism import Claim, Digits, Qualitative, Statement, Symbolic, Unsupported
from relmath.units import hour, minute

CHAPTER = "fleet/remediation"
# The source gives none of these numbers: all are assumed.
HEAL, TRANSIENT, DRAIN = 2 * minute, 0.8, 30 * minute
GRACE = 8 * minute
KILL, RESET, REBOOT, REPLACE = 10.0, 60.0, 5 * minute, 30 * minute
ALONE = [0.3, 0.6, 0.8, 1.0]  # success of each step, whatever failed before
NESTED = [0.3, 0.45, 0.2, 0.05]  # failures of which each step is the weakest cure
LADDER = [KILL, RESET, REBOOT, REPLACE]
PROBLEM_RATE = 1 / (1000 * hour)
BY_HAND = 4 * hour  # until somebody on call has replaced a node

NODES = 1250
NODE_MTBF = 150_000 / 29 * hour  # of source A
REPAIR = 72 * hour
UNNOTICED = 4 * hour

TURNS = np.arange(100) * 4 * minute


def _waiting_pays_from() -> float:
    """Share of transient problems at which the cost is level in the grace, near 0."""

    def slope(share: float) -> float:
        first, second = remediation.grace_cost([0, 1e-3], HEAL, share, DRAIN, 1)
        return float(second - first)

    return float(optimize.brentq(slope, 0, 1))


def _restarted_clock_runs_out() -> bool:
    """Whether any of the turns, each with a clock of its own, is declared a failure."""
    return any(np.isfinite(remediation.failure_time([s], [s + 4 * minute], 10 * minute)) for s in TURNS)


def _longest_kill() -> float:
    """Time of a kill from which on the best ladder leaves it out."""

    def leaves_it_out(kill: float) -> bool:
        return 0 not in remediation.best_nested([kill, *LADDER[1:]], NESTED)

    return next(kill for kill in np.arange(1, 60, 0.125) if leaves_it_out(kill + 1e-6))


def _schedulable(mending: float, cured: float, replacing: float) -> Array:
    """Share of time a node is up and without a problem: states up, transient, lasting, mending, replacing."""
    outlasts = remediation.survives_grace(GRACE, HEAL)
    q = np.zeros((5, 5))
    q[0, 1], q[0, 2] = PROBLEM_RATE * TRANSIENT, PROBLEM_RATE * (1 - TRANSIENT)
    q[1, 0], q[1, 3] = 1 / HEAL, outlasts / (1 - outlasts) / HEAL
    q[2, 3] = 1 / GRACE
    q[3, 0], q[3, 4] = cured / mending, (1 - cured) / mending
    q[4, 0] = 1 / replacing
    np.fill_diagonal(q, -q.sum(axis=1))
    return remediation.steady_state(q)[0]


def _by_the_ladder() -> Array:
    mending = remediation.nested_time(LADDER[:3], NESTED[:3])
    return _schedulable(float(mending), sum(NESTED[:3]), REPLACE)


def _replaced(time: float) -> Array:
    return _schedulable(time, 1.0, time)


def _down(cap: int) -> Array:
    return remediation.repair_queue(NODES, 1 / NODE_MTBF, 1 / REPAIR, cap)


CLAIMS = (
    # The mean cost over an exponential time to heal, integrated; its slope in the grace solved; and a clock over
    # problems that take turns.
    Claim(
        "grace",
        source="B",
        where="Automatic recovery of a problem machine",
        chapter=CHAPTER,
        says="A problem only blocks new work; if it lasts beyond its grace, which is longer for a flaky signal, it is "
        "a failure and the node is drained.",
        values={
            "transients of 2 min that outlast 10": Digits(
                "0.67 %", lambda: remediation.survives_grace(10 * minute, HEAL), by="ours"
            ),
            "best grace": Symbolic(
                "h_m*log(q_t*(C_d - w_c*h_m)/((1 - q_t)*w_c*h_m))",
                remediation.best_grace,
                over={"h_m": (1.0, 100.0), "q_t": (0.5, 0.99), "C_d": (1e3, 1e4), "w_c": (0.1, 1.0)},
                by="ours",
            ),
            "of our example": Digits("8.05 min", lambda: remediation.best_grace(HEAL, TRANSIENT, DRAIN, 1), by="ours"),
            "two faults that take turns are a failure after": Digits(
                "10 min", lambda: remediation.failure_time(TURNS, TURNS + 4 * minute, 10 * minute), by="ours"
            ),
            "so they are if the clock restarts with the reason": Statement(
                "false", _restarted_clock_runs_out, by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no times but a few minutes for critical errors. The best grace follows from how fast "
            "transients heal, how many problems are transient, and what a drain costs."
        ),
    ),
    # The share at which the slope of the mean cost at a grace of 0 vanishes.
    Claim(
        "heals-itself",
        source="B",
        where="Automatic recovery of a problem machine",
        chapter=CHAPTER,
        says="Many problems go away by themselves, so that it is better to wait.",
        values={
            "share from which waiting pays": Digits("6.7 %", _waiting_pays_from, by="ours"),
        },
        verdict=Unsupported(
            "No share is given. Waiting pays if the share is above w h/C, the cost of waiting for as long as healing "
            "takes over that of a drain: that is little."
        ),
    ),
    # The sum of times by the chance that it comes to each step; both orders of two neighbours; and the failures left
    # over in nested causes.
    Claim(
        "ladder",
        source="B",
        where="Automatic recovery of a problem machine",
        chapter=CHAPTER,
        says="The action fits the problem: kill the process, reset the GPU, reboot, and replace only what is broken; "
        "replacement is the slowest.",
        values={
            "independent steps": Digits("236.8 s", lambda: remediation.ladder_time(LADDER, ALONE), by="ours"),
            "this is the best order of them": Statement(
                "true", lambda: remediation.best_order(LADDER, ALONE).tolist() == [0, 1, 2, 3], by="ours"
            ),
            "nested causes": Digits("217 s", lambda: remediation.nested_time(LADDER, NESTED), by="ours"),
            "longest kill that is worth it, causes nested": Digits("18 s", _longest_kill, by="ours"),
        },
        verdict=Qualitative(
            "The source gives neither times nor shares, and speaks of an action by problem; taken as a sequence, the "
            "mildest first is best only if the mild steps are quick enough."
        ),
    ),
    # The chain of five states solved by SymPy, with the ladder, with a replacement for each failure, and by hand.
    Claim(
        "minutes-back",
        source="B",
        where="Results",
        chapter=CHAPTER,
        says="Mending by steps brings capacity back in minutes where a kill, a reset or a reboot is enough, and does "
        "not wait for a replacement.",
        values={
            "a node is schedulable, by the ladder": Digits("99.9934 %", _by_the_ladder, by="ours"),
            "with a replacement for each failure": Digits("99.984 %", lambda: _replaced(REPLACE), by="ours"),
            "replaced by hand": Digits("99.909 %", lambda: _replaced(BY_HAND), by="ours"),
        },
        verdict=Qualitative("The source gives no times; with ours the ladder more than halves the time away."),
    ),
    # ceil of a share; the mean of the states of the queue by its balance of flows; nodes times hours.
    Claim(
        "disruption-cap",
        source="B",
        where="Automatic recovery of a problem machine",
        chapter=CHAPTER,
        says="A limit on how much of the cluster may be drained at once keeps an error in the checks from draining "
        "all of it.",
        values={
            "20 % of 3 nodes": Digits("1", lambda: remediation.disruption_limit(3, 0.2), by="ours"),
            "20 % of 11 nodes": Digits("3", lambda: remediation.disruption_limit(11, 0.2), by="ours"),
            "nodes down, cap 250": Digits("17.2", lambda: _down(250), by="ours"),
            "nodes down, cap 20": Digits("19.4", lambda: _down(20), by="ours"),
            "nodes down, cap 10": Digits("532", lambda: _down(10), by="ours"),
            "node-hours lost to a faulty check in 4 h, no cap": Digits(
                "5000", lambda: NODES * UNNOTICED / hour, by="ours"
            ),
            "with a cap of 20 %": Digits(
                "1000", lambda: remediation.disruption_limit(NODES, 0.2) * UNNOTICED / hour, by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no limit. It bounds the harm to its own size; below the mean number of nodes in repair "
            "it starves the repair of true failures."
        ),
    ),
)
