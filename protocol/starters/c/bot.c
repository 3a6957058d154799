/* A bot for the arena in C.

   The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
   played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
   to stderr, or print a line that begins with "#": it is kept with the ply and shown in the replay.

       arena check .      does it speak the protocol?
       arena submit .     put it on the roster                                                              */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, REPLIES = 1024, PLIES = 4096 };

/* What the arena has told about the match that is being played. */
typedef struct {
    char game[32];              /* "gridlock", ... */
    char options[256];          /* those that differ from the game's defaults: "wrap=on" */
    char seat[4];               /* yours: "P1" or "P2" */
    char board[SIDE][SIDE + 1]; /* rows from top to bottom; 'arena rules GAME' explains the characters */
    int rows;
    char state[256];            /* what the board does not show, such as barriers in hand: "key=value ..." */
    char plies[PLIES][32];      /* the plies you were told about, oldest first: "P2 move 8 9" */
    int played;
    int time_ms;                /* what is left for this turn */
    unsigned long long random;
} Match;

static Match match;

static unsigned random_below(unsigned n) { /* the same numbers for the same seed */
    match.random = match.random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(match.random >> 33) % n;
}

/* Choose one of the replies to a prompt such as "move" or "lock". */
static const char *choose(const char *prompt, char *replies[], int count) {
    /* ------------------------------------------------------------------------------
       YOUR IDEA HERE. Look at match.board, match.plies and match.time_ms, and return
       the best of the replies. This one takes any.                                */
    (void)prompt;
    return replies[random_below((unsigned)count)];
    /* --------------------------------------------------------------------------- */
}

static void copy(char *to, size_t size, const char *text) { snprintf(to, size, "%s", text); }

static void read_board(const char *text) {
    int row = 0, column = 0;
    memset(match.board, 0, sizeof match.board);
    for (; *text && row < SIDE; text++) {
        if (*text == '/') { row++; column = 0; }
        else if (column < SIDE) match.board[row][column++] = *text;
    }
    match.rows = row + 1;
}

static void answer(char *rest) {
    char *parts[REPLIES];
    int count = 0;
    while (rest && count < REPLIES) { /* "move | 0 1 | 1 0": the prompt, then the replies */
        char *bar = strstr(rest, " | ");
        if (bar) *bar = 0;
        parts[count++] = rest;
        rest = bar ? bar + 3 : NULL;
    }
    if (count < 2) return;
    puts(choose(parts[0], parts + 1, count - 1));
    fflush(stdout); /* without it the arena never sees the reply */
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\r\n")] = 0;
        char *rest = strchr(line, ' ');
        if (rest) *rest++ = 0; else rest = line + strlen(line);
        if (!strcmp(line, "game")) { /* a new match; many can follow each other in one process */
            char *options = strchr(rest, ' ');
            memset(&match, 0, sizeof match);
            if (options) { *options++ = 0; copy(match.options, sizeof match.options, options); }
            copy(match.game, sizeof match.game, rest);
        }
        else if (!strcmp(line, "seat")) copy(match.seat, sizeof match.seat, rest);
        else if (!strcmp(line, "seed")) match.random = strtoull(rest, NULL, 10);
        else if (!strcmp(line, "board")) read_board(rest);
        else if (!strcmp(line, "state")) copy(match.state, sizeof match.state, rest);
        else if (!strcmp(line, "played")) {
            if (match.played < PLIES) copy(match.plies[match.played++], sizeof match.plies[0], rest);
        }
        else if (!strcmp(line, "time")) match.time_ms = atoi(rest);
        else if (!strcmp(line, "error")) fprintf(stderr, "refused: %s\n", rest); /* the prompt comes again */
        else if (!strcmp(line, "?")) answer(rest);
    }
    free(line);
    return 0;
}
