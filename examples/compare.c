// SPDX-License-Identifier: Apache-2.0
/* examples/compare.c: compare.h and gate.h: which operations differ between two files, and whether the second is slower for sure.
 *   ./compare OLD NEW     one file is compared with itself */
#include <tfprof/tfprof.h>

#include <stdio.h>

static int to_stdout(void *ctx, const void *data, size_t size)
{
    (void)ctx;
    return fwrite(data, 1, size, stdout) != size;
}

static tfp_status load(const char *path, tfp_profile *p, tfp_error *err)
{
    tfp_status s = tfp_profile_add_file(p, NULL, path, err);
    return s ? s : tfp_profile_finish(p, err);
}

static tfp_status differences(const tfp_profile *old, const tfp_profile *now, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_sides *sides = tfp_sides_new();
    tfp_status s = tfp_sides_add(sides, "old", NULL, old, -1, err);
    if (!s) s = tfp_sides_add(sides, "new", NULL, now, -1, err);
    if (!s) s = tfp_diff(sides, "op", NULL, &r, err);
    if (!s) s = tfp_report_write(r, "text", to_stdout, NULL, err);
    tfp_report_free(r);
    tfp_sides_free(sides);
    return s;
}

static tfp_status verdict(const tfp_profile *old, const tfp_profile *now, tfp_error *err)
{
    static const char *const words[] = { "slower", "not known: too few runs", "not slower" };
    tfp_gate_verdict found = TFP_GATE_IS_UNKNOWN;
    tfp_report *r = NULL;
    tfp_gate *g = tfp_gate_new();
    tfp_status s = tfp_gate_add(g, TFP_GATE_BASE, "old", old, err);
    if (!s) s = tfp_gate_add(g, TFP_GATE_NEW, "new", now, err);
    if (!s) s = tfp_gate_judge(g, 0.05, 0, NULL, &r, &found, err);
    if (!s) printf("over 5 %%: %s\n", words[found]);
    tfp_report_free(r);
    tfp_gate_free(g);
    return s;
}

int main(int argc, char **argv)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *old = tfp_profile_new(), *now = tfp_profile_new();
    tfp_status s = argc < 2 ? TFP_BADARG : load(argv[1], old, err);
    if (!s) s = load(argv[argc - 1], now, err);
    if (!s) s = differences(old, now, err);
    if (!s) s = verdict(old, now, err);
    if (s) fprintf(stderr, "compare: %s\n", tfp_error_message(err));
    tfp_profile_free(old);
    tfp_profile_free(now);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
