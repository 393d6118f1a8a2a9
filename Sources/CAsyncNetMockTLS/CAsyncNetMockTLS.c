#define _GNU_SOURCE  // RTLD_DEFAULT
#include "CAsyncNetMockTLS.h"

#include <CAsyncNetPlatform.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#define CRYPTO_LIBRARY "libcrypto.3.dylib"
#define TLS_LIBRARY "libssl.3.dylib"
#else
#define CRYPTO_LIBRARY "libcrypto.so.3"
#define TLS_LIBRARY "libssl.so.3"
#endif

// OpenSSL's ABI, which does not change within a major version.
#define MBSTRING_UTF8 0x1000
#define NID_KEY_USAGE 83
#define NID_ALTERNATIVE_NAMES 85
#define NID_BASIC_CONSTRAINTS 87
#define CTRL_INFO 3
#define ERROR_WANT_READ 2
#define ERROR_ZERO_RETURN 6
#define INIT_NO_ATEXIT 0x00080000
#define NPN_NEGOTIATED 1
#define ALPN_OK 0
#define ALPN_ALERT_FATAL 2

typedef struct evp_pkey_st key;
typedef struct x509_st certificate;
typedef struct x509_name_st name;
typedef struct x509_extension_st extension;
typedef struct asn1_string_st asn1;
typedef struct bio_st bio;
typedef struct ssl_st ssl;
typedef struct ssl_ctx_st context;
typedef int (*alpn_selector)(ssl *, const unsigned char **, unsigned char *, const unsigned char *, unsigned, void *);

static struct {
    int (*init)(uint64_t, const void *);
    void (*clear_errors)(void);
    key *(*keygen)(void *, const char *, const char *, ...);
    void (*key_free)(key *);
    const void *(*sha256)(void);
    certificate *(*x509_new)(void);
    void (*x509_free)(certificate *);
    int (*x509_set_version)(certificate *, long);
    asn1 *(*x509_serial)(certificate *);
    int (*integer_set)(asn1 *, long);
    asn1 *(*x509_starts)(const certificate *);
    asn1 *(*x509_ends)(const certificate *);
    asn1 *(*time_adjust)(asn1 *, long);
    int (*x509_set_key)(certificate *, key *);
    name *(*x509_subject)(const certificate *);
    int (*name_add)(name *, const char *, int, const unsigned char *, int, int, int);
    int (*x509_set_issuer)(certificate *, const name *);
    extension *(*extension_make)(void *, void *, int, const char *);
    int (*x509_add_extension)(certificate *, extension *, int);
    void (*extension_free)(extension *);
    int (*x509_sign)(certificate *, key *, const void *);
    const void *(*bio_memory)(void);
    bio *(*bio_new)(const void *);
    int (*bio_free)(bio *);
    int (*bio_read)(bio *, void *, int);
    int (*bio_write)(bio *, const void *, int);
    long (*bio_control)(bio *, int, long, void *);
    int (*write_pem)(bio *, certificate *);
} crypto;

static struct {
    const void *(*server)(void);
    context *(*context_new)(const void *);
    void (*context_free)(context *);
    int (*use_certificate)(context *, certificate *);
    int (*use_key)(context *, key *);
    ssl *(*create)(context *);
    void (*destroy)(ssl *);
    void (*set_bio)(ssl *, bio *, bio *);
    void (*accept)(ssl *);
    int (*handshake)(ssl *);
    int (*read)(ssl *, void *, int);
    int (*write)(ssl *, const void *, int);
    int (*error)(const ssl *, int);
    int (*shutdown)(ssl *);
    void (*set_alpn_selector)(context *, alpn_selector, void *);
    int (*select_protocol)(unsigned char **, unsigned char *, const unsigned char *, unsigned, const unsigned char *, unsigned);
} tls;

struct mt_identity {
    context *context;
    char *pem;
    unsigned protocols_size;
};

struct mt_session {
    ssl *ssl;
    bio *incoming, *outgoing;
};

/// As ALPN has them, each after its length.
static const unsigned char protocols[] = "\x02h2\x08http/1.1";

static char failure[256];
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *library, const char *file, const cp_symbol *symbols, size_t count) {
    const char *missing = cp_find(library, symbols, count);
    if (missing) snprintf(failure, sizeof failure, "%s has no %s", file, missing);
    return !missing;
}

static int find_crypto(void *library) {
    const cp_symbol symbols[] = {
        CP_SYMBOL(OPENSSL_init_crypto, crypto.init), CP_SYMBOL(ERR_clear_error, crypto.clear_errors),
        CP_SYMBOL(EVP_PKEY_Q_keygen, crypto.keygen), CP_SYMBOL(EVP_PKEY_free, crypto.key_free),
        CP_SYMBOL(EVP_sha256, crypto.sha256), CP_SYMBOL(X509_new, crypto.x509_new), CP_SYMBOL(X509_free, crypto.x509_free),
        CP_SYMBOL(X509_set_version, crypto.x509_set_version), CP_SYMBOL(X509_get_serialNumber, crypto.x509_serial),
        CP_SYMBOL(ASN1_INTEGER_set, crypto.integer_set), CP_SYMBOL(X509_getm_notBefore, crypto.x509_starts),
        CP_SYMBOL(X509_getm_notAfter, crypto.x509_ends), CP_SYMBOL(X509_gmtime_adj, crypto.time_adjust),
        CP_SYMBOL(X509_set_pubkey, crypto.x509_set_key), CP_SYMBOL(X509_get_subject_name, crypto.x509_subject),
        CP_SYMBOL(X509_NAME_add_entry_by_txt, crypto.name_add), CP_SYMBOL(X509_set_issuer_name, crypto.x509_set_issuer),
        CP_SYMBOL(X509V3_EXT_conf_nid, crypto.extension_make), CP_SYMBOL(X509_add_ext, crypto.x509_add_extension),
        CP_SYMBOL(X509_EXTENSION_free, crypto.extension_free), CP_SYMBOL(X509_sign, crypto.x509_sign),
        CP_SYMBOL(BIO_s_mem, crypto.bio_memory), CP_SYMBOL(BIO_new, crypto.bio_new), CP_SYMBOL(BIO_free, crypto.bio_free),
        CP_SYMBOL(BIO_read, crypto.bio_read), CP_SYMBOL(BIO_write, crypto.bio_write), CP_SYMBOL(BIO_ctrl, crypto.bio_control),
        CP_SYMBOL(PEM_write_bio_X509, crypto.write_pem),
    };
    return find(library, CRYPTO_LIBRARY, symbols, sizeof symbols / sizeof *symbols);
}

static int find_tls(void *library) {
    const cp_symbol symbols[] = {
        CP_SYMBOL(TLS_server_method, tls.server), CP_SYMBOL(SSL_CTX_new, tls.context_new), CP_SYMBOL(SSL_CTX_free, tls.context_free),
        CP_SYMBOL(SSL_CTX_use_certificate, tls.use_certificate), CP_SYMBOL(SSL_CTX_use_PrivateKey, tls.use_key),
        CP_SYMBOL(SSL_new, tls.create), CP_SYMBOL(SSL_free, tls.destroy), CP_SYMBOL(SSL_set_bio, tls.set_bio),
        CP_SYMBOL(SSL_set_accept_state, tls.accept), CP_SYMBOL(SSL_do_handshake, tls.handshake), CP_SYMBOL(SSL_read, tls.read),
        CP_SYMBOL(SSL_write, tls.write), CP_SYMBOL(SSL_get_error, tls.error), CP_SYMBOL(SSL_shutdown, tls.shutdown),
        CP_SYMBOL(SSL_CTX_set_alpn_select_cb, tls.set_alpn_selector), CP_SYMBOL(SSL_select_next_proto, tls.select_protocol),
    };
    return find(library, TLS_LIBRARY, symbols, sizeof symbols / sizeof *symbols);
}

// Whether the program itself has an OpenSSL 3, such as that of its libcurl. Another one must not be opened then: it would
// call the functions of the first, whose structures may differ. Only OpenSSL 3 has EVP_PKEY_Q_keygen.
static int has_openssl(void) {
    return dlsym(RTLD_DEFAULT, "EVP_PKEY_Q_keygen") && dlsym(RTLD_DEFAULT, "SSL_CTX_new");
}

static int open_library(const char *file, void **library) {
    *library = cp_open(file, RTLD_NOW | RTLD_LOCAL);
    if (*library) return 1;
    snprintf(failure, sizeof failure, "%s", cp_open_error());
    return 0;
}

static void load(void) {
    void *crypto_library = RTLD_DEFAULT, *tls_library = RTLD_DEFAULT;
    if (!CP_IS_LINKED && !has_openssl()) {
        if (!open_library(CRYPTO_LIBRARY, &crypto_library) || !open_library(TLS_LIBRARY, &tls_library)) return;
    }
    if (!find_crypto(crypto_library)) return;
    // OpenSSL's cleanup at exit can crash threads that still run.
    crypto.init(INIT_NO_ATEXIT, NULL);
    is_loaded = find_tls(tls_library);
}

const char *mt_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : failure;
}

// MARK: Certificates

static int add_extension(certificate *made, int kind, const char *value) {
    extension *added = crypto.extension_make(NULL, NULL, kind, value);
    int is_added = added && crypto.x509_add_extension(made, added, -1);
    if (added) crypto.extension_free(added);
    return is_added;
}

static int fill(certificate *made, key *own, const char *names, long starts, long ends) {
    static long last_serial;
    name *subject = crypto.x509_subject(made);
    return crypto.x509_set_version(made, 2)
        && crypto.integer_set(crypto.x509_serial(made), __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED))
        && crypto.time_adjust(crypto.x509_starts(made), starts) && crypto.time_adjust(crypto.x509_ends(made), ends)
        && crypto.x509_set_key(made, own)
        && crypto.name_add(subject, "CN", MBSTRING_UTF8, (const unsigned char *)"AsyncNet MockServer", -1, -1, 0)
        && crypto.x509_set_issuer(made, subject)
        && add_extension(made, NID_BASIC_CONSTRAINTS, "critical,CA:TRUE")
        && add_extension(made, NID_KEY_USAGE, "critical,digitalSignature,keyCertSign")
        && add_extension(made, NID_ALTERNATIVE_NAMES, names)
        && crypto.x509_sign(made, own, crypto.sha256()) > 0;
}

/// The certificate in PEM, in memory of its own; NULL if there is none left.
static char *text_of(certificate *made) {
    bio *memory = crypto.bio_new(crypto.bio_memory());
    if (!memory) return NULL;
    char *text = NULL;
    if (crypto.write_pem(memory, made)) {
        char *bytes = NULL;
        long count = crypto.bio_control(memory, CTRL_INFO, 0, &bytes);
        if (count > 0) text = strndup(bytes, (size_t)count);
    }
    crypto.bio_free(memory);
    return text;
}

static mt_identity *make_identity(certificate *made, key *own) {
    mt_identity *identity = calloc(1, sizeof *identity);
    if (!identity) return NULL;
    identity->pem = text_of(made);
    identity->context = tls.context_new(tls.server());
    if (identity->pem && identity->context && tls.use_certificate(identity->context, made) == 1
        && tls.use_key(identity->context, own) == 1) return identity;
    mt_identity_free(identity);
    return NULL;
}

mt_identity *mt_identity_new(const char *names, long starts, long ends) {
    if (mt_load()) return NULL;
    key *own = crypto.keygen(NULL, NULL, "EC", "P-256");
    certificate *made = crypto.x509_new();
    mt_identity *identity = NULL;
    if (own && made && fill(made, own, names, starts, ends)) identity = make_identity(made, own);
    if (made) crypto.x509_free(made);
    if (own) crypto.key_free(own);
    crypto.clear_errors();
    return identity;
}

void mt_identity_free(mt_identity *identity) {
    if (identity->context) tls.context_free(identity->context);
    free(identity->pem);
    free(identity);
}

/// The first of the server's protocols that the client offers; the alert `no_application_protocol` without one (RFC 7301 §3.2).
static int select_protocol(ssl *ssl, const unsigned char **selected, unsigned char *selected_size, const unsigned char *offered,
                           unsigned offered_size, void *identity) {
    (void)ssl;
    unsigned size = ((mt_identity *)identity)->protocols_size;
    int result = tls.select_protocol((unsigned char **)selected, selected_size, protocols, size, offered, offered_size);
    return result == NPN_NEGOTIATED ? ALPN_OK : ALPN_ALERT_FATAL;
}

void mt_identity_offer_http2(mt_identity *identity, int offers_http1) {
    identity->protocols_size = offers_http1 ? sizeof protocols - 1 : 3;
    tls.set_alpn_selector(identity->context, select_protocol, identity);
}

const char *mt_identity_certificate(const mt_identity *identity) { return identity->pem; }

// MARK: Connections

mt_session *mt_session_new(const mt_identity *identity) {
    mt_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    session->ssl = tls.create(identity->context);
    session->incoming = crypto.bio_new(crypto.bio_memory());
    session->outgoing = crypto.bio_new(crypto.bio_memory());
    if (!session->ssl || !session->incoming || !session->outgoing) {
        if (session->incoming) crypto.bio_free(session->incoming);
        if (session->outgoing) crypto.bio_free(session->outgoing);
        if (session->ssl) tls.destroy(session->ssl);
        free(session);
        return NULL;
    }
    tls.set_bio(session->ssl, session->incoming, session->outgoing); // which now belong to it
    tls.accept(session->ssl);
    return session;
}

void mt_session_free(mt_session *session) {
    tls.destroy(session->ssl);
    free(session);
}

int mt_session_receive(mt_session *session, const void *bytes, size_t count) {
    return crypto.bio_write(session->incoming, bytes, (int)count) == (int)count;
}

size_t mt_session_take(mt_session *session, void *buffer, size_t size) {
    int count = crypto.bio_read(session->outgoing, buffer, (int)size);
    return count > 0 ? (size_t)count : 0;
}

/// OpenSSL's error queue belongs to the thread, and must be empty before each call whose error is read.
static int outcome(mt_session *session, int result) {
    if (result > 0) return result;
    int error = tls.error(session->ssl, result);
    crypto.clear_errors();
    return error == ERROR_WANT_READ ? MT_NEEDS_BYTES : error == ERROR_ZERO_RETURN ? MT_CLOSED : MT_FAILED;
}

int mt_session_handshake(mt_session *session) {
    crypto.clear_errors();
    int result = outcome(session, tls.handshake(session->ssl));
    return result == MT_CLOSED ? MT_FAILED : result;
}

int mt_session_read(mt_session *session, void *buffer, int size) {
    crypto.clear_errors();
    return outcome(session, tls.read(session->ssl, buffer, size));
}

int mt_session_write(mt_session *session, const void *bytes, int count) {
    crypto.clear_errors();
    int result = outcome(session, tls.write(session->ssl, bytes, count));
    return result > 0 ? result : MT_FAILED;
}

void mt_session_finish_writing(mt_session *session) {
    crypto.clear_errors();
    tls.shutdown(session->ssl);
    crypto.clear_errors();
}
