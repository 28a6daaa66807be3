// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_scope_text.c: two texts printed by scope views, separated by the first NUL byte, are compared
 * in every form. Without a NUL byte the text is compared with itself. */
#include "drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count_bytes(void *ctx, const void *data, size_t size)
{
    (void)data;
    *(size_t *)ctx += size;
    return 0;
}

static void check_rows(const tfp_report *r)
{
    for (size_t row = 0; row < tfp_report_row_count(r); row++) {
        const char *column;
        if (tfp_report_row_parent(r, row) >= (row ? row : 1)) abort();
        for (size_t i = 0; (column = tfp_report_column(r, i)); i++) {
            double x = 0;
            if (tfp_report_real(r, row, column, &x) && !isfinite(x)) abort();
        }
    }
}

static void compare(const tfp_sides *sides, const tfp_options *o, tfp_error *err)
{
    tfp_report *r = NULL;
    if (tfp_diff(sides, NULL, o, &r, err)) {
        if (!*tfp_error_message(err) || strchr(tfp_error_message(err), '\n')) abort();
        return;
    }
    check_rows(r);
    drive_table(r, err);
    size_t size = 0;
    bool script = tfp_report_write(r, "script", count_bytes, &size, err) == TFP_OK;
    if (script != (strcmp(tfp_options_get(o, "format"), "script") == 0)) abort();
    tfp_report_free(r);
}

/* Equal sides have no difference and break no limit. */
static void compare_with_itself(const char *text, size_t size, const tfp_options *o, tfp_error *err)
{
    tfp_sides *sides = tfp_sides_new();
    tfp_report *r = NULL;
    for (int i = 0; i < 2; i++)
        if (tfp_sides_add_text_bytes(sides, NULL, "text", text, size, err)) abort();
    if (tfp_diff(sides, NULL, o, &r, err) == TFP_OK && (tfp_report_row_count(r) > 1 || tfp_report_over(r, 0))) abort();
    tfp_report_free(r);
    tfp_sides_free(sides);
}

static bool add(tfp_sides *sides, const char *text, size_t size, tfp_error *err)
{
    if (tfp_sides_add_text_bytes(sides, NULL, "text", text, size, err) == TFP_OK) return true;
    const char *message = tfp_error_message(err);
    if (strncmp(message, "text:", 5) != 0 || strchr(message, '\n')) abort();
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size ? (const char *)data : "";
    const char *cut = memchr(text, 0, size);
    size_t first = cut ? (size_t)(cut - text) : size;
    tfp_error *err = tfp_error_new();
    tfp_options *o = tfp_options_new();
    tfp_sides *sides = tfp_sides_new();
    if (add(sides, text, first, err)) {
        compare_with_itself(text, first, o, err);
        if (!cut || add(sides, cut + 1, size - first - 1, err)) {
            if (!cut) add(sides, text, size, err);
            tfp_options_set(o, "min_size", "0", err);
            tfp_options_set(o, "fail_over", "5%", err);
            compare(sides, o, err);
            tfp_options_set(o, "hide_nodes", ".*b.*", err);
            tfp_options_set(o, "swap_files", "true", err);
            tfp_options_set(o, "format", "script", err);
            compare(sides, o, err);
        }
    }
    tfp_sides_free(sides);
    tfp_options_free(o);
    tfp_error_free(err);
    return 0;
}
