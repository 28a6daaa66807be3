// SPDX-License-Identifier: Apache-2.0
/* watch/judge/findings.c: a fault is said once: the finding stays open until it ends, and is not said again for ten
 * minutes. */
#include "watch/judge/parts.h"

finding *judge_open(const job *of, const char *kind)
{
    for (size_t i = 0; i < of->findings.size; i++) {
        finding *f = of->findings.at[i];
        if (f->row.ended == TFP_ABSENT && (!kind || tfp_str_eq(f->row.kind, tfp_str_of(kind)))) return f;
    }
    return NULL;
}

static void free_finding(finding *f)
{
    tfp_arena_free(&f->texts);
    free(f);
}

void judge_findings_free(job *of)
{
    for (size_t i = 0; i < of->findings.size; i++) free_finding(of->findings.at[i]);
    tfp_vec_free(&of->findings);
}

/* Forgets findings that have ended and may be said again. */
static void forget(job *of, int64_t now_us)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->findings.size; i++) {
        finding *f = of->findings.at[i];
        if (f->row.ended != TFP_ABSENT && now_us - f->found_us > AGAIN_US)
            free_finding(f);
        else
            of->findings.at[kept++] = f;
    }
    of->findings.size = kept;
}

static bool copy_texts(finding *f)
{
    tfp_str *const texts[] = { &f->row.kind, &f->row.cause, &f->row.line, &f->row.waiting, &f->row.evidence };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]->data && !(texts[i]->data = tfp_arena_copy(&f->texts, *texts[i]))) return false;
    return true;
}

bool judge_say(tfp_watch_judge *j, job *of, const member *m, tfp_watch_finding *row, int64_t now_us)
{
    const member *first = m ? m : of->members.at[0];
    forget(of, now_us);
    for (size_t i = 0; i < of->findings.size; i++)
        if (of->findings.at[i]->of == m && tfp_str_eq(of->findings.at[i]->row.kind, row->kind)) return false;
    row->run = first->who.run;
    row->job = first->who.name;
    row->host = first->who.host;
    row->rank = m ? m->who.rank : TFP_ABSENT;
    row->found = now_us + j->unix_offset;
    row->date = row->found / ((int64_t)86400 * 1000000);
    finding *f = calloc(1, sizeof *f);
    if (f) *f = (finding){ .row = *row, .of = m, .who = &first->who, .found_us = now_us };
    if (!f || !copy_texts(f) || !tfp_push(&of->findings, f)) {
        if (f) free_finding(f);
        j->nomem = true;
        return false;
    }
    j->heard.found(j->heard.ctx, &first->who, &f->row);
    return true;
}

void judge_end(tfp_watch_judge *j, finding *f, int64_t now_us)
{
    f->row.ended = now_us + j->unix_offset;
    j->heard.found(j->heard.ctx, f->who, &f->row);
}

void judge_put_others(tfp_buf *b, const job *of, const member *m)
{
    for (size_t i = 0; i < of->members.size; i++) {
        const member *other = of->members.at[i];
        if (other == m || other->gone || other->who.rank == TFP_ABSENT) continue;
        if (b->size) tfp_buf_char(b, '|');
        tfp_buf_int(b, other->who.rank);
    }
}
