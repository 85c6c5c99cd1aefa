// Charts of lines over time that grow while one looks: one cursor over all of them, values in the legend.
"use strict";

const lines = [];
const DASHES = [[], [6, 4], [2, 3], [9, 3, 2, 3], [12, 4]];
const COLOURS = ["blue", "orange", "green", "purple", "sky", "red", "grey"];

// Times at which something happened, in seconds since 1970, in order: upright lines on all charts.
let happened = [];

function drawHappened(plot) {
  const { ctx, bbox } = plot;
  let latest = -1;
  ctx.save();
  ctx.strokeStyle = tint("soft");
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  for (const t of happened) {
    const x = Math.round(plot.valToPos(t, "x", true)) + 0.5;
    if (x === latest || x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.moveTo(latest = x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

function tint(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

class Lines {
  // place: where it is drawn. unit: of its values. series: [{ name, colour, dash, fill }], or none, where the
  // names come with the values.
  constructor(place, unit, series) {
    Object.assign(this, { place, unit, series: series || [], plot: null, width: 0, data: null });
    new ResizeObserver(() => { if (place.clientWidth !== this.width) this.draw(); }).observe(place);
    lines.push(this);
  }

  named(names) {
    if (names.join("\n") === this.series.map((one) => one.name).join("\n")) return;
    this.series = names.map((name, n) =>
      ({ name, colour: COLOURS[n % COLOURS.length], dash: DASHES[Math.floor(n / COLOURS.length) % DASHES.length] }));
    this.drop();
  }

  show(data) {
    this.data = data;
    if (this.plot && this.place.clientWidth === this.width) this.plot.setData(data);
    else this.draw();
  }

  drop() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  draw() {
    this.width = this.place.clientWidth;
    if (!this.width || !this.data || !this.series.length) return;
    this.drop();
    const { unit } = this;
    const axis = {
      stroke: () => tint("soft"), font: "12px system-ui, sans-serif",
      grid: { stroke: () => tint("rule"), width: 1 }, ticks: { show: false },
    };
    this.plot = new uPlot({
      width: this.width, height: this.width < 500 ? 150 : 180, padding: [8, 10, 0, 0],
      cursor: { sync: { key: "live" }, y: false, drag: { x: false, y: false }, points: { size: 5 } },
      legend: { live: true },
      hooks: { draw: [drawHappened] },
      scales: { x: { time: true }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
      axes: [
        Object.assign({ size: 26, space: 90, values: (_, all) => all.map(clockTime) }, axis),
        Object.assign({ size: 64, space: 30, values: (_, all) => all.map((value) => show(value, unit)) }, axis),
      ],
      series: [
        { label: say("at"), value: (_, t) => (t === null ? say("now") : clockTime(t)) },
        ...this.series.map((one) => ({
          label: one.name, width: 1.6, dash: one.dash, points: { show: false }, spanGaps: false,
          stroke: () => tint(one.colour),
          fill: one.fill ? () => tint(one.colour) + "22" : undefined,
          value: (plot, value, place, at) => show(at === null ? last(plot, place) : value, unit),
        })),
      ],
    }, this.data, this.place);
  }
}

function clockTime(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
}

// The newest value of a line; what is read once in a while has none for the last second.
function last(plot, place) {
  const values = plot.data[place] || [];
  for (let n = values.length - 1; n >= Math.max(0, values.length - 5); n--)
    if (values[n] !== null && values[n] !== undefined) return values[n];
  return null;
}

themeHearers.push(() => { for (const chart of lines) chart.draw(); });
