// Rules by name: a table and its changes become the rules that the engine plays. What cannot be played is refused in
// the words of the command line, for each check here is one of Python's (`game/rules.py`, `game/components/`).
import { checkBoard } from "./course.js";
import { Refused, refuseUnless, repr, whole } from "./refusing.js";

/** @typedef {import("./course.js").Space} Space */
/** @typedef {{morning: string, evening: string}} Card */
/** @typedef {{name: string, kind: string, value: number, in_game: boolean}} Treasure */
/** @typedef {{strength: number | null, shortage_symbol: string}} Face */
/** @typedef {number | boolean | string | null | (number | string)[]} Value */
/** @typedef {Record<string, Value>} Changes */
/** @typedef {{name: string, value: Value, low?: number, high?: number, flag?: boolean, by_seat?: boolean,
 *    counts?: [number, number]}} PlainRule */
/** @typedef {{name: string, value: number, low: number, high: number}} Parameter */
/** @typedef {{name: string, description: string, parameters: Parameter[]}} House */
/** @typedef {Record<string, any>} Codes */
/** What is in the box, as the page has it from Python.
 * @typedef {{board: Space[], cards: Card[], treasures: Treasure[], die: Face[], plain: PlainRule[], houses: House[],
 *    codes: Codes, of: string, refusal?: string}} Box */
/** @typedef {{players: number, edition: string, ghost: boolean}} Table */
/** @typedef {{board: Space[], cards: Card[], treasures: Treasure[], die: Face[]}} Parts */
/** @typedef {Parts & {players: number, plain: Record<string, any>, goods: number[][],
 *    house: {name: string, values: number[]} | null}} Rules */

const ROOMS = ["space", "treasure", "card"];
const DICE = ["combat_die", "shortage_die"];
/** @type {Record<string, string>} */
const DEARER = { "ports.dearer": "port", "seas.dearer": "sea" };
export const AT_ONCE = [...Object.keys(DEARER), "red_line"];
const SIXTH = "sixth_hold";
/** @param {string} name */
const isComponent = (name) =>
  name === "board" || DICE.includes(name) || AT_ONCE.includes(name) || ROOMS.includes(name.split(".")[0]);
/** @param {string} name */
const isOfHouse = (name) => name === "house_rules" || name.startsWith("house.");

/** A treasure's name as a rule spells it.
 * @param {string} name */
export function cardName(name) {
  const number = name.match(/([+-])(\d+)$/);
  if (number) return `${number[1] === "+" ? "plus" : "minus"}_${number[2]}`;
  return name === "6th Hold"
    ? SIXTH
    : name
        .toLowerCase()
        .replace(/'/g, "")
        .replace(/[^a-z]+/g, "_");
}
/** Numbers in order, so that card 11 is added before card 12.
 * @param {string} name */
const natural = (name) => name.replace(/\d+/g, (digits) => digits.padStart(6, "0"));
/** When a change is made: a space's kind before its cost, the faces of the die before its symbols.
 * @param {string} name */
function turn(name) {
  if (AT_ONCE.includes(name)) return 1;
  return name.endsWith(".kind") ? 2 : name === "shortage_die" ? 4 : 3;
}

/** Board, cards, treasures and die with the named ones changed.
 * @param {Box} box @param {Changes} changes @returns {Parts & {kinds: Map<string, {card: Treasure, copies: number}>}} */
export function changedParts(box, changes) {
  /** @type {Map<string, {card: Treasure, copies: number}>} */
  const kinds = new Map();
  for (const card of box.treasures) {
    const name = cardName(card.name);
    const known = kinds.get(name);
    if (known) known.copies += 1;
    else kinds.set(name, { card: { ...card }, copies: 1 });
  }
  const draft = {
    board: box.board.map((space) => ({ ...space })),
    cards: box.cards.map((card) => ({ ...card })),
    die: box.die.map((face) => ({ ...face })),
    treasures: box.treasures,
    kinds,
  };
  refuseUnless(
    (changes.board ?? box.of) === box.of,
    box.refusal ?? "a board of your own comes with --rules FILE: the page itself reads no file.",
  );
  const names = Object.keys(changes).filter((name) => isComponent(name) && name !== "board");
  names.sort((a, b) => turn(a) - turn(b) || (natural(a) < natural(b) ? -1 : 1));
  for (const name of names) changeOne(draft, box, name, changes[name]);
  draft.treasures = laidOut(box, kinds);
  checkParts(draft, box);
  return draft;
}
/** @param {ReturnType<typeof changedParts>} draft @param {Box} box @param {string} name @param {any} value */
function changeOne(draft, box, name, value) {
  const [room, which, what] = name.split(".");
  if (name in DEARER) makeDearer(draft, box, name, value);
  else if (name === "red_line") moveRedLine(draft, value);
  else if (name === "combat_die") {
    draft.die = [value].flat().map((strength, i) => ({
      strength: strength === "star" ? null : strength,
      shortage_symbol: draft.die[i]?.shortage_symbol ?? "star",
    }));
  } else if (name === "shortage_die") {
    const symbols = [value].flat();
    const faces = draft.die.length;
    refuseUnless(
      symbols.length === faces,
      `shortage_die must have a symbol for each of the ${faces} faces of combat_die.`,
    );
    draft.die.forEach((face, i) => {
      face.shortage_symbol = symbols[i];
    });
  } else if (room === "space") changeSpace(draft, name, Number(which), what, value);
  else if (room === "treasure") changeTreasure(draft, box, name, which, what, value);
  else changeCard(draft, name, Number(which), what, value);
}
/** @param {Parts} draft @param {Box} box @param {string} name @param {number} value */
function makeDearer(draft, box, name, value) {
  const most = box.codes.most_cost;
  refuseUnless(
    whole(value, -most, most),
    `${name} must be a whole number from ${-most} to ${most}, not ${repr(value)}.`,
  );
  for (const space of draft.board) {
    if (space.kind === DEARER[name] && space.cost) space.cost = Math.min(Math.max(space.cost + value, 1), most);
  }
}
/** @param {Parts} draft @param {number} value */
function moveRedLine({ board }, value) {
  const last = board.length - 1;
  refuseUnless(whole(value, 2, last), `red_line must be a space from 2 to ${last}, not ${repr(value)}.`);
  const lost = board[1].score;
  board.forEach((space, n) => {
    if (n) space.score = n < value ? lost : Math.max(space.score, 0);
  });
}
/** @param {Parts} draft @param {string} name @param {number} which @param {string} what @param {any} value */
function changeSpace({ board }, name, which, what, value) {
  const space = board[which];
  refuseUnless(space, `${name}: the spaces of the board are 0 to ${board.length - 1}.`);
  if (what === "next") {
    const lanes = String(value).split(/[/|]/);
    refuseUnless(
      lanes.every((lane) => /^\d{1,6}$/.test(lane.trim())),
      `${name} must be the space that follows, as 7, or two lanes, as 7/13, not ${repr(value)}.`,
    );
    space.next = lanes.map(Number);
  } else {
    refuseUnless(["cost", "score", "kind"].includes(what), `there is no rule '${name}'.`);
    Object.assign(space, { [what]: value });
  }
  if (what === "kind" && value === "lair") space.cost = 0;
}
/** @param {ReturnType<typeof changedParts>} draft @param {Box} box @param {string} name @param {string} which
 * @param {string | undefined} what @param {number} value */
function changeTreasure({ kinds }, box, name, which, what, value) {
  const kind = kinds.get(which);
  const most = which === SIXTH ? 1 : box.treasures.length;
  if (!kind || !["copies", "value", undefined].includes(what)) throw new Refused(`there is no rule '${name}'.`);
  if (what === "value") kind.card.value = value;
  else {
    refuseUnless(
      whole(value, 0, most),
      `${name} is how many of these cards are in the game: 0 to ${most}, not ${repr(value)}.`,
    );
    kind.copies = value;
  }
}
/** @param {Parts} draft @param {string} name @param {number} which @param {string | undefined} what
 * @param {any} value */
function changeCard({ cards }, name, which, what, value) {
  refuseUnless(which <= cards.length - (what ? 1 : 0), `there is no rule '${name}'.`);
  if (what) {
    refuseUnless(what === "morning" || what === "evening", `there is no rule '${name}'.`);
    cards[which] = { ...cards[which], [what]: value };
    return;
  }
  const symbols = String(value).split("/");
  refuseUnless(symbols.length === 2, `${name} must be two symbols, such as gold/forward, not ${repr(value)}.`);
  cards[which] = { morning: symbols[0], evening: symbols[1] };
}
/** The cards in their printed order. A copy more than the box has takes the place of a card that is left out.
 * @param {Box} box @param {Map<string, {card: Treasure, copies: number}>} kinds */
function laidOut(box, kinds) {
  const left = new Map([...kinds].map(([name, { copies }]) => [name, copies]));
  const laid = box.treasures.map((printed) => {
    const name = cardName(printed.name);
    const more = left.get(name) ?? 0;
    if (more) left.set(name, more - 1);
    return more ? { ...(kinds.get(name)?.card ?? printed), in_game: true } : { ...printed, in_game: false };
  });
  const free = laid.flatMap((card, i) => (card.in_game ? [] : [i]));
  const more = [...left].flatMap(([name, copies]) => Array(copies).fill(name));
  refuseUnless(
    more.length <= free.length,
    `there are ${laid.length} treasure cards at most: for more of ${[...new Set(more)].join(", ")} leave others out, ` +
      "such as treasure.minus_2=0.",
  );
  more.forEach((name, i) => {
    laid[free[i]] = { .../** @type {Treasure} */ (kinds.get(name)?.card), in_game: true };
  });
  return laid;
}
/** @param {Parts} parts @param {Box} box */
function checkParts({ board, cards, treasures, die }, box) {
  const { codes } = box;
  checkBoard(board, codes);
  const many = `${box.cards.length} to ${codes.most_cards}`;
  refuseUnless(
    box.cards.length <= cards.length && cards.length <= codes.most_cards,
    `a deck has ${many} action cards, not ${cards.length}.`,
  );
  cards.forEach((card, n) => {
    for (const symbol of [card.morning, card.evening]) {
      const known = codes.symbols.includes(symbol);
      refuseUnless(known, `action card ${n} shows ${repr(symbol)}: a symbol is ${codes.symbols.join(", ")}.`);
    }
  });
  const forward = cards.some((card) => [card.morning, card.evening].includes("forward"));
  refuseUnless(forward, "no action card moves a ship forward: nobody could ever come home.");
  const most = codes.largest_score;
  for (const card of treasures) {
    const good = whole(card.value, -most, most);
    refuseUnless(good, `the value of ${card.name} must be a whole number from ${-most} to ${most}.`);
    refuseUnless(card.value === 0 || card.kind !== "power", `${card.name} is a power, which is worth no points.`);
  }
  const faces = codes.most_faces;
  refuseUnless(2 <= die.length && die.length <= faces, `the combat die has 2 to ${faces} faces, not ${die.length}.`);
  for (const { strength, shortage_symbol } of die) {
    const good = strength === null || whole(strength, 1, codes.most_strength);
    refuseUnless(good, `a face of the combat die is a star or a whole number from 1 to ${codes.most_strength}.`);
    const known = codes.shortage_symbols;
    refuseUnless(
      known.includes(shortage_symbol),
      `a shortage symbol is ${known.join(", ")}, not ${repr(shortage_symbol)}.`,
    );
  }
}

/** The rules of a table with changes.
 * @param {Box} box @param {Table} table @param {Changes} changes @returns {Rules} */
export function rulesOf(box, table, changes) {
  const { players, ghost, edition } = table;
  const { board, cards, treasures, die } = changedParts(box, changes);
  const house = houseOf(box, changes);
  /** @type {Record<string, any>} */
  const plain = Object.fromEntries(box.plain.map(({ name, value }) => [name, value]));
  for (const [name, value] of Object.entries(changes)) {
    if (isComponent(name) || isOfHouse(name)) continue;
    refuseUnless(name in plain, `there is no rule '${name}'.`);
    plain[name] = value;
  }
  for (const rule of box.plain) checkPlain(rule, plain[rule.name], players);
  const { resources } = box.codes;
  /** @type {number[][]} */
  const goods = resources.map((/** @type {string} */ name) => {
    const value = plain[`start_${name}`];
    return Array.isArray(value) ? value : Array(players).fill(value);
  });
  Object.assign(plain, {
    players,
    ghost,
    ships: players + Number(ghost),
    shortage_by_die: edition === "2021",
    hand_with_map: plain.map_hand_size ?? plain.hand_size + 1,
  });
  const rules = { players, plain, goods, board, cards, treasures, die, house };
  checkTogether(rules, box);
  return rules;
}
/** What no rule forbids alone.
 * @param {Rules} rules @param {Box} box */
function checkTogether({ players, plain, goods, treasures, board }, { codes }) {
  const { ghost, treasure_pile: pile } = plain;
  const copies = (/** @type {string} */ name) => treasures.filter((card) => card.name === name && card.in_game).length;
  refuseUnless(
    players !== 2 || ghost,
    "two players always play with the ghost ship: leave the ghost on, or take three players.",
  );
  refuseUnless(players !== 6 || !ghost, "the ghost ship needs a free colour: it plays with 2 to 5 players, not 6.");
  refuseUnless(
    plain.hand_with_map <= codes.most_hand,
    `a hand of ${plain.hand_with_map} with Morgan's Map is too large: give map_hand_size as well.`,
  );
  refuseUnless(
    !ghost || copies("Lady Beth") === 1,
    "Lady Beth sails with the ghost ship (G1): leave one of her in, or play without the ghost.",
  );
  refuseUnless(
    plain.holds >= 3 || !goods[codes.resources.indexOf("gunpowder")].some(Boolean),
    "start_gunpowder lies in a third hold: give ships 3 holds or more.",
  );
  refuseUnless(
    plain.holds !== codes.most_holds || !copies("6th Hold"),
    "six holds leave no room for the card 6th Hold: take it out with treasure.sixth_hold=0.",
  );
  const lairs = board.filter((space) => space.kind === "lair").length;
  refuseUnless(pile <= lairs, `treasure_pile is ${pile}, but there are only ${lairs} lairs to draw it from.`);
  const cards = treasures.filter((card) => card.in_game && !(ghost && card.name === "Lady Beth")).length;
  refuseUnless(pile <= cards, `treasure_pile is ${pile}, but only ${cards} treasure cards are in the game.`);
  if (!plain.limited_bank) return;
  goods.forEach((seats, i) => {
    const resource = codes.resources[i];
    const ghosts = ghost && resource === "gold" ? plain.ghost_gold : [];
    const stock = [...seats, ...ghosts].reduce((a, b) => a + b, 0);
    const there = plain.bank[i];
    refuseUnless(stock <= there, `the ships begin with ${stock} ${resource}, but the bank has only ${there}.`);
  });
}
/** @param {Box} box @param {Changes} changes */
function houseOf(box, changes) {
  const name = changes.house_rules ?? "none";
  const house = box.houses.find((one) => one.name === name);
  refuseUnless(
    house || name === "none",
    "house rules of your own come with --house-rules FILE: the page itself reads no file.",
  );
  const given = Object.keys(changes).filter((one) => one.startsWith("house."));
  for (const one of given) {
    refuseUnless(house, `${one}: there are no house rules here to change: name a file.`);
    refuseUnless(
      house?.parameters.some((parameter) => parameter.name === one),
      `there is no rule '${one}'.`,
    );
  }
  if (!house) return null;
  const values = house.parameters.map(({ name: its, value, low, high }) => {
    const now = changes[its] ?? value;
    refuseUnless(whole(now, low, high), `${its} must be a whole number from ${low} to ${high}, not ${repr(now)}.`);
    return Number(now);
  });
  return { name: house.name, values };
}
/** @param {PlainRule} rule @param {any} value @param {number} players */
function checkPlain({ name, value: printed, low = 0, high = 0, flag, by_seat, counts }, value, players) {
  if (value === null && printed === null) return;
  const each = `whole number${counts ? "s" : ""} from ${low} to ${high}`;
  const allWhole = Array.isArray(value) && value.every((number) => whole(number, low, high));
  if (by_seat && Array.isArray(value)) {
    refuseUnless(
      value.length === players && allWhole,
      `${name} must be one ${each}, or one for each of ${players} players, not ${value.join(", ")}.`,
    );
  } else if (flag) {
    refuseUnless(typeof value === "boolean", `${name} must be true or false, not ${repr(value)}.`);
  } else if (counts) {
    const [fewest, most] = counts;
    const many = fewest === most ? most : `${fewest} to ${most}`;
    const good = allWhole && fewest <= value.length && value.length <= most;
    refuseUnless(good, `${name} must be ${many} ${each}, not ${repr(value)}.`);
  } else refuseUnless(whole(value, low, high), `${name} must be a ${each}, not ${repr(value)}.`);
}

/** Whether two sets of rules are the same.
 * @param {Rules} a @param {Rules} b */
export const sameRules = (a, b) => JSON.stringify(a) === JSON.stringify(b);
