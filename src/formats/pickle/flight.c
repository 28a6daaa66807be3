// SPDX-License-Identifier: Apache-2.0
/* formats/pickle/flight.c: a dump of PyTorch's flight recorder: the last collectives of one rank, with their state. In:
 * a pickle, or JSON (without stacks). Out: the flight tables of the profile; the rank is the number in the file's name.
 * Fields: torch/csrc/distributed/c10d/FlightRecorder.hpp. A file that cannot be read adds no rows. */
#include "formats/pickle/pickles.h"
#include "model/builder.h"
#include "model/files/flights.h"
#include "model/span_names.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#include <stdlib.h>

#define SPARE_LEAST ((uint64_t)1 << 20)
#define SPARE_OF_BYTE 2 /* each item of a list takes a byte or more of the file, and is read at most twice */

typedef struct reader {
    tfp_builder *b;
    tfp_pickle *m;
    tfp_error *err;
    pickle_words words;
    tfp_frames frames;
    uint32_t dump;
    tfp_map64 group_by_name;   /* name -> index in groups */
    tfp_map64 group_by_number; /* pg_id -> index in groups */
    tfp_buf text;
    uint64_t spare; /* list items that may still be read: in a pickle all entries may refer to one list */
    bool nomem, too_many;
} reader;

static bool spend(reader *r, size_t items)
{
    r->too_many |= items > r->spare;
    if (!r->too_many) r->spare -= items;
    return !r->too_many;
}

static tfp_pvalue member(const reader *r, tfp_pvalue of, pickle_word word)
{
    return tfp_pickle_member(r->m, of, r->words.at[word]);
}

static tfp_strid string_of(reader *r, tfp_pvalue v) { return tfp_pickle_string(r->b, r->m, v); }

static tfp_strid made_string(reader *r)
{
    r->nomem |= r->text.failed;
    return r->nomem ? 0 : tfp_build_made_string(r->b, (tfp_str){ r->text.data ? r->text.data : "", r->text.size });
}

/* A number, or in JSON the text of one. */
static int64_t number_of(const reader *r, tfp_pvalue v, int64_t none)
{
    int64_t n;
    tfp_str s;
    if (tfp_pickle_int(r->m, v, &n)) return n;
    return tfp_pickle_text(r->m, v, &s) && tfp_parse_int64(s, &n) ? n : none;
}

/* ---- groups ---- */

static uint32_t group_named(reader *r, tfp_strid name)
{
    tfp_flight_tables *t = r->b->p->flights;
    uint32_t at = tfp_map64_get(&r->group_by_name, name);
    if (at != TFP_NONE || r->nomem) return at;
    tfp_flight_group g = { .dump = r->dump, .name = name, .number = -1, .last = -1 };
    at = (uint32_t)t->groups.size;
    r->nomem = !tfp_push(&t->groups, g) || !tfp_map64_put(&r->group_by_name, name, at);
    return r->nomem ? TFP_NONE : at;
}

static void read_config(reader *r, tfp_pvalue config)
{
    tfp_flight_tables *t = r->b->p->flights;
    for (size_t i = 0; i < tfp_pickle_pairs(r->m, config) && !r->nomem; i++) {
        tfp_pvalue v = tfp_pickle_value(r->m, config, i);
        tfp_strid name = string_of(r, tfp_pickle_key(r->m, config, i));
        if (!name) continue; /* gloo's only group has no name here */
        uint32_t at = group_named(r, name);
        if (at == TFP_NONE) return;
        t->groups.at[at].about = string_of(r, member(r, v, WORD_DESC));
        t->groups.at[at].members = string_of(r, member(r, v, WORD_RANKS));
    }
}

/* Reads the status of a group. A group without entries in this dump has only a number here; dumps of other ranks have
 * its name. */
static void read_status(reader *r, tfp_pvalue status)
{
    tfp_flight_tables *t = r->b->p->flights;
    for (size_t i = 0; i < tfp_pickle_pairs(r->m, status) && !r->nomem; i++) {
        int64_t id = number_of(r, tfp_pickle_key(r->m, status, i), -1);
        int64_t last = number_of(r, member(r, tfp_pickle_value(r->m, status, i), WORD_LAST_ENQUEUED), -1);
        uint32_t at = id < 0 ? TFP_NONE : tfp_map64_get(&r->group_by_number, (uint64_t)id);
        if (at != TFP_NONE) {
            t->groups.at[at].last = last;
        } else if (id >= 0) {
            tfp_flight_group g = { .dump = r->dump, .number = id, .last = last };
            r->nomem = !tfp_push(&t->groups, g);
        }
    }
}

/* ---- entries ---- */

static bool begins(tfp_str s, const char *with) { return tfp_str_begins(s, tfp_str_of(with)); }
static bool is_uneven(tfp_str name) { return begins(name, "all_to_all") || tfp_str_ends(name, TFP_STR("_v")); }

/* "[[8, 2], [4]]" */
static void put_sizes(reader *r, tfp_pvalue sizes)
{
    if (!spend(r, tfp_pickle_count(r->m, sizes))) return;
    tfp_buf_char(&r->text, '[');
    for (size_t i = 0; i < tfp_pickle_count(r->m, sizes); i++) {
        tfp_pvalue one = tfp_pickle_item(r->m, sizes, i);
        if (!spend(r, tfp_pickle_count(r->m, one))) return;
        tfp_buf_text(&r->text, i ? ", [" : "[");
        for (size_t k = 0; k < tfp_pickle_count(r->m, one); k++)
            tfp_buf_printf(&r->text, "%s%lld", k ? ", " : "",
                           (long long)number_of(r, tfp_pickle_item(r->m, one, k), -1));
        tfp_buf_char(&r->text, ']');
    }
    tfp_buf_char(&r->text, ']');
}

static void read_sizes(reader *r, tfp_pvalue entry, tfp_str name, tfp_flight_entry *e)
{
    tfp_pvalue in = member(r, entry, WORD_INPUT_SIZES), out = member(r, entry, WORD_OUTPUT_SIZES);
    bool of_in = !tfp_str_eq(name, TFP_STR("scatter")) && !is_uneven(name);
    bool of_out = !tfp_str_eq(name, TFP_STR("gather")) && !is_uneven(name);
    r->text.size = 0;
    put_sizes(r, in);
    tfp_buf_text(&r->text, "->");
    put_sizes(r, out);
    e->sizes = made_string(r);
    r->text.size = 0;
    if (begins(name, "barrier")) return;
    if (of_in) put_sizes(r, in);
    tfp_buf_text(&r->text, "->");
    if (of_out) put_sizes(r, out);
    e->must_agree = made_string(r);
}

static int by_text(const void *a, const void *b) { return tfp_str_cmp(*(const tfp_str *)a, *(const tfp_str *)b); }

/* The distinct types, sorted: "BFloat16|Float". */
static tfp_strid types_of(reader *r, tfp_pvalue entry, tfp_str name)
{
    tfp_pvalue lists[2] = { member(r, entry, WORD_INPUT_DTYPES), member(r, entry, WORD_OUTPUT_DTYPES) };
    if (tfp_str_eq(name, TFP_STR("scatter")) || tfp_str_eq(name, TFP_STR("broadcast"))) lists[0] = 0;
    if (tfp_str_eq(name, TFP_STR("gather"))) lists[1] = 0;
    size_t count = 0, room = tfp_pickle_count(r->m, lists[0]) + tfp_pickle_count(r->m, lists[1]);
    if (!spend(r, room)) return 0;
    tfp_str *all = calloc(room + 1, sizeof *all);
    if (!all) return r->nomem = true, 0;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < tfp_pickle_count(r->m, lists[l]); i++)
            count += tfp_pickle_text(r->m, tfp_pickle_item(r->m, lists[l], i), &all[count]);
    qsort(all, count, sizeof *all, by_text);
    r->text.size = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && tfp_str_eq(all[i], all[i - 1])) continue;
        if (r->text.size) tfp_buf_char(&r->text, '|');
        tfp_buf_str(&r->text, all[i]);
    }
    free(all);
    return made_string(r);
}

/* The name without the library, such as "all_reduce" for "nccl:all_reduce". */
static tfp_str name_of(const reader *r, tfp_pvalue entry)
{
    tfp_str s = { "", 0 };
    tfp_pickle_text(r->m, member(r, entry, WORD_PROFILING_NAME), &s);
    const char *colon = s.size ? memchr(s.data, ':', s.size) : NULL;
    return colon ? (tfp_str){ colon + 1, s.size - (size_t)(colon + 1 - s.data) } : s;
}

static bool is_set(const reader *r, tfp_pvalue v)
{
    int64_t n;
    return tfp_pickle_int(r->m, v, &n) && n;
}

static tfp_strid name_of_number(reader *r, int64_t id)
{
    r->text.size = 0;
    tfp_buf_printf(&r->text, "%lld", (long long)id);
    return made_string(r);
}

static void read_entry(reader *r, tfp_pvalue entry)
{
    tfp_flight_tables *t = r->b->p->flights;
    tfp_flight_entry e = { .trace = TFP_NONE };
    tfp_str name = name_of(r, entry), state = { "", 0 };
    tfp_pvalue group = member(r, entry, WORD_PROCESS_GROUP);
    if (!name.size || is_set(r, member(r, entry, WORD_IS_P2P)) || tfp_str_has(name, TFP_STR("coalesced"))) return;
    tfp_strid group_name = string_of(r, tfp_pickle_item(r->m, group, 0));
    int64_t id = number_of(r, member(r, entry, WORD_PG_ID), -1);
    if (!group_name) group_name = name_of_number(r, id); /* the dump names no groups */
    uint32_t at = group_name ? group_named(r, group_name) : TFP_NONE;
    if (at == TFP_NONE) return;
    t->groups.at[at].number = id;
    if (id >= 0) r->nomem |= !tfp_map64_put(&r->group_by_number, (uint64_t)id, at);
    if (!t->groups.at[at].about) t->groups.at[at].about = string_of(r, tfp_pickle_item(r->m, group, 1));
    e.group = at;
    e.name = tfp_build_made_string(r->b, name);
    e.sequence = number_of(r, member(r, entry, WORD_COLLECTIVE_SEQ_ID), -1);
    tfp_pickle_text(r->m, member(r, entry, WORD_STATE), &state);
    e.state = tfp_build_made_string(r->b, state);
    e.done = tfp_str_eq(state, TFP_STR("completed")) || is_set(r, member(r, entry, WORD_COMPLETED_NS)) ||
             (tfp_str_eq(state, TFP_STR("scheduled")) && is_set(r, member(r, entry, WORD_RETIRED)));
    read_sizes(r, entry, name, &e);
    e.types = types_of(r, entry, name);
    e.trace = tfp_frames_trace(&r->frames, member(r, entry, WORD_FRAMES));
    if (e.sequence >= 0) r->nomem |= !tfp_push(&t->entries, e);
}

/* ---- the file ---- */

/* Refuses a file without the lists; it adds no rows. */
static tfp_status refuse_lists(reader *r, const size_t before[3])
{
    tfp_flight_tables *t = r->b->p->flights;
    t->dumps.size = before[0], t->groups.size = before[1], t->entries.size = before[2];
    return tfp_fail(r->err, TFP_LIMIT, "its entries list more sizes and types than a dump of its size can hold");
}

static tfp_status read_root(reader *r, tfp_pvalue root)
{
    tfp_profile *p = r->b->p;
    const size_t before[3] = { p->flights->dumps.size, p->flights->groups.size, p->flights->entries.size };
    tfp_pvalue entries = member(r, root, WORD_ENTRIES);
    if (tfp_pickle_kind_of(entries) != TFP_PICKLE_LIST)
        return tfp_pickle_refuse(r->m, entries, "its `entries`", r->err);
    tfp_flight_dump d = { .source = (uint32_t)p->files->sources.size - 1 };
    d.rank = tfp_number_in_name(p->files->sources.at[d.source]);
    if (d.rank < 0) d.rank = (int64_t)p->flights->dumps.size;
    r->dump = (uint32_t)p->flights->dumps.size;
    if (!tfp_push(&p->flights->dumps, d)) return tfp_nomem(r->err);
    read_config(r, member(r, root, WORD_PG_CONFIG));
    for (size_t i = 0; i < tfp_pickle_count(r->m, entries) && !r->nomem && !r->too_many; i++)
        read_entry(r, tfp_pickle_item(r->m, entries, i));
    if (r->too_many) return refuse_lists(r, before);
    read_status(r, member(r, root, WORD_PG_STATUS));
    return r->nomem ? tfp_nomem(r->err) : tfp_builder_status(r->b, r->err);
}

static tfp_status read_flight(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b, .err = err };
    tfp_pvalue root = 0;
    tfp_str text;
    r.m = tfp_pickle_new(tfp_pickle_memory(in));
    tfp_status s = r.m && tfp_pickle_words(r.m, &r.words) ? tfp_input_peek(in, 16, &text, err) : tfp_nomem(err);
    r.frames = (tfp_frames){ .b = b, .m = r.m, .words = &r.words };
    if (!s && tfp_is_pickle(text)) {
        s = tfp_pickle_read(r.m, in, &root, err);
        r.spare = SPARE_LEAST + SPARE_OF_BYTE * tfp_input_at(in);
    } else if (!s) {
        s = tfp_input_all(in, &text, err);
        r.spare = SPARE_LEAST + SPARE_OF_BYTE * text.size;
        if (!s) s = tfp_pickle_read_json(r.m, text, &root, err);
    }
    if (!s) s = read_root(&r, root);
    tfp_pickle_free(r.m);
    tfp_frames_free(&r.frames);
    tfp_map64_free(&r.group_by_name);
    tfp_map64_free(&r.group_by_number);
    tfp_buf_free(&r.text);
    return s;
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    bool known = tfp_str_has(head, TFP_STR("pg_config")) || tfp_str_has(head, TFP_STR("pg_status")) ||
                 tfp_str_has(head, TFP_STR("collective_seq_id"));
    return known && (tfp_is_pickle(head) || (head.size && head.data[0] == '{')) ? 90 : 0;
}

const tfp_format tfp_format_flight = {
    .name = "flight",
    .help = "dump of PyTorch's flight recorder (TORCH_FR_BUFFER_SIZE), pickled or JSON: the last collectives of a "
            "rank, for hang",
    .probe = probe,
    .read = read_flight,
    .stands = TFP_FORMAT_IS(RANKS),
};
