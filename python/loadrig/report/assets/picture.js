// A figure as one drawing that stands alone, with its title, its sentence and its legend: read from the page as it
// is seen, be it drawn on a canvas, as SVG, or laid out of boxes and texts. A PNG is that drawing, painted.
const AIR = 16;
const SHAPE_STYLES = { fill: "", stroke: "none", "stroke-width": "", "stroke-dasharray": "none", "stroke-linejoin": "miter",
  "paint-order": "normal", "marker-end": "none", opacity: "1", "fill-opacity": "1", "stop-color": "", visibility: "visible", overflow: "" };
const TEXT_STYLES = { "font-family": "", "font-size": "", "font-weight": "400", "text-anchor": "start", "dominant-baseline": "auto" };

// Any colour as a browser computes it, in the notation that every program reads, and its opacity.
function solid(text) {
  const parts = (text.match(/[\d.]+(?:e-?\d+)?/g) || []).map(Number);
  const [r, g, b] = parts.map((part) => Math.round(text.startsWith("color(") ? part * 255 : part));
  return { paint: `rgb(${r},${g},${b})`, opacity: parts.length > 3 ? parts[3] : 1 };
}

function filled(text, name = "fill") {
  const { paint, opacity } = solid(text);
  return opacity < 1 ? { [name]: paint, [name + "-opacity"]: opacity } : { [name]: paint };
}

function pictureOf(figure) {
  // What only a reader at the screen needs is left out, and what is scrolled there is shown whole.
  const scrolled = [document.scrollingElement, ...figure.querySelectorAll(".flame-view")].map((each) => [each, each.scrollTop]);
  figure.classList.add("pictured");
  const picture = drawnAlone(figure);
  figure.classList.remove("pictured");
  for (const [each, top] of scrolled) each.scrollTop = top;
  return picture;
}

function drawnAlone(figure) {
  const head = figure.querySelector("figcaption"), place = figure.querySelector(".plot");
  const from = head.getBoundingClientRect(), wide = Math.ceil(place.getBoundingClientRect().width) + 2 * AIR;
  const high = Math.ceil(place.getBoundingClientRect().bottom - from.top) + 2 * AIR;
  const left = from.left - AIR, top = from.top - AIR, pen = element("canvas").getContext("2d");
  const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, xmlns: "http://www.w3.org/2000/svg" }))
    whole.setAttribute(name, value);
  svg("title", {}, whole, figure.querySelector("h3").textContent);
  svg("style", {}, whole, "text { font-variant-numeric: tabular-nums; white-space: pre; }");
  svg("rect", { width: wide, height: high, fill: colour("paper") }, whole);
  const shades = svg("defs", {}, whole);

  // --- texts ---

  function cut(text, wide) {
    let shown = text;
    while (shown && pen.measureText(shown + "…").width > wide) shown = shown.slice(0, -1);
    return shown && shown + "…";
  }

  // room: of the nearest box that cuts what is longer.
  function write(node, parent, style, room, isStruck) {
    for (const [text, box] of linesOf(node)) {
      if (box.right <= room.left || box.left >= room.right) continue;
      pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      const shown = box.right > room.right + 1 ? cut(text, room.right - box.left) : text;
      const more = style.letterSpacing === "normal" ? {} : { "letter-spacing": style.letterSpacing };
      if (isStruck) more["text-decoration"] = "line-through";
      if (shown) svg("text", { x: (box.left - left).toFixed(2), y: (box.top - top + pen.measureText(shown).fontBoundingBoxAscent).toFixed(2), ...filled(style.color),
        "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight, ...more }, parent, shown);
    }
  }

  function linesOf(node) {
    const text = node.data, range = document.createRange();
    const boxOf = (start, end) => { range.setStart(node, start); range.setEnd(node, end); return range.getClientRects(); };
    const start = text.search(/[^ \t\r\n]/), end = text.replace(/[ \t\r\n]+$/, "").length;
    if (start < 0) return [];
    const boxes = boxOf(start, end);
    if (boxes.length < 2) return boxes.length ? [[text.slice(start, end), boxes[0]]] : [];
    // Broken into lines: letter by letter, as only the browser knows where.
    const lines = [];
    for (let at = start; at < end; at++) {
      const [box] = boxOf(at, at + 1), last = lines[lines.length - 1];
      if (!box) continue;
      if (last && Math.abs(last[1].top - box.top) < box.height / 2) last[0] += text[at];
      else lines.push([text[at], box]);
    }
    return lines.map(([line, box]) => [line.trimEnd(), box]);
  }

  // --- boxes ---

  function shaded(image) {
    const id = `shade-${figure.id}-${shades.childElementCount}`, made = svg("linearGradient", { id }, shades);
    const stops = image.match(/(?:rgba?|color)\([^)]*\)/g);
    stops.forEach((stop, n) => svg("stop", { offset: n / (stops.length - 1), ...filled(stop, "stop-color") }, made));
    return { fill: `url(#${id})` };
  }

  function box(style, at, parent) {
    const x = at.left - left, y = at.top - top, round = style.borderTopLeftRadius;
    const rx = Math.min(round.endsWith("%") ? (at.width * parseFloat(round)) / 100 : parseFloat(round) || 0, at.width / 2, at.height / 2);
    const fill = style.backgroundImage.startsWith("linear") ? shaded(style.backgroundImage)
      : solid(style.backgroundColor).opacity ? filled(style.backgroundColor) : null;
    if (fill && at.width && at.height) svg("rect", { x, y, width: at.width, height: at.height, rx, ...fill }, parent);
    const inset = style.boxShadow.match(/^(.*\)) ([\d.]+)px .* ([\d.]+)px inset$/);
    if (inset && Number(inset[2])) svg("rect", { x, y, width: inset[2], height: at.height, ...filled(inset[1]) }, parent);
    else if (inset) outlined(x, y, at, Number(inset[3]), rx, inset[1], parent);
    bordered(style, x, y, at, rx, parent);
  }

  function outlined(x, y, at, thick, rx, tone, parent) {
    svg("rect", { x: x + thick / 2, y: y + thick / 2, width: at.width - thick, height: at.height - thick, rx: Math.max(0, rx - thick / 2),
      fill: "none", "stroke-width": thick, ...filled(tone, "stroke") }, parent);
  }

  function bordered(style, x, y, at, rx, parent) {
    const [t, r, b, l] = ["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style[`border${side}Width`]));
    if (rx && t && t === r && t === b && t === l) { outlined(x, y, at, t, rx, style.borderTopColor, parent); return; }
    const right = x + at.width, bottom = y + at.height, X = right - r, Y = bottom - b;
    const sides = {
      Top: [t, [x, y, right, y, X, y + t, x + l, y + t]], Right: [r, [right, y, right, bottom, X, Y, X, y + t]],
      Bottom: [b, [right, bottom, x, bottom, x + l, Y, X, Y]], Left: [l, [x, bottom, x, y, x + l, y + t, x + l, Y]],
    };
    for (const [side, [thick, corners]] of Object.entries(sides)) {
      const tone = style[`border${side}Color`];
      if (!thick || !solid(tone).opacity) continue;
      if (style[`border${side}Style`] === "dashed")
        svg("line", { x1: corners[0], y1: corners[1], x2: corners[2], y2: corners[3], "stroke-width": thick, "stroke-dasharray": 3 * thick, ...filled(tone, "stroke") }, parent);
      else svg("polygon", { points: corners.join(" "), ...filled(tone) }, parent);
    }
  }

  // --- what is drawn already ---

  function copied(source, at, parent) {
    const copy = source.cloneNode(true), copies = [copy, ...copy.querySelectorAll("*")];
    [source, ...source.querySelectorAll("*")].forEach((each, n) => {
      const style = getComputedStyle(each), made = copies[n];
      for (const [name, usual] of Object.entries(/^(text|tspan)$/.test(each.tagName) ? { ...SHAPE_STYLES, ...TEXT_STYLES } : SHAPE_STYLES)) {
        const value = style.getPropertyValue(name);
        if (value === usual) made.removeAttribute(name);
        else made.setAttribute(name, /^(rgba?|color)\(/.test(value) ? solid(value).paint : value);
      }
      for (const name of ["fill", "stroke"]) {
        const { opacity } = solid(style.getPropertyValue(name));
        if (/^(rgba|color)\(/.test(style.getPropertyValue(name)) && opacity < 1) made.setAttribute(name + "-opacity", opacity);
      }
      for (const name of ["class", "style", "aria-hidden", "role", "aria-label"]) made.removeAttribute(name);
    });
    for (const [name, value] of Object.entries({ x: at.left - left, y: at.top - top, width: at.width, height: at.height })) copy.setAttribute(name, value);
    parent.append(copy);
  }

  function painted(canvas, parent) {
    const at = canvas.getBoundingClientRect();
    svg("image", { x: at.left - left, y: at.top - top, width: at.width, height: at.height, href: canvas.toDataURL() }, parent);
  }

  function walk(node, parent, room, isStruck) {
    const style = getComputedStyle(node), at = node.getBoundingClientRect();
    if (style.display === "none" || style.visibility === "hidden") return;
    if (node.tagName === "svg") { copied(node, at, parent); return; }
    // The rest of its layers is there for the mouse.
    if (node.classList.contains("uplot")) { painted(node.querySelector("canvas"), parent); return; }
    const group = style.opacity === "1" ? parent : svg("g", { opacity: style.opacity }, parent);
    if (style.display !== "contents") box(style, at, group);
    const struck = isStruck || style.textDecorationLine.includes("line-through");
    const inside = style.overflowX === "visible" ? room : { left: Math.max(room.left, at.left), right: Math.min(room.right, at.right) };
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) write(child, group, style, inside, struck);
      else if (child.nodeType === Node.ELEMENT_NODE) walk(child, group, inside, struck);
    }
  }

  for (const part of [head, place]) walk(part, whole, { left: -Infinity, right: Infinity }, false);
  return { wide, high, text: new XMLSerializer().serializeToString(whole) };
}

// A drawing as points, at least two a pixel of the page, so that it is sharp on paper too.
async function pointsOf({ wide, high, text }) {
  const ratio = Math.max(2, window.devicePixelRatio || 1), drawing = new Image(), canvas = element("canvas");
  drawing.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await drawing.decode();
  canvas.width = wide * ratio;
  canvas.height = high * ratio;
  canvas.getContext("2d").drawImage(drawing, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}
