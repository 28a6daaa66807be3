// SPDX-License-Identifier: Apache-2.0
/* options/units.c: the only place where 1234567 becomes "1.23 MB". Numbers have two forms: one for people, and that of
 * TensorFlow's tool, which is the text of printf("%.2f"), computed faster. */
#include "options/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The longest text of a number with its unit: printf of a number near 2^63 divided by a power of ten. */
#define ROOM 64

/* Writes decimal digits; most numbers of a report have at most three. Returns the place after them. */
static char *put_int(char *at, int64_t n)
{
    char digits[24], *from = digits + sizeof digits;
    uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    if (u < 10 && n >= 0) {
        *at++ = (char)('0' + u);
        return at;
    }
    do *--from = (char)('0' + u % 10);
    while (u /= 10);
    if (n < 0) *at++ = '-';
    while (from < digits + sizeof digits) *at++ = *from++;
    return at;
}

static char *put_text(char *at, const char *text)
{
    while (*text) *at++ = *text++;
    return at;
}

/* n / 10^digits with two decimals. Ties depend on the binary value of the quotient: printf handles those, and
 * numbers too big for an exact quotient. */
static char *put_scaled(char *at, int64_t n, int64_t whole, const char *unit)
{
    int64_t step = whole / 100, rest = n % step;
    if (rest * 2 == step || n >= 1000000000000000) {
        at += snprintf(at, ROOM - 8, "%.2f", (double)n / (double)whole);
    } else {
        int64_t hundredths = n / step + (rest * 2 > step);
        at = put_int(at, hundredths / 100);
        *at++ = '.';
        *at++ = (char)('0' + hundredths / 10 % 10);
        *at++ = (char)('0' + hundredths % 10);
    }
    return put_text(at, unit);
}

static char *put_number(char *at, int64_t n)
{
    if (n < 1000) return put_int(at, n);
    if (n < 1000000) return put_scaled(at, n, 1000, "k");
    return n < 1000000000 ? put_scaled(at, n, 1000000, "m") : put_scaled(at, n, 1000000000, "b");
}

static char *put_time(char *at, int64_t us)
{
    if (us < 1000) return put_text(put_int(at, us), "us");
    return us < 1000000 ? put_scaled(at, us, 1000, "ms") : put_scaled(at, us, 1000000, "sec");
}

static char *put_memory(char *at, int64_t n)
{
    if (n < 1000) return put_text(put_int(at, n), "B");
    return n < 1000000 ? put_scaled(at, n, 1000, "KB") : put_scaled(at, n, 1000000, "MB");
}

static char *put_unit(char *at, tfp_unit unit, int64_t n)
{
    return unit == TFP_MICROS ? put_time(at, n) : unit == TFP_SIZE ? put_memory(at, n) : put_number(at, n);
}

void tfp_format_number(tfp_buf *b, int64_t n) { tfp_format_unit(b, TFP_NUMBER, n); }
void tfp_format_time(tfp_buf *b, int64_t us) { tfp_format_unit(b, TFP_MICROS, us); }

void tfp_format_unit(tfp_buf *b, tfp_unit unit, int64_t n)
{
    char text[ROOM];
    tfp_buf_add(b, text, (size_t)(put_unit(text, unit, n) - text));
}

void tfp_format_pair(tfp_buf *b, tfp_unit unit, const int64_t *own, int64_t total)
{
    char text[2 * ROOM], *at = own ? put_unit(text, unit, *own) : put_text(text, "--");
    *at++ = '/';
    tfp_buf_add(b, text, (size_t)(put_unit(at, unit, total) - text));
}

void tfp_format_percent(tfp_buf *b, double value)
{
    char text[400];
    int size = snprintf(text, sizeof text, "%.2f%%", value);
    tfp_buf_add(b, text, (size_t)size);
}

/* ---- as people write them ---- */

/* Names of units in machine formats and in words, and the sizes that texts use: the first is 10^-3 of the unit itself
 * (NULL: nothing smaller), the second the unit, each further one 1,000 of the one before. */
static const struct {
    const char *name, *words, *sizes[9];
} units[] = {
    [TFP_MICROS] = { "us", "microseconds", { " ns", " \xc2\xb5s", " ms", " s" } },
    [TFP_SIZE] = { "bytes", "bytes", { NULL, " B", " kB", " MB", " GB", " TB", " PB", " EB" } },
    [TFP_NUMBER] = { "count", "count", { NULL, "", "", " M", " G", " T", " P", " E" } },
    [TFP_LABEL] = { "label", "", { NULL, "" } },
    [TFP_SHARE] = { "share", "share", { NULL, "%" } },
    [TFP_PERCENT] = { "percent", "per cent", { NULL, "%" } },
};

const char *tfp_unit_name(tfp_unit unit) { return units[unit].name; }
const char *tfp_unit_long(tfp_unit unit) { return units[unit].words; }

/* Writes a count from 1,000 to 999,999. */
static void put_thousands(tfp_buf *b, double n)
{
    int whole = (int)(n + 0.5);
    tfp_buf_printf(b, "%d,%03d", whole / 1000, whole % 1000);
}

/* Rounds like printf's %.*f, for a number that is not negative and up to two decimals. printf handles large products
 * and those that are a tie within their error; all others, which are most cells of a long table, are rounded here,
 * because printf took half of the time. */
static void put_decimals(tfp_buf *b, double n, int decimals)
{
    static const int scales[] = { 1, 10, 100 };
    double scaled = n * scales[decimals], whole = floor(scaled);
    if (!(scaled < 1e9) || fabs(scaled - whole - 0.5) < 1e-6) {
        tfp_buf_printf(b, "%.*f", decimals, n);
        return;
    }
    int64_t digits = (int64_t)whole + (scaled - whole > 0.5);
    tfp_buf_int(b, digits / scales[decimals]);
    if (decimals) tfp_buf_char(b, '.');
    if (decimals == 2) tfp_buf_char(b, (char)('0' + digits / 10 % 10));
    if (decimals) tfp_buf_char(b, (char)('0' + digits % 10));
}

/* Writes three digits of a number below 999.5, or the whole part of a larger one. */
static void put_three(tfp_buf *b, double n)
{
    if (n < 1e15)
        put_decimals(b, n, n < 9.995 ? 2 : n < 99.95 ? 1 : 0);
    else
        tfp_buf_printf(b, "%.3g", n);
}

/* Writes a share in per cent: one decimal, none from 100 on; a positive share that would round to 0 is "<0.1". */
static void put_per_cent(tfp_buf *b, double n)
{
    if (n > 0 && n < 0.05)
        tfp_buf_text(b, "<0.1");
    else if (n < 1e15)
        put_decimals(b, n, n > 0 && n < 99.95);
    else
        tfp_buf_printf(b, "%.3g", n);
}

/* Writes a number without a unit: below one its first digits, others with two decimals, whole numbers with none. */
static void put_plain(tfp_buf *b, double n)
{
    if (n == floor(n) && n < 1e15)
        tfp_buf_int(b, (int64_t)n);
    else if (n < 1 || n >= 1e15)
        tfp_buf_printf(b, n < 1 ? "%.3g" : "%.6g", n);
    else
        put_decimals(b, n, 2);
}

/* The size whose number has at most three digits before the point; counts are whole below a million. */
static size_t choose_size(tfp_unit unit, double *n)
{
    size_t size = 1;
    if (unit == TFP_NUMBER && *n < 999999.5) return size;
    if (units[unit].sizes[0] && *n > 0 && *n < 0.9995) {
        *n *= 1000;
        return 0;
    }
    for (; *n >= 999.5 && units[unit].sizes[size + 1]; size++) *n /= 1000;
    return size;
}

void tfp_format_real(tfp_buf *b, tfp_unit unit, double x)
{
    double n = unit == TFP_SHARE ? fabs(x) * 100 : fabs(x);
    if (!isfinite(x)) {
        tfp_buf_text(b, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    if (x < 0 && n > 0) tfp_buf_char(b, '-');
    if (unit == TFP_SHARE || unit == TFP_PERCENT) {
        put_per_cent(b, n);
        tfp_buf_text(b, units[unit].sizes[1]);
        return;
    }
    size_t size = choose_size(unit, &n);
    if (unit == TFP_NUMBER && size == 1 && n >= 999.5) {
        put_thousands(b, n);
        return;
    }
    bool small = n > 0 && n < (size ? 0.995 : 0.00995); /* two decimals would lose digits */
    if (unit == TFP_LABEL)
        put_plain(b, n);
    else if (size <= 1 && n == floor(n) && n < 1e15)
        tfp_buf_int(b, (int64_t)n);
    else if (small)
        tfp_buf_printf(b, "%.3g", n);
    else
        put_three(b, n);
    tfp_buf_text(b, units[unit].sizes[size]);
}

void tfp_format_amount(tfp_buf *b, tfp_unit unit, int64_t n)
{
    if (n > -1000 && n < 1000 && unit != TFP_SHARE) { /* most numbers: nothing to round */
        tfp_buf_int(b, n);
        tfp_buf_text(b, units[unit].sizes[1]);
        return;
    }
    tfp_format_real(b, unit, (double)n);
}

/* ---- parsing amounts ---- */

typedef struct suffix {
    const char *text;
    double times;
    tfp_unit unit;
} suffix;

bool tfp_amount_parse(tfp_str text, tfp_amount *out)
{
    static const suffix suffixes[] = {
        { "", 1, TFP_LABEL },           { "B", 1, TFP_SIZE },       { "KB", 1e3, TFP_SIZE },
        { "kB", 1e3, TFP_SIZE },        { "MB", 1e6, TFP_SIZE },    { "GB", 1e9, TFP_SIZE },
        { "TB", 1e12, TFP_SIZE },       { "ns", 1e-3, TFP_MICROS }, { "us", 1, TFP_MICROS },
        { "\xc2\xb5s", 1, TFP_MICROS }, { "ms", 1e3, TFP_MICROS },  { "s", 1e6, TFP_MICROS },
        { "sec", 1e6, TFP_MICROS },     { "k", 1e3, TFP_NUMBER },   { "m", 1e6, TFP_NUMBER },
        { "M", 1e6, TFP_NUMBER },       { "b", 1e9, TFP_NUMBER },   { "G", 1e9, TFP_NUMBER },
        { "t", 1e12, TFP_NUMBER },      { "T", 1e12, TFP_NUMBER },
    };
    char copy[64], *end;
    if (!text.size || text.size >= sizeof copy || !memchr("0123456789.", text.data[0], 11)) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    size_t digits = strspn(copy, "0123456789.");
    char mark = copy[digits];
    copy[digits] = 0;
    *out = (tfp_amount){ .value = strtod(copy, &end), .unit = TFP_LABEL };
    if (*end || strcmp(copy, ".") == 0) return false;
    copy[digits] = mark;
    digits += mark == ' ' && copy[digits + 1]; /* in tables with a blank: "10 ms" */
    if ((out->percent = strcmp(copy + digits, "%") == 0)) return true;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(copy + digits, suffixes[i].text) != 0) continue;
        out->value *= suffixes[i].times;
        out->unit = suffixes[i].unit;
        return true;
    }
    return false;
}

/* ---- rates ---- */

const char *const tfp_flops_units[] = { "", "FLOPS", "FLOP/s", "flops", "flop/s", "Flops", "Flop/s", NULL };
const char *const tfp_bandwidth_units[] = { "", "B", "B/s", "Bps", "bytes/s", NULL };

static bool is_word(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

bool tfp_rate_parse(tfp_str text, const char *const *words, double *out)
{
    static const char prefixes[] = "kKMGTPE";
    static const double times[] = { 1e3, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18 };
    char copy[64], *end;
    if (!text.size || text.size >= sizeof copy || !memchr("0123456789.", text.data[0], 11)) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    if (strlen(copy) != text.size || copy[1] == 'x' || copy[1] == 'X') return false;
    *out = strtod(copy, &end);
    if (end == copy) return false;
    end += *end == ' ';
    if (!is_word(end, words)) {
        const char *prefix = *end ? strchr(prefixes, *end) : NULL;
        if (!prefix || !is_word(end + 1, words)) return false;
        *out *= times[prefix - prefixes];
    }
    return isfinite(*out) && *out > 0;
}

/* ---- shapes ---- */

static bool is_unknown(tfp_str dim)
{
    return tfp_str_eq(dim, TFP_STR("?")) || tfp_str_eq(dim, TFP_STR("-1")) || tfp_str_eq(dim, TFP_STR("None"));
}

/* A number, or ?, up to the next comma or `x`. */
static const char *take_dim(tfp_str *rest, tfp_assumed_text *out)
{
    size_t n = 0;
    while (n < rest->size && rest->data[n] != ',' && rest->data[n] != 'x') n++;
    tfp_str dim = { rest->data, n };
    bool more = n < rest->size;
    int64_t size = -1;
    if (out->rank == TFP_RANK_MOST) return "more than " TFP_QUOTED(TFP_RANK_MOST) " dimensions";
    if (!is_unknown(dim) && (!tfp_parse_int64(dim, &size) || size < 0))
        return "a dimension is a number of at least 0, or ?";
    out->dims[out->rank++] = size;
    rest->data += n + more;
    rest->size -= n + more;
    return more && !rest->size ? "a dimension is a number of at least 0, or ?" : NULL;
}

bool tfp_assumed_next(tfp_str *rest, tfp_assumed_text *out)
{
    while (rest->size && *rest->data == ';') rest->data++, rest->size--;
    if (!rest->size) return false;
    const char *end = memchr(rest->data, ';', rest->size);
    tfp_str item = { rest->data, end ? (size_t)(end - rest->data) : rest->size };
    const char *equals = memrchr(item.data, '=', item.size);
    rest->data += item.size;
    rest->size -= item.size;
    *out = (tfp_assumed_text){ .name = { item.data, equals ? (size_t)(equals - item.data) : item.size } };
    if (!equals || !out->name.size) {
        out->wrong = "not NAME=32,224,224,3";
        return true;
    }
    if (out->name.size > 2 && memcmp(equals - 2, ":0", 2) == 0) out->name.size -= 2; /* the form of a tensor's name */
    tfp_str dims = { equals + 1, (size_t)(item.data + item.size - equals - 1) };

    while (dims.size && !out->wrong) out->wrong = take_dim(&dims, out);
    return true;
}
