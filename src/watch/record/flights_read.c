// SPDX-License-Identifier: Apache-2.0
/* watch/record/flights_read.c: reads what torch's WorkerServer answers for the flight recorder: an object with the list `entries`. Fields:
 * torch/csrc/distributed/c10d/FlightRecorder.hpp. */
#include "watch/record/flights.h"
#include "wire/jsonscan.h"

#define ENTRIES_MOST 20000

tfp_str watch_flights_body(tfp_str answer, const char **why)
{
    tfp_str none = { NULL, 0 };
    size_t head = tfp_str_find(answer, TFP_STR("\r\n\r\n"));
    *why = "what torch's server sent is no answer of HTTP";
    if (head == SIZE_MAX || answer.size < 12 || !tfp_str_begins(answer, TFP_STR("HTTP/1."))) return none;
    *why = "its torch has no flight recorder that answers: it is older than 2.7";
    if (memcmp(answer.data + 8, " 200", 4) != 0) return none;
    *why = NULL;
    return (tfp_str){ answer.data + head + 4, answer.size - head - 4 };
}

static bool is(tfp_jscan_text key, const char *name) { return !key.escaped && tfp_str_eq(key.raw, tfp_str_of(name)); }

static void take_number(tfp_jscan *j, int64_t *out)
{
    if (!tfp_jscan_integer(j, out)) *out = -1;
}

static tfp_str text_of(tfp_jscan *j)
{
    tfp_jscan_value v = { .kind = TFP_JSCAN_NULL };
    tfp_jscan_value_of(j, &v);
    return v.kind == TFP_JSCAN_STRING ? v.text.raw : (tfp_str){ "", 0 };
}

static bool is_true(tfp_jscan *j)
{
    tfp_jscan_value v = { .kind = TFP_JSCAN_NULL };
    tfp_jscan_value_of(j, &v);
    return v.kind == TFP_JSCAN_BOOL && v.number;
}

/* The first text of a list: of a group its name, then comes its description. */
static tfp_str first_text(tfp_jscan *j)
{
    tfp_str out = { "", 0 };
    if (tfp_jscan_peek(j) != '[') {
        tfp_jscan_skip(j);
        return out;
    }
    tfp_jscan_take(j, '[', "a list");
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        if (first)
            out = text_of(j);
        else
            tfp_jscan_skip(j);
    }
    return out;
}

static void mix(uint64_t *hash, tfp_str text) { *hash = *hash * 31 + tfp_hash(text.size ? text.data : "", text.size); }

/* Reads an entry. False: it is none of a collective, or broken. */
static bool read_entry(tfp_jscan *j, watch_flight *f)
{
    tfp_jscan_text key;
    tfp_str state = { "", 0 };
    bool point = false, retired = false;
    int64_t ended_ns = 0;
    *f = (watch_flight){ -1, -1, -1, { "", 0 }, { "", 0 }, 0, false };
    if (tfp_jscan_peek(j) != '{') {
        tfp_jscan_skip(j);
        return false;
    }
    tfp_jscan_take(j, '{', "an object");
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        if (is(key, "record_id")) {
            take_number(j, &f->record);
        } else if (is(key, "collective_seq_id")) {
            take_number(j, &f->sequence);
        } else if (is(key, "time_created_ns")) {
            take_number(j, &f->created_ns);
        } else if (is(key, "time_discovered_completed_ns")) {
            take_number(j, &ended_ns);
        } else if (is(key, "profiling_name")) {
            f->name = text_of(j);
        } else if (is(key, "process_group")) {
            f->group = first_text(j);
        } else if (is(key, "state")) {
            state = text_of(j);
        } else if (is(key, "is_p2p")) {
            point = is_true(j);
        } else if (is(key, "retired")) {
            retired = is_true(j);
        } else if (is(key, "input_sizes") || is(key, "output_sizes")) {
            const char *from = j->at;
            tfp_jscan_skip(j);
            mix(&f->what, (tfp_str){ from, (size_t)(j->at - from) });
        } else {
            tfp_jscan_skip(j);
        }
    }
    const char *colon = f->name.size ? memchr(f->name.data, ':', f->name.size) : NULL;
    if (colon) f->name = (tfp_str){ colon + 1, f->name.size - (size_t)(colon + 1 - f->name.data) };
    mix(&f->what, f->name);
    mix(&f->what, f->group);
    f->done =
        tfp_str_eq(state, TFP_STR("completed")) || ended_ns > 0 || (tfp_str_eq(state, TFP_STR("scheduled")) && retired);
    return !j->fault && !point && f->name.size && f->record >= 0 && f->sequence >= 0 &&
           !tfp_str_has(f->name, TFP_STR("coalesced"));
}

size_t watch_flights_read(tfp_str json, watch_flight_fn *fn, void *ctx, const char **why)
{
    tfp_jscan j = tfp_jscan_start(json);
    tfp_jscan_text key;
    size_t count = 0;
    bool known = false, more = true;
    *why = NULL;
    tfp_jscan_take(&j, '{', "an object");
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        known |= is(key, "pg_config") || is(key, "pg_status") || is(key, "entries");
        if (!is(key, "entries") || tfp_jscan_peek(&j) != '[') {
            tfp_jscan_skip(&j);
            continue;
        }
        tfp_jscan_take(&j, '[', "a list");
        for (bool head = true; tfp_jscan_item(&j, head) && count < ENTRIES_MOST && more; head = false) {
            watch_flight f;
            if (!read_entry(&j, &f)) continue;
            count++;
            more = fn(ctx, &f);
        }
        if (!more || count >= ENTRIES_MOST) return count;
    }
    if (j.fault)
        *why = "its answer is no JSON";
    else if (!known)
        *why = "its answer has no entries of a flight recorder";
    return count;
}
