// The player: which step is shown, how one goes to another, and what the reader has chosen to see.
import { chart, drawBoard, harbour } from "../shared/board.js";
import { drawRace, drawRaceCursor, stepNear } from "./chart.js";
import { berths, drawPawns, drawTraces, moor, sailAlong, SPACE_SECONDS, stopSailing } from "../shared/fleet.js";
import { addressOf, DATA, FRAMES, LAST, player, ROUNDS } from "./game.js";
import { drawHub } from "../shared/hub.js";
import { chanceOf, drawBar, drawOptions, mistakes } from "./options.js";
import { fill, html } from "../shared/markup.js";
import { glyph, nameOf, titleOf, $ } from "../shared/pictures.js";
import { dressBy, narrow, SHIPS, still } from "../shared/scene.js";
import { drawShips, layOutShips } from "../shared/ships.js";
import { drawSummary } from "./summary.js";
import { disagreements, seen, sentenceOf } from "../shared/table.js";
import { drawCursor, drawTimeline, timeScale } from "./timeline.js";
const SECONDS = {
  setup: .9, dice: .9, place: .9, choose: .7, action: .85, skip: .8, load: .8, no_load: .8, battle: 1, powder: .7, roll: .95,
  sabre: 1.2, battle_end: 1.2, loot: 1.1, pay: .65, shortage: 1.2, treasure: 1.2, finish: 1.6, draw: .6,
};
const ACTIONS = FRAMES.filter(({ kind }) => ["setup", "dice", "choose", "action", "skip", "draw", "end", "fault"].includes(kind)).map(frame => frame.at);

// ---- one step ----
/** Show a step. Only a step forward by one sails along the course; `atOnce` places the ships without any motion. */
function show(at, { atOnce = false } = {}) {
  const from = player.at;
  player.at = Math.max(0, Math.min(LAST, at));
  const frame = FRAMES[player.at], before = player.at ? FRAMES[player.at - 1] : null, view = seen(frame, player.view, DATA.box);
  document.body.classList.toggle("at-once", atOnce);
  stopSailing();
  drawTraces(frame, view);
  drawHub(frame, view);
  drawShips(view, before && frame.kind !== "end" ? before.state : null, (k, held) => chanceOf(k, held, frame));
  const sails = !atOnce && frame.path && player.at === from + 1 && !still.matches;
  berths(view).forEach((place, k) => {
    $(`ship-${k}`).classList.toggle("acting", view.acting === k);
    if (!sails || k !== frame.events[0].ship) moor(k, place);
  });
  if (sails) sailAlong(frame, before, player.speed);
  drawWords(frame, view);
  drawOptions(frame);
  drawBar(frame);
  drawCursor(frame);
  drawRaceCursor(frame);
  if (!player.playing) writeAddress();
}

function drawWords(frame, view) {
  const words = sentenceOf(frame, player.view);
  const name = (part, first) => first ? titleOf(part.ship) : nameOf(part.ship);
  const plain = words.map((part, i) => typeof part === "string" ? part : name(part, i === 0)).join("");
  fill($("sentence"), html`<span>${words.map((part, i) => typeof part === "string" ? part : html`<span class="ship">${glyph(part.ship)}${name(part, i === 0)}</span>`)}</span>`);
  const first = ROUNDS[frame.round - 1], length = (ROUNDS[frame.round] ?? LAST) - first;
  const whole = document.body.classList.contains("no-future") ? "" : ` of ${ROUNDS.length}`;
  $("clock").textContent = frame.kind === "end" ? `End, after round ${frame.round}` : frame.round ? `Round ${frame.round}${whole}, step ${frame.step + 1} of ${length}` : "Setup";
  $("scrub").value = frame.at;
  $("scrub").style.setProperty("--part", `${frame.at / LAST * 100}%`);
  $("scrub").setAttribute("aria-valuetext", `Round ${frame.round}, step ${frame.step + 1}: ${plain}`);
  $("board").setAttribute("aria-label", `The board. ${SHIPS.map(k => `${titleOf(k)}: ${view.ships[k].space ? `space ${view.ships[k].space}` : "Port Royal"}`).join(", ")}. Treasures on lairs ${view.lairs.join(", ") || "none"}.`);
  for (const button of document.querySelectorAll("[data-go]")) button.disabled = button.dataset.go.includes("-") ? frame.at === 0 : frame.at === LAST;
  $("mistake").disabled = !mistakes().some(at => at > frame.at);
}

function redraw() {
  drawBoard();
  drawPawns();
  drawTimeline();
  show(player.at, { atOnce: true });
}
function redrawRace() { drawRace(); drawRaceCursor(FRAMES[player.at]); }

// ---- moving through the game ----
const GO = {
  step: by => player.at + by,
  action: by => by > 0 ? ACTIONS.find(at => at > player.at) ?? LAST : ACTIONS.findLast(at => at < player.at) ?? 0,
  mistake: by => by > 0 ? mistakes().find(at => at > player.at) ?? player.at : mistakes().findLast(at => at < player.at) ?? player.at,
  round: by => {
    const { round } = FRAMES[player.at], first = round ? ROUNDS[round - 1] : 0;
    if (by > 0) return ROUNDS[round] ?? LAST;
    return player.at > first ? first : round > 1 ? ROUNDS[round - 2] : 0;
  },
};
function go(unit, by) { pause(); show(GO[unit](by)); }
function jump(at) { pause(); show(at, { atOnce: true }); }

const seconds = frame => (frame.path ? .45 + (still.matches ? .4 : frame.path.length * SPACE_SECONDS) : SECONDS[frame.kind] ?? .7) / player.speed;
function play() {
  if (player.at === LAST) show(0, { atOnce: true });
  player.playing = true;
  $("sentence").setAttribute("aria-live", player.speed > 1 ? "off" : "polite");
  drawPlayButton();
  const next = () => {
    if (player.at === LAST) return pause();
    show(player.at + 1);
    player.timer = setTimeout(next, seconds(FRAMES[player.at]) * 1000);
  };
  player.timer = setTimeout(next, 250 / player.speed);
}
function pause() {
  clearTimeout(player.timer);
  if (!player.playing) return;
  player.playing = false;
  $("sentence").setAttribute("aria-live", "polite");
  drawPlayButton();
  show(player.at, { atOnce: true });
}
const toggle = () => player.playing ? pause() : play();
function drawPlayButton() {
  $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
  fill($("play").firstElementChild, player.playing ? html`<path d="M8 5v14M16 5v14" stroke-width="4"/>` : html`<path d="M8 5l11 7-11 7Z"/>`);
}

// ---- addresses: #r7, #r7.12, #end, and the viewer as #r7.12&view=2 ----
const viewAddress = () => player.view === "all" ? "" : `&view=${player.view}`;
/* A moment later, because browsers refuse to write the address hundreds of times while somebody scrubs. */
function writeAddress() {
  clearTimeout(player.address);
  player.address = setTimeout(() => history.replaceState(null, "", `#${addressOf(FRAMES[player.at])}${viewAddress()}`), 150);
}
function readAddress() {
  const [place, ...rest] = location.hash.slice(1).split("&");
  const wanted = rest.find(part => part.startsWith("view="))?.slice(5);
  if (wanted && [...$("view").options].some(option => option.value === wanted)) choose(wanted);
  const found = place.match(/^r(\d+)(?:\.(\d+))?$/);
  if (place === "end") return LAST;
  if (!found) return null;
  const round = Math.min(ROUNDS.length, Number(found[1])), first = round ? ROUNDS[round - 1] : 0;
  const last = round ? (ROUNDS[round] ?? LAST + 1) - 1 : (ROUNDS[0] ?? 1) - 1;
  return Math.min(last, first + Math.max(0, (Number(found[2]) || 1) - 1));
}
function choose(view) {
  player.view = /^\d+$/.test(view) ? Number(view) : view;
  $("view").value = view;
}

// ---- controls ----
const KEYS = {
  " ": toggle, ArrowRight: shift => go(shift ? "round" : "step", 1), ArrowLeft: shift => go(shift ? "round" : "step", -1),
  ".": () => go("action", 1), ",": () => go("action", -1), Home: () => { pause(); show(0); }, End: () => { pause(); show(LAST); },
  m: () => go("mistake", 1), M: () => go("mistake", -1), "?": () => $("help-text").showModal(),
};
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help-text").open) return;
  const on = KEYS[event.key], target = event.target.closest?.("select, button, summary, a, [type=checkbox]");
  if (!on || target?.matches("select") || (target && event.key === " ")) return;
  event.preventDefault();
  on(event.shiftKey);
}

/** A drawing in which a touch or a drag goes to a step. */
function seekIn(svg, stepAt) {
  const seek = event => jump(stepAt(event.clientX - svg.getBoundingClientRect().left));
  svg.onpointerdown = event => { svg.setPointerCapture(event.pointerId); seek(event); };
  svg.onpointermove = event => { if (event.buttons) seek(event); };
}

function listen() {
  $("play").onclick = toggle;
  for (const button of document.querySelectorAll("[data-go]")) {
    const [, unit, by] = button.dataset.go.match(/^(\w+)([+-]1)$/);
    button.onclick = () => go(unit, Number(by));
  }
  $("mistake").onclick = () => go("mistake", 1);
  $("scrub").oninput = event => jump(Number(event.target.value));
  $("speed").onchange = event => {
    player.speed = Number(event.target.value);
    if (player.playing) { clearTimeout(player.timer); play(); }
  };
  $("view").onchange = event => { choose(event.target.value); drawRace(); show(player.at, { atOnce: true }); };
  for (const button of document.querySelectorAll("[data-chart]")) {
    button.onclick = () => {
      player.chart = button.dataset.chart;
      for (const other of document.querySelectorAll("[data-chart]")) other.setAttribute("aria-pressed", other === button);
      redrawRace();
    };
  }
  $("future").onchange = event => { document.body.classList.toggle("no-future", event.target.checked); show(player.at, { atOnce: true }); };
  $("help").onclick = () => $("help-text").showModal();
  seekIn($("timeline"), px => timeScale.step(px));
  seekIn($("race"), stepNear);
  document.addEventListener("keydown", pressed);
  addEventListener("hashchange", () => {
    const view = player.view, at = readAddress();
    if (at === null) return;
    if (view !== player.view) drawRace();
    if (at !== player.at || view !== player.view) jump(at);
  });
  addEventListener("beforeprint", () => { $("summary").open = true; });
  narrow.addEventListener("change", () => { redraw(); redrawRace(); });
  let width = 0;
  new ResizeObserver(() => {
    if ($("timeline").clientWidth === width) return;
    width = $("timeline").clientWidth;
    redraw();
    redrawRace();
  }).observe($("timeline"));
}

/* A game that was played on with another card, or another answer, says so. */
function changedCard() {
  const changed = DATA.trace.config.what_if;
  if (!changed) return "";
  const card = DATA.box.cards[changed.card];
  const did = card ? `played ${card.morning}/${card.evening}` : `chosen ${changed.words}`;
  return ` · what if ${nameOf(changed.ship)} had ${did} in round ${changed.round}`;
}

function start() {
  const { players, ghost, edition } = DATA.trace.config;
  $("about").textContent = `${document.title.replace("Jamaica: ", "")} · edition ${edition} · ${players} players${ghost ? " and the ghost ship" : ""}${DATA.changes ? ` · ${DATA.changes}` : ""}${changedCard()}`;
  const viewers = SHIPS.filter(k => !DATA.ships[k].ghost).map(k => html`<option value="${k}">what ${titleOf(k)} knows</option>`);
  fill($("view"), html`<option value="all">${DATA.reader === null ? "everything" : "all that may be known"}</option><option value="public">public knowledge</option>${viewers}`);
  $("scrub").max = LAST;
  document.documentElement.style.setProperty("--ships", SHIPS.length);
  document.querySelector("[data-chart=chances]").hidden = $("options").hidden = $("bar").hidden = $("mistake").hidden = !DATA.chances;
  for (const button of document.querySelectorAll("[data-chart]")) button.setAttribute("aria-pressed", button.dataset.chart === player.chart);
  document.body.classList.toggle("with-chances", !!DATA.chances);
  for (const part of document.querySelectorAll(".of-chances")) part.hidden = !DATA.chances;
  const wrong = disagreements(FRAMES, DATA);
  if (wrong.length) {
    $("alarm").hidden = false;
    $("alarm").textContent = `This replay does not agree with the result of its game: ${wrong.join("; ")}.`;
  }
  layOutShips();
  listen();
  dressBy($("theme"));
  player.at = readAddress() ?? 0;
  drawBoard();
  drawPawns();
  drawTimeline();
  drawRace();
  show(player.at, { atOnce: true });
  redrawRace();  // its height follows from the panels above it
  drawSummary();
}
start();
Object.assign(window, { chart, choose, DATA, FRAMES, harbour, jump, LAST, play, player, ROUNDS, SHIPS, show });  // for tests and measurements
