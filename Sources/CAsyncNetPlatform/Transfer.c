#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CAsyncNetPlatform.h"

#ifdef __linux__
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Numbers of libcurl's ABI.
#define INFO_PRIMARY_IP (0x100000 + 32)
#define INFO_LOCAL_IP (0x100000 + 41)
#define INFO_STATUS (0x200000 + 2)
#define INFO_HEAD_BYTES (0x200000 + 11)
#define INFO_NEW_CONNECTIONS (0x200000 + 26)
#define INFO_PRIMARY_PORT (0x200000 + 40)
#define INFO_LOCAL_PORT (0x200000 + 42)
#define INFO_VERSION (0x200000 + 46)
#define HEAD_OF_RESPONSE 1
#define LAST_RESPONSE (-1)

#define PAUSE_RECEIVING 1
#define CONTINUE 0

#define DECODE_CONTENT 158
#define SOCKET_FUNCTION 20001
#define TIMER_FUNCTION 20004

#define URL_WHOLE 0
#define URL_PATH 7

static int (*getinfo)(void *, int, ...);
static int (*easy_setopt)(void *, int, ...);
static int (*multi_setopt)(void *, int, ...);
static int (*pause_transfer)(void *, int);
static cp_header *(*next_header)(void *, unsigned int, int, cp_header *);
static struct {
    void *(*make)(void);
    void (*destroy)(void *);
    int (*set)(void *, int, const char *, unsigned int);
    int (*get)(void *, int, char **, unsigned int);
    void (*free_text)(void *);
} url;
static _Atomic(const void *) library_of;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Finds the libcurl that the library with this address is linked to. The process may have loaded a second libcurl.
static void find_curl(void) {
    Dl_info library;
    void *handle = dladdr(library_of, &library) ? dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    // In a program with a static Foundation, the address is in the program itself.
    *(void **)&getinfo = dlsym(handle ? handle : RTLD_DEFAULT, "curl_easy_getinfo");
    *(void **)&easy_setopt = dlsym(handle ? handle : RTLD_DEFAULT, "curl_easy_setopt");
    *(void **)&multi_setopt = dlsym(handle ? handle : RTLD_DEFAULT, "curl_multi_setopt");
    *(void **)&pause_transfer = dlsym(handle ? handle : RTLD_DEFAULT, "curl_easy_pause");
    *(void **)&next_header = dlsym(handle ? handle : RTLD_DEFAULT, "curl_easy_nextheader");
    *(void **)&url.make = dlsym(handle ? handle : RTLD_DEFAULT, "curl_url");
    *(void **)&url.destroy = dlsym(handle ? handle : RTLD_DEFAULT, "curl_url_cleanup");
    *(void **)&url.set = dlsym(handle ? handle : RTLD_DEFAULT, "curl_url_set");
    *(void **)&url.get = dlsym(handle ? handle : RTLD_DEFAULT, "curl_url_get");
    *(void **)&url.free_text = dlsym(handle ? handle : RTLD_DEFAULT, "curl_free");
    if (handle) dlclose(handle);
}

static int has_curl(const void *address) {
    library_of = address;
    pthread_once(&once, find_curl);
    return getinfo != NULL;
}

static int read_address(void *transfer, int ip, int port, struct sockaddr_storage *address) {
    char *text = NULL;
    long number = 0;
    if (getinfo(transfer, ip, &text) || getinfo(transfer, port, &number) || !text || number <= 0) return 0;
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)number);
        return 1;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) != 1) return 0;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)number);
    return 1;
}

static int is_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b) {
    if (a->ss_family != b->ss_family) return 0;
    const struct sockaddr_in *a4 = (const struct sockaddr_in *)a, *b4 = (const struct sockaddr_in *)b;
    if (a->ss_family == AF_INET) return a4->sin_port == b4->sin_port && a4->sin_addr.s_addr == b4->sin_addr.s_addr;
    const struct sockaddr_in6 *a6 = (const struct sockaddr_in6 *)a, *b6 = (const struct sockaddr_in6 *)b;
    return a6->sin6_port == b6->sin6_port && !memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof a6->sin6_addr);
}

static int connects(int descriptor, const struct sockaddr_storage *local, const struct sockaddr_storage *remote) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) || !is_same(&address, remote)) return 0;
    length = sizeof address;
    return !getsockname(descriptor, (struct sockaddr *)&address, &length) && is_same(&address, local);
}

/// Another thread may close the descriptor and reuse its number at any time, so a duplicate is checked and reset.
static int reset(int descriptor, const struct sockaddr_storage *local, const struct sockaddr_storage *remote) {
    if (!connects(descriptor, local, remote)) return 0;
    int duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) return 0;
    struct sockaddr nothing = { .sa_family = AF_UNSPEC };
    int is_done = connects(duplicate, local, remote) && connect(duplicate, &nothing, sizeof nothing) == 0;
    close(duplicate);
    return is_done;
}

int cp_reset_transfer(const void *foundation, void *transfer) {
    struct sockaddr_storage local, remote;
    if (!has_curl(foundation)) return 0;
    if (!read_address(transfer, INFO_LOCAL_IP, INFO_LOCAL_PORT, &local)) return 0;
    if (!read_address(transfer, INFO_PRIMARY_IP, INFO_PRIMARY_PORT, &remote)) return 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return 0;
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') count += reset(atoi(entry->d_name), &local, &remote);
    }
    closedir(folder);
    return count;
}

/// libcurl runs a transfer soon after it is no longer paused: it has its session's timer called at once.
void cp_run_transfer(const void *foundation, void *transfer) {
    if (!has_curl(foundation) || !pause_transfer) return;
    if (!pause_transfer(transfer, PAUSE_RECEIVING)) pause_transfer(transfer, CONTINUE);
}

int cp_removes_encoded_dots(const void *foundation) {
    if (!has_curl(foundation) || !url.make || !url.destroy || !url.set || !url.get || !url.free_text) return 0;
    void *made = url.make();
    char *path = NULL;
    int removes = made && !url.set(made, URL_WHOLE, "http://a/b/%2E%2E/c", 0) && !url.get(made, URL_PATH, &path, 0) && path
        && !strcmp(path, "/c");
    if (path) url.free_text(path);
    if (made) url.destroy(made);
    return removes;
}

int cp_keep_content_codings(const void *foundation, void *transfer) {
    return has_curl(foundation) && easy_setopt && !easy_setopt(transfer, DECODE_CONTENT, 0L);
}

void cp_silence_transfers(const void *foundation, void *multi) {
    if (!has_curl(foundation) || !multi_setopt) return;
    multi_setopt(multi, SOCKET_FUNCTION, NULL);
    multi_setopt(multi, TIMER_FUNCTION, NULL);
}

int cp_read_reply(const void *foundation, void *transfer, cp_reply *reply) {
    return has_curl(foundation) && !getinfo(transfer, INFO_STATUS, &reply->status)
        && !getinfo(transfer, INFO_VERSION, &reply->version) && !getinfo(transfer, INFO_HEAD_BYTES, &reply->head_bytes)
        && !getinfo(transfer, INFO_NEW_CONNECTIONS, &reply->new_connections);
}

const cp_header *cp_next_header(const void *foundation, void *transfer, const cp_header *previous) {
    if (!has_curl(foundation) || !next_header) return NULL;
    return next_header(transfer, HEAD_OF_RESPONSE, LAST_RESPONSE, (cp_header *)previous);
}
#else
int cp_reset_transfer(const void *foundation, void *transfer) { return 0; }

void cp_run_transfer(const void *foundation, void *transfer) {}

int cp_removes_encoded_dots(const void *foundation) { return 0; }

int cp_keep_content_codings(const void *foundation, void *transfer) { return 0; }

void cp_silence_transfers(const void *foundation, void *multi) {}

int cp_read_reply(const void *foundation, void *transfer, cp_reply *reply) { return 0; }

const cp_header *cp_next_header(const void *foundation, void *transfer, const cp_header *previous) { return NULL; }
#endif
