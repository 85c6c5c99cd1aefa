// What the probe `node` leaves in a Node process while it watches it: a timer that tells how late the event
// loop is, an observer of collections, and `read`, which gives both. The inspector evaluates it, where
// `require` is at hand also in programs of ECMAScript modules. It ends itself when nobody reads for a minute.
//
// Not perf_hooks.monitorEventLoopDelay: its reset forgets when its timer last fired, and with it the very
// stand-still in whose middle a reading comes.
(closes) => {
  const KEY = Symbol.for("loadrig.watch");
  const EVERY_MS = 20;
  const LONG_PAUSE_MS = 1;
  const MOST_PAUSES = 500;
  const MOST_DELAYS = 3000;
  const ALONE_MS = 60000;
  if (globalThis[KEY]) {
    globalThis[KEY].closes ||= closes;
    return process.pid;
  }

  const { performance, PerformanceObserver } = require("node:perf_hooks");
  const v8 = require("node:v8");
  const inspector = require("node:inspector");

  let delays = [];
  let due = performance.now() + EVERY_MS;
  let utilization = performance.eventLoopUtilization();
  let readAt = performance.now();
  let pauses = [];
  let collections = 0;
  let pausedMs = 0;
  let pausedByMajorMs = 0;

  const timer = setTimeout(() => {
    const now = performance.now();
    if (delays.length < MOST_DELAYS) delays.push(Math.max(0, now - due));
    due = now + EVERY_MS;
    if (now - readAt > ALONE_MS) watch.end();
    else timer.refresh();
  }, EVERY_MS);
  timer.unref();

  const observer = new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      const { kind, flags } = one.detail ?? one;
      collections += 1;
      pausedMs += one.duration;
      if (kind === 4) pausedByMajorMs += one.duration;
      if (one.duration > LONG_PAUSE_MS && pauses.length < MOST_PAUSES) {
        pauses.push([one.startTime, one.duration, kind, flags]);
      }
    }
  });

  const watch = {
    closes,
    end() {
      clearTimeout(timer);
      observer.disconnect();
      delete globalThis[KEY];
      // Not at once: the answer to who asks for this must still get out.
      if (this.closes) setTimeout(() => inspector.close(), 20).unref();
    },
    read() {
      readAt = performance.now();
      // A reading may come while the loop stands still: then what it is late by until now counts too.
      const standing = readAt - due;
      const all = (standing > 0 ? [...delays, standing] : delays).sort((a, b) => a - b);
      const at = (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
      delays = [];
      const since = performance.eventLoopUtilization(utilization);
      utilization = performance.eventLoopUtilization();
      const resources = {};
      for (const name of process.getActiveResourcesInfo?.() ?? []) {
        resources[name] = (resources[name] ?? 0) + 1;
      }
      const found = {
        now_ms: readAt,
        now_ns: String(process.hrtime.bigint()),
        delay_ms: all.length
          ? { mean: all.reduce((a, b) => a + b) / all.length, p50: at(0.5), p99: at(0.99), max: at(1) }
          : null,
        utilization: since.utilization,
        memory: process.memoryUsage(),
        limit: v8.getHeapStatistics().heap_size_limit,
        resources,
        collections,
        paused_ms: pausedMs,
        paused_by_major_ms: pausedByMajorMs,
        pauses,
      };
      pauses = [];
      return found;
    },
  };
  Object.defineProperty(globalThis, KEY, { value: watch, enumerable: false, configurable: true });
  observer.observe({ entryTypes: ["gc"] });
  return process.pid;
}
