// SPDX-License-Identifier: Apache-2.0
/* server/http/rights.h: gives up capabilities that are not needed, for good; for a user who has none nothing changes. */
#ifndef TFP_SERVER_RIGHTS_H
#define TFP_SERVER_RIGHTS_H

void rights_of_server(void);  /* keeps: opening files below the folders */
void rights_of_lookers(void); /* keeps: looking at jobs and recording them */

#endif
