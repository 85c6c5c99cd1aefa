// Stacks as bars, each under its caller and as wide as its share. Places are shares of the width, so the
// browser lays them out anew by itself; drawn are only those that are wide enough to be seen.
kinds.flame = function (place, figure) {
  const { names, places, frames, nodes, compared, seconds, samples, shares, kind } = figure.data;
  const origins = ["own", "library", "runtime", "kernel"];
  const words = Object.fromEntries(origins.map((origin) => [origin, say(origin)]));
  const DEPTH = 0, FRAME = 1, HIGH = 2, SELF_HIGH = 3, LOW = 4, SELF_LOW = 5, WHOLE = 1e6, LEAST_PX = 0.7;
  const what = say(kind === "cpu" ? "cpu_time" : "time");

  // Callers, callees and the last node below each one, from the order of the walk.
  const parents = [], children = nodes.map(() => []), ends = nodes.map((_, i) => i);
  const open = [];
  nodes.forEach((node, i) => {
    open.length = node[DEPTH];
    parents.push(open.length ? open[open.length - 1] : -1);
    if (open.length) children[parents[i]].push(i);
    open.push(i);
  });
  for (let i = nodes.length - 1; i > 0; i--) ends[parents[i]] = Math.max(ends[parents[i]], ends[i]);
  const name = (i) => names[frames[nodes[i][FRAME]][0]];
  const origin = (i) => origins[frames[nodes[i][FRAME]][2]];
  const grew = (i) => nodes[i][HIGH] - nodes[i][LOW];
  // Two shares of samples differ if they do so by more than 1.96 standard errors of such a difference.
  const isTold = (i) => {
    const error = (ppm, n) => (ppm / WHOLE) * (1 - ppm / WHOLE) / Math.max(1, n);
    const noise = 1.96 * Math.sqrt(error(nodes[i][HIGH], samples.high) + error(nodes[i][LOW], samples.low));
    return Math.abs(grew(i)) >= Math.max(1000, noise * WHOLE);
  };
  const strongest = Math.max(1, ...nodes.slice(1).map((_, i) => Math.abs(grew(i + 1))));

  let mode = "high", zoomed = 0, sought = null, current = 0;
  const size = (i) => nodes[i][mode === "low" ? LOW : HIGH];
  const self = (i) => nodes[i][mode === "low" ? SELF_LOW : SELF_HIGH];

  const bar = element("div", "flame-bar"), view = element("div", "flame-view"), stack = element("div", "flame-stack");
  const said = element("div", "flame-said"), key = element("div", "flame-key");
  const matched = element("span", "flame-matched"), whole = element("button", "flame-whole", say("show_all"));
  stack.setAttribute("role", "tree");
  stack.setAttribute("aria-label", say("functions_by_share", what));
  matched.setAttribute("aria-live", "polite");
  whole.type = "button";

  function share(ppm, sign) {
    const percent = ppm / 1e4, size = Math.abs(percent);
    const text = size > 0 && size < 0.05 ? "< 0.1" : size >= 99.95 || size === 0 ? String(Math.round(size)) : size.toFixed(1);
    return (percent < 0 ? "−" : sign && percent > 0 ? "+" : "") + text + (sign ? say("points") : " %");
  }

  // --- drawing ---

  function paint(made, i) {
    // Neighbours differ a little in shade, always the same for one function.
    const shade = ((nodes[i][FRAME] * 7) % 3) * 7;
    if (mode === "grew" && i > 0) {
      const change = grew(i), part = Math.sqrt(Math.abs(change) / strongest);
      made.classList.add(!isTold(i) ? "same" : change > 0 ? "more" : "less");
      made.style.setProperty("--shade", Math.round(10 + 58 * part) + "%");
    } else if (i > 0) {
      made.classList.add(origin(i));
      const base = { own: 44, library: 36, runtime: 18, kernel: 30 }[origin(i)];
      made.style.setProperty("--shade", base + shade + "%");
    }
  }

  function put(i, left, wide, rowHeight, pixels) {
    const made = element("div", wide * pixels < 24 ? "thin" : "");
    made.style.left = left * 100 + "%";
    made.style.width = wide * 100 + "%";
    made.style.top = nodes[i][DEPTH] * rowHeight + "px";
    made.dataset.node = i;
    paint(made, i);
    if (i < zoomed && ends[i] >= zoomed) made.classList.add("above");
    if (sought && sought.has(i)) made.classList.add("match");
    const text = mode === "grew" && i > 0 && isTold(i) ? share(grew(i), true).replace(say("points"), "") + " " : "";
    made.append(element("span", "", text + (i ? name(i) : all())));
    made.setAttribute("role", "treeitem");
    made.setAttribute("aria-level", nodes[i][DEPTH] + 1);
    made.setAttribute("aria-label", (i ? name(i) + ", " + words[origin(i)] : all()) + ", " + share(size(i)) + (mode === "grew" ? ", " + share(grew(i), true) : ""));
    made.tabIndex = i === current ? 0 : -1;
    stack.append(made);
  }

  function all() {
    return say("all", showDuration(seconds[mode === "low" ? "low" : "high"]), what);
  }

  function draw() {
    const pixels = stack.clientWidth || plotWidth(place), rowHeight = window.matchMedia("(max-width: 640px)").matches ? 24 : 20;
    const unit = size(zoomed) || 1, lefts = new Map();
    let deepest = 0;
    stack.replaceChildren();
    for (let at = zoomed; at >= 0; at = parents[at]) lefts.set(at, 0);
    for (let i = 0; i < nodes.length; i++) {
      const isAbove = i < zoomed;
      if (isAbove && !lefts.has(i)) continue;
      if (i > ends[zoomed]) break;
      if (i > zoomed && !lefts.has(i)) continue;
      const left = lefts.get(i), wide = isAbove ? 1 : size(i) / unit;
      if (wide * pixels < LEAST_PX) continue;
      put(i, left, wide, rowHeight, pixels);
      deepest = Math.max(deepest, nodes[i][DEPTH]);
      if (isAbove) continue;
      let next = left;
      for (const child of children[i]) {
        lefts.set(child, next);
        next += size(child) / unit;
      }
    }
    stack.style.height = (deepest + 1) * rowHeight + "px";
    stack.classList.toggle("searched", sought !== null);
    whole.hidden = zoomed === 0;
    told(current);
  }

  function told(i) {
    const row = frames[nodes[i][FRAME]];
    const first = element("span"), second = element("span");
    if (i === 0) {
      first.append(all() + (compared && mode === "grew" ? say("at_low_load", showDuration(seconds.low)) : ""));
    } else {
      first.append(element("b", "", name(i)), " · " + words[origin(i)] + (places[row[1]] ? " · " + places[row[1]] : ""));
      second.append(say("here_and_below", share(size(i)), what, share(self(i))));
      if (mode === "grew") {
        second.append(say("against_low_load", share(grew(i), true), share(nodes[i][LOW])));
        if (!isTold(i)) second.append(say("within_noise"));
      }
    }
    said.replaceChildren(first, second);
  }

  function keyed() {
    key.replaceChildren();
    const add = (name, text) => { const one = element("span"); one.append(element("i", name), text); key.append(one); };
    if (mode === "grew") {
      add("more", say("takes_more", what));
      add("less", say("takes_less"));
      add("same", say("no_difference", showNumber(samples.high), showNumber(samples.low)));
    } else {
      const parts = shares[mode];
      origins.forEach((one, n) => { if (parts[n] > 0) add(one, words[one] + " " + share(parts[n] * 1e6)); });
    }
  }

  // --- zoom, search, comparison ---

  function zoomTo(i) {
    zoomed = i;
    current = i;
    draw();
    reach();
  }

  function search(text) {
    const sign = text.trim().toLowerCase();
    sought = null;
    matched.replaceChildren();
    if (sign) {
      sought = new Set();
      let found = 0, until = -1;
      nodes.forEach((_, i) => {
        if (i === 0 || !name(i).toLowerCase().includes(sign)) return;
        sought.add(i);
        // What lies below a match is counted with it already.
        if (i > until) { found += size(i); until = ends[i]; }
      });
      matched.append(element("b", "", share(found)), say(sought.size ? "in_what_matches" : "nothing_matches"));
    }
    draw();
  }

  const input = element("input", "flame-search");
  input.type = "search";
  input.placeholder = say("search");
  input.setAttribute("aria-label", say("search_by_name"));
  input.addEventListener("input", () => search(input.value));
  if (compared) {
    const modes = element("span", "flame-modes");
    modes.setAttribute("role", "group");
    modes.setAttribute("aria-label", say("which_profile"));
    for (const [one, label] of [["high", say("high_load")], ["low", say("low_load")], ["grew", say("what_grew")]]) {
      const button = element("button", "", label);
      button.type = "button";
      button.setAttribute("aria-pressed", String(one === mode));
      button.addEventListener("click", () => {
        mode = one;
        for (const each of modes.children) each.setAttribute("aria-pressed", String(each === button));
        if (!size(zoomed)) zoomed = current = 0;
        keyed();
        search(input.value);
      });
      modes.append(button);
    }
    bar.append(modes);
  }
  bar.append(input, matched, whole);
  whole.addEventListener("click", () => { zoomTo(0); });

  // --- mouse and keys ---

  const under = (event) => {
    const made = event.target.closest("[data-node]");
    return made ? Number(made.dataset.node) : -1;
  };
  const bars = () => [...stack.children].map((made) => Number(made.dataset.node));

  function reach() {
    stack.querySelector(`[data-node="${current}"]`)?.focus({ preventScroll: false });
  }

  function walk(i) {
    if (i === undefined || !stack.querySelector(`[data-node="${i}"]`)) return;
    const before = stack.querySelector('[tabindex="0"]');
    if (before) before.tabIndex = -1;
    current = i;
    stack.querySelector(`[data-node="${i}"]`).tabIndex = 0;
    reach();
    told(i);
  }

  stack.addEventListener("click", (event) => { const i = under(event); if (i >= 0) zoomTo(i); });
  stack.addEventListener("pointerover", (event) => { const i = under(event); if (i >= 0) told(i); });
  stack.addEventListener("pointerleave", () => told(current));
  stack.addEventListener("focusin", (event) => { const i = under(event); if (i >= 0) { current = i; told(i); } });
  stack.addEventListener("keydown", (event) => {
    const siblings = current ? children[parents[current]].filter((i) => bars().includes(i)) : [0];
    const at = siblings.indexOf(current);
    const steps = {
      ArrowDown: () => walk(current < zoomed ? bars().find((i) => parents[i] === current) : children[current][0]),
      ArrowUp: () => walk(current ? parents[current] : 0),
      ArrowRight: () => walk(siblings[at + 1]),
      ArrowLeft: () => walk(siblings[at - 1]),
      Home: () => walk(0),
      Enter: () => zoomTo(current),
      " ": () => zoomTo(current),
      Escape: () => zoomTo(0),
    };
    if (!steps[event.key]) return;
    event.preventDefault();
    steps[event.key]();
  });

  view.append(stack);
  place.append(bar, view, said, key);
  keyed();
  draw();
  // Another width shows other bars.
  let drawn = stack.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(stack.clientWidth - drawn) < 40) return;
    drawn = stack.clientWidth;
    draw();
  }).observe(stack);
};
