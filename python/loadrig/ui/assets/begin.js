// The form that starts a run: of an address, or of a plan that is written here with the checker beside it.
"use strict";

const CHECKED_AFTER_MS = 400;
const NEW_PLAN = "loadrig: 1\n\ntarget:\n  external: \"http://127.0.0.1:8000/\"\n\nworkload:\n  users: 10\n  requests:\n    - get: /\n";
const text = byId("text"), list = byId("proposals"), gutter = byId("gutter");
let digest = "", problems = [], proposed = [], marked = 0, timer = 0, asks = 0;

function refuse(why) {
  byId("refusal").textContent = why;
  byId("refusal").hidden = !why;
}

async function begin(button, wish) {
  refuse("");
  button.disabled = true;
  const label = button.textContent;
  button.textContent = say("begins");
  try {
    location.href = "/runs/" + pathOf((await asked("/api/start", "POST", wish)).run);
  } catch (error) {
    refuse(error.message);
    button.disabled = false;
    button.textContent = label;
  }
}

// --- an address -----------------------------------------------------------------------------------

const quoted = (word) => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
const valueOf = (name) => byId(name).value.trim();

function nameCommand() {
  const isAttack = valueOf("question") === "attack";
  const words = ["loadrig", valueOf("question"), valueOf("address") || "URL"];
  if (valueOf("goal")) words.push("--goal", valueOf("goal"));
  words.push(valueOf("model") === "users" ? "-c" : "-q", valueOf("level"), isAttack ? "-z" : "--budget", valueOf("duration"));
  byId("command").textContent = words.map(quoted).join(" ");
}

byId("address-form").addEventListener("input", nameCommand);
byId("question").addEventListener("change", () => {
  byId("duration").value = valueOf("question") === "attack" ? "10s" : "2m";
  if (valueOf("question") === "capacity" && !valueOf("goal")) byId("goal").value = "p99 < 200ms";
  nameCommand();
});
byId("address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(byId("start-address"), {
    from: "address", address: valueOf("address"), question: valueOf("question"), model: valueOf("model"),
    level: valueOf("level"), duration: valueOf("duration"), goals: valueOf("goal") ? [valueOf("goal")] : [],
  });
});

// --- a plan ---------------------------------------------------------------------------------------

function drawGutter() {
  const wrong = new Set(problems.map((problem) => problem.line));
  gutter.replaceChildren(...text.value.split("\n").map((_, n) => made("span", wrong.has(n + 1) ? "wrong" : "", n + 1 + "\n")));
  gutter.scrollTop = text.scrollTop;
}

function goTo(problem) {
  const lines = text.value.split("\n");
  const at = lines.slice(0, Math.max(0, problem.line - 1)).reduce((sum, line) => sum + line.length + 1, 0) + Math.max(0, problem.column - 1);
  text.focus();
  text.setSelectionRange(at, at + problem.length);
}

async function check() {
  const ask = ++asks;
  let answer;
  try {
    answer = await asked("/api/plans/check", "POST", { path: valueOf("path"), text: text.value });
  } catch (error) {
    answer = { problems: [{ line: 0, column: 0, length: 0, what: error.message, why: "", mend: "" }] };
  }
  if (ask !== asks) return; // more has been typed meanwhile
  problems = answer.problems;
  byId("checked").textContent = problems.length ? say(problems.length === 1 ? "one_mistake" : "mistakes", problems.length) : say("no_mistake");
  byId("problems").replaceChildren(...problems.map((problem) => {
    const item = made("li"), place = made("button", "small", problem.line ? say("line", problem.line) : say("plan"));
    place.type = "button";
    place.addEventListener("click", () => goTo(problem));
    item.append(place, made("b", "", problem.what), made("span", "why", [problem.why, problem.mend].filter(Boolean).join(" · ")));
    return item;
  }));
  drawGutter();
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(check, CHECKED_AFTER_MS);
  drawGutter();
}

function close() {
  list.hidden = true;
  text.removeAttribute("aria-activedescendant");
}

function mark(n) {
  marked = (n + proposed.length) % proposed.length;
  [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === marked)));
  list.children[marked].scrollIntoView({ block: "nearest" });
  text.setAttribute("aria-activedescendant", list.children[marked].id);
}

function take(n) {
  // More may have been typed since the proposals came: the first that still fits is meant.
  const end = text.selectionStart, word = text.value.slice(0, end).match(/[\w.-]*$/)[0];
  const fitting = [...proposed.slice(n), ...proposed].find((proposal) => proposal.text.startsWith(word));
  if (fitting) text.setRangeText(fitting.text, end - word.length, end, "end");
  close();
  changed();
}

async function complete(isAsked) {
  const before = text.value.slice(0, text.selectionStart).split("\n");
  const line = before.length, column = before[before.length - 1].length + 1, at = text.selectionStart;
  let answer;
  try {
    answer = await asked("/api/plans/complete", "POST", { text: text.value, line, column });
  } catch {
    return close();
  }
  if (text.selectionStart !== at) return;
  proposed = answer.proposals;
  if (!proposed.length || (!isAsked && !answer.word)) return close();
  list.replaceChildren(...proposed.map((proposal, n) => {
    const item = made("li");
    item.id = "proposal-" + n;
    item.setAttribute("role", "option");
    item.append(made("b", "", proposal.text), made("span", "", proposal.doc + (proposal.example ? "  " + proposal.example : "")));
    item.addEventListener("mousedown", (event) => { event.preventDefault(); take(n); });
    return item;
  }));
  const style = getComputedStyle(text), height = parseFloat(style.lineHeight);
  list.hidden = false;
  list.style.top = Math.min(text.clientHeight, (line * height - text.scrollTop) + parseFloat(style.paddingTop)) + "px";
  mark(0);
}

text.addEventListener("input", () => { changed(); complete(false); });
text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; close(); });
text.addEventListener("blur", close);
text.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.key === " ") {
    event.preventDefault();
    complete(true);
  } else if (!list.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    mark(marked + (event.key === "ArrowDown" ? 1 : -1));
  } else if (!list.hidden && (event.key === "Enter" || event.key === "Tab")) {
    event.preventDefault();
    take(marked);
  } else if (event.key === "Escape") {
    close();
  } else if (event.key === "Enter") {
    // The next line begins as far in as this one; behind a colon, further.
    event.preventDefault();
    const line = text.value.slice(0, text.selectionStart).split("\n").pop();
    const inner = line.match(/^\s*/)[0] + (/:\s*$/.test(line) ? "  " : "");
    text.setRangeText("\n" + inner, text.selectionStart, text.selectionEnd, "end");
    changed();
  }
});
byId("path").addEventListener("input", changed);
byId("plans").addEventListener("change", async () => {
  refuse("");
  const path = valueOf("plans");
  if (!path) {
    Object.assign(byId("path"), { value: "plan.yaml" });
    digest = "";
    text.value = NEW_PLAN;
    return check();
  }
  try {
    const plan = await asked("/api/plans/" + pathOf(path));
    byId("path").value = plan.path;
    digest = plan.digest;
    text.value = plan.text;
    await check();
  } catch (error) {
    refuse(error.message);
  }
});
byId("plan-form").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(byId("start-plan"), { from: "plan", plan: { path: valueOf("path"), text: text.value, digest } });
});

// --- both -----------------------------------------------------------------------------------------

function show(name) {
  for (const form of ["address", "plan"]) {
    byId(form + "-form").hidden = form !== name;
    byId("show-" + form).setAttribute("aria-pressed", String(form === name));
  }
  refuse("");
  if (name === "plan") drawGutter();
}

byId("show-address").addEventListener("click", () => show("address"));
byId("show-plan").addEventListener("click", () => { show("plan"); check(); });
text.value = NEW_PLAN;
nameCommand();
(async () => {
  try {
    const answer = await asked("/api/plans");
    byId("folder").textContent = answer.folder;
    byId("plans").append(...answer.plans.map((path) => {
      const option = made("option", "", path);
      option.value = path;
      return option;
    }));
  } catch (error) {
    refuse(error.message);
    for (const button of [byId("start-address"), byId("start-plan")]) button.disabled = true;
  }
})();
