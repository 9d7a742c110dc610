// Out of the studio: the variant as a link, a file and a command; a typical game to watch; a report.
import { fill, html } from "../shared/markup.js";
import { $ } from "../shared/pictures.js";
import { ask } from "../shared/talk.js";
import { address, copy, view } from "./variant.js";

/* What the command has to do with the figures on the page, which change while games are played. */
function commandWords(games, now) {
  if (!now.first) return `The studio has no figures of this variant yet; the command plays ${games} games.`;
  return now.over ? `With the file of rules above the command plays the same ${games} games.` : `With the file of rules above the command plays ${games} games: those that the studio had played when you opened this window. It is still playing more.`;
}
export const told = error => error instanceof TypeError ? "The studio’s server has stopped." : error.message;
const inToml = value => Array.isArray(value) ? `[${value.map(inToml).join(", ")}]` : JSON.stringify(value);
const named = { house_rules: "code" };  // in a file of rules: house rules beside it

const lines = rules => Object.entries(rules).map(([name, value]) => `${named[name] ?? name} = ${inToml(value)}`);
/* A variant as a file of rules; who plays is no rule, so the command stands in it. */
const tomlOf = ({ edition, players, ghost, changes }, command) => ["# A variant of Jamaica, made in the studio. Play it:", `# ${command}`, ...lines({ edition, players, ghost, ...changes }), ""].join("\n");
/* In an experiment a list is several values: one value that is a list stands in a list. */
const asOneValue = changes => Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, Array.isArray(value) ? [value] : value]));
/** Variants as an experiment that plays them together, with the strategies of the largest table. */
export function experimentOf(variants, games) {
  const [seats] = [...variants.map(({ strategies }) => strategies ?? copy().strategies)].sort((a, b) => b.length - a.length);
  const tables = variants.map(({ name, edition, players, ghost, changes }) => ["[[tables]]", `name = ${inToml(name)}`, ...lines({ edition, players, ghost, ...asOneValue(changes) }), ""].join("\n"));
  return ["# Variants of Jamaica, made in the studio. Play them: jamaica-sim experiment run variants.toml && jamaica-sim report variants", `title = "Variants"`, `games = ${games}`, `compare = "variant"`, `line_ups = [${inToml(seats)}]`, "", ...tables].join("\n");
}
/** A goal with the rules that may change, as a file for `balance`; what it cannot measure is a remark there. */
export function balanceFile({ edition, players, ghost, strategies, changes }, targets, ranges) {
  const keys = { [`seat:${players - 1}`]: "last_seat" };
  const told = targets.map(({ key, low, high }) => {
    const range = low === -Infinity ? `{ at_most = ${high} }` : high === Infinity ? `{ at_least = ${low} }` : `[${low}, ${high}]`, name = keys[key] ?? key;
    return `${name.includes(":") ? "# balance has no measure for " : ""}${name} = ${range}`;
  });
  return ["# A goal, made in the studio. Search: jamaica-sim balance goal.toml", `strategies = ${inToml(strategies)}`, "", "[rules]", ...lines({ edition, players, ghost, ...changes }), "", "[targets]", ...told, "", "[ranges]", ...lines(ranges), ""].join("\n");
}
/* A word as a shell takes it. */
const quoted = word => /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replace(/'/g, `'"'"'`)}'`;
/** The dialog that has the variant in every form; of two pinned ones their comparison. */
export function keep(games, now, titles = null) {
  const { strategies, measures, ...variant } = copy(), play = ["jamaica-sim run --rules rules.toml", ...strategies.map(name => `-s ${quoted(name)}`), ...Object.entries(measures).map(([name, text]) => `--measure ${quoted(`${name} = ${text}`)}`), `--games ${games}`].join(" ");
  $("keep-text").dataset.file = titles ? "variants.toml" : "rules.toml";
  $("save").textContent = `Save as ${$("keep-text").dataset.file}`;
  $("file-head").textContent = titles ? "As an experiment of both" : "As a file of rules";
  $("command-words").textContent = titles ? `With the file above the command plays ${games.toLocaleString("en")} games of A and of B on the same deals.` : commandWords(games.toLocaleString("en"), now);
  show("open-command", `jamaica-sim studio --open ${quoted(`#${address()}`)}`);
  show("toml", titles ? experimentOf(view.pins.map((changes, i) => ({ ...variant, changes, name: `${"AB"[i]}: ${titles[i]}`.slice(0, 40).trim() })), games) : tomlOf(variant, play));
  show("command", titles ? "jamaica-sim experiment run variants.toml && jamaica-sim report variants" : play);
  $("keep-text").showModal();
}
/* No line breaks within an option. */
function show(id, text) { fill($(id), text.split(/(?<=^|\s)(-[\w-]+)/).map((part, i) => i % 2 ? html`<span class="whole">${part}</span>` : part)); }
/** Give a text as a file. */
export function download(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
export const save = () => download($("keep-text").dataset.file, $("toml").textContent, "application/toml");
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
