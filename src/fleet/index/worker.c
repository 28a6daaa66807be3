// SPDX-License-Identifier: Apache-2.0
/* fleet/index/worker.c: a process that reads one file after another and answers with rows. It may crash, hang or take too much
 * memory: then the index ends it, and continues with another one. */
#include "fleet/index/index.h"
#include "fleet/index/stream.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Limits the process to its present memory plus `bytes`; 0: no limit. */
static void limit_memory(int64_t bytes)
{
    long long pages = 0;
    FILE *f = bytes ? fopen("/proc/self/statm", "re") : NULL;
    struct rlimit now;
    if (!f) return;
    if (fscanf(f, "%lld", &pages) == 1 && getrlimit(RLIMIT_AS, &now) == 0) {
        rlim_t most = (rlim_t)tfp_add(tfp_mul(pages, sysconf(_SC_PAGESIZE), NULL), bytes, NULL);
        now.rlim_cur = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? most : now.rlim_max;
        setrlimit(RLIMIT_AS, &now);
    }
    fclose(f);
}

static void unlimit_memory(int64_t bytes)
{
    struct rlimit now;
    if (!bytes || getrlimit(RLIMIT_AS, &now) != 0) return;
    now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_AS, &now);
}

static bool answer(int fd, const tfp_fleet_rows *rows, const tfp_fleet_result *r, tfp_buf *packed)
{
    tfp_worker_answer head = { .code = (uint32_t)r->code, .not_taken = (uint32_t)r->not_taken };
    packed->size = 0;
    packed->failed = false;
    memcpy(head.run, r->run, sizeof head.run);
    if (r->code == TFP_FLEET_RUN)
        tfp_fleet_pack(rows, packed);
    else
        tfp_buf_add(packed, r->error.text, r->error.size);
    if (packed->failed) {
        head.code = TFP_FLEET_LIMIT;
        packed->size = 0;
    }
    head.size = packed->size;
    return tfp_stream_write(fd, &head, sizeof head) && tfp_stream_write(fd, packed->data, packed->size);
}

_Noreturn void tfp_worker_run(const tfp_index_settings *settings, int jobs, int answers)
{
    enum { BIG = 16 << 20 };
    static tfp_fleet_result result; /* static because it holds a message of 4,000 bytes */
    tfp_fleet_rows rows;
    tfp_worker_job job;
    tfp_buf names = { 0 }, packed = { 0 };
    tfp_end_with_parent();
    signal(SIGINT, SIG_IGN); /* the index ends its workers itself */
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    setenv("TFPROF_THREADS", "1", 1); /* several files are read in parallel, so each file is read by one thread */
    if (!tfp_fleet_rows_start(&rows, settings->tables)) _exit(1);
    while (tfp_stream_read(jobs, &job, sizeof job) && job.size < 4 * PATH_MAX) {
        names.size = 0;
        tfp_buf_fill(&names, 0, job.size);
        if (names.failed || !tfp_stream_read(jobs, names.data, job.size)) break;
        tfp_fleet_file f = { .file = names.data,
                             .path = { names.data + job.file_size, job.size - job.file_size - 1 },
                             .size = job.bytes,
                             .mtime_us = job.mtime_us };
        limit_memory(settings->memory);
        settings->read(&settings->rules, &f, &rows, &result);
        unlimit_memory(settings->memory);
        bool ok = answer(answers, &rows, &result, &packed) && tfp_fleet_rows_clear(&rows);
        if (!ok) break;
        if (packed.capacity > BIG) tfp_buf_free(&packed);
        if (job.bytes > BIG / 4) tfp_memory_give_back();
    }
    _exit(0);
}
