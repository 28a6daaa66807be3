// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_gunzip.c: compares gzip unpacked in windows with gzip unpacked at once: the bytes or the
 * error must be equal. */
#include "base/io.h"

#include <stdlib.h>

static tfp_status read_windows(const char *data, size_t size, tfp_buf *out, uint64_t *cut_at, tfp_error *err)
{
    tfp_input in;
    tfp_status s = tfp_input_windows(&in, "gz", data, size, err);
    for (size_t ask = 1 + size % 5000; !s && tfp_input_left(&in); ask = ask * 3 % 70001 + 1) {
        tfp_str piece;
        if ((s = tfp_input_peek(&in, ask, &piece, err))) break;
        if (ask > piece.size) ask = piece.size;
        tfp_buf_add(out, piece.data, ask);
        s = tfp_input_skip(&in, ask, err);
    }
    *cut_at = in.cut_at;
    tfp_input_close(&in);
    return s;
}

static void compare(const char *data, size_t size)
{
    tfp_input whole;
    tfp_buf got = { 0 };
    uint64_t cut_at = 0;
    tfp_status want = tfp_input_memory(&whole, "gz", data, size, NULL);
    tfp_status s = read_windows(data, size, &got, &cut_at, NULL);
    /* Windows refuse repetition earlier, and out of memory is not an error of the input. */
    if (want != TFP_LIMIT && want != TFP_NOMEM && s != TFP_LIMIT && s != TFP_NOMEM && !got.failed) {
        if (s != want) abort();
        if (!s && (got.size != whole.total || cut_at != whole.cut_at)) abort();
        if (!s && got.size && memcmp(got.data, whole.buffer, got.size) != 0) abort();
    }
    tfp_buf_free(&got);
    tfp_input_close(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_buf gz = { 0 };
    if (size < 2 || data[0] != 0x1f || data[1] != 0x8b) return 0; /* not recognised as gzip */
    tfp_buf_add(&gz, data, size);
    tfp_buf_char(&gz, 0); /* libdeflate passes such data to zlib, because it accepts a few inputs that zlib refuses */
    if (!gz.failed) compare(gz.data, gz.size);
    tfp_buf_free(&gz);
    return 0;
}
