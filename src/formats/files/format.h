// SPDX-License-Identifier: Apache-2.0
/* formats/files/format.h: the interface of every input format. */
#ifndef TFP_FORMAT_H
#define TFP_FORMAT_H

#include "base/io.h"
#include "model/tables/types.h"

#define TFP_FORMAT_IS(fact) (1u << TFP_FORMAT_##fact)

/* Decoding ahead: when several files are added together, small ones are decoded in parallel before their turn. */
typedef struct tfp_ahead {
    void *(*start)(void); /* makes the tables into which files are decoded, one after another; NULL: out of memory */
    /* Decodes a file that is completely in memory, on any thread and without a profile. The input lives until `add` was
     * called. False: the file has some fault, and `read` is called instead, which warns of it. */
    bool (*decode)(void *to, tfp_input *in);
    /* Adds the decoded file to the profile, with the same result as `read`. */
    tfp_status (*add)(tfp_builder *b, void *decoded, tfp_error *err);
    void (*end)(void *decoded);
} tfp_ahead;

typedef struct tfp_format {
    const char *name; /* "run_meta": also the flag --run_meta_path and the word for tfp_profile_add_file */
    const char *help;
    unsigned from;   /* TFP_FROM_... (model/tables/sources.h): who writes files of this format; 0: several do */
    unsigned stands; /* TFP_FORMAT_IS(...): how files of this format combine with others */
    /* How certain it is, from 0 (no) to 100, that a file of `total` bytes that begins with `head` has this format. */
    int (*probe)(tfp_str head, uint64_t total);
    /* Reads the file into the builder. Messages do not contain the file's name: the caller adds it. */
    tfp_status (*read)(tfp_builder *b, tfp_input *in, tfp_error *err);
    bool takes_cut;         /* reads the part of a truncated gzip file that is there, and warns */
    bool in_windows;        /* it reads from beginning to end and needs no size, so a gzip file may have any size */
    const tfp_ahead *ahead; /* NULL: files of this format are not decoded ahead */
    /* For formats of more than one file (a checkpoint's prefix, a SavedModel's folder): reads by path; NULL for the
     * others. */
    tfp_status (*read_path)(tfp_builder *b, const char *path, tfp_error *err);
    /* Whether the path itself shows the format (a folder with saved_model.pb, a prefix with .index); NULL for the
     * others. */
    bool (*probe_path)(const char *path);
    /* For formats whose files come in folders: lists the paths of such a folder's files, each ended by NUL; each file
     * is read by itself. NULL for the others. */
    tfp_status (*list)(const char *path, tfp_buf *paths, tfp_error *err);
    /* For formats whose input is named by the common beginning of several paths (a checkpoint's prefix): the endings of
     * the file that represents them. The first ending is left out in names shown to people. */
    const char *const *endings;
    /* What a file's name, without its folder, says about it; NULL: nothing. */
    bool (*name_is)(const char *name, tfp_path_fact fact);
} tfp_format;

extern const tfp_format tfp_format_snapshot, tfp_format_flight;
extern const tfp_format tfp_format_safetensors;
extern const tfp_format tfp_format_gguf;
extern const tfp_format tfp_format_torch, tfp_format_onnx, tfp_format_inspector;
extern const tfp_format tfp_format_profile, tfp_format_graph, tfp_format_run_meta, tfp_format_op_log,
    tfp_format_checkpoint, tfp_format_kineto, tfp_format_xplane, tfp_format_hlo, tfp_format_pprof, tfp_format_tfprof,
    tfp_format_execution_trace, tfp_format_sqlite, tfp_format_perfetto, tfp_format_speedscope, tfp_format_folded,
    tfp_format_capture, tfp_format_eager, tfp_format_inductor, tfp_format_tfevents;

/* Called after the last file, before tfp_build_finish: applies the checkpoint to the nodes (checkpoint/nodes.c). */
void tfp_checkpoint_finish(tfp_builder *b);

#endif
