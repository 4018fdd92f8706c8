// device_json.h - device_analysis_data.json: the analysis of a device log, for programs.
//
// The full form matches the reference's file value for value: every marker series of every
// RISC, core, device and op, and every duration of every analysis. It is about 17 times
// the size of the log. Tuples and markers are strings as Python prints them.
//
//   data.deviceInfo                 arch, freq, max_compute_cores
//   data.devices.<chip>.cores.<"(x, y)" or DEVICE>
//       .riscs.<RISC>               timeseries
//       .riscs.TENSIX               analysis, events, ops, timeseries of all its RISCs;
//                                   dispatch_ops too in DEVICE
//       .analysis                   only DEVICE: statistics over the whole device
//   setup                           timerAnalysis, detectOps, displayStats, names of files
//
// The compact form keeps the statistics in the same places and leaves out all lists of
// markers and durations; analyses are defined only in `setup`:
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
// For six-column logs of 2023 the full form is the one of that time: a marker is its timer
// id, `launches` replace ops, and there is no deviceInfo, data or list of durations.
//
// `ops` of a core are split like in the reference: by run id, at each firmware end; an op
// still open at the end is left out. `ops` of a dispatch core are its dispatch ops. `ops`
// of a device are those of device_ops.h: a marker that comes after the firmware has ended
// everywhere stays in its own op (the reference puts it into the next one); incomplete ops
// are left out unless they count in the statistics.
#ifndef TTP_PRESENT_DEVICE_DEVICE_JSON_H
#define TTP_PRESENT_DEVICE_DEVICE_JSON_H

#include "base/text/err.h"

#include "analyse/device/device_analysis.h"

enum device_json { DEVICE_JSON_COMPACT, DEVICE_JSON_FULL };

// Written as a stream: memory grows with the markers of one device, not with the document.
bool device_json_write(const struct device_analysis *d, enum device_json form,
                       const char *path, struct err *e);

#endif
