/*
 * Makes one system call of loadrig's own processes fail, as a full disk, a closed pipe or a table of
 * processes without room would. Loaded with LD_PRELOAD, so that Python and Rust are reached alike and
 * the program has no line for the sake of its tests.
 *
 * LOADRIG_FAULT    KIND:FAULT:N, or KIND:FAULT:N+ for the n-th and all later ones. Without it nothing
 *                  fails, and the calls are only written down.
 * LOADRIG_FAULTS   Folder with the files `count` (8 bytes, shared by all processes) and `calls`.
 *
 * KIND is file, pipe, kernel (control groups, sysctls), fsync, rename, spawn or connect; FAULT is the name of
 * an error, or SHORT for a write of which only a half is taken.
 *
 * A line of `calls` is the number of the call within its kind, the kind, the process, what was asked (a
 * file's path) and ok or the name of the fault.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { FILES, PIPES, KERNEL, FSYNC, RENAME, SPAWN, CONNECT, KINDS, NONE };
static const char *const NAMES[KINDS] = {"file", "pipe", "kernel", "fsync", "rename", "spawn", "connect"};
static const struct { const char *name; int number; } ERRORS[] = {
    {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EPIPE", EPIPE}, {"EINTR", EINTR}, {"EAGAIN", EAGAIN},
    {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"ECONNREFUSED", ECONNREFUSED}, {"SHORT", 0},
};

static unsigned long *counts; /* one for each kind, shared by all processes; NULL: not one of ours */
static int calls = -1;
static enum kind wanted = NONE;
static unsigned long nth;
static int error, is_short, is_lasting;
static const char *fault = "";
static char role[32];

/* Of the command lines of our own processes, a word; servers under test and tools have none of them. */
static const char *role_of(const char *line, size_t length) {
    static const struct { const char *word, *role; } OURS[] = {
        {"loadrig/engine/__main__.py", "generator"}, {"loadrig.engine", "generator"},
        {"loadrig/interventions/", "lever"}, {"loadrig.probes", "observer"},
        {"loadrig.cli", "control"}, {"bin/loadrig", "control"}, {"tests/warm_parent.py", "control"},
    };
    for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++)
        if (memmem(line, length, OURS[i].word, strlen(OURS[i].word))) return OURS[i].role;
    return NULL;
}

/* Also called by a process that was forked after this was loaded, once it has the variables. */
__attribute__((constructor)) void begin_faults(void) {
    const char *folder = getenv("LOADRIG_FAULTS"), *told = getenv("LOADRIG_FAULT");
    if (!folder || getenv("LOADRIG_TARGET")) return;
    char line[4096], path[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, line, sizeof line);
    if (file >= 0) close(file);
    const char *mine = length > 0 ? role_of(line, (size_t)length) : NULL;
    if (!mine) return;
    snprintf(role, sizeof role, "%s", mine);
    snprintf(path, sizeof path, "%s/count", folder);
    int shared = open(path, O_RDWR | O_CLOEXEC);
    if (shared < 0) return;
    void *map = mmap(NULL, KINDS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    close(shared);
    snprintf(path, sizeof path, "%s/calls", folder);
    /* A high number: programs close or take over the low ones. */
    int plain = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    calls = fcntl(plain, F_DUPFD_CLOEXEC, 900);
    close(plain);
    if (map == MAP_FAILED || calls < 0) return;
    counts = map;
    char kind[16], name[16], lasting = 0;
    if (told && sscanf(told, "%15[^:]:%15[^:]:%lu%c", kind, name, &nth, &lasting) >= 3) {
        is_lasting = lasting == '+';
        for (int i = 0; i < KINDS; i++) if (!strcmp(NAMES[i], kind)) wanted = (enum kind)i;
        for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
            if (!strcmp(ERRORS[i].name, name)) { fault = ERRORS[i].name; error = ERRORS[i].number; }
        is_short = !strcmp(fault, "SHORT");
    }
}

/* Count a call and write it down; whether it is to fail. */
static int fails(enum kind kind, const char *what) {
    if (!counts || kind >= KINDS) return 0;
    unsigned long number = __atomic_add_fetch(&counts[kind], 1, __ATOMIC_SEQ_CST);
    int is_hit = kind == wanted && (number == nth || (is_lasting && number > nth));
    char line[4352];
    int length = snprintf(line, sizeof line, "%lu\t%s\t%s\t%s\t%s\n", number, NAMES[kind], role, what,
                          is_hit ? fault : "ok");
    syscall(SYS_write, calls, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
    if (is_hit && !is_short) errno = error;
    return is_hit;
}

/* Python's cache of compiled modules is not ours, and whether it is written is Python's affair. */
static int is_cache(const char *path) { return strstr(path, "__pycache__") != NULL; }

static enum kind kind_of(int handle, char *path, size_t size) {
    struct stat found;
    path[0] = 0;
    if (!counts || handle == calls) return NONE;
    if (syscall(SYS_newfstatat, handle, "", &found, AT_EMPTY_PATH) != 0) return NONE;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = 0;
    if (S_ISFIFO(found.st_mode) || isatty(handle)) {
        snprintf(path, size, "%s", handle == 1 ? "stdout" : handle == 2 ? "stderr" : "pipe");
        return PIPES;
    }
    if (!S_ISREG(found.st_mode) || is_cache(path)) return NONE;
    return !strncmp(path, "/sys/", 5) || !strncmp(path, "/proc/", 6) ? KERNEL : FILES;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int handle, const void *bytes, size_t length) {
    int before = errno;
    char path[4096];
    enum kind kind = kind_of(handle, path, sizeof path);
    errno = before;
    if (fails(kind, path)) {
        if (!is_short) return -1;
        if (length > 1) length /= 2;
    }
    return syscall(SYS_write, handle, bytes, length);
}

ssize_t writev(int handle, const struct iovec *parts, int count) {
    int before = errno;
    char path[4096];
    enum kind kind = kind_of(handle, path, sizeof path);
    errno = before;
    if (fails(kind, path)) {
        if (!is_short) return -1;
        return syscall(SYS_write, handle, parts[0].iov_base, (parts[0].iov_len + 1) / 2);
    }
    return syscall(SYS_writev, handle, parts, count);
}

static int synced(int handle, long number) {
    char path[4096];
    int before = errno;
    kind_of(handle, path, sizeof path);
    errno = before;
    return fails(FSYNC, path) ? -1 : (int)syscall(number, handle);
}
int fsync(int handle) { return synced(handle, SYS_fsync); }
int fdatasync(int handle) { return synced(handle, SYS_fdatasync); }

int rename(const char *from, const char *to) {
    return !is_cache(to) && fails(RENAME, to) ? -1 : (int)syscall(SYS_rename, from, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return fails(RENAME, to) ? -1 : (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return fails(RENAME, to) ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

/* A control group is made by making its folder. */
int mkdir(const char *path, mode_t mode) {
    if (!strncmp(path, "/sys/fs/cgroup", 14) && fails(KERNEL, path)) return -1;
    return (int)syscall(SYS_mkdir, path, mode);
}

/* Python tries fork where vfork has failed, and neither finds room in a table that is full. */
static __thread int has_failed;
pid_t fork(void) {
    if (has_failed) { has_failed = 0; errno = error; return -1; }
    return fails(SPAWN, "fork") ? -1 : NEXT(fork)();
}
/* What vfork promises its caller cannot be kept through a function of C, and fork keeps what matters. */
pid_t vfork(void) {
    if (fails(SPAWN, "fork")) { has_failed = 1; return -1; }
    return NEXT(fork)();
}
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]) {
    if (fails(SPAWN, path)) return errno;
    return NEXT(posix_spawn)(pid, path, actions, attributes, argv, environment);
}

/* What the generator connects to is what it measures: a refused connection is a result there. */
int connect(int handle, const struct sockaddr *address, socklen_t length) {
    if (strcmp(role, "generator") && fails(CONNECT, address->sa_family == AF_UNIX ? "unix" : "inet")) return -1;
    return (int)syscall(SYS_connect, handle, address, length);
}
