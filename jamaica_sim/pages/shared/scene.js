// The scene: who sits at the table, what is in the box, and what the screen is like. A page sets it before it draws anything.
import { fill, html } from "./markup.js";
export const scene = { ships: [], box: null, result: null };  // ships: name, strategy, ghost; result: of a game that is over
export const SHIPS = [];  // their numbers
export function setScene(found) {
  Object.assign(scene, found);
  SHIPS.splice(0, SHIPS.length, ...scene.ships.map((_, k) => k));
}
export const playersOf = () => scene.ships.filter(ship => !ship.ghost).length;

export const narrow = matchMedia("(max-width: 700px)"), still = matchMedia("(prefers-reduced-motion: reduce)");
const darkScreen = matchMedia("(prefers-color-scheme: dark)");
const NEXT_THEME = { auto: "light", light: "dark", dark: "auto" };
let theme = "auto";

/** Light or dark, as the screen is or as the reader says by this button. */
export function dressBy(button) {
  const dress = () => {
    const dark = theme === "dark" || (theme === "auto" && darkScreen.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    fill(button, html`<span class="wide">Theme: ${theme}</span><span class="slim">◐</span>`);
    button.setAttribute("aria-label", `Theme: ${theme}`);
  };
  button.onclick = () => { theme = NEXT_THEME[theme]; dress(); };
  darkScreen.addEventListener("change", dress);
  dress();
}
