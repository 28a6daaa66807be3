/* server/leased.h: what routes that need a profile share. */
#ifndef TFP_SERVER_LEASED_H
#define TFP_SERVER_LEASED_H

#include "routes.h"
#include "tfprof/tfprof.h"

/* true: *l is to be given back. Else the answer says why not, or that it is being read. */
bool lease_or_answer(catalog *c, const char *id, lease *l, answer *a);
/* The answer to a failed call of the library. */
void answer_failure(answer *a, tfp_status s, const tfp_error *err);
/* The options of a request, but those in `besides` (one blank between); false: the answer says what is wrong. */
bool options_of(const request *r, const char *besides, tfp_options *o, answer *a);
/* The report as the parameter `format` says (json without one); it is freed. */
void answer_report(const request *r, tfp_report *report, answer *a);
/* The same, or the failure that there is instead of it. */
void answer_made(const request *r, tfp_status s, tfp_report *report, const tfp_error *err, answer *a);

#endif
