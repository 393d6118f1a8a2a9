#include "CAsyncNetCompression.h"

#include <CAsyncNetPlatform.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// z_stream, whose layout is part of zlib's ABI.
struct lz_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
};

#define DEFLATED 8
#define MEMORY_LEVEL 8
#define NO_FLUSH 0
#define SYNC_FLUSH 2
#define FINISH 4
#define STREAM_END 1
#define NEED_DICTIONARY 2
#define BUFFER_ERROR -5
#define MEMORY_ERROR -4
#define MOST 0x40000000
/// In data_type after inflate: the last block has ended, and the next one has not begun.
#define BETWEEN_BLOCKS 128

enum { BROTLI_ERROR = 0, BROTLI_DONE = 1 };

/// The largest window that a zstd decoder for HTTP has to accept, 8 MiB (RFC 9659 §3), as a power of two.
#define ZSTD_WINDOW_LOG 23
#define ZSTD_WINDOW_LOG_MAX 100

static struct {
    const char *(*version)(void);
    int (*init)(lz_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(lz_stream *, int);
    int (*reset)(lz_stream *);
    int (*end)(lz_stream *);
    int (*inflate_init)(lz_stream *, int, const char *, int);
    int (*inflate)(lz_stream *, int);
    int (*inflate_reset)(lz_stream *);
    int (*inflate_reset_keep)(lz_stream *);
    int (*inflate_end)(lz_stream *);
} zlib;

static struct {
    void *(*create)(void *, void *, void *);
    int (*decompress)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*destroy)(void *);
} brotli;

struct zstd_output { void *bytes; size_t size, position; };
struct zstd_input { const void *bytes; size_t size, position; };

static struct {
    void *(*create)(void);
    size_t (*set)(void *, int, int);
    size_t (*decompress)(void *, struct zstd_output *, struct zstd_input *);
    unsigned int (*is_error)(size_t);
    size_t (*destroy)(void *);
} zstd;

static char failure[256];

static const char *find(void *library) {
    const cp_symbol symbols[] = {
        CP_SYMBOL(zlibVersion, zlib.version), CP_SYMBOL(deflateInit2_, zlib.init), CP_SYMBOL(deflate, zlib.deflate),
        CP_SYMBOL(deflateReset, zlib.reset), CP_SYMBOL(deflateEnd, zlib.end), CP_SYMBOL(inflateInit2_, zlib.inflate_init),
        CP_SYMBOL(inflate, zlib.inflate), CP_SYMBOL(inflateReset, zlib.inflate_reset),
        CP_SYMBOL(inflateEnd, zlib.inflate_end),
    };
    // Not every zlib has it.
    const cp_symbol optional = CP_SYMBOL(inflateResetKeep, zlib.inflate_reset_keep);
    cp_find(library, &optional, 1);
    return cp_find(library, symbols, sizeof symbols / sizeof *symbols);
}

int32_t lz_is_linked(void) { return CP_IS_LINKED; }

const char *lz_load(const char *name) {
    void *library = name ? cp_open(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (name && !library) {
        snprintf(failure, sizeof failure, "%s", cp_open_error());
        return failure;
    }
    const char *missing = find(library);
    if (!missing) return NULL;
    zlib.init = NULL;
    zlib.inflate_init = NULL;
    snprintf(failure, sizeof failure, "%s has no %s", name ? name : "this program", missing);
    return failure;
}

lz_stream *lz_new(int32_t level, int32_t window_bits) {
    if (!zlib.init) return NULL;
    lz_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    if (zlib.init(stream, level, DEFLATED, window_bits, MEMORY_LEVEL, 0, zlib.version(), (int)sizeof *stream) != LZ_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

void lz_free(lz_stream *stream) {
    zlib.end(stream);
    free(stream);
}

int32_t lz_reset(lz_stream *stream) {
    return zlib.reset(stream) == LZ_OK;
}

int32_t lz_deflate(
    lz_stream *stream, const void *input, size_t input_size, void *output, size_t output_size, int32_t flush, size_t *taken, size_t *given) {
    unsigned int in = input_size < MOST ? (unsigned int)input_size : MOST;
    unsigned int out = output_size < MOST ? (unsigned int)output_size : MOST;
    stream->next_in = input;
    stream->avail_in = in;
    stream->next_out = output;
    stream->avail_out = out;
    int last = flush == LZ_SYNC ? SYNC_FLUSH : flush ? FINISH : NO_FLUSH;
    int result = zlib.deflate(stream, in == input_size ? last : NO_FLUSH);
    *taken = in - stream->avail_in;
    *given = out - stream->avail_out;
    return result;
}

int32_t lz_load_brotli(const char *name) {
    void *library = cp_open(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    *(void **)&brotli.create = dlsym(library, "BrotliDecoderCreateInstance");
    *(void **)&brotli.decompress = dlsym(library, "BrotliDecoderDecompressStream");
    *(void **)&brotli.destroy = dlsym(library, "BrotliDecoderDestroyInstance");
    return brotli.create && brotli.decompress && brotli.destroy;
}

int32_t lz_load_zstd(const char *name) {
    void *library = cp_open(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    *(void **)&zstd.create = dlsym(library, "ZSTD_createDCtx");
    *(void **)&zstd.set = dlsym(library, "ZSTD_DCtx_setParameter");
    *(void **)&zstd.decompress = dlsym(library, "ZSTD_decompressStream");
    *(void **)&zstd.is_error = dlsym(library, "ZSTD_isError");
    *(void **)&zstd.destroy = dlsym(library, "ZSTD_freeDCtx");
    return zstd.create && zstd.set && zstd.decompress && zstd.is_error && zstd.destroy;
}

struct lz_decoder {
    int32_t kind;
    lz_stream zlib;
    void *other;
};

static int start(lz_decoder *decoder, int32_t window_bits) {
    switch (decoder->kind) {
    case LZ_ZLIB:
        return zlib.inflate_init && zlib.inflate_init(&decoder->zlib, window_bits, zlib.version(), (int)sizeof decoder->zlib) == LZ_OK;
    case LZ_BROTLI:
        decoder->other = brotli.create ? brotli.create(NULL, NULL, NULL) : NULL;
        return decoder->other != NULL;
    default:
        decoder->other = zstd.create ? zstd.create() : NULL;
        return decoder->other && !zstd.is_error(zstd.set(decoder->other, ZSTD_WINDOW_LOG_MAX, ZSTD_WINDOW_LOG));
    }
}

lz_decoder *lz_decoder_new(int32_t kind, int32_t window_bits) {
    lz_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->kind = kind;
    if (start(decoder, window_bits)) return decoder;
    if (decoder->other) lz_decoder_free(decoder); else free(decoder);
    return NULL;
}

void lz_decoder_free(lz_decoder *decoder) {
    switch (decoder->kind) {
    case LZ_ZLIB: zlib.inflate_end(&decoder->zlib); break;
    case LZ_BROTLI: brotli.destroy(decoder->other); break;
    default: zstd.destroy(decoder->other);
    }
    free(decoder);
}

static int32_t inflate_some(lz_stream *stream, const void *input, size_t *input_size, void *output, size_t *output_size) {
    unsigned int in = *input_size < MOST ? (unsigned int)*input_size : MOST;
    unsigned int out = *output_size < MOST ? (unsigned int)*output_size : MOST;
    stream->next_in = input;
    stream->avail_in = in;
    stream->next_out = output;
    stream->avail_out = out;
    int result = zlib.inflate(stream, NO_FLUSH);
    *input_size = in - stream->avail_in;
    *output_size = out - stream->avail_out;
    if (result == STREAM_END) return LZ_DECODED;
    return result == LZ_OK || result == BUFFER_ERROR ? LZ_OK : result == MEMORY_ERROR ? LZ_NO_MEMORY : LZ_INVALID;
}

static int32_t unbrotli_some(void *state, const void *input, size_t *input_size, void *output, size_t *output_size) {
    size_t in = *input_size, out = *output_size;
    const uint8_t *next_in = input;
    uint8_t *next_out = output;
    int result = brotli.decompress(state, &in, &next_in, &out, &next_out, NULL);
    *input_size -= in;
    *output_size -= out;
    return result == BROTLI_ERROR ? LZ_INVALID : result == BROTLI_DONE ? LZ_DECODED : LZ_OK;
}

static int32_t unzstd_some(void *state, const void *input, size_t *input_size, void *output, size_t *output_size) {
    struct zstd_input in = { input, *input_size, 0 };
    struct zstd_output out = { output, *output_size, 0 };
    size_t result = zstd.decompress(state, &out, &in);
    *input_size = in.position;
    *output_size = out.position;
    return zstd.is_error(result) ? LZ_INVALID : result == 0 ? LZ_DECODED : LZ_OK;
}

int32_t lz_decode(lz_decoder *decoder, const void *input, size_t input_size, void *output, size_t output_size, size_t *taken, size_t *given) {
    *taken = input_size;
    *given = output_size;
    switch (decoder->kind) {
    case LZ_ZLIB: return inflate_some(&decoder->zlib, input, taken, output, given);
    case LZ_BROTLI: return unbrotli_some(decoder->other, input, taken, output, given);
    default: return unzstd_some(decoder->other, input, taken, output, given);
    }
}

int32_t lz_decoder_reset(lz_decoder *decoder, int32_t keeps_window) {
    if (decoder->kind != LZ_ZLIB) return 0;
    int (*reset)(lz_stream *) = keeps_window && zlib.inflate_reset_keep ? zlib.inflate_reset_keep : zlib.inflate_reset;
    return reset(&decoder->zlib) == LZ_OK;
}

int32_t lz_decoder_is_between_blocks(const lz_decoder *decoder) {
    return decoder->kind == LZ_ZLIB && (decoder->zlib.data_type & BETWEEN_BLOCKS);
}
