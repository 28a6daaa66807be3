// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_baseline.c: two baselines of `diff --gate`, separated by the first NUL byte, are compared.
 * Without a NUL byte the baseline is compared with itself. A baseline that was read is written and read again: the
 * bytes must be the same. */
#include "drive.h"

#include <stdlib.h>
#include <string.h>

static bool add(tfp_gate *g, tfp_gate_side side, const char *data, size_t size, tfp_error *err)
{
    if (tfp_gate_add_baseline(g, side, "text", data, size, err) == TFP_OK) return true;
    if (strncmp(tfp_error_message(err), "text:", 5) != 0 || strchr(tfp_error_message(err), '\n')) abort();
    return false;
}

static drive_text saved(const tfp_gate *g, tfp_error *err)
{
    drive_text t = { 0 };
    if (tfp_gate_save(g, TFP_GATE_BASE, drive_take, &t, err)) abort();
    return t;
}

static void save_and_read(const tfp_gate *g, tfp_error *err)
{
    drive_text first = saved(g, err);
    tfp_gate *again = tfp_gate_new();
    if (!add(again, TFP_GATE_BASE, first.data, first.size, err)) abort();
    drive_text second = saved(again, err);
    if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0) abort();
    tfp_gate_free(again);
    free(first.data);
    free(second.data);
}

/* Equal sides never fail. */
static void judge(const tfp_gate *g, bool equal, int pairs, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_gate_verdict verdict = TFP_GATE_IS_UNKNOWN;
    if (tfp_gate_judge(g, 0.05, pairs, NULL, &r, &verdict, err)) {
        if (!pairs || !*tfp_error_message(err)) abort();
        return;
    }
    if (equal && verdict == TFP_GATE_IS_FAILED) abort();
    if (!tfp_report_note(r, 0) || strncmp(tfp_report_note(r, 0), "gate: ", 6) != 0) abort();
    drive_table(r, err);
    tfp_report_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = size ? (const char *)data : "", *cut = memchr(bytes, 0, size);
    size_t first = cut ? (size_t)(cut - bytes) : size;
    tfp_error *err = tfp_error_new();
    tfp_gate *g = tfp_gate_new();
    tfp_is_baseline(bytes, size);
    if (add(g, TFP_GATE_BASE, bytes, first, err)) {
        save_and_read(g, err);
        if (add(g, TFP_GATE_NEW, cut ? cut + 1 : bytes, cut ? size - first - 1 : size, err)) {
            judge(g, !cut, 0, err);
            judge(g, !cut, 1, err);
        }
    }
    tfp_gate_free(g);
    tfp_error_free(err);
    return 0;
}
