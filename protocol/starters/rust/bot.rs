// A bot for the arena in Rust: the standard library is all it needs.
//
// The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
// played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, use
// eprintln!, or print a line that begins with "#": it is kept with the ply and shown in the replay.
//
//     arena check .      does it speak the protocol?
//     arena submit .     put it on the roster

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

struct Ply {
    seat: String,
    prompt: String,
    reply: String,
}

/// What the arena has told about the match that is being played.
#[derive(Default)]
#[allow(dead_code)] // until your idea looks at all of it
struct Match {
    game: String,                     // "gridlock", ...
    options: HashMap<String, String>, // those that differ from the game's defaults: wrap -> on
    seat: String,                     // yours: "P1" or "P2"
    board: Vec<String>,               // rows from top to bottom; 'arena rules GAME' explains the characters
    state: HashMap<String, String>,   // what the board does not show, such as barriers in hand
    plies: Vec<Ply>,                  // the plies you were told about, oldest first
    time_ms: u64,                     // what is left for this turn
    random: u64,
}

impl Match {
    /// The same numbers for the same seed.
    fn random_below(&mut self, n: usize) -> usize {
        self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.random >> 33) as usize % n
    }
}

/// Choose one of the replies to a prompt such as "move" or "lock".
fn choose<'a>(game: &mut Match, _prompt: &str, replies: &[&'a str]) -> &'a str {
    // ------------------------------------------------------------------------------
    // YOUR IDEA HERE. Look at game.board, game.plies and game.time_ms, and return the
    // best of the replies. This one takes any.
    replies[game.random_below(replies.len())]
    // ------------------------------------------------------------------------------
}

/// Read "key=value key=value".
fn pairs(text: &str) -> HashMap<String, String> {
    text.split(' ').filter_map(|word| word.split_once('=')).map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

fn main() -> io::Result<()> {
    let mut game = Match::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let line = line.trim_end();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "game" => {
                // a new match; many can follow each other in one process
                let (id, options) = rest.split_once(' ').unwrap_or((rest, ""));
                game = Match { game: id.to_string(), options: pairs(options), ..Match::default() };
            }
            "seat" => game.seat = rest.to_string(),
            "seed" => game.random = rest.parse().unwrap_or(0),
            "board" => game.board = rest.split('/').map(str::to_string).collect(),
            "state" => game.state = pairs(rest),
            "played" => {
                let mut parts = rest.splitn(3, ' ').map(str::to_string);
                if let (Some(seat), Some(prompt), Some(reply)) = (parts.next(), parts.next(), parts.next()) {
                    game.plies.push(Ply { seat, prompt, reply });
                }
            }
            "time" => game.time_ms = rest.split(' ').next().and_then(|t| t.parse().ok()).unwrap_or(0),
            "error" => eprintln!("refused: {rest}"), // the last reply; the prompt comes again
            "?" => {
                let mut parts = rest.split(" | ");
                let prompt = parts.next().unwrap_or("");
                let replies: Vec<&str> = parts.collect();
                if !replies.is_empty() {
                    println!("{}", choose(&mut game, prompt, &replies));
                    io::stdout().flush()?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
