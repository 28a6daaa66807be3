// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/perfetto.h: what the files of the Perfetto reader share. Packets become events of tracks (packets.c,
 * event.c). Begins and ends of events become slices (slices.c). The slices are written as a Chrome trace, because its
 * reader knows what the categories and args mean. Layout: google/perfetto, protos/perfetto/trace/ (trace_packet.proto,
 * track_event/, interned_data/, clock_snapshot.proto). */
#ifndef TFP_PERFETTO_H
#define TFP_PERFETTO_H

#include "wire/json.h"
#include "wire/proto.h"

typedef struct tfp_pf_track {
    uint64_t uuid, parent; /* parent 0: none */
    int64_t pid, tid;
    tfp_strid name, series;                         /* series: of a counter; 0: "value" */
    bool has_process, has_thread, is_counter, adds; /* adds: each value is added to the previous one */
    int64_t factor;                                 /* multiplies a counter's values */
    double total;
} tfp_pf_track;

typedef enum tfp_pf_type {
    TFP_PF_BEGIN = 1,
    TFP_PF_END,
    TFP_PF_INSTANT,
    TFP_PF_COUNTER,
    TFP_PF_WHOLE,
    TFP_PF_LEFT_OUT
} tfp_pf_type;

typedef struct tfp_pf_event {
    int64_t at_ns, duration_ns; /* duration: for TFP_PF_WHOLE */
    uint64_t flow;              /* 0: none */
    double value;               /* value of a counter */
    uint64_t correlation;       /* of its args; 0: none, or no number */
    size_t args;                /* offset of its args' members in the reader's `args` */
    uint32_t args_size, track, name, category;
    uint8_t type;
    bool has_correlation;
} tfp_pf_event;

/* A number by which events refer to a stage of a GPU. */
typedef struct tfp_pf_link {
    uint64_t stage; /* event_id of the stage */
    uint32_t event; /* the event that launches it, waits for it, or is it */
} tfp_pf_link;

typedef struct tfp_pf_clock { /* a clock as its last snapshot gives it */
    int64_t at_ns, boot_ns;   /* the same moment, by this clock and by the trace's clock */
    int64_t factor, last_ns;  /* factor: nanoseconds per tick; last_ns: the last time of an incremental clock */
    bool incremental;
} tfp_pf_clock;

typedef struct tfp_pf_sequence {
    uint32_t generation;   /* how often its state was reset */
    uint64_t clock, track; /* the defaults; 0: none */
} tfp_pf_sequence;

/* The tables of a sequence that give numbers a meaning. */
typedef enum tfp_pf_table {
    TFP_PF_CATEGORIES,
    TFP_PF_NAMES,
    TFP_PF_KEYS,
    TFP_PF_STRINGS,
    TFP_PF_STAGES, /* stages and queues of GPUs */
    TFP_PF_KERNELS,
    TFP_PF_LAUNCH_ARGS,
    TFP_PF_OLD_STAGES, /* stages and queues without interned data: their numbers are places in a list */
    TFP_PF_OLD_QUEUES,
    TFP_PF_COUNTERS,    /* counters of GPUs */
    TFP_PF_COUNTED_GPUS /* the GPU of a descriptor of counters, as a text */
} tfp_pf_table;

typedef struct tfp_pf_reader {
    struct tfp_builder *b;
    tfp_arena arena;
    tfp_strtab strings;
    TFP_VEC(tfp_pf_track) tracks;
    TFP_VEC(tfp_pf_event) events;
    TFP_VEC(tfp_pf_sequence) sequences;
    TFP_VEC(tfp_pf_clock) clocks;
    TFP_VEC(tfp_buf) unpacked;                    /* compressed packets after unpacking; they live until the end */
    TFP_VEC(tfp_pf_link) launches, waits, stages; /* events that launch stages, events that wait for them, the stages */
    tfp_map64 track_by_uuid, sequence_by_id, interned, clock_by_hash;
    uint64_t *correlations; /* of each event that has none of its own: of its launch; 0: none */
    tfp_buf args;           /* args of all events: members of JSON objects */
    uint64_t most;          /* limit in bytes for events, args and the resulting trace */
    uint64_t spare;         /* bytes that compressed packets may still unpack to */
    uint64_t unreadable;
    bool torch; /* PyTorch wrote it */
    bool cut, no_memory, too_big;
    uint64_t unfinished; /* slices without an end */
} tfp_pf_reader;

/* False after a fault: out of memory, or over the limit. */
bool tfp_pf_keep(tfp_pf_reader *r, bool ok);
bool tfp_pf_fits(tfp_pf_reader *r, uint64_t more);     /* counts `more` bytes; false: over the limit */
tfp_strid tfp_pf_text(tfp_pf_reader *r, tfp_str text); /* returns an index in strings; 0: out of memory */
void tfp_pf_put_string(tfp_buf *out, tfp_str s);       /* writes a JSON string */
/* Adds a warning and a finding of `check` about this many things, if there are any. */
/* A truncated trace in the order of time has few slices without an end: with more it is in doubt. */
void tfp_pf_doubt_cut(tfp_pf_reader *r);
void tfp_pf_tell(const tfp_pf_reader *r, const char *severity, const char *what, uint64_t count);

uint32_t tfp_pf_track_of(tfp_pf_reader *r, uint64_t uuid); /* finds or adds a track; returns an index in tracks */
void tfp_pf_read_track(tfp_pf_reader *r, tfp_str descriptor);

tfp_strid tfp_pf_interned(const tfp_pf_reader *r, uint32_t sequence, tfp_pf_table table, uint64_t id); /* 0: unknown */
void tfp_pf_intern(tfp_pf_reader *r, uint32_t sequence, tfp_pf_table table, uint64_t id, tfp_str text);

void tfp_pf_read_snapshot(tfp_pf_reader *r, uint32_t sequence, tfp_str snapshot);
int64_t tfp_pf_time(tfp_pf_reader *r, uint32_t sequence, uint64_t clock,
                    uint64_t time); /* converts a time to the trace's clock */

void tfp_pf_read_event(tfp_pf_reader *r, uint32_t sequence, tfp_str event, int64_t at_ns); /* a TrackEvent */
void tfp_pf_add_event(tfp_pf_reader *r, tfp_pf_event *e); /* e->args: where its args begin in r->args */

/* gpu.c: stages of GPUs and their launches; counters.c: samples of counters. */
/* The track of a stream or counter of a GPU, which has no descriptor: its number is a hash. */
uint32_t tfp_pf_gpu_track(tfp_pf_reader *r, const char *what, uint64_t gpu, uint64_t number);
void tfp_pf_read_stage(tfp_pf_reader *r, uint32_t sequence, tfp_str event, int64_t at_ns);
void tfp_pf_read_gpu_counters(tfp_pf_reader *r, uint32_t sequence, tfp_str event, int64_t at_ns);
void tfp_pf_read_descriptor(tfp_pf_reader *r, uint32_t sequence, tfp_str row); /* InternedGpuCounterDescriptor */
/* Reads the GpuCorrelation of the event that is added next. */
void tfp_pf_read_submission(tfp_pf_reader *r, tfp_str correlation);
void tfp_pf_join_launches(tfp_pf_reader *r); /* fills r->correlations */

/* Reads all packets of `bytes`. inside: they come from a compressed packet, which may contain no other compressed
 * packet. */
void tfp_pf_read_packets(tfp_pf_reader *r, tfp_str bytes, bool inside);
/* Writes the events as a Chrome trace. */
void tfp_pf_write_trace(tfp_pf_reader *r, tfp_buf *out);

#endif
