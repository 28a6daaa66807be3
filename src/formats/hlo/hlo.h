// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/hlo.h: an XLA program (HLO module) in tables: computations, instructions, shapes, call stacks. It is read
 * from an HloProto (proto.c) or from a text dump (text.c). XPlane files contain the modules that ran, and the reader of
 * traces looks up instructions here (cost.c: float operations; place.c: nodes and edges of the profile). Uses base,
 * wire, model. Message layout: xla/service/hlo.proto, xla/xla_data.proto. */
#ifndef TFP_HLO_H
#define TFP_HLO_H

#include "cost/cost.h"
#include "base/io.h"
#include "model/builder.h"
#include "wire/proto.h"

/* Numbers of XLA's element types, as in its files (PrimitiveType of xla_data.proto). Names and sizes: types.c. */
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
    uint32_t type;             /* PrimitiveType; 0: unknown */
    uint32_t dim_first, dim_count;
} tfp_hlo_array;

typedef struct tfp_hlo_shape { /* an array, or the arrays of a tuple, with nested tuples flattened */
    uint32_t first, count;     /* index in arrays */
    bool tuple;
} tfp_hlo_shape;

enum { TFP_HLO_LT = 1, TFP_HLO_LE };

/* Costs of one execution, as far as known; TFP_UNKNOWN: no count. */
typedef struct tfp_hlo_cost {
    int64_t flops, macs, bytes;
    bool counted; /* there is a rule for its operation, and all shapes that the rule needs */
} tfp_hlo_cost;

/* What the cost of an instruction depends on, beside its shapes (cost.c). */
typedef struct tfp_hlo_work {
    uint32_t contract_first, contract_count; /* index in numbers: contracted dims of a dot's left side */
    int64_t window;                          /* product of the window's sizes; 1: no window */
    int64_t fft_points;                      /* product of the lengths; 0: no FFT */
    int32_t kernel_input;                    /* the kernel's dim of input features; -1: none */
} tfp_hlo_work;

typedef struct tfp_hlo_constant {
    int64_t value; /* value of an integer constant, if has_value */
    bool has_value;
} tfp_hlo_constant;

typedef struct tfp_hlo_instruction {
    int64_t id;
    tfp_strid name, opcode;
    tfp_strid op_name, op_type; /* of the framework's op: "jit(f)/dense/dot_general" */
    tfp_strid file;
    int32_t line;
    tfp_strid target;                      /* target of a custom call */
    uint32_t frame;                        /* index in frames, from 1; 0: none */
    uint32_t shape;                        /* index in shapes */
    uint32_t operand_first, operand_count; /* index in links: instructions of the module, TFP_NONE: missing */
    uint32_t called_first, called_count;   /* index in links: computations */
    uint32_t computation;
    tfp_hlo_work work;
    tfp_hlo_constant constant;
    int32_t parameter;  /* number of a parameter; -1 for other instructions */
    int64_t trips;      /* iterations of a while; -1: unknown */
    int32_t index;      /* index of a get-tuple-element; -1 for other instructions */
    uint8_t direction;  /* of a compare: TFP_HLO_LT, TFP_HLO_LE; otherwise 0 */
    bool custom;        /* a fusion of kind kCustom, which a library or a code generator runs */
    uint32_t scheduled; /* its position in the order in which the module runs, from 1; 0: unknown */
    tfp_str config;     /* backend_config of a custom call; points into the file's bytes until costs are counted */
    tfp_hlo_cost cost;  /* set by cost.c; includes called computations */
} tfp_hlo_instruction;

typedef struct tfp_hlo_computation {
    tfp_strid name;
    int64_t id, root_id;
    uint32_t first, count; /* index in instructions */
    uint32_t root;         /* index in instructions, or TFP_NONE */
    bool fused; /* called by a fusion, or the function of a reduction: its instructions do not run by themselves */
} tfp_hlo_computation;

typedef struct tfp_hlo_place { /* FileLocation */
    uint32_t file, function;   /* indexes in files and functions, from 1 */
    int32_t line;
} tfp_hlo_place;

typedef struct tfp_hlo_frame {
    uint32_t place, parent; /* from 1; 0: none */
} tfp_hlo_frame;

typedef struct tfp_hlo_module {
    tfp_strid name;
    int64_t id, entry_id;
    uint32_t entry; /* index in computations, or TFP_NONE */
    TFP_VEC(tfp_hlo_instruction) instructions;
    TFP_VEC(tfp_hlo_computation) computations;
    TFP_VEC(tfp_hlo_shape) shapes;
    TFP_VEC(tfp_hlo_array) arrays;
    TFP_VEC(int64_t) dims;
    TFP_VEC(int64_t) numbers;
    TFP_VEC(uint32_t) links;
    TFP_VEC(int64_t) ids;      /* ids of the targets of `links`, until they are resolved */
    TFP_VEC(int64_t) schedule; /* ids of instructions in the order of each computation, until they are resolved */
    TFP_VEC(tfp_strid) files;
    TFP_VEC(tfp_strid) functions;
    TFP_VEC(tfp_hlo_place) places;
    TFP_VEC(tfp_hlo_frame) frames;
    bool ran;          /* events of a trace refer to it */
    tfp_map64 by_name; /* name -> the first instruction of that name in the entry computation, or else in the module */
} tfp_hlo_module;

/* What an instruction does (describe.c): "dot"; "fusion(dot)", after the instruction in it that computes most;
 * "custom-call(TARGET)". */
tfp_strid tfp_hlo_what(tfp_builder *b, const tfp_hlo_module *m, uint32_t row);
/* The PrimitiveType of most of the numbers that it computes with; 0: unknown. */
uint32_t tfp_hlo_type(const tfp_builder *b, const tfp_hlo_module *m, uint32_t row);
/* "bf16", "f8"; NULL for types for which devices state no peak rate. */
const char *tfp_hlo_float_name(uint32_t type);

/* Reads an HloProto or an HloModuleProto. On failure the module is empty. Strings are interned by the builder. */
tfp_status tfp_hlo_read_proto(tfp_builder *b, tfp_wire w, tfp_hlo_module *m, tfp_error *err);
/* Whether a text is a module, or computations without the line that begins one. Comments may come first. */
bool tfp_hlo_is_text(tfp_str head);
/* Reads a text dump of one module (`HloModule NAME, ...`), or of its computations alone. Errors are
 * "LINE:COLUMN: ...". */
tfp_status tfp_hlo_read_text(tfp_builder *b, tfp_str text, tfp_hlo_module *m, tfp_error *err);
void tfp_hlo_free(tfp_hlo_module *m);

/* The last step of every reader: turns operands and calls into indexes, builds the map of names, then finds trip counts
 * and costs. */
tfp_status tfp_hlo_complete(tfp_builder *b, tfp_hlo_module *m, tfp_error *err);

/* The number in {"known_trip_count":{"n":"5"}} of a backend_config, which is JSON; -1: none. */
int64_t tfp_hlo_trips(tfp_str config);

/* Finds the iterations of loops that count from a constant to a constant (trips.c). */
void tfp_hlo_find_trips(const tfp_builder *b, tfp_hlo_module *m);

/* Sets the cost of each instruction. False: out of memory. */
bool tfp_hlo_count(const tfp_builder *b, tfp_hlo_module *m);

/* Whether HLO has an operation of this name ("dot"). */
bool tfp_hlo_is_opcode(tfp_str name);

/* The instruction of that name; TFP_NONE: none. */
uint32_t tfp_hlo_find(const tfp_hlo_module *m, tfp_strid name);

/* ---- types ---- */
unsigned tfp_hlo_type_bits(uint32_t type); /* 0: unknown, or no array */
bool tfp_hlo_type_is_float(uint32_t type); /* floating point or complex */
uint32_t tfp_hlo_type_named(tfp_str name); /* such as "f32"; 0: no type has this name */
int64_t tfp_hlo_elements(const tfp_hlo_module *m,
                         const tfp_hlo_array *a); /* TFP_UNKNOWN when there are too many, or a dimension is dynamic */
int64_t tfp_hlo_bytes(const tfp_hlo_module *m, uint32_t shape); /* the same */

/* ---- instructions in the profile ---- */

/* Where in the model an instruction is, and its op: "PATH" and its last part, or (hlo)/MODULE/INSTRUCTION. */
typedef struct tfp_hlo_where {
    tfp_strid path, op;
} tfp_hlo_where;
/* The place in the model that a framework's op name gives; the name is NAME:TYPE or a path of JAX. Without op_name,
 * module and instruction are the place. */
tfp_hlo_where tfp_hlo_place_of(tfp_builder *b, tfp_str op_name, tfp_str module, tfp_str instruction);
/* Splits NAME:TYPE, as TensorFlow writes its ops: one colon, no blank. False: it has another form. */
bool tfp_op_name_split(tfp_str s, tfp_str *name, tfp_str *type);
/* Whether it has the form of TensorFlow's op types: a C identifier that begins with a capital or `_`. */
bool tfp_op_type_is(tfp_str s);
bool tfp_hlo_is(const tfp_builder *b, const tfp_hlo_instruction *i, const char *opcode);
/* The call stack of an instruction, outermost first, as an index in traces; TFP_NONE: none. */
uint32_t tfp_hlo_trace(tfp_builder *b, const tfp_hlo_module *m, const tfp_hlo_instruction *i);
/* How often one run of a module executes its computations (runs.c); the arrays are indexed by computation. */
typedef struct tfp_hlo_runs {
    uint32_t *caller; /* the first instruction that calls it; TFP_NONE: none */
    int64_t *runs;    /* number of executions; 0 in a branch that is not taken */
    bool *alone;      /* its instructions run one by one, not as a part of a fusion or a reduction's function */
} tfp_hlo_runs;
bool tfp_hlo_runs_new(const tfp_builder *b, const tfp_hlo_module *m,
                      tfp_hlo_runs *r); /* false: out of memory. Free it in both cases. */
void tfp_hlo_runs_free(tfp_hlo_runs *r);

/* Adds a node with edges, shape and call stack for each place of the module's instructions. With a trace, executions
 * count the float operations, and only instructions that run by themselves become nodes. Without one, each node has the
 * float operations of one run of the module, and instructions inside fusions are nodes too. */
void tfp_hlo_build_nodes(tfp_builder *b, const tfp_hlo_module *m, bool of_trace);

#endif
