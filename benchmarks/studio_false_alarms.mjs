// The visits of studio_false_alarms.py: node studio_false_alarms.mjs DATA.json PAGES VISITS GAMES LARGE SMALL
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

const [, , file, pages, ...numbers] = process.argv;
const [visits, games, large, small] = numbers.map(Number);
const from = (path) => import(pathToFileURL(`${pages}/${path}`));
const { Engine, playShare } = await from("engine/engine.js");
const { batches, factsOf, fleet } = await from("engine/answers.js");
const { Watch } = await from("game/figures.js");
const { useQuantiles } = await from("game/intervals.js");
const { useTables } = await from("game/normals.js");
const { rulesOf } = await from("game/rules.js");

const { box, engine: made, numbers: known } = JSON.parse(readFileSync(file, "utf8"));
useQuantiles(known.quantiles);
useTables(known.normals);
const module = new WebAssembly.Module(inflateSync(Buffer.from(made.module, "base64")));
const engine = new Engine(module, await factsOf(made));
const table = { players: 4, edition: "2007", ghost: false, strategies: box.line_up.slice(0, 4) };
const rules = rulesOf(box, table, {});
const asked = { number: 0, key: "printed", rules, seats: table.strategies, measured: { texts: [], ...fleet(table) } };
const sizes = [...batches(games)].map(([, size]) => size);
const largest = Math.max(...sizes);

const store = new Map();
let first = 0;
for (const size of new Set(sizes)) {
  const often = sizes.filter((one) => one === size).length;
  const many = Math.max(2 * often, size === largest ? large : small);
  store.set(size, Array.from({ length: many }, () => {
    const sums = playShare(engine, { ...asked, first, games: size });
    first += size;
    return sums;
  }));
}
let state = 1;
/** The next of evenly spread numbers below `many`. */
function draw(many) {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
  return ((Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0) / 2 ** 32 * many) | 0;
}
const seen = {};
let wrong = 0;
for (let visit = 0; visit < visits; visit++) {
  const left = new Map([...store].map(([size, all]) => [size, [...all]]));
  const take = (size) => left.get(size).splice(draw(left.get(size).length), 1)[0];
  const watch = new Watch(table, true, rules.board.length);
  const found = new Set();
  for (const size of sizes) {
    watch.add(take(size), take(size));
    for (const { key, state: its } of watch.rows()) if (its === "clear") found.add(key);
    for (const [map, [, , clear]] of Object.entries(watch.spaces())) if (clear.some(Boolean)) found.add(map);
  }
  wrong += found.size > 0;
  for (const name of found) seen[name] = (seen[name] ?? 0) + 1;
}
console.log(JSON.stringify({ visits, wrong, seen }));
