// Latency over the share of answers, in nines.
kinds.percentiles = function (place, figure) {
  const { x, ticks, lines, height } = figure.data;
  const longest = Math.max(...lines.map((line) => line.values.length));
  const xs = x.slice(0, longest);
  const rows = [xs, ...lines.map((line) => xs.map((_, i) => line.values[i] ?? null))];
  const names = legend(lines, null, (i, on) => plot.setSeries(i + 1, { show: on }));
  const plot = new uPlot({
    width: plotWidth(place), height, padding: [6, RIGHT, 0, 0], legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { size: 6 } },
    series: [{}, ...lines.map((line) => ({
      stroke: () => colour(line.colour), width: line.width, dash: line.dash, points: { show: false },
    }))],
    scales: { x: { time: false }, y: yScale({ log: true }) },
    axes: [
      axis({
        size: 30,
        splits: () => ticks.map(([at]) => at).filter((at) => at <= xs[xs.length - 1]),
        // On a narrow chart the text of 0 % would run into that of 50 %.
        values: (plot, splits) => splits.map((at) => (at === 0 && plot.width < 600 ? "" : (ticks.find(([place]) => place === at) || ["", ""])[1])),
      }),
      axis({
        size: LEFT, space: 30,
        splits: (plot, _, low, high) => logSplits(plot, low, high),
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((v) => show(v, "s")),
      }),
    ],
    hooks: {
      drawClear: [(plot) => {
        plot.ctx.fillStyle = colour("plot");
        plot.ctx.fillRect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
      }],
      setCursor: [(plot) => {
        const at = plot.cursor.idx;
        if (at === null || at === undefined || plot.cursor.left < 0) return names.now(null);
        const share = 1 - 10 ** -xs[at];
        const digits = Math.max(1, Math.ceil(xs[at]) - 1);
        names.now(lines.map((line) => show(line.values[at], "s")), say("are_faster", (share * 100).toFixed(digits) + " %"));
      }],
    },
  }, rows, place);
  place.append(names.made);
  keep(place, figure.view, plot, false);
};
