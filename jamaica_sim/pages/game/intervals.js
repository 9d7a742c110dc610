// Intervals: Student's for means, the jackknife for whatever sums make, and confidence sequences that hold however often
// one looks. The same as `results/stats` of Python, which tests compare.

const UNSEEN_SQUARES = 4; // deals that have hardly varied count as little evidence
const TUNING = 1.5;
const MIN_TUNING = 6;
const MIN_DEALS = 50;
const STEPS = 20; // of Newton's method

/** @typedef {{value: number, half: number}} Estimate a value and half of its 95% interval */

export const add = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
export const mean = (/** @type {number[]} */ values) => add(values) / values.length;
export const square = (/** @type {number} */ value) => value * value;

/** @type {{normal: number, student: number[]}} */
let quantiles = { normal: Number.NaN, student: [] };
/** The quantiles at 97.5%: the normal one, and Student's by degrees of freedom.
 * @param {typeof quantiles} found */
export function useQuantiles(found) {
  quantiles = found;
}
/** Abramowitz & Stegun 26.7.5 beyond the table.
 * @param {number} freedom */
export function tQuantile(freedom) {
  if (freedom < quantiles.student.length) return quantiles.student[freedom];
  const z = quantiles.normal;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  const fourth = (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160;
  return z + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom;
}
/** The largest share that n games without a case leave possible. @param {number} n */
const unseenShare = (n) => -Math.expm1(Math.log1p(-0.95) / n);

/** n times the sum of squares about the mean, exactly. @param {number} n @param {[number, number]} moments */
export const excess = (n, [sum, squares]) => Number(BigInt(n) * BigInt(squares) - BigInt(sum) ** 2n);

/** The mean of n whole numbers; `scale` of them make 1.
 * @param {number} n @param {[number, number]} moments @param {number} [scale] @returns {Estimate} */
export function meanOf(n, moments, scale = 1) {
  const squares = excess(n, moments) / n / square(scale);
  const value = moments[0] / (n * scale);
  if (n < 2) return { value, half: Number.POSITIVE_INFINITY };
  return { value, half: squares === 0 ? unseenShare(n) : tQuantile(n - 1) * Math.sqrt(squares / (n - 1) / n) };
}
/** A value over all games, with the values that leave out one part each.
 * @param {number[]} values @param {number} n @returns {Estimate} */
export function jackknife([value, ...without], n) {
  const parts = without.length;
  if (!Number.isFinite(value)) return { value: Number.NaN, half: Number.POSITIVE_INFINITY };
  if (parts < 2 || !without.every(Number.isFinite)) return { value, half: Number.POSITIVE_INFINITY };
  const middle = mean(without);
  const spread = Math.sqrt(((parts - 1) / parts) * add(without.map((one) => square(one - middle))));
  const half = spread * tQuantile(parts - 1);
  if (half > 1e-12 * Math.max(1, Math.abs(value))) return { value, half };
  return { value, half: n ? unseenShare(n) : Number.POSITIVE_INFINITY };
}
/** The solution w < -1 of w exp(w) = -exp(log). @param {number} log */
function lambert(log) {
  let w = log - Math.log(-log);
  for (let i = 0; i < STEPS; i++) w -= (w + Math.log(-w) - log) / (1 + 1 / w);
  return w;
}
/** Half-width of a confidence sequence (Waudby-Smith et al. 2024, Proposition 2.5).
 * @param {number} n deals @param {number} squares about the mean @param {number} margin @param {number} alpha
 * @param {number} [span] */
export function sequenceHalf(n, squares, margin, alpha, span = 1) {
  if (n < MIN_DEALS) return Number.POSITIVE_INFINITY;
  const seen = squares / square(span) + UNSEEN_SQUARES;
  const tuned = Math.max(MIN_TUNING * square(Math.log(alpha)), TUNING * square(((seen / n) * span) / margin));
  const rho = (-lambert(2 * Math.log(alpha) - 1) - 1) / tuned;
  const growth = seen * rho + 1;
  return (span * Math.sqrt((growth / rho) * Math.log(growth / square(alpha)))) / n;
}
