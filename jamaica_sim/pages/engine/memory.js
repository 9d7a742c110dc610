// The memory of the engine: room for records, and their fields by name. Nothing of the game.

const STACK = 2 << 20; // below it are the stack, which grows downwards, and the module's constants
const PAGE = 65536;

/** @typedef {[offset: number, shape: number[], kind: string]} Field */
/** @typedef {{size: number, fields: Record<string, Field>}} Layout */

/** The place of one member of an array of several dimensions.
 * @param {number[]} shape @param {number[]} at */
const placeOf = (shape, at) => at.reduce((sum, index, axis) => sum * shape[axis] + index, 0);
/** @param {string} kind */
const bytesOf = (kind) => Number(kind.slice(1));

export class Memory {
  /** @param {Record<string, Layout>} records where the fields of each record lie */
  constructor(records) {
    this.records = records;
    this.memory = new WebAssembly.Memory({ initial: 2 * (STACK / PAGE) });
    this.stack = new WebAssembly.Global({ value: "i32", mutable: true }, STACK);
    this.top = STACK;
    this.seen = new DataView(this.memory.buffer);
  }
  /** @returns {DataView} the memory as it is now: it moves when it grows */
  get view() {
    if (this.seen.buffer !== this.memory.buffer) this.seen = new DataView(this.memory.buffer);
    return this.seen;
  }
  /** Room for some bytes; its address.
   * @param {number} bytes */
  room(bytes) {
    const place = (this.top + 63) & ~63;
    this.top = place + bytes;
    const short = this.top - this.memory.buffer.byteLength;
    if (short > 0) this.memory.grow(Math.ceil(short / PAGE));
    return place;
  }
  /** @param {string} name of a record @param {number} [many] */
  roomFor(name, many = 1) {
    return this.room(this.records[name].size * many);
  }
  /** @param {number} at @param {number} size */
  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at, size);
  }
  /** @param {number} at @param {number} size */
  clear(at, size) {
    this.bytes(at, size).fill(0);
  }
  /** Write one number of a record.
   * @param {string} record @param {number} at @param {string} name @param {number} value @param {number[]} index */
  put(record, at, name, value, ...index) {
    const [offset, shape, kind] = this.records[record].fields[name];
    const place = at + offset + bytesOf(kind) * placeOf(shape, index);
    if (kind === "i8" || kind === "u8") this.view.setBigInt64(place, BigInt(value), true);
    else if (kind === "f8") this.view.setFloat64(place, value, true);
    else if (kind === "i4") this.view.setInt32(place, value, true);
    else if (kind === "i2") this.view.setInt16(place, value, true);
    else this.view.setInt8(place, value);
  }
  /** Write a list of numbers, or lists of lists, from the beginning of a field.
   * @param {string} record @param {number} at @param {string} name @param {number[] | number[][]} values */
  putAll(record, at, name, values) {
    values.forEach((value, i) => {
      if (!Array.isArray(value)) this.put(record, at, name, value, i);
      else for (const [k, one] of value.entries()) this.put(record, at, name, one, i, k);
    });
  }
  /** Read one number of a record.
   * @param {string} record @param {number} at @param {string} name @param {number[]} index */
  get(record, at, name, ...index) {
    const [offset, shape, kind] = this.records[record].fields[name];
    const place = at + offset + bytesOf(kind) * placeOf(shape, index);
    if (kind === "i8" || kind === "u8") return Number(this.view.getBigInt64(place, true));
    if (kind === "f8") return this.view.getFloat64(place, true);
    if (kind === "i4") return this.view.getInt32(place, true);
    return kind === "i2" ? this.view.getInt16(place, true) : this.view.getInt8(place);
  }
  /** The text that ends with a zero, of at most so many bytes.
   * @param {number} at @param {number} size */
  text(at, size) {
    const bytes = this.bytes(at, size).slice();
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  }
}
