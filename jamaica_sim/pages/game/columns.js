// The columns of the table of games, read from a result row; those that follow from others as in `play/game_columns.py`.

/** @typedef {import("./expression.js").Game} Game */

/** @type {Record<string, (game: Game, ships: number[]) => number>} */
const FOLLOWING = {
  margin: (game, ships) => {
    const winners = game("winners");
    const others = ships.filter((ship) => !((winners >> ship) & 1)).map((ship) => game(`score_${ship}`));
    return ships.length - others.length > 1 ? 0 : game("winner_score") - Math.max(...others);
  },
  winner_score: (game, ships) => Math.max(...ships.map((ship) => game(`score_${ship}`))),
  shortages: (game, ships) => all(ships, (ship) => game(`shortages_${ship}_gold`) + game(`shortages_${ship}_food`)),
  battles: (game, ships) => all(ships, (ship) => game(`attacks_${ship}`)),
  treasures: (game, ships) => all(ships, (ship) => game(`treasures_taken_${ship}`)),
  comeback: (game) => Number((game("winners") & game("half_time_leaders")) === 0),
};
export const DERIVED = Object.keys(FOLLOWING);
/** @param {number[]} ships @param {(ship: number) => number} of */
const all = (ships, of) => ships.reduce((sum, ship) => sum + of(ship), 0);

/** A game as its columns.
 * @param {Int16Array} row its numbers @param {Record<string, number>} columns where they are @param {number} number
 * @param {number} ships @returns {Game} */
export function gameOf(row, columns, number, ships) {
  const every = Array.from({ length: ships }, (_, ship) => ship);
  /** @type {Game} */
  const game = (column) => {
    if (column === "game") return number;
    return Object.hasOwn(FOLLOWING, column) ? FOLLOWING[column](game, every) : row[columns[column]];
  };
  return game;
}
