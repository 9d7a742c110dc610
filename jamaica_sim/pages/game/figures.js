// The figures of two sets of rules that play the same deals, and what is clear. Every difference has a confidence
// sequence, and all sequences together miss with a chance of at most 5%, however often one looks.
import { add, excess, jackknife, mean, meanOf, sequenceHalf, square } from "./intervals.js";
import { normals } from "./normals.js";
import { FEW, Standing } from "./standing.js";
import {
  GAMES,
  leavingOut,
  MAPS,
  momentsOf,
  momentsOfOwn,
  momentsOfWins,
  momentsOn,
  ownColumns,
  quantity,
  SUMS,
  total,
  WIN_UNITS,
  winsAt,
  winsOf,
} from "./sums.js";

const SMALL_SHARE = 0.01; // a share that differs by less is as good as the same
const A_POINT = 0.01; // of win rate: what people notice of seats and of the ghost (`results/measures.py`)
const WIDE = 3; // standard deviations: what one game may differ by
const NOTICEABLE = 0.1; // standard deviations from game to game
const ALPHA_FIGURES = 0.04; // and
const ALPHA_SPACES = 0.01; // together the chance that anything is wrongly called clear
const SMALL_ON_SPACE = 0.02; // per game
const DRAWS = 400; // of luck, to find the bias of a gap
const TINY = 1e-6;
export const ORDINALS = ["first Captain", "second", "third", "fourth", "fifth", "sixth"];
export const SEATS_IN_WORDS = ["the first Captain", ...ORDINALS.slice(1).map((ordinal) => `the ${ordinal} seat`)];

/** @typedef {import("./intervals.js").Estimate} Estimate */
/** @typedef {{players: number, edition: string, ghost: boolean, strategies: string[],
 *    measures?: Record<string, string>, shares?: boolean[]}} Seating who plays, and measures of one's own: which are shares */
/** A read of the sums so far: a value over all games, then one without each part of a batch.
 * @typedef {(of: Read) => number[]} Sums */
/** @typedef {(column: number) => number[]} Read */
/** @typedef {{group: string, key: string, label: string, noun: string, share: boolean, seats: number[], sums: Sums,
 *    raw?: Sums, game?: string, ghost?: number, ofShare?: boolean, smallest?: number, own?: number}} Figure */
/** @typedef {{group: string, key: string, label: string, noun: string, share: boolean, seats: number[],
 *    base: number | null, value: number | null, own_half: number | null, state: string, difference?: number | null,
 *    half?: number | null, size?: number | null}} Row */

/** @param {number[]} a @param {number[]} b @param {(x: number, y: number) => number} how */
const pairwise = (a, b, how) => a.map((value, i) => how(value, b[i]));
/** @param {Read} of @param {number[]} values */
const perGame = (of, values) => pairwise(values, of(GAMES), (value, games) => value / games);
/** @param {number[]} values */
const inWins = (values) => values.map((value) => value / WIN_UNITS);

/** The win rate of a ship of a strategy. @param {number[]} seats @returns {Sums} */
const winRate = (seats) => (of) => {
  const wins = seats.map((seat) => of(winsOf(seat))).reduce((a, b) => pairwise(a, b, (x, y) => x + y));
  return perGame(
    of,
    inWins(wins).map((value) => value / seats.length),
  );
};
/** @type {Sums} */
const comebacks = (of) =>
  pairwise(
    inWins(of(quantity("sole_half_time_leader_wins"))),
    of(quantity("sole_half_time_leader")),
    (wins, leaders) => 1 - wins / leaders,
  );
/** The gap between the largest and the smallest of several rates (rows). @param {number[][]} rates */
const rawGap = (rates) =>
  rates[0].map((_, i) => Math.max(...rates.map((row) => row[i])) - Math.min(...rates.map((row) => row[i])));

/** The same without the bias of picking them: luck alone sets rates apart (`results/measures.py`).
 * @param {number[][]} rates */
export function correctedGap(rates) {
  const raw = rawGap(rates);
  const parts = raw.length - 1;
  const middle = raw.map((_, i) => mean(rates.map((row) => row[i])));
  const apart = rates.map((row) => pairwise(row, middle, (a, b) => a - b));
  if (parts < 2 || !apart.flat().every(Number.isFinite)) return raw;
  const scale = Math.sqrt((parts - 1) / parts);
  const luck = apart.map(([, ...row]) => row.map((value) => (value - mean(row)) * scale));
  const spent = add(luck.flat().map(square));
  const drawn = luck.map(inDraws);
  const corrected = raw.map((gap, i) => {
    const variance = Math.max(add(apart.map((row) => square(row[i]))), 1e-12);
    const shrink = Math.sqrt(Math.max(0, 1 - spent / variance));
    const shrunk = apart.map((row) => row[i] * shrink);
    return gap - (meanRange(shrunk, drawn) - (Math.max(...shrunk) - Math.min(...shrunk)));
  });
  const below = Math.min(0, corrected[0]);
  return corrected.map((value) => value - below);
}
/** What luck adds to one rate in each draw. @param {number[]} luck by part */
function inDraws(luck) {
  const normal = normals(luck.length * DRAWS);
  const found = new Float64Array(DRAWS);
  luck.forEach((value, part) => {
    for (let draw = 0; draw < DRAWS; draw++) found[draw] += value * normal[part * DRAWS + draw];
  });
  return found;
}
/** @param {number[]} values @param {Float64Array[]} drawn */
function meanRange(values, drawn) {
  let sum = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    let high = Number.NEGATIVE_INFINITY;
    let low = Number.POSITIVE_INFINITY;
    for (let k = 0; k < values.length; k++) {
      const value = values[k] + drawn[k][draw];
      if (value > high) high = value;
      if (value < low) low = value;
    }
    sum += high - low;
  }
  return sum / DRAWS;
}

/** A measure of one's own. @param {string} label @param {number} own its number @param {boolean} share @returns {Figure} */
function ownFigure(label, own, share) {
  const [value, games] = ownColumns(own);
  const noun = `the measure “${label}”`;
  const sums = (/** @type {Read} */ of) => pairwise(of(value), of(games), (a, b) => a / b);
  return { group: "own", key: `own:${label}`, label, noun, share, seats: [], ofShare: share, own, sums };
}

/** The figures of a table, in the order of the page. @param {Seating} table @returns {Figure[]} */
export function figuresOf({ strategies, players, ghost, measures = {}, shares = [] }) {
  const names = [...new Set(strategies)];
  const seatsOf = (/** @type {string} */ name) => strategies.flatMap((its, seat) => (its === name ? [seat] : []));
  const rates = (/** @type {Read} */ of) => names.map((name) => winRate(seatsOf(name))(of));
  const share = { share: true, seats: [] };
  const plain = { share: false, seats: [] };
  /** @type {WeakMap<Read, number[][]>} several figures are made of it */
  const known = new WeakMap();
  const bySeat = (/** @type {Read} */ of) => {
    const found = known.get(of) ?? strategies.map((_, seat) => perGame(of, inWins(of(winsAt(seat)))));
    known.set(of, found);
    return found;
  };
  /** A figure of how fair the seats are.
   * @type {(group: string, key: string, label: string, noun: string, sums: Sums, raw?: Sums) => Figure} */
  const fairness = (group, key, label, noun, sums, raw = sums) => ({
    ...share,
    group,
    key,
    label,
    noun,
    sums,
    raw,
    smallest: A_POINT,
  });
  /** @type {(group: string, key: string, label: string, noun: string, game?: string) => Figure} */
  const counted = (group, key, label, noun, game = key) => ({
    ...plain,
    group,
    key,
    label,
    noun,
    game,
    sums: (of) => perGame(of, of(quantity(game))),
  });
  /** @type {Figure[]} */
  const found = names.map((name) => {
    const noun = `the share of games that a ship of ${name} wins`;
    const seats = seatsOf(name);
    return { ...share, group: "wins", key: `win:${name}`, label: name, noun, seats, sums: winRate(seats) };
  });
  if (ghost) {
    const noun = "the ghost ship's share of the wins";
    const its = { group: "wins", key: "ghost", label: "ghost ship", noun, seats: [players], ghost: players };
    found.push({ ...share, ...its, ofShare: true, smallest: A_POINT, sums: winRate([players]) });
  }
  for (let seat = 0; seat < players; seat++) {
    const noun = `the share of games that ${SEATS_IN_WORDS[seat]} wins`;
    const label = seat === players - 1 ? `${ORDINALS[seat]}, last` : ORDINALS[seat];
    found.push(fairness("seats", `seat:${seat}`, label, noun, (of) => bySeat(of)[seat]));
  }
  /** @type {Sums} */
  const captain = (of) => {
    const rows = bySeat(of);
    return rows[0].map((first, i) => first - mean(rows.map((row) => row[i])));
  };
  found.push(
    fairness("fair", "captain", "Captain’s edge", "the first Captain’s edge", captain),
    fairness("fair", "first_less_last", "first less last", "the first Captain’s lead over the last seat", (of) =>
      pairwise(bySeat(of)[0], bySeat(of)[players - 1], (first, last) => first - last),
    ),
    fairness(
      "fair",
      "seats",
      "gap of seats",
      "the gap between the best and the worst seat",
      (of) => correctedGap(bySeat(of)),
      (of) => rawGap(bySeat(of)),
    ),
    counted("game", "rounds", "rounds", "the length of a game"),
    counted("game", "shortages", "shortages", "the number of shortages"),
    counted("game", "battles", "battles", "the number of battles"),
    counted("game", "treasures", "treasures taken", "the number of treasures taken", "treasures_taken"),
    counted("close", "lead_changes", "lead changes", "the number of lead changes"),
    counted("close", "lead", "winner's lead", "the winner's lead", "margin"),
  );
  const noun = "the share of half-time leaders that do not win";
  found.push({ ...share, group: "close", key: "comebacks", label: "comebacks", noun, ofShare: true, sums: comebacks });
  if (names.length > 1) {
    const its = { group: "close", key: "spread", label: "best − worst" };
    const noun = "the spread between the best and the worst strategy";
    found.push({
      ...share,
      ...its,
      noun,
      sums: (of) => correctedGap(rates(of)),
      raw: (of) => rawGap(rates(of)),
    });
  }
  return [...found, ...Object.keys(measures).map((name, own) => ownFigure(name, own, shares[own]))];
}

/** Two sets of rules on the same deals, batch after batch. */
export class Watch {
  /** @param {Seating} table @param {boolean} isChanged @param {number} spaces on the larger board */
  constructor(table, isChanged, spaces) {
    this.table = table;
    this.isChanged = isChanged;
    this.spacesOnBoard = spaces;
    this.figures = figuresOf(table);
    this.squares = this.figures.map(() => 0);
    /** @type {[margin: number, span: number][]} */
    this.scales = []; // fixed by the first batch
    this.standings = this.figures.map(() => new Standing());
    /** @type {Record<string, number[]>} the signs of changes by map and space that were clear once */
    this.clear = Object.fromEntries(MAPS.map((map) => [map, Array(spaces).fill(0)]));
    this.totals = [new Float64Array(SUMS), new Float64Array(SUMS)];
    this.reads = this.totals.map((sums) => readOf(sums, sums)); // anew after each batch
  }
  get games() {
    return total(this.totals[0], GAMES);
  }
  /** Add the sums of the next batch at both tables. @param {Float64Array} base @param {Float64Array} varied */
  add(base, varied) {
    const batches = [base, varied];
    batches.forEach((batch, k) => {
      batch.forEach((value, i) => {
        this.totals[k][i] += value;
      });
    });
    this.reads = this.totals.map((sums) => readOf(sums, sums));
    if (!this.isChanged) return;
    const n = this.games;
    const [ours, theirs] = batches.map((batch, k) => readOf(this.totals[k], batch));
    this.figures.forEach(({ sums, raw = sums }, f) => {
      const [all, ...without] = pairwise(raw(theirs), raw(ours), (a, b) => a - b);
      for (const value of without) {
        const influence = n * (all - value); // of one part's games (Efron & Stein 1981)
        if (Number.isFinite(influence)) this.squares[f] += square(influence);
      }
    });
    if (!this.scales.length) this.scales = this.figures.map((figure) => this.scaleOf(figure));
  }
  /** What a difference has to exceed to matter, and what one game may differ by.
   * @param {Figure} figure @returns {[number, number]} */
  scaleOf(figure) {
    if (figure.share) return [SMALL_SHARE, 1];
    const spread = this.spread(figure);
    return [Math.max(TINY, (NOTICEABLE / 2) * spread), Math.max(TINY, WIDE * spread)];
  }
  /** The standard deviation from game to game; for win rates, that of a win. @param {Figure} figure */
  spread(figure) {
    const even = 1 / (this.table.players + Number(this.table.ghost));
    const [base] = this.totals;
    if (figure.game) return Math.sqrt(Math.max(0, excess(this.games, momentsOf(base, figure.game)))) / this.games;
    if (figure.own !== undefined && !figure.share) {
      const many = total(base, ownColumns(figure.own)[1]);
      const [sum, squares] = momentsOfOwn(base, figure.own); // not whole numbers
      return Math.sqrt(Math.max(0, many * squares - square(sum))) / many;
    }
    const share = figure.ofShare ? Math.max(figure.sums(this.reads[0])[0], even) : even;
    return Math.sqrt(share * (1 - share));
  }
  /** @param {Figure} figure @param {number} k of the base or of the variant @returns {Estimate} */
  estimate(figure, k) {
    const sums = this.totals[k];
    if (figure.game) return meanOf(this.games, momentsOf(sums, figure.game));
    if (figure.ghost !== undefined) return meanOf(this.games, momentsOfWins(sums, figure.ghost), WIN_UNITS);
    return jackknife(figure.sums(this.reads[k]), this.games);
  }
  /** Every figure as a row for the page; shares in percent, their differences in points. @returns {Row[]} */
  rows() {
    return this.figures.map((_, f) => this.row(f));
  }
  /** A look at one figure. @param {number} f its number @returns {Row} */
  row(f) {
    const figure = this.figures[f];
    const { group, key, label, noun, share, seats } = figure;
    const scale = share ? 100 : 1;
    const was = this.estimate(figure, 0);
    const now = this.isChanged ? this.estimate(figure, 1) : was;
    const values = { base: plain(scale * was.value), value: plain(scale * now.value) };
    const row = { group, key, label, noun, share, seats, ...values, own_half: plain(scale * now.half) };
    if (!this.isChanged) return { ...row, state: "base" };
    const [margin, span] = this.scales[f];
    const half = sequenceHalf(this.games, this.squares[f], margin, ALPHA_FIGURES / this.figures.length, span);
    const said = this.standings[f].look(now.value - was.value, half, margin, this.games);
    const told = { difference: plain(scale * said.difference), half: plain(scale * said.half) };
    const unit = figure.smallest ? figure.smallest / NOTICEABLE : this.spread(figure);
    return { ...row, ...told, size: plain(said.difference / (unit || 1)), state: said.state };
  }
  /** For each map and space: the base's mean per game, the variant's, and the sign of a clear change. */
  spaces() {
    const n = this.games;
    const alpha = ALPHA_SPACES / (MAPS.length * this.spacesOnBoard);
    /** @type {Record<string, number[][]>} */
    const found = {};
    for (const map of MAPS) {
      const [base, varied] = [[], []].map((list) => /** @type {number[]} */ (list));
      for (let space = 0; space < this.spacesOnBoard; space++) {
        const [ours, theirs] = this.totals.map((sums) => momentsOn(sums, map, space));
        const now = this.isChanged ? theirs : ours;
        // Unpaired, which is wider: luck that both share is not taken off.
        const squares = add([ours, now].map(([sum, squared]) => squared - square(sum) / n));
        const gap = (now[0] - ours[0]) / n;
        const isClear =
          this.isChanged && n >= FEW && Math.abs(gap) > sequenceHalf(n, squares, SMALL_ON_SPACE, alpha, 2);
        if (isClear && !this.clear[map][space]) this.clear[map][space] = Math.sign(gap);
        base.push(fourDigits(ours[0] / n));
        varied.push(fourDigits(now[0] / n));
      }
      found[map] = [base, varied, [...this.clear[map]]];
    }
    return found;
  }
}
/** @param {Float64Array} sums @param {Float64Array} batch @returns {Read} */
function readOf(sums, batch) {
  /** @type {Map<number, number[]>} */
  const known = new Map();
  return (column) => {
    const found = known.get(column) ?? leavingOut(sums, batch, column);
    known.set(column, found);
    return found;
  };
}

/** @param {number} value */
const plain = (value) => (Number.isFinite(value) ? Number(value.toFixed(6)) : null);
/** @param {number} value */
const fourDigits = (value) => Number(value.toFixed(4));
