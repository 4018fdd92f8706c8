// device_json_parts.h - shared by the files that implement device_json.h.
#ifndef TTP_PRESENT_DEVICE_DEVICE_JSON_PARTS_H
#define TTP_PRESENT_DEVICE_DEVICE_JSON_PARTS_H

#include "base/data/sort.h"
#include "base/text/json.h"

#include "present/device/device_json.h"

struct json_doc {
    const struct device_analysis *d;
    const struct trace *t;
    bool is_full, is_legacy;
    struct out *o;
    struct json j;      // writes to o
    struct arena arena; // owns the strings below

    // Parts of JSON strings, escaped and ready to copy.
    str *site; // a marker up to its run id
    str *run;  // from the run id to the metadata
    struct track_text {
        str risc; // ", 'BRISC'"
        str core; // ", (1, 1)"
    } * track;
    uint32_t *t0_track; // by device: track of the first marker other than T0

    uint32_t *by_name; // analyses sorted by name
    uint32_t *master;  // by site, see master_riscs()
};

// Markers in time order; a struct keyed holds {time, marker, track}.
struct series {
    struct keyed *v;
    size_t n;
    unsigned with; // WITH_* flags
};
enum { WITH_RISC = 1, WITH_CORE = 2 }; // fields of an element after marker, time and data

// --- device_json_text.c: markers as Python prints them
void texts_make(struct json_doc *doc);
// Open and close the quotes of a string.
void text_open(struct json_doc *doc);
void text_close(struct json_doc *doc);
void text_number(struct json_doc *doc, uint64_t v);
void text_marker(struct json_doc *doc, uint32_t marker);
void put_number(struct json_doc *doc, uint64_t v);
void put_key(struct json_doc *doc, const char *key);
void put_element(struct json_doc *doc, uint32_t marker, uint32_t track, unsigned with);
void put_elements(struct json_doc *doc, const char *key, const struct series *s);

// --- device_json_analysis.c: definitions and results
void put_definition(struct json_doc *doc, const struct analysis *a);
void put_setup(struct json_doc *doc, const char *path);
// Key `analysis` with the results of one kind of analysis for a group; omitted if empty.
void put_results(struct json_doc *doc, enum across across, uint32_t group);
// Key `analysis` with the statistics of a device.
void put_device_stats(struct json_doc *doc, uint32_t device);
// Key `events`, if the setup has analyses of this kind.
void put_events(struct json_doc *doc, enum across across, const struct series *s);

// --- device_json_series.c: series and the ops split from them
// The markers of the cores, merged by time; the caller frees v.
struct series series_of(const struct trace *t, const uint32_t *cores, size_t n);
void put_core_ops(struct json_doc *doc, uint32_t core, const struct series *s);
void put_device_ops(struct json_doc *doc, uint32_t device, const struct series *s);
void put_dispatch_ops(struct json_doc *doc, uint32_t device);
void put_launches(struct json_doc *doc, const struct series *s);

#endif
