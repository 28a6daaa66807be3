// SPDX-License-Identifier: Apache-2.0
/* watch/record/ring.c: rings of raw data, and a job's as a Chrome trace: a process for each rank, its steps as ProfilerStep#N, the lines at
 * which its main thread was seen, and its collectives and waits. */
#include "watch/record/ring.h"
#include "base/place.h"
#include "fleet/rows.h"
#include "wire/json.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_RECORDS 32768
#define CUT_EVERY_NS ((int64_t)600 * 1000000000)
#define CUT_AFTER_NS ((int64_t)2 * 1000000000)

enum { RING_LOOK = 1, RING_HIT, RING_STEP };

typedef struct record {
    int64_t at_ns, value; /* value: of a look the CPU time, of a hit the thread, of a step its start */
    uint32_t kind, what;  /* what: of a look its line, of a hit role and function, of a step its number */
    uint32_t state;       /* of a look: its class, and its state above bit 8 */
    uint32_t call;        /* of a look: its system call */
} record;

struct watch_ring {
    char magic[8];
    uint64_t next; /* records so far */
    record records[RING_RECORDS];
};

static void file_name(const watch_process *p, char out[64])
{
    snprintf(out, 64, "_%lld-%lld.ring", (long long)p->rank.pid, (long long)p->times.start_ticks);
}

void watch_ring_open(watch_process *p, int folder)
{
    char name[64];
    p->ring = NULL;
    if (folder < 0) return;
    file_name(p, name);
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return;
    /* a full disk would raise SIGBUS later */
    void *at = posix_fallocate(fd, 0, sizeof(watch_ring)) == 0
                   ? mmap(NULL, sizeof(watch_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    close(fd);
    if (at == MAP_FAILED) {
        unlinkat(folder, name, 0);
        return;
    }
    p->ring = at;
    memset(at, 0, sizeof(watch_ring));
    memcpy(p->ring->magic, "tfpring1", 8);
}

void watch_ring_close(watch_process *p, int folder)
{
    char name[64];
    if (!p->ring) return;
    munmap(p->ring, sizeof(watch_ring));
    p->ring = NULL;
    file_name(p, name);
    unlinkat(folder, name, 0);
}

static void add(watch_process *p, record x)
{
    if (p->ring) p->ring->records[p->ring->next++ % RING_RECORDS] = x;
}

void watch_ring_look(watch_process *p, const watch_look *l)
{
    add(p, (record){ l->at_ns, l->cpu_ns, RING_LOOK, l->line, (uint32_t)l->doing | (uint32_t)l->state << 8,
                     (uint32_t)l->call });
}

void watch_ring_hit(watch_process *p, const tfp_probe_hit *hit)
{
    add(p, (record){ hit->at_ns, hit->tid, RING_HIT, hit->function << 8 | (uint32_t)hit->role, 0, 0 });
}

void watch_ring_step(watch_process *p, const watch_step *step)
{
    add(p, (record){ step->end_ns, step->start_ns, RING_STEP, (uint32_t)step->number, 0, 0 });
}

/* ---- a trace ---- */

typedef struct tracing {
    tfp_json j;
    const watch_process *p;
    int64_t from_ns, base_ns; /* base_ns: what is 0 in the trace */
} tracing;

static void begin_event(tracing *t, const char *phase, tfp_str name, const char *category, int64_t tid)
{
    tfp_json_open(&t->j, '{');
    tfp_json_text_at(&t->j, "ph", phase);
    tfp_json_key(&t->j, "name");
    tfp_json_str(&t->j, name);
    if (category) tfp_json_text_at(&t->j, "cat", category);
    tfp_json_int_at(&t->j, "pid", t->p->rank.pid);
    tfp_json_int_at(&t->j, "tid", tid);
}

static void put_span(tracing *t, tfp_str name, const char *category, int64_t start_ns, int64_t end_ns)
{
    if (start_ns < t->from_ns) start_ns = t->from_ns;
    if (end_ns <= start_ns) return;
    begin_event(t, "X", name, category, t->p->rank.pid);
    tfp_json_key(&t->j, "ts");
    tfp_json_thousandths(&t->j, start_ns - t->base_ns);
    tfp_json_key(&t->j, "dur");
    tfp_json_thousandths(&t->j, end_ns - start_ns);
    tfp_json_close(&t->j, '}');
}

static void put_name(tracing *t, const char *what, const char *name)
{
    begin_event(t, "M", tfp_str_of(what), NULL, t->p->rank.pid);
    tfp_json_key(&t->j, "args");
    tfp_json_open(&t->j, '{');
    tfp_json_text_at(&t->j, "name", name);
    tfp_json_close(&t->j, '}');
    tfp_json_close(&t->j, '}');
}

static tfp_str line_text(const watch_process *p, uint32_t line)
{
    return line && line < p->texts.table.count ? tfp_strtab_get(&p->texts.table, line) : TFP_STR("(no line)");
}

/* What the records of a process have been so far. */
typedef struct walk {
    int64_t seen_ns, line_ns; /* of the last look; begin of its line */
    uint32_t line;
    int64_t wait_ns;
} walk;

static void put_record(tracing *t, walk *w, const record *x)
{
    char name[40];
    tfp_probe_role role = (tfp_probe_role)(x->what & 255);
    if (x->kind == RING_STEP) {
        snprintf(name, sizeof name, "ProfilerStep#%u", x->what);
        put_span(t, tfp_str_of(name), "user_annotation", x->value, x->at_ns);
    } else if (x->kind == RING_HIT && role == TFP_PROBE_WAIT) {
        w->wait_ns = x->at_ns;
    } else if (x->kind == RING_HIT && role == TFP_PROBE_WAIT_END) {
        if (w->wait_ns) put_span(t, TFP_STR("wait"), "cpu_op", w->wait_ns, x->at_ns);
        w->wait_ns = 0;
    } else if (x->kind == RING_HIT) {
        const char *called = role == TFP_PROBE_COLLECTIVE ? "collective" : tfp_probe_name(x->what >> 8);
        put_span(t, tfp_str_of(called), "cpu_op", x->at_ns, x->at_ns + 1000);
    } else if (x->kind == RING_LOOK) {
        if (w->seen_ns && x->what != w->line) {
            put_span(t, line_text(t->p, w->line), "python_function", w->line_ns, w->seen_ns);
            w->line_ns = w->seen_ns;
        }
        if (!w->seen_ns) w->line_ns = x->at_ns;
        w->line = x->what;
        w->seen_ns = x->at_ns;
    }
}

static void put_process(tracing *t)
{
    const watch_ring *ring = t->p->ring;
    walk w = { 0 };
    char name[64];
    if (!ring) return;
    snprintf(name, sizeof name, "rank %lld", (long long)t->p->rank.rank);
    put_name(t, "process_name", t->p->rank.rank == TFP_ABSENT ? t->p->about.name : name);
    put_name(t, "thread_name", "main thread");
    uint64_t first = ring->next > RING_RECORDS ? ring->next - RING_RECORDS : 0;
    for (uint64_t i = first; i < ring->next; i++)
        if (ring->records[i % RING_RECORDS].at_ns >= t->from_ns) put_record(t, &w, &ring->records[i % RING_RECORDS]);
    if (w.seen_ns) put_span(t, line_text(t->p, w.line), "python_function", w.line_ns, w.seen_ns);
    if (w.wait_ns) put_span(t, TFP_STR("wait"), "cpu_op", w.wait_ns, w.seen_ns);
}

static tfp_status write_cut(watch_recorder *r, const watch_cut *cut)
{
    tfp_buf text = { 0 };
    tracing t = { .j = tfp_json_start(&text), .base_ns = cut->at_ns - r->settings->ring_s * 1000000000 };
    t.from_ns = t.base_ns;
    tfp_json_open(&t.j, '{');
    tfp_json_int_at(&t.j, "schemaVersion", 1);
    tfp_json_int_at(&t.j, "baseTimeNanoseconds", t.base_ns + r->unix_offset_ns);
    tfp_json_key(&t.j, "traceEvents");
    tfp_json_open(&t.j, '[');
    for (size_t i = 0; i < r->list.size; i++) {
        t.p = r->list.at[i];
        if (t.p->rank.job == cut->job) put_process(&t);
    }
    tfp_json_close(&t.j, ']');
    tfp_json_close(&t.j, '}');
    tfp_status s =
        text.failed ? tfp_nomem(r->err) : r->to->cut(r->to->ctx, cut->name, (tfp_str){ text.data, text.size }, r->err);
    tfp_buf_free(&text);
    tfp_memory_give_back(); /* ten megabytes for four ranks */
    return s;
}

void watch_ring_name(const tfp_watch_finding *f, const char *folder, const char *ending, char out[WATCH_RING_NAME])
{
    char time[TFP_TIME_TEXT];
    tfp_str parts[3] = { f->job, tfp_fleet_time(TFP_CELL_TIME, f->found, false, time), f->kind };
    size_t at = (size_t)snprintf(out, WATCH_RING_NAME, "%s/", folder);
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < parts[i].size && k < 60; k++) {
            char c = parts[i].data[k];
            if (i == 1 && (c == '-' || c == ':')) continue;
            out[at++] = isalnum((unsigned char)c) || c == '_' || (c == '.' && k) ? c : '_';
        }
        if (i < 2) out[at++] = '-';
    }
    snprintf(out + at, WATCH_RING_NAME - at, "%s", ending);
}

tfp_status watch_ring_cut(watch_recorder *r, const tfp_watch_rank *rank, const tfp_watch_finding *f,
                          char name[WATCH_RING_NAME])
{
    watch_job *j = watch_job_of(r, rank->job);
    watch_process *p = watch_process_of(r, rank->pid);
    int64_t now = tfp_now_ns();
    *name = '\0';
    if (!j || !p || !p->ring || !r->settings->ring_s || (j->cut_ns && now - j->cut_ns < CUT_EVERY_NS)) return TFP_OK;
    watch_cut cut = { .job = rank->job, .at_ns = now };
    j->cut_ns = now;
    watch_ring_name(f, "rings", ".tfprof", cut.name);
    tfp_status s = write_cut(r, &cut);
    if (s) return s == TFP_NOMEM ? s : TFP_OK; /* a finding without a ring is better than none */
    snprintf(name, WATCH_RING_NAME, "%s", cut.name);
    return tfp_push(&r->cuts, cut) ? TFP_OK : tfp_nomem(r->err);
}

tfp_status watch_ring_tick(watch_recorder *r, int64_t now_ns)
{
    size_t kept = 0;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < r->cuts.size; i++) {
        watch_cut cut = r->cuts.at[i];
        if (now_ns - cut.at_ns < CUT_AFTER_NS)
            r->cuts.at[kept++] = cut;
        else if (write_cut(r, &cut) == TFP_NOMEM)
            s = tfp_nomem(r->err);
    }
    r->cuts.size = kept;
    return s;
}
