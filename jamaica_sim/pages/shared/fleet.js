// The ships on the board: where they lie, the wake of the one that has just sailed, and the sailing itself.
import { chart, harbour } from "./board.js";
import { fill, html } from "./markup.js";
import { colourOf, shipShape, $ } from "./pictures.js";
import { scene, SHIPS } from "./scene.js";
export const SPACE_SECONDS = 0.24;  // that a ship takes for a space, at speed 1
let ride = 0;  // the frame that a sailing ship waits for

/** Put the ships on the board, after it was drawn. */
export function drawPawns() {
  fill($("pawns"), SHIPS.map(k => html`<g class="pawn" id="ship-${k}">${shipShape(k)}<path class="acting-sign" d="M-6.5-32H6.5L0-23.5Z"/></g>`));
}

/* Ships on one space stand above its cost and across the course, so that none seems to stand on the next space. */
export function berths(state) {
  const places = [], bySpace = new Map();
  state.ships.forEach((ship, k) => bySpace.set(ship.space, [...bySpace.get(ship.space) ?? [], k]));
  for (const [space, here] of bySpace) {
    const { at, ship: size, width } = chart, [x, y] = at[space];
    const back = at[scene.box.previous[space][0]], ahead = at[scene.box.board[space].next[0]];
    const upright = Math.abs(ahead[1] - back[1]) > Math.abs(ahead[0] - back[0]), high = y < 150 && !upright;
    const inRow = upright ? 3 : high ? 4 : 2, apart = (high && here.length > 2 ? 25 : 33) * size;
    const half = (Math.min(here.length, inRow) - 1) / 2 * apart, middle = Math.max(27 + half, Math.min(width - 27 - half, x));
    here.forEach((k, i) => {
      const row = Math.floor(i / inRow), many = Math.min(inRow, here.length - row * inRow);
      places[k] = space === 0 ? harbour(i) : [middle + (i % inRow - (many - 1) / 2) * apart, Math.max(30, y - (27 + row * 33) * size)];
    });
  }
  return places;
}
export const moor = (k, [x, y]) => { $(`ship-${k}`).style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) scale(${chart.ship})`; };

/** Lairs, rings and the wake of a frame. */
export function drawTraces(frame, view) {
  const { at, radius } = chart, event = frame.events[0], rings = [];
  const ring = (n, cls, colour) => rings.push(html`<circle class="${cls}" cx="${at[n][0].toFixed(1)}" cy="${at[n][1].toFixed(1)}" r="${radius + 8}" style="stroke:${colour}"/>`);
  let wake = "";
  if (frame.path) {
    const colour = colourOf(event.ship), points = [event.from.space, ...frame.path].map(n => at[n].map(v => v.toFixed(1)));
    wake = html`<polyline class="trail" points="${points.join(" ")}" style="stroke:${colour}"/>`;
    for (const option of event.options) ring(option.space, option.space === event.to.space ? "target" : "option", colour);
  }
  if (view.battle) ring(view.battle.space, "target", "var(--red)");
  if (frame.kind === "shortage") ring(view.ships[event.ship].space, "option", "var(--red)");
  fill($("wake"), wake);
  fill($("rings"), rings);
  scene.box.board.forEach((space, n) => space.kind === "lair" && $(`space-${n}`).classList.toggle("plundered", !view.lairs.includes(n)));
}

/** Let a ship sail the way of a frame, space by space. */
export function sailAlong(frame, before, speed = 1) {
  const k = frame.events[0].ship, pawn = $(`ship-${k}`), lift = 27 * chart.ship, end = berths(frame.state)[k];
  const points = [berths(before.state)[k], ...frame.path.slice(0, -1).map(n => [chart.at[n][0], chart.at[n][1] - lift]), end];
  const each = SPACE_SECONDS * 1000 / Math.max(1, speed), start = performance.now();
  pawn.classList.add("sailing");
  pawn.parentNode.append(pawn);
  const draw = now => {
    const t = Math.max(0, (now - start) / each), i = Math.min(points.length - 2, Math.floor(t)), u = Math.min(1, t - i), ease = u * u * (3 - 2 * u);
    moor(k, [0, 1].map(c => points[i][c] + (points[i + 1][c] - points[i][c]) * ease - (c ? Math.sin(Math.PI * u) * 7 : 0)));
    if (t < points.length - 1) ride = requestAnimationFrame(draw);
    else stopSailing(frame);
  };
  ride = requestAnimationFrame(draw);
}
export function stopSailing(frame) {
  if (!ride) return;
  cancelAnimationFrame(ride);
  ride = 0;
  for (const k of SHIPS) $(`ship-${k}`).classList.remove("sailing");
  if (frame) berths(frame.state).forEach((place, k) => moor(k, place));
}
