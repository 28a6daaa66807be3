// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata.h: the reader of RunMetadata, shared by its files. */
#ifndef TFP_RUNMETADATA_H
#define TFP_RUNMETADATA_H

#include "formats/graph/tfdevice.h"
#include "model/tables/details.h"
#include "wire/proto.h"

/* ---- a NodeExecStats (runmetadata_entry.c) ---- */

typedef struct tfp_run_stats {
    tfp_str bytes; /* all of it */
    tfp_str name, label;
    tfp_str node;  /* the part of the name before what the runtime appended */
    uint32_t hash; /* hash of that part */
    int64_t start_ns, op_end_ns;
    tfp_memory memory;
    int64_t run_output_bytes; /* requested bytes, which TensorFlow 1.0 counted */
} tfp_run_stats;

/* What happens to values that no sound file has: with a builder they give warnings, otherwise it is only noted that
 * there are some. */
typedef struct tfp_run_values {
    tfp_builder *b;
    bool odd;
} tfp_run_values;

/* Reads the entry in the bytes of `w`; returns the wire after it, with its fault if it has one. */
tfp_wire tfp_run_decode(tfp_run_values *v, tfp_wire w, tfp_run_stats *e);
int64_t tfp_run_end(tfp_run_values *v, int64_t start_ns, int64_t duration_ns);
void tfp_run_add_memory(tfp_builder *b, tfp_run_stats *e, uint32_t exec, bool on_cpu);

/* ---- a RunMetadata (runmetadata.c) ---- */

typedef struct tfp_run_device { /* a DeviceStepStats */
    tfp_strid name;             /* lower case */
    tfp_str text;
    tfp_tf_device is;
    tfp_strid host; /* the host that it is scheduled from */
    uint32_t lane;
    size_t count; /* number of entries read */
} tfp_run_device;

typedef struct tfp_run_reader {
    tfp_builder *b;
    tfp_profile *p;
    int64_t step_id;
    uint32_t step;         /* index in steps; TFP_NONE: none yet */
    tfp_run_device device; /* the device whose entries are being read */
    bool has_gpu, has_gpu_stream;
    size_t entries, unknown; /* entries in all, and those of nodes that no graph has */
} tfp_run_reader;

/* Called when a step_stats begins, when a device in it begins, and when an entry of the device was read. */
tfp_status tfp_run_start_step(tfp_run_reader *r, tfp_error *err);
tfp_status tfp_run_start_device(tfp_run_reader *r, tfp_str name, tfp_error *err);
tfp_status tfp_run_add(tfp_run_reader *r, tfp_run_stats *e, tfp_error *err);

/* runmetadata_pieces.c: reads the whole message, in windows and with several threads. */
tfp_status tfp_run_read_pieces(tfp_run_reader *r, tfp_input *in, tfp_error *err);

/* Reads a small file in memory in two parts. The first decodes it, on any thread, while the files before it are still
 * being added; false: the file has faults or unusual values, so tfp_run_read_pieces must read it and report them. The
 * second adds what was decoded. The input must live until then; afterwards `d` can decode another file. */
typedef struct tfp_run_decoded tfp_run_decoded;
tfp_run_decoded *tfp_run_decoded_new(void); /* NULL without memory */
bool tfp_run_decode_ahead(tfp_run_decoded *d, tfp_input *in);
tfp_status tfp_run_add_decoded(tfp_run_reader *r, tfp_run_decoded *d, tfp_error *err);
void tfp_run_decoded_free(tfp_run_decoded *d);

/* ---- parts of an entry that few commands need ---- */

/* The texts and numbers of an entry, for runmetadata_transfer.c. */
typedef struct tfp_run_entry {
    tfp_str name, label;                  /* node_name, timeline_label */
    uint32_t step, lane, node;            /* indexes in steps, lanes, nodes; TFP_NONE: no node of its own */
    int64_t start_ns, duration_ns, bytes; /* bytes: size of its outputs */
    tfp_strid device;
} tfp_run_entry;
/* Adds a transfer if the entry is a copy, or received a tensor from another device. */
void tfp_read_transfer(tfp_builder *b, const tfp_run_entry *e);
/* Reads from a NodeExecStats the shapes that the node's outputs had. */
void tfp_read_run_shapes(tfp_builder *b, tfp_wire w, uint32_t node);

/* ---- timeline.json (timeline.c) ---- */
bool tfp_timeline_is(tfp_str head); /* whether a file that begins so is one */
/* Appends the RunMetadata of which it was made. */
tfp_status tfp_timeline_to_wire(tfp_builder *b, tfp_str text, tfp_buf *out, tfp_error *err);

#endif
