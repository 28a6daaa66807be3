// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_broken.c: events that are no JSON, such as those with an unescaped quote in a name: they are left
 * out, and reading goes on with the next event. A file with more broken events than others is refused. */
#include "formats/json/kineto_broken.h"

#define FEW 10000                        /* so many broken events may come before any other */
#define VAIN_MOST ((uint64_t)64 << 20)   /* bytes that may be read in vain, beside those of VAIN_TIMES */
#define VAIN_TIMES 32                    /* for each byte of the file up to there */
#define MEMBERS ((size_t)4 << 20)        /* bytes in which the events are looked for after a broken member */
#define EVENT_BYTES ((uint64_t)16 << 10) /* a broken event of more bytes counts as several */

tfp_status tfp_kineto_window(tfp_input *in, size_t want, tfp_str *window, bool *whole, tfp_error *err)
{
    tfp_status s = tfp_input_peek(in, want, window, err);
    if (s) return s;
    if (window->size > want) window->size = want;
    *whole = window->size == tfp_input_left(in);
    return TFP_OK;
}

static tfp_status skip(tfp_kineto_broken *k, tfp_input *in, size_t size, tfp_error *err)
{
    k->skipped += size;
    return tfp_input_skip(in, size, err);
}

tfp_status tfp_kineto_pass(tfp_kineto_broken *k, tfp_input *in, size_t want, bool on, bool *found, tfp_error *err)
{
    tfp_status s = TFP_OK;
    bool whole = false, begin = true;
    size_t from = 0, least = want;
    *found = false;
    while (!s && !whole) {
        tfp_str window;
        size_t at;
        s = tfp_kineto_window(in, want, &window, &whole, err);
        if (s) return s;
        if (begin) from = tfp_jresync_after(window, 0);
        begin = false;
        tfp_jresync_found what = tfp_jresync_find(&k->sync, window, from, whole, &at);
        *found = what == TFP_JRESYNC_ITEM || what == TFP_JRESYNC_CLOSE;
        if (*found) return skip(k, in, at, err);
        if (!on) return TFP_OK;
        if (what == TFP_JRESYNC_PART && at == 0) { /* longer than the window */
            from = want > TFP_KINETO_EVENT_MAX;
            want = from ? least : want * 2;
        } else if (!whole) {
            s = skip(k, in, at, err);
            from = 0;
            want = least;
        } else {
            k->skipped += window.size;
        }
    }
    return s;
}

static uint64_t broken_events(const tfp_kineto_broken *k)
{
    uint64_t size = k->skipped / EVENT_BYTES;
    return k->count > size ? k->count : size;
}

static tfp_status refuse(const tfp_kineto_broken *k, uint64_t rows, tfp_error *err)
{
    unsigned long long at = (unsigned long long)k->at, count = (unsigned long long)k->count, all = count + rows;
    if (all < 2) return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", at, k->wrong);
    return tfp_fail(err, TFP_BADFILE, "byte %llu: %s; %llu of %llu events are broken", at, k->wrong, count, all);
}

tfp_status tfp_kineto_judge(const tfp_kineto_broken *k, uint64_t rows, tfp_error *err)
{
    return broken_events(k) > rows ? refuse(k, rows, err) : TFP_OK;
}

tfp_status tfp_kineto_note_broken(tfp_kineto_broken *k, uint64_t rows, const char *wrong, uint64_t at, tfp_error *err)
{
    if (!k->count) {
        k->at = at;
        k->wrong = wrong;
    }
    k->count += 1 + k->sync.broken;
    k->sync.broken = 0;
    bool slow = k->parsed > VAIN_MOST && (k->parsed - VAIN_MOST) / VAIN_TIMES > at;
    if (slow) return refuse(k, rows, err);
    return broken_events(k) > FEW ? tfp_kineto_judge(k, rows, err) : TFP_OK;
}

tfp_status tfp_kineto_pass_member(tfp_builder *b, tfp_input *in, const tfp_jscan *j, size_t fault, bool *events,
                                  tfp_error *err)
{
    tfp_str window;
    unsigned long long at = (unsigned long long)(tfp_input_at(in) + fault);
    tfp_buf place = { 0 };
    tfp_status s = tfp_input_peek(in, MEMBERS, &window, err);
    if (s) return s;
    size_t next = SIZE_MAX;
    bool search = *events;
    if (search && window.size)
        next = tfp_str_find((tfp_str){ window.data + 1, window.size - 1 }, TFP_STR("\"traceEvents\""));
    *events = next != SIZE_MAX;
    if (!*events && j->fault == TFP_JSCAN_MORE) return TFP_OK;
    if (!*events && search) return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", at, j->wrong);
    tfp_buf_printf(&place, "byte %llu: %s", at, j->wrong);
    tfp_build_warn(b, "members beside the events that are no JSON, left out",
                   (tfp_str){ place.data ? place.data : "", place.size });
    tfp_buf_free(&place);
    return *events ? tfp_input_skip(in, next + 1, err) : TFP_OK;
}
