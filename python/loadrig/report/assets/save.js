// Every figure can be kept: its values as CSV, and the picture as SVG and PNG.
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

// Values of figures that have no table: name, place, line, value.
const VALUES = {
  strips: ({ strips }) => strips.flatMap((strip) => strip.lines.flatMap((line) => line.t.map((t, i) => [strip.title, t, line.label, line.values[i]]))),
  lanes: ({ lanes }) => lanes.flatMap((lane) => lane.ticks.map(([t], i) => [lane.component, t, lane.name, lane.texts[i]])),
  intervals: ({ rows }) => rows.map((row) => ["", row.label, row.verdict, row.text]),
  history: ({ runs }) => runs.map(({ text }) => ["", text.slice(0, text.lastIndexOf(": ")), "", text.slice(text.lastIndexOf(": ") + 2)]),
};

// The rows of a figure: of its table where it has one, else of its lines over time, else of its data; the map of
// tiers and the limits have a table of their own beneath them.
function rowsOf(figure) {
  const table = figure.querySelector("table");
  if (table) return cellsOf(table);
  const { kind, data: values } = data.figures[figure.id];
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
  if (rows.length > 1) return rows;
  if (VALUES[kind]) return [...rows, ...VALUES[kind](values).filter((row) => row[3] !== null).map((row) => row.map(String))];
  return cellsOf(figure.nextElementSibling.querySelector("table"));
}

function cellsOf(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim().replace(/\s+/g, " ")));
}

function filesOf(figure) {
  return { csv: () => csvOf(rowsOf(figure)), svg: () => pictureOf(figure).text, png: () => pointsOf(pictureOf(figure)) };
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
  const files = filesOf(figure);
  button("CSV", () => saved(name + ".csv", "text/csv", [files.csv()]));
  button("SVG", () => saved(name + ".svg", "image/svg+xml", [files.svg()]));
  button("PNG", async () => saved(name + ".png", "image/png", [await files.png()]));
  figure.querySelector("figcaption").append(row);
}

// Offered once it is drawn: before that nobody knows as what.
function offerSaving() {
  for (const place of document.querySelectorAll(".plot[data-drawn]")) {
    const figure = place.closest("figure");
    if (figure && !figure.querySelector(":scope > figcaption > .save")) offer(figure);
  }
}
