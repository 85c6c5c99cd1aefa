// Counts by time and latency as cells on the same time axis as the lines.
kinds.heat = function (place, figure) {
  const view = data.views[figure.view], { columns, edges, cells } = figure.data;
  const most = Math.max(...cells.flatMap((cell) => cell.filter((_, i) => i % 2 === 1)));
  const rows = [centres(view), view.t.map(() => null)];
  const start = (i) => view.t[i] ?? view.end;

  function draw(plot) {
    const { ctx, bbox } = plot;
    const ramp = ramped();
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    columns.forEach(([first, last], i) => {
      const left = Math.floor(plot.valToPos(start(first), "x", true)), right = Math.ceil(plot.valToPos(start(last), "x", true));
      if (right < bbox.left || left > bbox.left + bbox.width) return;
      for (let k = 0; k < cells[i].length; k += 2) {
        const low = Math.ceil(plot.valToPos(edges[cells[i][k]], "y", true)), high = Math.floor(plot.valToPos(edges[cells[i][k] + 1], "y", true));
        ctx.fillStyle = ramp(Math.log(1 + cells[i][k + 1]) / Math.log(1 + most));
        ctx.fillRect(left, high, Math.max(1, right - left), low - high);
      }
    });
    ctx.restore();
  }

  const options = timeOptions(figure.view, view, plotWidth(place), figure.data.height);
  options.series = [{}, { points: { show: false } }];
  options.scales = {
    x: { time: false, range: (_, low, high) => [low ?? 0, high ?? view.end] },
    y: { distr: 3, log: 10, range: () => [edges[0], edges[edges.length - 1]] },
  };
  options.axes = [timeAxis(view), axis({
    size: LEFT, space: 30,
    splits: (plot, _, low, high) => logSplits(plot, low, high),
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((v) => show(v, "s")),
  })];
  options.plugins = [timeGround(view, false), { hooks: { drawAxes: [draw] } }];
  const scale = element("div", "scale");
  const now = element("span", "when");
  scale.append(say("one_answer"), element("i"), say("in_a_cell", showNumber(most)), now);
  options.hooks.setCursor = [(plot) => {
    const { left, top } = plot.cursor;
    if (left === undefined || left < 0) { now.textContent = ""; return; }
    const t = plot.posToVal(left, "x"), y = plot.posToVal(top, "y");
    const column = columns.findIndex(([first, last]) => t >= start(first) && t < start(last));
    const row = edges.findIndex((edge, i) => i + 1 < edges.length && y >= edge && y < edges[i + 1]);
    if (column < 0 || row < 0) { now.textContent = ""; return; }
    let count = 0;
    for (let k = 0; k < cells[column].length; k += 2) if (cells[column][k] === row) count = cells[column][k + 1];
    now.textContent = say(count === 1 ? "cell_one" : "cell",
      showMoment(t, view.end >= 120), show(edges[row], "s"), show(edges[row + 1], "s"), showNumber(count));
  }];
  const plot = new uPlot(options, rows, place);
  plot.setScale("x", { min: 0, max: view.end });
  place.append(scale);
  keep(place, figure.view, plot, true);
};

// From the ground's neighbour to its opposite, in steps of lightness that any eye can order.
function ramped() {
  const stops = [0, 1, 2, 3, 4].map((i) => [1, 3, 5].map((k) => parseInt(colour("heat-" + i).slice(k, k + 2), 16)));
  return (share) => {
    const at = Math.min(3.999, Math.max(0, share * 4)), i = Math.floor(at), part = at - i;
    const mix = stops[i].map((from, k) => Math.round(from + (stops[i + 1][k] - from) * part));
    return `rgb(${mix})`;
  };
}
