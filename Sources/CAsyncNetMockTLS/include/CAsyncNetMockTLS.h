// The part of OpenSSL 3's stable C API that the mock server uses, found at run time.
//
// OpenSSL is loaded by name, once: neither its development package nor a link flag is needed. libcurl, which uses it, has
// usually loaded it already.

#ifndef CASYNCNETMOCKTLS_H
#define CASYNCNETMOCKTLS_H

#include <stddef.h>

/// A self-signed certificate with its key, for any number of connections.
typedef struct mt_identity mt_identity;

/// The server's side of a TLS connection, without a socket: bytes are passed in and taken out. For one thread at a time.
typedef struct mt_session mt_session;

/// What a call for a session leads to; a number above zero is a count of bytes.
enum { MT_CLOSED = 0, MT_NEEDS_BYTES = -1, MT_FAILED = -2, MT_DONE = 1 };

/// Loads OpenSSL at the first call, from any thread. Returns NULL, or the reason of a failure.
const char *_Nullable mt_load(void);

/// Makes a P-256 key and a certificate for the alternative names, such as `DNS:localhost,IP:127.0.0.1`, valid between two
/// times in seconds from now. NULL if OpenSSL refuses, or is not loaded.
mt_identity *_Nullable mt_identity_new(const char *_Nonnull names, long starts, long ends);
void mt_identity_free(mt_identity *_Nonnull identity);

/// Selects HTTP/2 by ALPN, or HTTP/1.1 if the server speaks it too, before there are connections.
void mt_identity_offer_http2(mt_identity *_Nonnull identity, int offers_http1);

/// The certificate in PEM; valid as long as the identity.
const char *_Nonnull mt_identity_certificate(const mt_identity *_Nonnull identity);

/// NULL if there is no memory. The identity must exist as long as the session.
mt_session *_Nullable mt_session_new(const mt_identity *_Nonnull identity);
void mt_session_free(mt_session *_Nonnull session);

/// Passes bytes in that the client has sent. Returns 0 if there is no memory.
int mt_session_receive(mt_session *_Nonnull session, const void *_Nonnull bytes, size_t count);

/// Takes out bytes to send to the client; returns their number.
size_t mt_session_take(mt_session *_Nonnull session, void *_Nonnull buffer, size_t size);

/// MT_DONE, MT_NEEDS_BYTES or MT_FAILED. There may be bytes to take, of an alert too.
int mt_session_handshake(mt_session *_Nonnull session);

/// The number of decrypted bytes, MT_CLOSED, MT_NEEDS_BYTES or MT_FAILED.
int mt_session_read(mt_session *_Nonnull session, void *_Nonnull buffer, int size);

/// The number of bytes encrypted, all of them, or MT_FAILED.
int mt_session_write(mt_session *_Nonnull session, const void *_Nonnull bytes, int count);

/// Ends this side's direction with an alert `close_notify` (RFC 8446 §6.1), which then is to be taken.
void mt_session_finish_writing(mt_session *_Nonnull session);

#endif
