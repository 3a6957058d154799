// The same reply again for as long as it is available, otherwise any other: it walks straight on until it cannot.
"use strict";

let last = {}; // the last reply to each prompt
let state = 0;

function below(n) { // mulberry32: the same numbers for the same seed
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
}

function answer(rest) {
  const [prompt, ...replies] = rest.split(" | ");
  const reply = replies.includes(last[prompt]) ? last[prompt] : replies[below(replies.length)];
  last[prompt] = reply;
  process.stdout.write(reply + "\n");
}

require("readline")
  .createInterface({ input: process.stdin, terminal: false })
  .on("line", (line) => {
    const [word, rest] = [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)];
    if (word === "arena") last = {};
    else if (word === "seed") state = Number(BigInt.asIntN(32, BigInt(rest)));
    else if (word === "?") answer(rest);
  });
