// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/parts.h: what the files of the XPlane reader share: planes with their metadata, lines, and classes of
 * events. A file is gone through twice: first for everything but events (metadata stands behind the lines that use it),
 * then line by line in windows. */
#ifndef TFP_XPLANE_PARTS_H
#define TFP_XPLANE_PARTS_H

#include "formats/files/format.h"
#include "formats/hlo/hlo.h"
#include "model/event_builder.h"
#include "model/slim.h"
#include "wire/proto.h"

/* Stats that mean something to the reader; others are kept as they are. */
typedef enum tfp_xstat_id {
    XS_OTHER,
    XS_NOISE, /* different at each event and of no use: not kept */
    XS_TF_OP,
    XS_HLO_OP,
    XS_HLO_MODULE,
    XS_PROGRAM_ID,
    XS_DEVICE_ORDINAL,
    XS_RUN_ID,
    XS_STEP_NUM,
    XS_ROOT,
    XS_CORRELATION_ID,
    XS_HLO_PROTO,
    XS_SOURCE,
    XS_SOURCE_STACK,
    XS_FLOPS,
    XS_BYTES_ACCESSED,
    XS_KERNEL_DETAILS,
    XS_NAME,         /* of an activity: its place in the model, as XLA writes it for GPUs */
    XS_COPY_DETAILS, /* memcpy_details */
    XS_SET_DETAILS,  /* memset_details */
    XS_ALLOCATION_BYTES,
    XS_BYTES_ALLOCATED,
    XS_BYTES_RESERVED,
    XS_ALLOCATOR,
    XS_ADDRESS,
    XS_PROFILE_START,
    XS_PROCESS_ID,
    XS_DEVICE_TYPE,
    XS_DEVICE_VENDOR,
    XS_PEAK_TERAFLOPS,
    XS_PEAK_BANDWIDTH,
    XS_CLOCK_RATE,
    XS_CORE_COUNT,
    XS_MEMORY_BANDWIDTH,
    XS_MEMORY_SIZE
} tfp_xstat_id;

/* One XStat. A text is borrowed, unless it was a reference: then `ref` is its id. */
typedef struct tfp_xvalue {
    uint8_t known; /* tfp_xstat_id */
    uint8_t type;  /* tfp_stat_type */
    tfp_strid key, ref;
    union {
        int64_t number;
        double real;
    };
    tfp_str text;
    bool bytes; /* bytes_value: no text */
} tfp_xvalue;

typedef struct tfp_xstat_name { /* XStatMetadata */
    tfp_strid name;
    tfp_xstat_id known;
} tfp_xstat_name;

typedef struct tfp_xmeta {             /* XEventMetadata */
    tfp_strid name, instruction;       /* instruction: of "%NAME = ...", else the name that is shown; 0 on hosts */
    tfp_strid op, op_type;             /* of a host event whose name is NAME:TYPE; 0 when it is none */
    bool eager;                        /* op is of a name `EagerLocalExecute: TYPE` */
    uint32_t value_first, value_count; /* -> the plane's values: stats of all its events */
    uint32_t last_class;               /* what the last event of it was; TFP_NONE: none */
} tfp_xmeta;

typedef enum tfp_xplane_kind {
    XP_OTHER,
    XP_HOST,
    XP_HOST_OTHER,
    XP_GPU,
    XP_TPU,
    XP_METADATA,
    XP_ENVIRONMENT
} tfp_xplane_kind;

typedef enum tfp_xline_kind {
    XL_HOST,    /* a thread */
    XL_STREAM,  /* of a GPU */
    XL_COPIES,  /* the same, of which the name says that it has copies only */
    XL_OPS,     /* `XLA Ops` of a TPU */
    XL_ASYNC,   /* `Async XLA Ops` */
    XL_MODULES, /* `XLA Modules` */
    XL_SHOWN    /* in the timeline only */
} tfp_xline_kind;
static inline bool tfp_xline_is_stream(tfp_xline_kind kind) { return kind == XL_STREAM || kind == XL_COPIES; }

typedef struct tfp_xline {
    uint64_t at, size; /* bytes of the XLine in the file */
    int64_t id, timestamp_ns;
    tfp_strid name, label;
    tfp_xline_kind kind;
} tfp_xline;

typedef struct tfp_xrun { /* of a line `XLA Modules` */
    int64_t start_ns, end_ns;
    tfp_strid module;
} tfp_xrun;

/* Rows by the ids that a file gives them: small ones, as all writers give, stand in an array. */
#define TFP_XIDS_NEAR UINT64_C(65536)
typedef struct tfp_xids {
    TFP_VEC(uint32_t) near; /* TFP_NONE: none */
    tfp_map64 far;
} tfp_xids;
static inline uint32_t tfp_xids_get(const tfp_xids *x, uint64_t id)
{
    if (id < x->near.size) return x->near.at[id];
    return id < TFP_XIDS_NEAR ? TFP_NONE : tfp_map64_get(&x->far, id);
}
bool tfp_xids_put(tfp_xids *x, uint64_t id, uint32_t row); /* false without memory */
void tfp_xids_free(tfp_xids *x);

typedef struct tfp_xplane {
    tfp_strid name;
    tfp_xplane_kind kind;
    char device[32]; /* "gpu:0"; empty on hosts */
    TFP_VEC(tfp_xline) lines;
    TFP_VEC(tfp_xmeta) metas;
    TFP_VEC(tfp_xstat_name) stat_names;
    TFP_VEC(tfp_xvalue) values; /* of metadata; texts are interned */
    tfp_xids meta_by_id, stat_by_id;
    TFP_VEC(tfp_xrun) runs; /* by start */
} tfp_xplane;

/* Events that are the same but for their times and numbers of their own. */
typedef struct tfp_xclass_key {
    uint32_t meta, line_kind;
    tfp_strid tf_op, name, hlo_op, hlo_module, details;
    uint64_t program;
    int64_t ordinal;
} tfp_xclass_key;
#define TFP_SEVERAL (TFP_NONE - 1)
typedef struct tfp_xclass {
    tfp_xclass_key key;
    uint32_t plane;
    tfp_strid name, path, op, module;
    tfp_span_kind kind;
    tfp_span_class class;
    unsigned marks;
    uint32_t trace, stats;
    uint32_t stat_first, stat_count; /* -> class_stats: to be joined with stats of single events */
    int8_t memory;                   /* 1 an allocation, -1 a free, 0 neither */
    bool begins_step;                /* a call of one of Keras's step functions */
    uint32_t slim[2];      /* -> slim_kinds, the second of spans with TFP_MARK_CONTINUES; TFP_NONE: none yet */
    tfp_strid instruction; /* of an activity of a GPU; 0: none */
} tfp_xclass;

/* The thunks of one run of a module on the CPU, kept while nothing better says what a step is. */
typedef struct tfp_xthunks {
    uint32_t span, run; /* span: the first to start; TFP_NONE: it is a slim row */
    uint32_t lane;      /* of the first */
    tfp_strid module;
    int64_t start_ns, end_ns, busy_ns;
} tfp_xthunks;

typedef struct tfp_xreader {
    tfp_builder *b;
    tfp_profile *p;
    tfp_input *in;
    uint32_t process;
    TFP_VEC(tfp_xplane) planes;
    TFP_VEC(tfp_hlo_module) modules;
    TFP_VEC(uint64_t) programs;                  /* beside it: the numbers of modules */
    tfp_map64 module_by_program, module_by_name; /* -> modules */
    tfp_strid graph_id;                          /* the key of the graph that ran an activity */
    TFP_VEC(tfp_strid) hosts;
    TFP_VEC(tfp_xclass) classes;
    TFP_VEC(tfp_stat) class_stats;
    tfp_map64 class_by_hash;
    tfp_map64
        only_by_module; /* lane << 32 | module -> the only instruction of it that ran in this stream, or TFP_SEVERAL */
    TFP_VEC(tfp_stat) stats;    /* of one event */
    TFP_VEC(tfp_xvalue) values; /* of one event */
    TFP_VEC(tfp_xthunks) thunks;
    tfp_map64 thunks_by_run;                /* run << 32 | module -> thunks */
    uint32_t last_thunks, last_thunk;       /* -> thunks, spans */
    uint64_t last_run;                      /* the number of last_thunks */
    tfp_buf unpacked;                       /* compressed texts of one event */
    int64_t profile_start_ns, base_ns, pid; /* base_ns: taken off lines whose times count from 1970 */
    bool has_steps;                         /* marked ones or roots */
    bool has_events;
    bool graph_launches; /* some call launches a graph */
    bool sums; /* TFP_KEEP_SUMS, TFP_KEEP_ROWS: lanes are slim where that is possible */
    bool rows; /* TFP_KEEP_ROWS: nobody asks for memory */
    tfp_slim_writer slim;
} tfp_xreader;

/* Remembers that memory ran out. */
bool tfp_xplane_ok(tfp_xreader *r, bool fine);
/* Tells of something odd twice: as a warning of the file, and as a finding of `check`. */
void tfp_xplane_tell(tfp_xreader *r, const char *severity, const char *what, tfp_str example);

/* ---- eager.c ---- */
/* Sets the operation of the metadata of a host event, if its name tells one. */
void tfp_xplane_op_of(tfp_xreader *r, tfp_str name, tfp_xmeta *m);
/* After all planes: operations that ran eagerly are operations only where the file has no others. */
void tfp_xplane_settle_eager(tfp_xreader *r);

/* ---- plane.c: the first way through ---- */
tfp_status tfp_xplane_read_plane(tfp_xreader *r, uint64_t at, uint64_t size, tfp_error *err);
/* One XStat of a plane; false when it has no name there. */
bool tfp_xplane_value(tfp_xreader *r, const tfp_xplane *p, tfp_wire *outer, const tfp_field *f, tfp_xvalue *out);
/* The text of a value; "" of a number. */
tfp_str tfp_xplane_text(const tfp_xreader *r, const tfp_xvalue *v);
tfp_strid tfp_xplane_strid(tfp_xreader *r, const tfp_xvalue *v);
bool tfp_xplane_stat(tfp_xreader *r, const tfp_xvalue *v, tfp_stat *out);
void tfp_xplane_free(tfp_xplane *p);

/* ---- line.c: the second ---- */
typedef struct tfp_xline_reader {
    tfp_xreader *r;
    tfp_xline *l;
    uint32_t plane, lane;
    uint64_t last_id; /* of metadata, and where it stands */
    uint32_t last_meta;
    bool slim;                                  /* r->slim takes its events */
    tfp_strid module, instruction, path, first; /* of a stream: whose run goes on, and the name of its first activity */
    int64_t start_ns;                           /* of its last activity */
    uint32_t only; /* the module's only instruction in this stream so far; TFP_NONE, TFP_SEVERAL */
} tfp_xline_reader;
typedef struct tfp_xevent { /* XEvent, without its stats */
    uint64_t meta;
    int64_t offset_ps, duration_ps;
    bool aggregated; /* num_occurrences: it has no place in time */
} tfp_xevent;
typedef struct tfp_xown_numbers { /* of one event */
    uint64_t correlation, run;
    bool has_run;
    bool may_be_step; /* an annotation that the join makes a step, or not */
} tfp_xown_numbers;

tfp_status tfp_xplane_read_head(tfp_xreader *r, tfp_xplane *p, tfp_xline *l, tfp_error *err);
uint32_t tfp_xplane_lane(tfp_xline_reader *lr); /* -> lanes */
/* Reads an event; its stats become r->values. False: a fault, which is the outer wire's, or no memory. */
bool tfp_xplane_event(tfp_xline_reader *lr, tfp_wire *outer, const tfp_field *field, tfp_xevent *out);
/* The class's stats and those of the event itself, r->values. */
uint32_t tfp_xplane_stats(tfp_xreader *r, const tfp_xclass *c);
/* TFP_MARK_CONTINUES of an activity that belongs to the run of an instruction which the line's last activity is of. */
unsigned tfp_xplane_run_marks(tfp_xline_reader *lr, const tfp_xclass *c, int64_t start_ns);
/* Adds an event that is no allocation of memory; times, kind, path, op and stats are set. -> spans; TFP_NONE: none was made. */
uint32_t tfp_xplane_span(tfp_xline_reader *lr, tfp_xclass *c, tfp_event *e, const tfp_xown_numbers *n);
/* One field of a line, whatever it is. */
void tfp_xplane_line_field(tfp_xline_reader *lr, tfp_wire *w, const tfp_field *f);
/* Whether the field at `w` lies whole in the window; *need gets the bytes that it takes when it is known. */
bool tfp_xplane_is_whole(const tfp_wire *w, size_t *need);
/* The fields of a line from byte `at` of the file to the line's end, one after another. */
tfp_status tfp_xplane_read_rest(tfp_xline_reader *lr, uint64_t at, tfp_error *err);

/* ---- steps.c: marks of steps ---- */
/* Notes a thunk of a run of a module; span TFP_NONE: it is slim. */
void tfp_xplane_thunk(tfp_xline_reader *lr, const tfp_xclass *c, uint64_t run, int64_t start_ns, int64_t duration_ns,
                      uint32_t span);
/* A mark of an event; without a span it gets one, as slim rows are none. */
void tfp_xplane_mark(tfp_xline_reader *lr, const tfp_event *e, tfp_step_mark *m);
/* An event of a line `XLA Modules`. */
void tfp_xplane_run(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_event *e, uint32_t span);

/* ---- event.c: events read by several threads ---- */
#define TFP_XRECENT 256
typedef enum tfp_xuse { /* what a stat of an event is for */
                        TFP_XUSE_NONE,
                        TFP_XUSE_KIND,        /* events with another value are of another kind */
                        TFP_XUSE_CORRELATION, /* the number is the event's own */
                        TFP_XUSE_RUN,         /* the same */
                        TFP_XUSE_ODD          /* such an event is left to tfp_xplane_line_field */
} tfp_xuse;
typedef struct tfp_xrow { /* an event */
    int64_t start_ns, duration_ns;
    uint64_t correlation, run;
    uint32_t at;   /* where its field begins in the piece */
    uint32_t kind; /* -> the slot's kinds; TFP_NONE: a field that is left to tfp_xplane_line_field */
} tfp_xrow;
typedef struct tfp_xkind {        /* what events of a slot have in common */
    uint32_t key_first, key_size; /* -> keys */
    uint32_t class, stats;        /* of the reader; TFP_NONE: not known yet */
    bool has_run;
} tfp_xkind;
typedef struct
    tfp_xslot { /* tables of one thread: kinds stay from piece to piece of a plane, rows are the last one's */
    const tfp_xplane *plane;
    const tfp_xline *line;
    bool first;    /* the piece begins its line */
    bool sums;     /* stats that only spans show make no kinds */
    uint64_t base; /* where in the file the piece stands */
    tfp_str bytes; /* the piece, whole fields of a line */
    tfp_buf own;   /* holds the bytes of a file */
    TFP_VEC(tfp_xrow) rows;
    TFP_VEC(tfp_xkind) kinds;
    TFP_VEC(uint8_t) keys;
    tfp_map64 kind_by_hash;
    uint32_t recent[TFP_XRECENT]; /* kinds met lately; TFP_NONE: none */
    uint8_t uses[128];            /* tfp_xuse of stats with an id of one byte */
    bool failed;                  /* no memory */
} tfp_xslot;
void tfp_xplane_slot_start(tfp_xslot *s, const tfp_xplane *p, bool sums);
void tfp_xplane_parse(tfp_xslot *s);
void tfp_xplane_slot_free(tfp_xslot *s);

/* ---- slim.c: sums in place of spans ---- */
/* Begins the line's lane. */
void tfp_xplane_start_line(tfp_xline_reader *lr);
/* Adds a plain event to the slim lane; false: it must become a span. */
bool tfp_xplane_slim(tfp_xline_reader *lr, tfp_xclass *c, const tfp_event *e);
/* Before an event that becomes a span in a lane that may be slim: the lane stays slim where the event comes in order. */
void tfp_xplane_beside_slim(tfp_xline_reader *lr, const tfp_event *e);
/* The same for an event like others of its class that became slim; it needs nothing else then. */
bool tfp_xplane_slim_row(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_xrow *row, unsigned marks, bool has_run);
/* From now on the line's events become spans, and those that it had become spans, too. */
void tfp_xplane_stop_slim(tfp_xline_reader *lr);
/* A span that only a mark of a step points to, with the lane, name and times of the event. */
uint32_t tfp_xplane_marker(tfp_xreader *r, const tfp_event *of);
/* Of a root that comes next in a slim lane: fills in the call of a function around it. */
void tfp_xplane_call_around(const tfp_xreader *r, int64_t end_ns, tfp_step_mark *m);

/* ---- pieces.c ---- */
/* The lines of a plane: those of modules, or the others. */
tfp_status tfp_xplane_read_lines(tfp_xreader *r, uint32_t plane, bool modules, tfp_error *err);

/* ---- names.c: what follows from names ---- */
tfp_xplane_kind tfp_xplane_kind_of(tfp_str name, char *device, size_t room);
tfp_xline_kind tfp_xplane_line_kind(tfp_xplane_kind plane, int64_t id, tfp_str name);
/* "jit_f(123)" without the number. */
tfp_str tfp_xplane_module_name(tfp_str run);
/* Of an activity or a thunk, by its name and by what its HLO instruction does: the opcode, or else the instruction's name. */
tfp_span_class tfp_xplane_class_of(tfp_xline_kind line, tfp_str name, tfp_str instruction);

/* ---- stats.c: what events of a class tell ---- */
typedef struct tfp_xtold { /* by the file; NULL: it does not */
    const tfp_xvalue *flops, *bytes;
} tfp_xtold;
void tfp_xplane_put_number(tfp_xreader *r, const char *name, int64_t number);
void tfp_xplane_put_text(tfp_xreader *r, const char *name, tfp_strid text); /* 0: none */
/* What texts of the tracer hold, under the names that Kineto has for them. */
void tfp_xplane_put_details(tfp_xreader *r, tfp_strid details);
/* What an execution of an instruction computes, by the file or its program. m: NULL, or row: TFP_NONE: it is not in the file. */
void tfp_xplane_put_work(tfp_xreader *r, const tfp_xtold *t, const tfp_hlo_module *m, uint32_t row, tfp_strid instruction);
/* The same with the names of instruction and module. -> stat_sets; TFP_NONE: none */
uint32_t tfp_xplane_work_stats(tfp_xreader *r, const tfp_hlo_module *m, uint32_t row);

/* ---- buffers.c: command buffers ---- */
/* Whether an activity is of a command buffer, and its event does not name its instruction. of_graph: the event says that a graph
 * ran it. */
bool tfp_xplane_in_buffer(const tfp_xreader *r, const tfp_hlo_module *m, uint32_t row, tfp_strid hlo_op, bool of_graph);
void tfp_xplane_build_buffers(tfp_xreader *r); /* the instructions of all buffers that the programs may have */

/* ---- class.c: what an event is ---- */
/* The module that ran at that time on the device; 0: none. */
tfp_strid tfp_xplane_running(const tfp_xplane *p, int64_t at_ns);
/* -> classes, TFP_NONE without memory. r->values are the event's own stats; start_ns tells the module that ran. */
uint32_t tfp_xplane_classify(tfp_xreader *r, uint32_t plane, uint32_t line_kind, uint32_t meta, int64_t start_ns);

#endif
