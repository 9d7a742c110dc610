// The panel of the ships: place, points, holds, hand and treasures of each, as far as the viewer may see them.
import { fill, html } from "./markup.js";
import { card, colourOf, glyph, icon, plus, signed, strategyOf, titleOf, treasureName, $ } from "./pictures.js";
import { scene, SHIPS } from "./scene.js";
import { SIXTH_HOLD } from "./table.js";
/** `beside` gives what stands beside a card of a hand: (ship, card) to markup. */
export function drawShips(view, before, beside = () => "") {
  for (const k of SHIPS) {
    const panel = $(`panel-${k}`);
    panel.classList.toggle("now", view.acting === k);
    fill(panel, shipPanel(k, view, before, beside));
  }
}

export function layOutShips() {
  fill($("ships"), SHIPS.map(k => html`<article class="ship-panel" id="panel-${k}" style="--colour:${colourOf(k)}" aria-label="${titleOf(k)}"></article>`));
  $("ships").classList.toggle("many", SHIPS.length > 4);
}

function shipPanel(k, view, before, beside) {
  const ship = view.ships[k], { points } = ship, space = ship.space ? html`<span class="wide">space </span>${ship.space}` : "Port Royal";
  const place = ship.home ? "home" : html`${space}${ship.lap < 0 ? html`, behind<span class="wide"> the start</span>` : ""} · ${ship.toGo} to go`;
  const captain = view.captain === k ? html`<svg class="captain" role="img" aria-label="Captain"><title>Captain</title><use href="#i-compass"/></svg>` : "";
  const total = html`<span class="total" aria-label="${points.total} points${points.unknown ? " and unknown treasures" : ""}">${signed(points.total)}${points.unknown ? html`<small>+?</small>` : ""}</span>`;
  const sources = [["place", signed(points.place)], ["gold", points.gold], ["treasures", `${points.treasures}${points.unknown ? "?" : ""}`], ["cursed", signed(points.cursed)]];
  return html`<div class="heading">${glyph(k)}<h2>${titleOf(k)} <span>${strategyOf(k)}</span></h2>${captain}<span class="at">${place}</span>${total}</div>
    <div class="stores"><ul class="holds" aria-label="Holds">${holdsOf(ship, before && before.ships[k])}</ul><dl class="sources" aria-label="Points by source">${sources.map(([name, value]) => html`<div><dt>${name}:</dt><dd>${value}</dd></div>`)}</dl></div>
    <div class="cards">${handOf(k, ship, beside)}<span class="gap"></span>${treasuresOf(ship)}</div>`;
}

/* Each hold with what has just changed in it. */
export function holdsOf(ship, was) {
  return Array.from({ length: Math.max(scene.box.holds, SIXTH_HOLD) + 1 }, (_, hold) => {
    const sixth = hold === SIXTH_HOLD && hold >= scene.box.holds;
    if (hold >= ship.holds.length || (!sixth && hold >= scene.box.holds)) return sixth ? html`<li class="hold none"><span class="unseen">no 6th Hold</span></li>` : "";
    const now = ship.holds[hold] ?? null, old = was ? was.holds[hold] ?? null : now;
    const gain = now && (!old || old.resource !== now.resource) ? now.amount : (now ? now.amount : 0) - (old ? old.amount : 0);
    const change = gain ? html`<span class="change">${plus(gain)}</span>` : "";
    const label = html`<span class="unseen">${now ? now.resource : "empty"}${sixth ? " in the 6th Hold" : ""}</span>`;
    return html`<li class="hold ${sixth ? "sixth" : ""} ${gain > 0 ? "more" : gain < 0 ? "less" : ""}">${now ? [now.amount, icon(now.resource)] : ""}${label}${change}</li>`;
  });
}

function handOf(k, ship, beside) {
  const cards = ship.hand.map(held => [card(held), beside(k, held)]);
  if (ship.card !== null && !ship.shown) cards.push(card(ship.card, { cls: "chosen" }), beside(k, ship.card));
  return cards;
}

export function treasuresOf(ship) {
  const faceUp = ship.powers.map(number => html`<span class="chip power">${treasureName(number)}</span>`);
  const faceDown = ship.down.map(number => {
    if (number === null) return html`<span class="chip unknown" title="face down">${icon("chest")}?</span>`;
    const { kind, value } = scene.box.treasures[number];
    return html`<span class="chip ${kind}" title="face down">${icon("chest")}${kind === "power" ? treasureName(number) : plus(value)}</span>`;
  });
  return [...faceUp, ...faceDown];
}
