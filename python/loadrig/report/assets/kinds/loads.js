// A request's time against the load: its parts as stacked areas, the measured whole as marks, the line that bends outlined.
kinds.loads = function (place, figure) {
  const { axis: name, at, totals, bands, longest_s, bends } = figure.data;
  const ground = element("div", "account-loads"), told = element("p", "told"), names = element("ul", "account-key");
  place.append(ground, names, told);
  const told_once = new Set();
  for (const band of bands) {
    if (told_once.has(band.words)) continue;
    told_once.add(band.words);
    const row = element("li", band.bends ? "bends" : "");
    row.append(element("i", `account-${band.state}`), band.words);
    names.append(row);
  }

  function ticks(most, count) {
    const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
    return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
  }

  function draw() {
    const full = Math.max(260, Math.floor(place.clientWidth || 640)), isNarrow = full < 520;
    const high = isNarrow ? 250 : 320, left = isNarrow ? 50 : 62, right = 16, top = 22, bottom = 42;
    const most = longest_s * 1.06 || 1, last = at[at.length - 1], first = at[0];
    const x = (load) => left + (full - left - right) * (load / last);
    const y = (seconds) => high - bottom - (high - top - bottom) * Math.min(1, seconds / most);
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: high, viewBox: `0 0 ${full} ${high}`, "aria-hidden": "true" }, ground);
    for (const seconds of ticks(most, isNarrow ? 3 : 5)) {
      svg("line", { x1: left, x2: full - right, y1: y(seconds), y2: y(seconds), class: "grid" }, picture);
      svg("text", { x: left - 8, y: y(seconds) + 4, "text-anchor": "end" }, picture, showDuration(seconds));
    }
    for (const load of ticks(last, isNarrow ? 4 : 7))
      svg("text", { x: x(load), y: high - bottom + 18, "text-anchor": x(load) > full - 30 ? "end" : "middle" }, picture, showNumber(load));
    svg("text", { x: full - right, y: high - 6, "text-anchor": "end" }, picture, name);

    let below = at.map(() => 0);
    const outlined = [];
    for (const band of bands) {
      const above = below.map((from, i) => from + band.s[i]);
      const points = (edge) => edge.map((seconds, i) => `${x(at[i])},${y(seconds)}`);
      const area = svg("polygon", { points: [...points(above), ...points(below).reverse()].join(" "), class: `part account-${band.state}` }, picture);
      svg("title", {}, area, band.words);
      if (band.bends) outlined.push([points(below), points(above), below, above, band]);
      below = above;
    }
    for (const [under, over, from, to, band] of outlined) {
      for (const edge of [under, over]) svg("polyline", { points: edge.join(" "), class: "bend" }, picture);
      const end = at.length - 1, tall = y(from[end]) - y(to[end]);
      // Some 6.6 pixels a letter of this size: only where the words fit into the area.
      if (tall > 44 && x(last) - x(at[Math.max(0, end - 1)]) > 6.6 * band.words.length)
        svg("text", { x: x(last) - 8, y: (y(from[end]) + y(to[end])) / 2 + 4, "text-anchor": "end", class: "inside-bar" }, picture, band.words);
    }
    if (bends) {
      // Some 7.4 pixels a letter of this size: the text stays within the picture.
      const from = Math.max(0, Math.min(x(bends.at) - 6, full - 7.4 * bends.text.length));
      svg("line", { x1: x(bends.at), x2: x(bends.at), y1: top - 6, y2: high - bottom, class: "bends-at" }, picture);
      svg("text", { x: from, y: top - 10, "text-anchor": "start", class: "bend-text" }, picture, bends.text);
    }
    totals.forEach((total, i) => {
      svg("line", { x1: x(at[i]), x2: x(at[i]), y1: y(total.low), y2: y(total.high), class: "reach" }, picture);
      svg("circle", { cx: x(at[i]), cy: y(total.s), r: 3.4, class: "whole" }, picture);
      const wide = (i ? x(at[i]) - x(at[i - 1]) : x(first)) / 2 + (i < at.length - 1 ? (x(at[i + 1]) - x(at[i])) / 2 : right);
      const from = i ? x(at[i]) - (x(at[i]) - x(at[i - 1])) / 2 : x(first) / 2;
      const hit = svg("rect", { x: from, y: top, width: Math.max(1, wide), height: high - top - bottom, class: "hit" }, picture);
      const parts = bands.map((band) => band.texts[i]);
      hit.addEventListener("pointerenter", () => { told.textContent = [total.text, ...parts].join(" · "); });
    });
  }

  redrawn(place, draw);
};
