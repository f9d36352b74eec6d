"""The face of an explorer in a kernel: widgets over relmath's functions, and a picture drawn by matplotlib."""

from __future__ import annotations

import io
import math
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from relmath.notebook import page
from relmath.notebook.figures import COLOURS, DASHES, STYLE, plain
from relmath.notebook.quantity import Unit, show

if TYPE_CHECKING:
    from relmath.notebook.explorer import Explorer, Setting, Slider

VIEW = "application/vnd.jupyter.widget-view+json"
POINTS = 300
MARKER_STYLES = ("--", ":", "-.")


def bundle(key: str, text: str, html: str, widget: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give what a notebook's outputs hold of an explorer: its faces, and the name by which other pages show it.

    The name stands where MyST's ``glue`` would put it, which takes 3 s to import.
    """
    faces = {"text/plain": f"Explorer {key}: {text}", "text/html": html, VIEW: widget._repr_mimebundle_()[VIEW]}
    return faces, {"scrapbook": {"name": key, "mime_prefix": ""}}


def panel(explorer: Explorer) -> Any:
    """Build the widgets: sliders, and a picture and numbers that follow them."""
    sliders = {slider.name: _slider(slider) for slider in explorer.inputs}
    image = widgets.Image(format="png")
    numbers = widgets.HTML()

    def follow(_: Any = None) -> None:
        setting = {s.name: sliders[s.name].value * s.quantity.factor for s in explorer.inputs}
        image.value = draw(explorer, setting)
        numbers.value = tell(explorer, setting)

    for slider in sliders.values():
        slider.observe(follow, names="value")
    follow()
    return widgets.VBox([image, *sliders.values(), numbers])


def draw(explorer: Explorer, setting: Setting) -> bytes:
    """Draw the curves at a setting, as PNG."""
    x, factor, y_factor = explorer.x, explorer.x.quantity.factor, Unit(explorer.y_unit).factor
    along = x.between(POINTS)
    lines = explorer.values({**setting, x.name: along * factor})
    here = explorer.values(setting)
    with mpl.rc_context(STYLE):
        figure = Figure(dpi=100)
        figure.subplots_adjust(left=0.1, right=0.98, bottom=0.15, top=0.85)
        axes = figure.subplots()
        for curve, colour, dash in zip(explorer.curves, COLOURS, DASHES, strict=False):
            axes.plot(along, lines[curve.name] / y_factor + 0 * along, color=colour, linestyle=dash, label=curve.label)
            axes.plot(setting[x.name] / factor, here[curve.name] / y_factor, "o", color=colour)
        for marker, style in zip(explorer.markers, MARKER_STYLES, strict=False):
            axes.axvline(here[marker.name] / factor, color="black", linewidth=1, linestyle=style, label=marker.label)
        axes.axvline(setting[x.name] / factor, color="black", linewidth=1)
        axes.set(xscale="log" if x.is_log else "linear", yscale="log" if explorer.y_log else "linear")
        axes.set(xlim=x.box, ylim=explorer.y_range)
        axes.set(xlabel=x.quantity.labelled(x.label), ylabel=Unit(explorer.y_unit).labelled(explorer.y))
        for axis, ends, log in ((axes.xaxis, x.box, x.is_log), (axes.yaxis, explorer.y_range, explorer.y_log)):
            if log:
                axis.set_ticks(page.ticks(ends), [plain(tick) for tick in page.ticks(ends)])
                axis.set_minor_locator(NullLocator())
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize="small")
        png = io.BytesIO()
        figure.savefig(png, format="png", facecolor="white", pil_kwargs={"compress_level": 1})
    return png.getvalue()


def tell(explorer: Explorer, setting: Setting) -> str:
    """Write the numbers at a setting, and what may be said of the model there, as HTML."""
    shown = {name: show(value, explorer.unit(name)) for name, value in explorer.values(setting).items()}
    rows = [f"<tr><td>{escape(f.label)}</td><td><b>{shown[f.name]}</b></td></tr>" for f in explorer.formulas]
    return f"<table>{''.join(rows)}</table><p>{escape(explorer.judge(setting)[1])}</p>"


def _slider(slider: Slider) -> Any:
    low, high = slider.box
    look = {
        "value": slider.value,
        "description": slider.quantity.labelled(slider.label),
        "style": {"description_width": "14em"},
        "layout": {"width": "40em"},
    }
    if slider.is_whole:
        return widgets.IntSlider(min=round(low), max=round(high), **look)
    if slider.is_log:
        low, high = math.log10(low), math.log10(high)
        return widgets.FloatLogSlider(min=low, max=high, step=(high - low) / POINTS, readout_format=".4g", **look)
    return widgets.FloatSlider(min=low, max=high, step=(high - low) / POINTS, readout_format=".4g", **look)
