"""The simulated fleet against exact limits, and its closed forms in 50 digits.

The simulation is held against formulas of other chapters, where all but one mechanism is switched off; a trace recounts
what a run reports. None of these formulas is used by the simulation.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from relmath import availability, checkpoints, failures
from relmath.fleet import admission, closed_loop, detection, gangs, objectives, remediation, retries
from relmath.fleet.closed_loop import Fault, Fleet, Gang, Hardware, Observability, Operators, Platform, Training
from relmath.simulation import mean_interval
from relmath.units import day, hour, minute
from tests.functions import (
    assert_defined_at_the_ends,
    assert_lazy,
    assert_refused_by_name,
    assert_unlike_shapes_are_named,
    by_parameter,
    exact,
    log_uniform,
    near,
    parameters_of,
    spread,
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

FUNCTIONS = (closed_loop.time_away, closed_loop.unavailability, closed_loop.reaches_owner)
LEGAL = {
    "wait": 355.0,
    "mean_heal": 180.0,
    "mttr": 120.0,
    "reset": 130.0,
    "transient_mtbf": 1.4e7,
    "replacement": 4300.0,
    "hard_mtbf": 4.3e7,
    "find": 1800.0,
    "slow_mtbf": 7.2e7,
    "strikes": 0.2,
    "retries": 3.0,
    "sensitivity": 0.95,
}
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan, np.inf)) | {
    **dict.fromkeys(("mean_heal", "transient_mtbf", "hard_mtbf", "slow_mtbf"), (0.0, -1.0, np.nan)),
    "retries": (-1.0, 0.5, np.nan, np.inf),
    "sensitivity": (-0.1, 1.1, np.nan),
}

NO_ALARMS = Fault("false alarm", math.inf, 0, seen=1, rung=closed_loop.KILL, harmless=True)
OFF = {"hardware": None, "platform": None, "training": None, "observability": None}
FOREVER = 1e9  # seconds of work of a job that never ends


def checks(**settings):
    """Checks without false alarms."""
    return Hardware(**{"false_alarms": NO_ALARMS, "cap": 1.0} | settings)


def bare(**settings):
    """A fleet with nothing in it but what is set."""
    return Fleet(**OFF | {"start": 0, "bad": 0, "application": 0, "strike": 60, "job_timeout": 60} | settings)


def assert_mean(samples, expected, within=0.1):
    """The expected value lies in the 99.9 % interval of the samples' mean, which is no wider than so much of it."""
    low, high = mean_interval(samples, 0.999)
    assert low <= expected <= high
    assert high - low < within * abs(expected)


# Where all but one mechanism is off, the simulation is a formula of another chapter


def test_hard_faults_alone_are_a_repairable_system():
    """A node's availability is M / (M + R), R being detection, grace, every rung and replacement."""
    hard = Fault("hard", 100 * hour, kills=0, seen=1)
    hardware = checks(period=60, threshold=3, timeout=20, grace=600, ladder=(1, 2, 3, 4 * hour))
    fleet = bare(hardware=hardware, faults=(hard,), gangs=(Gang(50, 1, FOREVER),), spares=0)
    outcome = closed_loop.simulate(fleet, 20 * day, trials=20, seed=1)
    down = 2.5 * 60 + 20 + 600 + 6 + 4 * hour
    assert_mean(1 - outcome.availability, 1 - availability.availability(100 * hour, down))


def test_what_is_not_known_counts_as_in_the_pool():
    """Of the same time, detection is what a fleet that counts drained nodes does not see."""
    hard = Fault("hard", 10 * hour, kills=0, obvious=0)
    people = Operators(quiet=4 * hour, replacement=1 * hour)
    fleet = bare(operators=people, faults=(hard,), gangs=(Gang(20, 1, FOREVER),), spares=0)
    outcome = closed_loop.simulate(fleet, 16 * day, trials=20, seed=2)
    assert_mean(1 - outcome.availability, 5 / 15)
    assert_mean(1 - outcome.in_pool, 1 / 15)
    assert_mean(outcome.latency["hard"], 4 * hour)


def test_an_objective_is_met_by_the_repair_time_that_it_allows():
    """Repair in the time that an error budget leaves: the chapter on objectives."""
    repair = objectives.allowed_mttr(200 * hour, 0.99)
    hard = Fault("hard", 200 * hour, kills=0, seen=1)
    hardware = checks(period=0, timeout=100, grace=300, ladder=(0, 0, 0, repair - 400))
    fleet = bare(hardware=hardware, faults=(hard,), gangs=(Gang(100, 1, FOREVER),), spares=0)
    outcome = closed_loop.simulate(fleet, 25 * day, trials=20, seed=18)
    assert_mean(1 - outcome.availability, 0.01)


def test_the_odds_of_three_classes_add_up():
    """Hard, transient and slow faults at once, each with its own end."""
    faults = (
        Fault("hard", 300 * hour, kills=0, seen=1),
        Fault("transient", 60 * hour, kills=0, seen=1, mean_heal=20 * minute, rung=closed_loop.RESET),
        Fault("slow", 300 * hour, kills=0, slowdown=0.3, seen=0, rung=closed_loop.KILL),
    )
    hardware = checks(period=0, timeout=60, grace=9 * minute, ladder=(0, 30 * minute, 0, 3 * hour))
    people = Operators(quiet=1e12)
    fleet = bare(
        hardware=hardware,
        observability=Observability(straggler=5 * hour),
        operators=people,
        faults=faults,
        gangs=(Gang(50, 1, FOREVER),),
        spares=0,
    )
    outcome = closed_loop.simulate(fleet, 30 * day, trials=20, seed=19)
    expected = closed_loop.unavailability(
        wait=10 * minute,
        mean_heal=20 * minute,
        reset=30 * minute,
        transient_mtbf=60 * hour,
        replacement=3.5 * hour,
        hard_mtbf=300 * hour,
        find=5 * hour,
        slow_mtbf=300 * hour,
    )
    assert_mean(1 - outcome.availability, expected)


def test_a_gang_with_checkpoints_has_the_renewal_efficiency():
    """Daly's model: the checks' latency is downtime, starting and reloading is recovery; a spare is always there.

    The gang fails as often as its four nodes together.
    """
    training = Training(interval=30 * minute, write_time=2 * minute, reload=3 * minute)
    hardware = checks(period=100, threshold=2, timeout=30)
    fleet = bare(
        hardware=hardware,
        training=training,
        start=2 * minute,
        job_timeout=1e6,
        faults=(Fault("hard", 20 * hour, seen=1),),
        gangs=(Gang(20, 4, FOREVER),),
        spares=400,
    )
    outcome = closed_loop.simulate(fleet, 5 * day, trials=20, seed=3)
    mtbf = failures.cluster_mtbf(20 * hour, 4)
    expected = checkpoints.efficiency(30 * minute, 2 * minute, mtbf, restart=5 * minute, downtime=180)
    assert_mean(outcome.goodput * fleet.nodes / 80, expected, within=0.02)


@pytest.mark.parametrize(("nodes", "work"), [(1, 10 * hour), (8, 5 * hour)])
def test_without_layers_a_job_succeeds_if_nothing_fails(nodes, work):
    """Each attempt of a job of n nodes passes with probability e^(-n T / M)."""
    people = Operators(response=0, loud=0, replacement=0)
    fleet = bare(
        operators=people,
        faults=(Fault("hard", 200 * hour, obvious=1),),
        gangs=(Gang(160 // nodes, nodes, work),),
        spares=20,
        job_timeout=1,
    )
    outcome = closed_loop.simulate(fleet, 24 * day, trials=20, seed=4)
    assert_mean(1 - outcome.success, failures.probability_of_failure(nodes * work, 200 * hour), within=0.2)


def test_without_checkpoints_each_retry_is_a_new_job():
    """Each attempt runs the whole job, and its failure is recognised or not: the chapter on retries."""
    fleet = bare(
        hardware=checks(period=0, timeout=0, ladder=(0, 0, 0, 0)),
        platform=Platform(coverage=0, preflight=0, retries=2, admission=0),
        observability=Observability(sensitivity=0.5),
        faults=(Fault("software", 20 * hour, seen=1, rung=closed_loop.KILL),),
        gangs=(Gang(40, 1, 10 * hour),),
        spares=0,
    )
    outcome = closed_loop.simulate(fleet, 15 * day, trials=20, seed=20)
    attempt = failures.probability_of_failure(10 * hour, 20 * hour)
    assert_mean(1 - outcome.success, retries.platform_loss(attempt, 2, 0.5))


@pytest.mark.parametrize(("grace", "mean_heal", "days"), [(300, 600, 6), (3600, 600, 10), (60, math.inf, 2)])
def test_transients_heal_while_one_waits(grace, mean_heal, days):
    """A node is away for the mean of what is shorter, healing or waiting, and for the repair of those that stayed."""
    transient = Fault("transient", 20 * hour, kills=0, mean_heal=mean_heal, seen=1, rung=closed_loop.RESET)
    hardware = checks(period=0, threshold=1, timeout=40, grace=grace, ladder=(10, 1000, 0, 0))
    fleet = bare(hardware=hardware, faults=(transient,), gangs=(Gang(50, 1, FOREVER),), spares=0)
    outcome = closed_loop.simulate(fleet, days * day, trials=20, seed=5)
    away = outcome.unhealthy["transient"] / outcome.faults["transient"]
    assert_mean(away, closed_loop.time_away(40 + grace, mean_heal, 1010))


@pytest.mark.parametrize("mean_heal", [60.0, 600.0])
def test_a_false_alarm_that_is_heard_keeps_a_node_from_work(mean_heal):
    """Heard, if it outlasts the check; then until it heals, or for the grace and the repair."""
    alarms = Fault("false alarm", 2 * hour, 0, mean_heal=mean_heal, seen=1, rung=closed_loop.KILL, harmless=True)
    hardware = checks(false_alarms=alarms, period=0, timeout=40, grace=300, ladder=(20, 0, 0, 0))
    fleet = bare(hardware=hardware, faults=(), gangs=(Gang(20, 1, FOREVER),), spares=0)
    outcome = closed_loop.simulate(fleet, 2 * day, trials=20, seed=21)
    heard = 2 * hour / remediation.survives_grace(40, mean_heal)  # between two of them
    away = closed_loop.time_away(300, mean_heal, 20)
    assert_mean(1 - outcome.availability, 1 - availability.availability(heard, away))
    np.testing.assert_array_equal(outcome.availability, outcome.in_pool)


@pytest.mark.parametrize(("period", "threshold"), [(30, 1), (30, 4), (600, 2)])
def test_checks_find_a_fault_after_half_a_period_and_the_others(period, threshold):
    hardware = checks(period=period, threshold=threshold, timeout=7)
    fleet = bare(
        hardware=hardware,
        operators=Operators(loud=1e12),
        faults=(Fault("hard", 50 * hour, seen=1),),
        gangs=(Gang(30, 1, FOREVER),),
    )
    outcome = closed_loop.simulate(fleet, 5 * day, trials=20, seed=6)
    assert_mean(outcome.latency["hard"], detection.detection_latency(period, threshold, 7), within=0.08)
    assert sum(outcome.found["hard", by].sum() for by in ("comparison", "pre-flight", "people")) == 0


@pytest.mark.parametrize(("allowed", "sensitivity", "days"), [(0, 1, 8), (1, 1, 8), (2, 1, 18), (2, 0.8, 8)])
def test_failures_reach_the_owner_of_a_job_that_resumes(allowed, sensitivity, days):
    """Strikes are Poisson. A job stays clean unless one is missed or they are too many."""
    fleet = bare(
        hardware=checks(period=0, timeout=0, ladder=(0, 0, 0, 0)),
        platform=Platform(coverage=0, preflight=0, retries=allowed, admission=0),
        training=Training(interval=5, write_time=0, reload=0),
        observability=Observability(sensitivity=sensitivity),
        faults=(Fault("software", 50 * hour, seen=1, rung=closed_loop.KILL),),
        gangs=(Gang(20, 5, 10 * hour),),
        spares=0,
    )
    outcome = closed_loop.simulate(fleet, days * day, trials=20, seed=7)
    assert_mean(1 - outcome.clean_jobs, closed_loop.reaches_owner(1.0, allowed, sensitivity), within=0.2)
    if sensitivity == 1:  # of k strikes, every so many reaches the owner, since retries are counted anew
        strikes = np.arange(60)
        expected = np.sum(strikes // (allowed + 1) * stats.poisson.pmf(strikes, 1.0))
        jobs = outcome.useful_time / (5 * 10 * hour)  # those under way by their parts
        assert_mean(sum(outcome.failed.values()) / jobs, expected, within=0.2)


def test_a_slow_node_that_nobody_finds_sets_the_pace():
    fleet = bare(
        faults=(Fault("slow", 10 * minute, kills=0, slowdown=0.3, obvious=0),),
        operators=Operators(quiet=1e12),
        gangs=(Gang(3, 8, 1 * hour),),
        spares=0,
    )
    outcome = closed_loop.simulate(fleet, 10 * day, seed=8)
    assert outcome.goodput[0] == pytest.approx(0.7, abs=1e-3)
    step = gangs.slowest_with(8, mean=1, sd=0, slowdown=1 / 0.7 - 1)  # there, the time that a step takes more
    assert outcome.goodput[0] == pytest.approx(1 / step, abs=1e-3)
    assert outcome.in_pool[0] == 1
    assert outcome.availability[0] < 0.01


def test_comparison_finds_slow_nodes():
    slow = Fault("slow", 100 * hour, kills=0, slowdown=0.3, obvious=0, rung=closed_loop.REBOOT)
    fleet = bare(
        observability=Observability(straggler=5 * hour),
        operators=Operators(quiet=20 * hour, replacement=2 * hour),
        faults=(slow,),
        gangs=(Gang(50, 1, FOREVER),),
        spares=0,
    )
    outcome = closed_loop.simulate(fleet, 44 * day, trials=20, seed=9)
    assert_mean(outcome.latency["slow"], 1 / (1 / (5 * hour) + 1 / (20 * hour)))
    assert_mean(outcome.found["slow", "comparison"] / outcome.faults["slow"], 0.8)
    assert_mean(1 - outcome.availability, 1 - availability.availability(100 * hour, 4 * hour + 2 * hour))


def test_a_preflight_test_ends_the_loop_of_crashes():
    """A fault that no check sees kills every attempt until it is found: with coverage c, 1/c strikes in the mean."""
    fleet = bare(
        platform=Platform(coverage=0.25, preflight=0, retries=0, admission=0),
        operators=Operators(loud=1e9, replacement=0),
        faults=(Fault("hard", 1000 * hour, obvious=0),),
        gangs=(Gang(100, 1, 10 * hour),),
        spares=20,
    )
    outcome = closed_loop.simulate(fleet, 36 * day, trials=20, seed=10)
    assert_mean(outcome.failed["hard"] / outcome.faults["hard"], 1 / 0.25, within=0.2)


def test_admission_keeps_bad_machines_out():
    """A replacement is bad with p, and passes r rounds with (1 - c)^r; each that is refused costs another."""
    fleet = bare(
        hardware=checks(ladder=(0, 0, 0, 1 * hour), grace=0),
        platform=Platform(coverage=0.5, rounds=2, admission=0, preflight=0),
        faults=(Fault("hard", 50 * hour, kills=0, seen=1),),
        gangs=(Gang(60, 1, FOREVER),),
        spares=0,
        bad=0.2,
    )
    outcome = closed_loop.simulate(fleet, 15 * day, trials=20, seed=11)
    admitted = admission.admitted_bad(0.2, 0.5, 2)
    # A bad one that comes is tested before its job, half of them at each start, and drained again.
    bad_ones = outcome.faults["bad on arrival"]
    repairs = outcome.found["hard", "checks"] + bad_ones
    low, high = mean_interval(bad_ones / repairs, 0.999)
    assert low <= admitted <= high


# What happens in which order


def test_what_healed_before_a_check_saw_it_tells_nobody():
    """The job is dead all the same, until its time-out."""
    transient = Fault("transient", 1 * hour, mean_heal=1, seen=1, rung=closed_loop.RESET)
    fleet = bare(
        hardware=checks(period=100, threshold=2), faults=(transient,), gangs=(Gang(1, 1, FOREVER),), job_timeout=600
    )
    dead = [span.end - span.start for span in closed_loop.trace(fleet, 5 * day, seed=22).job if span.phase == "dead"]
    assert len(dead) > 50
    assert dead == pytest.approx([600] * len(dead))


@pytest.mark.parametrize(
    ("heals", "slowdown", "phase", "time"), [(5, 0, "computing", 60), (math.inf, 0.5, "slow", 120)]
)
def test_a_faulty_node_stops_a_job_after_the_same_work_whatever_else_happens(heals, slowdown, phase, time):
    """Each attempt works for a minute, unless one more node fails, while others fall ill and heal, or set the pace."""
    others = Fault("others", 100 if heals < hour else 2 * hour, kills=0, mean_heal=heals, slowdown=slowdown)
    hard = Fault("hard", 2 * hour, obvious=0)
    fleet = bare(
        faults=(others, hard), gangs=(Gang(1, 8, FOREVER),), operators=Operators(loud=1e12, quiet=1e12), spares=0
    )
    spans = closed_loop.trace(fleet, 12 * hour, seed=31).job
    attempts = [span.end - span.start for span in spans if span.phase == phase][3:-1]
    assert len(attempts) > 50
    assert max(attempts) == pytest.approx(time)
    assert np.median(attempts) == pytest.approx(time)


def test_an_alarm_does_not_end_with_the_job():
    """Nothing hangs: each alarm ends by its repair, whether the job runs or is dead."""
    alarms = Fault("false alarm", 2 * hour, 0, mean_heal=1e12, seen=1, rung=closed_loop.KILL, harmless=True)
    hardware = checks(false_alarms=alarms, period=0, timeout=0, grace=0, ladder=(10, 0, 0, 0))
    fleet = bare(
        hardware=hardware,
        faults=(Fault("hard", 8 * hour, seen=0),),
        gangs=(Gang(5, 4, FOREVER),),
        operators=Operators(loud=1 * hour),
        job_timeout=1 * hour,
        spares=5,
    )
    outcome = closed_loop.simulate(fleet, 20 * day, seed=24)
    assert outcome.unhealthy["false alarm"] == pytest.approx(10 * outcome.faults["false alarm"], rel=1e-3)


def test_a_bad_machine_that_is_never_used_does_no_harm():
    fleet = bare(hardware=checks(), faults=(Fault("hard", 100 * hour, seen=1),), gangs=(Gang(10, 1, FOREVER),), bad=0.9)
    outcome = closed_loop.simulate(fleet, 5 * day, seed=25)
    assert 5 < outcome.faults["hard"] < fleet.spares
    assert outcome.unhealthy["bad on arrival"] == 0
    assert outcome.availability > 0.98


@pytest.mark.parametrize(("end", "useful"), [(60, 60), (100, 100), (130, 100), (150, 100), (200, 150), (450, 230)])
def test_a_write_is_no_work(end, useful):
    """Two full intervals of 100 s and one of 30 s, each followed by a write of 50 s, and another job."""
    fleet = bare(
        training=Training(interval=100, write_time=50, reload=0), faults=(), gangs=(Gang(1, 1, 230),), spares=0
    )
    outcome = closed_loop.simulate(fleet, end, seed=0)
    assert outcome.useful_time == pytest.approx(useful + max(0, end - 380))
    assert outcome.completed == (end >= 380)


def test_nothing_that_ended_has_no_share_of_success():
    outcome = closed_loop.simulate(Fleet(), 1, seed=0)
    assert np.isnan(outcome.success).all()
    assert np.isnan(outcome.clean_jobs).all()
    assert np.isnan(outcome.latency["hard"]).all()


def test_a_check_tells_of_the_second_death_too():
    """A node that fails while its gang is dead stops the next attempt; its checks tell of that before the time-out."""
    fleet = bare(
        hardware=checks(period=0, timeout=200, ladder=(0, 0, 0, 0)),
        faults=(Fault("hard", 600, seen=1),),
        gangs=(Gang(1, 20, FOREVER),),
        job_timeout=1e6,
    )
    spans = closed_loop.trace(fleet, 1 * hour, seed=27).job
    assert max(span.end - span.start for span in spans if span.phase == "dead") <= 200.0001


# The cap, and checks that go wrong


@pytest.mark.parametrize(("cap", "drained"), [(0.2, 200), (0.05, 50), (1.0, 974)])
def test_a_bad_release_drains_no_more_than_the_cap(cap, drained):
    fleet = Fleet(hardware=checks(cap=cap, release_mtbf=10 * day), faults=())
    outcome = closed_loop.simulate(fleet, 60 * day, seed=12)
    assert outcome.most_drained[0] == drained
    assert outcome.unhealthy["bad release"][0] == pytest.approx(
        outcome.node_time[0] - outcome.in_pool[0] * outcome.node_time[0]
    )


def test_drains_that_must_wait_are_done_in_turn():
    """With one repair at a time a node is away longer: the machine-repair queue, by its stationary distribution."""
    hard = Fault("hard", 20 * hour, kills=0, seen=1)
    hardware = checks(cap=0.01, period=0, timeout=0, grace=0, ladder=(0, 0, 0, 2 * hour))
    fleet = bare(hardware=hardware, faults=(hard,), gangs=(Gang(5, 1, FOREVER),), spares=0)
    outcome = closed_loop.simulate(fleet, 200 * day, trials=4, seed=13)
    assert outcome.most_drained.max() == remediation.disruption_limit(5, 0.01)
    without = closed_loop.simulate(replace(fleet, hardware=replace(hardware, cap=1.0)), 200 * day, trials=4, seed=13)
    assert outcome.availability.max() < without.availability.min()
    # Exponential repairs would wait longer than fixed ones.
    exponential = 1 - remediation.repair_queue(5, 1 / (20 * hour), 1 / (2 * hour), 1) / 5
    assert exponential < outcome.availability.mean() < availability.availability(20, 2)


# Runs can be repeated


def test_trials_do_not_depend_on_their_number_or_the_executor():
    few = closed_loop.simulate(Fleet(), 20 * day, trials=2, seed=14)
    with ThreadPoolExecutor(2) as pool:
        many = closed_loop.simulate(Fleet(), 20 * day, trials=4, seed=14, executor=pool)
    for name in ("availability", "in_pool", "success", "goodput", "ended", "clean_jobs"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name)[:2])
    assert len(set(many.ended)) > 1


def test_a_trace_recounts_what_a_run_reports():
    """The phases of one node and of its jobs, without a gap; the node's add up to what the run counted by itself."""
    fleet = bare(
        hardware=checks(),
        training=Training(),
        faults=(
            Fault("hard", 9 * hour),
            Fault("transient", 5 * hour, mean_heal=600, kills=0.5, rung=closed_loop.RESET),
        ),
        gangs=(Gang(1, 1, 8 * hour),),
        spares=0,
        start=60,
        job_timeout=600,
    )
    duration = 20 * day
    lives = closed_loop.trace(fleet, duration, seed=15)
    outcome = closed_loop.simulate(fleet, duration, seed=15)
    for life in lives:
        assert (life[0].start, life[-1].end) == (0, duration)
        assert all(span.end == after.start and span.phase != after.phase for span, after in pairwise(life))
    spent = {
        phase: sum(s.end - s.start for s in lives.node if s.phase == phase) for phase in ("sound", "problem", "repair")
    }
    spent["sound"] += sum(span.end - span.start for span in lives.node if span.phase == "spare")
    assert spent["sound"] / duration == pytest.approx(outcome.availability[0], rel=1e-9)
    assert 1 - (spent["problem"] + spent["repair"]) / duration == pytest.approx(outcome.in_pool[0], rel=1e-9)
    assert {span.phase for span in lives.job} == {"starting", "computing", "dead", "waiting"}


def test_every_node_time_is_accounted_for():
    outcome = closed_loop.simulate(Fleet(), 30 * day, trials=2, seed=16)
    assert (outcome.availability <= outcome.in_pool).all()
    assert (outcome.goodput < outcome.availability).all()
    assert (outcome.node_time == 1000 * 30 * day).all()
    for name, came in outcome.faults.items():
        assert (sum(number for (fault, _), number in outcome.found.items() if fault == name) <= came).all()
    assert (outcome.clean <= outcome.completed).all()
    assert (outcome.completed - outcome.clean <= sum(outcome.failed.values())).all()


def test_each_layer_is_missed():
    """Without any of the layers, one of availability, success and goodput is clearly worse; once, another better."""
    whole, *without = (
        closed_loop.simulate(Fleet(**{layer: None} if layer else {}), 60 * day, trials=2, seed=17)
        for layer in (None, *OFF)
    )
    measures = [("availability", 4e-4), ("success", 4e-3), ("goodput", 0.1), ("availability", 4e-4)]
    for outcome, (measure, loss) in zip(without, measures, strict=True):
        assert np.mean(getattr(outcome, measure)) < np.mean(getattr(whole, measure)) - loss * 0.5
    assert without[3].success.mean() > whole.success.mean()  # who retries everything misses no failure of the platform


@pytest.mark.parametrize("run", [closed_loop.simulate, closed_loop.trace])
def test_a_hopeless_run_is_refused(run, monkeypatch):
    with pytest.raises(ValueError, match="faults must be at most 1,000,000 a trial"):
        run(Fleet(faults=(Fault("hard", 1.0),)), 90 * day)
    monkeypatch.setattr(closed_loop, "MOST_EVENTS", 1000)
    fleet = bare(faults=(Fault("hard", day, obvious=0),), operators=Operators(loud=1e12), job_timeout=1, strike=0)
    with pytest.raises(ValueError, match="events must be at most 1,000 a trial"):
        run(fleet, 90 * day)


def test_whole_numbers_may_come_as_floats():
    fleet = Fleet(gangs=(Gang(2.0, 3.0, 1e4),), platform=Platform(retries=1e9, rounds=2.0), spares=1.0)
    assert fleet.nodes == 7
    assert closed_loop.simulate(fleet, 1 * day, seed=26).completed > 0


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Fault("hard", 0), "mtbf"),
        (lambda: Fault("hard", [1, 2]), "mtbf"),
        (lambda: Fault("hard", 1, seen=1.5), "seen"),
        (lambda: Fault("hard", 1, slowdown=1), "slowdown"),
        (lambda: Fault("hard", 1, rung=4), "rung"),
        (lambda: Gang(1, 0, 1), "nodes"),
        (lambda: Fleet(faults=Fault("hard", 1)), "faults"),
        (lambda: Fleet(gangs=[(1, 1, 1)]), "gangs"),
        (lambda: closed_loop.simulate(Fleet(), 1, seed="one"), "seed"),
        (lambda: closed_loop.trace(Fleet(), 1, seed=-1), "seed"),
        (lambda: Hardware(cap=2), "cap"),
        (lambda: Hardware(ladder=(1, 2, 3)), "ladder"),
        (lambda: Hardware(ladder=5), "ladder"),
        (lambda: Hardware(ladder=((1, 2),) * 4), "ladder"),
        (lambda: Platform(retries=-1), "retries"),
        (lambda: Training(interval=0), "interval"),
        (lambda: Observability(straggler=0), "straggler"),
        (lambda: Operators(quiet=-1), "quiet"),
        (lambda: Fleet(bad=1), "bad"),
        (lambda: Fleet(application=1), "application"),
        (lambda: Fleet(gangs=()), "gangs"),
        (lambda: Fleet(hardware=Platform()), "hardware"),
        (lambda: closed_loop.simulate(3), "fleet"),
        (lambda: closed_loop.trace(Fleet(), day, node=1000), "node"),
        (lambda: closed_loop.trace(Fleet(), day, slot=275), "slot"),
        (lambda: Fleet(start=0, strike=0.5, job_timeout=0.4), "job_timeout"),
        (lambda: closed_loop.simulate(Fleet(), duration=0), "duration"),
        (lambda: closed_loop.simulate(Fleet(), trials=0), "trials"),
        (lambda: closed_loop.trace(Fleet(), -1), "duration"),
    ],
)
def test_settings_outside_their_domain_are_named(make, name):
    with pytest.raises(ValueError, match=rf"^{name} must (be|have) "):
        make()


# The closed forms


@settings(max_examples=12)
@given(log_uniform(-3, 7), log_uniform(-3, 7), log_uniform(-3, 7))
def test_time_away_by_quadrature(wait, mean_heal, repair):
    ell, h, r = exact(wait, mean_heal, repair)
    ends = [0, *(end for end in (h, 10 * h, 100 * h) if end < ell), ell]
    with mp.workdps(20):
        stays = mp.quad(lambda t: mp.e ** (-t / h), ends)
    assert closed_loop.time_away(wait, mean_heal, repair) == near(stays + r * mp.e ** (-ell / h))


def test_time_away_at_its_limits():
    assert closed_loop.time_away(300, math.inf, 120) == 420
    assert closed_loop.time_away(0, 60, 120) == 120
    assert closed_loop.time_away(1e6, 60, 120) == 60


@given(log_uniform(-12, 2), st.integers(0, 40), st.floats(0, 1))
def test_reaches_owner_by_the_sum_of_its_tail(strikes, allowed, sensitivity):
    """Summed from the other end: each count of strikes, with the chance that one is missed or they are too many."""
    x, s = exact(strikes, sensitivity)
    total, weight = mp.mpf(0), mp.e ** (-x)
    for k in range(1, 400):
        weight *= x / k
        total += weight * (1 if k > allowed else 1 - s**k)
        if k > max(allowed, 2 * x) and weight < total / 1e20:
            break
    assert closed_loop.reaches_owner(strikes, allowed, sensitivity) == near(total, rel=1e-11)


@settings(max_examples=50)
@given(*(log_uniform(0, 8) for _ in range(8)))
def test_unavailability_of_a_chain_of_four_states(wait, heal, reset, transient, replacement, hard, find, slow):
    """Sound, and away for each of three reasons: the stationary distribution, from the balance equations."""
    away = [
        mp.mpf(wait) + mp.mpf(replacement),
        mp.mpf(heal) * (1 - mp.e ** (-mp.mpf(wait) / mp.mpf(heal)))
        + mp.mpf(reset) * mp.e ** (-mp.mpf(wait) / mp.mpf(heal)),
        mp.mpf(find),
    ]
    rates = [1 / mp.mpf(m) for m in (hard, transient, slow)]
    balance = mp.matrix(4, 4)
    for state, (rate, time) in enumerate(zip(rates, away, strict=True), start=1):
        balance[state, 0], balance[state, state] = rate, -1 / time
    for column in range(4):
        balance[0, column] = 1
    sound = mp.lu_solve(balance, mp.matrix([1, 0, 0, 0]))[0]
    value = closed_loop.unavailability(wait, heal, reset, transient, replacement, hard, find, slow)
    assert value == near(1 - sound, rel=1e-11)


@by_parameter(FUNCTIONS)
def test_illegal_values_are_refused_by_name(function, name):
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_shapes_and_ends(function):
    assert_unlike_shapes_are_named(function, LEGAL)
    assert_defined_at_the_ends(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lazy_arrays_stay_lazy(function):
    arrays = {name: LEGAL[name] * spread(-0.02, 0, 100, seed) for seed, name in enumerate(parameters_of(function))}
    if "retries" in arrays:
        arrays["retries"] = np.arange(100.0)
    assert_lazy(function, arrays, ILLEGAL)
