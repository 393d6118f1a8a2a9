// The parts of the stable C APIs of zlib, libbrotlidec and libzstd that AsyncNet uses. Like libcurl they are loaded at run
// time; a libcurl that decodes content codings has loaded them already.

#ifndef CASYNCNETCOMPRESSION_H
#define CASYNCNETCOMPRESSION_H

#include <stddef.h>
#include <stdint.h>

typedef struct lz_stream lz_stream;

enum { LZ_OK = 0, LZ_STREAM_END = 1, LZ_BUFFER_ERROR = -5 };

/// Whether the program is linked with zlib, by the trait LinkedTLS.
int32_t lz_is_linked(void);

/// Loads zlib by name, or finds the one that the program is linked with if that is NULL. Two threads must not call
/// this at the same time. Returns NULL, or the reason of a failure.
const char *_Nullable lz_load(const char *_Nullable library);

/// What lz_deflate does after the input: nothing, end the stream, or complete a byte and the block (Z_SYNC_FLUSH).
enum { LZ_CONTINUE = 0, LZ_FINISH = 1, LZ_SYNC = 2 };

/// A compressor. `window_bits` is 31 for gzip, 15 for the zlib format, -9 to -15 for raw deflate. NULL without memory or before a successful load.
lz_stream *_Nullable lz_new(int32_t level, int32_t window_bits);
void lz_free(lz_stream *_Nonnull stream);

/// Begins a new stream with the same settings. Returns 0 on failure.
int32_t lz_reset(lz_stream *_Nonnull stream);

/// Compresses from `input` to `output` and returns in `taken` and `given` how many bytes of each were used. With
/// `LZ_FINISH`, `input` has the last bytes, and the call is repeated until it returns LZ_STREAM_END; with `LZ_SYNC`, until
/// it leaves room in `output`. LZ_BUFFER_ERROR means that there was nothing to do.
int32_t lz_deflate(
    lz_stream *_Nonnull stream, const void *_Nullable input, size_t input_size, void *_Nonnull output, size_t output_size, int32_t flush,
    size_t *_Nonnull taken, size_t *_Nonnull given);

/// Loads libbrotlidec or libzstd by name. Two threads must not call this at the same time. Returns 0 on failure.
int32_t lz_load_brotli(const char *_Nonnull library);
int32_t lz_load_zstd(const char *_Nonnull library);

typedef struct lz_decoder lz_decoder;

/// Kinds of decoders, and the results of a step: `LZ_OK` requires more input or more output.
enum { LZ_ZLIB = 0, LZ_BROTLI = 1, LZ_ZSTD = 2 };
enum { LZ_DECODED = 1, LZ_INVALID = -1, LZ_NO_MEMORY = -2 };

/// A decoder of a compressed stream. For zlib, `window_bits` is 31 for gzip, 15 for the zlib format, -15 for raw deflate.
/// NULL without memory or without the library.
lz_decoder *_Nullable lz_decoder_new(int32_t kind, int32_t window_bits);
void lz_decoder_free(lz_decoder *_Nonnull decoder);

/// Decodes from `input` to `output` and returns in `taken` and `given` how many bytes of each were used. `LZ_DECODED` is the
/// end of the stream; the remaining input does not belong to it.
int32_t lz_decode(
    lz_decoder *_Nonnull decoder, const void *_Nullable input, size_t input_size, void *_Nonnull output, size_t output_size,
    size_t *_Nonnull taken, size_t *_Nonnull given);

/// Begins a new stream of a decoder for zlib; with `keeps_window`, it may refer to the output before it, where this zlib can
/// do that. Returns 0 on failure.
int32_t lz_decoder_reset(lz_decoder *_Nonnull decoder, int32_t keeps_window);

/// Whether a decoder for zlib has consumed its input to the end of a block.
int32_t lz_decoder_is_between_blocks(const lz_decoder *_Nonnull decoder);

#endif
