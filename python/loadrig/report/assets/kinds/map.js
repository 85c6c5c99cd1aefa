// Who opens connections to whom: a box a tier, in columns by how far it is from the load; rows where
// the page is narrow. Drawn anew when the width changes, as text does not scale with a picture.
kinds.map = function (place, figure) {
  const { nodes, edges } = figure.data;
  const depths = Math.max(...nodes.map((node) => node.depth)) + 1;
  const byDepth = Array.from({ length: depths }, (_, depth) => nodes.filter((node) => node.depth === depth));
  const ground = element("div", "map");
  place.append(ground);

  function drawn(wide) {
    const flat = wide >= 150 * depths + 90 * (depths - 1);
    const boxWide = flat ? Math.min(230, (wide - 90 * (depths - 1)) / depths) : Math.min(320, wide);
    const boxHigh = (node) => 40 + 17 * (node.facts.length + (node.said ? 1 : 0));
    const stepX = depths > 1 ? (wide - boxWide) / (depths - 1) : 0;
    const at = new Map();
    let high = 0;
    if (flat) {
      const columns = byDepth.map((column) => column.reduce((sum, node) => sum + boxHigh(node) + 22, -22));
      high = Math.max(...columns);
      byDepth.forEach((column, depth) => {
        let y = (high - columns[depth]) / 2;
        for (const node of column) {
          at.set(node.id, { x: depths > 1 ? depth * Math.min(stepX, boxWide + 190) : 0, y, wide: boxWide, high: boxHigh(node) });
          y += boxHigh(node) + 22;
        }
      });
    } else {
      byDepth.forEach((column, depth) => {
        for (const node of column) {
          const said = Math.max(0, ...edges.filter((edge) => edge.to === node.id).map((edge) => edge.label.length));
          if (depth) high += 14 + 15 * said;
          at.set(node.id, { x: depth * 24, y: high, wide: Math.min(boxWide, wide - depth * 24), high: boxHigh(node) });
          high += boxHigh(node);
        }
      });
    }
    return { at, high, flat };
  }

  // A text no longer than its box: cut with an ellipsis, the whole on hover.
  function fitted(text, wide, each) {
    const most = Math.max(4, Math.floor(wide / each));
    return text.length <= most ? text : text.slice(0, most - 1) + "…";
  }

  function draw() {
    const wide = Math.max(260, Math.floor(place.clientWidth || 640));
    const { at, high, flat } = drawn(wide);
    ground.replaceChildren();
    const picture = svg("svg", { width: wide, height: high + 4, viewBox: `0 -2 ${wide} ${high + 4}`, "aria-hidden": "true" }, ground);
    const arrow = svg("marker", { id: "head-" + place.dataset.figure, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("defs", {}, picture));
    svg("path", { d: "M0,0.5 L8,4 L0,7.5 Z", class: "map-head" }, arrow);
    edges.forEach((edge) => {
      const from = at.get(edge.source), to = at.get(edge.to);
      if (!from || !to) return;
      let path, x, y, anchor = "middle";
      if (flat && to.x > from.x) {
        const x1 = from.x + from.wide, y1 = from.y + from.high / 2, x2 = to.x - 2, y2 = to.y + to.high / 2, bend = (x2 - x1) / 2;
        path = `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
        x = (x1 + x2) / 2; y = (y1 + y2) / 2 - 7;
      } else {
        // Down beside the boxes of the same depth, and in from the left.
        const x1 = from.x + 11, y2 = to.y + 20;
        path = `M${x1},${from.y + from.high} L${x1},${y2} L${to.x - 2},${y2}`;
        x = to.x + 2; y = to.y - 7 - 15 * (edge.label.length - 1); anchor = "start";
      }
      svg("path", { d: path, class: "map-edge", "marker-end": `url(#head-${place.dataset.figure})` }, picture);
      edge.label.forEach((text, i) => {
        const said = svg("text", { x, y: y + i * (flat ? 26 : 15), "text-anchor": anchor, class: "map-label" }, picture, text);
        svg("title", {}, said, edge.label.join(", "));
      });
    });
    nodes.forEach((node) => {
      const { x, y, wide: boxWide, high: boxHigh } = at.get(node.id);
      const group = svg("g", { class: "map-node" + (node.is_load ? " load" : "") + (node.state ? " " + node.state : "") }, picture);
      svg("title", {}, group, [node.title, node.sub, ...node.facts, node.said].filter(Boolean).join("\n"));
      svg("rect", { x: x + 0.5, y: y + 0.5, width: boxWide - 1, height: boxHigh - 1, rx: 6 }, group);
      svg("text", { x: x + 12, y: y + 18, class: "map-title" }, group, fitted(node.title, boxWide - 24, 7.6));
      svg("text", { x: x + 12, y: y + 33, class: "map-sub" }, group, fitted(node.sub, boxWide - 24, 6.1));
      node.facts.forEach((fact, i) => svg("text", { x: x + 12, y: y + 51 + 17 * i, class: "map-fact" }, group, fitted(fact, boxWide - 24, 6.3)));
      if (node.said) svg("text", { x: x + 12, y: y + 51 + 17 * node.facts.length, class: "map-fact said" }, group, fitted(node.said, boxWide - 24, 6.6));
    });
  }

  redrawn(place, draw);
};
