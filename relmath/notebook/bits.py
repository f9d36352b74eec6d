"""An explorer of bits: the reader picks a format, a value and a bit, and sees what a flip makes of it.

Like :class:`relmath.notebook.explorer.Explorer` it has two faces. In a kernel it is widgets over
:mod:`relmath.corruption`. In a built page ``bits.js`` decodes the bits, in the few lines that this takes; tests hold it
against relmath for every pattern of the formats of 8 and 16 bits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from html import escape
from typing import Any

import ipywidgets as widgets
import numpy as np

from relmath import corruption
from relmath.corruption import FORMATS, Format
from relmath.notebook import panel
from relmath.notebook.quantity import significant, trimmed

LABELS = {
    "float16": "FP16",
    "bfloat16": "BF16",
    "float32": "FP32",
    "float8_e4m3fn": "FP8 E4M3",
    "float8_e5m2": "FP8 E5M2",
}
DIGITS = 7
SENTENCES = {
    "nan": (
        "outside",
        "The pattern means NaN now. Every sum that it enters becomes NaN, and a check for finite values finds it.",
    ),
    "infinite": ("outside", "The value is infinite now. A check for finite values finds it."),
    "up": (
        "outside",
        "A bit of the exponent: the value is multiplied by {power} exactly. It stays finite, so a check for NaN or "
        "infinity does not find it.",
    ),
    "down": (
        "doubtful",
        "A bit of the exponent: the value is divided by {power} exactly, so it moves by less than its own size.",
    ),
    "exponent": (
        "doubtful",
        "A bit of the exponent, but before or after the flip the exponent is 0, as that of zero and of subnormal "
        "numbers: the factor is not {power}.",
    ),
    "sign": ("doubtful", "The sign: the value keeps its size, and moves by twice that."),
    "fraction": ("fine", "A bit of the fraction: the value moves by {change}."),
}
READOUTS = {
    "after": "value after the flip",
    "factor": "after / before",
    "change": "after − before",
    "pattern": "pattern before",
    "flipped": "pattern after",
}

_PAGE = """\
<div class="explorer explorer-bits" id="explorer-{key}" role="group" aria-label="Explorer: a flipped bit">
<div class="explorer-picture">
{before}
{after}
</div>
<p class="explorer-setting">{setting}</p>
<div class="explorer-desk">
<div class="explorer-sliders" hidden>
<div class="explorer-slider" data-name="format">
<label for="explorer-{key}-format">Format</label>
<select id="explorer-{key}-format" aria-describedby="explorer-{key}-format-error">{formats}</select>
<p class="explorer-error" id="explorer-{key}-format-error" role="alert"></p>
</div>
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
_PYTHON = """\
from relmath import corruption

dtype = "{format}"
bit = {bit}
value = corruption.nearest({value}, dtype)
after = corruption.flip(value, bit, dtype)  # {=after}
"""


@dataclass(frozen=True)
class BitExplorer:
    """A number of a floating-point format, and one of its bits to flip.

    Parameters
    ----------
    key : str
        Its name in the page and in the page's address.
    dtype : str
        The format at first, by its name in :data:`relmath.corruption.FORMATS`.
    value : number
        The value at first; rounded to the format.
    bit : int
        The bit at first.

    Examples
    --------
    >>> explorer = BitExplorer(value=0.02)
    >>> explorer.values()["after"], explorer.values({"format": "bfloat16", "bit": 0})["after"]
    (1311.0, 0.0201416015625)
    >>> explorer.judge({"value": 1.0})
    ('outside', 'The value is infinite now. A check for finite values finds it.')
    """

    key: str = "bits"
    dtype: str = "float16"
    value: float = 1.5
    bit: int = 14

    def __post_init__(self) -> None:
        """Let relmath refuse what is no number, no bit or no format."""
        self.values()

    @property
    def setting(self) -> dict[str, Any]:
        """Format, value and bit at first."""
        return {"format": self.dtype, "value": self.value, "bit": self.bit}

    def values(self, setting: Mapping[str, Any] | None = None) -> dict[str, float]:
        """Compute all that is shown, by relmath, at first or at a setting."""
        dtype, value, bit = (self.setting | dict(setting or {})).values()
        held = corruption.nearest(value, dtype)
        after = corruption.flip(held, bit, dtype)
        pattern = int(corruption.encode(held, dtype))
        with np.errstate(all="ignore"):  # 0 has no factor, infinity no difference
            factor, change = np.divide(after, held), np.subtract(after, held)
        return {
            "value": float(held),
            "bit": bit,
            "after": float(after),
            "factor": float(factor),
            "change": float(change),
            "pattern": pattern,
            "flipped": pattern ^ 2**bit,
        }

    def judge(self, setting: Mapping[str, Any] | None = None) -> tuple[str, str]:
        """Tone and sentence on what became of the value, at first or at a setting."""
        at = self.setting | dict(setting or {})
        form, numbers = FORMATS[at["format"]], self.values(setting)
        power = at["bit"] - form.fraction_bits
        tone, sentence = SENTENCES[_kind(form, power, numbers["value"], numbers["after"])]
        return tone, sentence.format(power=_factor(power), change=_number(numbers["change"]))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        text = "a bit of a number is flipped; to be set: format, value, bit"
        return panel.bundle(self.key, text, self._html(), self._panel())

    def _html(self) -> str:
        """Give HTML that can be read without any script, and used with ``bits.js``."""
        form, numbers = FORMATS[self.dtype], self.values()
        tone, sentence = self.judge()
        definition = {
            "key": self.key,
            "initial": self.setting | {"value": numbers["value"]},
            "formats": {name: _fields(FORMATS[name]) for name in LABELS},
            "sentences": SENTENCES,
            "digits": DIGITS,
            "python": _PYTHON,
        }
        shown = {name: _shown(name, number, form) for name, number in numbers.items()}
        parts = {
            "key": self.key,
            "before": _row("before", numbers["pattern"], form, self.bit),
            "after": _row("after", numbers["flipped"], form, self.bit),
            "setting": f"Format {LABELS[self.dtype]}, value {shown['value']}, bit {shown['bit']}",
            "formats": "".join(
                f'<option value="{name}"{" selected" if name == self.dtype else ""}>{label}</option>'
                for name, label in LABELS.items()
            ),
            "sliders": _slider(self.key, "value", "Value", shown) + "\n" + _slider(self.key, "bit", "Bit", shown),
            "readouts": "\n".join(
                f"<div><dt>{label}</dt><dd>{_output(name, shown)}</dd></div>" for name, label in READOUTS.items()
            ),
            "tone": tone,
            "sentence": escape(sentence),
            "definition": json.dumps(definition, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
        }
        return _PAGE.format_map(parts)

    def _panel(self) -> Any:
        """Build the widgets of a kernel."""
        style = {"description_width": "6em"}
        form = widgets.Dropdown(options=[(label, name) for name, label in LABELS.items()], value=self.dtype)
        form.description, form.style = "Format", style
        value = widgets.FloatText(value=self.values()["value"], description="Value", style=style)
        bit = widgets.IntSlider(value=self.bit, min=0, max=FORMATS[self.dtype].bits - 1, description="Bit", style=style)
        picture = widgets.HTML()

        def follow(_: Any = None) -> None:
            bit.max = FORMATS[form.value].bits - 1
            try:
                picture.value = self._told({"format": form.value, "value": value.value, "bit": bit.value})
            except ValueError as error:
                picture.value = f"<p>{escape(str(error))}</p>"

        for control in (form, value, bit):
            control.observe(follow, names="value")
        follow()
        return widgets.VBox([form, value, bit, picture])

    def _told(self, setting: Mapping[str, Any]) -> str:
        """Write bits and numbers at a setting, for a kernel."""
        form, numbers = FORMATS[setting["format"]], self.values(setting)
        rows = []
        for name, pattern in (("before", numbers["pattern"]), ("after", numbers["flipped"])):
            groups = [
                "".join(f"<u>{digit}</u>" if place == setting["bit"] else digit for place, digit in cells)
                for _, cells in _groups(int(pattern), form)
            ]
            rows.append(f"<tr><td>{name}</td><td><code>{' '.join(groups)}</code></td></tr>")
        labels = {"value": "value"} | READOUTS
        rows += [
            f"<tr><td>{label}</td><td><b>{_shown(name, numbers[name], form)}</b></td></tr>"
            for name, label in labels.items()
        ]
        return f"<table>{''.join(rows)}</table><p>{escape(self.judge(setting)[1])}</p>"


def _kind(form: Format, power: int, before: float, after: float) -> str:
    """Say what a flip did; ``bits.js`` says the same."""
    if np.isnan(after):
        return "nan"
    if np.isinf(after):
        return "infinite"
    if power < 0:
        return "fraction"
    if power == form.exponent_bits:
        return "sign"
    factor = 2.0**2**power
    if before != 0 and after == before * factor:
        return "up"
    return "down" if before != 0 and after == before / factor else "exponent"


def _fields(form: Format) -> dict[str, Any]:
    """Give what ``bits.js`` must know of a format."""
    return {
        "label": LABELS[form.name],
        "exponent": form.exponent_bits,
        "fraction": form.fraction_bits,
        "infinite": form.has_infinity,
        "special": form.special_pattern,
    }


def _groups(pattern: int, form: Format) -> list[tuple[str, list[tuple[int, str]]]]:
    """Cut a pattern into its parts, each with its bits from the highest."""
    digits = [(place, str(pattern >> place & 1)) for place in reversed(range(form.bits))]
    ends = (0, 1, 1 + form.exponent_bits, form.bits)
    parts = ("sign", "exponent", "fraction")
    return [(part, digits[low:high]) for part, low, high in zip(parts, ends, ends[1:], strict=False)]


def _row(name: str, pattern: float, form: Format, bit: int) -> str:
    """Draw the bits of a pattern; ``bits.js`` does the same."""
    groups = _groups(int(pattern), form)
    told = ", ".join(f"{part} {''.join(digit for _, digit in cells)}" for part, cells in groups)
    drawn = "".join(
        f'<span class="bits-group" data-part="{part}"><span class="bits-name">{part}</span><span class="bits-cells">'
        + "".join(
            f'<span class="bits-cell" data-bit="{place}"{" data-flipped" if place == bit else ""}>{digit}</span>'
            for place, digit in cells
        )
        + "</span></span>"
        for part, cells in groups
    )
    return (
        f'<div class="bits-row" data-row="{name}"><span class="bits-when">{name}</span>'
        f'<span class="bits" role="img" aria-label="{name}: {told}">{drawn}</span></div>'
    )


def _factor(power: int) -> str:
    """Write the factor of a bit of the exponent without rounding: 65 536, and 2¹²⁸ where it is longer."""
    if power < 0:
        return ""
    return _number(2**2**power) if power <= 4 else "2" + str(2**power).translate(_SUPERSCRIPTS)


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _number(number: float) -> str:
    """Write a number of a format: ties, of which binary fractions have many, are rounded up, as browsers do."""
    if np.isnan(number):
        return "NaN"
    if number == 0 and np.signbit(number):
        return "−0"
    if np.isfinite(number):
        with localcontext(rounding=ROUND_HALF_UP):
            number = float(f"{Decimal(number):.{DIGITS - 1}e}")
    return trimmed(significant(number, DIGITS))


def _shown(name: str, number: float, form: Format) -> str:
    if name == "bit":
        part = next(part for part, cells in _groups(0, form) for place, _ in cells if place == number)
        return f"{number} ({part})"
    if name in ("pattern", "flipped"):
        return f"0x{int(number):0{form.bits // 4}X}"
    return _number(number)


def _output(name: str, shown: Mapping[str, str]) -> str:
    return f'<output data-name="{name}" aria-live="off">{shown[name]}</output>'


def _slider(key: str, name: str, label: str, shown: Mapping[str, str]) -> str:
    identity = f"explorer-{key}-{name}"
    return f"""\
<div class="explorer-slider" data-name="{name}">
<label for="{identity}">{label}</label>
{_output(name, shown)}
<input type="range" id="{identity}" min="0" max="100">
<span class="explorer-exact"><input type="text" inputmode="decimal" aria-label="{label}, as a number" \
aria-describedby="{identity}-error"></span>
<p class="explorer-error" id="{identity}-error" role="alert"></p>
</div>"""
