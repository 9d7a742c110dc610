// The right side: every figure against the base. A tick is the base, a dot is yours, its bar the interval of the difference.
import { fill, html } from "../shared/markup.js";
import { $, glyph } from "../shared/pictures.js";

const GROUPS = [["wins", "Who wins", "% of games, for each ship"], ["seats", "By seat", "% of games; seats clockwise"], ["fair", "How fair the seats are", "in points"], ["game", "A game", "per game"], ["close", "How close", "per game; shares in %"], ["own", "Your measures", "per game; shares in %"]];
const WIDTH = 110, HEIGHT = 24, EDGE = 6;
const FINE = .245;  // below it two decimals: −0.2 ± 0.2 would not look clear
const scales = new Map();  // by row or group: they only ever widen while a variant plays, so that nothing jumps
export const forgetScales = () => scales.clear();
const roundUp = value => { const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9))); return [1, 2, 5, 10].find(step => value <= step * power * 1.0001) * power; };

const valueText = (row, value) => value === null ? "–" : value.toFixed(row.share && value >= 9.95 ? 0 : 1).replace("-", "−");
const halfText = (half, digits = half < FINE ? 2 : half < 9.95 ? 1 : 0) => half === null || half === undefined ? "" : half.toFixed(digits);
/* So many decimals that a clear difference also looks it: never −0.3 ± 0.3. */
function decimals(value, half) {
  let digits = half !== null && half < FINE ? 2 : 1;
  while (digits < 5 && Math.abs(value) > half && Number(Math.abs(value).toFixed(digits)) <= Number(half?.toFixed(digits))) digits++;
  return digits;
}
const difference = (value, half) => { const text = Math.abs(value).toFixed(decimals(value, half)); return Number(text) ? `${value > 0 ? "+" : "−"}${text}` : "0"; };
/** A difference with its interval, as text. */
export const withHalf = (value, half) => [difference(value, half), `±${halfText(half, Math.abs(value) > half ? decimals(value, half) : undefined)}`];

/* Shares of one group have one scale; every other figure has the base in the middle. */
function scaleOf(row, rows) {
  const half = row.half ?? row.own_half ?? 0, shares = row.group === "wins" || row.group === "seats";
  if (shares) {
    const all = rows.filter(other => other.group === row.group), step = row.group === "seats" ? 5 : 10, was = scales.get(`all ${row.group}`) ?? [Infinity, 0];
    const low = row.group === "seats" ? Math.min(...all.flatMap(r => [r.value, r.base])) - 1 : 0, high = Math.max(...all.flatMap(r => [r.value, r.base])) + 1;
    scales.set(`all ${row.group}`, [Math.min(was[0], Math.max(0, Math.floor(low / step) * step)), Math.max(was[1], Math.ceil(high / step) * step)]);
    return scales.get(`all ${row.group}`);
  }
  const reach = roundUp(Math.max(Math.abs(row.value - row.base) + Math.min(half, row.group === "fair" ? 5 : Math.abs(row.base) * .4), Math.abs(row.base) * .12, 1e-3));
  scales.set(row.key, Math.max(reach, scales.get(row.key) ?? 0));
  return [row.base - scales.get(row.key), row.base + scales.get(row.key)];
}

function marks(row, [low, high]) {
  const x = value => EDGE + (Math.min(high, Math.max(low, value)) - low) / (high - low) * (WIDTH - 2 * EDGE), half = row.half ?? row.own_half ?? high - low;
  const own = row.state === "base", bar = `M${x(row.value - half).toFixed(1)} 12H${x(row.value + half).toFixed(1)}`, cls = own ? "own" : "";
  return html`<svg class="marks" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><path class="rail" d="M4 12H${WIDTH - 4}"/><path class="base-mark" d="M${x(row.base).toFixed(1)} 3V${HEIGHT - 3}"/><path class="half ${cls}" d="${bar}"/><circle class="now-mark ${cls}" cx="${x(row.value).toFixed(1)}" cy="12" r="4.6"/></svg>`;
}
function verdict(row) {
  const [gap, around] = withHalf(row.difference, row.half), within = html`<span class="within">${around}</span>`;
  if (row.state === "base") return row.own_half === null ? "" : html`<span class="within">±${halfText(row.own_half)}</span>`;
  if (row.state === "few") return html`<span class="wait">…</span>`;
  if (row.state === "clear") return html`<b>${gap}</b>${within}`;
  if (row.state === "small") return html`<span class="wait">within ±${halfText(Math.abs(row.difference) + row.half)}</span>`;
  return html`<span class="wait">too close to call</span>`;
}
function inWords(row, base) {
  const unit = row.group === "fair" ? " points" : row.share ? "%" : "", value = `${row.noun[0].toUpperCase()}${row.noun.slice(1).replace(/_/g, " ")}: ${valueText(row, row.value)}${unit}${row.own_half === null ? "" : ` ± ${halfText(row.own_half)}`}`;
  if (row.state === "base") return value;
  return `${value}; ${base} ${valueText(row, row.base)}${unit}; difference ${withHalf(row.difference, row.half)[0]}${row.half === null ? "" : ` ${withHalf(row.difference, row.half)[1]}${row.share ? " points" : ""}. This interval holds for all figures together, however often you look`}`;
}

/** Draw all rows; `base` says what the tick is, `two` are the titles of two pinned variants that are compared. */
export function drawAnswers(rows, base, two = null) {
  const lines = [];
  const head = two ? html`<div class="versus-head"><h2>Two variants</h2><button type="button" class="link" id="unpin">back to live answers</button><p><i class="key-a"></i>A: <b>${two[0]}</b></p><p><i class="key-b"></i>B: <b>${two[1]}</b></p><p class="sub">B against A, on the same deals.</p></div>` : "";
  const tables = GROUPS.map(([group, title, unit]) => {
    const own = rows.filter(row => row.group === group).map(row => {
      lines.push({ row, cells: [marks(row, scaleOf(row, rows)), html`${valueText(row, row.value)}<small>${row.share && row.group !== "fair" ? "%" : ""}</small>`, verdict(row)] });
      const ships = row.seats.length > 3 ? [glyph(row.seats[0]), html`<small>×${row.seats.length}</small>`] : row.seats.map(glyph), name = group === "own" ? row.label : row.label.replace(/_/g, " ");
      const drop = group === "own" ? html`<button type="button" class="close" data-drop="${name}" aria-label="Remove the measure ${name}">×</button>` : "";
      return html`<tr data-row="${row.key}"><th scope="row"><button type="button" class="figure-name" data-screen="${row.key}" title="Which rules change this most?">${ships}<span>${name}</span></button>${drop}</th><td></td><td class="value"></td><td class="verdict"></td></tr>`;
    });
    return own.length ? html`<table class="figures"><caption>${title} <span>${unit}</span></caption><tbody>${own}</tbody></table>` : "";
  });
  const plain = rows[0]?.state === "base";
  const key = html`<p class="key-line"><span><svg viewBox="0 0 18 14" aria-hidden="true"><path class="base-mark" d="M9 1V13"/></svg>${base}</span>${plain ? "" : html`<span><svg viewBox="0 0 18 14" aria-hidden="true"><path class="half" d="M0 7H18"/><circle class="now-mark" cx="9" cy="7" r="4.6"/></svg>${two ? "B" : "yours"}, and the interval of the difference</span>`}</p>`;
  fill($("answers"), [head, tables, key]);
  $("answers").querySelectorAll("tr").forEach((element, i) => {
    const { row, cells } = lines[i];
    element.className = `is-${row.state}`;
    element.title = inWords(row, base);
    cells.forEach((markup, c) => fill(element.cells[c + 1], markup));
  });
}
