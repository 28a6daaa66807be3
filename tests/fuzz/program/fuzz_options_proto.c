// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_options_proto.c: a serialized OptionsProto, and the same bytes as AdvisorOptionsProto; then
 * every view of a small profile with those options, in every output. */
#include "drive.h"

#include <stdlib.h>
#include <string.h>

/* One run of the nodes of drive_graph as step 0, so that filters by times, bytes and devices have an effect. */
static const char run[] =
    "step_stats { dev_stats { device: '/job:localhost/replica:0/task:0/device:CPU:0'\n"
    "  node_stats { node_name: 'x' all_start_micros: 10 op_end_rel_micros: 3 all_end_rel_micros: 4 }\n"
    "  node_stats { node_name: 'a/mul' all_start_micros: 20 op_end_rel_micros: 9\n"
    "    memory { allocator_name: 'cpu' total_bytes: 96 peak_bytes: 48 } }\n"
    "  node_stats { node_name: 'a/b/add' all_start_micros: 40 op_end_rel_micros: 7 } } }\n";

static const char code[] =
    "log_entries { name: 'a/mul' float_ops: 48 types: 'mine'\n"
    "  code_def { traces { file_id: 1 function_id: 2 line_id: 3 lineno: 5 func_start_line: 4 } } }\n"
    "id_to_string { key: 1 value: 'm.py' } id_to_string { key: 2 value: 'f' } id_to_string { key: 3 value: 'x = 1' }\n";

/* Only options are fuzzed, so the profile is made once. */
static const tfp_profile *profile(void)
{
    static tfp_profile *p;
    if (p) return p;
    p = tfp_profile_new();
    if (!p || tfp_profile_add_bytes(p, drive_graph.format, "graph", drive_graph.data, drive_graph.size, NULL) ||
        tfp_profile_add_bytes(p, "run_meta", "run", run, sizeof run - 1, NULL) ||
        tfp_profile_add_bytes(p, "op_log", "log", code, sizeof code - 1, NULL) || tfp_profile_finish(p, NULL))
        abort();
    return p;
}

/* All options as text. Whatever was read, each value must be printable. */
static char *listing(const tfp_options *o)
{
    size_t size = 0, room = 0;
    char *text = NULL;
    for (size_t i = 0; tfp_list(TFP_OPTIONS, i); i++) {
        const char *value = tfp_options_get(o, tfp_list(TFP_OPTIONS, i));
        if (!value) abort();
        size_t more = strlen(value) + 1;
        if (size + more > room) {
            room = 2 * (size + more);
            text = realloc(text, room);
            if (!text) abort();
        }
        memcpy(text + size, value, more);
        size += more;
        text[size - 1] = '\n';
    }
    text[size - 1] = '\0';
    return text;
}

static void check(tfp_status s, const tfp_error *err, const char *before, const char *after)
{
    const char *message = tfp_error_message(err);
    if ((s == TFP_OK) != !*message || strchr(message, '\n') || strlen(message) > 4000) abort();
    if (s != TFP_OK && s != TFP_BADFILE && s != TFP_BADARG) abort();
    if (s == TFP_BADFILE && strcmp(before, after) != 0) abort(); /* on failure nothing may be changed */
}

/* Reading the same message twice must give the same options. */
static void read_twice(tfp_options *o, const char *view, const uint8_t *data, size_t size, tfp_error *err)
{
    char *before = listing(o);
    tfp_status s = tfp_options_read_proto(o, view, data, size, err);
    char *after = listing(o);
    check(s, err, before, after);
    if (tfp_options_read_proto(o, view, data, size, err) != s) abort();
    char *again = listing(o);
    if (strcmp(after, again) != 0) abort();
    free(before);
    free(after);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err) abort();
    uint64_t pick = drive_pick(data, size);
    read_twice(o, "advise", data, size, err);
    read_twice(o, "scope", data, size, err);
    tfp_options_every_value(o, pick & 1);
    for (size_t v = 0; tfp_list(TFP_VIEWS, v); v++) drive_view(profile(), tfp_list(TFP_VIEWS, v), o, pick + v, err);
    tfp_options_free(o);
    tfp_error_free(err);
    return 0;
}
