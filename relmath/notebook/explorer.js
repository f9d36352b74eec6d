// Brings the explorers of a page to life. Each <div class="explorer"> holds its definition as JSON: the sliders, the
// units, and a Vega-Lite chart whose expressions compute every number shown. page.py wrote it; nothing is fetched.
(() => {
  "use strict";

  // --- Functions that Vega's expressions lack. vega.py prints formulas in them, so that doubles do not cancel. ---

  // u = s + a2 s^2 + a3 s^3 + ... solves -log(1 - u) - u = s^2/2; the coefficients follow from u u' = s (1 - u).
  const series = [0, 1];
  for (let n = 2; n < 16; n++) {
    let products = 0;
    for (let j = 2; j < n; j++) products += series[j] * series[n + 1 - j];
    series.push(-series[n - 1] / (n + 1) - products / 2);
  }

  /** 1 + W(-e^(-1-x)), the root u in [0, 1) of -log(1 - u) - u = x. */
  function lambertw1p(x) {
    const s = Math.sqrt(2 * x);
    const u = series.reduceRight((sum, coefficient) => sum * s + coefficient);
    if (s < 0.3) return u; // exact to the last digit, where any other way cancels
    if (x > 40) return 1; // to the last digit
    // v = 1 - u solves log(v) - v + 1 + x = 0, by Newton's method from the series, or from that of W(-z) for small z.
    const z = Math.exp(-1 - x);
    let v = s < 2 ? 1 - u : z * (1 + z * (1 + 1.5 * z));
    for (let i = 0; i < 3; i++) v -= ((Math.log(v) - v + 1 + x) * v) / (1 - v);
    return 1 - v;
  }

  /** Lambert's W on its principal branch, by Halley's method. */
  function lambertw(z) {
    if (z === 0) return 0;
    const p = Math.sqrt(2 * Math.max(0, Math.E * z + 1)); // 0 at the branch point, z = -1/e
    const l = Math.log1p(z);
    let w = z < -0.25 ? -1 + p * (1 - p / 3) : l * (1 - Math.log1p(l) / (2 + l));
    for (let i = 0; i < 4 && w > -1; i++) {
      const e = Math.exp(w);
      const excess = w * e - z;
      w -= excess / (e * (w + 1) - ((w + 2) * excess) / (2 * w + 2));
    }
    return z < -1 / Math.E ? NaN : w;
  }

  const embedding = {
    mode: "vega-lite",
    renderer: "svg", // which takes its colours from the page, and can be read aloud
    actions: false,
    tooltip: false,
    defaultStyle: false,
    expressionFunctions: { expm1: Math.expm1, log1p: Math.log1p, lambertw, lambertw1p },
  };

  // --- Numbers as they are shown; quantity.py does the same. ---

  const MOST_DIGITS = 10;

  function significant(number, digits, trim) {
    if (Number.isNaN(number)) return "not defined";
    if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
    if (number === 0) return "0";
    const [mantissa, exponent] = number.toExponential(digits - 1).split("e");
    const power = Number(exponent);
    if (power <= -5 || power >= 7) {
      const raised = [...String(power)].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");
      return `${mantissa} × 10${raised}`.replace("-", "−");
    }
    const text = Number(`${mantissa}e${power}`).toFixed(Math.max(0, digits - 1 - power));
    const [whole, decimals] = (trim && text.includes(".") ? text.replace(/\.?0+$/, "") : text).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u00a0");
    return (decimals === undefined ? grouped : `${grouped}.${decimals}`).replace("-", "−");
  }

  function show(value, scales, digits = 4, trim = false) {
    if (!Number.isFinite(value)) return significant(value, digits, trim);
    const size = Math.abs(value) || 1; // so that 0 is 0 s and not 0 ms
    const [, factor, sign] = scales.findLast(([least]) => least <= size);
    if (sign === "%" && value < 1) {
      let enough = digits;
      while (enough <= MOST_DIGITS && Number((value / factor).toExponential(enough - 1)) >= 100) enough += 1;
      if (enough <= MOST_DIGITS) digits = enough;
    }
    const whole = !sign && Number.isInteger(value);
    return `${significant(value / factor, digits, trim || whole)} ${sign}`.trimEnd();
  }

  // --- Sliders: positions 0 ... steps on them, values in their unit. ---

  function valueAt(input, position) {
    const [low, high] = input.box;
    const share = position / input.steps;
    return rounded(input, input.log ? low * (high / low) ** share : low + (high - low) * share);
  }

  function positionOf({ box: [low, high], log, steps }, value) {
    return steps * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  }

  /** Three digits, or as many as tell one step of an even scale from the next; within the box. */
  function rounded({ box: [low, high], log, steps, whole }, value) {
    const places = Math.max(0, -Math.floor(Math.log10((high - low) / steps)));
    const number = whole ? Math.round(value) : Number(log ? value.toPrecision(3) : value.toFixed(places));
    return Math.min(high, Math.max(low, number));
  }

  function objection({ label, box: [low, high], sign, whole }, value) {
    const fits = Number.isFinite(value) && low <= value && value <= high && (!whole || Number.isInteger(value));
    return fits ? "" : `${label} must be a ${whole ? "whole " : ""}number from ${low} to ${high} ${sign}`.trimEnd() + ".";
  }

  // --- The page's address: #young:write_time=24.5,mtbf=4.14;daly:... A section's own anchor has no colon. ---

  function readAddress() {
    let address = location.hash.slice(1);
    try {
      address = decodeURIComponent(address); // a mail program may have encoded it
    } catch {
      // a stray % is no encoding
    }
    const parts = address.split(";").filter((part) => /^[a-z][a-z0-9-]*:/.test(part));
    return new Map(parts.map((part) => part.split(/:(.*)/).slice(0, 2)));
  }

  /** The address of this page with a setting of one explorer, and the others' as they are. */
  function addressWith(key, setting) {
    const parts = readAddress().set(key, setting);
    if (!setting) parts.delete(key);
    const hash = [...parts].map((part) => part.join(":")).join(";");
    return location.href.split("#")[0] + (hash && "#" + hash);
  }

  /** A function that, once the controls have come to rest, writes a setting into the address: browsers limit how often. */
  function remembering(key, text) {
    let rest = 0;
    return () => {
      clearTimeout(rest);
      rest = setTimeout(() => history.replaceState(history.state, "", addressWith(key, text())), 250);
    };
  }

  /** Copy a text, and say so beside the buttons. */
  async function copyInto(status, text, what) {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = `${what} copied.`;
    } catch {
      // A page opened from a file may not write to the clipboard: show the text, selected.
      const area = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
      area.rows = text.split("\n").length;
      area.setAttribute("aria-label", what);
      status.replaceChildren(area);
      area.select();
      area.after(document.execCommand("copy") ? `${what} copied.` : "Copy it from here.");
    }
  }

  // --- One explorer ---

  async function start(root) {
    const find = (selector) => root.querySelector(selector);
    const definition = JSON.parse(find("script[type='application/json']").textContent);
    const { key, inputs, kinds, scales, validity, python, spec } = definition;
    const [x] = inputs;
    const initial = Object.fromEntries(inputs.map(({ name, value }) => [name, value]));
    const setting = { ...initial };
    const shown = {};
    const picture = find(".explorer-picture");

    spec.width = picture.clientWidth || spec.width;
    spec.config.font = getComputedStyle(root).fontFamily;
    const slot = document.createElement("div");
    const { view } = await vegaEmbed(slot, spec, embedding);

    const say = (name, digits, trim) => show(view.signal(name), scales[kinds[name]], digits, trim);

    function writeNumbers() {
      for (const name of Object.keys(kinds)) {
        shown[name] = say(name, 4, name in setting);
        for (const output of root.querySelectorAll(`output[data-name="${name}"]`)) {
          output.textContent = shown[name];
          output.dataset.value = view.signal(name); // all its digits, in SI
        }
      }
      for (const { name } of inputs) fields[name].range.setAttribute("aria-valuetext", shown[name]);
      find(".explorer-setting").textContent = inputs.map(({ label, name }) => `${label} ${shown[name]}`).join(", ");
      if (validity.length) {
        const [tone, text] = validity[view.signal("verdict")];
        const sentence = text.replace(/\{(\w+)\}/g, (_, name) => say(name, 2).replaceAll(" ", "\u00a0"));
        const verdict = find(".explorer-validity");
        verdict.dataset.tone = tone;
        if (verdict.textContent !== sentence) verdict.textContent = sentence; // else it would be read aloud again
      }
    }

    // One redraw a frame, however many events come in between.
    let frame = 0;
    function redraw() {
      root.setAttribute("aria-busy", "true");
      frame ||= requestAnimationFrame(async () => {
        frame = 0;
        const begin = performance.now();
        for (const { name, factor } of inputs) view.signal(name, setting[name] * factor);
        await view.runAsync();
        writeNumbers();
        if (!frame) root.setAttribute("aria-busy", "false");
        root.dispatchEvent(new CustomEvent("explorer-drawn", { detail: performance.now() - begin }));
      });
    }

    const isInitial = () => inputs.every(({ name }) => setting[name] === initial[name]);
    const written = () => inputs.map(({ name }) => `${name}=${setting[name]}`).join(",");
    const remember = remembering(key, () => (isInitial() ? "" : written()));

    const fields = {};
    for (const input of inputs) {
      const row = find(`.explorer-slider[data-name="${input.name}"]`);
      const [range, number] = row.querySelectorAll("input");
      const error = row.querySelector(".explorer-error");
      fields[input.name] = { range, number, error };
      // A field of numbers would drop the comma of "24,5" and take 245: this one sees it, and objects.
      const typed = () => Number(number.value.trim() || NaN);
      range.addEventListener("input", () => choose(input, valueAt(input, range.valueAsNumber), range));
      number.addEventListener("input", () => choose(input, typed(), number));
      number.addEventListener("change", () => complain(input, objection(input, typed())));
    }

    function complain({ name }, text) {
      fields[name].error.textContent = text;
      fields[name].number.setAttribute("aria-invalid", String(text !== ""));
    }

    /** Take a value, if it is allowed, and show it in the controls other than the one that it came from. */
    function set(input, value, source) {
      if (objection(input, value)) return;
      const { range, number } = fields[input.name];
      setting[input.name] = value;
      if (source !== range) range.value = positionOf(input, value);
      if (source !== number) number.value = value;
      complain(input, "");
      redraw();
    }

    /** What the reader sets is also remembered; what the address says, or the page begins with, is not. */
    function choose(input, value, source) {
      set(input, value, source);
      remember();
    }

    /** Set what the address says, if it speaks of this explorer. */
    function obeyAddress() {
      const address = readAddress();
      const part = address.get(key);
      if (part === undefined) return;
      const given = new Map(part.split(",").map((pair) => pair.split("=")));
      for (const input of inputs) {
        if (!given.has(input.name)) continue;
        const value = Number(given.get(input.name) || NaN);
        set(input, value);
        complain(input, objection(input, value));
      }
      if (address.keys().next().value === key) root.scrollIntoView();
    }

    // The reader's point follows a finger or a mouse in the chart, too.
    function pull(event) {
      const across = event.clientX - slot.getBoundingClientRect().left - view.origin()[0];
      choose(x, rounded(x, view.scale("x").invert(across)));
    }
    slot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      slot.setPointerCapture(event.pointerId);
      if (event.pointerType === "mouse") pull(event); // a finger may be about to scroll
    });
    slot.addEventListener("pointermove", (event) => slot.hasPointerCapture(event.pointerId) && pull(event));

    const copy = (text, what) => copyInto(find("[role=status]"), text, what);
    const actions = {
      link: () => copy(addressWith(key, written()), "Link"),
      python: () => copy(python.replace(/\{(=?)(\w+)\}/g, (_, is, name) => (is ? shown : setting)[name]), "Python"),
      reset: () => inputs.forEach((input) => choose(input, initial[input.name])),
    };
    for (const [name, act] of Object.entries(actions)) find(`[data-action=${name}]`).addEventListener("click", act);

    picture.replaceChildren(slot); // until now it held the still picture
    new ResizeObserver(([{ contentRect: { width } }]) => width && view.width(width).runAsync()).observe(picture);
    for (const part of root.querySelectorAll("[hidden]")) part.hidden = false;
    for (const input of inputs) set(input, initial[input.name]);
    obeyAddress();
    addEventListener("hashchange", obeyAddress);
  }

  window.relmathExplorers = { significant, readAddress, addressWith, remembering, copyInto }; // for bits.js
  for (const root of document.querySelectorAll(".explorer:not(.explorer-bits)")) start(root);
})();
