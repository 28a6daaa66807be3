// SPDX-License-Identifier: Apache-2.0
/* model/graphs/stage.h: what the join takes of the joining of graphs. */
#ifndef TFP_GRAPH_STAGE_H
#define TFP_GRAPH_STAGE_H

#include "model/builder.h"

void tfp_graphs_forget(tfp_builder *b); /* what an earlier join found: it is found again, with the files that came since */
void tfp_graphs_join(tfp_builder *b);   /* attribution, and traces of activities; after their launches are known */

#endif
