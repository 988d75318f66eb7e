// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands in for the two functions of liblz4 that the FST writer of newer Verilators calls, so that
// a machine needs no liblz4 headers to build a model. What they make is a valid LZ4 block that
// compresses nothing: one last sequence, which is literals only. Older Verilators bring a
// compressor of their own and never see this.
#pragma once
#include <cstring>

// A token, a length octet for each 255 octets beyond the 15 that the token holds, and the literals.
static inline int LZ4_compressBound(int size) { return 1 + size / 255 + 1 + size; }

// Octets written to `to`, or 0 if it has not room for them.
static inline int LZ4_compress_default(const char *from, char *to, int size, int room) {
    if (size < 0 || room < LZ4_compressBound(size)) return 0;
    unsigned char *out = reinterpret_cast<unsigned char *>(to);
    if (size < 15) {
        *out++ = static_cast<unsigned char>(size << 4);
    } else {
        *out++ = 15 << 4;
        int rest = size - 15;
        for (; rest >= 255; rest -= 255) *out++ = 255;
        *out++ = static_cast<unsigned char>(rest);
    }
    std::memcpy(out, from, static_cast<size_t>(size));
    return static_cast<int>(out - reinterpret_cast<unsigned char *>(to)) + size;
}
