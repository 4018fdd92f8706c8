// fuzz_process_log.c - processes.log of a run: any bytes give processes that make sense.
#include "formats/host_run/process_log.h"
#include "fuzz.h"

static bool is_inside(const struct arena *a, str s)
{
    return s.n == 0 || (s.p && a->used >= s.n);
}

static void check(const struct process_log *l, const struct arena *a, uint32_t index)
{
    const struct process *p = &l->processes.v[index];
    must(p->pid > 0);
    must(p->parent == PROCESS_NONE || p->parent < index); // no one is its own ancestor
    must(index == 0 || l->processes.v[index - 1].start_ns <= p->start_ns);
    must(p->end_ns == 0 || p->end_ns >= p->start_ns);
    must(p->end == PROCESS_UNKNOWN || (p->status >= 0 && p->status <= 255));
    must(p->rank >= -1 && p->ranks >= -1);
    must(is_inside(a, p->rank_from));
    uint32_t last = process_log_find(l, p->pid, 0);
    must(last != PROCESS_NONE && last >= index && l->processes.v[last].pid == p->pid);
    uint32_t same = process_log_find(l, p->pid, p->birth);
    must(same != PROCESS_NONE && (p->birth == 0 || same == index));
    for (size_t i = 0; i < p->programs.n; i++) {
        const struct process_exec *e = &p->programs.v[i];
        must(e->ns >= p->start_ns);
        must(i == 0 || e->ns >= p->programs.v[i - 1].ns);
        must(is_inside(a, e->path));
        for (size_t k = 0; k < e->words.n; k++)
            must(is_inside(a, e->words.v[k]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct process_log l;
    struct diag d = {0};
    process_log_read(&l, (str){(const char *)data, size}, &a, &d);
    must(diag_total(&d) <= l.n_lines);
    must(l.processes.n <= l.n_lines);
    for (uint32_t i = 0; i < l.processes.n; i++)
        check(&l, &a, i);
    process_log_free(&l);
    arena_free(&a);
    return 0;
}
