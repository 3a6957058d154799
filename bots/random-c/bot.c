/* Any available reply: a prompt lists them all, so no rule has to be known. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state;

static unsigned below(unsigned n) { /* the same numbers for the same seed */
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % n;
}

/* "? move | 0 1 | 1 0": the replies stand after the bars. */
static void answer(char *line) {
    unsigned count = 0;
    for (char *at = line; (at = strstr(at, " | ")) != NULL; at += 3) count++;
    if (count == 0) return;
    unsigned chosen = below(count) + 1;
    char *reply = line;
    while (chosen-- > 0) reply = strstr(reply, " | ") + 3;
    char *end = strstr(reply, " | ");
    if (end != NULL) *end = '\0';
    puts(reply);
    fflush(stdout); /* or the referee never sees it */
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "seed ", 5) == 0) state = strtoull(line + 5, NULL, 10);
        else if (strncmp(line, "? ", 2) == 0) answer(line);
    }
    free(line);
    return 0;
}
