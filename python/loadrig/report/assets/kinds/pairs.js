// Two knobs: a cell a pair of values, its colour what is believed of it; those that may be the best outlined.
kinds.pairs = function (place, figure) {
  const { x, y, cells, low, high, unit, better, measure } = figure.data;
  const ground = element("div", "ground"), told = element("p", "told"), key = element("p", "pair-key");
  place.append(ground, key, told);
  const heat = (share) => {
    const steps = [0, 1, 2, 3, 4].map((n) => `var(--heat-${n})`), at = Math.max(0, Math.min(1, share)) * 4;
    const from = Math.min(3, Math.floor(at));
    return `color-mix(in srgb, ${steps[from + 1]} ${Math.round((at - from) * 100)}%, ${steps[from]})`;
  };
  const share = (value) => (high === low ? 1 : better === "higher" ? (value - low) / (high - low) : (high - value) / (high - low));

  // As many labels as there is room for, the first always.
  const every = (count, room, each) => Math.max(1, Math.ceil((count * each) / Math.max(room, 1)));

  function draw() {
    const full = Math.max(280, Math.min(860, Math.floor(place.clientWidth || 640)));
    const longest = Math.max(...y.values.map((text) => text.length));
    const left = Math.min(120, 30 + 7.5 * longest), top = 8, wide = full - left - 8;
    const widest = 10 + 7.2 * Math.max(...x.values.map((text) => text.length));
    const step = Math.min(Math.max(54, widest), wide / x.values.length), high_ = Math.min(34, Math.max(20, 300 / y.values.length));
    const base = top + high_ * y.values.length, right = left + step * x.values.length;
    ground.replaceChildren();
    const tall = base + 44;
    const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
    const line = (n) => base - high_ * (n + 1);
    const known = new Map(cells.map((cell) => [cell.x + "/" + cell.y, cell]));
    for (const cell of cells) {
      const at = left + step * cell.x, over = line(cell.y);
      const made = svg("rect", { x: at + 0.5, y: over + 0.5, width: step - 1, height: high_ - 1, class: "cell" }, picture);
      made.style.fill = cell.value === null ? "var(--plot)" : heat(share(cell.value));
      svg("title", {}, made, cell.text);
      made.addEventListener("pointerenter", () => { told.textContent = cell.text; });
      const dark = cell.value !== null && share(cell.value) > 0.5;
      if (cell.bad) {
        const inset = 0.28, a = at + step * inset, b = at + step * (1 - inset), c = over + high_ * inset, d = over + high_ * (1 - inset);
        svg("path", { d: `M${a},${c}L${b},${d}M${a},${d}L${b},${c}`, class: "bad " + (dark ? "on-dark" : "on-light") }, picture);
      } else if (cell.trials)
        svg("circle", { cx: at + step / 2, cy: over + high_ / 2, r: Math.min(4.5, 2 + 0.5 * cell.trials), class: "tried " + (dark ? "on-dark" : "on-light") }, picture);
    }
    // One line around all that are equal: only where the neighbour is not.
    let outline = "";
    for (const cell of cells) {
      if (!cell.equal) continue;
      const at = left + step * cell.x, over = line(cell.y), is = (dx, dy) => (known.get(cell.x + dx + "/" + (cell.y + dy)) || {}).equal;
      if (!is(-1, 0)) outline += `M${at},${over}V${over + high_}`;
      if (!is(1, 0)) outline += `M${at + step},${over}V${over + high_}`;
      if (!is(0, 1)) outline += `M${at},${over}H${at + step}`;
      if (!is(0, -1)) outline += `M${at},${over + high_}H${at + step}`;
    }
    svg("path", { d: outline, class: "equal-under" }, picture);
    svg("path", { d: outline, class: "equal" }, picture);
    const best = cells.find((cell) => cell.chosen);
    if (best) {
      const at = left + step * best.x, over = line(best.y);
      svg("rect", { x: at + 3, y: over + 3, width: step - 6, height: high_ - 6, class: "chosen-under" }, picture);
      svg("rect", { x: at + 3, y: over + 3, width: step - 6, height: high_ - 6, class: "chosen" }, picture);
    }
    const skipX = every(x.values.length, right - left + 1, widest);
    x.values.forEach((text, n) => {
      if (n % skipX === 0) svg("text", { x: left + step * (n + 0.5), y: base + 17, "text-anchor": "middle" }, picture, text);
    });
    const skipY = every(y.values.length, base - top, 16);
    y.values.forEach((text, n) => {
      if (n % skipY === 0) svg("text", { x: left - 8, y: line(n) + high_ / 2 + 4, "text-anchor": "end" }, picture, text);
    });
    svg("text", { x: (left + right) / 2, y: base + 38, "text-anchor": "middle", class: "axis" }, picture, x.knob);
    svg("text", { x: 12, y: (top + base) / 2, "text-anchor": "middle", class: "axis", transform: `rotate(-90 12 ${(top + base) / 2})` }, picture, y.knob);
  }

  const ramp = element("i", "ramp");
  const ends = better === "higher" ? [low, high] : [high, low];
  key.append(show(ends[0], unit), ramp, `${show(ends[1], unit)} ${measure}`);
  redrawn(place, draw);
};
