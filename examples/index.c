// SPDX-License-Identifier: Apache-2.0
/* examples/index.c: fleet.h: an index of the traces of a folder, in the folder index.tmp of the working directory.
 *   ./index traces/ */
#include <tfprof/fleet.h>
#include <tfprof/tfprof.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    tfp_error *err = tfp_error_new();
    tfp_index *x = tfp_index_new();
    const char *const sources[] = { argc < 2 ? "" : argv[1] };
    tfp_status s = argc < 2 ? TFP_BADARG : tfp_index_set(x, "jobs", "1", err);
    if (!s) s = tfp_index_run(x, sources, 1, "index.tmp", err);
    if (!s)
        printf("%" PRId64 " of %" PRId64 " files are in the index, %" PRId64 " have no run\n",
               tfp_index_count(x, "indexed"), tfp_index_count(x, "files"), tfp_index_count(x, "failed"));
    if (s) fprintf(stderr, "index: %s\n", tfp_error_message(err));
    tfp_index_free(x);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
