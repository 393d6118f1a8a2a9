#include "CAsyncNetPlatform.h"
#include "SHA256.h"
#include "Words.h"

__attribute__((aligned(16))) const uint32_t cp_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATED(word, count) __builtin_rotateright32(word, count)
#define FIRST(i) (w[i] = BIG32(words[i]))
#define LATER(i)                                                                                        \
    (w[i] += (ROTATED(w[((i) + 1) & 15], 7) ^ ROTATED(w[((i) + 1) & 15], 18) ^ w[((i) + 1) & 15] >> 3)  \
         + w[((i) + 9) & 15]                                                                            \
         + (ROTATED(w[((i) + 14) & 15], 17) ^ ROTATED(w[((i) + 14) & 15], 19) ^ w[((i) + 14) & 15] >> 10))
// An assignment inside an expression, so that debug builds need not load what they have just stored.
#define ROUND(a, b, c, d, e, f, g, h, word, i)                                                          \
    d += h += (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + (((f ^ g) & e) ^ g) + k[i] + word(i); \
    h += (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + (((a | c) & b) | (a & c));
// The variables are shifted by one in each round, so that no word is moved.
#define EIGHT_ROUNDS(word, i)                                                                           \
    ROUND(a, b, c, d, e, f, g, h, word, i) ROUND(h, a, b, c, d, e, f, g, word, i + 1)                   \
    ROUND(g, h, a, b, c, d, e, f, word, i + 2) ROUND(f, g, h, a, b, c, d, e, word, i + 3)               \
    ROUND(e, f, g, h, a, b, c, d, word, i + 4) ROUND(d, e, f, g, h, a, b, c, word, i + 5)               \
    ROUND(c, d, e, f, g, h, a, b, word, i + 6) ROUND(b, c, d, e, f, g, h, a, word, i + 7)

void cp_sha256_blocks_portable(uint32_t *s, const void *blocks, size_t count) {
    for (const loose32 *words = blocks; count > 0; count--, words += 16) {
        uint32_t w[16], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
        const uint32_t *k = cp_sha256_constants;
        EIGHT_ROUNDS(FIRST, 0)
        EIGHT_ROUNDS(FIRST, 8)
        for (k += 16; k < cp_sha256_constants + 64; k += 16) {
            EIGHT_ROUNDS(LATER, 0)
            EIGHT_ROUNDS(LATER, 8)
        }
        s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
    }
}

int cp_has_sha256_instructions(void) {
    static _Atomic int known = -1;
    if (known < 0) known = cp_sha256_finds_instructions();
    return known;
}

void cp_sha256_blocks(uint32_t *state, const void *blocks, size_t count) {
    if (cp_has_sha256_instructions()) {
        cp_sha256_with_instructions(state, blocks, count);
    } else {
        cp_sha256_blocks_portable(state, blocks, count);
    }
}
