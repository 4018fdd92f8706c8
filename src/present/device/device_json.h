// device_json.h - device_analysis_data.json: what was found in a device log, for programs.
//
// The full form has the shape of the reference's file, value for value: every series of
// markers of every RISC, core, device and op, and every duration of every analysis. It has
// some 17 times the size of the log. Tuples and markers are texts as Python prints them.
//
//   data.deviceInfo                 arch, freq, max_compute_cores
//   data.devices.<chip>.cores.<"(x, y)" or DEVICE>
//       .riscs.<RISC>               timeseries
//       .riscs.TENSIX               analysis, events, ops, timeseries of all its RISCs;
//                                   dispatch_ops too in DEVICE
//       .analysis                   only DEVICE: statistics over the whole device
//   setup                           timerAnalysis, detectOps, displayStats, names of files
//
// The compact form keeps the places of the statistics. It leaves out every list of markers
// and durations; what an analysis is stands in `setup` only:
//
//   data.deviceInfo
//   data.devices.<chip>.cores.<core>.riscs.TENSIX.analysis.<name>.stats
//   data.devices.<chip>.cores.DEVICE.analysis.<name>.stats
//   data.devices.<chip>.cores.DEVICE.riscs.TENSIX
//       .ops            [{run_host_id, trace_id, trace_id_count, execution, core_count,
//                         complete, analysis.<name>.stats}], incomplete ones too
//       .dispatch_ops   [{run_host_id, core, analysis.<name>.stats}]
//   setup
//
// Six-column logs of 2023 have the full form of that time: a marker is its timer id, there
// are `launches` in place of ops, and no deviceInfo, data and lists of durations.
//
// `ops` of a core are cut as the reference cuts them: by run id, at each end of firmware;
// what is open at the end is left out. Those of a dispatch core are its dispatch ops. `ops`
// of a device are those of device_ops.h: a marker that comes late, after the firmware has
// ended everywhere, stays in its own op, where the reference puts it into the next one; ops
// that are not complete are left out, unless they take part in the statistics.
#ifndef TTP_PRESENT_DEVICE_DEVICE_JSON_H
#define TTP_PRESENT_DEVICE_DEVICE_JSON_H

#include "base/text/err.h"

#include "analyse/device/device_analysis.h"

enum device_json { DEVICE_JSON_COMPACT, DEVICE_JSON_FULL };

// Written as a stream: memory goes with the markers of one device, not with the document.
bool device_json_write(const struct device_analysis *d, enum device_json form,
                       const char *path, struct err *e);

#endif
