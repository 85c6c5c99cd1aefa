// The map of who waits for whom, a strip for each tier, and the lights of the rig itself.
"use strict";

const STRIP_SECONDS = 300, STRIP_WIDE = 120, STRIP_HIGH = 26;
const GENERATOR = "generator";
const SIGNS = { unknown: "○", fine: "✓", disturbed: "▲", grave: "■" };

function svgMade(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function putAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// --- lights ---------------------------------------------------------------------------------------

function drawLights(lights) {
  byId("rig-section").hidden = !lights.length;
  const showLight = (light, value) => light.name === "lag" ? showDuration(value) : showNumber(value * 100) + " %";
  keep(byId("lights"), lights, (light) => light.name, () => {
    const item = made("li");
    item.append(made("span", "sign"), made("span", "name"), made("b"), made("span", "limit"));
    item.firstChild.setAttribute("aria-hidden", "true");
    return item;
  }, (item, light) => {
    const [sign, name, value, limit] = item.children;
    item.className = "light " + light.level;
    put(sign, SIGNS[light.level]);
    put(name, WORDS["light_" + light.name]);
    put(value, light.value === null ? "" : showLight(light, light.value));
    const word = "light_" + light.level, state = say(word, light.limit === null ? "" : showLight(light, light.limit));
    put(limit, [state, light.check, light.level === "disturbed" ? light.note : ""].filter(Boolean).join(" · "));
  });
  const bad = lights.filter((light) => light.level === "disturbed" || light.level === "grave");
  put(byId("lights-said"), bad.length ? say("lights_bad", bad.map((light) => WORDS["light_" + light.name]).join(", ")) : say("lights_fine"));
}

// --- the map --------------------------------------------------------------------------------------

// Columns of names by how far they are from the generator; who is not reached from there stands beside the server.
function columnsOf(trial) {
  const depths = new Map([[GENERATOR, 0]]);
  for (const _ of trial.links)
    for (const link of trial.links)
      if (depths.has(link.source) && !depths.has(link.to)) depths.set(link.to, depths.get(link.source) + 1);
  for (const tier of trial.tiers) if (tier.kind !== "host" && !depths.has(tier.name)) depths.set(tier.name, 1);
  const columns = [];
  for (const [name, depth] of depths) (columns[depth] ??= []).push(name);
  return columns;
}

function loadOn(link) {
  const word = link.source === GENERATOR ? "requests_on_way" : "messages_on_way";
  const parts = [link.per_s === null ? null : say(word, showNumber(link.per_s)),
    link.awaited === null ? null : say("answers_awaited", showNumber(link.awaited))].filter(Boolean);
  return parts.length ? parts.join(" · ") : say("not_seen");
}

const fullWord = (tier) => tier && tier.full ? WORDS["full_" + tier.full] : "";
const coresWord = (tier) => !tier || tier.cores === null ? ""
  : tier.cores_most ? say("cores_of", showNumber(tier.cores), showNumber(tier.cores_most)) : say("cores_used", showNumber(tier.cores));

function drawMap(trial, now) {
  const tiers = new Map(trial.tiers.map((tier) => [tier.name, tier])), columns = columnsOf(trial);
  byId("map-section").hidden = columns.length < 2;
  const makeColumn = () => made("ul");
  keep(byId("map-columns"), columns, (_, depth) => depth, makeColumn, (column, names, depth) => {
    column.style.setProperty("--depth", depth);
    keep(column, names, (name) => name, (name) => {
      const item = made("li", "", undefined), box = made("div", "box");
      box.append(made("b", "", name), made("span", "figure-line"), made("strong", "full-word"));
      item.append(made("ul", "asks"), box);
      return item;
    }, (item, name) => {
      const [asks, box] = item.children, tier = tiers.get(name), full = fullWord(tier);
      keep(asks, trial.links.filter((link) => link.to === name), (link) => link.source, (link) => {
        const line = made("li");
        line.append(made("span", "hidden-label", link.source + " → " + name + ": "), made("span"));
        return line;
      }, (line, link) => put(line.lastChild, (asks.childElementCount > 1 ? link.source + ": " : "") + loadOn(link)));
      item.classList.toggle("is-full", Boolean(full));
      const kind = tier && tier.kind !== name ? tier.kind : "";
      const generator = now ? say("percent_of_a_core", showNumber(now.busy_share * 100)) : "";
      put(box.children[1], name === GENERATOR ? generator : [kind, coresWord(tier)].filter(Boolean).join(" · "));
      put(box.children[2], full);
    });
  });
  drawWays(trial);
}

// Lines from box to box, as wide as answers are awaited; in columns beside each other, or below each other.
function drawWays(trial) {
  const full = new Set(trial.tiers.filter((tier) => tier.full).map((tier) => tier.name));
  const ground = byId("map"), picture = byId("map-ways"), origin = ground.getBoundingClientRect();
  const boxes = new Map();
  for (const box of ground.querySelectorAll(".box")) boxes.set(box.firstChild.textContent, box.getBoundingClientRect());
  const shown = trial.links.filter((link) => boxes.has(link.source) && boxes.has(link.to) && link.source !== link.to);
  keep(picture, shown, (link) => link.source + "\n" + link.to, () => svgMade("path", {}), (path, link) => {
    const from = boxes.get(link.source), to = boxes.get(link.to);
    const x2 = to.left - origin.left, y2 = to.top + to.height / 2 - origin.top;
    let line;
    if (to.left > from.right) {
      const x1 = from.right - origin.left, y1 = from.top + from.height / 2 - origin.top, middle = (x1 + x2) / 2;
      line = `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`;
    } else {
      const x1 = from.left + 10 - origin.left;
      line = `M${x1},${from.bottom - origin.top} L${x1},${y2} L${x2},${y2}`;
    }
    putAttribute(path, "d", line);
    putAttribute(path, "class", full.has(link.to) ? "way is-full" : "way");
    putAttribute(path, "stroke-width", (1.5 + Math.min(6, Math.log2(1 + (link.awaited || 0)))).toFixed(1));
  });
}

// --- a strip for each tier ------------------------------------------------------------------------

function strip(name) {
  const cell = made("td", name), picture = svgMade("svg", {
    width: STRIP_WIDE, height: STRIP_HIGH, viewBox: `0 0 ${STRIP_WIDE} ${STRIP_HIGH}`, class: "strip", "aria-hidden": "true" });
  picture.append(svgMade("path", { class: "strip-line" }));
  cell.append(picture, made("span", "share"));
  return cell;
}

// readings: [seconds since 1970, value], the newest last. most: value at the upper edge, at least.
function drawStrip(cell, readings, most, text) {
  const until = readings.length ? readings[readings.length - 1][0] : 0;
  const last = readings.filter(([t]) => t > until - STRIP_SECONDS);
  const from = last.length ? last[0][0] : 0, top = Math.max(most, ...last.map(([, value]) => value)) || 1;
  const points = last.map(([t, value]) => ((t - from) / Math.max(1, until - from) * STRIP_WIDE).toFixed(1) + ","
    + (STRIP_HIGH - 1.5 - value / top * (STRIP_HIGH - 3)).toFixed(1));
  putAttribute(cell.querySelector("path"), "d", points.length > 1 ? "M" + points.join("L") : "");
  put(cell.lastChild, text);
}

function drawTiers(trial) {
  const readingsOf = (name, what) => (state.uses.get(name) || []).slice(-2 * STRIP_SECONDS)
    .filter((use) => use[what] !== null).map((use) => [use.t_s, use[what]]);
  const awaitedOf = (name) => name === "server" ? state.seconds.slice(-STRIP_SECONDS).map((one) => [one.t_s, one.in_flight])
    : readingsOf(name, "awaited");
  keep(byId("tiers"), trial.tiers, (tier) => tier.name, (tier) => {
    const row = made("tr"), name = made("th", "", tier.name);
    name.scope = "row";
    name.append(made("span", "cell-note"));
    row.append(name, strip("cores-strip"), strip("awaited-strip"), made("td", "right"), made("td"));
    return row;
  }, (row, tier) => {
    const [name, used, awaited, memory, full] = row.children, answers = awaitedOf(tier.name);
    put(name.lastChild, tier.kind === tier.name ? "" : tier.kind);
    drawStrip(used, readingsOf(tier.name, "cores"), tier.cores_most || 0, coresWord(tier) || "–");
    drawStrip(awaited, answers, 1, answers.length ? showNumber(answers[answers.length - 1][1]) : "–");
    put(memory, tier.memory_bytes === null ? "–" : showSize(tier.memory_bytes));
    row.classList.toggle("is-full", Boolean(tier.full));
    put(full, fullWord(tier) || say("has_room"));
  });
  announce("full", trial.tiers.filter((tier) => tier.full).map((tier) => tier.name + ": " + fullWord(tier)).join(", "));
}
