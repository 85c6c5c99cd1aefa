// Parallel coordinates: one axis a knob and one for what was reached, a line a setting.
kinds.parallel = function (place, figure) {
  const { knobs, measure, unit, lines } = figure.data;
  const ground = element("div", "ground"), told = element("p", "told");
  place.append(ground, told);
  const values = lines.map((line) => line.value);
  const low = Math.min(...values), high = Math.max(...values);

  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  function draw() {
    const full = Math.max(280, Math.min(860, Math.floor(place.clientWidth || 640)));
    const axes = knobs.length + 1, narrow = full / axes < 110;
    // On a narrow page names stand in two heights, so that they do not meet.
    const top = narrow ? 44 : 30, tall = full < 480 ? 320 : 360, base = tall - 40;
    const longest = Math.max(...knobs[0].values.map((text) => text.length));
    const left = Math.max(28, Math.min(full / 5, 14 + 7.2 * longest)), right = full - 62, gap = (right - left) / (axes - 1);
    const x = (n) => left + gap * n, y = (share) => base - (base - top) * share;
    const reached = (value) => (high === low ? 0.5 : (value - low) / (high - low));
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
    for (const line of lines) {
      const points = line.places.map((share, n) => [x(n), share === null ? base + 20 : y(share)]);
      points.push([x(axes - 1), y(reached(line.value))]);
      let way = `M${points[0].join(",")}`;
      for (let n = 1; n < points.length; n++) {
        const [fromX, fromY] = points[n - 1], [toX, toY] = points[n], bend = gap * 0.42;
        way += `C${fromX + bend},${fromY} ${toX - bend},${toY} ${toX},${toY}`;
      }
      const made = svg("path", { d: way, class: "way " + line.state }, picture);
      svg("title", {}, made, line.text);
      const reach = svg("path", { d: way, class: "reach" }, picture);
      reach.addEventListener("pointerenter", () => { told.textContent = line.text; made.classList.add("under"); });
      reach.addEventListener("pointerleave", () => made.classList.remove("under"));
    }
    for (let n = 0; n < axes; n++) {
      const knob = knobs[n];
      svg("line", { x1: x(n), x2: x(n), y1: top, y2: base, class: "axis-line" }, picture);
      const anchor = n === 0 ? "start" : n === axes - 1 ? "end" : "middle";
      const at = n === 0 ? x(n) - left + 2 : n === axes - 1 ? full - 2 : x(n);
      const name = knob ? knob.name : measure;
      svg("text", { x: at, y: narrow && n % 2 ? 13 : top - 12, "text-anchor": anchor, class: "said" }, picture, short(name, Math.max(6, Math.floor((gap * (narrow ? 2 : 1)) / 7.4))));
      if (!knob) {
        for (const share of [0, 0.5, 1])
          svg("text", { x: x(n) + 7, y: y(share) + 4, class: "said" }, picture, show(low + (high - low) * share, unit));
        continue;
      }
      const many = knob.values.length, skip = Math.max(1, Math.ceil((many * 17) / (base - top)));
      knob.values.forEach((text, at_) => {
        const share = many > 1 ? at_ / (many - 1) : 0;
        svg("circle", { cx: x(n), cy: y(share), r: 2, class: "stop" }, picture);
        if (at_ % skip === 0)
          svg("text", { x: x(n) - 7, y: y(share) + 4, "text-anchor": "end", class: "said" }, picture, short(text, Math.max(3, Math.floor((n === 0 ? left - 8 : gap * 0.45) / 7))));
      });
    }
  }

  redrawn(place, draw);
};
