// shown.h - untrusted text inside a message: its first bytes, without anything that could
// upset a terminal.
#ifndef TTP_SIM_REPORT_SHOWN_H
#define TTP_SIM_REPORT_SHOWN_H

#include "base/text/str.h"

struct shown {
    char text[44];
};

static inline struct shown shown_of(str s)
{
    struct shown out = {""};
    str clipped = str_clip(s, 40);
    for (size_t i = 0; i < clipped.n; i++) {
        unsigned char c = (unsigned char)clipped.p[i];
        out.text[i] = c < 0x20 || c > 0x7e ? '?' : (char)c;
    }
    if (clipped.n < s.n)
        memcpy(out.text + clipped.n, "..", 3);
    return out;
}

#endif
