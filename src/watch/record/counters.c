// SPDX-License-Identifier: Apache-2.0
/* watch/record/counters.c: totals of a process from /proc and its cgroup, read each second. */
#include "watch/record/process.h"
#include "base/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *value_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? at + strlen(key) : NULL;
}

/* The file in which the cgroup of the process counts how long it was throttled. */
static void find_throttle(watch_process *p)
{
    char text[4096], path[2][300];
    long n = tfp_proc_read(p->rank.pid, "cgroup", text, sizeof text);
    *p->files.throttle = '\0';
    for (char *line = n > 0 ? text : NULL, *next; line && *line; line = next) {
        size_t size = strcspn(line, "\n");
        next = line[size] ? line + size + 1 : line + size;
        line[size] = '\0';
        const char *first = strchr(line, ':'), *folder = first ? strchr(first + 1, ':') : NULL;
        if (!folder || strstr(folder, "/../")) continue;
        bool two = first[1] == ':', cpu = strstr(first, "cpu") && strstr(first, "cpu") < folder;
        if (!two && !cpu) continue;
        int made[2] = { snprintf(path[0], sizeof *path, "/sys/fs/cgroup%s/cpu.stat", folder + 1),
                        snprintf(path[1], sizeof *path, "/sys/fs/cgroup/cpu%s/cpu.stat", folder + 1) };
        if ((size_t)made[!two] < sizeof *path && access(path[!two], R_OK) == 0) {
            snprintf(p->files.throttle, sizeof p->files.throttle, "%s", path[!two]);
            return;
        }
    }
}

void watch_counters_open(watch_process *p)
{
    find_throttle(p);
    p->totals[0].at_ns = p->totals[1].at_ns = 0;
}

static int64_t read_throttled(const watch_process *p)
{
    tfp_buf text = { 0 };
    const char *at = NULL;
    int64_t ns = -1;
    if (*p->files.throttle && !tfp_read_file(p->files.throttle, 4096, &text, NULL)) {
        tfp_buf_char(&text, '\0');
        if (text.failed) return -1;
        if ((at = value_after(text.data, "throttled_usec ")))
            ns = strtoll(at, NULL, 10) * 1000;
        else if ((at = value_after(text.data, "throttled_time ")))
            ns = strtoll(at, NULL, 10);
    }
    tfp_buf_free(&text);
    return ns;
}

bool watch_counters_read(watch_process *p)
{
    char text[4096];
    tfp_proc_stat stat;
    watch_totals t = { tfp_now_ns(), -1, -1, -1, -1, -1, -1, -1 };
    long n = tfp_proc_read_kept(p->rank.pid, "stat", &p->files.stat, text, sizeof text);
    if (n <= 0 || !tfp_proc_stat_parse((tfp_str){ text, (size_t)n }, &stat) || stat.start_ticks != p->times.start_ticks)
        return false;
    p->state = stat.state;
    if (stat.state == 'Z' || stat.state == 'X') return false;
    t.faults = stat.major_faults;
    t.rss_bytes = stat.resident_bytes;
    t.cpu_ns = tfp_proc_cpu_ns(p->rank.pid);
    n = tfp_proc_read(p->rank.pid, "status", text, sizeof text);
    const char *at = n > 0 ? value_after(text, "nonvoluntary_ctxt_switches:") : NULL;
    if (at) t.switches = strtoll(at, NULL, 10);
    n = tfp_proc_read_kept(p->rank.pid, "io", &p->files.io, text, sizeof text);
    if (n <= 0 || !tfp_proc_io_parse((tfp_str){ text, (size_t)n }, &t.read_bytes, &t.write_bytes))
        t.read_bytes = t.write_bytes = -1;
    t.throttled_ns = read_throttled(p);
    p->totals[0] = p->totals[1];
    p->totals[1] = t;
    return true;
}
