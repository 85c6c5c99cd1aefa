// A measure run by run, with the levels between its changes. Places were worked out in Python; this puts them.
kinds.history = function (place, figure) {
  const { runs, levels, changes, ticks, dates } = figure.data;
  const ground = element("div", "ground"), told = element("p", "told");
  place.append(ground, told);

  function draw() {
    const full = Math.max(280, Math.min(1080, Math.floor(place.clientWidth || 640)));
    const tall = 210, left = 70, right = full - 12, top = 26, base = tall - 28;
    const y = (at) => base - (base - top) * at;
    const x = (at) => left + 12 + (right - left - 24) * at;
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
    svg("rect", { x: left, y: top, width: right - left, height: base - top, class: "paper" }, picture);
    for (const tick of ticks) {
      svg("line", { x1: left, x2: right, y1: y(tick.at), y2: y(tick.at), class: "grid" }, picture);
      svg("text", { x: left - 8, y: y(tick.at) + 4, "text-anchor": "end" }, picture, tick.text);
    }
    for (const level of levels)
      svg("line", { x1: x(level.from), x2: x(level.to), y1: y(level.at), y2: y(level.at), class: "level" }, picture);
    changes.forEach((change) => {
      const name = "change tone-" + change.tone, ahead = x(change.at) < (left + right) / 2;
      svg("line", { x1: x(change.at), x2: x(change.at), y1: top - 6, y2: base, class: name }, picture);
      svg("text", { x: x(change.at) + (ahead ? -4 : 4), y: top - 11, "text-anchor": ahead ? "start" : "end", class: "said " + name }, picture, change.text);
    });
    const size = runs.length > 150 ? 1.8 : runs.length > 60 ? 2.6 : 4;
    for (const run of runs) {
      const made = svg("circle", { cx: x(run.x), cy: y(run.at), r: size, class: "dot" }, picture);
      svg("title", {}, made, run.text);
      made.addEventListener("pointerenter", () => { told.textContent = run.text; });
    }
    dates.forEach((date, n) => {
      const anchor = n === 0 ? "start" : "end";
      svg("text", { x: n === 0 ? left : right, y: base + 19, "text-anchor": anchor }, picture, date);
    });
  }

  redrawn(place, draw);
};
