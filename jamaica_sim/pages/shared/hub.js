// The hub on the island: round, dice, pile, and below them the cards, the battle, the shortage or the final table.
import { fill, html } from "./markup.js";
import { card, die, glyph, icon, nameOf, SHORTAGE_SIGNS, signed, strategyOf, titleOf, $ } from "./pictures.js";
import { playersOf, scene, SHIPS } from "./scene.js";
const CROSSED = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 3 17 17M20 3 7 17M13.5 20.5l5-5M10.5 20.5l-5-5" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/></svg>`;

export function drawHub(frame, view) {
  if (frame.kind === "end") return fill($("hub"), finalTable(view));
  $("hub").className = playersOf() > 4 ? "many" : "";
  const below = view.battle ? battleCard(view.battle, frame)
    : view.shortage && ["shortage", "retreat"].includes(frame.kind) ? shortageCard(view.shortage) : playedCards(view);
  fill($("hub"), [dayLine(frame, view), below]);
}

function dayLine(frame, view) {
  const slot = (when, i) => {
    const face = view.placed ? view.placed[i] : view.dice ? view.dice[i] : null;
    const sign = view.placed || !view.dice ? icon(when === "morning" ? "sun" : "moon") : "";
    return html`<div class="slot ${view.when === when ? "now" : ""}">${sign}${die(face, frame.kind === "dice" ? "tumble" : "")}<span class="unseen">${when}</span></div>`;
  };
  return html`<div class="day"><div class="round">${view.round ? `Round ${view.round}` : "Setup"}<small>${icon("compass", "captain")}<span>${titleOf(view.captain)}</span></small></div>${slot("morning", 0)}${slot("evening", 1)}<div class="pile" title="Treasures left in the pile">${icon("chest")}<span>${view.pile.length} in<br>the pile</span></div></div>`;
}

function playedCards(view) {
  const players = playersOf(), order = SHIPS.slice(0, players).map(i => (view.captain + i) % players);
  const turn = view.acting === null ? -1 : view.ships[view.acting].ghost ? players : order.indexOf(view.acting);
  return html`<ul class="played" aria-label="Cards in turn order">${order.map((k, i) => {
    const ship = view.ships[k], now = view.acting === k, over = turn > i || (ship.shown && turn < 0);
    const face = ship.card === null ? "none" : ship.shown ? ship.card : "hidden";
    return html`<li class="${now ? "now" : ""}">${glyph(k)}<span class="unseen">${titleOf(k)}</span>${card(face, { cls: face === "none" ? "none" : over ? "over" : "", mark: now ? view.when : null })}</li>`;
  })}</ul>`;
}

function battleCard(battle, frame) {
  const half = (side, right) => {
    const end = !battle.over ? "" : battle.over.winner === side.ship ? "won" : battle.over.winner === null ? "" : "lost";
    const dice = side.faces.length ? side.faces.map((face, i) => {
      const last = i === side.faces.length - 1, fresh = last && frame.kind === "roll" && frame.events[0].ship === side.ship;
      return die(face, `combat ${last ? "" : "old"} ${fresh ? "tumble" : ""}`);
    }) : die(null, "combat");
    const powder = side.powder === null ? "" : html`<span class="add ${side.powder ? "" : "wide"}">+${side.powder} ${icon("gunpowder")}</span>`;
    const beth = side.bonus ? html`<span class="add" title="Lady Beth">+${side.bonus}<span class="wide"> Beth</span></span>` : "";
    const strength = side.faces.at(-1) === "star" ? "★" : side.strength ?? "";
    const who = html`<span>${titleOf(side.ship)}</span><small>${right ? "defends" : "attacks"}</small>`;
    return html`<div class="side ${right ? "right" : ""} ${end}"><div class="who">${right ? [who, glyph(side.ship)] : [glyph(side.ship), who]}</div><div class="throw">${dice}${powder}${beth}<b>${strength}</b></div></div>`;
  };
  const { over, sabre } = battle;
  const words = over ? (over.winner === null ? "A tie" : `${titleOf(over.winner)} wins`)
    : sabre ? `${titleOf(sabre.by)}’s Sabre: ${sabre.of === sabre.by ? "its own" : `${nameOf(sabre.of)}’s`} die again` : `Battle on space ${battle.space}`;
  return html`<div class="battle">${half(battle.sides[0], false)}<div class="versus">${CROSSED}</div>${half(battle.sides[1], true)}<div class="verdict">${words}</div></div>`;
}

function shortageCard(event) {
  const due = Array.from({ length: event.due }, (_, i) => icon(event.resource, i < event.paid ? "icon" : "icon missing"));
  const [sign, words] = SHORTAGE_SIGNS[event.symbol] ?? [null, "back to the first space it can pay"];
  return html`<div class="short"><div class="what">${glyph(event.ship)}${titleOf(event.ship)} runs short</div><div class="due">${due}${sign ? die(event.symbol, "combat", sign) : ""}<span>${words}</span></div></div>`;
}

export function finalTable(view) {
  const { winners, rounds } = scene.result, won = k => winners.includes(k);
  const order = [...SHIPS].sort((a, b) => won(b) - won(a) || view.ships[b].points.total - view.ships[a].points.total || view.ships[a].toGo - view.ships[b].toGo);
  const isHouse = order.some(k => view.ships[k].points.house);
  const rows = order.map(k => {
    const { place, gold, treasures, cursed, house, total } = view.ships[k].points;
    const parts = [place, gold, treasures, cursed, ...(isHouse ? [house] : [])].map(n => html`<td class="part">${signed(n)}</td>`);
    return html`<tr class="${won(k) ? "winner" : ""}"><td>${glyph(k)}${titleOf(k)} <span class="sub">${strategyOf(k)}</span></td>${parts}<td>${signed(total)}</td></tr>`;
  });
  return html`<table class="final"><thead><tr><th>After ${rounds} rounds</th><th class="part">place</th><th class="part">gold</th><th class="part">treasures</th><th class="part">cursed</th>${isHouse ? html`<th class="part">house rules</th>` : ""}<th>points</th></tr></thead><tbody>${rows}</tbody></table>`;
}
