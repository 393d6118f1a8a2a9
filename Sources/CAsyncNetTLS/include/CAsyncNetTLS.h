// TLS by the OpenSSL that is found when the program runs, or with the trait LinkedTLS is linked: 1.1.1 or 3. No function
// touches a socket: the caller gives what arrived and takes what is to be sent.

#ifndef CASYNCNETTLS_H
#define CASYNCNETTLS_H

#include <stddef.h>
#include <stdint.h>

/// Finds OpenSSL: the one that the process has, else by its names, or only by `name` if that is not NULL. The first call
/// decides. An OpenSSL that is linked is the only one. Returns 1, or 0 with a text that says what was looked for.
int at_load(const char *_Nullable name, char *_Nonnull text, size_t size);

/// The version, such as "OpenSSL 3.0.17 1 Jul 2025"; only after `at_load` has succeeded, as all that follows.
const char *_Nonnull at_version(void);

/// Whom to trust and who to be: one for each of a transport's settings, used by one thread at a time.
typedef struct at_context at_context;

enum { AT_TRUST_SYSTEM, AT_TRUST_ANCHORS, AT_TRUST_NOBODY_ASKED };

typedef struct {
    /// One of AT_TRUST_…; the last verifies nothing.
    int trust;
    /// PEM.
    const void *_Nullable anchors;
    size_t anchors_size;
    /// PEM with the lists of revoked certificates (CRL, RFC 5280 §5); NULL for none.
    const void *_Nullable lists;
    size_t lists_size;
    /// PEM with intermediate certificates after the first one, or PKCS#12 with the key too; NULL for no identity.
    const void *_Nullable certificate;
    size_t certificate_size;
    int is_pkcs12;
    const void *_Nullable key;
    size_t key_size;
    const char *_Nullable password;
    /// 0x0301 for TLS 1.0 to 0x0304 for TLS 1.3; 0 for the library's limit.
    int minimum_version, maximum_version;
    /// Names with ':' between them: the suites up to TLS 1.2, those of TLS 1.3, and the groups. NULL for the library's; if
    /// one of both kinds of suites is given, the other has none.
    const char *_Nullable suites, *_Nullable suites_13, *_Nullable groups;
    /// Whether to ask the server for a proof that its certificate is not revoked, see `at_status`.
    int requires_status;
    /// A file to which the keys of sessions are added; NULL for none.
    const char *_Nullable key_log;
} at_settings;

enum { AT_OK, AT_BAD_ANCHORS, AT_BAD_LISTS, AT_BAD_IDENTITY, AT_BAD_SUITE, AT_BAD_GROUP, AT_BAD_KEY_LOG, AT_NO_MEMORY };

/// Returns NULL with one of AT_… in `problem`, and in `text` the name that OpenSSL does not know, or its reason.
at_context *_Nullable at_make_context(
    const at_settings *_Nonnull settings, int *_Nonnull problem, char *_Nonnull text, size_t size);
void at_free_context(at_context *_Nonnull context);

/// What a server gave to resume a session with, see `at_take_ticket`.
typedef struct at_ticket at_ticket;
void at_free_ticket(at_ticket *_Nonnull ticket);

/// Whether a second use would show an observer that both connections are of one client (RFC 8446 appendix C.4).
int at_is_for_one_use(const at_ticket *_Nonnull ticket);

/// One connection's TLS.
typedef struct at_session at_session;

/// - host: The name or address that the certificate must have, without a trailing dot, brackets and zone; NULL checks none.
/// - server_name: The name for SNI; NULL sends none, as for an address (RFC 6066 §3).
/// - protocols: ALPN's list in its wire form; NULL offers none.
at_session *_Nullable at_make_session(
    at_context *_Nonnull context, const char *_Nullable host, int is_address, const char *_Nullable server_name,
    const uint8_t *_Nullable protocols, size_t protocols_size, at_ticket *_Nullable ticket);
void at_free_session(at_session *_Nonnull session);

/// Gives bytes that arrived. They are the caller's, and must stay until they are taken or others are given: `at_unread` are
/// those that are not taken yet.
void at_give(at_session *_Nonnull session, const void *_Nullable bytes, size_t size);
const void *_Nullable at_unread(const at_session *_Nonnull session, size_t *_Nonnull size);

/// What is to be sent, valid until the next call; `at_sent` removes bytes from its front.
const void *_Nullable at_outgoing(const at_session *_Nonnull session, size_t *_Nonnull size);
void at_sent(at_session *_Nonnull session, size_t size);

enum { AT_WANTS_INPUT = -1, AT_FAILED = -2 };

/// Goes on with the handshake. Returns 1 when it is complete, AT_WANTS_INPUT or AT_FAILED.
int at_handshake(at_session *_Nonnull session);

/// Returns how many bytes were decrypted, 0 after the peer's close_notify, AT_WANTS_INPUT or AT_FAILED.
long at_read(at_session *_Nonnull session, void *_Nonnull bytes, size_t size);

/// Whether bytes have been decrypted that `at_read` had no room for.
int at_has_plaintext(const at_session *_Nonnull session);

/// Returns how many bytes were encrypted, AT_WANTS_INPUT if the peer's bytes must be read first, or AT_FAILED.
long at_write(at_session *_Nonnull session, const void *_Nonnull bytes, size_t size);

/// Adds close_notify to what is to be sent.
void at_close(at_session *_Nonnull session);

/// Frees the buffers of a session that waits for long.
void at_rest(at_session *_Nonnull session);

/// Why the session failed: X509's verification result (0 if that was not the cause), and OpenSSL's reason and text.
typedef struct {
    long verify_result;
    int reason;
    /// 1 if the peer closed the connection without close_notify.
    int is_truncated;
    char text[160];
} at_failure;
void at_read_failure(const at_session *_Nonnull session, at_failure *_Nonnull failure);
const char *_Nonnull at_verify_text(long result);

/// What was agreed on.
typedef struct {
    const char *_Nullable version, *_Nullable cipher;
    const uint8_t *_Nullable protocol;
    unsigned protocol_size;
    int is_resumed;
    /// OpenSSL's number of the group, or the number in TLS with 0x1000000 added; 0 if it is not known.
    int group;
} at_agreement;
void at_read_agreement(const at_session *_Nonnull session, at_agreement *_Nonnull agreement);

/// Until when the server's own certificate is valid, in seconds since 1970. Returns 0 if that is not known.
int at_read_expiry(const at_session *_Nonnull session, int64_t *_Nonnull seconds);

enum { AT_STATUS_GOOD, AT_STATUS_MISSING, AT_STATUS_INVALID, AT_STATUS_REVOKED };

/// After the handshake: what the server has stapled about its certificate (OCSP); good if nothing is required. A resumed
/// session has no proof: that of the first one counts.
int at_status(at_session *_Nonnull session);

/// Calls `receive` with each certificate that the server showed, its own first, in DER; also if it was not trusted.
void at_read_chain(
    at_session *_Nonnull session, void *_Nullable context,
    void (*_Nonnull receive)(void *_Nullable context, const void *_Nonnull bytes, size_t size));

/// The newest ticket that has arrived, which the caller frees; NULL if there is none.
at_ticket *_Nullable at_take_ticket(at_session *_Nonnull session);

#endif
