// Trials in a dialog: settings that play the same deals, judged as they come. Four views of them: all values of a rule,
// two rules against each other, the rules that move a figure most, and what meets a goal. A click makes a setting the variant.
import { answer, figuresAt } from "../engine/answers.js";
import { fill, html } from "../shared/markup.js";
import { $, signed } from "../shared/pictures.js";
import { withHalf } from "./answers.js";
import { balanceFile, download } from "./keeping.js";
import { hasCurve, labelOf, limits, shownValue, sliderRange } from "./rules.js";
import { box, copy, same, valueIn, variant } from "./variant.js";

const MOST_VALUES = { curve: 13, map: 7 };
const TOP = 12;  // rules of a ranking
const CARDS = 8;  // of a search
const WIDTH = 520, HEIGHT = 250, EDGE = { left: 56, right: 14, top: 12, bottom: 46 };
const STEPS = [1, 2, 5, 10];
const VIEWS = [["curve", "One rule"], ["map", "Two rules"], ["screen", "All rules"], ["goal", "A goal"]];
const trial = { view: "curve", figure: "shortages", rule: "hand_size", other: "start_food", targets: [], fixed: new Set(), settings: null, over: false, looking: false, stop: () => {} };

const figures = () => figuresAt(variant);
const figureOf = key => figures().find(one => one.key === key) ?? figures()[0];
const wordsOf = ({ group, label }) => `${group === "wins" ? "wins of " : group === "seats" ? "wins of seat: " : ""}${label.replace(/_/g, " ")}`;
const unitOf = ({ group, share }) => group === "fair" ? " points" : share ? "%" : "";
const mine = rule => valueIn(rule) ?? valueIn("hand_size") + 1;  // of the hand with Morgan's Map
/* The rules that designers usually try, with the values; a treasure is its number of cards, and the ghost's rules need a ghost. */
const usual = () => Object.entries(box.ranges).filter(([name]) => variant.ghost || !name.startsWith("ghost_")).map(([name, values]) => [box.rules.has(name) ? name : `${name}.copies`, values]);
const numbers = () => [...box.rules.keys()].filter(name => hasCurve(name) && !/^(space|treasure|card)\./.test(name));

/* At most so many values of a rule's useful range, evenly spread, with the one it has. */
function valuesFor(rule) {
  const [low, high] = sliderRange(rule), step = Math.max(1, Math.ceil((high - low) / (MOST_VALUES[trial.view] - 2))), values = [];
  for (let value = low; value <= high; value += step) values.push(value);
  return [...new Set([...values, mine(rule)].flat())].sort((a, b) => a - b);  // goods may be by seat
}
const setting = (taken, table) => ({ changes: { ...variant.changes, ...taken }, table, taken });
/* Other tables: with another edition, with or without the ghost, with a player more or fewer where players' own figures are not asked for. */
function otherTables() {
  const { players, edition, ghost, strategies } = variant, sized = many => Array.from({ length: many }, (_, k) => strategies[k] ?? box.line_up[k]);
  const tables = [{ edition: edition === "2007" ? "2021" : "2007" }, ...(players > 2 && players < 6 ? [{ ghost: !ghost }] : [])];
  const own = ["wins", "seats", "fair", "own"].includes(figureOf(trial.figure).group) || trial.figure === "spread";
  if (!own) for (const many of [players - 1, players + 1]) if (many >= (ghost ? 2 : 3) && many <= (ghost ? 5 : 6)) tables.push({ players: many, strategies: sized(many) });
  return tables.map(table => setting({}, table));
}
const SETTINGS = {
  curve: () => valuesFor(trial.rule).map(value => setting({ [trial.rule]: value })),
  map: () => valuesFor(trial.rule).flatMap(x => valuesFor(trial.other).map(y => setting({ [trial.rule]: x, [trial.other]: y }))),
  screen: () => [...usual().flatMap(([name, values]) => [values[0], values.at(-1)].filter(value => !same(value, valueIn(name))).map(value => setting({ [name]: value }))), ...otherTables()],
};

function begin() {
  Object.assign(trial, { settings: null, over: false, looking: trial.view !== "goal" });
  if (trial.rule === trial.other) trial.other = numbers().find(name => name !== trial.rule);
  $("trial-text").dataset.kind = trial.view;
  drawFields();
  fill($("trial"), "");
  if (!$("trial-text").open) $("trial-text").showModal();
  trial.stop();
  if (trial.looking) ask({ settings: SETTINGS[trial.view]() });
  else draw();
}
function ask(question) {
  $("trial-words").textContent = "Playing the first games…";
  trial.stop = answer({ ...copy(), ...question, kind: "trial" }, line => {
    if (line.error) return void ($("trial-words").textContent = line.error);
    if (line.kind === "trial") trial.settings = line.settings;
    trial.over = line.kind === "end";
    draw();
  });
}
/** How every figure responds to a rule. */
export function askCurve(rule) { Object.assign(trial, { view: "curve", rule }); begin(); }
/** Which rules move a figure most. */
export function askScreen(figure) { Object.assign(trial, { view: "screen", figure }); begin(); }

const options = (all, chosen) => all.map(([value, words]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${words}</option>`);
function drawFields() {
  const { view } = trial, rules = numbers().map(name => [name, labelOf(name)]), select = (id, word, all, chosen) => html`<label class="field">${word} <select id="${id}">${options(all, chosen)}</select></label>`;
  if (!rules.some(([name]) => name === trial.rule)) rules.unshift([trial.rule, labelOf(trial.rule)]);
  fill($("trial-views"), VIEWS.map(([name, words]) => html`<button type="button" data-view="${name}" aria-pressed="${name === view}">${words}</button>`));
  fill($("trial-fields"), [view === "goal" ? "" : select("trial-figure", "figure", figures().map(one => [one.key, wordsOf(one)]), figureOf(trial.figure).key), ["curve", "map"].includes(view) ? select("trial-rule", "rule", rules, trial.rule) : "", view === "map" ? select("trial-other", "and", rules, trial.other) : "", view === "goal" ? goalFields() : ""]);
}

function draw() {
  const { settings, over } = trial;
  if (!settings) return void (trial.view === "goal" && !trial.looking && ($("trial-words").textContent = "Candidates are played live, few games for poor ones and more for good ones; what meets the goal is played again in new games."));
  const games = `${Math.max(...settings.map(one => one.games)).toLocaleString("en")} games of each, on the same deals${over ? ", done" : ""}`;
  const [words, content] = DRAWN[trial.view](settings, games, over);
  $("trial-words").textContent = words;
  fill($("trial"), content);
}
const take = (taken, table) => JSON.stringify({ taken, table });
/** Make a setting the variant; the change for `change`. */
export function taken(text) {
  const { taken: changes, table = {} } = JSON.parse(text);
  $("trial-text").close();
  return v => { Object.assign(v.changes, changes); Object.assign(v, table); };
}

// ---- one rule ----
function ticks(low, high) {
  const power = 10 ** Math.floor(Math.log10((high - low) / 4)), step = STEPS.find(one => one * power * 5 >= high - low) * power, found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) found.push([value, signed(Number(value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))))]);
  return found;
}
function curve(settings, games) {
  const { rule } = trial, figure = figureOf(trial.figure), unit = unitOf(figure), points = settings.map(one => ({ value: one.asked.taken[rule], ...figureNow(one, figure) }));
  const ends = points.flatMap(({ at, half }) => [at - half, at + half]).filter(Number.isFinite), pad = (Math.max(...ends) - Math.min(...ends)) * .08 || .5, low = Math.min(...ends) - pad, high = Math.max(...ends) + pad;
  const x = i => EDGE.left + (points.length > 1 ? i / (points.length - 1) : .5) * (WIDTH - EDGE.left - EDGE.right), y = value => (HEIGHT - EDGE.bottom - (value - low) / (high - low) * (HEIGHT - EDGE.top - EDGE.bottom)).toFixed(1), isMine = value => same(value, mine(rule));
  const lines = ticks(low, high).map(([value, text]) => html`<path class="rail" d="M${EDGE.left} ${y(value)}H${WIDTH - EDGE.right}"/><text class="axis" x="${EDGE.left - 6}" y="${Number(y(value)) + 4}" text-anchor="end">${text}</text>`);
  const band = [...points.map(({ at, half }, i) => `${x(i).toFixed(1)},${y(at + half)}`), ...points.map(({ at, half }, i) => `${x(i).toFixed(1)},${y(at - half)}`).reverse()].join(" ");
  const dots = points.map(({ value, at, half }, i) => html`<g role="button" tabindex="0" data-take="${take({ [rule]: value })}" aria-label="${`${shownValue(value)}: ${at.toFixed(2)}${unit} ± ${half.toFixed(2)}`}"><title>${`${shownValue(value)}: ${at.toFixed(2)}${unit} ± ${half.toFixed(2)}. Click to set it.`}</title><circle class="hit" cx="${x(i).toFixed(1)}" cy="${y(at)}" r="15"/><circle class="curve-dot ${isMine(value) ? "mine" : ""}" cx="${x(i).toFixed(1)}" cy="${y(at)}" r="${isMine(value) ? 6 : 4}"/></g><text class="axis" x="${x(i).toFixed(1)}" y="${HEIGHT - 28}" text-anchor="middle">${shownValue(value)}</text>`);
  const titles = html`<text class="axis" x="${(WIDTH + EDGE.left) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${labelOf(rule)}</text><text class="axis" transform="translate(12 ${(HEIGHT - EDGE.bottom) / 2}) rotate(-90)" text-anchor="middle">${wordsOf(figure)}${unit && `, ${unit.trim()}`}</text>`;
  return [`The other rules stay as they are now. 95% intervals; ${games}. The filled dot is your value; click another to set it.`, html`<svg class="curve-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="${labelOf(rule)}">${lines}<polygon class="curve-band" points="${band}"/><polyline class="curve-line" points="${points.map(({ at }, i) => `${x(i).toFixed(1)},${y(at)}`).join(" ")}"/>${dots}${titles}</svg>`];
}
/* The value of a figure with its own interval, in what the table of answers shows. */
function figureNow(one, { key }) { const { value, own_half: half, ...row } = one.row(key); return { at: value ?? 0, half: half ?? 1e6, row }; }

// ---- two rules ----
function map(settings, games) {
  const { rule, other } = trial, figure = figureOf(trial.figure), unit = unitOf(figure), cells = settings.map(one => ({ x: one.asked.taken[rule], y: one.asked.taken[other], ...figureNow(one, figure) }));
  const playable = (values, part) => values.filter(value => cells.some(one => same(one[part], value))), [across, down] = [playable(valuesFor(rule), "x"), playable(valuesFor(other), "y").reverse()], most = Math.max(...cells.map(({ row }) => row.state === "clear" ? Math.abs(row.difference) : 0), 1e-9), isMine = (x, y) => same(x, mine(rule)) && same(y, mine(other));
  const level = ({ row }) => row.state === "clear" ? `${row.difference > 0 ? "more" : "less"}-${Math.ceil(Math.abs(row.difference) / most * 3)}` : "";
  const cell = (x, y) => {
    const found = cells.find(one => same(one.x, x) && same(one.y, y));
    return html`<td>${found ? html`<button type="button" class="cell ${level(found)} ${isMine(x, y) ? "mine" : ""}" data-take="${take({ [rule]: x, [other]: y })}" title="${`${labelOf(rule)} ${shownValue(x)}, ${labelOf(other)} ${shownValue(y)}: ${found.at.toFixed(2)}${unit} ± ${found.half.toFixed(2)}. Click to set both.`}">${found.at.toFixed(found.half < .05 ? 2 : 1)}</button>` : html`<span class="sub" title="cannot be played">–</span>`}</td>`;
  };
  return [`Coloured: clearly different from your rules, blue for less and amber for more. ${wordsOf(figure)}${unit && `, ${unit.trim()}`}; ${games}. Click a cell to set both rules.`, html`<table class="map"><tbody>${down.map((y, i) => html`<tr>${i ? "" : html`<th class="down" rowspan="${down.length}">${labelOf(other)}</th>`}<th scope="row">${shownValue(y)}</th>${across.map(x => cell(x, y))}</tr>`)}</tbody><tfoot><tr><td colspan="2"></td>${across.map(x => html`<th scope="col">${shownValue(x)}</th>`)}</tr><tr><td colspan="2"></td><th colspan="${across.length}">${labelOf(rule)}</th></tr></tfoot></table>`];
}

// ---- all rules ----
const TABLES = { edition: table => ["edition", table.edition], ghost: table => ["ghost ship", table.ghost ? "sails" : "none"], players: table => ["players", table.players] };
function named({ taken: changes, table }) {
  if (table) return TABLES[Object.keys(table)[0]](table);
  const [[name, value]] = Object.entries(changes);
  return [labelOf(name), shownValue(value), name];
}
function screen(settings, games, over) {
  const figure = figureOf(trial.figure), all = settings.map(one => ({ asked: one.asked, told: named(one.asked), row: one.row(figure.key) })).filter(({ row }) => row.state !== "base").sort((a, b) => Math.abs(b.row.difference) - Math.abs(a.row.difference));
  const rules = all.filter(({ told: [label] }, i) => all.findIndex(one => one.told[0] === label) === i), shown = rules.slice(0, TOP), most = Math.max(...shown.map(({ row }) => Math.abs(row.difference)), 1e-9), clear = rules.filter(({ row }) => row.state === "clear").length;
  const end = over ? `${clear ? `${clear} of ${rules.length} clearly change it` : "None clearly changes it"}; for the others that was too few games.` : `${clear} of ${rules.length} are clear so far, the pale ones are not.`;
  const line = ({ asked, told: [label, value, name], row }) => html`<tr class="${row.state === "clear" ? "" : "pale"}"><th scope="row">${name && hasCurve(name) ? html`<button type="button" class="link" data-curve="${name}" title="${name}">${label}</button>` : label}</th><td><button type="button" class="link" data-take="${take(asked.taken, asked.table)}" title="Set it">${value}</button></td><td><i style="width:${(Math.abs(row.difference) / most * 100).toFixed(1)}%" class="${row.difference > 0 ? "up" : "down"}"></i></td><td>${withHalf(row.difference, row.half)[0]} <span class="within">${withHalf(row.difference, row.half)[1]}</span></td></tr>`;
  return [`Each alone, at its lowest and highest usual value; the larger effect. ${end} ${games}.`, html`<table class="ranking"><thead><tr><th>rule</th><th>to</th><th><span class="unseen">size</span></th><th>change${unitOf(figure) ? ", points" : ""}</th></tr></thead><tbody>${shown.map(line)}</tbody></table>`];
}

// ---- a goal ----
const OF_SEATS = /^(seat:.*|captain|first_less_last|seats)$/;
/* Goods by seat: less for the first Captain or not, more for so many of those who sail last. */
function bySeat(name) {
  const own = valueIn(name), each = Array.isArray(own) ? own : Array(variant.players).fill(own), [low, high] = limits(name);
  const tilted = (less, more) => each.map((value, seat) => value - (seat ? 0 : less) + (seat + more >= each.length ? 1 : 0));
  return each.flatMap((_, more) => [tilted(0, more), tilted(1, more)]).slice(1).filter(values => values.every(value => value >= low && value <= high));
}
/* The rules that may change, with values; where seats are asked for, goods are tried by seat. */
function movable() {
  const fair = trial.targets.some(({ key }) => OF_SEATS.test(key));
  return usual().filter(([name]) => !trial.fixed.has(name)).map(([name, values]) => [name, fair && box.rules.get(name).by_seat ? bySeat(name) : values]);
}
const ranges = () => Object.fromEntries(movable().map(([name, values]) => [name, values.filter(value => !same(value, valueIn(name)))]).filter(([, values]) => values.length));
function goalFields() {
  if (!trial.targets.length) trial.targets = [{ key: figureOf(trial.figure).key, low: "", high: "" }];
  const row = ({ key, low, high }, i) => html`<li><select data-target="${i}" data-part="key" aria-label="figure">${options(figures().map(one => [one.key, wordsOf(one)]), figureOf(key).key)}</select> <label>from <input type="number" step="any" data-target="${i}" data-part="low" value="${low}"></label> <label>to <input type="number" step="any" data-target="${i}" data-part="high" value="${high}"></label>${unitOf(figureOf(key))}${i ? html` <button type="button" class="reset" data-untarget="${i}" aria-label="Leave this figure out">×</button>` : ""}</li>`;
  return html`<ul class="targets">${trial.targets.map(row)}</ul><div class="row"><button type="button" class="link" data-target-more>and another figure</button><button type="button" class="quiet strong" id="look">Look for it</button></div><details class="movable" ${trial.isOpen ? "open" : ""}><summary>rules that may change</summary><p><button type="button" class="link" data-movable-all="1">all</button> <button type="button" class="link" data-movable-all="">none</button></p><div>${usual().map(([name]) => html`<label><input type="checkbox" data-movable="${name}" ${trial.fixed.has(name) ? "" : "checked"}> ${labelOf(name)}</label>`)}</div></details>`;
}
const bounds = () => trial.targets.map(({ key, low, high }) => ({ key: figureOf(key).key, low: low === "" ? -Infinity : Number(low), high: high === "" ? Infinity : Number(high) }));
function look() {
  const targets = bounds(), open = targets.find(({ low, high }) => low > high || (low === -Infinity && high === Infinity));
  trial.stop();
  Object.assign(trial, { settings: null, over: false, looking: true });
  fill($("trial"), "");
  if (open) return void ($("trial-words").textContent = `Say from where to where “${wordsOf(figureOf(open.key))}” should be; one end may stay empty.`);
  ask({ goal: { targets, ranges: ranges() } });
}
const titleOf = changes => Object.entries(changes).map(([name, value]) => `${labelOf(name)} ${shownValue(value)}`).join(", ") || "Your rules as they are";
function goal(settings, games, over) {
  const targets = bounds(), found = settings.filter(one => one.games).map(one => ({ one, many: Object.keys(one.changes).length, miss: one.miss(targets) }));
  found.sort((a, b) => isMet(b.one) - isMet(a.one) || a.miss + a.many - b.miss - b.many);
  const met = found.filter(({ one }) => isMet(one)).length, tried = `${found.length} sets of rules tried, ${games.replace(" of each", " of the best")}`;
  const words = met ? `${met} ${met === 1 ? "meets" : "meet"} the goal in new games. ${tried}.` : over ? `None met the goal for certain. ${tried}. A large search may find more: see below.` : `${tried}. Nearest first; what comes within is then played in new games.`;
  return [words, html`${scatter(found)}<ol class="found-rules">${found.slice(0, CARDS).map(({ one, miss }) => goalCard(one, miss, targets))}</ol>${over ? html`<p class="sub">For a search of thousands of games each: <button type="button" class="link" id="save-goal">save goal.toml</button>, then <code>jamaica-sim balance goal.toml</code></p>` : ""}`];
}
const isMet = ({ confirmed }) => confirmed.length > 0 && confirmed.every(({ said }) => said === "met");
function goalCard(one, miss, targets) {
  const values = targets.map(({ key }, i) => { const figure = figureOf(key), sure = one.confirmed[i], { value, own_half: half } = sure ? { value: sure.value, own_half: sure.half } : one.row(key); return `${wordsOf(figure)} ${value.toFixed(half < .1 ? 2 : 1)}${unitOf(figure)} ± ${half?.toFixed(half < .1 ? 2 : 1)}`; });
  const said = isMet(one) ? "met in new games" : one.confirmed.length ? `in new games ${one.confirmed.find(({ said }) => said !== "met").said}` : miss ? "misses" : "within so far";
  return html`<li><button type="button" class="found-card ${isMet(one) ? "met" : ""}" data-take="${take(one.changes)}"><b>${titleOf(one.changes)}</b><span>${values.join("; ")}</span><small>${said}, ${(one.confirmed[0] ?? one).games.toLocaleString("en")} games</small></button></li>`;
}
/* How near each comes, by how many changes it takes. */
function scatter(found) {
  const height = 130, most = Math.sqrt(Math.max(1, ...found.map(({ miss }) => Math.min(miss, 400)))), columns = 5, x = (many, i) => EDGE.left + (many + .5 + ((i * 7) % 11 - 5) / 16) * (WIDTH - EDGE.left - EDGE.right) / columns, y = miss => 12 + Math.sqrt(Math.min(miss, 400)) / most * (height - 52);
  return html`<svg class="curve-chart" viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="How near each comes, by number of changes"><path class="rail" d="M${EDGE.left} 12H${WIDTH - EDGE.right}"/><text class="axis" x="${EDGE.left - 6}" y="16" text-anchor="end">within</text><text class="axis" x="${EDGE.left - 6}" y="${height - 36}" text-anchor="end">far off</text>${Array.from({ length: columns }, (_, many) => html`<text class="axis" x="${x(many, 5).toFixed(1)}" y="${height - 18}" text-anchor="middle">${many}</text>`)}<text class="axis" x="${(WIDTH + EDGE.left) / 2}" y="${height - 2}" text-anchor="middle">changes</text>${found.map(({ one, many, miss }, i) => html`<g data-take="${take(one.changes)}"><title>${titleOf(one.changes)}</title><circle class="curve-dot ${isMet(one) ? "mine" : ""}" cx="${x(many, i).toFixed(1)}" cy="${y(miss).toFixed(1)}" r="4"/></g>`)}</svg>`;
}
const DRAWN = { curve, map, screen, goal };

export function listenToTrials() {
  const dialog = $("trial-text");
  dialog.addEventListener("change", ({ target }) => {
    const { target: number, part, movable: name } = target.dataset, field = { "trial-figure": "figure", "trial-rule": "rule", "trial-other": "other" }[target.id];
    if (number !== undefined) { trial.targets[number][part] = target.value; drawFields(); }
    if (name) trial.fixed[target.checked ? "delete" : "add"](name);
    if (!field) return;
    trial[field] = target.value;
    if (field === "figure" && trial.view !== "screen") draw(); else begin();
  });
  dialog.addEventListener("click", ({ target }) => {
    const { view, untarget } = target.dataset;
    if (view) { trial.view = view; begin(); }
    if (untarget) { trial.targets.splice(untarget, 1); drawFields(); }
    if ("targetMore" in target.dataset) { trial.targets.push({ key: "rounds", low: "", high: "" }); drawFields(); }
    if ("movableAll" in target.dataset) { trial.fixed = new Set(target.dataset.movableAll ? [] : usual().map(([name]) => name)); trial.isOpen = true; drawFields(); }
    if (target.id === "look") look();
    if (target.id === "save-goal") download("goal.toml", balanceFile(copy(), bounds(), Object.fromEntries(movable())));
  });
  dialog.addEventListener("close", () => trial.stop());
}
