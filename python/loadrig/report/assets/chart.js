// What all charts share: colours of the theme, the time axis with its spans and marks, the legend,
// and zoom and cursor held together over the charts of one trial.
const data = JSON.parse(document.getElementById("data").textContent);
// What is written, in the language of the page: by its name, with its holes {0}, {1} filled.
const say = (name, ...parts) => (data.words[name] ?? name).replace(/\{(\d)\}/g, (_, n) => parts[n]);
const named = (kind) => (kind in data.words ? say(kind) : kind.replace(/_/g, " "));
const kinds = {};
const charts = [];
const LEFT = 64, RIGHT = 14;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function pale(name, alpha) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour(name).slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function svg(tag, more, parent, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(more)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

// Drawn now, and again whenever its place has another width.
function redrawn(place, draw) {
  draw();
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth === width || !place.clientWidth) return;
    width = place.clientWidth;
    draw();
  }).observe(place);
}

function plotWidth(place) {
  return Math.max(240, Math.floor(place.clientWidth || place.parentElement.clientWidth || 640));
}

const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';

function axis(more) {
  return Object.assign({
    stroke: () => colour("soft"), font, gap: 4,
    grid: { stroke: () => colour("rule"), width: 1 },
    ticks: { stroke: () => colour("rule-strong"), width: 1, size: 4 },
  }, more);
}

function timeAxis(view) {
  const long = view.end >= 120;
  return axis({
    size: 30, space: 74,
    incrs: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400],
    values: (_, splits) => splits.map((t) => showMoment(t, long)),
  });
}

// Round numbers on a logarithmic scale: 1, 2, 5 of each decade where there is room, else the decades.
function logSplits(plot, low, high) {
  const found = [];
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1] : decades > 2.2 ? [1, 3] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.log10(high) + 1; power++)
    for (const step of steps) {
      const value = Number((step * 10 ** power).toPrecision(3));
      if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
    }
  return found;
}

// Warm-up and draining as hatched ground, marks as small triangles with a thin line.
function timeGround(view, labelled) {
  function clip(plot, draw) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(ctx, bbox, plot.pxRatio || Math.max(2, window.devicePixelRatio || 1));
    ctx.restore();
  }
  function spans(plot) {
    clip(plot, (ctx, box, ratio) => {
      ctx.fillStyle = colour("plot");
      ctx.fillRect(box.left, box.top, box.width, box.height);
      for (const [kind, from, to] of view.spans) {
        const left = plot.valToPos(from, "x", true), right = plot.valToPos(to, "x", true);
        if (kind !== "measured") {
          ctx.fillStyle = pale("grey", 0.09);
          ctx.fillRect(left, box.top, right - left, box.height);
          ctx.strokeStyle = pale("grey", 0.13);
          ctx.lineWidth = ratio;
          ctx.save();
          ctx.beginPath();
          ctx.rect(left, box.top, right - left, box.height);
          ctx.clip();
          ctx.beginPath();
          for (let x = left - box.height; x < right; x += 7 * ratio) {
            ctx.moveTo(x, box.top + box.height);
            ctx.lineTo(x + box.height, box.top);
          }
          ctx.stroke();
          ctx.restore();
        }
      }
    });
  }
  function names(plot) {
    if (labelled) clip(plot, (ctx, box, ratio) => {
      ctx.font = font.replace("12px", 11 * ratio + "px");
      ctx.textAlign = "left";
      ctx.textBaseline = "top";
      ctx.lineJoin = "round";
      for (const [kind, from, to] of view.spans) {
        const start = Math.max(plot.valToPos(from, "x", true), box.left);
        const end = Math.min(plot.valToPos(to, "x", true), box.left + box.width);
        if (end - start < ctx.measureText(named(kind)).width + 12 * ratio) continue;
        ctx.strokeStyle = colour("plot");
        ctx.lineWidth = 3 * ratio;
        ctx.strokeText(named(kind), start + 6 * ratio, box.top + 5 * ratio);
        ctx.fillStyle = colour("soft");
        ctx.fillText(named(kind), start + 6 * ratio, box.top + 5 * ratio);
      }
    });
  }
  function marks(plot) {
    clip(plot, (ctx, box, ratio) => {
      for (const [t, kind] of view.marks) {
        const x = plot.valToPos(t, "x", true);
        const name = kind === "login" ? "purple" : "red";
        ctx.strokeStyle = pale(name, kind === "login" ? 0.25 : 0.7);
        ctx.lineWidth = ratio;
        ctx.setLineDash([2 * ratio, 3 * ratio]);
        ctx.beginPath();
        ctx.moveTo(x, box.top);
        ctx.lineTo(x, box.top + box.height);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.fillStyle = colour(name);
        ctx.beginPath();
        const base = box.top + box.height, size = 5 * ratio;
        if (kind === "login") { ctx.moveTo(x, base - size * 1.4); ctx.lineTo(x - size * 0.8, base); ctx.lineTo(x + size * 0.8, base); }
        else { ctx.moveTo(x, box.top + size * 1.4); ctx.lineTo(x - size * 0.8, box.top); ctx.lineTo(x + size * 0.8, box.top); }
        ctx.fill();
      }
    });
  }
  return { hooks: { drawClear: [spans], draw: [marks, names] } };
}

// The moment under the cursor, with a mark that is near it.
function moment(view, t, reach) {
  const near = view.marks.filter((mark) => Math.abs(mark[0] - t) <= reach);
  const said = near.slice(0, 2).map(([, kind, text, count]) =>
    (count > 1 ? count + " × " : "") + named(kind) + (count === 1 && text ? ": " + text : ""));
  return say("moment", showMoment(t, view.end >= 120)) + (said.length ? " · " + said.join(" · ") : "");
}

// A drag on one chart zooms all charts of the trial; a double click shows the whole again.
function zoom(viewName, from, to) {
  for (const chart of charts)
    if (chart.view === viewName && chart.timed) chart.plot.setScale("x", { min: from, max: to });
}

function timeOptions(viewName, view, width, height) {
  return {
    width, height, padding: [6, RIGHT, 0, 0],
    legend: { show: false },
    cursor: {
      sync: { key: "trial-" + viewName, setSeries: false },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      bind: { dblclick: () => () => { zoom(viewName, 0, view.end); return null; } },
    },
    hooks: {
      setSelect: [(plot) => {
        const { left, width: wide } = plot.select;
        if (wide < 4) return;
        const from = plot.posToVal(left, "x"), to = plot.posToVal(left + wide, "x");
        plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        zoom(viewName, Math.max(0, from), Math.min(view.end, to));
      }],
    },
  };
}

function centres(view) {
  return view.t.map((t, i) => (t + (view.t[i + 1] ?? view.end)) / 2);
}

function swatch(line) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("width", "24");
  made.setAttribute("height", "10");
  made.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const style = { x1: 0, x2: 24, y1: 5, y2: 5, "stroke-width": Math.max(1.5, line.width), "stroke-dasharray": (line.dash || []).join(" ") };
  for (const [name, value] of Object.entries(style)) stroke.setAttribute(name, value);
  stroke.style.stroke = `var(--${line.colour})`;
  made.append(stroke);
  return made;
}

// Names of the lines with their dash; a click hides one. `now` shows the values under the cursor,
// and at rest the median of each line over the measured part.
function legend(lines, view, toggle) {
  const made = element("div", "legend rest");
  const rest = lines.map((line) => (view ? show(median(line.values, view), line.unit) : ""));
  const nows = lines.map((line, i) => {
    const button = element("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    const now = element("span", "now", rest[i]);
    button.append(swatch(line), element("span", "", line.label), now);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      toggle(i, on);
    });
    made.append(button);
    return now;
  });
  const when = element("span", "when", view ? say("median") : "");
  made.append(when);
  return {
    made,
    now(texts, whenText) {
      made.classList.toggle("rest", !texts);
      nows.forEach((now, i) => { now.textContent = texts ? texts[i] : rest[i]; });
      when.textContent = texts ? whenText || "" : view ? say("median") : "";
    },
  };
}

function median(values, view) {
  const part = view.spans.find(([kind]) => kind === "measured") || ["", 0, view.end];
  const known = centres(view).flatMap((t, i) => (t >= part[1] && t < part[2] && values[i] !== null ? [values[i]] : []));
  known.sort((a, b) => a - b);
  return known.length ? known[Math.floor(known.length / 2)] : null;
}

// What the triangles mean, beside the names of the lines.
function markKey(made, view) {
  const kinds = [...new Set(view.marks.map((mark) => mark[1]))];
  for (const kind of kinds) {
    const key = element("span", "mark-key");
    const sign = element("i", "", kind === "login" ? "▴" : "▾");
    sign.style.color = `var(--${kind === "login" ? "purple" : "red"})`;
    key.append(sign, " " + named(kind));
    made.insertBefore(key, made.querySelector(".when"));
  }
}

function keep(place, viewName, plot, timed) {
  charts.push({ place, view: viewName, plot, timed, height: plot.height });
}
