// events.h - limits of what events.c takes.
#ifndef TTP_RECORD_TRACY_EVENTS_H
#define TTP_RECORD_TRACY_EVENTS_H

#include "record/tracy/session.h"

enum {
    EVENTS_PLACES = 1 << 24,    // numbers of locations
    EVENTS_TEXT_MOST = 1 << 17, // bytes of a text that are looked at
    EVENTS_OP_MOST = 1 << 24,   // the same of an op record
    EVENTS_INFO = 2 << 24       // attribute of a message: level info, no colour
};

#endif
