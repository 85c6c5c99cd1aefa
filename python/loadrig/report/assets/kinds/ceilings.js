// How much of each tier was in use at how many requests a second, and where its line meets 100 %.
kinds.ceilings = function (place, figure) {
  const { lines, wide, ran } = figure.data;
  const ground = element("div", "ceilings");
  const names = element("ul", "ceiling-names");
  place.append(ground, names);
  for (const line of lines) {
    const row = element("li");
    const dot = element("i");
    dot.style.background = `var(--${line.colour})`;
    row.append(dot, element("b", "", line.label), " " + line.text);
    names.append(row);
  }

  function ticks(most, count) {
    const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
    return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
  }

  function draw() {
    const full = Math.max(260, Math.floor(place.clientWidth || 640));
    const high = full < 520 ? 230 : 300, left = 52, right = 14, top = 16, bottom = 40;
    const x = (rps) => left + (full - left - right) * Math.min(1, rps / wide);
    const y = (share) => high - bottom - (high - top - bottom) * Math.min(1.1, share) / 1.1;
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: high, viewBox: `0 0 ${full} ${high}`, "aria-hidden": "true" }, ground);
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      svg("line", { x1: left, x2: full - right, y1: y(share), y2: y(share), class: share === 1 ? "full" : "grid" }, picture);
      svg("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, picture, `${share * 100} %`);
    }
    for (const rps of ticks(wide, full < 520 ? 4 : 7))
      svg("text", { x: x(rps), y: high - bottom + 18, "text-anchor": "middle" }, picture, showNumber(rps));
    svg("text", { x: full - right, y: high - 6, "text-anchor": "end" }, picture, say("requests_a_second"));
    svg("line", { x1: x(ran), x2: x(ran), y1: top, y2: high - bottom, class: "ran" }, picture);
    svg("text", { x: x(ran) + 5, y: top + 10, "text-anchor": "start" }, picture, say("this_run"));
    for (const line of lines) {
      const stroke = `var(--${line.colour})`;
      const end = Math.min(wide, line.rps);
      const reached = line.idle + (1 - line.idle) * (end / line.rps);
      svg("line", { x1: x(0), y1: y(line.idle), x2: x(end), y2: y(reached), stroke, class: "cost" }, picture);
      for (const [rps, share] of line.dots) svg("circle", { cx: x(rps), cy: y(share), r: 2.6, fill: stroke, class: "dot" }, picture);
      if (line.rps <= wide) {
        svg("line", { x1: x(line.low), x2: x(line.high), y1: y(1), y2: y(1), stroke, class: "reach" }, picture);
        svg("circle", { cx: x(line.rps), cy: y(1), r: 5, fill: stroke, class: "limit" }, picture);
      }
    }
  }

  redrawn(place, draw);
};
