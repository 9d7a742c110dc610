// Runs the replay page's table alone: reads pages' data, one JSON object a line, and prints what the tests compare.
// Of what everybody sees, and of everything, a digest is printed. Where the data say `in_full`, also all that each viewer sees, or
// all that there is to see ("all").
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const core = await import(pathToFileURL(process.argv[2]));

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const data = JSON.parse(line), frames = core.framesOf(data), rounds = [];
  const viewers = data.in_full === true ? data.ships.flatMap((ship, k) => ship.ghost ? [] : [k]) : [];
  const views = ["all", "public", ...viewers];
  frames.forEach((frame, i) => {
    if (frame.kind === "draw" || frame.kind === "end") rounds[frame.round] = frame.state.ships.map(({ space, lap }) => [space, lap]);
  });
  const shown = {}, digests = {};
  for (const view of views) {
    const seen = frames.map(frame => [core.seen(frame, view, data.box), core.sentenceOf(frame, view)]);
    digests[view] = createHash("sha256").update(JSON.stringify(seen.slice(0, -1))).digest("hex");  // at the end all cards are turned up
    if (data.in_full) shown[view] = seen;
  }
  const last = core.seen(frames.at(-1), "public", data.box);
  console.log(JSON.stringify({
    disagreements: core.disagreements(frames, data), rounds: rounds.slice(1), marks: core.marksOf(frames), frames: frames.length,
    scores: last.ships.map(ship => ship.points.total), sources: last.ships.map(ship => ship.points),
    paths: frames.filter(frame => frame.path).map(({ path, events }) => [events[0].from.space, ...path]), shown, digests,
  }));
}
