// The words of an answer: what was changed as a title, and what it does in one sentence of clear figures.
import { SEATS_IN_WORDS } from "./figures.js";
import { AT_ONCE, changedParts } from "./rules.js";
import { FEW } from "./standing.js";

const LEAST_SIZE = 0.01; // standard deviations: a smaller effect is not worth a word
const CLOSE = 2; // points: shares that differ by less are told with a decimal
const SMALL = 9.95; // percent: and so are smaller ones

/** @typedef {import("./rules.js").Box & {words: {powers: Record<string, string>, flags: Record<string, string>,
 *    numbers: Record<string, string>}}} Box */
/** @typedef {import("./rules.js").Changes} Changes */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./figures.js").Row} Row */
/** @typedef {{title: string, text: string, sure: boolean}} Sentence */

export const spaced = (/** @type {string} */ name) => name.replace(/_/g, " ");
const signed = (/** @type {any} */ value) => (typeof value === "number" && value < 0 ? `−${-value}` : String(value));
const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

/** The changes that are any. A space is compared with what the changes of many spaces make of it.
 * @param {Changes} changes @param {Box} box @returns {Changes} */
export function differing(changes, box) {
  const many = Object.fromEntries(Object.entries(changes).filter(([name]) => [...AT_ONCE, "board"].includes(name)));
  const parts = changedParts(box, many);
  const plain = new Map(box.plain.map(({ name, value }) => [name, value]));
  /** @param {string} name @returns {any} */
  const unchanged = (name) => {
    const [room, which, what] = name.split(".");
    if (name === "house_rules") return "none";
    if (plain.has(name)) return plain.get(name);
    if (name === "combat_die") return parts.die.map((face) => face.strength ?? "star");
    if (name === "shortage_die") return parts.die.map((face) => face.shortage_symbol);
    if (room === "space") {
      const space = /** @type {Record<string, any>} */ (parts.board[Number(which)]);
      return what === "next" ? oneOrText(space.next) : space[what];
    }
    if (room === "treasure" && what) {
      const kind = parts.kinds.get(which);
      return what === "copies" ? kind?.copies : kind?.card.value;
    }
    const card = room === "card" && !what && parts.cards[Number(which)];
    return card ? `${card.morning}/${card.evening}` : undefined;
  };
  const any = Object.entries(changes).filter(([name, value]) => {
    return JSON.stringify(unchanged(name)) !== JSON.stringify(value);
  });
  return Object.fromEntries(any);
}
/** @param {number[]} lanes */
const oneOrText = (lanes) => (lanes.length === 1 ? lanes[0] : lanes.join("/"));

/** The changes in words: "Port 6 free and a hand of 4".
 * @param {Changes} changes @param {Rules} rules @param {Box} box */
export function titleOf(changes, rules, box) {
  const names = Object.keys(changes);
  const ofHouse = names.filter((name) => name.startsWith("house."));
  const inBrackets = ofHouse.map((name) => inWords(name, changes[name], rules, box)).join(", ");
  const parts = names
    .filter((name) => !ofHouse.includes(name))
    .map((name) => {
      const words = inWords(name, changes[name], rules, box);
      return name === "house_rules" && inBrackets ? `${words} (${inBrackets})` : words;
    });
  if (!parts.length) return "The printed rules";
  if (parts.length === 1) return capital(parts[0]);
  const more = parts.length - 2;
  if (!more) return capital(`${parts[0]} and ${parts[1]}`);
  return capital(`${parts[0]}, ${parts[1]} and ${more} more change${more > 1 ? "s" : ""}`);
}
/** One change in a few words.
 * @param {string} name @param {any} value @param {Rules} rules @param {Box} box @returns {string} */
export function inWords(name, value, rules, box) {
  const [room, which, what] = name.split(".");
  const { powers, flags, numbers } = box.words;
  if (room === "space") return spaceInWords(Number(which), what, value, rules);
  if (room === "treasure") {
    const card = powers[which] ?? `treasure ${which.replace("plus_", "+").replace("minus_", "−")}`;
    if (what === "value") return `${card} worth ${signed(value)}`;
    return value === 0 ? `no ${card}` : `${value} times ${card}`;
  }
  if (name === "board") return boardInWords(value);
  if (name === "house_rules") return `house rules ${spaced(value).replace(/\.py$/, "")}`;
  if (room === "house") return `${spaced(which)} ${value}`;
  if (room === "card") {
    const printed = box.cards[Number(which)];
    return printed ? `card ${printed.morning}/${printed.evening} turned into ${value}` : `a card ${value}`;
  }
  if (name.endsWith(".dearer")) return `${room} ${Math.abs(value)} ${value > 0 ? "dearer" : "cheaper"}`;
  if (name in numbers) {
    const isNone = value === 0 && ["start_food", "start_gold"].includes(name);
    return numbers[name].replace("{}", isNone ? "no" : Array.isArray(value) ? value.join("/") : signed(value));
  }
  if (typeof value === "boolean") return value ? (flags[name] ?? spaced(name)) : `no ${spaced(name)}`;
  const told = Array.isArray(value) ? value.map((part) => (part === "star" ? "★" : part)).join(" ") : value;
  return `${spaced(name)} ${told}`;
}
/** @param {string} value */
function boardInWords(value) {
  const named = value.match(/^([\w.-]+):/);
  return named ? `board “${named[1]}”` : `a board of ${value.split(/\s+/).length} spaces`;
}
/** @param {number} number @param {string} what @param {any} value @param {Rules} rules */
function spaceInWords(number, what, value, rules) {
  const place = number === 0 ? "Port Royal" : `${rules.board[number].kind} ${number}`;
  if (what === "cost") return value ? `${place} costs ${value}` : `${place} free`;
  if (what === "score") return `${place} worth ${signed(value)}`;
  if (what === "next") return `${place} leads to ${String(value).replace("/", " or ")}`;
  return `space ${number} ${value === "sea" ? "open sea" : `a ${value}`}`;
}

/** A number for a sentence: one decimal, two where it is small. @param {number} value */
const amount = (value) => Math.abs(value).toFixed(Math.abs(value) < 0.095 ? 2 : 1);
/** @param {Row} row */
function winner({ key, label }) {
  if (key.startsWith("seat:")) return SEATS_IN_WORDS[Number(key.slice("seat:".length))];
  return key === "ghost" ? "the ghost ship" : spaced(label);
}
/** A share now and before, with a decimal where they are close or small. @param {Row} row */
function shares({ value, base, difference }) {
  const told = (/** @type {number | null} */ share) =>
    share?.toFixed(Math.abs(difference ?? 0) < CLOSE || share < SMALL ? 1 : 0);
  return `${told(value)}% instead of ${told(base)}%`;
}
/** A clear figure as a clause. @param {Row} row */
export function effect(row) {
  const up = (row.difference ?? 0) > 0;
  const by = amount(row.difference ?? 0);
  if (/^(win:|seat:|ghost$)/.test(row.key)) return `${winner(row)} wins ${shares(row)}`;
  if (row.key === "comebacks") return `comebacks in ${shares(row)} of games`;
  if (row.key === "rounds") return `games ${by} rounds ${up ? "longer" : "shorter"}`;
  if (row.key === "lead") return `the winner ${by} points ${up ? "further" : "less far"} ahead`;
  if (["captain", "first_less_last", "seats"].includes(row.key)) {
    return `${row.noun} ${by} points ${up ? "larger" : "smaller"}`;
  }
  if (row.key === "spread") return `win rates of strategies ${by} points ${up ? "further apart" : "closer together"}`;
  return `${by} ${up ? "more" : "fewer"} ${row.label.replace(" taken", "")} a game`;
}
/** The answer: the title, then the largest clear effect, one of another group, and who wins if that is clear.
 * @param {string} title @param {Row[]} rows @param {number} games @param {boolean} over @returns {Sentence} */
export function sentenceOf(title, rows, games, over) {
  if (rows[0].state === "base") return { title, text: ofBase(rows), sure: true };
  const size = (/** @type {Row} */ row) => Math.abs(row.size ?? 0);
  const clear = rows
    .filter((row) => row.state === "clear" && size(row) >= LEAST_SIZE)
    .sort((a, b) => size(b) - size(a));
  if (!clear.length) {
    const waits = games < FEW ? "too few games to say yet" : "too close to call yet";
    const text = over ? `no difference that ${games.toLocaleString("en")} games can show` : waits;
    return { title, text, sure: false };
  }
  const shown = [clear[0], ...clear.filter((row) => row.group !== clear[0].group).slice(0, 1)];
  if (!shown.some((row) => row.group === "wins"))
    shown.push(...clear.filter((row) => row.group === "wins").slice(0, 1));
  return { title, text: shown.map(effect).join("; "), sure: true };
}
/** @param {Row[]} rows */
function ofBase(rows) {
  const value = (/** @type {string} */ key, /** @type {number} */ digits) =>
    rows.find((row) => row.key === key)?.value?.toFixed(digits);
  const wins = rows.filter((row) => row.group === "wins");
  const game = `a game has ${value("rounds", 1)} rounds and ${value("shortages", 1)} shortages`;
  if (wins.length === 1) return `${game}; the first Captain wins ${value("seat:0", 0)}%`;
  const best = wins.reduce((a, b) => ((b.value ?? 0) > (a.value ?? 0) ? b : a));
  return `${game}; ${winner(best)} wins most often, ${best.value?.toFixed(0)}%`;
}
