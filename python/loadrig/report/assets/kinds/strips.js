// Courses over a time axis of their own, one strip under the other: lines, bands, stretches, limits.
// One crosshair goes through all strips; what it meets is told under them.
kinds.strips = function (place, figure) {
  const { end, strips, ends } = figure.data;
  const left = 66, right = 14;
  const ground = element("div", "ground"), told = element("p", "told");
  place.append(ground, told);

  // Round steps of a scale; of time such as a clock has.
  function ticks(low, high, count, isTime) {
    const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
    const steps = isTime && rough > 4
      ? [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 2592000, 8640000, 31536000]
      : [1, 2, 5, 10].map((n) => n * power);
    const step = steps.find((one) => one >= rough * 0.999) || rough;
    const found = [];
    for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) found.push(Math.abs(value) < step * 1e-6 ? 0 : value);
    return found;
  }

  // Beyond two days in days: hours of months say nothing.
  function moment(seconds) {
    if (end <= 172800) return showMoment(seconds, end >= 120);
    return showNumber(seconds / 86400) + " d";
  }

  function bounds(strip) {
    const values = strip.lines.flatMap((line) => [...line.values, ...(line.low || []), ...(line.high || [])]).filter((value) => value !== null);
    if (strip.limit && strip.limit.shown) values.push(strip.limit.y);
    let low = Math.min(...values), high = Math.max(...values);
    if (strip.zero || low > 0 && low < 0.3 * high) low = Math.min(0, low);
    if (high - low < 1e-9 * Math.abs(high) || high === low) { low -= Math.abs(low) * 0.1 || 1; high += Math.abs(high) * 0.1 || 1; }
    const air = (high - low) * 0.08;
    return [low === 0 ? 0 : low - air, high + air];
  }

  function path(xs, ys, x, y) {
    let made = "", on = false;
    xs.forEach((t, i) => {
      if (ys[i] === null) { on = false; return; }
      made += `${on ? "L" : "M"}${x(t).toFixed(1)},${y(ys[i]).toFixed(1)}`;
      on = true;
    });
    return made;
  }

  function around(line, x, y) {
    const known = line.t.map((t, i) => [t, line.low[i], line.high[i]]).filter(([, low, high]) => low !== null && high !== null);
    if (!known.length) return "";
    return "M" + [...known.map(([t, , high]) => `${x(t).toFixed(1)},${y(high).toFixed(1)}`),
      ...known.reverse().map(([t, low]) => `${x(t).toFixed(1)},${y(low).toFixed(1)}`)].join("L") + "Z";
  }

  function draw() {
    const full = Math.max(280, Math.floor(place.clientWidth || 640)), narrow = full < 520;
    const x = (t) => left + ((full - left - right) * t) / end;
    ground.replaceChildren();
    const drawn = strips.map((strip, number) => {
      const isLast = number === strips.length - 1;
      const high = narrow ? 92 : 104, top = 6, tall = top + high + (isLast ? 38 : 8);
      const head = element("p", "strip-title");
      head.append(element("b", "", strip.title), strip.text ? " " + strip.text : "");
      const keys = strip.lines.filter((line) => line.label);
      if (keys.length > 1) {
        const row = element("span", "keys");
        for (const line of keys) {
          const key = element("span", "key");
          const sign = svg("svg", { width: 18, height: 8, viewBox: "0 0 18 8", "aria-hidden": "true" }, key);
          svg("line", { x1: 1, x2: 17, y1: 4, y2: 4, stroke: `var(--${line.colour})`, "stroke-width": 2, "stroke-dasharray": line.dash || "" }, sign);
          key.append(" " + line.label);
          row.append(key, " ");
        }
        head.append(row);
      }
      ground.append(head);
      const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
      const [low, most] = bounds(strip), base = top + high;
      const y = (value) => base - (high * (value - low)) / (most - low);
      svg("rect", { x: left, y: top, width: full - left - right, height: high, class: "paper" }, picture);
      for (const area of strip.areas || []) {
        const made = svg("rect", { x: x(area.from), y: top, width: Math.max(1.5, x(area.to) - x(area.from)), height: high, class: "area tone-" + area.tone }, picture);
        svg("title", {}, made, area.text);
      }
      for (const value of ticks(low, most, narrow ? 2 : 3)) {
        if (y(value) < top || y(value) > base) continue;
        svg("line", { x1: left, x2: full - right, y1: y(value), y2: y(value), class: "grid" }, picture);
        svg("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, picture, show(value, strip.unit));
      }
      for (const t of ticks(0, end, narrow ? 4 : 8, true)) {
        svg("line", { x1: x(t), x2: x(t), y1: base, y2: base + 4, class: "zero" }, picture);
        if (isLast) svg("text", { x: x(t), y: base + 18, "text-anchor": t === 0 ? "start" : x(t) > full - right - 24 ? "end" : "middle" }, picture, moment(t));
      }
      svg("line", { x1: left, x2: full - right, y1: base, y2: base, class: "zero" }, picture);
      if (isLast) svg("text", { x: (left + full - right) / 2, y: base + 34, "text-anchor": "middle" }, picture, ends || say("since_measured"));
      for (const line of strip.lines) if (line.low) svg("path", { d: around(line, x, y), fill: `var(--${line.colour})`, class: "band" }, picture);
      for (const line of strip.lines)
        svg("path", { d: path(line.t, line.values, x, y), stroke: `var(--${line.colour})`, "stroke-width": line.width || 1.6, "stroke-dasharray": line.dash || "", class: "course" }, picture);
      if (strip.limit && strip.limit.shown) {
        svg("line", { x1: left, x2: full - right, y1: y(strip.limit.y), y2: y(strip.limit.y), class: "limit" }, picture);
        svg("text", { x: left + 6, y: y(strip.limit.y) + 15, class: "said" }, picture, strip.limit.text);
      }
      for (const mark of strip.marks || []) {
        svg("line", { x1: x(mark.t), x2: x(mark.t), y1: top, y2: base, class: "moment" }, picture);
        const isLate = x(mark.t) + 8 + 7 * mark.text.length > full - right;
        svg("text", { x: x(mark.t) + (isLate ? -5 : 5), y: strip.limit && strip.limit.shown ? top + high / 2 : top + 14, "text-anchor": isLate ? "end" : "start", class: "said" }, picture, mark.text);
      }
      const hair = svg("line", { x1: left, x2: left, y1: top, y2: base, class: "hair", visibility: "hidden" }, picture);
      return { picture, hair };
    });
    function at(event) {
      const box = drawn[0].picture.getBoundingClientRect();
      const t = Math.min(end, Math.max(0, ((event.clientX - box.left - left) / (full - left - right)) * end));
      for (const one of drawn) {
        one.hair.setAttribute("visibility", "visible");
        one.hair.setAttribute("x1", x(t));
        one.hair.setAttribute("x2", x(t));
      }
      const said = strips.map((strip) => {
        const parts = strip.lines.filter((line) => line.label).map((line) => {
          let near = -1;
          line.t.forEach((moment, i) => { if (near < 0 || Math.abs(moment - t) < Math.abs(line.t[near] - t)) near = i; });
          return near < 0 || Math.abs(line.t[near] - t) > end / 20 ? null : `${line.label} ${show(line.values[near], strip.unit)}`;
        }).filter(Boolean);
        return parts.length ? `${strip.title}: ${parts.join(", ")}` : null;
      }).filter(Boolean);
      told.textContent = `${moment(t)} · ${said.join(" · ")}`;
    }
    function away() {
      for (const one of drawn) one.hair.setAttribute("visibility", "hidden");
      told.textContent = "";
    }
    for (const one of drawn) {
      one.picture.addEventListener("pointermove", at);
      one.picture.addEventListener("pointerleave", away);
    }
  }

  redrawn(place, draw);
};
