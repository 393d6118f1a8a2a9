// The floor: what the same libcurl costs when nothing but C stands between it and the socket.
//
// floor URL CONCURRENCY REQUESTS [epoll|poll [CERTIFICATE]]
// One thread, easy handles reused, bodies counted and thrown away. Prints one line of JSON. `epoll` drives
// curl_multi_socket_action, as AsyncNet does on Linux; `poll` drives curl_multi_poll and curl_multi_perform. CERTIFICATE is the file
// of the only certificate that is trusted. A transfer over TLS waits until it is known whether it can share a connection.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef void CURL;
typedef void CURLM;
struct message { int msg; CURL *easy; union { void *whatever; int result; } data; };

enum {
    NOSIGNAL = 99, URL_OPTION = 10002, WRITEFUNCTION = 20011, WRITEDATA = 10001, HEADERFUNCTION = 20079, HEADERDATA = 10029,
    PRIVATE = 10103, CLOSESOCKETFUNCTION = 20208, CLOSESOCKETDATA = 10209,
    CAINFO = 10065, PIPEWAIT = 237, M_SOCKETFUNCTION = 20001, M_TIMERFUNCTION = 20004, M_TIMERDATA = 10005,
};

static CURL *(*easy_init)(void);
static int (*easy_setopt)(CURL *, int, ...);
static CURLM *(*multi_init)(void);
static int (*multi_add)(CURLM *, CURL *);
static int (*multi_remove)(CURLM *, CURL *);
static int (*multi_perform)(CURLM *, int *);
static int (*multi_poll)(CURLM *, void *, unsigned, int, int *);
static int (*multi_setopt)(CURLM *, int, ...);
static int (*multi_action)(CURLM *, int, int, int *);
static struct message *(*multi_info_read)(CURLM *, int *);

static int poller = -1;
static long timeout_ms = -1;
static unsigned char registered[65536];
static uint64_t bytes;

static size_t sink(char *data, size_t size, size_t count, void *user) { bytes += size * count; return size * count; }
static int on_timer(CURLM *multi, long timeout, void *user) { timeout_ms = timeout; return 0; }

// A socket stays registered while its connection idles: taking it out and in again would cost two system calls a request.
static int on_socket(CURL *easy, int fd, int what, void *user, void *socket) {
    if (what == 4) return 0;
    unsigned char wanted = (what & 1 ? EPOLLIN : 0) | (what & 2 ? EPOLLOUT : 0);
    if (registered[fd] == wanted) return 0;
    struct epoll_event event = { .events = wanted, .data.fd = fd };
    epoll_ctl(poller, registered[fd] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    registered[fd] = wanted;
    return 0;
}

static int on_close(void *user, int fd) { registered[fd] = 0; return close(fd); }

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: floor URL CONCURRENCY REQUESTS [epoll|poll [CERTIFICATE]]\n"), 2;
    const char *url = argv[1];
    long concurrency = atol(argv[2]), requests = atol(argv[3]), started = 0, done = 0, failed = 0;
    int uses_epoll = argc < 5 || !strcmp(argv[4], "epoll");
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
#define LOAD(variable, name) *(void **)&variable = dlsym(library, name)
    LOAD(easy_init, "curl_easy_init"); LOAD(easy_setopt, "curl_easy_setopt"); LOAD(multi_init, "curl_multi_init");
    LOAD(multi_add, "curl_multi_add_handle"); LOAD(multi_remove, "curl_multi_remove_handle"); LOAD(multi_perform, "curl_multi_perform");
    LOAD(multi_poll, "curl_multi_poll"); LOAD(multi_setopt, "curl_multi_setopt"); LOAD(multi_action, "curl_multi_socket_action");
    LOAD(multi_info_read, "curl_multi_info_read");
    CURLM *multi = multi_init();
    if (uses_epoll) {
        poller = epoll_create1(0);
        multi_setopt(multi, M_SOCKETFUNCTION, on_socket);
        multi_setopt(multi, M_TIMERFUNCTION, on_timer);
    }
    double start = 0, start_cpu = 0;
    for (long i = 0; i < concurrency; i++) {
        CURL *easy = easy_init();
        easy_setopt(easy, NOSIGNAL, 1L);
        easy_setopt(easy, URL_OPTION, url);
        easy_setopt(easy, WRITEFUNCTION, sink);
        easy_setopt(easy, HEADERFUNCTION, sink);
        if (argc > 5) { easy_setopt(easy, CAINFO, argv[5]); easy_setopt(easy, PIPEWAIT, 1L); }
        if (uses_epoll) easy_setopt(easy, CLOSESOCKETFUNCTION, on_close);
        multi_add(multi, easy);
        started++;
    }
    start = now(); start_cpu = cpu();
    int running = 0;
    struct epoll_event events[256];
    while (done < requests) {
        if (uses_epoll) {
            int wait = timeout_ms < 0 ? 1000 : (int)timeout_ms;
            int count = wait == 0 ? 0 : epoll_wait(poller, events, 256, wait);
            if (count == 0) { timeout_ms = -1; multi_action(multi, -1, 0, &running); }
            for (int i = 0; i < count; i++) {
                int what = (events[i].events & EPOLLIN ? 1 : 0) | (events[i].events & EPOLLOUT ? 2 : 0) | (events[i].events & (EPOLLERR | EPOLLHUP) ? 4 : 0);
                multi_action(multi, events[i].data.fd, what, &running);
            }
        } else {
            multi_perform(multi, &running);
        }
        int left;
        struct message *message;
        while ((message = multi_info_read(multi, &left))) {
            CURL *easy = message->easy;
            done++;
            failed += message->data.result != 0;
            multi_remove(multi, easy);
            if (started < requests) { easy_setopt(easy, URL_OPTION, url); multi_add(multi, easy); started++; }
        }
        if (!uses_epoll && done < requests) multi_poll(multi, NULL, 0, 1000, NULL);
    }
    double seconds = now() - start, used = cpu() - start_cpu;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"requestsPerSecond\":%.0f,\"microsecondsOfCPU\":%.2f,\"failed\":%ld,\"bytes\":%llu,\"peakMiB\":%.1f}\n",
        requests / seconds, used / requests * 1e6, failed, (unsigned long long)bytes, usage.ru_maxrss / 1024.0);
    return 0;
}
