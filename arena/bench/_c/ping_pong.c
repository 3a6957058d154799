/* The least that any referee can cost: one short line there and one back, through two pipes.
 *
 *   ping_pong                  pong: send back whatever comes
 *   ping_pong ROUNDS CORE CORE ping on the first core with a pong on the second;
 *                              prints nanoseconds a round: wall, and CPU of both together
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 256, WARM = 200 };
static const char ping[] = "2 3\n";

static void pong(int in, int out) {
    char line[LINE];
    ssize_t got;
    while ((got = read(in, line, LINE)) > 0)
        if (write(out, line, (size_t)got) != got)
            exit(1);
}

static void pin(const char *core) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(atoi(core), &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0) {
        perror("sched_setaffinity");
        exit(1);
    }
}

static void rounds(long count, int out, int in) {
    char line[LINE];
    for (long round = 0; round < count; round++)
        if (write(out, ping, sizeof ping - 1) < 0 || read(in, line, LINE) <= 0)
            exit(1);
}

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int count, char **words) {
    if (count != 4) {
        pong(STDIN_FILENO, STDOUT_FILENO);
        return 0;
    }
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        pin(words[3]);
        close(there[1]);
        close(back[0]);
        pong(there[0], back[1]);
        return 0;
    }
    pin(words[2]);
    close(there[0]);
    close(back[1]);
    long wanted = atol(words[1]);
    clockid_t pong_cpu;
    if (clock_getcpuclockid(child, &pong_cpu) != 0)
        return 1;
    rounds(WARM, there[1], back[0]);
    double cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) + read_clock(pong_cpu);
    double wall = read_clock(CLOCK_MONOTONIC);
    rounds(wanted, there[1], back[0]);
    wall = read_clock(CLOCK_MONOTONIC) - wall;
    cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) + read_clock(pong_cpu) - cpu;
    close(there[1]);
    waitpid(child, NULL, 0);
    printf("%.1f %.1f\n", wall / (double)wanted, cpu / (double)wanted);
    return 0;
}
