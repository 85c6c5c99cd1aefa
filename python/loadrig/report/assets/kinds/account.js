// Where a request's time goes: a stacked bar a component on one axis of time, a dependency below where it is waited for.
kinds.account = function (place, figure) {
  const { bars, longest_s, key } = figure.data;
  const ground = element("div", "account-bars"), told = element("p", "told"), names = element("ul", "account-key");
  place.append(ground, names, told);
  for (const { state, words } of key) {
    const row = element("li");
    row.append(element("i", `account-${state}`), words);
    names.append(row);
  }

  function ticks(most, count) {
    const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
    return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
  }

  function draw() {
    const full = Math.max(260, Math.floor(place.clientWidth || 640));
    const left = 2, right = 10, top = 4, tall = 26, each = tall + 28, bottom = 24;
    const high = top + each * bars.length + bottom;
    const x = (seconds) => left + ((full - left - right) * seconds) / (longest_s || 1);
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: high, viewBox: `0 0 ${full} ${high}`, "aria-hidden": "true" }, ground);
    const marks = ticks(longest_s || 1, full < 520 ? 3 : 6);
    for (const seconds of marks) {
      svg("line", { x1: x(seconds), x2: x(seconds), y1: top, y2: high - bottom, class: "grid" }, picture);
      const anchor = seconds === 0 ? "start" : x(seconds) > full - 30 ? "end" : "middle";
      svg("text", { x: x(seconds), y: high - 8, "text-anchor": anchor }, picture, showDuration(seconds));
    }
    bars.forEach((bar, row) => {
      const over = top + each * row, from = x(bar.from_s);
      // Some 7.2 pixels a letter: a name that would end beyond the picture ends with it.
      const isLate = from + 7.2 * (bar.name.length + bar.total.length + bar.note.length + 4) > full;
      const name = svg("text", { x: isLate ? full - right : from, y: over + 15, "text-anchor": isLate ? "end" : "start" }, picture);
      svg("tspan", { class: "bar-name" }, name, bar.name);
      svg("tspan", {}, name, ` ${bar.total}${bar.note ? " · " + bar.note : ""}`);
      for (const part of bar.parts) {
        const wide = x(part.from_s + part.s) - x(part.from_s);
        const made = svg("rect", { x: x(part.from_s), y: over + 20, width: Math.max(1, wide), height: tall, class: `part account-${part.state}` }, picture);
        svg("title", {}, made, part.text);
        made.addEventListener("pointerenter", () => { told.textContent = part.text; });
        // Some 6.4 pixels a letter of this size: only where the words fit.
        if (wide > 12 + 6.4 * part.words.length)
          svg("text", { x: x(part.from_s) + wide / 2, y: over + 20 + tall / 2 + 4, "text-anchor": "middle", class: "inside-bar" }, picture, part.words);
      }
    });
  }

  redrawn(place, draw);
};
