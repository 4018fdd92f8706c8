// diag.c - the table of oddities.
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

static const struct {
    const char *what;
    const char *remedy;
} kinds[DIAG_KINDS] = {
    // clang-format off
    [DIAG_NOT_A_NUMBER]         = {"cells that should hold a number do not",
                                   "they count as missing; correct the cell or export the file again"},
    [DIAG_ABSURD_NUMBER]        = {"numbers that no device can have measured",
                                   "they count as missing; look at the run that wrote them"},
    [DIAG_NEGATIVE_DURATION]    = {"durations below zero",
                                   "they are kept and spoil the shares; look at the run that wrote them"},
    [DIAG_OP_WITHOUT_CODE]      = {"rows without an op code",
                                   "they are kept with an empty name; look at the run that wrote them"},
    [DIAG_OP_WITHOUT_DEVICE]    = {"device ops without a device id",
                                   "they are kept as rows without a device; look at the run that wrote them"},
    [DIAG_OP_MISSING_ON_DEVICE] = {"ops that not every device ran",
                                   "do not trust the merged rows of these ops; look at each device with --no-merge-devices"},
    [DIAG_ARCH_UNKNOWN]         = {"architectures without a table of peaks",
                                   "DRAM % and FLOPs % are empty; 'ttprof arch' lists the known ones"},
    [DIAG_FIDELITY_UNKNOWN]     = {"matmuls or convolutions without a known math fidelity",
                                   "their FLOPs % and Bound are empty; record the run with MATH FIDELITY"},
    [DIAG_NO_DURATION]          = {"device ops without a duration above zero",
                                   "their time is 0 and their rates are empty; check that the device profiler was on for the whole run"},
    [DIAG_NO_CORES]             = {"matmuls without a core count above zero",
                                   "their FLOPs % says nothing; record the run with CORE COUNT"},
    [DIAG_NO_SIZE]              = {"matmuls or convolutions without all sizes, memories and data types",
                                   "their derived cells are empty; record the run with tensor columns"},
    [DIAG_NO_WINDOW]            = {"convolutions without window_hw",
                                   "their derived cells are empty; record the run with ATTRIBUTES"},
    [DIAG_NOT_IN_SUMMARY]       = {"ops left out of the stacked report: their input 0 memory has no layout",
                                   "group without the memory: --group-by op"},
    // clang-format on
};

bool diag_count(struct diag *d, enum diag_kind kind)
{
    return d->entry[kind].count++ == 0;
}

void diag_note(struct diag *d, enum diag_kind kind, const char *fmt, ...)
{
    // A text that does not fit is cut between two characters: it may go into a document.
    char text[2 * sizeof d->entry[kind].first];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    str first = str_clip(str_of(text), sizeof d->entry[kind].first - 1);
    memcpy(d->entry[kind].first, first.p, first.n);
    d->entry[kind].first[first.n] = '\0';
}

const char *diag_what(enum diag_kind kind)
{
    return kinds[kind].what;
}
const char *diag_remedy(enum diag_kind kind)
{
    return kinds[kind].remedy;
}

uint64_t diag_total(const struct diag *d)
{
    uint64_t total = 0;
    for (int k = 0; k < DIAG_KINDS; k++)
        total += d->entry[k].count;
    return total;
}
