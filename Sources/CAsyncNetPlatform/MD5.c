#include "CAsyncNetPlatform.h"
#include "Words.h"

/// T of RFC 1321 §3.4.
static const uint32_t constants[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

#define FIRST(x, y, z) (((y ^ z) & x) ^ z)
// RFC 1321's `or`, of words without common bits, as a sum: the term without x is added before x is known.
#define SECOND(x, y, z) ((x & z) + (y & ~z))
#define THIRD(x, y, z) (x ^ y ^ z)
#define FOURTH(x, y, z) (y ^ (x | ~z))
#define STEP(mix, a, b, c, d, place, count, i) \
    a = b + __builtin_rotateleft32(a + mix(b, c, d) + LITTLE32(words[(place) & 15]) + constants[i], count);
/// Four steps; `place` and `factor` give the positions of a round's words in the block, r to u the counts of its rotations.
#define FOUR_STEPS(mix, i, factor, place, r, s, t, u)                       \
    STEP(mix, a, b, c, d, (i) * (factor) + (place), r, i)                   \
    STEP(mix, d, a, b, c, ((i) + 1) * (factor) + (place), s, (i) + 1)       \
    STEP(mix, c, d, a, b, ((i) + 2) * (factor) + (place), t, (i) + 2)       \
    STEP(mix, b, c, d, a, ((i) + 3) * (factor) + (place), u, (i) + 3)
#define MD5_ROUND(mix, i, factor, place, r, s, t, u)     \
    FOUR_STEPS(mix, i, factor, place, r, s, t, u)        \
    FOUR_STEPS(mix, i + 4, factor, place, r, s, t, u)    \
    FOUR_STEPS(mix, i + 8, factor, place, r, s, t, u)    \
    FOUR_STEPS(mix, i + 12, factor, place, r, s, t, u)

void cp_md5_blocks(uint32_t *state, const void *blocks, size_t count) {
    for (const loose32 *words = blocks; count > 0; count--, words += 16) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        MD5_ROUND(FIRST, 0, 1, 0, 7, 12, 17, 22)
        MD5_ROUND(SECOND, 16, 5, 1, 5, 9, 14, 20)
        MD5_ROUND(THIRD, 32, 3, 5, 4, 11, 16, 23)
        MD5_ROUND(FOURTH, 48, 7, 0, 6, 10, 15, 21)
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    }
}
