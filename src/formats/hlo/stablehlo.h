// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo.h: what the files of the StableHLO reader share. It reads MLIR's text of a module
 * (lowered.as_text() of JAX) into the tables of an HLO module (hlo.h): a function or region becomes a computation, an
 * operation becomes an instruction with HLO's name. Operations may be of the dialects stablehlo, mhlo, chlo and func,
 * in their pretty or generic form. Grammar: mlir.llvm.org/docs/LangRef, openxla.org/stablehlo/spec. */
#ifndef TFP_STABLEHLO_H
#define TFP_STABLEHLO_H

#include "formats/hlo/hlo.h"

#define TFP_SHLO_NONE ((int64_t)-1)
#define TFP_SHLO_REGIONS ((int64_t)1 << 40) /* ids of regions begin here; ids of functions are their names */
#define TFP_SHLO_DEEPEST 256                /* most nested regions; a value is looked up in all of them */

typedef struct tfp_shlo_value { /* values are found by id */
    uint32_t shape;             /* index in shapes */
    uint32_t parts, first_part; /* of an operation with several results: the ids of the single results */
} tfp_shlo_value;

typedef struct tfp_shlo_name { /* an argument whose region is not open yet */
    tfp_strid name;
    uint32_t shape;
} tfp_shlo_name;

typedef struct tfp_shlo_result { /* a name left of an operation's "=" */
    tfp_strid name;
    uint32_t count; /* 2 in "%a:2" */
} tfp_shlo_result;

/* A module, function or region that is still open. When it is closed its instructions move into the module. */
typedef struct tfp_shlo_frame {
    enum { TFP_SHLO_MODULE, TFP_SHLO_FUNCTION, TFP_SHLO_REGION } kind;
    uint32_t scope; /* number of the frame; half of the key of a name in it */
    tfp_strid name;
    bool loop; /* a region of a while: its arguments are elements of one tuple */
    TFP_VEC(tfp_hlo_instruction) instructions;
    TFP_VEC(int64_t) roots;           /* the values that it returns */
    TFP_VEC(int64_t) called;          /* computations of the last operation, if it has regions */
    TFP_VEC(tfp_shlo_name) arguments; /* arguments of the last operation, if it is a while in pretty form */
    uint32_t op;                      /* index of the last operation in instructions; TFP_NONE: none */
    tfp_str op_name;                  /* its name in the text */
    TFP_VEC(tfp_shlo_result) names;   /* the names of its results */
    uint32_t results;                 /* the number of its results */
} tfp_shlo_frame;

typedef struct tfp_shlo_place { /* the location of an alias #locN */
    tfp_strid name, file;
    int32_t line;
    uint32_t inner, caller; /* indexes in places, or TFP_NONE; caller: for a call site */
    uint32_t frame;         /* index in the module's frames, from 1; 0: none, or not known yet */
    bool known;
} tfp_shlo_place;

typedef struct tfp_shlo {
    tfp_builder *b;
    tfp_hlo_module *m;
    tfp_str line; /* the current line without blanks at its ends and without its location */
    const char *line_start;
    int line_number;
    uint32_t place; /* the line's location: index in places, or TFP_NONE */
    TFP_VEC(tfp_shlo_frame) frames;
    TFP_VEC(tfp_shlo_value) values;
    tfp_map64 value_by_name; /* scope << 32 | name -> index in values */
    TFP_VEC(tfp_shlo_place) places;
    tfp_map64 place_by_name;
    uint32_t scopes;
    bool has_module;
} tfp_shlo;

tfp_status tfp_shlo_fail(const tfp_shlo *r, const char *at, tfp_error *err, const char *what);
static inline tfp_shlo_frame *tfp_shlo_top(tfp_shlo *r) { return &r->frames.at[r->frames.size - 1]; }

/* ---- stablehlo_words.c: words and types ---- */
bool tfp_shlo_take(tfp_str *s, const char *word); /* skips blanks before the word */
void tfp_shlo_blanks(tfp_str *s);
tfp_str tfp_shlo_word(tfp_str *s); /* a word of letters, digits, _ . $ -; may be empty */
/* the first of `ends` outside brackets and quotes; the size: none */
size_t tfp_shlo_outside(tfp_str s, const char *ends);
/* the position after the last colon outside brackets; the size: none */
size_t tfp_shlo_types_at(tfp_str s);
tfp_str tfp_shlo_quoted(tfp_str *s);                 /* "TEXT" without its quotes; escapes are kept */
tfp_str tfp_shlo_behind(tfp_str s, const char *key); /* the text after a key; empty: the key is missing */
int64_t tfp_shlo_number(tfp_str *s);
/* Reads "TYPE, TYPE" or "(TYPE, TYPE)" as one shape of all arrays; a tuple when there is more than one type. Returns an
 * index in shapes. */
uint32_t tfp_shlo_types(tfp_shlo *r, tfp_str *s, uint32_t *count);
uint32_t tfp_shlo_tuple(tfp_shlo *r, const int64_t *ids, size_t count); /* returns an index in shapes */

/* ---- stablehlo_op.c: operations ---- */
tfp_str tfp_shlo_own_name(tfp_str name); /* "add" for "stablehlo.add"; in other dialects the whole name */
/* HLO's name of an operation: "dot" for "stablehlo.dot_general". Unknown operations keep their name. */
tfp_strid tfp_shlo_opcode(tfp_shlo *r, tfp_str name);
/* Reads what costs depend on from the text of an operation without its types; `types` are those of its operands and
 * results. */
void tfp_shlo_attributes(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str name, tfp_str text, tfp_str types);

/* ---- stablehlo_place.c: locations ---- */
void tfp_shlo_read_alias(tfp_shlo *r);                /* reads a line "#locN = loc(...)" */
uint32_t tfp_shlo_read_place(tfp_shlo *r, tfp_str s); /* reads the contents of loc(...) */
void tfp_shlo_settle_places(tfp_shlo *r);             /* sets names and call stacks of all instructions */

/* ---- stablehlo_region.c: values, instructions, regions ---- */
int64_t tfp_shlo_new_value(tfp_shlo *r, uint32_t shape); /* returns an index in values */
void tfp_shlo_name_value(tfp_shlo *r, tfp_strid name, int64_t id);
void tfp_shlo_name_results(tfp_shlo *r, int64_t id); /* gives the results of the last operation their names */
tfp_hlo_instruction tfp_shlo_instruction(tfp_shlo *r, tfp_strid opcode, uint32_t shape, int64_t id);
tfp_strid tfp_shlo_numbered(tfp_shlo *r, tfp_str name, int64_t id); /* such as "dot_general.7" */
void tfp_shlo_push(tfp_shlo *r, tfp_hlo_instruction i);
/* Adds an instruction that the text does not have. Returns an index in values. */
int64_t tfp_shlo_push_made(tfp_shlo *r, tfp_str opcode, uint32_t shape, const int64_t *operands, size_t count,
                           int32_t index);
/* Adds each array of a tuple as a value. */
void tfp_shlo_push_parts(tfp_shlo *r, int64_t tuple, uint32_t shape, uint32_t count);
int64_t tfp_shlo_push_parameter(tfp_shlo *r, tfp_strid name, uint32_t shape, int32_t number);
/* Takes the values in a text, except those in quotes, as operands. In a while "%name = %value" names the arguments of
 * its regions, and the operands become one tuple. */
tfp_status tfp_shlo_operands(tfp_shlo *r, tfp_str s, bool loop, tfp_hlo_instruction *i, tfp_error *err);
bool tfp_shlo_open(tfp_shlo *r, int kind, tfp_strid name, bool loop);
bool tfp_shlo_open_region(tfp_shlo *r); /* opens a region of the last operation */
int64_t tfp_shlo_close(tfp_shlo *r);    /* returns the id of the computation */
void tfp_shlo_free_frame(tfp_shlo_frame *f);
/* Reads "%a: TYPE, %b: TYPE {...} loc(...)": the parameters of a computation; in a loop they are elements of one
 * parameter. */
void tfp_shlo_parameters(tfp_shlo *r, tfp_str s, int32_t *number);
void tfp_shlo_loop_parameters(tfp_shlo *r, const tfp_shlo_name *names, size_t count);

/* ---- stablehlo.c ---- */
tfp_status tfp_shlo_read(tfp_builder *b, tfp_str text, tfp_hlo_module *m, tfp_error *err);
bool tfp_shlo_is(tfp_str head);

#endif
