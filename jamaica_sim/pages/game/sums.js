// The sums of a batch of games that figures are made of, side by side in one array.

export const SHIPS = 6;
export const PARTS = 64; // game k is in part k % PARTS, for the jackknife
export const SPACES = 62;
export const WIN_UNITS = 60; // a win, and the sum of the shares of a shared one
/** Quantities of a game, by the names of the tally; those that end in `_wins` are in WIN_UNITS. */
export const GAME_SUMS = [
  "rounds",
  "shortages",
  "battles",
  "treasures_taken",
  "lead_changes",
  "margin",
  "sole_half_time_leader",
  "sole_half_time_leader_wins",
];
export const MAPS = ["short", "fought", "landed"]; // what is counted by space
const STRIDE = 1 + 2 * SHIPS + GAME_SUMS.length; // of one part: games, wins by ship and by seat, quantities
const SQUARES = PARTS * STRIDE; // of quantities of a game,
const WIN_SQUARES = SQUARES + GAME_SUMS.length; // of wins by ship,
const BY_SPACE = WIN_SQUARES + SHIPS; // and for each map, sums and squares by space
const OWN = BY_SPACE + MAPS.length * 2 * SPACES; // behind: of each part, measures of one's own, then their squares
export const MOST_MEASURES = 5; // of one's own
const OWN_STRIDE = 2 * MOST_MEASURES; // values, and how many games have one
export const SUMS = OWN + PARTS * OWN_STRIDE + MOST_MEASURES;

/** @param {Float64Array} sums @param {number} part @param {number} column */
const partOf = (sums, part, column) =>
  column < STRIDE ? sums[part * STRIDE + column] : sums[OWN + part * OWN_STRIDE + column - STRIDE];
/** A column over all games.
 * @param {Float64Array} sums @param {number} column */
export function total(sums, column) {
  let all = 0;
  for (let part = 0; part < PARTS; part++) all += partOf(sums, part, column);
  return all;
}
export const GAMES = 0;
/** @param {number} ship */
export const winsOf = (ship) => 1 + ship;
/** @param {number} seat from the first Captain */
export const winsAt = (seat) => 1 + SHIPS + seat;
/** @param {string} name */
export const quantity = (name) => 1 + 2 * SHIPS + GAME_SUMS.indexOf(name);
/** The columns of a measure of one's own: its values, and how many games have one. @param {number} number */
export const ownColumns = (number) => [STRIDE + 2 * number, STRIDE + 2 * number + 1];
/** @param {Float64Array} sums @param {number} game @param {number} number of the measure @param {number} value */
export function addOwn(sums, game, number, value) {
  const at = OWN + (game % PARTS) * OWN_STRIDE + 2 * number;
  sums[at] += value;
  sums[at + 1] += 1;
  sums[OWN + PARTS * OWN_STRIDE + number] += value * value;
}
/** Sum and sum of squares of a measure of one's own. @param {Float64Array} sums @param {number} number @returns {[number, number]} */
export const momentsOfOwn = (sums, number) => [
  total(sums, STRIDE + 2 * number),
  sums[OWN + PARTS * OWN_STRIDE + number],
];

/** Sum and sum of squares of a quantity of a game, over all games.
 * @param {Float64Array} sums @param {string} name @returns {[number, number]} */
export const momentsOf = (sums, name) => [total(sums, quantity(name)), sums[SQUARES + GAME_SUMS.indexOf(name)]];
/** The same of a ship's wins.
 * @param {Float64Array} sums @param {number} ship @returns {[number, number]} */
export const momentsOfWins = (sums, ship) => [total(sums, winsOf(ship)), sums[WIN_SQUARES + ship]];
/** Sum and sum of squares of a map on a space.
 * @param {Float64Array} sums @param {string} map @param {number} space @returns {[number, number]} */
export function momentsOn(sums, map, space) {
  const at = BY_SPACE + MAPS.indexOf(map) * 2 * SPACES + space;
  return [sums[at], sums[at + SPACES]];
}

/** A column over all games, and over all games but one part of the last batch, for each part that it has.
 * @param {Float64Array} sums @param {Float64Array} batch @param {number} column @returns {number[]} */
export function leavingOut(sums, batch, column) {
  const all = total(sums, column);
  const found = [all];
  for (let part = 0; part < PARTS; part++) {
    if (partOf(batch, part, GAMES)) found.push(all - partOf(batch, part, column));
  }
  return found;
}
