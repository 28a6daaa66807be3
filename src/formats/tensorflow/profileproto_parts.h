// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_parts.h: what the readers of a ProfileProto share: its message, its nodes, their
 * executions, its pieces, and the last step, which resolves what had to wait. */
#ifndef TFP_PROFILEPROTO_PARTS_H
#define TFP_PROFILEPROTO_PARTS_H

#include "formats/files/format.h"
#include "formats/graph/program.h"
#include "model/tables/lanes.h"
#include "wire/proto.h"

typedef struct node_ref { /* a node of the file, in the order of its rows in the profile */
    int64_t key;
    uint32_t trace; /* index in traces, or TFP_NONE */
    uint32_t edge_first, edge_count;
    uint32_t attr_first, attr_count; /* when the program is kept: index in its attrs, for a piece in the reader's */
    bool lost;                       /* another node with the same key replaced it */
} node_ref;

typedef struct edge {
    int64_t source; /* the source's key; later its name */
    int32_t position, output_index;
} edge;

typedef struct raw_trace {
    tfp_str bytes; /* in the reader's arena */
    uint64_t hash; /* hash of these bytes */
    uint64_t base; /* their offset in the file */
    size_t node;   /* the first node that has this trace */
    uint32_t row;  /* index in the profile's traces, once decoded */
} raw_trace;

typedef struct raw_attr { /* an attribute of a piece's node, which is decoded when the piece is appended */
    tfp_strid name;
    tfp_str value; /* in the piece's bytes or its arena */
} raw_attr;

typedef struct exec_ref {
    uint32_t node, exec; /* the last node that ran in a step, and its execution */
} exec_ref;

typedef struct memo { /* the last text and its id: successive nodes name the same devices */
    tfp_str text;
    uint32_t id;
} memo;

typedef struct lane_memo {
    memo last;
    uint32_t exec; /* the last execution that had times on it, or TFP_NONE */
} lane_memo;

typedef struct output {
    int32_t slot;
    uint32_t shape, place; /* place: offset in the file */
} output;

typedef struct step_ref {
    int64_t id;
    uint32_t step; /* step + 1; 0: none yet */
} step_ref;

/* Keys of nodes: profileproto_reader.c. */
typedef struct tfp_profile_keys {
    tfp_map64 large;         /* key -> node */
    TFP_VEC(uint32_t) small; /* nodes by keys below small_most, which all keys of a real file are */
    uint64_t small_most;
    bool twice; /* a key came twice, so the table of names must be rebuilt */
} tfp_profile_keys;

/* Buffers for the node that is being read: profileproto_node.c. */
typedef struct tfp_profile_one {
    TFP_VEC(edge) sources; /* source key and output index */
    TFP_VEC(output) outputs;
    TFP_VEC(int64_t) shape;
    TFP_VEC(int64_t) dims; /* of one output */
    tfp_buf attrs, shapes;
} tfp_profile_one;

/* What the node before had, which the next one often has too: profileproto_node.c. */
typedef struct tfp_profile_same {
    memo device, host, type;
    unsigned device_on; /* TFP_NODE_ON_... for `device` */
} tfp_profile_same;

/* Executions and their lanes: profileproto_exec.c. */
typedef struct tfp_profile_ran {
    TFP_VEC(exec_ref) execs;  /* one for each step */
    TFP_VEC(tfp_str) buffers; /* of the current run */
    step_ref step_of[16];     /* indexed by the last bits of the step's number */
    lane_memo lanes[TFP_LANE_ACCELERATOR + 1];
    tfp_map64 lane_by_name;
} tfp_profile_ran;

/* Call stacks: profileproto_node.c collects them, profileproto_end.c decodes them. */
typedef struct tfp_profile_traces {
    TFP_VEC(raw_trace) list;
    tfp_map64 by_hash;
    tfp_map64 string_by_id;
    TFP_VEC(tfp_code_frame) frames;
} tfp_profile_traces;

typedef struct tfp_profile_reader {
    tfp_builder *b;
    tfp_profile *p;
    tfp_arena arena;
    TFP_VEC(node_ref) nodes;
    TFP_VEC(edge) edges;
    tfp_profile_keys keys;
    tfp_profile_one one;
    tfp_profile_same same;
    tfp_profile_ran runs;
    tfp_profile_traces traces;
    tfp_program_reader *program; /* NULL when no program is kept, and for a piece */
    TFP_VEC(raw_attr) attrs;     /* for a piece, when the program is kept */
    tfp_wire fault;              /* the first fault inside a node, with its offset in the file */
    const char *window;          /* the entry that is being read, and its offset in the file: */
    uint64_t window_at;
    size_t first_row; /* index of the first of the profile's nodes that this file added */
    bool no_memory;
    bool of_piece; /* it reads a piece of the file, whose bytes outlive the reader's tables */
} tfp_profile_reader;

/* ---- faults and odd values ---- */

/* Parts of a node are read by functions that take the node's bytes and store a fault here. So the wire's address is not
 * passed on, and the wire can stay in registers. The fault is checked once per node. */
void tfp_profile_keep_fault(tfp_profile_reader *r, tfp_wire w, const char *place);
#define TFP_PROFILE_END(r, w, place)                                                                                   \
    do {                                                                                                               \
        if (__builtin_expect((w).fault != NULL, 0)) tfp_profile_keep_fault((r), (w), (place));                         \
    } while (0)

/* Remembers that memory ran out; checked once per node. */
static inline bool tfp_profile_ok(tfp_profile_reader *r, bool success)
{
    if (!success) r->no_memory = true;
    return success;
}

/* Adds a warning with a number as its example. */
void tfp_profile_warn(tfp_profile_reader *r, const char *what, int64_t number);

/* Reads a count, time or size that cannot be negative. */
static inline int64_t tfp_profile_positive(tfp_profile_reader *r, int64_t v, const char *what)
{
    if (v >= 0) return v;
    tfp_profile_warn(r, what, v);
    return 0;
}

#define BYTES(r, v) tfp_profile_positive((r), (v), "negative byte counts, taken as 0")
#define TIME(r, v) tfp_build_micros((r)->b, tfp_profile_positive((r), (v), "negative times, taken as 0"))

/* ---- pieces ---- */

/* The node with that key, among those read so far. Keys are the numbers from 0 on in any honest file: those are in a
 * plain array, which may not grow faster than the file. */
uint32_t tfp_profile_find_key(const tfp_profile_reader *r, int64_t key);
bool tfp_profile_put_key(tfp_profile_reader *r, int64_t key, uint32_t node);

/* Interns the text, or takes its id from the memo. */
tfp_strid tfp_profile_text(tfp_profile_reader *r, memo *m, tfp_str text);

/* A key or value of a map entry is read by number: 1 is the key, 2 the value, and either may be missing. */
typedef struct tfp_profile_int_pair {
    int64_t key, value;
} tfp_profile_int_pair;
tfp_profile_int_pair tfp_profile_pair(tfp_profile_reader *r, tfp_str bytes, const char *place);

/* The same for entries whose values are messages, by number or by name. */
typedef struct tfp_profile_entry {
    int64_t key;
    tfp_str name, value;
    bool sound; /* false: it has a fault, which is stored */
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

/* profileproto_top.c: reads one field of the message, whose tag was read already; frees a reader. */
tfp_status tfp_profile_read_top(tfp_profile_reader *r, tfp_input *in, const tfp_field *f, tfp_error *err);
void tfp_profile_reader_free(tfp_profile_reader *r);
/* profileproto_pieces.c: reads as much of the file as several threads can, in pieces; the rest of `in` must be read
 * field by field. */
tfp_status tfp_profile_read_pieces(tfp_profile_reader *r, tfp_input *in, tfp_error *err);
/* profileproto_exec.c: the lane of that name with this `kind`. */
uint32_t tfp_profile_lane(tfp_profile_reader *r, tfp_str name, tfp_lane_kind kind);
/* profileproto_node.c: the trace with the bytes of `t`, seen before or new. */
uint32_t tfp_profile_trace(tfp_profile_reader *r, raw_trace t);
/* profileproto_exec.c: reads an entry of execs, step -> ExecProfile. */
void tfp_profile_read_exec(tfp_profile_reader *r, tfp_str bytes, uint32_t node);
/* profileproto_node.c: reads a ProfileNode with that `key`. */
tfp_status tfp_profile_read_node(tfp_profile_reader *r, tfp_str bytes, int64_t key, tfp_error *err);
/* profileproto_program.c: keeps the same nodes as a program; these functions do nothing when no program is kept. A
 * piece collects the attributes of its nodes, which are decoded when it is appended. */
bool tfp_profile_program_start(tfp_profile_reader *r); /* false without memory */
void tfp_profile_program_attr(tfp_profile_reader *r, tfp_str name, tfp_str value);
void tfp_profile_program_attrs_from(tfp_profile_reader *r, node_ref *ref);
void tfp_profile_program_attrs_to(tfp_profile_reader *r, uint32_t node, node_ref *ref);
/* Adds the attributes of a piece's node to the program; strings: the profile's numbers of the piece's strings. */
void tfp_profile_program_append(tfp_profile_reader *whole, const tfp_profile_reader *r, const tfp_strid *strings,
                                node_ref *ref);
tfp_status tfp_profile_program_finish(tfp_profile_reader *r, tfp_status s, tfp_error *err);
/* profileproto_end.c: resolves traces, inputs and duplicates when all nodes and strings are known. */
tfp_status tfp_profile_finish_reading(tfp_profile_reader *r, tfp_error *err);

#endif
