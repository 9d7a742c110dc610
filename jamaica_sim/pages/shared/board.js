// The board as a chart: sea, island, course, spaces. Its groups `heat`, `wake`, `rings`, `pawns`, `leads` and `picks` are for those who draw on it.
import { fill, html } from "./markup.js";
import { plus, signed, $ } from "./pictures.js";
import { narrow, scene, SHIPS } from "./scene.js";
const COAST = [  // of Jamaica, degrees west and north
  [78.36, 18.27], [78.34, 18.36], [78.17, 18.45], [77.98, 18.47], [77.92, 18.51], [77.65, 18.5], [77.4, 18.47], [77.2, 18.44],
  [77.08, 18.41], [76.89, 18.39], [76.8, 18.29], [76.66, 18.26], [76.45, 18.18], [76.32, 18.06], [76.2, 17.93], [76.33, 17.86],
  [76.44, 17.88], [76.56, 17.85], [76.7, 17.94], [76.85, 17.97], [76.93, 17.86], [77.05, 17.86], [77.11, 17.74], [77.2, 17.72],
  [77.32, 17.83], [77.5, 17.86], [77.72, 17.85], [77.83, 17.99], [77.95, 18.05], [78.03, 18.18], [78.14, 18.2], [78.3, 18.2],
];
export let chart;  // the geometry that fits the screen: on a phone the board is nearly square and its spaces larger

function geometry(small, large) {
  const width = small ? 1000 : 1350, height = small ? 1040 : 1000;
  const at = scene.box.board.map(({ x, y }) => [(0.012 + x * 0.976) * width, (0.992 - y * 0.972) * height]);
  const sizes = small ? { radius: 25, font: 27, scores: 25, beside: 44 } : large ? { radius: 28, font: 30, scores: 26, beside: 50 } : { radius: 24, font: 22, scores: 20, beside: 42 };
  return { small, width, height, at, ship: small ? 1.5 : 1.3, ...sizes };
}

/** A smooth line through points (Catmull-Rom). */
function smooth(points, closed = false) {
  const n = points.length, point = i => closed ? points[(i + n) % n] : points[Math.max(0, Math.min(n - 1, i))];
  let d = `M${points[0].map(v => v.toFixed(1))}`;
  for (let i = 0; i < (closed ? n : n - 1); i++) {
    const [a, b, c, e] = [i - 1, i, i + 1, i + 2].map(point);
    d += `C${[0, 1].map(k => (b[k] + (c[k] - a[k]) / 6).toFixed(1))},${[0, 1].map(k => (c[k] - (e[k] - b[k]) / 6).toFixed(1))},${c.map(v => v.toFixed(1))}`;
  }
  return d + (closed ? "Z" : "");
}

/** The course by its longest lanes, and the short cuts. */
function lanesOf(board, previous) {
  const follow = (from, first) => {
    const lane = [from];
    let at = first;
    while (previous[at].length === 1 && at !== 0) { lane.push(at); at = board[at].next[0]; }
    return [...lane, at];
  };
  const outer = [], inner = [];
  let at = 0;
  do {
    if (board[at].next.length > 1) {
      const lanes = board[at].next.map(n => follow(at, n)).sort((a, b) => b.length - a.length);
      inner.push(...lanes.slice(1));
      outer.push(...lanes[0].slice(0, -1));
      at = lanes[0].at(-1);
    } else { outer.push(at); at = board[at].next[0]; }
  } while (at !== 0 && outer.length <= board.length);
  return { outer, inner };
}

/** Draw the whole board, with a harbour for the ships or `large` without one; `small` for few pixels. `dressed` is as for `drawSpaces`. */
export function drawBoard({ large = false, small = narrow.matches, dressed } = {}) {
  chart = geometry(small, large);
  const { width, height, at } = chart, { outer, inner } = lanesOf(scene.box.board, scene.box.previous);
  const points = lane => lane.map(n => at[n]);
  const markup = [html`<rect class="sea" width="${width}" height="${height}"/>`, grid(), island(), large ? harbourName(at[0][1] + (isCrowded() ? 58 : 4)) : harbourShape()];
  for (const lane of inner) markup.push(html`<path class="lane short" d="${smooth(points(lane))}"/>`);
  markup.push(html`<path class="lane" d="${smooth(points(outer), true)}"/><g id="heat"></g><path class="way" d="${smooth(points(outer), true)}"/>`);
  for (const lane of inner) markup.push(html`<path class="way short" d="${smooth(points(lane))}"/>`);
  outer.forEach((n, i) => { if (i % 6 === 0) markup.push(chevron(n, outer[(i + 1) % outer.length])); });
  markup.push(html`<g id="red"></g><g id="wake"></g><g id="spaces"></g><g id="rings"></g><g id="pawns"></g><g id="leads"></g><g id="picks"></g>`);
  $("board").setAttribute("viewBox", `0 0 ${width} ${height}`);
  fill($("board"), markup);
  chart.shortCut = new Set(inner.flatMap(lane => lane.slice(1, -1)));
  drawSpaces(dressed);
}

/** Draw the spaces and the red line. `dressed(n)` may give `attributes` of a space, and what lies `under` and `over` its shape. */
export function drawSpaces(dressed = () => ({})) {
  fill($("red"), redLine());
  fill($("spaces"), scene.box.board.map((space, n) => spaceShape(space, n, dressed(n))));
}

function grid() {
  const { width, height } = chart, lines = [];
  for (let i = 1; i < 8; i++) lines.push(`M${i * width / 8} 0V${height}`);
  for (let i = 1; i < 6; i++) lines.push(`M0 ${i * height / 6}H${width}`);
  return html`<path class="grid" d="${lines.join("")}"/>`;
}

function island() {
  const { width, height, small } = chart, degree = (small ? .64 : .665) * width / 2.08;
  const coast = COAST.map(([west, north]) => [.508 * width + (77.28 - west) * .951 * degree, .497 * height - (north - 18.115) * degree * (small ? 1.12 : 1)]);
  const d = smooth(coast, true);
  return html`<path class="shoal" d="${d}"/><path class="shoal near" d="${d}"/><path class="land" d="${d}"/>`;
}

/* Ships at Port Royal lie beside it, in rows. */
export function harbour(i) {
  const inRow = chart.small ? 4 : 7, row = Math.floor(i / inRow), [x, y] = chart.at[0];
  return [x - (chart.small ? 94 : 84) - (i % inRow + row) * 33 * chart.ship, y + 2 + row * 40 * chart.ship];
}
function harbourShape() {
  const places = SHIPS.map((_, i) => harbour(i)), left = Math.min(...places.map(p => p[0])), [x, y] = chart.at[0];
  const bottom = Math.max(...places.map(p => p[1])), pad = 22 * chart.ship;
  const shape = html`<rect class="harbour" x="${left - pad}" y="${y - pad}" width="${x - left + pad}" height="${bottom - y + 2 * pad}" rx="14"/>`;
  return [shape, harbourName(bottom + 38 * chart.ship)];
}
/* Whether a space lies where the name of Port Royal would be. */
const isCrowded = () => { const [x, y] = chart.at[0]; return chart.at.some(([other, high], n) => n && other < x && other > x - 260 && Math.abs(high - y) < 60); };
const harbourName = y => html`<text class="harbour-name" font-size="${chart.small ? 27 : chart.scores + 1}" x="${chart.at[0][0] - 58}" y="${y}">Port Royal <tspan class="score">${plus(scene.box.board[0].score)}</tspan></text>`;

function chevron(from, to) {
  const [a, b] = [chart.at[from], chart.at[to]], turn = Math.atan2(b[1] - a[1], b[0] - a[0]) * 180 / Math.PI;
  return html`<path class="chevron" transform="translate(${((a[0] + b[0]) / 2).toFixed(1)} ${((a[1] + b[1]) / 2).toFixed(1)}) rotate(${turn.toFixed(0)})" d="M-4-8 5 0-4 8"/>`;
}

/* Before the red line every space loses as many points as space 1 does; where that loses none there is no line. */
const isBehind = space => space.score < 0 && space.score === scene.box.board[1].score;
function redLine() {
  const { board, previous } = scene.box, { at, width, height, small } = chart;
  const first = board.findIndex((space, n) => n > 1 && !isBehind(space));
  if (first < 1 || board[1].score >= 0) return "";
  const x = .28 * at[first][0] + .72 * Math.max(...previous[first].map(n => at[n][0]));
  const top = at[first][1] - .075 * height, end = at[first][1] + (small ? .17 : .145) * height;
  const words = small ? signed(board[1].score) : `${signed(board[1].score)} before this line`, isLeft = small || x > .8 * width;
  return html`<path class="red-line" d="M${x} ${top}V${end}"/><text class="red-words" x="${x + (isLeft ? -8 : 8)}" y="${end + 2}" text-anchor="${isLeft ? "end" : "start"}" font-size="${small ? 22 : chart.scores - 3}">${words}</text>`;
}

/** A point beside a space, away from the island, or towards it where `distance` is negative. */
export function beside(n, distance) {
  const { board, previous } = scene.box, { at, width, height } = chart;
  const [x, y] = at[n], back = at[previous[n][0]], ahead = at[board[n].next[0]];
  let dx = back[1] - ahead[1], dy = ahead[0] - back[0];
  if (dx * (x - width / 2) + dy * (y - height / 2) < 0) { dx = -dx; dy = -dy; }
  const length = Math.hypot(dx, dy) || 1;
  return [x + dx / length * distance, y + dy / length * distance].map(v => v.toFixed(1));
}

export const KIND_SHAPES = {
  sea: r => html`<circle class="at-sea" r="${r}"/>`,
  port: r => { const q = r * .88; return html`<rect class="at-port" x="${-q}" y="${-q}" width="${2 * q}" height="${2 * q}" rx="5"/>`; },
  lair: (r, token = html`<path class="token" d="M-11-1c0-6 3-9 7-9h8c4 0 7 3 7 9v10H-11Z"/><path class="token-lid" d="M-11 0H11"/>`) => { const d = r * 1.16; return html`<path class="at-lair" d="M0 ${-d}L${d} 0 0 ${d} ${-d} 0Z"/>${token}`; },
  port_royal: () => html`<circle class="at-home" r="38"/><circle class="at-home inner" r="32"/><path class="anchor" d="M0-17V20M-10-8H10M-17 6C-15 16-8 20 0 20S15 16 17 6"/><circle class="anchor" cy="-21" r="4"/>`,
};
export function spaceWords(space, n) {
  const cost = space.cost ? `, costs ${space.cost} ${space.kind === "port" ? "gold" : "food"}` : "";
  return `${n ? `Space ${n}: ${space.kind}` : "Port Royal"}${cost}, ${signed(space.score)} points`;
}

function spaceShape(space, n, { attributes = "", under = "", over = "" }) {
  const { at, radius, font, small, shortCut } = chart, [x, y] = at[n];
  const cost = space.cost ? html`<text class="cost" y="1" font-size="${font}">${space.cost}</text>` : "";
  const markup = [html`<g id="space-${n}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" ${attributes}><title>${spaceWords(space, n)}</title>${under}${KIND_SHAPES[space.kind](radius)}${cost}${over}</g>`];
  if (n) {
    const isInside = shortCut.has(n) || (small && space.next[0] === 0);  // on a small board points take the place outside
    const [nx, ny] = beside(n, (isInside ? -1 : 1) * (chart.beside - (small ? 1 : 4))), edge = small ? 20 : 12;
    const inView = Math.max(edge, Math.min(chart.width - edge, nx));
    markup.push(html`<text class="number" x="${inView}" y="${ny}" font-size="${small ? 28 : 16}">${n}</text>`);
  }
  if (n && !isBehind(space)) {
    const [sx, sy] = beside(n, small && space.next[0] === 0 ? 40 : -chart.beside - (shortCut.has(n) && !small ? 30 : 0));  // beyond the number
    markup.push(html`<text class="score" font-size="${chart.scores}" x="${sx}" y="${sy}">${plus(space.score)}</text>`);
  }
  return markup;
}
