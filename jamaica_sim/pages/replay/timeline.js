// The timeline under the scrubber: a row for each ship with the marks of its battles, shortages, treasures and finish.
import { LAST, MARKS, ROUNDS } from "./game.js";
import { fill, html } from "../shared/markup.js";
import { colourOf, shipShape, $ } from "../shared/pictures.js";
import { narrow, SHIPS } from "../shared/scene.js";
const THUMB = 8, ROW = 16;
const MARKS_WORDS = [["attack", "attacks"], ["defence", "is attacked"], ["shortage", "shortage"], ["treasure", "treasure"], ["finish", "home"]];
export let timeScale = { x: () => 0, step: () => 0 };

export function drawTimeline() {
  const svg = $("timeline"), width = svg.clientWidth || 360, pad = narrow.matches ? 22 : 24, height = SHIPS.length * ROW;
  const inner = width - pad - 2 * THUMB, x = at => pad + THUMB + at / LAST * inner;
  timeScale = { x, step: px => Math.round((px - pad - THUMB) / inner * LAST) };
  svg.setAttribute("height", height + 38);
  svg.setAttribute("viewBox", `0 0 ${width} ${height + 38}`);
  const bands = ROUNDS.map((first, i) => {
    const round = i + 1, from = x(first), to = x(ROUNDS[i + 1] ?? LAST), every = Math.ceil(ROUNDS.length * 20 / inner);
    const band = round % 2 ? html`<rect class="band" x="${from.toFixed(1)}" y="0" width="${(to - from).toFixed(1)}" height="${height}"/>` : "";
    return [band, round % every ? "" : html`<text class="round-number" id="round-${round}" x="${((from + to) / 2).toFixed(1)}" y="${height + 12}">${round}</text>`];
  });
  const rows = SHIPS.map(k => html`<path class="row" d="M${pad + 4} ${k * ROW + 8}H${width - 4}"/><svg x="1" y="${k * ROW}" width="16" height="16" viewBox="-18 -21 36 40">${shipShape(k)}</svg>`);
  const marks = MARKS.map(({ kind, ship, at }) => html`<g class="mark-${kind}">${markShape(kind, x(at), ship * ROW + 8, colourOf(ship))}</g>`);
  const clip = html`<clipPath id="past-marks"><rect id="past-marks-box" x="0" y="-6" width="${width}" height="${height + 20}"/></clipPath>`;
  fill(svg, html`${clip}<g class="future">${bands}</g>${rows}<g class="future">${marks}</g><path class="cursor" id="cursor" d="M0-6V${height}"/>${markKey(pad, height + 30)}`);
}

function markKey(pad, y) {
  let x = pad + 8;
  const letter = narrow.matches ? 5.4 : 6.2;
  return MARKS_WORDS.map(([kind, words]) => {
    const shape = html`${markShape(kind, x, y, "var(--soft)")}<text class="key" x="${x + 10}" y="${y + 4}">${words}</text>`;
    x += words.length * letter + (narrow.matches ? 24 : 30);
    return shape;
  });
}

function markShape(kind, x, y, colour) {
  const place = html`transform="translate(${x.toFixed(1)} ${y})"`;
  if (kind === "attack") return html`<path ${place} d="M-4-4 4 4M4-4-4 4" fill="none" stroke="${colour}" stroke-width="2.4" stroke-linecap="round"/>`;
  if (kind === "defence") return html`<circle ${place} r="3.4" fill="var(--page)" stroke="${colour}" stroke-width="1.8"/>`;
  if (kind === "shortage") return html`<path ${place} d="M-4.5-3.5H4.5L0 4.5Z" fill="${colour}"/>`;
  if (kind === "treasure") return html`<path ${place} d="M0-5 5 0 0 5-5 0Z" fill="${colour}"/>`;
  return html`<path ${place} d="M-3 6.5V-6.5L6-3.2-3 0" fill="${colour}" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round"/>`;
}

export function drawCursor(frame) {
  const x = timeScale.x(frame.at);
  $("cursor").setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
  $("past-marks-box").setAttribute("width", x);
  document.querySelector(".round-number.now")?.classList.remove("now");
  $(`round-${frame.round}`)?.classList.add("now");
}
