#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CAsyncNetPlatform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <link.h>
#endif

#ifdef __APPLE__
#define MODIFIED st_mtimespec
#define CHANGED st_ctimespec
#else
#define MODIFIED st_mtim
#define CHANGED st_ctim
#endif

int64_t cp_continuous_nanoseconds(void) {
#ifdef CLOCK_BOOTTIME
    struct timespec time;
    if (clock_gettime(CLOCK_BOOTTIME, &time) == 0) return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
#endif
    return -1;
}

static int fill(cp_stamp *stamp, const struct stat *status) {
    if (!S_ISREG(status->st_mode)) return S_ISDIR(status->st_mode) ? EISDIR : EINVAL;
    stamp->device = (uint64_t)status->st_dev;
    stamp->inode = (uint64_t)status->st_ino;
    stamp->size = (int64_t)status->st_size;
    stamp->modified_seconds = (int64_t)status->MODIFIED.tv_sec;
    stamp->modified_nanoseconds = (int64_t)status->MODIFIED.tv_nsec;
    stamp->changed_seconds = (int64_t)status->CHANGED.tv_sec;
    stamp->changed_nanoseconds = (int64_t)status->CHANGED.tv_nsec;
    return 0;
}

int cp_read_stamp(int descriptor, cp_stamp *stamp) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? fill(stamp, &status) : errno;
}

int cp_read_stamp_of(const char *path, cp_stamp *stamp) {
    struct stat status;
    return stat(path, &status) == 0 ? fill(stamp, &status) : errno;
}

#ifdef __APPLE__
#define MARK "asyncnet.partial"

int cp_write_mark(int descriptor, const void *mark, size_t size) { return fsetxattr(descriptor, MARK, mark, size, 0, 0) == 0 ? 0 : errno; }
long cp_read_mark(int descriptor, void *mark, size_t size) { return fgetxattr(descriptor, MARK, mark, size, 0, 0); }
void cp_remove_mark(int descriptor) { fremovexattr(descriptor, MARK, 0); }
int cp_rename_new(const char *path, const char *target) { return renamex_np(path, target, RENAME_EXCL) == 0 ? 0 : errno; }
#else
#include <sys/syscall.h>

#define MARK "user.asyncnet.partial"
#define NO_REPLACE 1

int cp_write_mark(int descriptor, const void *mark, size_t size) { return fsetxattr(descriptor, MARK, mark, size, 0) == 0 ? 0 : errno; }
long cp_read_mark(int descriptor, void *mark, size_t size) { return fgetxattr(descriptor, MARK, mark, size); }
void cp_remove_mark(int descriptor) { fremovexattr(descriptor, MARK); }

int cp_rename_new(const char *path, const char *target) {
#ifdef SYS_renameat2
    // Not every C library has a function for renameat2.
    return syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, NO_REPLACE) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}
#endif

int cp_make_temporary(char *name) { return mkostemp(name, O_CLOEXEC); }

#ifdef RWF_NOWAIT
#include <linux/magic.h>
#include <sys/vfs.h>

/// Whether the file is in a file system in memory. Its reads never wait, but it does not support RWF_NOWAIT.
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

#if defined(__linux__) && __has_include(<linux/rtnetlink.h>)
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

int cp_open_route_socket(uint32_t *port) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = { .nl_family = AF_NETLINK };
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
    socklen_t length = sizeof address;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    *port = address.nl_pid;
    return descriptor;
}

int cp_send_route_request(int descriptor, const void *bytes, size_t size) {
    struct sockaddr_nl address = { .nl_family = AF_NETLINK };
    long count;
    do count = sendto(descriptor, bytes, size, 0, (struct sockaddr *)&address, sizeof address);
    while (count < 0 && errno == EINTR);
    return count < 0 ? errno : 0;
}

long cp_receive_routes(int descriptor, void *buffer, size_t size) {
    struct sockaddr_nl address = { 0 };
    socklen_t length = sizeof address;
    long count;
    do count = recvfrom(descriptor, buffer, size, MSG_TRUNC, (struct sockaddr *)&address, &length);
    while (count < 0 && errno == EINTR);
    return count > 0 && address.nl_pid != 0 ? 0 : count;
}
#else
int cp_open_route_socket(uint32_t *port) {
    errno = ENOSYS;
    return -1;
}

int cp_send_route_request(int descriptor, const void *bytes, size_t size) { return ENOSYS; }

long cp_receive_routes(int descriptor, void *buffer, size_t size) {
    errno = ENOSYS;
    return -1;
}
#endif

#ifdef __linux__
/// For the first object, which is the program: whether it names a loader, as all but static ones do.
static int has_loader(struct dl_phdr_info *program, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int index = 0; index < program->dlpi_phnum; index++) {
        if (program->dlpi_phdr[index].p_type == PT_INTERP) return 1;
    }
    return -1;
}

static int is_static(void) { return dl_iterate_phdr(has_loader, NULL) != 1; }
#else
static int is_static(void) { return 0; }
#endif

void *cp_open(const char *name, int flags) { return is_static() ? NULL : dlopen(name, flags); }

const char *cp_open_error(void) {
    // dlerror would have the error of another call.
    if (is_static()) return "a static program cannot load it; AsyncNet's trait LinkedTLS links OpenSSL and zlib";
    const char *text = dlerror();
    return text ? text : "it cannot be loaded";
}

const char *cp_find(void *library, const cp_symbol *symbols, size_t count) {
    for (size_t index = 0; index < count; index++) {
        void *found = symbols[index].linked ? symbols[index].linked : dlsym(library, symbols[index].name);
        if (!found) return symbols[index].name;
        *(void **)symbols[index].variable = found;
    }
    return NULL;
}
