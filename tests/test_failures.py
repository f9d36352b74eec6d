"""Failure rates: published tables cell by cell, other routes in 50 digits, chains, simulation, limits, lazy arrays."""

from itertools import product

import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from relmath import failures, ledger
from relmath.notebook import notation
from relmath.units import FIT, day, hour, minute, percent, week, year
from tests.functions import (
    assert_defined_at_the_ends,
    assert_lazy,
    assert_refused_by_name,
    assert_unlike_shapes_are_named,
    by_parameter,
    near,
    parameters_of,
    spread,
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

OF_TIMES = (failures.fit_rate, failures.annual_failure_rate, failures.expected_failures, failures.pair_mtbf)
FUNCTIONS = (
    *OF_TIMES,
    failures.mttf,
    failures.burn_in_failures,
    failures.node_mtbf,
    failures.cluster_mtbf,
    failures.probability_of_failure,
    failures.longest_job,
    failures.largest_fleet,
)

# A legal value of each parameter, and some outside its domain.
LEGAL = {
    "fit_rate": 20_000 * FIT,
    "mttf": 50_000 * hour,
    "mttr": 24 * hour,
    "mtbf": 15_000.0,
    "node_mtbf": 5_172 * hour,
    "nodes": 1250.0,
    "multiplier": 2.5,
    "period": 1 * week,
    "duration": 3 * day,
    "risk": 0.1,
    "gpu_mttf": 50_000 * hour,
    "nic_mttf": 150_000 * hour,
    "psu_mttf": 100_000 * hour,
}
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan)) | {
    **dict.fromkeys(("mttf", "gpu_mttf", "nic_mttf", "psu_mttf"), (0.0, -1.0, np.nan)),
    "mtbf": (0.0, -1.0, np.nan),
    "node_mtbf": (0.0, np.nan),
    "nodes": (0.0, 1.5, np.nan, np.inf),
    "duration": (-1.0, np.nan, np.inf),
    "period": (-1.0, np.nan, np.inf),
    "risk": (-0.1, 1.1, np.nan),
}


# Published figures


COMPONENT_TABLE = [
    ("GPU", "20000.0", 50_000),
    ("HBM", "5000.0", 200_000),
    ("NIC", "6666.7", 150_000),
    ("PSU", "10000.0", 100_000),
    ("PCIe switch", "5000.0", 200_000),
    ("optical cable", "20000.0", 50_000),
    ("top-of-rack switch", "3333.3", 300_000),
]


@pytest.mark.parametrize(("part", "fit", "hours"), COMPONENT_TABLE)
def test_published_components(part, fit, hours):
    """FIT and MTTF are printed apart: each must give the other, to the digits printed."""
    assert failures.COMPONENTS[part] / hour == hours
    assert f"{failures.fit_rate(failures.COMPONENTS[part]) / FIT:.1f}" == fit
    assert failures.mttf(float(fit) * FIT) / hour == near(hours, rel=2e-5)


def test_no_component_is_left_out():
    assert list(failures.COMPONENTS) == [part for part, _, _ in COMPONENT_TABLE]


CLUSTER_TABLE = [
    (256, 32, "161.6 h", "0.1", "13.8", "64.6", "98.8"),
    (1_024, 128, "40.4 h", "0.6", "44.8", "98.4", "> 99.9"),
    (2_048, 256, "20.2 h", "1.2", "69.5", "> 99.9", "> 99.9"),
    (8_192, 1_024, "5.1 h", "4.8", "99.1", "> 99.9", "> 99.9"),
    (10_000, 1_250, "4.1 h", "5.8", "99.7", "> 99.9", "> 99.9"),
    (100_000, 12_500, "24.8 min", "58", "> 99.9", "> 99.9", "> 99.9"),
]


@pytest.mark.parametrize(("gpus", "nodes", "mtbf", "a_day", "of_a_day", "of_a_week", "of_30_days"), CLUSTER_TABLE)
def test_published_clusters(gpus, nodes, mtbf, a_day, of_a_day, of_a_week, of_30_days):
    """Each cell of both tables: MTBF and failures a day; the risk of a day, a week and thirty days."""
    assert gpus == 8 * nodes
    cluster = failures.cluster_mtbf(failures.NODE.mtbf, nodes)
    unit = {"h": hour, "min": minute}[mtbf.split()[1]]
    assert f"{cluster / unit:.1f} {mtbf.split()[1]}" == mtbf
    digits = len(a_day.partition(".")[2])
    assert f"{failures.expected_failures(day, cluster):.{digits}f}" == a_day
    for days, printed in zip((1, 7, 30), (of_a_day, of_a_week, of_30_days), strict=True):
        risk = failures.probability_of_failure(days * day, cluster) / percent
        assert (f"{risk:.1f}" if risk < 99.9 else "> 99.9") == printed


def test_published_node():
    """150 000/29 h by hand: the least common multiple of the three MTTFs, 300 000 h, holds 48 + 4 + 6 failures."""
    assert failures.NODE.mtbf / hour == near(300_000 / (48 + 4 + 6), rel=1e-15)
    assert sum(failures.NODE.parts.values()) == 12
    with_the_rest = {**failures.NODE.parts, "HBM": 8, "PCIe switch": 8, "optical cable": 8}
    assert round(failures.Node(with_the_rest).mtbf / hour, 1) == 2307.7


def test_published_limits_of_certainty():
    """A clean day becomes a 1 % event at about 7 940 GPUs."""
    nodes = failures.largest_fleet(0.99, day, failures.NODE.mtbf)
    assert nodes * 8 == 7936
    cluster = failures.cluster_mtbf(failures.NODE.mtbf, [nodes, nodes + 1])
    below, above = failures.probability_of_failure(day, cluster)
    assert below < 0.99 < above


def test_first_week_of_a_new_fleet():
    """By hand: 1 250 nodes for 168 h are 210 000 node-hours, which hold 40.6 failures at 29 in 150 000 h."""
    counts = failures.burn_in_failures(1250, failures.NODE.mtbf, [1, 2, 3], week)
    np.testing.assert_allclose(counts, np.array([1, 2, 3]) * 210_000 * 29 / 150_000, rtol=1e-14)


# By other routes


@pytest.mark.parametrize("fit", [1, 20_000, 3e9])
def test_mttf_by_integrating_survival(fit):
    """The mean of a life is the integral of its survival function; nothing of 1/lambda is used."""
    rate = mp.mpf(fit * FIT) * 3600  # by the hour, for the quadrature
    hours = mp.quad(lambda t: mp.exp(-rate * t), [0, 1 / rate, 10 / rate, mp.inf])
    assert failures.mttf(fit * FIT) == near(hours * 3600, rel=1e-13)
    assert failures.fit_rate(float(hours * 3600)) == near(fit * FIT, rel=1e-13)


def test_annual_failure_rate_over_its_domain():
    """In 50 digits: it must not lose digits for parts that live for ages."""
    lives = spread(-3, 12) * hour
    expected = [float(-mp.expm1(-mp.mpf(year) / mp.mpf(life))) for life in lives.tolist()]
    np.testing.assert_allclose(failures.annual_failure_rate(lives), expected, rtol=1e-13)


def test_probability_over_its_domain():
    ratios = spread(-18, 3)
    expected = [float(-mp.expm1(-mp.mpf(ratio))) for ratio in ratios.tolist()]
    np.testing.assert_allclose(failures.probability_of_failure(ratios, 1), expected, rtol=1e-14)


@pytest.mark.parametrize("risks", [spread(-18, -0.01), 1 - spread(-15, -1)], ids=["small", "near 1"])
def test_longest_job_over_its_domain(risks):
    """Against the logarithm in 50 digits, and undone by the probability."""
    jobs = failures.longest_job(risks, 7.0)
    np.testing.assert_allclose(jobs, [float(-7 * mp.log1p(-mp.mpf(risk))) for risk in risks.tolist()], rtol=1e-14)
    np.testing.assert_allclose(failures.probability_of_failure(jobs, 7.0), risks, rtol=1e-12)


def first_of(rates):
    """Mean of the least of independent exponentials, by integrating the product of their survival functions."""
    total = mp.fsum(rates)  # sets the scale of the quadrature only
    survival = [lambda t, rate=rate: mp.exp(-rate * t) for rate in rates]
    with mp.workdps(20):
        return mp.quad(lambda t: mp.fprod(s(t) for s in survival), [0, 1 / total, 10 / total, mp.inf])


@pytest.mark.parametrize(
    ("counts", "mttfs"), [([8, 2, 2], [50, 150, 100]), ([1], [3]), ([5, 0, 1], [1, 2, 1e6]), ([0.25, 3], [4, 1e3])]
)
def test_series_by_integrating_the_survival_of_all(counts, mttfs):
    expected = first_of([mp.mpf(n) / mp.mpf(m) for n, m in zip(counts, mttfs, strict=True)])
    assert failures.series_mtbf(counts, mttfs) == near(expected, rel=1e-13)


def test_series_along_the_last_axis():
    counts = np.array([[8, 2, 2], [8, 4, 2]])
    mttfs = np.array([50_000.0, 150_000.0, 100_000.0])
    expected = [float(failures.series_mtbf(row, mttfs)) for row in counts]
    np.testing.assert_array_equal(failures.series_mtbf(counts, mttfs), expected)
    assert failures.series_mtbf(4, 100.0) == 25
    lazy = failures.series_mtbf(counts, da.from_array(mttfs, chunks=2))
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-15)


@pytest.mark.parametrize("number", ["counts", "mttfs"])
def test_series_refuses_bad_numbers(number):
    arguments = {"counts": [8, 2], "mttfs": [50.0, 150.0]}
    with pytest.raises(ValueError, match=rf"^{number}\[1\] must be .*, but is -2"):
        failures.series_mtbf(**arguments | {number: [8.0, -2.0]})


def test_node_of_other_parts_in_50_digits_and_as_the_class_makes_it():
    for lives in zip(*(spread(-6, 6, 100, seed) for seed in range(3)), strict=True):
        gpu, nic, psu = map(mp.mpf, lives)
        found = failures.node_mtbf(*lives)
        assert found == near(gpu * nic * psu / (8 * nic * psu + 2 * gpu * psu + 2 * gpu * nic))
        mttfs = dict(zip(failures.NODE.parts, lives, strict=True))
        assert found == near(failures.Node(failures.NODE.parts, mttfs).mtbf, rel=1e-14)


@pytest.mark.parametrize("parts", [{"GPU": 8, "NIC": 2, "PSU": 2}, {"HBM": 1}, {"PSU": 0.5, "GPU": 1, "NIC": 900}])
def test_share_is_the_chance_to_be_first(parts):
    """Against the race by quadrature: a kind of part fails first if it fails before all others together."""
    node = failures.Node(parts)
    share = node.share()
    assert sum(share.values()) == near(1, rel=1e-14)
    rates = {name: mp.mpf(number) / failures.COMPONENTS[name] for name, number in parts.items()}
    scale = 1 / mp.fsum(rates.values())
    for name, own in rates.items():
        others = mp.fsum(rate for other, rate in rates.items() if other != name)
        with mp.workdps(20):
            ends = [0, scale, 10 * scale, mp.inf]
            race = mp.quad(lambda t, a=own, b=others: a * mp.exp(-a * t) * mp.exp(-b * t), ends)
        assert share[name] == near(race, rel=1e-12)


def test_share_by_simulation():
    """Draw the twelve clocks of the node, and count which kind runs out first: within 4 standard errors."""
    rng = np.random.default_rng(29)
    node, trials = failures.NODE, 40_000
    first = {name: rng.exponential(node.mttfs[name], (trials, n)).min(axis=1) for name, n in node.parts.items()}
    lives = np.stack(list(first.values()))
    winners = np.bincount(lives.argmin(axis=0), minlength=3) / trials
    for seen, share in zip(winners, node.share().values(), strict=True):
        assert abs(seen - share) < 4 * np.sqrt(share * (1 - share) / trials)
    assert abs(lives.min(axis=0).mean() / node.mtbf - 1) < 4 / np.sqrt(trials)


def test_a_node_of_unknown_or_impossible_parts_is_refused():
    with pytest.raises(ValueError, match=r"parts must be among those with an MTTF, .*, but has 'TPU'"):
        failures.Node({"TPU": 4})
    with pytest.raises(ValueError, match=r"parts\['GPU'\] must be at least 0 and finite, but is -1"):
        failures.Node({"GPU": -1})
    with pytest.raises(ValueError, match=r"mttfs\['GPU'\] must be above 0, but is 0"):
        failures.Node({"GPU": 1}, {"GPU": 0})


def test_a_node_that_cannot_fail():
    for node in (failures.Node({}), failures.Node({"GPU": 0}), failures.Node({"rock": 1}, {"rock": np.inf})):
        assert node.mtbf == np.inf
        with pytest.raises(ValueError, match="nothing in the node can fail"):
            node.share()


@pytest.mark.parametrize(("mttf", "mttr"), [(100_000, 24), (1, 1), (1, 50), (3, 1e-6)])
def test_pair_by_solving_its_chain(mttf, mttr):
    """Mean time to absorption of the chain both up, one up, by linear equations in 50 digits."""
    fails, repairs = 1 / mp.mpf(mttf), 1 / mp.mpf(mttr)
    chain = mp.matrix([[2 * fails, -2 * fails], [-repairs, fails + repairs]])
    expected = mp.lu_solve(chain, mp.matrix([1, 1]))[0]
    assert failures.pair_mtbf(mttf, mttr) == near(expected, rel=1e-13)


def test_pair_without_repair_is_the_longer_life():
    """The mean of the larger of two exponentials, 3/2, which a repair that takes for ever tends to."""
    longer = mp.quad(lambda t: 1 - (1 - mp.exp(-t)) ** 2, [0, 1, 10, mp.inf])
    assert failures.pair_mtbf(1, 1e15) == near(longer, rel=1e-14)


def test_counts_are_poisson_by_simulation():
    """Gaps are drawn and counted: mean, variance and the share of empty jobs, within 4 standard errors."""
    rng, trials, mtbf, duration = np.random.default_rng(8), 40_000, 4.138 * hour, 8 * hour
    failed = rng.exponential(mtbf, (trials, 30)).cumsum(axis=1)
    assert failed[:, -1].min() > duration
    number = (failed < duration).sum(axis=1)
    mean = failures.expected_failures(duration, mtbf)
    assert abs(number.mean() - mean) < 4 * np.sqrt(mean / trials)
    assert number.var() == pytest.approx(mean, rel=4 * np.sqrt((2 + 1 / mean) / trials))
    risk = failures.probability_of_failure(duration, mtbf)
    assert abs((number > 0).mean() - risk) < 4 * np.sqrt(risk * (1 - risk) / trials)
    assert stats.poisson.sf(0, mean) == near(risk, rel=1e-13)


def test_early_failures_by_simulation():
    """A fleet with replacement, every node new in the early period: count its failures, within 4 standard errors."""
    rng, nodes, trials = np.random.default_rng(3), 200, 200
    mtbf, multiplier, period = 1000.0, 3.0, 150.0
    failed = rng.exponential(mtbf / multiplier, (trials, nodes, 12)).cumsum(axis=2)
    assert failed[..., -1].min() > period
    number = (failed < period).sum(axis=(1, 2))
    expected = failures.burn_in_failures(nodes, mtbf, multiplier, period)
    assert abs(number.mean() - expected) < 4 * np.sqrt(expected / trials)


def test_waiting_saves_less_than_it_takes():
    """Weeks of 1 250 nodes, failure by failure, against the ledger's account of a burn-in, within 4 standard errors."""
    rng, cost, weeks = np.random.default_rng(4), 541.7, 200

    def useful(multiplier):
        """Mean useful share of a week, in which each failure takes its cost, and the variance of that mean."""
        mtbf = failures.cluster_mtbf(failures.NODE.mtbf, 1250) / multiplier
        shares = []
        for _ in range(weeks):
            now = done = 0.0
            while now < week:
                gap = rng.exponential(mtbf)
                done += min(gap, week - now)
                now += gap + cost
            shares.append(done / week)
        return np.mean(shares), np.var(shares) / weeks

    (new, new_variance), (settled, settled_variance) = useful(3), useful(1)
    stated = ledger.CLAIMS["burn-in"].values["saved by waiting, of what it takes, at three times"].recompute()
    error = np.sqrt(new_variance + settled_variance) / settled  # at least that of the ratio, which is below 1
    assert abs(1 - new / settled - stated) < 4 * error


def test_supplies_that_fail_together_fail_twice_for_each_interruption():
    """Counts of Llama 3's time: a supply's own failures stop no node, and a common cause takes both supplies."""
    beta = ledger.CLAIMS["psu-in-series"].values["share of each supply's failures, if all three struck both"]
    rng, share, trials = np.random.default_rng(5), beta.recompute(), 4000
    node_time, rate = 16_384 / 8 * 54 * day, 1 / failures.COMPONENTS["PSU"]
    shocks = rng.poisson(share * rate * node_time, trials)
    own = rng.poisson(2 * (1 - share) * rate * node_time, trials)
    assert abs(shocks.mean() - 3) < 4 * np.sqrt(3 / trials)  # as many interruptions as Llama 3 counted
    expected = failures.NODE.rates["PSU"] * node_time
    assert abs((own + 2 * shocks).mean() - expected) < 4 * np.sqrt((expected + 2 * 3) / trials)  # each supply as listed


def test_largest_fleet_is_the_last_that_keeps_to_the_risk():
    """Nothing of its formula is used: the fleet keeps to the risk, and one node more does not."""
    risk, duration, node_mtbf = spread(-3, np.log10(0.999)), spread(2, 6, seed=1), spread(4, 8, seed=2)
    nodes = failures.largest_fleet(risk, duration, node_mtbf)
    assert (nodes == np.floor(nodes)).all()
    some = nodes > 0
    kept = failures.probability_of_failure(duration[some], failures.cluster_mtbf(node_mtbf[some], nodes[some]))
    assert (kept <= risk[some] * (1 + 1e-8)).all()
    more = failures.probability_of_failure(duration, failures.cluster_mtbf(node_mtbf, nodes + 1))
    assert (more > risk * (1 - 1e-8)).all()


def test_a_whole_number_just_missed_counts():
    """Ten nodes exactly, up to rounding."""
    risk = failures.probability_of_failure(day, failures.cluster_mtbf(hour * np.arange(100, 200), 10))
    np.testing.assert_array_equal(failures.largest_fleet(risk, day, hour * np.arange(100, 200)), 10)


# Limits


def test_limits(strict):
    """What never fails, what always fails, and no time at all."""
    assert failures.mttf(0) == np.inf
    assert failures.fit_rate(np.inf) == 0
    assert failures.annual_failure_rate(np.inf) == 0
    assert failures.burn_in_failures(10, np.inf, 3, 1) == 0
    assert failures.node_mtbf(np.inf, np.inf, np.inf) == np.inf
    assert failures.node_mtbf([8, 16], np.inf, [[2], [np.inf]]).tolist() == [[0.5, 2 / 3], [1, 2]]
    assert failures.expected_failures(5, np.inf) == 0
    assert failures.probability_of_failure(0, 5) == 0
    assert failures.probability_of_failure(5, np.inf) == 0
    assert failures.probability_of_failure(1e300, 1) == 1
    assert failures.longest_job(0, 5) == 0
    assert failures.longest_job(1, 5) == np.inf
    assert failures.longest_job([0, 1], np.inf).tolist() == [np.inf, np.inf]
    assert failures.largest_fleet(0, 5, 5) == 0
    assert failures.largest_fleet(0.5, 0, 5) == np.inf
    assert failures.largest_fleet([1, 0.5], 5, [5, np.inf]).tolist() == [np.inf, np.inf]
    assert failures.cluster_mtbf(np.inf, 3) == np.inf
    assert failures.cluster_mtbf(3, 1) == 3
    assert failures.pair_mtbf(5, 0) == np.inf
    assert failures.pair_mtbf(np.inf, 5) == np.inf
    assert failures.series_mtbf([8, 2], [np.inf, 10]) == 5


def test_extremes_pass_without_a_floating_point_event(strict):
    """Every combination of tiny, everyday and huge: no NaN and no warning."""
    values = [1e-300, 1e-20, 1.0, 1e20, 1e300]
    for function in (*OF_TIMES, failures.probability_of_failure, failures.mttf):
        for arguments in product(values, repeat=len(parameters_of(function))):
            assert function(*arguments) >= 0
    for risk, time, other in product([1e-300, 0.5, 1 - 1e-16], values, values):
        assert failures.longest_job(risk, time) >= 0
        assert failures.largest_fleet(risk, time, other) >= 0


# Properties


def test_longer_jobs_and_shorter_lives_are_riskier():
    duration, mtbf, step = spread(-6, 2), spread(-6, 6, seed=1), spread(-6, 1, seed=2)
    here = failures.probability_of_failure(duration, mtbf)
    assert (failures.probability_of_failure(duration * (1 + step), mtbf) >= here).all()
    assert (failures.probability_of_failure(duration, mtbf * (1 + step)) <= here).all()
    assert ((here >= 0) & (here <= np.minimum(1, failures.expected_failures(duration, mtbf)))).all()


def test_a_cluster_of_clusters():
    """Cascades compose: racks of nodes are as many nodes."""
    nodes, racks = np.floor(spread(0, 6)), np.floor(spread(0, 3, seed=1))
    rack = failures.cluster_mtbf(failures.NODE.mtbf, nodes)
    whole = failures.cluster_mtbf(failures.NODE.mtbf, nodes * racks)
    np.testing.assert_allclose(failures.cluster_mtbf(rack, racks), whole, rtol=1e-14)


def test_redundancy_beats_series():
    """A pair outlives either part, and the series of both."""
    mttf = spread(-3, 3)
    assert (failures.pair_mtbf(mttf, spread(-3, 3, seed=1)) >= mttf).all()
    assert (mttf > failures.series_mtbf([2], mttf[:, np.newaxis])).all()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_unit_of_time_does_not_matter(function):
    """All times in another unit: a time scales with them, a rate against them, the rest stays. A year does not."""
    if function is failures.annual_failure_rate:
        return
    scale = spread(-6, 6)
    power = {"fit_rate": -1, "nodes": 0, "multiplier": 0, "risk": 0}
    arguments = {name: LEGAL[name] for name in parameters_of(function)}
    scaled = {name: value * scale ** power.get(name, 1) for name, value in arguments.items()}
    times = (failures.mttf, failures.node_mtbf, failures.cluster_mtbf, failures.pair_mtbf, failures.longest_job)
    of_result = {failures.fit_rate: -1} | dict.fromkeys(times, 1)
    expected = function(**arguments) * scale ** of_result.get(function, 0)
    np.testing.assert_allclose(function(**scaled), expected, rtol=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_broadcast(function):
    """A grid of the first argument, down, and the others, across, is what single calls give; scalars give a scalar."""
    first, *others = parameters_of(function)
    factors = np.array([1, 2, 3])
    across = {name: LEGAL[name] * factors for name in others}
    grid = function(LEGAL[first] * factors[:, None], **across)
    singles = [
        [function(LEGAL[first] * i, **{name: LEGAL[name] * j for name in others}) for j in factors] for i in factors
    ]
    assert type(singles[0][0]) is np.float64
    np.testing.assert_array_equal(np.broadcast_to(grid, (3, 3)), singles)
    assert function(LEGAL[first] * np.ones((0, 3)), **across).shape == (0, 3)


# Bad input, and input that is not here yet


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


def test_parts_and_lives_of_unlike_shapes_are_named():
    with pytest.raises(ValueError, match=r"shapes must broadcast, but are counts \(2,\), mttfs \(3,\)"):
        failures.series_mtbf([1, 2], [1, 2, 3])


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    assert np.isfinite(function(**{key: LEGAL[key] for key in parameters_of(function)}))
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_lazy_arrays_stay_lazy(function):
    names = parameters_of(function)
    rng = np.random.default_rng(0)
    arrays = {name: LEGAL[name] * rng.integers(1, 9, 50).astype(float) for name in names}
    assert_lazy(function, arrays, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_ends_of_the_domain_pass_without_a_floating_point_event(function):
    assert_defined_at_the_ends(function, LEGAL)


def test_lazy_limits_pass_without_a_warning():
    """What is infinite in NumPy is infinite in a lazy array, too, whose division is done later."""
    zero = da.from_array(np.array([0.0, 1.0]))
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(failures.mttf(zero).compute(), [np.inf, 1])
        np.testing.assert_array_equal(failures.longest_job(1 - zero, 2.0).compute(), [np.inf, 0])
        np.testing.assert_array_equal(failures.pair_mtbf(2.0, zero).compute(), [np.inf, 5])


def test_every_parameter_has_its_symbol():
    parameters = {name for function in FUNCTIONS for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
