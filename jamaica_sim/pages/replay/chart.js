// The chart of the race: spaces to go, points, or chances to win, over the rounds.
import { DATA, FRAMES, LAST, player, ROUNDS } from "./game.js";
import { fill, html } from "../shared/markup.js";
import { colourOf, shipShape, signed, $ } from "../shared/pictures.js";
import { narrow, SHIPS } from "../shared/scene.js";
import { seen } from "../shared/table.js";
const CHARTS = {
  distance: { title: "Spaces to go", value: ship => ship.toGo, down: true },
  points: { title: "Points", value: ship => ship.points.total },
  chances: { title: "Chance to win", percent: true },
};
let raceScale = null;
const seriesCache = new Map();  // by chart and view: reading every frame takes a moment in a long game

/* Rounds as the chart counts them: 2.5 is in the middle of round 3. */
function roundAt(at) {
  const { round } = FRAMES[at];
  if (round === 0) return 0;
  const first = ROUNDS[round - 1], end = ROUNDS[round] ?? LAST;
  return round - 1 + (at - first + 1) / Math.max(1, end - first + (round === ROUNDS.length ? 1 : 0));
}

/** For each ship its values as [round, value] where they change. */
function seriesOf(name) {
  const key = `${name} ${player.view}`;
  if (!seriesCache.has(key)) {
    const values = name === "chances" ? chanceSeries(1) : FRAMES.map(frame => seen(frame, player.view, DATA.box).ships.map(CHARTS[name].value));
    seriesCache.set(key, SHIPS.map(k => values.map(row => row[k])));
  }
  return seriesCache.get(key);
}
/* A chance holds from the step that changed it to the next one; `part` 1 are the chances, 2 the half widths of their intervals. */
function chanceSeries(part) {
  const { marks } = DATA.chances;
  let now = 0;
  return FRAMES.map(({ at }) => {
    while (now + 1 < marks.length && marks[now + 1][0] <= at) now++;
    return marks[now][part];
  });
}
/* For each ship the half widths of its chances' 95% intervals. */
function widthsOf() {
  if (!seriesCache.has("widths")) {
    const values = chanceSeries(2);
    seriesCache.set("widths", SHIPS.map(k => values.map(row => row[k])));
  }
  return seriesCache.get("widths");
}

function raceHeight(svg) {
  const beside = $("ships").getBoundingClientRect().left > $("board").getBoundingClientRect().right;
  if (!beside) return narrow.matches ? 180 : 220;
  return Math.max(150, Math.min(300, innerHeight - svg.getBoundingClientRect().top - scrollY - 28));
}

export function drawRace() {
  const svg = $("race"), kind = CHARTS[player.chart], series = seriesOf(player.chart);
  const width = svg.clientWidth || 360, height = raceHeight(svg), edge = { left: kind.percent ? 38 : 30, right: kind.percent ? 80 : 46, top: 10, bottom: 20 };
  const flat = series.flat(), low = kind.percent || kind.down ? 0 : Math.min(...flat) - 1, high = kind.percent ? 1 : Math.max(...flat) + 1;
  const x = round => edge.left + round / ROUNDS.length * (width - edge.left - edge.right);
  const share = value => (value - low) / (high - low), inner = height - edge.top - edge.bottom;
  const y = value => edge.top + (kind.down ? share(value) : 1 - share(value)) * inner;
  const step = kind.percent ? .25 : [1, 2, 5, 10, 20].find(s => (high - low) / s <= 5) ?? 50, lines = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    lines.push(html`<path class="line" d="M${edge.left} ${y(value).toFixed(1)}H${width - edge.right}"/><text class="axis" x="${edge.left - 5}" y="${(y(value) + 3.5).toFixed(1)}" text-anchor="end">${shown(value)}</text>`);
  }
  const every = Math.ceil(ROUNDS.length / 14);
  ROUNDS.forEach((_, i) => { if ((i + 1) % every === 0) lines.push(html`<text class="axis" x="${x(i + .5).toFixed(1)}" y="${height - 5}" text-anchor="middle">${i + 1}</text>`); });
  const curves = SHIPS.map(k => html`<path class="curve" d="${curve(series[k], x, y)}" style="stroke:${colourOf(k)}"/>`);
  const bands = kind.percent ? SHIPS.map(k => html`<path class="chance-band" d="${band(series[k], widthsOf()[k], x, y)}" style="fill:${colourOf(k)}"/>`) : "";
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  fill(svg, html`${lines}<clipPath id="past"><rect id="past-box" x="0" y="0" width="0" height="${height}"/></clipPath><g class="future faint">${bands}${curves}</g><g clip-path="url(#past)">${bands}${curves}</g><path class="cursor" id="race-cursor" d="M0 ${edge.top - 4}V${height - edge.bottom}"/><g id="race-now"></g>`);
  raceScale = { x, y, edge, width, height, series };
  const title = kind.title + (player.chart === "points" && player.view !== "all" ? ", as far as known" : "");
  fill($("race-title"), [title, kind.percent ? html`<small>with all hands open; 95% bands; ${DATA.chances.games.toLocaleString("en")} games</small>` : ""]);
  svg.setAttribute("aria-label", `${title} of each ship over ${ROUNDS.length} rounds`);
}

const widthOf = width => width ? ` ± ${Math.round(100 * width)}` : "";
const shown = value => CHARTS[player.chart].percent ? `${Math.round(value * 100)}%` : signed(value);

/* The area between the lower and the upper ends of the intervals. */
function band(values, widths, x, y) {
  const upper = curve(values.map((value, i) => Math.min(1, value + widths[i])), x, y), back = [];
  let last = null;
  values.forEach((value, at) => {
    const px = x(roundAt(at)).toFixed(1), py = y(Math.max(0, value - widths[at])).toFixed(1);
    if (at && last !== null && py !== last) back.unshift(`H${px}V${last}`);
    if (at === LAST) back.unshift(`L${px} ${py}`);
    last = py;
  });
  return `${upper}${back.join("")}H${x(0).toFixed(1)}Z`;
}

function curve(values, x, y) {
  let d = "", last = null;
  values.forEach((value, at) => {
    const px = x(roundAt(at)).toFixed(1), py = y(value).toFixed(1);
    if (at === 0) d = `M${px} ${py}`;
    else if (py !== last || at === LAST) d += `H${px}V${py}`;
    last = py;
  });
  return d;
}

/** The values at this step, beside the line, pushed apart so that all can be read. */
export function drawRaceCursor(frame) {
  const { x, y, edge, height, series } = raceScale, px = x(roundAt(frame.at));
  $("race-cursor").setAttribute("transform", `translate(${px.toFixed(1)} 0)`);
  $("past-box").setAttribute("width", px);
  const within = k => CHARTS[player.chart].percent ? widthOf(widthsOf()[k][frame.at]) : "";
  const ends = SHIPS.map(k => ({ k, value: series[k][frame.at], y: y(series[k][frame.at]) })).sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => { end.label = Math.max(end.y, i ? ends[i - 1].label + 15 : 8); });
  for (let i = ends.length - 1, floor = height - edge.bottom - 3; i >= 0; i--) { ends[i].label = Math.min(ends[i].label, floor); floor = ends[i].label - 15; }
  fill($("race-now"), ends.map(({ k, value, y: dot, label }) => html`<circle cx="${px.toFixed(1)}" cy="${dot.toFixed(1)}" r="3.5" style="fill:${colourOf(k)};stroke:var(--panel);stroke-width:1.5"/><svg x="${(px + 7).toFixed(1)}" y="${(label - 7.5).toFixed(1)}" width="14" height="15" viewBox="-18 -21 36 40">${shipShape(k)}</svg><text class="value" x="${(px + 23).toFixed(1)}" y="${(label + 4).toFixed(1)}">${shown(value)}${within(k)}</text>`));
}

export function stepNear(px) {
  const { edge, width } = raceScale, round = (px - edge.left) / (width - edge.left - edge.right) * ROUNDS.length;
  return FRAMES.reduce((best, frame) => Math.abs(roundAt(frame.at) - round) < Math.abs(roundAt(best) - round) ? frame.at : best, 0);
}
