// Rows of points with intervals on one scale. Places were worked out in Python; this puts them.
kinds.intervals = function (place, figure) {
  const { rows, ticks, band, line, zones } = figure.data;
  const grid = element("div", "dots");
  const put = (track, name, at, wide) => {
    const made = element("i", name);
    made.style.left = at * 100 + "%";
    if (wide !== undefined) made.style.width = Math.max(0, wide) * 100 + "%";
    track.append(made);
    return made;
  };
  if (zones.length) {
    const names = element("div", "zones");
    for (const zone of zones) {
      const name = element("span", "tone-" + zone.tone, zone.text);
      name.style.left = zone.from * 100 + "%";
      name.style.width = (zone.to - zone.from) * 100 + "%";
      names.append(name);
    }
    grid.append(names);
  }
  for (const row of rows) {
    const made = element("div", "row tone-" + row.tone + (row.marked ? " marked" : "") + (row.hollow ? " hollow" : ""));
    const name = element("div", "name"), track = element("div", "track");
    // A number keeps its sign: "−20 %" is not broken.
    name.append(element("span", "", row.label.replace(/ %/g, "\u00a0%")));
    if (row.note) name.append(element("small", "", row.note));
    for (const zone of zones) put(track, "zone " + zone.tone, zone.from, zone.to - zone.from);
    for (const tick of ticks) put(track, tick.is_strong ? "grid strong" : "grid", tick.at);
    if (band) put(track, "bandfill", Math.max(0, band.from), Math.min(1, band.to) - Math.max(0, band.from));
    if (line) put(track, "zero", line.at);
    for (const point of row.points) if (point !== null) put(track, "tick", point);
    if (row.low !== null && row.high !== null) {
      put(track, "bar", row.low, row.high - row.low);
      put(track, row.goes_on[0] ? "on left" : "cap", row.low);
      put(track, row.goes_on[1] ? "on right" : "cap", row.high);
    }
    if (row.at !== null) put(track, "dot", row.at);
    track.title = row.text + " " + row.verdict;
    const verdict = element("div", "verdict tone-" + row.tone, row.verdict);
    made.append(name, track, element("div", "text", row.text), verdict);
    grid.append(made);
  }
  const axisRow = element("div", "axis");
  for (const tick of ticks) {
    // At an edge a text would stick out; anywhere else it stands under its line.
    const text = element("span", tick.at < 0.04 ? "first" : tick.at > 0.96 ? "last" : "", tick.text);
    text.style.left = tick.at * 100 + "%";
    axisRow.append(text);
  }
  grid.append(axisRow);
  if (band) {
    const key = element("div", "key");
    key.append(element("i"), band.text);
    grid.append(key);
  }
  place.append(grid);
};
