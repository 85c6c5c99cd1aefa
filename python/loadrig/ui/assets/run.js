// The page of a run: its course while it goes on, fed by server-sent events, and its report once it is over.
"use strict";

const MOST_SECONDS = 3600, MOST_EVENTS = 300, MOST_LOG = 400;
const ID = decodeURIComponent(location.pathname.slice("/runs/".length));
const API = "/api/runs/" + pathOf(ID);
const PHASES = {
  starting: say("starting"), reaching: say("reaching"), warm_up: say("warm_up"), measuring: say("measuring"),
  draining: say("draining"), stopping: say("stopping"), leaving: say("leaving"),
};
const UNSHOWN = new Set(["component_found", "thread_sample"]);

// Everything that is shown, as it came; it is drawn once a frame of the screen, however much comes.
const state = { news: null, seconds: [], uses: new Map(), events: [], log: [], course: null, trial: "", outcomes: {}, paused: false };
let isDue = false, choseView = false, drawnCourse = null, eventCount = 0;

const rate = new Lines(byId("chart-rate"), "1/s", [
  { name: say("due"), colour: "grey", dash: [6, 4] }, { name: say("answered"), colour: "blue", fill: true },
  { name: say("failed"), colour: "red", dash: [2, 3] }]);
const latency = new Lines(byId("chart-latency"), "s", [
  { name: "p50", colour: "green" }, { name: "p95", colour: "orange", dash: [6, 4] }, { name: "p99", colour: "red", dash: [2, 3] }]);
const cores = new Lines(byId("chart-cores"), "");
const flight = new Lines(byId("chart-flight"), "", [
  { name: say("in_flight"), colour: "purple", fill: true }, { name: say("users"), colour: "grey", dash: [6, 4] }]);

function take(news) {
  state.news = news;
  if (news.course) state.course = news.course;
  const trial = news.trial;
  if (trial) {
    const name = (trial.is_of_proof ? "proof " : "") + trial.number;
    if (name !== state.trial) Object.assign(state, { trial: name, seconds: [], uses: new Map(), events: [], log: [] });
    state.seconds.push(...trial.seconds);
    state.seconds.splice(0, state.seconds.length - MOST_SECONDS);
    for (const use of trial.used) {
      if (!state.uses.has(use.name)) state.uses.set(use.name, []);
      state.uses.get(use.name).push(use);
    }
    // A second may have two readings of a component: of its cores, and of what is awaited from it.
    for (const uses of state.uses.values()) uses.splice(0, uses.length - 2 * MOST_SECONDS);
    state.outcomes = trial.outcomes;
    for (const event of trial.happenings) if (!UNSHOWN.has(event.kind)) state.events.push(Object.assign(event, { place: ++eventCount }));
    state.events.splice(0, state.events.length - MOST_EVENTS);
    state.log.push(...trial.log);
    state.log.splice(0, state.log.length - MOST_LOG);
  }
  if (!isDue) {
    isDue = true;
    requestAnimationFrame(() => { isDue = false; draw(); });
  }
}

function draw() {
  const news = state.news, trial = news.trial;
  const unit = trial && (trial.model === "users" || trial.model === "connections") ? "" : "1/s";
  document.title = (news.is_running ? "▶ " : "") + news.title + " · loadrig";
  byId("title").textContent = byId("heading").textContent = news.title;
  drawPhase(news);
  drawNumbers();
  drawCharts();
  if (trial) {
    drawParts(trial);
    drawLights(trial.lights);
    drawMap(trial, state.seconds[state.seconds.length - 1]);
    drawTiers(trial);
    byId("level-unit").textContent = unit ? say("requests_per_s") : say("users");
    const now = state.seconds[state.seconds.length - 1];
    if (now) byId("level").placeholder = showNumber(now.planned);
  }
  drawEvents();
  if (state.course && state.course !== drawnCourse) drawCourse(drawnCourse = state.course, unit);
  markRunning(news);
  byId("log-section").hidden = !state.log.length;
  const log = byId("log"), atEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 30;
  put(log, state.log.join("\n"));
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function drawPhase(news) {
  const dot = byId("dot");
  dot.className = "dot " + (news.is_gone ? "bad" : news.is_running ? "live" : "quiet");
  let word = PHASES[news.phase] || say(news.is_running ? "between_trials" : "over");
  if (news.is_gone) word = say("folder_gone");
  byId("phase").textContent = word;
  byId("phase-time").textContent = news.phase
    ? news.expected_s >= 2
      ? say("of_at_most", showDuration(Math.floor(news.phase_s)), showDuration(Math.round(news.expected_s)))
      : showDuration(Math.floor(news.phase_s))
    : "";
  const progress = byId("progress");
  progress.hidden = !news.phase || news.expected_s < 2;
  progress.value = news.expected_s ? Math.min(1, news.phase_s / news.expected_s) : 0;
  const parts = [];
  if (news.is_running && news.trial && news.trial.is_of_proof) parts.push(say("proof_trial", news.trial.number), ...(news.setting ? [news.setting] : []));
  if (news.total > 1) parts.push(say("trial_of", Math.min(news.done + (news.is_running ? 1 : 0), news.total), news.total));
  if (news.total > 1 && news.setting) parts.push(news.setting);
  if (news.is_running && news.left_s >= 1) parts.push(say("time_left", showDuration(Math.round(news.left_s))));
  if (news.notes.length) parts.push(news.notes[news.notes.length - 1]);
  byId("left").textContent = parts.join(" · ");
  byId("steer").hidden = !news.is_running;
}

function drawNumbers() {
  const now = state.seconds[state.seconds.length - 1];
  const ended = Object.values(state.outcomes).reduce((sum, count) => sum + count, 0);
  const failed = ended - (state.outcomes.ok || 0);
  const worst = Object.entries(state.outcomes).filter(([name]) => name !== "ok").sort((a, b) => b[1] - a[1])[0];
  const share = ended ? failed / ended : 0;
  const items = now ? [
    [say("answered"), showNumber(now.ok) + "/s", say("rate_due", showNumber(now.due)), ""],
    [say("failed"), showNumber(share * 100) + " %", worst ? worst[0] + ": " + worst[1].toLocaleString("en-US") : say("none_of", ended.toLocaleString("en-US")), share >= 0.01 ? "bad" : ""],
    [say("median"), now.p50_s === null ? "–" : showDuration(now.p50_s), say("of_last_second"), ""],
    ["p99", now.p99_s === null ? "–" : showDuration(now.p99_s), now.p95_s === null ? "" : "p95 " + showDuration(now.p95_s), ""],
    [say("in_flight"), now.in_flight.toLocaleString("en-US"), now.users ? say("number_of_users", now.users.toLocaleString("en-US")) : "", ""],
    [say("generator"), showNumber(now.busy_share * 100) + " %", now.lag_s === null ? say("of_a_core") : say("of_a_core_late", showDuration(now.lag_s)), now.busy_share > 0.9 ? "bad" : ""],
  ] : [];
  byId("numbers").replaceChildren(...items.map(([label, value, detail, tone]) => {
    const item = made("div", "number");
    item.append(made("dt", "", label), made("dd", "value" + (tone ? " tone-" + tone : ""), value), made("dd", "detail", detail));
    return item;
  }));
}

function drawCharts() {
  const all = state.seconds;
  if (!all.length) return;
  happened = state.events.filter((event) => event.kind !== "note").map((event) => event.t_s);
  const t = all.map((one) => one.t_s), of = (name) => all.map((one) => one[name]);
  rate.show([t, of("due"), of("ok"), of("failed")]);
  latency.show([t, of("p50_s"), of("p95_s"), of("p99_s")]);
  flight.show([t, of("in_flight"), of("users")]);
  const names = [...state.uses.keys()].filter((name) => state.uses.get(name).some((use) => use.cores !== null));
  cores.named(names);
  if (names.length) cores.show([t, ...names.map((name) => aligned(state.uses.get(name), t))]);
}

// What was read of a component, laid to the seconds of the load: each reading stands for the second that it is in.
function aligned(uses, t) {
  const values = new Array(t.length).fill(undefined);
  let place = 0;
  for (const use of uses) {
    if (use.cores === null) continue;
    while (place < t.length && t[place] < use.t_s) place++;
    if (place === t.length) break;
    values[place] = use.cores;
  }
  return values;
}

function drawParts(trial) {
  byId("parts-section").hidden = !trial.parts.length;
  if (!trial.parts.length) return;
  byId("sentence").textContent = trial.sentence;
  const shown = trial.parts.filter((part) => part.share > 0);
  const total = shown.reduce((sum, part) => sum + part.share, 0);
  const colours = ["blue", "orange", "green", "purple", "sky"];
  byId("bar").replaceChildren(...shown.map((part, n) => {
    const piece = made("span", "piece c-" + (part.state ? colours[n % colours.length] : "grey"));
    piece.style.flexGrow = part.share / total;
    return piece;
  }));
  byId("bar-keys").replaceChildren(...shown.map((part, n) => {
    const item = made("li");
    item.append(made("i", "c-" + (part.state ? colours[n % colours.length] : "grey")),
      made("b", "", showDuration(part.seconds)), " " + (part.state || say("the_rest")));
    return item;
  }));
}

function drawEvents() {
  const list = byId("events");
  if (!state.events.length) return list.replaceChildren(made("li", "none", say("no_event_yet")));
  keep(list, state.events.slice(-60).reverse(), (event) => event.place, (event) => {
    const item = made("li");
    item.append(made("time", "", new Date(event.t_s * 1000).toLocaleTimeString([], { hour12: false })),
      made("b", "", event.component || event.kind.replaceAll("_", " ")), made("span", "", event.text));
    return item;
  }, () => {});
}

new ResizeObserver(() => { if (state.news && state.news.trial) drawWays(state.news.trial); }).observe(byId("map"));

// --- the report -----------------------------------------------------------------------------------

function view(name) {
  const isReport = name === "report";
  const frame = byId("report");
  if (isReport && !frame.getAttribute("src")) frame.src = "/reports/runs/" + pathOf(ID);
  frame.hidden = !isReport;
  byId("live").hidden = isReport;
  byId("show-report").setAttribute("aria-pressed", String(isReport));
  byId("show-live").setAttribute("aria-pressed", String(!isReport));
}

byId("show-report").addEventListener("click", () => { choseView = true; view("report"); });
byId("show-live").addEventListener("click", () => { choseView = true; view("live"); });

// --- orders ---------------------------------------------------------------------------------------

const ANSWERED_WITHIN_MS = 6000, ASK_EVERY_MS = 250;

async function order(wanted) {
  const place = byId("answer");
  place.textContent = say("asked");
  try {
    const { id } = await asked(API + "/orders", "POST", wanted);
    const until = Date.now() + ANSWERED_WITHIN_MS;
    while (Date.now() < until) {
      const answer = (await asked(API + "/orders")).find((one) => one.id === id);
      if (answer) {
        place.textContent = answer.outcome === "done" ? answer.text : say("refused", answer.text);
        return answer.outcome === "done";
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    }
    place.textContent = say("not_answered");
  } catch (error) {
    place.textContent = error.message;
  }
  return false;
}

byId("level-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const level = Number(byId("level").value);
  if (byId("level").value !== "" && level >= 0) order({ do: "level", to: level });
});
byId("mark-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = byId("mark").value.trim();
  if (text && await order({ do: "mark", text })) byId("mark").value = "";
});
byId("pause").addEventListener("click", async () => {
  if (await order({ do: state.paused ? "resume" : "pause" })) {
    state.paused = !state.paused;
    byId("pause").textContent = say(state.paused ? "resume" : "pause");
  }
});
byId("end").addEventListener("click", async () => {
    if (await question(say("end_asked"), say("end_means"), say("end_it")) !== null) order({ do: "end" });
});

// --- news -----------------------------------------------------------------------------------------

function forget() {
  Object.assign(state, { seconds: [], uses: new Map(), events: [], log: [], course: null, trial: "", outcomes: {} });
}

// A connection that breaks is made anew, and then all is told from the beginning.
const source = new EventSource(API + "/news");
let isFirst = true;
source.addEventListener("open", () => { isFirst = true; });
source.addEventListener("news", (event) => {
  if (isFirst) forget();
  isFirst = false;
  take(JSON.parse(event.data));
});
source.addEventListener("over", () => {
  source.close();
  if (!state.news.has_report) return;
  byId("tabs").hidden = false;
  if (!choseView) view("report");
});
source.addEventListener("error", () => {
  byId("dot").className = "dot bad";
  byId("phase").textContent = source.readyState === EventSource.CLOSED
    ? say("server_ended") : say("connecting_again");
});
