// SPDX-License-Identifier: Apache-2.0
/* base/zip.h: the files of a ZIP archive, listed in its directory at the end; 64-bit sizes are supported, stored or
 * deflated data. Names are only compared, never used as paths. Checksums are not verified: torch.save may be told to
 * leave them out. Layout: PKWARE's APPNOTE.TXT, 4.3 to 4.5. */
#ifndef TFP_ZIP_H
#define TFP_ZIP_H

#include "base/io.h"

typedef struct tfp_zip_entry {
    tfp_str name;
    uint64_t at;           /* offset of its header in the archive */
    uint64_t packed, size; /* bytes of its data */
    unsigned method;       /* 0: stored; 8: deflated */
    bool encrypted;
} tfp_zip_entry;

typedef struct tfp_zip {
    TFP_VEC(tfp_zip_entry) entries; /* in the order of the directory */
    tfp_buf directory;              /* the bytes of the directory; names point into it */
} tfp_zip;

bool tfp_is_zip(tfp_str head);

/* Reads the directory. Errors: TFP_BADFILE, TFP_LIMIT (over 64 MB), TFP_NOMEM. Free with tfp_zip_free, also after an
 * error. */
tfp_status tfp_zip_open(tfp_zip *z, tfp_input *in, tfp_error *err);
void tfp_zip_free(tfp_zip *z);
/* The first entry whose name has this ending; NULL: none. */
const tfp_zip_entry *tfp_zip_find(const tfp_zip *z, const char *ending);
/* Reads the unpacked data of an entry. Errors name the entry: TFP_BADFILE: truncated, damaged, encrypted, packed by an
 * unknown method, or more than 1,000 times; TFP_LIMIT: over TFP_STREAM_LIMIT; TFP_NOMEM. */
tfp_status tfp_zip_read(const tfp_zip_entry *e, tfp_input *in, tfp_buf *out, tfp_error *err);

#endif
