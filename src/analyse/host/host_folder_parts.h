// host_folder_parts.h - internals of host_folder: a row of the table of calls.
#ifndef TTP_ANALYSE_HOST_HOST_FOLDER_PARTS_H
#define TTP_ANALYSE_HOST_HOST_FOLDER_PARTS_H

#include "analyse/host/host_ops.h"

enum call_column {
    CALL_NAME,
    CALL_START,
    CALL_LENGTH,
    CALL_ID,
    CALL_NUMBER,
    CALL_DEPTH,
    CALL_INPUTS,
    CALL_OUTPUTS,
    CALL_FIDELITY,
    CALL_COMPUTE,
    CALL_COMPUTE_HASHES,
    CALL_MOVEMENT,
    CALL_MOVEMENT_HASHES,
    CALL_STRATEGY,
    CALL_META,
    CALL_TYPE,
    CALL_IDEAL,
    CALL_COMPUTE_NS,
    CALL_BANDWIDTH,
    CALL_INPUT_RATES,
    CALL_OUTPUT_RATES,
    CALL_COLUMNS,
};

struct call_row {
    uint64_t id, number, depth, start, length;
    const char *op; // folder
    str cells[CALL_COLUMNS];
};

// The device of the op; DEVICE_NO_ID: it runs on the host.
int64_t call_device(const struct call_row *r);
// Adds the call to the host's ops, as a message and a zone.
void call_tell(const struct call_row *r, int64_t device, struct host_ops *h);

#endif
