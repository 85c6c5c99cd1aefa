// A fix before and after: paired measurements joined by lines, their medians, the gain's interval, what was predicted.
kinds.slopes = function (place, figure) {
  const { unit, pairs, before, after, low, high, predicted, texts, facts, verdict } = figure.data;
  const ground = element("div", "ground"), told = element("dl", "fix-facts");
  for (const [name, value, detail] of facts) {
    const made = element("dd", "", value);
    if (detail) made.append(element("small", "", detail));
    told.append(element("dt", "", name), made);
  }
  told.append(element("dd", "badge tone-" + verdict.tone, verdict.text));
  place.append(ground, told);

  function ticks(most, count) {
    const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
    return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
  }

  // Texts beside each other's height are pushed apart, least first.
  function apart(labels, gap) {
    labels.sort((a, b) => b.y - a.y);
    for (let i = 1; i < labels.length; i++) labels[i].at = Math.min(labels[i].at, labels[i - 1].at - gap);
    return labels;
  }

  const values = [before, after, low, high, predicted, ...pairs.flat()].filter((value) => value !== null);
  const top = Math.max(...values) * 1.1 || 1;

  function draw() {
    const full = Math.max(240, Math.min(480, Math.floor(place.clientWidth || 480)));
    const tall = 270, left = 52, over = 14, bottom = 30, room = 116;
    const from = left + 62, to = full - room - 18, beside = to + 17, foreseen = to + 33;
    const y = (value) => tall - bottom - ((tall - over - bottom) * value) / top;
    ground.replaceChildren();
    const picture = svg("svg", { width: full, height: tall, viewBox: `0 0 ${full} ${tall}`, "aria-hidden": "true" }, ground);
    for (const value of ticks(top, 4)) {
      svg("line", { x1: left, x2: foreseen + 7, y1: y(value), y2: y(value), class: value ? "grid" : "zero" }, picture);
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, picture, show(value, unit));
    }
    for (const [x, text] of [[from, say("before")], [to, say("after")]])
      svg("text", { x, y: tall - bottom + 19, "text-anchor": "middle" }, picture, text);
    for (const [one, other] of pairs) {
      svg("line", { x1: from, x2: to, y1: y(one), y2: y(other), class: "pair" }, picture);
      svg("circle", { cx: from, cy: y(one), r: 3, class: "dot" }, picture);
      svg("circle", { cx: to, cy: y(other), r: 3, class: "dot" }, picture);
    }
    svg("line", { x1: from, x2: to, y1: y(before), y2: y(after), class: "median" }, picture);
    for (const [x, value] of [[from, before], [to, after]])
      svg("circle", { cx: x, cy: y(value), r: 5.5, class: "median-dot" }, picture);
    if (low !== null && high !== null) {
      svg("line", { x1: beside, x2: beside, y1: y(low), y2: y(high), class: "reach" }, picture);
      for (const value of [low, high]) svg("line", { x1: beside - 5, x2: beside + 5, y1: y(value), y2: y(value), class: "cap" }, picture);
    }
    const labels = [{ y: y(after), at: y(after) + 4, text: texts.after, name: "said" }];
    if (predicted !== null) {
      const at = y(predicted), s = 5.5;
      svg("polygon", { points: `${foreseen},${at - s} ${foreseen + s},${at} ${foreseen},${at + s} ${foreseen - s},${at}`, class: "foreseen" }, picture);
      labels.push({ y: at, at: at + 4, text: texts.predicted, name: "" });
    }
    for (const label of apart(labels, 15))
      svg("text", { x: predicted === null ? beside + 11 : foreseen + 11, y: label.at, class: label.name }, picture, label.text);
    svg("text", { x: from - 11, y: y(before) + 4, "text-anchor": "end", class: "said" }, picture, texts.before);
  }

  redrawn(place, draw);
};
