"""The book's still figures: a few verbs in one style.

Each draws one figure and returns nothing, so that a cell ends with it. Axes carry their units, the background is
transparent (the page inverts the figure in the dark), and there is no title: the prose says what a figure shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from scipy import ndimage

from relmath.notebook.quantity import grouped
from relmath.simulation import Span
from relmath.units import hour, minute, percent, year

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito: told apart by all eyes
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
STYLE: dict[Any, Any] = {
    "figure.figsize": (7.2, 3.6),
    "figure.dpi": 144,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "font.size": 10.5,
    "legend.frameon": False,
    "lines.linewidth": 2,
}


def curves(
    x: np.ndarray,
    lines: Mapping[str, np.ndarray],
    x_label: str,
    y_label: str,
    *,
    log: str = "",
    points: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Draw named curves over one axis; ``log`` holds the axes that are logarithmic, ``points`` marks named places."""
    with plt.rc_context(STYLE):
        _, axes = plt.subplots(layout="constrained")
        for (label, y), colour, dash in zip(lines.items(), COLOURS, DASHES, strict=False):
            axes.plot(x, y, label=label, color=colour, linestyle=dash)
        _mark(axes, points or {})
        _finish(axes, x_label, y_label, log)
        axes.legend()
        plt.show()


def basin(
    overhead: Callable[..., Any],
    optimum: Callable[..., Any],
    write_time: float,
    mtbf: float,
    *,
    span: float = 8.0,
) -> None:
    """Draw what an interval costs, and of what the cost is made, from 1/span to span times the best interval."""
    best = optimum(write_time, mtbf)
    interval = best * np.geomspace(1 / span, span, 200)
    total = overhead(interval, write_time, mtbf)
    writing = write_time / interval
    least = overhead(best, write_time, mtbf)
    curves(
        interval / minute,
        {"together": total / percent, "writing": writing / percent, "rework": (total - writing) / percent},
        "interval [min]",
        "overhead [% of useful time]",
        log="x",
        points={f"{best / minute:.1f} min, {least / percent:.2f} %": (best / minute, least / percent)},
    )


def cascade(nodes: Mapping[str, Mapping[str, float]]) -> None:
    """Draw what stops a node: a bar for each, as long as its failures a year, cut by the parts that cause them.

    Rates are per second, by part. A piece bears its share of its node's failures where it is long enough.
    """
    parts = list(dict.fromkeys(part for rates in nodes.values() for part in rates))
    with plt.rc_context({**STYLE, "axes.grid": False}):
        _, axes = plt.subplots(layout="constrained", figsize=(7.2, 1.2 + 0.8 * len(nodes)))
        totals = np.array([sum(rates.values()) * year for rates in nodes.values()])
        ends = np.zeros(len(nodes))
        for part, colour in zip(parts, (*COLOURS, "#999999"), strict=False):
            widths = np.array([rates.get(part, 0.0) * year for rates in nodes.values()])
            bars = axes.barh(list(nodes), widths, left=ends, color=colour, height=0.6, label=part)
            long = widths > 0.05 * totals.max()
            labels = np.where(long, [f"{share / percent:.0f} %" for share in widths / totals], "")
            axes.bar_label(bars, labels, label_type="center", color="white", fontsize="small")
            ends += widths
        axes.set(xlabel="failures of a node a year")
        axes.invert_yaxis()
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4, fontsize="small")
        plt.show()


def tornado(base: float, ends: Mapping[str, tuple[float, float]], x_label: str) -> None:
    """Draw how far each input moves a result from its base: a bar for either end of its range, the longest on top."""
    ordered = sorted(ends, key=lambda name: max(base, *ends[name]) - min(base, *ends[name]))
    rows = np.arange(len(ordered))
    with plt.rc_context(STYLE):
        _, axes = plt.subplots(layout="constrained")
        for side, (label, colour) in enumerate(zip(("first end", "other end"), COLOURS, strict=False)):
            reach = [ends[name][side] - base for name in ordered]
            axes.barh(rows + 0.16 - 0.32 * side, reach, left=base, height=0.3, color=colour, label=label)
        axes.axvline(base, color="black", linewidth=1)
        axes.set_yticks(rows, ordered)
        axes.grid(visible=False, axis="y")
        _finish(axes, x_label, "", log="")
        axes.legend(loc="lower right")
        plt.show()


def regions(
    x: np.ndarray,
    y: np.ndarray,
    rivals: Mapping[str, np.ndarray],
    x_label: str,
    y_label: str,
    *,
    log: str = "",
    points: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Draw a map of where each of several quantities, ``rivals[name][j, i]`` at x[i], y[j], is the largest."""
    with plt.rc_context(STYLE | {"axes.grid": False}):
        _, axes = plt.subplots(layout="constrained")
        for name, colour in zip(rivals, COLOURS, strict=False):
            lead = rivals[name] - np.max([other for label, other in rivals.items() if label != name], axis=0)
            axes.contourf(x, y, lead, levels=[0, np.inf], colors=[colour], alpha=0.3)
            axes.contour(x, y, lead, levels=[0], colors="black", linewidths=1)
            depth = ndimage.distance_transform_edt(np.pad(lead > 0, 1))[1:-1, 1:-1]
            if depth.any():
                row, column = np.unravel_index(np.argmax(depth), depth.shape)
                axes.text(x[column], y[row], name, ha="center", va="center")
        _mark(axes, points or {})
        _finish(axes, x_label, y_label, log)
        plt.show()


PHASES = {  # of a job's life, as they are named in the figures, with their colours
    "useful": ("computing, saved later", "#9ecae1"),
    "write": ("writing a checkpoint", COLOURS[0]),
    "lost": ("lost to a failure", COLOURS[1]),
    "downtime": ("down", "#999999"),
    "restart": ("restarting", COLOURS[4]),
}


NODE_PHASES = {  # of a node's life, as relmath.fleet.closed_loop tells it
    "sound": ("sound", "#9ecae1"),
    "faulty": ("faulty, nobody knows", COLOURS[1]),
    "problem": ("known, within its grace", COLOURS[4]),
    "repair": ("in repair", "#999999"),
    "spare": ("waiting as a spare", COLOURS[2]),
}
SLOT_PHASES = {  # of a place on which jobs run
    "computing": ("computing", "#9ecae1"),
    "slow": ("computing slowly", COLOURS[3]),
    "starting": ("starting", COLOURS[0]),
    "dead": ("dead, nobody knows", COLOURS[1]),
    "waiting": ("waiting for a node", "#999999"),
}


def timeline(spans: Sequence[Span], row: float, phases: Mapping[str, tuple[str, str]] = PHASES) -> None:
    """Draw a life, span by span, in rows of so many seconds, as a text is set; failures of a job are crossed."""
    rows = int(np.ceil(spans[-1].end / row))
    with plt.rc_context({**STYLE, "axes.grid": False}):
        _, axes = plt.subplots(layout="constrained", figsize=(7.2, 1.1 + 0.42 * rows))
        for phase, (label, colour) in phases.items():
            edges = [(span.start, span.end) for span in spans if span.phase == phase]
            axes.plot([], color=colour, linewidth=8, label=label)
            for line in range(rows):
                pieces = np.clip(edges, line * row, (line + 1) * row).reshape(-1, 2) - line * row
                bars = [(start, end - start) for start, end in pieces / minute if end > start]
                axes.broken_barh(bars, (line - 0.3, 0.6), color=colour, linewidth=0)
        failures = np.array([span.end for span, after in pairwise(spans) if _fails(span, after)])
        if failures.size:
            axes.plot(failures % row / minute, failures // row, "x", color="black", markersize=7, label="failure")
        axes.set(xlabel="minutes", xlim=(0, row / minute))
        axes.set_yticks(range(rows), [f"{line * row / hour:g} h" for line in range(rows)])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize="small", handlelength=1)
        plt.show()


def _fails(span: Span, after: Span) -> bool:
    """Tell whether a span ends in a failure: work that was lost, or a restart that leads to no computing."""
    return span.phase == "lost" or (span.phase == "restart" and after.phase not in ("useful", "lost"))


def heat(
    values: np.ndarray,
    x_label: str,
    y_label: str,
    colour_label: str,
    *,
    missing: str,
    x_ticks: Mapping[int, str],
    y_ticks: Mapping[int, str],
) -> None:
    """Draw a map of ``values[row, column]`` in shades; cells of NaN are hatched, and ``missing`` names them."""
    with plt.rc_context(STYLE | {"axes.grid": False, "hatch.linewidth": 0.8}):
        _, axes = plt.subplots(layout="constrained", figsize=(7.2, 4.2))
        shades = axes.pcolormesh(np.ma.masked_invalid(values), cmap="viridis")
        for row, column in np.argwhere(np.isnan(values)):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor="white", edgecolor="black", hatch="////"))
        axes.set_xticks([place + 0.5 for place in x_ticks], list(x_ticks.values()))
        axes.set_yticks([place + 0.5 for place in y_ticks], list(y_ticks.values()))
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.figure.colorbar(shades, ax=axes, label=colour_label)
        hatched = Patch(facecolor="white", edgecolor="black", hatch="////", label=missing)
        axes.legend(handles=[hatched], loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)
        plt.show()


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Markdown:
    """Return a table, its columns after the first aligned to the right, as numbers are read.

    A number keeps together with what follows it, its unit or more of its digits.
    """
    lines = [header, [":--"] + ["--:"] * (len(header) - 1), *rows]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    return Markdown(re.sub(r"(?<=\d) (?=[\w%])", "\N{NO-BREAK SPACE}", text))  # type: ignore[no-untyped-call]


def _mark(axes: Axes, points: Mapping[str, tuple[float, float]]) -> None:
    """Mark named places."""
    for label, place in points.items():
        axes.plot(*place, "o", color="black", markersize=6)
        # On a ground of its own: a label stands above its place, where a curve may pass. The page inverts it, too.
        ground = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        axes.annotate(label, place, xytext=(0, 9), textcoords="offset points", ha="center", bbox=ground)


def _finish(axes: Axes, x_label: str, y_label: str, log: str) -> None:
    """Label the axes, and write plain numbers on logarithmic ones."""
    axes.set(xlabel=x_label, ylabel=y_label)
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if name in log:
            axes.set(**{f"{name}scale": "log"})
            axis.set_major_locator(LogLocator(subs=_steps(*axis.get_view_interval())))
            axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
            axis.set_minor_locator(NullLocator())


def _steps(low: float, high: float) -> tuple[int, ...]:
    """Steps within each decade of a logarithmic axis: 1, 2 and 5, if there is room for their labels."""
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.log10(high))
    labels = [plain(tick) for tick in np.outer(decades, (1, 2, 5)).flat if low <= tick <= high]
    return (1, 2, 5) if len("  ".join(labels)) < 62 else (1,)


def plain(value: float) -> str:
    """Six digits at most, thousands apart, and no power of ten but for the very large and small."""
    short = float(f"{value:.6g}")
    if 1e-6 < short < 1:
        return np.format_float_positional(short, trim="-")
    return grouped(short) if 1000 <= short < 1e7 else f"{short:g}"
