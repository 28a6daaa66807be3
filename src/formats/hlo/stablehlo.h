// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo.h: what the files of the StableHLO reader share. MLIR's text of a module (lowered.as_text() of JAX)
 * becomes the tables of an HLO module (hlo.h): a function or region is a computation, an operation an instruction with
 * HLO's name. Operations may be of the dialects stablehlo, mhlo, chlo and func, in their pretty or generic form.
 * Grammar: mlir.llvm.org/docs/LangRef, openxla.org/stablehlo/spec. */
#ifndef TFP_STABLEHLO_H
#define TFP_STABLEHLO_H

#include "formats/hlo/hlo.h"

#define TFP_SHLO_NONE ((int64_t)-1)
#define TFP_SHLO_REGIONS ((int64_t)1 << 40) /* ids of regions; those of functions are their names */
#define TFP_SHLO_DEEPEST 256                /* regions in one another; a value is looked up in all of them */

typedef struct tfp_shlo_value { /* by id */
    uint32_t shape;             /* -> shapes */
    uint32_t parts, first_part; /* of an operation with several results: the ids of its parts */
} tfp_shlo_value;

typedef struct tfp_shlo_name { /* an argument that waits for its region */
    tfp_strid name;
    uint32_t shape;
} tfp_shlo_name;

/* A module, function or region that is not closed yet. Its instructions move into the module when it is. */
typedef struct tfp_shlo_frame {
    enum { TFP_SHLO_MODULE, TFP_SHLO_FUNCTION, TFP_SHLO_REGION } kind;
    uint32_t scope; /* number, the half of the key of a name */
    tfp_strid name;
    bool loop; /* a region of a while: its arguments are parts of one tuple */
    TFP_VEC(tfp_hlo_instruction) instructions;
    TFP_VEC(int64_t) roots;           /* what it returns */
    TFP_VEC(int64_t) called;          /* computations of the last operation, which has regions */
    TFP_VEC(tfp_shlo_name) arguments; /* of the last operation, a while in its pretty form */
    uint32_t op;                      /* the last operation -> instructions; TFP_NONE: none */
    tfp_str op_name;                  /* what it is called in the text */
    tfp_strid result;                 /* the name of its value; 0: none */
    uint32_t results;                 /* how many it has */
} tfp_shlo_frame;

typedef struct tfp_shlo_place { /* of an alias #locN */
    tfp_strid name, file;
    int32_t line;
    uint32_t inner, caller; /* -> places, TFP_NONE; caller: of a call site */
    uint32_t frame;         /* -> frames of the module, from 1; 0: none, or not known yet */
    bool known;
} tfp_shlo_place;

typedef struct tfp_shlo {
    tfp_builder *b;
    tfp_hlo_module *m;
    tfp_str line; /* without blanks at its ends and without its location */
    const char *line_start;
    int line_number;
    uint32_t place; /* of the line -> places, TFP_NONE */
    TFP_VEC(tfp_shlo_frame) frames;
    TFP_VEC(tfp_shlo_value) values;
    tfp_map64 value_by_name; /* scope << 32 | name -> values */
    TFP_VEC(tfp_shlo_place) places;
    tfp_map64 place_by_name;
    uint32_t scopes;
    bool has_module;
    tfp_buf text;
} tfp_shlo;

static inline bool tfp_shlo_ok(tfp_shlo *r, bool fine)
{
    if (!fine && !r->b->status) r->b->status = TFP_NOMEM;
    return !r->b->status;
}
tfp_status tfp_shlo_fail(const tfp_shlo *r, const char *at, tfp_error *err, const char *what);
static inline tfp_shlo_frame *tfp_shlo_top(tfp_shlo *r) { return &r->frames.at[r->frames.size - 1]; }

/* ---- stablehlo_words.c: words and types ---- */
bool tfp_shlo_take(tfp_str *s, const char *word); /* blanks before it are left out */
void tfp_shlo_blanks(tfp_str *s);
tfp_str tfp_shlo_word(tfp_str *s);                    /* letters, digits, _ . $ -; maybe empty */
size_t tfp_shlo_outside(tfp_str s, const char *ends); /* the first of them outside of brackets and quotes; the size */
size_t tfp_shlo_types_at(tfp_str s);                  /* behind the last colon outside of brackets; the size: none */
tfp_str tfp_shlo_quoted(tfp_str *s);                  /* "TEXT" without its quotes; escapes stay */
tfp_str tfp_shlo_behind(tfp_str s, const char *key);  /* what follows a key; empty without */
int64_t tfp_shlo_number(tfp_str *s);
/* The arrays of a type, added to the module's; of a tuple all. */
void tfp_shlo_type(tfp_shlo *r, tfp_str *s);
/* "TYPE, TYPE" or "(TYPE, TYPE)": one shape of all arrays, a tuple when there is more than one type. -> shapes */
uint32_t tfp_shlo_types(tfp_shlo *r, tfp_str *s, uint32_t *count);
uint32_t tfp_shlo_tuple(tfp_shlo *r, const int64_t *ids, size_t count); /* -> shapes */

/* ---- stablehlo_op.c: operations ---- */
tfp_str tfp_shlo_own_name(tfp_str name); /* "add" of "stablehlo.add"; the whole name of other dialects */
/* HLO's name of an operation: "dot" of "stablehlo.dot_general". Unknown ones keep their name. */
tfp_strid tfp_shlo_opcode(tfp_shlo *r, tfp_str name);
/* Reads what costs depend on from the text of an operation without its types; `types` are its operands' and results'. */
void tfp_shlo_attributes(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str name, tfp_str text, tfp_str types);

/* ---- stablehlo_place.c: locations ---- */
void tfp_shlo_read_alias(tfp_shlo *r);                /* a line "#locN = loc(...)" */
uint32_t tfp_shlo_read_place(tfp_shlo *r, tfp_str s); /* what stands in loc(...) */
void tfp_shlo_settle_places(tfp_shlo *r);             /* names and call stacks of all instructions */

/* ---- stablehlo_region.c: values, instructions, regions ---- */
int64_t tfp_shlo_new_value(tfp_shlo *r, uint32_t shape); /* -> values */
void tfp_shlo_name_value(tfp_shlo *r, tfp_strid name, int64_t id);
tfp_hlo_instruction tfp_shlo_instruction(tfp_shlo *r, tfp_strid opcode, uint32_t shape, int64_t id);
tfp_strid tfp_shlo_numbered(tfp_shlo *r, tfp_str name, int64_t id); /* "dot_general.7" */
void tfp_shlo_push(tfp_shlo *r, tfp_hlo_instruction i);
/* An instruction that the text does not have. -> values */
int64_t tfp_shlo_push_made(tfp_shlo *r, tfp_str opcode, uint32_t shape, const int64_t *operands, size_t count,
                           int32_t index);
/* The arrays of a tuple, each a value. */
void tfp_shlo_push_parts(tfp_shlo *r, int64_t tuple, uint32_t shape, uint32_t count);
int64_t tfp_shlo_push_parameter(tfp_shlo *r, tfp_strid name, uint32_t shape, int32_t number);
/* The values in a text become operands, those in quotes left out. Of a while "%name = %value" names the arguments of its
 * regions, and the operands are one tuple. */
tfp_status tfp_shlo_operands(tfp_shlo *r, tfp_str s, bool loop, tfp_hlo_instruction *i, tfp_error *err);
bool tfp_shlo_open(tfp_shlo *r, int kind, tfp_strid name, bool loop);
bool tfp_shlo_open_region(tfp_shlo *r); /* of the last operation */
int64_t tfp_shlo_close(tfp_shlo *r);    /* -> id of the computation */
void tfp_shlo_free_frame(tfp_shlo_frame *f);
/* "%a: TYPE, %b: TYPE {...} loc(...)": parameters of a computation; of a loop they are parts of one. */
void tfp_shlo_parameters(tfp_shlo *r, tfp_str s, int32_t *number);
void tfp_shlo_loop_parameters(tfp_shlo *r, const tfp_shlo_name *names, size_t count);

/* ---- stablehlo.c ---- */
tfp_status tfp_shlo_read(tfp_builder *b, tfp_str text, tfp_hlo_module *m, tfp_error *err);
bool tfp_shlo_is(tfp_str head);

#endif
