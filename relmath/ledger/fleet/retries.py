"""Claims about retries and the causes of failures: the chapter *retries*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

from relmath.fleet import retries
from relmath.ledger.mechanism import Claim, Digits, Qualitative, Symbolic
from relmath.units import hour

CHAPTER = "fleet/retries"
PLATFORM = 0.02  # of attempts, as source B has it before its measures: about 98 % of jobs succeed
SENSITIVITY = 0.9  # ours, as all of the following that bear no source
FAILED_BY_PLATFORM = 0.11  # of failed jobs, and of the GPU time that they lost: Hu et al. 2024
LOST_BY_PLATFORM = 0.82
NODES = 1250
RECOVERY = 541.7  # seconds, of source A's worked example
AWAY = 4 * hour  # of a drained node

SHARE = (0.01, 0.99)


def _hopeless_waste(specificity: float) -> float:
    """GPU time of up to three hopeless retries of each failed job of its own, by what the platform's failures lost."""
    own = 1 - LOST_BY_PLATFORM
    return float(retries.hopeless_retries(1, 3, specificity)) * own / LOST_BY_PLATFORM


def _threshold(suspects: float, nodes: float = NODES, away: float = AWAY, **test: float) -> float:
    return float(retries.drain_threshold(suspects * away, nodes * RECOVERY, **test))


CLAIMS = (
    # 1 minus the solution of the recurrence S(n) = 1 - p + p s S(n - 1), S(0) = 1 - p; and its limit for many retries.
    Claim(
        "retry-automatic",
        source="B",
        where="How long jobs survive the loss of a machine",
        chapter=CHAPTER,
        says="The scheduler automatically repeats jobs that the platform ended.",
        values={
            "sound jobs lost, retries without end": Symbolic(
                "p_p*(1 - s_n)/(1 - p_p*s_n)",
                lambda p, s: retries.platform_loss(p, 10_000, s),
                over={"p_p": SHARE, "s_n": SHARE},
                by="ours",
            ),
            "no retry": Digits("2 %", lambda: retries.platform_loss(PLATFORM, 0, SENSITIVITY), by="ours"),
            "one retry": Digits("0.236 %", lambda: retries.platform_loss(PLATFORM, 1, SENSITIVITY), by="ours"),
            "ten": Digits("0.204 %", lambda: retries.platform_loss(PLATFORM, 10, SENSITIVITY), by="ours"),
        },
        verdict=Qualitative(
            "The source gives no number. One retry does nearly all that retries can; what is left are failures of the "
            "platform that are not recognised as such."
        ),
    ),
    # The sum of a (1 - s_p)^j over the retries; 1 minus the reported share; and three times 18 by 82.
    Claim(
        "retry-safe",
        source="B",
        where="How long jobs survive the loss of a machine",
        chapter=CHAPTER,
        says="Retrying every failure without finding its cause is unsafe: it hides errors of the jobs themselves and "
        "spends GPU time on what the platform cannot cure.",
        values={
            "hopeless retries for each unsound job, three allowed": Symbolic(
                "(1 - s_p) + (1 - s_p)**2 + (1 - s_p)**3",
                lambda s_p: retries.hopeless_retries(1, 3, s_p),
                over={"s_p": SHARE},
                by="ours",
            ),
            "first retries that are hopeless, if all are retried": Digits(
                "89 %", lambda: 1 - FAILED_BY_PLATFORM, by="ours"
            ),
            "GPU time wasted by three, to that which the platform's failures lost": Digits(
                "66 %", lambda: _hopeless_waste(0), by="ours"
            ),
            "the same, nine in ten recognised": Digits("2.4 %", lambda: _hopeless_waste(0.9), by="ours"),
        },
        verdict=Qualitative(
            "The source gives no number; the shares are those of another published fleet, where the waste is large, "
            "though less than what the platform's own failures lose. A classifier that errs once in ten is enough to "
            "remove nearly all of it."
        ),
    ),
    # The share at which draining and leaving cost the same, solved by SymPy; and with numbers.
    Claim(
        "nccl-lesson",
        source="B",
        where="How long jobs survive the loss of a machine",
        chapter=CHAPTER,
        says="Time-outs of collective operations looked like the network's fault and were slow loading of data: had "
        "they been taken for faults of hardware, healthy machines would have been drained and the cause left.",
        values={
            "share that must be the network's for draining to pay": Symbolic(
                "C_d/C_r",
                retries.drain_threshold,
                over={"C_d": (1.0, 10.0), "C_r": (20.0, 1e3)},
                by="ours",
            ),
            "one suspect of 1 250 nodes": Digits("2.13 %", lambda: _threshold(1), by="ours"),
            "sixteen suspects": Digits("34 %", lambda: _threshold(16), by="ours"),
            "one suspect, tested first": Digits(
                "0.121 %", lambda: _threshold(1, sensitivity=0.9, specificity=0.95), by="ours"
            ),
        },
        verdict=Qualitative(
            "The source counts no time-outs. Draining one suspect of a large job pays even if nearly all time-outs "
            "are something else; draining many seldom does, and no drain cures slow loading."
        ),
    ),
)
