// System calls that Swift's own modules do not show.

#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// What tells whether a file is still the one that it was.
typedef struct {
    uint64_t device, inode;
    int64_t size, modified_seconds, modified_nanoseconds;
} cp_stamp;

/// 0: it is a regular file. Otherwise the error: EISDIR for a folder, EINVAL for anything else.
int cp_read_stamp(int descriptor, cp_stamp *_Nonnull stamp);

/// A new file with the template's name filled in, not left open to child processes. -1: see errno.
int cp_make_temporary(char *_Nonnull name);

/// Reads on from where the descriptor stands, but only what needs no waiting for a disk. -1: it would have to wait, or the system or the
/// file system cannot tell; nothing was read then.
long cp_read_cached(int descriptor, void *_Nonnull buffer, size_t size);

#endif
