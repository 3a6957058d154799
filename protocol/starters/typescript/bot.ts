// A bot for the arena in TypeScript. Node.js 22.6 or later runs it as it is, without a build step or a package.
//
// The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
// played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, use
// console.error, or print a line that begins with "#": it is kept with the ply and shown in the replay.
//
//     arena check .      does it speak the protocol?
//     arena submit .     put it on the roster

import { createInterface } from "node:readline";

/** What the arena has told about the match that is being played. */
type Match = {
  game: string; //                       "gridlock", ...
  options: Record<string, string>; //    those that differ from the game's defaults: { wrap: "on" }
  seat: string; //                       yours
  board: string[]; //                    the rows from top to bottom; 'arena rules GAME' explains the characters
  state: Record<string, string>; //      what the board does not show, such as barriers in hand
  plies: Ply[]; //                       the plies you were told about, oldest first
  timeMs: number; //                     what is left for this turn
  random: () => number;
};
type Ply = { seat: string; prompt: string; reply: string };

/** Choose one of the replies to a prompt such as "move" or "lock". */
function choose(match: Match, prompt: string, replies: string[]): string {
  // ------------------------------------------------------------------------------
  // YOUR IDEA HERE. Look at match.board, match.plies and match.timeMs, and return
  // the best of the replies. This one takes any.
  return replies[Math.floor(match.random() * replies.length)];
  // ------------------------------------------------------------------------------
}

function newMatch(game: string, options: Record<string, string>): Match {
  return { game, options, seat: "P1", board: [], state: {}, plies: [], timeMs: 1000, random: seeded(0) };
}

/** A small random generator that gives the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Read "key=value key=value". */
function pairs(words: string[]): Record<string, string> {
  return Object.fromEntries(words.filter((w) => w.includes("=")).map((w) => w.split("=", 2)));
}

let match = newMatch("", {});
createInterface({ input: process.stdin }).on("line", (line: string) => {
  const [word, ...words] = line.trimEnd().split(" ");
  const rest = words.join(" ");
  if (word === "game") match = newMatch(words[0], pairs(words)); // many matches can follow in one process
  else if (word === "seat") match.seat = rest;
  else if (word === "seed") match.random = seeded(Number(rest));
  else if (word === "board") match.board = rest.split("/");
  else if (word === "state") match.state = pairs(words);
  else if (word === "played") match.plies.push({ seat: words[0], prompt: words[1], reply: words.slice(2).join(" ") });
  else if (word === "time") match.timeMs = Number(words[0]);
  else if (word === "error") console.error("refused:", rest); // the last reply; the prompt comes again
  else if (word === "?") {
    const [prompt, ...replies] = rest.split(" | ");
    console.log(choose(match, prompt, replies));
  }
});
