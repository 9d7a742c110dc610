// The strip of the notebook: cards with small marks. A click restores one, a pin holds it; two pins are compared.
import { fill, html } from "../shared/markup.js";
import { $ } from "../shared/pictures.js";
import { nameOf, tried } from "./notebook.js";
import { same, view } from "./variant.js";

const MARKS = [["rounds", "rounds", "rounds a game"], ["shortages", "short", "shortages a game"], ["battles", "battles", "battles a game"], ["lead_changes", "leads", "lead changes a game"], ["win:", "wins", "the strategy whose wins change most"], ["seat:0", "captain", "wins of the first Captain"]];

const PIN = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M9 3h6l-1 7 4 4H6l4-4ZM12 14v7"/></svg>`;
function strongest(rows, key) {
  const [row] = rows.filter(one => one.key.startsWith(key)).sort((a, b) => Math.abs(b.size ?? 0) - Math.abs(a.size ?? 0));
  return row ? { size: (row.size ?? 0) * (row.share ? 3 : 1), clear: row.state === "clear" } : { size: 0, clear: false };
}
function picture(rows) {
  const width = 192, height = 46, middle = 17, each = width / MARKS.length;
  return html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true"><path class="rail" d="M2 ${middle}H${width - 2}"/>${MARKS.map(([key, word, title], i) => {
    const { size, clear } = strongest(rows, key), x = each * (i + .5), y = middle - Math.max(-13, Math.min(13, Math.sign(size) * Math.sqrt(Math.abs(size)) * 17));
    return html`<g class="${clear ? "" : "unsure"}"><title>${title}</title><path class="stem" d="M${x} ${middle}V${y.toFixed(1)}"/><circle cx="${x}" cy="${y.toFixed(1)}" r="3.4"/><text x="${x}" y="${height - 3}">${word}</text></g>`;
  })}</svg>`;
}

const pinOf = changes => view.pins.findIndex(pin => same(pin, changes));
/** Pin or unpin a variant; of three pins the oldest goes. */
export function pin(changes) {
  const at = pinOf(changes);
  if (at >= 0) view.pins.splice(at, 1);
  else view.pins.push(structuredClone(changes));
  view.pins = view.pins.slice(-2);
}

/** The cards stay while figures come in; only what is in them is filled anew, so that no click is lost. */
export function drawTried(current) {
  const hint = tried.length < 2 ? "Every variant that you try is kept here. Pin two to compare them." : view.pins.length === 1 ? "Pin a second one to compare." : "";
  fill($("tried"), html`<h2>Tried</h2>${tried.map(one => html`<article class="try"><button type="button" class="pick" data-try="${one.key}"></button><button type="button" class="pin" data-pin="${one.key}" aria-label="Pin ${nameOf(one)}" title="Pin to compare"></button><button type="button" class="pen" data-note="${one.key}" aria-label="Name and note of ${nameOf(one)}" title="Name and note">✎</button></article>`)}<p class="sub hint"></p>${tried.length ? html`<p class="out"><button type="button" class="link" id="out-experiment">as an experiment</button><button type="button" class="link" id="out-csv">as CSV</button><button type="button" class="link" id="out-page">as a page</button></p>` : ""}`);
  fill($("tried").querySelector(".hint"), hint);
  $("tried").querySelectorAll("article").forEach((article, i) => {
    const { key, text, table, rows, games, note } = tried[i], name = nameOf(tried[i]), at = pinOf(table.changes), [pick, hold] = article.children;
    article.className = `try ${key === current ? "now" : ""} ${at >= 0 ? "pinned" : ""}`;
    pick.title = `${name}: ${text}${note ? `\n${note}` : ""}`;
    fill(pick, html`<b>${name}</b>${picture(rows)}<small>${games.toLocaleString("en")} games${note ? html` · ${note}` : ""}</small>`);
    fill(hold, at >= 0 ? "AB"[at] : PIN);
    hold.setAttribute("aria-pressed", at >= 0);
  });
}
