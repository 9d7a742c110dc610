// Chances to win beside the cards and under the sentence, where the page brings them.
import { DATA, player } from "./game.js";
import { fill, html, listed } from "../shared/markup.js";
import { colourOf, glyph, nameOf, $ } from "../shared/pictures.js";
import { SHIPS } from "../shared/scene.js";

/* What choosing a card would have been worth, where the page brings such chances. */
export function chanceOf(k, held, frame) {
  const choice = frame.kind === "choose" && typeof held === "number" && decisionsAt(frame).find(decision => decision.player === k && decision.is_card);
  const option = choice && choice.options.find(([answer]) => answer === held);
  if (!option) return "";
  const [, , chance, width] = option, blunder = choice.loss && held === choice.answer;
  const words = `chance to win with this card, by what ${nameOf(k)} can know: ${percents(chance)}% ± ${percents(width)}, ${DATA.chances.games} games${blunder ? `; another card is ${percents(choice.loss)} points better` : ""}`;
  return html`<span class="chance ${blunder ? "blunder" : ""}" title="${words}">${percents(chance)}%<small> ±${percents(width)}</small>${blunder ? "??" : ""}</span>`;
}

const MOST_OTHERS = 5;  // answers beside the one that was given
const percents = chance => Math.round(chance * 100);

/** The decisions of a step whose chances the viewer may see: a player's own, or all. */
function decisionsAt(frame) {
  const found = DATA.chances?.decisions.filter(({ step }) => step === frame.at) ?? [];
  return found.filter(({ player: who }) => player.view === "all" || player.view === who);
}

/** What else a player could have done at this step, and its chance to win with each answer. */
export function drawOptions(frame) {
  if (!DATA.chances) return;
  const lines = decisionsAt(frame).filter(decision => !decision.is_card).map(({ player: who, verb, answer, loss, options }) => {
    const given = options.find(option => option[0] === answer), others = options.filter(option => option !== given);
    const shown = [given, ...others.sort((a, b) => b[2] - a[2]).slice(0, MOST_OTHERS)], more = options.length - shown.length;
    const parts = shown.map(([value, name, chance, width]) => html`<span class="option ${value === answer ? "given" : ""}">${name} ${percents(chance)}% ± ${percents(width)}${value === answer && loss ? html`<b class="blunder">??</b>` : ""}</span>`);
    return html`<span title="by what ${nameOf(who)} can know, ${DATA.chances.games.toLocaleString("en")} games each">${glyph(who)}Chance to win if ${nameOf(who)} ${verb}: ${listed(parts, " · ")}${more ? ` · ${more} worse` : ""}</span>`;
  });
  fill($("options"), listed(lines, " "));
}

/** The steps at which a player lost much by a decision, as far as the viewer may see them. */
export function mistakes() {
  const lost = DATA.chances?.decisions.filter(({ loss, player: who }) => loss && (player.view === "all" || player.view === who)) ?? [];
  return [...new Set(lost.map(({ step }) => step))].sort((a, b) => a - b);
}

/** The bar beside the board: each ship's chance to win now, the whole bar being all games. */
export function drawBar(frame) {
  if (!DATA.chances) return;
  const chances = chancesAt(frame.at);
  $("bar").setAttribute("aria-label", `Chances to win: ${SHIPS.map(k => `${nameOf(k)} ${percents(chances[k])}%`).join(", ")}`);
  $("bar").title = SHIPS.map(k => `${nameOf(k)} ${percents(chances[k])}%`).join("\n");
  if (!$("bar").children.length) fill($("bar"), SHIPS.map(k => html`<i style="background:${colourOf(k)}"></i>`));
  SHIPS.forEach(k => { $("bar").children[k].style.flexGrow = chances[k]; });
}
function chancesAt(at) {
  const { marks } = DATA.chances;
  return marks[Math.max(0, marks.findLastIndex(([step]) => step <= at))][1];
}
