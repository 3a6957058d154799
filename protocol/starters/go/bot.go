// A bot for the arena in Go: the standard library is all it needs.
//
// The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
// played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
// to os.Stderr, or print a line that begins with "#": it is kept with the ply and shown in the replay.
//
//	arena check .      does it speak the protocol?
//	arena submit .     put it on the roster
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

type Ply struct{ Seat, Prompt, Reply string }

// Match is what the arena has told about the match that is being played.
type Match struct {
	Game    string            // "gridlock", ...
	Options map[string]string // those that differ from the game's defaults: wrap -> on
	Seat    string            // yours: "P1" or "P2"
	Board   []string          // rows from top to bottom; 'arena rules GAME' explains the characters
	State   map[string]string // what the board does not show, such as barriers in hand
	Plies   []Ply             // the plies you were told about, oldest first
	TimeMs  int               // what is left for this turn
	Random  *rand.Rand
}

// choose takes one of the replies to a prompt such as "move" or "lock".
func choose(match *Match, prompt string, replies []string) string {
	// ------------------------------------------------------------------------------
	// YOUR IDEA HERE. Look at match.Board, match.Plies and match.TimeMs, and return
	// the best of the replies. This one takes any.
	return replies[match.Random.Intn(len(replies))]
	// ------------------------------------------------------------------------------
}

// pairs reads "key=value key=value".
func pairs(words []string) map[string]string {
	found := map[string]string{}
	for _, word := range words {
		if at := strings.Index(word, "="); at > 0 {
			found[word[:at]] = word[at+1:]
		}
	}
	return found
}

func main() {
	match := &Match{Random: rand.New(rand.NewSource(0))}
	input := bufio.NewReader(os.Stdin)
	for {
		line, problem := input.ReadString('\n')
		if problem != nil {
			return
		}
		words := strings.Split(strings.TrimRight(line, "\r\n"), " ")
		rest := strings.Join(words[1:], " ")
		switch {
		case words[0] == "game" && len(words) > 1: // a new match; many can follow each other in one process
			match = &Match{Game: words[1], Options: pairs(words[2:]), Random: match.Random}
		case words[0] == "seat":
			match.Seat = rest
		case words[0] == "seed":
			seed, _ := strconv.ParseInt(rest, 10, 64)
			match.Random = rand.New(rand.NewSource(seed))
		case words[0] == "board":
			match.Board = strings.Split(rest, "/")
		case words[0] == "state":
			match.State = pairs(words[1:])
		case words[0] == "played" && len(words) > 3:
			match.Plies = append(match.Plies, Ply{words[1], words[2], strings.Join(words[3:], " ")})
		case words[0] == "time" && len(words) > 1:
			match.TimeMs, _ = strconv.Atoi(words[1])
		case words[0] == "error": // the last reply was refused; the prompt comes again
			fmt.Fprintln(os.Stderr, "refused:", rest)
		case words[0] == "?":
			parts := strings.Split(rest, " | ")
			fmt.Println(choose(match, parts[0], parts[1:])) // os.Stdout is not buffered
		}
	}
}
