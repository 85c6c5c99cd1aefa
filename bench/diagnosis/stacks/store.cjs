// A store in Node: redis over one pool of its own. Its numbers are in a file: node store.cjs SETTINGS
//
//   GET /item/N   a value from redis, and a body of JSON
//   GET /list     a value from redis
//   POST /login   a token, after some hashing
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const net = require("node:net");

const dials = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const pause = new Int32Array(new SharedArrayBuffer(4));
const kept = [];
const live = [];
for (let i = 0; i < dials.live_mb * 8192; i++) live.push({ number: i, text: [i, i + 1, i + 2, i + 3], next: live[i >> 1] });
const rows = Array.from({ length: dials.rows }, (_, i) => ({ id: i, name: `a lamp of walnut, number ${i}`, price: i * 1.37 }));

// Answers of redis come in the order of the questions.
class Line {
  constructor() {
    this.waiting = [];
    this.rest = Buffer.alloc(0);
    this.socket = net.connect(dials.redis_port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.socket.on("data", (data) => this.read(data));
    this.socket.on("error", (error) => this.waiting.splice(0).forEach((done) => done(error)));
  }
  ask(words, done) {
    this.waiting.push(done);
    this.socket.write(`*${words.length}\r\n` + words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join(""));
  }
  read(data) {
    this.rest = this.rest.length ? Buffer.concat([this.rest, data]) : data;
    for (;;) {
      const end = parse(this.rest, 0);
      if (end < 0) return;
      const value = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      this.waiting.shift()(null, value);
    }
  }
}

// Where the answer that begins at a place ends, or -1 if it is not all there.
function parse(text, from) {
  const line = text.indexOf("\r\n", from);
  if (line < 0) return -1;
  const n = Number(text.toString("latin1", from + 1, line));
  if (text[from] === 36) return n < 0 ? line + 2 : text.length >= line + 4 + n ? line + 4 + n : -1;
  let end = line + 2;
  if (text[from] === 42) for (let i = 0; i < n && end >= 0; i++) end = parse(text, end);
  return end;
}

const lines = Array.from({ length: 4 }, () => new Line());
let turn = 0;
function value(number, done) {
  const words = dials.redis_list ? ["SORT", "feed", "BY", "nothing_*", "LIMIT", "0", "1", "GET", "#"] : ["GET", `item:${number % 1000}`];
  if (Math.random() < dials.redis_renewed) {
    const line = new Line();
    line.ask(words, (error, found) => {
      line.socket.end();
      done(error, found);
    });
    return;
  }
  lines[turn++ % lines.length].ask(words, done);
}

function work(n) {
  let x = 88675123;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

function answer(response, error, found, body) {
  if (error) response.statusCode = 503;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(body));
}

const server = http.createServer((request, response) => {
  if (request.url === "/login") {
    request.resume();
    request.on("end", () => {
      const token = crypto.pbkdf2Sync("lovelace", "salt", dials.login_rounds, 16, "sha256").toString("hex");
      response.end(JSON.stringify({ token, lasts_s: dials.token_s }));
    });
    return;
  }
  if (request.url === "/list") {
    value(1, (error, found) => answer(response, error, found, { sum: work(dials.rounds) }));
    return;
  }
  value(Number(request.url.slice(6)), (error, found) => {
    if (Math.random() < dials.block_share) Atomics.wait(pause, 0, 0, dials.block_ms);
    if (dials.keep_bytes) kept.push(Buffer.alloc(dials.keep_bytes, 1));
    const garbage = [];
    for (let i = 0; i < dials.allocate_kb * 16; i++) garbage.push({ i, text: `${i}` });
    if (dials.replaced) for (let i = 0; i < dials.replaced; i++) live[(Math.random() * live.length) | 0] = { number: i, text: [i, garbage.length], next: null };
    answer(response, error, found, { rows, sum: work(dials.rounds) });
  });
});
server.keepAliveTimeout = 60000;
server.listen(dials.port, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
