// SPDX-License-Identifier: Apache-2.0
/* tests/bad/damage.c: damage done exhaustively, in memory: every prefix of every small sample file, and every bit of a
 * profile of about 4 KB. What is refused must be refused in words; what opens is shown in every view.
 *   damage prefixes SAMPLE_FOLDER [EVERY]
 *   damage bits PROFILE [EVERY]
 * EVERY takes one of so many prefixes and bits, the same ones each time; without it all are taken. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *file, *format;
    bool beside_graph, packed;
} files[] = {
    { "odd/profile_5", "profile", false, false },
    { "odd/graph.pb", "graph", false, false },
    { "odd/graph_shapes.pb", "graph", false, false },
    { "odd/graph.pbtxt", "graph", false, false },
    { "traces/et_old.json", "execution_trace", false, false },
    { "pprof/odd.pb", "pprof", false, false },
    { "odd/graph_shapes.pbtxt", "graph", false, false },
    { "odd/run_meta_0", "run_meta", true, false },
    { "odd/run_meta_1", "run_meta", true, false },
    { "odd/tfprof_log", "op_log", true, false },
    { "odd/tfprof_log_1", "op_log", true, false },
    { "dense/graph.pb", "graph", false, false },
    { "dense/run_meta_0", "run_meta", true, false },
    { "dense/run_meta_3", "run_meta", true, false },
    { "functions/saved_model/saved_model.pb", "graph", false, false },
    { "dense/profile_3.gz", "profile", false, true },
    { "dense/tfprof_log.gz", "op_log", true, true },
    { "dense/tfprof_log_1.gz", "op_log", true, true },
    { "towers/graph.pb.gz", "graph", false, true },
    { "dense/graph_shapes.pbtxt.gz", "graph", false, true },
    { "dense_resource/graph.pbtxt.gz", "graph", false, true },
    { "dense_resource/model.meta.gz", "graph", false, true },
};

static unsigned char *read_whole(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0) {
        fprintf(stderr, "no %s\n", path);
        exit(2);
    }
    *size = (size_t)st.st_size;
    unsigned char *data = malloc(*size + 1);
    if (!data || fread(data, 1, *size, f) != *size) exit(2);
    fclose(f);
    return data;
}

/* A heap copy of exactly this size, so that the sanitizer sees reads past the end. */
static void try_bytes(const char *format, bool beside_graph, const unsigned char *data, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    if (!exact) exit(2);
    if (size) memcpy(exact, data, size);
    const drive_part parts[] = { drive_graph, { format, exact, size } };
    drive_bytes(beside_graph ? parts : parts + 1, beside_graph ? 2 : 1);
    free(exact);
}

/* Every prefix of a compressed file must be refused. */
static void refuse(const char *format, const unsigned char *data, size_t size)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    if (tfp_profile_add_bytes(p, format, "prefix", data, size, err) != TFP_BADFILE) {
        fprintf(stderr, "a prefix of %zu bytes of a packed %s was taken\n", size, format);
        abort();
    }
    tfp_profile_free(p);
    tfp_error_free(err);
}

/* To print what opens takes most of the time, and neighbouring prefixes open alike, so only every eighth is printed. */
static void load_only(const char *format, bool beside_graph, const unsigned char *data, size_t size)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    unsigned char *exact = malloc(size ? size : 1);
    if (!exact) exit(2);
    if (size) memcpy(exact, data, size);
    tfp_status s = TFP_OK;
    if (beside_graph)
        s = tfp_profile_add_bytes(p, drive_graph.format, "graph", drive_graph.data, drive_graph.size, err);
    if (!s) s = tfp_profile_add_bytes(p, format, "prefix", exact, size, err);
    if (!s) s = tfp_profile_finish(p, err);
    if (s && !*tfp_error_message(err)) abort();
    free(exact);
    tfp_profile_free(p);
    tfp_error_free(err);
}

static unsigned long prefixes(const char *folder, size_t every)
{
    unsigned long runs = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        unsigned char *data = read_whole(folder, files[i].file, &size);
        /* The work for all prefixes grows with the square of the file size, so steps become larger after some thousand
         * bytes. */
        for (size_t n = 0; n < size; n += n < 8192 ? 1 : 5) {
            if ((n + i) % every) continue;
            runs++;
            if (files[i].packed)
                refuse(files[i].format, data, n);
            else if (n % 8 == 0)
                try_bytes(files[i].format, files[i].beside_graph, data, n);
            else
                load_only(files[i].format, files[i].beside_graph, data, n);
        }
        free(data);
    }
    return runs;
}

static unsigned long bits(const char *path, size_t every)
{
    size_t size;
    unsigned char *data = read_whole(".", path, &size);
    unsigned long runs = 0;
    for (size_t bit = 0; bit < 8 * size; bit += every, runs++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        try_bytes("profile", false, data, size);
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(data);
    return runs;
}

int main(int argc, char **argv)
{
    size_t every = argc == 4 ? strtoul(argv[3], NULL, 10) : 1;
    if (argc < 3 || argc > 4 || every == 0) return 2;
    printf("%lu passed, 0 failed\n", strcmp(argv[1], "bits") == 0 ? bits(argv[2], every) : prefixes(argv[2], every));
    return 0;
}
