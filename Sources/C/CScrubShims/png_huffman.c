#include "png_huffman.h"

#include <string.h>

// Sorts the used symbols by weight, the lightest first; equal ones keep their order. Weights are below 65,536.
static unsigned sort(const uint32_t *weights, unsigned count, uint16_t *sorted) {
    uint16_t half[PNG_MOST_SYMBOLS];
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++)
        if (weights[i] > 0) sorted[used++] = (uint16_t)i;
    for (unsigned shift = 0; shift < 16; shift += 8) {
        uint16_t starts[257] = {0};
        for (unsigned i = 0; i < used; i++) starts[(weights[sorted[i]] >> shift & 255) + 1]++;
        for (unsigned i = 0; i < 256; i++) starts[i + 1] = (uint16_t)(starts[i + 1] + starts[i]);
        memcpy(half, sorted, used * sizeof *half);
        for (unsigned i = 0; i < used; i++) sorted[starts[weights[half[i]] >> shift & 255]++] = half[i];
    }
    return used;
}

void scrub_find_code_lengths(const uint32_t *weights, unsigned count, unsigned longest, uint8_t *lengths) {
    uint16_t sorted[PNG_MOST_SYMBOLS], parent[2 * PNG_MOST_SYMBOLS];
    uint32_t sums[2 * PNG_MOST_SYMBOLS];
    uint8_t depth[2 * PNG_MOST_SYMBOLS];
    unsigned at_length[PNG_LONGEST_CODE + 1] = {0};
    memset(lengths, 0, count);
    const unsigned used = sort(weights, count, sorted);
    for (unsigned i = 0; i < used; i++) sums[i] = weights[sorted[i]];
    // Leaves, and nodes in order of creation, are both sorted, so the lightest is the first of one of the two lists.
    unsigned leaf = 0, node = used;
    for (unsigned next = used; next < 2 * used - 1; next++) {
        sums[next] = 0;
        for (int child = 0; child < 2; child++) {
            const unsigned lightest = leaf < used && (node == next || sums[leaf] <= sums[node]) ? leaf++ : node++;
            sums[next] += sums[lightest];
            parent[lightest] = (uint16_t)next;
        }
    }
    depth[2 * used - 2] = 0;
    for (unsigned i = 2 * used - 2; i-- > 0;) {
        depth[i] = (uint8_t)(depth[parent[i]] + 1);
        if (i < used) at_length[depth[i] < longest ? depth[i] : longest]++;
    }
    // Codes that are too long are shortened. Others are lengthened in exchange until all fit.
    uint32_t room = 0;
    for (unsigned i = 1; i <= longest; i++) room += at_length[i] << (longest - i);
    for (; room > 1U << longest; room--) {
        unsigned shorter = longest - 1;
        while (at_length[shorter] == 0) shorter--;
        at_length[longest]--;
        at_length[shorter]--;
        at_length[shorter + 1] += 2;
    }
    unsigned i = 0;
    for (unsigned length = longest; length > 0; length--)
        for (unsigned k = 0; k < at_length[length]; k++) lengths[sorted[i++]] = (uint8_t)length;
}

void scrub_number_codes(const uint8_t *lengths, unsigned count, png_code *codes) {
    uint32_t at_length[PNG_LONGEST_CODE + 1] = {0}, next[PNG_LONGEST_CODE + 2] = {0};
    for (unsigned i = 0; i < count; i++) at_length[lengths[i]]++;
    at_length[0] = 0;
    for (unsigned i = 1; i <= PNG_LONGEST_CODE; i++) next[i + 1] = (next[i] + at_length[i]) << 1;
    for (unsigned i = 0; i < count; i++) {
        codes[i] = (png_code){0, lengths[i]};
        if (lengths[i] == 0) continue;
        uint32_t value = next[lengths[i]]++;
        for (unsigned k = 0; k < lengths[i]; k++, value >>= 1) codes[i].bits = codes[i].bits << 1 | (value & 1);
    }
}
