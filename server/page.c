// SPDX-License-Identifier: Apache-2.0
/* server/page.c: serves the page's files, which the build put into the program. */
#include "page.h"
#include "api/routes.h"

#include <string.h>

static void answer_missing(answer *a)
{
    static const char text[] = "This tfprof was built without its page: node and npm were not there. The API works: "
                               "/api/v1/profiles. With node 18 or newer, build it again.\n";
    a->type = "text/plain; charset=utf-8";
    a->fixed = text;
    a->size = sizeof text - 1;
}

static void answer_file(const question *q, answer *a)
{
    const request *r = q->request;
    const char *name = strcmp(r->path, "/") == 0 ? "index.html" : r->path + 1;
    if (!page_files[0].name && strcmp(r->path, "/") == 0) {
        answer_missing(a);
        return;
    }
    for (const page_file *f = page_files; f->name; f++) {
        if (strcmp(f->name, name) != 0 || !*f->type) continue;
        *a = (answer){
            .status = 200, .type = f->type, .immutable = f->immutable, .packed = true, .fixed = f->data, .size = f->size
        };
        return;
    }
    answer_error(a, ANSWER_UNKNOWN, "no such path");
}

const route routes_page[] = { { "/", answer_file, "*", ROUTE_QUICK }, { "/*", answer_file, "", ROUTE_QUICK }, { 0 } };
