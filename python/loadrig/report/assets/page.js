// Draws what is in sight, and answers to the theme, the choice of a trial, the window's width, and print.
const root = document.documentElement;
const system = window.matchMedia("(prefers-color-scheme: dark)");
const themes = ["system", "light", "dark"];
let theme = "system", printing = false;

function paint() {
  const dark = !printing && (theme === "dark" || (theme === "system" && system.matches));
  root.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme-word").textContent = say(theme);
  for (const chart of charts) chart.plot.redraw(false, true);
}

document.getElementById("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  paint();
});
system.addEventListener("change", paint);

// In a page of `loadrig ui` that page has the bar at the top and the choice of the theme.
if (window.parent !== window) {
  root.classList.add("framed");
  window.addEventListener("message", (event) => {
    if (!themes.includes(event.data?.theme)) return;
    theme = event.data.theme;
    paint();
  });
  window.parent.postMessage({ asks: "theme" }, "*");
}

function drawVisible() {
  for (const place of document.querySelectorAll(".plot[data-figure]:not([data-drawn])")) {
    if (place.closest("[hidden]")) continue;
    const figure = data.figures[place.dataset.figure];
    place.dataset.drawn = figure.kind;
    kinds[figure.kind](place, figure);
  }
  offerSaving();
}

function fit(width) {
  for (const chart of charts)
    if (!chart.place.closest("[hidden]"))
      chart.plot.setSize({ width: width || plotWidth(chart.place), height: chart.height });
}

const view = document.getElementById("view");
if (view) view.addEventListener("change", () => {
  for (const each of document.querySelectorAll(".view")) each.hidden = each.dataset.view !== view.value;
  drawVisible();
  fit();
});

let waiting = 0;
window.addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => { if (!printing) fit(); });
});

// Paper is white, and as wide as A4 or Letter less their margins.
window.addEventListener("beforeprint", () => { printing = true; paint(); fit(690); });
window.addEventListener("afterprint", () => { printing = false; paint(); fit(); });

const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries)
    if (entry.isIntersecting) {
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
}, { rootMargin: "-15% 0px -75% 0px" });
for (const section of document.querySelectorAll("main > section")) seen.observe(section);

paint();
drawVisible();
// For tests: what was drawn, the numbers' notation, and what is kept of a figure.
window.loadrig = { charts, show, quoted, filesOf };
