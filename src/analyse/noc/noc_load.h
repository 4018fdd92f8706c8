// noc_load.h - how busy an op keeps the NoC and the DRAM, from NoC traces
// (noc_trace_*.json): bytes over every link that each transfer passes, relative to what the
// links could have moved in the op's time.
#ifndef TTP_ANALYSE_NOC_NOC_LOAD_H
#define TTP_ANALYSE_NOC_NOC_LOAD_H

#include "base/text/err.h"

#include "formats/device_rows/device_rows.h"

// Reads every noc_trace_*.json of the folder and fills the columns NOC UTIL (%) etc. of the
// matching rows. Unreadable files are counted and skipped.
void noc_load_add(struct device_rows *rows, const char *folder, struct diag *d);
// Does the folder contain a NoC trace?
bool noc_load_is_there(const char *folder);

#endif
