// chrome_json.h - device_chrome_tracing.json: firmware of every processor as begin and end
// events, for chrome://tracing.
#ifndef TTP_PRESENT_TIMELINE_CHROME_JSON_H
#define TTP_PRESENT_TIMELINE_CHROME_JSON_H

#include "trace/trace.h"

// By device: a process with a thread per RISC, then their events in time order, in
// microseconds. `is_compat` is the form of 2023: processes and threads that several chips
// share, cycles, and a thread's name after each of its markers.
bool chrome_write(const struct trace *t, bool is_compat, const char *path, struct err *e);

#endif
