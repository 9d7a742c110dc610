// The game table from step to step: pure functions, nothing of the page. Tests run this file alone.
export const SIXTH_HOLD = 5;

/** The table before the first round. */
export function setUp(data) {
  const { trace, box } = data;
  const ships = data.ships.map((ship, seat) => {
    const holds = Array(box.holds).fill(null);
    const put = (hold, resource, amount) => { if (amount > 0) holds[hold] = { resource, amount }; };
    if (ship.ghost) box.ghost_gold.forEach((amount, hold) => put(hold, "gold", amount));
    else Object.entries(box.start).forEach(([resource, goods], hold) => put(hold, resource, goods.at((seat - trace.setup.captain) % goods.length)));
    return {
      space: 0, lap: 0, holds, ghost: ship.ghost, home: false, powers: ship.ghost ? [numberOf(box, "Lady Beth")] : [],
      down: [], hand: ship.ghost ? [] : [...trace.setup.hands[seat]], card: null, shown: false,
    };
  });
  return {
    round: 0, captain: trace.setup.captain, dice: null, placed: null, acting: null, when: null, action: null, ships,
    lairs: box.board.flatMap((space, n) => space.kind === "lair" ? [n] : []), pile: [...trace.setup.pile],
    knows: ships.map(() => []),  // for each ship: the face-down cards of others that it knows, as [card, owner] (R5)
    battle: null, shortage: null,
  };
}

const numberOf = (box, name) => box.treasures.findIndex(card => card.name === name);
// A page that is told only what one seat may know has null for hidden cards.
const isPower = (box, card) => card !== null && box.treasures[card].kind === "power";
const isSixthHold = (box, card) => card !== null && box.treasures[card].name === "6th Hold";

/** A copy of the table that may be changed without changing the old one. */
function copyOf(state) {
  const ships = state.ships.map(ship => ({
    ...ship, holds: [...ship.holds], powers: [...ship.powers], down: [...ship.down], hand: [...ship.hand],
  }));
  const battle = state.battle && { ...state.battle, sides: state.battle.sides.map(side => ({ ...side, faces: [...side.faces] })) };
  return { ...state, ships, battle, knows: state.knows.map(known => [...known]) };
}

/** The table after one event. */
export function reduce(state, event, box) {
  const after = copyOf(state);
  const enter = ENTRIES[event.event];
  if (enter) enter(after, event, box);
  return after;
}

function takeOut(ship, hold, amount) {
  const held = ship.holds[hold];
  if (!held || held.amount < amount) throw new Error(`hold ${hold} does not have ${amount}`);
  ship.holds[hold] = held.amount === amount ? null : { ...held, amount: held.amount - amount };
}

function layDown(state, box, owner, card, faceUp, contents = null) {
  const ship = state.ships[owner];
  (faceUp ? ship.powers : ship.down).push(card);
  if (faceUp && isSixthHold(box, card)) ship.holds[SIXTH_HOLD] = contents;
}

/** A treasure changes hands: B9, B10, G6. Of a face-down one only the two ships learn which it was (R5). */
function handOver(state, box, card, giver, taker) {
  const from = state.ships[giver], wasUp = from.powers.includes(card), cards = wasUp ? from.powers : from.down;
  if (card === null) cards.fill(null);  // it may be any of them
  const which = cards.includes(card) ? cards.indexOf(card) : cards.indexOf(null);
  if (which < 0) throw new Error(`ship ${giver} does not have treasure ${card}`);
  cards.splice(which, 1);
  let contents = null;
  if (wasUp && isSixthHold(box, card)) {
    contents = from.holds[SIXTH_HOLD] || null;
    from.holds.length = Math.min(from.holds.length, box.holds);
  }
  if (state.ships[taker].ghost && contents && contents.resource !== "gold") contents = null;
  if (!wasUp) {
    state.knows = state.knows.map((known, ship) => known.filter(([other, owner]) =>
      owner !== giver || ((ship === giver || ship === taker) && other !== card)));
  }
  layDown(state, box, taker, card, isPower(box, card), contents);
  if (card !== null && !isPower(box, card)) state.knows[giver].push([card, taker]);
}

const IDLE = { acting: null, when: null, action: null, battle: null, shortage: null };
const sail = (state, event) => {
  state.battle = null;
  Object.assign(state.ships[event.ship], event.to);
};

const ENTRIES = {
  round(state, event) {
    for (const ship of state.ships) Object.assign(ship, { card: null, shown: false });
    Object.assign(state, IDLE, { round: event.number, captain: event.captain, dice: event.dice, placed: null });
  },
  place(state, event) { state.placed = event.placed; },  // the second half of `round`
  choose(state, event) {
    const ship = state.ships[event.ship];
    ship.hand = [...event.hand];
    ship.hand.splice(ship.hand.indexOf(event.card), 1);
    ship.card = event.card ?? "hidden";
  },
  action(state, event) {
    Object.assign(state, IDLE, { acting: event.ship, when: event.when, action: event });
    state.ships[event.ship].shown = true;
  },
  skip(state, event) { Object.assign(state, IDLE, { acting: event.ship, when: event.when }); },
  load(state, event) { state.ships[event.ship].holds[event.hold] = { resource: event.resource, amount: event.amount }; },
  move: sail,
  retreat: sail,
  battle(state, event) {
    const sides = [event.attacker, event.defender].map(ship => ({ ship, powder: null, faces: [], bonus: 0, strength: null }));
    state.battle = { space: event.space, sides, sabre: null, over: null };
  },
  powder(state, event) { sideOf(state, event.ship).powder = event.amount; },
  roll(state, event, box) {
    const side = sideOf(state, event.ship), star = event.face === "star";
    const beth = state.ships[event.ship].powers.includes(numberOf(box, "Lady Beth"));
    side.faces.push(event.face);
    side.bonus = beth && !star ? box.lady_beth_bonus : 0;
    side.strength = star ? null : event.face + side.bonus + (side.powder || 0);
  },
  sabre(state, event) { state.battle.sabre = { by: event.ship, of: event.of }; },
  battle_end(state, event) { state.battle.over = { winner: event.winner }; },
  loot(state, event, box) {
    if (event.take === "hold") takeOut(state.ships[event.loser], event.hold, event.amount);
    else if (event.take === "power" || event.take === "hidden") handOver(state, box, event.treasure, event.loser, event.ship);
    else if (event.take === "give") handOver(state, box, event.treasure, event.ship, event.loser);
  },
  pay(state, event) { for (const [hold, amount] of event.holds) takeOut(state.ships[event.ship], hold, amount); },
  shortage(state, event) { Object.assign(state, { battle: null, shortage: event }); },
  treasure(state, event, box) {
    state.lairs = state.lairs.filter(lair => lair !== event.space);
    state.pile = state.pile.slice(1);
    layDown(state, box, event.ship, event.treasure, isPower(box, event.treasure) && !state.ships[event.ship].ghost);
  },
  finish(state, event) { state.ships[event.ship].home = true; },
  draw(state, event) {
    const ship = state.ships[event.ship];
    ship.hand = [...ship.hand, ...event.cards].sort((a, b) => a - b);
    Object.assign(state, IDLE);
  },
  house(state, event, box) { const enter = HOUSE[event.what]; if (enter) enter(state, event, box); },
  end(state) { Object.assign(state, IDLE); },
};
// What house rules do to the table, by what they did.
const HOUSE = {
  give(state, event) {
    const holds = state.ships[event.ship].holds, there = event.emptied ? null : holds[event.hold];
    holds[event.hold] = { resource: event.resource, amount: event.amount + (there ? there.amount : 0) };
  },
  take(state, event) { takeOut(state.ships[event.ship], event.hold, event.amount); },
  sail,
  treasure(state, event, box) {
    state.pile = state.pile.filter(card => card !== event.treasure);
    layDown(state, box, event.ship, event.treasure, isPower(box, event.treasure) && !state.ships[event.ship].ghost);
  },
  return(state, event) {
    const down = state.ships[event.ship].down;
    down.splice(down.indexOf(event.treasure), 1);
    state.pile = [...state.pile, event.treasure];
    state.knows = state.knows.map(known => known.filter(([, owner]) => owner !== event.ship));
  },
  hold(state, event) {
    takeOut(state.ships[event.loser], event.hold, event.amount);
    state.ships[event.ship].holds[event.into] = { resource: event.resource, amount: event.amount };
  },
  captain(state, event) { state.captain = event.captain; },
  points(state, event) { state.ships[event.ship].house = event.is - event.was; },
};
const sideOf = (state, ship) => state.battle.sides.find(side => side.ship === ship);

/** Every step with the table after it. The page draws a frame and nothing else, so that every jump is exact. */
export function framesOf(data) {
  const { trace, box } = data;
  let state = setUp(data), round = -1, inRound = 0;
  return data.steps.map(([kind, first, count, subject, words, path], at) => {
    let events = trace.events.slice(first, first + count);
    if (kind === "place") events = [{ ...events[0], event: "place" }];
    if (kind === "end") events = [{ event: "end" }];
    for (const event of events) state = reduce(state, event, box);
    inRound = state.round === round ? inRound + 1 : 0;
    round = state.round;
    return { at, kind, events, state, round, step: inRound, subject, words, path };
  });
}

/** What one viewer may see (K1, K2): "all", "public", or a ship's number. The only way from a frame to the screen. */
export function seen(frame, view, box) {
  const { state } = frame, all = view === "all" || frame.kind === "end";
  const knows = (owner, card) => all || (view === owner && !state.ships[owner].ghost)
    || (view !== "public" && state.knows[view].some(([known, of]) => known === card && of === owner));
  const ships = state.ships.map((ship, number) => {
    const mine = all || view === number;
    const down = ship.down.map(card => knows(number, card) ? card : null);
    const card = ship.card === null || mine || ship.shown ? ship.card : "hidden";
    return { ...ship, down, card, hand: ship.hand.map(held => mine ? held : null), points: pointsOf(ship, down, box), toGo: toGo(ship, box) };
  });
  return { ...state, ships, knows: null, pile: all ? state.pile : state.pile.map(() => null) };
}

const sum = numbers => numbers.reduce((a, b) => a + b, 0);
export const toGo = (ship, box) => box.steps_home[ship.space] - box.steps_home[0] * ship.lap;

/** The points of a ship by source, as far as its face-down cards are known (E2). */
export function pointsOf(ship, down, box) {
  const atStart = ship.lap < 0 || (ship.lap === 0 && ship.space === 0);
  const place = atStart ? box.start_score : box.board[ship.space].score;
  const gold = sum(ship.holds.map(held => held && held.resource === "gold" ? held.amount : 0));
  const values = down.filter(card => card !== null).map(card => box.treasures[card].value);
  const treasures = sum(values.filter(value => value > 0)), cursed = sum(values.filter(value => value < 0));
  const house = ship.house || 0, unknown = down.length - values.length;
  return { place, gold, treasures, cursed, house, unknown, total: place + gold + treasures + cursed + house };
}

/** The sentence of a frame for a viewer: texts and {ship}. */
export function sentenceOf(frame, view) {
  const words = frame.words.map(part => {
    if (typeof part === "number") return { ship: part };
    if (typeof part === "string") return part;
    return view === "all" || part.to.includes(view) ? part.secret : part.otherwise;
  });
  const parts = frame.subject === null ? words : [{ ship: frame.subject }, " ", ...words];
  return [...parts.filter(part => part !== ""), "."];
}

/** What befell which ship at which step, for the timeline. */
export function marksOf(frames) {
  return frames.flatMap(({ at, kind, events: [event] }) => {
    if (kind === "battle") return [{ at, kind: "attack", ship: event.attacker }, { at, kind: "defence", ship: event.defender }];
    return ["shortage", "treasure", "finish"].includes(kind) ? [{ at, kind, ship: event.ship }] : [];
  });
}

/** Where the last frame is not what the trace says of the end of the game. */
export function disagreements(frames, data) {
  const { result } = data.trace, wrong = [];
  if (!result) return wrong;
  const end = seen(frames.at(-1), "all", data.box);
  end.ships.forEach((ship, number) => {
    const { space, lap } = result.positions[number];
    if (ship.space !== space || ship.lap !== lap) wrong.push(`ship ${number} ends on space ${ship.space}, not ${space}`);
    if (ship.points.total !== result.scores[number]) wrong.push(`ship ${number} has ${ship.points.total} points, not ${result.scores[number]}`);
  });
  if (end.round !== result.rounds) wrong.push(`${end.round} rounds, not ${result.rounds}`);
  return wrong;
}
