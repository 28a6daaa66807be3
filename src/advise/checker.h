/* advise/checker.h: the shape that every advise checker has. */
#ifndef TFP_CHECKER_H
#define TFP_CHECKER_H

#include "views/report.h"

typedef struct tfp_checker {
    const char *name; /* "OperationChecker" */
    const char *help;
    bool tensorflow; /* TensorFlow's tool has it too */
    /* Adds findings (tfp_checker_find) and notes to an advise report; `row` is the checker's row in it. */
    tfp_status (*check)(tfp_report *r, uint32_t row, tfp_error *err);
} tfp_checker;

/* TFP_BADARG when a list of names, separated by commas, has one that is no checker. */
tfp_status tfp_checkers_known(const char *list, tfp_error *err);
tfp_status tfp_checker_find(tfp_report *r, uint32_t row, tfp_str text, tfp_error *err);

extern const tfp_checker *const tfp_checkers[]; /* all there are (registry.c), ended by NULL */
extern const tfp_checker tfp_checker_accelerator, tfp_checker_operation, tfp_checker_expensive;

#endif
