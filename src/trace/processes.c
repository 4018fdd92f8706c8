// processes.c - finds and frees processes.
#include "trace/processes.h"

void process_drop_program(struct process *p)
{
    p->programs.n--;
    vec_free(&p->programs.v[p->programs.n].words);
}

void process_log_free(struct process_log *l)
{
    for (size_t i = 0; i < l->processes.n; i++) {
        struct process *p = &l->processes.v[i];
        while (p->programs.n)
            process_drop_program(p);
        vec_free(&p->programs);
    }
    vec_free(&l->processes);
    vec_free(&l->by_pid);
    vec_free(&l->captures);
}

const struct process_capture *process_log_capture(const struct process_log *l, str file)
{
    for (size_t i = 0; i < l->captures.n; i++)
        if (str_eq(l->captures.v[i].file, file))
            return &l->captures.v[i];
    return NULL;
}

uint32_t process_log_find(const struct process_log *l, uint32_t pid, uint64_t birth)
{
    size_t from = 0, to = l->by_pid.n; // ends after the last one of the pid
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (l->by_pid.v[middle].key <= pid)
            from = middle + 1;
        else
            to = middle;
    }
    for (; to > 0 && l->by_pid.v[to - 1].key == pid; to--) {
        uint32_t index = l->by_pid.v[to - 1].a;
        if (birth == 0 || l->processes.v[index].birth == birth)
            return index;
    }
    return PROCESS_NONE;
}
