// SPDX-License-Identifier: Apache-2.0
/* options/options.h: the option table, and the options that the user has set. */
#ifndef TFP_OPTIONS_H
#define TFP_OPTIONS_H

#include "base/base.h"
#include "base/steps.h"
#include "options/columns.h"
#include "options/regex.h"
#include "options/rewrite.h"

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
    TFP_F_HOME,
    TFP_F_STEP_MARKER,
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

/* A time range of a recording, relative to its first start; to_ns INT64_MAX: up to its end. */
typedef struct tfp_moments {
    bool given;
    int64_t from_ns, to_ns;
} tfp_moments;

/* Where a report is written, and how texts look there. */
typedef struct tfp_output_options {
    tfp_output_kind output;
    char *outfile; /* kept when the kind changes, as in TensorFlow */
    char *format;  /* name of an output */
    char *proto_out, *dump_to_file;
    int screen; /* width of the terminal for texts; 0: no terminal */
    bool colours, full_names;
} tfp_output_options;

/* Options that only programs set: results that were computed before, and what a report must record. */
typedef struct tfp_made_options {
    const struct tfp_counts *counts; /* precomputed for the report's profile; NULL: the report makes them */
    const uint32_t *step_execs;      /* per node: its execution in `step`, or TFP_NONE; NULL: the report finds them */
    const struct tfp_trace_facts *facts; /* of the report around this one; NULL: the report gathers them */
    const struct tfp_limits *limits;     /* likewise, of its calls */
    bool replays_apart; /* code: activities that a graph replays have their own row, instead of the launch's line */
    bool reach;         /* reports also record which nodes count in which row: tfp_report_tree.reach */
    bool every_value;   /* all values are computed, also unselected ones */
    bool working;       /* calls: without threads and stacks that only wait, as in code */
    bool apart;         /* for people, time on devices and on the host are two columns, never their sum */
} tfp_made_options;

/* Options of diff and stats. */
typedef struct tfp_side_options {
    char *view;                 /* the view whose rows they show */
    tfp_rewrites *rewrites;     /* stats; shared, counted; NULL is the empty list */
    double delta;               /* diff */
    char *min_size, *fail_over; /* diff: for tfp_amount_parse; NULL: not given */
    char *names;                /* diff: joined by commas; NULL: not given */
    bool swap_files;            /* diff */
} tfp_side_options;

/* Options of float operations that are inferred from the graph. */
typedef struct tfp_flops_options {
    int float_ops_source;              /* a tfp_flops_source */
    int64_t assume_batch;              /* 0: none */
    char *assume_shape;                /* "NAME=32,10;OTHER=?x3"; NULL: none */
    char *signature;                   /* NULL: the default one */
    char *peak_flops, *peak_bandwidth; /* flops: for tfp_rate_parse; NULL: not given */
    bool nodes;                        /* flops */
} tfp_flops_options;

/* Options of single views. */
typedef struct tfp_verb_options {
    char *by;                         /* memory, transfer: the rows; NULL: the default */
    char *sample_type, *sample_label; /* samples; NULL or empty: not given */
    bool critical_path, why;          /* steps */
    char *floor;                      /* limits: for tfp_amount_parse; NULL: the default */
    double min_share;                 /* triage */
    char *changes;                    /* whatif: a line for each (changes.h); NULL: none */
    char *rule_limits;                /* advise: "RULE=LIMIT,..."; empty: none */
    char *checkers;                   /* advise: names joined by commas; empty: all */
} tfp_verb_options;

typedef struct tfp_query_options {
    double time_limit; /* seconds, 0: none */
    tfp_bindings bindings;
    tfp_progress_fn query_fn; /* called regularly to ask whether to stop */
    void *query_ctx;
} tfp_query_options;

/* The part of a recording that is shown. */
typedef struct tfp_part_options {
    tfp_moments range, at; /* at: from_ns only */
    char *ranks, *device;  /* only activity there: "0,3,8-15", "gpu:0"; NULL or empty: everywhere */
    char *phase;           /* only steps of that phase of a server; NULL or empty: all */
} tfp_part_options;

struct tfp_options {
    int64_t max_depth;
    tfp_step_choice step;
    int64_t min[TFP_V_COUNT]; /* by value, of the columns that have a minimum */
    tfp_order order;
    char *order_column;                    /* -order_by a column of a single table; NULL: use `order` */
    int64_t top;                           /* rows of tables; 0: all */
    tfp_filter *filters[TFP_F_COUNT];      /* shared, counted; NULL is the empty list */
    uint64_t select;                       /* bits of tfp_column_id */
    uint8_t select_order[TFP_COLUMNS_MAX]; /* the selected columns, in the order given */
    uint8_t select_count;
    bool account_displayed_op_only, viz, show_source;
    bool compat10, compat_tensorflow;
    tfp_output_options to;
    tfp_made_options made;
    tfp_part_options part;
    tfp_side_options sides;
    tfp_flops_options flops;
    tfp_query_options query;
    tfp_verb_options verb;
    uint64_t set[2];                /* bits by option row: set explicitly, so that -compat does not change it */
    struct tfp_option_texts *texts; /* texts that tfp_options_get returned (texts.c) */
};

/* The minimum of a value in the unit in which reports hold it: times in nanoseconds. */
static inline int64_t tfp_minimum(const tfp_options *o, int value)
{
    return tfp_is_time(value) ? tfp_mul(o->min[value], 1000, NULL) : o->min[value];
}
/* options_proto.c: TensorFlow's OptionsProto, and its AdvisorOptionsProto for findings. */
tfp_status tfp_options_of_view(tfp_options *o, tfp_str bytes, tfp_error *err);
tfp_status tfp_options_of_advisor(tfp_options *o, tfp_str bytes, tfp_error *err);
extern const char *const tfp_compared_views[]; /* names of the views that stats and diff know, ended by NULL */
/* The index of a word in such a list; false when absent. */
bool tfp_word_find(tfp_str word, const char *const *words, size_t *out);

/* TFP_BADARG when -order_by names a column that no view with numbers has. */
tfp_status tfp_options_known_order(const tfp_options *o, tfp_error *err);

/* Whether texts are for a person at a terminal. */
static inline bool tfp_for_screen(const tfp_options *o)
{
    return o->to.screen && !o->compat10 && !o->compat_tensorflow;
}
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
/* Whether only a part of the recording is shown: a range, or some ranks or a device. */
bool tfp_options_cut(const tfp_options *o);
bool tfp_options_mark(const tfp_options *o);  /* whether ranges mark the steps by their names */
bool tfp_options_phase(const tfp_options *o); /* whether only the steps of a phase count */
/* Whether a view of nodes needs a trace's spans: for numbers of single spans, or to show them. */
bool tfp_options_need_spans(const tfp_options *o);
bool tfp_options_need_runs(const tfp_options *o);                  /* because a column among these is a statistic */
bool tfp_options_asks_for(const tfp_options *o, tfp_column_id id); /* selects it, or orders by it */
bool tfp_options_count(const tfp_options *o);                      /* float operations must be inferred */
bool tfp_options_find_parameters(const tfp_options *o);            /* parameters are the graph's variables */
bool tfp_options_show_parameters(const tfp_options *o); /* parameters are selected, ordered by, or have a minimum */

/* Takes one shape from the front of `rest`, which is -assume_shape: NAME=32,224,?; false at the end. `wrong` is the
 * error or NULL. Dims are at least 0, or -1 for unknown. */
typedef struct tfp_assumed_text {
    tfp_str name;
    int rank;
    int64_t dims[TFP_RANK_MOST];
    const char *wrong;
} tfp_assumed_text;
bool tfp_assumed_next(tfp_str *rest, tfp_assumed_text *out);

/* Rows of the option table for listings: options of the views, or options of certain commands only. NULL past the
 * end. */
const char *tfp_option_name(size_t i, bool of_commands);
const char *tfp_option_help(const char *name);

#endif
