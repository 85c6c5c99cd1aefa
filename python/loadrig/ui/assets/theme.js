// Set before anything is drawn, so that a dark page never flashes white.
(function () {
  "use strict";
  const kept = localStorage.getItem("loadrig-theme");
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
