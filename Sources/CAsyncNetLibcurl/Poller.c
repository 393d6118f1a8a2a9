#ifdef __linux__
#define _GNU_SOURCE

#include "Poller.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// What libcurl waits for at a socket.
enum { POLL_IN = 1, POLL_OUT = 2, POLL_REMOVE = 4 };
enum { M_SOCKETFUNCTION = 20001, M_SOCKETDATA = 10002, M_TIMERFUNCTION = 20004, M_TIMERDATA = 10005 };

#define TIMEOUT (-1)
#define UNKNOWN 0
#define NEVER INT64_MAX
#define MOST_EVENTS 256
/// How long a poller waits that cannot watch all sockets.
#define BLIND_WAIT 10

struct poller {
    curl_multi *multi;
    struct poller_calls calls;
    int epoll, bell;
    /// When libcurl must be called next, in nanoseconds of the monotonic clock.
    int64_t deadline;
    /// Whether `events` are new since the last `poller_perform`.
    int has_waited;
    /// Whether a socket could not be watched; until nothing runs, libcurl then looks at all sockets again and again.
    int is_blind;
    int count;
    struct epoll_event events[MOST_EVENTS];
};

// MARK: What epoll knows of a socket

/// A descriptor as a socket of libcurl. One thread uses it at a time; atomic because the next one may be another's.
struct watch {
    /// Counts how often the number was opened and closed: events of a former socket with the number are dropped. Odd
    /// while the socket is one of those that this process opened for libcurl, whose end `poller_closes` reports.
    _Atomic uint32_t age;
    /// The epoll descriptor that has the socket; 0 if none has.
    _Atomic int epoll;
    /// What epoll reports, and what libcurl waits for: nothing while a connection idles.
    _Atomic uint8_t registered, wanted;
};

/// By descriptor, as many as Linux lets a process have unless its limits are changed. Pages that are never used take no
/// memory.
static struct watch watches[1 << 20];

static struct watch *watch_of(int socket) {
    return socket >= 0 && (size_t)socket < sizeof watches / sizeof *watches ? &watches[socket] : NULL;
}

#define GET(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define SET(field, value) atomic_store_explicit(&(field), value, memory_order_relaxed)

static int is_ours(struct watch *watch) { return GET(watch->age) & 1; }

static void forget(int socket, struct watch *watch) {
    int epoll = GET(watch->epoll);
    if (epoll) epoll_ctl(epoll, EPOLL_CTL_DEL, socket, NULL);
    SET(watch->epoll, 0);
    SET(watch->registered, 0);
}

void poller_opened(int socket) {
    struct watch *watch = watch_of(socket);
    if (!watch) return;
    SET(watch->age, (GET(watch->age) + 1) | 1);
    SET(watch->epoll, 0);
    SET(watch->registered, 0);
    SET(watch->wanted, 0);
}

/// Takes the socket out of epoll, which closing it would not do while a forked child has it too.
void poller_closes(int socket) {
    struct watch *watch = watch_of(socket);
    if (!watch) return;
    forget(socket, watch);
    SET(watch->wanted, 0);
    SET(watch->age, (GET(watch->age) + 1) & ~1u);
}

// MARK: What libcurl reports

/// What epoll knows of a socket that is not ours can be out of date, so both ways of registering it are tried.
static int enter(struct poller *poller, int socket, struct watch *watch) {
    int wanted = GET(watch->wanted), isKnown = GET(watch->epoll) == poller->epoll;
    struct epoll_event event = {
        .events = (wanted & POLL_IN ? EPOLLIN : 0) | (wanted & POLL_OUT ? EPOLLOUT : 0),
        .data.u64 = (uint64_t)GET(watch->age) << 32 | (uint32_t)socket,
    };
    int failed = epoll_ctl(poller->epoll, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    if (failed && (errno == ENOENT || errno == EEXIST))
        failed = epoll_ctl(poller->epoll, isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    SET(watch->epoll, failed ? 0 : poller->epoll);
    SET(watch->registered, failed ? 0 : (uint8_t)wanted);
    return !failed;
}

/// The socket of a connection that idles stays in epoll: to take it out and in again would cost each request two system
/// calls. A socket that epoll reports as ready to send must go, because it is ready always; so must one of libcurl's own,
/// such as its resolver's, which it closes unseen.
static void release(int socket, struct watch *watch) {
    SET(watch->wanted, 0);
    if (!is_ours(watch) || GET(watch->registered) & POLL_OUT) forget(socket, watch);
}

/// 0 if the system refuses.
static int watches_for(struct poller *poller, int socket, struct watch *watch, int wanted) {
    SET(watch->wanted, (uint8_t)wanted);
    if (is_ours(watch) && GET(watch->epoll) == poller->epoll && GET(watch->registered) == wanted) return 1;
    return enter(poller, socket, watch);
}

static int on_socket(void *easy, int socket, int wanted, void *user, void *own) {
    (void)easy; (void)own;
    struct poller *poller = user;
    struct watch *watch = watch_of(socket);
    // An error as the result would end all transfers.
    if (!watch) poller->is_blind = 1;
    else if (wanted == POLL_REMOVE) release(socket, watch);
    else if (!watches_for(poller, socket, watch, wanted)) poller->is_blind = 1;
    return 0;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int on_timer(curl_multi *multi, long milliseconds, void *user) {
    (void)multi;
    struct poller *poller = user;
    poller->deadline = milliseconds < 0 ? NEVER : now() + milliseconds * 1000000ll;
    return 0;
}

// MARK: Rounds

/// `milliseconds`, or less if libcurl must be called earlier.
static int time_left(struct poller *poller, int milliseconds) {
    if (poller->is_blind && milliseconds > BLIND_WAIT) milliseconds = BLIND_WAIT;
    if (poller->deadline == NEVER) return milliseconds;
    int64_t left = (poller->deadline - now() + 999999) / 1000000;
    return left <= 0 ? 0 : left < milliseconds ? (int)left : milliseconds;
}

int poller_wait(struct poller *poller, int milliseconds) {
    int count = epoll_wait(poller->epoll, poller->events, MOST_EVENTS, time_left(poller, milliseconds));
    poller->count = count < 0 ? 0 : count;
    poller->has_waited = 1;
    return poller->count;
}

/// libcurl is told that the socket is ready, not for what, and looks itself: 7.88 applies what it is told to the whole
/// connection, and over HTTP/2 then ended a few POST requests as lost that GOAWAY had only sent back.
static void handle(struct poller *poller, struct epoll_event event) {
    int socket = (int)(uint32_t)event.data.u64, running;
    if (socket == poller->bell) return;
    struct watch *watch = watch_of(socket);
    if (!watch || GET(watch->age) != event.data.u64 >> 32 || GET(watch->epoll) != poller->epoll) return;
    // Nobody reads it now, and it would be ready again and again: a server closed a connection that idles.
    if (!GET(watch->wanted)) forget(socket, watch);
    else poller->calls.act(poller->multi, socket, UNKNOWN, &running);
}

/// Until nothing runs any more.
static void look_at_all(struct poller *poller) {
    int running = 0;
    poller->calls.perform(poller->multi, &running);
    if (running == 0) poller->is_blind = 0;
}

void poller_perform(struct poller *poller) {
    int running;
    // A loop that finds work in each round must see its sockets too.
    if (!poller->has_waited) poller_wait(poller, 0);
    poller->has_waited = 0;
    for (int i = 0; i < poller->count; i++) handle(poller, poller->events[i]);
    if (poller->deadline != NEVER && poller->deadline <= now()) {
        poller->deadline = NEVER;
        poller->calls.act(poller->multi, TIMEOUT, 0, &running);
    }
    if (poller->is_blind) look_at_all(poller);
}

/// The bell is never read: it is edge-triggered, so each write ends a wait. Only after 2^64 - 2 writes one would fail.
void poller_wake(struct poller *poller) {
    uint64_t one = 1;
    while (write(poller->bell, &one, sizeof one) < 0 && errno == EINTR) {}
}

// MARK: Begin and end

static int open_descriptors(struct poller *poller) {
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    poller->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (poller->epoll < 0 || poller->bell < 0) return 0;
    struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = (uint32_t)poller->bell };
    return epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->bell, &event) == 0;
}

struct poller *poller_new(curl_multi *multi, struct poller_calls calls) {
    struct poller *poller = calloc(1, sizeof *poller);
    if (!poller) return NULL;
    *poller = (struct poller){ .multi = multi, .calls = calls, .epoll = -1, .bell = -1, .deadline = NEVER };
    if (!open_descriptors(poller)) {
        poller_free(poller);
        return NULL;
    }
    calls.setopt(multi, M_SOCKETFUNCTION, on_socket);
    calls.setopt(multi, M_SOCKETDATA, poller);
    calls.setopt(multi, M_TIMERFUNCTION, on_timer);
    calls.setopt(multi, M_TIMERDATA, poller);
    return poller;
}

void poller_free(struct poller *poller) {
    if (!poller) return;
    if (poller->epoll >= 0) close(poller->epoll);
    if (poller->bell >= 0) close(poller->bell);
    free(poller);
}

#endif
