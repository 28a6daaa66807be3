/* formats/format.h: the shape that every input format has. */
#ifndef TFP_FORMAT_H
#define TFP_FORMAT_H

#include "base/io.h"
#include "model/builder.h"

typedef struct tfp_format {
    const char *name; /* "run_meta": also the flag --run_meta_path and the word for tfp_profile_add_file */
    const char *help;
    int order; /* files are added in ascending order: graph before run_meta before op_log */
    /* How sure it is that a file of `total` bytes that begins with `head` is of this format: 0 no .. 100 certain. */
    int (*probe)(tfp_str head, uint64_t total);
    /* Reads it all into the builder. Messages without the file's name: the caller adds it. */
    tfp_status (*read)(tfp_builder *b, tfp_input *in, tfp_error *err);
    /* For formats that are more than one file (a checkpoint's prefix, a SavedModel's folder): reads by path;
     * NULL for the others. */
    tfp_status (*read_path)(tfp_builder *b, const char *path, tfp_error *err);
    /* True when the path itself says so (a folder with saved_model.pb, a prefix with .index); NULL for the others. */
    bool (*probe_path)(const char *path);
    /* For formats whose files come in folders: the paths of such a folder's files, each ended by NUL; each is read by
     * itself. NULL for the others. */
    tfp_status (*list)(const char *path, tfp_buf *paths, tfp_error *err);
} tfp_format;

extern const tfp_format tfp_format_profile, tfp_format_graph, tfp_format_run_meta, tfp_format_op_log,
    tfp_format_checkpoint, tfp_format_kineto, tfp_format_xplane, tfp_format_hlo;

/* After the last file, before tfp_build_finish: what the checkpoint tells of the nodes (checkpoint_nodes.c). */
void tfp_checkpoint_finish(tfp_builder *b);

#endif
