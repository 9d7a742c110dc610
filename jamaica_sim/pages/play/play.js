// Play: the server says what this seat may know, the page tells it step by step, and asks. Nothing is decided here.
import { adviceOf, answersOf, labelOf, leadsOf, questionOf, ringsOf } from "./choices.js";
import { drawLesson, drawReview, drill, isJudged, isOpen, judge, learn, lessonButton, record, review, reviewOf, triedOf } from "./lesson.js";
import { linesOf, wordsOf } from "./log.js";
import { showSetUp } from "./setup.js";
import { drawBoard } from "../shared/board.js";
import { berths, drawPawns, drawTraces, moor, sailAlong, SPACE_SECONDS, stopSailing } from "../shared/fleet.js";
import { drawHub } from "../shared/hub.js";
import { fill, html } from "../shared/markup.js";
import { card, glyph, nameOf, titleOf, $ } from "../shared/pictures.js";
import { dressBy, narrow, setScene, still } from "../shared/scene.js";
import { drawShips, layOutShips } from "../shared/ships.js";
import { framesOf, seen } from "../shared/table.js";
import { ask, decoded, hangUp, stream } from "../shared/talk.js";
const SECONDS = {
  dice: .9, place: .7, choose: .6, action: .8, load: .8, battle: 1, powder: .8, roll: .95,
  sabre: 1.2, battle_end: 1.2, loot: 1.1, pay: .6, shortage: 1.3, treasure: 1.2, finish: 1.6, draw: .5,
};
const LOG = 150;  // steps that the list shows
const OF_NO_GAME = ["begin", "branch", "games", "learn", "menu"];  // questions that name their game themselves, or none
const SLOW = 300;  // milliseconds after which a click shows that it was taken
const READ = 6000;  // milliseconds for which a refusal stays, whatever comes next
const TOO_SOON = 300;  // milliseconds: a click within them was not meant for the question that has just come
const byTouch = matchMedia("(pointer: coarse)"), low = matchMedia("(max-height: 600px) and (min-width: 600px)");
const game = {
  id: "", data: null, frames: [], at: 0, since: {}, speed: 1, timer: 0, asking: false, drawn: 0, picked: null, tapped: null,
  busy: false, seat: null, laid: "", advice: null, coached: false, alarmed: 0, heard: 0,
};
window.play = game;

// ---- the server ----
const last = () => game.frames.length - 1;
const isOver = () => !game.data || game.data.asked === null || game.data.resigned;
async function call(what, body = {}) {
  if (game.busy) return null;
  game.busy = true;
  const { id } = game, slow = setTimeout(() => {
    document.body.classList.add("busy");
    if (what === "answer") fill($("note"), "Your answer was taken; the server is at work…");
  }, SLOW);
  try {
    const seat = game.seat === null || game.seat < 0 ? {} : { seat: game.seat };
    const data = await ask(`api/play/${what}`, { ...(OF_NO_GAME.includes(what) ? {} : { game: id, ...seat }), ...body });
    alarm("");
    return id === game.id ? data : null;
  } catch (error) {
    alarm(error instanceof TypeError ? "The server has stopped. Start “jamaica-sim play FILE” again: every answer is saved." : error.message);
    return null;
  } finally {
    clearTimeout(slow);
    document.body.classList.remove("busy");
    game.busy = false;
    if (id !== game.id) open();  // somebody has gone to another game meanwhile
  }
}
function alarm(text) {
  if (!text && performance.now() < game.alarmed + READ) return;
  game.alarmed = text ? performance.now() : 0;
  $("alarm").hidden = !text;
  $("alarm").textContent = text;
}

/** Take what the server has told; `from` is the step that is shown first. */
function take(data, from) {
  game.data = data;
  game.seat = data.seat;
  setScene({ ships: data.ships, box: data.box, result: data.trace.result });
  game.frames = framesOf(data);
  const key = JSON.stringify([data.game, data.ships]);
  if (key !== game.laid) { game.laid = key; layOutShips(); lay(); }
  document.body.classList.remove("waiting");
  unask();
  const { config } = data.trace, others = data.ships.filter((ship, k) => !ship.ghost && k !== data.seat);
  $("about").textContent = `${data.seat < 0 ? "" : `you are ${nameOf(data.seat)}, `}against ${[...new Set(others.map(ship => ship.strategy.replace(/_/g, " ")))].join(", ")}${config.ghost ? " and the ghost" : ""} · edition ${config.edition}${config.rules ? " · changed rules" : ""}`;
  $("back").disabled = !data.number || data.number === data.branch?.[1];
  $("resign").hidden = isOver();
  show(Math.max(0, Math.min(from, last())), true);
  goOn();
}

// ---- telling ----
const seconds = frame => frame.path && !still.matches ? .45 + frame.path.length * SPACE_SECONDS : SECONDS[frame.kind] ?? .7;
function goOn() {
  clearTimeout(game.timer);
  if (game.at < last() && game.speed) {
    drawWaiting();
    game.timer = setTimeout(() => { show(game.at + 1); goOn(); }, seconds(game.frames[game.at]) * 1000 / game.speed);
  } else arrive();
}
function skip() {
  clearTimeout(game.timer);
  arrive();
}
function arrive() {
  if (game.at < last()) show(last(), true);
  tellHeard();
  drawLesson(game);
  const { asked, seat, question } = game.data;
  if (isOver()) return drawEnd();
  if (question) return drawQuestion();
  fill($("question"), html`<b>It is ${titleOf(asked)}’s turn to choose.</b> Give the screen to ${titleOf(asked)}.`);
  fill($("answers"), html`<button type="button" class="quiet strong" data-ready="${asked}">I am ${titleOf(asked)}, and ready <kbd>Enter</kbd></button>`);
  $("answers").querySelector("button").focus({ preventScroll: true });
  fill($("note"), seat < 0 ? "" : "The cards of the player before are hidden now.");
}
/* Who looks. Between two people at one screen nobody's hand is shown, and nobody's secrets are told. */
function viewer() {
  const { question, resigned, seat } = game.data;
  if (isOver() && !resigned) return "all";
  return seat < 0 || (!resigned && !question && game.at === last()) ? "public" : seat;
}

/** The table as this seat sees it, with what the question knows beyond the last event. */
function viewOf(frame) {
  const view = seen(frame, viewer(), game.data.box);
  const { question } = game.data;
  if (!question || frame.at !== last()) return view;
  const placed = question.placed && [question.placed.morning, question.placed.evening];
  const ships = view.ships.map((ship, k) => ({ ...ship, holds: holdsNow(ship.holds, question.holds[k]) }));
  return { ...view, ships, round: question.round, captain: question.captain, dice: question.dice, placed };
}
function holdsNow(holds, told) {
  const now = [...holds];
  for (const { hold, resource, amount } of told) now[hold] = resource ? { resource, amount } : null;
  return now;
}

function show(at, atOnce = false) {
  const from = game.at;
  game.at = at;
  const frame = game.frames[at], before = at ? game.frames[at - 1] : null, view = viewOf(frame);
  document.body.classList.toggle("at-once", atOnce);
  stopSailing();
  drawTraces(frame, view);
  drawHub(frame, view);
  drawShips(view, before && frame.kind !== "end" && !atOnce ? before.state : null);
  const sails = !atOnce && game.speed && frame.path && at === from + 1 && !still.matches;
  berths(view).forEach((place, k) => {
    $(`ship-${k}`).classList.toggle("acting", view.acting === k);
    if (!sails || k !== frame.events[0].ship) moor(k, place);
  });
  if (sails) sailAlong(frame, before, game.speed);
  drawLog();
}
const words = frame => wordsOf(frame, viewer());
function drawLog() {
  fill($("log"), linesOf(game.frames, Math.max(0, game.at - LOG), game.at + 1, viewer()).reverse());
}
/* What happened since the last question, for those who hear the page. */
function tellHeard() {
  fill($("heard"), linesOf(game.frames, game.heard, last() + 1, viewer()));
  game.heard = last() + 1;
}
function drawWaiting() {
  fill($("question"), words(game.frames[game.at]));
  fill($("answers"), html`<button type="button" class="quiet" data-skip>On to my next choice <kbd>space</kbd></button>`);
  fill($("note"), "");
}

// ---- asking ----
/* Nothing is asked any more, and nothing that is still on its way belongs to what is shown. */
function unask() {
  game.asking = false;
  endCoach();
  hangUp("api/play/review");
  $("dock").classList.remove("asking");
  for (const id of ["picks", "leads"]) fill($(id), "");
  $("lesson").hidden = true;
}
function drawQuestion() {
  const { question } = game.data;
  Object.assign(game, { picked: null, tapped: null, asking: true, drawn: performance.now() });
  endCoach();
  $("dock").classList.add("asking");
  $("dock").dataset.decision = question.decision;
  fill($("question"), questionOf(question));
  $("answers").filled = null;
  fill($("answers"), answersOf(question));
  fill($("picks"), ringsOf(question));
  fill($("note"), "");
  if (!byTouch.matches) $("answers").querySelector("[data-answer]").focus({ preventScroll: true });
  if ($("always").checked) askCoach();
}

// ---- the coach ----
function askCoach() {
  if (!game.asking || game.coached) return;
  game.coached = true;
  $("coach").disabled = true;
  drawAdvice();
  stream("api/play/coach", { game: game.id }, line => {
    if (line.kind === "coach" && line.number === game.data.number) { game.advice = line; drawAdvice(); if (isJudged(game)) judge(game, triedOf(game), call, redrawLesson); }
    else if (line.error) alarm(line.error);
  });
}
function endCoach() {
  hangUp("api/play/coach");
  Object.assign(game, { advice: null, coached: false });
  $("coach").textContent = "Ask the coach";
  $("coach").disabled = !game.asking;
  fill($("advice"), "");
}
/* Only the figures are filled in, so that the focus stays where it is; their room is there before them, so that no answer moves. */
function drawAdvice() {
  $("coach").textContent = game.advice ? "Coach asked" : "Thinking…";
  for (const button of $("answers").querySelectorAll("[data-answer]")) {
    const room = button.querySelector(".coach") ?? button.appendChild(Object.assign(document.createElement("span"), { className: "coach" }));
    fill(room, adviceOf(game.advice, Number(button.dataset.answer)));
    button.setAttribute("aria-label", labelOf(optionOf(Number(button.dataset.answer)), game.advice));
  }
  fill($("advice"), game.advice?.sentence ?? "The coach plays on with every answer…");
}
const optionOf = answer => game.data.question.options.find(one => one.answer === answer);
/** Look at an answer: what it would do is said, and where it leads is marked on the board. */
function pick(answer) {
  if (!game.asking) return;
  game.picked = answer;
  const option = optionOf(answer);
  fill($("leads"), leadsOf(game.data.question, answer));
  for (const element of document.querySelectorAll("[data-answer]")) element.classList.toggle("picked", Number(element.dataset.answer) === answer);
  fill($("note"), html`<b>${option.words.replace(/^to /, "")}</b>${option.does ? `: ${option.does}` : ""}<span class="how keys"><kbd>Enter</kbd> or click</span><span class="how touch">tap again to do it</span>`);
}
async function answer(value) {
  if (!game.asking || game.busy || isJudged(game)) return;
  if (isOpen(game)) { judge(game, value, call, redrawLesson); return askCoach(); }
  const from = game.at;
  game.asking = false;
  endCoach();
  const data = await call("answer", { number: game.data.number, answer: value });
  if (!data) return refresh();
  game.since[game.data.asked] = last();
  take(data, from);
}
function redrawLesson(anew = false) {
  if (anew) { endCoach(); drawQuestion(); }
  drawLesson(game);
}
async function refresh() {
  const data = await call("state");
  if (data) take(data, data.steps.length);
  else if (game.data?.question && game.data.game === game.id) drawQuestion();
}
async function takeBack() {
  if (!game.data?.number) return;
  const data = await call("back");
  if (data) take(data, data.steps.length);
}
async function ready(seat) {
  game.seat = seat;
  const data = await call("state");
  if (data) take(data, data.steps.length);
}

function drawEnd() {
  const { result } = game.data.trace;
  const mine = result?.winners.includes(game.data.seat), shared = result?.winners.length > 1;
  const verdict = mine ? shared ? "You share the victory." : "You have won." : "You have not won this time.";
  const alone = game.data.people.length > 1 ? "" : html`<b>${verdict}</b> `;
  const ended = html`<b>You have resigned.</b> “Take back” goes on with the game.`;
  fill($("question"), game.data.resigned ? ended : html`${alone}${words(game.frames[last()])}`);
  if (reviewOf(game.id)) return drawReview(game);
  const first = game.data.resigned ? "" : html`<button type="button" class="quiet strong" data-review>Review my decisions</button>`;
  const next = html`<button type="button" class="quiet" data-another>Another game at this table</button><button type="button" class="quiet" data-new>Set up another table</button>`;
  fill($("answers"), html`<div class="row">${first}${next}</div>`);
  fill($("note"), html`The game is saved. In the terminal: <code>jamaica-sim replay "${game.data.folder}/${game.data.game}"</code>`);
}

// ---- games ----
async function showGames() {
  const found = await call("games", {});
  if (!found) return;
  $("another").hidden = !game.data;
  $("resign").hidden = isOver();
  $("delete").hidden = !game.id.endsWith(".jamaica.json");  // also one that is damaged
  $("games-words").textContent = `Saved in ${found.folder}`;
  const titled = name => name.replace(".jamaica.json", "").replaceAll("_", " "), stateOf = one => `· ${one.state}${one.game === game.id ? "; this one" : ""}`;
  fill($("games-list"), found.games.map(one => html`<li><a href="#${encodeURIComponent(one.game)}">${titled(one.game)}</a> <span class="sub">${stateOf(one)}</span></li>`));
  $("games-text").showModal();
}
async function another() {
  const found = await call("again");
  if (found) location.hash = found.at.split("#")[1];
}
async function resign() {
  $("games-text").close();
  const data = await call("resign");
  if (data) take(data, data.steps.length);
}
async function remove() {
  const gone = game.id;
  if (!confirm(`Delete ${gone}?`)) return;
  if (!await call("delete")) return;
  const found = await call("games", {});
  const next = found?.games.find(one => one.game !== gone);
  $("games-text").close();
  if (next) location.hash = encodeURIComponent(next.game);
  else location.hash = "new";
}
function showSince() {
  if (!game.data) return;
  const lines = linesOf(game.frames, Math.min((game.since[game.data.asked] ?? -1) + 1, last()), last() + 1, viewer());
  fill($("since-list"), lines.length ? lines : html`<li>Nothing yet.</li>`);
  $("since-text").showModal();
}

/* Discard piles are open to all (K1), and everybody knows what is left in the own deck. */
function showCards() {
  const { question, ships } = game.data ?? {};
  if (!question) return;
  const { hand, card: played } = game.frames[last()].state.ships[question.player], own = new Set([...question.discards[question.player], ...hand, played]);
  const rest = game.data.box.cards.map((_, n) => n).filter(n => !own.has(n));
  const pictures = cards => html`<p>${cards.length ? cards.map(n => card(n)) : html`<span class="sub">none</span>`}</p>`;
  const pile = (cards, k) => html`<h3>${glyph(k)} ${titleOf(k)} <span class="sub">${ships[k].strategy}, ${cards.length} on the discard pile</span></h3>${pictures(cards)}`;
  fill($("cards-list"), html`<h3>Left in your deck: ${rest.length}</h3>${pictures(rest)}${question.discards.map(pile)}`);
  $("cards-text").showModal();
}

// ---- controls ----
function lay() {
  drawBoard({ small: narrow.matches || low.matches });
  drawPawns();
}
const goTo = hash => { location.hash = hash; };
const BUTTONS = {  // by their ids
  back: takeBack, coach: askCoach, games: showGames, another, resign, delete: remove, since: showSince, cards: showCards,
  record: () => record(alarm), drill: () => goTo("drill"), fresh: () => goTo("new"), help: () => $("help-text").showModal(),
};
const KINDS = {  // buttons by their data
  skip, ready: seat => ready(Number(seat)), another, new: () => goTo("new"), record: () => { showGames(); record(alarm); },
  review: () => review(game, alarm), learn: which => learn(game, Number(which), call),
  lesson: what => { const tried = triedOf(game); if (lessonButton(what, game, call, redrawLesson)) answer(tried); },
};
/* The second click of a double click, and one that comes with the question, were meant for what was there before. */
const isStray = event => event.pointerType === "mouse" && (event.detail > 1 || (game.asking && event.timeStamp < game.drawn + TOO_SOON));
function clicked(event) {
  const hit = event.target.closest?.("[data-answer], button");
  if (!hit) return;
  const { dataset } = hit;
  if (isStray(event) && hit.closest("#answers, #picks")) return;
  if (dataset.answer === undefined) {
    const kind = Object.keys(KINDS).find(name => name in dataset);
    return void (kind ? KINDS[kind](dataset[kind]) : BUTTONS[hit.id]?.());
  }
  const value = Number(dataset.answer);
  if (event.pointerType !== "touch" || game.tapped === value) return void answer(value);
  game.tapped = value;  // not what has the focus: a tap gives it that before it clicks
  pick(value);
}
function step(by) {
  const buttons = [...$("answers").querySelectorAll("[data-answer]")];
  const at = buttons.findIndex(button => Number(button.dataset.answer) === game.picked);
  buttons[(at + by + buttons.length) % buttons.length]?.focus({ preventScroll: true });
}
/* The space bar ends the telling; pressed once too often it must not answer: that is for Enter. */
const confirms = event => event.key === " " && event.target.closest?.("[data-answer], [data-ready]");
const KEYS = { Backspace: takeBack, c: askCoach, l: showSince, d: showCards, "?": BUTTONS.help, ArrowRight: () => step(1), ArrowLeft: () => step(-1) };
const TYPED_IN = "select, input:not([type=checkbox])";  // there a key means what it always means
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.(TYPED_IN) || document.querySelector("dialog[open]")) return;
  if (event.repeat && ["Enter", "Backspace"].includes(event.key)) return event.preventDefault();  // a key that is held answers once
  if (/^[1-9]$/.test(event.key) && game.asking) return $("answers").querySelectorAll("[data-answer]")[event.key - 1]?.focus({ preventScroll: true });
  if (event.key === " ") {
    if (confirms(event)) return event.preventDefault();
    if (game.asking || event.target.closest?.("button:not([data-skip]), input")) return;
  }
  const on = event.key === " " ? skip : KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!on || !(game.data || event.key === "?") || (event.key.startsWith("Arrow") && !game.asking)) return;
  event.preventDefault();
  on();
}
/** Another size of the screen: the board is drawn anew, with the rings of the question that is asked. */
function refit() {
  if (!game.data) return;
  lay();
  show(game.at, true);
  if (!game.asking) return;
  fill($("picks"), ringsOf(game.data.question));
  if (game.picked !== null) pick(game.picked);
}
function listen() {
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  document.addEventListener("keyup", event => { if (confirms(event)) event.preventDefault(); });  // Firefox clicks only now
  $("answers").addEventListener("focusin", event => { const { answer: value } = event.target.dataset; if (value !== undefined) pick(Number(value)); });
  document.addEventListener("pointerover", event => {
    const hit = event.pointerType === "mouse" && event.target.closest?.("[data-answer]");
    if (hit && game.picked !== Number(hit.dataset.answer)) pick(Number(hit.dataset.answer));
  });
  $("speed").onchange = event => { game.speed = Number(event.target.value); if (!game.asking && !isOver()) goOn(); };
  $("always").onchange = () => { if ($("always").checked) askCoach(); };
  for (const screen of [narrow, low]) screen.addEventListener("change", refit);
  addEventListener("hashchange", open);
}
async function open() {
  $("games-text").close();
  for (const what of ["coach", "drill", "record", "review"]) hangUp(`api/play/${what}`);
  clearTimeout(game.timer);
  document.body.classList.add("waiting");
  Object.assign(game, { id: decoded(location.hash.slice(1)), seat: null, since: {}, asking: false, heard: 0, data: null });
  const hash = location.hash.slice(1), isNew = !hash || /^new(&|$)/.test(hash);
  $("setup").hidden = !isNew;
  $("hello").textContent = isNew ? "" : "Setting the table…";
  if (isNew) return void showSetUp(hash, call, at => { location.hash = at.split("#")[1]; });
  if (hash === "drill") return drill(call, alarm);
  const data = await call("state");
  if (!data) return void ($("hello").textContent = "");
  take(data, data.number || data.branch ? data.steps.length : 0);
}
dressBy($("theme"));
listen();
open();
