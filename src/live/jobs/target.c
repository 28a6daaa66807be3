// SPDX-License-Identifier: Apache-2.0
/* live/jobs/target.c: finds the one process that a number or the name of a script or program refers to. */
#include "live/jobs/top.h"

#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

/* The topmost process of a script or program: forked workers have the same name. */
static tfp_status find_named(const char *name, int64_t *pid, tfp_error *err)
{
    TFP_VEC(int64_t) found = { 0 };
    tfp_map64 set = { 0 };
    tfp_buf list = { 0 };
    size_t top = 0;
    DIR *d = opendir("/proc");
    bool ok = true;
    for (struct dirent *e; d && ok && (e = readdir(d));) {
        int64_t candidate;
        if (!isdigit((unsigned char)*e->d_name) || !tfp_parse_int64(tfp_str_of(e->d_name), &candidate)) continue;
        if (candidate == getpid() || !tfp_proc_is_called(candidate, name)) continue;
        ok = tfp_push(&found, candidate) && tfp_map64_put(&set, (uint64_t)candidate, 0);
    }
    if (d) closedir(d);
    for (size_t i = 0; ok && i < found.size; i++) {
        tfp_proc_stat stat;
        if (!tfp_proc_stat_read(found.at[i], &stat) || stat.state == 'Z') continue;
        if (tfp_map64_get(&set, (uint64_t)stat.parent) != TFP_NONE) continue;
        if (!top++) *pid = stat.pid;
        if (top <= 8) tfp_buf_printf(&list, " %lld", (long long)stat.pid);
    }
    tfp_buf_char(&list, 0);
    tfp_status s =
        !ok || list.failed ? tfp_nomem(err)
        : !top             ? tfp_fail(err, TFP_BADFILE, "%s: no such process", name)
        : top > 1 ? tfp_fail(err, TFP_BADFILE, "%s: %zu processes: name one by its number:%s", name, top, list.data)
                  : TFP_OK;
    tfp_buf_free(&list);
    tfp_map64_free(&set);
    tfp_vec_free(&found);
    return s;
}

tfp_status tfp_live_find(const char *target, int64_t *pid, tfp_error *err)
{
    tfp_proc_stat stat;
    if (strspn(target, "0123456789") != strlen(target)) return find_named(target, pid, err);
    if (!tfp_parse_int64(tfp_str_of(target), pid) || !tfp_proc_stat_read(*pid, &stat))
        return tfp_fail(err, TFP_BADFILE, "%s: no such process", target);
    if (stat.state == 'Z' || stat.state == 'X') return tfp_fail(err, TFP_BADFILE, "%s: it has ended (zombie)", target);
    return TFP_OK;
}
