// attachments_parts.h - internals of attachments: their numbers and their file.
#ifndef TTP_ANALYSE_HOST_ATTACHMENTS_PARTS_H
#define TTP_ANALYSE_HOST_ATTACHMENTS_PARTS_H

#include "analyse/host/attachments.h"

// Finds the processes of the attachments, adds processes that have ops but no device, and
// makes all numbers unique. Without messages only those of the logs are known.
void attachments_number(struct attachments *a, const struct trace *host,
                        bool with_messages);
// False: it has no device log, or no device_clocks.json.
bool attachment_read_clocks(struct attachments *a, struct attachment *at);
void attachments_sort(struct attachments *a); // by process and time
// Reads attachments.json; false: there is none.
bool attachments_read(struct attachments *a, const struct trace *host);

#endif
