// host_messages.h - messages, signposts and op records of all threads of a run, by time.
#ifndef TTP_ANALYSE_HOST_HOST_MESSAGES_H
#define TTP_ANALYSE_HOST_HOST_MESSAGES_H

#include "analyse/host/host_zones.h"

struct host_message {
    uint64_t time; // ns on the run's axis
    uint32_t track;
    enum tt_host_event kind; // TT_MESSAGE, TT_SIGNPOST or TT_OP
    str text;
};
struct host_messages {
    struct arena arena;
    VEC(struct host_message) v; // equal times in track order
};

// Of the chosen processes; NULL: of all.
void host_messages_find(struct host_messages *m, const struct trace *r,
                        const struct zone_choice *choice);
void host_messages_free(struct host_messages *m);

#endif
