#define _GNU_SOURCE  // RTLD_DEFAULT
#include "CAsyncNetTLS.h"

#include <CAsyncNetPlatform.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// OpenSSL's ABI: these numbers are the same from 1.1.1 to 3.
#define ERROR_SSL 1
#define ERROR_WANT_READ 2
#define ERROR_WANT_WRITE 3
#define ERROR_SYSCALL 5
#define ERROR_ZERO_RETURN 6
#define REASON_UNEXPECTED_EOF 294
#define REASON_NO_START_LINE 108
// Only glibc has it.
#ifdef RTLD_DEEPBIND
#define DEEP_BIND RTLD_DEEPBIND
#else
#define DEEP_BIND 0
#endif

#define LIBRARY_SSL 20
#define LIBRARY_PEM 9
#define CTRL_EXTRA_CHAIN_CERT 14
#define CTRL_MODE 33
#define CTRL_SESSION_CACHE_MODE 44
#define CTRL_SET_HOST_NAME 55
#define CTRL_SET_STATUS_TYPE 65
#define CTRL_STATUS_RESPONSE 70
#define CTRL_SET_GROUPS 92
#define CTRL_SET_MINIMUM_VERSION 123
#define CTRL_SET_MAXIMUM_VERSION 124
#define CTRL_NEGOTIATED_GROUP 134
#define STATUS_TYPE_OCSP 1
#define OCSP_SUCCESSFUL 0
#define OCSP_GOOD 0
#define OCSP_REVOKED 1
#define VERSION_1_3 0x0304
#define MODE_PARTIAL_WRITE 1
#define MODE_MOVING_WRITE_BUFFER 2
#define OPTION_NO_COMPRESSION (1UL << 17)
#define OPTION_NO_RENEGOTIATION (1UL << 30)
#define CACHE_CLIENT_OUTSIDE (1 | 0x80 | 0x300)
#define INIT_NO_ATEXIT 0x00080000
#define INIT_SSL_STRINGS 0x00200000
#define INIT_CRYPTO_STRINGS 0x2
#define VERIFY_PEER 1
#define FLAG_CHECK_LISTS (4 | 8)
#define FLAG_PARTIAL_CHAIN 0x80000
#define VERIFY_NO_LIST 3
#define HOST_NO_PARTIAL_WILDCARDS 4
#define HOST_NEVER_SUBJECT 0x20
#define BIO_CTRL_EOF 2
#define BIO_CTRL_PENDING 10
#define BIO_CTRL_FLUSH 11
#define BIO_FLAGS_READ_RETRY 9
#define BIO_FLAGS_RETRY 15
#define BIO_TYPE_SOURCE 0x400
#define SHUTDOWN_BOTH 3
#define CLASS_SSL 0

typedef void bio;

static struct {
    int (*init)(uint64_t, const void *);
    const char *(*version)(int);
    void (*clear_errors)(void);
    unsigned long (*last_error)(void);
    void (*error_text)(unsigned long, char *, size_t);
    const char *(*reason_text)(unsigned long);
    const char *(*verify_text)(long);
    const char *(*default_file)(void);
    bio *(*bio_from)(const void *, int);
    void *(*bio_meth)(int, const char *);
    int (*bio_index)(void);
    int (*bio_set_read)(void *, int (*)(bio *, char *, int));
    int (*bio_set_write)(void *, int (*)(bio *, const char *, int));
    int (*bio_set_ctrl)(void *, long (*)(bio *, int, long, void *));
    bio *(*bio_new)(const void *);
    int (*bio_free)(bio *);
    void (*bio_set_data)(bio *, void *);
    void *(*bio_data)(bio *);
    void (*bio_set_init)(bio *, int);
    void (*bio_set_flags)(bio *, int);
    void (*bio_clear_flags)(bio *, int);
    void *(*pem_x509)(bio *, void *, void *, void *);
    void *(*pem_x509_aux)(bio *, void *, void *, void *);
    void *(*pem_key)(bio *, void *, int (*)(char *, int, int, void *), void *);
    void (*key_free)(void *);
    void (*x509_free)(void *);
    int (*x509_encode)(void *, unsigned char **);
    int (*store_add)(void *, void *);
    void *(*pem_list)(bio *, void *, void *, void *);
    int (*store_add_list)(void *, void *);
    void (*list_free)(void *);
    void *(*pkcs12_decode)(void *, const unsigned char **, long);
    int (*pkcs12_parse)(void *, const char *, void **, void **, void **);
    void (*pkcs12_free)(void *);
    const void *(*not_after)(const void *);
    int (*time_parts)(const void *, struct tm *);
    int (*verify)(void *);
    void *(*verify_data)(void *, int);
    void *(*verify_untrusted)(void *);
    int (*untrusted_count)(void *);
    int (*verify_error)(void *);
    int (*verify_depth)(void *);
    void (*set_verify_error)(void *, int);
    int (*stack_count)(const void *);
    void *(*stack_at)(const void *, int);
    void *(*stack_shift)(void *);
    void (*stack_free)(void *);
    int (*param_flags)(void *, unsigned long);
    int (*param_address)(void *, const char *);
    void (*free_memory)(void *, const char *, int);
    int (*new_index)(int, long, void *, void *, void *, void *);
    unsigned long (*version_number)(void);
    const void *(*sha1)(void);
    int (*is_issuer)(void *, void *);
    void *(*status_decode)(void *, const unsigned char **, long);
    int (*status_outcome)(void *);
    void *(*status_basic)(void *);
    int (*status_verify)(void *, const void *, void *, unsigned long);
    void *(*status_id)(const void *, const void *, const void *);
    int (*status_find)(void *, void *, int *, int *, void **, void **, void **);
    int (*status_is_current)(void *, void *, long, long);
    void (*status_free)(void *), (*status_basic_free)(void *), (*status_id_free)(void *);
} crypto;

static struct {
    int (*init)(uint64_t, const void *);
    const void *(*client)(void);
    void *(*context_new)(const void *);
    void (*context_free)(void *);
    long (*context_ctrl)(void *, int, long, void *);
    uint64_t (*context_options)(void *, uint64_t);
    void (*context_verify)(void *, int, int (*)(int, void *));
    void (*context_verifier)(void *, int (*)(void *, void *), void *);
    int (*default_paths)(void *);
    int (*load_authorities)(void *, const char *, const char *);
    void *(*store)(const void *);
    int (*use_certificate)(void *, void *);
    int (*use_key)(void *, void *);
    int (*check_key)(const void *);
    void *(*context_param)(void *);
    void (*on_ticket)(void *, int (*)(void *, void *));
    void *(*create)(void *);
    void (*destroy)(void *);
    long (*ctrl)(void *, int, long, void *);
    void (*set_bio)(void *, bio *, bio *);
    void (*connect)(void *);
    int (*handshake)(void *);
    int (*read)(void *, void *, int);
    int (*write)(void *, const void *, int);
    int (*pending)(const void *);
    int (*error)(const void *, int);
    int (*shutdown)(void *);
    void (*set_shutdown)(void *, int);
    int (*free_buffers)(void *);
    void *(*param)(void *);
    void (*host_flags)(void *, unsigned);
    int (*set_host)(void *, const char *);
    void (*allow_late_identity)(void *, int);
    int (*set_protocols)(void *, const unsigned char *, unsigned);
    void (*protocol)(const void *, const unsigned char **, unsigned *);
    const char *(*version)(const void *);
    const void *(*cipher)(const void *);
    const char *(*cipher_name)(const void *);
    const void *(*suites)(const void *);
    int (*set_suites)(void *, const char *), (*set_suites_13)(void *, const char *);
    int (*is_resumed)(const void *);
    int (*use_ticket)(void *, void *);
    void (*ticket_free)(void *);
    int (*ticket_version)(const void *);
    long (*verify_result)(const void *);
    void *(*chain)(const void *);
    int (*set_data)(void *, int, void *);
    void *(*data)(const void *, int);
    int (*verify_index)(void);
    void (*key_log)(void *, void (*)(const void *, const char *));
    void *(*verified_chain)(const void *);
} tls;

static char problem[512];
static int is_loaded, data_index;
static void *method;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *wanted;

struct at_context {
    void *raw;
    int verifies, requires_status, has_identity;
    /// Where the keys of sessions are written; -1 for nowhere.
    int key_log;
};

struct at_session {
    void *raw;
    at_context *context;
    const uint8_t *input;
    size_t input_size;
    uint8_t *output;
    size_t output_start, output_end, output_capacity;
    /// The chain of a server that was not trusted, in DER, each with its size before it.
    uint8_t *refused;
    size_t refused_size;
    void *ticket;
    at_failure failure;
};

// MARK: Finding OpenSSL

static int find(void *library, const char *file, const cp_symbol *symbols, size_t count) {
    const char *missing = cp_find(library, symbols, count);
    if (missing) snprintf(problem, sizeof problem, "%s has no %s", file, missing);
    return !missing;
}

static int find_crypto(void *library, const char *file) {
    const cp_symbol symbols[] = {
        CP_SYMBOL(OPENSSL_init_crypto, crypto.init), CP_SYMBOL(OpenSSL_version, crypto.version),
        CP_SYMBOL(ERR_clear_error, crypto.clear_errors), CP_SYMBOL(ERR_peek_error, crypto.last_error),
        CP_SYMBOL(ERR_error_string_n, crypto.error_text), CP_SYMBOL(ERR_reason_error_string, crypto.reason_text),
        CP_SYMBOL(X509_verify_cert_error_string, crypto.verify_text),
        CP_SYMBOL(X509_get_default_cert_file, crypto.default_file), CP_SYMBOL(BIO_new_mem_buf, crypto.bio_from),
        CP_SYMBOL(BIO_meth_new, crypto.bio_meth), CP_SYMBOL(BIO_get_new_index, crypto.bio_index),
        CP_SYMBOL(BIO_meth_set_read, crypto.bio_set_read), CP_SYMBOL(BIO_meth_set_write, crypto.bio_set_write),
        CP_SYMBOL(BIO_meth_set_ctrl, crypto.bio_set_ctrl), CP_SYMBOL(BIO_new, crypto.bio_new), CP_SYMBOL(BIO_free, crypto.bio_free),
        CP_SYMBOL(BIO_set_data, crypto.bio_set_data), CP_SYMBOL(BIO_get_data, crypto.bio_data),
        CP_SYMBOL(BIO_set_init, crypto.bio_set_init), CP_SYMBOL(BIO_set_flags, crypto.bio_set_flags),
        CP_SYMBOL(BIO_clear_flags, crypto.bio_clear_flags), CP_SYMBOL(PEM_read_bio_X509, crypto.pem_x509),
        CP_SYMBOL(PEM_read_bio_X509_AUX, crypto.pem_x509_aux), CP_SYMBOL(PEM_read_bio_PrivateKey, crypto.pem_key),
        CP_SYMBOL(EVP_PKEY_free, crypto.key_free), CP_SYMBOL(X509_free, crypto.x509_free), CP_SYMBOL(i2d_X509, crypto.x509_encode),
        CP_SYMBOL(PEM_read_bio_X509_CRL, crypto.pem_list), CP_SYMBOL(X509_STORE_add_crl, crypto.store_add_list),
        CP_SYMBOL(X509_CRL_free, crypto.list_free), CP_SYMBOL(d2i_PKCS12, crypto.pkcs12_decode),
        CP_SYMBOL(PKCS12_parse, crypto.pkcs12_parse), CP_SYMBOL(PKCS12_free, crypto.pkcs12_free),
        CP_SYMBOL(X509_get0_notAfter, crypto.not_after), CP_SYMBOL(ASN1_TIME_to_tm, crypto.time_parts),
        CP_SYMBOL(X509_STORE_add_cert, crypto.store_add), CP_SYMBOL(X509_verify_cert, crypto.verify),
        CP_SYMBOL(X509_STORE_CTX_get_ex_data, crypto.verify_data),
        CP_SYMBOL(X509_STORE_CTX_get0_untrusted, crypto.verify_untrusted),
        CP_SYMBOL(X509_STORE_CTX_get_num_untrusted, crypto.untrusted_count),
        CP_SYMBOL(X509_STORE_CTX_get_error, crypto.verify_error),
        CP_SYMBOL(X509_STORE_CTX_get_error_depth, crypto.verify_depth),
        CP_SYMBOL(X509_STORE_CTX_set_error, crypto.set_verify_error), CP_SYMBOL(OPENSSL_sk_num, crypto.stack_count),
        CP_SYMBOL(OPENSSL_sk_value, crypto.stack_at), CP_SYMBOL(OPENSSL_sk_shift, crypto.stack_shift),
        CP_SYMBOL(OPENSSL_sk_free, crypto.stack_free), CP_SYMBOL(X509_VERIFY_PARAM_set_flags, crypto.param_flags),
        CP_SYMBOL(X509_VERIFY_PARAM_set1_ip_asc, crypto.param_address), CP_SYMBOL(CRYPTO_free, crypto.free_memory),
        CP_SYMBOL(CRYPTO_get_ex_new_index, crypto.new_index), CP_SYMBOL(OpenSSL_version_num, crypto.version_number),
        CP_SYMBOL(EVP_sha1, crypto.sha1), CP_SYMBOL(X509_check_issued, crypto.is_issuer),
        CP_SYMBOL(d2i_OCSP_RESPONSE, crypto.status_decode), CP_SYMBOL(OCSP_response_status, crypto.status_outcome),
        CP_SYMBOL(OCSP_response_get1_basic, crypto.status_basic), CP_SYMBOL(OCSP_basic_verify, crypto.status_verify),
        CP_SYMBOL(OCSP_cert_to_id, crypto.status_id), CP_SYMBOL(OCSP_resp_find_status, crypto.status_find),
        CP_SYMBOL(OCSP_check_validity, crypto.status_is_current), CP_SYMBOL(OCSP_RESPONSE_free, crypto.status_free),
        CP_SYMBOL(OCSP_BASICRESP_free, crypto.status_basic_free), CP_SYMBOL(OCSP_CERTID_free, crypto.status_id_free),
    };
    return find(library, file, symbols, sizeof symbols / sizeof *symbols);
}

static int find_tls(void *library, const char *file) {
    const cp_symbol symbols[] = {
        CP_SYMBOL(OPENSSL_init_ssl, tls.init), CP_SYMBOL(TLS_client_method, tls.client), CP_SYMBOL(SSL_CTX_new, tls.context_new),
        CP_SYMBOL(SSL_CTX_free, tls.context_free), CP_SYMBOL(SSL_CTX_ctrl, tls.context_ctrl),
        CP_SYMBOL(SSL_CTX_set_options, tls.context_options), CP_SYMBOL(SSL_CTX_set_verify, tls.context_verify),
        CP_SYMBOL(SSL_CTX_set_cert_verify_callback, tls.context_verifier),
        CP_SYMBOL(SSL_CTX_set_default_verify_paths, tls.default_paths),
        CP_SYMBOL(SSL_CTX_load_verify_locations, tls.load_authorities), CP_SYMBOL(SSL_CTX_get_cert_store, tls.store),
        CP_SYMBOL(SSL_CTX_use_certificate, tls.use_certificate), CP_SYMBOL(SSL_CTX_use_PrivateKey, tls.use_key),
        CP_SYMBOL(SSL_CTX_check_private_key, tls.check_key), CP_SYMBOL(SSL_CTX_get0_param, tls.context_param),
        CP_SYMBOL(SSL_CTX_sess_set_new_cb, tls.on_ticket), CP_SYMBOL(SSL_new, tls.create), CP_SYMBOL(SSL_free, tls.destroy),
        CP_SYMBOL(SSL_ctrl, tls.ctrl), CP_SYMBOL(SSL_set_bio, tls.set_bio), CP_SYMBOL(SSL_set_connect_state, tls.connect),
        CP_SYMBOL(SSL_do_handshake, tls.handshake), CP_SYMBOL(SSL_read, tls.read), CP_SYMBOL(SSL_write, tls.write), CP_SYMBOL(SSL_pending, tls.pending),
        CP_SYMBOL(SSL_get_error, tls.error), CP_SYMBOL(SSL_shutdown, tls.shutdown), CP_SYMBOL(SSL_set_shutdown, tls.set_shutdown),
        CP_SYMBOL(SSL_free_buffers, tls.free_buffers), CP_SYMBOL(SSL_get0_param, tls.param),
        CP_SYMBOL(SSL_set_hostflags, tls.host_flags), CP_SYMBOL(SSL_set1_host, tls.set_host),
        CP_SYMBOL(SSL_set_post_handshake_auth, tls.allow_late_identity),
        CP_SYMBOL(SSL_set_alpn_protos, tls.set_protocols), CP_SYMBOL(SSL_get0_alpn_selected, tls.protocol),
        CP_SYMBOL(SSL_get_version, tls.version), CP_SYMBOL(SSL_get_current_cipher, tls.cipher),
        CP_SYMBOL(SSL_CIPHER_get_name, tls.cipher_name), CP_SYMBOL(SSL_CTX_get_ciphers, tls.suites),
        CP_SYMBOL(SSL_CTX_set_cipher_list, tls.set_suites), CP_SYMBOL(SSL_CTX_set_ciphersuites, tls.set_suites_13),
        CP_SYMBOL(SSL_session_reused, tls.is_resumed),
        CP_SYMBOL(SSL_set_session, tls.use_ticket), CP_SYMBOL(SSL_SESSION_free, tls.ticket_free),
        CP_SYMBOL(SSL_SESSION_get_protocol_version, tls.ticket_version),
        CP_SYMBOL(SSL_get_verify_result, tls.verify_result), CP_SYMBOL(SSL_get_peer_cert_chain, tls.chain),
        CP_SYMBOL(SSL_set_ex_data, tls.set_data), CP_SYMBOL(SSL_get_ex_data, tls.data),
        CP_SYMBOL(SSL_get_ex_data_X509_STORE_CTX_idx, tls.verify_index),
        CP_SYMBOL(SSL_CTX_set_keylog_callback, tls.key_log), CP_SYMBOL(SSL_get0_verified_chain, tls.verified_chain),
    };
    return find(library, file, symbols, sizeof symbols / sizeof *symbols);
}

static int read_input(bio *bio, char *bytes, int size);
static int write_output(bio *bio, const char *bytes, int size);
static long control(bio *bio, int command, long number, void *pointer);

/// Symbols of libcrypto are found through libssl, which needs it: so both are of one OpenSSL.
static int start(void *library, const char *name) {
    if (!find_tls(library, name) || !find_crypto(library, name)) return 0;
    if (strncmp(crypto.version(0), "OpenSSL ", 8) != 0) {
        snprintf(problem, sizeof problem, "%s is not OpenSSL but %s", name, crypto.version(0));
        return 0;
    }
    // Without its own clean-up at exit, which other threads of the process may outlive.
    uint64_t options = INIT_SSL_STRINGS | INIT_CRYPTO_STRINGS | INIT_NO_ATEXIT;
    if (tls.init(options, NULL) != 1) {
        snprintf(problem, sizeof problem, "%s cannot be initialized", name);
        return 0;
    }
    method = crypto.bio_meth(crypto.bio_index() | BIO_TYPE_SOURCE, "AsyncNet");
    if (!method) return 0;
    crypto.bio_set_read(method, read_input);
    crypto.bio_set_write(method, write_output);
    crypto.bio_set_ctrl(method, control);
    data_index = crypto.new_index(CLASS_SSL, 0, NULL, NULL, NULL, NULL);
    return data_index >= 0;
}

/// - file: NULL for what the program was linked with.
static int use(const char *file, int flags) {
    void *library = cp_open(file, RTLD_NOW | RTLD_LOCAL | flags);
    return library && start(library, file ? file : "this program");
}

static void load(void) {
    if (CP_IS_LINKED) {
        is_loaded = start(NULL, "this program");
        return;
    }
    if (wanted) {
        // Its symbols before those that the process has of another OpenSSL of this major version, such as libcurl's.
        is_loaded = use(wanted, DEEP_BIND);
        if (!is_loaded && !*problem) snprintf(problem, sizeof problem, "%s", cp_open_error());
        return;
    }
    const char *names[] = {"libssl.so.3", "libssl.so.1.1", "libssl.3.dylib"};
    // An OpenSSL that the process has is preferred: two of them disturb each other at exit.
    for (int flags = RTLD_NOLOAD;; flags = 0) {
        for (size_t index = 0; index < sizeof names / sizeof *names && !is_loaded; index++) {
            is_loaded = use(names[index], flags);
        }
        if (is_loaded || flags == 0) break;
        // One with another file name, such as that of a libcurl from elsewhere: its symbols would be taken for those of a second.
        if (dlsym(RTLD_DEFAULT, "SSL_CTX_new")) is_loaded = use(NULL, 0);
        if (is_loaded) break;
    }
    if (!is_loaded && !*problem) {
        // Only a static program cannot open itself.
        const char *reason = cp_open(NULL, RTLD_NOW) ? "OpenSSL was not found as libssl.so.3 or libssl.so.1.1" : cp_open_error();
        snprintf(problem, sizeof problem, "%s", reason);
    }
}

int at_load(const char *name, char *text, size_t size) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!wanted && name) wanted = strdup(name);
    pthread_once(&once, load);
    pthread_mutex_unlock(&lock);
    if (!is_loaded) snprintf(text, size, "%s", problem);
    return is_loaded;
}

const char *at_version(void) { return crypto.version(0); }

// MARK: Bytes in and out

static int read_input(bio *bio, char *bytes, int size) {
    at_session *session = crypto.bio_data(bio);
    crypto.bio_clear_flags(bio, BIO_FLAGS_RETRY);
    if (session->input_size == 0) {
        crypto.bio_set_flags(bio, BIO_FLAGS_READ_RETRY);
        return -1;
    }
    size_t count = session->input_size < (size_t)size ? session->input_size : (size_t)size;
    memcpy(bytes, session->input, count);
    session->input += count;
    session->input_size -= count;
    return (int)count;
}

static int write_output(bio *bio, const char *bytes, int size) {
    at_session *session = crypto.bio_data(bio);
    crypto.bio_clear_flags(bio, BIO_FLAGS_RETRY);
    if (size <= 0) return 0;
    size_t needed = session->output_end + (size_t)size;
    if (needed > session->output_capacity) {
        size_t capacity = session->output_capacity ? session->output_capacity : 4096;
        while (capacity < needed) capacity *= 2;
        uint8_t *larger = realloc(session->output, capacity);
        if (!larger) return -1;
        session->output = larger;
        session->output_capacity = capacity;
    }
    memcpy(session->output + session->output_end, bytes, (size_t)size);
    session->output_end = needed;
    return size;
}

static long control(bio *bio, int command, long number, void *pointer) {
    at_session *session = crypto.bio_data(bio);
    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_PENDING: return session ? (long)session->input_size : 0;
    case BIO_CTRL_EOF: return 0;
    default: return 0;
    }
}

void at_give(at_session *session, const void *bytes, size_t size) {
    session->input = bytes;
    session->input_size = size;
}

const void *at_unread(const at_session *session, size_t *size) {
    *size = session->input_size;
    return session->input;
}

const void *at_outgoing(const at_session *session, size_t *size) {
    *size = session->output_end - session->output_start;
    return *size ? session->output + session->output_start : NULL;
}

void at_sent(at_session *session, size_t size) {
    session->output_start += size;
    if (session->output_start < session->output_end) return;
    session->output_start = session->output_end = 0;
    if (session->output_capacity <= 128 * 1024) return;
    free(session->output);
    session->output = NULL;
    session->output_capacity = 0;
}

// MARK: Contexts

static int give_password(char *buffer, int size, int writes, void *password) {
    (void)writes;
    if (!password) return -1;
    size_t length = strlen(password);
    if (length > (size_t)size) return -1;
    memcpy(buffer, password, length);
    return (int)length;
}

/// Whether the error is this one: the numbers of libraries and reasons are packed in another way since OpenSSL 3.
static int is_error(unsigned long error, int library, int reason) {
    int is_new = crypto.version_number() >> 28 >= 3;
    return (int)(error >> (is_new ? 23 : 24) & 0xFF) == library && (int)(error & 0xFFF) == reason;
}

/// The next object of a PEM; `is_whole` says after the last one whether nothing was damaged or cut.
static void *next_of(void *(*read)(bio *, void *, void *, void *), bio *pem, int *is_whole) {
    crypto.clear_errors();
    void *next = read(pem, NULL, NULL, NULL);
    if (!next) *is_whole = is_error(crypto.last_error(), LIBRARY_PEM, REASON_NO_START_LINE);
    return next;
}

static int add_anchors(void *raw, const at_settings *settings) {
    bio *pem = crypto.bio_from(settings->anchors, (int)settings->anchors_size);
    if (!pem) return 0;
    int count = 0, is_whole = 0;
    void *certificate;
    while ((certificate = next_of(crypto.pem_x509_aux, pem, &is_whole))) {
        count += crypto.store_add(tls.store(raw), certificate);
        crypto.x509_free(certificate);
    }
    crypto.bio_free(pem);
    crypto.clear_errors();
    // A file that is being written must not lose an authority.
    return count > 0 && is_whole;
}

static int add_lists(void *raw, const at_settings *settings) {
    bio *pem = crypto.bio_from(settings->lists, (int)settings->lists_size);
    if (!pem) return 0;
    int count = 0, is_whole = 0;
    void *list;
    while ((list = next_of(crypto.pem_list, pem, &is_whole))) {
        count += crypto.store_add_list(tls.store(raw), list);
        crypto.list_free(list);
    }
    crypto.bio_free(pem);
    if (count == 0 || !is_whole) return 0;
    crypto.clear_errors();
    crypto.param_flags(tls.context_param(raw), FLAG_CHECK_LISTS);
    return 1;
}

static int use_certificate(void *raw, void *certificate, void *key) {
    return certificate && key && tls.use_certificate(raw, certificate) == 1 && tls.use_key(raw, key) == 1
        && tls.check_key(raw) == 1;
}

/// The context owns the certificate afterwards.
static int add_to_chain(void *raw, void *certificate) {
    if (tls.context_ctrl(raw, CTRL_EXTRA_CHAIN_CERT, 0, certificate) == 1) return 1;
    crypto.x509_free(certificate);
    return 0;
}

static int use_pkcs12(void *raw, const at_settings *settings) {
    const unsigned char *bytes = settings->certificate;
    void *store = crypto.pkcs12_decode(NULL, &bytes, (long)settings->certificate_size);
    void *certificate = NULL, *key = NULL, *others = NULL;
    int is_used = store && crypto.pkcs12_parse(store, settings->password, &key, &certificate, &others) == 1
        && use_certificate(raw, certificate, key);
    while (others && crypto.stack_count(others) > 0) {
        void *next = crypto.stack_shift(others);
        if (is_used) is_used = add_to_chain(raw, next); else crypto.x509_free(next);
    }
    if (others) crypto.stack_free(others);
    if (certificate) crypto.x509_free(certificate);
    if (key) crypto.key_free(key);
    if (store) crypto.pkcs12_free(store);
    return is_used;
}

static int use_pem(void *raw, const at_settings *settings) {
    bio *pem = crypto.bio_from(settings->certificate, (int)settings->certificate_size);
    bio *key_pem = crypto.bio_from(settings->key, (int)settings->key_size);
    void *certificate = pem ? crypto.pem_x509_aux(pem, NULL, give_password, (void *)settings->password) : NULL;
    void *key = key_pem ? crypto.pem_key(key_pem, NULL, give_password, (void *)settings->password) : NULL;
    int is_used = use_certificate(raw, certificate, key), is_whole = 1;
    void *next;
    // A file that is being written must not lose an intermediate certificate.
    while (is_used && (next = next_of(crypto.pem_x509, pem, &is_whole))) is_used = add_to_chain(raw, next);
    if (certificate) crypto.x509_free(certificate);
    if (key) crypto.key_free(key);
    if (pem) crypto.bio_free(pem);
    if (key_pem) crypto.bio_free(key_pem);
    return is_used && is_whole;
}

static int use_identity(void *raw, const at_settings *settings) {
    crypto.clear_errors();
    int is_used = settings->is_pkcs12 ? use_pkcs12(raw, settings) : use_pem(raw, settings);
    if (is_used) crypto.clear_errors();
    return is_used;
}

// MARK: Names

/// Whether all names are known; else the first that is not is in `text`. What follows a '!' is no name.
static int are_known(
    void *raw, const char *names, int (*is_known)(void *, const char *), char *text, size_t size) {
    for (const char *name = names; name && *name && *name != '!';) {
        size_t length = strcspn(name, ":");
        snprintf(text, size, "%.*s", (int)length, name);
        if (!is_known(raw, text)) return 0;
        name += length + (name[length] == ':');
    }
    return 1;
}

static int has_suite(void *raw, const char *name) {
    const void *suites = tls.suites(raw);
    for (int index = 0; suites && index < crypto.stack_count(suites); index++) {
        if (strcmp(tls.cipher_name(crypto.stack_at(suites, index)), name) == 0) return 1;
    }
    return 0;
}

static int use_suites(void *raw, const at_settings *settings, char *text, size_t size) {
    if (!settings->suites && !settings->suites_13) return 1;
    // Neither fails for a name that is not known beside others.
    if (settings->suites) tls.set_suites(raw, settings->suites);
    tls.set_suites_13(raw, settings->suites_13 ? settings->suites_13 : "");
    return are_known(raw, settings->suites, has_suite, text, size)
        && are_known(raw, settings->suites_13, has_suite, text, size);
}

static int use_group(void *raw, const char *name) {
    return tls.context_ctrl(raw, CTRL_SET_GROUPS, 0, (void *)name) == 1;
}

static int use_groups(void *raw, const at_settings *settings, char *text, size_t size) {
    if (!settings->groups || !are_known(raw, settings->groups, use_group, text, size)) return !settings->groups;
    snprintf(text, size, "%s", settings->groups);
    return use_group(raw, settings->groups);
}

// MARK: Callbacks

/// There must be a list of the issuer of the server's own certificate, unless that is an anchor. The others are checked where
/// there is a list.
static int allow_unlisted(int is_good, void *store) {
    if (is_good || crypto.verify_error(store) != VERIFY_NO_LIST) return is_good;
    if (crypto.verify_depth(store) == 0 && crypto.untrusted_count(store) > 0) return 0;
    crypto.set_verify_error(store, 0);
    return 1;
}

static at_session *session_of(const void *ssl) { return tls.data(ssl, data_index); }

static void keep_refused(at_session *session, const void *chain) {
    for (int index = 0; chain && index < crypto.stack_count(chain); index++) {
        unsigned char *bytes = NULL;
        int size = crypto.x509_encode(crypto.stack_at(chain, index), &bytes);
        if (size <= 0) continue;
        uint32_t length = (uint32_t)size;
        uint8_t *larger = realloc(session->refused, session->refused_size + sizeof length + length);
        if (larger) {
            memcpy(larger + session->refused_size, &length, sizeof length);
            memcpy(larger + session->refused_size + sizeof length, bytes, length);
            session->refused = larger;
            session->refused_size += sizeof length + length;
        }
        crypto.free_memory(bytes, __FILE__, __LINE__);
    }
}

/// Verifies as OpenSSL would, and keeps the chain of a server that is refused, which OpenSSL 1.1.1 drops.
static int verify(void *store, void *context) {
    (void)context;
    int is_trusted = crypto.verify(store);
    void *ssl = crypto.verify_data(store, tls.verify_index());
    at_session *session = ssl ? session_of(ssl) : NULL;
    if (is_trusted != 1 && session) {
        session->failure.verify_result = crypto.verify_error(store);
        keep_refused(session, crypto.verify_untrusted(store));
    }
    return is_trusted;
}

/// Returning 1 keeps the reference.
static int keep_ticket(void *ssl, void *ticket) {
    at_session *session = session_of(ssl);
    if (!session) return 0;
    if (session->ticket) tls.ticket_free(session->ticket);
    session->ticket = ticket;
    return 1;
}

/// One call of `write` for each line, so that the lines of several threads do not mix.
static void log_keys(const void *ssl, const char *keys) {
    at_session *session = session_of(ssl);
    size_t length = strlen(keys);
    char *line = session ? malloc(length + 1) : NULL;
    if (!line) return;
    memcpy(line, keys, length);
    line[length] = '\n';
    // Who asked for the file sees in it what is missing.
    if (write(session->context->key_log, line, length + 1) < 0) {}
    free(line);
}

static void read_text(char *text, size_t size) {
    unsigned long error = crypto.last_error();
    const char *reason = error ? crypto.reason_text(error) : NULL;
    snprintf(text, size, "%s", reason ? reason : "");
}

/// The authorities of the system. An OpenSSL that is linked looks where the system that it was built on has them: in a file,
/// and in a folder, which may be there without any. Without the file, they are also where this system's distribution has them.
static void use_system(void *raw) {
    tls.default_paths(raw);
    if (!CP_IS_LINKED || getenv("SSL_CERT_FILE") || getenv("SSL_CERT_DIR")) return;
    if (access(crypto.default_file(), R_OK) == 0) return;
    const char *bundles[] = {
        "/etc/ssl/certs/ca-certificates.crt",                // Debian, Arch, Alpine, and images made from them
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, Red Hat
        "/etc/pki/tls/certs/ca-bundle.crt",                  // Amazon Linux
        "/etc/ssl/ca-bundle.pem",                            // SUSE
        "/etc/ssl/cert.pem",                                 // Alpine
    };
    for (size_t index = 0; index < sizeof bundles / sizeof *bundles; index++) {
        if (tls.load_authorities(raw, bundles[index], NULL) == 1) break;
    }
    // Those of bundles that are not there.
    crypto.clear_errors();
}

at_context *at_make_context(const at_settings *settings, int *result, char *text, size_t size) {
    crypto.clear_errors();
    *result = AT_NO_MEMORY;
    at_context *context = calloc(1, sizeof *context);
    void *raw = context ? tls.context_new(tls.client()) : NULL;
    if (!raw) {
        free(context);
        return NULL;
    }
    context->raw = raw;
    context->verifies = settings->trust != AT_TRUST_NOBODY_ASKED;
    context->requires_status = settings->requires_status;
    context->has_identity = settings->certificate != NULL;
    context->key_log = -1;
    tls.context_options(raw, OPTION_NO_COMPRESSION | OPTION_NO_RENEGOTIATION);
    tls.context_ctrl(raw, CTRL_MODE, MODE_PARTIAL_WRITE | MODE_MOVING_WRITE_BUFFER, NULL);
    tls.context_ctrl(raw, CTRL_SET_MINIMUM_VERSION, settings->minimum_version, NULL);
    tls.context_ctrl(raw, CTRL_SET_MAXIMUM_VERSION, settings->maximum_version, NULL);
    tls.context_ctrl(raw, CTRL_SESSION_CACHE_MODE, CACHE_CLIENT_OUTSIDE, NULL);
    tls.on_ticket(raw, keep_ticket);
    *result = AT_OK;
    if (context->verifies) {
        tls.context_verify(raw, VERIFY_PEER, settings->lists ? allow_unlisted : NULL);
        tls.context_verifier(raw, verify, NULL);
    }
    // A proof is signed by an authority, which must be known also if the server's certificate is not verified.
    int needs_authorities = settings->trust == AT_TRUST_SYSTEM || (!context->verifies && settings->requires_status);
    if (needs_authorities) use_system(raw);
    if (settings->trust == AT_TRUST_ANCHORS) {
        // An anchor need not be a root.
        crypto.param_flags(tls.context_param(raw), FLAG_PARTIAL_CHAIN);
        if (!add_anchors(raw, settings)) *result = AT_BAD_ANCHORS;
    }
    if (*result == AT_OK && settings->lists && !add_lists(raw, settings)) *result = AT_BAD_LISTS;
    if (*result == AT_OK && settings->certificate && !use_identity(raw, settings)) *result = AT_BAD_IDENTITY;
    if (*result == AT_OK && !use_suites(raw, settings, text, size)) *result = AT_BAD_SUITE;
    if (*result == AT_OK && !use_groups(raw, settings, text, size)) *result = AT_BAD_GROUP;
    if (*result == AT_OK && settings->key_log) {
        context->key_log = open(settings->key_log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (context->key_log < 0) *result = AT_BAD_KEY_LOG; else tls.key_log(raw, log_keys);
    }
    if (*result == AT_OK) {
        crypto.clear_errors();
        return context;
    }
    if (*result != AT_BAD_SUITE && *result != AT_BAD_GROUP) read_text(text, size);
    at_free_context(context);
    return NULL;
}

void at_free_context(at_context *context) {
    tls.context_free(context->raw);
    if (context->key_log >= 0) close(context->key_log);
    free(context);
}

void at_free_ticket(at_ticket *ticket) { tls.ticket_free(ticket); }

int at_is_for_one_use(const at_ticket *ticket) { return tls.ticket_version(ticket) >= VERSION_1_3; }

// MARK: Sessions

static int set_host(void *raw, const char *host, int is_address) {
    if (!host) return 1;
    if (!*host || *host == '.') return 0;
    if (is_address) return crypto.param_address(tls.param(raw), host);
    tls.host_flags(raw, HOST_NO_PARTIAL_WILDCARDS | HOST_NEVER_SUBJECT);
    return tls.set_host(raw, host);
}

at_session *at_make_session(
    at_context *context, const char *host, int is_address, const char *server_name, const uint8_t *protocols,
    size_t protocols_size, at_ticket *ticket) {
    crypto.clear_errors();
    at_session *session = calloc(1, sizeof *session);
    void *raw = session ? tls.create(context->raw) : NULL;
    bio *bio = raw ? crypto.bio_new(method) : NULL;
    if (!bio) {
        if (raw) tls.destroy(raw);
        free(session);
        return NULL;
    }
    session->raw = raw;
    session->context = context;
    crypto.bio_set_data(bio, session);
    crypto.bio_set_init(bio, 1);
    tls.set_bio(raw, bio, bio);
    tls.connect(raw);
    int is_set = tls.set_data(raw, data_index, session) == 1 && (!context->verifies || set_host(raw, host, is_address) == 1);
    if (is_set && server_name) is_set = tls.ctrl(raw, CTRL_SET_HOST_NAME, 0, (void *)server_name) == 1;
    // Unlike all other functions this one returns 0 for success.
    if (is_set && protocols) is_set = tls.set_protocols(raw, protocols, (unsigned)protocols_size) == 0;
    if (is_set && context->requires_status) is_set = tls.ctrl(raw, CTRL_SET_STATUS_TYPE, STATUS_TYPE_OCSP, NULL) == 1;
    if (is_set && ticket) tls.use_ticket(raw, ticket);
    // A server may ask for the client's certificate once it has read the request; not over HTTP/2 (RFC 9113 §9.2.3).
    int may_be_http2 = protocols && memmem(protocols, protocols_size, "\002h2", 3);
    if (context->has_identity && !may_be_http2) tls.allow_late_identity(raw, 1);
    if (is_set) return session;
    at_free_session(session);
    return NULL;
}

void at_free_session(at_session *session) {
    // Otherwise OpenSSL would hold the session's tickets for spoiled.
    tls.set_shutdown(session->raw, SHUTDOWN_BOTH);
    tls.destroy(session->raw);
    if (session->ticket) tls.ticket_free(session->ticket);
    free(session->output);
    free(session->refused);
    free(session);
}

/// What a result of OpenSSL below 1 means; only for the call right before, on the same thread.
static int outcome(at_session *session, int result) {
    int error = tls.error(session->raw, result);
    if (error == ERROR_WANT_READ || error == ERROR_WANT_WRITE) return AT_WANTS_INPUT;
    if (error == ERROR_ZERO_RETURN) return 0;
    unsigned long code = crypto.last_error();
    int reason = (int)(code & 0xFFF);
    session->failure.reason = error == ERROR_SSL && is_error(code, LIBRARY_SSL, reason) ? reason : 0;
    session->failure.is_truncated = error == ERROR_SYSCALL || session->failure.reason == REASON_UNEXPECTED_EOF;
    read_text(session->failure.text, sizeof session->failure.text);
    crypto.clear_errors();
    return AT_FAILED;
}

int at_handshake(at_session *session) {
    crypto.clear_errors();
    int result = tls.handshake(session->raw);
    if (result == 1) return 1;
    result = outcome(session, result);
    return result == 0 ? AT_FAILED : result;
}

long at_read(at_session *session, void *bytes, size_t size) {
    crypto.clear_errors();
    int result = tls.read(session->raw, bytes, size > INT32_MAX ? INT32_MAX : (int)size);
    return result > 0 ? result : outcome(session, result);
}

int at_has_plaintext(const at_session *session) { return tls.pending(session->raw) > 0; }

long at_write(at_session *session, const void *bytes, size_t size) {
    size_t written = 0;
    while (written < size) {
        crypto.clear_errors();
        size_t left = size - written;
        int result = tls.write(session->raw, (const char *)bytes + written, left > 1 << 30 ? 1 << 30 : (int)left);
        if (result > 0) {
            written += (size_t)result;
            continue;
        }
        int end = outcome(session, result);
        if (written > 0 && end == AT_WANTS_INPUT) break;
        return end == 0 ? AT_FAILED : end;
    }
    return (long)written;
}

void at_close(at_session *session) {
    crypto.clear_errors();
    tls.shutdown(session->raw);
    crypto.clear_errors();
}

void at_rest(at_session *session) {
    tls.free_buffers(session->raw);
    if (session->output_start != session->output_end) return;
    free(session->output);
    session->output = NULL;
    session->output_start = session->output_end = session->output_capacity = 0;
}

void at_read_failure(const at_session *session, at_failure *failure) { *failure = session->failure; }

const char *at_verify_text(long result) { return crypto.verify_text(result); }

void at_read_agreement(const at_session *session, at_agreement *agreement) {
    const unsigned char *protocol = NULL;
    unsigned size = 0;
    const void *cipher = tls.cipher(session->raw);
    tls.protocol(session->raw, &protocol, &size);
    agreement->version = tls.version(session->raw);
    agreement->cipher = cipher ? tls.cipher_name(cipher) : NULL;
    agreement->protocol = protocol;
    agreement->protocol_size = size;
    agreement->is_resumed = tls.is_resumed(session->raw);
    // Before OpenSSL 3 the library does not tell.
    agreement->group = crypto.version_number() >> 28 >= 3 ? (int)tls.ctrl(session->raw, CTRL_NEGOTIATED_GROUP, 0, NULL) : 0;
}

void at_read_chain(at_session *session, void *context, void (*receive)(void *, const void *, size_t)) {
    for (size_t place = 0; place < session->refused_size;) {
        uint32_t length;
        memcpy(&length, session->refused + place, sizeof length);
        receive(context, session->refused + place + sizeof length, length);
        place += sizeof length + length;
    }
    if (session->refused_size > 0) return;
    const void *chain = tls.chain(session->raw);
    for (int index = 0; chain && index < crypto.stack_count(chain); index++) {
        unsigned char *bytes = NULL;
        int size = crypto.x509_encode(crypto.stack_at(chain, index), &bytes);
        if (size <= 0) continue;
        receive(context, bytes, (size_t)size);
        crypto.free_memory(bytes, __FILE__, __LINE__);
    }
}

int at_read_expiry(const at_session *session, int64_t *seconds) {
    const void *chain = tls.chain(session->raw);
    struct tm parts = {0};
    if (!chain || crypto.stack_count(chain) < 1) return 0;
    if (crypto.time_parts(crypto.not_after(crypto.stack_at(chain, 0)), &parts) != 1) return 0;
    *seconds = timegm(&parts);
    return 1;
}

at_ticket *at_take_ticket(at_session *session) {
    void *ticket = session->ticket;
    session->ticket = NULL;
    return ticket;
}

// MARK: Revocation

/// What the response says of the certificate, if it is of this time and signed by somebody who may say so.
static int status_of(at_session *session, void *basic, void *certificate, const void *chain) {
    for (int index = 0; index < crypto.stack_count(chain); index++) {
        void *issuer = crypto.stack_at(chain, index);
        if (crypto.is_issuer(issuer, certificate) != 0) continue;
        void *id = crypto.status_id(crypto.sha1(), certificate, issuer), *from = NULL, *until = NULL;
        int status = -1;
        int is_found = id && crypto.status_find(basic, id, &status, NULL, NULL, &from, &until);
        if (id) crypto.status_id_free(id);
        if (!is_found) continue;
        // Clocks may differ by five minutes.
        if (!crypto.status_is_current(from, until, 300, -1)
            || crypto.status_verify(basic, chain, tls.store(session->context->raw), 0) <= 0) return AT_STATUS_INVALID;
        return status == OCSP_GOOD ? AT_STATUS_GOOD : status == OCSP_REVOKED ? AT_STATUS_REVOKED : AT_STATUS_INVALID;
    }
    return AT_STATUS_INVALID;
}

int at_status(at_session *session) {
    if (!session->context->requires_status) return AT_STATUS_GOOD;
    const unsigned char *bytes = NULL;
    long size = tls.ctrl(session->raw, CTRL_STATUS_RESPONSE, 0, &bytes);
    const void *shown = tls.chain(session->raw), *verified = tls.verified_chain(session->raw);
    if (!bytes || size <= 0 || !shown || crypto.stack_count(shown) < 1) return AT_STATUS_MISSING;
    void *response = crypto.status_decode(NULL, &bytes, size);
    int is_answer = response && crypto.status_outcome(response) == OCSP_SUCCESSFUL;
    void *basic = is_answer ? crypto.status_basic(response) : NULL;
    int result = AT_STATUS_INVALID;
    if (basic) result = status_of(session, basic, crypto.stack_at(shown, 0), verified ? verified : shown);
    if (basic) crypto.status_basic_free(basic);
    if (response) crypto.status_free(response);
    crypto.clear_errors();
    return result;
}
