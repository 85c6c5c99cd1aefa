// Numbers as base/units.py writes them. Only for values under the cursor and on axes: every
// number in a text or a table was written in Python. A browser test holds the two together.
function showNumber(value) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toFixed(Math.min(digits, 20));
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

// Two units of a whole amount of small ones, without a zero part.
function showTwo(amount, large, small) {
  const rest = amount % 60;
  return Math.floor(amount / 60) + " " + large + (rest ? " " + rest + " " + small : "");
}

function showDuration(seconds) {
  if (seconds < 0) return "-" + showDuration(-seconds);
  if (seconds >= 3599.5) return showTwo(Math.round(seconds / 60), "h", "min");
  if (seconds >= 99.5) return showTwo(Math.round(seconds), "min", "s");
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]])
    if (seconds >= size * 0.9995) return showNumber(seconds / size) + " " + unit;
  return seconds ? showNumber(seconds * 1e9) + " ns" : "0 s";
}

function showSize(bytes) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (Math.abs(bytes) >= size) return showNumber(bytes / size) + " " + unit;
  return showNumber(bytes) + " B";
}

function show(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "s") return showDuration(value);
  if (unit === "B") return showSize(value);
  if (unit === "B/s") return showSize(value) + "/s";
  if (unit === "1") return showNumber(value * 100) + " %";
  if (unit === "1/s") return showNumber(value) + "/s";
  return unit === "" ? showNumber(value) : showNumber(value) + " " + unit;
}

// A moment of a trial: "41 s", "3:20", "1:05:00".
function showMoment(seconds, long) {
  if (!long && Math.abs(seconds) < 120) return showNumber(Math.round(seconds * 1000) / 1000) + " s";
  const whole = Math.round(seconds), two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor((whole % 3600) / 60);
  return hours ? hours + ":" + two(minutes) + ":" + two(whole % 60) : minutes + ":" + two(whole % 60);
}
