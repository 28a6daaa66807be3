// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/wellformed.h: whether bytes are valid in their format, checked without allocation and recursion. */
#ifndef TFP_WELLFORMED_H
#define TFP_WELLFORMED_H

#include <stdbool.h>
#include <stddef.h>

bool wellformed_json(const char *data, size_t size); /* one value, valid UTF-8, nesting up to 64,000 */
bool wellformed_csv(const char *data, size_t size);  /* rows of equal width, quotes closed */
/* Valid UTF-8 without C0 (except those allowed), DEL, C1, bidi controls. */
bool safe_text(const char *data, size_t size, const char *allowed);

#endif
