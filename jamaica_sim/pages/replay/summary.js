// The summary: who led when, what turned the game, the points by source. It is what is printed.
import { addressOf, DATA, FRAMES, LAST } from "./game.js";
import { finalTable } from "../shared/hub.js";
import { fill, html, listed } from "../shared/markup.js";
import { glyph, plus, strategyOf, titleOf, $ } from "../shared/pictures.js";
import { SHIPS } from "../shared/scene.js";
import { seen } from "../shared/table.js";
const minus = text => text.replace(/-(?=\d)/g, "−");

export function drawSummary() {
  const { summary } = DATA;
  if (!summary) return void ($("summary").hidden = true);
  const ship = k => html`<span class="ship">${glyph(k)}${titleOf(k)}</span>`;
  const span = ([first, last, ships]) => html`${listed(ships.map(ship), " and ")} ${first === last ? `in round ${first}` : `in rounds ${first} to ${last}`}`;
  const turns = summary.turns.map(turn => html`<li><a href="#${addressOf(FRAMES[turn.step])}">Round ${turn.round}</a>: ${turn.text} <span class="sub">(${turn.changes.map(([k, by]) => `${titleOf(k)} ${plus(Math.round(by))}`).join(", ")})</span></li>`);
  const linked = ({ step, text }) => html`<li><a href="#${addressOf(FRAMES[step])}">Round ${FRAMES[step].round}</a>: ${minus(text)}</li>`;
  const { swings = [], blunders = [], splits = [], games = 0 } = DATA.chances ?? {}, { winners = [] } = DATA.trace.result ?? {};
  const split = splits.map(([start, luck, decisions], k) => html`<tr class="${winners.includes(k) ? "winner" : ""}"><td>${ship(k)}</td><td>${start}</td><td>${minus(luck)}</td><td>${minus(decisions)}</td><td>${winners.includes(k) ? Math.round(100 / winners.length) : 0}%</td></tr>`);
  const counts = SHIPS.map(k => html`<tr><td>${ship(k)} <span class="sub">${strategyOf(k)}</span></td><td>${summary.counts[k].won} of ${summary.counts[k].battles}</td><td>${summary.counts[k].shortages}</td><td>${summary.counts[k].treasures}</td></tr>`);
  fill($("summary-text"), html`<p><b>${summary.verdict}</b></p>
    <div class="columns"><div>${finalTable(seen(FRAMES[LAST], "all", DATA.box))}</div>
    <table class="final"><thead><tr><th></th><th>battles won</th><th>shortages</th><th>lairs</th></tr></thead><tbody>${counts}</tbody></table></div>
    <h3>Most points</h3><p>${listed(summary.leaders.map(span), ", ")}.</p>
    <h3>Furthest along</h3><p>${listed(summary.ahead.map(span), ", ")}.</p>
    ${turns.length ? html`<h3>Turning points, by the change of gold, treasures and progress in points</h3><ul class="turns">${turns}</ul>` : ""}
    ${swings.length ? html`<h3>Largest swings by luck</h3><ul class="turns">${swings.map(linked)}</ul>` : ""}
    ${blunders.length ? html`<h3>Decisions that cost most, by what their player could know</h3><ul class="turns">${blunders.map(linked)}</ul>` : ""}
    ${split.length ? html`<h3>How luck and decisions changed each ship’s chance to win</h3><div class="columns"><table class="final"><thead><tr><th></th><th>start</th><th>luck</th><th>decisions</th><th>end</th></tr></thead><tbody>${split}</tbody></table></div><p class="sub">Points of the chance to win with their 95% intervals, from ${games.toLocaleString("en")} games played on from each moment and with each answer. Luck adds up what every throw, roll and draw changed, decisions what every choice changed, one’s own or another’s. Start, luck and decisions make the end: luck above +100 means that choices took some of it away.</p>` : ""}`);
}
