// SPDX-License-Identifier: Apache-2.0
/* outputs/screen.h: texts for people at a terminal: the views as aligned columns, and what tables share with them. */
#ifndef TFP_SCREEN_H
#define TFP_SCREEN_H

#include "outputs/output.h"

#define TFP_BOLD "\033[1m"
#define TFP_DIM "\033[2m"
#define TFP_PLAIN "\033[0m"
enum { TFP_BAR = 10 }; /* columns of a bar */

/* Cuts a text to so many characters, the last of them an ellipsis. */
void tfp_screen_cut(tfp_buf *text, size_t width);
/* TFP_BAR columns, as full as the share says. */
void tfp_screen_bar(tfp_buf *out, double share, bool colours);
tfp_status tfp_screen_text(const tfp_report *r, const tfp_column_id *cells, size_t n, tfp_sink *s, tfp_error *err);

#endif
