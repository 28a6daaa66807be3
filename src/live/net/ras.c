// SPDX-License-Identifier: Apache-2.0
/* live/net/ras.c: reads the answers of NCCL's RAS. The text lists a communicator only if something is wrong with it:
 *
 *   #0-0 (27a079b8) MISMATCH
 *     Communicator ranks have different AllReduce operation counts
 *     3 ranks have launched up to operation 120
 *     Rank 2 has launched up to operation 119 -- GPU 2 managed by process 4711 on node 10.0.0.1
 *
 * If several ranks are behind by the same count, lines "Rank 2 -- GPU ..." follow the line that counts them. */
#include "live/net/ras.h"
#include "wire/pickle.h"

enum { RANKS_MOST = 65536, COUNTS = 64 };

typedef struct reader {
    tfp_ras *out;
    tfp_str communicator, kind;
    size_t first; /* of the communicator's ranks */
    int64_t count, ahead, ahead_ranks;
    bool known, lost, nomem; /* known: something of RAS was seen; lost: its list of lost processes is read */
} reader;

static tfp_str kept(reader *r, tfp_str text)
{
    enum { TEXT_MOST = 64 };
    if (text.size > TEXT_MOST) text.size = TEXT_MOST;
    const char *copy = tfp_arena_copy(&r->out->arena, text);
    r->nomem |= !copy;
    return (tfp_str){ copy, copy ? text.size : 0 };
}

/* Cuts off what begins the text. */
static bool cut(tfp_str *text, const char *begin)
{
    tfp_str b = tfp_str_of(begin);
    if (!tfp_str_begins(*text, b)) return false;
    *text = (tfp_str){ text->data + b.size, text->size - b.size };
    return true;
}

/* Cuts off a number of at most 18 digits. */
static bool cut_number(tfp_str *text, int64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < text->size && n < 18 && tfp_is_digit(text->data[n]); n++) *out = *out * 10 + (text->data[n] - '0');
    *text = (tfp_str){ text->data + n, text->size - n };
    return n > 0;
}

static int64_t number_after(tfp_str text, const char *words)
{
    int64_t n;
    size_t at = tfp_str_find(text, tfp_str_of(words));
    if (at == SIZE_MAX) return -1;
    at += strlen(words);
    tfp_str rest = { text.data + at, text.size - at };
    return cut_number(&rest, &n) ? n : -1;
}

static void add(reader *r, int64_t rank, int64_t pid, int64_t count)
{
    if (r->out->ranks.size >= RANKS_MOST) return;
    tfp_ras_rank x = { r->communicator, r->kind, rank, pid, count, -1, r->lost };
    r->nomem |= !tfp_push(&r->out->ranks, x);
}

/* Ends a communicator whose ranks are all listed. Most of them have launched r->ahead operations: only ranks that have
 * launched fewer are kept, and ranks that are lost. */
static void end_communicator(reader *r)
{
    size_t kept_ranks = r->first;
    for (size_t i = r->first; i < r->out->ranks.size; i++) {
        tfp_ras_rank x = r->out->ranks.at[i];
        x.ahead = x.lost ? -1 : r->ahead;
        if (x.lost || x.count < r->ahead) r->out->ranks.at[kept_ranks++] = x;
    }
    r->out->ranks.size = r->first = kept_ranks;
    r->count = r->ahead = -1;
    r->ahead_ranks = 0;
}

static void count_ranks(reader *r, int64_t ranks, int64_t count)
{
    r->count = count;
    if (ranks > r->ahead_ranks || (ranks == r->ahead_ranks && count > r->ahead))
        r->ahead = count, r->ahead_ranks = ranks;
}

static void read_rank(reader *r, tfp_str line)
{
    int64_t rank;
    if (!cut_number(&line, &rank)) return;
    int64_t count = number_after(line, " has launched up to operation ");
    if (tfp_str_has(line, TFP_STR(" has not launched"))) count = 0;
    if (count >= 0 && !r->ahead_ranks) r->ahead = count; /* the first of ranks that all differ */
    add(r, rank, number_after(line, "managed by process "), count >= 0 ? count : r->count);
}

static void read_line(reader *r, tfp_str line)
{
    int64_t n, count;
    tfp_str text = line;
    while (text.size && (*text.data == ' ' || *text.data == '\t')) cut(&text, (char[]){ *text.data, 0 });
    if (cut(&text, "#")) {
        size_t open = tfp_str_find(text, TFP_STR("(")), close = tfp_str_find(text, TFP_STR(")"));
        end_communicator(r);
        r->lost = false;
        r->known = true;
        if (open != SIZE_MAX && close != SIZE_MAX && close > open)
            r->communicator = kept(r, (tfp_str){ text.data + open + 1, close - open - 1 });
    } else if (cut(&text, "Communicator ranks have different ")) {
        size_t end = tfp_str_find(text, TFP_STR(" operation counts"));
        end_communicator(r);
        r->kind = end == SIZE_MAX ? TFP_STR("") : kept(r, (tfp_str){ text.data, end });
    } else if (tfp_str_begins(text, TFP_STR("INCOMPLETE")) || tfp_str_begins(text, TFP_STR("DEAD"))) {
        end_communicator(r);
        r->lost = r->known = true;
    } else if (cut(&text, "Process ") && cut_number(&text, &n)) {
        if (r->lost) add(r, -1, n, -1);
    } else if (cut(&text, "Rank ")) {
        read_rank(r, text);
    } else if (cut(&text, "Job summary") || cut(&text, "NCCL version ")) {
        r->known = true;
    } else if (cut_number(&text, &n) && tfp_str_has(text, TFP_STR("ranks have"))) {
        count = number_after(text, "launched up to operation ");
        count_ranks(r, n, count < 0 ? 0 : count);
    }
}

/* ---- JSON ---- */

static int64_t int_of(tfp_pickle *m, tfp_pvalue of, const char *key)
{
    int64_t n;
    return tfp_pickle_int(m, tfp_pickle_named(m, of, key), &n) ? n : -1;
}

static tfp_str text_of(reader *r, tfp_pickle *m, tfp_pvalue v)
{
    tfp_str s;
    return tfp_pickle_text(m, v, &s) ? kept(r, s) : TFP_STR("");
}

/* The counts of one kind of operation on all ranks. */
static void read_kind(reader *r, tfp_pickle *m, tfp_pvalue ranks, tfp_str kind)
{
    size_t n = tfp_pickle_count(m, ranks);
    char name[80];
    tfp_text_give(kind, name, sizeof name);
    r->kind = kept(r, kind);
    for (size_t i = 0; i < n; i++) {
        tfp_pvalue rank = tfp_pickle_item(m, ranks, i);
        int64_t count = int_of(m, tfp_pickle_named(m, rank, "collective_counts"), name);
        if (count < 0) count = 0;
        if (count > r->ahead) r->ahead = count;
        add(r, int_of(m, rank, "rank"), int_of(m, rank, "pid"), count);
    }
    end_communicator(r);
}

static void read_communicator(reader *r, tfp_pickle *m, tfp_pvalue c)
{
    tfp_pvalue ranks = tfp_pickle_named(m, c, "ranks");
    tfp_pvalue counts = tfp_pickle_named(m, tfp_pickle_item(m, ranks, 0), "collective_counts");
    enum { KINDS_MOST = 32 };
    r->communicator = text_of(r, m, tfp_pickle_named(m, c, "hash"));
    for (size_t k = 0; k < tfp_pickle_pairs(m, counts) && k < KINDS_MOST && !r->nomem; k++) {
        tfp_str kind;
        if (tfp_pickle_text(m, tfp_pickle_key(m, counts, k), &kind)) read_kind(r, m, ranks, kind);
    }
    tfp_pvalue missing = tfp_pickle_named(m, c, "missing_ranks");
    r->lost = true;
    for (size_t i = 0; i < tfp_pickle_count(m, missing) && !r->nomem; i++)
        add(r, int_of(m, tfp_pickle_item(m, missing, i), "rank"), int_of(m, tfp_pickle_item(m, missing, i), "pid"), -1);
    end_communicator(r);
    r->lost = false;
}

static tfp_status read_json(reader *r, tfp_str answer, tfp_error *err)
{
    tfp_pickle *m = tfp_pickle_new((uint64_t)32 << 20);
    tfp_pvalue root = 0;
    tfp_status s = m ? tfp_pickle_read_json(m, answer, &root, err) : tfp_nomem(err);
    tfp_pvalue all = s ? 0 : tfp_pickle_named(m, root, "communicators");
    r->known = !s && tfp_pickle_kind_of(all) == TFP_PICKLE_LIST;
    for (size_t i = 0; !s && i < tfp_pickle_count(m, all); i++) read_communicator(r, m, tfp_pickle_item(m, all, i));
    tfp_pickle_free(m);
    return s;
}

tfp_status tfp_ras_parse(tfp_ras *out, tfp_str answer, tfp_error *err)
{
    reader r = { .out = out, .communicator = TFP_STR(""), .kind = TFP_STR(""), .count = -1, .ahead = -1 };
    tfp_status s = TFP_OK;
    *out = (tfp_ras){ 0 };
    if (answer.size > TFP_RAS_MOST) return tfp_fail(err, TFP_LIMIT, "the answer of RAS has more than 1 MB");
    while (answer.size && (*answer.data == ' ' || *answer.data == '\n')) answer.data++, answer.size--;
    if (answer.size && *answer.data == '{') {
        s = read_json(&r, answer, err);
    } else {
        while (answer.size && !r.nomem) read_line(&r, tfp_str_cut_line(&answer));
        end_communicator(&r);
    }
    if (!s && r.nomem) s = tfp_nomem(err);
    return !s && !r.known ? tfp_fail(err, TFP_BADFILE, "no answer of NCCL's RAS") : s;
}

void tfp_ras_free(tfp_ras *r)
{
    tfp_vec_free(&r->ranks);
    tfp_arena_free(&r->arena);
}
