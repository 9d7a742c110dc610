// Out of the studio: the variant as a link, a file and a command; a typical game to watch; a report.
import { fill, html } from "../shared/markup.js";
import { $ } from "../shared/pictures.js";
import { ask } from "../shared/talk.js";
import { address, copy } from "./variant.js";

/* What the command has to do with the figures on the page, which change while games are played. */
function commandWords(games, now) {
  if (!now.first) return `The studio has no figures of this variant yet; the command plays ${games} games.`;
  return now.over ? `With the file of rules above the command plays the same ${games} games.` : `With the file of rules above the command plays ${games} games: those that the studio had played when you opened this window. It is still playing more.`;
}
export const told = error => error instanceof TypeError ? "The studio’s server has stopped." : error.message;
const inToml = value => Array.isArray(value) ? `[${value.map(inToml).join(", ")}]` : JSON.stringify(value);
const named = { house_rules: "code" };  // in a file of rules: house rules beside it

/** A variant as a file of rules. */
function tomlOf({ edition, players, ghost, changes }) {
  const lines = Object.entries({ edition, players, ghost, ...changes }).map(([name, value]) => `${named[name] ?? name} = ${inToml(value)}`);
  return ["# A variant of Jamaica, made in the studio.", ...lines, ""].join("\n");
}
/* A word as a shell takes it. */
const quoted = word => /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replace(/'/g, `'"'"'`)}'`;
/** The dialog that has the variant in every form. */
export function keep(games, now) {
  const { strategies, measures, ...variant } = copy();
  $("command-words").textContent = commandWords(games.toLocaleString("en"), now);
  show("open-command", `jamaica-sim studio --open ${quoted(`#${address()}`)}`);
  show("toml", tomlOf(variant));
  show("command", ["jamaica-sim run --rules rules.toml", ...strategies.map(name => `-s ${quoted(name)}`), ...Object.entries(measures).map(([name, text]) => `--measure ${quoted(`${name} = ${text}`)}`), `--games ${games}`].join(" "));
  $("keep-text").showModal();
}
/* No line breaks within an option. */
function show(id, text) { fill($(id), text.split(/(?<=^|\s)(-[\w-]+)/).map((part, i) => i % 2 ? html`<span class="whole">${part}</span>` : part)); }
export function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([$("toml").textContent], { type: "application/toml" }));
  link.download = "rules.toml";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
export async function copyText(button) {
  const element = $(button.dataset.copy), words = button.textContent;
  try { await navigator.clipboard.writeText(element.textContent); } catch {
    getSelection().selectAllChildren(element);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = words; }, 1200);
}

/** Have the server make a page, and open it in a new tab. The tab is opened at once, so that no browser blocks it. */
export async function openPage(path, button, waiting, onError, more = {}) {
  const tab = window.open("about:blank", "_blank"), words = [...button.childNodes];
  button.disabled = true;
  button.textContent = waiting;
  const longer = setTimeout(() => { button.textContent = `${waiting} The first time it compiles for a minute.`; }, 4000);
  try {
    const { at } = await ask(path, { ...copy(), ...more });
    if (tab) tab.location = new URL(at, location.href);
    else location.href = new URL(at, location.href);
  } catch (error) {
    tab?.close();
    onError(told(error));
  } finally {
    clearTimeout(longer);
    button.disabled = false;
    button.replaceChildren(...words);
  }
}
