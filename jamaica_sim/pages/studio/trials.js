// Trials in a dialog: how the figures respond to one rule over its range, and which rules move one figure most. Both are live.
import { answer } from "../engine/answers.js";
import { withHalf } from "./answers.js";
import { fill, html } from "../shared/markup.js";
import { $, signed } from "../shared/pictures.js";
import { hasCurve, labelOf, shownValue, sliderRange } from "./rules.js";
import { copy, valueOf } from "./variant.js";

const now = { line: null, figure: "shortages", title: "", stop: () => {} };
const MOST_VALUES = 13;
const WIDTH = 520, HEIGHT = 240, EDGE = { left: 46, right: 14, top: 12, bottom: 34 };

function begin(title, kind, question) {
  Object.assign(now, { line: null, title });
  $("trial-title").textContent = title;
  $("trial-text").dataset.kind = kind;
  $("trial-words").textContent = "Playing the first games…";
  fill($("trial"), "");
  if (!$("trial-text").open) $("trial-text").showModal();
  now.stop();
  now.stop = answer({ ...copy(), ...question, kind }, heard);
}
function heard(line) {
  if (line.error) return void ($("trial-words").textContent = line.error);
  if (line.kind === "curve" || line.kind === "screen") now.line = line;
  draw(line.kind === "end");
}
/* At most so many values of a rule's useful range, evenly spread, with the one it has. */
function valuesFor(rule) {
  const [low, high] = sliderRange(rule), step = Math.max(1, Math.ceil((high - low) / (MOST_VALUES - 2))), values = [];
  for (let value = low; value <= high; value += step) values.push(value);
  const mine = valueOf(rule) ?? valueOf("hand_size") + 1;
  return [...new Set([...values, mine].flat())].sort((a, b) => a - b);  // goods may be by seat
}
/** How every figure responds to a rule. */
export function askCurve(rule) {
  $("trial-figure").parentElement.hidden = false;
  begin(`${labelOf(rule)[0].toUpperCase()}${labelOf(rule).slice(1)}: all values`, "curve", { rule, values: valuesFor(rule) });
}
/** Which rules move a figure most. */
export function askScreen(figure, label) {
  $("trial-figure").parentElement.hidden = true;
  begin(`Which rules change “${label.replace(/_/g, " ")}” most`, "screen", { figure });
}

function draw(over) {
  const { line } = now;
  if (!line) return;
  const games = `${line.games.toLocaleString("en")} games of each, on the same deals${over ? ", done" : ""}`;
  if (line.kind === "curve") {
    const names = Object.keys(line.figures);
    if (!names.includes(now.figure)) [now.figure] = names;
    fill($("trial-figure"), names.map(name => html`<option value="${name}" ${name === now.figure ? "selected" : ""}>${line.labels[name].replace(/_/g, " ")}</option>`));
    $("trial-words").textContent = `The other rules stay as they are now. 95% intervals; ${games}. The filled dot is your value.`;
    fill($("trial"), curve(line, line.figures[now.figure]));
  } else {
    $("trial-words").textContent = `Each rule alone, at the lowest and at the highest value that designers usually try; the larger of the two effects. ${clearOnes(line, over)} ${games}.`;
    fill($("trial"), ranking(line));
  }
}

/* What the ranking shows; its intervals hold for all figures together, however often one looks. */
function clearOnes({ rules }, over) {
  const clear = rules.filter(({ state }) => state === "clear").length;
  if (clear) return `${clear === rules.length ? "All of them" : clear} ${clear === 1 ? "is" : "are"} clear, the pale ones are not.`;
  return over ? "None is clear in so many games." : "None is clear yet.";
}
function curve({ values, at, shares }, points) {
  const ends = points.flatMap(([value, half]) => [value - half, value + half]).filter(Number.isFinite), unit = shares[now.figure] ? "%" : "";
  const low = Math.min(...ends), high = Math.max(...ends), pad = (high - low) * .08 || .5, digits = high - low < .5 ? 2 : high - low < 20 ? 1 : 0;
  const x = i => EDGE.left + (values.length > 1 ? i / (values.length - 1) : .5) * (WIDTH - EDGE.left - EDGE.right), y = value => HEIGHT - EDGE.bottom - (value - low + pad) / (high - low + 2 * pad) * (HEIGHT - EDGE.top - EDGE.bottom);
  const lines = [low, (low + high) / 2, high].map(value => html`<path class="rail" d="M${EDGE.left} ${y(value).toFixed(1)}H${WIDTH - EDGE.right}"/><text class="axis" x="${EDGE.left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${signed(Number(value.toFixed(digits)))}${unit}</text>`);
  const every = Math.ceil(values.length / 13), band = [...points.map(([value, half], i) => `${x(i).toFixed(1)},${y(value + half).toFixed(1)}`), ...points.map(([value, half], i) => `${x(i).toFixed(1)},${y(value - half).toFixed(1)}`).reverse()].join(" ");
  const dots = points.map(([value, half], i) => html`<g><title>${shownValue(values[i])}: ${value.toFixed(2)}${unit} ± ${half.toFixed(2)}</title><circle class="curve-dot ${i === at ? "mine" : ""}" cx="${x(i).toFixed(1)}" cy="${y(value).toFixed(1)}" r="${i === at ? 6 : 4}"/></g>${i % every ? "" : html`<text class="axis" x="${x(i).toFixed(1)}" y="${HEIGHT - 14}" text-anchor="middle">${shownValue(values[i])}</text>`}`);
  return html`<svg class="curve-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${points.map(([value, half], i) => `${shownValue(values[i])}: ${value.toFixed(2)} ± ${half.toFixed(2)}`).join("; ")}">${lines}<polygon class="curve-band" points="${band}"/><polyline class="curve-line" points="${points.map(([value], i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}"/>${dots}</svg>`;
}
function ranking({ rules, share }) {
  const most = Math.max(...rules.map(rule => Math.abs(rule.difference)), 1e-9);
  return html`<table class="ranking"><thead><tr><th>rule</th><th>to</th><th><span class="unseen">size</span></th><th>change${share ? ", points" : ""}</th></tr></thead><tbody>${rules.map(({ name, value, difference: by, half, state }) => html`<tr class="${state === "clear" ? "" : "pale"}"><th scope="row">${hasCurve(name) ? html`<button type="button" class="link" data-curve="${name}" title="${name}">${labelOf(name)}</button>` : labelOf(name)}</th><td>${shownValue(value)}</td><td><i style="width:${(Math.abs(by) / most * 100).toFixed(1)}%" class="${by > 0 ? "up" : "down"}"></i></td><td>${withHalf(by, half)[0]} <span class="within">${withHalf(by, half)[1]}</span></td></tr>`)}</tbody></table>`;
}

export function listenToTrials() {
  $("trial-figure").onchange = event => { now.figure = event.target.value; draw(false); };
  $("trial-text").addEventListener("close", () => now.stop());
}
