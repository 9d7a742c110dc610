// The answers to a question as pictures: dice, cards, spaces, holds, ships, kegs. A decision that is not known here is told in words.
import { html } from "../shared/markup.js";
import { card, colourOf, die, glyph, icon, nameOf, titleOf, treasureKind, treasureName } from "../shared/pictures.js";
import { chart } from "../shared/board.js";

const LOOT_POWER = 6, LOOT_HIDDEN = 18, LOOT_GIVE = 20, LOOT_NOTHING = 32;
const byTouch = matchMedia("(pointer: coarse)");  // no keys: rings have the number of the space, not of a key
export const SPACES = ["choose_space", "choose_retreat", "ghost_space"];
const goods = (amount, resource) => html`<span class="goods">${amount} ${icon(resource)}</span>`;
const holdOf = (question, ship, number) => question.holds[ship].find(({ hold }) => hold === number) ?? { amount: 0, resource: null };
const contents = ({ amount, resource }) => resource ? goods(amount, resource) : "empty";
const ship = (question, k) => html`<span class="thing">${glyph(k)}<b>${titleOf(k)}</b></span>`;
const space = n => html`<span class="thing"><b>${n ? `space ${n}` : "Port Royal"}</b></span>`;
const hold = (question, n) => html`<span class="hold-answer">${contents(holdOf(question, question.ship, n))}</span>`;
const powder = n => html`<span class="thing"><b>${n}</b><span class="kegs">${Array(Math.min(n, 6)).fill(icon("gunpowder"))}</span></span>`;

function loot(question, answer) {
  if (answer < LOOT_POWER) return html`<span class="thing">${contents(holdOf(question, question.loser, answer))}</span>`;
  if (answer < LOOT_HIDDEN) return html`<span class="chip power">${treasureName(answer - LOOT_POWER)}</span>`;
  if (answer === LOOT_HIDDEN) return html`<span class="chip unknown">${icon("chest")}?</span>`;
  if (answer < LOOT_NOTHING) return html`<span class="thing"><span class="chip ${treasureKind(answer - LOOT_GIVE)}">${treasureName(answer - LOOT_GIVE)}</span><span class="sub">give away</span></span>`;
  return html`<b>nothing</b>`;
}

function strengths({ battle }) {
  if (!battle) return "";
  const side = (k, name) => html`${glyph(k)}<b>${battle[`${name}_face`] === "star" ? "★" : battle[`${name}_strength`] ?? (battle[`${name}_powder`] === null ? "?" : `${battle[`${name}_powder`]} + die`)}</b>`;
  return html` <span class="fight">${side(battle.attacker, "attack")} against ${side(battle.defender, "defence")}</span>`;
}
const against = q => q.loser === null ? "" : html`${glyph(q.loser)} ${nameOf(q.loser)}`;
const due = q => q.due ? goods(q.due.amount, q.due.resource) : "";

/* How each decision looks: its question, and the picture of an answer. */
const LOOKS = {
  place_dice: { asks: () => html`<b>You are Captain.</b> Which die is for the morning?`, draw: (q, n) => html`<span class="dice-pair">${icon("sun")}${die(q.dice[n])}${icon("moon")}${die(q.dice[1 - n])}</span>` },
  choose_card: { asks: q => html`<b>Which card do you play?</b> ${icon("sun")} ${q.placed.morning} ${icon("moon")} ${q.placed.evening}`, draw: (q, n) => html`<span class="big-card">${card(n)}</span>` },
  choose_space: { asks: () => html`<b>Where do you sail?</b> The rings on the board are within reach.`, draw: (q, n) => space(n) },
  choose_retreat: { asks: () => html`<b>You run short.</b> Back to which space?`, cls: "alarm", draw: (q, n) => space(n) },
  hold_to_empty: { asks: q => html`<b>No hold is free for ${due(q)}.</b> What goes overboard?`, draw: hold },
  hold_to_pay: { asks: q => html`<b>${due(q)} to pay.</b> ${q.free_split ? "From which hold is the next token? Smaller holds pay first; one that is passed over pays nothing more." : "From which hold first?"}`, draw: hold },
  choose_target: { asks: () => html`<b>Whom do you attack?</b>`, draw: ship },
  attack_powder: { asks: q => html`<b>You attack.</b> How much gunpowder?${strengths(q)}`, draw: (q, n) => powder(n) },
  defence_powder: { asks: q => html`<b>You are attacked.</b> How much gunpowder?${strengths(q)}`, draw: (q, n) => powder(n) },
  use_sabre: { asks: q => html`<b>Saran’s Sabre:</b> shall that die be rolled again?${strengths(q)}`, draw: (q, n) => html`<span class="thing">${n ? die(null, "combat") : die(q.battle.defence_face ?? q.battle.attack_face, "combat")}<b>${n ? "roll again" : "let it stand"}</b></span>` },
  choose_loot: { asks: q => html`<b>You have beaten ${against(q)}.</b> What do you take?`, draw: loot },
  ghost_direction: { asks: () => html`<b>You move the ghost.</b> Which way?`, draw: (q, n) => html`<span class="dice-pair">${glyph(q.ship)}${icon(n ? "forward" : "backward")}<b>${n ? "forward" : "backward"}</b></span>` },
  ghost_space: { asks: () => html`<b>You move the ghost.</b> To which space?`, draw: (q, n) => space(n) },
  ghost_target: { asks: () => html`<b>You lead the ghost.</b> Whom does it attack?`, draw: ship },
  ghost_loot: { asks: q => html`<b>The ghost has beaten ${against(q)}.</b> What does it take?`, draw: loot },
};
const lookOf = question => LOOKS[question.decision] ?? { asks: () => html`<b>A house rule asks you.</b> ${question.asks}`, draw: (q, n) => html`<b>${q.options.find(({ answer }) => answer === n).words}</b>` };

export const questionOf = question => lookOf(question).asks(question);

/** The buttons. */
export function answersOf(question) {
  const look = lookOf(question);
  const buttons = question.options.map(({ answer, words, does }, i) => html`<button type="button" class="answer" data-answer="${answer}" aria-label="${labelOf({ words, does })}"><kbd>${i < 9 ? i + 1 : ""}</kbd>${look.draw(question, answer)}${does ? html`<span class="sub does">${does}</span>` : ""}</button>`);
  return html`<div class="answers ${question.decision} ${look.cls ?? ""}">${buttons}</div>`;
}

const percent = share => Math.round(share * 100);
const within = half => Math.max(1, percent(half));
const costOf = ({ cost, cost_half }) => cost < .01 ? `costs ${(cost * 100).toFixed(1)} ± ${(cost_half * 100).toFixed(1)}` : `costs ${percent(cost)} ± ${within(cost_half)}`;
const adviceOn = (advice, answer) => advice?.options.find(option => option.answer === answer);
const verdictOf = found => found.verdict === "worse" ? costOf(found) : found.verdict;
/** An answer as a screen reader says it, with what the coach says of it. */
export function labelOf({ answer, words, does }, advice = null) {
  const found = adviceOn(advice, answer);
  return `${words.replace(/^to /, "")}${does ? `: ${does}` : ""}${found ? `. Coach: ${percent(found.chance)}% ± ${within(found.half)}, ${verdictOf(found)}` : ""}`;
}
/** What the coach says of an answer: its chance with its interval, and whether it is best, as good, or what it costs. Empty room while it thinks. */
export function adviceOf(advice, answer) {
  const found = adviceOn(advice, answer);
  if (!found) return "";
  const top = Math.max(...advice.options.map(option => option.chance), .01);
  return html`<i style="width:${(found.chance / top * 100).toFixed(0)}%"></i><b>${percent(found.chance)}%</b> <small>±${within(found.half)}</small><em class="${found.verdict.replaceAll(" ", "-")}">${verdictOf(found)}</em>`;
}

/** Where an answer leads, on the board: a ring at each end with what is paid there. */
export function leadsOf(question, answer) {
  if (SPACES.includes(question.decision)) return "";
  const { leads } = question.options.find(one => one.answer === answer), size = chart.small ? 30 : 22;
  return leads.map(([n, words]) => {
    const [x, y] = chart.at[n], wide = words.length * size * .52 + 16, at = Math.max(wide / 2, Math.min(chart.width - wide / 2, x)) - x, below = y < chart.height - 90 ? 58 : -58;
    const label = words && html`<rect x="${at - wide / 2}" y="${below - size * .7}" width="${wide}" height="${size * 1.4}" rx="8"/><text x="${at}" y="${below}" font-size="${size}">${words}</text>`;
    return html`<g class="lead ${words.includes("short") ? "short-of" : ""}" data-lead="${n}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" style="--colour:${colourOf(question.ship)}"><circle r="38"/>${label}</g>`;
  });
}

/** Rings on the board, where the answers are spaces. */
export function ringsOf(question) {
  if (!SPACES.includes(question.decision)) return "";
  const colour = question.decision === "choose_retreat" ? "var(--red)" : colourOf(question.ship);
  return question.options.map(({ answer }, i) => {
    const [x, y] = chart.at[answer], below = y < chart.height - 90 ? 56 : -56;
    return html`<g class="pick" data-answer="${answer}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" style="--colour:${colour}"><circle r="38"/><circle class="pulse" r="38"/><g transform="translate(0 ${below})"><rect x="-15" y="-17" width="30" height="34" rx="17"/><text>${byTouch.matches ? answer || "⚓" : i + 1}</text></g></g>`;
  });
}
