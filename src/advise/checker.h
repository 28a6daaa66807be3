// SPDX-License-Identifier: Apache-2.0
/* advise/checker.h: the interface of every advise checker. */
#ifndef TFP_CHECKER_H
#define TFP_CHECKER_H

#include "views/core/findings.h"
#include "views/core/view.h"

/* Adds findings (tfp_checker_find) and notes to an advise report; `row` is the checker's row in it. */
typedef tfp_status (*tfp_check_fn)(tfp_report *r, uint32_t row, tfp_error *err);

typedef struct tfp_checker {
    const char *name; /* "OperationChecker" */
    const char *help;
    tfp_check_fn check;
    /* with -compat tensorflow: gives the findings of TensorFlow's tool; NULL: that tool has no such checker */
    tfp_check_fn tensorflow;
    tfp_about about; /* what its findings are about */
} tfp_checker;

/* TFP_BADARG: a name in the comma-separated list is no checker. */
tfp_status tfp_checkers_known(const char *list, tfp_error *err);
tfp_status tfp_checker_find(tfp_report *r, uint32_t row, tfp_str text, tfp_error *err);
/* The same with the text of a buffer, which is freed. */
tfp_status tfp_checker_find_text(tfp_report *r, uint32_t row, tfp_buf *b, tfp_error *err);
tfp_str
tfp_only_source(const tfp_profile *p); /* the file from which everything comes; empty: there are several, or none */
/* Sets for the last finding the time that it is about (NAN: none), and the command that shows more. */
void tfp_checker_about(tfp_report *r, double seconds, const char *command);
/* Builds a view of the same profile and phase. */
tfp_status tfp_checker_build(const tfp_report *r, const tfp_view *view, tfp_options *o, tfp_report **out,
                             tfp_error *err);
/* Builds a view of the same profile with the given options: pairs of name and value, ended by NULL. */
tfp_status tfp_checker_view(const tfp_report *r, const tfp_view *view, const char *const *options, tfp_report **out,
                            tfp_error *err);
/* The findings of advise (findings.c). `limits`: those of the report's calls; NULL: they are found when needed. */
struct tfp_limits;
tfp_status tfp_checker_findings(const tfp_report *r, const struct tfp_limits *limits, tfp_report **out, tfp_error *err);
/* Appends ", cpu: 3us, accelerator: 0us, total: 3us": a row's totals, or its own times. */
void tfp_checker_times(tfp_buf *b, const tfp_report *r, uint32_t row, bool totals);

const tfp_checker *tfp_checker_at(size_t i); /* the i-th of all checkers (advise.c); NULL past the end */
/* Rules for traces of events (trace_rules.c), in the order of their table; they have no function of their own. */
const tfp_checker *tfp_trace_rule(size_t i);

/* A finding, and by how much a step could become shorter at most; 0: unknown. */
typedef struct tfp_trace_verdict {
    const tfp_checker *rule;
    tfp_str text;               /* in the report's arena */
    tfp_str problem, remedy;    /* parts of the text: the problem, the remedy */
    double about_ns, saving_ns; /* times per step; about_ns: the time that it is about; NAN: none */
    tfp_evidence evidence;
    const char *command;
    tfp_str file;       /* file with the evidence; empty: unknown */
    bool little;        /* a replay says that there is next to nothing to save */
    const char *change; /* the change of `tfprof whatif` that gave saving_ns; NULL: none */
} tfp_trace_verdict;
enum { TFP_TRACE_RULES_MOST = 40 };
/* TFP_BADARG: -rule_limits, "RULE=LIMIT,...", contains an unknown rule or no number. */
tfp_status tfp_trace_limits_known(const char *list, tfp_error *err);
/* Lists the rules with a finding, the one with the biggest possible saving first, those that save next to nothing last. */
tfp_status tfp_trace_judge(tfp_report *r, tfp_trace_verdict *out, size_t *count, tfp_error *err);
/* Where no rule has a finding and the device is busy: appends what it does most, and what to ask. */
tfp_status tfp_busy_put(tfp_report *r, tfp_buf *out, tfp_error *err);
extern const tfp_checker tfp_checker_accelerator, tfp_checker_operation, tfp_checker_expensive;

/* The checks of TensorFlow's own tool (tensorflow.c, tensorflow_expensive.c). */
tfp_status tfp_tensorflow_accelerator(tfp_report *r, uint32_t row, tfp_error *err);
tfp_status tfp_tensorflow_operation(tfp_report *r, uint32_t row, tfp_error *err);
tfp_status tfp_tensorflow_expensive(tfp_report *r, uint32_t row, tfp_error *err);

#endif
