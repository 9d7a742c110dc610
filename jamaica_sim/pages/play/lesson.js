// Learning from games: the review, costly decisions to choose again in, the drill, and the record of all games.
import { fill, html } from "../shared/markup.js";
import { $ } from "../shared/pictures.js";
import { hangUp, stream } from "../shared/talk.js";
const ENOUGH = 512;  // games of each answer before it is judged
const lesson = { list: [], at: 0, back: "", branch: "", tried: null, judged: "", left: false, first: true };
const reviews = new Map();  // by game
export const shareOf = n => Math.max(1, Math.round(n));
const cost = ({ points, half }) => html`<b class="${points > half ? "down" : ""}">${Math.round(Math.max(points, 0))}</b> <small>± ${shareOf(half)}</small>`;
const change = ({ points: n, half }, plus = "+") => html`<b class="${n < -.5 ? "down" : "up"}">${n < -.5 ? "−" : n < .5 ? "" : plus}${Math.round(Math.abs(n))}</b> <small>± ${shareOf(half)}</small>`;
const progress = line => fill($("note"), `${(line.game ?? "").replace(".jamaica.json", "").replaceAll("_", " ")} ${line.done} of ${line.total} decisions judged…`);

// ---- the review ----
export const reviewOf = id => reviews.get(id);
export function review(game, alarm) {
  const { id, seat } = game;
  stream("api/play/review", { game: id, ...(seat < 0 ? {} : { seat }) }, line => {
    if (line.kind === "progress") progress(line);
    else if (line.kind === "review") { reviews.set(id, line); if (game.id === id) drawReview(game); }
    else if (line.error) alarm(line.error);
  });
  fill($("note"), "The game is played on from each decision…");
}
const isMistake = ({ cost: { points, half } }) => points > half;
const worstFirst = found => [...found.decisions].sort((a, b) => b.cost.points - a.cost.points);
export function drawReview(game) {
  const found = reviewOf(game.id), { start, luck, others, own, result, adjusted, decisions, kinds, games, by, error, champion, ranking, is_luck_open: isLuckOpen } = found, isUnfolded = $("answers").querySelector("details")?.open;
  const split = [["chance at the start", start, ""], ["luck", luck], ["the others’ mistakes gave you", others], ["your decisions", own]].map(([name, value, plus]) => html`<tr><th>${name}</th><td>${change(value, plus)}</td></tr>`);
  const button = one => html`<li><button type="button" class="quiet" data-learn="${decisions.indexOf(one)}"><span>${cost(one.cost)}</span> round ${one.round}: ${one.given}${one.given === one.better ? "" : ` rather than ${one.better}`}${isMistake(one) && one.why ? html`<span class="sub">${one.why}</span>` : ""}</button></li>`;
  const worst = worstFirst(found).filter(isMistake).slice(0, 3).map(button), table = kinds.map(one => html`<tr><th>${one.kind}</th><td>${one.count}×</td><td>${cost(one.cost)}</td></tr>`);
  fill($("answers"), html`<div class="review"><div><h2>Learn from your mistakes</h2><p class="sub">What each cost, and why. Click one to choose again.</p><ol class="worst">${worst.length ? worst : html`<li>No decision was clearly a mistake.</li>`}</ol><details ${isUnfolded ? "open" : ""}><summary>All your decisions</summary><ol class="worst">${decisions.map(button)}</ol></details></div>
    <table><caption>Your chance to win, in points</caption>${split}<tr><th>result</th><td><b>${Math.round(result)}</b></td></tr><tr><th>result with average luck</th><td>${change(adjusted, "")}</td></tr></table><table><caption>Cost by kind of decision</caption>${table}</table></div>
    <div class="row"><button type="button" class="quiet" data-another>Another game at this table</button><button type="button" class="quiet" data-record>Your record</button></div>`);
  fill($("note"), `${isLuckOpen ? "Luck and the others’ mistakes cannot be told apart yet. " : ""}100 points are a victory. Your decisions cost ${Math.round(error.points)} ± ${shareOf(error.half)} points${champion && `: ${champion}`}; one game says little. ${ranking} Judged by ${games} games that the strategy ${by} plays on with each answer, on average; they grow while you read.`);
}

// ---- a position to choose again in ----
const item = () => lesson.list[lesson.at];
const inLesson = game => lesson.branch === game.id && !lesson.left && game.data?.question && game.data.number === item().at.number;
export const isOpen = game => Boolean(inLesson(game)) && !lesson.judged;
export const isJudged = game => Boolean(inLesson(game)) && Boolean(lesson.judged);

async function begin(call) {
  const { game, at } = item(), found = await call("branch", { game, number: at.number });
  if (!found) return;
  Object.assign(lesson, { branch: decodeURIComponent(found.at.split("#")[1]), tried: null, judged: "", left: false, first: true });
  location.hash = found.at.split("#")[1];
}
/** Open one of the decisions of the review that is shown. */
export function learn(game, index, call) {
  const { decisions, seat } = reviewOf(game.id);
  Object.assign(lesson, { list: [{ game: game.id, seat, at: decisions[index] }], at: 0, back: game.id });
  begin(call);
}
/** Deal the costly positions of all games, the worst first, until each was answered right. */
export function drill(call, alarm) {
  stream("api/play/drill", {}, line => {
    if (line.kind === "progress") $("hello").textContent = `Looking at your games: ${line.done} of ${line.total} decisions of ${line.game.replace(".jamaica.json", "").replaceAll("_", " ")}…`;
    else if (line.kind === "drill" && line.mistakes.length) { Object.assign(lesson, { list: line.mistakes, at: 0, back: "" }); begin(call); }
    else if (line.kind === "drill") $("hello").textContent = "Nothing is left to learn: every clear mistake of your games was answered right. Play another game.";
    else if (line.error) { $("hello").textContent = ""; alarm(line.error); }
  });
}
export function record(alarm) {
  stream("api/play/record", {}, line => {
    if (line.kind === "progress") $("games-words").textContent = `${line.done} of ${line.total} decisions of ${line.game} judged…`;
    else if (line.kind === "record") location.assign(line.at);
    else if (line.error) alarm(line.error);
  });
  $("games-words").textContent = "Looking at your games…";
}

const button = (what, words, strong = "") => html`<button type="button" class="quiet ${strong}" data-lesson="${what}">${words}</button>`;
/** What stands above the question: the lesson, or that this game is a branch of another. */
export function drawLesson(game) {
  const branch = game.data.branch, inside = inLesson(game);
  $("lesson").hidden = !branch;
  if (!branch) return;
  const back = (lesson.back || branch[0]).endsWith(".jamaica.json") ? button("back", lesson.back && lesson.branch === game.id ? "Back to the review" : "Back to that game") : "";
  if (!inside) return void fill($("lesson"), html`<p>Practice: this game left ${branch[0].endsWith(".jamaica.json") ? "another one" : branch[0]} in the middle, and is not part of your record.</p><div class="row">${back}</div>`);
  const { at } = item(), left = lesson.list.length - lesson.at - 1, many = lesson.list.length > 1 ? ` (${left} more)` : "";
  if (!lesson.judged) return void fill($("lesson"), html`<p><b>Choose again</b>${many}: round ${at.round}. ${isMistake(at) ? `In the game you lost ${Math.round(at.cost.points)} ± ${shareOf(at.cost.half)} points here.` : "See what each answer is worth."}</p><div class="row">${back}</div>`);
  fill($("lesson"), html`<p aria-live="polite">${lesson.judged}</p><div class="row">${left ? button("next", `Next position${many}`, "strong") : ""}${button("again", "Choose again")}${button("on", "Play on with this answer")}${back}</div>`);
}

/** Say how good the answer was, once the coach has played enough. */
export function judge(game, value, call, redraw) {
  const { advice } = game, found = advice?.options.find(option => option.answer === value);
  lesson.tried = value;
  if (!found || advice.games < ENOUGH) { lesson.judged = "The coach plays on with every answer…"; return redraw(); }
  hangUp("api/play/coach");
  const { at, game: of } = item(), right = found.verdict !== "worse", points = n => Math.round(n * 100);
  const words = game.data.question.options.find(option => option.answer === value).words.replace(/^to /, "");
  lesson.judged = html`${right ? html`<b>Right.</b>` : html`<b>Not the best.</b> ${words} costs ${points(found.cost)} ± ${shareOf(points(found.cost_half))} points.`} ${at.given === words ? "So you chose in the game." : `In the game you chose ${at.given}.`}`;
  if (right && lesson.first) call("learn", { game: of, number: at.number });
  else if (!right && lesson.first && !lesson.back) lesson.list.push(item());
  lesson.first = false;
  redraw();
  $("lesson").querySelector("button")?.focus({ preventScroll: true });
}
export const triedOf = game => isJudged(game) ? lesson.tried : null;
/** A button of the lesson; gives true where the answer is to be given now. */
export function lessonButton(what, game, call, redraw) {
  if (what === "back") location.hash = encodeURIComponent(lesson.branch === game.id && lesson.back ? lesson.back : game.data.branch[0]);
  else if (what === "next") { lesson.at += 1; begin(call); }
  else if (what === "again") { Object.assign(lesson, { tried: null, judged: "" }); redraw(true); }
  else if (what === "on") { lesson.left = true; return true; }
  return false;
}
