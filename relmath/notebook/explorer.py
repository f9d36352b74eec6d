"""The book's one interactive object: formulas that the chapter derived, with sliders for what they depend on.

It is defined once and has two faces. In a kernel it is a panel of widgets over relmath's functions
(:mod:`relmath.notebook.panel`). In a built page, where there is no kernel, it is a chart that evaluates the very
expressions that the chapter derived (:mod:`relmath.notebook.page`). That the two agree is checked when it is made.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, lru_cache
from keyword import iskeyword
from typing import Any

import numpy as np
import sympy as sp
from scipy import special
from sympy.logic.boolalg import Boolean
from sympy.utilities.lambdify import implemented_function

from relmath import checkpoints
from relmath.notebook import page, panel
from relmath.notebook.agree import compare, ends, is_number, sample
from relmath.notebook.notation import code_name, symbols
from relmath.notebook.quantity import Unit, show
from relmath.notebook.vega import accurate

Function = Callable[..., Any]
Setting = Mapping[str, Any]  # the code name of each slider, and its value in SI

TONES = ("fine", "doubtful", "outside")
TAKEN = ("verdict", "width", "height", "padding")  # names that the chart uses itself
PLACE = re.compile(r"\{(\w+)\}")  # of a value in a sentence
POINTS = 200  # at which a formula is held to be defined
PAGE_TOLERANCE = 1e-9  # relative difference of what a page shows from relmath


@dataclass(frozen=True)
class Slider:
    """A quantity that the reader sets.

    Parameters
    ----------
    symbol : sympy.Symbol
        Its symbol in the expressions; the code name of the symbol in the table of notation is the name of the
        parameter of relmath's functions. An integer symbol takes whole numbers only.
    label : str
        What it is called beside the slider.
    unit : str
        The unit in which it is entered, by its name in :mod:`relmath.units` (``"hour"``), a ratio of two
        (``"GB/second"``), or ``"1"``.
    box : tuple of two numbers
        The least and the largest value, in that unit; above 0 if the symbol is positive or the slider logarithmic.
    value : number
        Where it stands at first, in that unit.
    log : bool, optional
        Whether equal steps are equal ratios. They are if the box spans more than a decade above 0.
    """

    symbol: Any
    label: str
    unit: str
    box: tuple[float, float]
    value: float
    log: bool | None = None

    def __post_init__(self) -> None:
        """Check symbol, unit, box and value."""
        if self.symbol != symbols(str(self.symbol)):
            raise ValueError(f"{self.label}: symbol must be the one that symbols('{self.symbol}') gives")
        Unit(self.unit)
        low, high = ends(f"{self.label}: box", self.box, above_0=bool(self.log or self.symbol.is_positive))
        if not is_number(self.value, low, high):
            raise ValueError(f"{self.label}: value must be a number in the box {self.box}, but is {self.value!r}")
        if self.is_whole and any(number % 1 for number in (low, high, self.value)):
            raise ValueError(f"{self.label}: box and value must be whole, but are {self.box} and {self.value}")

    @property
    def name(self) -> str:
        """Its name in code: the parameter of relmath's functions."""
        return code_name(self.symbol)

    @property
    def is_log(self) -> bool:
        """Whether equal steps are equal ratios."""
        low, high = self.box
        return 0 < 10 * low < high if self.log is None else self.log

    @property
    def is_whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return bool(self.symbol.is_integer)

    @property
    def quantity(self) -> Unit:
        """Its unit."""
        return Unit(self.unit)

    @property
    def si(self) -> float:
        """Where it stands at first, in SI."""
        return self.value * self.quantity.factor

    @property
    def domain(self) -> Sequence[float]:
        """Its box in SI, as :func:`relmath.notebook.agree.compare` takes it."""
        if self.is_whole:
            return list(self.between(1000) * self.quantity.factor)
        low, high = (end * self.quantity.factor for end in self.box)
        return low, high

    def between(self, points: int) -> np.ndarray:
        """So many values from end to end of the box, in its own unit; fewer where there are not as many whole ones."""
        values = (np.geomspace if self.is_log else np.linspace)(*self.box, points)
        return np.unique(np.round(values)) if self.is_whole else values


@dataclass(frozen=True)
class _Formula:
    """A derived expression and the function of relmath that computes it.

    Without a function, the expression may only be arithmetic (sums, products, ratios) of sliders and of
    what other formulas of the explorer give, by their ``symbol``, without a pole in the box.
    """

    label: str
    expression: Any
    function: Function | None = None
    _: KW_ONLY
    at: Mapping[str, Function] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        """Take the name from the label, if none is given."""
        if not self.name:
            object.__setattr__(self, "name", re.sub(r"\W+", "_", re.sub(r"['’]", "", self.label.lower())).strip("_"))
        if not re.fullmatch(r"[a-z]\w*", self.name, re.ASCII) or iskeyword(self.name):
            raise ValueError(f"{self.label!r} needs a name for code, of small letters and digits: name={self.name!r}")

    @property
    def symbol(self) -> Any:
        """A symbol that stands for its value, for use in later formulas."""
        return sp.Symbol(self.name, real=True)

    @property
    def functions(self) -> list[Function]:
        """The functions that compute it: none if it is mere arithmetic."""
        return [self.function, *self.at.values()] if self.function else []


@dataclass(frozen=True)
class Curve(_Formula):
    """A line of the chart: an expression over the axis, and its value at the reader's own point.

    Parameters
    ----------
    label : str
        What the line is called.
    expression : sympy.Expr
        What the chapter derived, in the symbols of the sliders.
    function : callable, optional
        The function of relmath that computes it. An expression that is mere arithmetic of sliders, such as
        delta/tau, needs none.
    at : mapping, optional
        Arguments of the function that are themselves results, as :func:`relmath.notebook.agree.agree` takes them.
    name : str, optional
        Its name in code and in texts; else made of the label: ``youngs_interval`` for "Young's interval".
    """


@dataclass(frozen=True)
class Readout(_Formula):
    """A number below the chart.

    Parameters
    ----------
    label, expression, function
        As of a :class:`Curve`. Without a function, the expression may also use the ``symbol`` of a curve (its value
        at the reader's own point) or of an earlier readout.
    unit : str
        A unit of its kind, by its name in :mod:`relmath.units`; times and sizes are shown in the unit that suits them.
    at, name
        As of a :class:`Curve`.
    """

    unit: str = "1"

    def __post_init__(self) -> None:
        """Check the unit, too."""
        super().__post_init__()
        Unit(self.unit)

    @property
    def quantity(self) -> Unit:
        """Its unit."""
        return Unit(self.unit)


@dataclass(frozen=True)
class Validity:
    """What to say of the model where a condition holds.

    Parameters
    ----------
    condition : sympy relational or True
        In symbols of sliders, curves and readouts. The last of an explorer's must be True.
    tone : {"fine", "doubtful", "outside"}
        How far the model can be trusted.
    text : str
        A sentence, with ``{name}`` for the value of a slider, curve or readout.
    """

    condition: Any
    tone: str
    text: str

    def __post_init__(self) -> None:
        """Check each part."""
        condition = sp.sympify(self.condition)
        if not isinstance(condition, Boolean) or isinstance(condition, sp.Expr):
            raise ValueError(f"condition must be a comparison, such as delta < M, or True, but is {self.condition!r}")
        if self.tone not in TONES:
            raise ValueError(f"tone must be one of {', '.join(TONES)}, but is {self.tone!r}")
        if re.search("[{}]", PLACE.sub("", self.text)):
            raise ValueError(f"text must have braces around names only, as in {{interval}}, but is {self.text!r}")


@dataclass(frozen=True)
class Explorer:
    """Curves over one quantity, with sliders for it and for others, the numbers at the point set, and a word on them.

    Parameters
    ----------
    key : str
        Its name in the page, in the page's address, and for ``{glue:}`` on other pages: small letters, digits and
        hyphens.
    x : Slider
        The axis, and the reader's own point on it.
    sliders : sequence of Slider
        What else can be set.
    y : str
        What the curves show, without the unit.
    y_unit : str
        Unit of the axis.
    y_range : tuple of two numbers
        Ends of the axis, in its unit. It is fixed, so that a reader sees the curves move and not the axis.
    curves : sequence of Curve
        One to four; the first is drawn heaviest.
    readouts : sequence of Readout
        The numbers below.
    y_log : bool
        Whether the axis is logarithmic.
    markers : sequence of Readout
        Which of the readouts, values of the quantity on the axis, are marked by a line.
    validity : sequence of Validity
        What to say of the model: the first whose condition holds.

    Raises
    ------
    AssertionError
        If an expression and its function, or the form of it that the page evaluates, differ anywhere in the box.
    ValueError
        If a part does not fit the others.

    Examples
    --------
    >>> from relmath import checkpoints
    >>> from relmath.notebook.notation import symbols
    >>> delta, M, tau = symbols("delta M tau")
    >>> best = Readout("Young's interval", sp.sqrt(2 * delta * M), checkpoints.young, "minute")
    >>> overhead = Curve("overhead", delta / tau + tau / (2 * M), checkpoints.first_order_overhead)
    >>> basin = Explorer(
    ...     key="basin",
    ...     x=Slider(tau, "Interval", "minute", (0.5, 200), value=20),
    ...     sliders=[
    ...         Slider(delta, "Write time", "second", (1, 300), value=24.5),
    ...         Slider(M, "MTBF", "hour", (1, 100), value=4.14),
    ...     ],
    ...     y="share of time lost",
    ...     y_unit="percent",
    ...     y_range=(0.1, 100),
    ...     y_log=True,
    ...     curves=[overhead],
    ...     readouts=[best],
    ...     markers=[best],
    ... )
    >>> basin.python(best)
    'checkpoints.young(write_time, mtbf)'
    >>> round(basin.values({"interval": 600.0})["overhead"], 3)
    0.061
    """

    key: str
    x: Slider
    sliders: Sequence[Slider]
    y: str
    y_unit: str
    y_range: tuple[float, float]
    curves: Sequence[Curve]
    readouts: Sequence[Readout] = ()
    y_log: bool = False
    markers: Sequence[Readout] = ()
    validity: Sequence[Validity] = ()

    def __post_init__(self) -> None:
        """Check that the parts fit one another, and that the expressions are what relmath computes."""
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.key):
            raise ValueError(f"key must be small letters, digits and hyphens, but is {self.key!r}")
        if not 1 <= len(self.curves) <= 4:
            raise ValueError(f"curves must be one to four, to be told apart, but are {len(self.curves)}")
        Unit(self.y_unit)
        ends("y_range", self.y_range, above_0=self.y_log)
        names = [part.name for part in (*self.inputs, *self.formulas)]
        taken = [*TAKEN, *(_module(function) for formula in self.formulas for function in formula.functions)]
        if double := [name for name in names if names.count(name) > 1 or name in taken]:
            raise ValueError(f"every slider, curve and readout must have a name of its own, but {double[0]!r} is taken")
        if foreign := [marker.label for marker in self.markers if marker not in self.readouts]:
            raise ValueError(f"markers must be among the readouts, but {foreign[0]!r} is not")
        if self.validity and self.validity[-1].condition != True:  # noqa: E712 (SymPy's true is not Python's)
            raise ValueError("the condition of the last validity must be True, so that something is said everywhere")
        self._check_formulas()

    @property
    def inputs(self) -> list[Slider]:
        """The axis and the other sliders."""
        return [self.x, *self.sliders]

    @property
    def formulas(self) -> list[Curve | Readout]:
        """Curves and readouts, each after those that it uses."""
        return [*self.curves, *self.readouts]

    @property
    def setting(self) -> dict[str, float]:
        """Where the sliders stand at first, in SI."""
        return {slider.name: slider.si for slider in self.inputs}

    def unit(self, name: str) -> Unit:
        """Give the unit of a slider, curve or readout."""
        parts: list[Slider | Readout] = [*self.inputs, *self.readouts]
        units = {part.name: part.quantity for part in parts} | {c.name: Unit(self.y_unit) for c in self.curves}
        if name not in units:
            raise ValueError(f"name must be one of {_names(units)}, but is {name!r}")
        return units[name]

    def values(self, setting: Setting | None = None) -> dict[str, Any]:
        """Evaluate curves and readouts with relmath's functions, in SI, where the sliders stand or at a setting."""
        known = self._at(setting)
        results: dict[str, Any] = {}
        for formula in self.formulas:
            value = self._compute(formula, known | results)
            results[formula.name] = value if np.ndim(value) else float(value)
        return results

    def judge(self, setting: Setting | None = None) -> tuple[str, str]:
        """Tone and sentence on the model's validity where the sliders stand, or at a setting."""
        known = self._at(setting)
        known |= self.values(known)
        shown = {name: show(value, self.unit(name), digits=2).replace(" ", "\u00a0") for name, value in known.items()}
        for said in self.validity:
            if self._evaluate(said.condition, known):
                return said.tone, said.text.format(**shown)
        return "fine", ""

    def python(self, formula: Curve | Readout) -> str:
        """Write the call of relmath that computes a curve's point or a readout, in the code names of the sliders."""
        if formula.function is None:
            return str(sp.sstr(self._coded(formula.expression), order="rev-lex"))
        return _call(formula.function, list(self.setting), formula.at)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        others = ", ".join(slider.quantity.labelled(slider.label) for slider in self.sliders)
        text = f"{self.y} over {self.x.label}; to be set: {others}"
        return panel.bundle(self.key, text, page.html(self), panel.panel(self))

    def _at(self, setting: Setting | None) -> dict[str, Any]:
        """Complete a setting by where the other sliders stand at first."""
        start = self.setting
        _refuse("setting", set(setting or ()) - start.keys(), start)
        return start | dict(setting or {})

    @cached_property
    def _code(self) -> dict[Any, Any]:
        return {s.symbol: sp.Symbol(s.name, **s.symbol.assumptions0) for s in self.inputs}

    def _coded(self, expression: Any) -> Any:
        """Put code names for the symbols of the sliders."""
        return sp.sympify(expression).xreplace(self._code)

    def _evaluate(self, expression: Any, known: Setting) -> Any:
        """Evaluate arithmetic of sliders, curves and readouts."""
        names, compute = _compiled(self._coded(expression))
        return compute(*(known[name] for name in names))

    def _compute(self, formula: Curve | Readout, known: Setting) -> Any:
        if formula.function is None:
            return self._evaluate(formula.expression, known)
        results = {name: _apply(inner, known) for name, inner in formula.at.items()}
        return _apply(formula.function, {**known, **results})

    def _check_formulas(self) -> None:
        """See that every formula can be computed from what is there, and that it comes out right in doubles."""
        sliders = {slider.symbol for slider in self.inputs}
        meant: dict[Any, Any] = {}  # by a formula's symbol: its expression, all in symbols of sliders
        calls: dict[Any, Any] = {}  # and how the page computes it
        for formula in self.formulas:
            expression = sp.sympify(formula.expression)
            allowed = sliders | meant.keys() if formula.function is None and isinstance(formula, Readout) else sliders
            _refuse(repr(formula.label), expression.free_symbols - allowed, allowed)
            over = self._over(formula, expression.xreplace(calls).free_symbols)
            meaning = expression.xreplace(meant)
            written = [accurate(expression)]  # which a page evaluates
            if formula.function is None:
                self._check_arithmetic(formula.label, expression, over, calls)
                written.append(expression)  # which a kernel does
            else:
                compare(meaning, formula.function, over, at=formula.at)
            forms = {form: self._in_doubles(formula.name, form, over, calls) for form in written}
            try:
                for form in forms.values():
                    compare(meaning, form, over, tolerance=PAGE_TOLERANCE)
            except AssertionError as error:
                raise AssertionError(
                    f"{formula.label!r} loses digits in doubles, write it real and without cancellation: {error}"
                ) from None
            meant[formula.symbol] = meaning
            calls[formula.symbol] = implemented_function(formula.name, forms[written[0]])(*over)
        names = {part.name for part in (*self.inputs, *self.formulas)}
        for said in self.validity:
            _refuse("validity", set(PLACE.findall(said.text)) - names, names)
            known = sliders | meant.keys()
            _refuse("validity", sp.sympify(said.condition).free_symbols - known, known)

    def _over(self, formula: Curve | Readout, own: Set[Any]) -> dict[Any, Sequence[float]]:
        """Give the boxes of the sliders on which a formula depends, by its own symbols or its functions."""
        if foreign := [callee for callee in formula.functions if not callee.__module__.startswith("relmath.")]:
            raise ValueError(f"{formula.label!r} must be computed by functions of relmath, but {foreign[0]} is none")
        used = set(map(code_name, own))
        if formula.function is not None:
            used |= inspect.signature(formula.function).parameters.keys() - formula.at.keys()
            used |= {name for inner in formula.at.values() for name in inspect.signature(inner).parameters}
        used = used or {self.x.name}  # for a constant, any will do
        return {slider.symbol: slider.domain for slider in self.inputs if slider.name in used}

    def _check_arithmetic(self, label: str, expression: Any, over: Mapping[Any, Any], calls: Mapping[Any, Any]) -> None:
        """See that an expression needs no function of relmath, and is defined in the whole box."""
        if not expression.is_rational_function(*expression.free_symbols):
            raise ValueError(f"{label!r} needs its function of relmath: {expression} is not mere arithmetic")
        denominator = sp.denom(sp.together(expression))
        columns = {code_name(symbol): column for symbol, column in sample(over, POINTS).items()}
        if np.ptp(np.sign(self._in_doubles("denominator", denominator, over, calls)(**columns))):
            raise ValueError(f"{label!r} has a pole in the box, where {denominator} is 0: take a box without it")

    def _in_doubles(self, name: str, expression: Any, over: Mapping[Any, Any], calls: Mapping[Any, Any]) -> Function:
        """Give the function that evaluates an expression in doubles, as a page does."""
        names = [code_name(symbol) for symbol in over]
        functions = {"LambertW": lambda z: special.lambertw(z).real, "LambertW1p": lambda x: checkpoints.optimal(x, 1)}
        form = sp.lambdify(names, self._coded(expression.xreplace(calls)), [functions, "numpy"])
        form.__module__, form.__name__ = "doubles", name  # as which the message of a difference names it
        return form  # type: ignore[no-any-return]


@lru_cache(maxsize=1000)
def _compiled(expression: Any) -> tuple[list[str], Function]:
    """Give the names of an expression's symbols, and the function of them that it is."""
    names = sorted(map(str, expression.free_symbols))
    return names, sp.lambdify(names, expression, "numpy")


def _refuse(what: str, unknown: Set[Any], allowed: Iterable[Any]) -> None:
    """Refuse unknown names or symbols, if there are any."""
    if unknown:
        namesakes = set(map(str, unknown)) & set(map(str, allowed))
        hint = f"; the assumptions differ, take symbols({_names(namesakes)!r})" if namesakes else ""
        raise ValueError(f"{what} uses {_names(unknown)}: it may use {_names(allowed)}{hint}")


def _apply(function: Function, known: Setting) -> Any:
    return function(**{name: known[name] for name in inspect.signature(function).parameters if name in known})


def _call(function: Function, names: Sequence[str], at: Mapping[str, Function]) -> str:
    """Write a call: arguments in their places, and by their names after one that is left out."""
    written = {name: name for name in names} | {name: _call(inner, names, {}) for name, inner in at.items()}
    arguments: list[str] = []
    in_place = True
    for parameter in inspect.signature(function).parameters:
        if parameter in written:
            arguments.append(written[parameter] if in_place else f"{parameter}={written[parameter]}")
        else:
            in_place = False
    return f"{_module(function)}.{function.__name__}({', '.join(arguments)})"


def _module(function: Function) -> str:
    return function.__module__.rpartition(".")[2]


def _names(symbols: Any) -> str:
    return ", ".join(sorted(map(str, symbols)))
