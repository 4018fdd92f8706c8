// host_findings.h - what the last walk over a host track found.
#ifndef TTP_TRACE_HOST_FINDINGS_H
#define TTP_TRACE_HOST_FINDINGS_H

#include <stdint.h>

// By track; a second walk finds the same.
struct host_findings {
    uint64_t ends_alone, open, gaps, damaged, back, deep, texts;
};

#endif
