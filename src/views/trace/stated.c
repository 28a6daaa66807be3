// SPDX-License-Identifier: Apache-2.0
/* views/trace/stated.c: numbers that a trace states for an activity: bytes and occupancy. Each recorder stores them in
 * its own way. */
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdlib.h>

static bool number_of(const tfp_profile *p, uint32_t stats, tfp_strid key, double *out)
{
    const tfp_stat *stat = tfp_stat_in(p, stats, key);
    if (!stat || stat->type == TFP_STAT_TEXT) return false;
    *out = stat->type == TFP_STAT_INT ? (double)stat->value.number : stat->value.real;
    return isfinite(*out);
}

/* A size or count; a negative one is not known. */
static bool size_of(const tfp_profile *p, uint32_t stats, tfp_strid key, int64_t *out)
{
    int64_t n = -1;
    const tfp_stat *stat = tfp_stat_in(p, stats, key);
    if (stat && stat->type == TFP_STAT_INT) n = stat->value.number;
    if (stat && stat->type == TFP_STAT_REAL) n = tfp_whole_of(stat->value.real);
    if (n >= 0) *out = n;
    return n >= 0;
}

/* What follows a word such as "size:" in a detail text, ended by NUL as the profile's strings are; NULL: no such word. */
static const char *behind(const tfp_profile *p, uint32_t stats, tfp_strid key, const char *word)
{
    const tfp_stat *stat = tfp_stat_in(p, stats, key);
    tfp_str text = stat && stat->type == TFP_STAT_TEXT ? tfp_text(p, (tfp_strid)stat->value.text) : TFP_STR("");
    size_t at = tfp_str_find(text, tfp_str_of(word));
    return at == SIZE_MAX ? NULL : text.data + at + strlen(word);
}

static bool size_behind(const tfp_profile *p, uint32_t stats, tfp_strid key, const char *word, int64_t *out)
{
    const char *from = behind(p, stats, key, word);
    size_t digits = 0;
    while (from && tfp_is_digit(from[digits])) digits++;
    return digits && tfp_parse_int64((tfp_str){ from, digits }, out);
}

tfp_occupancy_keys tfp_occupancy_keys_of(const tfp_profile *p)
{
    return (tfp_occupancy_keys){ tfp_stat_key(p, "est. achieved occupancy %"), tfp_stat_key(p, "kernel_details") };
}

/* PyTorch writes -99 when it could not estimate the occupancy. */
bool tfp_stated_occupancy(const tfp_profile *p, uint32_t stats, const tfp_occupancy_keys *keys, double *percent)
{
    if (number_of(p, stats, keys->estimate, percent)) return *percent >= 0;
    const char *from = behind(p, stats, keys->details, "occ_pct:");
    char *end = NULL;
    if (from) *percent = strtod(from, &end);
    return from && end != from && isfinite(*percent) && *percent >= 0;
}

tfp_bytes_keys tfp_bytes_keys_of(const tfp_profile *p)
{
    return (tfp_bytes_keys){ .bytes = tfp_stat_key(p, "bytes"),
                             .size = tfp_stat_key(p, "size"),
                             .accessed = tfp_stat_key(p, "bytes_accessed"),
                             .memcpy_details = tfp_stat_key(p, "memcpy_details"),
                             .memset_details = tfp_stat_key(p, "Memset_details") };
}

/* Copies and memsets state their bytes themselves or, with HIP, on the API call, where 0 means unknown. Instructions of
 * a TPU, and copies that state nothing else, have the bytes that they access. */
bool tfp_stated_bytes(const tfp_profile *p, const tfp_stated *a, const tfp_bytes_keys *keys, int64_t *out)
{
    bool copy = a->class == TFP_CLASS_COPY || a->class == TFP_CLASS_SET;
    if (copy &&
        (size_of(p, a->stats, keys->bytes, out) || size_of(p, a->stats, keys->size, out) ||
         size_of(p, a->call_stats, keys->size, out) || (size_of(p, a->call_stats, keys->bytes, out) && *out > 0) ||
         size_behind(p, a->stats, keys->memcpy_details, "size:", out) ||
         size_behind(p, a->stats, keys->memset_details, "num_bytes:", out)))
        return true;
    return (copy || a->tpu) && size_of(p, a->stats, keys->accessed, out);
}
