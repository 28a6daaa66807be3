// SPDX-License-Identifier: Apache-2.0
/* examples/tables.c: base.h and options.h: the version, what the library can do, and the message of a wrong call. */
#include <tfprof/tfprof.h>

#include <stdio.h>

int main(void)
{
    tfp_error *err = tfp_error_new();
    tfp_options *o = tfp_options_new();
    const char *name;
    printf("tfprof %s, built for %d.%d\n", tfp_version(), TFP_VERSION_MAJOR, TFP_VERSION_MINOR);
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++) printf("%-10s %s\n", name, tfp_help(TFP_VIEWS, name));
    tfp_status s = tfp_options_set(o, "max_depth", "many", err);
    printf("status %d: %s; max_depth is still %s\n", s, tfp_error_message(err), tfp_options_get(o, "max_depth"));
    tfp_options_free(o);
    tfp_error_free(err);
    return s != TFP_BADARG || tfp_version_number() < TFP_VERSION_NUMBER;
}
