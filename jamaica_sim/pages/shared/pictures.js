// Small pictures: ships, dice, cards, icons. Each gives markup.
import { html } from "./markup.js";
import { scene } from "./scene.js";
export const $ = id => document.getElementById(id);
export const signed = n => n < 0 ? `−${-n}` : String(n);
export const plus = n => (n > 0 ? "+" : "") + signed(n);
export const icon = (name, cls = "icon") => html`<svg class="${cls}" aria-hidden="true"><use href="#i-${name}"/></svg>`;

// A colour and a sail of its own shape for each seat: no ship is told by colour alone.
const SAILS = [
  html`<circle r="10.5" cy="-6"/>`,
  html`<rect x="-9.5" y="-15.5" width="19" height="19" rx="1.5"/>`,
  html`<path d="M0-18 11.5 3.5H-11.5Z"/>`,
  html`<path d="M0-19 12-6 0 6-12-6Z"/>`,
  html`<path d="M-6-16H6L12-6 6 4H-6L-12-6Z"/>`,
  html`<path d="M-4-17H4V-10H11V-2H4V4H-4V-2H-11V-10H-4Z"/>`,
];
const GHOST_SAIL = html`<path d="M4-17A11 11 0 1 0 4 4.5 8.5 8.5 0 0 1 4-17Z"/>`;
const HULL = html`<path d="M-15 7H15C14 12 11 15.5 7 16H-7C-11 15.5-14 12-15 7Z"/>`;

export const nameOf = k => scene.ships[k].name;
export const titleOf = k => nameOf(k)[0].toUpperCase() + nameOf(k).slice(1);
export const colourOf = k => `var(--ship-${scene.ships[k].ghost ? "ghost" : k})`;
export const strategyOf = k => scene.ships[k].strategy.replace(/_/g, " ");
export const shipShape = k => html`<g class="sail" fill="${colourOf(k)}">${scene.ships[k].ghost ? GHOST_SAIL : SAILS[k]}${HULL}</g>`;
export const glyph = k => html`<svg class="glyph" viewBox="-18 -21 36 40" aria-hidden="true">${shipShape(k)}</svg>`;

const PIPS = { 1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679" };  // places on a die, as on a telephone
const pips = n => [...PIPS[n]].map(p => html`<circle cx="${10 + (p - 1) % 3 * 8}" cy="${10 + Math.floor((p - 1) / 3) * 8}" r="3.2"/>`);
export function die(face, cls = "", sign = null) {
  const round = cls.includes("combat");
  const inner = sign ?? (face === null ? "" : face === "star" ? html`<use href="#i-star" x="6" y="6" width="24" height="24"/>`
    : PIPS[face] && !round ? pips(face) : html`<text x="18" y="18.5">${face}</text>`);
  const label = face === null ? "not rolled yet" : `die: ${face}`;
  return html`<svg class="die ${face === null ? "void" : ""} ${cls}" viewBox="0 0 36 36" role="img" aria-label="${label}"><rect x="1.5" y="1.5" width="33" height="33" rx="${round ? 16.5 : 7}"/>${inner}</svg>`;
}
export const SHORTAGE_SIGNS = {
  circle: [html`<circle class="sign" cx="18" cy="18" r="8.5"/>`, "back to a port"],
  square: [html`<path class="sign" d="M10 10H26V26H10Z"/>`, "back to sea"],
  skull: [html`<path class="sign" d="M18 8a9 9 0 0 0-9 9c0 3 1.5 5 3.5 6v4h11v-4c2-1 3.5-3 3.5-6a9 9 0 0 0-9-9ZM14.5 17v.5M21.5 17v.5"/>`, "back to a lair"],
  star: [html`<use href="#i-star" x="6" y="6" width="24" height="24"/>`, "it stays"],
};

/** An action card: its two symbols, or its back. `mark` frames the half that is being resolved. */
export function card(number, { cls = "", mark = null } = {}) {
  const shown = (words, inside) => html`<svg class="card ${cls}" viewBox="0 0 60 34" role="img" aria-label="card${words}">${inside}</svg>`;
  const edge = html`<rect class="edge" x="1" y="1" width="58" height="32" rx="5"/>`;
  if (number === "none") return shown(": none yet", edge);
  if (number === null || number === "hidden") {
    return shown(", face down", html`<rect class="back" x="1" y="1" width="58" height="32" rx="5"/><path class="wave" d="M10 13c5-4 8 4 13 0s8 4 13 0 8 4 13 0M10 21c5-4 8 4 13 0s8 4 13 0 8 4 13 0"/>${edge}`);
  }
  const { morning, evening } = scene.box.cards[number];
  const frame = mark ? html`<rect class="mark" x="${mark === "morning" ? 2 : 31}" y="2" width="27" height="30" rx="4"/>` : "";
  return shown(`: morning ${morning}, evening ${evening}`, html`<path class="day-half" d="M6 1H30V33H6A5 5 0 0 1 1 28V6A5 5 0 0 1 6 1Z"/><path class="night-half" d="M30 1H54A5 5 0 0 1 59 6V28A5 5 0 0 1 54 33H30Z"/><use class="on-day" href="#i-${morning}" x="5" y="7" width="20" height="20"/><use class="on-night" href="#i-${evening}" x="35" y="7" width="20" height="20"/>${edge}${frame}`);
}
export const treasureKind = number => scene.box.treasures[number].kind;
export const treasureName = number => scene.box.treasures[number].name.replace("-", "−");
