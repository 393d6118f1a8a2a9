#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "CAsyncNetLibcurl.h"

#include <CAsyncNetPlatform.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __APPLE__
#define LIBRARY "libcurl.4.dylib"
#else
#define LIBRARY "libcurl.so.4"
#endif

#define OLDEST 0x074200 // 7.66, the first with curl_multi_poll
#define GLOBAL_ALL 3
#define INFO_STRING 0x100000
#define INFO_CAINFO (INFO_STRING + 61) // since 7.84
#define INFO_CAPATH (INFO_STRING + 62) // since 7.84
#define INFO_LONG 0x200000
#define INFO_LIST 0x400000
#define INFO_OFFSET 0x600000
#define MESSAGE_DONE 1

/// The first fields of curl_version_info_data, which libcurl extends at its end only.
struct version_info {
    int age;
    const char *version;
    unsigned int version_number;
    const char *host;
    int features;
    const char *tls_library;
};

struct message {
    int kind;
    lc_easy *easy;
    union { void *whatever; int result; } data;
};

struct blob { void *bytes; size_t count; unsigned int flags; };

static struct {
    int (*global_init)(long);
    struct version_info *(*version_info)(int);
    const char *(*easy_strerror)(int);
    lc_easy *(*easy_init)(void);
    lc_easy *(*easy_duphandle)(lc_easy *);
    void (*easy_cleanup)(lc_easy *);
    int (*easy_setopt)(lc_easy *, int, ...);
    int (*easy_getinfo)(lc_easy *, int, ...);
    int (*easy_pause)(lc_easy *, int);
    lc_multi *(*multi_init)(void);
    int (*multi_cleanup)(lc_multi *);
    int (*multi_setopt)(lc_multi *, int, ...);
    int (*multi_add_handle)(lc_multi *, lc_easy *);
    int (*multi_remove_handle)(lc_multi *, lc_easy *);
    int (*multi_perform)(lc_multi *, int *);
    int (*multi_poll)(lc_multi *, void *, unsigned int, int, int *);
    int (*multi_wakeup)(lc_multi *); // since 7.68
    struct message *(*multi_info_read)(lc_multi *, int *);
} curl;

static struct version_info *info;
static char failure[256];

/// The file to load instead of the system's libcurl. Ignored in programs with more privileges than their user.
static const char *chosen_file(void) {
#ifdef __APPLE__
    const char *path = issetugid() ? NULL : getenv("ASYNCNET_LIBCURL");
#else
    const char *path = secure_getenv("ASYNCNET_LIBCURL");
#endif
    return path && *path ? path : NULL;
}

static int find(void *library, const char *name, void *function) {
    *(void **)function = dlsym(library, name);
    if (*(void **)function) return 1;
    snprintf(failure, sizeof failure, "%s has no %s", chosen_file() ? chosen_file() : LIBRARY, name);
    return 0;
}

static int find_all(void *library) {
    return find(library, "curl_global_init", &curl.global_init)
        && find(library, "curl_easy_strerror", &curl.easy_strerror)
        && find(library, "curl_easy_init", &curl.easy_init)
        && find(library, "curl_easy_duphandle", &curl.easy_duphandle)
        && find(library, "curl_easy_cleanup", &curl.easy_cleanup)
        && find(library, "curl_easy_setopt", &curl.easy_setopt)
        && find(library, "curl_easy_getinfo", &curl.easy_getinfo)
        && find(library, "curl_easy_pause", &curl.easy_pause)
        && find(library, "curl_multi_init", &curl.multi_init)
        && find(library, "curl_multi_cleanup", &curl.multi_cleanup)
        && find(library, "curl_multi_setopt", &curl.multi_setopt)
        && find(library, "curl_multi_add_handle", &curl.multi_add_handle)
        && find(library, "curl_multi_remove_handle", &curl.multi_remove_handle)
        && find(library, "curl_multi_perform", &curl.multi_perform)
        && find(library, "curl_multi_poll", &curl.multi_poll)
        && find(library, "curl_multi_info_read", &curl.multi_info_read);
}

static void (*tls_thread_stop)(void);

/// Disables OpenSSL's cleanup at exit, which can crash threads that still run. This must precede OpenSSL's first use; the
/// system frees the memory anyway.
static void spare_exit(void *library) {
    int (*initialize)(uint64_t, const void *);
    *(void **)&initialize = dlsym(library, "OPENSSL_init_crypto");
    if (initialize) initialize(0x00080000, NULL); // OPENSSL_INIT_NO_ATEXIT
    *(void **)&tls_thread_stop = dlsym(library, "OPENSSL_thread_stop");
}

void lc_thread_ends(void) {
    if (tls_thread_stop) tls_thread_stop();
}

/// The dlopen flags for a libcurl beside another libcurl, which programs with FoundationNetworking on Linux have loaded.
/// Both have functions of the same names, as have their TLS libraries: without RTLD_DEEPBIND the new library would call
/// the old one. With it, in a program with a `malloc` of its own, the new library would free that memory with libc's
/// `free`. -1 if it must not be loaded.
static int flags_beside_another(void) {
    int flags = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
    void *other = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD), *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (!other) return flags;
    if (libc && dlsym(libc, "malloc") != dlsym(RTLD_DEFAULT, "malloc")) return -1;
    flags |= RTLD_DEEPBIND;
#endif
    return flags;
}

static void *load_chosen(const char *path) {
    if (*path != '/') {
        snprintf(failure, sizeof failure, "ASYNCNET_LIBCURL must be an absolute path");
        return NULL;
    }
    int flags = flags_beside_another();
    if (flags < 0) {
        snprintf(failure, sizeof failure, "ASYNCNET_LIBCURL cannot be used in a program whose malloc is not libc's; "
            "name the file " LIBRARY " in a folder on LD_LIBRARY_PATH");
        return NULL;
    }
    return cp_open(path, flags);
}

static void *load(void) {
    const char *path = chosen_file();
    void *library = path ? load_chosen(path) : cp_open(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library || failure[0]) return library;
    snprintf(failure, sizeof failure, "%s", cp_open_error());
    return NULL;
}

static char ca_file[256];
static int is_ca_folder_needless;

/// Whether this is the name of a certificate in a folder that OpenSSL searches: its hash and a number.
static int is_hash_name(const char *name) {
    return strspn(name, "0123456789abcdef") == 8 && name[8] == '.' && name[9] >= '0' && name[9] <= '9';
}

/// How many certificates OpenSSL finds in the folder; -1 if it cannot be read.
static long count_in_folder(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return -1;
    long count = 0;
    struct dirent *entry;
    while ((entry = readdir(folder))) count += is_hash_name(entry->d_name);
    closedir(folder);
    return count;
}

/// How many certificates are in the file; 0 if it cannot be read.
static long count_in_file(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    long count = 0;
    char line[256];
    while (fgets(line, sizeof line, file)) count += strncmp(line, "-----BEGIN ", 11) == 0;
    fclose(file);
    return count;
}

/// The system's trusted certificates, for a libcurl that was built for another system and searches other paths.
static void find_ca_file(const char *own_file) {
    static const char *const files[] = {
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    };
    int isThere = !own_file || access(own_file, R_OK) == 0;
    for (size_t i = 0; !isThere && i < sizeof files / sizeof *files; i++) {
        isThere = access(files[i], R_OK) == 0;
        if (isThere) snprintf(ca_file, sizeof ca_file, "%s", files[i]);
    }
}

static void find_trust(void) {
    const char *file = NULL, *folder = NULL;
    lc_easy *easy = curl.easy_init();
    if (!easy) return;
    curl.easy_getinfo(easy, INFO_CAINFO, &file);
    curl.easy_getinfo(easy, INFO_CAPATH, &folder);
    find_ca_file(file);
    is_ca_folder_needless = file && folder && count_in_folder(folder) <= count_in_file(file);
    curl.easy_cleanup(easy);
}

const char *lc_load(void) {
    if (info) return NULL;
    failure[0] = 0;
    void *library = load();
    if (!library) return failure;
    if (!find(library, "curl_version_info", &curl.version_info)) return failure;
    struct version_info *found = curl.version_info(0);
    if (found->version_number < OLDEST) {
        snprintf(failure, sizeof failure, "libcurl %s is older than 7.66", found->version);
        return failure;
    }
    if (!find_all(library)) return failure;
    spare_exit(library);
    *(void **)&curl.multi_wakeup = dlsym(library, "curl_multi_wakeup");
    if (curl.global_init(GLOBAL_ALL) != 0) {
        snprintf(failure, sizeof failure, "libcurl %s does not initialize", found->version);
        return failure;
    }
    find_trust();
    info = found;
    return NULL;
}

const char *lc_ca_file(void) { return *ca_file ? ca_file : NULL; }
int lc_is_ca_folder_needless(void) { return is_ca_folder_needless; }

const char *lc_version(void) { return info ? info->version : NULL; }
uint32_t lc_version_number(void) { return info ? info->version_number : 0; }
const char *lc_tls_library(void) { return info ? info->tls_library : NULL; }
int32_t lc_features(void) { return info ? info->features : 0; }
const char *lc_error_text(int32_t code) { return curl.easy_strerror(code); }

lc_easy *lc_easy_new(void) { return curl.easy_init(); }
lc_easy *lc_easy_copy(lc_easy *easy) { return curl.easy_duphandle(easy); }
void lc_easy_free(lc_easy *easy) { curl.easy_cleanup(easy); }
int32_t lc_set_long(lc_easy *easy, int32_t option, long value) { return curl.easy_setopt(easy, option, value); }
int32_t lc_set_offset(lc_easy *easy, int32_t option, int64_t value) { return curl.easy_setopt(easy, option, value); }
int32_t lc_set_string(lc_easy *easy, int32_t option, const char *value) { return curl.easy_setopt(easy, option, value); }
int32_t lc_set_pointer(lc_easy *easy, int32_t option, const void *value) { return curl.easy_setopt(easy, option, value); }
int32_t lc_set_list(lc_easy *easy, int32_t option, lc_list *value) { return curl.easy_setopt(easy, option, value); }

int32_t lc_set_blob(lc_easy *easy, int32_t option, const void *bytes, size_t count) {
    struct blob blob = { (void *)bytes, count, 0 };
    return curl.easy_setopt(easy, option, &blob);
}

int32_t lc_set_data_function(lc_easy *easy, int32_t option, lc_data_function function) {
    return curl.easy_setopt(easy, option, function);
}

int32_t lc_set_seek_function(lc_easy *easy, lc_seek_function function) {
    return curl.easy_setopt(easy, 20167, function);
}

int32_t lc_pause(lc_easy *easy, int32_t what) { return curl.easy_pause(easy, what); }

/// libcurl's argument of the callback that opens sockets.
struct address { int family, kind, protocol; unsigned int length; };

static _Atomic(lc_socket_function) opened;

/// Child processes must not inherit the socket: they would keep its connection open.
static int open_socket(void *user, int purpose, struct address *address) {
    (void)purpose;
#ifdef SOCK_CLOEXEC
    int fd = socket(address->family, address->kind | SOCK_CLOEXEC, address->protocol);
#else
    int fd = socket(address->family, address->kind, address->protocol);
    if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    if (fd < 0) {
        opened(user, -errno);
        return fd;
    }
    opened(user, fd);
    return fd;
}

int32_t lc_set_socket_function(lc_easy *easy, lc_socket_function function, const void *user) {
    opened = function;
    int result = curl.easy_setopt(easy, 20163, open_socket);
    return result ? result : curl.easy_setopt(easy, 10164, user);
}

int32_t lc_set_debug_function(lc_easy *easy, lc_debug_function function) {
    return curl.easy_setopt(easy, 20094, function);
}

int32_t lc_set_send_function(lc_easy *easy, lc_send_function function) {
    return curl.easy_setopt(easy, 20312, function);
}

int32_t lc_set_close_function(lc_easy *easy, lc_close_function function) {
    return curl.easy_setopt(easy, 20208, function);
}

int lc_waiting_bytes(int socket) {
    char byte;
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) return 1;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

int lc_local_port(int socket) {
    union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; struct sockaddr_storage room; } address;
    socklen_t length = sizeof address;
    if (getsockname(socket, &address.any, &length) != 0) return 0;
    if (address.any.sa_family == AF_INET) return ntohs(address.v4.sin_port);
    return address.any.sa_family == AF_INET6 ? ntohs(address.v6.sin6_port) : 0;
}

void lc_read_metrics(lc_easy *easy, lc_metrics *metrics) {
    curl.easy_getinfo(easy, INFO_OFFSET + 51, &metrics->name_lookup);
    curl.easy_getinfo(easy, INFO_OFFSET + 52, &metrics->connect);
    curl.easy_getinfo(easy, INFO_OFFSET + 56, &metrics->tls);
    curl.easy_getinfo(easy, INFO_OFFSET + 54, &metrics->first_byte);
    curl.easy_getinfo(easy, INFO_OFFSET + 50, &metrics->total);
    curl.easy_getinfo(easy, INFO_OFFSET + 7, &metrics->sent_body);
    curl.easy_getinfo(easy, INFO_OFFSET + 8, &metrics->received_body);
    curl.easy_getinfo(easy, INFO_LONG + 12, &metrics->sent_head);
    curl.easy_getinfo(easy, INFO_LONG + 11, &metrics->received_head);
    curl.easy_getinfo(easy, INFO_LONG + 46, &metrics->http_version);
    curl.easy_getinfo(easy, INFO_LONG + 26, &metrics->new_connections);
    curl.easy_getinfo(easy, INFO_LONG + 13, &metrics->verify_result);
    curl.easy_getinfo(easy, INFO_LONG + 22, &metrics->connect_status);
    curl.easy_getinfo(easy, INFO_LONG + 25, &metrics->system_error);
    curl.easy_getinfo(easy, INFO_STRING + 32, &metrics->address);
}

const char *lc_peer(lc_easy *easy, long *port) {
    const char *address = NULL;
    *port = 0;
    curl.easy_getinfo(easy, INFO_STRING + 32, &address);
    curl.easy_getinfo(easy, INFO_LONG + 40, port);
    return address && *address ? address : NULL;
}

// libcurl's `curl_certinfo`: for each certificate a list of fields, of which `Cert:` has the PEM text.
typedef struct {
    int count;
    lc_list **fields;
} certificates;

const char *lc_certificate(lc_easy *easy, int number) {
    certificates *all = NULL;
    if (curl.easy_getinfo(easy, INFO_LIST + 34, &all) != 0 || !all || number >= all->count) return NULL;
    for (lc_list *field = all->fields[number]; field; field = field->next)
        if (field->data && strncmp(field->data, "Cert:", 5) == 0) return field->data + 5;
    return NULL;
}

void *lc_private(lc_easy *easy) {
    void *user = NULL;
    curl.easy_getinfo(easy, INFO_STRING + 21, &user);
    return user;
}

long lc_new_connections(lc_easy *easy) {
    long count = 0;
    curl.easy_getinfo(easy, INFO_LONG + 26, &count);
    return count;
}

/// NULL also for a multi handle that cannot be woken, which libcurl makes if descriptors run out.
lc_multi *lc_multi_new(void) {
    lc_multi *multi = curl.multi_init();
    if (multi && curl.multi_wakeup && curl.multi_wakeup(multi) != 0) {
        curl.multi_cleanup(multi);
        return NULL;
    }
    return multi;
}

void lc_multi_free(lc_multi *multi) { curl.multi_cleanup(multi); }

int32_t lc_multi_set_long(lc_multi *multi, int32_t option, long value) { return curl.multi_setopt(multi, option, value); }
int32_t lc_multi_add(lc_multi *multi, lc_easy *easy) { return curl.multi_add_handle(multi, easy); }
int32_t lc_multi_remove(lc_multi *multi, lc_easy *easy) { return curl.multi_remove_handle(multi, easy); }

void lc_multi_perform(lc_multi *multi) {
    int running;
    curl.multi_perform(multi, &running);
}

/// libcurl 7.66 and 7.67 cannot be woken, so the wait ends after 5 ms, and the loop checks its inbox.
int32_t lc_multi_wait(lc_multi *multi, int32_t milliseconds) {
    if (!curl.multi_wakeup && milliseconds > 5) milliseconds = 5;
    int ready = 0;
    curl.multi_poll(multi, NULL, 0, milliseconds, &ready);
    return ready;
}

void lc_multi_wake(lc_multi *multi) {
    if (curl.multi_wakeup) curl.multi_wakeup(multi);
}

lc_easy *lc_multi_next_done(lc_multi *multi, int32_t *result) {
    int left;
    struct message *message;
    while ((message = curl.multi_info_read(multi, &left))) {
        if (message->kind != MESSAGE_DONE) continue;
        *result = message->data.result;
        return message->easy;
    }
    return NULL;
}
