// What a run has come to so far: settings of a study, levels of a search, blocks of a proof.
"use strict";

function cell(text, name) { return made("td", name, text); }

function rowHead(text) {
  const head = made("th", "", text);
  head.scope = "row";
  return head;
}

function row(...cells) {
  const line = made("tr");
  line.append(...cells);
  return line;
}

const figure = (value, unit) => show(value, unit === "share" ? "1" : unit);

function drawCourse(course, unit) {
  byId("settings-section").hidden = !course.settings.some((setting, _, all) => all.length > 1 || setting.trials.length > 1);
  byId("settings").replaceChildren(...course.settings.map(settingRow));
  byId("levels-section").hidden = !course.levels.length;
  drawLevels(course.levels, unit);
  byId("blocks-section").hidden = !course.blocks.length;
  byId("blocks").replaceChildren(...course.blocks.map(blocksTable));
  const last = course.settings.flatMap((setting) => setting.trials).sort((a, b) => a.number - b.number).pop();
  if (last) announce("trial", say("trial_said", last.number, figure(last.ok_rps, "1/s"), verdictWord(last.validity)));
}

function settingRow(setting) {
  const trials = made("td", "trials");
  trials.append(...setting.trials.map((trial) => {
    const item = made("span", "trial tone-" + ({ valid: "plain", disturbed: "warn" }[trial.validity] || "bad"));
    item.append(made("small", "", trial.number + " "), trial.ok_rps === null ? "" : showNumber(trial.ok_rps) + "/s");
    if (trial.validity !== "valid") item.append(" " + verdictWord(trial.validity));
    return item;
  }));
  const head = rowHead(setting.setting || "–");
  if (setting.is_base) head.append(made("span", "cell-note", say("base")));
  const line = row(head, trials, cell(figure(setting.ok_rps, "1/s"), "right"), cell(figure(setting.p99_s, "s"), "right"), cell("", "now"));
  line.dataset.setting = setting.setting;
  return line;
}

// Which setting runs now changes without a new table.
function markRunning(news) {
  for (const line of byId("settings").children) {
    const isRunning = Boolean(news.phase) && line.dataset.setting === news.setting;
    line.classList.toggle("is-running", isRunning);
    put(line.lastChild, isRunning ? say("runs_now") : "");
  }
}

function drawLevels(looks, unit) {
  const place = byId("levels");
  if (!looks.length) return place.replaceChildren();
  const { at_least: low, at_most: high } = looks[looks.length - 1];
  const between = low !== null && high !== null ? say("limit_between", figure(low, unit), figure(high, unit))
    : low !== null ? say("limit_above", figure(low, unit)) : high !== null ? say("limit_below", figure(high, unit)) : say("limit_unknown");
  put(byId("limit-said"), between);
  const sorted = looks.map((look, n) => [look, n]).sort(([a, n], [b, m]) => b.level - a.level || m - n).map(([look]) => look);
  const rows = sorted.map((look) => {
    const word = look.verdict === "open" ? "level_leans_" + look.leans : "level_" + look.verdict;
    const tone = { meets: "good", fails: "bad" }[look.verdict] || "quiet";
    return row(rowHead(figure(look.level, unit)), cell(figure(look.ok_rps, "1/s"), "right"),
      cell(figure(look.response_s, "s"), "right"), cell(showDuration(look.seconds), "right"), cell(say(word), "tone-" + tone));
  });
  if (low !== null || high !== null) {
    const mark = made("th", "", between);
    mark.colSpan = 5;
    const below = sorted.findIndex((look) => low !== null ? look.level <= low : look.level < high);
    const line = row(mark);
    line.className = "limit";
    rows.splice(below < 0 ? rows.length : below, 0, line);
  }
  place.replaceChildren(...rows);
}

function blocksTable(blocks) {
  const table = made("table"), measure = WORDS["measure_" + blocks.measure] || blocks.measure;
  table.append(made("caption", "", blocks.trial ? say("blocks_live", measure, blocks.trial) : say("blocks_trials", measure)));
  const heads = [say("block"), ...blocks.titles.map((title) => title || say("unchanged"))].map((title, n) => {
    const head = made("th", n ? "right" : "", title);
    head.scope = "col";
    return head;
  });
  const top = made("thead"), body = made("tbody"), foot = made("tfoot");
  top.append(row(...heads));
  body.append(...blocks.rows.map((one) => row(rowHead(String(one.block)), ...one.values.map((value) => cell(figure(value, blocks.unit), "right")))));
  const base = blocks.medians[0];
  foot.append(row(rowHead(say("median")), ...blocks.medians.map((value, n) => {
    const item = cell(figure(value, blocks.unit), "right");
    if (n && base && value !== null) item.append(made("span", "cell-note", "× " + showNumber(value / base)));
    return item;
  })));
  table.append(top, body, foot);
  return table;
}
