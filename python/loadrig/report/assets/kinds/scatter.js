// Marks on two axes: settings with the front that joins the best of them, or trials over their stages.
kinds.scatter = function (place, figure) {
  const { x: across, y: up, points, line, bands } = figure.data;
  const ground = element("div", "ground"), told = element("p", "told");
  place.append(ground, told);

  function ticks(low, high, most) {
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
    const found = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) found.push(Number((n * step).toPrecision(12)));
    return found;
  }

  // From zero where the values are not all far from it.
  function reach(values, air) {
    let low = Math.min(...values), high = Math.max(...values);
    if (low > 0 && low < 0.45 * high) low = 0;
    if (high === low) { low -= 1; high += 1; }
    const room = (high - low) * air;
    return [low === 0 ? 0 : low - room, high + room];
  }

  const ys = reach(points.map((point) => point.y), 0.08);
  const xs = bands.length ? [bands[0].from, bands[bands.length - 1].to] : reach(points.map((point) => point.x), 0.06);

  function mark(picture, point, x, y) {
    const name = "mark " + point.state;
    const made = point.state === "missed"
      ? svg("path", { d: `M${x - 3.5},${y - 3.5}L${x + 3.5},${y + 3.5}M${x - 3.5},${y + 3.5}L${x + 3.5},${y - 3.5}`, class: name }, picture)
      : svg("circle", { cx: x, cy: y, r: point.state === "chosen" ? 5.5 : 4, class: name }, picture);
    svg("title", {}, made, point.text);
    made.addEventListener("pointerenter", () => { told.textContent = point.text; });
  }

  function draw() {
    const full = Math.max(280, Math.min(860, Math.floor(place.clientWidth || 640)));
    const tall = full < 480 ? 270 : 330, left = 66, right = full - 14, top = 26, base = tall - 44;
    const x = (value) => left + ((right - left) * (value - xs[0])) / (xs[1] - xs[0]);
    const y = (value) => base - ((base - top) * (value - ys[0])) / (ys[1] - ys[0]);
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
    svg("rect", { x: left, y: top, width: right - left, height: base - top, class: "paper" }, picture);
    const named = svg("text", { x: 2, y: top - 8, class: "axis" }, picture, up.text);
    const after = 2 + named.getComputedTextLength() + 10;
    bands.forEach((band, n) => {
      const from = x(band.from), wide = x(band.to) - from;
      if (n % 2) svg("rect", { x: from, y: top, width: wide, height: base - top, class: "stage" }, picture);
      const half = band.text.length * 3.4;
      if (wide > 2 * half && from + wide / 2 - half > after) svg("text", { x: from + wide / 2, y: top - 8, "text-anchor": "middle" }, picture, band.text);
    });
    for (const value of ticks(ys[0], ys[1], 5)) {
      svg("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" }, picture);
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, picture, show(value, up.unit));
    }
    for (const value of ticks(xs[0], xs[1], full / 90)) {
      svg("line", { x1: x(value), x2: x(value), y1: base, y2: base + 4, class: "zero" }, picture);
      const named = svg("text", { x: x(value), y: base + 19, "text-anchor": "middle" }, picture, show(value, across.unit));
      // The last one may stand too near to the edge.
      if (x(value) + named.getComputedTextLength() / 2 > full) {
        named.setAttribute("x", full - 1);
        named.setAttribute("text-anchor", "end");
      }
    }
    svg("text", { x: (left + right) / 2, y: tall - 6, "text-anchor": "middle", class: "axis" }, picture, across.text);
    if (line.length > 1) {
      // In steps: between two settings of the front nothing is known to be on it.
      let way = `M${x(line[0][0])},${y(line[0][1])}`;
      for (const [at, value] of line.slice(1)) way += `H${x(at)}V${y(value)}`;
      svg("path", { d: way, class: "front-line" }, picture);
    }
    for (const point of points) mark(picture, point, x(point.x), y(point.y));
  }

  redrawn(place, draw);
};
