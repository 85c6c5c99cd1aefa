// A comparison or a history in its frame; where it cannot be made, why.
"use strict";

const address = "/reports/" + (location.pathname === "/history" ? "history" : "comparison") + location.search;
document.title = say(location.pathname === "/history" ? "history" : "comparison") + " · loadrig";
byId("title").textContent = new URLSearchParams(location.search).getAll("run").join(say("against"))
  || new URLSearchParams(location.search).get("plan") || "";

(async () => {
  try {
    const answer = await fetch(address);
    const text = await answer.text();
    if (answer.ok) {
      byId("report").src = address;
      return;
    }
    byId("why").textContent = JSON.parse(text).error;
  } catch (error) {
    byId("why").textContent = String(error);
  }
  byId("report").hidden = true;
  byId("failed").hidden = false;
})();
