// Watches the sockets of a multi handle by epoll, so that a round of a loop costs what is ready and not what runs.
//
// libcurl's own wait visits each running transfer and asks the system about each socket; here libcurl says once which
// sockets and times it waits for. On Linux only, and with the versions of libcurl that `may_poll` names.

#ifndef POLLER_H
#define POLLER_H

/// libcurl's CURLM.
typedef struct curl_multi curl_multi;

/// libcurl's functions that a poller calls.
struct poller_calls {
    int (*setopt)(curl_multi *, int, ...);
    int (*act)(curl_multi *, int, int, int *);
    int (*perform)(curl_multi *, int *);
};

struct poller;

#ifdef __linux__
#define HAS_POLLER 1

/// NULL if there is no memory or no descriptor left. The poller must be freed after the multi handle.
struct poller *poller_new(curl_multi *multi, struct poller_calls calls);
void poller_free(struct poller *poller);
/// Lets libcurl handle the sockets that are ready and the times that have passed.
void poller_perform(struct poller *poller);
/// Waits until a socket, one of libcurl's timers or a wake-up needs the thread. Returns how many sockets are ready,
/// wake-ups included.
int poller_wait(struct poller *poller, int milliseconds);
/// Ends a wait; from any thread.
void poller_wake(struct poller *poller);

/// Must be called with each socket that this process opens for libcurl, and before it is closed.
void poller_opened(int socket);
void poller_closes(int socket);

#else
#define HAS_POLLER 0

static inline struct poller *poller_new(curl_multi *multi, struct poller_calls calls) { (void)multi; (void)calls; return 0; }
static inline void poller_free(struct poller *poller) { (void)poller; }
static inline void poller_perform(struct poller *poller) { (void)poller; }
static inline int poller_wait(struct poller *poller, int milliseconds) { (void)poller; (void)milliseconds; return 0; }
static inline void poller_wake(struct poller *poller) { (void)poller; }
static inline void poller_opened(int socket) { (void)socket; }
static inline void poller_closes(int socket) { (void)socket; }

#endif
#endif
