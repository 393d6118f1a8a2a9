// The part of libcurl's stable C API that AsyncNet uses, found at run time.
//
// libcurl is loaded by name, once. Neither its development package nor a link flag is needed, and the program runs on a
// machine without libcurl. The numbers are libcurl's ABI and do not change. Swift cannot call its variadic functions, so C
// does; Swift has a function for each type of argument.

#ifndef CASYNCNETLIBCURL_H
#define CASYNCNETLIBCURL_H

#include <stddef.h>
#include <stdint.h>

typedef struct lc_easy lc_easy;
typedef struct lc_multi lc_multi;

/// libcurl's `curl_slist`. A list that is set as an option must exist until the transfer ends.
typedef struct lc_list {
    char *_Nullable data;
    struct lc_list *_Nullable next;
} lc_list;

/// What libcurl measured of one transfer. Times are in microseconds since its start.
typedef struct {
    int64_t name_lookup, connect, tls, first_byte, total;
    int64_t sent_body, received_body;
    long sent_head, received_head, http_version, new_connections, verify_result, connect_status;
    /// The `errno` of the last failed attempt to connect; 0 without one.
    long system_error;
    const char *_Nullable address;
} lc_metrics;

typedef size_t (*lc_data_function)(char *_Nonnull data, size_t size, size_t count, void *_Nonnull user);
typedef int (*lc_seek_function)(void *_Nonnull user, int64_t offset, int origin);
typedef int (*lc_close_function)(void *_Nonnull user, int socket);
typedef void (*lc_socket_function)(void *_Nonnull user, int socket);
/// Called, if `LC_VERBOSE` is set, with libcurl's messages (kind 0) and with the bytes of the transfer (other kinds).
typedef int (*lc_debug_function)(
    lc_easy *_Nonnull easy, int kind, const char *_Nonnull text, size_t count, void *_Nonnull user);
/// Called right before a request is sent on a connection, with the addresses and ports of both sides. 0 sends it, 1 ends
/// the transfer.
typedef int (*lc_send_function)(
    void *_Nonnull user, char *_Nullable peer, char *_Nullable local, int peer_port, int local_port);

/// Loads libcurl at the first call, which two threads must not make at the same time. Returns NULL, or the reason of a
/// failure. The environment variable ASYNCNET_LIBCURL is the file's absolute path; without it libcurl is found by name.
const char *_Nullable lc_load(void);

/// Such as "7.88.1". NULL before a successful load, as in the functions below.
const char *_Nullable lc_version(void);
/// 0xXXYYZZ.
uint32_t lc_version_number(void);
const char *_Nullable lc_tls_library(void);
/// CURL_VERSION_… bits.
int32_t lc_features(void);
const char *_Nonnull lc_error_text(int32_t code);

/// The file of the system's trusted certificates if this libcurl does not search it itself; otherwise NULL.
const char *_Nullable lc_ca_file(void);
/// Whether this libcurl trusts the certificates of a file and of a folder, with no more in the folder than in the file.
int lc_is_ca_folder_needless(void);

lc_easy *_Nullable lc_easy_new(void);
/// A handle with the same options.
lc_easy *_Nullable lc_easy_copy(lc_easy *_Nonnull easy);
void lc_easy_free(lc_easy *_Nonnull easy);
int32_t lc_set_long(lc_easy *_Nonnull easy, int32_t option, long value);
int32_t lc_set_offset(lc_easy *_Nonnull easy, int32_t option, int64_t value);
int32_t lc_set_string(lc_easy *_Nonnull easy, int32_t option, const char *_Nullable value);
int32_t lc_set_pointer(lc_easy *_Nonnull easy, int32_t option, const void *_Nullable value);
int32_t lc_set_list(lc_easy *_Nonnull easy, int32_t option, lc_list *_Nullable value);
/// The bytes are not copied: they must exist as long as the handle and its copies.
int32_t lc_set_blob(lc_easy *_Nonnull easy, int32_t option, const void *_Nonnull bytes, size_t count);
int32_t lc_set_data_function(lc_easy *_Nonnull easy, int32_t option, lc_data_function _Nonnull function);
int32_t lc_set_seek_function(lc_easy *_Nonnull easy, lc_seek_function _Nonnull function);
/// Sets the function that is called with each socket that libcurl opens, the same for all handles of the process, or with a
/// negative `errno` in place of one that the system refuses. Child processes do not inherit the sockets.
int32_t lc_set_socket_function(lc_easy *_Nonnull easy, lc_socket_function _Nonnull function, const void *_Nonnull user);
int32_t lc_set_debug_function(lc_easy *_Nonnull easy, lc_debug_function _Nonnull function);
/// Returns an error before libcurl 7.80.
int32_t lc_set_send_function(lc_easy *_Nonnull easy, lc_send_function _Nonnull function);
int32_t lc_set_close_function(lc_easy *_Nonnull easy, lc_close_function _Nonnull function);
int32_t lc_pause(lc_easy *_Nonnull easy, int32_t what);
/// How many connections libcurl made for the current or the last transfer.
long lc_new_connections(lc_easy *_Nonnull easy);
void lc_read_metrics(lc_easy *_Nonnull easy, lc_metrics *_Nonnull metrics);
/// The address and port of the server or the proxy; NULL and 0 if they are not known.
const char *_Nullable lc_peer(lc_easy *_Nonnull easy, long *_Nonnull port);
/// The certificate with this number that the server showed in the transfer's handshake, in PEM; NULL if there is none,
/// or without `LC_CERTINFO`.
const char *_Nullable lc_certificate(lc_easy *_Nonnull easy, int number);
/// 1 if a socket has unread bytes, 0 if it has none, -1 if the peer has closed the connection and there are no unread bytes.
int lc_waiting_bytes(int socket);
/// The local port; 0 for a socket that is not IP.
int lc_local_port(int socket);
/// The value of CURLOPT_PRIVATE.
void *_Nullable lc_private(lc_easy *_Nonnull easy);

lc_multi *_Nullable lc_multi_new(void);
void lc_multi_free(lc_multi *_Nonnull multi);
int32_t lc_multi_set_long(lc_multi *_Nonnull multi, int32_t option, long value);
int32_t lc_multi_add(lc_multi *_Nonnull multi, lc_easy *_Nonnull easy);
int32_t lc_multi_remove(lc_multi *_Nonnull multi, lc_easy *_Nonnull easy);
/// Lets libcurl handle the sockets that are ready, after a wait those that it found, and the times that have passed.
void lc_multi_perform(lc_multi *_Nonnull multi);
/// Waits for activity of a socket, a timer, a wake-up or the timeout. Returns how many sockets are ready; on Linux a
/// wake-up counts too.
int32_t lc_multi_wait(lc_multi *_Nonnull multi, int32_t milliseconds);
/// Ends a wait. May be called from any thread while the multi handle exists.
void lc_multi_wake(lc_multi *_Nonnull multi);
/// The next transfer that has ended, with its result; NULL if there is none.
lc_easy *_Nullable lc_multi_next_done(lc_multi *_Nonnull multi, int32_t *_Nonnull result);

/// Must be called at the end of each thread that used libcurl: frees the TLS library's memory for the thread.
void lc_thread_ends(void);

/// Options of one transfer.
enum {
    LC_SSLVERSION = 32, LC_VERBOSE = 41, LC_NOBODY = 44, LC_UPLOAD = 46, LC_POST = 47, LC_HTTPPROXYTUNNEL = 61, LC_SSL_VERIFYPEER = 64, LC_FRESH_CONNECT = 74, LC_FORBID_REUSE = 75,
    LC_SSL_VERIFYHOST = 81, LC_HTTP_VERSION = 84, LC_BUFFERSIZE = 98, LC_NOSIGNAL = 99, LC_IPRESOLVE = 113,
    LC_CONNECTTIMEOUT_MS = 156, LC_PROTOCOLS = 181, LC_EXPECT_100_TIMEOUT_MS = 227, LC_PATH_AS_IS = 234, LC_PIPEWAIT = 237,
    LC_TCP_KEEPALIVE = 213, LC_TCP_KEEPIDLE = 214, LC_TCP_KEEPINTVL = 215, LC_SSL_VERIFYSTATUS = 232,
    LC_SUPPRESS_CONNECT_HEADERS = 265, LC_MAXAGE_CONN = 288, LC_CERTINFO = 172, LC_CA_CACHE_TIMEOUT = 321, LC_QUICK_EXIT = 322,
    LC_WRITEDATA = 10001, LC_URL = 10002, LC_PROXY = 10004, LC_READDATA = 10009, LC_ERRORBUFFER = 10010,
    LC_HTTPHEADER = 10023, LC_SSLCERT = 10025, LC_KEYPASSWD = 10026, LC_HEADERDATA = 10029, LC_DEBUGDATA = 10095, LC_CUSTOMREQUEST = 10036,
    LC_INTERFACE = 10062, LC_CAINFO = 10065, LC_SSLKEY = 10087, LC_CAPATH = 10097, LC_PRIVATE = 10103,
    LC_COPYPOSTFIELDS = 10165, LC_SEEKDATA = 10168, LC_SENDDATA = 10313, LC_CLOSESOCKETDATA = 10209, LC_PROXYUSERNAME = 10175, LC_PROXYPASSWORD = 10176, LC_NOPROXY = 10177,
    LC_RESOLVE = 10203, LC_PINNEDPUBLICKEY = 10230, LC_UNIX_SOCKET_PATH = 10231, LC_CONNECT_TO = 10243, LC_PROXY_CAINFO = 10246, LC_PROXY_CAPATH = 10247,
    LC_WRITEFUNCTION = 20011, LC_READFUNCTION = 20012, LC_HEADERFUNCTION = 20079,
    LC_INFILESIZE_LARGE = 30115, LC_POSTFIELDSIZE_LARGE = 30120, LC_MAX_SEND_SPEED_LARGE = 30145, LC_MAX_RECV_SPEED_LARGE = 30146,
    LC_SSLCERT_BLOB = 40291, LC_SSLKEY_BLOB = 40292, LC_CAINFO_BLOB = 40309,
};

/// Options of a multi handle.
enum { LC_M_MAXCONNECTS = 6, LC_M_MAX_HOST_CONNECTIONS = 7, LC_M_MAX_TOTAL_CONNECTIONS = 13 };

/// Values.
enum {
    LC_PROTOCOL_HTTP = 1, LC_PROTOCOL_HTTPS = 2,
    LC_HTTP_1_1 = 2, LC_HTTP_2_TLS = 4, LC_HTTP_2_PRIOR_KNOWLEDGE = 5, LC_HTTP_3 = 30, LC_HTTP_3_ONLY = 31,
    LC_TLS_1_0 = 4, LC_TLS_1_1 = 5, LC_TLS_1_2 = 6, LC_TLS_1_3 = 7,
    LC_PAUSE_NOTHING = 0,
    LC_CALLBACK_PAUSE = 0x10000001, LC_READ_ABORT = 0x10000000,
    LC_INFO_HEADER_OUT = 2,
    LC_SEEK_OK = 0, LC_SEEK_FAIL = 1,
    LC_ERROR_BUFFER_SIZE = 256,
    LC_FEATURE_HTTP2 = 1 << 16, LC_FEATURE_HTTP3 = 1 << 25,
};

#endif
