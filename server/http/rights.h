// SPDX-License-Identifier: Apache-2.0
/* server/http/rights.h: capabilities that are not needed are given up for good; nothing happens to a user who has none. */
#ifndef TFP_SERVER_RIGHTS_H
#define TFP_SERVER_RIGHTS_H

void rights_of_server(void);  /* opens files below the folders */
void rights_of_lookers(void); /* look at jobs and record them */

#endif
