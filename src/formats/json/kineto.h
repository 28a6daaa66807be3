// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto.h: what the files of the Kineto reader share. A piece of the file is parsed into rows of its own
 * by kineto_event.c, which may run on any thread; kineto_merge.c turns the rows of all pieces, in the order of the
 * file, into calls on the builder; kineto_facts.c keeps the file's other members; kineto.c reads the file. */
#ifndef TFP_KINETO_H
#define TFP_KINETO_H

#include "model/builder.h"
#include "model/tables/stats.h"
#include "wire/jsonscan.h"

/* The kind of an event, from its category. */
typedef enum tfp_kineto_what {
    TFP_KINETO_PLAIN, /* its category is none of Kineto's */
    TFP_KINETO_OP,
    TFP_KINETO_CALL,
    TFP_KINETO_WAIT, /* a call that waits for the device */
    TFP_KINETO_ANNOTATION,
    TFP_KINETO_FRAME,
    TFP_KINETO_KERNEL,
    TFP_KINETO_COPY,
    TFP_KINETO_SET,
    TFP_KINETO_UNKNOWN,     /* has a device and a stream, but an unknown category */
    TFP_KINETO_ON_STREAM,   /* on a stream's row, but no activity: gpu_user_annotation, cuda_sync, graph_host_node */
    TFP_KINETO_SHOWN,       /* a category of Kineto's that is neither a host op nor an activity: overhead, Trace ... */
    TFP_KINETO_OP_FLOW,     /* an arrow from an operator to one of its activities */
    TFP_KINETO_LAUNCH_FLOW, /* an arrow from the moment of a launch to its activity */
    TFP_KINETO_BACK_FLOW    /* an arrow from a forward to a backward operator */
} tfp_kineto_what;

/* A row of the timeline: two numbers or words, and what they mean. */
typedef struct tfp_kineto_lane {
    uint64_t a, b;
    uint32_t words;    /* bits: a (1), b (2) or pid (4) is a string of the slot */
    uint32_t kind;     /* of tfp_kineto_lane_kind */
    uint32_t category; /* of lanes of unknown devices, a string of the slot */
    uint32_t part;     /* of a merged file, as of tfp_kineto_part; of the slot: the rank that args tell, plus 1 */
    uint64_t pid;      /* of streams: the process of their events, which is a device */
} tfp_kineto_lane;
typedef enum tfp_kineto_lane_kind {
    TFP_KINETO_THREAD, /* pid, tid */
    TFP_KINETO_STREAM, /* device, stream */
    TFP_KINETO_ASIDE   /* pid, tid of events that are shown but not counted */
} tfp_kineto_lane_kind;

/* A part of a merged file: the number of its array, or of its place in the array (low bits), and the rank that the args of
 * its events tell, plus 1 (high bits). */
#define TFP_KINETO_PARTS 4096  /* most arrays and places that are told apart */
#define TFP_KINETO_RANKS 65536 /* most ranks that args may tell */
static inline uint32_t tfp_kineto_part(uint32_t place, uint32_t rank) { return place | rank << 13; }
static inline uint32_t tfp_kineto_place_of(uint32_t part) { return part & 8191; }
static inline uint32_t tfp_kineto_rank_in(uint32_t part) { return part >> 13; } /* plus 1; 0: none */

enum {
    TFP_KINETO_NO_DUR = 1,     /* it has no duration, or one that is no number */
    TFP_KINETO_NEGATIVE = 2,   /* its duration is negative */
    TFP_KINETO_BACKWARD = 4,   /* has a sequence number and a forward thread */
    TFP_KINETO_COLLECTIVE = 8, /* has a `Collective name` */
    TFP_KINETO_HAS_EXTERNAL = 16,
    TFP_KINETO_HAS_SEQUENCE = 32,
    TFP_KINETO_HAS_ID = 64,
    TFP_KINETO_EARLY = 128,    /* its time is negative */
    TFP_KINETO_NO_NUMBER = 256 /* its duration is no number */
};

typedef struct tfp_kineto_row {
    int64_t start_ns, duration_ns;
    uint64_t call;                            /* `Record function id`; 0: none */
    uint64_t correlation, external, sequence; /* correlation: for flows and async events, their id */
    uint32_t name, category, lane;            /* indexes in the slot's strings and lanes */
    uint32_t stats;                           /* index in the slot's sets, or TFP_NONE; for counters, in its samples */
    /* for a ph X event the call stack (a string of the slot); for ph M the name; for [memory] an index in memory */
    uint32_t extra;
    uint8_t phase, what;
    uint16_t flags;
} tfp_kineto_row;

typedef struct tfp_kineto_memory {
    int64_t bytes, allocated, reserved, device_type, device;
    uint64_t address;
} tfp_kineto_memory;

/* The last two keys that came at this place: events of two kinds often alternate. 0: none yet. */
typedef struct tfp_kineto_guess {
    uint32_t last, before;
} tfp_kineto_guess;

/* What the parser knows about a string of its slot. */
typedef struct tfp_kineto_string {
    uint32_t global;        /* its number in the profile; TFP_NONE: none yet */
    uint32_t module;        /* its name without "nn.Module: ", in the profile */
    uint32_t trace;         /* as a call stack: index in traces; TFP_NONE - 1: none yet */
    uint8_t what;           /* as a category: its kind; 0xff: not looked at */
    uint8_t name;           /* as a name: bits of tfp_kineto_name; 0xff: not looked at */
    uint32_t key;           /* as a key: index in keys; 0: none yet */
    tfp_kineto_guess first; /* as the name of an event: a guess of the first key of its args */
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

/* A key of events or of their args, with the text around it: the same text gives the same key. A key that occurs in
 * several layouts has a row for each of the first few, because different keys follow it. */
typedef struct tfp_kineto_key {
    /* the key as the file last wrote it, from the end of the token before it to the start of its value */
    char text[TFP_JSCAN_TEXT];
    uint8_t size;          /* size of the text; 0: it was too long */
    bool first;            /* it came directly after the brace */
    uint8_t member, arg;   /* its meaning in an event (kineto_event.c), and in args (kineto_args.c) */
    uint32_t string;       /* a string of the slot */
    uint32_t twin;         /* the row of the same key in another layout; 0: none */
    tfp_kineto_guess next; /* guess of the key that follows */
} tfp_kineto_key;

#define TFP_KINETO_KEYS 1024    /* most keys in a slot */
#define TFP_KINETO_SHARED_KEY 1 /* the row that all further keys share */
#define TFP_KINETO_LAYOUTS 4    /* most layouts of a key */

/* A value of args that was read before, identified by its text. */
#define TFP_KINETO_VALUE 224 /* most bytes of it */
typedef struct tfp_kineto_value {
    tfp_stat stat;
    uint32_t key, size; /* size 0: empty */
    char text[TFP_KINETO_VALUE];
} tfp_kineto_value;

#define TFP_KINETO_RECENT 256
#define TFP_KINETO_VALUES 256
#define TFP_KINETO_SETS 256
#define TFP_KINETO_LANES 16
#define TFP_KINETO_SHORT 32 /* most bytes of a short string */

/* Tables of one thread. Strings, lanes and sets of stats are kept from piece to piece; rows are those of the last
 * piece. */
/* The texts and keys of a piece: kineto_strings.c, kineto_args.c. */
typedef struct tfp_kineto_words {
    tfp_strtab strings;
    TFP_VEC(tfp_kineto_string) known; /* one for each string */
    TFP_VEC(tfp_kineto_key)
    keys; /* the first row stands for the beginning of an event, the second for all keys that are not kept */
    uint32_t recent[TFP_KINETO_RECENT];         /* short strings that were met lately */
    tfp_kineto_value values[TFP_KINETO_VALUES]; /* values that were met lately */
} tfp_kineto_words;

/* The lanes of a piece: kineto_lanes.c. */
typedef struct tfp_kineto_lanes {
    TFP_VEC(tfp_kineto_lane) list;
    TFP_VEC(uint32_t) global; /* lane of the slot -> lane of the profile; TFP_NONE: none yet */
    TFP_VEC(uint32_t) place;  /* lane of the slot -> lane of the reader, for arrows; TFP_NONE: none yet */
    tfp_map64 by_hash;
    uint32_t part;                     /* for which `global` and `place` hold */
    uint32_t recent[TFP_KINETO_LANES]; /* lanes met lately: their indexes plus 1; 0: none */
} tfp_kineto_lanes;

/* The sets of stats of a piece: kineto_row.c. */
typedef struct tfp_kineto_sets {
    TFP_VEC(tfp_stat) stats; /* its texts are strings of the slot */
    TFP_VEC(tfp_stat_set) list;
    TFP_VEC(uint32_t) global; /* set of the slot -> set of the profile */
    tfp_map64 by_hash;
    uint32_t recent[TFP_KINETO_SETS]; /* sets met lately: their indexes plus 1; 0: none */
} tfp_kineto_sets;

/* Where a piece lies, and how far it was read: kineto.c, kineto_event.c. */
typedef struct tfp_kineto_piece {
    tfp_buf own;      /* its bytes, when they come from a file */
    uint64_t offset;  /* its offset in the input */
    tfp_str window;   /* the piece, and what follows it in memory */
    const char *soft; /* the piece's last event is the last one that begins before this position */
    const char *from; /* where the first event was looked for */
    const char *end;  /* after the last complete event and its comma */
    bool first;       /* the array begins at `from` */
    bool closed;      /* the array's end was found (and read) */
    tfp_jscan_fault fault;
    const char *wrong, *wrong_at;
} tfp_kineto_piece;

typedef struct tfp_kineto_slot {
    tfp_arena arena;
    tfp_kineto_words words;
    tfp_kineto_lanes lanes;
    tfp_kineto_sets sets;
    tfp_kineto_piece piece;
    TFP_VEC(tfp_kineto_row) rows;
    TFP_VEC(tfp_kineto_memory) memory;
    TFP_VEC(tfp_stat) one; /* stats of the event that is being read */
    tfp_buf text;          /* a text without its escapes */
    int64_t commas;        /* wrong commas before piece.end */
    uint64_t comma_at;     /* where the first of them is in the input */
    int64_t unreadable, absurd;
    tfp_buf first_unreadable, first_absurd; /* names of the first such events, or a substitute for the name */
    bool strides;                           /* `Input Strides` become stats */
    bool fraction;                          /* some time is no whole number of microseconds */
    bool failed;                            /* out of memory */
} tfp_kineto_slot;

/* Starts a slot that calloc has cleared: with a small file most of its tables are never touched. keep: the profile's. */
bool tfp_kineto_slot_start(tfp_kineto_slot *s, unsigned keep);
void tfp_kineto_slot_free(tfp_kineto_slot *s);
/* Reads events from s->from until one ends at or after s->soft, or the array or the window ends. */
void tfp_kineto_parse(tfp_kineto_slot *s);

/* ---- adding rows to the profile: on one thread, in the order of the file ---- */
typedef struct tfp_kineto_open { /* an event B without its E so far, or an async b */
    uint32_t span, below;
    int64_t inner_end_ns; /* the latest end of a span in it */
} tfp_kineto_open;

typedef struct tfp_kineto_moment { /* a begin or an end */
    uint64_t key;
    int64_t at_ns;
    uint32_t span;   /* TFP_NONE: an end */
    uint32_t number; /* its place in the order of the file, times 2; plus 1: async */
    tfp_strid name;  /* of an end: that of the range which it closes; 0: it has none */
} tfp_kineto_moment;

typedef struct tfp_kineto_pairs {
    TFP_VEC(tfp_kineto_open) open;
    tfp_map64 by_lane, by_id; /* the innermost one's index in `open`, or TFP_NONE: read with tfp_map64_get_any */
    TFP_VEC(tfp_kineto_moment) all;
    bool disordered;         /* times go back, or an end comes before its begin */
    int64_t alone, negative; /* ends without a begin, and before it */
} tfp_kineto_pairs;

typedef struct tfp_kineto_flow { /* one end of an arrow */
    uint64_t id;
    int64_t at_ns;
    uint32_t lane, span; /* span: the one that starts there; TFP_NONE: none is known */
    bool begins, launch; /* launch: of TFP_KINETO_LAUNCH_FLOW */
} tfp_kineto_flow;

typedef struct tfp_kineto_arrow { /* one end of an arrow that may tell the launch of an activity */
    uint64_t id;
    int64_t at_ns;
    uint32_t place;    /* its thread: index in the reader's list of lanes */
    uint32_t category; /* hash of its category */
    bool begins;
} tfp_kineto_arrow;

typedef struct tfp_kineto_links { /* what joins activities with their launches */
    TFP_VEC(tfp_kineto_flow) flows;
    TFP_VEC(tfp_kineto_arrow) arrows;
    int64_t activities, unnumbered; /* number of activities, and of those without a correlation */
    bool numbered_calls;            /* some call has a correlation */
} tfp_kineto_links;

typedef struct tfp_kineto_left_out { /* number of events of one kind that were left out */
    int64_t count;
    tfp_buf first;
} tfp_kineto_left_out;

typedef struct tfp_kineto_lost {
    tfp_kineto_left_out unreadable, absurd;
    tfp_kineto_left_out broken; /* events that are no JSON */
    tfp_kineto_left_out commas; /* commas too many or missing */
} tfp_kineto_lost;

typedef struct tfp_kineto_name { /* what a file calls a process */
    uint64_t pid;                /* as of tfp_kineto_pid */
    uint32_t place;              /* of its part */
    tfp_strid name;
} tfp_kineto_name;

/* Where the names of processes stand in a place, if they come after its events: what follows may be another rank. */
typedef struct tfp_kineto_place_end {
    bool known;
    int64_t events,
        own; /* number of events before it, and of those of the place; the others: indexes of the first that follows */
    size_t span, memory, counter, flow, arrow;
} tfp_kineto_place_end;

typedef struct tfp_kineto_lane_table {
    tfp_map64 by_hash;             /* hash -> index in list */
    TFP_VEC(tfp_kineto_lane) list; /* in the same order as `of`; words are ids of the profile */
    TFP_VEC(uint32_t) of;          /* lane of the profile */
    tfp_map64 label;               /* index in list -> string */
    /* tid, or hash of a stream, -> pid: the first process that had a lane with that number */
    tfp_map64 thread_owner, stream_owner;
    tfp_map64 stream_by_row;        /* hash of pid and tid -> lane of the profile; made when arrows are joined */
    TFP_VEC(uint64_t) hardware;     /* processes whose threads are streams of a device */
    TFP_VEC(uint64_t) numbered;     /* processes that may be devices of rocmProfileData */
    TFP_VEC(tfp_kineto_name) names; /* of processes whose name tells a rank */
    TFP_VEC(uint32_t) counters;     /* index in list of each counter sample's process */
    size_t first_counter;           /* index of this file's first counter sample */
    bool shared;                    /* two processes have a stream with the same name */
    /* the current place in the file: each array of events may be the trace of a rank, and so may what follows when the
     * name of a process comes again */
    uint32_t part;
    TFP_VEC(uint32_t) arrays; /* for each place: which array it is in; empty: there is one */
    tfp_map64 named;          /* pid -> place in which its name came last */
    int64_t begun;            /* number of events before the current place */
    uint32_t has_names;       /* the last place with names of processes, plus 1 */
    tfp_kineto_place_end end; /* of the current place */
    bool placed, ranked;      /* some array has several places; args tell ranks */
    uint32_t rank;            /* the rank among whose lanes a name must be the only one */
} tfp_kineto_lane_table;

typedef struct tfp_kineto_reader {
    tfp_builder *b;
    uint32_t process;
    tfp_kineto_lane_table lanes;
    tfp_kineto_pairs pairs;
    tfp_kineto_lost left; /* what was left out */
    uint64_t rows;        /* events that were read, of any kind */
    int64_t events, early, negative, no_number;
    int64_t latest_ns, backward; /* the latest start so far; events that start over a millisecond before it */
    int64_t nccl;                /* collectives of NCCL's profiler plugin */
    int64_t plain;               /* events with a duration whose category is none of Kineto's */
    tfp_strid first_plain;
    int64_t unknown;         /* activities whose category is unknown */
    tfp_strid first_unknown; /* the first such category */
    size_t first_span;       /* index of this file's first span */
    tfp_kineto_links links;
    bool fraction;
} tfp_kineto_reader;

/* The file's members beside the events. */
typedef struct tfp_kineto_facts {
    tfp_builder *b;
    uint32_t process;
    bool has_capability; /* a device stated its compute capability */
    int64_t rank, rank_count;
} tfp_kineto_facts;
void tfp_kineto_keep(tfp_kineto_facts *f, const tfp_jscan_text *key, const tfp_jscan_value *v); /* takes a member */

/* kineto_names.c */
uint8_t tfp_kineto_look_at_name(tfp_str name); /* returns bits of tfp_kineto_name */
uint8_t tfp_kineto_kernel_class(uint8_t name); /* a tfp_span_class */

/* kineto_lanes.c: from the slot's tables to the profile's. */
tfp_strid tfp_kineto_new_global(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string);
uint32_t tfp_kineto_new_lane(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane);
static inline tfp_strid tfp_kineto_global(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string)
{
    bool known = string < s->words.known.size && s->words.known.at[string].global != TFP_NONE;
    return known ? s->words.known.at[string].global : tfp_kineto_new_global(r, s, string);
}
static inline uint32_t tfp_kineto_lane_at(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane)
{
    bool known = lane != TFP_NONE && s->lanes.global.at[lane] != TFP_NONE;
    return known ? s->lanes.global.at[lane] : tfp_kineto_new_lane(r, s, lane);
}
/* A further array of events begins: traces of several ranks were written into one object. */
void tfp_kineto_next_array(tfp_kineto_reader *r);
void tfp_kineto_check_part(tfp_kineto_reader *r, tfp_kineto_slot *s); /* the slot's lanes become those of the part */
uint32_t tfp_kineto_place_in(tfp_kineto_reader *r, uint32_t place, uint32_t part); /* the same lane in another part */
uint32_t tfp_kineto_lane_of(tfp_kineto_reader *r, uint32_t place);                 /* its lane of the profile */
void tfp_kineto_label(tfp_kineto_reader *r, tfp_kineto_slot *s,
                      const tfp_kineto_row *x); /* sets names of processes and threads */
void tfp_kineto_lanes_end(tfp_kineto_reader *r);
uint32_t tfp_kineto_place(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane); /* index in r->lanes.list */
/* The process of a lane, as one number. */
static inline uint64_t tfp_kineto_pid(const tfp_kineto_lane *l)
{
    bool stream = l->kind == TFP_KINETO_STREAM, word = l->words & (stream ? 4 : 1);
    return (stream ? l->pid : l->a) ^ (uint64_t)word << 63 ^ l->part * UINT64_C(0x9e3779b97f4a7c15);
}
/* Names a lane of the profile again, among those of r->lanes.rank. */
void tfp_kineto_name_lane(tfp_kineto_reader *r, uint32_t place);
/* Turns a thread's lane, which is not one of a stream yet, into that of a stream. */
void tfp_kineto_make_stream(tfp_kineto_reader *r, uint32_t place);
void tfp_kineto_lanes_free(tfp_kineto_lane_table *l);

/* kineto_parts.c: whether numbers of launches or operators come again in each part; lanes of several parts become one: of
 * places in an array, of ranks that args tell, or all that have equal names. */
bool tfp_kineto_numbers_repeat(const tfp_kineto_reader *r);
typedef enum tfp_kineto_unite {
    TFP_KINETO_UNITE_PLACES,
    TFP_KINETO_UNITE_RANKS,
    TFP_KINETO_UNITE_ALL
} tfp_kineto_unite;
void tfp_kineto_unite_lanes(tfp_kineto_reader *r, tfp_kineto_unite what);
/* Moves what follows the end of the place before into the current one. */
/* kineto_ranks.c: makes a process of each rank of a merged file. */
void tfp_kineto_find_ranks(tfp_kineto_reader *r);
bool tfp_kineto_tells_rank(tfp_str name); /* whether the name of a process tells its rank */
/* The profile's lane of a device's activities on the row of a thread; TFP_NONE: it has none. The streams are listed
 * before. */
void tfp_kineto_list_streams(tfp_kineto_reader *r);
uint32_t tfp_kineto_stream_at(const tfp_kineto_reader *r, uint32_t place);

/* kineto_hardware.c: finds devices that are processes, and what ran on them. */
void tfp_kineto_find_hardware(tfp_kineto_reader *r);

/* kineto_launches.c: keeps one end of an arrow; finds launches of activities that have no correlation. */
void tfp_kineto_keep_arrow(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x);
void tfp_kineto_join_launches(tfp_kineto_reader *r);

/* kineto_pairs.c: begins and ends a span of a thread, or of an id; async: of an id. */
void tfp_kineto_begin(tfp_kineto_reader *r, bool async, uint64_t key, uint32_t span);
void tfp_kineto_end_of(tfp_kineto_reader *r, bool async, uint64_t key, int64_t end_ns, tfp_strid name);
int64_t tfp_kineto_pairs_end(tfp_kineto_reader *r); /* returns how many spans never end */
void tfp_kineto_pairs_free(tfp_kineto_pairs *p);

/* kineto_flows.c: keeps one end of an arrow; finds the operator and the launch of each activity by the arrows. */
void tfp_kineto_keep_flow(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x);
void tfp_kineto_join_flows(tfp_kineto_reader *r);

void tfp_kineto_merge(tfp_kineto_reader *r, tfp_kineto_slot *s);
void tfp_kineto_note_commas(tfp_kineto_reader *r, int64_t count,
                            uint64_t at);  /* at: byte of the first comma too many */
void tfp_kineto_end(tfp_kineto_reader *r); /* sets labels, closes events that have no end, adds findings */
/* Says that the file is truncated. If its events are not in the order of time, as Kineto writes first the host's and then the
 * devices', what is missing may be anywhere: a doubt. */
void tfp_kineto_tell_cut(tfp_kineto_reader *r);
void tfp_kineto_reader_free(tfp_kineto_reader *r);

#endif
