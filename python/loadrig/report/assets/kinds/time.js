// Lines over the trial's time axis; several panels under each other.
kinds.time = function (place, figure) {
  const view = data.views[figure.view];
  if (figure.data.columns === 2) place.classList.add("two");
  figure.data.panels.forEach((panel, i) => {
    if (panel.heading) place.append(element("h4", "tier", panel.heading));
    const box = element("div", "panel");
    if (panel.title) {
      const title = element("p", "panel-title");
      title.append(element("b", "", panel.title), panel.about ? " · " + panel.about : "");
      box.append(title);
    }
    const ground = element("div");
    box.append(ground);
    place.append(box);
    drawPanel(ground, figure.view, view, panel, i === 0);
  });
};

function drawPanel(place, viewName, view, panel, first) {
  const lines = panel.lines;
  const rows = [centres(view)];
  const series = [{}];
  const bands = [];
  const own = [];
  const sums = panel.stacked ? stack(lines) : null;
  lines.forEach((line, i) => {
    own.push(rows.length);
    rows.push(sums ? sums[i] : line.values);
    series.push({
      label: line.label, width: line.width, dash: line.dash, spanGaps: false,
      stroke: () => colour(line.colour),
      fill: line.fill && !sums ? () => pale(line.colour, line.fill) : undefined,
      paths: line.steps ? uPlot.paths.stepped({ align: 0 }) : undefined,
      points: { show: false },
    });
  });
  if (sums) sums.forEach((_, i) => {
    if (i + 1 < sums.length) bands.push({ series: [own[i + 1], own[i]], fill: () => pale(lines[i + 1].colour, lines[i + 1].fill) });
    else return;
  });
  if (sums) series[own[0]].fill = () => pale(lines[0].colour, lines[0].fill);
  lines.forEach((line, i) => {
    if (!line.low) return;
    const at = rows.length;
    rows.push(line.high, line.low);
    for (let k = 0; k < 2; k++) series.push({ stroke: () => pale(line.colour, 0), width: 0, points: { show: false } });
    bands.push({ series: [at, at + 1], fill: () => pale(line.colour, 0.16) });
    series[own[i]].partners = [at, at + 1];
  });
  for (const [low, high, alpha] of panel.between || [])
    bands.push({ series: [own[high], own[low]], fill: () => pale(lines[high].colour, alpha) });

  const unit = lines[0].unit;
  const options = timeOptions(viewName, view, plotWidth(place), panel.height || 200);
  options.series = series;
  options.bands = bands;
  options.axes = [timeAxis(view), axis({
    size: LEFT, space: 30,
    // "0.05 cores" is wider than the room beside the axis; the legend has the unit.
    values: (_, splits) => splits.map((v) => (v === null ? "" : unit === "cores" ? showNumber(v) : show(v, unit))),
    splits: panel.log ? (plot, _, low, high) => logSplits(plot, low, high) : undefined,
    filter: panel.log ? (_, splits) => splits : undefined,
  })];
  options.scales = { x: { time: false, range: (_, low, high) => [low ?? 0, high ?? view.end], min: 0, max: view.end }, y: yScale(panel) };
  options.plugins = [timeGround(view, first && options.height >= 140), { hooks: { draw: [(plot) => limits(plot, panel)] } }];
  const names = legend(lines, view, (i, on) => {
    plot.setSeries(own[i], { show: on });
    for (const partner of series[own[i]].partners || []) plot.setSeries(partner, { show: on });
  });
  options.hooks.setCursor = [(plot) => {
    const at = plot.cursor.idx;
    if (at === null || at === undefined || plot.cursor.left < 0) return names.now(null);
    const reach = (plot.scales.x.max - plot.scales.x.min) / 150;
    names.now(lines.map((line) => show(line.values[at], line.unit)), first ? moment(view, rows[0][at], Math.max(reach, (view.t[1] ?? view.end) / 2)) : "");
  }];
  const plot = new uPlot(options, rows, place);
  plot.setScale("x", { min: 0, max: view.end });
  place.append(names.made);
  if (first) markKey(names.made, view);
  keep(place, viewName, plot, true);
}

function stack(lines) {
  let below = lines[0].values.map(() => 0);
  return lines.map((line) => {
    below = below.map((sum, i) => sum + (line.values[i] || 0));
    return below;
  });
}

function yScale(panel) {
  if (panel.log) return {
    distr: 3, log: 10,
    range: (_, low, high) => (low > 0 && high > 0 ? [low / 1.35, Math.max(high, low * 2) * 1.35] : [1e-3, 1]),
  };
  return { range: (_, low, high) => [Math.min(0, low || 0), Math.max(panel.top || 0, (high || 1) * (panel.top ? 1.05 : 1.16))] };
}

// Lines that a value must not cross, each with its meaning.
function limits(plot, panel) {
  const { ctx, bbox } = plot, ratio = Math.max(2, window.devicePixelRatio || 1);
  for (const [level, text] of panel.limits || []) {
    const y = plot.valToPos(level, "y", true);
    ctx.save();
    ctx.strokeStyle = pale("red", 0.55);
    ctx.lineWidth = ratio;
    ctx.setLineDash([4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.fillStyle = colour("soft");
    ctx.font = font.replace("12px", 11 * ratio + "px");
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    ctx.fillText(text, bbox.left + bbox.width - 5 * ratio, y - 2 * ratio);
    ctx.restore();
  }
}
