// Plays what Python asks in the engine of a page: reads one JSON object a line, and answers with one.
// node inner_page.mjs DATA.json PAGES: what a page has from Python, and where its modules are.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

const [, , file, pages] = process.argv;
const from = path => import(pathToFileURL(`${pages}/${path}`));
const { Engine, playShare } = await from("engine/engine.js");
const { batches, factsOf, fleet } = await from("engine/answers.js");
const { Watch } = await from("game/figures.js");
const { useQuantiles } = await from("game/intervals.js");
const { useTables } = await from("game/normals.js");
const { Standing } = await from("game/standing.js");
const { rulesOf, sameRules } = await from("game/rules.js");
const { differing, inWords, sentenceOf, titleOf } = await from("game/words.js");

const { box, engine: made, numbers } = JSON.parse(readFileSync(file, "utf8"));
useQuantiles(numbers.quantiles);
useTables(numbers.normals);
const module = new WebAssembly.Module(inflateSync(Buffer.from(made.module, "base64")));
const engine = new Engine(module, await factsOf(made));
const digest = (at, size) => createHash("sha256").update(engine.memory.bytes(at, size)).digest("hex");

const share = (table, changes, number, first, games) => {
  const rules = rulesOf(box, table, changes);
  const { measures = {} } = table, measured = { texts: Object.values(measures), ...fleet(table) };
  return { number, key: JSON.stringify([table, changes]), rules, seats: table.strategies, measured, first, games };
};
const ASKED = {
  rulebook({ table, changes }) {
    const slot = engine.lay(0, JSON.stringify([table, changes]), rulesOf(box, table, changes), []);
    return digest(slot.rules, engine.memory.records.rules.size);
  },
  games({ table, changes, first, games }) {
    const { number, key, rules, seats } = share(table, changes, 0, first, games);
    engine.play(engine.lay(number, key, rules, seats), first, games);
    const rows = digest(engine.at.rows, games * engine.memory.records.row.size);
    return { rows, sums: [...playShare(engine, share(table, changes, 0, first, games))] };
  },
  figures({ table, changes, most }) {
    const [base, varied] = [{}, changes].map(its => rulesOf(box, table, its));
    const watch = new Watch(table, !sameRules(base, varied), Math.max(base.board.length, varied.board.length));
    const title = titleOf(differing(changes, box), varied, box);
    return [...batches(most)].map(([first, games]) => {
      const ours = playShare(engine, share(table, {}, 0, first, games));
      watch.add(ours, watch.isChanged ? playShare(engine, share(table, changes, 1, first, games)) : ours);
      const rows = watch.rows(), sentence = sentenceOf(title, rows, watch.games, watch.games >= most);
      return { games: watch.games, rows, spaces: watch.spaces(), sentence, squares: [...watch.squares], scales: watch.scales };
    });
  },
  words({ name, value }) {
    const rules = rulesOf(box, { players: 4, ghost: false, edition: "2007" }, {});
    return inWords(name, value, rules, box);
  },
  title: ({ changes }) => titleOf(changes, rulesOf(box, { players: 4, ghost: false, edition: "2007" }, changes), box),
  batches: ({ most }) => [...batches(most)],
  looks({ looks, margin }) {
    const standing = new Standing();
    return looks.map(([gap, half, games]) => standing.look(gap, half, margin, games));
  },
  sentence: ({ rows, games, over }) => sentenceOf("A title", rows, games, over),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { asked, ...question } = JSON.parse(line);
  try { console.log(JSON.stringify({ found: ASKED[asked](question) })); } catch (error) { console.log(JSON.stringify({ refused: error.message })); }
}
