// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_ranks.h: the processes of a merged file and its ranks: kineto_ranks.c finds them, by the labels of
 * kineto_labels.c and the devices that kineto_devices.c matches with hosts. */
#ifndef TFP_KINETO_RANKS_H
#define TFP_KINETO_RANKS_H

#include "formats/json/kineto.h"

/* Where the label of a rank stands. */
typedef enum tfp_kineto_labelling {
    TFP_KINETO_LABEL_OF_PART, /* which array of events it is */
    TFP_KINETO_LABEL_FIRST,   /* before the number in `pid`: "[TP01] 83", "rank1_83", "1/83" */
    TFP_KINETO_LABEL_LAST,    /* after it: "83_1" */
    TFP_KINETO_LABEL_OF_NAME, /* in the name of the process */
    TFP_KINETO_LABEL_OF_ARGS, /* in the args of events */
    TFP_KINETO_LABELLINGS
} tfp_kineto_labelling;

typedef struct tfp_kineto_process { /* of the file */
    uint64_t pid;                   /* as of tfp_kineto_pid */
    uint64_t own_pid;               /* the same without the rank that args tell */
    tfp_str text;                   /* the pid, if it is a text */
    bool has_threads, has_streams;
    uint32_t part;   /* as of tfp_kineto_lane */
    uint64_t device; /* its lowest number of a device; TFP_NONE: none */
    size_t ops, calls, activities;
    size_t first, last; /* spans: its first and last work or activity */
    uint32_t rank;      /* index in ranks; TFP_NONE: none */
    bool shared;        /* a device of several ranks: its activities are split */
} tfp_kineto_process;

/* Whether it is a process of the host: on MTIA calls stand in the device's process, too. */
static inline bool tfp_kineto_is_host(const tfp_kineto_process *p) { return p->ops || (p->calls && !p->activities); }

typedef struct tfp_kineto_rank {
    tfp_str label;
    bool works, has_activities, numbered;
    int32_t number;
    size_t first;     /* its first span */
    uint32_t index;   /* before the ranks were sorted */
    uint32_t process; /* of the profile */
} tfp_kineto_rank;

typedef struct tfp_kineto_ranks {
    tfp_kineto_reader *r;
    TFP_VEC(tfp_kineto_process) processes;
    TFP_VEC(tfp_kineto_rank) ranks;
    tfp_map64 by_pid;  /* -> processes */
    tfp_map64 name_of; /* pid -> name that tells a rank */
    tfp_map64 name_in; /* place of a part -> the same */
    tfp_map64 rank_of; /* own_pid -> the only rank that args tell, plus 1; 0: there are several */
    uint32_t *of_lane; /* lane of the profile -> processes; TFP_NONE: none */
    size_t lane_count;
} tfp_kineto_ranks;

#define TFP_KINETO_MOST_RANKS 512

/* kineto_labels.c */
tfp_str tfp_kineto_label_of(const tfp_kineto_ranks *f, const tfp_kineto_process *p, tfp_kineto_labelling labelling);
uint32_t tfp_kineto_rank_of(tfp_kineto_ranks *f, tfp_str label); /* adds a rank for a new label */
tfp_str tfp_kineto_own_of(tfp_str pid);                          /* the number of a labelled pid: "83" of "[TP01] 83" */
void tfp_kineto_number_ranks(tfp_kineto_ranks *f);

/* kineto_devices.c */
bool tfp_kineto_match_devices(tfp_kineto_ranks *f); /* gives each device the rank of a host */
void tfp_kineto_split_devices(tfp_kineto_ranks *f); /* moves the activities of shared devices to lanes of their ranks */
int64_t tfp_kineto_count_repeated(const tfp_kineto_ranks *f); /* correlations of calls that several ranks have */

#endif
