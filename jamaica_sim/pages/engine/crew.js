// The crew: workers that share the batches of tables. A worker that does not come back is replaced.
import { Fault } from "./engine.js";

const PATIENCE = 10_000; // milliseconds without a piece: some code at the table loops
const CANNOT = "this page cannot play here";
const NO_WORKERS = `${CANNOT}: its workers are not allowed to start.`;

/** @typedef {import("./worker.js").Share} Share */
/** @typedef {Omit<Share, "id" | "asker">} Task */
/** @typedef {{worker: Worker, shares: Map<number, Open>, since: number}} Hand */
/** @typedef {{share: Share, resolve: (sums: Float64Array | null) => void, reject: (error: Error) => void}} Open */

export class Crew {
  /** @param {number} many @param {string} script @param {import("./worker.js").Post} load what each begins with
   * @param {(share: Share) => string} suspects who may loop at a table */
  constructor(many, script, load, suspects) {
    this.address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.load = load;
    this.suspects = suspects;
    this.next = 0;
    /** @type {Hand[]} */
    this.hands = Array.from({ length: many }, () => this.hire());
    setInterval(() => this.lookAround(), PATIENCE / 10);
  }
  /** @returns {Hand} */
  hire() {
    /** @type {Hand} */
    const hand = { worker: this.started(), shares: new Map(), since: performance.now() };
    hand.worker.onmessage = ({ data: { id, alive, sums, fault } }) => {
      hand.since = performance.now();
      if (alive) return;
      const open = hand.shares.get(id);
      hand.shares.delete(id);
      if (fault) open?.reject(new Fault(fault));
      else open?.resolve(sums ?? null);
    };
    hand.worker.onerror = (event) => {
      this.fail(hand, event.message ? `${CANNOT}: ${event.message}.` : NO_WORKERS);
    };
    hand.worker.postMessage(this.load);
    return hand;
  }
  started() {
    try {
      return new Worker(this.address);
    } catch {
      throw new Fault(NO_WORKERS);
    }
  }
  /** @param {Hand} hand @param {string} words */
  fail(hand, words) {
    for (const { reject } of hand.shares.values()) reject(new Fault(words));
    hand.shares.clear();
  }
  lookAround() {
    for (const [number, hand] of this.hands.entries()) {
      const [open] = hand.shares.values();
      if (!open || performance.now() - hand.since < PATIENCE) continue;
      hand.worker.terminate();
      this.hands[number] = this.hire();
      this.fail(hand, `${this.suspects(open.share)} gave no answer for ${PATIENCE / 1000} seconds: it seems to loop.`);
    }
  }
  /** Stop everything that somebody has asked for. @param {number} asker */
  stop(asker) {
    for (const { worker } of this.hands) worker.postMessage({ stop: asker });
  }
  /** Play a batch at each table, shared among the crew; the sums of each, or null where it was stopped.
   * @param {number} asker @param {Task[]} tasks @returns {Promise<(Float64Array | null)[]>} */
  playAll(asker, tasks) {
    const cut = Math.max(1, Math.ceil(this.hands.length / Math.max(1, tasks.length)));
    return Promise.all(
      tasks.map((task, t) => {
        const size = Math.ceil(task.games / cut);
        /** @type {Promise<Float64Array | null>[]} */
        const shares = [];
        for (let at = 0; at < task.games; at += size) {
          const hand = this.hands[(t * cut + shares.length) % this.hands.length];
          const games = Math.min(size, task.games - at);
          shares.push(this.give(hand, { ...task, id: this.next++, asker, first: task.first + at, games }));
        }
        return Promise.all(shares).then(addedUp);
      }),
    );
  }
  /** @param {Hand} hand @param {Share} share @returns {Promise<Float64Array | null>} */
  give(hand, share) {
    return new Promise((resolve, reject) => {
      if (!hand.shares.size) hand.since = performance.now();
      hand.shares.set(share.id, { share, resolve, reject });
      hand.worker.postMessage(share);
    });
  }
}
/** @param {(Float64Array | null)[]} shares */
function addedUp([first, ...others]) {
  if (!first || others.includes(null)) return null;
  for (const one of others)
    one?.forEach((value, i) => {
      first[i] += value;
    });
  return first;
}
