// SPDX-License-Identifier: Apache-2.0
/* store/store.h: a whole profile as one file of tfprof's own (NAME.tfprof): what its files share. Bytes of the file:
 * docs/formats.md. One list of tables and columns (tables.c) drives both ways: write.c puts every column of the model
 * into the file; read.c reads back those that are to be kept. Each number is checked against its rule, and check.c
 * makes the checks that need several columns. Uses base, model and the shape of a format. */
#ifndef TFP_STORE_H
#define TFP_STORE_H

#include "base/source.h"
#include "formats/files/format.h"
#include "model/program.h"
#include "store/pack.h"

#define TFP_STORE_VERSION 2u
#define TFP_STORE_VERSION_UNPACKED 1u /* columns as they are in memory: no longer written */
/* Increase it when readers or the join produce other columns for the same file: the cache then ignores files of older
 * programs. */
#define TFP_STORE_MEANING 4

/* Flags of a profile that are not stored, because they are computed after the tables were read. */
#define TFP_STORE_FOLLOWS                                                                                              \
    (1u << TFP_HAS_PROGRAM | 1u << TFP_HAS_STEPS | 1u << TFP_HAS_SPANS | 1u << TFP_HAS_TRACE | 1u << TFP_HAS_MEMORY |  \
     1u << TFP_HAS_TENSORS)
#define TFP_STORE_ORDER UINT32_C(0x01020304) /* in the memory byte order of the machine that writes */
extern const char tfp_store_magic[8];        /* the first bytes of a file, and its last */

typedef struct tfp_store_head {
    char magic[8];
    uint32_t version, order;
} tfp_store_head;

/* An entry in the directory of version 1: a table if `column` is empty, else one of its columns. */
typedef struct tfp_store_unpacked_entry {
    char table[24], column[32];
    uint32_t width; /* bytes of a number; 0: texts, or a table */
    uint32_t crc;   /* CRC-32C of the column's bytes */
    uint64_t rows, offset, size;
} tfp_store_unpacked_entry;

typedef struct tfp_store_foot { /* the file's last bytes */
    uint64_t directory;         /* offset of the directory */
    uint64_t entries;           /* the number of entries; in version 2: the size of the unpacked directory */
    uint32_t crc;               /* CRC-32C of the head, the stored directory, and the two numbers above */
    uint32_t order;
    char magic[8];
} tfp_store_foot;

#define TFP_STORE_HERE_ROWS ((size_t)1024)       /* columns of up to this many numbers are stored in the directory */
#define TFP_STORE_HERE_BYTES ((size_t)32 << 10)  /* and texts of up to this many bytes */
#define TFP_STORE_DIRECTORY ((uint64_t)64 << 20) /* bytes of the directory, at most */

/* The memory that a profile may take for each byte of its file: readers refuse more, and the writer does not pack more
 * densely. */
#define TFP_STORE_READER_PER_BYTE 24
#define TFP_STORE_WRITER_PER_BYTE 16
#define TFP_STORE_WRITER_FREE ((uint64_t)256 << 20)

/* A table or a column of the file that is read. */
typedef struct tfp_store_entry {
    const char *table, *column; /* "": the table itself */
    uint32_t width;             /* bytes of a number; 0: texts, or a table */
    bool packed;
    bool ended;            /* texts without stored sizes: none is absent, and each has a single 0 byte, at its end */
    uint32_t crc;          /* CRC-32C of its bytes in the file; 0 when they are in the directory */
    uint64_t rows;         /* of the table */
    uint64_t offset, size; /* in the file */
    uint64_t unpacked;     /* bytes of texts */
    /* packed data: the column itself if `size` is 0, else the sizes of its blocks or pieces, as varints */
    tfp_str here;
} tfp_store_entry;

/* The rule for the numbers of a column. A number that breaks it ends the reading. */
typedef enum tfp_store_rule {
    TFP_STORE_ANY,
    TFP_STORE_BELOW,        /* less than `arg` */
    TFP_STORE_NOT_NEGATIVE, /* 64 bits */
    TFP_STORE_STRING,       /* a tfp_strid */
    TFP_STORE_ROW,          /* a row of the table `arg` */
    TFP_STORE_ROW_OR_NONE,  /* the same, or TFP_NONE; TFP_NONE is read when that table is not kept */
    TFP_STORE_RANGE, /* the first of several rows of the table `arg`; the next word of the row has their number */
    /* texts, whose width is 0 */
    TFP_STORE_TEXT,         /* char *, ended by NUL */
    TFP_STORE_TEXT_OR_NULL, /* the same, or NULL */
    TFP_STORE_BYTES         /* tfp_str */
} tfp_store_rule;

typedef struct tfp_store_column {
    const char *name;
    size_t at; /* offset in the row; for TFP_STORE_ARRAYS: offset of the pointer to the column's array, in its struct */
    size_t width;
    tfp_store_rule rule;
    uint32_t arg;
    bool beside; /* similar to the previous column, which has 8-byte numbers too, so the differences may be smaller */
} tfp_store_column;

/* The numbers of the tables in files of version 2: new tables are added at the end, and new columns at the end of their
 * table. */
typedef enum tfp_store_id {
    TFP_STORE_PROFILE,
    TFP_STORE_SOURCES,
    TFP_STORE_FORMATS,
    TFP_STORE_WARNINGS,
    TFP_STORE_COVERAGE,
    TFP_STORE_NODE_BY_NAME,
    TFP_STORE_NODES,
    TFP_STORE_TYPES,
    TFP_STORE_INPUTS,
    TFP_STORE_OUTPUTS,
    TFP_STORE_SHAPES,
    TFP_STORE_DIMS,
    TFP_STORE_ATTRS,
    TFP_STORE_RUN_SHAPES,
    TFP_STORE_INSTRUCTIONS,
    TFP_STORE_STEPS,
    TFP_STORE_EXECS,
    TFP_STORE_OUTPUT_BYTES,
    TFP_STORE_DETAILS,
    TFP_STORE_LANES,
    TFP_STORE_RUN_SPANS,
    TFP_STORE_RUN_TRANSFERS,
    TFP_STORE_MEMORIES,
    TFP_STORE_BUFFERS,
    TFP_STORE_ALLOCATIONS,
    TFP_STORE_FRAMES,
    TFP_STORE_TRACE_FRAMES,
    TFP_STORE_TRACES,
    TFP_STORE_SAMPLE_TYPES,
    TFP_STORE_SAMPLES,
    TFP_STORE_PROCESSES,
    TFP_STORE_SPANS,
    TFP_STORE_ATTRIBUTIONS,
    TFP_STORE_CAPTURED_CALLS,
    TFP_STORE_FLOWS,
    TFP_STORE_STATS,
    TFP_STORE_STAT_SETS,
    TFP_STORE_MEMORY_EVENTS,
    TFP_STORE_ALLOCATOR_DEVICES,
    TFP_STORE_ALLOCATOR_ENTRIES,
    TFP_STORE_ALLOCATOR_BLOCKS,
    TFP_STORE_ALLOCATOR_SEGMENTS,
    TFP_STORE_FLIGHT_DUMPS,
    TFP_STORE_FLIGHT_GROUPS,
    TFP_STORE_FLIGHT_ENTRIES,
    TFP_STORE_WEIGHTS,
    TFP_STORE_TIMED,
    TFP_STORE_COUNTERS,
    TFP_STORE_STEP_MARKS,
    TFP_STORE_WINDOWS,
    TFP_STORE_DEVICES,
    TFP_STORE_FINDINGS,
    TFP_STORE_ABOUT,
    TFP_STORE_PROGRAM,
    TFP_STORE_PROGRAM_ATTRS,
    TFP_STORE_PROGRAM_VALUES,
    TFP_STORE_PROGRAM_INPUTS,
    TFP_STORE_PROGRAM_NODES,
    TFP_STORE_PROGRAM_ARGS,
    TFP_STORE_PROGRAM_RESULTS,
    TFP_STORE_PROGRAM_BODIES,
    TFP_STORE_PROGRAM_VARIABLES,
    TFP_STORE_PROGRAM_SIGNATURES,
    TFP_STORE_PROGRAM_OUTPUTS,
    TFP_STORE_PROGRAM_CONTROLS,
    TFP_STORE_DOUBTS,
    TFP_STORE_TABLES
} tfp_store_id;

typedef enum tfp_store_form {
    TFP_STORE_ROWS,   /* a growable array of rows */
    TFP_STORE_ARRAYS, /* an array for each column */
    TFP_STORE_ONE     /* the struct itself: one row */
} tfp_store_form;

typedef enum tfp_store_home { TFP_STORE_IN_PROFILE, TFP_STORE_IN_PROGRAM, TFP_STORE_IN_VALUES } tfp_store_home;

/* Rows that an owner chains by `next`: the file stores the owner of each row, and reading rebuilds the chains. */
typedef struct tfp_store_chain {
    tfp_store_id owner;
    size_t first, last, next; /* offsets: in the owner's row, and in the row itself */
    bool there;
} tfp_store_chain;

typedef struct tfp_store_table {
    const char *name;
    tfp_store_form form;
    tfp_store_home home;
    size_t within; /* offset in the profile of the pointer to the tables that contain it; 0: it is in the home itself */
    size_t at, item; /* offset there; bytes of a row */
    const tfp_store_column *columns;
    size_t column_count;
    unsigned keep; /* TFP_KEEP_...: read only if one of these is set; 0: always. See tfp_store_wants_program, too */
    tfp_store_chain chain;
} tfp_store_table;
extern const tfp_store_table tfp_store_tables[TFP_STORE_TABLES];
#define TFP_STORE_OWNER "owner"     /* the column that replaces a chain */
#define TFP_STORE_STRINGS "strings" /* the table of strings, which is not in the list */

/* The values of the program's attributes, each as bytes (values.c). */
typedef struct tfp_store_values {
    TFP_VEC(tfp_str) rows;
} tfp_store_values;

/* The address of a table; NULL if it belongs to a missing program. */
void *tfp_store_at(const tfp_store_table *t, const tfp_profile *p, const tfp_store_values *values);
/* A growable array or a struct of arrays as every one of them begins. */
typedef struct tfp_store_rows {
    void *at;
    size_t size, capacity;
} tfp_store_rows;
size_t tfp_store_count(const tfp_store_table *t, const void *at); /* rows; 0 for NULL */
size_t tfp_store_row_bytes(const tfp_store_table *t); /* bytes of memory for each row while a file is read */

/* values.c: attributes to bytes and back. */
bool tfp_store_put_value(tfp_buf *b, const tfp_program_attr *a);
typedef enum tfp_store_fault {
    TFP_STORE_FINE,
    TFP_STORE_NO_MEMORY,
    TFP_STORE_UNREAD,  /* the file could not be read */
    TFP_STORE_ABSENT,  /* a column is not in the file, or has another size */
    TFP_STORE_CHANGED, /* another checksum */
    TFP_STORE_WRONG    /* a number breaks its rule */
} tfp_store_fault;
/* Memory is from the program's arena; texts are not copied. TFP_STORE_WRONG: the bytes do not fit the kind. */
tfp_store_fault tfp_store_take_value(tfp_arena *arena, tfp_str bytes, tfp_program_attr *a);

/* A file while it is read. */
typedef struct tfp_store_file {
    tfp_source in;
    tfp_profile *p;
    TFP_VEC(tfp_store_entry) entries;
    char *directory;               /* unpacked; entries point into it */
    size_t rows[TFP_STORE_TABLES]; /* of the kept tables */
    uint32_t *owners[TFP_STORE_TABLES];
    tfp_store_values values;
    const char *table, *column; /* the place of the error */
} tfp_store_file;

/* directory.c: which tables and columns the file has, and where. */
tfp_status tfp_store_read_directory(tfp_store_file *f, tfp_error *err);
const tfp_store_entry *tfp_store_entry_find(const tfp_store_file *f, const char *table, const char *column);

/* blocks.c: the blocks or pieces of a packed column, one after another. */
typedef struct tfp_store_blocks {
    const tfp_store_entry *e;
    tfp_str sizes;
    uint64_t at;
    uint32_t crc; /* of those that were read */
} tfp_store_blocks;
tfp_store_blocks tfp_store_blocks_of(const tfp_store_entry *e);
tfp_store_fault tfp_store_next_numbers(const tfp_store_file *f, tfp_store_blocks *b, tfp_unpacker *u,
                                       tfp_pack_numbers numbers, void *to);
/* The sizes and bytes of a column of texts as version 1 has them, in the profile's arena. */
tfp_store_fault tfp_store_read_texts(tfp_store_file *f, const tfp_store_entry *e, size_t rows, const uint32_t **sizes,
                                     const char **bytes);

/* load.c: loads the columns of the directory into the tables of an empty profile. */
tfp_store_fault tfp_store_load_strings(tfp_store_file *f);
/* Loads a table that is the struct itself, then all others, whose `rows` are known. */
tfp_store_fault tfp_store_load_one(tfp_store_file *f, tfp_store_id id);
tfp_store_fault tfp_store_load_tables(tfp_store_file *f);

/* check.c: checks that need several columns, and data that follows from columns: chains, maps, values of attributes. */
tfp_store_fault tfp_store_check(tfp_store_file *f);
tfp_store_fault tfp_store_connect(tfp_store_file *f);

/* write.c */
tfp_status tfp_store_write(const tfp_profile *p, tfp_sink *sink, tfp_error *err);

#endif
