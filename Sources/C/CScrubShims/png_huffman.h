#ifndef SCRUB_PNG_HUFFMAN_H
#define SCRUB_PNG_HUFFMAN_H

#include <stdint.h>

// Huffman codes as used in Deflate (RFC 1951, 3.2.2).

enum {
    PNG_MOST_SYMBOLS = 286,
    // The maximum number of bits of a code. The format allows 15.
    PNG_LONGEST_CODE = 14
};

// A code: its bits, with the first one lowest, and their number.
typedef struct {
    uint32_t bits;
    uint32_t count;
} png_code;

// Finds the lengths of the best codes not longer than `longest`; 0 for unused symbols. At least two symbols must be
// used. Weights are below 65,536.
void scrub_find_code_lengths(const uint32_t *weights, unsigned count, unsigned longest, uint8_t *lengths);
// Assigns codes to the given lengths.
void scrub_number_codes(const uint8_t *lengths, unsigned count, png_code *codes);

#endif
