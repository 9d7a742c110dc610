// The engine in WebAssembly: tables are laid in its memory, batches of games are played there, and sums come out.
import { DERIVED, gameOf } from "../game/columns.js";
import { expression } from "../game/expression.js";
import { addOwn, GAME_SUMS, MAPS, PARTS, SHIPS, SPACES, SUMS } from "../game/sums.js";
import { Memory } from "./memory.js";

export const PIECE = 256; // games between two looks at the post
const FRACTIONS = 2 ** 22; // of a unit, to which values of measures of one's own are rounded
const LARGEST = 2 ** 22; // of such a value
const RAISED = 1; // the status of a function that ended with an exception

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {{functions: string[], record: Uint8Array, bans: number, reads_words: boolean}} Seated */
/** @typedef {{key: string, rules: number, records: number[], players: number, seats: string[]}} Slot */
/** Measures of one's own: their texts, how many ships there are, and the words for them.
 * @typedef {{texts: string[], ships: number, words: Record<string, number>}} Measured */
/** @typedef {{layout: Record<string, any>, strategies: Record<string, Seated>,
 *    moments: Record<string, Record<string, number>>}} Facts */

/** What a strategy or house rules did wrong, in words. */
export class Fault extends Error {}

export class Engine {
  /** @param {WebAssembly.Module} module @param {Facts} facts */
  constructor(module, facts) {
    this.facts = facts;
    const memory = new Memory(facts.layout.records);
    this.memory = memory;
    const table = new WebAssembly.Table({ initial: 8, element: "anyfunc" });
    const env = { __linear_memory: memory.memory, __stack_pointer: memory.stack, __indirect_function_table: table };
    this.functions = /** @type {Record<string, Function>} */ (new WebAssembly.Instance(module, { env }).exports);
    /** @type {Record<string, number>} */
    this.address = {};
    for (const [name, its] of Object.entries(this.functions)) {
      this.address[name] = table.grow(1);
      table.set(this.address[name], its);
    }
    this.at = {
      raw: memory.roomFor("raw"),
      state: memory.roomFor("state"),
      tally: memory.roomFor("tally"),
      beside: memory.roomFor("beside"),
      ships: memory.roomFor("ships"),
      values: memory.roomFor("values"),
      rows: memory.roomFor("row", PIECE),
      members: memory.room(8 * SHIPS * SHIPS),
      result: memory.room(64),
      raised: memory.room(64),
    };
    memory.bytes(this.at.members, 8 * SHIPS * SHIPS).fill(255); // −1: no group of ships is added up here
    const largest = Math.max(...Object.values(facts.strategies).map(({ record }) => record.length));
    /** @type {Slot[]} two tables lie side by side: the base and the variant */
    this.slots = [0, 1].map(() => ({
      key: "",
      rules: memory.roomFor("rules"),
      records: Array.from({ length: SHIPS }, () => memory.room(largest + memory.records.bans.size)),
      players: 0,
      seats: [],
    }));
  }

  /** Call a compiled function by numba's convention.
   * @param {string} name @param {(number | bigint)[][]} pieces */
  call(name, ...pieces) {
    const status = this.functions[name](this.at.result, this.at.raised, ...pieces.flat());
    if (status) throw new Fault(this.wordsOfFault(status));
    return Number(this.memory.view.getBigInt64(this.at.result, true));
  }
  /** An array as numba passes it: nobody owns it; items, bytes of an item, address, lengths, strides.
   * @param {number} at @param {number} bytes @param {number[]} shape */
  array(at, bytes, ...shape) {
    const strides = shape.map((_, axis) => BigInt(shape.slice(axis + 1).reduce((a, b) => a * b, bytes)));
    const items = BigInt(shape.reduce((a, b) => a * b, 1));
    return [0, 0, items, BigInt(bytes), at, ...shape.map(BigInt), ...strides];
  }
  /** @param {string} name of a record @param {number} [at] */
  one(name, at = /** @type {Record<string, number>} */ (this.at)[name]) {
    return this.array(at, this.memory.records[name].size, 1);
  }

  /** Lay a table: its rulebook and what its strategies read; nothing where it lies there already.
   * @param {number} number @param {string} key @param {Rules} rules @param {string[]} seats */
  lay(number, key, rules, seats) {
    const slot = this.slots[number];
    if (slot.key === key) return slot;
    slot.key = "";
    this.writeRules(slot.rules, rules);
    this.call("derive", this.one("raw"), this.one("rules", slot.rules));
    if (rules.house) this.enforce(slot.rules, rules.house);
    for (const name of new Set(seats)) this.weigh(slot.records[seats.indexOf(name)], name, rules.treasures);
    return Object.assign(slot, { key, seats, players: rules.players });
  }
  /** What the rules say, as `engine/rulebook.py` writes it.
   * @param {number} at @param {Rules} rules */
  writeRules(at, rules) {
    const { memory, facts } = this;
    const { records, same_names, treasure_names } = facts.layout;
    memory.clear(at, records.rules.size);
    memory.clear(this.at.raw, records.raw.size);
    /** @param {string} name @param {number[] | number[][]} values */
    const put = (name, values) => memory.putAll("rules", at, name, values);
    /** @param {string} name @param {number[] | number[][]} values */
    const raw = (name, values) => memory.putAll("raw", this.at.raw, name, values);
    for (const name of same_names) {
      const value = rules.plain[name];
      if (Array.isArray(value)) put(name, value.map(Number));
      else memory.put("rules", at, name, Number(value));
    }
    memory.put("raw", this.at.raw, "holds", rules.plain.holds);
    raw("goods", rules.goods);
    memory.put("rules", at, "die_faces", rules.plain.action_die.length);
    put("die_face", rules.plain.action_die);
    memory.put("rules", at, "spaces", rules.board.length);
    put(
      "space_kind",
      rules.board.map(({ kind }) => facts.layout.space_kinds.indexOf(kind)),
    );
    put(
      "cost",
      rules.board.map(({ cost }) => cost),
    );
    put(
      "score",
      rules.board.map(({ score }) => score),
    );
    raw(
      "next",
      rules.board.map(({ next }) => [next[0], next[1] ?? -1]),
    );
    memory.put("raw", this.at.raw, "cards", rules.cards.length);
    const symbol = (/** @type {string} */ name) => facts.layout.symbols.indexOf(name);
    put(
      "card_symbol",
      rules.cards.map(({ morning, evening }) => [symbol(morning), symbol(evening)]),
    );
    raw(
      "treasure_name",
      rules.treasures.map(({ name }) => treasure_names.indexOf(name)),
    );
    raw(
      "treasure_kind",
      rules.treasures.map(({ kind }) => facts.layout.treasure_kinds.indexOf(kind)),
    );
    raw(
      "in_game",
      rules.treasures.map(({ in_game }) => Number(in_game)),
    );
    put(
      "treasure_value",
      rules.treasures.map(({ value }) => value),
    );
    memory.put("rules", at, "combat_faces", rules.die.length);
    put(
      "die_strength",
      rules.die.map(({ strength }) => strength ?? facts.layout.star),
    );
    put(
      "die_retreat",
      rules.die.map(({ shortage_symbol }) => facts.layout.retreats[shortage_symbol]),
    );
  }
  /** House rules: the engine that knows their moments, their functions and the values of their parameters.
   * @param {number} at @param {{name: string, values: number[]}} house */
  enforce(at, { name, values }) {
    const { memory } = this;
    memory.put("rules", at, "engine", this.address.house_engine, 0);
    memory.put("rules", at, "printed", 1);
    for (const [named, moment] of Object.entries(this.facts.moments[name])) {
      memory.put("rules", at, "moments", this.address[named], moment);
    }
    memory.putAll("rules", at, "parameters", values);
  }
  /** The record that a strategy reads, with its tables for these treasures, and behind it that of its bans.
   * @param {number} at @param {string} name @param {Rules["treasures"]} treasures */
  weigh(at, name, treasures) {
    const { memory, facts } = this;
    const { record, bans, functions } = facts.strategies[name];
    if (!functions.length) return; // random play reads nothing
    memory.bytes(at, record.length).set(record);
    const worth = treasures.map((card) =>
      card.kind === "power" ? memory.get("weights", at, facts.layout.powers[card.name]) : card.value,
    );
    memory.putAll("weights", at, "treasure_worth", worth);
    this.call("tabulate", this.one("weights", at));
    memory.put("weights", at, "heuristic", this.address.decide);
    if (!bans) return;
    memory.put("bans", at + record.length, "bans", bans);
    memory.putAll(
      "bans",
      at + record.length,
      "functions",
      functions.map((one) => this.address[one]),
    );
    memory.put("bans", at + record.length, "weights", at);
  }
  /** Seat the strategies of a table in the state.
   * @param {Slot} slot */
  sit(slot) {
    const { memory, at } = this;
    memory.clear(at.state, memory.records.state.size);
    memory.put("state", at.state, "game", -1);
    slot.seats.forEach((name, seat) => {
      const { functions, bans, record, reads_words } = this.facts.strategies[name];
      functions.forEach((one, decision) => {
        memory.put("state", at.state, "strategy", this.address[bans ? "decide_restricted" : one], decision, seat);
      });
      const own = slot.records[slot.seats.indexOf(name)];
      memory.put("state", at.state, "weights", bans ? own + record.length : own, seat);
      memory.put("state", at.state, "reads_words", Number(reads_words), seat);
    });
  }
  /** Play games of a laid table; at most PIECE. Their rows and sums are in memory afterwards.
   * @param {Slot} slot @param {number} first @param {number} games @param {number} [seed] */
  play(slot, first, games, seed = 1) {
    const { memory, at } = this;
    const { records } = memory;
    const { row_numbers } = this.facts.layout;
    this.sit(slot);
    this.slot = slot;
    const rows = this.array(at.rows, records.row.size, games);
    const rulebook = this.one("rules", slot.rules);
    this.call("play", this.one("state"), rulebook, [BigInt(seed), BigInt(first)], rows);
    if (memory.get("state", at.state, "error")) throw new Fault(this.wordsOfFault(0));
    for (const name of /** @type {const} */ (["tally", "beside", "ships", "values"])) {
      memory.clear(this.at[name], records[name].size);
    }
    this.call(
      "add_up",
      rows,
      this.array(at.rows, 2, games, row_numbers),
      rulebook,
      this.array(at.members, 8, SHIPS, SHIPS),
      this.one("tally"),
      this.one("beside"),
      this.one("ships"),
      this.array(at.ships, 4, records.ships.size / 4),
      this.one("values"),
      this.array(at.values, 8, records.values.size / 8),
    );
  }
  /** Who did what wrong in which game, from the state that it left.
   * @param {number} status */
  wordsOfFault(status) {
    const { memory, at, facts } = this;
    const get = (/** @type {string} */ name, /** @type {number[]} */ ...index) =>
      memory.get("state", at.state, name, ...index);
    const raised = memory.view.getUint32(at.raised, true);
    const described = status === RAISED && raised ? memory.view.getUint32(raised, true) : 0;
    const words = described ? memory.text(described, memory.view.getInt32(raised + 4, true)) : "an exception";
    const where = `in game ${get("game")}, round ${get("round")}`;
    const moment = get("in_moment");
    if (moment) {
      const did = status ? `raised ${words} in` : `returned ${get("error_answer")}, which makes no sense, in`;
      return `the house rules ${did} ${facts.layout.moments[moment - 1]}, ${where}.`;
    }
    const seat = status ? get("me") : get("error_player");
    const decision = facts.layout.decisions[status ? get("decision") : get("error_decision")];
    const did = status ? `raised ${words}` : `answered ${get("error_answer")}, which is not one of the legal options,`;
    return `the strategy ${this.slot?.seats[seat]} ${did} at ${decision} ${where}, seat ${seat}.`;
  }
  /** Add the sums that figures are made of. They are whole numbers far below 2^53, so nothing is rounded.
   * @param {Float64Array} sums as `game/sums.js` lays them out */
  gather(sums) {
    const { memory, at } = this;
    const { game_quantities } = this.facts.layout;
    let n = 0;
    const add = (
      /** @type {string} */ record,
      /** @type {number} */ place,
      /** @type {string} */ name,
      /** @type {number[]} */ ...index
    ) => {
      sums[n++] += memory.get(record, place, name, ...index);
    };
    for (let part = 0; part < PARTS; part++) {
      add("tally", at.tally, "part_games", part);
      for (let ship = 0; ship < SHIPS; ship++) add("beside", at.beside, "part_sum", part, ship); // wins come first
      for (let seat = 0; seat < SHIPS; seat++) add("tally", at.tally, "part_seat_wins", part, seat);
      for (const name of GAME_SUMS) add("tally", at.tally, "part_game", part, game_quantities.indexOf(name));
    }
    for (const name of GAME_SUMS) add("tally", at.tally, "by_game", game_quantities.indexOf(name), 1);
    for (let ship = 0; ship < SHIPS; ship++) {
      for (let captain = 0; captain < SHIPS; captain++) {
        sums[n] += memory.get("beside", at.beside, "captain_square_sum", captain, ship);
      }
      n++;
    }
    for (const map of MAPS) {
      for (const moment of [0, 1]) {
        for (let space = 0; space < SPACES; space++) add("state", at.state, `sum_${map}`, moment, space);
      }
    }
  }
  /** Add measures of one's own of the games that were played last.
   * @param {Float64Array} sums @param {Measured} measured @param {number} first @param {number} games */
  measure(sums, { texts, ships, words }, first, games) {
    if (!texts.length) return;
    const { memory, at } = this;
    const { row_numbers, columns } = this.facts.layout;
    const names = [...Object.keys(columns), ...DERIVED];
    const read = texts.map((text) => expression(text, names, words));
    const rows = new Int16Array(memory.memory.buffer, at.rows, games * row_numbers);
    for (let i = 0; i < games; i++) {
      const game = gameOf(rows.subarray(i * row_numbers), columns, first + i, ships);
      for (const [number, { of }] of read.entries()) {
        const value = Math.round(of(game) * FRACTIONS) / FRACTIONS;
        if (Math.abs(value) <= LARGEST) addOwn(sums, first + i, number, value);
      }
    }
  }
}

/** Play games of a table piece by piece; their sums.
 * @param {Engine} engine
 * @param {{number: number, key: string, rules: Rules, seats: string[], measured: Measured,
 *    first: number, games: number}} share */
export function playShare(engine, { number, key, rules, seats, measured, first, games }) {
  const slot = engine.lay(number, key, rules, seats);
  const sums = new Float64Array(SUMS);
  for (let done = 0; done < games; done += PIECE) {
    const many = Math.min(PIECE, games - done);
    engine.play(slot, first + done, many);
    engine.gather(sums);
    engine.measure(sums, measured, first + done, many);
  }
  return sums;
}
