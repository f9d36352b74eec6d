"""The job of `relmath.simulation.simulate_jobs` as a SimPy model: one event a segment, one process for the failures."""

from collections.abc import Callable, Generator

import simpy


def wall_time(
    work: float,
    interval: float,
    write_time: float,
    next_gap: Callable[[], float],
    restart: float = 0,
    downtime: float = 0,
) -> float:
    """Time to the end of the last write of one job, whose times between failures `next_gap` returns one by one."""
    env = simpy.Environment()

    def compute() -> Generator[simpy.Event, None, None]:
        saved, recovery = 0.0, 0.0
        while saved < work:
            segment = min(interval, work - saved)
            try:
                yield env.timeout(recovery + segment + write_time)
                saved, recovery = saved + segment, 0.0
            except simpy.Interrupt:
                yield env.timeout(downtime)
                recovery = restart

    def fail() -> Generator[simpy.Event, None, None]:
        while True:
            yield env.timeout(next_gap())
            job.interrupt()
            yield env.timeout(downtime)

    job = env.process(compute())
    env.process(fail())
    env.run(until=job)
    return env.now
