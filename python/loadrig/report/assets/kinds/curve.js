// Latency against load, both logarithmic: a mark a level, the goal as a line, the capacity as a band.
kinds.curve = function (place, figure) {
  const { unit, measure, points, goal, capacity, saturation, knee } = figure.data;
  if (!points.length) return;
  const ground = element("div", "ground"), told = element("p", "told");
  place.append(ground, told);

  function scale(values, from, to, air) {
    const low = Math.log(Math.min(...values)) - air, high = Math.log(Math.max(...values)) + air;
    const of = (value) => from + ((to - from) * (Math.log(value) - low)) / (high - low);
    return { of, low: Math.exp(low), high: Math.exp(high) };
  }

  // Round numbers of both scales; fewer where there is no room.
  function rounds(from, low, high, most) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const step of [1, 2, 5]) {
        const value = Number((step * 10 ** power).toPrecision(3));
        if (value >= low && value <= high) found.push(value);
      }
    return found.length > most ? found.filter((value) => /^0?\.?0*1/.test(value.toPrecision(1))) : found;
  }

  const xs = [...points.map((point) => point.x), ...(saturation ? [saturation.x] : [])];
  const ys = [...points.map((point) => Math.max(point.y, 1e-6)), ...(goal ? [goal.y] : [])];

  function mark(picture, point, x, y) {
    const name = "level " + point.verdict;
    const made = point.verdict === "fails"
      ? svg("path", { d: `M${x - 4},${y - 4}L${x + 4},${y + 4}M${x - 4},${y + 4}L${x + 4},${y - 4}`, class: name }, picture)
      : svg("circle", { cx: x, cy: y, r: 4.5, class: name }, picture);
    svg("title", {}, made, point.text);
    made.addEventListener("pointerenter", () => { told.textContent = point.text; });
  }

  function upright(picture, x, name, top, base) {
    svg("line", { x1: x, x2: x, y1: top, y2: base, class: name }, picture);
  }

  // To the left of a line; or to its right, where nothing is that is late.
  function beside(picture, x, text, y, anchor) {
    svg("text", { x: anchor === "end" ? x - 5 : x + 5, y, "text-anchor": anchor, class: "said" }, picture, text);
  }

  function draw() {
    const full = Math.max(280, Math.min(860, Math.floor(place.clientWidth || 640)));
    const tall = full < 480 ? 260 : 330, left = 62, right = full - 14, top = 10, base = tall - 44;
    const x = scale(xs, left + 8, right - 8, 0.06), y = scale(ys, base - 8, top + 8, 0.12);
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
    svg("rect", { x: left, y: top, width: right - left, height: base - top, class: "paper" }, picture);
    if (capacity) {
      const from = Math.max(left, x.of(capacity.low)), to = Math.min(right, x.of(capacity.high));
      svg("rect", { x: from, y: top, width: Math.max(2, to - from), height: base - top, class: "band" }, picture);
    }
    for (const value of rounds(left, y.low, y.high, 7)) {
      svg("line", { x1: left, x2: right, y1: y.of(value), y2: y.of(value), class: "grid" }, picture);
      svg("text", { x: left - 8, y: y.of(value) + 4, "text-anchor": "end" }, picture, show(value, "s"));
    }
    for (const value of rounds(top, x.low, x.high, full / 70)) {
      svg("line", { x1: x.of(value), x2: x.of(value), y1: base, y2: base + 4, class: "zero" }, picture);
      svg("text", { x: x.of(value), y: base + 19, "text-anchor": "middle" }, picture, showNumber(value));
    }
    svg("text", { x: (left + right) / 2, y: tall - 6, "text-anchor": "middle" }, picture, say(unit === "users" ? "users" : "offered"));
    svg("text", { x: left + 6, y: top + 14 }, picture, measure);
    if (goal) {
      svg("line", { x1: left, x2: right, y1: y.of(goal.y), y2: y.of(goal.y), class: "goal" }, picture);
      svg("text", { x: left + 6, y: y.of(goal.y) - 6, class: "said goal-text" }, picture, goal.text);
    }
    if (saturation) {
      const at = x.of(saturation.x);
      upright(picture, at, "limit", top, base);
      beside(picture, at, saturation.text, base - 8, at + 110 < right ? "start" : "end");
    }
    if (knee) {
      upright(picture, x.of(knee.x), "limit", top, base);
      beside(picture, x.of(knee.x), knee.text, top + 30, "end");
    }
    if (capacity) {
      upright(picture, x.of(capacity.x), "capacity", top, base);
      beside(picture, x.of(capacity.x), capacity.text, top + 14, "end");
    }
    for (const point of points) mark(picture, point, x.of(point.x), y.of(Math.max(point.y, 1e-6)));
  }

  redrawn(place, draw);
};
