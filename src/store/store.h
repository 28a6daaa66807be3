// SPDX-License-Identifier: Apache-2.0
/* store/store.h: a whole profile as one file of tfprof's own (NAME.tfprof): what its files share. The lists
 * of tables and columns (schema/) drive both ways: write.c puts every column of the model into the file; read.c reads
 * back those that are to be kept. Each number is checked against its rule, and check.c makes the checks that need
 * several columns. Uses base, model and the shape of a format.
 *
 * Layout of version 2, in the byte order of the machine that wrote it; a varint is a number of seven bits a byte, the
 * lowest first, as in protobuf:
 *   head       16 bytes: "\x89tfprof\n", the version (4), 0x01020304 (4)
 *   blocks     those of long columns, in the order of the directory
 *   directory  deflated as a whole. The table `strings` (rows, its column), then each other table as varints: its number
 *              minus that of the table before it minus 1 (the first: its number; tables are numbered as in schema/model.def), its
 *              rows, a number with a bit for each column that is present (the lowest for the first, `owner` not counted);
 *              then those columns, `owner` first, which is always present
 *   foot       32 bytes: tfp_store_foot
 * A column of at most TFP_STORE_HERE_ROWS numbers is one block in the directory, not deflated by itself. A longer one has
 * a block for each 8,192 numbers before the directory, in which stand the bytes of each block (a varint) and the CRC-32C
 * (4) of all of them. A block:
 *   1 byte     how its numbers were changed: 0 not at all; 1 to signed ones (0, -1, 1, -2 ... became 0, 1, 2, 3 ...); 2 to
 *              the distance to the previous number, as a signed one; 3 to the distance to the column before in the same
 *              row, as a signed one (spans.self_ns, execs.end_ns)
 *   1 byte     which bytes of a number differ: a bit for each, the lowest for the lowest byte
 *   the rest   for each byte of a number, the lowest first, that byte of all numbers, or once where it is the same in
 *              all; deflated where that is shorter
 * A column of texts is a varint (twice the number of its bytes, plus 1 without sizes), then its bytes: up to
 * TFP_STORE_HERE_BYTES in the directory, more in pieces of 64 KB before it, each deflated where that is shorter, with sizes
 * and checksum as blocks. The bytes are the size of each text (4; 0xFFFFFFFF: there is none), then all texts, each followed
 * by a byte 0; the sizes are left out if no text is absent and none has a byte 0 in it.
 * A table without rows is not written; a column of 0 only (0xFFFFFFFF, if that stands for no row) only if it is the first of
 * its table. Strings are rows of the table `strings`, the empty one first. Rows with an `owner` belong to it in their order.
 * Values of attributes (`program_values`) are the bytes of their kind: numbers of 8 bytes; texts as size (4) and bytes;
 * shapes as rank (4) and dimensions (8 each); tensors as type (4), shape and TensorProto; lists as the number of members (8),
 * the numbers of integers, reals, texts, shapes and functions (4 each), then these values.
 * Version 1 has its columns unpacked, each at a multiple of 64 bytes, and a directory of tfp_store_unpacked_entry;
 * `profile.origin_unix_ns` is called `events.origin_unix_ns` there.
 * New tables go to the end, new columns to the end of their table (tests/unit/store/columns.txt). */
#ifndef TFP_STORE_H
#define TFP_STORE_H

#include "base/source.h"
#include "formats/files/format.h"
#include "model/program.h"
#include "schema/schema.h"
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

#define TFP_STORE_OWNER "owner"     /* the column that replaces a chain */
#define TFP_STORE_STRINGS "strings" /* the table of strings, which is not in the list */

/* The values of the program's attributes, each as bytes (values.c). */
typedef struct tfp_store_values {
    TFP_VEC(tfp_str) rows;
} tfp_store_values;

/* The address of a table; NULL if it belongs to a missing program. The values are those of TFP_TABLE_PROGRAM_VALUES. */
void *tfp_store_at(const tfp_schema_table *t, const tfp_profile *p, const tfp_store_values *values);
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
    char *directory;         /* unpacked; entries point into it */
    size_t rows[TFP_TABLES]; /* of the kept tables */
    uint32_t *owners[TFP_TABLES];
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
tfp_store_fault tfp_store_load_one(tfp_store_file *f, tfp_table_id id);
tfp_store_fault tfp_store_load_tables(tfp_store_file *f);

/* check.c: checks that need several columns, and data that follows from columns: chains, maps, values of attributes. */
tfp_store_fault tfp_store_check(tfp_store_file *f);
tfp_store_fault tfp_store_connect(tfp_store_file *f);

/* write.c */
tfp_status tfp_store_write(const tfp_profile *p, tfp_sink *sink, tfp_error *err);

#endif
