// The summary: who led when, what turned the game, the points by source. It is what is printed.
function drawSummary() {
  const { summary } = DATA;
  if (!summary) return void ($("summary").hidden = true);
  const ship = k => `<span class="ship">${glyph(k)}${esc(titleOf(k))}</span>`;
  const span = ([first, last, ships]) => `${ships.map(ship).join(" and ")} ${first === last ? `in round ${first}` : `from ${first} to ${last}`}`;
  const turns = summary.turns.map(turn => `<li><a href="#${addressOf(FRAMES[turn.step])}">Round ${turn.round}</a>: ${esc(turn.text)} <span class="sub">(${turn.changes.map(([k, by]) => `${esc(titleOf(k))} ${plus(Math.round(by))}`).join(", ")})</span></li>`);
  const swings = (DATA.chances?.swings ?? []).map(swing => `<li><a href="#r${swing.round}">Round ${swing.round}</a>: ${esc(swing.text)}</li>`);
  const counts = SHIPS.map(k => `<tr><td>${ship(k)} <span class="sub">${esc(strategyOf(k))}</span></td><td>${summary.counts[k].won} of ${summary.counts[k].battles}</td><td>${summary.counts[k].shortages}</td><td>${summary.counts[k].treasures}</td></tr>`);
  fill($("summary-text"), `<p><b>${esc(summary.verdict)}</b></p>
    <div class="columns"><div>${finalTable(seen(FRAMES[LAST], "all", DATA.box))}</div>
    <table class="final"><thead><tr><th></th><th>battles won</th><th>shortages</th><th>lairs</th></tr></thead><tbody>${counts.join("")}</tbody></table></div>
    <h3>Most points</h3><p>${summary.leaders.map(span).join(", ")}.</p>
    <h3>Furthest along</h3><p>${summary.ahead.map(span).join(", ")}.</p>
    ${turns.length ? `<h3>Turning points</h3><ul class="turns">${turns.join("")}</ul>` : ""}
    ${swings.length ? `<h3>Largest swings of the chances</h3><ul class="turns">${swings.join("")}</ul>` : ""}`);
}
