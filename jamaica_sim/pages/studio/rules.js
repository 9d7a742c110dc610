// The left side: the table, what is changed, and every rule by theme with its control.
import { fill, html } from "../shared/markup.js";
import { $, glyph, signed, titleOf } from "../shared/pictures.js";
import { refusalOf } from "../engine/answers.js";
import { box, isPrinted, lastChanged, printedValue, same, valueIn, variant } from "./variant.js";

const THEMES = [
  ["At the start", ["start_food", "start_gold", "start_gunpowder", "holds", "start_score"]],
  ["Cards and dice", ["hand_size", "map_hand_size", "action_die", "early_reshuffle"]],
  ["The whole board", ["ports.dearer", "seas.dearer", "red_line", "free_split"]],
  ["Battles", ["combat_die", "lady_beth_bonus", "steal_known", "give_any_treasure"]],
  ["Shortages", ["shortage_die"]],
  ["Treasures", ["treasure_pile"]],
  ["The ghost ship", ["ghost_gold", "ghost_takes_cursed_only"]],
  ["The bank and the end", ["limited_bank", "bank", "round_cap"]],
];
const LABELS = {  // where the product's meaning is too long for a label; its title has all of it
  board: "board", holds: "holds of a ship", start_score: "points at the start", map_hand_size: "cards in a hand with Morgan’s Map", early_reshuffle: "shuffle as soon as the deck runs out",
  "ports.dearer": "all ports dearer by", "seas.dearer": "all seas dearer by", red_line: "red line before space", lady_beth_bonus: "Lady Beth adds", steal_known: "a thief may choose a card it knows", give_any_treasure: "any treasure may be given", free_split: "costs may be split over holds",
  shortage_die: "shortage die", combat_die: "combat die", action_die: "action die", treasure_pile: "treasures in the pile", ghost_gold: "the ghost’s doubloons at the start",
  ghost_takes_cursed_only: "the ghost takes cursed cards only", limited_bank: "the bank is limited", bank: "goods in the box", round_cap: "most rounds",
};
const USEFUL = { start_score: [-15, 5], round_cap: [5, 100], lady_beth_bonus: [0, 10], red_line: [20, 49] };  // the part of a wide range that a slider has; steppers reach the rest
const TREASURES = { morgans_map: "Morgan’s Map", sarans_sabre: "Saran’s Sabre", lady_beth: "Lady Beth", sixth_hold: "6th Hold" };
const MOST_FOUND = 14;
const HIDDEN = ["board", "house_rules"];  // they have no control in the list

export const treasureTitle = key => TREASURES[key] ?? key.replace("plus_", "+").replace("minus_", "−");
export const spaceTitle = (space, n) => n ? `${space.kind} ${n}` : "Port Royal";
export function labelOf(name) {
  if (LABELS[name]) return LABELS[name];
  const [room, which, what] = name.split(".");
  if (room === "space") return `${box.board[which] ? spaceTitle(box.board[which], Number(which)) : `space ${which}`}, ${what === "score" ? "points" : what}`;
  if (room === "treasure") return `${treasureTitle(which)}, ${what === "value" ? "points" : "cards"}`;
  if (room === "card") return printedValue(name) === null ? `card ${Number(which) + 1}` : `card ${printedValue(name)}`;
  return (box.rules.get(name)?.meaning ?? name.replace(/_/g, " ")).split(/[;(]/)[0];
}
/** What a value is beside: that of the printed rules, or of one's own board. */
export const printedWord = name => name.startsWith("space.") && box.of !== "printed" ? "on the board" : "printed";
export function shownValue(value) {
  if (value === null || value === undefined) return "—";
  if (Array.isArray(value)) return value.map(part => part === "star" ? "★" : part).join(" ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? signed(value) : String(value).replace(/^([^:]+):.*/, "$1");  // of a board its name
}
const idOf = name => `rule-${name.replace(/\./g, "-")}`;
const hasRange = rule => rule.low !== undefined && !Array.isArray(rule.value);
export const hasCurve = name => box.rules.has(name) && hasRange(box.rules.get(name));
export const limits = name => { const { low, high } = box.rules.get(name); return [low, high]; };
export function sliderRange(name) {
  const [low, high] = limits(name), [from, to] = USEFUL[name] ?? [low, high];
  return [Math.max(low, Math.min(from, high - 1)), Math.min(high, to)];
}

export function drawTable() {
  const press = (on, data, text, off = false) => html`<button type="button" ${data} aria-pressed="${on}" ${off ? "disabled" : ""}>${text}</button>`;
  const group = (word, buttons) => html`<span class="lead">${word}</span><div class="switch" role="group" aria-label="${word}">${buttons}</div>`;
  const names = box.strategies.map(({ name, slow }) => [name, `${name.replace(/_/g, " ")}${slow ? " (searches: slow)" : ""}`]);
  const seats = variant.strategies.map((mine, k) => html`<li><b class="seat-number">${k + 1}</b>${glyph(k)}<label class="unseen" for="seat-${k}">${titleOf(k)} plays</label><select id="seat-${k}" data-seat="${k}" title="${box.strategies.find(s => s.name === mine)?.description ?? ""}">${names.map(([name, words]) => html`<option value="${name}" ${name === mine ? "selected" : ""}>${words}</option>`)}</select></li>`);
  const slow = variant.strategies.some(name => box.strategies.find(s => s.name === name)?.slow);
  fill($("table"), html`<div class="settings">${group("players", [2, 3, 4, 5, 6].map(n => press(n === variant.players, html`data-players="${n}"`, n)))}
    ${group("edition", ["2007", "2021"].map(e => press(e === variant.edition, html`data-edition="${e}"`, e)))}
    ${group("ghost ship", [false, true].map(on => press(on === variant.ghost, html`data-ghost="${Number(on)}"`, on ? "sails" : "none", on ? variant.players === 6 : variant.players === 2)))}</div>
    <ul class="seats">${seats}</ul>${slow ? html`<p class="sub note">A strategy that searches plays about a hundred games a second: answers take minutes.</p>` : ""}`);
}

/** House rules: which of those that the studio has, and their parameters. */
export function drawHouse() {
  const mine = valueIn("house_rules"), chosen = box.houses.find(house => house.name === mine), names = ["none", ...box.houses.map(house => house.name)];
  $("house").hidden = !box.houses.length;
  fill($("house"), html`<div class="settings"><label class="lead" for="house-rules">house rules</label><select id="house-rules" data-house>${names.map(name => html`<option value="${name}">${name.replace(/_/g, " ")}</option>`)}</select></div>${chosen ? html`<p class="sub note">${chosen.description}</p><ul class="found">${chosen.parameters.map(({ name }) => control(name))}</ul>` : ""}`);
  $("house-rules").value = mine;
  for (const row of $("house").querySelectorAll("[data-row]")) dress(row);
}
/** The parameters of the chosen house rules are rules like any other. */
export function useHouse() {
  for (const name of [...box.rules.keys()]) if (name.startsWith("house.")) box.rules.delete(name);
  box.rules.set("house_rules", { name: "house_rules", value: "none", allowed: "a name", clause: "", meaning: "house rules" });
  const chosen = box.houses.find(house => house.name === variant.changes.house_rules);
  for (const one of chosen?.parameters ?? []) box.rules.set(one.name, { ...one, allowed: `${one.low} to ${one.high}`, clause: chosen.name, meaning: one.name.slice(6).replace(/_/g, " ") });
}

/* What follows from a change without being one: label, printed value, value. */
function followers() {
  const { changes } = variant, name = "map_hand_size", found = [];
  if ("hand_size" in changes && valueIn(name) === null) found.push([labelOf(name), printedValue("hand_size") + 1, changes.hand_size + 1]);
  for (const [space, kind] of Object.entries(changes)) {
    const cost = space.replace(/kind$/, "cost");
    if (space.endsWith(".kind") && kind === "lair" && printedValue(cost)) found.push([labelOf(cost), printedValue(cost), "none"]);
  }
  return found;
}
/** The changed rules, then what follows from them; a refusal is said at the one that caused it. */
export function drawChanged(refusal) {
  const names = Object.keys(variant.changes), at = names.includes(lastChanged) ? lastChanged : names.find(name => refusal?.includes(name)) ?? names.at(-1);
  $("changed-panel").hidden = isPrinted() && !refusal;
  const wrong = html`<p class="wrong" role="alert">${refusal ?? ""} <button type="button" class="link" data-undo>Undo</button></p>`;
  fill($("changed"), [names.map(name => html`<li class="${refusal && name === at ? "bad" : ""}"><button type="button" class="link what" data-show="${name}" title="${name}">${name.startsWith("card.") ? "card" : labelOf(name)}</button><span class="from">${shownValue(printedValue(name))}</span><span aria-hidden="true">→</span><b>${shownValue(variant.changes[name])}</b><button type="button" class="reset" data-reset="${name}" aria-label="Reset ${labelOf(name)}" title="as printed">×</button>${refusal && name === at ? wrong : ""}</li>`), followers().map(([label, from, to]) => html`<li class="follows"><span class="what">${label}</span><span class="from">${from}</span><span aria-hidden="true">→</span><b>${to}</b> <small>follows</small></li>`), refusal && !names.length ? html`<li>${wrong}</li>` : ""]);
}

/* One rule with its control, without its value: `dress` puts that in, so that nothing is replaced while it is dragged. */
function control(name) {
  const rule = box.rules.get(name), id = idOf(name), title = `${name}: ${rule.meaning} (${rule.clause}); ${rule.allowed}`;
  const label = html`<label for="${id}" title="${title}">${labelOf(name)} <code>${name}</code></label>`;
  const curve = html`<button type="button" class="curve" data-curve="${name}" aria-label="All values of: ${labelOf(name)}" title="Play all values of this rule"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1 14C6 14 7 3 15 2"/></svg></button>`;
  if (rule.flag) return html`<li class="rule flag" data-row="${name}">${label}<input type="checkbox" id="${id}" data-rule="${name}"></li>`;
  if (!hasRange(rule)) return html`<li class="rule list" data-row="${name}">${label}<button type="button" class="quiet small" data-open="${openerOf(name)}" id="${id}"></button></li>`;
  const [low, high] = sliderRange(name);
  return html`<li class="rule number" data-row="${name}">${label}${curve}<output for="${id}"></output>
    <span class="slide"><button type="button" data-by="-1" data-name="${name}" aria-label="one less" tabindex="-1">−</button><span class="track"><input type="range" id="${id}" data-rule="${name}" min="${low}" max="${high}"><i aria-hidden="true"></i></span><button type="button" data-by="1" data-name="${name}" aria-label="one more" tabindex="-1">+</button></span>${rule.by_seat ? html`<button type="button" class="link by-seat" data-open="list.${name}">by seat</button>` : ""}</li>`;
}
/** What opens the editor of a rule that has no slider. */
export function openerOf(name) {
  const [room, which] = name.split(".");
  if (["space", "treasure", "card"].includes(room)) return `${room}.${which}`;
  return name.endsWith("_die") ? `die.${name}.0` : `list.${name}`;
}

/** Why a rule cannot have a value at this table, in the words of the page; nothing where it can. */
export const refusalAt = (name, value) => inPageWords(refusalOf(variant, { ...variant.changes, [name]: value }));
/** A refusal of the command line with the labels of the page in place of the names of rules. */
export function inPageWords(text) {
  return text.replace(/[a-z]\w*_\w+(?:\.\w+)*|[a-z]\w*(?:\.\w+)+|\bholds\b(?==)/g, name => { const known = [name, `${name}.copies`].find(one => box.rules.has(one)); return known ? `“${labelOf(known)}”` : name; }).replace(/”=(\S+?)([.,;]?(?:\s|$))/g, "” $1$2");
}
/* From where to where a rule can be played now, within a slider's range; all of it where the rules are refused as they are. */
function playableRange(name, low, high, value) {
  if (refusalOf(variant, variant.changes)) return [low, high];
  while (low < value && refusalAt(name, low)) low++;
  while (high > value && refusalAt(name, high)) high--;
  return [low, high];
}
/* The values; the notch on a slider is the printed one. */
function dress(row) {
  const name = row.dataset.row, rule = box.rules.get(name), value = valueIn(name);
  row.classList.toggle("is-changed", !same(value, printedValue(name)));
  if (rule.flag) return void (row.querySelector("input").checked = value);
  if (row.classList.contains("list")) return void (row.querySelector("button").textContent = shownValue(value));
  const [less, more] = row.querySelectorAll(".slide > button"), range = row.querySelector("input"), [least, most] = limits(name);
  const bySeat = Array.isArray(value), shown = bySeat ? Math.max(...value) : value ?? valueIn("hand_size") + 1, printed = rule.value ?? printedValue("hand_size") + 1;
  const [low, high] = bySeat ? sliderRange(name) : playableRange(name, ...sliderRange(name), shown), part = v => (Math.min(high, Math.max(low, v)) - low) / (high - low || 1);
  Object.assign(range, { min: low, max: high });
  row.querySelector("output").textContent = bySeat ? shownValue(value) : `${name.endsWith("dearer") && shown > 0 ? "+" : ""}${signed(shown)}`;
  row.querySelector(".slide").style.cssText = `--part:${part(shown)};--printed:${part(printed)}`;
  if (Number(range.value) !== shown) range.value = shown;
  range.setAttribute("aria-valuetext", `${bySeat ? `by seat ${shownValue(value)}` : signed(shown)}, printed ${signed(printed)}`);
  for (const [button, by, isEnd] of [[less, -1, (bySeat ? Math.min(...value) : shown) <= least], [more, 1, shown >= most]]) {
    const refusal = isEnd || bySeat ? "" : refusalAt(name, shown + by);
    button.disabled = isEnd || !!refusal && !refusalOf(variant, variant.changes);
    button.title = refusal;
  }
}

const openThemes = new Set(["At the start", "Cards and dice", "The whole board"]);
export const toggleTheme = (name, on) => openThemes[on ? "add" : "delete"](name);
function themes() {
  const known = new Set(THEMES.flatMap(([, names]) => names));
  const others = [...box.rules.keys()].filter(name => !known.has(name) && !name.includes(".") && !HIDDEN.includes(name));
  return [...THEMES, ["More rules", others]].filter(([title, names]) => names.length && (title !== "The ghost ship" || variant.ghost) && (title !== "Shortages" || variant.edition === "2021"));
}
const words = name => `${labelOf(name)} ${name} ${box.rules.get(name).meaning}`.toLowerCase();

export function drawRules() {
  const wanted = $("find").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length) {
    const found = [...box.rules.keys()].filter(name => !HIDDEN.includes(name) && wanted.every(word => words(name).includes(word)));
    fill($("rules"), found.length ? html`<ul class="found">${found.slice(0, MOST_FOUND).map(control)}</ul>${found.length > MOST_FOUND ? html`<p class="sub note">and ${found.length - MOST_FOUND} more</p>` : ""}` : html`<p class="sub note">No rule has these words. Try “cost”, “gold” or “hand”.</p>`);
  } else fill($("rules"), themes().map(([title, names]) => html`<details data-theme-name="${title}" ${openThemes.has(title) ? "open" : ""}><summary>${title} <i class="dot"></i></summary><ul>${names.filter(name => box.rules.has(name)).map(control)}</ul></details>`));
  for (const row of $("rules").querySelectorAll("[data-row]")) dress(row);
  for (const theme of $("rules").querySelectorAll("details")) theme.querySelector(".dot").hidden = !theme.querySelector(".is-changed");
}
/** Bring a rule into sight and give it the focus. */
export function showRule(name) {
  $("find").value = "";
  const theme = themes().find(([, names]) => names.includes(name));
  if (theme) toggleTheme(theme[0], true);
  else $("find").value = name;
  drawRules();
  const control = $(idOf(name));
  control?.closest("details")?.setAttribute("open", "");
  control?.focus();
}
