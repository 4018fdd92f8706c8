// host_folder.h - reads the folder that the op profiler of 2023 leaves:
//
//   <op>/profile_log_host.csv           a row per call of the op
//   <op>/<call>/profile_log_host.csv    runtime calls inside that call
//   <op>/<call>/profile_log_device.csv  the device's log of that call
//
// Host and device may be of different runs, the device's in <folder>_device: calls are
// matched by op and number.
#ifndef TTP_ANALYSE_HOST_HOST_FOLDER_H
#define TTP_ANALYSE_HOST_HOST_FOLDER_H

#include "analyse/host/host_ops.h"

struct host_folder_call {
    uint64_t id;        // global call count
    int64_t device;     // DEVICE_NO_ID: not a device op
    const char *folder; // of this call, relative: "<op>/<call>"
};

struct host_folder {
    struct arena a;
    VEC(struct host_folder_call) calls; // by id
};

bool host_folder_is_at(const char *path);
// The path of a regular file in the folder of an op or a call; NULL: there is none.
const char *host_folder_file(const char *path, const char *folder, const char *name,
                             struct arena *a);
// Adds the calls to `h`. Tables that cannot be read are counted there.
bool host_folder_read(struct host_folder *f, struct host_ops *h, const char *path,
                      struct err *e);
void host_folder_free(struct host_folder *f);

#endif
