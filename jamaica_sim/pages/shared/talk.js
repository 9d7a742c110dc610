// Talking to the server. One question of a kind is open at a time: a newer one ends it. The token is in the path of the page.
const PAGE = Math.random().toString(36).slice(2);  // tabs do not disturb each other
const HEADS = { "Content-Type": "application/json" };
const open = new Map();

const post = (path, body, signal) => fetch(path, { method: "POST", headers: HEADS, body: JSON.stringify({ ...body, page: PAGE }), signal });

async function errorOf(answer) {
  try { return (await answer.json()).error; } catch { return `the server answered ${answer.status}.`; }
}

/** Ask once; throws an error with the server's sentence. */
export async function ask(path, body = null) {
  const answer = body ? await post(path, body) : await fetch(path);
  if (!answer.ok) throw new Error(await errorOf(answer));
  return answer.json();
}

/** Post a question; `on(line)` gets every line that comes back, also "refused", "locked" (no token) and "gone". */
export async function stream(path, body, on) {
  open.get(path)?.abort();
  const mine = new AbortController();
  open.set(path, mine);
  let last = "";
  for await (const line of linesOf(path, body, mine.signal)) {
    if (mine.signal.aborted) return;
    last = line.kind;
    on(line);
  }
  if (open.get(path) === mine) open.delete(path);
  if (!mine.signal.aborted && !LAST_LINES.includes(last)) on({ kind: "gone" });
}
const LAST_LINES = ["end", "refused", "bug", "locked"];

/* The lines of an answer. They just end where the connection does. */
async function* linesOf(path, body, signal) {
  const answer = await post(path, body, signal).catch(() => null);
  if (!answer) return;
  if (answer.status === 401) return yield { kind: "locked" };
  if (!answer.ok) return yield { kind: answer.status === 422 ? "refused" : "bug", error: await errorOf(answer) };
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const text of lines) yield JSON.parse(text);
  }
}
export function hangUp(path) {
  open.get(path)?.abort();
  open.delete(path);
}

/** A part of an address as it was meant; what somebody mistyped stays as it is. */
export function decoded(text) { try { return decodeURIComponent(text); } catch { return text; } }
