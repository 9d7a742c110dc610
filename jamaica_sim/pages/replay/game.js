// The game of the page: its frames, rounds and marks, and what the reader has chosen to see.
import { $ } from "../shared/pictures.js";
import { setScene } from "../shared/scene.js";
import { framesOf, marksOf } from "../shared/table.js";
export const DATA = JSON.parse($("data").textContent);
export const FRAMES = framesOf(DATA), LAST = FRAMES.length - 1, MARKS = marksOf(FRAMES);
export const ROUNDS = FRAMES.filter(frame => frame.kind === "dice").map(frame => frame.at);  // the first step of each
export const player = { at: 0, playing: false, speed: 1, view: "all", chart: DATA.chances ? "chances" : "distance", timer: 0, address: 0 };
setScene({ ships: DATA.ships, box: DATA.box, result: DATA.trace.result });

export const addressOf = frame => frame.kind === "end" ? "end" : `r${frame.round}${frame.step ? `.${frame.step + 1}` : ""}`;
