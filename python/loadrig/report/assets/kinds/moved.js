// How far each quantile moved, a panel a route, all on one scale. Places were worked out in Python; this puts them.
kinds.moved = function (place, figure) {
  const { quantiles, panels, ticks, none } = figure.data;
  const ground = element("div", "panels"), told = element("p", "told");
  place.append(ground, told);

  function draw() {
    const room = Math.floor(place.clientWidth || 640), gap = 28;
    const beside = panels.length > 1 && room >= 760 ? 2 : 1;
    const full = Math.max(260, Math.min(860, Math.floor((room - gap * (beside - 1)) / beside)));
    const tall = 230, left = 58, right = full - 10, top = 8, base = tall - 26;
    const y = (at) => base - (base - top) * at;
    const x = (n) => left + 14 + ((right - left - 28) * n) / (quantiles.length - 1);
    ground.replaceChildren();
    for (const panel of panels) {
      const box = element("div", "of-route");
      if (panels.length > 1) box.append(element("h4", "", panel.title));
      const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, box);
      svg("rect", { x: left, y: top, width: right - left, height: base - top, class: "paper" }, picture);
      for (const tick of ticks) {
        svg("line", { x1: left, x2: right, y1: y(tick.at), y2: y(tick.at), class: "grid" }, picture);
        svg("text", { x: left - 8, y: y(tick.at) + 4, "text-anchor": "end" }, picture, tick.text);
      }
      svg("line", { x1: left, x2: right, y1: y(none), y2: y(none), class: "zero" }, picture);
      const points = panel.points, ends = (name) => points.map((point, n) => `${x(n)},${y(point[name])}`);
      svg("polygon", { points: [...ends("high"), ...ends("low").reverse()].join(" "), class: "reach" }, picture);
      svg("polyline", { points: ends("at").join(" "), class: "line" }, picture);
      const step = (right - left) / quantiles.length < 34 ? 2 : 1;
      points.forEach((point, n) => {
        // Counted from the last: the tail keeps its name.
        if ((quantiles.length - 1 - n) % step === 0)
          svg("text", { x: x(n), y: base + 18, "text-anchor": "middle" }, picture, quantiles[n]);
        const made = svg("circle", { cx: x(n), cy: y(point.at), r: 4.5, class: "dot tone-" + point.tone }, picture);
        svg("title", {}, made, point.text);
        made.addEventListener("pointerenter", () => { told.textContent = point.text; });
      });
      ground.append(box);
    }
  }

  redrawn(place, draw);
};
