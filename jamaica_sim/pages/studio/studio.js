// The studio: what was changed, what is asked, what is drawn.
import { answer, begin, read, RESTS, useBox } from "../engine/answers.js";
import { drawAnswers, forgetScales } from "./answers.js";
import { drawEditor, drawShelf, open, opener } from "./editor.js";
import { drawCourse, drawHeat, MAPS } from "./heat.js";
import { copyText, download, experimentOf, keep, openPage, save, told } from "./keeping.js";
import { fill, html, pageSource } from "../shared/markup.js";
import { $ } from "../shared/pictures.js";
import { drawChanged, drawHouse, drawRules, drawTable, inPageWords, limits, openerOf, showRule, toggleTheme, useHouse } from "./rules.js";
import { dressBy, narrow, scene, setScene } from "../shared/scene.js";
import { ask } from "../shared/talk.js";
import { askCurve, askScreen, listenToTrials, taken } from "./trials.js";
import { annotate, forget, keyOf, nameOf, notebookAsCsv, openNotebook, remember, titleOfPin, tried } from "./notebook.js";
import { drawTried, pin } from "./tried.js";
import { MOST_MEASURES } from "../game/sums.js";
import { address, boardIn, box, canRedo, canUndo, change, copy, dropUnchanged, isPrinted, measureIn, printedValue, readAddress, redo, resetRules, restore, setPlayers, setRule, undo, valueIn, variant, view } from "./variant.js";

const KEPT = 5000;  // games after which a variant lies on the strip; what is passed on the way does not
const SOURCE = pageSource();  // as it came: an exported page is made of it
const DATA = JSON.parse($("data").textContent);  // the box and the engine; whether our server is behind the page
const MOST_WORKERS = 8;
const COLOURS = ["blue", "red", "green", "pink", "amber", "sky"];
const now = { figures: null, told: null, key: "", asked: 0, first: 0, refusal: null, most: RESTS[0], soon: 0, stop: () => {}, over: false };
window.studio = { now, latencies: [] };  // for tests and measurements

// ---- asking ----
const comparing = () => view.pins.length === 2;
const question = () => comparing() ? { ...copy(), base: view.pins[0], changes: view.pins[1] } : copy();
const baseWord = () => comparing() ? "A" : "printed rules";

/** After every change: draw what is known at once, then ask. Changes within one frame are one question. */
function changed({ goOn = false, keepPins = goOn } = {}) {
  if (box.of !== valueIn("board")) return void openBox(valueIn("board")).then(() => changed({ goOn, keepPins }), fault);
  if (!goOn) now.most = RESTS[0];
  if (!keepPins && comparing()) view.pins = [];  // whoever changes a rule wants to see what that does
  Object.assign(now, { asked: performance.now(), first: 0, over: false });
  now.stop();  // what it still says is about another table
  setTheScene();
  draw();
  writeAddress();
  clearTimeout(now.soon);
  now.soon = setTimeout(askNow, 0);
}
function askNow() {
  if (document.hidden) return;
  const mine = question();
  document.body.classList.add("waiting");
  now.stop = answer({ kind: "figures", ...mine, games: now.most }, line => heard(line, mine));
}
/* A moment later, because browsers refuse to write the address hundreds of times while somebody drags. */
function writeAddress() {
  clearTimeout(now.writing);
  now.writing = setTimeout(() => history.replaceState(null, "", `${location.pathname}#${address()}`), 120);
}

const HEARD = {
  table(line, mine) {
    now.refusal = null;
    sayDropped();
    const key = keyOf(mine);
    if (key !== now.key) forgetScales();
    Object.assign(now, { key, told: line });
    setBoard(line.board, line.previous);
    draw();
  },
  figures(line, mine) {
    if (line.games > (window.studio.most ?? Infinity)) return;  // tests hold a moment still
    if (!now.first) {
      now.first = performance.now();
      requestAnimationFrame(() => setTimeout(() => { window.studio.latencies.push(performance.now() - now.asked); window.studio.latencies.splice(0, window.studio.latencies.length - 2000); }, 0));
    }
    document.body.classList.remove("waiting");
    now.figures = line;
    drawFigures();
    if (line.games >= KEPT && !mine.base) {
      remember({ key: now.key, title: now.told.title, text: line.sentence.text, table: mine, rows: line.rows, games: line.games });
      drawTried(now.key);
    }
  },
  end() {
    now.over = true;
    drawPace();
  },
  refused({ error }) {
    now.refusal = inPageWords(error);
    if (!now.figures) fill($("sentence"), html`<b>These rules cannot be played:</b> ${now.refusal}`);
    document.body.classList.remove("waiting");
    sayDropped();
    draw();
  },
  bug({ error }) { alarm(error); },
};
function heard(line, mine) {
  HEARD[line.kind]?.(line, mine);
  document.body.classList.toggle("refused", !!now.refusal);
}
function fault(error) {
  alarm("Something went wrong on this page. Load it again: the variant is in its address.");
  throw error;
}

/* What was in the address and does not fit the box, said once. */
function sayDropped() {
  const names = view.dropped.splice(0);
  if (names.length) alarm(`Left out of the address, because no rule has this name or this value: ${names.slice(0, 5).map(name => name.slice(0, 40)).join(", ")}${names.length > 5 ? " …" : ""}.`);
  else $("alarm").hidden = true;
}
function alarm(text) {
  document.body.classList.remove("waiting");
  $("alarm").hidden = false;
  fill($("alarm"), html`<span>${text}</span> <button type="button" class="close" data-hush aria-label="Close">×</button>`);
}

// ---- drawing ----
const chosen = () => open.what?.startsWith("space.") ? Number(open.what.split(".")[1]) : null;
function setTheScene() {
  useHouse();
  const ships = variant.strategies.map((strategy, k) => ({ name: COLOURS[k], strategy, ghost: false }));
  if (variant.ghost) ships.push({ name: "the ghost ship", strategy: "", ghost: true });
  const deck = [...box.rules.keys()].filter(name => name.startsWith("card.")).map(valueIn).filter(Boolean);  // cards may be added
  const cards = deck.map(symbols => { const [morning, evening] = symbols.split("/"); return { morning, evening }; });
  setScene({ ships, box: { ...scene.box, cards, start_score: Number(valueIn("start_score")) } });
}
function setBoard(board, previous) { setScene({ box: { ...scene.box, board, previous } }); }

function draw() {
  const held = document.activeElement?.closest("#left [data-row]"), top = held?.getBoundingClientRect().top, moved = () => held.getBoundingClientRect().top - top;
  drawTable();
  drawHouse();
  drawChanged(now.refusal);
  drawRules();
  if (held?.isConnected) {  // the list of changes above it has grown
    $("left").scrollTop += moved();
    scrollBy(0, moved());
  }
  drawShelf();
  drawCourse(chosen());
  drawHeatNow();
  drawEditor(now.figures?.spaces, now.refusal);
  drawTried(now.key);
  $("undo").disabled = !canUndo();
  $("redo").disabled = !canRedo();
  $("about").textContent = `${variant.players} players${variant.ghost ? " and the ghost" : ""} · edition ${variant.edition}`;
}
function drawPace() {
  const { games, most, seconds } = now.figures, part = Math.log(games / 96) / Math.log(most / 96), rate = seconds > .5 ? games / seconds : 0;
  $("bar").firstElementChild.style.width = `${(Math.min(1, Math.max(.02, part)) * 100).toFixed(1)}%`;
  document.body.classList.toggle("rested", now.over);
  const slow = rate && rate < 2000 ? `, ${Math.round(rate).toLocaleString("en")} a second` : "";
  $("games").textContent = `${games.toLocaleString("en")} games of each${slow}${now.over ? ", done" : ""}`;
  $("more").hidden = !now.over || most >= RESTS.at(-1);
}
function drawFigures() {
  const { title, text, sure } = now.figures.sentence;
  fill($("sentence"), html`<b>${title}:</b> <span class="${sure ? "" : "unsure"}">${text}.</span>`);
  document.title = isPrinted() ? "Jamaica studio" : `${title} · Jamaica studio`;
  drawPace();
  drawAnswers(now.figures.rows, baseWord(), comparing() ? view.pins.map(titleOfPin) : null);
  drawHeatNow();
  drawEditor(now.figures.spaces, now.refusal);
}
function drawHeatNow() {
  const plain = now.figures?.rows[0].state === "base";
  for (const button of document.querySelectorAll("[data-heat]")) button.setAttribute("aria-pressed", button.dataset.heat === view.heat);
  $("heat-change").checked = view.onlyChange;
  $("heat-change").disabled = !view.heat || plain;
  drawHeat(now.figures?.spaces, view.heat, view.onlyChange && !plain, plain ? "" : baseWord());
}

// ---- changing ----
const set = (name, value) => { if (setRule(name, value)) changed(); };
function step(name, by, low, high) {
  const value = valueIn(name) ?? valueIn("hand_size") + 1;
  const stepped = old => Math.min(high, Math.max(low, old + by));
  set(name, Array.isArray(value) ? value.map(stepped) : stepped(value));  // goods may be by seat
}
function setAt(name, index, value) {
  const before = valueIn(name), all = (Array.isArray(before) ? before : Array(variant.players).fill(before)).map((old, i) => i === index ? value : old);
  set(name, box.rules.get(name).by_seat && new Set(all).size === 1 ? all[0] : all);
}
const parsed = text => /^-?\d+$/.test(text) ? Number(text) : text;

function openEditor(what, from) {
  Object.assign(open, { what: open.what === what ? null : what, from });
  drawCourse(chosen());
  drawEditor(now.figures?.spaces, now.refusal);
  if (open.what) ($("editor").querySelector("[aria-checked=true], button[data-by]") ?? $("editor").querySelector("button"))?.focus({ preventScroll: true });
}
function closeEditor() {
  const space = chosen(), from = opener();
  open.what = null;
  drawEditor();
  drawCourse(null);
  (space !== null ? $(`space-${space}`) : from)?.focus?.({ preventScroll: true });
}
function repin() {
  if (!comparing() && now.figures?.rows && JSON.parse(now.key || "{}").base === undefined) { drawTried(now.key); writeAddress(); return; }
  forgetScales();
  changed({ keepPins: true });
}

const ON = {  // by the data attribute of what was clicked
  space: (value, element) => openEditor(`space.${value}`, element),
  open: (value, element) => openEditor(value, element),
  show: (value, element) => openerOf(value).match(/^(space|treasure|card)\./) ? openEditor(openerOf(value), element) : showRule(value),
  by: (value, { dataset: { name, low, high } }) => step(name, Number(value), ...(low === undefined ? limits(name) : [Number(low), Number(high)])),
  set: (name, { dataset: { value, index } }) => index === undefined ? set(name, parsed(value)) : setAt(name, Number(index), parsed(value)),
  remove: (name, { dataset: { index } }) => { open.what = null; set(name, valueIn(name).filter((_, i) => i !== Number(index))); },
  add: name => { const numbers = valueIn(name).filter(face => typeof face === "number"); set(name, [...valueIn(name), Math.min(10, Math.max(0, ...numbers) + 1)]); },
  reset: names => { if (resetRules(names.split(" "))) changed(); },
  close: () => closeEditor(),
  drop: name => { if (change(v => { delete v.measures[name]; })) changed({ keepPins: true }); },
  undo: () => { if (undo()) changed(); },
  hush: () => { $("alarm").hidden = true; },
  players: value => { if (setPlayers(Number(value))) changed(); },
  edition: value => { if (change(v => { v.edition = value; })) changed(); },
  ghost: value => { if (change(v => { v.ghost = value === "1"; })) changed(); },
  heat: value => { view.heat = value; drawHeatNow(); writeAddress(); },
  try: key => { view.pins = []; restore(tried.find(one => one.key === key).table); changed(); },
  pin: key => { pin(tried.find(one => one.key === key).table.changes); repin(); },
  note: key => writeNote(key),
  curve: rule => askCurve(rule),
  screen: key => askScreen(key),
  take: text => { if (change(taken(text))) changed(); },
  copy: (_, element) => copyText(element),
};
const BUTTONS = {
  undo: () => ON.undo(), redo: () => { if (redo()) changed(); },
  "reset-all": () => { if (change(v => { v.changes = {}; })) changed(); },
  unpin: () => { view.pins = []; forgetScales(); changed(); },
  more: () => { now.most = RESTS.find(most => most > now.most); changed({ goOn: true }); },
  keep: () => keep(now.first ? now.figures.games : KEPT, now, comparing() ? view.pins.map(titleOfPin) : null), save,
  watch: () => openPage("api/watch", $("watch"), "Looking for one…", alarm),
  report: () => openPage("api/report", $("report"), "Playing 20,000 games of each…", text => { $("report-words").textContent = text; }, { ...question(), titles: now.told.titles }),
  play: () => openPage("api/sit", $("play"), "Setting the table…", alarm),
  help: () => $("help-text").showModal(),
  "note-forget": () => { forget($("note-text").dataset.key); $("note-text").close("forgotten"); drawTried(now.key); },
  "out-experiment": () => download("variants.toml", experimentOf(tried.map((one, i) => ({ ...one.table, name: `${i + 1}. ${nameOf(one)}`.slice(0, 40).trim() })), 20_000)),
  "out-csv": () => download("variants.csv", notebookAsCsv(), "text/csv"),
  "out-page": () => download("studio.html", pageWith({ address: address(), notebook: tried, served: false }), "text/html"),
};
/* This page as it came, with other data. */
function pageWith(data) {
  const text = JSON.stringify({ ...DATA, ...data }).replace(/[<\u2028\u2029]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return SOURCE.replace(/(<script type="application\/json" id="data">)[\s\S]*?(<\/script>)/, (_, before, after) => before + text + after);
}
function writeNote(key) {
  const one = tried.find(entry => entry.key === key), shown = row => `${row.label.replace(/_/g, " ")} ${row.value?.toFixed(1)}`;
  $("note-text").dataset.key = key;
  $("note-name").value = one.name ?? "";
  $("note-name").placeholder = one.title;
  $("note-words").value = one.note ?? "";
  $("note-figures").textContent = `After ${one.games.toLocaleString("en")} games: ${one.text}. ${one.rows.filter(row => ["game", "fair"].includes(row.group)).map(shown).join(", ")}.`;
  $("note-text").showModal();
}
function clicked(event) {
  const element = event.target.closest?.("button, [data-space], [data-take]");
  if (open.what && !event.target.closest?.("#editor, [data-open], [data-space], [data-show], [data-undo]")) { open.what = null; drawEditor(); drawCourse(null); }
  if (!element) return;
  const kind = Object.keys(ON).find(name => name in element.dataset);
  if (kind) ON[kind](element.dataset[kind], element);
  else BUTTONS[element.id]?.();
}

function alongCourse(by) {
  const n = Number(document.activeElement?.dataset?.space ?? chosen() ?? 0), count = scene.box.board.length, next = (n + by + count) % count;
  for (const element of document.querySelectorAll(".space")) element.tabIndex = Number(element.dataset.space) === next ? 0 : -1;
  $(`space-${next}`).focus();
}
const KEYS = {
  "/": () => $("find").focus(), h: () => ON.heat(MAPS[(MAPS.indexOf(view.heat) + 1) % MAPS.length]), p: () => { pin(variant.changes); repin(); }, "?": () => $("help-text").showModal(),
  Escape: () => open.what && closeEditor(), ArrowRight: () => alongCourse(1), ArrowLeft: () => alongCourse(-1), "+": () => cost(1), "=": () => cost(1), "-": () => cost(-1), "−": () => cost(-1),
};
function cost(by) {
  const n = document.activeElement?.dataset?.space ?? chosen();
  if (n && scene.box.board[n].kind !== "lair") { step(`space.${n}.cost`, by, 0, 10); $(`space-${n}`)?.focus({ preventScroll: true }); }
}
function pressed(event) {
  const typing = event.target.matches?.("input[type=search], input[type=number], input:not([type]), textarea, select"), dialog = document.querySelector("dialog[open]"), slider = event.target.matches?.("input[type=range]");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !dialog) { event.preventDefault(); return event.shiftKey ? BUTTONS.redo() : BUTTONS.undo(); }
  const point = event.target.closest?.("g[data-take]");
  if (point && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); return ON.take(point.dataset.take); }
  if (event.ctrlKey || event.metaKey || event.altKey || dialog) return;
  if (typing) { if (event.key === "Escape") event.target.blur(); return; }
  const space = event.target.closest?.("[data-space]");
  if (space && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); return openEditor(`space.${space.dataset.space}`, space); }
  const onBoard = space || event.target === document.body;
  if (["ArrowRight", "ArrowLeft"].includes(event.key) && !onBoard) return;
  if (slider && event.key.length === 1 && /[-+=−]/.test(event.key)) return;
  const key = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!key) return;
  event.preventDefault();
  key();
}

/** Take the measure in the form; what is wrong with it is said below. */
function addMeasure(event) {
  event.preventDefault();
  const wrong = problem => { $("own-wrong").hidden = !problem; $("own-wrong").textContent = problem; };
  const found = measureIn($("own-text").value), others = Object.keys(variant.measures).filter(name => name !== found?.[0]);
  if (!found) return wrong("A measure is a name and an expression, such as close = margin < 3.");
  if (others.length >= MOST_MEASURES) return wrong(`This page takes ${MOST_MEASURES} measures: remove one first.`);
  try { read(found[1], variant); } catch (error) { return wrong(error.message); }
  wrong("");
  $("own-text").value = "";
  if (change(v => { v.measures = { ...v.measures, [found[0]]: found[1] }; })) changed({ keepPins: true });
}

function listen() {
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  $("rules").addEventListener("input", ({ target }) => { const { rule } = target.dataset; if (rule) set(rule, target.type === "checkbox" ? target.checked : Number(target.value)); });
  $("rules").addEventListener("toggle", ({ target }) => { if (target.dataset.themeName) toggleTheme(target.dataset.themeName, target.open); }, true);
  $("table").addEventListener("change", ({ target }) => { const { seat } = target.dataset; if (seat && change(v => { v.strategies[seat] = target.value; })) changed(); });
  $("editor").addEventListener("change", ({ target }) => { const { text } = target.dataset; if (text) set(text, parsed(target.value.trim())); });
  $("house").addEventListener("input", ({ target }) => { const { rule } = target.dataset; if (rule) set(rule, Number(target.value)); });
  $("house").addEventListener("change", ({ target }) => { if ("house" in target.dataset && change(v => { for (const name of Object.keys(v.changes)) if (name.startsWith("house")) delete v.changes[name]; if (target.value !== "none") v.changes.house_rules = target.value; })) changed(); });
  $("find").addEventListener("input", drawRules);
  $("own").addEventListener("submit", addMeasure);
  $("heat-change").addEventListener("change", ({ target }) => { view.onlyChange = target.checked; drawHeatNow(); writeAddress(); });
  addEventListener("hashchange", () => readPage().then(() => { forgetScales(); changed({ keepPins: true }); }, fault));
  addEventListener("resize", () => drawEditor(now.figures?.spaces, now.refusal));
  narrow.addEventListener("change", draw);
  document.addEventListener("visibilitychange", () => document.hidden ? now.stop() : now.over || askNow());
  listenToTrials();
  $("note-text").addEventListener("close", () => { if ($("note-text").returnValue !== "forgotten") annotate($("note-text").dataset.key, { name: $("note-name").value.trim(), note: $("note-words").value.trim() }); $("note-text").returnValue = ""; drawTried(now.key); });
  dressBy($("theme"));
}

/** Take everything in the box with this board; what is wrong with a board is said when it is to be played on. */
async function openBox(board) {
  const found = board === DATA.box.of ? DATA.box : await boxOf(board);
  useBox(found);
  Object.assign(box, found, { of: board, rules: new Map(found.rules.map(rule => [rule.name, rule])) });
  useHouse();
  dropUnchanged();
}
async function boxOf(board) {
  if (!DATA.served) return DATA.box;
  try { return { ...DATA.box, ...await ask("api/box", { board }) }; } catch (error) { return { ...DATA.box, refusal: told(error) }; }
}
async function readPage() {
  const text = location.hash.slice(1) || DATA.address;
  await openBox(boardIn(text));
  readAddress(text);
}
async function start() {
  begin(DATA, Number(new URLSearchParams(location.search).get("workers")) || Math.min(navigator.hardwareConcurrency || 2, MOST_WORKERS));
  await readPage();
  setScene({ box: { board: box.board, previous: box.previous, cards: box.cards, treasures: box.treasures, start_score: printedValue("start_score") } });
  for (const id of ["play", "watch", "report-part"]) $(id).hidden = !DATA.served;
  listen();
  changed({ keepPins: true });
  await openNotebook(DATA.notebook, DATA.served, () => drawTried(now.key), alarm).catch(error => alarm(told(error)));
  drawTried(now.key);
}
start().catch(fault);
