// Chances to win beside the cards and under the sentence, where the page brings them.
import { DATA, player } from "./game.js";
import { esc, fill, glyph, nameOf, $ } from "./pictures.js";

/* What choosing a card would have been worth, where the page brings such chances. */
export function chanceOf(k, held, frame) {
  const choice = frame.kind === "choose" && typeof held === "number" && decisionsAt(frame).find(decision => decision.player === k && decision.is_card);
  const option = choice && choice.options.find(([answer]) => answer === held);
  if (!option) return "";
  const [, , chance, width] = option, blunder = choice.loss && held === choice.answer;
  const words = `chance to win with this card, by what ${nameOf(k)} can know: ${percents(chance)}% ± ${percents(width)}, ${DATA.chances.games} games${blunder ? `; another is ${percents(choice.loss)} better` : ""}`;
  return `<span class="chance ${blunder ? "blunder" : ""}" title="${esc(words)}">${percents(chance)}%<small> ±${percents(width)}</small>${blunder ? "??" : ""}</span>`;
}

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
    const best = [...options].sort((a, b) => b[2] - a[2]).slice(0, 5), given = options.find(option => option[0] === answer);
    if (!best.includes(given)) best.splice(-1, 1, given);
    const parts = best.map(([value, name, chance, width]) => `<span class="option ${value === answer ? "given" : ""}">${esc(name)} ${percents(chance)}% ± ${percents(width)}${value === answer && loss ? `<b class="blunder">??</b>` : ""}</span>`);
    return `<span title="chance to win with each answer, by what ${esc(nameOf(who))} can know, ${DATA.chances.games} games each">${glyph(who)}${esc(verb)}: ${parts.join(" · ")}</span>`;
  });
  fill($("options"), lines.join(" "));
}
