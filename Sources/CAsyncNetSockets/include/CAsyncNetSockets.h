// Sockets that do not block, and what waits for many of them at once. On Linux only: elsewhere each function fails with ENOSYS.

#ifndef CASYNCNETSOCKETS_H
#define CASYNCNETSOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// What a socket is ready for, or is to be watched for.
enum { AN_READABLE = 1, AN_WRITABLE = 2 };

/// A socket that is ready, by the token that it was registered with.
typedef struct {
    uint64_t token;
    uint32_t readiness;
} an_event;

/// An address to connect to, and its length in bytes.
typedef struct {
    struct sockaddr_storage storage;
    socklen_t length;
} an_address;

/// Opens a poller (epoll). Child processes do not inherit it. Returns -1 with errno on failure.
int an_open_poller(void);

/// Opens a descriptor that becomes readable by `an_wake`, from any thread. Returns -1 with errno on failure.
int an_open_waker(void);
void an_wake(int waker);
void an_clear_waker(int waker);

/// Watches a socket, or changes what it is watched for. With no readiness nothing is reported, not even an error, which
/// the poller would report again and again. Returns 0 or the error.
int an_watch(int poller, int socket, uint32_t readiness, uint64_t token, int is_new);
void an_unwatch(int poller, int socket);

/// Waits until a socket is ready, at most this long; -1 waits without end. Returns the number of events, -1 with errno on
/// failure.
int an_wait(int poller, an_event *_Nonnull events, int capacity, int milliseconds);

/// Opens a TCP or unix socket that does not block, sends small writes at once, and is not inherited by child processes.
/// Returns -1 with errno on failure.
int an_open_socket(int family);

/// Has the kernel ask a silent peer whether it is still there: first after `idle` seconds, then each `interval` seconds, and
/// `probes` times before the connection counts as lost. Returns 0 or the error.
int an_keep_alive(int socket, int idle, int interval, int probes);
int an_user_timeout(int socket, unsigned int milliseconds);

/// Binds a socket to a local interface by its name. Returns 0 or the error.
int an_bind_interface(int socket, const char *_Nonnull name);

/// Binds a socket to a local address; its port is chosen when it connects. Returns 0 or the error.
int an_bind_address(int socket, const an_address *_Nonnull address);

/// Begins to connect. Returns 0, EINPROGRESS while it connects, or the error.
int an_connect(int socket, const an_address *_Nonnull address);

/// The outcome of a connect that has ended: 0 or the error; ECONNREFUSED for a socket that connected to itself.
int an_connect_outcome(int socket);

/// Sends up to two pieces in one system call, without a SIGPIPE. Returns the number of bytes, or -1 with errno.
long an_send(
    int socket, const void *_Nullable first, size_t first_size, const void *_Nullable second, size_t second_size);

/// Receives. Returns the number of bytes, 0 at the end, or -1 with errno.
long an_receive(int socket, void *_Nonnull buffer, size_t size);

/// Closes a socket; with `is_abortive` by a reset, which drops what the peer still sends.
void an_close(int socket, int is_abortive);

/// Tells the peer that no bytes follow. Returns 0 or the error.
int an_finish_sending(int socket);

/// How many sent bytes the peer has not acknowledged; 0 where the system does not tell.
int an_unacknowledged(int socket);

/// The address of a numeric IPv4 or IPv6 address, whose zone may follow after `%`. Returns 0 if the text is none, or the zone
/// names no interface.
int an_numeric_address(const char *_Nonnull text, uint16_t port, an_address *_Nonnull address);

/// The address of a unix socket's path; a path that begins with NUL is abstract. Returns 0 if the path is empty or too long.
int an_unix_address(const char *_Nonnull path, size_t length, an_address *_Nonnull address);

/// The peer's address.
int an_peer(int socket, an_address *_Nonnull address);

/// Writes the numeric text of an IP address, without its zone. Returns 0 for another address.
int an_address_text(const an_address *_Nonnull address, char *_Nonnull text, size_t size);
uint16_t an_address_port(const an_address *_Nonnull address);
void an_set_port(an_address *_Nonnull address, uint16_t port);

/// Looks a name up, which may take a minute and cannot be cancelled: for a thread of its own.
///
/// - family: AF_UNSPEC, AF_INET or AF_INET6.
/// - count: The room in `addresses` before, the number of addresses after.
/// - Returns: 0, or the error, whose text is `an_lookup_text`.
int an_look_up(const char *_Nonnull name, int family, an_address *_Nonnull addresses, int *_Nonnull count);
const char *_Nonnull an_lookup_text(int error);

#endif
