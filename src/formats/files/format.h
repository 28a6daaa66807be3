// SPDX-License-Identifier: Apache-2.0
/* formats/files/format.h: the shape that every input format has. */
#ifndef TFP_FORMAT_H
#define TFP_FORMAT_H

#include "base/io.h"
#include "model/builder.h"

#define TFP_FORMAT_IS(fact) (1u << TFP_FORMAT_##fact)

/* Reading ahead: of several files that are added together, small ones are decoded side by side before their turn. */
typedef struct tfp_ahead {
    void *(*start)(void); /* what files are decoded to, one after the other; NULL without memory */
    /* Decodes a file that is all in memory, on any thread, without a profile. The input stays until `add` was called.
     * False: something in the file is odd; `read` is called instead, which warns of it. */
    bool (*decode)(void *to, tfp_input *in);
    /* Adds the decoded file to the profile, with the same result as `read`. */
    tfp_status (*add)(tfp_builder *b, void *decoded, tfp_error *err);
    void (*end)(void *decoded);
} tfp_ahead;

typedef struct tfp_format {
    const char *name; /* "run_meta": also the flag --run_meta_path and the word for tfp_profile_add_file */
    const char *help;
    unsigned stands; /* TFP_FORMAT_IS(...): how its files stand beside others */
    /* How sure it is that a file of `total` bytes that begins with `head` is of this format: 0 no .. 100 certain. */
    int (*probe)(tfp_str head, uint64_t total);
    /* Reads it all into the builder. Messages without the file's name: the caller adds it. */
    tfp_status (*read)(tfp_builder *b, tfp_input *in, tfp_error *err);
    bool takes_cut;  /* of a gzip file that is cut short it reads what is whole, and warns */
    bool in_windows; /* its reader goes from the beginning to the end, and needs no size: gzip of any size will do */
    const tfp_ahead *ahead; /* NULL: files are read one after the other */
    /* For formats that are more than one file (a checkpoint's prefix, a SavedModel's folder): reads by path;
     * NULL for the others. */
    tfp_status (*read_path)(tfp_builder *b, const char *path, tfp_error *err);
    /* True when the path itself says so (a folder with saved_model.pb, a prefix with .index); NULL for the others. */
    bool (*probe_path)(const char *path);
    /* For formats whose files come in folders: the paths of such a folder's files, each ended by NUL; each is read by
     * itself. NULL for the others. */
    tfp_status (*list)(const char *path, tfp_buf *paths, tfp_error *err);
    /* For formats whose inputs are named by what the paths of several files begin with (a checkpoint's prefix): what the
     * path of the file that stands for them may go on with. The first one is left out where people see the name. */
    const char *const *endings;
    /* What the name of a file, without its folder, says by itself; NULL: nothing. */
    bool (*name_is)(const char *name, tfp_path_fact fact);
} tfp_format;

extern const tfp_format tfp_format_snapshot, tfp_format_flight;
extern const tfp_format tfp_format_safetensors;
extern const tfp_format tfp_format_gguf;
extern const tfp_format tfp_format_torch, tfp_format_onnx, tfp_format_inspector;
extern const tfp_format tfp_format_profile, tfp_format_graph, tfp_format_run_meta, tfp_format_op_log,
    tfp_format_checkpoint, tfp_format_kineto, tfp_format_xplane, tfp_format_hlo, tfp_format_pprof, tfp_format_tfprof,
    tfp_format_execution_trace, tfp_format_sqlite, tfp_format_perfetto,
    tfp_format_speedscope, tfp_format_folded, tfp_format_capture, tfp_format_inductor;

/* After the last file, before tfp_build_finish: what the checkpoint tells of the nodes (checkpoint/nodes.c). */
void tfp_checkpoint_finish(tfp_builder *b);

#endif
