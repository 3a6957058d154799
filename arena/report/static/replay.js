const DATA = JSON.parse($("#data").textContent);
const FORFEIT = 1, DOUBTFUL = 2, WITHDRAWN = 4, COPY = 8;
const PAGE = 40;

/** Undo the packing: base64, deflate, JSON. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const duration = (us) => us >= 999500 ? `${+(us / 1e6).toPrecision(3)} s`
  : us >= 999.5 ? `${+(us / 1e3).toPrecision(3)} ms` : us ? `${us} µs` : "";

// The list of matches

let matches = [];
const byNumber = new Map();
const unpacked = new Map();

async function loadIndex() {
  const index = await unpack(DATA.index);
  matches = index.matches.map(([number, p1, p2, winner, reason, turns, flags, seed, chunk]) =>
    ({ number, bots: [p1, p2], winner, reason: index.reasons[reason], turns, flags, seed, chunk }));
  for (const match of matches) byNumber.set(match.number, match);
  const reasons = $("#filter-reason");
  for (const reason of index.reasons) reasons.append(make("option", { value: reason }, reason));
}

const filters = () => ({
  one: $("#filter-one").value, other: $("#filter-other").value, reason: $("#filter-reason").value,
});

function filtered() {
  const { one, other, reason } = filters();
  const has = (match, bot) => bot === "" || match.bots.includes(+bot);
  return matches.filter((match) => has(match, one) && has(match, other) && (!reason || match.reason === reason));
}

let shown = PAGE;

function listMatches() {
  const found = filtered();
  const body = $("#matches tbody");
  body.replaceChildren(...found.slice(0, shown).map(matchRow));
  const more = $("#more");
  more.hidden = found.length <= shown;
  more.textContent = `show ${Math.min(PAGE, found.length - shown)} more of ${found.length - shown}`;
  $("#match-count").textContent = found.length === 1 ? "1 match" : `${found.length} matches`;
}

function matchRow(match) {
  const name = (seat) => make("td", { class: match.winner === seat + 1 ? "won" : "lost", title: DATA.bots[match.bots[seat]] },
    DATA.bots[match.bots[seat]]);
  const marks = [[DOUBTFUL, "doubtful"], [WITHDRAWN, "not played"], [COPY, "copy"]]
    .filter(([flag]) => match.flags & flag).map(([, word]) => make("span", { class: "mark" }, word));
  const open = match.chunk < 0 ? `#${match.number}`
    : make("a", { href: `#match-${match.number}`, "aria-label": `replay match ${match.number}` }, `#${match.number}`);
  return make("tr", { "data-number": match.number, class: current.match === match ? "current" : null },
    make("td", {}, open), name(0), name(1),
    make("td", { class: match.flags & FORFEIT ? "fault" : null }, match.reason, ...marks),
    make("td", { class: "number" }, String(match.turns)));
}

function filterTo(one, other) {
  $("#filter-one").value = one;
  $("#filter-other").value = other;
  $("#filter-reason").value = "";
  shown = PAGE;
  listMatches();
}

for (const select of $$("#filters select")) {
  select.addEventListener("change", () => { shown = PAGE; listMatches(); });
}
$("#filters").addEventListener("reset", () => setTimeout(() => { shown = PAGE; listMatches(); }));
$("#more").addEventListener("click", () => { shown += PAGE; listMatches(); });

// A cell of the crosstable, or an opponent in a bot's details, leads to that pair's matches.
document.addEventListener("click", (event) => {
  const pair = event.target.closest("[data-pair]");
  if (!pair) return;
  event.preventDefault();
  const [one, other] = pair.dataset.pair.split(" ");
  filterTo(one, other);
  $("#replays").scrollIntoView();
  const first = $("#matches tbody a");
  if (first) first.focus({ preventScroll: true });
});

// The viewer

const current = { match: null, replay: null, boards: [], ply: 0, timer: 0 };

async function openMatch(number, ply) {
  const match = byNumber.get(number);
  if (!match || match.chunk < 0) return false;
  if (!unpacked.has(match.chunk)) unpacked.set(match.chunk, await unpack(DATA.chunks[match.chunk]));
  pause();
  const replay = unpacked.get(match.chunk)[number];
  Object.assign(current, { match, replay, boards: boardsOf(replay), ply: 0 });
  $("#viewer").hidden = false;
  drawHead();
  drawPlies();
  $$("#matches tr.current").forEach((row) => row.classList.remove("current"));
  $(`#matches tr[data-number="${number}"]`)?.classList.add("current");
  go(Math.min(ply, current.boards.length - 1), false);
  return true;
}

/** All the boards, from the first one and the cells that each ply changed. */
function boardsOf(replay) {
  const boards = [replay.board];
  for (const change of replay.changes) {
    const cells = [...boards.at(-1)];
    for (let at = 0; at < change.length; at += 4) cells[parseInt(change.slice(at, at + 3), 36)] = change[at + 3];
    boards.push(cells.join(""));
  }
  return boards;
}

function drawHead() {
  const { match } = current;
  const seat = (n) => make("span", { class: `seat p${n + 1}` }, make("b", {}, `P${n + 1}`), ` ${DATA.bots[match.bots[n]]}`,
    match.winner === n + 1 ? make("span", { class: "cup" }, " won") : null);
  $("#viewer-title").replaceChildren(make("span", { class: "match-number" }, `#${match.number}`), seat(0), seat(1));
  $("#viewer-how").textContent =
    `${match.winner ? `P${match.winner} won` : "nobody won"}: ${match.reason}, ${match.turns} turns, seed ${match.seed}`;
  const link = $("#viewer-link");
  link.href = `#match-${match.number}`;
}

const sideOf = (letter) => "1aA".includes(letter) ? 1 : 2;
const byOf = (letter) => "ab".includes(letter) ? "opening" : "AB".includes(letter) ? "automatic" : "";

function drawPlies() {
  const { replay, boards } = current;
  const items = [plyItem(0, "", "start", "")];
  for (let n = 1; n <= replay.replies.length && n < boards.length; n++) {
    const letter = replay.sides[n - 1];
    const marks = [replay.refused[n - 1] && make("span", { class: "tag fault" }, "refused"),
      replay.remarks[n - 1] && make("span", { class: "tag" }, "remark")].filter(Boolean);
    items.push(plyItem(n, sideOf(letter), replay.replies[n - 1], byOf(letter) || duration(replay.wall[n - 1]), marks));
  }
  $("#plies").replaceChildren(...items);
}

function plyItem(n, side, reply, note, marks = []) {
  return make("li", {}, make("button", { type: "button", tabindex: "-1", "data-ply": n, onclick: () => { pause(); go(n); } },
    make("span", { class: "n" }, n ? String(n) : ""), make("span", { class: `dot p${side}` }),
    make("span", { class: "reply" }, reply, ...marks), make("span", { class: "time" }, note)));
}

function go(ply, remember = true) {
  const { boards, match } = current;
  if (!match) return;
  current.ply = Math.max(0, Math.min(ply, boards.length - 1));
  drawBoard();
  drawSaid();
  for (const button of $$("#plies [aria-current]")) button.removeAttribute("aria-current");
  const button = $(`#plies [data-ply="${current.ply}"]`);
  button.setAttribute("aria-current", "step");
  const list = $("#plies"), item = button.parentElement;
  if (item.offsetTop < list.scrollTop || item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = item.offsetTop - list.clientHeight / 2;
  }
  $("#ply-range").max = boards.length - 1;
  $("#ply-range").value = current.ply;
  const last = current.ply === boards.length - 1;
  for (const id of ["first", "back"]) $(`#${id}`).disabled = current.ply === 0;
  for (const id of ["next", "last"]) $(`#${id}`).disabled = last;
  if (remember) {
    const place = `#match-${match.number}${current.ply ? `-ply-${current.ply}` : ""}`;
    try { history.replaceState(null, "", place); } catch { /* a browser that keeps addresses of files fixed */ }
  }
}

const kindOf = (symbol) => {
  const meaning = DATA.symbols[symbol] ?? "";
  return /\bP1\b/.test(meaning) ? "p1" : /\bP2\b/.test(meaning) ? "p2" : /\bempty\b/.test(meaning) ? "" : "block";
};

function drawBoard() {
  const { replay, boards, ply } = current;
  const rows = boards[ply].split("/"), before = ply ? boards[ply - 1].split("/") : rows;
  const width = rows[0].length, height = rows.length, size = 40, edge = 24;
  const svg = make("svg", { viewBox: `0 0 ${width * size + edge + 6} ${height * size + edge + 6}`, role: "img",
    "aria-label": `Board after ply ${ply}: ${boards[ply]}` });
  replay.columns.forEach((label, x) => svg.append(
    make("text", { x: edge + (x + 0.5) * size, y: 16, class: "label" }, label)));
  replay.rows.forEach((label, y) => svg.append(
    make("text", { x: 12, y: edge + (y + 0.5) * size + 5, class: "label" }, label)));
  rows.forEach((row, y) => [...row].forEach((symbol, x) => {
    const changed = before[y][x] !== symbol, kind = kindOf(symbol);
    const left = edge + x * size, top = edge + y * size;
    svg.append(make("rect", { x: left + 1, y: top + 1, width: size - 2, height: size - 2, rx: 6,
      class: `cell ${kind === "block" ? "block" : ""} ${changed ? "changed" : ""}` }));
    if (kind === "p1" || kind === "p2") {
      svg.append(make("circle", { cx: left + size / 2, cy: top + size / 2, r: size * 0.34, class: `piece ${kind}` }),
        make("text", { x: left + size / 2, y: top + size / 2 + 6, class: "symbol" }, symbol));
    } else if (kind === "block") {
      svg.append(make("text", { x: left + size / 2, y: top + size / 2 + 6, class: "symbol" }, symbol));
    }
  }));
  $("#board").replaceChildren(svg);
}

function drawSaid() {
  const { replay, ply, boards, match } = current, lines = [];
  const line = (word, text, kind = "") => lines.push(make("p", { class: kind }, make("b", {}, `${word} `), text));
  if (ply === 0) line("Start", `${replay.columns.length} × ${replay.rows.length} board; use the arrow keys to step.`);
  else {
    const letter = replay.sides[ply - 1], by = byOf(letter), wall = replay.wall[ply - 1];
    line(`Ply ${ply}`, `P${sideOf(letter)} ${replay.prompts[ply - 1]}: ${replay.replies[ply - 1]}`);
    if (by) line("Played by", by === "opening" ? "the referee, as part of the random opening" : "the referee: there was no choice");
    else line("Time", `${duration(wall) || "0 µs"}, of which CPU ${duration(replay.cpu[ply - 1]) || "0 µs"}`);
    attempts(lines, replay.remarks[ply - 1] ?? [], replay.refused[ply - 1] ?? []);
  }
  const known = Object.keys(replay.states).map(Number).filter((n) => n <= ply).at(-1);
  const state = known === undefined ? [] : Object.entries(replay.states[known]);
  if (state.length) line("State", state.map(([key, value]) => `${key} ${value}`).join(", "));
  if (ply === boards.length - 1) {
    if (replay.broken) line("Stopped", replay.broken, "fault");
    const open = replay.open;
    if (open) {
      line(`P${open.seat.at(-1)} was asked`, `${open.prompt}, for ${duration(open.wall)} (CPU ${duration(open.cpu) || "0 µs"})`);
      attempts(lines, open.remarks, open.refused);
    }
    if (replay.fault) drawFault(lines, replay.fault);
    line("End", match.winner ? `P${match.winner}, ${DATA.bots[match.bots[match.winner - 1]]}, won: ${match.reason}` : match.reason, "end");
  }
  $("#said").replaceChildren(...lines);
}

function attempts(lines, remarks, refused) {
  for (const [text, verdict, reason] of refused) {
    lines.push(make("p", { class: "fault" }, make("b", {}, `Refused (${verdict}) `), make("code", {}, text), ` ${reason}`));
  }
  for (const remark of remarks) lines.push(make("p", { class: "remark" }, `“${remark}”`));
}

function drawFault(lines, fault) {
  lines.push(make("p", { class: "fault" }, make("b", {}, `Forfeit of ${fault.seat} (${fault.code}) `), fault.text,
    fault.doubtful ? make("span", { class: "mark" }, "doubtful") : null));
  if (fault.received) lines.push(make("p", { class: "fault" }, make("b", {}, "Received "), make("code", {}, fault.received)));
  if (fault.stderr) lines.push(make("pre", {}, fault.stderr));
}

// Stepping

function play() {
  if (current.ply >= current.boards.length - 1) go(0);
  $("#play").textContent = "❚❚";
  $("#play").setAttribute("aria-label", "pause");
  const step = () => {
    go(current.ply + 1);
    current.timer = current.ply < current.boards.length - 1 ? setTimeout(step, +$("#speed").value) : 0;
    if (!current.timer) pause();
  };
  current.timer = setTimeout(step, +$("#speed").value);
}

function pause() {
  clearTimeout(current.timer);
  current.timer = 0;
  $("#play").textContent = "▶";
  $("#play").setAttribute("aria-label", "play");
}

const steps = {
  first: () => go(0), back: () => go(current.ply - 1), next: () => go(current.ply + 1), last: () => go(Infinity),
};
for (const [id, step] of Object.entries(steps)) $(`#${id}`).addEventListener("click", () => { pause(); step(); });
$("#play").addEventListener("click", () => current.timer ? pause() : play());
$("#ply-range").addEventListener("input", (event) => { pause(); go(+event.target.value); });

const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
let atViewer = false;  // the keys belong to the viewer while the reader is looking at it
new IntersectionObserver(([entry]) => { atViewer = entry.isIntersecting; }, { threshold: 0.3 }).observe($("#viewer"));
document.addEventListener("keydown", (event) => {
  const elsewhere = event.target.closest("select, input:not(#ply-range), textarea, .scroll, summary");
  if (!current.match || elsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!atViewer && !event.target.closest("#viewer")) return;
  const step = keys[event.key];
  if (step) { event.preventDefault(); pause(); steps[step](); }
  if (event.key === " " && !event.target.closest("button, a")) { event.preventDefault(); $("#play").click(); }
});

async function openFromAddress(scroll) {
  const found = /^#match-(\d+)(?:-ply-(\d+))?$/.exec(location.hash);
  if (!found) return false;
  const opened = await openMatch(+found[1], +(found[2] ?? 0));
  if (opened && scroll) {
    $("#viewer").scrollIntoView({ block: "nearest" });
    $("#viewer").focus({ preventScroll: true });
  }
  $("#no-replay").hidden = opened;
  if (!opened) $("#no-replay").textContent = `The replay of match ${found[1]} is not in this page.`;
  return true;
}

window.addEventListener("hashchange", () => openFromAddress(true));

(async () => {
  try {
    await loadIndex();
    listMatches();
    if (!(await openFromAddress(true))) {
      const best = matches.find((m) => m.chunk >= 0 && m.bots.includes(0) && m.bots.includes(1));
      const any = best ?? matches.find((match) => match.chunk >= 0);
      if (any) await openMatch(any.number, 0);
    }
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    $("#no-replay").hidden = false;
    $("#no-replay").textContent = `This browser cannot unpack the replays (${error.message}); a current one can.`;
  }
})();
