#ifndef SCRUB_PNG_HUFFMAN_H
#define SCRUB_PNG_HUFFMAN_H

#include <stdint.h>

// Huffman's codes as Deflate has them (RFC 1951, 3.2.2).

enum {
    PNG_MOST_SYMBOLS = 286,
    // Bits of a code at most. The format allows 15.
    PNG_LONGEST_CODE = 14
};

// A code: its bits, the first one lowest, and how many there are.
typedef struct {
    uint32_t bits;
    uint32_t count;
} png_code;

// Finds the lengths of the best codes that are not longer than `longest`; 0 for symbols that are not used. At least two
// are used. Weights are below 65,536.
void scrub_find_code_lengths(const uint32_t *weights, unsigned count, unsigned longest, uint8_t *lengths);
// Numbers the codes of some lengths.
void scrub_number_codes(const uint8_t *lengths, unsigned count, png_code *codes);

#endif
