// A shop in Node: redis as its store, one process or a cluster. It reads settings.json in its folder.
//
//   GET /items/N   an item    GET /items   the first twenty
"use strict";
const cluster = require("node:cluster");
const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const { createClient } = require("redis");

const dials = JSON.parse(fs.readFileSync("settings.json", "utf8"));
const kept = [];
const pages = new Map();
const asking = new Map();

function work(n) {
  let x = 88675123;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

// The price list: made by a slow report, kept for a while.
function makePrices() {
  return new Promise((done) => setTimeout(() => done(work(dials.report_work)), dials.report_ms));
}

async function prices() {
  const page = pages.get("prices");
  if (page && page.until > Date.now()) return page.value;
  if (!dials.single_flight) {
    const value = await makePrices();
    pages.set("prices", { value, until: Date.now() + dials.fresh_ms });
    return value;
  }
  if (!asking.has("prices"))
    asking.set(
      "prices",
      makePrices().then((value) => {
        pages.set("prices", { value, until: Date.now() + dials.fresh_ms });
        asking.delete("prices");
        return value;
      }),
    );
  return page ? page.value : asking.get("prices");
}

async function connect() {
  const client = createClient({ socket: { port: dials.redis_port, host: "127.0.0.1", noDelay: true } });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function item(client, number) {
  const line = dials.fresh_redis ? await connect() : client;
  let value = "";
  for (let i = 0; i < dials.gets; i++) value = await line.get(`item:${(number + i) % 1000}`);
  if (dials.sorted) await line.sendCommand(["SORT", "feed", "BY", "nothing_*", "LIMIT", "0", "1"]);
  if (dials.fresh_redis) line.destroy();
  if (dials.fresh_ms) await prices();
  if (dials.hashes) await new Promise((done) => crypto.pbkdf2(value || "x", "salt", dials.hashes, 32, "sha256", done));
  if (dials.kept_bytes) kept.push(crypto.randomBytes(dials.kept_bytes));
  const rows = Array.from({ length: dials.rows }, (_, i) => ({ id: i, name: `a lamp of walnut, number ${i}`, price: i * 1.37 }));
  return { id: number, value, rows, sum: work(dials.work) };
}

async function serve() {
  const client = await connect();
  const server = http.createServer(async (request, response) => {
    try {
      const number = Number(request.url.slice("/items/".length) || 0);
      const body = JSON.stringify(await item(client, number));
      for (let i = 0; i < dials.log_lines; i++) fs.appendFileSync("shop.log", `${Date.now()} item ${number} step ${i} ${body.slice(0, 80)}\n`);
      response.setHeader("Content-Type", "application/json");
      response.setHeader("Content-Length", Buffer.byteLength(body));
      response.end(body);
    } catch (error) {
      response.statusCode = 503;
      response.end(String(error));
    }
  });
  server.keepAliveTimeout = dials.idle_ms;
  server.listen({ port: dials.port, host: "127.0.0.1", backlog: dials.backlog });
}

if (dials.workers > 1 && cluster.isPrimary) {
  for (let i = 0; i < dials.workers; i++) cluster.fork();
} else {
  serve();
}
