// Trials: settings of rules that play the same deals and are judged as they come. A curve, a map of two rules, a ranking
// and the search for a goal are views of one: settings that are given all play on, a search chooses who plays on.
import { Watch } from "../game/figures.js";
import { sameRules } from "../game/rules.js";

const SEARCHED = 160; // settings that a search tries
const MOST_SINGLES = 5; // values of a rule that it tries first, alone
const AT_ONCE = 6; // settings
const PARENTS = 6; // settings that others are made of, and that play on
const LOOKS = { means: [2, 6], shares: [4, 7] }; // batches that every setting plays, and those that the best play
const MOST_CHANGES = 4;
const FRESH = 2 ** 42; // number of the first deal that no search has seen
const FRESH_GAMES = 65_536; // a gap of seats is known to half a point then
const CONFIRMED = 3; // settings that meet the goal

/** @typedef {import("../game/rules.js").Changes} Changes */
/** @typedef {import("./answers.js").Laid} Laid */
/** @typedef {import("./answers.js").Batch} Batch */
/** @typedef {{key: string, low: number, high: number}} Target shares in percent */
/** @typedef {(tables: Laid[], batch: Batch) => Promise<Float64Array[] | null>} Play */

/** Rules that were changed, and what came of it. */
class Setting {
  /** @param {Changes} changes @param {Laid} table @param {Watch} watch @param {object} asked */
  constructor(changes, table, watch, asked) {
    this.asked = asked;
    this.changes = changes;
    this.table = table;
    this.watch = watch;
    this.batches = 0;
    /** @type {{key: string, value: number | null, half: number | null, said: string, games: number}[]} by fresh deals */
    this.confirmed = [];
  }
  get games() {
    return this.watch.games;
  }
  /** A figure of it as a row of the page. @param {string} key */
  row(key) {
    return this.watch.row(this.watch.figures.findIndex((figure) => figure.key === key));
  }
  /** How far its figures are outside the ranges, in changes that matter. @param {Target[]} targets */
  miss(targets) {
    const valueAt = (/** @type {string} */ key) =>
      (this.confirmed.find((one) => one.key === key) ?? this.row(key)).value;
    return targets.map((target) => this.distance(target, valueAt(target.key))).reduce((a, b) => a + b, 0);
  }
  /** @param {Target} target @param {number | null} value */
  distance({ key, low, high }, value) {
    const figure = this.watch.figures.find((one) => one.key === key);
    if (value === null || !figure) return Number.POSITIVE_INFINITY;
    const [margin] = this.watch.scaleOf(figure);
    return Math.max(0, low - value, value - high) / margin / (figure.share ? 100 : 1);
  }
}

export class Trial {
  /** @param {Laid} base @param {Play} play @param {Batch[]} batches of a setting, one after the other */
  constructor(base, play, batches) {
    this.base = base;
    this.play = play;
    this.batches = batches;
    /** @type {Setting[]} */
    this.settings = [];
  }
  /** @param {Changes} changes @param {Laid} table @param {object} [asked] what whoever asked knows it by */
  add(changes, table, asked = changes) {
    const isChanged = !sameRules(this.base.rules, table.rules);
    const spaces = Math.max(table.rules.board.length, this.base.rules.board.length);
    this.settings.push(new Setting(changes, table, new Watch(this.base.seating, isChanged, spaces), asked));
    return this.settings[this.settings.length - 1];
  }
  /** Some settings play their next batch; false where that was stopped.
   * @param {Setting[]} settings */
  async playOn(settings) {
    for (const number of new Set(settings.map(({ batches }) => batches))) {
      const group = settings.filter(({ batches }) => batches === number);
      const sums = await this.play([this.base, ...group.map(({ table }) => table)], this.batches[number]);
      if (!sums) return false;
      group.forEach((setting, i) => {
        setting.watch.add(sums[0], sums[i + 1]);
        setting.batches += 1;
      });
    }
    return true;
  }
  /** Everybody plays on until the end. */
  async *together() {
    for (const _ of this.batches) {
      if (!(await this.playOn(this.settings))) return;
      yield this.settings;
    }
  }
  /** Look for settings that meet targets with few changes.
   * @param {Target[]} targets @param {Record<string, any[]>} ranges values by rule
   * @param {(changes: Changes) => Laid | null} lay a table with these changes as well; null where none can be */
  async *towards(targets, ranges, lay) {
    const known = new Set(["{}"]);
    /** The first so many that were not tried yet. @param {Changes[]} wanted */
    const added = (wanted, most = wanted.length) => {
      /** @type {Setting[]} */
      const found = [];
      for (const changes of wanted) {
        const name = JSON.stringify(Object.entries(changes).sort());
        if (found.length === most) break;
        if (known.has(name)) continue;
        known.add(name);
        const table = lay(changes);
        if (table) found.push(this.add(changes, table));
      }
      return found;
    };
    const origin = this.add({}, this.base);
    const [look, all] = LOOKS[targets.some(({ key }) => origin.row(key).share) ? "shares" : "means"];
    const singles = Object.entries(ranges).flatMap(([name, values]) =>
      spread(values).map((value) => ({ [name]: value })),
    );
    /** @param {Setting} setting */
    const rank = (setting) => setting.miss(targets) + Object.keys(setting.changes).length;
    for (let fresh = [origin, ...added(singles)]; ; ) {
      while (fresh.some(({ batches }) => batches < look)) {
        const few = fresh.filter(({ batches }) => batches < look).slice(0, 2 * AT_ONCE);
        if (!(await this.playOn(few))) return;
        yield this.settings;
      }
      const best = [...this.settings].sort((a, b) => rank(a) - rank(b)).slice(0, PARENTS);
      const open = best.filter(({ batches }) => batches < all);
      if (!(await this.playOn(open))) return;
      yield this.settings;
      for (const setting of best.filter((one) => one.batches >= all && !one.miss(targets) && !one.confirmed.length)) {
        if (!(await this.confirm(setting, targets))) return;
        yield this.settings;
      }
      const met = this.settings.filter(
        ({ confirmed }) => confirmed.length && confirmed.every(({ said }) => said === "met"),
      );
      if (met.length >= CONFIRMED) return;
      fresh = this.settings.length < SEARCHED ? added(this.proposed(targets, ranges, best), AT_ONCE) : [];
      if (!fresh.length && !open.length) return;
    }
  }
  /** What is likely to come nearer: the best with one more change, whose effect alone is known, or with one a step on.
   * @param {Target[]} targets @param {Record<string, any[]>} ranges @param {Setting[]} best */
  proposed(targets, ranges, best) {
    const singles = this.settings.filter(({ changes }) => Object.keys(changes).length === 1);
    /** @type {{changes: Changes, miss: number}[]} */
    const found = [];
    for (const parent of best) {
      const names = Object.keys(parent.changes);
      for (const name of names) {
        const values = ranges[name].map((value) => JSON.stringify(value));
        const at = values.indexOf(JSON.stringify(parent.changes[name]));
        for (const next of [at - 1, at + 1].filter((i) => i in values)) {
          found.push({ changes: { ...parent.changes, [name]: ranges[name][next] }, miss: parent.miss(targets) });
        }
      }
      if (names.length >= MOST_CHANGES) continue;
      for (const single of singles.filter(({ changes }) => !(Object.keys(changes)[0] in parent.changes))) {
        const misses = targets.map((target) => {
          const { difference } = single.row(target.key);
          return parent.distance(target, (parent.row(target.key).value ?? Number.NaN) + (difference ?? 0));
        });
        found.push({ changes: { ...parent.changes, ...single.changes }, miss: misses.reduce((a, b) => a + b, 0) + 1 });
      }
    }
    return found.sort((a, b) => a.miss - b.miss).map(({ changes }) => changes);
  }
  /** Play a setting on deals that had no part in choosing it, and look once.
   * @param {Setting} setting @param {Target[]} targets */
  async confirm(setting, targets) {
    const watch = new Watch(setting.table.seating, false, setting.table.rules.board.length);
    for (let first = 0, games = FRESH_GAMES / 8; first < FRESH_GAMES; first += games) {
      const sums = await this.play([setting.table], [FRESH + first, games]);
      if (!sums) return false;
      watch.add(sums[0], sums[0]);
    }
    setting.confirmed = targets.map(({ key, low, high }) => {
      const { value, own_half: half } = watch.row(watch.figures.findIndex((figure) => figure.key === key));
      const ends = [(value ?? 0) - (half ?? Infinity), (value ?? 0) + (half ?? Infinity)];
      const said =
        low <= ends[0] && ends[1] <= high ? "met" : ends[1] < low || ends[0] > high ? "missed" : "too close to call";
      return { key, value, half, said, games: watch.games };
    });
    return true;
  }
}
/** At most so many of the values, evenly spread, with both ends. @param {any[]} values */
function spread(values) {
  const many = Math.min(MOST_SINGLES, values.length);
  return Array.from({ length: many }, (_, i) => values[Math.round((i * (values.length - 1)) / (many - 1))]);
}
