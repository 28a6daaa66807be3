/* server/page_none.c: a build without node has no page. */
#include "page.h"

const page_file page_files[] = { { 0 } };
