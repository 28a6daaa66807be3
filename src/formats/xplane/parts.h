// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/parts.h: what the files of the XPlane reader share: planes with their metadata, lines, and classes of
 * events. A file is read twice: first everything but the events, because metadata comes after the lines that use it;
 * then line by line in windows. */
#ifndef TFP_XPLANE_PARTS_H
#define TFP_XPLANE_PARTS_H

#include "formats/files/format.h"
#include "formats/hlo/hlo.h"
#include "model/event_builder.h"
#include "model/trace/compact.h"
#include "wire/proto.h"

/* Stats that the reader interprets; others are kept as they are. */
typedef enum tfp_xstat_id {
    XS_OTHER,
    XS_NOISE, /* different in each event and of no use: not kept */
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
    XS_NAME,         /* an activity's place in the model, as XLA writes it for GPUs */
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

/* One XStat. A text points into the input, unless it was a reference: then `ref` is its id. */
typedef struct tfp_xvalue {
    uint8_t known; /* tfp_xstat_id */
    uint8_t type;  /* tfp_stat_type */
    tfp_strid key, ref;
    union {
        int64_t number;
        double real;
    };
    tfp_str text;
    bool bytes; /* it was a bytes_value, no text */
} tfp_xvalue;

typedef struct tfp_xstat_name { /* XStatMetadata */
    tfp_strid name;
    tfp_xstat_id known;
} tfp_xstat_name;

typedef struct tfp_xmeta {       /* XEventMetadata */
    tfp_strid name, instruction; /* instruction: from "%NAME = ...", otherwise the name that is shown; 0 on hosts */
    tfp_strid op, op_type;       /* from a host event's name NAME:TYPE; 0: it has another form */
    bool eager;                  /* op comes from a name `EagerLocalExecute: TYPE` */
    uint32_t value_first, value_count; /* index in the plane's values: stats of all its events */
    uint32_t last_class;               /* class of its last event; TFP_NONE: none */
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
    XL_HOST,    /* a host thread */
    XL_STREAM,  /* a stream of a GPU */
    XL_COPIES,  /* a stream whose name says that it has only copies */
    XL_OPS,     /* `XLA Ops` of a TPU */
    XL_ASYNC,   /* `Async XLA Ops` */
    XL_MODULES, /* `XLA Modules` */
    XL_SHOWN    /* shown in the timeline only */
} tfp_xline_kind;
static inline bool tfp_xline_is_stream(tfp_xline_kind kind) { return kind == XL_STREAM || kind == XL_COPIES; }

typedef struct tfp_xline {
    uint64_t at, size; /* offset and size of the XLine in the file */
    int64_t id, timestamp_ns;
    tfp_strid name, label;
    tfp_xline_kind kind;
} tfp_xline;

typedef struct tfp_xrun { /* an event of a line `XLA Modules` */
    int64_t start_ns, end_ns;
    tfp_strid module;
} tfp_xrun;

/* Maps a file's ids to rows: small ids, which all writers use, are in an array. */
#define TFP_XIDS_NEAR UINT64_C(65536)
typedef struct tfp_xids {
    TFP_VEC(uint32_t) near; /* indexed by id; TFP_NONE: no row */
    tfp_map64 far;
} tfp_xids;
static inline uint32_t tfp_xids_get(const tfp_xids *x, uint64_t id)
{
    if (id < x->near.size) return x->near.at[id];
    return id < TFP_XIDS_NEAR ? TFP_NONE : tfp_map64_get(&x->far, id);
}
bool tfp_xids_put(tfp_xids *x, uint64_t id, uint32_t row); /* false: out of memory */
void tfp_xids_free(tfp_xids *x);

typedef struct tfp_xplane {
    tfp_strid name;
    tfp_xplane_kind kind;
    char device[32]; /* "gpu:0"; empty on hosts */
    TFP_VEC(tfp_xline) lines;
    TFP_VEC(tfp_xmeta) metas;
    TFP_VEC(tfp_xstat_name) stat_names;
    TFP_VEC(tfp_xvalue) values; /* values of metadata; texts are interned */
    tfp_xids meta_by_id, stat_by_id;
    TFP_VEC(tfp_xrun) runs; /* sorted by start */
} tfp_xplane;

/* What events of one class have in common; times and numbers of their own are not part of it. */
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
    uint32_t stat_first, stat_count; /* index in class_stats, to which the stats of single events are added */
    int8_t memory;                   /* 1 an allocation, -1 a free, 0 neither */
    bool begins_step;                /* a call of one of Keras' step functions */
    bool names_step;                 /* its name is one of steps (model/step_names.c) */
    uint32_t compact[2];   /* indexes in kinds, the second for spans with TFP_MARK_CONTINUES; TFP_NONE: none yet */
    tfp_strid instruction; /* instruction of a GPU's activity; 0: none */
} tfp_xclass;

/* The thunks of one run of a module on the CPU; used as a step if the file has no better marks. */
typedef struct tfp_xthunks {
    uint32_t span, run; /* span: the first one to start; TFP_NONE: it is a compact row */
    uint32_t lane;      /* lane of the first one */
    tfp_strid module;
    int64_t start_ns, end_ns, busy_ns;
} tfp_xthunks;

/* The XLA programs of the file: plane.c. */
typedef struct tfp_xprograms {
    TFP_VEC(tfp_hlo_module) modules;
    TFP_VEC(uint64_t) numbers;    /* parallel to modules */
    tfp_map64 by_number, by_name; /* indexes in modules */
} tfp_xprograms;

/* What events of one kind have in common: class.c. */
typedef struct tfp_xclasses {
    TFP_VEC(tfp_xclass) list;
    TFP_VEC(tfp_stat) stats;
    tfp_map64 by_hash;
} tfp_xclasses;

/* The thunks of runs of programs: steps.c. */
typedef struct tfp_xthunk_runs {
    TFP_VEC(tfp_xthunks) list;
    tfp_map64 by_run;         /* run << 32 | module -> index in list */
    uint32_t last, last_span; /* the last one: indexes in list and spans */
    uint64_t last_run;        /* its run number */
} tfp_xthunk_runs;

/* The event that is being read: line.c. */
typedef struct tfp_xone {
    TFP_VEC(tfp_stat) stats;
    TFP_VEC(tfp_xvalue) values;
    tfp_buf unpacked; /* decompressed texts */
} tfp_xone;

/* What the file was found to have. */
typedef struct tfp_xfound {
    int64_t profile_start_ns, pid;
    bool steps;          /* it has marked steps or roots: steps.c */
    bool events;         /* line.c */
    bool graph_launches; /* it has a call that launches a graph: plane.c */
} tfp_xfound;

typedef struct tfp_xreader {
    tfp_builder *b;
    tfp_profile *p;
    tfp_input *in;
    uint32_t process;
    TFP_VEC(tfp_xplane) planes;
    TFP_VEC(tfp_strid) hosts;
    tfp_xprograms programs;
    tfp_xclasses classes;
    tfp_xthunk_runs thunks;
    tfp_xone event;
    tfp_xfound found;
    tfp_strid graph_id; /* the key of the stat with the graph that ran an activity */
    /* lane << 32 | module -> the only instruction of the module that ran in this stream, or TFP_SEVERAL */
    tfp_map64 only_by_module;
    int64_t base_ns; /* subtracted from lines whose times count from 1970 */
    bool sums;       /* TFP_READS_SUMS, TFP_READS_TIMES: lanes are compact where that is possible */
    bool rows;       /* TFP_READS_TIMES: memory is not asked for */
    tfp_compact_writer compact;
} tfp_xreader;

/* Reports something odd as a warning about the file and as a finding of `check`. */
void tfp_xplane_tell(tfp_xreader *r, const char *severity, const char *what, tfp_str example);

/* ---- eager.c ---- */
/* Sets the operation of a host event's metadata, if its name has one. */
void tfp_xplane_op_of(tfp_xreader *r, tfp_str name, tfp_xmeta *m);
/* Called after all planes: eager operations count only if the file has no other operations. */
void tfp_xplane_settle_eager(tfp_xreader *r);

/* ---- plane.c: the first pass ---- */
tfp_status tfp_xplane_read_plane(tfp_xreader *r, uint64_t at, uint64_t size, tfp_error *err);
/* Reads one XStat of a plane; false when the plane has no name for it. */
bool tfp_xplane_value(tfp_xreader *r, const tfp_xplane *p, tfp_wire *outer, const tfp_field *f, tfp_xvalue *out);
/* The text of a value; "" if it is a number. */
tfp_str tfp_xplane_text(const tfp_xreader *r, const tfp_xvalue *v);
tfp_strid tfp_xplane_strid(tfp_xreader *r, const tfp_xvalue *v);
bool tfp_xplane_stat(tfp_xreader *r, const tfp_xvalue *v, tfp_stat *out);
void tfp_xplane_free(tfp_xplane *p);

/* ---- line.c: the second pass ---- */
typedef struct tfp_xline_reader {
    tfp_xreader *r;
    tfp_xline *l;
    uint32_t plane, lane;
    uint64_t last_id; /* id of the last metadata, and its index */
    uint32_t last_meta;
    bool compact; /* r->compact receives its events */
    /* of a stream: the module and instruction whose run continues, and the name of the run's first activity */
    tfp_strid module, instruction, path, first;
    int64_t start_ns; /* start of its last activity */
    uint32_t only;    /* the module's only instruction in this stream so far; TFP_NONE, TFP_SEVERAL */
} tfp_xline_reader;
typedef struct tfp_xevent { /* XEvent, without its stats */
    uint64_t meta;
    int64_t offset_ps, duration_ps;
    bool aggregated; /* num_occurrences: it has no place in time */
} tfp_xevent;
typedef struct tfp_xown_numbers { /* numbers of one event */
    uint64_t correlation, run;
    bool has_run;
    bool may_be_step; /* an annotation that the join may turn into a step */
} tfp_xown_numbers;

tfp_status tfp_xplane_read_head(tfp_xreader *r, tfp_xplane *p, tfp_xline *l, tfp_error *err);
uint32_t tfp_xplane_lane(tfp_xline_reader *lr); /* returns an index in lanes */
/* Reads an event; its stats are put into r->values. False: a fault, which is set in the outer wire, or out of
 * memory. */
bool tfp_xplane_event(tfp_xline_reader *lr, tfp_wire *outer, const tfp_field *field, tfp_xevent *out);
/* The class's stats and the event's own (r->values) as one set. */
uint32_t tfp_xplane_stats(tfp_xreader *r, const tfp_xclass *c);
/* TFP_MARK_CONTINUES when an activity belongs to the same run of an instruction as the line's last activity. */
unsigned tfp_xplane_run_marks(tfp_xline_reader *lr, const tfp_xclass *c, int64_t start_ns);
/* Adds an event that is no memory allocation; times, kind, path, op and stats are set. Returns an index in spans;
 * TFP_NONE: none was made. */
uint32_t tfp_xplane_span(tfp_xline_reader *lr, tfp_xclass *c, tfp_event *e, const tfp_xown_numbers *n);
/* Reads any field of a line. */
void tfp_xplane_line_field(tfp_xline_reader *lr, tfp_wire *w, const tfp_field *f);
/* Whether the field at `w` is completely in the window; *need: its size in bytes, when known. */
bool tfp_xplane_is_whole(const tfp_wire *w, size_t *need);
/* Reads the fields of a line from offset `at` in the file to the line's end. */
tfp_status tfp_xplane_read_rest(tfp_xline_reader *lr, uint64_t at, tfp_error *err);

/* ---- steps.c: marks of steps ---- */
/* Notes a thunk of a module's run; span TFP_NONE: it is a compact row. */
void tfp_xplane_thunk(tfp_xline_reader *lr, const tfp_xclass *c, uint64_t run, int64_t start_ns, int64_t duration_ns,
                      uint32_t span);
/* Adds a mark for an event. A compact row has no span, so one is made for the mark. */
void tfp_xplane_mark(tfp_xline_reader *lr, const tfp_event *e, tfp_step_mark *m);
/* Reads an event of a line `XLA Modules`. */
void tfp_xplane_run(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_event *e, uint32_t span);

/* ---- event.c: events read by several threads ---- */
#define TFP_XRECENT 256
typedef enum tfp_xuse { /* how a stat of an event is used */
                        TFP_XUSE_NONE,
                        TFP_XUSE_KIND,        /* part of the kind: another value means another kind */
                        TFP_XUSE_CORRELATION, /* a number of the event's own */
                        TFP_XUSE_RUN,         /* a number of the event's own */
                        TFP_XUSE_ODD          /* not handled: the event is left to tfp_xplane_line_field */
} tfp_xuse;
typedef struct tfp_xrow { /* an event */
    int64_t start_ns, duration_ns;
    uint64_t correlation, run;
    uint32_t at;   /* offset of its field in the piece */
    uint32_t kind; /* index in the slot's kinds; TFP_NONE: the field is left to tfp_xplane_line_field */
} tfp_xrow;
typedef struct tfp_xkind {        /* what events of a slot have in common */
    uint32_t key_first, key_size; /* index in keys */
    uint32_t class, stats;        /* of the reader; TFP_NONE: none yet */
    bool has_run;
} tfp_xkind;
/* The tables of one thread. Kinds are kept from piece to piece of a plane, rows are those of the last piece. */
typedef struct tfp_xslot {
    const tfp_xplane *plane;
    const tfp_xline *line;
    bool first;    /* the piece is the first of its line */
    bool sums;     /* stats that are only shown with spans are not part of a kind */
    uint64_t base; /* offset of the piece in the file */
    tfp_str bytes; /* the piece: complete fields of a line */
    tfp_buf own;   /* holds the bytes of a file */
    TFP_VEC(tfp_xrow) rows;
    TFP_VEC(tfp_xkind) kinds;
    TFP_VEC(uint8_t) keys;
    tfp_map64 kind_by_hash;
    uint32_t recent[TFP_XRECENT]; /* kinds used lately; TFP_NONE: none */
    uint8_t uses[128];            /* tfp_xuse of each stat whose id has one byte */
    bool failed;                  /* no memory */
} tfp_xslot;
void tfp_xplane_slot_start(tfp_xslot *s, const tfp_xplane *p, bool sums);
void tfp_xplane_parse(tfp_xslot *s);
void tfp_xplane_slot_free(tfp_xslot *s);

/* ---- compact.c: sums in place of spans ---- */
/* Starts the line's lane. */
void tfp_xplane_start_line(tfp_xline_reader *lr);
/* Adds a usual event to the compact lane; false: it must become a span. */
bool tfp_xplane_compact(tfp_xline_reader *lr, tfp_xclass *c, const tfp_event *e);
/* Called before an event becomes a span in a lane that may be compact: the lane stays compact if the event comes in order. */
void tfp_xplane_beside_compact(tfp_xline_reader *lr, const tfp_event *e);
/* The same for an event of a class whose events became compact; nothing else must be checked then. */
bool tfp_xplane_compact_row(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_xrow *row, unsigned marks,
                            bool has_run);
/* Ends this: the line's further events become spans, and its earlier rows become spans too. */
void tfp_xplane_stop_compact(tfp_xline_reader *lr);
/* Adds a span that only a step's mark refers to, with the lane, name and times of the event. */
uint32_t tfp_xplane_marker(tfp_xreader *r, const tfp_event *of);
/* For a root that comes next in a compact lane: fills in the function call around it. */
void tfp_xplane_call_around(const tfp_xreader *r, int64_t end_ns, tfp_step_mark *m);

/* ---- pieces.c ---- */
/* Reads the lines of a plane: those of modules, or the others. */
tfp_status tfp_xplane_read_lines(tfp_xreader *r, uint32_t plane, bool modules, tfp_error *err);

/* ---- names.c: what follows from names ---- */
tfp_xplane_kind tfp_xplane_kind_of(tfp_str name, char *device, size_t room);
tfp_xline_kind tfp_xplane_line_kind(tfp_xplane_kind plane, int64_t id, tfp_str name);
/* The name in "jit_f(123)", without the number. */
tfp_str tfp_xplane_module_name(tfp_str run);
/* The class of an activity or a thunk, from its name and from what its HLO instruction does: the opcode, or else the
 * instruction's name. */
tfp_span_class tfp_xplane_class_of(tfp_xline_kind line, tfp_str name, tfp_str instruction);

/* ---- stats.c: what events of a class tell ---- */
typedef struct tfp_xtold { /* what the file tells; NULL: nothing */
    const tfp_xvalue *flops, *bytes;
} tfp_xtold;
void tfp_xplane_put_number(tfp_xreader *r, const char *name, int64_t number);
void tfp_xplane_put_text(tfp_xreader *r, const char *name, tfp_strid text); /* 0: none */
/* Splits texts of the tracer into stats with Kineto's names. */
void tfp_xplane_put_details(tfp_xreader *r, tfp_strid details);
/* Adds stats of what an execution of an instruction computes, from the file or its program. m NULL, or row TFP_NONE:
 * the instruction is not in the file. */
void tfp_xplane_put_work(tfp_xreader *r, const tfp_xtold *t, const tfp_hlo_module *m, uint32_t row,
                         tfp_strid instruction);
/* The same with the names of instruction and module. Returns an index in stat_sets; TFP_NONE: none. */
uint32_t tfp_xplane_work_stats(tfp_xreader *r, const tfp_hlo_module *m, uint32_t row);

/* ---- buffers.c: command buffers ---- */
/* Whether an activity belongs to a command buffer and its event does not name its instruction. of_graph: the event says
 * that a graph ran it. */
bool tfp_xplane_in_buffer(const tfp_xreader *r, const tfp_hlo_module *m, uint32_t row, tfp_strid hlo_op, bool of_graph);
void tfp_xplane_build_buffers(tfp_xreader *r); /* lists the instructions of all buffers that the programs may have */

/* ---- class.c: what an event is ---- */
/* The module that ran on the device at that time; 0: none. */
tfp_strid tfp_xplane_running(const tfp_xplane *p, int64_t at_ns);
/* Returns an index in classes; TFP_NONE: out of memory. r->values are the event's own stats; start_ns selects the
 * module that ran. */
uint32_t tfp_xplane_classify(tfp_xreader *r, uint32_t plane, uint32_t line_kind, uint32_t meta, int64_t start_ns);

#endif
