// Every figure can be kept: its values as CSV, and the picture as SVG or PNG, whichever it is drawn as.
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "font-family",
  "font-size", "font-weight", "text-anchor", "dominant-baseline"];

function saved(name, kind, parts) {
  const address = URL.createObjectURL(new Blob(parts, { type: kind }));
  const link = element("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// A cell that begins like a formula would be run by a spreadsheet.
function quoted(text) {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

function csvOf(rows) {
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

// The rows of a figure: of its table where it has one, else of its lines over time.
function rowsOf(figure) {
  const table = figure.querySelector("table");
  if (table)
    return [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim().replace(/\s+/g, " ")));
  const rows = [["chart", "x", "line", "value"].map((name) => say("column_" + name))];
  for (const chart of charts) {
    if (!figure.contains(chart.place)) continue;
    const [xs, ...lines] = chart.plot.data;
    const title = chart.place.closest(".panel")?.querySelector(".panel-title")?.textContent.trim() || "";
    lines.forEach((values, n) => values.forEach((value, at) => {
      if (value !== null && value !== undefined)
        rows.push([title, String(xs[at]), String(chart.plot.series[n + 1].label || n + 1), String(value)]);
    }));
  }
  return rows.length > 1 ? rows : null;
}

function styled(source) {
  const copy = source.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  [source, ...source.querySelectorAll("*")].forEach((each, n) => {
    const style = getComputedStyle(each);
    for (const name of STYLES) copies[n].setAttribute(name, style.getPropertyValue(name));
    copies[n].removeAttribute("class");
  });
  return copy;
}

// All drawings of a figure in one, each at its place below the title.
function svgOf(figure, drawings) {
  const HEAD = 34;
  const place = figure.querySelector(".plot").getBoundingClientRect();
  const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const wide = Math.ceil(place.width), high = Math.ceil(place.height) + HEAD;
  for (const [name, value] of Object.entries({ width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, xmlns: "http://www.w3.org/2000/svg" }))
    whole.setAttribute(name, value);
  svg("rect", { width: wide, height: high, fill: colour("paper") }, whole);
  svg("text", { x: 8, y: 22, fill: colour("ink"), "font-size": 15, "font-weight": 600, "font-family": "system-ui, sans-serif" }, whole, figure.querySelector("h3").textContent);
  for (const drawing of drawings) {
    const box = drawing.getBoundingClientRect(), copy = styled(drawing);
    for (const [name, value] of Object.entries({ x: box.left - place.left, y: box.top - place.top + HEAD, width: box.width, height: box.height }))
      copy.setAttribute(name, value);
    whole.append(copy);
  }
  return new XMLSerializer().serializeToString(whole);
}

function pngOf(figure, canvases, keep) {
  const HEAD = 34, ratio = Math.max(2, window.devicePixelRatio || 1);
  const place = figure.querySelector(".plot").getBoundingClientRect();
  const whole = element("canvas");
  whole.width = place.width * ratio;
  whole.height = (place.height + HEAD) * ratio;
  const ctx = whole.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.fillStyle = colour("paper");
  ctx.fillRect(0, 0, place.width, place.height + HEAD);
  ctx.fillStyle = colour("ink");
  ctx.font = "600 15px system-ui, sans-serif";
  ctx.fillText(figure.querySelector("h3").textContent, 8, 22);
  ctx.font = "12.5px system-ui, sans-serif";
  for (const words of figure.querySelectorAll(".panel-title, .legend button > span:not(.now)")) {
    const box = words.getBoundingClientRect();
    ctx.fillStyle = colour("soft");
    ctx.fillText(words.textContent, box.left - place.left, box.top - place.top + HEAD + 12);
  }
  for (const canvas of canvases) {
    const box = canvas.getBoundingClientRect();
    ctx.drawImage(canvas, box.left - place.left, box.top - place.top + HEAD, box.width, box.height);
  }
  whole.toBlob(keep, "image/png");
}

function offer(figure) {
  const name = figure.id, row = element("div", "save");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", say("save", figure.querySelector("h3").textContent));
  const button = (word, act) => {
    const made = element("button", "", word);
    made.type = "button";
    made.addEventListener("click", act);
    row.append(made);
  };
  const drawings = () => [...figure.querySelectorAll(".plot svg")].filter((each) => each.clientWidth > 60);
  const canvases = () => [...figure.querySelectorAll(".plot canvas")];
  if (rowsOf(figure)) button("CSV", () => saved(name + ".csv", "text/csv", [csvOf(rowsOf(figure))]));
  if (canvases().length) button("PNG", () => pngOf(figure, canvases(), (blob) => saved(name + ".png", "image/png", [blob])));
  else if (drawings().length) button("SVG", () => saved(name + ".svg", "image/svg+xml", [svgOf(figure, drawings())]));
  if (row.childElementCount) figure.querySelector("figcaption").append(row);
}

// Offered once it is drawn: before that nobody knows as what.
function offerSaving() {
  for (const place of document.querySelectorAll(".plot[data-drawn]")) {
    const figure = place.closest("figure");
    if (figure && !figure.querySelector(":scope > figcaption > .save")) offer(figure);
  }
}
