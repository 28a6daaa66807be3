// SPDX-License-Identifier: Apache-2.0
/* options/options.h: the column table, the option table, and what the user asked for. */
#ifndef TFP_OPTIONS_H
#define TFP_OPTIONS_H

#include "base/base.h"
#include "base/ranked.h"
#include "base/steps.h"
#include "options/regex.h"
#include "options/rewrite.h"

/* The numbers that a row of a report can hold, each its own and as a total. JSON and protos have them in this order. */
typedef enum tfp_value {
    TFP_V_MICROS,
    TFP_V_ACCELERATOR_MICROS,
    TFP_V_CPU_MICROS,
    TFP_V_BYTES,
    TFP_V_PEAK_BYTES,
    TFP_V_RESIDUAL_BYTES,
    TFP_V_OUTPUT_BYTES,
    TFP_V_PARAMS,
    TFP_V_FLOAT_OPS,
    TFP_V_RUNS,
    TFP_V_DEFINITIONS,
    TFP_V_FILES_COUNT, /* earlier values come from the files alone, later ones from inferred float operations */
    TFP_V_MACS = TFP_V_FILES_COUNT,
    TFP_V_BYTES_MOVED,
    TFP_V_OPS,             /* nodes, including those of called bodies */
    TFP_V_COUNTED_OPS,     /* of these, nodes with a count */
    TFP_V_TIMED_FLOAT_OPS, /* float operations of nodes that have a time */
    TFP_V_MOVED_FLOAT_OPS, /* float operations of nodes whose bytes moved are known */
    TFP_V_TRAINABLE_PARAMS,
    TFP_V_FIXED_PARAMS,
    TFP_V_SLOT_PARAMS,
    TFP_V_COUNT
} tfp_value;
static inline bool tfp_is_time(int value) { return value >= TFP_V_MICROS && value <= TFP_V_CPU_MICROS; }
#define TFP_V_KINDS                                                                                                    \
    (1u << TFP_V_TRAINABLE_PARAMS | 1u << TFP_V_FIXED_PARAMS | 1u << TFP_V_SLOT_PARAMS) /* numbers of variables */
#define TFP_V_ALL ((1u << TFP_V_FILES_COUNT) - 1) /* the values that every report can have and a proto holds */

typedef enum tfp_unit {
    TFP_MICROS,
    TFP_SIZE,
    TFP_NUMBER,
    TFP_LABEL,
    TFP_SHARE,
    TFP_PERCENT
} tfp_unit; /* TFP_SHARE: 1 is the whole; TFP_PERCENT: 100 is */

/* What a column's cells are. Views and outputs have one table each, by kind, with the functions that fill, add up, sort and
 * write such cells (views/core/kinds.h and the tables `of_kind` of the outputs); none asks a column what it is. */
typedef enum tfp_column_kind {
    TFP_COLUMN_IS_LABEL, /* text, or what stands for the row itself */
    TFP_COLUMN_IS_SUM,   /* whole numbers, each of the row itself and in total with the rows below */
    TFP_COLUMN_IS_RATIO, /* one sum divided by another: never added up */
    TFP_COLUMN_IS_STATISTIC, /* of the times of single runs, such as their median: never added up, and not made of sums */
    TFP_COLUMN_KINDS
} tfp_column_kind;

#define COLUMN(id, ...) TFP_C_##id,
typedef enum tfp_column_id {
#include "options/columns.def"
    TFP_C_COUNT /* columns that code can name; tfp_column_count is the number of all */
} tfp_column_id;
#undef COLUMN
enum { TFP_COLUMNS_MAX = 64 };

/* One number of a column under all its names. TensorFlow's field names and numbers: tfprof_output.proto. */
typedef struct tfp_number {
    tfp_value value;
    const char *own, *total;             /* CSV headers and Arrow names; NULL: no such column there */
    const char *own_field, *total_field; /* JSON keys, which are the names in GraphNodeProto; NULL: no such field */
    uint8_t graph_own, graph_total;      /* field numbers in GraphNodeProto, 0: none */
    uint8_t group_own, group_total;      /* in MultiGraphNodeProto */
} tfp_number;

/* Members `..._at` order the columns in a list; only their order counts, and 0 keeps a column out of the list. */
typedef struct tfp_column {
    const char *name;  /* in -select and -order_by */
    const char *head;  /* in tables for people, and another name in -select and -order_by; NULL: `name` */
    const char *total; /* "total_NAME" */
    tfp_column_kind kind;
    tfp_unit unit;
    const char *help;          /* meaning and origin; the Doc line shows it, too */
    const char *help_of_trace; /* the same for a trace of events; NULL: `help` */
    const char *help_of_calls; /* of the view `calls`, whose rows are spans and not operations; NULL: as of a trace */
    struct {
        const char *doc;                /* before the colon of its line in the Doc block, as TensorFlow has it */
        const char *legend, *legend_op; /* of its cell; the other one in the op and code views, NULL: the same */
        const char *suffix,
            *suffix_op;        /* after the numbers of its cell; the other one in the op view, NULL: the same */
        int tree_at, group_at; /* places of the cell in scope and graph; in op and code */
        bool compat10;         /* TensorFlow 1.0's form has the cell, at tree_at */
    } text;
    tfp_number numbers[2]; /* of a sum */
    uint8_t number_count;
    struct {
        tfp_value over, under;
        double times; /* factor */
    } ratio;
    double (*statistic)(const tfp_ranked_part *runs); /* of the times of at least one run, in their unit */
    const char *field; /* for a label: its name in GraphNodeProto and JSON; NULL: none */
    struct {           /* for the first number */
        int at;        /* place among the options -min_* */
        const char *option, *help;
        bool own;               /* scope and graph compare the row's own number instead of its total */
        bool listed, listed_10; /* in TensorFlow's listing; in TensorFlow 1.0's */
        uint8_t proto;          /* field number in OptionsProto, 0 without */
    } min;
    int order_at;            /* place among the values of -order_by */
    const char *sample;      /* pprof: the type of its samples; NULL: none */
    tfp_column_id brings[2]; /* columns that are shown along with this one, in the order of the Doc block */
    uint8_t brings_count;
    uint32_t needs; /* bits of tfp_value: other values that its cells use */
} tfp_column;
extern const tfp_column tfp_columns[];
extern const int tfp_column_count;
enum { TFP_STATISTICS_MAX = 16 }; /* columns of that kind */
/* statistics.c */
double tfp_max_of_runs(const tfp_ranked_part *runs), tfp_mean_of_runs(const tfp_ranked_part *runs),
    tfp_median_of_runs(const tfp_ranked_part *runs), tfp_p95_of_runs(const tfp_ranked_part *runs);
/* tfp_value of a sum's first number, -1 for the other kinds. */
static inline int tfp_value_of(const tfp_column *c) { return c->number_count ? (int)c->numbers[0].value : -1; }
static inline const char *tfp_column_help(const tfp_column *c, bool trace)
{
    return trace && c->help_of_trace ? c->help_of_trace : c->help;
}
int tfp_column_find(tfp_str name); /* by name or head: tfp_column_id, -1 when unknown */
/* The head of a table's column for people: cells tell their unit, so that of "total_us" is "total", of "micros_mean"
 * "time_mean". */
void tfp_head_put(tfp_buf *out, const char *name, tfp_unit unit);
bool tfp_is_head(tfp_str word, const char *name, tfp_unit unit); /* what tfp_head_put writes */
uint32_t tfp_column_values(tfp_column_id id);                    /* bits of tfp_value that its cells use */
uint32_t tfp_column_sums(tfp_column_id id); /* bits of tfp_value: the sums that are, or make, its number */
size_t tfp_numbers(
    const tfp_number *out[TFP_V_COUNT]); /* numbers of all columns, in the order of tfp_value; returns how many */

typedef enum tfp_column_list {
    TFP_LIST_TREE_CELLS,
    TFP_LIST_GROUP_CELLS,
    TFP_LIST_MINIMUMS,
    TFP_LIST_ORDERS
} tfp_column_list;
/* The columns that have a place in a list, sorted by it; returns how many. */
size_t tfp_columns_in(tfp_column_list list, tfp_column_id out[TFP_COLUMNS_MAX]);

/* A value of -order_by. */
typedef struct tfp_order {
    const char *name;
    const char *head;     /* NULL: `name` */
    int by;               /* a tfp_value (descending by total), or one of these */
    tfp_column_id column; /* for TFP_BY_COLUMN */
} tfp_order;
/* TFP_BY_COLUMN: a number that is no sum. */
enum { TFP_BY_NAME = -1, TFP_BY_OCCURRENCE = -2, TFP_BY_TRAVERSAL = -3, TFP_BY_COLUMN = -4 };
bool tfp_order_at(size_t i, tfp_order *out); /* false past the end; 0 is by name */

typedef enum tfp_output_kind {
    TFP_TO_STDOUT,
    TFP_TO_FILE,
    TFP_TO_TIMELINE,
    TFP_TO_PPROF,
    TFP_TO_FOLDED,
    TFP_TO_SPEEDSCOPE,
    TFP_TO_PERFETTO,
    TFP_TO_NONE
} tfp_output_kind;

enum {
    TFP_F_ACCOUNT,
    TFP_F_START,
    TFP_F_TRIM,
    TFP_F_SHOW,
    TFP_F_HIDE,
    TFP_F_DEVICE,
    TFP_F_NODE_NAMES,
    TFP_F_HIDE_NODES,
    TFP_F_LIBRARY,
    TFP_F_COUNT
}; /* filters */

/* A value for a parameter of a query. */
typedef struct tfp_binding {
    char *name;
    char type; /* 'i', 'r', 's', or 0: NULL */
    int64_t whole;
    double real;
    char *text; /* not ended by NUL */
    size_t size;
} tfp_binding;
typedef TFP_VEC(tfp_binding) tfp_bindings;
bool tfp_bindings_copy(tfp_bindings *to,
                       const tfp_bindings *from); /* false when memory runs out; `to` must be freed even then */
void tfp_bindings_free(tfp_bindings *b);

/* A part of a recording, from its first start; to_ns INT64_MAX: to its end. */
typedef struct tfp_moments {
    bool given;
    int64_t from_ns, to_ns;
} tfp_moments;

struct tfp_options {
    int64_t max_depth;
    tfp_step_choice step;
    int64_t min[TFP_V_COUNT]; /* by value, of the columns that have a minimum */
    tfp_order order;
    char *order_column;               /* -order_by a column of a single table; NULL: use `order` */
    int64_t top;                      /* rows of tables; 0: all */
    tfp_filter *filters[TFP_F_COUNT]; /* shared, counted; NULL is the empty list */
    bool account_displayed_op_only, viz, show_source;
    bool compat10, compat_tensorflow, every_value, colours, full_names;
    int screen;                      /* width of the terminal for texts; 0: no terminal */
    const struct tfp_counts *counts; /* precomputed for the report's profile; NULL: the report makes them */
    const uint32_t *step_execs;      /* per node: its execution in `step`, or TFP_NONE; NULL: the report finds them */
    bool replays_apart; /* code: what a graph replays is in a row of its own, not on the line of the launch */
    bool reach;         /* reports also record which nodes count in which row: tfp_report.reach */
    uint64_t select;    /* bits of tfp_column_id */
    uint8_t select_order[TFP_COLUMNS_MAX]; /* the selected columns, in the order given */
    uint8_t select_count;
    tfp_output_kind output;
    char *outfile; /* kept when the kind changes, as in TensorFlow */
    char *format;  /* name of an output */
    char *proto_out, *dump_to_file;
    char *rule_limits;                 /* "RULE=LIMIT,..."; empty: none */
    char *checkers;                    /* names joined by commas; empty: all */
    char *view;                        /* diff, stats: the view whose rows they show */
    tfp_rewrites *rewrites;            /* stats; shared, counted; NULL is the empty list */
    double delta;                      /* diff */
    tfp_moments range, at;             /* at: from_ns only */
    char *min_size, *fail_over;        /* diff: for tfp_amount_parse; NULL: not given */
    char *names;                       /* diff: joined by commas; NULL: not given */
    bool swap_files;                   /* diff */
    int float_ops_source;              /* a tfp_flops_source */
    int64_t assume_batch;              /* 0: none */
    char *assume_shape;                /* "NAME=32,10;OTHER=?x3"; NULL: none */
    char *signature;                   /* NULL: the default one */
    char *peak_flops, *peak_bandwidth; /* flops: for tfp_rate_parse; NULL: not given */
    bool nodes;                        /* flops */
    char *by;                          /* memory, transfer: the rows; NULL: the default */
    char *sample_type, *sample_label;  /* samples; NULL or empty: not given */
    bool critical_path;                /* steps */
    char *changes;                     /* whatif: a line for each (changes.h); NULL: none */
    double time_limit;                 /* query: seconds, 0: none */
    tfp_bindings bindings;             /* query */
    tfp_progress_fn query_fn;          /* query: asked now and then whether to stop */
    void *query_ctx;
    uint64_t set[2]; /* bits by option row: set explicitly, so that -compat does not change it */
    tfp_buf text;    /* result of the last tfp_options_get */
};

/* The minimum of a value in the unit in which reports hold it: times in nanoseconds. */
static inline int64_t tfp_minimum(const tfp_options *o, int value)
{
    return tfp_is_time(value) ? tfp_mul(o->min[value], 1000, NULL) : o->min[value];
}
extern const char *const tfp_compared_views[]; /* names of the views that stats and diff know, ended by NULL */
/* The index of a word in such a list; false when absent. */
bool tfp_word_find(tfp_str word, const char *const *words, size_t *out);

/* TFP_BADARG when -order_by names a column that no view with numbers has. */
tfp_status tfp_options_known_order(const tfp_options *o, tfp_error *err);

/* Whether texts are for a person at a terminal. */
static inline bool tfp_for_screen(const tfp_options *o) { return o->screen && !o->compat10 && !o->compat_tensorflow; }
/* Whether an option was set, by the user or by a program, and so is not a default. */
bool tfp_options_chosen(const tfp_options *o, const char *name);
/* The selected columns in the order given; returns how many. */
size_t tfp_options_selected(const tfp_options *o, tfp_column_id out[TFP_COLUMNS_MAX]);
static inline bool tfp_selects(const tfp_options *o, tfp_column_id c) { return (o->select >> c) & 1; }
/* The depth down to which rows are shown: flame graphs have no limit unless one was set. */
int64_t tfp_options_depth(const tfp_options *o);
/* Values that a view must compute for these options: selected, ordered by, minimums; all of them for proto and json,
 * and with every_value. */
uint32_t tfp_options_values(const tfp_options *o);
/* Whether a view of nodes needs a trace's spans: for numbers of single spans, or to show them. */
bool tfp_options_need_spans(const tfp_options *o);
bool tfp_options_need_runs(const tfp_options *o); /* each of them: a column is a statistic */
bool tfp_options_asks_for(const tfp_options *o, tfp_column_id id); /* selects it, or orders by it */
bool tfp_options_count(const tfp_options *o);           /* float operations must be inferred */
bool tfp_options_find_parameters(const tfp_options *o); /* parameters are the graph's variables */
bool tfp_options_show_parameters(const tfp_options *o); /* parameters are selected, ordered by, or have a minimum */

/* Numbers as TensorFlow's tool prints them: in the text of the four views of its files, and in its advice. */
void tfp_format_number(tfp_buf *b, int64_t n); /* 999, 1.28k, 603.98m, 17.63b */
void tfp_format_time(tfp_buf *b, int64_t us);  /* 999us, 1.50ms, 3.61sec */
void tfp_format_memory(tfp_buf *b, int64_t n); /* 999B, 1.50KB, 1234.50MB */
void tfp_format_unit(tfp_buf *b, tfp_unit unit, int64_t n);
void tfp_format_pair(tfp_buf *b, tfp_unit unit, const int64_t *own, int64_t total); /* own/total; NULL: --/total */
const char *tfp_unit_name(tfp_unit unit); /* "us", "bytes", "count", "label", "share" */
const char *tfp_unit_long(tfp_unit unit); /* "microseconds", "bytes", "count" ... */
/* Numbers as people write them, everywhere else: three digits, then the unit: 2.04 s, 190 ms, 5.95 ns, 7.69 G, 12.4 GB.
 * Counts below a million are whole. */
void tfp_format_amount(tfp_buf *b, tfp_unit unit, int64_t n);
void tfp_format_real(tfp_buf *b, tfp_unit unit, double x);
void tfp_format_percent(tfp_buf *b, double value); /* as printf's %.2f%% */

/* A number with a unit as a person writes it: 5MB, 10ms, 3k, 5%, 1000. */
typedef struct tfp_amount {
    double value;  /* in bytes, microseconds or ones */
    tfp_unit unit; /* TFP_LABEL: none was given */
    bool percent;  /* value is a percentage */
} tfp_amount;
bool tfp_amount_parse(tfp_str text, tfp_amount *out);
/* A rate: 1.5e12, 19.5T, 312TFLOPS, 2TB/s; `units` are the words allowed after the number, ended by NULL. */
extern const char *const tfp_flops_units[], *const tfp_bandwidth_units[];
bool tfp_rate_parse(tfp_str text, const char *const *units, double *out);

/* Cuts one assumed shape of -assume_shape off the front of `rest`: NAME=32,224,?; false at the end. `wrong` is the error or
 * NULL. Dims are at least 0, or -1 for unknown. */
typedef struct tfp_assumed_text {
    tfp_str name;
    int rank;
    int64_t dims[TFP_RANK_MOST];
    const char *wrong;
} tfp_assumed_text;
bool tfp_assumed_next(tfp_str *rest, tfp_assumed_text *out);

/* Rows of the option table for listings: options of the views, or options of certain commands only. NULL past the end. */
const char *tfp_option_name(size_t i, bool of_commands);
const char *tfp_option_help(const char *name);

#endif
