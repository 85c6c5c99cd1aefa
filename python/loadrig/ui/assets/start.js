// What all pages share: asking the server, the theme, the dialog that asks before what cannot be undone.
"use strict";

// A sentence of this page in its language, with its holes filled.
const say = (name, ...holes) => WORDS[name].replace(/\{(\d)\}/g, (_, n) => holes[n]);

// What a verdict or a state is called; a word that is not ours stays as it came.
const verdictWord = (word) => WORDS["verdict_" + word] ?? word;

const byId = (id) => document.getElementById(id);

function made(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

// Text that is written only where it has changed.
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Keeps an element in a place for each item, in their order: one that is there already is only filled anew.
function keep(place, items, keyOf, make, fill) {
  const before = new Map([...place.children].map((child) => [child.dataset.key, child]));
  let at = place.firstElementChild;
  items.forEach((item, n) => {
    const key = String(keyOf(item, n)), child = before.get(key) || make(item, n);
    child.dataset.key = key;
    before.delete(key);
    if (child === at) at = at.nextElementSibling;
    else place.insertBefore(child, at);
    fill(child, item, n);
  });
  for (const child of before.values()) child.remove();
}

// Tells a screen reader what is new of a kind, once.
const announced = new Map();
function announce(kind, text) {
  if (announced.get(kind) === text) return;
  announced.set(kind, text);
  if (text) byId("said").textContent = text;
}

// The id of a run is a path: its slashes stay.
const pathOf = (id) => id.split("/").map(encodeURIComponent).join("/");

async function asked(address, method, body) {
  const options = { method: method || "GET" };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  const answer = await fetch(address, options);
  const text = await answer.text();
  if (!answer.ok) {
    let why = text;
    try { why = JSON.parse(text).error || text; } catch { /* the guard answers in plain words */ }
    throw new Error(why);
  }
  return JSON.parse(text);
}

const themeButton = byId("theme");
const themeHearers = [];

function nameTheme() {
  const dark = document.documentElement.dataset.theme === "dark";
  themeButton.textContent = dark ? "◑ " + say("dark") : "◐ " + say("light");
  themeButton.setAttribute("aria-label", say(dark ? "switch_to_light" : "switch_to_dark"));
}

themeButton.addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("loadrig-theme", next);
  nameTheme();
  for (const hear of themeHearers) hear();
});
nameTheme();

// The other language: the server makes the page in the one that its cookie names.
const languageButton = byId("language");
languageButton.textContent = OTHER_LANGUAGE.name;
languageButton.lang = OTHER_LANGUAGE.code;
languageButton.addEventListener("click", () => {
  document.cookie = "loadrig-lang=" + OTHER_LANGUAGE.code + "; path=/; max-age=31536000; samesite=strict";
  location.reload();
});

// A report in its frame is another site to the browser: it is told the theme, and no more.
const reportFrame = byId("report");

function tellTheme() {
  if (reportFrame && reportFrame.contentWindow)
    reportFrame.contentWindow.postMessage({ theme: document.documentElement.dataset.theme }, "*");
}

if (reportFrame) {
  themeHearers.push(tellTheme);
  window.addEventListener("message", (event) => {
    if (event.source === reportFrame.contentWindow && event.data?.asks === "theme") tellTheme();
  });
}

// Asks a question in the page's dialog; the answer is null for no, else what was typed, or "".
function question(title, text, yes, typed) {
  const dialog = byId("dialog"), input = byId("dialog-input");
  byId("dialog-title").textContent = title;
  byId("dialog-text").textContent = text;
  byId("dialog-yes").textContent = yes;
  if (input) {
    input.hidden = typed === undefined;
    input.value = typed || "";
  }
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes" ? (input ? input.value : "") : null);
    }, { once: true });
  });
}
