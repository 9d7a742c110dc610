// What has happened, a line for each ship and action: with its card and die, then all that came of it.
import { html } from "../shared/markup.js";
import { card, die, glyph, icon, nameOf, titleOf } from "../shared/pictures.js";
import { sentenceOf } from "../shared/table.js";
const SELDOM = ["draw", "place", "setup"];  // kinds that the list leaves out

const named = (k, first) => html`<span class="ship">${glyph(k)}${first ? titleOf(k) : nameOf(k)}</span>`;
/** The sentence of a frame as parts of markup, or without its subject and full stop as a part of a line. */
export function wordsOf(frame, viewer, asPart = false) {
  const parts = sentenceOf(frame, viewer), first = asPart && frame.subject !== null ? 2 : 0;
  return parts.slice(first, asPart ? -1 : undefined).map((part, i) => typeof part === "string" ? part : named(part.ship, !i && !asPart));
}

function headOf(frame) {
  const { acting, when, action, ships } = frame.state, sign = icon(when === "morning" ? "sun" : "moon"), ship = ships[acting];
  const played = ship.ghost || ship.card === null || ship.card === "hidden" ? "" : card(ship.card, { mark: when });
  return html`${named(acting, true)} <span class="done">${sign}${action ? die(action.die) : ""}${played}</span> `;
}

/** The lines of some frames as markup, the earliest first. */
export function linesOf(frames, first, end, viewer) {
  const lines = [];
  let now = null;  // the line of the action that is being told
  for (const frame of frames.slice(first, end)) {
    const { acting, when, action } = frame.state;
    if (SELDOM.includes(frame.kind)) continue;
    if (acting === null || ["dice", "choose", "end"].includes(frame.kind)) {
      now = null;
      lines.push(html`<li${frame.kind === "dice" ? html` class="round"` : ""}>${frame.kind === "dice" ? html`<b>Round ${frame.round}</b> ` : ""}${wordsOf(frame, viewer)}</li>`);
      continue;
    }
    if (now?.key !== `${frame.round} ${acting} ${when}`) {
      now = { key: `${frame.round} ${acting} ${when}`, head: headOf(frame), told: [], of: acting };
      lines.push(now);
    }
    if (frame.kind === "action" && !frame.state.ships[acting].ghost) continue;
    const same = frame.subject === now.of, isPart = same || frame.subject === null, part = wordsOf(frame, viewer, isPart);
    now.told.push(now.told.length ? same ? ", " : "; " : "", isPart ? part : part.slice(0, -1));
    now.of = frame.subject ?? now.of;
    now.action = action;
  }
  return lines.map(line => line.key ? html`<li>${line.head}${line.told.length ? line.told : "…"}</li>` : line);
}
