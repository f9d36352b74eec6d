"""Claims about availability and the choice of a strategy: the chapters *stacking* and *choosing*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate, optimize

from relmath import availability, checkpoints
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
    Unsupported,
)
from relmath.units import hour, minute, year

REPLICA = 0.99  # availability of one replica in all of the source's examples
TARGET = 0.9999
BETA = 0.05  # of a replica's downtime has a common cause: ours, since the source gives no share
ZONE = 0.9995  # availability of a failure domain: ours
POOL = 100  # servers that a service needs at once: ours

SHARES = {"A": (0.5, 0.999), "beta": (0.01, 0.5)}
MANY = 1000  # replicas, of which nothing is left but what they have in common

NODE_MTBF = 150_000 / 29 * hour  # 8 GPUs, printed as 5 172.4 h
NODES = 1250  # 10 000 GPUs
MTBF = NODE_MTBF / NODES  # printed as 4.14 h
WRITE_TIME, RELOAD, AWAY = 24.5, 24.5, 90.0  # the source's worked example; AWAY is to detect and to reschedule
PAUSE = 3 * minute  # of an elastic job when a node leaves or joins: ours, since the source gives none


def _down(k: int) -> float:
    """Time for which k independent replicas are all down in a year."""
    return float(availability.unavailability(REPLICA, k)) * year


def _down_in_zone(replicas: int) -> float:
    """Time in a year for which all replicas of one zone are down, or the zone is."""
    return float(availability.downtime(ZONE * availability.parallel(REPLICA, replicas)))


def _worth(k: int) -> float:
    """Replica-hours bought by the k-th replica for each hour of downtime that it saves."""
    saved = availability.unavailability(REPLICA, k - 1) - availability.unavailability(REPLICA, k)
    return float(1 / saved)


def _installed_for(needed: int) -> int:
    """How many servers must be there, lest fewer than these be up for more than a target allows."""
    return next(n for n in range(needed, 2 * needed) if availability.k_of_n(REPLICA, needed, n) >= TARGET)


def _overhead(efficiency: float) -> float:
    """Time lost per useful time."""
    return float(1 / efficiency) - 1


def _overhead_of_restart(gpus: float) -> float:
    return _overhead(availability.restart_efficiency(WRITE_TIME, NODE_MTBF / (gpus / 8), RELOAD, AWAY))


def _gpus_at(overhead: float) -> float:
    """Size of the fleet at which checkpoint and restart cost so much, with the source's node and its checkpoint."""
    return float(optimize.brentq(lambda gpus: _overhead_of_restart(gpus) - overhead, 8, 1e6))


def _overhead_of_copies(copies: int) -> float:
    """Run on groups of so many nodes, by integrating the chance that no group is wholly dead."""
    groups = NODES / copies
    lives, _ = integrate.quad(lambda t: (1 - (1 - np.exp(-t)) ** copies) ** groups, 0, 50, limit=200, points=[0.1, 1])
    return _overhead(availability.restart_efficiency(WRITE_TIME, lives * NODE_MTBF, RELOAD, AWAY) / copies)


def _pause_at(overhead: float) -> float:
    return float(optimize.brentq(lambda g: _overhead(availability.elastic_efficiency(MTBF, g)) - overhead, 0, hour))


def _repair_at(overhead: float) -> float:
    """Time to repair a node at which the nodes that are away cost so much."""
    return float(
        optimize.brentq(lambda mttr: _overhead(availability.availability(NODE_MTBF, mttr)) - overhead, 0, year)
    )


def _write_ratio_for_two(pairs: float) -> float:
    """Write time, in MTBFs, at which running twice is as efficient as once; nothing else lost at a failure."""

    def gain(ratio: float) -> float:
        twice = availability.replication_efficiency(ratio, 1, pairs)
        return float(twice - availability.restart_efficiency(ratio, 1))

    return float(optimize.brentq(gain, 0.01, 1))


def _best(write_time: float, mtbf: float) -> int:
    """Which is best: restart (0), running twice (1) or elastic (2)."""
    restart = availability.restart_efficiency(write_time, mtbf, RELOAD, AWAY)
    twice = availability.replication_efficiency(write_time, mtbf, NODES // 2, RELOAD, AWAY)
    return int(np.argmax([restart, twice, availability.elastic_efficiency(mtbf, PAUSE)]))


STACKING = (
    # 1 minus the chance of the one state in which none is up, by summing over all states of 2 and of 3 replicas.
    Claim(
        "stacking-formula",
        source="A",
        where="The availability stacking formula",
        chapter="availability/stacking",
        says="Of k independent replicas, one is up for a share 1 − (1 − A)^k of the time.",
        values={
            "two replicas": Symbolic("1 - (1 - A)**2", lambda a: availability.k_of_n(a, 1, 2), over={"A": SHARES["A"]}),
            "three replicas": Symbolic(
                "1 - (1 - A)**3", lambda a: availability.k_of_n(a, 1, 3), over={"A": SHARES["A"]}
            ),
        },
        verdict=Reproduced("Where one replica is enough, and each fails and is repaired on its own."),
    ),
    # That expression for A = 99/100 and k = 2.
    Claim(
        "two-replicas",
        source="A",
        where="The availability stacking formula",
        chapter="availability/stacking",
        says="Two replicas of 99 % give 99.99 %.",
        values={"availability": Digits("99.99 %", lambda: availability.parallel(REPLICA, 2))},
        verdict=Reproduced("If they are independent."),
    ),
    # 1 - A and (1 - A)^2, times a year of 8760 h.
    Claim(
        "downtime-two",
        source="A",
        where="The availability stacking formula",
        chapter="availability/stacking",
        says="A second replica of 99 % cuts the time down from about 87 hours a year to less than one.",
        values={
            "one replica": Digits("87.6 h", lambda: availability.downtime(REPLICA)),
            "two replicas": Bound("< 1 h", lambda: availability.downtime(availability.parallel(REPLICA, 2))),
        },
        verdict=Reproduced("The table has 87.6 h, the text its whole hours."),
    ),
    # A and downtime for one, two and three replicas.
    Claim(
        "availability-table",
        source="A",
        where="Table of the availability of independent replicas",
        chapter="availability/stacking",
        says="From one replica of 99 % on, each further one cuts the time down sharply, to the printed values.",
        values={
            "one replica": Digits("99 %", lambda: availability.parallel(REPLICA, 1)),
            "two replicas": Digits("99.99 %", lambda: availability.parallel(REPLICA, 2)),
            "three replicas": Digits("99.9999 %", lambda: availability.parallel(REPLICA, 3)),
            "downtime of one": Digits("87.6 h", lambda: _down(1)),
            "downtime of two": Digits("52.6 min", lambda: _down(2)),
            "downtime of three": Digits("31.5 s", lambda: _down(3)),
        },
        verdict=Reproduced("If they are independent."),
    ),
    # -log10(1 - A) for 99/100, 999/1000, 9999/10000.
    Claim(
        "nines",
        source="A",
        where="The availability stacking formula",
        chapter="availability/stacking",
        says="99 % is two nines, 99.9 % three; two replicas of 99 % have four.",
        values={
            "99 %": Digits("2", lambda: availability.nines(0.99)),
            "99.9 %": Digits("3", lambda: availability.nines(0.999)),
            "two replicas of 99 %": Digits("4", lambda: availability.nines(availability.parallel(REPLICA, 2))),
        },
        verdict=Reproduced(),
    ),
    # (1 - A)^(k+1) / (1 - A)^k, and the nines of k replicas by those of one, for k = 3.
    Claim(
        "stacks-exponentially",
        source="A",
        where="Key takeaways",
        chapter="availability/stacking",
        says="Independent replicas raise availability exponentially.",
        values={
            "what one more leaves of the time down": Symbolic(
                "1 - A",
                lambda a: availability.unavailability(a, 5) / availability.unavailability(a, 4),
                over={"A": SHARES["A"]},
                by="ours",
            ),
            "nines of three replicas by those of one": Digits(
                "3", lambda: availability.nines(availability.parallel(0.9, 3)) / availability.nines(0.9), by="ours"
            ),
        },
        verdict=Reproduced("The time down falls exponentially; availability itself has only its last digits to gain."),
    ),
    # log(1/year) / log(1 - A), rounded up.
    Claim(
        "seconds-intolerable",
        source="A",
        where="Checkpoint and restart, redundancy and elastic training",
        chapter="availability/stacking",
        says="Redundancy is for services that cannot bear even seconds down, and costs 2 to 3 times the resources.",
        values={
            "replicas of 99 % for less than a second a year": Digits(
                "4", lambda: availability.replicas_for(REPLICA, 1 - 1 / year), by="ours"
            )
        },
        verdict=Qualitative(
            "Two replicas of 99 %, if independent, are down 52.6 min a year, three 31.5 s: less than a second takes "
            "four, or better ones."
        ),
    ),
    # 1 / ((1 - A)^(k-1) - (1 - A)^k) for k = 2, 3.
    Claim(
        "extra-replica-pays",
        source="A",
        where="The availability stacking formula",
        chapter="availability/stacking",
        says="The price of one more replica is small against the business value of four nines.",
        values={
            "replica-hours per hour of downtime saved, second": Digits("101", lambda: _worth(2), by="ours"),
            "replica-hours per hour of downtime saved, third": Digits("10 101", lambda: _worth(3), by="ours"),
        },
        verdict=Unsupported(
            "No price and no value is given. The second replica pays where an hour down costs more than 101 hours of a "
            "replica; the third, where it costs more than 10 101."
        ),
    ),
    # 1 - (1 - A)^k for 2 and 3 times the servers; and the fewest servers, by exact sums, of which 100 are up for
    # 99.99 % of the time, by 100.
    Claim(
        "redundancy-cost",
        source="A",
        where="Checkpoint and restart, redundancy and elastic training",
        chapter="availability/stacking",
        says="Redundancy costs 2 to 3 times the computing resources.",
        values={
            "availability at 2 times, replicas of 99 %": Digits(
                "99.99 %", lambda: availability.parallel(REPLICA, 2), by="ours"
            ),
            "availability at 3 times": Digits("99.9999 %", lambda: availability.parallel(REPLICA, 3), by="ours"),
            "times the servers for 99.99 %, if 100 are needed": Digits(
                "1.07", lambda: _installed_for(POOL) / POOL, by="ours"
            ),
        },
        verdict=Corrected(
            "So if one replica carries the whole load. Where the load is spread over many, some more are enough: 107 "
            "servers of 99 %, for a load of 100, are as available as two for a load of one."
        ),
    ),
    # limit of beta (1 - A) + ((1 - beta)(1 - A))^k for k -> oo; and that expression at beta = 1/20, A = 99/100.
    Claim(
        "independence",
        source="A",
        where="The availability stacking formula; Key takeaways",
        chapter="availability/stacking",
        says="Correlated failures bring the gain of stacking to nothing.",
        values={
            "time down that no number of replicas can cure": Symbolic(
                "beta*(1 - A)",
                lambda a, beta: availability.common_cause_unavailability(a, MANY, beta),
                over=SHARES,
                by="ours",
            ),
            "the same a year, if 5 % is common": Digits(
                "4.38 h", lambda: availability.common_cause_unavailability(REPLICA, MANY, BETA) * year, by="ours"
            ),
            "two replicas, 5 % common": Digits(
                "99.94 %", lambda: availability.common_cause(REPLICA, 2, BETA), by="ours"
            ),
            "their time down a year": Digits(
                "5.17 h", lambda: availability.common_cause_unavailability(REPLICA, 2, BETA) * year, by="ours"
            ),
        },
        verdict=Corrected(
            "The gain of a second replica shrinks, that of all further ones is lost: with 5 % of failures in common, "
            "two replicas are down 5.17 h a year instead of 87.6 h, and no number of them less than 4.38 h."
        ),
    ),
    # 1 - z A, 1 - z (1 - (1 - A)^2) and (1 - z A)^2, times a year, for z = 9995/10000.
    Claim(
        "domain-isolation",
        source="A",
        where="Key takeaways",
        chapter="availability/stacking",
        says="Redundancy is effective on condition that failure domains are isolated.",
        values={
            "one replica in a zone of 99.95 %, down a year": Digits("91.9 h", lambda: _down_in_zone(1), by="ours"),
            "two in one such zone": Digits("5.26 h", lambda: _down_in_zone(2), by="ours"),
            "two in two zones": Digits(
                "57.9 min", lambda: availability.unavailability(ZONE * REPLICA, 2) * year, by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no number. A second replica helps in the same zone, too, as far as the zone allows; a "
            "second zone wins back most of what the zone takes."
        ),
    ),
    # Whether beta (1 - A) + ((1 - beta)(1 - A))^2 at beta = 1/100 is (1 - A)^2; and its value.
    Claim(
        "placement-independence",
        source="A",
        where="The availability stacking formula",
        chapter="availability/stacking",
        says="Replicas in different racks, power zones and, at best, data centres fail truly independently.",
        values={
            "the same, though 1 % of failures follow the software": Statement(
                "false",
                lambda: abs(availability.common_cause(REPLICA, 2, 0.01) - availability.parallel(REPLICA, 2)) < 1e-6,
                by="ours",
            ),
            "two sites, 1 % common to both by software": Digits(
                "99.98 %", lambda: availability.common_cause(REPLICA, 2, 0.01), by="ours"
            ),
        },
        verdict=Corrected(
            "Placement cures the common causes that have a place: power, network, a rack. The source's own list has "
            "software bugs set off by an input as well, and these follow the code to every site."
        ),
    ),
)

CHOOSING = (
    # 1 / e - 1 with e = exp(-x - u - R/M) / (1 + D/M) at the worked example, and the fleets at which it is 3 and 13 %.
    Claim(
        "strategy-restart",
        source="A",
        where="Table of the fault-tolerance strategies",
        chapter="availability/choosing",
        says="Checkpoint and restart have an overhead of some 3 to 13 %.",
        values={
            "of useful time, 10 000 GPUs": Range("3 to 13 %", lambda: _overhead_of_restart(10_000)),
            "the same, to three digits": Digits("6.78 %", lambda: _overhead_of_restart(10_000), by="ours"),
            "GPUs at which it is 3 %": Digits("2.3e3", lambda: _gpus_at(0.03), by="ours"),
            "GPUs at which it is 13 %": Digits("2.9e4", lambda: _gpus_at(0.13), by="ours"),
        },
        verdict=Unsupported(
            "No inputs are given. With the source's node, checkpoint and recovery the model gives such figures for "
            "fleets of 2 300 to 29 000 GPUs; smaller ones lose less, larger ones more."
        ),
    ),
    # k / e - 1 with e at the mean time to interruption, for groups of k = 2 by the closed form, and of k = 3 by
    # integrating (1 - (1 - exp(-t))^3)^(n/3).
    Claim(
        "strategy-redundancy",
        source="A",
        where="Table of the fault-tolerance strategies; Key takeaways",
        chapter="availability/choosing",
        says="Redundancy has an overhead of 100 to 200 %.",
        values={
            "of useful time, two copies": Range("100 to 200 %", lambda: _overhead_of_copies(2)),
            "the same, to four digits": Digits("101.7 %", lambda: _overhead_of_copies(2), by="ours"),
            "three copies": Digits("201.4 %", lambda: _overhead_of_copies(3), by="ours"),
        },
        verdict=Reproduced(
            "The copies themselves cost 100 and 200 %; the checkpoints that remain, some 1.5 points more. It is the "
            "price of a job or server that runs two or three times, not of spares in a pool: see redundancy-cost."
        ),
    ),
    # exp(2 G/M) - 1 at a pause G of 3 min; G = M/2 log(1 + w) and r = w m for w = 5 and 10 %.
    Claim(
        "strategy-elastic",
        source="A",
        where="Table of the fault-tolerance strategies",
        chapter="availability/choosing",
        says="Elastic training has an overhead of some 5 to 10 %.",
        values={
            "of useful time, pauses of 3 min": Digits(
                "2.4 %", lambda: _overhead(availability.elastic_efficiency(MTBF, PAUSE)), by="ours"
            ),
            "pauses that make it 5 %": Digits("6.1 min", lambda: _pause_at(0.05), by="ours"),
            "pauses that make it 10 %": Digits("11.8 min", lambda: _pause_at(0.10), by="ours"),
            "repairs that make it 5 %": Digits("10.8 d", lambda: _repair_at(0.05), by="ours"),
            "repairs that make it 10 %": Digits("21.6 d", lambda: _repair_at(0.10), by="ours"),
        },
        verdict=Unsupported(
            "No inputs are given. On 10 000 GPUs it takes pauses of 6 to 12 min, or nodes that are away for 11 to 22 "
            "days, and the same table has elastic training recover in seconds."
        ),
    ),
    # D + R + (interval of Young) / 2.
    Claim(
        "strategy-latency",
        source="A",
        where="Table of the fault-tolerance strategies",
        chapter="availability/choosing",
        says="Checkpoint and restart recover in minutes, redundancy in milliseconds, elastic training in seconds.",
        values={
            "restart, 10 000 GPUs": Digits(
                "9.0 min", lambda: AWAY + RELOAD + checkpoints.young(WRITE_TIME, MTBF) / 2, by="ours"
            )
        },
        verdict=Unsupported(
            "Minutes follow from the source's own phases. For milliseconds and seconds it has nothing to compute them "
            "from: they are time-outs and regroupings, to be measured."
        ),
    ),
    # exp(-x - u) at x = delta/M = 1/1000 and 1/10.
    Claim(
        "restart-needs-mtbf",
        source="A",
        where="Checkpoint and restart, redundancy and elastic training",
        chapter="availability/choosing",
        says="Checkpoint and restart are efficient while the MTBF is much longer than a checkpoint takes.",
        values={
            "efficiency, a thousand times as long": Digits(
                "95.6 %", lambda: availability.restart_efficiency(0.001, 1), by="ours"
            ),
            "efficiency, ten times as long": Digits(
                "61.7 %", lambda: availability.restart_efficiency(0.1, 1), by="ours"
            ),
        },
        verdict=Qualitative("The source gives no number. Much longer means a thousand times rather than ten."),
    ),
    # The zero of exp(-x1 - u1) - exp(-x2 - u2)/2, x2 = x1/n_f, at 625 pairs; and log 2 - 1/2, its limit for many pairs.
    Claim(
        "redundancy-for-training",
        source="A",
        where="Checkpoint and restart, redundancy and elastic training",
        chapter="availability/choosing",
        says="Redundancy is prohibitively dear for training.",
        values={
            "write time by MTBF from which it is the better, 1 250 nodes": Digits(
                "0.249", lambda: _write_ratio_for_two(NODES / 2), by="ours"
            ),
            "the same, ever more nodes": Digits("0.193", lambda: _write_ratio_for_two(1e14), by="ours"),
        },
        verdict=Qualitative(
            "So while restart leaves half of the time useful, since two copies never leave more. If nothing but writes "
            "and rework is lost, that is while a write takes less than a fifth of the MTBF; on 1 250 nodes, a quarter."
        ),
    ),
    # exp(-x - u), and half of it at x/n_f for 625 pairs, at x = 1; and -log of the latter, by 2.
    Claim(
        "beyond-restart",
        source="A",
        where="Worked example, limits of the formula",
        chapter="availability/choosing",
        says="Where a write takes about as long as the MTBF, redundancy or elastic training is needed.",
        values={
            "efficiency of restart": Digits("15.9 %", lambda: availability.restart_efficiency(1, 1), by="ours"),
            "efficiency of running twice, 1 250 nodes": Digits(
                "40.2 %", lambda: availability.replication_efficiency(1, 1, NODES // 2), by="ours"
            ),
            "pause of an elastic job, by the MTBF, up to which it is better still": Digits(
                "0.455", lambda: -np.log(availability.replication_efficiency(1, 1, NODES // 2)) / 2, by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no number. Restart still moves there, at less than half the pace of two copies, and an "
            "elastic job is ahead of both while its pause is shorter than 0.455 MTBFs."
        ),
    ),
    # (delta + tau + R + M log(1 + D/M))/2 with the exact optimum tau, and its value in the worked example.
    Claim(
        "elastic-loses-less",
        source="A",
        where="Checkpoint and restart, redundancy and elastic training",
        chapter="availability/choosing",
        says="Elastic training keeps the time lost at failures least.",
        values={
            "pause up to which it loses less than restart": Symbolic(
                "(delta + M*(1 + LambertW(-exp(-1 - delta/M))) + R + M*log(1 + D/M))/2",
                availability.break_even_pause,
                over={"delta": (1.0, 1e3), "M": (1e2, 1e4), "R": (1.0, 100.0), "D": (1.0, 100.0)},
                by="ours",
            ),
            "the same on 10 000 GPUs": Digits(
                "8.14 min", lambda: availability.break_even_pause(WRITE_TIME, MTBF, RELOAD, AWAY), by="ours"
            ),
        },
        verdict=Qualitative(
            "So while two pauses are shorter than one interval with its write and a recovery, and while a live copy "
            "of the state survives."
        ),
    ),
    # 1/A - 1 for A = 99/100, and with 1 - (1 - A)^2 for A.
    Claim(
        "combined",
        source="A",
        where="Table of the fault-tolerance strategies",
        chapter="availability/choosing",
        says="Real systems combine: restart for the job, redundancy for metadata and for the storage of checkpoints.",
        values={
            "overhead if the job waits for a storage of 99 %": Digits("1.01 %", lambda: _overhead(REPLICA), by="ours"),
            "for two of them": Digits(
                "0.010 %", lambda: _overhead(float(availability.parallel(REPLICA, 2))), by="ours"
            ),
        },
        verdict=Qualitative(
            "The source gives no number. A second storage takes all but a hundredth of that overhead away, at the "
            "price of a storage and not of a second fleet."
        ),
    ),
    # Whether restart, running twice and elastic are the best at (0.3 s, 10 h), (100 s, 5 min) and (100 s, 10 h).
    Claim(
        "each-has-its-regime",
        source="A",
        where="Table of the fault-tolerance strategies",
        chapter="availability/choosing",
        says="Each strategy is the best in a regime of its own.",
        values={
            "restart is, at quick writes": Statement("true", lambda: _best(0.3, 10 * hour) == 0),
            "running twice is, at a short MTBF": Statement("true", lambda: _best(100, 5 * minute) == 1),
            "elastic is, at long writes": Statement("true", lambda: _best(100, 10 * hour) == 2),
        },
        verdict=Reproduced("With pauses of 3 min. With pauses of seconds restart is hardly ever the best."),
    ),
)

CLAIMS = STACKING + CHOOSING
