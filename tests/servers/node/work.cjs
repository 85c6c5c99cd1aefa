// What the servers do at a request: each route makes one thing grow that a probe must see.
"use strict";
const http = require("node:http");
const kept = [];
const rows = Array.from({ length: 1000 }, (_, i) => ({ id: i, tags: ["a", "b"], text: "some text" }));

// The hot function: n rounds of xorshift.
function burn(n) {
  let x = 88675123;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

// The event loop stands still for so many milliseconds.
function block(ms) {
  const end = process.hrtime.bigint() + BigInt(ms) * 1000000n;
  while (process.hrtime.bigint() < end) burn(1000);
}

const routes = {
  "/": () => "ok",
  "/burn": (get) => burn(get("n", 1e6)),
  "/json": (get) => {
    let length = 0;
    for (let i = 0; i < get("n", 20); i++) length += JSON.stringify(rows).length;
    return length;
  },
  "/block": (get) => block(get("ms", 200)),
  "/grow": (get) => {
    for (let i = 0; i < get("mb", 10); i++) kept.push(new Array(131072).fill(0).map((_, j) => j + 0.5));
    return kept.length;
  },
  // Objects that live long enough to be moved: young collections.
  "/churn": (get) => {
    let last = [];
    for (let i = 0; i < get("n", 200000); i++) last = [i, i % 1000 ? last : []];
    return last.length;
  },
  "/pid": () => process.pid,
};

function serve() {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    const route = routes[url.pathname];
    const get = (name, otherwise) => Number(url.searchParams.get(name) ?? otherwise);
    response.statusCode = route ? 200 : 404;
    response.end(`${route ? route(get) : "no such route"}\n`);
  });
  server.listen(Number(process.env.PORT || 0), "127.0.0.1", () => {
    console.log(`listening on ${server.address().port}`);
  });
}

module.exports = { serve };
