// SPDX-License-Identifier: Apache-2.0
/* options/units.h: units of numbers, and numbers as people write and read them. */
#ifndef TFP_UNITS_H
#define TFP_UNITS_H

#include "options/cells.h"

/* The head of a table's column for people. Cells have their unit, so the unit is removed from the head: "total" for
 * "total_us", "time_mean" for "micros_mean". */
void tfp_head_put(tfp_buf *out, const char *name, tfp_unit unit);
bool tfp_is_head(tfp_str word, const char *name, tfp_unit unit); /* what tfp_head_put writes */

/* Numbers as TensorFlow's tool prints them: in the text of the four views of its files, and in its advice. */
void tfp_format_number(tfp_buf *b, int64_t n);              /* 999, 1.28k, 603.98m, 17.63b */
void tfp_format_time(tfp_buf *b, int64_t us);               /* 999us, 1.50ms, 3.61sec */
void tfp_format_unit(tfp_buf *b, tfp_unit unit, int64_t n); /* TFP_SIZE: 999B, 1.50KB, 1234.50MB */
void tfp_format_pair(tfp_buf *b, tfp_unit unit, const int64_t *own, int64_t total); /* own/total; NULL: --/total */
const char *tfp_unit_name(tfp_unit unit); /* "us", "bytes", "count", "label", "share" */
const char *tfp_unit_long(tfp_unit unit); /* "microseconds", "bytes", "count" ... */
/* Numbers in the form for people, used everywhere else: three digits, then the unit: 2.04 s, 190 ms, 5.95 ns, 7.69 G,
 * 12.4 GB. Counts below a million are whole. */
void tfp_format_amount(tfp_buf *b, tfp_unit unit, int64_t n);
void tfp_format_real(tfp_buf *b, tfp_unit unit, double x);
void tfp_format_percent(tfp_buf *b, double value); /* like printf's %.2f%% */

/* A number with a unit as typed by a person: 5MB, 10ms, 3k, 5%, 1000. */
typedef struct tfp_amount {
    double value;  /* in bytes, microseconds or ones */
    tfp_unit unit; /* TFP_LABEL: no unit was given */
    bool percent;  /* value is a percentage */
} tfp_amount;
bool tfp_amount_parse(tfp_str text, tfp_amount *out);
/* A rate: 1.5e12, 19.5T, 312TFLOPS, 2TB/s; `units` are the words that may follow the number, ended by NULL. */
extern const char *const tfp_flops_units[], *const tfp_bandwidth_units[];
bool tfp_rate_parse(tfp_str text, const char *const *units, double *out);

#endif
