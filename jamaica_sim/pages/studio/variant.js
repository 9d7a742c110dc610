// The variant: the table, the changed rules, their history, and the address that holds all of it. Nothing of the page.
import { decoded } from "./talk.js";

export const box = { of: "printed", houses: [], rules: new Map(), board: [], cards: [], treasures: [], strategies: [], line_up: [] };
export const variant = { players: 4, edition: "2007", ghost: false, strategies: [], changes: {} };
export const view = { heat: "short", onlyChange: false, pins: [] };  // pins: changes of variants that are compared
const past = [], future = [];
const TOGETHER = 900;  // milliseconds: what is dragged within them is one step of the history
let merged = { key: null, until: 0 };
export let lastChanged = null;  // the name of the rule that was changed last: a refusal is said there

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export const printedValue = name => box.rules.get(name)?.value;
export const valueOf = name => name in variant.changes ? variant.changes[name] : printedValue(name);
export const copy = () => structuredClone({ ...variant });
export const isPrinted = () => !Object.keys(variant.changes).length;
export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;
export const strategyNamed = name => box.strategies.find(strategy => strategy.name === name);

/** What is as in the box is no change. */
export function dropUnchanged() {
  for (const [name, value] of Object.entries(variant.changes)) if (same(value, printedValue(name))) delete variant.changes[name];
}
/** Change something; false where nothing differs afterwards. */
export function change(how, key = null) {
  const before = copy(), now = performance.now();
  how(variant);
  dropUnchanged();
  if (same(before, copy())) return false;
  if (!(key && key === merged.key && now < merged.until)) past.push(before);
  if (past.length > 500) past.shift();
  merged = { key, until: now + TOGETHER };
  future.length = 0;
  lastChanged = key;
  return true;
}
export const setRule = (name, value) => change(v => { v.changes[name] = value; }, name);
export const resetRules = names => change(v => { for (const name of names) delete v.changes[name]; });

function go(to, from) {
  if (!from.length) return false;
  to.push(copy());
  Object.assign(variant, from.pop());
  merged.key = lastChanged = null;
  return true;
}
export const undo = () => go(future, past);
export const redo = () => go(past, future);
export function restore(to) {
  return change(v => Object.assign(v, structuredClone(to)));
}

const ghostFor = (players, wanted) => players === 2 || (players < 6 && wanted);
export function setPlayers(players) {
  return change(v => {
    v.ghost = ghostFor(players, v.ghost && v.players !== 2);
    v.players = players;
    v.strategies = Array.from({ length: players }, (_, k) => v.strategies[k] ?? box.line_up[k]);
  });
}

// #players=4&edition=2007&ghost=0&s=balanced,racer&space.6.cost=0 ; then what is looked at: heat=fought&only=1&pin=hand_size%3D4
const textOf = changes => Object.entries(changes).map(([name, value]) => `${name}=${[value].flat().join(",")}`);
export function tableAddress() {
  return [`players=${variant.players}`, `edition=${variant.edition}`, `ghost=${Number(variant.ghost)}`, `s=${variant.strategies.join(",")}`, ...textOf(variant.changes)].join("&");
}
export function address() {
  const looks = [view.heat === "short" ? "" : `heat=${view.heat}`, view.onlyChange ? "only=1" : "", ...view.pins.map(changes => `pin=${encodeURIComponent(textOf(changes).join("&"))}`)];
  return [tableAddress(), ...looks.filter(Boolean)].join("&");
}

function changesIn(parts) {
  const found = {};
  for (const [name, text] of parts) if (box.rules.has(name) || name.startsWith("house.")) found[name] = parse(name, text);
  for (const name of Object.keys(found)) if ((name.startsWith("house.") && !found.house_rules) || same(found[name], printedValue(name))) delete found[name];
  return found;
}
const pairs = text => text.split("&").filter(Boolean).map(part => { const cut = part.indexOf("="); return [part.slice(0, cut), part.slice(cut + 1)]; });

/** The board that an address names. */
export const boardIn = text => decoded(pairs(text).findLast(([name]) => name === "board")?.[1] ?? "printed");
/** Take table, changes and looks from an address; what it does not say is as usual, what nobody knows is left out. */
export function readAddress(text) {
  const parts = pairs(text).map(([name, value]) => [decoded(name), decoded(value)]), last = new Map(parts);
  const players = Math.min(6, Math.max(2, Math.round(Number(last.get("players"))) || 4));
  const seats = (last.get("s") ?? "").split(",").map(name => strategyNamed(name) ? name : null);
  Object.assign(variant, {
    players, edition: last.get("edition") === "2021" ? "2021" : "2007", ghost: ghostFor(players, last.get("ghost") === "1"),
    strategies: Array.from({ length: players }, (_, k) => seats[k] ?? (last.has("s") && seats[0] ? seats[k % seats.length] ?? box.line_up[k] : box.line_up[k])),
    changes: changesIn(parts),
  });
  Object.assign(view, {
    heat: ["short", "fought", "landed", ""].includes(last.get("heat")) ? last.get("heat") : "short", onlyChange: last.get("only") === "1",
    pins: parts.filter(([name]) => name === "pin").map(([, changes]) => changesIn(pairs(changes))).slice(0, 2),
  });
}
function parse(name, text) {
  const one = word => word === "true" ? true : word === "false" ? false : /^-?\d{1,6}$/.test(word) ? Number(word) : word;
  return Array.isArray(printedValue(name)) || /^\d+(,\d+)+$/.test(text) ? text.split(",").map(one) : one(text);  // goods may be by seat
}
