// Brings the explorer of bits to life: <div class="explorer explorer-bits">, which bits.py wrote. It decodes the bits
// itself, and takes the rest (numbers as they are shown, the page's address, copies) from explorer.js, which stands
// before it.
(() => {
  "use strict";
  const { significant, readAddress, addressWith, remembering, copyInto } = window.relmathExplorers;

  // --- Patterns and values; relmath.corruption does the same. A format: bits of exponent and fraction, whether it has
  // infinity, and the first pattern that is no finite number. All steps but the rounding are exact in doubles. ---

  const unit = (format, exponent) => 2 ** (exponent - (2 ** (format.exponent - 1) - 1) - format.fraction);
  const width = (format) => 1 + format.exponent + format.fraction;

  function decode(format, pattern) {
    const full = 2 ** format.fraction;
    const half = full * 2 ** format.exponent;
    const size = pattern % half;
    const exponent = Math.floor(size / full);
    const whole = (size % full) + (exponent ? full : 0);
    const finite = whole * unit(format, Math.max(exponent, 1));
    const special = size === format.special && format.infinite ? Infinity : NaN;
    return (size < format.special ? finite : special) * (pattern < half ? 1 : -1);
  }

  /** The pattern of the nearest value; of two, the even one. Patterns follow one another as values do, so a carry fits. */
  function encode(format, value) {
    const size = Math.abs(value);
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, size);
    const power = (bits.getUint16(0) >> 4) - 1023; // size is from 2^power to below twice that, if it is not 0
    const exponent = Math.max(power + 2 ** (format.exponent - 1) - 1, 1);
    const steps = size / unit(format, exponent);
    const down = Math.floor(steps);
    const up = steps - down > 0.5 || (steps - down === 0.5 && down % 2 === 1);
    const pattern = down + (up ? 1 : 0) + (exponent - 1) * 2 ** format.fraction;
    const negative = value < 0 || Object.is(value, -0);
    return Math.min(pattern, format.special) + (negative ? 2 ** (width(format) - 1) : 0);
  }

  const flip = (pattern, bit) => (pattern ^ (1 << bit)) >>> 0;

  /** What a flip did; its name is that of a sentence. */
  function kindOf(format, power, before, after) {
    if (Number.isNaN(after)) return "nan";
    if (!Number.isFinite(after)) return "infinite";
    if (power < 0) return "fraction";
    if (power === format.exponent) return "sign";
    const factor = 2 ** (2 ** power);
    if (before !== 0 && after === before * factor) return "up";
    return before !== 0 && after === before / factor ? "down" : "exponent";
  }

  /** The factor of a bit of the exponent without rounding: 65 536, and 2¹²⁸ where it is longer. */
  function factorOf(power) {
    if (power < 0) return "";
    if (power <= 4) return significant(2 ** (2 ** power), 7, true);
    return "2" + [...String(2 ** power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  }

  // --- Drawing ---

  const PARTS = ["sign", "exponent", "fraction"];

  function partOf(format, bit) {
    if (bit < format.fraction) return "fraction";
    return bit < format.fraction + format.exponent ? "exponent" : "sign";
  }

  function element(kind, name, content = []) {
    const made = Object.assign(document.createElement(kind), { className: name });
    made.append(...content);
    return made;
  }

  /** The bits of a pattern, in their groups, with the flipped one marked. */
  function drawBits(row, format, pattern, bit) {
    const digits = pattern.toString(2).padStart(width(format), "0");
    const cells = Object.fromEntries(PARTS.map((part) => [part, []]));
    [...digits].forEach((digit, i) => {
      const place = digits.length - 1 - i;
      const cell = element("span", "bits-cell", [digit]);
      cell.dataset.bit = place;
      if (place === bit) cell.dataset.flipped = "";
      cells[partOf(format, place)].push(cell);
    });
    const told = PARTS.map((part) => `${part} ${cells[part].map((cell) => cell.textContent).join("")}`);
    const bits = row.querySelector(".bits");
    bits.setAttribute("aria-label", `${row.dataset.row}: ${told.join(", ")}`);
    const groups = PARTS.map((part) => {
      const group = element("span", "bits-group", [
        element("span", "bits-name", [part]),
        element("span", "bits-cells", cells[part]),
      ]);
      group.dataset.part = part;
      return group;
    });
    bits.replaceChildren(...groups);
  }

  // --- One explorer ---

  function start(root) {
    const find = (selector) => root.querySelector(selector);
    const { key, initial, formats, sentences, digits, python } = JSON.parse(
      find("script[type='application/json']").textContent,
    );
    const setting = { ...initial };
    const format = () => formats[setting.format];
    const exactly = (number) => (Object.is(number, -0) ? "-0.0" : String(number)); // with a point: Python has no int -0
    const show = (number) => {
      if (Object.is(number, -0)) return "−0";
      return Number.isNaN(number) ? "NaN" : significant(number, digits, true);
    };
    const shown = {};

    const controls = {};
    for (const name of ["format", "value", "bit"]) {
      const row = find(`.explorer-slider[data-name="${name}"]`);
      const [range, number] = row.querySelectorAll("input");
      controls[name] = { select: row.querySelector("select"), range, number, error: row.querySelector(".explorer-error") };
    }

    // The slider of values goes up four steps a doubling, as the smallest fraction does.
    const stride = () => 2 ** (format().fraction - 2);

    function compute() {
      const { value, bit } = setting;
      const pattern = encode(format(), value);
      const flipped = flip(pattern, bit);
      const after = decode(format(), flipped);
      return { value, bit, after, factor: after / value, change: after - value, pattern, flipped };
    }

    function draw(source) {
      const numbers = compute();
      const { value, bit, pattern, flipped, after, change } = numbers;
      for (const [name, number] of Object.entries(numbers)) {
        shown[name] = show(number);
        if (name === "bit") shown[name] = `${bit} (${partOf(format(), bit)})`;
        if (name === "pattern" || name === "flipped") {
          shown[name] = `0x${number.toString(16).toUpperCase().padStart(width(format()) / 4, "0")}`;
        }
        for (const output of root.querySelectorAll(`output[data-name="${name}"]`)) {
          output.textContent = shown[name];
          output.dataset.value = exactly(number); // all its digits
        }
      }
      drawBits(find("[data-row=before]"), format(), pattern, bit);
      drawBits(find("[data-row=after]"), format(), flipped, bit);
      find(".explorer-setting").textContent = `Format ${format().label}, value ${shown.value}, bit ${shown.bit}`;

      const power = bit - format().fraction;
      const [tone, text] = sentences[kindOf(format(), power, value, after)];
      const places = { power: factorOf(power), change: show(change) };
      const sentence = text.replace(/\{(\w+)\}/g, (_, name) => places[name]);
      const verdict = find(".explorer-validity");
      verdict.dataset.tone = tone;
      if (verdict.textContent !== sentence) verdict.textContent = sentence; // else it would be read aloud again

      const { select, range: ofValue } = { select: controls.format.select, range: controls.value.range };
      select.value = setting.format;
      ofValue.max = Math.floor((format().special - 1) / stride());
      controls.bit.range.max = width(format()) - 1;
      if (source !== ofValue) ofValue.value = Math.round((pattern % 2 ** (width(format()) - 1)) / stride());
      if (source !== controls.bit.range) controls.bit.range.value = bit;
      for (const name of ["value", "bit"]) {
        const { range, number } = controls[name];
        range.setAttribute("aria-valuetext", shown[name]);
        if (source !== number) number.value = exactly(setting[name]);
      }
      root.setAttribute("aria-busy", "false");
    }

    // --- What may be set ---

    function objection(name, given) {
      if (name === "format") return given in formats ? "" : `Format must be one of ${Object.keys(formats).join(", ")}.`;
      if (name === "value") {
        const largest = decode(format(), format().special - 1);
        const fits = Number.isFinite(given) && Number.isFinite(decode(format(), encode(format(), given)));
        return fits ? "" : `Value must be a number from ${show(-largest)} to ${show(largest)}.`;
      }
      const most = width(format()) - 1;
      return Number.isInteger(given) && given >= 0 && given <= most ? "" : `Bit must be a whole number from 0 to ${most}.`;
    }

    function complain(name, text) {
      const { error, number, select } = controls[name];
      error.textContent = text;
      (number ?? select).setAttribute("aria-invalid", String(text !== ""));
    }

    /** Take what is allowed; a value is rounded to what the format holds. */
    function set(name, given, source) {
      const text = objection(name, given);
      if (text) return text;
      if (name === "format") {
        const [old, { value, bit }] = [width(format()), setting];
        setting.format = given;
        const largest = decode(format(), format().special - 1);
        // The bit keeps its distance from the sign; a value that is too large becomes the largest.
        setting.bit = Math.max(0, width(format()) - old + bit);
        setting.value = Math.min(largest, Math.max(-largest, decode(format(), encode(format(), value))));
        if (Number.isNaN(setting.value)) setting.value = Math.sign(value) * largest;
        for (const other of ["value", "bit"]) complain(other, "");
      } else {
        setting[name] = name === "value" ? decode(format(), encode(format(), given)) : given;
      }
      complain(name, "");
      draw(source);
      return "";
    }

    // --- The address ---

    const isInitial = () => Object.keys(initial).every((name) => Object.is(setting[name], initial[name]));
    const written = () => Object.keys(initial).map((name) => `${name}=${exactly(setting[name])}`).join(",");
    const remember = remembering(key, () => (isInitial() ? "" : written()));

    /** What the reader sets is also remembered. */
    function choose(name, given, source) {
      const text = set(name, given, source);
      if (!text) remember();
      return text;
    }

    function obeyAddress() {
      const address = readAddress();
      const part = address.get(key);
      if (part === undefined) return;
      const given = new Map(part.split(",").map((pair) => pair.split("=")));
      for (const name of ["format", "value", "bit"]) {
        if (!given.has(name)) continue;
        const text = given.get(name);
        complain(name, set(name, name === "format" ? text : Number(text || NaN)));
      }
      if (address.keys().next().value === key) root.scrollIntoView();
    }

    // --- Events ---

    controls.format.select.addEventListener("change", ({ target }) => choose("format", target.value, target));
    controls.value.range.addEventListener("input", ({ target }) => {
      const size = decode(format(), target.valueAsNumber * stride());
      choose("value", setting.value < 0 || Object.is(setting.value, -0) ? -size : size, target);
    });
    controls.bit.range.addEventListener("input", ({ target }) => choose("bit", target.valueAsNumber, target));
    for (const name of ["value", "bit"]) {
      const { number } = controls[name];
      const typed = () => Number(number.value.trim() || NaN);
      number.addEventListener("input", () => choose(name, typed(), number));
      number.addEventListener("change", () => {
        complain(name, objection(name, typed()));
        if (!objection(name, typed())) number.value = exactly(setting[name]); // what the format makes of it
      });
    }
    find(".explorer-picture").addEventListener("click", ({ target }) => {
      if (target.dataset.bit) choose("bit", Number(target.dataset.bit));
    });

    const filled = () =>
      python.replace(/\{(=?)(\w+)\}/g, (_, is, name) => (is ? shown[name] : exactly(setting[name])));
    const actions = {
      link: () => copyInto(find("[role=status]"), addressWith(key, written()), "Link"),
      python: () => copyInto(find("[role=status]"), filled(), "Python"),
      reset: () => ["format", "value", "bit"].forEach((name) => choose(name, initial[name])),
    };
    for (const [name, act] of Object.entries(actions)) find(`[data-action=${name}]`).addEventListener("click", act);

    for (const part of root.querySelectorAll("[hidden]")) part.hidden = false;
    draw();
    obeyAddress();
    addEventListener("hashchange", obeyAddress);
  }

  window.relmathExplorers.bits = { decode, encode };
  for (const root of document.querySelectorAll(".explorer-bits")) start(root);
})();
