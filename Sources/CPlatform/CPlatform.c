#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __APPLE__
#define MODIFIED st_mtimespec
#else
#define MODIFIED st_mtim
#endif

int cp_read_stamp(int descriptor, cp_stamp *stamp) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    stamp->device = (uint64_t)status.st_dev;
    stamp->inode = (uint64_t)status.st_ino;
    stamp->size = (int64_t)status.st_size;
    stamp->modified_seconds = (int64_t)status.MODIFIED.tv_sec;
    stamp->modified_nanoseconds = (int64_t)status.MODIFIED.tv_nsec;
    return 0;
}

int cp_make_temporary(char *name) { return mkostemp(name, O_CLOEXEC); }

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
