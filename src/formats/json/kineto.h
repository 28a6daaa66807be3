// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto.h: what the files of the Kineto reader share. A piece of the file is parsed into rows of its own by
 * kineto_event.c, which may run on any thread; kineto_merge.c turns the rows of all pieces, in the order of the file,
 * into calls on the builder; kineto_facts.c keeps what stands beside the events; kineto.c goes through the file. */
#ifndef TFP_KINETO_H
#define TFP_KINETO_H

#include "model/builder.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "wire/jsonscan.h"

/* What an event is, by its category. */
typedef enum tfp_kineto_what {
    TFP_KINETO_PLAIN, /* of no category of Kineto's */
    TFP_KINETO_OP,
    TFP_KINETO_CALL,
    TFP_KINETO_WAIT, /* a call that waits for the device */
    TFP_KINETO_ANNOTATION,
    TFP_KINETO_FRAME,
    TFP_KINETO_KERNEL,
    TFP_KINETO_COPY,
    TFP_KINETO_SET,
    TFP_KINETO_UNKNOWN,   /* has a device and a stream, and is of no category that is known */
    TFP_KINETO_ON_STREAM, /* on a stream's row, but no activity: gpu_user_annotation, cuda_sync */
    TFP_KINETO_SHOWN,     /* Kineto's, and neither a host op nor an activity: overhead, Trace ... */
    TFP_KINETO_OP_FLOW    /* an arrow from an operator to an activity of it */
} tfp_kineto_what;

/* A row of the timeline: two numbers or words, and their meaning. */
typedef struct tfp_kineto_lane {
    uint64_t a, b;
    uint32_t words;         /* 1: a is a string of the slot, 2: b is */
    uint32_t kind;          /* tfp_kineto_lane_kind */
    uint32_t category, pad; /* of lanes of unknown devices: a string of the slot, else 0 */
} tfp_kineto_lane;
typedef enum tfp_kineto_lane_kind {
    TFP_KINETO_THREAD, /* pid, tid */
    TFP_KINETO_STREAM, /* device, stream */
    TFP_KINETO_ASIDE   /* pid, tid of events that are shown, but not counted */
} tfp_kineto_lane_kind;

enum {
    TFP_KINETO_NO_DUR = 1,     /* none, or none that is a number */
    TFP_KINETO_NEGATIVE = 2,   /* its duration was below 0 */
    TFP_KINETO_BACKWARD = 4,   /* has a sequence number and a forward thread */
    TFP_KINETO_COLLECTIVE = 8, /* has a `Collective name` */
    TFP_KINETO_HAS_EXTERNAL = 16,
    TFP_KINETO_HAS_SEQUENCE = 32,
    TFP_KINETO_HAS_ID = 64,
    TFP_KINETO_EARLY = 128,    /* its time is below 0 */
    TFP_KINETO_NO_NUMBER = 256 /* its duration is no number */
};

typedef struct tfp_kineto_row {
    int64_t start_ns, duration_ns;
    uint64_t call;                            /* `Record function id`, 0: none */
    uint64_t correlation, external, sequence; /* correlation: of flows and async events the id */
    uint32_t name, category, lane;            /* -> the slot's strings and lanes */
    uint32_t stats;                           /* -> the slot's sets, TFP_NONE; of counters into its samples */
    uint32_t extra; /* ph X: the call stack (a string of the slot); M: the name; [memory]: -> memory */
    uint8_t phase, what;
    uint16_t flags;
} tfp_kineto_row;

typedef struct tfp_kineto_memory {
    int64_t bytes, allocated, reserved, device_type, device;
    uint64_t address;
} tfp_kineto_memory;

/* The two keys that stood at a place lately: events of two kinds often alternate. 0: none yet. */
typedef struct tfp_kineto_guess {
    uint32_t last, before;
} tfp_kineto_guess;

/* What the parser knows of a string of its slot. */
typedef struct tfp_kineto_string {
    uint32_t global;        /* of the profile; TFP_NONE: not yet */
    uint32_t module;        /* its name without "nn.Module: ", of the profile */
    uint32_t trace;         /* of call stacks: -> traces; TFP_NONE - 1: not yet */
    uint8_t what;           /* as a category; 0xff: not looked at */
    uint8_t name;           /* as a name: bits of tfp_kineto_name; 0xff: not looked at */
    uint32_t key;           /* as a key: -> keys; 0: none yet */
    tfp_kineto_guess first; /* as the name of an event: the first key of its args */
} tfp_kineto_string;
enum {
    TFP_KINETO_STEP = 1,
    TFP_KINETO_OPTIMIZER = 2,
    TFP_KINETO_MODULE = 4,
    TFP_KINETO_COLLECTIVE_NAME = 8,
    TFP_KINETO_COPY_NAME = 16,
    TFP_KINETO_SET_NAME = 32,
    TFP_KINETO_COLLECTIVE_OP = 64,
    TFP_KINETO_COLLECTIVE_RANGE = 128
};

/* A key of events or of their args, with what it stands between: the same text makes the same key. A key that stands
 * in several layouts has a row for each of the first ones: what follows it differs, too. */
typedef struct tfp_kineto_key {
    char text[TFP_JSCAN_TEXT]; /* the key as the file last wrote it, with everything between the end of the token before it and the start of its value */
    uint8_t size;              /* of the text; 0: it was longer */
    bool first;                /* it stood behind the brace */
    uint8_t member, arg;       /* what it is in an event (kineto_event.c), in args (kineto_args.c) */
    uint32_t string;           /* of the slot */
    uint32_t twin;             /* the same key in another layout; 0: none */
    tfp_kineto_guess next;     /* behind it */
} tfp_kineto_key;

#define TFP_KINETO_KEYS 1024    /* keys that a slot keeps */
#define TFP_KINETO_SHARED_KEY 1 /* the number that all other keys share */
#define TFP_KINETO_LAYOUTS 4    /* of a key */

/* A value of args that was read before, by its text. */
#define TFP_KINETO_VALUE 224 /* bytes of it */
typedef struct tfp_kineto_value {
    tfp_stat stat;
    uint32_t key, size; /* size 0: nothing yet */
    char text[TFP_KINETO_VALUE];
} tfp_kineto_value;

#define TFP_KINETO_RECENT 256
#define TFP_KINETO_VALUES 256
#define TFP_KINETO_SETS 256
#define TFP_KINETO_LANES 16
#define TFP_KINETO_SHORT 32 /* bytes */

/* Tables of one thread. Strings, lanes and sets of stats stay from piece to piece; rows are those of the last one. */
typedef struct tfp_kineto_slot {
    tfp_arena arena;
    tfp_strtab strings;
    TFP_VEC(tfp_kineto_string) known; /* one a string */
    TFP_VEC(tfp_kineto_key) keys; /* the first stands for the begin of an event, the second for all that are not kept */
    uint32_t recent[TFP_KINETO_RECENT];         /* short strings met lately */
    tfp_kineto_value values[TFP_KINETO_VALUES]; /* values met lately */
    TFP_VEC(tfp_kineto_lane) lanes;
    TFP_VEC(uint32_t) lane_global; /* -> the profile's lanes; TFP_NONE: not yet */
    tfp_map64 lane_by_hash;
    TFP_VEC(tfp_stat) stats; /* texts are strings of the slot */
    TFP_VEC(tfp_stat_set) sets;
    TFP_VEC(uint32_t) set_global;
    tfp_map64 set_by_hash;
    uint32_t recent_lanes[TFP_KINETO_LANES],
        recent_sets[TFP_KINETO_SETS]; /* met lately; one above their places, 0: none */

    TFP_VEC(tfp_kineto_row) rows;
    TFP_VEC(tfp_kineto_memory) memory;
    TFP_VEC(tfp_stat) one; /* of the event being read */
    tfp_buf text;          /* decoded */
    int64_t unreadable, absurd;
    tfp_buf first_unreadable, first_absurd; /* names, or what stands for them */
    bool fraction;                          /* some time is no whole number of microseconds */
    bool failed;                            /* no memory */

    tfp_buf own;            /* the piece's bytes, when they come from a file */
    uint64_t offset;        /* of the piece in the input */
    tfp_str window;         /* the piece, and what follows it in memory */
    const char *soft;       /* the event that begins before it is the last */
    const char *from, *end; /* where the first event was looked for; behind the last whole event and its comma */
    bool first;             /* the array begins at `from` */
    bool closed;            /* the array's end was met (and taken) */
    tfp_jscan_fault fault;
    const char *wrong, *wrong_at;
} tfp_kineto_slot;

/* Of a slot that calloc has cleared: most of its tables are never touched where the file is small. */
bool tfp_kineto_slot_start(tfp_kineto_slot *s);
void tfp_kineto_slot_free(tfp_kineto_slot *s);
/* Reads events from s->from until one ends at or behind s->soft, the array ends, or the window does. */
void tfp_kineto_parse(tfp_kineto_slot *s);

/* ---- the other half: one thread, in the order of the file ---- */
typedef struct tfp_kineto_open { /* a B without its E, or an async b */
    uint32_t span, below;
    uint64_t id;
} tfp_kineto_open;

typedef struct tfp_kineto_flow { /* an end of an arrow */
    uint64_t id;
    int64_t at_ns;
    uint32_t lane, span; /* span: that starts there; TFP_NONE: none is known */
    bool begins;
} tfp_kineto_flow;

typedef struct tfp_kineto_left_out { /* events of one kind */
    int64_t count;
    tfp_buf first;
} tfp_kineto_left_out;

typedef struct tfp_kineto_reader {
    tfp_builder *b;
    uint32_t process;
    tfp_map64 lane_by_hash;         /* -> the profile's lanes */
    TFP_VEC(tfp_kineto_lane) lanes; /* by the same number as lane_of; words are ids of the profile */
    TFP_VEC(uint32_t) lane_of;
    tfp_map64 label_by_lane; /* place in lanes -> string */
    tfp_map64 thread_owner;  /* tid -> pid: the first process that had a thread of that number */
    TFP_VEC(tfp_kineto_open) open;
    tfp_map64 open_by_lane, open_by_id; /* the innermost's place in `open`, or TFP_NONE: tfp_map64_get_any */
    tfp_kineto_left_out unreadable, absurd;
    int64_t events, ends_alone, early, negative, no_number;
    int64_t plain; /* of the events those with a length and of no category of Kineto's */
    tfp_strid first_plain;
    int64_t unknown;            /* activities of unknown categories */
    tfp_strid first_unknown;    /* category */
    size_t first_span;          /* of this file */
    TFP_VEC(uint64_t) hardware; /* processes whose threads are streams of a device */
    TFP_VEC(tfp_kineto_flow) flows;
    bool fraction;
} tfp_kineto_reader;

/* What stands beside the events. */
typedef struct tfp_kineto_facts {
    tfp_builder *b;
    uint32_t process;
    bool has_capability; /* a device told its compute capability */
    int64_t rank, rank_count;
} tfp_kineto_facts;
void tfp_kineto_keep(tfp_kineto_facts *f, const tfp_jscan_text *key, const tfp_jscan_value *v); /* a member */

static inline bool tfp_kineto_remember(tfp_kineto_reader *r, bool ok) /* that memory ran out */
{
    if (!ok && !r->b->status) r->b->status = TFP_NOMEM;
    return !r->b->status;
}

/* kineto_names.c */
uint8_t tfp_kineto_look_at_name(tfp_str name); /* bits of tfp_kineto_name */
bool tfp_kineto_step_number(tfp_str name, int64_t *out);
tfp_span_class tfp_kineto_kernel_class(uint8_t name);

/* kineto_lanes.c: from the slot's tables to the profile's. */
tfp_strid tfp_kineto_new_global(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string);
uint32_t tfp_kineto_new_lane(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane);
static inline tfp_strid tfp_kineto_global(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string)
{
    bool known = string < s->known.size && s->known.at[string].global != TFP_NONE;
    return known ? s->known.at[string].global : tfp_kineto_new_global(r, s, string);
}
static inline uint32_t tfp_kineto_lane_at(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane)
{
    bool known = lane != TFP_NONE && s->lane_global.at[lane] != TFP_NONE;
    return known ? s->lane_global.at[lane] : tfp_kineto_new_lane(r, s, lane);
}
void tfp_kineto_label(tfp_kineto_reader *r, tfp_kineto_slot *s,
                      const tfp_kineto_row *x); /* names of processes, threads */
void tfp_kineto_lanes_end(tfp_kineto_reader *r);

/* kineto_flows.c: keeps an end of an arrow; gives activities the operators that arrows come from. */
void tfp_kineto_keep_flow(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x);
void tfp_kineto_join_flows(tfp_kineto_reader *r);

void tfp_kineto_merge(tfp_kineto_reader *r, tfp_kineto_slot *s);
void tfp_kineto_end(tfp_kineto_reader *r); /* labels, what was never closed, findings */
void tfp_kineto_reader_free(tfp_kineto_reader *r);

#endif
