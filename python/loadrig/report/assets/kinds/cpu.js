// What programs spend their CPU time on: a bar a component, of the time that was seen, divided by classes of work.
kinds.cpu = function (place, figure) {
  const { bars, key } = figure.data;
  const ground = element("div", "cpu-bars"), told = element("p", "told"), names = element("ul", "account-key");
  place.append(ground, names, told);
  for (const { class: work, words } of key) {
    const row = element("li");
    row.append(element("i", `cpu-${work}`), words);
    names.append(row);
  }

  function draw() {
    const full = Math.max(260, Math.floor(place.clientWidth || 640));
    const left = 2, right = 10, top = 4, tall = 26, each = tall + 28, bottom = 24;
    const high = top + each * bars.length + bottom;
    const x = (share) => left + (full - left - right) * share;
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: high, viewBox: `0 0 ${full} ${high}`, "aria-hidden": "true" }, ground);
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      svg("line", { x1: x(share), x2: x(share), y1: top, y2: high - bottom, class: "grid" }, picture);
      const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
      svg("text", { x: x(share), y: high - 8, "text-anchor": anchor }, picture, `${share * 100} %`);
    }
    bars.forEach((bar, row) => {
      const over = top + each * row;
      const name = svg("text", { x: left, y: over + 15 }, picture);
      svg("tspan", { class: "bar-name" }, name, bar.name);
      svg("tspan", {}, name, ` ${bar.note}`);
      for (const part of bar.parts) {
        const wide = x(part.from + part.share) - x(part.from);
        const made = svg("rect", { x: x(part.from), y: over + 20, width: Math.max(1, wide), height: tall, class: `part cpu-${part.class}` }, picture);
        svg("title", {}, made, part.text);
        made.addEventListener("pointerenter", () => { told.textContent = part.text; });
        // Some 6.4 pixels a letter of this size: only where the words fit.
        if (wide > 12 + 6.4 * part.words.length)
          svg("text", { x: x(part.from) + wide / 2, y: over + 20 + tall / 2 + 4, "text-anchor": "middle", class: "inside-bar" }, picture, part.words);
      }
    });
  }

  redrawn(place, draw);
};
