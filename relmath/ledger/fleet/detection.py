"""Claims about checks of health: the chapter *detection*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

from scipy import optimize

from relmath.domain import Array
from relmath.fleet import detection
from relmath.ledger.mechanism import Claim, Corrected, Digits, Qualitative, Statement, Symbolic, Unsupported
from relmath.units import day, hour

CHAPTER = "fleet/detection"
PERIOD = 30  # seconds, as printed; all other figures below are assumed
NODES = 1250
NODE_MTBF = 150_000 / 29 * hour  # of source A
IDLE, LOADED = 0.95, 0.9  # coverage of a passive check, of faults that show at idle; of a test under load, of all
HIDDEN = 0.1  # share of faults that show under load only
COVERAGE, HANG, MISSING = 0.95, 0.1, 0.01
NOISE = 0.001  # share of runs on a healthy node that fail without reason, and share that hang
TOOL, LOG = 0.9, 0.8  # coverage of the tool that reads the driver's codes, and of the kernel's log
BAD_AT_BOOT = 0.01
BOOTS = NODES / (30 * day)  # each node once in 30 days

SHARE = (0.01, 0.99)


def _passive_escape(layers: int) -> Array:
    """Faults of both kinds, each with its own coverage."""
    seen = detection.escape_probability([IDLE] * layers)
    return HIDDEN * detection.escape_probability([0.0] * layers) + (1 - HIDDEN) * seen


def _as_if_independent() -> Array:
    return detection.escape_probability([(1 - HIDDEN) * IDLE] * 2)


def _worst_rate_for_half(threshold: int) -> float:
    """Share of checks that may fail without reason while half of the drains hit a broken node."""
    return float(
        optimize.brentq(
            lambda f: detection.true_drain_share(NODE_MTBF, PERIOD, threshold, f) - 0.5, 1e-9, 0.5, xtol=1e-16
        )
    )


def _noise_for(value: float) -> float:
    """Share of boots of healthy nodes that may raise the alarm, at this predictive value."""
    return float(optimize.brentq(lambda f: detection.predictive_value(BAD_AT_BOOT, 1, f) - value, 1e-9, 1, xtol=1e-16))


CLAIMS = (
    # The mean of (k theta - v) + t_out over a phase v that is uniform in a period, for k = 4; and with numbers.
    Claim(
        "check-period",
        source="B",
        where="How the health checks work",
        chapter=CHAPTER,
        says="The agent of each node runs its checks every 30 seconds.",
        values={
            "mean latency, four failures in a row": Symbolic(
                "7*theta/2 + t_out",
                lambda period, timeout: detection.detection_latency(period, 4, timeout),
                over={"theta": (1.0, 1e3), "t_out": (0.1, 100.0)},
                by="ours",
            ),
            "mean latency, one failure": Digits("15 s", lambda: detection.detection_latency(PERIOD), by="ours"),
            "mean latency, three in a row": Digits("75 s", lambda: detection.detection_latency(PERIOD, 3), by="ours"),
            "polls of 15 s, four in a row": Digits("52.5 s", lambda: detection.detection_latency(15, 4), by="ours"),
        },
        verdict=Qualitative(
            "What a period means for a fault depends on how many failures in a row raise an alarm and on the time-out: "
            "the source gives neither."
        ),
    ),
    # By total probability over faults that show at idle and faults that show under load only.
    Claim(
        "passive-miss",
        source="B",
        where="Why basic health checks are not enough",
        chapter=CHAPTER,
        says="A GPU may answer a query of its state and fail as soon as work reaches it.",
        values={
            "two passive checks, as if independent": Digits("2.1 %", _as_if_independent, by="ours"),
            "two passive checks": Digits("10.2 %", lambda: _passive_escape(2), by="ours"),
            "any number of them": Digits("10 %", lambda: _passive_escape(200), by="ours"),
            "two, and a test under load": Digits(
                "1.0 %", lambda: _passive_escape(2) * detection.escape_probability([LOADED]), by="ours"
            ),
        },
        verdict=Qualitative(
            "No shares are given; ours are assumed. A second passive check sees what the first saw: what shows under "
            "load only needs a load."
        ),
    ),
    # 1 - (1 - b) c for a check that is blind for a share b of the time; where that reaches 1; and the b at which it
    # equals the escape of a sound check of 50 %.
    Claim(
        "silent-check",
        source="B",
        where="Why basic health checks are not enough",
        chapter=CHAPTER,
        says="A check that can silently stop working is worse than none, for it gives a false sense of confidence.",
        values={
            "faults missed, blind for a share of the time": Symbolic(
                "1 - c_d + c_d*p_dep",
                lambda c, blind: detection.unseen_open(c, 0, blind),
                over={"c_d": SHARE, "p_dep": SHARE},
                by="ours",
            ),
            "it misses more than no check does": Statement(
                "false", lambda: detection.unseen_open(COVERAGE, 0, 1) > 1, by="ours"
            ),
            "share blind at which a sound check of 50 % is as good": Digits(
                "47.4 %",
                lambda: optimize.brentq(lambda b: detection.unseen_open(COVERAGE, 0, b) - 0.5, 0, 1),
                by="ours",
            ),
        },
        verdict=Corrected(
            "By itself it misses no more than no check would. It is worse, as the source's reason says, only where "
            "trust in it displaces something else: then even a check of half its coverage would have been better, once "
            "it is blind for nearly half of the time."
        ),
    ),
    # The sum over the states of a check: something missing, a hang, a run to the end that sees the fault or not.
    Claim(
        "fail-closed",
        source="B",
        where="How the health checks work: fail closed; no silent failures",
        chapter=CHAPTER,
        says="A check that hangs or lacks what it needs marks the node as faulty, so that nothing hides behind it.",
        values={
            "unseen, failing open": Symbolic(
                "1 - (1 - p_dep)*(1 - p_hang)*c_d",
                detection.unseen_open,
                over={"c_d": SHARE, "p_hang": SHARE, "p_dep": SHARE},
                by="ours",
            ),
            "unseen, failing closed": Symbolic(
                "(1 - p_dep)*(1 - p_hang)*(1 - c_d)",
                detection.unseen_closed,
                over={"c_d": SHARE, "p_hang": SHARE, "p_dep": SHARE},
                by="ours",
            ),
            "failing open": Digits("15.4 %", lambda: detection.unseen_open(COVERAGE, HANG, MISSING), by="ours"),
            "failing closed": Digits("4.5 %", lambda: detection.unseen_closed(COVERAGE, HANG, MISSING), by="ours"),
            "healthy nodes accused, failing open": Digits(
                "0.10 %", lambda: detection.unseen_closed(1 - NOISE, NOISE, MISSING), by="ours"
            ),
            "healthy nodes accused, failing closed": Digits(
                "1.2 %", lambda: detection.unseen_open(1 - NOISE, NOISE, MISSING), by="ours"
            ),
            "share accused when an update removes what it needs": Digits(
                "100 %", lambda: detection.unseen_open(1 - NOISE, NOISE, 1), by="ours"
            ),
        },
        verdict=Qualitative(
            "It hides nothing that the check itself could see or that stops it. What the check is blind for stays "
            "unseen, and one missing file accuses the whole fleet: failing closed needs a cap on drains."
        ),
    ),
    # The product of the two misses; the smaller of them; and the mixture of both.
    Claim(
        "fallback",
        source="B",
        where="How the health checks work: fallback",
        chapter=CHAPTER,
        says="Where the tool that reads the driver's codes fails, they are read from the kernel's log, so that none "
        "is missed.",
        values={
            "the tool alone": Digits("10 %", lambda: detection.escape_probability([TOOL]), by="ours"),
            "with an independent fallback": Digits("2 %", lambda: detection.escape_with_fallback(TOOL, LOG), by="ours"),
            "coupled for half of the faults": Digits(
                "6 %", lambda: detection.escape_with_fallback(TOOL, LOG, 0.5), by="ours"
            ),
            "wholly coupled": Digits("10 %", lambda: detection.escape_with_fallback(TOOL, LOG, 1), by="ours"),
        },
        verdict=Qualitative(
            "No shares are given; ours are assumed. What the fallback is worth depends on whether that which silences "
            "the tool silences the log, too: wholly coupled it is worth nothing."
        ),
    ),
    # f^k (1 - f)/(1 - f^k) = theta/M, the rate of false drains being that of faults, solved for k = 1, 2 and 3.
    Claim(
        "driver-codes",
        source="B",
        where="How the health checks work: fallback",
        chapter=CHAPTER,
        says="The error codes of the driver are the most reliable sign of a faulty GPU.",
        values={
            "checks that may err for half of the drains to be right, one failure": Digits(
                "1.61e-6", lambda: _worst_rate_for_half(1), by="ours"
            ),
            "two in a row": Digits("0.127 %", lambda: _worst_rate_for_half(2), by="ours"),
            "three in a row": Digits("1.18 %", lambda: _worst_rate_for_half(3), by="ours"),
        },
        verdict=Unsupported(
            "No comparison of signs is given. How reliable one must be follows from the base rate: at source A's node "
            "MTBF, and checked every 30 s, these are the shares of checks that may err."
        ),
    ),
    # Bayes' rule at a false-positive rate of 1; the boots of healthy nodes in a day; and the rule solved for the rate.
    Claim(
        "boot-noise",
        source="B",
        where="How the health checks work: a map of fatal codes of its own",
        chapter=CHAPTER,
        says="GPUs of one generation give, at each successful boot, a burst of codes that are fatal elsewhere: that "
        "is noise and no reason to drain.",
        values={
            "drains that are right, of a code at every boot": Symbolic(
                "p", lambda p: detection.predictive_value(p, 1, 1), over={"p": SHARE}, by="ours"
            ),
            "false drains a day": Digits("41", lambda: BOOTS * day * (1 - BAD_AT_BOOT), by="ours"),
            "healthy boots that may alarm for nine of ten drains to be right": Digits(
                "0.112 %", lambda: _noise_for(0.9), by="ours"
            ),
        },
        verdict=Qualitative(
            "What comes at every boot says nothing: the predictive value is the prevalence. Ignoring it costs nothing, "
            "at boot, as long as bad nodes give the same burst."
        ),
    ),
)
