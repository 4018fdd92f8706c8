// fuzz_noc_trace.c - any bytes as a NoC trace, and as the name of one.
#include "formats/noc/noc_trace_read.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = {(const char *)data, size};
    struct noc_trace_file f;
    noc_trace_read(&f, text);
    must(f.transfers.n <= f.n_entries);
    must(f.first_time <= f.last_time);
    for (size_t i = 0; i < f.transfers.n; i++) {
        const struct noc_transfer *t = &f.transfers.v[i];
        must(t->kind <= NOC_FABRIC && t->noc <= 1 && t->bytes > 0);
        must(t->core_x >= 0 && t->core_y >= 0 && t->x >= 0 && t->y >= 0);
        must(t->end_x >= 0 && t->end_y >= 0);
    }
    // Damage is told, whatever was read before it.
    must(f.is_damaged || (size && memchr(data, ']', size)));
    noc_trace_read_free(&f);

    struct noc_trace_name name;
    if (noc_trace_name_parse(text, &name))
        must(name.device >= 0 && (name.trace < 0) == (name.session < 0));
    return 0;
}
