// What came of each stretch of an experiment, over the bands in which something was changed.
// A lane a change names its marks and shows its bands on the same axis; colour says what it came to.
kinds.slots = function (place, figure) {
  const { unit, end, unchanged, lanes, measure } = figure.data;
  const left = 52, right = 14;
  const tones = { bad: "red", warn: "orange", good: "green", plain: "blue", quiet: "grey", strong: "blue" };
  const ground = element("div"), list = element("ul", "slot-lanes");
  place.append(ground, list);

  function ticks(most, count) {
    const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
    return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
  }

  // Each change has a shape of its own: circle, square, diamond, triangles; its colour may be another's, too.
  function shape(parent, number, x, y, more) {
    const s = 4.6;
    const corners = [
      null,
      [[-s, -s], [s, -s], [s, s], [-s, s]].map(([a, b]) => [a * 0.9, b * 0.9]),
      [[0, -s * 1.3], [s * 1.3, 0], [0, s * 1.3], [-s * 1.3, 0]],
      [[0, -s * 1.2], [s * 1.15, s * 0.9], [-s * 1.15, s * 0.9]],
      [[0, s * 1.2], [s * 1.15, -s * 0.9], [-s * 1.15, -s * 0.9]],
    ][number % 5];
    if (corners === null) return svg("circle", { cx: x, cy: y, r: s, ...more }, parent);
    return svg("polygon", { points: corners.map(([a, b]) => `${x + a},${y + b}`).join(" "), ...more }, parent);
  }

  function lane(label, said, draw) {
    const row = element("li"), text = element("p");
    const sign = svg("svg", { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" }, text);
    draw(sign);
    text.append(element("b", "", label.replace(/ %/g, "\u00a0%")), " " + said);
    row.append(text);
    list.append(row);
    return { row, text };
  }

  lane(say("nothing_changed"), `${measure} ${unchanged.text}`, (sign) => svg("circle", { cx: 6, cy: 6, r: 4.4, class: "mark none" }, sign));
  lanes.forEach((one, i) => {
    const stroke = `var(--${tones[one.tone]})`;
    const { row, text } = lane(one.label, one.text, (sign) => shape(sign, i, 6, 6, { fill: stroke }));
    text.append(" ", element("span", "standing tone-" + one.tone, one.standing));
    const strip = element("div", "strip");
    for (const [from, to, title] of one.bands) {
      const made = element("i");
      made.style.left = (from / end) * 100 + "%";
      made.style.width = ((to - from) / end) * 100 + "%";
      made.style.background = stroke;
      made.title = say("stretch", showNumber(from), showNumber(to), title);
      strip.append(made);
    }
    row.append(strip);
  });

  const values = [unchanged, ...lanes].flatMap((one) => one.slots.map((slot) => slot[2])).filter((value) => value !== null);
  const top = Math.max(...values, 0) * 1.12 || 1;

  function draw() {
    const full = Math.max(240, Math.floor(place.clientWidth || 640));
    const high = full < 520 ? 210 : 250, over = 12, bottom = 38;
    const x = (t) => left + ((full - left - right) * t) / end;
    const y = (value) => high - bottom - ((high - over - bottom) * value) / top;
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: high, viewBox: `0 0 ${full} ${high}`, "aria-hidden": "true" }, ground);
    for (const one of lanes)
      for (const [from, to, title] of one.bands) {
        const made = svg("rect", { x: x(from), y: over, width: Math.max(1, x(to) - x(from)), height: high - over - bottom, fill: `var(--${tones[one.tone]})`, class: "changed" }, picture);
        svg("title", {}, made, say("stretch", showNumber(from), showNumber(to), title));
      }
    for (const value of ticks(top, 4)) {
      svg("line", { x1: left, x2: full - right, y1: y(value), y2: y(value), class: value ? "grid" : "zero" }, picture);
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, picture, show(value, unit));
    }
    for (const t of ticks(end, full < 520 ? 5 : 9))
      svg("text", { x: x(t), y: high - bottom + 18, "text-anchor": "middle" }, picture, showNumber(t));
    svg("text", { x: full - right, y: high - 4, "text-anchor": "end" }, picture, say("since_load_began"));
    if (unchanged.median !== null)
      svg("line", { x1: left, x2: full - right, y1: y(unchanged.median), y2: y(unchanged.median), class: "middle" }, picture);
    const put = (slots, stroke, mark, label) => {
      for (const [from, length, value] of slots) {
        if (value === null) continue;
        svg("line", { x1: x(from), x2: x(from + length), y1: y(value), y2: y(value), stroke, class: "reach" }, picture);
        const made = mark(x(from + length / 2), y(value));
        svg("title", {}, made, say("slot", label, showNumber(from), show(value, unit)));
      }
    };
    put(unchanged.slots, "var(--grey)", (cx, cy) => svg("circle", { cx, cy, r: 4, class: "mark none" }, picture), say("nothing_changed"));
    lanes.forEach((one, i) => {
      const fill = `var(--${tones[one.tone]})`;
      put(one.slots, fill, (cx, cy) => shape(picture, i, cx, cy, { fill }), one.label);
    });
  }

  redrawn(place, draw);
};
