// SPDX-License-Identifier: Apache-2.0
/* store/store.h: a whole profile as one file of tfprof's own (NAME.tfprof): what its files share. Bytes of the file:
 * docs/formats.md. The lists of tables and columns (schema/) drive both ways: write.c puts every column of the model
 * into the file; read.c reads back those that are to be kept. Each number is checked against its rule, and check.c
 * makes the checks that need several columns. Uses base, model and the shape of a format. */
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
