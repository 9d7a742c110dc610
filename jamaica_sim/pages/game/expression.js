// Measures of one's own: expressions over the columns of a game, such as `margin < 3`. The grammar and what it means
// are those of `play/expression.py`.
import { refuseUnless } from "./refusing.js";

const SETS = ["winners", "half_time_leaders", "half_time_last"]; // columns that are sets of ships
const SEATS = ["first_captain", "ended_by"]; // columns that are the number of a ship, or -1
const FLAGS = ["comeback"];
const LONGEST = 1000;
const DEEPEST = 50;
const COMPARED = ["==", "!=", "<", "<=", ">", ">="];
const TOKEN = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|("[^"]*"|'[^']*')|([<>=!]=|[-+*/%()<>]))/iy;

/** The columns of a game, read by name. @typedef {(column: string) => number} Game */
/** A part of an expression: a "number", a "flag" (true or false) or "ships" (a set as bits; a word, or a column).
 * @typedef {{kind: "number" | "flag" | "ships", of: (game: Game) => number, word?: boolean, constant?: number}} Part */

/** @param {string} text @returns {string[]} */
function tokensOf(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  for (const end = text.trimEnd().length; TOKEN.lastIndex < end; ) {
    const token = TOKEN.exec(text);
    refuseUnless(token, `“${text}” cannot be read: write it like margin < 3 or winners == ghost.`);
    found.push(/** @type {RegExpExecArray} */ (token)[0].trim());
  }
  return found;
}
/** What is left of a division with the sign of the divisor. @param {number} a @param {number} b */
const remainder = (a, b) => a - b * Math.floor(a / b);
/** @type {Record<string, (a: number, b: number) => number>} */
const SUMS = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": remainder };

/** Reads one expression. */
class Reader {
  /** @param {string} text @param {string[]} columns @param {Record<string, number>} ships sets by word */
  constructor(text, columns, ships) {
    refuseUnless(text.length <= LONGEST, `an expression may have ${LONGEST} letters.`);
    this.text = text;
    this.columns = columns;
    this.ships = ships;
    this.tokens = tokensOf(text);
    this.at = 0;
    this.depth = 0;
  }
  next() {
    return this.tokens[this.at] ?? "";
  }
  /** @param {string[]} wanted */
  took(...wanted) {
    const found = wanted.every((word, i) => this.tokens[this.at + i] === word);
    if (found) this.at += wanted.length;
    return found;
  }
  /** @returns {never} */
  fail() {
    refuseUnless(
      false,
      `“${this.text}” cannot be read at “${this.next()}”: it may have columns, numbers, ships, comparisons, + - * / %, and, or, not.`,
    );
    throw new Error();
  }
  read() {
    const found = this.either();
    if (this.at < this.tokens.length) this.fail();
    refuseUnless(found.kind !== "ships", `“${this.text}” is no number but ships: compare it, as in winners == ghost.`);
    return found;
  }
  /** @param {Part} part @param {boolean} [number] whether true and false are refused */
  plain(part, number = false) {
    refuseUnless(part.kind !== "ships", "ships are no number: compare them, as in winners == ghost.");
    refuseUnless(!number || part.kind === "number", "what is true or false is no number: join with and, or, not.");
    return part.of;
  }
  /** @returns {Part} */
  either() {
    refuseUnless(++this.depth <= DEEPEST, `“${this.text.slice(0, 40)}”… has too many parts within each other.`);
    let left = this.all();
    while (this.took("or")) {
      const [a, b] = [this.plain(left), this.plain(this.all())];
      left = { kind: "flag", of: (game) => Number(a(game) !== 0 || b(game) !== 0) };
    }
    this.depth--;
    return left;
  }
  /** @returns {Part} */
  all() {
    let left = this.negated();
    while (this.took("and")) {
      const [a, b] = [this.plain(left), this.plain(this.negated())];
      left = { kind: "flag", of: (game) => Number(a(game) !== 0 && b(game) !== 0) };
    }
    return left;
  }
  /** @returns {Part} */
  negated() {
    if (!this.took("not")) return this.compared();
    refuseUnless(++this.depth <= DEEPEST, `“${this.text.slice(0, 40)}”… has too many parts within each other.`);
    const a = this.plain(this.negated());
    this.depth--;
    return { kind: "flag", of: (game) => Number(a(game) === 0) };
  }
  /** @returns {string} the next comparison, or nothing */
  comparison() {
    if (this.took("not", "in")) return "not in";
    const word = this.next();
    return (COMPARED.includes(word) || word === "in") && this.took(word) ? word : "";
  }
  /** @returns {Part} */
  compared() {
    let left = this.sum();
    /** @type {((game: Game) => boolean)[]} */
    const links = [];
    for (let word = this.comparison(); word; word = this.comparison()) {
      const right = this.sum();
      links.push(link(word, left, right));
      left = right;
    }
    if (!links.length) return left;
    return { kind: "flag", of: (game) => Number(links.every((holds) => holds(game))) };
  }
  /** @returns {Part} */
  sum() {
    return this.joined(["+", "-"], () => this.joined(["*", "/", "%"], () => this.signed()));
  }
  /** @param {string[]} signs @param {() => Part} part @returns {Part} */
  joined(signs, part) {
    let left = part();
    while (signs.includes(this.next())) {
      const how = SUMS[this.tokens[this.at++]];
      const [a, b] = [this.plain(left, true), this.plain(part(), true)];
      left = { kind: "number", of: (game) => how(a(game), b(game)) };
    }
    return left;
  }
  /** @returns {Part} */
  signed() {
    if (!this.took("-")) return this.atom();
    refuseUnless(++this.depth <= DEEPEST, `“${this.text.slice(0, 40)}”… has too many parts within each other.`);
    const a = this.plain(this.signed(), true);
    this.depth--;
    return { kind: "number", of: (game) => -a(game) };
  }
  /** @returns {Part} */
  atom() {
    if (this.took("(")) {
      const inner = this.either();
      if (!this.took(")")) this.fail();
      return inner;
    }
    const token = this.next();
    if (!token || /^(and|or|not|in)$|^[^\w"'.]/.test(token)) this.fail();
    this.at++;
    if (/^[\d.]/.test(token)) return { kind: "number", of: () => Number(token), constant: Number(token) };
    if (token === "True" || token === "False") return { kind: "flag", of: () => Number(token === "True") };
    const name = token.replace(/^(["'])(.*)\1$/, "$2");
    if (name === token && this.columns.includes(name)) return column(name);
    const set = Object.hasOwn(this.ships, name) ? this.ships[name] : 0;
    refuseUnless(set, `there is no column and no ship “${name}”; docs/results.md lists the columns.`);
    return { kind: "ships", of: () => set, word: true };
  }
}
/** @param {string} name @returns {Part} */
function column(name) {
  if (SETS.includes(name)) return { kind: "ships", of: (game) => game(name) };
  if (SEATS.includes(name)) return { kind: "ships", of: (game) => (game(name) < 0 ? 0 : 1 << game(name)) };
  return { kind: FLAGS.includes(name) ? "flag" : "number", of: (game) => game(name) };
}
/** The ship with this number. @param {Part} part @returns {Part} */
function ship(part) {
  if (part.kind === "ships") return part;
  const at = part.constant ?? -1;
  refuseUnless(
    [0, 1, 2, 3, 4, 5].includes(at),
    "a ship is a word, such as ghost or Blue or a strategy's name, or a number from 0 to 5.",
  );
  return { kind: "ships", of: () => 1 << at, word: true };
}
/** @param {string} word @param {Part} left @param {Part} right @returns {(game: Game) => boolean} */
function link(word, left, right) {
  if (left.kind === "ships" || right.kind === "ships") return among(word, ship(left), ship(right));
  refuseUnless(!word.endsWith("in"), "“in” asks for a ship in a set of ships, as in ghost in winners.");
  const kinds = [left, right].map(({ kind, constant }) => kind === "flag" || constant === 0 || constant === 1);
  const isOdd = left.kind !== right.kind && !(kinds.every(Boolean) && /^[=!]=$/.test(word));
  refuseUnless(!isOdd, "what is true or false is compared with a number: join such parts with and, or.");
  refuseUnless(left.kind === "number" || /^[=!]=$/.test(word) || isOdd, "true and false are not larger or smaller.");
  const [a, b] = [left.of, right.of];
  /** @type {Record<string, (game: Game) => boolean>} */
  const found = {
    "==": (game) => a(game) === b(game),
    "!=": (game) => a(game) !== b(game),
    "<": (game) => a(game) < b(game),
    "<=": (game) => a(game) <= b(game),
    ">": (game) => a(game) > b(game),
    ">=": (game) => a(game) >= b(game),
  };
  return found[word];
}
/** @param {string} word @param {Part} left @param {Part} right @returns {(game: Game) => boolean} */
function among(word, left, right) {
  const [a, b] = [left.of, right.of];
  if (word.endsWith("in")) return (game) => ((a(game) & b(game)) !== 0) === (word === "in");
  refuseUnless(/^[=!]=$/.test(word), "ships can be compared with ==, != and in only.");
  const [those, named] = left.word ? [b, a] : [a, b];
  const equal = (/** @type {Game} */ game) =>
    left.word || right.word ? (those(game) & ~named(game)) === 0 && those(game) !== 0 : a(game) === b(game);
  return (game) => equal(game) === (word === "==");
}

/** An expression that has been read once: whether it is a share, and its value for a game, which may be no number.
 * @param {string} text @param {string[]} columns @param {Record<string, number>} ships
 * @returns {{share: boolean, of: (game: Game) => number}} */
export function expression(text, columns, ships) {
  const { kind, of } = new Reader(text, columns, ships).read();
  return { share: kind === "flag", of };
}
