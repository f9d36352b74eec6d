"""The face of an explorer in a built page: plain HTML around a Vega-Lite chart, which ``explorer.js`` brings to life.

All of it is the same on every machine: numbers that processors round differently are cut to fewer digits here, and
have all of them in the reader's browser, which computes them anew.
"""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import sympy as sp

from relmath.notebook.figures import COLOURS
from relmath.notebook.quantity import Unit, show
from relmath.notebook.vega import vega

if TYPE_CHECKING:
    from relmath.notebook.explorer import Curve, Explorer, Readout, Slider

Json = dict[str, Any]

WIDTH, HEIGHT = 640, 300
STEPS = 300  # of a slider, and of a curve in the page
STILL_STEPS = 90  # of a curve in the still picture
STILL = "application/vnd.vegalite+json"
FONT = "Liberation Sans"  # which vl-convert brings along: a still picture is laid out alike everywhere
DASHES: tuple[list[int], ...] = ([], [7, 4], [9, 3, 2, 3], [2, 3])
MARKER_DASHES = ([5, 3], [2, 3], [9, 3, 2, 3])
ROW = 16  # height of a marker's label above the chart

_POINT = {
    **{"type": "point", "clip": True, "filled": True, "size": 80, "opacity": 1},
    **{"stroke": "var(--pst-color-background, white)", "strokeWidth": 1.5},
}
_PAGE = """\
<div class="explorer" id="explorer-{key}" role="group" aria-label="Explorer: {title}">
<div class="explorer-picture">{picture}</div>
<p class="explorer-legend">
<span class="explorer-point">{point}</span>
{legend}
</p>
<p class="explorer-setting">{setting}</p>
<div class="explorer-desk">
<div class="explorer-sliders" hidden>
{sliders}
</div>
<dl class="explorer-readouts">
{readouts}
</dl>
</div>
<p class="explorer-validity" data-tone="{tone}" aria-live="polite">{sentence}</p>
<p class="explorer-actions" hidden>
<button type="button" data-action="link">Copy link</button>
<button type="button" data-action="python">Copy as Python</button>
<button type="button" data-action="reset">Reset</button>
<span role="status"></span>
</p>
<script type="application/json">{definition}</script>
</div>"""


def html(explorer: Explorer) -> str:
    """Give HTML that can be read without any script, and used with ``explorer.js``."""
    shown = {name: show(value, explorer.unit(name)) for name, value in explorer.values().items()}
    tone, sentence = explorer.judge()
    parts = {
        "key": explorer.key,
        "title": escape(explorer.y),
        "picture": still(explorer),
        "point": f"<i>{_pretty(explorer.x)}</i> = {_output(explorer.x.name, _initial(explorer.x))}",
        "legend": "\n".join(_legend(i, curve, shown) for i, curve in enumerate(explorer.curves)),
        "setting": escape(", ".join(f"{slider.label} {_initial(slider)}" for slider in explorer.inputs)),
        "sliders": "\n".join(_slider(explorer.key, slider) for slider in explorer.inputs),
        "readouts": "\n".join(_readout(readout, shown) for readout in explorer.readouts),
        "tone": tone,
        "sentence": escape(sentence),
        "definition": _in_script(definition(explorer)),
    }
    return _PAGE.format_map(parts)


def definition(explorer: Explorer) -> Json:
    """Give all that ``explorer.js`` must know of an explorer."""
    units = {part.name: explorer.unit(part.name) for part in (*explorer.inputs, *explorer.formulas)}
    return {
        "key": explorer.key,
        "inputs": [_input(slider) for slider in explorer.inputs],
        "kinds": {name: unit.kind for name, unit in units.items()},
        "scales": {unit.kind: unit.scales for unit in units.values()},
        "validity": [[said.tone, said.text] for said in explorer.validity],
        "python": python(explorer),
        "spec": live_chart(explorer),
    }


def python(explorer: Explorer) -> str:
    """Write the setting, and all that is shown there, as a program with places for the numbers.

    ``{mtbf}`` is the place of a slider's value in its unit, ``{=young}`` that of a result as it is shown.
    """
    modules = sorted({function.__module__ for formula in explorer.formulas for function in formula.functions})
    units = sorted({name for slider in explorer.inputs for name in slider.unit.split("/")} - {"1"})
    return "\n".join(
        [
            *("from {0} import {2}".format(*module.rpartition(".")) for module in modules),
            *([f"from relmath.units import {', '.join(units)}"] if units else []),
            "",
            *(f"{slider.name} = {{{slider.name}}}{_times(slider.unit)}" for slider in explorer.inputs),
            "",
            *(f"{formula.name} = {explorer.python(formula)}  # {{={formula.name}}}" for formula in explorer.formulas),
            "",
        ]
    )


def live_chart(explorer: Explorer) -> Json:
    """Give the chart whose numbers the browser computes from the derived expressions, as the sliders move."""
    x, y_factor = explorer.x, Unit(explorer.y_unit).factor
    low, high = x.box
    share = f"datum.i/{STEPS}"
    along = f"{low}*pow({high / low}, {share})" if x.is_log else f"{low} + {high - low}*{share}"
    along = f"round({along})" if x.is_whole else along
    one_row: Json = {"values": [{}]}
    curves = [vega(curve.expression, {x.symbol: "datum.si"}) for curve in explorer.curves]
    names = {formula.symbol: formula.name for formula in explorer.formulas}
    cases = [f"({vega(said.condition, names)}) ? {i} : " for i, said in enumerate(explorer.validity[:-1])]
    params = [
        *({"name": slider.name, "value": slider.si} for slider in explorer.inputs),
        *({"name": formula.name, "expr": vega(formula.expression, names)} for formula in explorer.formulas),
        {"name": "verdict", "expr": "".join(cases) + str(len(cases))},
    ]
    numbers = _Numbers(
        axis={"data": {"sequence": {"start": 0, "stop": STEPS + 1, "as": "i"}}}
        | _calculated(x=along, si=f"datum.x*{x.quantity.factor}"),
        curves=[_calculated(y=f"({curve})/{y_factor}") for curve in curves],
        here={"data": one_row} | _calculated(x=f"{x.name}/{x.quantity.factor}"),
        points=[_calculated(y=f"{curve.name}/{y_factor}") for curve in explorer.curves],
        markers=[{"data": one_row} | _calculated(x=f"{m.name}/{x.quantity.factor}") for m in explorer.markers],
    )
    return {"params": params} | _chart(explorer, numbers)


def still_chart(explorer: Explorer) -> Json:
    """Give the same chart with its numbers in it, computed by relmath's functions, where the sliders stand at first."""
    x, y_factor = explorer.x, Unit(explorer.y_unit).factor
    along = x.between(STILL_STEPS + 1)
    lines = explorer.values({x.name: along * x.quantity.factor})
    here = explorer.values()
    numbers = _Numbers(
        axis={},
        curves=[_inline(x=along, y=lines[curve.name] / y_factor) for curve in explorer.curves],
        here=_inline(x=x.value),
        points=[_inline(x=x.value, y=here[curve.name] / y_factor) for curve in explorer.curves],
        markers=[_inline(x=here[marker.name] / x.quantity.factor) for marker in explorer.markers],
    )
    return {"usermeta": {"key": explorer.key}} | _chart(explorer, numbers)


def still(explorer: Explorer) -> str:
    """Hold the place of the still picture, by its chart, which the build of the page draws there.

    To draw it here would start a browser's engine in every kernel, for what only a page without scripts shows.
    """
    return f'<script type="{STILL}">{_in_script(still_chart(explorer))}</script>'


class _Numbers(NamedTuple):
    """Where a chart has its numbers from: the data and transforms of its layers."""

    axis: Json
    curves: list[Json]
    here: Json
    points: list[Json]
    markers: list[Json]


def _chart(explorer: Explorer, numbers: _Numbers) -> Json:
    """Lay out a chart: the curves, a line for each marker, and the reader's own point on every curve."""
    x = explorer.x
    curves = [{**data, "mark": {"type": "line", "clip": True, **_line(i)}} for i, data in enumerate(numbers.curves)]
    points = [{**data, "mark": {**_POINT, "fill": colour(i)}} for i, data in enumerate(numbers.points)]
    return {
        "description": f"{explorer.y} over {x.label}: {', '.join(curve.label for curve in explorer.curves)}",
        "width": WIDTH,
        "height": HEIGHT,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        "encoding": {
            "x": _axis("x", x.label, x.quantity, x.box, x.is_log),
            "y": _axis("y", explorer.y, Unit(explorer.y_unit), explorer.y_range, explorer.y_log),
        },
        "layer": [
            {**numbers.axis, "layer": curves},
            *(_marker(explorer, i, data) for i, data in enumerate(numbers.markers)),
            {**numbers.here, "layer": [_rule(0, []), *points]},
        ],
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "mark": {"aria": False},
            "axis": {
                **{f"{part}Color": "currentColor" for part in ("label", "title", "tick", "domain", "grid")},
                **{"gridOpacity": 0.13, "tickOpacity": 0.5, "domainOpacity": 0.5},
                **{"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal", "labelFlush": False},
            },
        },
    }


def colour(i: int) -> str:
    """Give the colour of a curve: the page's, or its own where there is no page around it."""
    return f"var(--explorer-{i + 1}, {COLOURS[i]})"


def _line(i: int) -> Json:
    """Curves differ in colour, dash and weight."""
    return {"stroke": colour(i), "strokeWidth": 2 if i else 3, "strokeDash": DASHES[i]}


def _rule(top: float, dash: list[int]) -> Json:
    """Draw a line from top to bottom of the chart."""
    mark = {"type": "rule", "stroke": "currentColor", "strokeOpacity": 0.75, "strokeDash": dash}
    return {"mark": mark, "encoding": {"y": {"value": top}, "y2": {"value": HEIGHT}}}


def _marker(explorer: Explorer, i: int, data: Json) -> Json:
    """Draw a line with its label in a row of its own above the chart, on the side where there is room."""
    low, high = explorer.x.box
    middle = math.sqrt(low * high) if explorer.x.is_log else (low + high) / 2
    bottom = -4 - ROW * i
    label = {
        "type": "text",
        "text": explorer.markers[i].label,
        "fill": "currentColor",
        "fontSize": 12,
        "baseline": "bottom",
        "align": {"expr": f"datum.x > {middle:.6g} ? 'right' : 'left'"},
        "dx": {"expr": f"datum.x > {middle:.6g} ? -5 : 5"},
    }
    text = {"mark": label, "encoding": {"y": {"value": bottom}}}
    in_view = {"filter": f"datum.x >= {low} && datum.x <= {high}"}
    transform = [*data.get("transform", []), in_view]
    return {**data, "transform": transform, "layer": [_rule(bottom - ROW + 4, MARKER_DASHES[i]), text]}


def _axis(field: str, label: str, unit: Unit, ends: tuple[float, float], log: bool) -> Json:
    """Give an axis that stays where it is, with plain numbers along it."""
    low, high = ends
    return {
        "field": field,
        "type": "quantitative",
        "title": unit.labelled(label),
        "scale": {"type": "log" if log else "linear", "domain": [low, high], "nice": False},
        "axis": {
            "format": ",~r",
            "labelExpr": r"replace(datum.label, /,/g, '\u00a0')",  # thousands as in the numbers below
            **({"values": ticks(ends)} if log else {"tickCount": 6}),
        },
    }


def ticks(ends: tuple[float, float]) -> list[float]:
    """Give the numbers to write on a logarithmic axis: 1, 2, 5, 10, or powers of ten where it is long."""
    low, high = ends
    steps = (1, 2, 5) if high <= 1e3 * low else (1,)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    numbers = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [number for number in numbers if low <= number <= high]


def _calculated(**expressions: str) -> Json:
    return {"transform": [{"calculate": expression, "as": name} for name, expression in expressions.items()]}


def _inline(**columns: Any) -> Json:
    rows = zip(*np.broadcast_arrays(*map(np.atleast_1d, columns.values())), strict=True)
    return {"data": {"values": [dict(zip(columns, (float(f"{v:.6g}") for v in row), strict=True)) for row in rows]}}


def _pretty(slider: Slider) -> str:
    letter, _, index = slider.symbol.name.partition("_")
    written = escape(sp.pretty(sp.Symbol(letter), use_unicode=True))
    return f"{written}<sub>{escape(index)}</sub>" if index else written


def _initial(slider: Slider) -> str:
    return show(slider.si, slider.quantity, trim=True)


def _output(name: str, text: str) -> str:
    """Give a place for a number; ``explorer.js`` adds all its digits, in SI, as ``data-value``."""
    return f'<output data-name="{name}" aria-live="off">{text}</output>'  # or each step of a slider reads all of them


def _input(slider: Slider) -> Json:
    return {
        "name": slider.name,
        "label": slider.label,
        "sign": slider.quantity.sign,
        "factor": slider.quantity.factor,
        "box": slider.box,
        "value": slider.value,
        "log": slider.is_log,
        "whole": slider.is_whole,
        "steps": _steps(slider),
    }


def _steps(slider: Slider) -> int:
    low, high = slider.box
    return min(STEPS, round(high - low)) if slider.is_whole else STEPS


def _slider(key: str, slider: Slider) -> str:
    identity, label, sign = f"explorer-{key}-{slider.name}", escape(slider.label), escape(slider.quantity.sign)
    exact = f"{label}, in {sign}" if sign else label
    return f"""\
<div class="explorer-slider" data-name="{slider.name}">
<label for="{identity}">{label} <i>{_pretty(slider)}</i></label>
{_output(slider.name, _initial(slider))}
<input type="range" id="{identity}" min="0" max="{_steps(slider)}">
<span class="explorer-exact"><input type="text" inputmode="decimal" aria-label="{exact}" \
aria-describedby="{identity}-error"> <span>{sign}</span></span>
<p class="explorer-error" id="{identity}-error" role="alert"></p>
</div>"""


def _legend(i: int, curve: Curve, shown: dict[str, str]) -> str:
    line = _line(i)
    dash = " ".join(map(str, line["strokeDash"])) or "none"
    return f"""\
<span class="explorer-curve"><svg viewBox="0 0 32 8" width="32" height="8" aria-hidden="true">\
<path d="M0 4H32" stroke="{line["stroke"]}" stroke-width="{line["strokeWidth"]}" stroke-dasharray="{dash}"/></svg> \
{escape(curve.label)} {_output(curve.name, shown[curve.name])}</span>"""


def _readout(readout: Readout, shown: dict[str, str]) -> str:
    return f"<div><dt>{escape(readout.label)}</dt><dd>{_output(readout.name, shown[readout.name])}</dd></div>"


def _times(unit: str) -> str:
    """Multiply by a unit, in code."""
    first, *rest = unit.split("/")
    return ("" if first == "1" else f" * {first}") + "".join(f" / {name}" for name in rest)


def _in_script(definition: Json) -> str:
    """Write JSON that cannot end the script in which it stands."""
    return json.dumps(definition, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
