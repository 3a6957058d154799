// A bot for the arena in Java (11 or later), without any library.
//
// The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
// played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, use
// System.err, or print a line that begins with "#": it is kept with the ply and shown in the replay.
//
//     arena check .      does it speak the protocol?
//     arena submit .     put it on the roster

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

public class Bot {
    /** What the arena has told about the match that is being played. */
    static class Match {
        String game = "";                             // "gridlock", ...
        Map<String, String> options = new HashMap<>(); // those that differ from the game's defaults: wrap -> on
        String seat = "P1";                           // yours
        String[] board = {};                          // rows from the top; see 'arena rules GAME'
        Map<String, String> state = new HashMap<>();  // what the board does not show: barriers in hand
        List<String[]> plies = new ArrayList<>();     // those you were told about: {"P2", "move", "8 9"}
        int timeMs = 1000;                            // what is left for this turn
        Random random = new Random(0);
    }

    /** Choose one of the replies to a prompt such as "move" or "lock". */
    static String choose(Match match, String prompt, List<String> replies) {
        // ------------------------------------------------------------------------------
        // YOUR IDEA HERE. Look at match.board, match.plies and match.timeMs, and return
        // the best of the replies. This one takes any.
        return replies.get(match.random.nextInt(replies.size()));
        // ------------------------------------------------------------------------------
    }

    /** Reads "key=value key=value". */
    static Map<String, String> pairs(String text) {
        Map<String, String> found = new HashMap<>();
        for (String word : text.split(" ")) {
            int at = word.indexOf('=');
            if (at > 0) found.put(word.substring(0, at), word.substring(at + 1));
        }
        return found;
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Match match = new Match();
        for (String line; (line = input.readLine()) != null; ) { // takes CRLF, too
            int blank = line.indexOf(' ');
            String word = blank < 0 ? line : line.substring(0, blank);
            String rest = blank < 0 ? "" : line.substring(blank + 1);
            switch (word) {
                case "game": // a new match; many can follow each other in one process
                    match = new Match();
                    match.game = rest.split(" ")[0];
                    match.options = pairs(rest);
                    break;
                case "seat": match.seat = rest; break;
                case "seed": match.random = new Random(rest.hashCode()); break;
                case "board": match.board = rest.split("/"); break;
                case "state": match.state = pairs(rest); break;
                case "played": match.plies.add(rest.split(" ", 3)); break;
                case "time": match.timeMs = Integer.parseInt(rest.split(" ")[0]); break;
                case "error": System.err.println("refused: " + rest); break; // the prompt comes again
                case "?":
                    List<String> parts = Arrays.asList(rest.split(" \\| "));
                    System.out.println(choose(match, parts.get(0), parts.subList(1, parts.size())));
                    System.out.flush();
                    break;
                default: // unknown words are for later versions of the protocol
            }
        }
    }
}
