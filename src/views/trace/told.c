// SPDX-License-Identifier: Apache-2.0
/* views/trace/told.c: numbers that a trace states for an activity: bytes and occupancy. Each recorder stores them in its own way. */
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdlib.h>

static const tfp_stat *stat_of(const tfp_profile *p, uint32_t stats, tfp_strid key)
{
    if (stats == TFP_NONE || key == TFP_NONE) return NULL;
    const tfp_stat_set *set = &tfp_events_of(p)->stat_sets.at[stats];
    for (uint32_t i = 0; i < set->count; i++)
        if (tfp_events_of(p)->stats.at[set->first + i].key == key) return &tfp_events_of(p)->stats.at[set->first + i];
    return NULL;
}

/* The number after a word in a detail text, such as "size:" or "occ_pct:". */
static bool number_behind(const tfp_profile *p, uint32_t stats, tfp_strid key, const char *word, double *out)
{
    const tfp_stat *stat = stat_of(p, stats, key);
    if (!stat || stat->type != TFP_STAT_TEXT) return false;
    tfp_str text = tfp_text(p, (tfp_strid)stat->value.text);
    size_t at = tfp_str_find(text, tfp_str_of(word));
    if (at == SIZE_MAX) return false;
    char *end; /* the profile's strings end with NUL */
    const char *from = text.data + at + strlen(word);
    *out = strtod(from, &end);
    return end != from && isfinite(*out);
}

static bool number_of(const tfp_profile *p, uint32_t stats, tfp_strid key, double *out)
{
    const tfp_stat *stat = stat_of(p, stats, key);
    if (!stat || stat->type == TFP_STAT_TEXT) return false;
    *out = stat->type == TFP_STAT_INT ? (double)stat->value.number : stat->value.real;
    return isfinite(*out);
}

tfp_occupancy_keys tfp_occupancy_keys_of(const tfp_profile *p)
{
    return (tfp_occupancy_keys){ tfp_stat_key(p, "est. achieved occupancy %"), tfp_stat_key(p, "kernel_details") };
}

/* PyTorch writes -99 when it could not estimate the occupancy. */
bool tfp_told_occupancy(const tfp_profile *p, uint32_t stats, const tfp_occupancy_keys *keys, double *percent)
{
    bool told =
        number_of(p, stats, keys->estimate, percent) || number_behind(p, stats, keys->details, "occ_pct:", percent);
    return told && *percent >= 0;
}

bool tfp_occupancy_of(const tfp_profile *p, uint32_t span, const tfp_occupancy_keys *keys, double *percent)
{
    return tfp_told_occupancy(p, tfp_events_of(p)->spans.stats[span], keys, percent);
}

tfp_bytes_keys tfp_bytes_keys_of(const tfp_profile *p)
{
    return (tfp_bytes_keys){ .bytes = tfp_stat_key(p, "bytes"),
                             .size = tfp_stat_key(p, "size"),
                             .accessed = tfp_stat_key(p, "bytes_accessed"),
                             .memcpy_details = tfp_stat_key(p, "memcpy_details"),
                             .memset_details = tfp_stat_key(p, "Memset_details") };
}

/* For copies and memsets, which HIP records on the API call; for a TPU's instructions, the bytes accessed. */
bool tfp_told_bytes(const tfp_profile *p, const tfp_told *a, const tfp_bytes_keys *keys, int64_t *out)
{
    double n;
    bool copy = a->class == TFP_CLASS_COPY || a->class == TFP_CLASS_SET;
    bool told = copy && (number_of(p, a->stats, keys->bytes, &n) || number_of(p, a->stats, keys->size, &n) ||
                         number_of(p, a->call_stats, keys->size, &n) ||
                         (number_of(p, a->call_stats, keys->bytes, &n) && n > 0) ||
                         number_behind(p, a->stats, keys->memcpy_details, "size:", &n) ||
                         number_behind(p, a->stats, keys->memset_details, "num_bytes:", &n));
    if (!told && !(a->tpu && number_of(p, a->stats, keys->accessed, &n))) return false;
    *out = n >= 9e18 ? INT64_MAX : n > 0 ? (int64_t)n : 0;
    return true;
}
