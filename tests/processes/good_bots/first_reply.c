/* Always takes the first reply that is listed. */
#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] != '?') continue;
        char *reply = strstr(line, " | ");
        if (!reply) continue;
        reply += 3;
        char *end = strstr(reply, " | ");
        if (!end) end = reply + strcspn(reply, "\n");
        printf("%.*s\n", (int)(end - reply), reply);
        fflush(stdout);
    }
    return 0;
}
