// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto.c: traces of PyTorch (Kineto), and any other trace in Chrome's trace event format. In: an object
 * with `traceEvents`, or an array of events. Out: events of one process, with its rank and its devices. The file is
 * read in windows; a window is cut into pieces between events, and each piece is parsed by itself (kineto_event.c). Of
 * a truncated file, whose writer was killed, the complete events are read, with a warning. */
#include "base/threads.h"
#include "formats/files/folder.h"
#include "formats/files/format.h"
#include "formats/json/kineto.h"
#include "formats/json/kineto_broken.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#define WINDOW TFP_KINETO_WINDOW
#define PIECE WINDOW
#define AHEAD ((size_t)16 << 10) /* bytes in which the end of a piece is looked for */
#define AHEAD_MOST ((size_t)256 << 10)
#define FALSE_CUTS 4               /* after this many wrong cuts the file is no longer cut into pieces */
#define BROKEN 64                  /* and after this many broken events */
#define MEMBER ((size_t)64 << 10)  /* most bytes of a member of the object around the events */
#define FACT_MAX ((size_t)4 << 20) /* most bytes of an array or object that is kept as a fact */

typedef struct event_key {
    char text[64];
    size_t size; /* 0: unknown */
} event_key;

typedef struct file {
    tfp_builder *b;
    tfp_input *in;
    tfp_kineto_reader r;
    tfp_kineto_slot *slots;
    size_t slot_count, threads, piece;
    event_key first;      /* key of the first member of the file's first event */
    event_key cut_before; /* of events from here on: those of metadata, which come first, may begin with another */
    unsigned false_cuts;
    uint64_t next;        /* where reading goes on after the pieces */
    bool stopped, closed; /* stopped: no more pieces; closed: the array has ended */
    tfp_status status;    /* status of the pieces that were merged */
    tfp_error *err;
    tfp_status taking; /* status of reading the next piece, set by another thread */
    tfp_error taking_error;
    bool has_events; /* an array of events was found */
    bool cut;        /* the file is truncated */
    bool over;       /* what follows is broken and is not read */
    bool went_back;  /* to look for the events in a broken member */
    tfp_kineto_broken broken;
    tfp_kineto_facts facts;
} file;

/* ---- probe ---- */

/* Some editors and scripts leave a byte order mark before the text. */
static size_t mark_size(tfp_str head) { return head.size >= 3 && memcmp(head.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; }

static int probe(tfp_str head, uint64_t total)
{
    bool whole = head.size == total;
    head = (tfp_str){ head.data + mark_size(head), head.size - mark_size(head) };
    tfp_jscan j = tfp_jscan_start(head);
    unsigned char c = tfp_jscan_peek(&j);
    if (c != '{' && c != '[') return 0;
    j.at++;
    unsigned char next = tfp_jscan_peek(&j);
    while (next == ',') { /* commas too many */
        j.at++;
        next = tfp_jscan_peek(&j);
    }
    if (c == '[') return next == '{' && tfp_str_has(head, TFP_STR("\"ph\"")) ? 90 : next == '{' ? 20 : 0;
    if (next != '"' && next != '}') return 0;
    if (tfp_str_has(head, TFP_STR("\"tfprof.capture\""))) return 0; /* it is a manifest of recordings */
    if (tfp_str_has(head, TFP_STR("\"traceEvents\""))) return 95;
    if (tfp_str_has(head, TFP_STR("\"schemaVersion\""))) return 90;
    return whole ? 0 : 40; /* a settings file in a folder of traces is no trace */
}

/* ---- errors ---- */

static tfp_status fail_at(const file *f, const char *what, size_t offset, tfp_error *err)
{
    return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", (unsigned long long)(tfp_input_at(f->in) + offset), what);
}

/* ---- events, one piece at a time ---- */

/* Passes the broken event at the current position, if reading cannot go on otherwise. *grow: it may only be longer than
 * the window. */
static tfp_status pass_broken(file *f, size_t want, bool whole, bool *grow, tfp_error *err)
{
    tfp_kineto_piece *p = &f->slots[0].piece;
    bool found, wrong = p->fault == TFP_JSCAN_WRONG;
    uint64_t fault = (uint64_t)(p->wrong_at - p->window.data), at = tfp_input_at(f->in);
    const char *why = wrong ? p->wrong : "a string or bracket without an end";
    tfp_status s = tfp_kineto_pass(&f->broken, f->in, want, wrong, &found, err);
    *grow = !s && !found && !wrong && !whole;
    if (s || *grow) return s;
    f->cut = !found;
    if (!found && !wrong) return TFP_OK; /* the file is truncated here */
    f->broken.parsed += wrong ? fault : want;
    return tfp_kineto_note_broken(&f->broken, f->r.rows, why, wrong ? at + fault : at, err);
}

/* Reads some events from the current position; an event that the window cuts is left for the next call. */
static tfp_status read_some(file *f, bool *first, bool *closed, tfp_error *err)
{
    tfp_kineto_slot *s = &f->slots[0];
    for (size_t want = WINDOW;;) {
        bool whole, grow;
        tfp_str window;
        tfp_status status = tfp_kineto_window(f->in, want, &window, &whole, err);
        if (status) return status;
        s->piece.window = window;
        s->piece.offset = tfp_input_at(f->in);
        s->piece.from = window.data;
        s->piece.soft = window.data + (window.size < f->piece ? window.size : f->piece);
        s->piece.first = *first;
        tfp_kineto_parse(s);
        size_t used = (size_t)(s->piece.end - window.data);
        if (used == 0 && !s->piece.closed && !s->failed) {
            status = pass_broken(f, want, whole, &grow, err);
            *first |= !grow; /* no comma is needed */
            if (status || !grow) return status;
            if (want > TFP_KINETO_EVENT_MAX) return fail_at(f, "an event of more than 256 MB", 0, err);
            want *= 2;
            continue;
        }
        tfp_kineto_merge(&f->r, s);
        *closed = s->piece.closed;
        *first = s->piece.first;
        status = tfp_input_skip(f->in, used, err);
        if (!status) status = tfp_builder_status(f->b, err);
        if (status || s->piece.fault != TFP_JSCAN_WRONG) return status;
        want = WINDOW;
    }
}

/* ---- events, several pieces side by side ---- */

/* The end of the first event after `from` that seems to be followed by another event: "}, {" and the key with which
 * events begin. NULL: there is none within reach. The same text may occur inside an event; the piece then
 * ends in the wrong place, which is noticed, and it is read again. */
static const char *find_cut(const file *f, const char *from, const char *end)
{
    while ((from = memchr(from, '}', (size_t)(end - from)))) {
        tfp_jscan j = { .at = ++from, .end = end };
        if (tfp_jscan_peek(&j) != ',') continue;
        j.at++;
        if (tfp_jscan_peek(&j) != '{') continue;
        j.at++;
        tfp_jscan_text key;
        if (tfp_jscan_string(&j, &key) && tfp_str_eq(key.raw, (tfp_str){ f->cut_before.text, f->cut_before.size }))
            return from;
    }
    return NULL;
}

/* Takes the next piece. Its bytes are copied to the slot's buffer, because the input's window moves on. */
static bool take(void *ctx, size_t slot, size_t worker)
{
    file *f = ctx;
    tfp_kineto_slot *s = &f->slots[slot];
    tfp_str window;
    (void)worker;
    const char *cut = NULL;
    for (size_t ahead = AHEAD; !cut && ahead <= AHEAD_MOST; ahead *= 4) {
        f->taking = tfp_input_peek(f->in, f->piece + ahead, &window, &f->taking_error);
        if (f->taking || window.size <= f->piece) return false;
        cut = find_cut(f, window.data + f->piece, window.data + window.size);
    }
    if (!cut) return false;
    s->piece.offset = tfp_input_at(f->in);
    f->taking = tfp_input_give(f->in, (size_t)(cut - window.data), &s->piece.own, &s->piece.window, &f->taking_error);
    s->piece.from = s->piece.window.data;
    s->piece.soft = s->piece.window.data + s->piece.window.size;
    s->piece.first = false;
    return !f->taking && !s->failed;
}

static void work(void *ctx, size_t slot) { tfp_kineto_parse(&((file *)ctx)->slots[slot]); }

static bool join(void *ctx, size_t slot)
{
    file *f = ctx;
    tfp_kineto_slot *s = &f->slots[slot];
    if (f->status || f->stopped) return false;
    f->next = s->piece.offset + (uint64_t)(s->piece.end - s->piece.window.data);
    tfp_kineto_merge(&f->r, s);
    f->status = tfp_builder_status(f->b, f->err);
    if (!f->status) f->status = tfp_input_tell(f->in, s->piece.offset, f->next, f->err);
    f->closed = s->piece.closed;
    f->stopped = s->piece.closed || s->piece.end != s->piece.soft; /* whether the piece ended with an event */
    f->false_cuts += !s->piece.closed && f->stopped && s->piece.fault != TFP_JSCAN_WRONG;
    return !f->status && !f->stopped;
}

/* Reads pieces as long as the cuts are right. Afterwards the input stands after the last event that was added. */
static tfp_status read_pieces(file *f, tfp_error *err)
{
    static const tfp_pieces calls = { .take = take, .work = work, .join = join, .caller_joins = true };
    tfp_pieces pieces = calls;
    pieces.ctx = f;
    f->err = err;
    f->status = f->taking = TFP_OK;
    f->stopped = f->closed = false;
    f->next = tfp_input_at(f->in);
    f->in->window = f->piece + AHEAD; /* the bytes read beyond a piece are copied to the next one */
    tfp_pieces_run(&pieces, f->threads);
    if (!f->status && !f->stopped && f->taking) {
        f->status = f->taking;
        if (err) *err = f->taking_error;
    }
    return f->status ? f->status : tfp_input_seek(f->in, f->next, err);
}

/* Finds the key with which the next event begins; an unknown one leaves *key as it is. */
static tfp_status learn_key(file *f, event_key *key, tfp_error *err)
{
    tfp_str window;
    tfp_status s = tfp_input_peek(f->in, MEMBER, &window, err);
    if (s) return s;
    tfp_jscan j = tfp_jscan_start(window);
    tfp_jscan_text found;
    size_t at = tfp_jresync_after(window, 0);
    if (!at || window.data[at - 1] != '{') return TFP_OK;
    j.at += at;
    if (!tfp_jscan_string(&j, &found) || found.raw.size > sizeof key->text) return TFP_OK;
    memcpy(key->text, found.raw.data, found.raw.size);
    key->size = found.raw.size;
    return TFP_OK;
}

static tfp_status learn_first_key(file *f, tfp_error *err)
{
    f->first.size = 0;
    tfp_status s = learn_key(f, &f->first, err);
    if (f->first.size) f->broken.sync.first = (tfp_str){ f->first.text, f->first.size };
    f->cut_before = f->first;
    return s;
}

/* Reads pieces; where there is none the events that follow may begin with another key. */
static tfp_status read_pieces_or_learn(file *f, tfp_error *err)
{
    uint64_t from = tfp_input_at(f->in);
    tfp_status s = read_pieces(f, err);
    bool none = !s && !f->closed && tfp_input_at(f->in) == from;
    return none ? learn_key(f, &f->cut_before, err) : s;
}

/* Reads the array's events; its '[' was read already. */
static tfp_status read_events(file *f, tfp_error *err)
{
    bool first = true, closed = false;
    if (f->has_events) tfp_kineto_next_array(&f->r);
    f->has_events = true;
    tfp_status s = learn_first_key(f, err);
    while (!s && !closed && !f->cut) {
        if (!first && f->first.size && f->false_cuts < FALSE_CUTS && f->broken.count < BROKEN) {
            s = read_pieces_or_learn(f, err);
            closed = f->closed;
        }
        if (!s && !closed) s = read_some(f, &first, &closed, err);
    }
    return s;
}

/* Passes the broken member that begins at byte `start`, with its fault at byte `at`. *again: the events come next. */
static tfp_status pass_member(file *f, const tfp_jscan *j, uint64_t start, uint64_t at, bool *again, tfp_error *err)
{
    tfp_status s = *again ? tfp_input_seek(f->in, start, err) : TFP_OK;
    if (!s) s = tfp_kineto_pass_member(f->b, f->in, j, at, again, err);
    if (s || *again) return s;
    f->cut = j->fault == TFP_JSCAN_MORE;
    f->over = !f->cut;
    return TFP_OK;
}

/* Skips the array or object at the current position; only a part of it is in memory at a time. Goes back at most once in
 * a file, to look for the events inside of a broken one. */
static tfp_status skip_member(file *f, bool *again, tfp_error *err)
{
    tfp_jscan_nest nest = { .depth = 0 };
    uint64_t start = tfp_input_at(f->in);
    for (size_t want = WINDOW;;) {
        tfp_str window;
        tfp_status s = tfp_input_peek(f->in, want, &window, err);
        if (s) return s;
        bool whole = window.size == tfp_input_left(f->in);
        tfp_jscan j = tfp_jscan_start(window);
        tfp_jscan_skip_part(&j, &nest);
        size_t used = (size_t)(j.at - window.data);
        if (j.fault == TFP_JSCAN_WRONG || (j.fault && whole)) {
            *again = !f->has_events && !f->went_back;
            f->went_back = true;
            return pass_member(f, &j, start, tfp_input_at(f->in) + used, again, err);
        }
        s = tfp_input_skip(f->in, used, err);
        if (s || !j.fault) return s;
        want = used ? WINDOW : want * 2; /* a string is longer than the window */
    }
}

/* Whether an array or object at `from` is too long for a fact. Afterwards the scanner stands after the part of it that
 * is in the window. */
static bool is_too_long(const tfp_jscan *j, const char *from, tfp_str window)
{
    if (!from || (*from != '{' && *from != '[')) return false;
    return (size_t)((j->fault ? window.data + window.size : j->at) - from) > FACT_MAX;
}

/* Reads one member of the object around the events. *first: no comma is needed before it, or afterwards the next. */
static tfp_status read_member(file *f, bool *first, bool *closed, tfp_error *err)
{
    for (size_t want = MEMBER;; want *= 2) {
        tfp_str window;
        tfp_jscan_text key = { { "", 0 }, false };
        tfp_jscan_value v;
        const char *from = NULL;
        tfp_status s = tfp_input_peek(f->in, want, &window, err);
        if (s) return s;
        bool whole = window.size == tfp_input_left(f->in), events = false;
        tfp_jscan j = tfp_jscan_start(window);
        j.lenient = true;
        *closed = !tfp_jscan_member(&j, *first, &key) && !j.fault;
        if (!*closed) {
            events = tfp_str_eq(key.raw, TFP_STR("traceEvents")) && tfp_jscan_peek(&j) == '[';
            if (!events && tfp_jscan_peek(&j)) from = j.at;
            if (events)
                j.at++;
            else
                tfp_jscan_value_of(&j, &v);
        }
        if (j.fault != TFP_JSCAN_WRONG && is_too_long(&j, from, window)) {
            tfp_build_warn(f->b, "members of more than 4 MB beside the events, left out", key.raw);
            s = tfp_input_skip(f->in, (size_t)(from - window.data), err);
            *first = false;
            return s ? s : skip_member(f, first, err);
        }
        if (j.fault == TFP_JSCAN_MORE && !whole) continue;
        if (j.fault) {
            uint64_t start = tfp_input_at(f->in);
            *first = !f->has_events;
            return pass_member(f, &j, start, start + (uint64_t)(j.at - window.data), first, err);
        }
        *first = false;
        if (!*closed && !events) tfp_kineto_keep(&f->facts, &key, &v);
        if (j.commas)
            tfp_kineto_note_commas(&f->r, j.commas, tfp_input_at(f->in) + (uint64_t)(j.comma_at - window.data));
        s = tfp_input_skip(f->in, (size_t)(j.at - window.data), err);
        return s || !events ? s : read_events(f, err);
    }
}

static tfp_status read_all(file *f, tfp_error *err)
{
    tfp_str window;
    tfp_status s = tfp_input_peek(f->in, MEMBER, &window, err);
    if (s) return s;
    tfp_jscan j = tfp_jscan_start(window);
    j.at += mark_size(window);
    unsigned char c = tfp_jscan_peek(&j);
    if (c != '{' && c != '[') return fail_at(f, "no JSON object or array", (size_t)(j.at - window.data), err);
    s = tfp_input_skip(f->in, (size_t)(j.at - window.data) + 1, err);
    if (s) return s;
    bool closed = false;
    if (c == '[')
        s = read_events(f, err);
    else
        for (bool first = true; !s && !closed && !f->cut && !f->over;) s = read_member(f, &first, &closed, err);
    if (!s) s = tfp_kineto_judge(&f->broken, f->r.rows, err);
    if (s) return s;
    if (!f->has_events)
        return tfp_fail(err, TFP_BADFILE, "no `traceEvents`: not a trace%s", f->cut ? ", or cut short" : "");
    return f->cut || f->over ? TFP_OK : tfp_kineto_read_rest(&f->r, f->in, err);
}

static bool start_slots(file *f)
{
    tfp_sharing sharing = tfp_sharing_get();
    f->piece = sharing.piece ? sharing.piece : PIECE;
    f->threads = f->in->total > 2 * f->piece ? sharing.threads : 1;
    f->slot_count = TFP_SLOTS(f->threads);
    f->slots = calloc(f->slot_count, sizeof *f->slots);
    bool ok = f->slots != NULL;
    for (size_t i = 0; ok && i < f->slot_count; i++) ok = tfp_kineto_slot_start(&f->slots[i], f->b->p->reads);
    return ok;
}

/* Sets what is known only when the whole file was read. */
static void settle(file *f)
{
    tfp_builder *b = f->b;
    tfp_kineto_tell_broken(&f->broken, &f->r.left.broken);
    tfp_kineto_end(&f->r);
    if (f->cut || f->in->cut_at) tfp_kineto_tell_cut(&f->r);
    if (!f->r.events && !b->p->events->memory.size && !b->p->events->counters.size)
        tfp_build_warn(b, "no events in the trace", TFP_STR(""));
    bool one = b->p->events->processes.size == f->r.process + 1; /* else `distributedInfo` is that of some rank */
    int64_t ranks = f->facts.rank_count > 0 && f->facts.rank_count <= INT32_MAX ? f->facts.rank_count : 0;
    for (size_t i = f->r.process; i < b->p->events->processes.size; i++) {
        tfp_process *made = &b->p->events->processes.at[i];
        made->tolerance_ns = f->r.fraction ? 0 : 1000;
        made->rank_count = (int32_t)ranks;
        if (one && f->facts.rank >= 0 && f->facts.rank <= INT32_MAX) made->rank = (int32_t)f->facts.rank;
    }
}

static tfp_status read_trace(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    file f = {
        .b = b, .in = in, .r = { .b = b, .first_span = b->p->events->spans.size }, .facts = { .b = b, .rank = -1 }
    };
    f.broken.sync.needs = "ph";
    f.r.lanes.first_counter = b->p->events->counters.size;
    tfp_process process = { .rank = -1, .source = (uint32_t)b->p->files->sources.size - 1 };
    f.r.process = f.facts.process = tfp_build_process(b, &process);
    tfp_status s = start_slots(&f) ? tfp_builder_status(b, err) : tfp_nomem(err);
    if (!s) s = read_all(&f, err);
    if (!s) settle(&f);
    if (!s) s = tfp_builder_status(b, err);
    tfp_kineto_reader_free(&f.r);
    for (size_t i = 0; f.slots && i < f.slot_count; i++) tfp_kineto_slot_free(&f.slots[i]);
    free(f.slots);
    return s;
}

const tfp_format tfp_format_kineto = {
    .name = "kineto",
    .from = TFP_FROM_PYTORCH,
    .help =
        "trace of PyTorch (Kineto), or another one in Chrome's trace event format, or the folder of a run with such "
        "files: spans, steps, kernels, memory",
    .probe = probe,
    .read = read_trace,
    .stands = TFP_FORMAT_IS(RANKS),
    .takes_cut = true,
    .in_windows = true,
    .probe_path = tfp_kineto_is_folder,
    .list = tfp_kineto_list,
};
