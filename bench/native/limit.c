// limit: what one core can do at most. One thread, one epoll, one request prepared beforehand, and
// answers that are only counted by their length, which is learned once, from the first.
//
//   limit -p PORT [-c CONNECTIONS] [-d SECONDS] [-u PATH] [-H]        to 127.0.0.1, keep-alive
//
// -H also looks at every status line, reads the clock for every answer, and keeps every latency in
// a log-linear histogram of three digits: what an honest generator cannot do without.
// The same figures as JSON on standard output.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, EVENTS = 512 };

static int sockets[MOST];
static size_t received[MOST];
static uint64_t sent_ns[MOST];
static uint64_t counts[64 << 10];
static char buffer[1 << 16];

static void die(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// 1,024 buckets for each power of two: a relative error of at most 0.1 %.
static inline unsigned bucket_of(uint64_t ns) {
    if (ns < 2048) return (unsigned)ns;
    unsigned shift = 53 - (unsigned)__builtin_clzll(ns); // keeps the eleven highest bits
    return (shift << 10) + (unsigned)(ns >> shift);
}

static uint64_t start_of(unsigned bucket) {
    if (bucket < 2048) return bucket;
    unsigned shift = (bucket >> 10) - 1;
    return (uint64_t)((bucket & 1023) | 1024) << shift;
}

static double quantile_ms(uint64_t count, double q) {
    uint64_t wanted = (uint64_t)((double)count * q), seen = 0;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        if ((seen += counts[i]) > wanted) return (double)start_of(i) / 1e6;
    return 0;
}

// Send one request and read its answer; returns the answer's length in bytes.
static size_t length_of_answer(int fd, const char *request, size_t request_size) {
    if (send(fd, request, request_size, 0) != (ssize_t)request_size) die("send");
    for (size_t got = 0;;) {
        ssize_t n = recv(fd, buffer + got, sizeof buffer - 1 - got, 0);
        if (n <= 0) die("the first answer");
        buffer[got += (size_t)n] = 0;
        char *head_end = strstr(buffer, "\r\n\r\n");
        if (!head_end) continue;
        char *length = strcasestr(buffer, "\r\ncontent-length:");
        size_t whole = (size_t)(head_end + 4 - buffer) + (length ? (size_t)atol(length + 17) : 0);
        if (got >= whole) return whole;
    }
}

int main(int count, char **words) {
    int port = 0, connections = 64, is_honest = 0, option, on = 1;
    double seconds = 5;
    const char *path = "/";
    while ((option = getopt(count, words, "p:c:d:u:H")) != -1) switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'c': connections = atoi(optarg); break;
        case 'd': seconds = atof(optarg); break;
        case 'u': path = optarg; break;
        case 'H': is_honest = 1; break;
        default: return 2;
    }
    if (port < 1 || connections < 1 || connections > MOST) {
        fprintf(stderr, "limit: a port is needed, and 1 to %d connections\n", MOST);
        return 2;
    }
    char request[512];
    int written = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", path, port);
    if (written < 0 || (size_t)written >= sizeof request) return 2;
    size_t size = (size_t)written, answer_size = 0;

    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int poll = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        int fd = sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (void *)&to, sizeof to)) die("connect");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (!answer_size) answer_size = length_of_answer(fd, request, size);
        fcntl(fd, F_SETFL, O_NONBLOCK);
        struct epoll_event wanted = {.events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)i};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wanted)) die("epoll_ctl");
    }

    uint64_t began = now_ns(), now = began, end = began + (uint64_t)(seconds * 1e9), done = 0, bad = 0, calls = 0;
    for (int i = 0; i < connections; i++) {
        sent_ns[i] = began;
        if (send(sockets[i], request, size, MSG_NOSIGNAL) != (ssize_t)size) die("send");
    }
    struct epoll_event events[EVENTS];
    while (now < end) {
        int ready = epoll_wait(poll, events, EVENTS, 100);
        calls++;
        now = now_ns();
        for (int k = 0; k < ready; k++) {
            uint32_t i = events[k].data.u32;
            ssize_t n = recv(sockets[i], buffer, sizeof buffer, 0);
            calls++;
            if (n < 0 && errno == EAGAIN) continue;
            if (n <= 0) die("closed by the server");
            received[i] += (size_t)n;
            if (received[i] < answer_size) continue;
            received[i] -= answer_size;
            done++;
            if (is_honest) {
                uint64_t at = now_ns();
                if (memcmp(buffer, "HTTP/1.1 200", 12)) bad++;
                counts[bucket_of(at - sent_ns[i])]++;
                sent_ns[i] = at;
            }
            if (send(sockets[i], request, size, MSG_NOSIGNAL) != (ssize_t)size) die("send");
            calls++;
        }
    }
    double lasted = (double)(now - began) / 1e9;
    printf("{\"per_second\": %.1f, \"requests\": %lu, \"bad\": %lu, \"system_calls\": %lu", (double)done / lasted, done, bad, calls);
    if (is_honest)
        printf(", \"p50\": %.4f, \"p90\": %.4f, \"p95\": %.4f, \"p99\": %.4f, \"p99.9\": %.4f", quantile_ms(done, .5),
               quantile_ms(done, .9), quantile_ms(done, .95), quantile_ms(done, .99), quantile_ms(done, .999));
    puts("}");
    return bad != 0;
}
