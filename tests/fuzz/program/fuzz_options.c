// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_options.c: options as text, one "name value" in each line; then a small profile and its
 * statistics are shown with them. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ignore(void *ctx, const void *data, size_t size)
{
    (void)ctx;
    (void)data;
    (void)size;
    return 0;
}

static bool names_a_file(const char *name, const char *value)
{
    return strstr(name, "out") || strstr(name, "dump") || strstr(name, "file") || (value && strstr(value, "outfile"));
}

static void set_lines(tfp_options *o, char *text, tfp_error *err)
{
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        char *value = strchr(line, ' ');
        if (value) *value++ = '\0';
        if (names_a_file(line, value)) continue; /* the fuzzer must not write files */
        if (tfp_options_set(o, line, value, err) != TFP_OK) {
            const char *message = tfp_error_message(err);
            if (!*message || strchr(message, '\n') || strlen(message) > 4000) abort();
        }
        tfp_options_get(o, line);
        tfp_options_kind(line);
        tfp_options_listed(o, line);
    }
}

static const char run[] = "step_stats { dev_stats { device: '/device:CPU:0'\n"
                          "  node_stats { node_name: 'a/mul' all_start_micros: 20 op_end_rel_micros: 9 }\n"
                          "  node_stats { node_name: 'x' all_start_micros: 40 op_end_rel_micros: 7 } } }\n";

static void show_stats(const tfp_profile *p, const tfp_options *o, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_stats(p, NULL, o, &r, err);
    if ((s == TFP_OK) != (r != NULL) || (s && !*tfp_error_message(err))) abort();
    if (s) return;
    if (tfp_report_put(r, ignore, NULL, err) && !*tfp_error_message(err)) abort();
    for (size_t i = 0; tfp_list(TFP_OUTPUTS, i); i++) tfp_report_write(r, tfp_list(TFP_OUTPUTS, i), ignore, NULL, err);
    tfp_report_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    if (text && o && err && p) {
        if (size) memcpy(text, data, size);
        text[size] = '\0';
        set_lines(o, text, err);
        tfp_options *copy = tfp_options_copy(o);
        const drive_part g = drive_graph;
        if (copy && tfp_profile_add_bytes(p, g.format, "graph", g.data, g.size, err) == TFP_OK &&
            tfp_profile_add_bytes(p, "run_meta", "run", run, sizeof run - 1, err) == TFP_OK &&
            tfp_profile_finish(p, err) == TFP_OK) {
            for (size_t v = 0; tfp_list(TFP_VIEWS, v); v++) {
                if (tfp_show(p, tfp_list(TFP_VIEWS, v), copy, ignore, NULL, NULL, err) && !*tfp_error_message(err))
                    abort();
            }
            show_stats(p, copy, err);
        }
        tfp_options_free(copy);
    }
    tfp_profile_free(p);
    tfp_options_free(o);
    tfp_error_free(err);
    free(text);
    return 0;
}
