#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef RWF_NOWAIT
#include <linux/magic.h>
#include <sys/vfs.h>

/// The files of these are in memory and nowhere else, which is why they see no need to be able to tell.
static int is_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

long cp_read_cached(int descriptor, void *buffer, size_t size) {
    struct iovec room = { buffer, size };
    long count = preadv2(descriptor, &room, 1, -1, RWF_NOWAIT);
    return count < 0 && errno == EOPNOTSUPP && is_memory(descriptor) ? read(descriptor, buffer, size) : count;
}
#else
long cp_read_cached(int descriptor, void *buffer, size_t size) {
    return -1;
}
#endif
