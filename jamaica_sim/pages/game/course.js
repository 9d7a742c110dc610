// The course: the spaces of a board, and whether they can be played on (`game/components/course.py`).
import { refuseUnless, whole } from "./refusing.js";

/** @typedef {{kind: string, cost: number, score: number, next: number[], x: number, y: number, name?: string}} Space */

const FREE_KINDS = ["port_royal", "lair"];

/** For each space, the spaces one step back.
 * @param {Space[]} board */
export const previousOf = (board) =>
  board.map((_, i) => board.flatMap((space, before) => (space.next.includes(i) ? [before] : [])));

/** @param {Space[]} board @param {Record<string, any>} codes */
export function checkBoard(board, codes) {
  board.forEach((space, n) => {
    checkSpace(space, n, board.length, codes);
  });
  const entered = new Set(board.flatMap(({ next }) => next));
  board.forEach((_, n) => {
    refuseUnless(entered.has(n), `no space leads to space ${n}: it could never be reached.`);
  });
  const forks = board.flatMap(({ next }, n) => (next.length === 2 ? [n] : []));
  refuseUnless(forks.length <= codes.most_forks, `a board has at most ${codes.most_forks} forks, not ${forks.length}.`);
  forks.forEach((fork, i) => {
    checkFork(board, fork, forks[i + 1] ?? board.length);
  });
  const longest = codes.max_face;
  refuseUnless(stepsHome(board) > longest, `the circuit must be longer than the largest die, ${longest}.`);
}
/** @param {Space} space @param {number} n @param {number} spaces @param {Record<string, any>} codes */
function checkSpace({ kind, cost, score, next }, n, spaces, codes) {
  const where = `space ${n}`;
  const kinds = codes.space_kinds;
  refuseUnless(kinds.includes(kind), `${where} is '${kind}': a space is ${kinds.join(", ")}.`);
  const isHome = kind === "port_royal";
  refuseUnless(isHome === (n === 0), `${where} is ${kind}: space 0, and no other, is port_royal.`);
  const most = codes.most_cost;
  refuseUnless(whole(cost, 0, most), `${where}: the cost must be a whole number from 0 to ${most}.`);
  refuseUnless(cost === 0 || !FREE_KINDS.includes(kind), `${where} is a ${kind}, which costs nothing.`);
  const limits = `from ${-codes.largest_score} to ${codes.largest_score}`;
  const good = whole(score, -codes.largest_score, codes.largest_score);
  refuseUnless(good, `${where}: the score must be a whole number ${limits}.`);
  const told = `(${next.join(", ")})`;
  refuseUnless(next.length <= 2, `${where} must lead to one space, or to two lanes, not ${told}.`);
  refuseUnless(new Set(next).size === next.length, `${where}: the two lanes must begin on different spaces.`);
  refuseUnless(
    next.every((to) => to === 0 || (n < to && to < spaces)),
    `${where}: next must be spaces further down, or 0 for Port Royal, not ${next.join("|")}.`,
  );
}
/** The two lanes must meet again before the next fork, the longer one numbered first.
 * @param {Space[]} board @param {number} fork @param {number} following */
function checkFork(board, fork, following) {
  const [first, second] = board[fork].next.toSorted((a, b) => a - b).map((start) => laneFrom(board, start, following));
  const meeting = first.find((space) => second.includes(space));
  refuseUnless(
    meeting !== undefined,
    `the lanes after space ${fork} must meet again before the next fork or Port Royal.`,
  );
  const [outer, inner] = [first, second].map((lane) => lane.slice(0, lane.indexOf(Number(meeting))));
  refuseUnless(
    outer.length >= inner.length,
    `after space ${fork} the longer lane must come first: move its rows above the other's.`,
  );
  const numbers = [...outer, ...inner];
  refuseUnless(
    numbers.every((number, i) => i === 0 || numbers[i - 1] < number),
    `after space ${fork} one lane must be complete before the other begins.`,
  );
}
/** The spaces from here to the next fork, that fork included, or to Port Royal.
 * @param {Space[]} board @param {number} start @param {number} following */
function laneFrom(board, start, following) {
  const lane = [start];
  for (let at = start; at > 0 && at < following && board[at].next.length === 1; lane.push(at)) at = board[at].next[0];
  return lane.filter(Boolean);
}
/** Fewest steps of the whole circuit.
 * @param {Space[]} board */
function stepsHome(board) {
  const left = board.map(() => 0);
  for (let n = board.length - 1; n >= 0; n--) {
    left[n] = 1 + Math.min(...board[n].next.map((to) => (to === 0 ? 0 : left[to])));
  }
  return left[0];
}
