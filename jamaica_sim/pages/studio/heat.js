// The board of the variant: spaces to choose, what differs from the printed board, and the heat under them.
import { beside, chart, drawBoard, drawSpaces, spaceWords } from "../shared/board.js";
import { fill, html } from "../shared/markup.js";
import { $, signed } from "../shared/pictures.js";
import { printedWord } from "./rules.js";
import { scene } from "../shared/scene.js";
import { box } from "./variant.js";

const WORDS = { short: "Shortages", fought: "Battles", landed: "Landings" };
export const MAPS = ["short", "fought", "landed", ""];
const LEVELS = 6;
const STEPS = [1, 1.5, 2, 3, 5, 10];
function roundUp(value) { const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9))); return STEPS.find(step => value <= step * power * 1.0001) * power; }
const text = value => value >= .1 ? value.toFixed(1) : value.toFixed(2);

/* Attributes and marks of a space: a button, ringed where it differs from the printed one. */
function dressed(chosen) {
  return n => {
    const space = scene.box.board[n], was = box.board[n], changed = was ? ["cost", "kind", "score", "next"].filter(key => String(was[key]) !== String(space[key])) : ["new"];
    const words = spaceWords(space, n) + (changed.length && was ? `; ${printedWord("space.")}: ${was.kind}, ${was.cost || "free"}, ${signed(was.score)} points` : "");
    const [x, y] = beside(n, chart.shortCut.has(n) ? 52 : -52).map((v, i) => v - chart.at[n][i]);
    const before = changed.includes("cost") && was?.kind !== "lair" ? html`<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)})"><circle class="was-back" r="18"/><text class="was" font-size="23">${was.cost}</text><path class="was-line" d="M-11 7 11-7"/></g>` : "";
    const free = !space.cost && (space.kind === "sea" || space.kind === "port") ? html`<text class="cost" y="1" font-size="${chart.font}">0</text>` : "";
    return {
      attributes: html`class="space" data-space="${n}" role="button" tabindex="${n === (chosen ?? 0) ? 0 : -1}" aria-label="${words}"`,
      under: html`<circle class="hit" r="38"/>${changed.length ? html`<circle class="changed-ring" r="${n ? 39 : 46}"/>` : ""}`,
      over: html`${free}${before}${n === chosen ? html`<circle class="chosen-ring" r="${n ? 47 : 52}"/>` : ""}`,
    };
  };
}
let drawnFor = null;  // the course that the lanes were drawn for
export function drawCourse(chosen) {
  const focused = document.activeElement?.dataset?.space;
  drawAll(chosen);
  if (focused !== undefined && document.activeElement?.dataset?.space !== focused) $(`space-${focused}`)?.focus({ preventScroll: true });
}
function drawAll(chosen) {
  const course = JSON.stringify([scene.box.board.map(({ x, y, next }) => [x, y, next]), chart?.small, scene.box.board[0].score, matchMedia("(max-width: 700px)").matches]);
  if (course === drawnFor) return drawSpaces(dressed(chosen));
  drawnFor = course;
  drawBoard({ large: true, dressed: dressed(chosen) });
}

/** The heat under the spaces and its legend on the island: an amount in six classes, or clear changes, more or fewer. */
export function drawHeat(spaces, kind, onlyChange, baseWord) {
  if (!kind || !spaces) { fill($("heat"), ""); return fill($("legend"), ""); }
  const [base, now, clear] = spaces[kind].map(row => row.slice(0, scene.box.board.length).map((value, n) => n ? value : 0));
  const values = onlyChange ? now.map((value, n) => clear[n] ? value - base[n] : 0) : now;
  const most = roundUp(onlyChange ? Math.max(...values.map(Math.abs), .02) : Math.max(...now, ...base, .02));
  const classOf = value => {
    const part = Math.abs(value) / most;
    if (!onlyChange) return `heat-${Math.min(LEVELS - 1, Math.floor(part * LEVELS))}`;
    return value ? `${value > 0 ? "more" : "less"}-${part < .34 ? 1 : part < .67 ? 2 : 3}` : "";
  };
  fill($("heat"), values.map((value, n) => n && classOf(value) ? html`<circle class="${classOf(value)}" cx="${chart.at[n][0].toFixed(1)}" cy="${chart.at[n][1].toFixed(1)}" r="50"/>` : ""));
  const total = row => row.reduce((a, b) => a + b, 0), classes = onlyChange ? ["less-3", "less-2", "less-1", "none", "more-1", "more-2", "more-3"] : Array.from({ length: LEVELS }, (_, i) => `heat-${i}`);
  const ends = onlyChange ? [`−${text(most)}`, `+${text(most)}`] : ["0", text(most)];
  const told = onlyChange && !values.some(Boolean) ? "no space has clearly changed yet" : "per space and game";
  fill($("legend"), html`<b>${WORDS[kind]} <span>${total(now).toFixed(1)} a game</span></b>${baseWord ? html`<span class="sub">${baseWord}: ${total(base).toFixed(1)}</span>` : ""}<div class="scale" aria-hidden="true"><span>${ends[0]}</span>${classes.map(name => html`<i class="${name}"></i>`)}<span>${ends[1]}</span></div><span class="sub">${told}</span>`);
}
