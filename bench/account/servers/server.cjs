// A Node server of known truth, one loop: node server.cjs CELL. See books.py for the book.
//
// Node accepts and reads whatever has come: requests wait before that for its loop alone, and it cannot tell
// when they arrived.
"use strict";

const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const tls = require("node:tls");

const BUCKET_NS = 250_000_000n;
const FIELDS = ["requests", "accept_queue", "unread", "hand", "slot", "pool", "lock", "cpu", "delay", "call", "disk"];

const cell = JSON.parse(process.argv[2]);
const schedstat = fs.openSync("/proc/self/schedstat"); // of the process's first thread, which runs the loop

function now() {
  return process.hrtime.bigint();
}

function since(began) {
  return Number(now() - began);
}

function cpuNs() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

function delayNs() {
  const text = Buffer.alloc(80);
  const length = fs.readSync(schedstat, text, 0, text.length, 0);
  return Number(text.toString("latin1", 0, length).split(" ")[1]);
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

/** Places that are waited for in turn; 0 places have room for all. */
class Places {
  constructor(number) {
    this.isOpen = number === 0;
    this.free = number;
    this.waiting = [];
  }

  take() {
    if (this.isOpen || this.free > 0) {
      this.free -= 1;
      return Promise.resolve();
    }
    return new Promise((done) => this.waiting.push(done));
  }

  give() {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

const slots = new Places(cell.queue === "process" ? cell.slots : 0);
const pool = new Places(cell.pool);
const lock = new Places(1);
const free = [];
const files = [];
const data = Buffer.alloc(cell.disk_kb << 10, 7);
const buckets = new Map();

function enter(spent) {
  const number = now() / BUCKET_NS;
  if (!buckets.has(number)) buckets.set(number, Object.fromEntries(FIELDS.map((name) => [name, 0])));
  const bucket = buckets.get(number);
  for (const name of FIELDS) bucket[name] += spent[name];
  bucket.process_cpu = cpuNs();
}

function bookJson() {
  const rows = [...buckets].map(([number, bucket]) => ({ number: Number(number), ...bucket }));
  return JSON.stringify({ has_arrivals: false, bucket_ns: Number(BUCKET_NS), buckets: rows });
}

function burn(spent) {
  const delayed = delayNs();
  const began = cpuNs();
  const end = began + cell.cpu_ms * 1e6;
  let at = began;
  while (at < end) at = cpuNs();
  spent.cpu += at - began;
  spent.delay += delayNs() - delayed;
}

/** Ask the dependency over a connection that is free, or a new one. */
async function call(spent) {
  const connection = free.pop() ?? (await connected());
  const began = now();
  await new Promise((done, failed) => {
    let text = "";
    connection.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.endsWith("ok")) done();
    });
    connection.once("error", failed);
    connection.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  });
  spent.call += since(began);
  connection.removeAllListeners("data");
  connection.removeAllListeners("error");
  free.push(connection);
}

function connected() {
  return new Promise((done, failed) => {
    const connection = net.connect(cell.dependency_port, "127.0.0.1");
    connection.setNoDelay(true);
    connection.once("error", failed);
    connection.once("connect", () => {
      connection.removeAllListeners("error");
      done(connection);
    });
  });
}

/** Write data over a file and sync it, in the loop: of a thread of the pool nobody could tell how it waits. */
function sync(spent) {
  const file = files.pop() ?? fs.openSync(`${cell.file}.${now()}`, "w", 0o600);
  fs.writeSync(file, data, 0, data.length, 0);
  const [began, cpu, delayed] = [now(), cpuNs(), delayNs()];
  fs.fsyncSync(file);
  const delay = delayNs() - delayed;
  spent.disk += Math.max(0, since(began) - (cpuNs() - cpu) - delay);
  spent.delay += delay;
  files.push(file);
}

async function work(spent) {
  if (cell.sleep_ms) await sleep(cell.sleep_ms);
  if (cell.cpu_ms) burn(spent);
  if (cell.lock_ms) {
    const began = now();
    await lock.take();
    await sleep(cell.lock_ms);
    lock.give();
    spent.lock += since(began);
  }
  if (cell.calls) {
    const began = now();
    await pool.take();
    spent.pool += since(began);
    await call(spent);
    pool.give();
  }
  if (cell.disk_kb) sync(spent);
}

async function answer(connection) {
  const spent = Object.fromEntries(FIELDS.map((name) => [name, 0]));
  spent.requests = 1;
  const read = now();
  await slots.take();
  spent.slot = since(read);
  await work(spent);
  const head = `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: ${cell.closes ? "close" : "keep-alive"}\r\n\r\n`;
  const parts = cell.parts > 1 ? [head, "ok"] : [`${head}ok`];
  for (const part of parts) connection.write(part);
  slots.give();
  spent.hand = since(read);
  enter(spent);
  if (cell.closes) connection.end();
}

function serve(connection) {
  connection.setNoDelay(cell.parts === 1);
  connection.on("error", () => connection.destroy());
  let text = "";
  connection.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (!text.endsWith("\r\n\r\n")) return;
    text = "";
    answer(connection).catch(() => connection.destroy());
  });
}

function listening() {
  if (!cell.certificate) return net.createServer(serve);
  const [cert, key] = ["cert.pem", "key.pem"].map((name) => fs.readFileSync(path.join(cell.certificate, name)));
  return tls.createServer({ cert, key }, serve);
}

const server = listening();
const where = cell.unix ? { path: cell.unix } : { port: 0, host: "127.0.0.1", backlog: 1024 };
server.listen(where, () => process.stdout.write(`${JSON.stringify({ port: server.address().port ?? 0 })}\n`));
process.stdin.on("data", () => {});
process.stdin.on("end", () => process.stdout.write(`${bookJson()}\n`, () => process.exit(0)));
