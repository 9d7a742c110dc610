// The editor beside whatever was clicked: a space, the face of a die, a treasure, a card, a list. And the shelf of the box.
import { chart, KIND_SHAPES } from "../shared/board.js";
import { fill, html } from "../shared/markup.js";
import { $, card, die, icon, plus, SHORTAGE_SIGNS, signed } from "../shared/pictures.js";
import { ORDINALS } from "../game/figures.js";
import { labelOf, printedWord, spaceTitle, treasureTitle } from "./rules.js";
import { scene } from "../shared/scene.js";
import { box, printedValue, same, valueIn, variant } from "./variant.js";

export const open = { what: null, from: null };  // "space.6", "die.action_die.2", "treasure.plus_7", "card.3", "list.bank"; and who opened it
const SYMBOLS = ["gold", "food", "gunpowder", "forward", "backward"];
const KINDS = ["sea", "port", "lair"];
const PARTS = { ghost_gold: ["first hold", "second hold"], bank: ["doubloons", "food", "gunpowder"] };
const COMBAT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, "star"], ACTION = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const narrowScreen = matchMedia("(max-width: 820px)");
const capital = text => text[0].toUpperCase() + text.slice(1);
const isChanged = name => name in variant.changes;

// ---- the shelf: everything else that is in the box ----
const treasureKeys = () => [...new Set([...box.rules.keys()].filter(name => name.startsWith("treasure.")).map(name => name.split(".")[1]))];
const symbolsOf = n => (valueIn(`card.${n}`) ?? "forward/forward").split("/");
const faceOf = (name, face) => die(face, name === "action_die" ? "" : "combat", name === "shortage_die" ? SHORTAGE_SIGNS[face][0] : null);
function faces(name) {
  const values = valueIn(name), printed = printedValue(name);
  return html`<div class="faces">${values.map((value, i) => html`<button type="button" class="face ${same(printed[i], value) ? "" : "is-changed"}" data-open="die.${name}.${i}" aria-label="${labelOf(name)}, face ${i + 1}: ${value}">${faceOf(name, value)}</button>`)}${name === "shortage_die" || values.length > 11 ? "" : html`<button type="button" class="add-face" data-add="${name}" aria-label="Add a face to the ${labelOf(name)}">+</button>`}</div>`;
}
function treasureChip(key) {
  const copies = valueIn(`treasure.${key}.copies`), value = valueIn(`treasure.${key}.value`), power = value === undefined;
  const marks = [power ? "power" : value < 0 ? "cursed" : "", copies ? "" : "gone", isChanged(`treasure.${key}.copies`) || isChanged(`treasure.${key}.value`) ? "is-changed" : ""];
  return html`<button type="button" class="chip ${marks.join(" ")}" data-open="treasure.${key}" aria-label="${treasureTitle(key)}: ${copies} in the game">${power ? treasureTitle(key) : [icon("chest"), plus(value)]}${copies > 1 ? html`<small>×${copies}</small>` : ""}</button>`;
}
export function drawShelf() {
  const cards = scene.box.cards.map((_, n) => html`<button type="button" class="slot-card ${isChanged(`card.${n}`) ? "is-changed" : ""}" data-open="card.${n}" aria-label="${capital(labelOf(`card.${n}`))}: morning ${symbolsOf(n)[0]}, evening ${symbolsOf(n)[1]}">${card(n)}</button>`);
  fill($("shelf"), html`<div class="line"><h3>Dice</h3>${faces("action_die")}<h3>Combat</h3>${faces("combat_die")}</div>
    ${variant.edition === "2021" ? html`<div class="line"><h3>Shortage</h3>${faces("shortage_die")}<span class="sub">the combat die’s faces when a ship runs short</span></div>` : ""}
    <div class="line"><h3>Treasures</h3><div class="chips">${treasureKeys().map(treasureChip)}</div></div>
    <div class="line"><h3>Deck</h3><div class="deck-cards">${cards}</div></div>`);
}

// ---- the editor ----
const head = (title, names) => { const changed = names.filter(isChanged); return html`<div class="head"><h3>${title}</h3>${changed.length ? html`<button type="button" class="link" data-reset="${changed.join(" ")}">as ${printedWord(names[0])}</button>` : ""}<button type="button" class="close" data-close aria-label="Close">×</button></div>`; };
const was = (name, value, printed) => html`<span class="sub">${same(value, printed) ? `as ${printedWord(name)}` : `${printedWord(name)} ${signed(printed)}`}</span>`;
function stepper(name, low, high, word, sign = "") {
  const value = valueIn(name), button = (by, text, off) => html`<button type="button" data-by="${by}" data-name="${name}" data-low="${low}" data-high="${high}" aria-label="${by < 0 ? "less" : "more"} ${word}" ${off ? "disabled" : ""}>${text}</button>`;
  return html`<div class="stepper"><span class="lead">${word}</span>${button(-1, "−", value <= low)}<output aria-live="polite">${signed(value)}${sign}</output>${button(1, "+", value >= high)}${was(name, value, printedValue(name))}</div>`;
}
function choice(name, options, now, draw, { index = null, valueFor = option => option, word = labelOf(name) } = {}) {
  return html`<div class="choices" role="radiogroup" aria-label="${word}">${options.map(option => html`<button type="button" role="radio" aria-checked="${option === now}" aria-label="${option}" title="${option}" data-set="${name}" data-value="${valueFor(option)}" ${index === null ? "" : html`data-index="${index}"`}>${draw(option)}</button>`)}</div>`;
}

const EDITORS = {
  space(n) {
    const number = Number(n), space = scene.box.board[number], name = what => `space.${n}.${what}`, onward = html`<div class="stepper"><label class="lead" for="onward">leads to</label><input id="onward" data-text="${name("next")}" value="${space.next.join("/")}" size="6" inputmode="numeric" autocomplete="off"><span class="sub">${space.next.length > 1 ? "a fork: two lanes" : "7/13: a fork"}</span></div>`;
    return html`${head(capital(spaceTitle(space, number)), ["cost", "score", "kind", "next"].map(name))}
      ${number ? choice(name("kind"), KINDS, space.kind, kind => html`<svg viewBox="-16 -16 32 32" aria-hidden="true">${KIND_SHAPES[kind](11, "")}</svg>${kind}`) : ""}
      ${number && space.kind !== "lair" ? stepper(name("cost"), 0, 10, "cost", icon(space.kind === "port" ? "gold" : "food")) : ""}
      ${number && isChanged(`${space.kind}s.dearer`) ? html`<p class="sub">With “${labelOf(`${space.kind}s.dearer`)} ${signed(valueIn(`${space.kind}s.dearer`))}” it is ${space.cost}.</p>` : ""}
      ${stepper(name("score"), -20, 40, "points")}${onward}<dl class="here" id="here" aria-label="Here, per game"></dl>`;
  },
  die(name, index) {
    const i = Number(index), values = valueIn(name), options = name === "shortage_die" ? Object.keys(SHORTAGE_SIGNS) : name === "combat_die" ? COMBAT : ACTION;
    return html`${head(`${capital(labelOf(name))}, face ${i + 1}`, [name])}${choice(name, options, values[i], face => [faceOf(name, face), name === "shortage_die" ? html`<span>${SHORTAGE_SIGNS[face][1]}</span>` : ""], { index: i })}
      ${name === "shortage_die" ? "" : html`<button type="button" class="link" data-remove="${name}" data-index="${i}" ${values.length < 3 ? "disabled" : ""}>take this face away</button>`}`;
  },
  treasure(key) {
    const copies = `treasure.${key}.copies`, value = `treasure.${key}.value`, most = box.rules.get(copies).high;
    return html`${head(treasureTitle(key), [copies, value])}${stepper(copies, 0, most, "cards")}${box.rules.has(value) ? stepper(value, -20, 20, "points") : ""}<p class="sub">${box.rules.has(value) ? "The points count at the end." : "A power works for the ship that has it."}</p>`;
  },
  card(n) {
    const name = `card.${n}`, [morning, evening] = symbolsOf(n);
    const row = (when, now, valueFor) => html`<span class="lead">${icon(when === "morning" ? "sun" : "moon")} ${when}</span>${choice(name, SYMBOLS, now, symbol => icon(symbol), { valueFor, word: when })}`;
    return html`${head(capital(labelOf(name)), [name])}${row("morning", morning, symbol => `${symbol}/${evening}`)}${row("evening", evening, symbol => `${morning}/${symbol}`)}<p class="sub">Every player’s deck has this card.</p>`;
  },
  list(name) {
    const { low, high, by_seat } = box.rules.get(name), each = value => Array.isArray(value) ? value : Array(variant.players).fill(value), values = each(valueIn(name)), by = high > 20 && !by_seat ? 5 : 1;
    const part = (word, i) => { const to = step => Math.min(high, Math.max(low, values[i] + step)), button = (step, text) => html`<button type="button" data-set="${name}" data-index="${i}" data-value="${to(step)}" aria-label="${step < 0 ? "less" : "more"} ${word}" ${to(step) === values[i] ? "disabled" : ""}>${text}</button>`; return html`<div class="stepper wide-lead"><span class="lead">${word}</span>${button(-by, "−")}<output>${values[i]}</output>${button(by, "+")}${was(name, values[i], each(printedValue(name))[i])}</div>`; };
    return [head(capital(labelOf(name)), [name]), (PARTS[name] ?? values.map((_, i) => by_seat ? ORDINALS[i] : `number ${i + 1}`)).map(part)];
  },
};

/* What happens on a space in a game, yours beside the base's. */
function hereFigures(n, spaces) {
  const figure = (key, word) => { const [before, now] = spaces[key].map(row => row[n] ?? 0); return html`<div><dt>${word}</dt><dd>${now.toFixed(2)}<small>${Math.abs(before - now) >= .005 ? `was ${before.toFixed(2)}` : "a game"}</small></dd></div>`; };
  return [figure("landed", "landings"), n ? [figure("short", "shortages"), figure("fought", "battles")] : ""];
}

/** Draw the editor, if it is open; `spaces` are the maps of the last figures. */
export function drawEditor(spaces, refusal = null) {
  const panel = $("editor");
  panel.hidden = !open.what;
  if (!open.what) return;
  const [room, which, index] = open.what.split("."), hadFocus = panel.contains(document.activeElement);
  if (room === "space" && !scene.box.board[which]) { open.what = null; panel.hidden = true; return; }
  fill(panel, [EDITORS[room](which, index), refusal ? html`<p class="wrong">${refusal} <button type="button" class="link" data-undo>Undo</button></p>` : ""]);
  if (hadFocus && !panel.contains(document.activeElement)) panel.querySelector("button:enabled").focus({ preventScroll: true });  // a stepper at its end
  if (room === "space" && spaces) fill($("here"), hereFigures(Number(which), spaces));
  place(panel, room, which);
}

/** What the editor was opened from, also where it has been drawn anew. */
export const opener = () => open.from?.isConnected ? open.from : $("shelf").querySelector(`[data-open="${open.what}"]`);
/* Beside the thing itself, inside the window, never over it. On a narrow screen it is a sheet at the bottom. */
function place(panel, room, which) {
  panel.style.left = panel.style.top = "";
  if (narrowScreen.matches) return;
  const sheet = $("board").getBoundingClientRect(), { width, height } = panel.getBoundingClientRect(), gap = 10;
  let left, top;
  if (room === "space") {
    const scale = sheet.width / chart.width, [x, y] = chart.at[which].map(v => v * scale), reach = 40 * scale + gap;
    left = sheet.left + x + reach;
    if (left + width > sheet.right) left = sheet.left + x - reach - width;  // over the sea, never over the answers
    top = Math.min(sheet.top + y - 30, sheet.bottom - height - 8);
  } else {
    const spot = (opener() ?? $("shelf")).getBoundingClientRect();
    left = (spot.left + spot.right - width) / 2;
    top = spot.top - height - gap;
    if (top < 8) top = spot.bottom + gap;
  }
  panel.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, left))}px`;
  panel.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, top))}px`;
}
