// System calls that Swift's modules do not export, the functions of other libraries, and the block functions of digests.

#ifndef CASYNCNETPLATFORM_H
#define CASYNCNETPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// The identity, size and times of a file, by which changes are found.
typedef struct {
    uint64_t device, inode;
    int64_t size, modified_seconds, modified_nanoseconds;
    /// The time of the last change to contents, links, owner or permissions (ctime), which no program can reset.
    int64_t changed_seconds, changed_nanoseconds;
} cp_stamp;

/// The time since the system's start in nanoseconds, sleep included, which `ContinuousClock` reads too; -1 if it cannot be
/// read.
int64_t cp_continuous_nanoseconds(void);

#ifdef __linux__
// Only in a program with the thread sanitizer, which links them.
void __tsan_acquire(void *_Nonnull address) __attribute__((weak));
void __tsan_release(void *_Nonnull address) __attribute__((weak));
#endif

/// Tells the thread sanitizer that a lock was taken. Inline, as this is done for each lock.
static inline void cp_acquired(const void *_Nonnull lock) {
#ifdef __linux__
    if (__tsan_acquire) __tsan_acquire((void *)lock);
#endif
}

/// Tells the thread sanitizer that a lock is about to be released.
static inline void cp_will_release(const void *_Nonnull lock) {
#ifdef __linux__
    if (__tsan_release) __tsan_release((void *)lock);
#endif
}

/// Reads the stamp of a regular file. Returns 0 or the error: EISDIR for a directory, EINVAL for other files.
int cp_read_stamp(int descriptor, cp_stamp *_Nonnull stamp);

/// Reads the stamp of the regular file at this path.
int cp_read_stamp_of(const char *_Nonnull path, cp_stamp *_Nonnull stamp);

/// Creates a file and fills in the template's name. Child processes do not inherit the descriptor. Returns -1 with errno
/// on failure.
int cp_make_temporary(char *_Nonnull name);

/// Sets the library's mark on an open file, an extended attribute. Returns 0 or the error: ENOTSUP if the file system has
/// no attributes.
int cp_write_mark(int descriptor, const void *_Nonnull mark, size_t size);

/// Reads the mark and returns its length in bytes; -1 if there is none, or it is longer than `size`.
long cp_read_mark(int descriptor, void *_Nonnull mark, size_t size);

void cp_remove_mark(int descriptor);

/// Renames a file in one step, unless the target exists. Returns 0 or the error: EEXIST if it does, EINVAL or ENOSYS if
/// the file system or the system does not support this.
int cp_rename_new(const char *_Nonnull path, const char *_Nonnull target);

/// Reads from the descriptor's position without waiting for a disk. Returns -1, having read nothing, if the read would
/// wait, or the system or the file system does not support such reads.
long cp_read_cached(int descriptor, void *_Nonnull buffer, size_t size);

/// Opens a non-blocking socket for the links, addresses and routes of this network namespace: it receives notifications,
/// and dumps can be requested. Child processes do not inherit it. Returns -1 with errno on failure, ENOSYS if the system
/// has no such sockets.
int cp_open_route_socket(uint32_t *_Nonnull port);

/// Sends a request to the kernel, which replies to the socket's port. Returns 0 or the error.
int cp_send_route_request(int descriptor, const void *_Nonnull bytes, size_t size);

/// Reads the next datagram and returns its length, more than `size` if it did not fit; 0 if the kernel did not send it.
/// Returns -1 with errno on failure: EAGAIN if there is none, ENOBUFS if some were lost.
long cp_receive_routes(int descriptor, void *_Nonnull buffer, size_t size);

/// A function of another library: its name, its address if the program is linked with the library, and the variable that
/// gets the address.
typedef struct {
    const char *_Nonnull name;
    void *_Nullable linked;
    void *_Nonnull variable;
} cp_symbol;

/// The table's row for a function, and whether rows have addresses: with the package's trait LinkedTLS. No header of the
/// library is needed: the function is declared without its types, which an address has not.
#ifdef ASYNCNET_LINKED_TLS
#define CP_IS_LINKED 1
#define CP_SYMBOL(name, variable) {#name, ({ extern void name(void); (void *)name; }), &variable}
#else
#define CP_IS_LINKED 0
#define CP_SYMBOL(name, variable) {#name, NULL, &variable}
#endif

/// Loads a library, as dlopen does. A static executable gets NULL: the library would bring a second libc, which crashes the
/// program unless it is of the same build as the first.
void *_Nullable cp_open(const char *_Nullable name, int flags);

/// Why the last call of `cp_open` on this thread returned NULL. The text lasts until the thread's next call.
const char *_Nonnull cp_open_error(void);

/// Fills the variables, with what a loaded library has where there is no address. Returns NULL, or the name of a function
/// that the library does not have.
const char *_Nullable cp_find(void *_Nullable library, const cp_symbol *_Nonnull symbols, size_t count);

/// Adds 64-byte blocks to the eight words of a SHA-256 state (FIPS 180-4 §6.2.2), with the processor's instructions for it
/// if there are any. In C, since debug builds of the same in Swift hash 4 MB/s, and a debugged app seems to hang.
void cp_sha256_blocks(uint32_t *_Nonnull state, const void *_Nonnull blocks, size_t count);

/// As `cp_sha256_blocks`, on any processor.
void cp_sha256_blocks_portable(uint32_t *_Nonnull state, const void *_Nonnull blocks, size_t count);

/// 1 if `cp_sha256_blocks` uses the processor's instructions, 0 if not.
int cp_has_sha256_instructions(void);

/// Adds 128-byte blocks to the eight words of a SHA-512 state (FIPS 180-4 §6.4.2).
void cp_sha512_blocks(uint64_t *_Nonnull state, const void *_Nonnull blocks, size_t count);

/// Adds 64-byte blocks to the four words of an MD5 state (RFC 1321 §3.4).
void cp_md5_blocks(uint32_t *_Nonnull state, const void *_Nonnull blocks, size_t count);

#endif
