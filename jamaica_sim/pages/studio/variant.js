// The variant: the table, the changed rules, their history, and the address that holds all of it. Nothing of the page.
import { MOST_MEASURES } from "../game/sums.js";
import { decoded } from "../shared/talk.js";

export const box = { of: "printed", houses: [], rules: new Map(), board: [], cards: [], treasures: [], strategies: [], line_up: [] };
export const variant = { players: 4, edition: "2007", ghost: false, strategies: [], changes: {}, measures: {} };
export const view = { heat: "short", onlyChange: false, pins: [], dropped: [] };  // pins: changes of variants that are compared; dropped: names in the address that do not fit the box
const TABLE = ["players", "edition", "ghost", "s", "heat", "only", "pin", "measure"];  // parts of an address that are no changes
const FACES = [2, 12];  // of a die
const past = [], future = [];
const TOGETHER = 900;  // milliseconds: what is dragged within them is one step of the history
let merged = { key: null, until: 0 };
export let lastChanged = null;  // the name of the rule that was changed last: a refusal is said there

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export const printedValue = name => box.rules.get(name)?.value;
export const valueIn = name => name in variant.changes ? variant.changes[name] : printedValue(name);
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
    for (const [name, value] of Object.entries(v.changes)) if (box.rules.get(name)?.by_seat && Array.isArray(value)) v.changes[name] = v.strategies.map((_, k) => value[k] ?? value.at(-1));
  });
}

// #players=4&edition=2007&ghost=0&s=balanced,racer&space.6.cost=0 ; then what is looked at: heat=fought&only=1&pin=hand_size%3D4
const textOf = changes => Object.entries(changes).map(([name, value]) => `${name}=${[value].flat().join(",")}`);
export function tableAddress() {
  return [`players=${variant.players}`, `edition=${variant.edition}`, `ghost=${Number(variant.ghost)}`, `s=${variant.strategies.join(",")}`, ...textOf(variant.changes)].join("&");
}
export function address() {
  const looks = [view.heat === "short" ? "" : `heat=${view.heat}`, view.onlyChange ? "only=1" : "", ...Object.entries(variant.measures).map(([name, text]) => `measure=${encodeURIComponent(`${name}=${text}`)}`), ...view.pins.map(changes => `pin=${encodeURIComponent(textOf(changes).join("&"))}`)];
  return [tableAddress(), ...looks.filter(Boolean)].join("&");
}

/* The changes that fit the box. House rules come with rules of their own. */
function changesIn(parts, players) {
  const found = {}, house = box.houses.find(({ name }) => name === new Map(parts).get("house_rules"));
  const rules = new Map([...[...box.rules].filter(([name]) => !name.startsWith("house.")), ...(house?.parameters ?? []).map(one => [one.name, one])]);
  for (const [name, text] of parts) {
    const rule = rules.get(name), value = rule && parse(rule, text);
    if (rule && fits(rule, value, players)) found[name] = value;
    else if (!TABLE.includes(name)) view.dropped.push(name);
  }
  for (const name of Object.keys(found)) if (same(found[name], rules.get(name).value)) delete found[name];
  return found;
}
/* Whether a value is of the rule's kind and within its range. What only other rules forbid is refused by the page when it plays. */
function fits(rule, value, players) {
  const one = part => rule.form ? new RegExp(`^(?:${rule.form})$`).test(part) : Number.isInteger(part) && part >= rule.low && part <= rule.high;
  if (rule.name === "board") return typeof value === "string";  // the server reads it
  if (rule.name === "house_rules") return value === "none" || box.houses.some(({ name }) => name === value);
  if (rule.flag) return typeof value === "boolean";
  if (!Array.isArray(value)) return !Array.isArray(rule.value) && one(value);
  const [least, most] = rule.counts ?? (rule.by_seat ? [players, players] : FACES);
  return (Array.isArray(rule.value) || !!rule.by_seat) && value.length >= least && value.length <= most && value.every(one);
}
const pairs = text => text.split("&").filter(Boolean).map(part => { const cut = part.indexOf("="); return [part.slice(0, cut), part.slice(cut + 1)]; });

/** The board that an address names. */
export const boardIn = text => decoded(pairs(text).findLast(([name]) => name === "board")?.[1] ?? "printed");
/** Take table, changes and looks from an address; what it does not say is as usual, what nobody knows is left out. */
export function readAddress(text) {
  const parts = pairs(text).map(([name, value]) => [decoded(name), decoded(value)]), last = new Map(parts);
  view.dropped = [];
  const players = Math.min(6, Math.max(2, Math.round(Number(last.get("players"))) || 4));
  const seats = (last.get("s") ?? "").split(",").map(name => strategyNamed(name) ? name : null);
  Object.assign(variant, {
    players, edition: last.get("edition") === "2021" ? "2021" : "2007", ghost: ghostFor(players, last.get("ghost") === "1"),
    strategies: Array.from({ length: players }, (_, k) => seats[k] ?? (last.has("s") && seats[0] ? seats[k % seats.length] ?? box.line_up[k] : box.line_up[k])),
    changes: changesIn(parts, players),
    measures: Object.fromEntries(parts.filter(([name]) => name === "measure").map(([, text]) => measureIn(text)).filter(Boolean).slice(0, MOST_MEASURES)),
  });
  Object.assign(view, {
    heat: ["short", "fought", "landed", ""].includes(last.get("heat")) ? last.get("heat") : "short", onlyChange: last.get("only") === "1",
    pins: parts.filter(([name]) => name === "pin").map(([, changes]) => changesIn(pairs(changes), players)).slice(0, 2),
  });
}
/** The name and the text of a measure of one's own; nothing where it is none. */
export function measureIn(text) {
  const found = /^\s*([A-Za-z][A-Za-z0-9_]{0,39})\s*=(?!=)\s*(.{1,1000}?)\s*$/.exec(text);
  return found && [found[1], found[2]];
}
function parse(rule, text) {
  const one = word => word === "true" ? true : word === "false" ? false : /^-?\d{1,6}$/.test(word) ? Number(word) : word;
  if (rule.name === "board") return text;
  return Array.isArray(rule.value) || /^\d+(,\d+)+$/.test(text) ? text.split(",").map(one) : one(text);  // goods may be by seat
}
