// SPDX-License-Identifier: Apache-2.0
/* groups.c: the public functions that say how files of a format combine with others, and which files belong together.
 * The facts come from the formats (formats/files/format.h). */
#include "registry.h"

int tfp_format_is(const char *format, tfp_format_fact fact)
{
    const tfp_format *f = tfp_format_find(format);
    if (!f || (unsigned)fact > TFP_FORMAT_PREFIX) return 0;
    return fact == TFP_FORMAT_PREFIX ? f->endings != NULL : (int)(f->stands >> fact & 1);
}

const char *tfp_format_ending(const char *format, size_t i)
{
    for (size_t k = 0; tfp_formats[k]; k++) {
        const tfp_format *f = tfp_formats[k];
        if (!f->endings || (format && strcmp(f->name, format) != 0)) continue;
        for (size_t at = 0; f->endings[at]; at++)
            if (i-- == 0) return f->endings[at];
    }
    return NULL;
}

size_t tfp_format_name_size(const char *format, const char *path)
{
    const char *ending = format ? tfp_format_ending(format, 0) : NULL;
    size_t size = path ? strlen(path) : 0, n = ending ? strlen(ending) : 0;
    return n && size > n && strcmp(path + size - n, ending) == 0 ? size - n : size;
}

int tfp_path_is(const char *path, tfp_path_fact fact)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    for (size_t i = 0; name && tfp_formats[i]; i++)
        if (tfp_formats[i]->name_is && tfp_formats[i]->name_is(name, fact)) return 1;
    return 0;
}
