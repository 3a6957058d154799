<?php
// A bot for the arena in PHP (7.4 or later, the command line version).
//
// The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
// played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
// to STDERR, or print a line that begins with "#": it is kept with the ply and shown in the replay.
//
//     arena check .      does it speak the protocol?
//     arena submit .     put it on the roster

declare(strict_types=1);

/** What the arena has told about the match that is being played. */
class MatchNow
{
    public string $game = '';      // "gridlock", ...
    public array $options = [];    // those that differ from the game's defaults: ["wrap" => "on"]
    public string $seat = 'P1';    // yours
    public array $board = [];      // rows from top to bottom; 'arena rules GAME' explains the characters
    public array $state = [];      // what the board does not show, such as barriers in hand
    public array $plies = [];      // the plies you were told about: ["P2", "move", "8 9"], oldest first
    public int $timeMs = 1000;     // what is left for this turn
}

/** Choose one of the replies to a prompt such as "move" or "lock". */
function choose(MatchNow $match, string $prompt, array $replies): string
{
    // ------------------------------------------------------------------------------
    // YOUR IDEA HERE. Look at $match->board, $match->plies and $match->timeMs, and
    // return the best of the replies. This one takes any.
    return $replies[mt_rand(0, count($replies) - 1)];
    // ------------------------------------------------------------------------------
}

/** Read "key=value key=value". */
function pairs(array $words): array
{
    $found = [];
    foreach ($words as $word) {
        if (strpos($word, '=') !== false) {
            [$key, $value] = explode('=', $word, 2);
            $found[$key] = $value;
        }
    }
    return $found;
}

$match = new MatchNow();
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', rtrim($line, "\r\n"));
    $word = array_shift($words);
    $rest = implode(' ', $words);
    switch ($word) {
        case 'game': // a new match; many can follow each other in one process
            $match = new MatchNow();
            $match->game = $words[0];
            $match->options = pairs($words);
            break;
        case 'seat': $match->seat = $rest; break;
        case 'seed': mt_srand((int) substr($rest, -9)); break;
        case 'board': $match->board = explode('/', $rest); break;
        case 'state': $match->state = pairs($words); break;
        case 'played': $match->plies[] = explode(' ', $rest, 3); break;
        case 'time': $match->timeMs = (int) $words[0]; break;
        case 'error': fwrite(STDERR, "refused: $rest\n"); break; // the last reply; the prompt comes again
        case '?':
            $replies = explode(' | ', $rest);
            $prompt = array_shift($replies);
            fwrite(STDOUT, choose($match, $prompt, $replies) . "\n");
            fflush(STDOUT);
            break;
    }
}
