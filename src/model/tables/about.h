// SPDX-License-Identifier: Apache-2.0
/* model/tables/about.h: single values of a profile. */
#ifndef TFP_TABLES_ABOUT_H
#define TFP_TABLES_ABOUT_H

#include "model/tables/types.h"

/* Stored with the tables. */
typedef struct tfp_profile_about {
    unsigned has;           /* bits 1 << tfp_content: as the readers set them, completed by tfp_build_finish */
    int64_t time_grain_ns;  /* all times are multiples of this: 1,000 in files with whole microseconds, otherwise 1 */
    int64_t origin_unix_ns; /* Unix time of time 0 in a trace, if the file has it; otherwise 0 */
    size_t inputs_warned;   /* inputs before this index were reported already as naming no node */
    uint32_t sample_type;   /* index in sample_types: the one that the last file shows by default */
    char *graph_file;       /* the last file with inputs, for warnings about them; may be NULL */
    bool functions;         /* nodes of functions are among the nodes: TFP_KEEP_FUNCTIONS */
    bool miss_accelerator_stream;
    bool name_twice; /* two nodes with the same name were added */
} tfp_profile_about;

TFP_CONST const tfp_profile_about *tfp_about_of(const tfp_profile *p);
tfp_step_choice tfp_kept_choice(const tfp_profile *p); /* with TFP_KEEP_TOTAL */

#endif
