// A worker: an engine of its own. It plays shares of batches piece by piece, and looks at its post between two pieces.
import { SUMS } from "../game/sums.js";
import { Engine, Fault, PIECE } from "./engine.js";

/** @typedef {import("./engine.js").Facts} Facts */
/** @typedef {{id: number, asker: number, number: number, key: string, rules: import("../game/rules.js").Rules,
 *    seats: string[], measured: import("./engine.js").Measured, first: number, games: number}} Share */
/** @typedef {{module: WebAssembly.Module, facts: Facts} | {stop: number} | Share} Post */

const post = new MessageChannel();
/** @type {Share[]} */
const waiting = [];
const stopped = new Set();
/** @type {Engine | null} */
let engine = null;
let isPlaying = false;

/** Until the post that has come by now is read. @returns {Promise<unknown>} */
const look = () =>
  new Promise((read) => {
    post.port1.onmessage = read;
    post.port2.postMessage(0);
  });

/** @param {MessageEvent<Post>} event */
self.onmessage = ({ data }) => {
  if ("module" in data) engine = new Engine(data.module, data.facts);
  else if ("stop" in data) for (const { id, asker } of waiting) if (asker === data.stop) stopped.add(id);
  if (!("id" in data)) return;
  waiting.push(data);
  if (!isPlaying) work();
};
async function work() {
  isPlaying = true;
  for (let share = waiting[0]; share; waiting.shift(), share = waiting[0]) {
    postMessage({ id: share.id, ...(await played(share)) });
    stopped.delete(share.id);
  }
  isPlaying = false;
}
/** @param {Share} share */
async function played({ id, number, key, rules, seats, measured, first, games }) {
  const sums = new Float64Array(SUMS);
  try {
    for (let done = 0; done < games; done += PIECE) {
      if (stopped.has(id) || !engine) return {};
      const many = Math.min(PIECE, games - done);
      engine.play(engine.lay(number, key, rules, seats), first + done, many);
      engine.gather(sums);
      engine.measure(sums, measured, first + done, many);
      postMessage({ id, alive: true });
      await look();
    }
    return { sums };
  } catch (error) {
    return { fault: error instanceof Fault ? error.message : `the engine has failed: ${error}` };
  }
}
