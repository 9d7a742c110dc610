// Refusing what cannot be played, in one sentence.

/** A table that cannot be played; its message is for the user. */
export class Refused extends Error {}

/** @param {unknown} condition @param {string} problem */
export function refuseUnless(condition, problem) {
  if (!condition) throw new Refused(problem);
}
/** @param {unknown} value @param {number} low @param {number} high */
export const whole = (value, low, high) =>
  typeof value === "number" && Number.isInteger(value) && low <= value && value <= high;

/** A value as a sentence of the command line shows it.
 * @param {any} value @returns {string} */
export function repr(value) {
  if (Array.isArray(value)) return `(${value.map(repr).join(", ")}${value.length === 1 ? "," : ""})`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null || value === undefined) return "None";
  return typeof value === "string" ? `'${value}'` : String(value);
}
