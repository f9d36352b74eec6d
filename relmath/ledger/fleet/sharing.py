"""Claims about sharing GPUs and machines: the chapter *sharing*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from relmath import availability
from relmath.fleet import sharing
from relmath.ledger.mechanism import Claim, Digits, Qualitative, Symbolic
from relmath.units import day, hour

CHAPTER = "fleet/sharing"
DEVICES, SLICES = 8, 7
WAIT, SWAP = 2 * day, hour  # ours, as all that follows
GPU_MTTF = 50_000 * hour  # of source A
NEEDED, CONFIDENCE = 1000, 0.999
SMALL, LARGE = 35.0, 5.0  # mean number of tenants of a slice, and of a whole GPU

SHARE = (0.01, 0.99)


def _device_up() -> float:
    return float(availability.availability(GPU_MTTF, WAIT + SWAP))


def _installed(group: int) -> int:
    """How many devices must be there, in whole groups, for enough to be in service with the confidence."""
    least = int(np.ceil(NEEDED / group))
    groups = next(
        m for m in range(least, 2 * least) if sharing.pool_meets(_device_up(), NEEDED, m, group) >= CONFIDENCE
    )
    return groups * group


def _gpus_apart() -> float:
    """GPUs for tenants of slices and of whole GPUs, as few as give each kind enough of its own for 99 % of the time."""
    large = np.arange(stats.poisson.ppf(0.99, LARGE), 40)
    small = stats.poisson.ppf(np.minimum(0.99 / stats.poisson.cdf(large, LARGE), 1 - 1e-12), SMALL)
    return float(np.min(np.ceil(small / SLICES) + large))


def _gpus_together() -> float:
    """GPUs for both kinds, if partitions can be made anew: the smallest number of slices that is enough."""
    count = np.arange(200)
    small, large = stats.poisson.pmf(count, SMALL), np.zeros(SLICES * 200)
    large[::SLICES] = stats.poisson.pmf(count, LARGE)
    slices = np.searchsorted(np.cumsum(np.convolve(small, large)), 0.99)
    return float(np.ceil(slices / SLICES))


CLAIMS = (
    # By total probability over where a fault stays: 1 tenant, or all of them; and per tenant, by their number.
    Claim(
        "mig",
        source="B",
        where="Sharing GPUs safely",
        chapter=CHAPTER,
        says="Partitions of a GPU isolate tenants in memory, so that a failure or excess of one spares the others.",
        values={
            "tenants hit by a fault, of seven": Symbolic(
                "x_c + (1 - x_c)*7",
                lambda contained: sharing.tenants_hit(SLICES, contained),
                over={"x_c": SHARE},
                by="ours",
            ),
            "half of the faults contained": Digits("4", lambda: sharing.tenants_hit(SLICES, 0.5), by="ours"),
            "faults that a tenant sees, to those on a GPU of its own": Digits(
                "0.571", lambda: sharing.tenants_hit(SLICES, 0.5) / SLICES, by="ours"
            ),
        },
        verdict=Qualitative(
            "It holds for faults that stay within a partition. The source gives no share of them; the others hit all "
            "tenants at once. A tenant sees no more faults than on a GPU of its own, but shares them."
        ),
    ),
    # 1 - 1/7.
    Claim(
        "whole-gpu-waste",
        source="B",
        where="Sharing GPUs safely",
        chapter=CHAPTER,
        says="To give small inference jobs whole GPUs wastes capacity.",
        values={
            "idle, if a seventh is needed": Digits("85.7 %", lambda: 1 - 1 / SLICES, by="ours"),
        },
        verdict=Qualitative("The source gives no number."),
    ),
    # The cheapest pair of quantiles of two Poisson laws apart; and a quantile of the sum of the one and seven times the
    # other, by convolution.
    Claim(
        "mig-repartition",
        source="B",
        where="Sharing GPUs safely",
        chapter=CHAPTER,
        says="Partitions are changed without a restart, so that the pool follows demand between many small and a few "
        "large ones.",
        values={
            "GPUs, each kind apart": Digits("19", _gpus_apart, by="ours"),
            "GPUs, one pool": Digits("17", _gpus_together, by="ours"),
        },
        verdict=Qualitative(
            "The demand is assumed. Pooled, the two kinds need less because they do not peak together; the count takes "
            "slices as if they could always be moved together."
        ),
    ),
    # n (t_q + t_x) and t_q + n t_x, by adding up device-hours; and the smallest pools by trying.
    Claim(
        "dra",
        source="B",
        where="Sharing GPUs safely",
        chapter=CHAPTER,
        says="With allocation by device, one faulty GPU could be isolated and the rest of the machine kept in service.",
        values={
            "device-hours lost to a fault, machine drained": Digits(
                "392", lambda: sharing.lost_if_drained(DEVICES, WAIT, SWAP) / hour, by="ours"
            ),
            "device isolated": Digits("56", lambda: sharing.lost_if_isolated(DEVICES, WAIT, SWAP) / hour, by="ours"),
            "GPUs for 1 000 at 99.9 %, by machines": Digits("1 040", lambda: _installed(DEVICES), by="ours"),
            "by devices": Digits("1 005", lambda: _installed(1), by="ours"),
        },
        verdict=Qualitative(
            "The source plans it and gives no number. Isolation saves the neighbours' waiting and not the repair, and "
            "nothing at all to a job that needs whole machines."
        ),
    ),
    # 1 - 1/8.
    Claim(
        "machine-for-a-device",
        source="B",
        where="Why the reliability of GPUs matters",
        chapter=CHAPTER,
        says="A whole machine that is taken out for one faulty device is paid for and not used.",
        values={"healthy part of what is idle": Digits("87.5 %", lambda: 1 - 1 / DEVICES, by="ours")},
        verdict=Qualitative("The source gives no number: this is for machines of eight."),
    ),
)
