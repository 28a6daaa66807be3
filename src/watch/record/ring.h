// SPDX-License-Identifier: Apache-2.0
/* watch/record/ring.h: the last seconds of a process, raw: looks, hits and steps, in a mapped file of the store, which stays when
 * watch or the job is killed; and those of a job as a trace. */
#ifndef TFP_WATCH_RING_H
#define TFP_WATCH_RING_H

#include "watch/record/record.h"

/* Makes the ring of a process in the folder; without one (no folder, disk full) nothing is kept. */
void watch_ring_open(watch_process *p, int folder);
void watch_ring_close(watch_process *p, int folder);
void watch_ring_look(watch_process *p, const watch_look *l);
void watch_ring_hit(watch_process *p, const tfp_probe_hit *hit);
void watch_ring_step(watch_process *p, const watch_step *step);

/* Cuts the rings of a job for a finding. *name: of the file below the store; "": there is none, or the job has had one in the last
 * ten minutes. The file is written now, and again two seconds later. */
tfp_status watch_ring_cut(watch_recorder *r, const tfp_watch_rank *rank, const tfp_watch_finding *f,
                          char name[WATCH_RING_NAME]);
/* Writes the files that are due. */
tfp_status watch_ring_tick(watch_recorder *r, int64_t now_ns);

/* FOLDER/JOB-TIME-KIND and the ending, of characters that need no escaping. */
void watch_ring_name(const tfp_watch_finding *f, const char *folder, const char *ending, char out[WATCH_RING_NAME]);

/* ---- pick.c ---- */
/* Has the rank at fault and a healthy one captured, if that is wanted. */
tfp_status watch_pick(watch_recorder *r, const tfp_watch_rank *rank, const tfp_watch_finding *f);
/* Whether our own capture may be the reason of this finding. */
bool watch_pick_disturbs(watch_recorder *r, const tfp_watch_rank *rank, const tfp_watch_finding *f);

#endif
