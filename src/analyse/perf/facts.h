// facts.h - facts about texts, derived once per text instead of once per row. The table of
// ops interns its texts, so facts are arrays by text id, one per role a text can play.
#ifndef TTP_ANALYSE_PERF_FACTS_H
#define TTP_ANALYSE_PERF_FACTS_H

#include "base/data/map.h"
#include "base/text/str.h"

enum op_class { OP_PLAIN, OP_MATMUL, OP_CONV, OP_HALO };

#define OP_NO_BLOCK (-1)

struct code_fact { // of an op code or an op type
    bool is_known;
    bool is_matmul, is_host, is_signpost, is_collective;
    bool is_split; // the kind of op is a separate word before its sizes
    uint8_t class; // enum op_class
};

struct attribute_fact {
    bool is_known;
    bool is_dram_sharded;
    int32_t block_w, subblock_h, subblock_w; // OP_NO_BLOCK: not given
};

struct datatype_fact {
    bool is_known;
    str brief;    // BFLOAT16 is BF16
    double bytes; // of one element
    int mantissa; // bits, 0: not covered by the fidelity rules
    bool is_integer;
};

struct fidelity_fact {
    bool is_known;
    bool is_valid;
    uint8_t fidelity; // enum fidelity
};

struct memory_fact {
    bool is_known;
    bool is_dram;
};

struct facts {
    const struct map *texts;
    struct code_fact *codes;
    struct attribute_fact *attributes;
    struct datatype_fact *datatypes;
    struct memory_fact *memories;
    struct fidelity_fact *fidelities;
};

void facts_make(struct facts *f, const struct map *texts);
void facts_free(struct facts *f);

const struct code_fact *fact_code(struct facts *f, uint32_t id);
const struct attribute_fact *fact_attributes(struct facts *f, uint32_t id);
const struct datatype_fact *fact_datatype(struct facts *f, uint32_t id);
const struct memory_fact *fact_memory(struct facts *f, uint32_t id);
const struct fidelity_fact *fact_fidelity(struct facts *f, uint32_t id);

#endif
