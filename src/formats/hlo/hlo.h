// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/hlo.h: an XLA program (HLO module) in tables: computations, instructions, shapes, call stacks. It is read from
 * an HloProto (proto.c) or from a text dump (text.c). XPlane files hold the modules that ran: the reader of traces
 * looks instructions up here (cost.c: float operations; place.c: nodes and edges of the profile).
 * Uses base, wire, model. Message layout: xla/service/hlo.proto, xla/xla_data.proto. */
#ifndef TFP_HLO_H
#define TFP_HLO_H

#include "base/io.h"
#include "model/builder.h"
#include "wire/proto.h"

/* PrimitiveType of xla_data.proto; the names are in hlo_types.c. */
/* The numbers of XLA's types of elements, as its files have them (PrimitiveType of xla_data.proto). Names and sizes: types.c. */
enum {
    TFP_HLO_PRED = 1,
    TFP_HLO_S8 = 2,
    TFP_HLO_S16 = 3,
    TFP_HLO_S32 = 4,
    TFP_HLO_S64 = 5,
    TFP_HLO_U8 = 6,
    TFP_HLO_U16 = 7,
    TFP_HLO_U32 = 8,
    TFP_HLO_U64 = 9,
    TFP_HLO_F16 = 10,
    TFP_HLO_F32 = 11,
    TFP_HLO_F64 = 12,
    TFP_HLO_TUPLE = 13,
    TFP_HLO_OPAQUE = 14,
    TFP_HLO_C64 = 15,
    TFP_HLO_BF16 = 16,
    TFP_HLO_TOKEN = 17,
    TFP_HLO_C128 = 18,
    TFP_HLO_F8E5M2 = 19,
    TFP_HLO_F8E4M3FN = 20,
    TFP_HLO_S4 = 21,
    TFP_HLO_U4 = 22,
    TFP_HLO_F8E4M3B11FNUZ = 23,
    TFP_HLO_F8E5M2FNUZ = 24,
    TFP_HLO_F8E4M3FNUZ = 25,
    TFP_HLO_S2 = 26,
    TFP_HLO_U2 = 27,
    TFP_HLO_F8E4M3 = 28,
    TFP_HLO_F8E3M4 = 29,
    TFP_HLO_S1 = 30,
    TFP_HLO_U1 = 31,
    TFP_HLO_F4E2M1FN = 32,
    TFP_HLO_F8E8M0FNU = 33
};

typedef struct tfp_hlo_array { /* a shape that is no tuple */
    uint32_t type;             /* PrimitiveType; 0: not known */
    uint32_t dim_first, dim_count;
} tfp_hlo_array;

typedef struct tfp_hlo_shape { /* an array, or the arrays of a tuple, nested ones laid flat */
    uint32_t first, count;     /* -> arrays */
    bool tuple;
} tfp_hlo_shape;

enum { TFP_HLO_LT = 1, TFP_HLO_LE };

/* Known costs of one execution; TFP_HLO_UNKNOWN: no count. */
#define TFP_HLO_UNKNOWN ((int64_t)-1)
typedef struct tfp_hlo_cost {
    int64_t flops, macs, bytes;
    bool counted; /* its operation has a rule and all shapes for it */
} tfp_hlo_cost;

/* What the cost of an instruction follows from, beside its shapes (cost.c). */
typedef struct tfp_hlo_work {
    uint32_t contract_first, contract_count; /* -> numbers: contracted dims of a dot's left side */
    int64_t window;                          /* product of the window's sizes; 1 without */
    int64_t fft_points;                      /* product of the lengths; 0 without */
    int32_t kernel_input;                    /* dim of the kernel: its input features; -1 without */
} tfp_hlo_work;

typedef struct tfp_hlo_constant {
    int64_t value; /* of an integer constant, if has_value */
    bool has_value;
} tfp_hlo_constant;

typedef struct tfp_hlo_instruction {
    int64_t id;
    tfp_strid name, opcode;
    tfp_strid op_name, op_type; /* of the framework's op: "jit(f)/dense/dot_general" */
    tfp_strid file;
    int32_t line;
    tfp_strid target;                      /* of a custom call */
    uint32_t frame;                        /* -> frames, from 1; 0: none */
    uint32_t shape;                        /* -> shapes */
    uint32_t operand_first, operand_count; /* -> links: instructions of the module, TFP_NONE: not there */
    uint32_t called_first, called_count;   /* -> links: computations */
    uint32_t computation;
    tfp_hlo_work work;
    tfp_hlo_constant constant;
    int32_t parameter;                       /* of a parameter: its number; -1 of others */
    int64_t trips;                           /* of a while: iterations; -1: not known */
    int32_t index;                           /* of a get-tuple-element; -1 of others */
    uint8_t direction;                       /* of a compare: TFP_HLO_LT, TFP_HLO_LE; 0 */
    bool custom; /* a fusion that a library or a generator runs, of the kind kCustom */
    uint32_t scheduled;     /* its place in the order in which the module runs, from 1; 0: not told */
    tfp_str config;    /* backend_config of a custom call, borrowed from the file's bytes until costs are counted */
    tfp_hlo_cost cost; /* of cost.c, with called computations */
} tfp_hlo_instruction;

typedef struct tfp_hlo_computation {
    tfp_strid name;
    int64_t id, root_id;
    uint32_t first, count; /* -> instructions */
    uint32_t root;         /* -> instructions, TFP_NONE */
    bool fused;            /* called by a fusion, or as the function of a reduction: not run by itself */
} tfp_hlo_computation;

typedef struct tfp_hlo_place { /* FileLocation */
    uint32_t file, function;   /* -> files, functions, from 1 */
    int32_t line;
} tfp_hlo_place;

typedef struct tfp_hlo_frame {
    uint32_t place, parent; /* from 1; 0: none */
} tfp_hlo_frame;

typedef struct tfp_hlo_module {
    tfp_strid name;
    int64_t id, entry_id;
    uint32_t entry; /* -> computations, TFP_NONE */
    TFP_VEC(tfp_hlo_instruction) instructions;
    TFP_VEC(tfp_hlo_computation) computations;
    TFP_VEC(tfp_hlo_shape) shapes;
    TFP_VEC(tfp_hlo_array) arrays;
    TFP_VEC(int64_t) dims;
    TFP_VEC(int64_t) numbers;
    TFP_VEC(uint32_t) links;
    TFP_VEC(int64_t) ids; /* of the targets of `links`, until these are found */
    TFP_VEC(int64_t) schedule; /* ids of instructions in the order of each computation, until these are found */
    TFP_VEC(tfp_strid) files;
    TFP_VEC(tfp_strid) functions;
    TFP_VEC(tfp_hlo_place) places;
    TFP_VEC(tfp_hlo_frame) frames;
    bool ran;          /* events of a trace name it */
    tfp_map64 by_name; /* strid -> instructions; of one name the first in the entry, else the first */
} tfp_hlo_module;

/* What an instruction does (describe.c): "dot", "fusion(dot)" by what computes most in it, "custom-call(TARGET)". */
tfp_strid tfp_hlo_what(tfp_builder *b, const tfp_hlo_module *m, uint32_t row);
/* The PrimitiveType of the numbers that it computes with most; 0: not known. */
uint32_t tfp_hlo_type(const tfp_builder *b, const tfp_hlo_module *m, uint32_t row);
/* "bf16", "f8"; NULL for types that devices have no peaks of. */
const char *tfp_hlo_float_name(uint32_t type);

/* An HloProto, or an HloModuleProto. On failure the module is empty. Strings are interned by the builder. */
tfp_status tfp_hlo_read_proto(tfp_builder *b, tfp_wire w, tfp_hlo_module *m, tfp_error *err);
/* A text dump of one module (`HloModule NAME, ...`). Errors as "LINE:COLUMN: ...". */
tfp_status tfp_hlo_read_text(tfp_builder *b, tfp_str text, tfp_hlo_module *m, tfp_error *err);
void tfp_hlo_free(tfp_hlo_module *m);

/* The end of every reader: operands and calls become indexes, names a map; then trips of loops and costs. */
tfp_status tfp_hlo_complete(tfp_builder *b, tfp_hlo_module *m, tfp_error *err);

/* The number behind {"known_trip_count":{"n":"5"}} of a backend_config, which is JSON; -1 without. */
int64_t tfp_hlo_trips(tfp_str config);

/* Iterations of loops that count from a constant to a constant (trips.c). */
void tfp_hlo_find_trips(const tfp_builder *b, tfp_hlo_module *m);

/* Sets the cost of each instruction. False without memory. */
bool tfp_hlo_count(const tfp_builder *b, tfp_hlo_module *m);

/* Whether there is such an operation ("dot"). */
bool tfp_hlo_is_opcode(tfp_str name);

/* The row of that name; TFP_NONE when absent. */
uint32_t tfp_hlo_find(const tfp_hlo_module *m, tfp_strid name);

/* ---- types ---- */
unsigned tfp_hlo_type_bits(uint32_t type); /* 0: not known, or no array */
bool tfp_hlo_type_is_float(uint32_t type); /* floating point or complex */
uint32_t tfp_hlo_type_named(tfp_str name); /* "f32"; 0 when there is none such */
int64_t tfp_hlo_elements(const tfp_hlo_module *m,
                         const tfp_hlo_array *a);               /* TFP_HLO_UNKNOWN when too many or dynamic */
int64_t tfp_hlo_bytes(const tfp_hlo_module *m, uint32_t shape); /* the same */

/* ---- what becomes of instructions in the profile ---- */

/* Where in the model an instruction is, and its op: "PATH" and the last part of it, or (hlo)/MODULE/INSTRUCTION. */
typedef struct tfp_hlo_where {
    tfp_strid path, op;
} tfp_hlo_where;
/* The place in the model of a framework's op name, which is NAME:TYPE or a path of JAX. Empty op_name: module and instruction are the place. */
tfp_hlo_where tfp_hlo_place_of(tfp_builder *b, tfp_str op_name, tfp_str module, tfp_str instruction);
/* NAME:TYPE as TensorFlow writes its ops: one colon, no blank. False: it is none. */
bool tfp_op_name_split(tfp_str s, tfp_str *name, tfp_str *type);
/* Whether it is written as TensorFlow writes types of ops: a C identifier that begins with a capital or `_`. */
bool tfp_op_type_is(tfp_str s);
/* The call stack of an instruction, outermost first; -> traces, TFP_NONE. */
uint32_t tfp_hlo_trace(tfp_builder *b, const tfp_hlo_module *m, const tfp_hlo_instruction *i);
/* How one run of a module executes its computations (runs.c); arrays by computation. */
typedef struct tfp_hlo_runs {
    uint32_t *caller; /* -> instructions: the first that calls it; TFP_NONE: none */
    int64_t *runs;    /* executions; 0 in a branch that is not taken */
    bool *alone;      /* its instructions run by themselves, not as a part of a fusion or of a reduction's function */
} tfp_hlo_runs;
bool tfp_hlo_runs_new(const tfp_builder *b, const tfp_hlo_module *m,
                      tfp_hlo_runs *r); /* false without memory; free it */
void tfp_hlo_runs_free(tfp_hlo_runs *r);

/* A node with edges, shape and call stack for each place of the module's instructions. Of a trace executions count float
 * operations, and only what runs by itself is a node; else each node has those of one run of the module, and fusions are
 * open to their insides. */
void tfp_hlo_build_nodes(tfp_builder *b, const tfp_hlo_module *m, bool of_trace);

#endif
