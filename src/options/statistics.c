// SPDX-License-Identifier: Apache-2.0
/* options/statistics.c: the columns of the kind "statistic": each is computed from the times of at least one run. */
#include "options/options.h"

double tfp_max_of_runs(const tfp_ranked_part *runs) { return (double)tfp_ranked_at(runs, tfp_ranked_size(runs) - 1); }
double tfp_mean_of_runs(const tfp_ranked_part *runs) { return tfp_ranked_sum(runs) / (double)tfp_ranked_size(runs); }
double tfp_median_of_runs(const tfp_ranked_part *runs) { return tfp_ranked_quantile(runs, 0.5); }
double tfp_p95_of_runs(const tfp_ranked_part *runs) { return tfp_ranked_quantile(runs, 0.95); }
