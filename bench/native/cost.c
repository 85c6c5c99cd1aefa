// cost: runs one command on one core for a limited time and writes what it cost as JSON.
//
//   cost CORE LIMIT_S FILE COMMAND [ARGUMENT...]        CORE -1: wherever the kernel likes
//
// CPU time and peak memory are those of wait4: of the command and of all children it waited for.
// A process starts with the peak of the one it was forked from, so the parent must be this small;
// forked from an interpreter every command would seem to need at least an interpreter's memory.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;
static volatile sig_atomic_t killed;

// First ask the command's group to end; two seconds later do not ask.
static void on_time_up(int signal_number) {
    (void)signal_number;
    kill(-child, killed++ ? SIGKILL : SIGTERM);
    alarm(2);
}

static void on_asked_to_end(int signal_number) {
    (void)signal_number;
    kill(-child, SIGKILL);
}

static double seconds_of(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int count, char **words) {
    if (count < 5) {
        fputs("cost CORE LIMIT_S FILE COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    int core = atoi(words[1]);
    if (core >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(core, &set);
        if (sched_setaffinity(0, sizeof set, &set)) {
            perror("cost: the core");
            return 2;
        }
    }
    double began = now_s();
    child = fork();
    if (child < 0) {
        perror("cost: fork");
        return 2;
    }
    if (child == 0) {
        setpgid(0, 0);
        execvp(words[4], words + 4);
        perror(words[4]);
        _exit(127);
    }
    setpgid(child, child);
    signal(SIGALRM, on_time_up);
    signal(SIGTERM, on_asked_to_end);
    alarm((unsigned)atoi(words[2]));

    struct rusage used;
    int status;
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {}
    double wall_s = now_s() - began;
    // What the command left behind does not outlive it.
    kill(-child, SIGKILL);

    FILE *file = fopen(words[3], "w");
    if (!file) {
        perror(words[3]);
        return 2;
    }
    fprintf(file, "{\"wall_s\": %.4f, \"user_s\": %.4f, \"system_s\": %.4f, \"peak_bytes\": %ld, \"code\": %d, \"killed\": %d}\n",
            wall_s, seconds_of(used.ru_utime), seconds_of(used.ru_stime), used.ru_maxrss * 1024L,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), (int)killed);
    return fclose(file) ? 2 : 0;
}
