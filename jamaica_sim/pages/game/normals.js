// The normal numbers of NumPy's `default_rng(0)`, so that a gap is corrected by the same luck as in Python: PCG64
// (O'Neill 2014) and the ziggurat (Marsaglia & Tsang 2000).

const MASK = (1n << 64n) - 1n;
const ALL = (1n << 128n) - 1n;
const STEP = 0x2360ed051fc65da44385df649fccf645n;
const TAIL = 3.654152885361009; // where the ziggurat ends, and its inverse
const INVERSE = 0.2736612373297583;

/** @typedef {{state: string, inc: string, ki: number[], wi: number[], fi: number[]}} Tables */
/** @type {Tables | null} */
let tables = null;
/** @type {Float64Array} */
let known = new Float64Array(0);

/** State and increment of the generator, and the tables of the ziggurat. @param {Tables} found */
export function useTables(found) {
  tables = found;
  known = new Float64Array(0);
}
/** At least so many normal numbers, always the same. @param {number} many */
export function normals(many) {
  if (known.length >= many) return known;
  if (!tables) throw new Error("the tables of normal numbers are not here");
  const { ki, wi, fi } = tables;
  const inc = BigInt(tables.inc);
  let state = BigInt(tables.state);
  const next = () => {
    state = (state * STEP + inc) & ALL;
    const word = ((state >> 64n) ^ state) & MASK;
    const turn = state >> 122n;
    return ((word >> turn) | (word << (64n - turn))) & MASK;
  };
  const share = () => Number(next() >> 11n) / 2 ** 53;
  const found = new Float64Array(many);
  for (let n = 0; n < many; ) {
    const r = next();
    const layer = Number(r & 0xffn);
    const size = (r >> 9n) & 0xfffffffffffffn;
    const x = ((r >> 8n) & 1n ? -Number(size) : Number(size)) * wi[layer];
    if (Number(size) < ki[layer]) found[n++] = x;
    else if (layer === 0) found[n++] = (size >> 8n) & 1n ? -tail(share) : tail(share);
    else if ((fi[layer - 1] - fi[layer]) * share() + fi[layer] < Math.exp(-0.5 * x * x)) found[n++] = x;
  }
  known = found;
  return known;
}
/** @param {() => number} share */
function tail(share) {
  for (;;) {
    const x = -INVERSE * Math.log1p(-share());
    const y = -Math.log1p(-share());
    if (y + y > x * x) return TAIL + x;
  }
}
