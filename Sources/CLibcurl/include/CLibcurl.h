// The part of libcurl's stable C API that AsyncNet uses, found at run time.
//
// libcurl is loaded by name, once, so neither its development package nor a link flag is needed, and a machine without
// it still runs the program. The numbers are libcurl's ABI, unchanged since each option came. Its variadic functions
// are called here, in C, where their calling convention is right; Swift sees one function for each kind of argument.

#ifndef CLIBCURL_H
#define CLIBCURL_H

#include <stddef.h>
#include <stdint.h>

typedef struct lc_easy lc_easy;
typedef struct lc_multi lc_multi;

/// libcurl's `curl_slist`: whoever sets one as an option keeps it alive for the transfer.
typedef struct lc_list {
    char *_Nullable data;
    struct lc_list *_Nullable next;
} lc_list;

/// What libcurl measured of one transfer; times in microseconds since its start.
typedef struct {
    int64_t name_lookup, connect, tls, first_byte, total;
    int64_t sent_body, received_body;
    long sent_head, received_head, http_version, new_connections, verify_result, connect_status;
    const char *_Nullable address;
} lc_metrics;

typedef size_t (*lc_data_function)(char *_Nonnull data, size_t size, size_t count, void *_Nonnull user);
typedef int (*lc_seek_function)(void *_Nonnull user, int64_t offset, int origin);
typedef int (*lc_close_function)(void *_Nonnull user, int socket);
typedef void (*lc_socket_function)(void *_Nonnull user, int socket);
/// Called with what libcurl says of its work, kind 0, and with the bytes that it moves, other kinds, where `LC_VERBOSE` is set.
typedef int (*lc_debug_function)(
    lc_easy *_Nonnull easy, int kind, const char *_Nonnull text, size_t count, void *_Nonnull user);
/// Asked right before a request is sent on a connection, with addresses and ports of both sides; 0 lets it go, 1 ends the transfer.
typedef int (*lc_send_function)(
    void *_Nonnull user, char *_Nullable peer, char *_Nullable local, int peer_port, int local_port);

/// An address and port of this side's, as text.
enum { LC_LOCAL_NAME_SIZE = 80 };

/// Loads libcurl, the first time; not to be called by two threads at once the first time. NULL: it is there; otherwise
/// why it is not. The environment's ASYNCNET_LIBCURL names the file, an absolute path; without it the system's is found by name.
const char *_Nullable lc_load(void);

/// Such as "7.88.1". NULL before a successful load, like everything below.
const char *_Nullable lc_version(void);
/// 0xXXYYZZ.
uint32_t lc_version_number(void);
const char *_Nullable lc_tls_library(void);
/// CURL_VERSION_… bits.
int32_t lc_features(void);
const char *_Nonnull lc_error_text(int32_t code);

/// Where the system's trusted certificates are, if this libcurl does not look there by itself; otherwise NULL.
const char *_Nullable lc_ca_file(void);

lc_easy *_Nullable lc_easy_new(void);
/// With the same options.
lc_easy *_Nullable lc_easy_copy(lc_easy *_Nonnull easy);
void lc_easy_free(lc_easy *_Nonnull easy);
int32_t lc_set_long(lc_easy *_Nonnull easy, int32_t option, long value);
int32_t lc_set_offset(lc_easy *_Nonnull easy, int32_t option, int64_t value);
int32_t lc_set_string(lc_easy *_Nonnull easy, int32_t option, const char *_Nullable value);
int32_t lc_set_pointer(lc_easy *_Nonnull easy, int32_t option, const void *_Nullable value);
int32_t lc_set_list(lc_easy *_Nonnull easy, int32_t option, lc_list *_Nullable value);
/// The bytes are not copied: they must live as long as the handle and its copies.
int32_t lc_set_blob(lc_easy *_Nonnull easy, int32_t option, const void *_Nonnull bytes, size_t count);
int32_t lc_set_data_function(lc_easy *_Nonnull easy, int32_t option, lc_data_function _Nonnull function);
int32_t lc_set_seek_function(lc_easy *_Nonnull easy, lc_seek_function _Nonnull function);
/// Called with each socket that libcurl opens; the same function for all handles of the process. Children of this process do not inherit them.
int32_t lc_set_socket_function(lc_easy *_Nonnull easy, lc_socket_function _Nonnull function, const void *_Nonnull user);
int32_t lc_set_debug_function(lc_easy *_Nonnull easy, lc_debug_function _Nonnull function);
/// Since 7.80; an error before.
int32_t lc_set_send_function(lc_easy *_Nonnull easy, lc_send_function _Nonnull function);
int32_t lc_set_close_function(lc_easy *_Nonnull easy, lc_close_function _Nonnull function);
int32_t lc_pause(lc_easy *_Nonnull easy, int32_t what);
/// How many connections were made for the transfer under way, or the last one.
long lc_new_connections(lc_easy *_Nonnull easy);
void lc_read_metrics(lc_easy *_Nonnull easy, lc_metrics *_Nonnull metrics);
/// From which address and port the last transfer was made, empty if from none.
void lc_local_name(lc_easy *_Nonnull easy, char *_Nonnull name);
/// Whether a socket has this name on this side, see `lc_local_name`.
int lc_has_name(int socket, const char *_Nonnull name);
/// 1 if bytes wait to be read from a socket, 0 if none do, -1 if the other side has closed the connection and nothing is left to read.
int lc_waiting_bytes(int socket);
/// The port of this side; 0 for a socket that is none of IP's.
int lc_local_port(int socket);
/// Whether an HTTP response waits to be read from a socket.
int lc_has_answer(int socket);
/// Takes what waits to be read from a socket, without waiting for more, and says in `name` which it is. Returns how many bytes there are.
size_t lc_drain(int socket, char *_Nonnull name, void *_Nonnull buffer, size_t size);
void lc_close(int socket);
/// What CURLOPT_PRIVATE was set to.
void *_Nullable lc_private(lc_easy *_Nonnull easy);

lc_multi *_Nullable lc_multi_new(void);
void lc_multi_free(lc_multi *_Nonnull multi);
int32_t lc_multi_set_long(lc_multi *_Nonnull multi, int32_t option, long value);
int32_t lc_multi_add(lc_multi *_Nonnull multi, lc_easy *_Nonnull easy);
int32_t lc_multi_remove(lc_multi *_Nonnull multi, lc_easy *_Nonnull easy);
int32_t lc_multi_perform(lc_multi *_Nonnull multi);
/// Waits for activity, a wake-up or the timeout, whichever is first.
int32_t lc_multi_wait(lc_multi *_Nonnull multi, int32_t milliseconds);
/// From any thread, while the multi handle lives.
void lc_multi_wake(lc_multi *_Nonnull multi);
/// The next transfer that has ended, and how; NULL if there is none.
lc_easy *_Nullable lc_multi_next_done(lc_multi *_Nonnull multi, int32_t *_Nonnull result);

/// To be called by a thread that used libcurl and is about to end: frees what the TLS library keeps for it.
void lc_thread_ends(void);

/// Options of one transfer.
enum {
    LC_SSLVERSION = 32, LC_VERBOSE = 41, LC_NOBODY = 44, LC_UPLOAD = 46, LC_POST = 47, LC_HTTPPROXYTUNNEL = 61, LC_SSL_VERIFYPEER = 64, LC_FRESH_CONNECT = 74, LC_FORBID_REUSE = 75,
    LC_HTTPGET = 80, LC_SSL_VERIFYHOST = 81, LC_HTTP_VERSION = 84, LC_BUFFERSIZE = 98, LC_NOSIGNAL = 99, LC_IPRESOLVE = 113,
    LC_CONNECTTIMEOUT_MS = 156, LC_PROTOCOLS = 181, LC_EXPECT_100_TIMEOUT_MS = 227, LC_PATH_AS_IS = 234, LC_PIPEWAIT = 237,
    LC_SUPPRESS_CONNECT_HEADERS = 265, LC_UPLOAD_BUFFERSIZE = 280, LC_MAXAGE_CONN = 288, LC_QUICK_EXIT = 322,
    LC_WRITEDATA = 10001, LC_URL = 10002, LC_PROXY = 10004, LC_READDATA = 10009, LC_ERRORBUFFER = 10010, LC_POSTFIELDS = 10015,
    LC_HTTPHEADER = 10023, LC_SSLCERT = 10025, LC_KEYPASSWD = 10026, LC_HEADERDATA = 10029, LC_DEBUGDATA = 10095, LC_CUSTOMREQUEST = 10036,
    LC_INTERFACE = 10062, LC_CAINFO = 10065, LC_SSLKEY = 10087, LC_CAPATH = 10097, LC_ACCEPT_ENCODING = 10102, LC_PRIVATE = 10103,
    LC_COPYPOSTFIELDS = 10165, LC_SEEKDATA = 10168, LC_SENDDATA = 10313, LC_CLOSESOCKETDATA = 10209, LC_PROXYUSERNAME = 10175, LC_PROXYPASSWORD = 10176, LC_NOPROXY = 10177,
    LC_RESOLVE = 10203, LC_PINNEDPUBLICKEY = 10230, LC_UNIX_SOCKET_PATH = 10231, LC_PROXY_CAINFO = 10246,
    LC_WRITEFUNCTION = 20011, LC_READFUNCTION = 20012, LC_HEADERFUNCTION = 20079,
    LC_INFILESIZE_LARGE = 30115, LC_POSTFIELDSIZE_LARGE = 30120,
    LC_SSLCERT_BLOB = 40291, LC_SSLKEY_BLOB = 40292, LC_CAINFO_BLOB = 40309,
};

/// Options of a multi handle.
enum { LC_M_MAXCONNECTS = 6, LC_M_MAX_HOST_CONNECTIONS = 7, LC_M_MAX_TOTAL_CONNECTIONS = 13 };

/// Values.
enum {
    LC_PROTOCOL_HTTP = 1, LC_PROTOCOL_HTTPS = 2,
    LC_HTTP_1_1 = 2, LC_HTTP_2_TLS = 4, LC_HTTP_2_PRIOR_KNOWLEDGE = 5,
    LC_TLS_1_0 = 4, LC_TLS_1_1 = 5, LC_TLS_1_2 = 6, LC_TLS_1_3 = 7,
    LC_PAUSE_RECEIVING = 1, LC_PAUSE_SENDING = 4, LC_PAUSE_NOTHING = 0,
    LC_CALLBACK_PAUSE = 0x10000001, LC_READ_ABORT = 0x10000000,
    LC_SEEK_OK = 0, LC_SEEK_FAIL = 1,
    LC_ERROR_BUFFER_SIZE = 256,
    LC_FEATURE_HTTP2 = 1 << 16, LC_FEATURE_UNIX_SOCKETS = 1 << 19,
};

#endif
