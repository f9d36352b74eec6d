"""Claims about failures: the chapters *failure-rates*, *mtbf-cascade* and *job-failure*.

The comment above a claim says what its chapter derives by SymPy, on its own route, and passes to ``claim``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from scipy import optimize, stats

from relmath import failures
from relmath.failures import COMPONENTS, NODE
from relmath.ledger.mechanism import (
    Bound,
    Claim,
    Corrected,
    Digits,
    Qualitative,
    Reproduced,
    Symbolic,
    Unsupported,
    Value,
)
from relmath.units import day, hour, week

RECOVERY = 541.7  # what a failure costs the job at 10 000 GPUs: detect, reschedule, reload, replay, as printed
LLAMA3_GPUS, LLAMA3_TIME = 16_384, 54 * day
LLAMA3_PSU_FAILURES, LLAMA3_FAILURES = 3, 419  # interruptions: by power supplies, and all that were not planned

FITS = {
    "GPU": "20 000 FIT",
    "HBM": "5 000 FIT",
    "NIC": "6 666.7 FIT",
    "PSU": "10 000 FIT",
    "PCIe switch": "5 000 FIT",
    "optical cable": "20 000 FIT",
    "top-of-rack switch": "3 333.3 FIT",
}
TABLES = {  # GPUs: MTBF and failures a day; chance of a failure in 1, 7 and 30 days
    256: (("161.6 h", "0.1"), ("13.8 %", "64.6 %", "98.8 %")),
    1_024: (("40.4 h", "0.6"), ("44.8 %", "98.4 %", "> 99.9 %")),
    2_048: (("20.2 h", "1.2"), ("69.5 %", "> 99.9 %", "> 99.9 %")),
    8_192: (("5.1 h", "4.8"), ("99.1 %", "> 99.9 %", "> 99.9 %")),
    10_000: (("4.1 h", "5.8"), ("99.7 %", "> 99.9 %", "> 99.9 %")),
    100_000: (("24.8 min", "58"), ("> 99.9 %", "> 99.9 %", "> 99.9 %")),
}


def _mtbf(gpus: int) -> float:
    """MTBF of so many GPUs, eight to a node."""
    return float(failures.cluster_mtbf(NODE.mtbf, gpus / 8))


def _risk(gpus: float, days: float) -> float:
    """Chance of a failure in so many days, for any number of GPUs, also one that fills no whole node."""
    return float(failures.probability_of_failure(days * day * gpus / 8, NODE.mtbf))


def _gpus_at(risk: float, days: float) -> float:
    """Number of GPUs at which so many days have that chance of a failure."""
    return float(optimize.brentq(lambda gpus: _risk(gpus, days) - risk, 1, 1e6))


def _grouped(number: int) -> str:
    """Write 10000 as 10 000."""
    return f"{number:,}".replace(",", " ")


def _mtbf_cells() -> Mapping[str, Value]:
    cells: dict[str, Value] = {}
    for gpus, ((mtbf, a_day), _) in TABLES.items():
        cells[f"{_grouped(gpus)} GPUs, MTBF"] = Digits(mtbf, partial(_mtbf, gpus))
        cells[f"{_grouped(gpus)} GPUs, failures a day"] = Digits(
            a_day, lambda gpus=gpus: failures.expected_failures(day, _mtbf(gpus))
        )
    return cells


def _risk_cells() -> Mapping[str, Value]:
    cells: dict[str, Value] = {}
    for gpus, (_, risks) in TABLES.items():
        for days, text in zip((1, 7, 30), risks, strict=True):
            kind = Bound if text.startswith(">") else Digits
            cells[f"{_grouped(gpus)} GPUs, {days} d"] = kind(text, partial(_risk, gpus, days))
    return cells


def _hazard_after(times_as_long: float, shape: float) -> float:
    """Weibull hazard after so many times as long, by the hazard before."""
    law = stats.weibull_min(shape)
    return float(law.pdf(times_as_long) / law.sf(times_as_long) / (law.pdf(1) / law.sf(1)))


def _all_up(repair_time: float) -> float:
    """Chance that all 12 500 nodes are up, each of them for M/(M + r) of the time."""
    return float((NODE.mtbf / (NODE.mtbf + repair_time)) ** 12_500)


def _early_mtbf(multiplier: float) -> float:
    return float(week / failures.burn_in_failures(1250, NODE.mtbf, multiplier, week))


def _useful_when_new(multiplier: float, cost: float = RECOVERY) -> float:
    """Share of the time for which a job on 1 250 new nodes gets on, if each failure takes so long from it."""
    overhead = failures.expected_failures(cost, failures.cluster_mtbf(NODE.mtbf, 1250)) * multiplier
    return float(1 / (1 + overhead))


def _saved_by_waiting(multiplier: float, cost: float = RECOVERY) -> float:
    """What a burn-in saves, by what it takes, in useful time."""
    return 1 - _useful_when_new(multiplier, cost) / _useful_when_new(1, cost)


def _node_time_for_each(multiplier: float) -> float:
    """Useful node-time that a week of burn-in gives up, by the failures that the same time is spared later."""
    given_up = week * _useful_when_new(multiplier)
    fleets = failures.cluster_mtbf(NODE.mtbf / multiplier, 1250), failures.cluster_mtbf(NODE.mtbf, 1250)
    new, settled = (failures.expected_failures(given_up, fleet) for fleet in fleets)
    return float(1250 * given_up / (new - settled))


def _first_week(shape: float) -> float:
    """Failures of a Weibull node in its first week, by those of a constant rate; its MTBF is that of the node."""
    law = stats.weibull_min(shape, scale=NODE.mtbf / stats.weibull_min(shape).mean())
    return float(-law.logsf(week) / failures.expected_failures(week, NODE.mtbf))


def _psu_failures_in_series() -> float:
    """Power-supply failures that the series model expects of Llama 3's fleet, in nodes of eight GPUs."""
    return NODE.rates["PSU"] * LLAMA3_GPUS / 8 * LLAMA3_TIME


def _node_with_redundant_supplies() -> float:
    pair = failures.pair_mtbf(COMPONENTS["PSU"], 24 * hour)
    return float(failures.series_mtbf([8, 2, 1], [COMPONENTS["GPU"], COMPONENTS["NIC"], pair]))


def _failures_of_llama3(node: failures.Node) -> float:
    """Failures that the sum of a node's parts expects of Llama 3's fleet."""
    return float(failures.expected_failures(LLAMA3_TIME, failures.cluster_mtbf(node.mtbf, LLAMA3_GPUS // 8)))


EVERYTHING = failures.Node({**NODE.parts, "HBM": 8, "PCIe switch": 8, "optical cable": 8})

CLAIMS = (
    # The integral of e^(-phi t) over all t.
    Claim(
        "mttf-formula",
        source="A",
        where="Component failure rates",
        chapter="failures/failure-rates",
        says="The MTTF is 10⁹ h divided by the rate in FIT.",
        values={"mean time to failure": Symbolic("1/phi", failures.mttf, over={"phi": (1e-15, 1e-9)})},
        verdict=Reproduced("For a constant rate: 1 FIT is one failure in 10⁹ h."),
    ),
    # The rate that solves MTTF = 1/phi, at the published MTTF of each part.
    Claim(
        "component-table",
        source="A",
        where="Component failure rates, table",
        chapter="failures/failure-rates",
        says="The parts of a training node have these failure rates, with MTTFs of 50 000 to 300 000 h.",
        values={
            part: Digits(text, lambda part=part: failures.fit_rate(COMPONENTS[part])) for part, text in FITS.items()
        },
        verdict=Reproduced(
            "Rates and MTTFs agree with one another. They are orders of magnitude, as the source says itself."
        ),
    ),
    # That MTTF at 20 000 FIT, in seconds.
    Claim(
        "gpu-life",
        source="A",
        where="Component failure rates; Key takeaways",
        chapter="failures/failure-rates",
        says="A GPU serves 5.7 years on average.",
        values={"MTTF": Digits("5.7 y", lambda: failures.mttf(20_000 / (1e9 * hour)))},
        verdict=Reproduced(
            "It is the reciprocal of a rate in the useful life, not an age that GPUs reach: two thirds have failed by "
            "then, and wear, which the model leaves out, may come first."
        ),
    ),
    # The same, in seconds.
    Claim(
        "gpu-ten-thousands",
        source="A",
        where="Probability of failure at scale",
        chapter="failures/failure-rates",
        says="A data-centre GPU works tens of thousands of hours before it fails.",
        values={"MTTF": Digits("50 000 h", lambda: COMPONENTS["GPU"], by="ours")},
        verdict=Reproduced(),
    ),
    # The Weibull hazard, -S'/S for S = exp(-(t/s)^k), at 10 t by that at t.
    Claim(
        "bathtub",
        source="A",
        where="Component failure rates; Probability of failure during a job",
        chapter="failures/failure-rates",
        says="Failure rates are about constant in the useful life, and higher at its beginning and end.",
        values={
            "hazard after ten times as long, shape 0.7": Digits("50.1 %", lambda: _hazard_after(10, 0.7), by="ours"),
            "hazard after ten times as long, shape 0.8": Digits("63.1 %", lambda: _hazard_after(10, 0.8), by="ours"),
        },
        verdict=Corrected(
            "Field data disagree in part: in a national laboratory's logs the hazard goes on falling with the time "
            "since the last failure (Weibull shape 0.7 to 0.8), and on Titan, in use since 2012, GPUs began to fail of "
            "one cause in 2016."
        ),
    ),
    # N h theta/M for 1 250 nodes and a week; theta by that; the N at which N^2 (h - 1) theta c/M = N theta; the
    # integral of a Weibull node's hazard over the week, by theta/M.
    Claim(
        "burn-in",
        source="A",
        where="Probability of failure during a job",
        chapter="failures/failure-rates",
        says="In their first week new nodes fail two to three times as often, which makes a burn-in necessary.",
        values={
            "failures of 1 250 nodes in a week, usual rate": Digits(
                "40.6", lambda: failures.burn_in_failures(1250, NODE.mtbf, 1, week), by="ours"
            ),
            "at twice the rate": Digits("81.2", lambda: failures.burn_in_failures(1250, NODE.mtbf, 2, week), by="ours"),
            "at three times the rate": Digits(
                "121.8", lambda: failures.burn_in_failures(1250, NODE.mtbf, 3, week), by="ours"
            ),
            "MTBF of that week at three times": Digits("1.38 h", lambda: _early_mtbf(3), by="ours"),
            "saved by waiting, of what it takes, at three times": Digits(
                "6.6 %", lambda: _saved_by_waiting(3), by="ours"
            ),
            "saved at most, at three times": Digits("66.7 %", lambda: _saved_by_waiting(3, cost=1e12), by="ours"),
            "useful node-time for each failure spared": Digits("2586 h", lambda: _node_time_for_each(3), by="ours"),
            "first week by the usual rate, Weibull shape 0.7": Digits("3.30", lambda: _first_week(0.7), by="ours"),
            "first week by the usual rate, Weibull shape 0.8": Digits("2.19", lambda: _first_week(0.8), by="ours"),
        },
        verdict=Unsupported(
            "No data are given for the factor, and its duration is a week in one sentence and some hundred hours in "
            "the one before. Weibull nodes with shapes of 0.7 to 0.8 would have such a week: its size is plausible. "
            "For the job's time a burn-in of the whole fleet is not necessary: a job that starts at once gets on, "
            "however slowly, and one that waits does not."
        ),
    ),
    # The integral of the product of twelve survival functions, for any MTTFs.
    Claim(
        "node-sum",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="The failure rate of a node is the sum of the rates of its parts.",
        values={
            "MTBF": Symbolic(
                "1 / (8/M_gpu + 2/M_nic + 2/M_psu)",
                failures.node_mtbf,
                over={"M_gpu": (1e5, 1e10), "M_nic": (1e5, 1e10), "M_psu": (1e5, 1e10)},
            )
        },
        verdict=Reproduced("Of independent parts with constant rates, the first of which stops the node."),
    ),
    # The integral of the product of N survival functions of nodes.
    Claim(
        "cluster-division",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="The MTBF of a cluster is that of a node divided by the number of nodes.",
        values={
            "MTBF": Symbolic(
                "M_node / N",
                lambda life, nodes: failures.series_mtbf(nodes[:, None], life[:, None]),
                over={"M_node": (1e5, 1e9), "N": (1, 1e5)},
            )
        },
        verdict=Reproduced("For a job that any of them stops, if they share no part."),
    ),
    # The MTTF of a GPU, the integral, and that by 1 000, in seconds.
    Claim(
        "years-to-hours",
        source="A",
        where="Introduction",
        chapter="failures/mtbf-cascade",
        says="From single accelerators to thousands of nodes the MTBF falls from years to hours.",
        values={
            "a GPU": Digits("5.7 y", lambda: COMPONENTS["GPU"], by="ours"),
            "a node": Digits("0.59 y", lambda: NODE.mtbf, by="ours"),
            "a thousand nodes": Digits("5.17 h", lambda: failures.cluster_mtbf(NODE.mtbf, 1000), by="ours"),
        },
        verdict=Reproduced("Rates add up; they are multiplied only by the number of equal parts."),
    ),
    # The integral of the product of twelve survival functions, in seconds.
    Claim(
        "node-mtbf",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="A node of 8 GPUs, 2 NICs and 2 power supplies has an MTBF of 5 172.4 h.",
        values={"MTBF": Digits("5 172.4 h", lambda: NODE.mtbf)},
        verdict=Reproduced("Of these parts alone, independent and all in series."),
    ),
    # The number of clocks.
    Claim(
        "node-clocks",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="Such a node has 12 independent clocks, and the first to run out stops it.",
        values={"clocks": Digits("12", lambda: sum(NODE.parts.values()))},
        verdict=Reproduced(),
    ),
    # The node's MTBF by 1 250, in seconds.
    Claim(
        "cluster-mtbf",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="A cluster of 1 250 nodes has an MTBF of 4.14 h.",
        values={"MTBF": Digits("4.14 h", lambda: failures.cluster_mtbf(NODE.mtbf, 1250))},
        verdict=Reproduced(),
    ),
    # Rate and MTBF of 10 N nodes by those of N.
    Claim(
        "mtbf-inverse",
        source="A",
        where="The MTBF cascade; Probability of failure at scale",
        chapter="failures/mtbf-cascade",
        says="The failure rate grows linearly with the number of components, and reliability falls linearly.",
        values={
            "rate of ten times the nodes": Digits(
                "10", lambda: failures.cluster_mtbf(NODE.mtbf, 7) / failures.cluster_mtbf(NODE.mtbf, 70)
            ),
            "MTBF of ten times the nodes": Digits(
                "0.1", lambda: failures.cluster_mtbf(NODE.mtbf, 70) / failures.cluster_mtbf(NODE.mtbf, 7), by="ours"
            ),
        },
        verdict=Reproduced("The rate is linear. The MTBF falls as 1/N, which is not linear."),
    ),
    # 1 over 10 000 times the rate of a GPU, and 1 over the rate of 1 250 whole nodes, in seconds.
    Claim(
        "gpu-and-cluster",
        source="A",
        where="Key takeaways",
        chapter="failures/mtbf-cascade",
        says="One GPU fails once in 5.7 years, a cluster of 10 000 GPUs once in 4.14 h.",
        values={
            "10 000 GPUs in their nodes": Digits("4.14 h", lambda: _mtbf(10_000)),
            "10 000 GPUs alone": Digits("5.00 h", lambda: failures.series_mtbf(10_000, COMPONENTS["GPU"]), by="ours"),
        },
        verdict=Reproduced("The step from one to the other is not 10 000 alone: the nodes hold other parts, too."),
    ),
    # The node's MTBF by N in seconds, and a day by that.
    Claim(
        "mtbf-table",
        source="A",
        where="The MTBF cascade, table",
        chapter="failures/mtbf-cascade",
        says="Clusters of 256 to 100 000 GPUs have these MTBFs, and so many failures a day.",
        values=_mtbf_cells(),
        verdict=Reproduced(),
    ),
    # The node's MTBF by 12 500, in seconds.
    Claim(
        "continuous-100k",
        source="A",
        where="The MTBF cascade, table and text",
        chapter="failures/mtbf-cascade",
        says="On 100 000 GPUs failures are continuous.",
        values={
            "time between failures": Digits("24.83 min", lambda: _mtbf(100_000), by="ours"),
        },
        verdict=Qualitative("One every 25 minutes, 58 a day: they can still be counted one by one."),
    ),
    # (M/(M + r))^12 500, from the balance of failures and repairs; the r at which it is 1/2, in seconds.
    Claim(
        "never-healthy",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="A system of 100 000 GPUs is never wholly healthy.",
        values={
            "all up, repair in half an hour": Digits("30 %", lambda: _all_up(0.5 * hour), by="ours"),
            "all up, repair in 2.59 h": Digits("0.2 %", lambda: _all_up(2.59 * hour), by="ours"),
            "mean repair for all up half of the time": Digits(
                "17.2 min", lambda: optimize.brentq(lambda r: _all_up(r) - 0.5, 1, hour), by="ours"
            ),
        },
        verdict=Corrected("It depends on the time of repair, which the source does not give."),
    ),
    # The integral with 24 more clocks, in seconds; that by 1 250.
    Claim(
        "parts-left-out",
        source="A",
        where="Component failure rates, table; The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="Of the parts in the table, the node is made of GPUs, NICs and power supplies.",
        values={
            "node with 8 HBM, 8 PCIe switches, 8 cables": Digits("2 307.7 h", lambda: EVERYTHING.mtbf, by="ours"),
            "cluster of 1 250": Digits("1.85 h", lambda: failures.cluster_mtbf(EVERYTHING.mtbf, 1250), by="ours"),
        },
        verdict=Qualitative(
            "The source names the parts that it models and ends its sum in dots. With the rest of its own table the "
            "cluster fails more than twice as often."
        ),
    ),
    # The rate of the node times 2 048 nodes and 54 days; that by the count; the same rate in 1 000 node-days; the first
    # with 24 more clocks, by the count.
    Claim(
        "planning-table",
        source="A",
        where="Key takeaways",
        chapter="failures/mtbf-cascade",
        says="The table of MTBFs gives reference numbers for planning capacity.",
        values={
            "failures that it expects of Llama 3's fleet": Digits("513", lambda: _failures_of_llama3(NODE), by="ours"),
            "by those that were counted": Digits(
                "1.22", lambda: _failures_of_llama3(NODE) / LLAMA3_FAILURES, by="ours"
            ),
            "failures in 1 000 node-days": Digits(
                "4.64", lambda: failures.expected_failures(1000 * day, NODE.mtbf), by="ours"
            ),
            "by those counted, with all parts of its table": Digits(
                "2.75", lambda: _failures_of_llama3(EVERYTHING) / LLAMA3_FAILURES, by="ours"
            ),
        },
        verdict=Qualitative(
            "Within a factor of two of three reported fleets: Llama 3's, and two with 6.50 and 2.34 failures in 1 000 "
            "node-days. But no single part of it agrees with Llama 3's count."
        ),
    ),
    # 2 phi times 2 048 nodes and 54 days; that by the count; the MTBF with a pair repaired within 24 h, in seconds.
    Claim(
        "psu-in-series",
        source="A",
        where="The MTBF cascade",
        chapter="failures/mtbf-cascade",
        says="A node fails when either of its two power supplies fails.",
        values={
            "failures that this expects of Llama 3's fleet": Digits("53.1", _psu_failures_in_series, by="ours"),
            "by those that were counted": Digits(
                "17.7", lambda: _psu_failures_in_series() / LLAMA3_PSU_FAILURES, by="ours"
            ),
            "node MTBF with either supply enough": Digits("5 769 h", _node_with_redundant_supplies, by="ours"),
            # A cause that strikes both comes at beta times the rate of one supply.
            "share of each supply's failures, if all three struck both": Digits(
                "11.3 %", lambda: LLAMA3_PSU_FAILURES / _failures_of_llama3(failures.Node({"PSU": 1})), by="ours"
            ),
        },
        verdict=Corrected(
            "Supplies are often redundant. In series they would have stopped Llama 3's fleet 53 times in 54 days; 3 "
            "interruptions were counted. The node's MTBF is a tenth shorter for it."
        ),
    ),
    # 1 minus the Poisson probability of none.
    Claim(
        "job-failure-formula",
        source="A",
        where="Probability of failure during a job",
        chapter="failures/job-failure",
        says="The probability of at least one failure in a job is 1 − e^(−T/M).",
        values={
            "probability": Symbolic(
                "1 - exp(-T_job/M)",
                failures.probability_of_failure,
                over={"T_job": (1e3, 1e7), "M": (1e4, 1e6)},
            )
        },
        verdict=Reproduced("For a constant rate."),
    ),
    # That at 30 days and 4.14 h, and the mean number.
    Claim(
        "job-30d",
        source="A",
        where="Probability of failure at scale",
        chapter="failures/job-failure",
        says="A run of 30 days on 10 000 GPUs fails with a probability of practically 100 %.",
        values={
            "probability": Bound("> 99.9 %", lambda: _risk(10_000, 30)),
            "expected failures": Digits("174", lambda: failures.expected_failures(30 * day, _mtbf(10_000)), by="ours"),
        },
        verdict=Reproduced("A run without a failure has a chance of e⁻¹⁷⁴."),
    ),
    # The probability at 1, 7 and 30 days, for each number of GPUs.
    Claim(
        "job-table",
        source="A",
        where="Probability of failure during a job, table",
        chapter="failures/job-failure",
        says="Jobs of 1, 7 and 30 days on 256 to 100 000 GPUs meet at least one failure with these probabilities.",
        values=_risk_cells(),
        verdict=Reproduced(),
    ),
    # The probability at five MTBFs.
    Claim(
        "quickly-to-one",
        source="A",
        where="Probability of failure during a job",
        chapter="failures/job-failure",
        says="For jobs much longer than the MTBF this probability quickly approaches 1.",
        values={"at five MTBFs": Digits("99.3 %", lambda: failures.probability_of_failure(5, 1), by="ours")},
        verdict=Qualitative("The chance of a clean run falls by a factor of e with each MTBF."),
    ),
    # 1 minus that for a day at 256 GPUs; the node's MTBF by 32, in seconds.
    Claim(
        "day-at-256",
        source="A",
        where="The MTBF cascade",
        chapter="failures/job-failure",
        says="On 256 GPUs a whole day may pass between failures.",
        values={
            "time between failures": Digits("6.7 d", lambda: _mtbf(256), by="ours"),
            "a clean day": Digits("86.2 %", lambda: 1 - _risk(256, 1), by="ours"),
        },
        verdict=Qualitative("True, and far too modest: on average almost a week passes."),
    ),
    # Poisson: the mean in 8 h at 10 000 GPUs, and 1 minus the probabilities of 0 and 1, and of 0, 1 and 2.
    Claim(
        "failures-per-shift",
        source="A",
        where="The MTBF cascade",
        chapter="failures/job-failure",
        says="On 10 000 GPUs several failures a shift are to be expected.",
        values={
            "expected in 8 h": Digits("1.93", lambda: failures.expected_failures(8 * hour, _mtbf(10_000)), by="ours"),
            "two or more": Digits("57.6 %", lambda: stats.poisson(8 * hour / _mtbf(10_000)).sf(1), by="ours"),
            "three or more": Digits("30.5 %", lambda: stats.poisson(8 * hour / _mtbf(10_000)).sf(2), by="ours"),
        },
        verdict=Corrected("Two on average in a shift of 8 h; three or more in less than a third of the shifts."),
    ),
    # The probability of a day at three numbers of GPUs; the number at which it is 99 %.
    Claim(
        "certain-beyond-a-day",
        source="A",
        where="Probability of failure during a job",
        chapter="failures/job-failure",
        says="Any cluster above a few thousand GPUs meets a failure in any job longer than a day, practically surely.",
        values={
            "a day on 2 048 GPUs": Digits("69.5 %", lambda: _risk(2048, 1), by="ours"),
            "a day on 4 096 GPUs": Digits("90.7 %", lambda: _risk(4096, 1), by="ours"),
            "a day on 8 192 GPUs": Digits("99.1 %", lambda: _risk(8192, 1), by="ours"),
            "GPUs at which a clean day has a chance of 1 %": Digits("7940", lambda: _gpus_at(0.99, 1), by="ours"),
        },
        verdict=Corrected("At a day it takes about 7 940 GPUs for 99 %; a few thousand are not enough."),
    ),
    # The probability of two days on 5 000 GPUs; the number at which it is 99 %.
    Claim(
        "sure-for-days",
        source="A",
        where="Key takeaways",
        chapter="failures/job-failure",
        says="Above a few thousand GPUs a job of several days meets a failure with more than 99 %.",
        values={
            "two days on 5 000 GPUs": Bound("> 99 %", lambda: _risk(5000, 2)),
            "GPUs at which two days have 99 %": Digits("3970", lambda: _gpus_at(0.99, 2), by="ours"),
        },
        verdict=Reproduced("For two days from some 4 000 GPUs on, for a week from about 1 130."),
    ),
)
