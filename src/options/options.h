/* options/options.h: the column table, the option table, and what the user asked for. */
#ifndef TFP_OPTIONS_H
#define TFP_OPTIONS_H

#include "base/base.h"
#include "options/regex.h"
#include "options/rewrite.h"

/* The numbers that a row of a report can hold, each as its own and as a total. */
typedef enum tfp_value {
    TFP_V_BYTES,
    TFP_V_PEAK_BYTES,
    TFP_V_RESIDUAL_BYTES,
    TFP_V_OUTPUT_BYTES,
    TFP_V_MICROS,
    TFP_V_ACCELERATOR_MICROS,
    TFP_V_CPU_MICROS,
    TFP_V_PARAMS,
    TFP_V_FLOAT_OPS,
    TFP_V_RUNS,
    TFP_V_DEFINITIONS,
    TFP_V_FILES_COUNT, /* those before it come from the files alone, those behind from float operations worked out */
    TFP_V_MACS = TFP_V_FILES_COUNT,
    TFP_V_BYTES_MOVED,
    TFP_V_OPS,             /* nodes, those of bodies that are called included */
    TFP_V_COUNTED_OPS,     /* those of them that have a count */
    TFP_V_TIMED_FLOAT_OPS, /* float operations of what has a time */
    TFP_V_MOVED_FLOAT_OPS, /* float operations of what has bytes moved */
    TFP_V_COUNT
} tfp_value;
#define TFP_V_ALL ((1u << TFP_V_FILES_COUNT) - 1) /* what every report can have, and a proto holds */

typedef enum tfp_unit { TFP_MICROS, TFP_SIZE, TFP_NUMBER, TFP_LABEL, TFP_SHARE } tfp_unit; /* share: 1 is all */

/* In alphabetical order of the names, which is the order in which TensorFlow lists and explains them. */
typedef enum tfp_column_id {
    TFP_C_ACCELERATOR_MICROS,
    TFP_C_BYTES,
    TFP_C_BYTES_MOVED,
    TFP_C_COVERAGE,
    TFP_C_CPU_MICROS,
    TFP_C_DEVICE,
    TFP_C_FLOAT_OPS,
    TFP_C_FLOPS_PER_SECOND,
    TFP_C_INPUT_SHAPES,
    TFP_C_INTENSITY,
    TFP_C_MACS,
    TFP_C_MICROS,
    TFP_C_NUM_HIDDEN_OPS,
    TFP_C_OCCURRENCE,
    TFP_C_OP_TYPES,
    TFP_C_OUTPUT_BYTES,
    TFP_C_PARAMS,
    TFP_C_PEAK_BYTES,
    TFP_C_RESIDUAL_BYTES,
    TFP_C_TENSOR_VALUE,
    TFP_C_COUNT
} tfp_column_id;

typedef struct tfp_column {
    const char *name;      /* of -select */
    const char *doc_label; /* before the colon of its line in the Doc block, as TensorFlow has it */
    const char *legend;    /* of its cell in scope, graph and code; NULL: no cell of its own */
    const char *legend_op; /* in the op view; NULL: the same */
    tfp_unit unit;
    int value;          /* tfp_value, -1 for labels */
    const char *field;  /* of a label: its name in GraphNodeProto and JSON; numbers have theirs in outputs/fields.c */
    const char *help;   /* what it means and where it comes from; the Doc line shows it too */
    const char *suffix; /* behind the numbers of its cell in scope, graph and code; NULL: none */
    struct {
        tfp_value over, under; /* of a ratio: what is divided by what; ratios are made of sums and never summed */
        double times;          /* and multiplied with this; 0: no ratio */
    } ratio;
} tfp_column;
static inline bool tfp_is_ratio(const tfp_column *c) { return c->ratio.times != 0; }
extern const tfp_column tfp_columns[TFP_C_COUNT];
int tfp_column_find(tfp_str name); /* tfp_column_id, -1 when unknown */

typedef enum tfp_output_kind { TFP_TO_STDOUT, TFP_TO_FILE, TFP_TO_TIMELINE, TFP_TO_PPROF, TFP_TO_NONE } tfp_output_kind;

enum { TFP_MIN_COUNT = 12 };
enum {
    TFP_F_ACCOUNT,
    TFP_F_START,
    TFP_F_TRIM,
    TFP_F_SHOW,
    TFP_F_HIDE,
    TFP_F_DEVICE,
    TFP_F_NODE_NAMES,
    TFP_F_HIDE_NODES,
    TFP_F_COUNT
}; /* filters */

struct tfp_options {
    int64_t max_depth, step;
    int64_t min[TFP_MIN_COUNT];       /* in the order of tfp_min_values */
    int order_by;                     /* a row of tfp_orders */
    tfp_filter *filters[TFP_F_COUNT]; /* shared, counted; NULL is the empty list */
    bool account_displayed_op_only, viz, show_source;
    bool compat10, compat_tensorflow, every_value;
    const struct tfp_counts *counts;   /* made already, of the profile that a report is built of; NULL: by the report */
    bool reach;                        /* reports also tell which nodes count in which row: tfp_report.reach */
    uint64_t select;                   /* bits of tfp_column_id */
    uint8_t select_order[TFP_C_COUNT]; /* the columns in the order asked, those that were */
    uint8_t select_count;
    tfp_output_kind output;
    char *outfile; /* outlives a change of kind, as TensorFlow's does */
    char *format;  /* name of an output */
    char *proto_out, *dump_to_file;
    char *checkers;                    /* names joined by commas; empty: all */
    char *view;                        /* diff, stats: the view whose rows they show */
    tfp_rewrites *rewrites;            /* stats; shared, counted; NULL is the empty list */
    double delta;                      /* diff */
    char *min_size, *fail_over;        /* diff: for tfp_amount_parse; NULL: not given */
    char *names;                       /* diff: joined by commas; NULL: not given */
    bool swap_files;                   /* diff */
    int float_ops_source;              /* a tfp_flops_source */
    int64_t assume_batch;              /* 0: none */
    char *assume_shape;                /* "NAME=32,10;OTHER=?x3"; NULL: none */
    char *peak_flops, *peak_bandwidth; /* flops: for tfp_rate_parse; NULL: not given */
    bool nodes;                        /* flops */
    double time_limit;                 /* query: seconds, 0: none */
    tfp_progress_fn query_fn;          /* query: asked now and then whether to stop */
    void *query_ctx;
    uint64_t set; /* bits by option row: set by hand, so that -compat leaves it alone */
    tfp_buf text; /* what tfp_options_get gave last */
};

/* Which value each -min_ option looks at, in the order of the option table. */
extern const tfp_value tfp_min_values[TFP_MIN_COUNT];

typedef struct tfp_order {
    const char *name;
    int value;           /* tfp_value (descending by total), or one of these */
    tfp_column_id ratio; /* of TFP_BY_RATIO */
} tfp_order;
enum { TFP_BY_NAME = -1, TFP_BY_OCCURRENCE = -2, TFP_BY_TRAVERSAL = -3, TFP_BY_RATIO = -4 };
extern const tfp_order tfp_orders[];

/* Whether an option was set, by hand or by a program: its value is no default then. */
bool tfp_options_chosen(const tfp_options *o, const char *name);
/* The selected columns in the order asked; gives how many. */
size_t tfp_options_selected(const tfp_options *o, tfp_column_id out[TFP_C_COUNT]);
static inline bool tfp_selects(const tfp_options *o, tfp_column_id c) { return (o->select >> c) & 1; }
/* Values that the options make a view compute: selected, ordered by, minimums, or all of them for proto and json,
 * or when asked to (every_value). */
uint32_t tfp_options_values(const tfp_options *o);
bool tfp_options_count(const tfp_options *o);           /* float operations are worked out for them */
bool tfp_options_find_parameters(const tfp_options *o); /* variables of the graph are what parameters are */

/* Numbers as TensorFlow's tool prints them: in texts, advice lines and markdown. */
void tfp_format_number(tfp_buf *b, int64_t n); /* 999, 1.28k, 603.98m, 17.63b */
void tfp_format_time(tfp_buf *b, int64_t us);  /* 999us, 1.50ms, 3.61sec */
void tfp_format_memory(tfp_buf *b, int64_t n); /* 999B, 1.50KB, 1234.50MB */
void tfp_format_unit(tfp_buf *b, tfp_unit unit, int64_t n);
/* The same for means and the like, and for numbers without a unit; never more digits than help. */
void tfp_format_real(tfp_buf *b, tfp_unit unit, double x);
void tfp_format_percent(tfp_buf *b, double value); /* as printf's %.2f%% */

/* What a person writes for a number with a unit: 5MB, 10ms, 3k, 5%, 1000. */
typedef struct tfp_amount {
    double value;  /* in bytes, microseconds or ones */
    tfp_unit unit; /* TFP_LABEL: none was said */
    bool percent;  /* value is of a hundred */
} tfp_amount;
bool tfp_amount_parse(tfp_str text, tfp_amount *out);
/* A rate: 1.5e12, 19.5T, 312TFLOPS, 2TB/s; `units` are the words that may stand behind the number, ended by a NULL. */
extern const char *const tfp_flops_units[], *const tfp_bandwidth_units[];
bool tfp_rate_parse(tfp_str text, const char *const *units, double *out);

/* One assumed shape of -assume_shape, cut off the front of `rest`: NAME=32,224,?; false at the end. What is wrong with it
 * is in `wrong`, else NULL. Dims are at least 0, or -1 for unknown. */
enum { TFP_ASSUMED_DIMS = 254 };
typedef struct tfp_assumed_text {
    tfp_str name;
    int rank;
    int64_t dims[TFP_ASSUMED_DIMS];
    const char *wrong;
} tfp_assumed_text;
bool tfp_assumed_next(tfp_str *rest, tfp_assumed_text *out);

/* Rows of the option table, for listings: those of the views, or those that only some commands take. NULL past the end. */
const char *tfp_option_name(size_t i, bool of_commands);
const char *tfp_option_help(const char *name);

#endif
