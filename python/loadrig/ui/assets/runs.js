// The list of all runs: search, choice of two or more to compare, labels, pins, deletion.
"use strict";

const LOOK_EVERY_MS = 3000, READ_ON_MS = 100, TYPED_MS = 150;
const chosen = new Map();
let shown = "";

function when(seconds) {
  const date = new Date(seconds * 1000), two = (n) => String(n).padStart(2, "0");
  return date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate())
    + " " + two(date.getHours()) + ":" + two(date.getMinutes());
}

const TONES = { valid: "good", disturbed: "warn", void: "bad", stopped: "warn", running: "live" };

function badge(run) {
  const word = run.state === "finished" ? run.verdict || "finished" : run.state;
  return made("span", "badge tone-" + (TONES[word] || "quiet"), verdictWord(word));
}

function figures(run) {
  const parts = [];
  if (run.ok_rps !== null) parts.push(showNumber(run.ok_rps) + "/s");
  if (run.p99_ms !== null) parts.push("p99 " + showDuration(run.p99_ms / 1000));
  if (run.trials > 1) parts.push(say("number_of_trials", run.trials));
  return parts.join(" · ");
}

function button(text, label, act) {
  const element = made("button", "small", text);
  element.type = "button";
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", act);
  return element;
}

async function told(work) {
  try {
    await work();
  } catch (error) {
    byId("count").textContent = error.message;
  }
  await look(true);
}

const changed = (run, what) => asked("/api/runs/" + pathOf(run.id) + "/labels", "PATCH", what);

async function askLabels(run) {
  const typed = await question(say("labels_of", run.id), say("labels_hint"), say("keep"), run.labels.join(", "));
  if (typed === null) return;
  const labels = typed.split(",").map((label) => label.trim().slice(0, 60)).filter(Boolean).slice(0, 20);
  await told(() => changed(run, { labels }));
}

async function askDelete(run) {
  if (await question(say("remove_asked", run.id), say("remove_means"), say("remove")) === null) return;
  chosen.delete(run.id);
  await told(() => asked("/api/runs/" + pathOf(run.id), "DELETE"));
}

function row(run) {
  const item = made("li", "run" + (run.is_pinned ? " pinned" : ""));
  const check = made("input");
  check.type = "checkbox";
  check.checked = chosen.has(run.id);
  check.setAttribute("aria-label", say("choose_run", run.id));
  check.addEventListener("change", () => {
    if (check.checked) chosen.set(run.id, run.plan);
    else chosen.delete(run.id);
    nameChosen();
  });
  const link = made("a", "name", run.id);
  link.href = "/runs/" + pathOf(run.id);
  const head = made("div", "head");
  head.append(link, badge(run));
  for (const label of run.labels) {
    const word = made("button", "label", label);
    word.type = "button";
    word.addEventListener("click", () => { byId("search").value = label; look(true); });
    head.append(word);
  }
  const body = made("div", "body");
  body.append(head, made("p", "headline", run.headline || (say(run.state === "running" ? "goes_on" : "no_answer_yet"))));
  const facts = [when(run.created_s), run.kind, run.plan !== run.id ? run.plan : "", run.address, run.commit && say("commit", run.commit.slice(0, 10)), figures(run)];
  body.append(made("p", "facts-line", facts.filter(Boolean).join(" · ")));
  const acts = made("div", "acts");
  acts.append(
    button(say(run.is_pinned ? "unpin" : "pin"), say(run.is_pinned ? "unpin_run" : "pin_run", run.id),
      () => told(() => changed(run, { is_pinned: !run.is_pinned }))),
    button(say("label"), say("label_run", run.id), () => askLabels(run)),
    button(say("remove"), say("remove_run", run.id), () => askDelete(run)));
  item.append(check, body, acts);
  return item;
}

function nameChosen() {
  byId("picked-count").textContent = chosen.size ? say("number_chosen", chosen.size) : say("choose_to_compare");
  byId("compare").disabled = chosen.size !== 2;
  byId("history").disabled = new Set(chosen.values()).size !== 1;
}

async function look(anew) {
  const search = byId("search").value.trim();
  let answer;
  try {
    answer = await asked("/api/runs?search=" + encodeURIComponent(search));
  } catch (error) {
    byId("count").textContent = say("no_answer_from_server", error.message);
    return;
  }
  if (!answer.is_whole) setTimeout(() => look(false), READ_ON_MS);
  if (search !== byId("search").value.trim()) return; // a later search has been typed meanwhile
  const now = JSON.stringify(answer);
  if (now === shown && !anew) return;
  shown = now;
  byId("folder").textContent = answer.folder;
  byId("start").hidden = !answer.may_start;
  const some = answer.runs.length, all = answer.count;
  byId("count").textContent = !all ? "" : some < all ? say("some_runs", some, all) : say(all === 1 ? "one_run" : "all_of_runs", all);
  byId("empty").hidden = all > 0;
  const active = document.activeElement && document.activeElement.getAttribute("aria-label");
  byId("runs").replaceChildren(...answer.runs.map(row));
  if (active) document.querySelector(`#runs [aria-label="${CSS.escape(active)}"]`)?.focus();
  nameChosen();
}

let typing = 0;
byId("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => look(true), TYPED_MS);
});
byId("compare").addEventListener("click", () => {
  // The earlier run is compared with: a run's row is above those that were begun before it.
  const ids = [...document.querySelectorAll("#runs .run")].map((item) => item.querySelector(".name").textContent)
    .filter((id) => chosen.has(id));
  const pair = (ids.length === 2 ? ids : [...chosen.keys()]).reverse();
  location.href = "/compare?" + pair.map((id) => "run=" + encodeURIComponent(id)).join("&");
});
byId("history").addEventListener("click", () => {
  location.href = "/history?plan=" + encodeURIComponent([...chosen.values()][0]);
});
nameChosen();
look(true);
setInterval(() => { if (!document.hidden && !byId("dialog").open) look(false); }, LOOK_EVERY_MS);
