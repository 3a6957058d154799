/* A bot that does not think: every prompt is answered with a random one of the replies it lists.
 * One read, one write, no stdio: what it costs is what its pipes cost. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { HELD = 1 << 16, REPLIES = 512, REPLY = 256 };

static uint64_t state = 88172645463325252u;

static uint64_t drawn(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* `line` is "? name | reply | reply", and `end` points behind it. */
static void answer(const char *line, const char *end) {
    const char *replies[REPLIES];
    size_t count = 0;
    for (const char *at = line; at + 3 < end && count < REPLIES; at++)
        if (at[0] == ' ' && at[1] == '|' && at[2] == ' ')
            replies[count++] = at + 3;
    if (count == 0)
        return;
    const char *reply = replies[drawn() % count], *stop = reply;
    while (stop < end && !(stop[0] == ' ' && stop[1] == '|'))
        stop++;
    char out[REPLY];
    size_t length = (size_t)(stop - reply);
    if (length >= REPLY)
        length = REPLY - 1;
    memcpy(out, reply, length);
    out[length] = '\n';
    if (write(STDOUT_FILENO, out, length + 1) < 0)
        _exit(1);
}

int main(void) {
    static char held[HELD];
    size_t used = 0;
    ssize_t got;
    while ((got = read(STDIN_FILENO, held + used, HELD - used)) > 0) {
        used += (size_t)got;
        char *line = held, *end;
        while ((end = memchr(line, '\n', used - (size_t)(line - held))) != NULL) {
            if (*line == '?')
                answer(line, end);
            line = end + 1;
        }
        used -= (size_t)(line - held);
        memmove(held, line, used);
    }
    return 0;
}
