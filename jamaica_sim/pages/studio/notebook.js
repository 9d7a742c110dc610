// The notebook: the variants that were tried, with name, note and figures. It is kept in the browser's store and, where
// the server has a file for it, there; both are read when the page opens, and other tabs are heard.
import { ask } from "../shared/talk.js";
import { labelOf, shownValue } from "./rules.js";
import { same } from "./variant.js";

const PLACE = "jamaica-notebook";
const MOST = 100, MOST_UNNAMED = 24;
const PAUSE = 1500;  // milliseconds between two writings, while figures come in
export const tried = [];  // {key, title, text, table, rows, games, name, note}, the newest first
const wait = { timer: 0, keys: new Set() };
let hasFile = false, lost = () => {};

const sorted = changes => Object.fromEntries(Object.entries(changes).sort(([a], [b]) => a < b ? -1 : 1));
/** What tells questions apart, in whatever order their rules were changed. */
export const keyOf = ({ players, edition, ghost, strategies, changes, base }) => JSON.stringify({ players, edition, ghost, strategies, changes: sorted(changes), base: base && sorted(base) });
const isEntry = one => typeof one?.key === "string" && typeof one.title === "string" && Array.isArray(one.rows) && Array.isArray(one.table?.strategies) && !!one.table.changes && Number.isFinite(one.games);

function fromStore() {
  try { return JSON.parse(localStorage.getItem(PLACE)) ?? []; } catch { return []; }
}
/* Take in entries; of two of a variant the one of more games stays, with what was written to it last. */
function takeIn(entries) {
  for (const entry of entries.filter(isEntry)) {
    const at = tried.findIndex(one => one.key === entry.key);
    if (at < 0) tried.push(entry);
    else if (entry.games >= tried[at].games) tried[at] = { ...entry, name: entry.name ?? tried[at].name, note: entry.note ?? tried[at].note };
  }
  let left = MOST_UNNAMED;
  const few = tried.filter(one => one.name || one.note || left-- > 0).slice(0, MOST);
  tried.splice(0, Infinity, ...few);
}
/** Open it: what the page came with, what the store has, what the file has; `redraw` is called where another tab has written. */
export async function openNotebook(given, served, redraw, alarm) {
  lost = alarm;
  takeIn([...fromStore(), ...given]);
  addEventListener("storage", ({ key }) => { if (key === PLACE) { tried.splice(0, Infinity, ...tried.filter(one => wait.keys.has(one.key))); takeIn(fromStore()); redraw(); } });
  if (!served) return;
  const { entries } = await ask("api/notebook", {});
  hasFile = entries !== null;
  if (hasFile) takeIn(entries);
  redraw();
}
function keepSoon(key) {
  wait.keys.add(key);
  wait.timer ||= setTimeout(write, PAUSE);
}
function write() {
  wait.timer = 0;
  const keys = [...wait.keys];
  takeIn(fromStore().filter(({ key }) => !wait.keys.has(key)));  // another tab may have written in the meantime
  wait.keys.clear();
  try { localStorage.setItem(PLACE, JSON.stringify(tried)); } catch { /* a store that is full or forbidden: the page still has them */ }
  if (hasFile) ask("api/notebook", { entries: keys.map(key => tried.find(one => one.key === key) ?? { key, gone: true }) }).catch(error => lost(`The notebook could not be written: ${error.message}`));
}
addEventListener("pagehide", () => { if (wait.timer) write(); });

/** Remember a variant with its figures. */
export function remember(entry) {
  const at = tried.findIndex(one => one.key === entry.key);
  if (at >= 0) tried[at] = { ...tried[at], ...entry };
  else { tried.unshift(entry); takeIn([]); }
  keepSoon(entry.key);
}
/** Write a name and a note to a variant. */
export function annotate(key, words) { Object.assign(tried.find(one => one.key === key) ?? {}, words); keepSoon(key); }
export function forget(key) {
  const at = tried.findIndex(one => one.key === key);
  if (at >= 0) tried.splice(at, 1);
  keepSoon(key);
}

const changesInWords = changes => Object.entries(changes).map(([name, value]) => `${labelOf(name)} ${shownValue(value)}`).join(", ") || "The printed rules";
const tableInWords = ({ players, edition, ghost, strategies }) => `${players} players, ${edition}${ghost ? ", ghost" : ""}, ${strategies.join("/")}`;
/** What a variant is called: no two alike. */
export function nameOf(entry) {
  const short = one => one.name || one.title, long = one => one.name || changesInWords(one.table.changes), alike = how => tried.some(one => one.key !== entry.key && how(one) === how(entry));
  if (!alike(short)) return short(entry);
  return alike(long) ? `${long(entry)} (${tableInWords(entry.table)})` : long(entry);
}
export const titleOfPin = changes => { const found = tried.find(one => same(sorted(one.table.changes), sorted(changes))); return found ? nameOf(found) : changesInWords(changes); };

const cell = value => `"${String(value ?? "").replaceAll('"', '""')}"`;
/** Every figure of every variant, a line each. */
export function notebookAsCsv() {
  const head = ["name", "note", "players", "edition", "ghost", "strategies", "changes", "games", "figure", "value", "printed", "difference", "half_interval", "verdict"];
  const lines = tried.flatMap(one => one.rows.map(row => [nameOf(one), one.note, one.table.players, one.table.edition, one.table.ghost, one.table.strategies.join(" "), Object.entries(one.table.changes).map(([name, value]) => `${name}=${value}`).join(" "), one.games, row.key, row.value, row.base, row.difference, row.half ?? row.own_half, row.state]));
  return [head, ...lines].map(line => line.map(cell).join(",")).join("\r\n");
}
