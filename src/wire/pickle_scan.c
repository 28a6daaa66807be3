// SPDX-License-Identifier: Apache-2.0
/* wire/pickle_scan.c: reads the bytes of a pickle: windows of the input, and the numbers, lines and texts that go on
 * the machine's stack. */
#include "wire/pickle_parts.h"

#define WINDOW ((size_t)1 << 18)
#define LINE_MOST ((size_t)1 << 16)    /* bytes of a line of protocol 0 */
#define TEXT_MOST ((uint64_t)64 << 20) /* bytes of a text; longer ones are neither names nor messages */
#define BYTES_KEPT ((uint64_t)4096)    /* bytes of a bytes object that are kept */

/* ---- input ---- */

tfp_status pickle_fail(tfp_pickle *m, const char *what)
{
    unsigned long long at = (unsigned long long)(tfp_input_at(m->in) + (uint64_t)(m->at - m->from));
    if (!m->status) m->status = tfp_fail(m->err, TFP_BADFILE, "byte %llu: %s", at, what);
    return m->status;
}

/* Makes the window contain at least `size` bytes from the current position. False if the file ends before. */
bool pickle_need(tfp_pickle *m, size_t size)
{
    tfp_str window;
    if ((size_t)(m->end - m->at) >= size) return true;
    if (m->status || m->last) return false;
    m->status = tfp_input_skip(m->in, (size_t)(m->at - m->from), m->err);
    if (m->status) m->at = m->end = m->from;
    if (m->status) return false;
    size_t want = size > WINDOW ? size : WINDOW;
    m->status = tfp_input_peek(m->in, want, &window, m->err);
    if (m->status) window = (tfp_str){ "", 0 };
    m->from = m->at = (const unsigned char *)window.data;
    m->end = m->from + window.size;
    m->last = window.size < want;
    return window.size >= size;
}

bool pickle_read_more(tfp_pickle *m, size_t size)
{
    if (pickle_need(m, size)) return true;
    pickle_fail(m, "the pickle is cut short");
    return false;
}

/* A line of protocol 0, without its end. Valid until the next read. */
tfp_str pickle_line(tfp_pickle *m)
{
    for (size_t size = 64; size <= LINE_MOST; size *= 4) {
        bool whole = pickle_need(m, size);
        const unsigned char *end = m->at < m->end ? memchr(m->at, '\n', (size_t)(m->end - m->at)) : NULL;
        if (end) {
            tfp_str found = { (const char *)m->at, (size_t)(end - m->at) };
            m->at = end + 1;
            return found;
        }
        if (!whole || m->status) break;
    }
    pickle_fail(m, "a line without an end");
    return (tfp_str){ "", 0 };
}

static bool pickle_skip(tfp_pickle *m, uint64_t size)
{
    while (size && !m->status) {
        size_t part = size < WINDOW ? (size_t)size : WINDOW;
        if (!pickle_ensure(m, part)) return false;
        m->at += part;
        size -= part;
    }
    return !m->status;
}

/* ---- texts and numbers ---- */

void pickle_push_string(tfp_pickle *m, unsigned kind, uint64_t size)
{
    if (m->status) return;
    if (size > tfp_input_left(m->in)) {
        pickle_fail(m, "a text that is longer than the file");
    } else if (kind == TFP_PICKLE_BYTES && size > BYTES_KEPT) {
        if (pickle_skip(m, size)) pickle_push(m, pickle_string(m, kind, TFP_STR("")));
    } else if (size > TEXT_MOST) {
        pickle_fail(m, "a text of more than 64 MB");
    } else if (pickle_ensure(m, (size_t)size)) {
        tfp_str text = { (const char *)m->at, (size_t)size };
        m->at += size;
        pickle_push(m, pickle_string(m, kind, text));
        if (size > LINE_MOST) pickle_fits(m);
    }
}

/* A little-endian signed number; beyond 64 bits it becomes the nearest 64-bit number. */
void pickle_push_long(tfp_pickle *m, uint64_t size)
{
    if (m->status) return;
    if (size > 1024) { /* only cryptographic keys are that long, and no reader needs them */
        if (pickle_skip(m, size)) pickle_push(m, pv_make(TFP_PICKLE_OTHER, 0));
        return;
    }
    if (!pickle_ensure(m, (size_t)size)) return;
    const unsigned char *at = m->at;
    m->at += size;
    if (size && size < 8) { /* the usual case */
        uint64_t small = 0;
        for (unsigned i = 0; i < size; i++) small |= (uint64_t)at[i] << 8 * i;
        uint64_t sign = UINT64_C(1) << (8 * size - 1);
        pickle_push(m, pickle_int(m, (int64_t)((small ^ sign) - sign)));
        return;
    }
    bool negative = size && at[size - 1] & 0x80;
    uint64_t n = negative ? UINT64_MAX : 0;
    bool beyond = false;
    for (size_t i = 0; i < size; i++) {
        if (i < 8) n = (n & ~(UINT64_C(0xff) << 8 * i)) | (uint64_t)at[i] << 8 * i;
        beyond |= i >= 8 && at[i] != (negative ? 0xff : 0);
    }
    if (beyond || (n >> 63) != negative) n = negative ? UINT64_C(1) << 63 : INT64_MAX;
    pickle_push(m, pickle_int(m, (int64_t)n));
}

void pickle_push_double(tfp_pickle *m)
{
    uint64_t bits = 0;
    double x;
    if (!pickle_ensure(m, 8)) return;
    for (int i = 0; i < 8; i++) bits = bits << 8 | m->at[i];
    m->at += 8;
    memcpy(&x, &bits, sizeof x);
    pickle_push(m, pickle_real(m, x));
}

void pickle_push_int_line(tfp_pickle *m)
{
    tfp_str text = pickle_line(m);
    int64_t n = 0;
    if (m->status) return;
    if (tfp_str_eq(text, TFP_STR("00")) || tfp_str_eq(text, TFP_STR("01"))) {
        pickle_push(m, pv_make(TFP_PICKLE_BOOL, text.data[1] == '1'));
        return;
    }
    if (text.size && text.data[text.size - 1] == 'L') text.size--;
    if (!tfp_parse_int64(text, &n)) pickle_fail(m, "a line that is no number");
    pickle_push(m, pickle_int(m, n));
}

void pickle_push_real_line(tfp_pickle *m)
{
    char digits[64], *end;
    tfp_str text = pickle_line(m);
    if (m->status) return;
    if (text.size >= sizeof digits) text.size = sizeof digits - 1;
    memcpy(digits, text.data, text.size);
    digits[text.size] = 0;
    double x = strtod(digits, &end);
    if (end == digits) pickle_fail(m, "a line that is no number");
    pickle_push(m, pickle_real(m, x));
}

/* A text in Python's quotes; escapes stay as they are. */
void pickle_push_quoted(tfp_pickle *m)
{
    tfp_str text = pickle_line(m);
    if (m->status) return;
    if (text.size < 2 || (*text.data != '\'' && *text.data != '"')) {
        pickle_fail(m, "a text without quotes");
        return;
    }
    pickle_push(m, pickle_string(m, TFP_PICKLE_TEXT, (tfp_str){ text.data + 1, text.size - 2 }));
}

uint64_t pickle_index_line(tfp_pickle *m)
{
    int64_t n = 0;
    tfp_str text = pickle_line(m);
    if (!m->status && (!tfp_parse_int64(text, &n) || n < 0))
        pickle_fail(m, "a line that is not the number of an entry of the memo");
    return (uint64_t)n;
}
