// Where answers come from: `answer(question, onLine)` plays what is asked and gives line after line until it is done
// or the function that it returns is called. The studio knows nothing else of the engine.
import { DERIVED } from "../game/columns.js";
import { previousOf } from "../game/course.js";
import { expression } from "../game/expression.js";
import { figuresOf, Watch } from "../game/figures.js";
import { useQuantiles } from "../game/intervals.js";
import { useTables } from "../game/normals.js";
import { Refused } from "../game/refusing.js";
import { rulesOf, sameRules } from "../game/rules.js";
import { GAMES, momentsOf, total, winsOf } from "../game/sums.js";
import { differing, sentenceOf, titleOf } from "../game/words.js";
import { Crew } from "./crew.js";
import { Fault } from "./engine.js";
import { Trial } from "./trial.js";

const COLOURS = ["Blue", "Red", "Green", "Pink", "Amber", "Sky"]; // of the ships, by seat
const NONE = { texts: [], ships: 0, words: {} };
const FIRST = 192; // games of the first batch
const LARGEST = 8192;
const KEPT = 40; // tables whose games are kept
export const RESTS = [200_000, 1_000_000, 5_000_000]; // games after which the page rests, until more are asked for
const TRIAL_GAMES = 12_288;
const NO_ENGINE = "this page cannot play here: it needs WebAssembly with SIMD, which this browser lacks or forbids.";

/** @typedef {import("../game/rules.js").Changes} Changes */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/figures.js").Seating} Seating */
/** @typedef {{targets: import("./trial.js").Target[], ranges: Record<string, any[]>}} Goal */
/** @typedef {Seating & {kind: "figures" | "trial", changes: Changes, base?: Changes, games?: number,
 *    settings?: {changes: Changes, table?: Partial<Seating>}[], goal?: Goal}} Question */
/** @typedef {[first: number, games: number]} Batch */
/** @typedef {{seating: Seating, rules: Rules, key: string}} Laid */
/** @typedef {Record<string, any> & {kind: string}} Line */

/** @type {any} what the page has from Python: `box` and `engine` */
let data = null;
/** @type {Promise<Crew> | null} */
let crew = null;
let asked = 0;
/** @type {Map<string, Map<number, Float64Array>>} sums by table and first game */
const kept = new Map();

/** @param {string} text */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
/** What Python packed, with every so many bytes apart. @param {string} text @param {number} [planes] */
async function unpacked(text, planes = 1) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const apart = new Uint8Array(await new Response(stream).arrayBuffer());
  if (planes === 1) return apart;
  const many = apart.length / planes;
  return Uint8Array.from(apart, (_, i) => apart[(i % planes) * many + Math.floor(i / planes)]);
}
/** What the engine needs beside its module. @param {any} engine */
export async function factsOf({ layout, moments, strategies }) {
  /** @type {[string, any][]} */
  const seated = Object.entries(strategies);
  const records = await Promise.all(seated.map(([, { record }]) => (record ? unpacked(record, 8) : new Uint8Array(0))));
  return {
    layout,
    moments,
    strategies: Object.fromEntries(seated.map(([name, its], i) => [name, { ...its, record: records[i] }])),
  };
}
/** Unpack the engine and start the workers, once; the box may change later.
 * @param {{box: any, engine: any, worker: string, numbers: any}} found @param {number} workers */
export function begin(found, workers) {
  data = found;
  useQuantiles(found.numbers.quantiles);
  useTables(found.numbers.normals);
  crew ??= hired(found, workers);
  return crew;
}
/** @param {any} box another board's */
export function useBox(box) {
  data = { ...data, box };
}
/** @param {{engine: any, worker: string}} found @param {number} workers */
async function hired({ engine, worker }, workers) {
  const checked = laid(engine.check.table, {}); // now: a board of one's own may take the printed one's place meanwhile
  if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") throw new Fault(NO_ENGINE);
  const found = await Promise.all([unpacked(worker), unpacked(engine.module), factsOf(engine)]).catch(() => {
    throw new Fault("this copy of the page is damaged: get it again.");
  });
  const module = await WebAssembly.compile(found[1]).catch(() => {
    throw new Fault(NO_ENGINE);
  });
  const all = new Crew(workers, new TextDecoder().decode(found[0]), { module, facts: found[2] }, suspects);
  await checkOneGame(all, checked, engine.check);
  return all;
}
/** Play the few games whose sums the page carries: a damaged copy gives others.
 * @param {Crew} all @param {any} table as it was laid @param {any} check */
async function checkOneGame(all, { seating, rules, key }, { games, sums: wanted }) {
  const [sums] = await all.playAll(asked++, [
    { number: 0, key, rules, seats: seating.strategies, measured: NONE, first: 0, games },
  ]);
  if (JSON.stringify(sums && checkSums(sums)) !== JSON.stringify(wanted)) {
    throw new Fault("the engine of this page plays another game than it should: get the page again.");
  }
}
/** A few sums that any fault would change. @param {Float64Array} sums */
export const checkSums = (sums) => [
  total(sums, GAMES),
  ...[0, 1, 2, 3].map((ship) => total(sums, winsOf(ship))),
  ...["rounds", "shortages", "battles", "margin"].flatMap((name) => momentsOf(sums, name)),
];
/** Who may loop: strategies of code and house rules. @param {{seats: string[], rules: Rules}} share */
function suspects({ seats, rules }) {
  const code = [...new Set(seats)].filter((name) => !data.engine.strategies[name].reads_words);
  const found = [
    ...code.map((name) => `the strategy ${name}`),
    ...(rules.house ? [`the house rules ${rules.house.name}`] : []),
  ];
  return found.length ? found.join(" or ") : "the engine";
}

/** How many ships sail, and the words for them: a strategy's name for all its ships, a colour for one, and the ghost.
 * @param {Seating} table */
export function fleet({ players, ghost, strategies }) {
  /** @type {Record<string, number>} */
  const words = {};
  strategies.forEach((name, ship) => {
    words[name] = (words[name] ?? 0) | (1 << ship);
  });
  COLOURS.slice(0, players).forEach((colour, ship) => {
    words[colour] = 1 << ship;
  });
  if (ghost) words.ghost = 1 << players;
  return { ships: players + Number(ghost), words };
}
/** Read a measure of one's own; one that cannot be taken at a table is refused. @param {string} text @param {Seating} table */
export function read(text, table) {
  const { ships, words } = fleet(table);
  const known = Object.keys(data.engine.layout.columns).filter(
    (name) => Number(/_(\d)(_|$)/.exec(name)?.[1] ?? 0) < ships,
  );
  return expression(text, [...known, ...DERIVED], words);
}
/** A table with changed rules. @param {Seating} asked @param {Changes} changes @returns {Laid} */
function laid({ players, edition, ghost, strategies, measures = {} }, changes) {
  const shares = Object.values(measures).map((text) => read(text, { players, edition, ghost, strategies }).share);
  const seating = { players, edition, ghost, strategies, measures, shares };
  const rules = rulesOf(data.box, seating, changes);
  return { seating, rules, key: JSON.stringify([seating, Object.entries(changes).sort()]) };
}
/** First game and number of games of each batch: doubling, the same for every variant, so that kept games fit, and
 * the same whenever it rests, so that whoever plays on sees every verdict again.
 * @param {number} most @returns {Generator<[number, number]>} */
export function* batches(most) {
  for (let first = 0; first < most; ) {
    const stop = Math.min(most, ...RESTS.filter((rest) => rest > first));
    const games = Math.min(Math.max(first, FIRST), LARGEST, stop - first);
    yield [first, games];
    first += games;
  }
}
/** @param {string} key */
function gamesOf(key) {
  const mine = kept.get(key) ?? new Map();
  kept.delete(key);
  kept.set(key, mine);
  if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  return mine;
}
/** The sums of a batch at each table, kept or played now; null where it was stopped.
 * @param {number} asker @param {Laid[]} tables @param {[number, number]} batch */
async function played(asker, tables, [first, games]) {
  const found = tables.map(({ key }) => gamesOf(`${key} ${games}`).get(first));
  const missing = tables.flatMap((_, i) => (found[i] ? [] : [i]));
  const tasks = missing.map((i) => ({
    number: i % 2,
    key: tables[i].key,
    rules: tables[i].rules,
    seats: tables[i].seating.strategies,
    measured: { texts: Object.values(tables[i].seating.measures ?? {}), ...fleet(tables[i].seating) },
    first,
    games,
  }));
  const sums = await (await /** @type {Promise<Crew>} */ (crew)).playAll(asker, tasks);
  if (sums.includes(null)) return null;
  missing.forEach((i, k) => {
    const its = /** @type {Float64Array} */ (sums[k]);
    gamesOf(`${tables[i].key} ${games}`).set(first, its);
    found[i] = its;
  });
  return /** @type {Float64Array[]} */ (found);
}
/** The sums of each batch at all tables; the next one is played while the page is drawn.
 * @param {number} asker @param {Laid[]} tables @param {number} most */
async function* growing(asker, tables, most) {
  const all = [...batches(most)];
  let coming = played(asker, tables, all[0]);
  for (const [i, [first, games]] of all.entries()) {
    const sums = await coming;
    if (!sums) return;
    if (i + 1 < all.length) {
      coming = played(asker, tables, all[i + 1]);
      coming.catch(() => {}); // is told when its turn comes
    }
    yield { sums, games: first + games };
  }
}

/** The figures of a variant against the base, with a title and a sentence.
 * @param {Question} question @param {number} asker @returns {AsyncGenerator<Line>} */
async function* figures(question, asker) {
  const { box } = data;
  const most = question.games ?? RESTS[0];
  const base = laid(question, question.base ?? {});
  const varied = laid(question, question.changes);
  const compared = differing(question.base ?? {}, box);
  const titles = [titleOf(compared, base.rules, box), titleOf(differing(question.changes, box), varied.rules, box)];
  const isCompared = Object.keys(compared).length > 0;
  const title = isCompared ? `${titles[1]} against ${titles[0][0].toLowerCase()}${titles[0].slice(1)}` : titles[1];
  yield { kind: "table", title, titles, board: varied.rules.board, previous: previousOf(varied.rules.board) };
  const isChanged = !sameRules(base.rules, varied.rules);
  const spaces = Math.max(base.rules.board.length, varied.rules.board.length);
  const watch = new Watch(base.seating, isChanged, spaces);
  const from = performance.now();
  for await (const { sums, games } of growing(asker, isChanged ? [base, varied] : [base], most)) {
    watch.add(sums[0], sums[sums.length - 1]);
    const rows = watch.rows();
    const sentence = sentenceOf(title, rows, games, games >= most);
    yield {
      kind: "figures",
      games,
      most,
      seconds: (performance.now() - from) / 1000,
      rows,
      spaces: watch.spaces(),
      sentence,
    };
  }
  yield { kind: "end" };
}
/** Settings of the table's rules on the same deals: those that are given, or those that a search finds.
 * @param {Question} question @param {number} asker @returns {AsyncGenerator<Line>} */
async function* trial(question, asker) {
  const base = laid(question, question.changes);
  const judged = new Trial(base, (tables, batch) => played(asker, tables, batch), [...batches(TRIAL_GAMES)]);
  const { settings = [], goal } = question;
  const tables = settings.map(({ changes, table }) => layOrRefusal({ ...question, ...table }, changes));
  const refusal = tables.find((one) => one instanceof Refused);
  tables.forEach((table, i) => {
    if (!(table instanceof Refused)) judged.add(settings[i].changes, table, settings[i]);
  });
  if (refusal && !judged.settings.length) throw refusal;
  const lay = (/** @type {Changes} */ changes) => {
    const table = layOrRefusal(question, { ...question.changes, ...changes });
    return table instanceof Refused ? null : table;
  };
  for await (const found of goal ? judged.towards(goal.targets, goal.ranges, lay) : judged.together()) {
    yield { kind: "trial", games: Math.max(...found.map(({ games }) => games)), settings: found };
  }
  yield { kind: "end" };
}
/** @param {Question} question @param {Changes} changes */
function layOrRefusal(question, changes) {
  try {
    return laid(question, changes);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}
/** Why a table cannot be played; nothing where it can. @param {Seating} seating @param {Changes} changes */
export function refusalOf(seating, changes) {
  try {
    rulesOf(data.box, seating, changes);
    return "";
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}
/** The figures of a table, also measures of one's own. @param {Seating} seating */
export const figuresAt = (seating) => figuresOf(laid(seating, {}).seating);
const KINDS = { figures, trial };

/** Answer a question; the function that comes back ends it.
 * @param {Question} question @param {(line: Line) => void} onLine @returns {() => void} */
export function answer(question, onLine) {
  const asker = asked++;
  let isOver = false;
  const work = async () => {
    try {
      for await (const line of KINDS[question.kind](question, asker)) {
        if (isOver) return;
        onLine(line);
      }
    } catch (error) {
      if (isOver) return;
      if (error instanceof Refused) onLine({ kind: "refused", error: error.message });
      else if (error instanceof Fault)
        onLine({ kind: "bug", error: `${error.message[0].toUpperCase()}${error.message.slice(1)}` });
      else {
        onLine({
          kind: "bug",
          error: "Something went wrong on this page. Load it again: the variant is in its address.",
        });
        throw error;
      }
    }
  };
  work();
  return () => {
    isOver = true;
    crew?.then(
      (all) => all.stop(asker),
      () => {},
    );
  };
}
