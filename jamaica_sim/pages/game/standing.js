// What stands of a difference from the first look to the last. The intervals of a confidence sequence hold together, so
// what all of them have in common holds too: it only ever narrows, and no verdict is taken back.

export const FEW = 400; // games; before them no difference is called clear

/** @typedef {{difference: number, half: number, state: string}} Said the middle of what is left, half its width, and a
 *    verdict: "few" games, "close" to call, "small" (no more than the margin), "clear" */

export class Standing {
  constructor() {
    this.low = Number.NEGATIVE_INFINITY;
    this.high = Number.POSITIVE_INFINITY;
  }
  /** @param {number} gap @param {number} half of the interval about it @param {number} margin @param {number} games
   * @returns {Said} */
  look(gap, half, margin, games) {
    if (games < FEW || !Number.isFinite(half) || Number.isNaN(gap)) return { difference: gap, half, state: "few" };
    const low = Math.max(this.low, gap - half);
    const high = Math.min(this.high, gap + half);
    if (low <= high) Object.assign(this, { low, high }); // else one of the intervals is wrong: the first ones stand
    return { difference: (this.low + this.high) / 2, half: (this.high - this.low) / 2, state: this.verdict(margin) };
  }
  /** @param {number} margin */
  verdict(margin) {
    if (this.low > 0 || this.high < 0) return "clear";
    return Math.max(this.high, -this.low) < margin ? "small" : "close";
  }
}
