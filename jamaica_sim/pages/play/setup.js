// The form that sets a table: players, edition, ghost, house rules, people's names and who sits at the other seats. The address keeps it.
import { $ } from "../shared/pictures.js";

const COLOURS = ["Blue", "Red", "Green", "Pink", "Amber", "Sky"];
const USUAL = "experienced";
const table = { players: 4, edition: "2007", ghost: false, people: [""], s: [], house: "none", changes: {} };
let menu = null;

const make = (tag, facts = {}, ...inside) => { const element = Object.assign(document.createElement(tag), facts); element.append(...inside); return element; };
const option = (value, words, chosen) => make("option", { value, selected: value === chosen }, words);

/** What the part of the address after `new` says; the rest are defaults. */
function read(text) {
  const given = new URLSearchParams(text), whole = (name, low, high, otherwise) => { const n = Number(given.get(name) ?? otherwise); return Number.isInteger(n) && n >= low && n <= high ? n : otherwise; };
  table.players = whole("players", 2, 6, 4);
  table.edition = given.get("edition") === "2021" ? "2021" : "2007";
  table.ghost = given.get("ghost") === "1";
  table.people = (given.get("people") ?? "").split(",").slice(0, table.players);
  table.s = (given.get("s") ?? "").split(",").filter(name => [...menu.levels, ...menu.strategies].some(one => one.name === name));
  table.house = menu.houses.some(one => one.name === given.get("house_rules")) ? given.get("house_rules") : "none";
  table.changes = {};
  for (const [name, value] of given) if (!["players", "edition", "ghost", "people", "s", "house_rules"].includes(name)) table.changes[name] = /^-?\d+$/.test(value) ? Number(value) : ["true", "false"].includes(value) ? value === "true" : value;
}
function addressOf() {
  const { players, edition, ghost, people, s, house, changes } = table, given = { players, edition, ghost: Number(ghost), people: people.join(","), s: s.join(","), ...(house === "none" ? {} : { house_rules: house }), ...changes };
  return `new&${Object.entries(given).map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&")}`;
}
function fit() {
  const { players } = table;
  table.ghost = players === 2 || (players < 6 && table.ghost);
  table.people = table.people.slice(0, players);
  table.s = Array.from({ length: players - table.people.length }, (_, i) => table.s[i] ?? table.s.at(-1) ?? USUAL);
}

function seat(k) {
  const name = make("span", { className: "seat-name", id: `seat-${k}` }, COLOURS[k]);
  name.style.setProperty("--colour", `var(--ship-${k})`);
  const isPerson = k < table.people.length, who = make("select", { name: `who-${k}`, ariaLabel: `Who sits at ${COLOURS[k]}` });
  const chosen = isPerson ? "person" : table.s[k - table.people.length], group = (label, all) => make("optgroup", { label }, ...all.map(one => option(one.name, one.name.replaceAll("_", " "), chosen)));
  if (isPerson || k === table.people.length) who.append(option("person", k ? "a person" : "you", chosen));
  if (k && (!isPerson || k === table.people.length - 1)) who.append(group("Levels", menu.levels), group("Characters", menu.strategies));
  who.onchange = () => {
    if (who.value === "person") { table.people.push(""); table.s.shift(); } else if (isPerson) { table.people.pop(); table.s.unshift(who.value); } else table.s[k - table.people.length] = who.value;
    draw(who.name);
  };
  const isAgain = k > table.people.length && chosen === table.s[k - table.people.length - 1];  // described above
  const words = isAgain ? "" : [...menu.levels, ...menu.strategies].find(one => one.name === chosen)?.description ?? "";
  const typed = make("input", { type: "text", maxLength: 20, pattern: "[\\p{L}\\p{N}_ .+\\-]*", value: table.people[k] ?? "", placeholder: "name, if you like", ariaLabel: `Name of ${k ? COLOURS[k] : "yours"}`, autocomplete: "off" });
  typed.oninput = () => { table.people[k] = typed.value; keep(); };
  return make("li", {}, name, who, isPerson ? typed : make("span", { className: "sub" }, words));
}
/** A parameter of the chosen house rules: a rule like any other, which is kept where it is not the usual one. */
function parameter({ name, value, low, high }) {
  const typed = make("input", { type: "number", min: low, max: high, required: true, value: table.changes[name] ?? value });
  typed.oninput = () => {
    if (typed.valueAsNumber === value) delete table.changes[name];
    else if (typed.validity.valid) table.changes[name] = typed.valueAsNumber;
    keep();
  };
  return make("label", { title: `${name}: ${low} to ${high}` }, name.slice(6).replaceAll("_", " "), " ", typed);
}
/** Other house rules, and without the parameters of those before. */
function chooseHouse(name) {
  table.house = name;
  for (const changed of Object.keys(table.changes)) if (changed.startsWith("house.")) delete table.changes[changed];
}
const keep = () => history.replaceState(null, "", `#${addressOf()}`);
function draw(focused = "") {
  fit();
  $("set-players").value = table.players;
  $("set-edition").value = table.edition;
  Object.assign($("set-ghost"), { checked: table.ghost, disabled: table.players === 2 || table.players === 6 });
  $("set-seats").replaceChildren(...Array.from({ length: table.players }, (_, k) => seat(k)));
  $("set-house").replaceChildren(option("none", "none", table.house), ...menu.houses.map(one => option(one.name, one.name.replaceAll("_", " "), table.house)));
  const house = menu.houses.find(one => one.name === table.house), known = house?.parameters ?? [];
  $("set-parameters").replaceChildren(...known.map(parameter));
  const changed = Object.entries(table.changes).filter(([name]) => known.every(one => one.name !== name)).map(([name, value]) => `${name} ${value}`);
  $("set-words").textContent = [house?.description ?? "", changed.length ? `Changed rules: ${changed.join(", ")}.` : ""].join(" ").trim();
  keep();
  document.querySelector(`#set-seats [name="${focused}"]`)?.focus();
}

/** Show the form for an address such as `new&players=3`; `ask` talks to the server, `begun` gets where the new game is. */
export async function showSetUp(text, ask, begun) {
  menu ??= await ask("menu");
  if (!menu) return;
  read(text.replace(/^new&?/, ""));
  draw();
  $("set-players").onchange = event => { table.players = Number(event.target.value); draw(); };
  $("set-edition").onchange = event => { table.edition = event.target.value; draw(); };
  $("set-ghost").onchange = event => { table.ghost = event.target.checked; draw(); };
  $("set-house").onchange = event => { chooseHouse(event.target.value); draw(); };
  $("set-table").onsubmit = async event => {
    event.preventDefault();
    const { players, edition, ghost, people, s, house, changes } = table;
    const found = await ask("begin", { players, edition, ghost, people, strategies: s, changes: { ...changes, ...(house === "none" ? {} : { house_rules: house }) } });
    if (found) begun(found.at);
  };
  $("set-go").focus({ preventScroll: true });
}
