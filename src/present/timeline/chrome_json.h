// chrome_json.h - device_chrome_tracing.json: firmware of every processor as begin and end
// events, for chrome://tracing.
#ifndef TTP_PRESENT_TIMELINE_CHROME_JSON_H
#define TTP_PRESENT_TIMELINE_CHROME_JSON_H

#include "trace/trace.h"

// By device, markers in time order, as in the 2023 reference; begin events carry their own
// time. About 140 bytes per marker.
bool chrome_write(const struct trace *t, const char *path, struct err *e);

#endif
