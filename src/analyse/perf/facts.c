// facts.c - parses each text once.
#include "analyse/perf/facts.h"

#include "base/text/num.h"

#include "arch/arch.h"

void facts_make(struct facts *f, const struct map *texts)
{
    size_t n = texts->keys.n;
    *f = (struct facts){
        .texts = texts,
        .codes = mem_alloc(mem_bytes(sizeof *f->codes, n)),
        .attributes = mem_alloc(mem_bytes(sizeof *f->attributes, n)),
        .datatypes = mem_alloc(mem_bytes(sizeof *f->datatypes, n)),
        .memories = mem_alloc(mem_bytes(sizeof *f->memories, n)),
        .fidelities = mem_alloc(mem_bytes(sizeof *f->fidelities, n)),
    };
}

void facts_free(struct facts *f)
{
    mem_free(f->codes);
    mem_free(f->attributes);
    mem_free(f->datatypes);
    mem_free(f->memories);
    mem_free(f->fidelities);
    *f = (struct facts){0};
}

static enum op_class class_of(str code)
{
    if (str_has(code, S("Matmul")))
        return OP_MATMUL;
    if (str_has(code, S("OptimizedConvNew")) || str_has(code, S("Conv2d")))
        return OP_CONV;
    return str_has(code, S("HaloDeviceOperation")) ? OP_HALO : OP_PLAIN;
}

const struct code_fact *fact_code(struct facts *f, uint32_t id)
{
    struct code_fact *c = &f->codes[id];
    if (c->is_known)
        return c;
    str code = f->texts->keys.v[id];
    c->is_known = true;
    c->class = (uint8_t)class_of(code);
    c->is_matmul = c->class == OP_MATMUL;
    c->is_split = c->is_matmul || str_has(code, S("OptimizedConvNew")) ||
                  str_has(code, S("Conv2dDeviceOperation")) ||
                  str_has(code, S("HaloDeviceOperation"));
    c->is_host = str_has(code, S("(torch)"));
    c->is_signpost = str_has(code, S("signpost"));
    c->is_collective = str_has(code, S("AllGather")) || str_has(code, S("AllReduce")) ||
                       str_has(code, S("ReduceScatter"));
    return c;
}

// The number right after the first `key` that has digits there.
static int32_t block_size(str attributes, str key)
{
    str rest = attributes;
    while (str_after(rest, key, &rest)) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
            n++;
        int64_t v;
        if (n && num_int((str){rest.p, n}, &v) && v <= INT32_MAX)
            return (int32_t)v;
    }
    return OP_NO_BLOCK;
}

const struct attribute_fact *fact_attributes(struct facts *f, uint32_t id)
{
    struct attribute_fact *a = &f->attributes[id];
    if (a->is_known)
        return a;
    str text = f->texts->keys.v[id];
    bool has_config = str_has(text, S("program_config"));
    a->is_known = true;
    a->is_dram_sharded =
        str_has(text, S("MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"));
    a->block_w = has_config ? block_size(text, S("in0_block_w=")) : OP_NO_BLOCK;
    a->subblock_h = has_config ? block_size(text, S("out_subblock_h=")) : OP_NO_BLOCK;
    a->subblock_w = has_config ? block_size(text, S("out_subblock_w=")) : OP_NO_BLOCK;
    return a;
}

static const struct {
    const char *name, *brief;
    int mantissa;
} floats[] = {
    {"FLOAT32", "FP32", 23},
    {"BFLOAT16", "BF16", 8},
    {"BFLOAT8_B", "BFP8", 7},
    {"BFLOAT4_B", "BFP4", 3},
};

// The first number in a data type's name is its number of bits.
static double element_bytes(str name)
{
    size_t i = 0;
    while (i < name.n && (name.p[i] < '0' || name.p[i] > '9'))
        i++;
    double bits = 0;
    for (; i < name.n && name.p[i] >= '0' && name.p[i] <= '9'; i++)
        bits = bits * 10 + (name.p[i] - '0');
    return bits > 0 ? bits / 8 : 4;
}

const struct datatype_fact *fact_datatype(struct facts *f, uint32_t id)
{
    struct datatype_fact *d = &f->datatypes[id];
    if (!d->is_known) {
        str name = f->texts->keys.v[id];
        *d = (struct datatype_fact){
            .is_known = true,
            .brief = name,
            .bytes = element_bytes(name),
            .is_integer = str_is(name, "UINT8") || str_is(name, "UINT16") ||
                          str_is(name, "INT32") || str_is(name, "UINT32"),
        };
        for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
            if (str_is(name, floats[i].name)) {
                d->brief = str_of(floats[i].brief);
                d->mantissa = floats[i].mantissa;
            }
        }
    }
    return d;
}

const struct fidelity_fact *fact_fidelity(struct facts *f, uint32_t id)
{
    struct fidelity_fact *x = &f->fidelities[id];
    if (!x->is_known) {
        enum fidelity fidelity = FIDELITY_HIFI4;
        x->is_known = true;
        x->is_valid = fidelity_parse(f->texts->keys.v[id], &fidelity);
        x->fidelity = (uint8_t)fidelity;
    }
    return x;
}

const struct memory_fact *fact_memory(struct facts *f, uint32_t id)
{
    struct memory_fact *m = &f->memories[id];
    if (!m->is_known) {
        str name = f->texts->keys.v[id];
        *m = (struct memory_fact){true, str_has(name, S("DRAM"))};
    }
    return m;
}
