// announce.h - Tracy clients that announce themselves by UDP.
#ifndef TTP_APP_CAPTURE_ANNOUNCE_H
#define TTP_APP_CAPTURE_ANNOUNCE_H

#include <netinet/in.h>

#include "base/text/err.h"
#include "base/text/str.h"

#include "record/format/tracy_items.h"

struct announcement {
    struct tracy_broadcast client; // its program ends with a NUL
    bool is_local;                 // it is of this machine
};

// A socket that receives announcements; several programs may listen. -1: an error is set.
int announce_listen(uint16_t port, struct err *e);
// The next announcement of those that have arrived; false: there is none. Datagrams that
// are something else are skipped.
bool announce_next(int fd, struct announcement *a);
// What a datagram says; false: it is not an announcement. Versions 0 to 3 are known.
bool announce_parse(str datagram, struct tracy_broadcast *b);

#endif
