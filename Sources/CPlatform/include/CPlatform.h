// System calls that Swift's own modules do not show.

#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// What tells whether a file is still the one that it was.
typedef struct {
    uint64_t device, inode;
    int64_t size, modified_seconds, modified_nanoseconds;
    /// Of the last change to the contents, the names, the owner or the permissions, which nobody can set back.
    int64_t changed_seconds, changed_nanoseconds;
} cp_stamp;

/// 0: it is a regular file. Otherwise the error: EISDIR for a folder, EINVAL for anything else.
int cp_read_stamp(int descriptor, cp_stamp *_Nonnull stamp);

/// The same of the file that has this name now.
int cp_read_stamp_of(const char *_Nonnull path, cp_stamp *_Nonnull stamp);

/// A new file with the template's name filled in, not left open to child processes. -1: see errno.
int cp_make_temporary(char *_Nonnull name);

/// Gives an open file a mark of this library's, an extended attribute. 0, or the error: ENOTSUP where the file system has none.
int cp_write_mark(int descriptor, const void *_Nonnull mark, size_t size);

/// How many bytes the mark has. -1: there is none, or it is longer than `size`.
long cp_read_mark(int descriptor, void *_Nonnull mark, size_t size);

void cp_remove_mark(int descriptor);

/// Gives a file another name in one step, unless that name is taken. 0, or the error: EEXIST if it is, EINVAL or ENOSYS where the file system
/// or the system cannot do that.
int cp_rename_new(const char *_Nonnull path, const char *_Nonnull target);

/// Reads on from where the descriptor stands, but only what needs no waiting for a disk. -1: it would have to wait, or the system or the
/// file system cannot tell; nothing was read then.
long cp_read_cached(int descriptor, void *_Nonnull buffer, size_t size);

/// A socket that hears of every change to the links, addresses and routes of this network namespace, and can be asked for all of them. It
/// never waits and is not left open to child processes. -1: see errno; ENOSYS where there are no such sockets.
int cp_open_route_socket(uint32_t *_Nonnull port);

/// Asks the system, which answers to the socket's port. 0, or the error.
int cp_send_route_request(int descriptor, const void *_Nonnull bytes, size_t size);

/// The size of the next datagram, more than `size` if not all of it fit. 0: it was not the system's own. -1: see errno; EAGAIN: there is none,
/// ENOBUFS: some were lost.
long cp_receive_routes(int descriptor, void *_Nonnull buffer, size_t size);

/// Holds up the Dispatch queue of this name that the caller runs on, for so long, so that the queues that share its thread have their turn.
/// 0 if the caller is on another queue, or where Dispatch cannot say.
int cp_rest_queue(const char *_Nonnull name, int64_t nanoseconds);

/// Resets the TCP connection of a transfer of FoundationNetworking's, from any thread: what has been received goes with it, and the next read
/// fails. The connection is found among the process's descriptors by both of its addresses, which no other connection has.
///
/// - foundation: An address inside FoundationNetworking.
/// - transfer: Its handle of libcurl's, which must not be freed meanwhile.
/// - Returns: How many descriptors there were; 0 if there is no connection or libcurl cannot be found.
int cp_reset_transfer(const void *_Nonnull foundation, void *_Nonnull transfer);

/// Keeps libcurl from calling FoundationNetworking about a session's sockets and timers any more, of which none may be in use.
///
/// - multi: The session's handle of libcurl's, which nobody uses meanwhile.
void cp_silence_transfers(const void *_Nonnull foundation, void *_Nonnull multi);

/// What libcurl knows of a transfer's response.
typedef struct {
    /// 0 if there is none.
    long status;
    /// 1 for HTTP/1.0, 2 for HTTP/1.1, 3 for HTTP/2; 0 if there is none.
    long version;
    long head_bytes, new_connections;
} cp_reply;

/// 0 if libcurl cannot be found. Here and below nobody else may use the transfer at the same time.
int cp_read_reply(const void *_Nonnull foundation, void *_Nonnull transfer, cp_reply *_Nonnull reply);

/// A line of the response's head: libcurl's curl_header.
typedef struct {
    char *_Nonnull name, *_Nonnull value;
    size_t amount, index;
    unsigned int origin;
    void *_Nullable anchor;
} cp_header;

/// The line after the previous one, or the first. NULL: there are no more, or libcurl is older than 7.84 and does not keep them.
const cp_header *_Nullable cp_next_header(const void *_Nonnull foundation, void *_Nonnull transfer, const cp_header *_Nullable previous);

#endif
