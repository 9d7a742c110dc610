// The panel of the ships: place, points, holds, hand and treasures of each, as far as the viewer may see them.
function drawShips(frame, view, before) {
  for (const k of SHIPS) {
    const panel = $(`panel-${k}`);
    panel.classList.toggle("now", view.acting === k);
    fill(panel, shipPanel(k, view, frame, before));
  }
}

function layOutShips() {
  $("ships").innerHTML = SHIPS.map(k => `<article class="ship-panel" id="panel-${k}" style="--colour:${colourOf(k)}" aria-label="${esc(titleOf(k))}"></article>`).join("");
  $("ships").classList.toggle("many", SHIPS.length > 4);
}

function shipPanel(k, view, frame, before) {
  const ship = view.ships[k], { points } = ship, space = ship.space ? `<span class="wide">space </span>${ship.space}` : "Port Royal";
  const place = ship.home ? "home" : `${space}${ship.lap < 0 ? ", behind" : ""} · ${ship.toGo} to go`;
  const captain = view.captain === k ? `<svg class="captain" role="img" aria-label="Captain"><title>Captain</title><use href="#i-compass"/></svg>` : "";
  const total = `<span class="total" aria-label="${points.total} points${points.unknown ? " and unknown treasures" : ""}">${signed(points.total)}${points.unknown ? "<small>+?</small>" : ""}</span>`;
  const sources = [["place", signed(points.place)], ["gold", points.gold], ["treasures", `${points.treasures}${points.unknown ? "?" : ""}`], ["cursed", signed(points.cursed)]];
  return `<div class="heading">${glyph(k)}<h3>${esc(titleOf(k))} <span>${esc(strategyOf(k))}</span></h3>${captain}<span class="at">${place}</span>${total}</div>
    <div class="stores"><ul class="holds" aria-label="Holds">${holdsOf(ship, before && before.ships[k])}</ul><dl class="sources" aria-label="Points by source">${sources.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("")}</dl></div>
    <div class="cards">${handOf(k, ship, frame)}<span class="gap"></span>${treasuresOf(ship)}</div>`;
}

/* Each hold with what has just changed in it. */
function holdsOf(ship, was) {
  return Array.from({ length: Math.max(DATA.box.holds, SIXTH_HOLD) + 1 }, (_, hold) => {
    const sixth = hold === SIXTH_HOLD;
    if (hold >= ship.holds.length || (!sixth && hold >= DATA.box.holds)) return sixth ? `<li class="hold none"><span class="unseen">no 6th Hold</span></li>` : "";
    const now = ship.holds[hold] ?? null, old = was ? was.holds[hold] ?? null : now;
    const gain = now && (!old || old.resource !== now.resource) ? now.amount : (now ? now.amount : 0) - (old ? old.amount : 0);
    const change = gain ? `<span class="change">${plus(gain)}</span>` : "";
    const label = `<span class="unseen">${now ? now.resource : "empty"}${sixth ? " in the 6th Hold" : ""}</span>`;
    return `<li class="hold ${sixth ? "sixth" : ""} ${gain > 0 ? "more" : gain < 0 ? "less" : ""}">${now ? now.amount + icon(now.resource) : ""}${label}${change}</li>`;
  }).join("");
}

function handOf(k, ship, frame) {
  const cards = ship.hand.map(held => card(held) + chanceOf(k, held, frame));
  if (ship.card !== null && !ship.shown) cards.push(card(ship.card, { cls: "chosen" }) + chanceOf(k, ship.card, frame));
  return cards.join("");
}

/* What choosing a card would have been worth, where the page brings such chances. */
function chanceOf(k, held, frame) {
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
function drawOptions(frame) {
  if (!DATA.chances) return;
  const lines = decisionsAt(frame).filter(decision => !decision.is_card).map(({ player: who, verb, answer, loss, options }) => {
    const best = [...options].sort((a, b) => b[2] - a[2]).slice(0, 5), given = options.find(option => option[0] === answer);
    if (!best.includes(given)) best.splice(-1, 1, given);
    const parts = best.map(([value, name, chance, width]) => `<span class="option ${value === answer ? "given" : ""}">${esc(name)} ${percents(chance)}% ± ${percents(width)}${value === answer && loss ? `<b class="blunder">??</b>` : ""}</span>`);
    return `<span title="chance to win with each answer, by what ${esc(nameOf(who))} can know, ${DATA.chances.games} games each">${glyph(who)}${esc(verb)}: ${parts.join(" · ")}</span>`;
  });
  fill($("options"), lines.join(" "));
}

function treasuresOf(ship) {
  const faceUp = ship.powers.map(number => `<span class="chip power">${esc(treasureName(number))}</span>`);
  const faceDown = ship.down.map(number => {
    if (number === null) return `<span class="chip unknown" title="face down">${icon("chest")}?</span>`;
    const { kind, value } = DATA.box.treasures[number];
    return `<span class="chip ${kind}" title="face down">${icon("chest")}${kind === "power" ? esc(treasureName(number)) : plus(value)}</span>`;
  });
  return [...faceUp, ...faceDown].join("");
}
