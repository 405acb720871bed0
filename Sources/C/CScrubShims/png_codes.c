#include "png_codes.h"

#include <stdlib.h>
#include <string.h>

#include "png_huffman.h"

// Deflate (RFC 1951) of bytes in which a search for matches finds little: the differences of a film's pixels. Bytes
// become codes, and runs of one byte become matches with the preceding byte. zlib produces the same number of bytes but
// takes two to seven times as long, because its loops are designed for matches.

enum {
    // The number of tokens in a block, as in zlib with its maximum memory.
    BLOCK_TOKENS = 1 << 15,
    // A token is a byte, or a run of 3 to 258 bytes: its length and this number.
    TOKEN_OF_RUN = 253,
    TOKENS = 512,
    LEAST_RUN = 3,
    MOST_RUN = 258,
    // Literals, the end of a block, lengths (3.2.5).
    SYMBOLS = PNG_MOST_SYMBOLS,
    END = 256,
    // Distances: the preceding byte, and one that is unused. zlib also writes two, because some readers require both.
    DISTANCES = 2,
    LENGTH_SYMBOLS = 19,
    // The maximum number of bits of a code: four codes and seven waiting bits fit in 64.
    LONGEST = PNG_LONGEST_CODE,
    LONGEST_LENGTH_CODE = 7,
    // The room after a block, for the head of a stored block and the eight bytes that a store touches.
    ROOM_BEHIND = 64
};

// The bits that are not written yet, with the first one lowest.
typedef struct {
    uint64_t bits;
    unsigned count;
} png_bits;

struct png_codes {
    bool has_runs;
    // Fewer than eight between calls.
    png_bits waiting;
    // The runs that are not in a block yet.
    size_t token_count;
    uint16_t tokens[BLOCK_TOKENS];
};

png_codes *scrub_png_codes_begin(bool has_runs) {
    png_codes *codes = malloc(sizeof *codes);
    if (!codes) return NULL;
    codes->has_runs = has_runs;
    codes->waiting = (png_bits){0, 0};
    codes->token_count = 0;
    return codes;
}

static void store8(uint8_t *at, uint64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t load8(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

// Writes the complete bytes of the waiting bits, which are fewer than 64. Eight bytes are touched.
static uint8_t *settle(png_bits *waiting, uint8_t *at) {
    store8(at, waiting->bits);
    at += waiting->count / 8;
    waiting->bits >>= waiting->count & ~7U;
    waiting->count &= 7;
    return at;
}

static uint8_t *put(png_bits *waiting, uint8_t *at, uint32_t bits, unsigned count) {
    waiting->bits |= (uint64_t)bits << waiting->count;
    waiting->count += count;
    return settle(waiting, at);
}

// Returns the symbol of a run's length, and the extra bits after its code (3.2.5).
static unsigned run_symbol(unsigned length, png_code *extra) {
    *extra = (png_code){0, 0};
    if (length == MOST_RUN) return SYMBOLS - 1;
    const unsigned over = length - LEAST_RUN;
    if (over < 8) return END + 1 + over;
    const unsigned count = 29 - (unsigned)__builtin_clz(over);
    *extra = (png_code){over & ((1U << count) - 1), count};
    return END + 1 + 4 * count + (over >> count);
}

// A block's codes, and their description at the start of the block (3.2.7).
typedef struct {
    png_code tokens[TOKENS], end;
    // The lengths of the codes, encoded with their own codes and extra bits.
    png_code head[1 + LENGTH_SYMBOLS + SYMBOLS + DISTANCES];
    unsigned head_count;
    uint64_t bit_count;
} block_codes;

// Writes lengths as symbols: 16 repeats the last one 3 to 6 times, 17 and 18 mean 3 to 10 and 11 to 138 zeros (3.2.7).
static unsigned fold_lengths(const uint8_t *lengths, unsigned count, uint8_t *symbols, png_code *extras) {
    unsigned used = 0;
    for (unsigned i = 0; i < count;) {
        unsigned run = 1;
        while (i + run < count && lengths[i + run] == lengths[i]) run++;
        if (lengths[i] != 0 || run < 3) {
            symbols[used] = lengths[i++];
            extras[used++] = (png_code){0, 0};
            run--;
        }
        while (run >= 3) {
            const bool is_zero = lengths[i] == 0;
            const unsigned most = !is_zero ? 6 : run > 10 ? 138 : 10, part = run < most ? run : most;
            symbols[used] = !is_zero ? 16 : part > 10 ? 18 : 17;
            extras[used++] = !is_zero     ? (png_code){part - 3, 2}
                             : part > 10 ? (png_code){part - 11, 7}
                                         : (png_code){part - 3, 3};
            i += part;
            run -= part;
        }
    }
    return used;
}

static void make_head(block_codes *block, const uint8_t *lengths, unsigned count) {
    static const uint8_t order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t symbols[SYMBOLS + DISTANCES], length_lengths[LENGTH_SYMBOLS];
    png_code extras[SYMBOLS + DISTANCES], codes[LENGTH_SYMBOLS];
    const unsigned used = fold_lengths(lengths, count, symbols, extras);
    uint32_t weights[LENGTH_SYMBOLS] = {0};
    for (unsigned i = 0; i < used; i++) weights[symbols[i]]++;
    scrub_find_code_lengths(weights, LENGTH_SYMBOLS, LONGEST_LENGTH_CODE, length_lengths);
    scrub_number_codes(length_lengths, LENGTH_SYMBOLS, codes);
    unsigned told = LENGTH_SYMBOLS;
    while (told > 4 && length_lengths[order[told - 1]] == 0) told--;
    png_code *head = block->head;
    unsigned at = 0;
    head[at++] = (png_code){count - DISTANCES - (END + 1) | (DISTANCES - 1) << 5 | (told - 4) << 10, 14};
    for (unsigned i = 0; i < told; i++) head[at++] = (png_code){length_lengths[order[i]], 3};
    for (unsigned i = 0; i < used; i++) {
        const png_code one = codes[symbols[i]];
        head[at++] = (png_code){one.bits | extras[i].bits << one.count, one.count + extras[i].count};
    }
    block->head_count = at;
    for (unsigned i = 0; i < at; i++) block->bit_count += head[i].count;
}

// Creates the codes of a block from the frequencies of its tokens.
static void make_codes(block_codes *block, const uint32_t *frequencies, bool has_runs) {
    uint32_t weights[SYMBOLS] = {0};
    uint8_t lengths[SYMBOLS + DISTANCES];
    png_code codes[SYMBOLS], extra;
    memcpy(weights, frequencies, END * sizeof *weights);
    weights[END] = 1;
    for (unsigned i = END; has_runs && i < TOKENS; i++) weights[run_symbol(i - TOKEN_OF_RUN, &extra)] += frequencies[i];
    unsigned count = SYMBOLS;
    while (weights[count - 1] == 0) count--;
    scrub_find_code_lengths(weights, count, LONGEST, lengths);
    scrub_number_codes(lengths, count, codes);
    block->bit_count = 3 + codes[END].count;
    block->end = codes[END];
    for (unsigned i = 0; i < (has_runs ? TOKENS : END); i++) {
        block->tokens[i] = codes[i < END ? i : 0];
        if (i >= END) {
            // The distance code follows: a single 0 bit.
            png_code one = {0, 0};
            const unsigned symbol = run_symbol(i - TOKEN_OF_RUN, &extra);
            if (symbol < count) one = codes[symbol];
            block->tokens[i] = (png_code){one.bits | extra.bits << one.count, one.count + extra.count + 1};
        }
        block->bit_count += (uint64_t)frequencies[i] * block->tokens[i].count;
    }
    lengths[count] = lengths[count + 1] = 1;
    make_head(block, lengths, count + DISTANCES);
}

static uint8_t *begin_block(png_codes *codes, const block_codes *block, bool is_last, uint8_t *at) {
    at = put(&codes->waiting, at, is_last | 2 << 1, 3);
    for (unsigned i = 0; i < block->head_count; i++) at = put(&codes->waiting, at, block->head[i].bits, block->head[i].count);
    return at;
}

// Adds a code to the waiting bits without writing them.
static void add(png_bits *waiting, png_code code) {
    waiting->bits |= (uint64_t)code.bits << waiting->count;
    waiting->count += code.count;
}

static uint8_t *write_bytes(png_bits *waiting, const block_codes *block, const uint8_t *bytes, size_t count, uint8_t *at) {
    // A local copy stays in registers.
    png_bits bits = *waiting;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t k = 0; k < 4; k++) add(&bits, block->tokens[bytes[i + k]]);
        at = settle(&bits, at);
    }
    for (; i < count; i++) {
        add(&bits, block->tokens[bytes[i]]);
        at = settle(&bits, at);
    }
    *waiting = bits;
    return at;
}

static uint8_t *write_tokens(png_codes *codes, const block_codes *block, uint8_t *at) {
    png_bits bits = codes->waiting;
    size_t i = 0;
    // At most 20 bits each.
    for (; i + 2 <= codes->token_count; i += 2) {
        for (size_t k = 0; k < 2; k++) add(&bits, block->tokens[codes->tokens[i + k]]);
        at = settle(&bits, at);
    }
    if (i < codes->token_count) {
        add(&bits, block->tokens[codes->tokens[i]]);
        at = settle(&bits, at);
    }
    codes->waiting = bits;
    return at;
}

// Makes room for a block with this many bits.
static uint8_t *reserve(png_group *group, uint64_t bit_count) {
    return scrub_png_reserve(group, (size_t)(bit_count / 8) + ROOM_BEHIND) ? group->bytes + group->count : NULL;
}

static void count_bytes(const uint8_t *bytes, size_t count, uint32_t *frequencies) {
    // With equal consecutive bytes, each one would wait for the one before it.
    uint32_t parts[3][END] = {{0}};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        frequencies[bytes[i]]++;
        parts[0][bytes[i + 1]]++;
        parts[1][bytes[i + 2]]++;
        parts[2][bytes[i + 3]]++;
    }
    for (; i < count; i++) frequencies[bytes[i]]++;
    for (i = 0; i < END; i++) frequencies[i] += parts[0][i] + parts[1][i] + parts[2][i];
}

// Writes a stored block (3.2.4).
static uint8_t *write_stored(png_codes *codes, const uint8_t *bytes, uint32_t count, bool is_last, uint8_t *at) {
    at = put(&codes->waiting, at, is_last, 3);
    codes->waiting.count = codes->waiting.count > 0 ? 8 : 0;
    at = settle(&codes->waiting, at);
    at = put(&codes->waiting, at, count | (count ^ 0xffff) << 16, 32);
    memcpy(at, bytes, count);
    return at + count;
}

static bool add_bytes(png_codes *codes, const uint8_t *bytes, size_t count, bool is_last, png_group *group) {
    uint32_t frequencies[TOKENS] = {0};
    block_codes block;
    count_bytes(bytes, count, frequencies);
    make_codes(&block, frequencies, false);
    const uint64_t stored = 8 * (uint64_t)count + 48;
    const bool is_stored = stored < block.bit_count;
    uint8_t *at = reserve(group, is_stored ? stored : block.bit_count);
    if (!at) return false;
    if (is_stored) {
        at = write_stored(codes, bytes, (uint32_t)count, is_last, at);
    } else {
        at = begin_block(codes, &block, is_last, at);
        at = write_bytes(&codes->waiting, &block, bytes, count, at);
        at = put(&codes->waiting, at, block.end.bits, block.end.count);
    }
    group->count = (size_t)(at - group->bytes);
    return true;
}

// Writes the waiting runs.
static bool add_runs(png_codes *codes, bool is_last, png_group *group) {
    uint32_t frequencies[TOKENS] = {0};
    block_codes block;
    for (size_t i = 0; i < codes->token_count; i++) frequencies[codes->tokens[i]]++;
    make_codes(&block, frequencies, true);
    uint8_t *at = reserve(group, block.bit_count);
    if (!at) return false;
    at = begin_block(codes, &block, is_last, at);
    at = write_tokens(codes, &block, at);
    at = put(&codes->waiting, at, block.end.bits, block.end.count);
    group->count = (size_t)(at - group->bytes);
    codes->token_count = 0;
    return true;
}

// Returns the number of bytes that equal the preceding one, at most `most`.
static size_t run_length(const uint8_t *bytes, size_t most) {
    const uint8_t *before = bytes - 1;
    size_t count = 0;
    while (count + 8 <= most) {
        const uint64_t changes = load8(bytes + count) ^ load8(before + count);
        if (changes != 0) return count + (size_t)__builtin_ctzll(changes) / 8;
        count += 8;
    }
    while (count < most && bytes[count] == before[count]) count++;
    return count;
}

// Whether three bytes equal the preceding one. Uses a single condition, because it is unpredictable which of them
// differs.
static bool begins_run(const uint8_t *bytes) {
    const uint8_t before = *(bytes - 1);
    return ((bytes[0] ^ before) | (bytes[1] ^ before) | (bytes[2] ^ before)) == 0;
}

// Divides bytes into runs and other bytes.
static bool find_runs(png_codes *codes, const uint8_t *bytes, size_t count, png_group *group) {
    for (size_t i = 0; i < count;) {
        if (codes->token_count == BLOCK_TOKENS && !add_runs(codes, false, group)) return false;
        const size_t left = count - i;
        if (i > 0 && left >= LEAST_RUN && begins_run(bytes + i)) {
            const size_t length = run_length(bytes + i, left < MOST_RUN ? left : MOST_RUN);
            codes->tokens[codes->token_count++] = (uint16_t)(TOKEN_OF_RUN + length);
            i += length;
        } else {
            codes->tokens[codes->token_count++] = bytes[i++];
        }
    }
    return true;
}

// Ends on a whole byte, as zlib does: with an empty block.
static bool end_on_byte(png_codes *codes, png_group *group) {
    uint8_t *at = reserve(group, 64);
    if (!at) return false;
    group->count = (size_t)(write_stored(codes, at, 0, false, at) - group->bytes);
    return true;
}

bool scrub_png_codes_add(png_codes *codes, const uint8_t *bytes, size_t count, int flush, png_group *group) {
    const bool is_last = flush == Z_FINISH;
    if (codes->has_runs) {
        if (!find_runs(codes, bytes, count, group)) return false;
        if (flush != Z_NO_FLUSH && !add_runs(codes, is_last, group)) return false;
    } else {
        const size_t blocks = (count + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
        for (size_t i = 0; i < blocks; i++) {
            const size_t from = count / blocks * i, to = i + 1 < blocks ? count / blocks * (i + 1) : count;
            if (!add_bytes(codes, bytes + from, to - from, is_last && i + 1 == blocks, group)) return false;
        }
    }
    if (flush == Z_SYNC_FLUSH) return end_on_byte(codes, group);
    if (!is_last || codes->waiting.count == 0) return true;
    uint8_t *at = reserve(group, 8);
    if (!at) return false;
    codes->waiting.count = 8;
    group->count = (size_t)(settle(&codes->waiting, at) - group->bytes);
    return true;
}
