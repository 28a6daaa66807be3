// SPDX-License-Identifier: Apache-2.0
/* fleet_index.c: the public functions of an index: its settings, a pass, its counts (reports.c makes a report of
 * them). */
#include "tfprof/fleet.h"
#include "fleet/index/index.h"
#include "fleets.h"
#include "fleet/duckdb.h"
#include "fleet/index/parts.h"
#include "fleet/index/sources.h"
#include "fleet/list/list.h"
#include "fleet/trend/trend.h"
#include "base/threads.h"

#include <math.h>

const char *tfp_fleet_table(size_t i) { return i < TFP_FLEET_TABLES ? tfp_fleet_tables[i].name : NULL; }

const char *tfp_fleet_column(const char *table, size_t i, char *type, const char **help)
{
    tfp_fleet_table_id id = table ? tfp_fleet_find(tfp_str_of(table)) : TFP_FLEET_TABLES;
    if (id == TFP_FLEET_TABLES || i >= tfp_fleet_tables[id].count) return NULL;
    if (type) *type = (char)tfp_fleet_tables[id].columns[i].type;
    if (help) *help = tfp_fleet_tables[id].columns[i].help;
    return tfp_fleet_tables[id].columns[i].name;
}

tfp_index *tfp_index_new(void)
{
    tfp_index *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->settings = (tfp_index_settings){ .tables = TFP_FLEET_USUAL,
                                        .jobs = (int64_t)tfp_sharing_get().threads,
                                        .timeout_s = 300,
                                        .shard = 1,
                                        .shards = 1,
                                        .part_bytes = 64 << 20,
                                        .fail_over = NAN,
                                        .read = tfp_fleets_read };
    return x;
}

void tfp_index_free(tfp_index *x)
{
    if (!x) return;
    tfp_fleet_rules_free(&x->settings.rules);
    free(x->settings.names);
    free(x);
}

void tfp_index_on_progress(tfp_index *x, tfp_progress_fn fn, void *ctx)
{
    if (!x) return;
    x->settings.progress = fn;
    x->settings.progress_ctx = ctx;
}

/* ---- settings ---- */

static tfp_status wrong(tfp_error *err, const char *name, const char *value, const char *must)
{
    return tfp_fail(err, TFP_BADARG, "option --%s: '%s' must be %s", name, value ? value : "", must);
}

static tfp_status set_tables(tfp_index *x, const char *value, tfp_error *err)
{
    unsigned tables = TFP_FLEET_BIT(TFP_FLEET_RUNS) | TFP_FLEET_BIT(TFP_FLEET_FAILURES);
    for (const char *at = value; *at;) {
        size_t size = strcspn(at, ",");
        bool all = tfp_str_eq((tfp_str){ at, size }, TFP_STR("all"));
        tfp_fleet_table_id id = tfp_fleet_find((tfp_str){ at, size });
        if (!all && id == TFP_FLEET_TABLES)
            return wrong(err, "tables", value, "names of tables, such as runs,step_devices,ops");
        tables |= all ? TFP_FLEET_ALL : TFP_FLEET_BIT(id);
        at += size + (at[size] == ',');
    }
    x->settings.tables = tables;
    return TFP_OK;
}

static tfp_status set_shard(tfp_index *x, const char *value, tfp_error *err)
{
    const char *slash = strchr(value, '/');
    int64_t shard, shards;
    bool ok = slash && tfp_parse_int64((tfp_str){ value, (size_t)(slash - value) }, &shard) &&
              tfp_parse_int64(tfp_str_of(slash + 1), &shards) && shard >= 1 && shard <= shards && shards <= 1000000;
    if (!ok) return wrong(err, "shard", value, "K/N with K from 1 to N");
    x->settings.shard = shard;
    x->settings.shards = shards;
    return TFP_OK;
}

static tfp_status set_share(tfp_index *x, const char *value, tfp_error *err)
{
    double share;
    if (!tfp_fleet_share(value, 1, &share)) return wrong(err, "fail-over", value, "a share, such as 1%");
    x->settings.fail_over = share;
    return TFP_OK;
}

typedef struct number {
    const char *name;
    size_t offset;
    int64_t least, most;
} number;

static tfp_status set_number(tfp_index *x, const char *name, const char *value, tfp_error *err)
{
    static const number numbers[] = {
        { "jobs", offsetof(tfp_index_settings, jobs), 1, 1024 },
        { "memory", offsetof(tfp_index_settings, memory), 1 << 20, INT64_MAX },
        { "timeout", offsetof(tfp_index_settings, timeout_s), 1, 1000000 },
        { "part-bytes", offsetof(tfp_index_settings, part_bytes), 1, INT64_MAX },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const number *n = &numbers[i];
        int64_t got;
        if (strcmp(name, n->name) != 0) continue;
        if (!tfp_parse_int64(tfp_str_of(value), &got) || got < n->least || got > n->most) {
            char must[80];
            snprintf(must, sizeof must, "a number from %lld on", (long long)n->least);
            return wrong(err, name, value, must);
        }
        memcpy((char *)&x->settings + n->offset, &got, sizeof got);
        return TFP_OK;
    }
    return tfp_fail(err, TFP_BADARG, "an index has no setting '%s'", name);
}

static tfp_status set_names(tfp_index *x, const char *value, tfp_error *err)
{
    char *copy = strdup(value);
    if (!copy) return tfp_nomem(err);
    free(x->settings.names);
    x->settings.names = copy;
    return TFP_OK;
}

tfp_status tfp_index_set(tfp_index *x, const char *name, const char *value, tfp_error *err)
{
    tfp_error_clear(err);
    if (!x || !name) return tfp_fail(err, TFP_BADARG, "no index, or no setting's name");
    if (strcmp(name, "retry") == 0) {
        x->settings.retry = true;
        return TFP_OK;
    }
    if (!value || !*value) return wrong(err, name, value, "given");
    if (strcmp(name, "path") == 0) return tfp_fleet_rules_pattern(&x->settings.rules, value, err);
    if (strcmp(name, "sidecar") == 0)
        return tfp_fleet_rules_sidecar(&x->settings.rules, value) ? TFP_OK : tfp_nomem(err);
    if (strcmp(name, "name") == 0) return set_names(x, value, err);
    if (strcmp(name, "tables") == 0) return set_tables(x, value, err);
    if (strcmp(name, "shard") == 0) return set_shard(x, value, err);
    if (strcmp(name, "fail-over") == 0) return set_share(x, value, err);
    return set_number(x, name, value, err);
}

/* ---- a pass ---- */

tfp_status tfp_index_run(tfp_index *x, const char *const *sources, size_t count, const char *out, tfp_error *err)
{
    tfp_error own; /* the pass needs an error's errno even if the caller wants no message */
    tfp_error_clear(err);
    if (!x || !sources || !count || !out || !*out)
        return tfp_fail(err, TFP_BADARG, "no index, no source, or no folder");
    tfp_error_clear(&own);
    return tfp_index_pass(&x->settings, sources, count, out, &x->counts, err ? err : &own);
}

static const struct {
    const char *name;
    size_t offset;
} counts[] = {
    { "files", offsetof(tfp_index_counts, files) },         { "indexed", offsetof(tfp_index_counts, indexed) },
    { "failed", offsetof(tfp_index_counts, failed) },       { "duplicates", offsetof(tfp_index_counts, duplicates) },
    { "unchanged", offsetof(tfp_index_counts, unchanged) }, { "replaced", offsetof(tfp_index_counts, replaced) },
    { "skipped", offsetof(tfp_index_counts, skipped) },     { "bytes", offsetof(tfp_index_counts, bytes) },
    { "parts", offsetof(tfp_index_counts, parts) },         { "not_taken", offsetof(tfp_index_counts, not_taken) },
    { "closed", offsetof(tfp_index_counts, closed) },
};

int64_t tfp_index_count(const tfp_index *x, const char *name)
{
    int64_t n = -1;
    for (size_t i = 0; x && name && i < sizeof counts / sizeof *counts; i++)
        if (strcmp(name, counts[i].name) == 0) memcpy(&n, (const char *)&x->counts + counts[i].offset, sizeof n);
    return n;
}

int tfp_index_is_over(const tfp_index *x)
{
    return x && !isnan(x->settings.fail_over) && x->counts.failed > 0 &&
           (double)x->counts.failed > x->settings.fail_over * (double)x->counts.files;
}

/* ---- questions ---- */

/* An error is better than an empty answer: an empty table of trends would pass a check. */
static tfp_status check_parts(const char *path, tfp_error *err)
{
    tfp_part_names runs = { 0 };
    if (!tfp_is_index(path)) return tfp_fail(err, TFP_BADFILE, "%s: no folder that tfprof index made", path);
    tfp_status s = tfp_part_names_read(&runs, path, tfp_fleet_tables[TFP_FLEET_RUNS].name, err);
    if (!s && !runs.size) s = tfp_part_names_read(&runs, path, "watch_steps", err); /* of tfprof watch */
    if (!s && !runs.size)
        s = tfp_fail(
            err, TFP_BADFILE,
            "%s: the index has no runs yet: tfprof index is at work there, or it ended too early: run it again", path);
    tfp_part_names_free(&runs);
    return s;
}

int tfp_is_index(const char *path) { return path && tfp_duckdb_is_index(path); }

tfp_status tfp_index_query(const char *path, const char *sql, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!path || !sql || !out) return tfp_fail(err, TFP_BADARG, "no index, no SQL, or nowhere to put the report");
    tfp_status s = check_parts(path, err);
    return s ? s : tfp_duckdb_query(path, sql, o, out, err);
}

tfp_status tfp_index_trend(const char *path, const char *const *settings, const tfp_options *o, tfp_report **out,
                           size_t *regressed, tfp_error *err)
{
    size_t own;
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!path || !out) return tfp_fail(err, TFP_BADARG, "no index, or nowhere to put the report");
    tfp_status s = check_parts(path, err);
    return s ? s : tfp_trend_of(path, settings, o, out, regressed ? regressed : &own, err);
}

tfp_status tfp_index_runs(const char *path, const char *const *settings, tfp_report **out, size_t *total, size_t *found,
                          tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!path || !out) return tfp_fail(err, TFP_BADARG, "no index, or nowhere to put the report");
    if (!tfp_is_index(path)) return tfp_fail(err, TFP_BADFILE, "%s: no folder that tfprof index made", path);
    return tfp_run_list(path, settings, out, total, found, err);
}

tfp_status tfp_index_folders(const char *path, void (*fn)(void *ctx, const char *folder), void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    return path && fn ? tfp_index_sources_each(path, fn, ctx, err)
                      : tfp_fail(err, TFP_BADARG, "no index, or no function");
}
