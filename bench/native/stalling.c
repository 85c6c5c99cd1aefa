// stalling: an HTTP/1.1 server whose latency is known, for judging those who measure latency.
//
//   stalling -p PORT [-d DELAY_US] [-e EVERY_MS] [-s STALL_MS]        on 127.0.0.1, one thread
//
// A request is answered DELAY after it was read. From the first request on, at EVERY/2, 3/2 EVERY, …
// the server stands still for STALL: it reads, writes and accepts nothing. Under arrivals at a fixed
// rate a share STALL/EVERY of the requests therefore waits, each between nothing and STALL.
// The wait for an answer's moment is spent spinning, so that DELAY is exact to a few microseconds.
// On SIGTERM it prints what it did as JSON: requests, stalls, connections, and what reading a request
// and sending an answer took where many were waiting, as after a stall: the server's own part.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 16384, QUEUE = 1 << 16, EVENTS = 512, HEAD_MOST = 4096, MANY = 8 };

// life: how often this descriptor was opened, so that an answer due to an earlier life is dropped.
struct connection { char read[HEAD_MOST]; size_t size; unsigned life; };
struct answer { int fd; unsigned life; int is_last; uint64_t due_ns; };

static struct connection *connections;
static struct answer queue[QUEUE]; // a ring; the delay is the same for all, so it is in order
static unsigned head, tail;
static uint64_t first_ns, delay_ns, every_ns, stall_ns, next_stall_ns;
static unsigned long requests, stalls, opened;
static struct work { uint64_t ns; unsigned long count; } reading, sending; // of MANY and more at once
static volatile sig_atomic_t is_over;

static const char KEEP[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok";
static const char CLOSE[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

static void on_term(int signal_number) {
    (void)signal_number;
    is_over = 1;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void note(struct work *work, uint64_t since_ns, unsigned long count) {
    if (count < MANY) return;
    work->ns += now_ns() - since_ns;
    work->count += count;
}

static double us_each(const struct work *work) { return work->count ? (double)work->ns / 1e3 / (double)work->count : 0; }

static void stand_still_if_it_is_time(void) {
    if (!stall_ns || !first_ns) return;
    for (uint64_t now = now_ns(); now >= next_stall_ns; now = now_ns()) {
        uint64_t end = next_stall_ns + stall_ns, nearly = end - 300000;
        if (now < end) {
            struct timespec until = {(time_t)(nearly / 1000000000u), (long)(nearly % 1000000000u)};
            if (now < nearly) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
            while (now_ns() < end) {}
        }
        stalls++; // also where it had no core for the whole of it: it stood still all the same
        next_stall_ns += every_ns;
    }
}

static void hang_up(int fd) {
    connections[fd].life++;
    connections[fd].size = 0;
    close(fd);
}

static void send_answer(int fd, int is_last) {
    const char *text = is_last ? CLOSE : KEEP;
    size_t size = (is_last ? sizeof CLOSE : sizeof KEEP) - 1;
    if (send(fd, text, size, MSG_NOSIGNAL) != (ssize_t)size || is_last) hang_up(fd);
}

static void accept_all(int listener, int poll) {
    int on = 1, fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= DESCRIPTORS) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connections[fd].size = 0;
        connections[fd].life++;
        opened++;
        struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wanted);
    }
}

static int asks_to_close(char *request, char *head_end) {
    char kept = head_end[2];
    head_end[2] = 0; // the search must not run into the next request
    int is_last = strcasestr(request, "\nConnection: close") != NULL;
    if (strstr(request, " HTTP/1.0\r") && !strcasestr(request, "\nConnection: keep-alive")) is_last = 1;
    head_end[2] = kept;
    return is_last;
}

// Take up every request head that has been read; what is left of the next one moves to the front.
static void take_up(int fd) {
    struct connection *from = &connections[fd];
    char *request = from->read, *head_end;
    while ((head_end = strstr(request, "\r\n\r\n"))) {
        int is_last = asks_to_close(request, head_end);
        request = head_end + 4;
        uint64_t now = now_ns();
        if (!first_ns) {
            first_ns = now;
            next_stall_ns = now + every_ns / 2;
        }
        requests++;
        if (!delay_ns) {
            send_answer(fd, is_last);
            if (!from->size) return; // hung up
            continue;
        }
        queue[tail++ % QUEUE] = (struct answer){fd, from->life, is_last, now + delay_ns};
    }
    size_t left = from->size - (size_t)(request - from->read);
    memmove(from->read, request, left);
    from->size = left;
    if (left >= HEAD_MOST - 1) hang_up(fd);
}

static void read_from(int fd) {
    struct connection *from = &connections[fd];
    ssize_t n = recv(fd, from->read + from->size, HEAD_MOST - 1 - from->size, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
        hang_up(fd);
        return;
    }
    from->size += (size_t)n;
    from->read[from->size] = 0;
    take_up(fd);
}

static void send_what_is_due(void) {
    uint64_t now = now_ns();
    unsigned before = head;
    while (head != tail && queue[head % QUEUE].due_ns <= now) {
        struct answer *next = &queue[head++ % QUEUE];
        if (connections[next->fd].life == next->life) send_answer(next->fd, next->is_last);
    }
    note(&sending, now, head - before);
}

int main(int count, char **words) {
    int port = 0, option, on = 1;
    delay_ns = 1000000;
    every_ns = 2000000000;
    stall_ns = 200000000;
    while ((option = getopt(count, words, "p:d:e:s:")) != -1) switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'd': delay_ns = strtoull(optarg, NULL, 10) * 1000; break;
        case 'e': every_ns = strtoull(optarg, NULL, 10) * 1000000; break;
        case 's': stall_ns = strtoull(optarg, NULL, 10) * 1000000; break;
        default: return 2;
    }
    struct sigaction term = {.sa_handler = on_term};
    sigaction(SIGTERM, &term, NULL);
    sigaction(SIGINT, &term, NULL);
    connections = calloc(DESCRIPTORS, sizeof *connections);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!connections || bind(listener, (void *)&at, sizeof at) || listen(listener, 4096)) {
        perror("stalling: listen");
        return 1;
    }
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &wanted);
    while (!is_over) {
        int ready = epoll_wait(poll, events, EVENTS, head != tail ? 0 : 50);
        stand_still_if_it_is_time();
        uint64_t began = now_ns();
        unsigned long before = requests;
        for (int k = 0; k < ready; k++) {
            if (events[k].data.fd == listener) accept_all(listener, poll);
            else read_from(events[k].data.fd);
        }
        note(&reading, began, requests - before);
        if (head == tail) continue;
        stand_still_if_it_is_time();
        send_what_is_due();
    }
    printf("{\"requests\": %lu, \"stalls\": %lu, \"connections\": %lu, \"read_us\": %.3f, \"send_us\": %.3f}\n", requests,
           stalls, opened, us_each(&reading), us_each(&sending));
    return 0;
}
