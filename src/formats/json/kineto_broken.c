// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_broken.c: events and other members of a trace that are no JSON, such as those with an unescaped
 * quote in a name: they are left out, and reading goes on with the next one. A file with more broken events than others
 * is refused. Also what follows the end of the trace. */
#include "formats/json/kineto_broken.h"
#include "model/event_builder.h"

#define FEW 10000                      /* so many broken events may come before any other */
#define VAIN_MOST ((uint64_t)64 << 20) /* bytes that may be read in vain, beside those of VAIN_TIMES */
#define VAIN_TIMES 32                  /* for each byte of the file up to there */
#define MEMBERS ((size_t)1 << 20)      /* bytes in which the events are looked for at once after a broken member */
#define REST_WINDOW ((size_t)64 << 10)
#define REST 4096                /* most bytes of other text after the end of the trace */
#define MUCH ((uint64_t)1 << 20) /* bytes of broken events whose number is worth a word */

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

static tfp_status refuse(const tfp_kineto_broken *k, uint64_t rows, tfp_error *err)
{
    unsigned long long at = (unsigned long long)k->at, count = (unsigned long long)k->count, all = count + rows;
    if (all < 2) return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", at, k->wrong);
    return tfp_fail(err, TFP_BADFILE, "byte %llu: %s; %llu of %llu events are broken", at, k->wrong, count, all);
}

tfp_status tfp_kineto_judge(const tfp_kineto_broken *k, uint64_t rows, tfp_error *err)
{
    return k->count > rows ? refuse(k, rows, err) : TFP_OK;
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
    return k->count > FEW ? tfp_kineto_judge(k, rows, err) : TFP_OK;
}

/* Moves to the key of the events, searched from the byte after the current position. *found: it is there. */
static tfp_status seek_events(tfp_input *in, bool *found, tfp_error *err)
{
    static const tfp_str key = { "\"traceEvents\"", 13 };
    tfp_status s = TFP_OK;
    *found = false;
    for (size_t from = 1; !s && !*found; from = 0) {
        tfp_str window;
        s = tfp_input_peek(in, MEMBERS, &window, err);
        if (s || window.size < from + key.size) return s;
        size_t at = tfp_str_find((tfp_str){ window.data + from, window.size - from }, key);
        *found = at != SIZE_MAX;
        s = tfp_input_skip(in, *found ? from + at : window.size - key.size + 1, err);
    }
    return s;
}

tfp_status tfp_kineto_pass_member(tfp_builder *b, tfp_input *in, const tfp_jscan *j, uint64_t fault, bool *events,
                                  tfp_error *err)
{
    unsigned long long at = (unsigned long long)fault;
    tfp_buf place = { 0 };
    bool search = *events;
    tfp_status s = search ? seek_events(in, events, err) : TFP_OK;
    if (s || (!*events && j->fault == TFP_JSCAN_MORE)) return s;
    if (!*events && search) return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", at, j->wrong);
    tfp_buf_printf(&place, "byte %llu: %s", at, j->wrong);
    tfp_build_warn(b, "members beside the events that are no JSON, left out",
                   (tfp_str){ place.data ? place.data : "", place.size });
    tfp_buf_free(&place);
    return TFP_OK;
}

void tfp_kineto_tell_broken(const tfp_kineto_broken *k, tfp_kineto_left_out *left)
{
    if (!k->count) return;
    left->count = (int64_t)k->count;
    tfp_buf_printf(&left->first, "byte %llu: %s", (unsigned long long)k->at, k->wrong);
    if (k->skipped >= MUCH) tfp_buf_printf(&left->first, "; %llu MB in all", (unsigned long long)(k->skipped / MUCH));
}

/* A remark on what follows the end of the trace. */
static void tell_rest(tfp_builder *b, const char *what)
{
    tfp_build_data_finding(b, "warning", what, 1, TFP_STR(""));
    tfp_build_warn(b, what, TFP_STR(""));
}

tfp_status tfp_kineto_read_rest(tfp_kineto_reader *r, tfp_input *in, tfp_error *err)
{
    bool zeros = false;
    while (tfp_input_left(in)) {
        tfp_str window;
        tfp_status s = tfp_input_peek(in, REST_WINDOW, &window, err);
        if (s) return s;
        tfp_jscan j = tfp_jscan_start(window);
        zeros |= memchr(window.data, 0, window.size) != NULL; /* the scanner treats them as blanks */
        while (tfp_jscan_peek(&j) == ',') {
            tfp_kineto_note_commas(r, 1, tfp_input_at(in) + (uint64_t)(j.at - window.data));
            j.at++;
        }
        size_t at = (size_t)(j.at - window.data);
        if (tfp_jscan_peek(&j) && (window.size < tfp_input_left(in) || window.size - at > REST))
            return tfp_fail(err, TFP_BADFILE, "byte %llu: text after the end of the trace",
                            (unsigned long long)(tfp_input_at(in) + at));
        if (!j.fault) tell_rest(r->b, "text after the end of the trace, left out");
        s = tfp_input_skip(in, window.size, err);
        if (s) return s;
    }
    if (zeros) tell_rest(r->b, "zero bytes after the end of the trace, left out");
    return TFP_OK;
}
