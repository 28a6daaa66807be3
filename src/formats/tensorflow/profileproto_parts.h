// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_parts.h: what the readers of a ProfileProto share: its message, its nodes, their executions, its
 * pieces, and the end, when what had to wait is put together. */
#ifndef TFP_PROFILEPROTO_PARTS_H
#define TFP_PROFILEPROTO_PARTS_H

#include "formats/files/format.h"
#include "formats/graph/program.h"
#include "model/tables/lanes.h"
#include "wire/proto.h"

typedef struct node_ref { /* a node of the file, in the order of its rows in the profile */
    int64_t key;
    uint32_t trace; /* -> traces, TFP_NONE */
    uint32_t edge_first, edge_count;
    uint32_t attr_first, attr_count; /* -> the program's attrs, when it is kept */
    bool lost;                       /* another one took its place */
} node_ref;

typedef struct edge {
    int64_t source; /* a key; later the name */
    int32_t position, output_index;
} edge;

typedef struct raw_trace {
    tfp_str bytes; /* in the reader's arena */
    uint64_t hash; /* a hash of the bytes above */
    uint64_t base; /* where in the file */
    size_t node;   /* the first that has it */
    uint32_t row;  /* -> the profile's traces, once decoded */
} raw_trace;

typedef struct exec_ref {
    uint32_t node, exec; /* the last node that ran in a step, and its execution */
} exec_ref;

typedef struct memo { /* the last text and its id: devices repeat from node to node */
    tfp_str text;
    uint32_t id;
} memo;

typedef struct lane_memo {
    memo last;
    uint32_t exec; /* the last execution that had times there, TFP_NONE */
} lane_memo;

typedef struct output {
    int32_t slot;
    uint32_t shape, place; /* place: in the file */
} output;

typedef struct step_ref {
    int64_t id;
    uint32_t step; /* + 1; 0: none yet */
} step_ref;

typedef struct tfp_profile_reader {
    tfp_builder *b;
    tfp_profile *p;
    tfp_arena arena;
    TFP_VEC(node_ref) nodes;
    TFP_VEC(edge) edges;
    TFP_VEC(edge) sources; /* of the node being read: source key and output index */
    TFP_VEC(raw_trace) traces;
    TFP_VEC(exec_ref) execs;  /* by step */
    TFP_VEC(output) outputs;  /* of the node being read */
    TFP_VEC(tfp_str) buffers; /* of the run being read */
    TFP_VEC(int64_t) shape;   /* of the node being read */
    TFP_VEC(int64_t) dims;    /* of one output */
    TFP_VEC(tfp_code_frame) frames;
    tfp_map64 node_by_key, trace_by_hash, string_by_id, lane_by_name;
    TFP_VEC(uint32_t) node_by_small_key; /* keys below small_keys, as all of them should be */
    uint64_t small_keys;
    tfp_buf attrs, shapes;
    tfp_program_reader *program; /* NULL when it is not kept */
    memo device, host, type;
    unsigned device_on;   /* TFP_NODE_ON_..., of `device` */
    step_ref step_of[16]; /* by the last bits of its number */
    lane_memo lanes[TFP_LANE_ACCELERATOR + 1];
    tfp_wire fault;     /* the first one below a node, with its place in the file */
    const char *window; /* the entry being read, and where in the file it stands: */
    uint64_t window_at;
    size_t first_row; /* of the profile's nodes */
    bool no_memory;
    bool key_twice; /* the table of names must be made anew */
    bool of_piece;  /* reads a piece of the file, whose bytes outlive the reader's tables */
} tfp_profile_reader;

/* ---- faults and odd values ---- */

/* What stands inside a node is read by functions that take its bytes and leave a fault here, once a message: a wire
 * whose address is handed on would have to live in memory, field by field. The fault is asked for once a node. */
void tfp_profile_keep_fault(tfp_profile_reader *r, tfp_wire w, const char *place);
#define TFP_PROFILE_END(r, w, place)                                                                                   \
    do {                                                                                                               \
        if (__builtin_expect((w).fault != NULL, 0)) tfp_profile_keep_fault((r), (w), (place));                         \
    } while (0)

/* Remembers that memory ran out; asked once a node. */
static inline bool tfp_profile_ok(tfp_profile_reader *r, bool success)
{
    if (!success) r->no_memory = true;
    return success;
}

/* A warning with a number as its example. */
void tfp_profile_warn(tfp_profile_reader *r, const char *what, int64_t number);

/* Counts, times and sizes that cannot be negative. */
static inline int64_t tfp_profile_positive(tfp_profile_reader *r, int64_t v, const char *what)
{
    if (v >= 0) return v;
    tfp_profile_warn(r, what, v);
    return 0;
}

#define BYTES(r, v) tfp_profile_positive((r), (v), "negative byte counts, taken as 0")
#define TIME(r, v) tfp_build_micros((r)->b, tfp_profile_positive((r), (v), "negative times, taken as 0"))

/* ---- pieces ---- */

/* The node with that key, as far as the file was read. Keys are the numbers from 0 on in any file that was not made to
 * do harm: those stand in a plain array, which may grow with the file but no further. */
uint32_t tfp_profile_find_key(const tfp_profile_reader *r, int64_t key);
bool tfp_profile_put_key(tfp_profile_reader *r, int64_t key, uint32_t node);

/* Interned, or what the memo holds. */
tfp_strid tfp_profile_text(tfp_profile_reader *r, memo *m, tfp_str text);

/* A key or value of a map entry is read by number: 1 is the key, 2 the value, and either may be missing. */
typedef struct tfp_profile_int_pair {
    int64_t key, value;
} tfp_profile_int_pair;
tfp_profile_int_pair tfp_profile_pair(tfp_profile_reader *r, tfp_str bytes, const char *place);

/* The same of entries whose values are messages, by number or by name. */
typedef struct tfp_profile_entry {
    int64_t key;
    tfp_str name, value;
    bool sound; /* false: its fault is kept */
} tfp_profile_entry;
static inline tfp_profile_entry tfp_profile_read_entry(tfp_profile_reader *r, tfp_str bytes, bool named,
                                                       const char *place)
{
    tfp_profile_entry e = { 0, { "", 0 }, { "", 0 }, true };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && named)
            e.name = tfp_field_bytes(&w, &f);
        else if (f.number == 1)
            e.key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            e.value = tfp_field_bytes(&w, &f);
    }
    TFP_PROFILE_END(r, w, place);
    e.sound = !w.fault;
    return e;
}

/* ---- the parts ---- */

/* profileproto.c: one field of the message, read already; and the end of a reader. */
tfp_status tfp_profile_read_top(tfp_profile_reader *r, tfp_input *in, const tfp_field *f, tfp_error *err);
void tfp_profile_reader_free(tfp_profile_reader *r);
/* profileproto_pieces.c: as much of the file as several threads can read, in pieces; what is left in `in` is to be read
 * field by field. */
tfp_status tfp_profile_read_pieces(tfp_profile_reader *r, tfp_input *in, tfp_error *err);
/* profileproto_exec.c: the lane of that name that counts as `kind`. */
uint32_t tfp_profile_lane(tfp_profile_reader *r, tfp_str name, tfp_lane_kind kind);
/* profileproto_node.c: the trace with the bytes of `t`, seen before or new. */
uint32_t tfp_profile_trace(tfp_profile_reader *r, raw_trace t);
/* profileproto_exec.c: an entry of execs, step -> ExecProfile. */
void tfp_profile_read_exec(tfp_profile_reader *r, tfp_str bytes, uint32_t node);
/* profileproto_node.c: a ProfileNode that stands under `key`. */
tfp_status tfp_profile_read_node(tfp_profile_reader *r, tfp_str bytes, int64_t key, tfp_error *err);
/* profileproto_program.c: the same nodes as a program, when it is kept; all harmless when not. */
bool tfp_profile_program_start(tfp_profile_reader *r); /* false without memory */
void tfp_profile_program_attr(tfp_profile_reader *r, tfp_str name, tfp_str value);
void tfp_profile_program_attrs_from(tfp_profile_reader *r, node_ref *ref);
void tfp_profile_program_attrs_to(tfp_profile_reader *r, uint32_t node, node_ref *ref);
tfp_status tfp_profile_program_finish(tfp_profile_reader *r, tfp_status s, tfp_error *err);
/* profileproto_end.c: traces, inputs and duplicates, when all nodes and strings are known. */
tfp_status tfp_profile_finish_reading(tfp_profile_reader *r, tfp_error *err);

#endif
