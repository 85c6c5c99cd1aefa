// What happened, as ticks: one lane a tier and kind, on the time axis that all charts of the trial share.
kinds.lanes = function (place, figure) {
  const view = data.views[figure.view], { lanes } = figure.data;
  const each = 26, rows = [centres(view), view.t.map(() => null)];

  function draw(plot) {
    const { ctx, bbox } = plot, ratio = plot.pxRatio || Math.max(2, window.devicePixelRatio || 1);
    const high = bbox.height / lanes.length;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    lanes.forEach((lane, i) => {
      const middle = bbox.top + (i + 0.5) * high;
      ctx.fillStyle = pale(lane.colour, 0.85);
      lane.ticks.forEach(([t, lasted], k) => {
        const left = plot.valToPos(t, "x", true), wide = plot.valToPos(t + lasted, "x", true) - left;
        // The longest of a lane fills it; what has no length is as tall as the lane.
        const share = lane.longest > 0 ? 0.25 + 0.75 * Math.min(1, lane.heights[k] / lane.longest) : 1;
        const tall = high * 0.72 * share;
        ctx.fillRect(left, middle + high * 0.36 - tall, Math.max(1.5 * ratio, wide), tall);
      });
      if (i) {
        ctx.fillStyle = colour("rule");
        ctx.fillRect(bbox.left, bbox.top + i * high, bbox.width, ratio);
      }
    });
    ctx.restore();
  }

  const options = timeOptions(figure.view, view, plotWidth(place), each * lanes.length + 40);
  options.series = [{}, { points: { show: false } }];
  options.scales = { x: { time: false, range: (_, low, high) => [low ?? 0, high ?? view.end] }, y: { range: () => [0, lanes.length] } };
  options.axes = [timeAxis(view), axis({ size: LEFT, splits: () => [], values: () => [], ticks: { show: false }, grid: { show: false } })];
  options.plugins = [timeGround({ ...view, marks: [] }, false), { hooks: { drawAxes: [draw] } }];
  const names = element("ol", "lane-names");
  const nows = lanes.map((lane) => {
    const row = element("li"), now = element("span", "now", lane.total);
    const sign = element("i");
    sign.style.background = `var(--${lane.colour})`;
    row.append(sign, element("b", "", lane.component), " " + lane.name, now);
    names.append(row);
    return now;
  });
  options.hooks.setCursor = [(plot) => {
    const { left } = plot.cursor;
    const inside = left !== undefined && left >= 0;
    const t = inside ? plot.posToVal(left, "x") : 0, reach = (plot.scales.x.max - plot.scales.x.min) / 120;
    lanes.forEach((lane, i) => {
      const near = inside ? lane.ticks.findIndex(([at, lasted]) => t >= at - reach && t <= at + lasted + reach) : -1;
      nows[i].textContent = near < 0 ? lane.total : say("moment_with", showMoment(lane.ticks[near][0], view.end >= 120), lane.texts[near]);
      nows[i].classList.toggle("said", near >= 0);
    });
  }];
  const ground = element("div");
  place.append(ground, names);
  const plot = new uPlot(options, rows, ground);
  plot.setScale("x", { min: 0, max: view.end });
  keep(ground, figure.view, plot, true);
};
