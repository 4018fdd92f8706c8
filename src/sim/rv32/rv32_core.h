// rv32_core.h - the handlers of all instructions. rv32_run.c includes this file twice:
// RV_CORE names the function, RV_CAREFUL adds the hooks of the careful build.
//
// A handler first waits for its registers, then, for a shared access, stops (`yield`) if
// the cycle is at or after the limit; a stopped instruction has had no effect. Returns true
// if the RISC continues in the other build.

// Uses labels as values: with a jump from each handler to the next, the host's branch
// predictor can learn the pattern.
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x)   __builtin_expect(!!(x), 1)

#define WAIT()                                                                             \
    do {                                                                                   \
        if (UNLIKELY(pending & op->use)) {                                                 \
            clock = wait_for(r, op, pending, clock);                                       \
            pending = r->pending;                                                          \
        }                                                                                  \
    } while (0)

// Instructions are counted as the distance from the last jump target.
#define COUNT() (n + (uint64_t)(op - from))
#define JUMP(to)                                                                           \
    do {                                                                                   \
        n = COUNT() + 1;                                                                   \
        op = (to);                                                                         \
        from = op;                                                                         \
    } while (0)

#define GO() goto *labels[op->kind] // NOLINT(bugprone-macro-parentheses): a statement
#if RV_CAREFUL
#define NEXT()                                                                             \
    do {                                                                                   \
        WAIT();                                                                            \
        clock = careful_step(r, clock, PC(), r->instructions + COUNT());                   \
        GO();                                                                              \
    } while (0)
#else
#define NEXT() GO()
#endif
#define PC() (base + (uint32_t)(op - ops) * 4)

#define STORE_ROOM() ((uint64_t)k->store_l1_period * k->store_buffer)

#define RESULT(name, expression)                                                           \
    op_##name : WAIT();                                                                    \
    x[op->rd] = (uint32_t)(expression);                                                    \
    clock += alu;                                                                          \
    op++;                                                                                  \
    NEXT();

#define PRODUCT(name, expression)                                                          \
    op_##name : WAIT();                                                                    \
    x[op->rd] = (uint32_t)(expression);                                                    \
    if (k->mul_result > k->mul) {                                                          \
        r->ready[op->rd & 31] = clock + k->mul_result;                                     \
        pending |= 1u << (op->rd & 31);                                                    \
    }                                                                                      \
    clock += k->mul;                                                                       \
    op++;                                                                                  \
    NEXT();

#define QUOTIENT(name, expression, dividend_is_signed)                                     \
    op_##name : WAIT();                                                                    \
    clock += divide_cycles(k, x[op->rs1], x[op->rs2], dividend_is_signed);                 \
    x[op->rd] = (uint32_t)(expression);                                                    \
    op++;                                                                                  \
    NEXT();

// Forward branches are predicted not taken, backward ones taken.
#define BRANCH(name, condition)                                                            \
    op_##name : WAIT();                                                                    \
    if (condition) {                                                                       \
        clock += k->branch_missed;                                                         \
        JUMP(op + op->jump);                                                               \
    } else {                                                                               \
        clock += alu;                                                                      \
        op++;                                                                              \
    }                                                                                      \
    NEXT();                                                                                \
    op_##name##_back : WAIT();                                                             \
    if (!(condition)) {                                                                    \
        clock += k->branch_missed;                                                         \
        op++;                                                                              \
        NEXT();                                                                            \
    }                                                                                      \
    clock += alu;                                                                          \
    JUMP(op + op->jump);                                                                   \
    goto looped;

#define LOAD(name, type, bytes)                                                            \
    op_##name : WAIT();                                                                    \
    address = x[op->rs1] + (uint32_t)op->imm;                                              \
    if (LIKELY(address < tile->l1_bytes)) {                                                \
        if (r->loads[r->next_load] > clock)                                                \
            clock = r->loads[r->next_load];                                                \
        if (UNLIKELY(clock >= limit))                                                      \
            goto yield;                                                                    \
        if (UNLIKELY(address & ((bytes)-1))) {                                             \
            width = bytes;                                                                 \
            goto misaligned_load;                                                          \
        }                                                                                  \
        latency = k->load_l1;                                                              \
        if (RV_CAREFUL)                                                                    \
            x[op->rd] = (uint32_t)(type)careful_load(r, address, bytes, &latency);         \
        else                                                                               \
            x[op->rd] = (uint32_t) * (const type *)(const void *)(tile->l1 + address);     \
        goto load_issued;                                                                  \
    }                                                                                      \
    if (LIKELY(address - TT_LOCAL_RAM < r->local_bytes)) {                                 \
        if (UNLIKELY(address & ((bytes)-1))) {                                             \
            width = bytes;                                                                 \
            goto misaligned_load;                                                          \
        }                                                                                  \
        x[op->rd] =                                                                        \
            (uint32_t) * (const type *)(const void *)(r->local + address - TT_LOCAL_RAM);  \
        r->ready[op->rd & 31] = clock + k->load_local;                                     \
        pending |= 1u << (op->rd & 31);                                                    \
        clock += 1;                                                                        \
        op++;                                                                              \
        NEXT();                                                                            \
    }                                                                                      \
    width = bytes;                                                                         \
    goto load_slow;

#define STORE(name, type, bytes)                                                           \
    op_##name : WAIT();                                                                    \
    address = x[op->rs1] + (uint32_t)op->imm;                                              \
    width = bytes;                                                                         \
    if (LIKELY(address - TT_LOCAL_RAM < r->local_bytes)) {                                 \
        if (UNLIKELY(address & ((bytes)-1)))                                               \
            goto misaligned_store;                                                         \
        *(type *)(void *)(r->local + address - TT_LOCAL_RAM) = (type)x[op->rs2];           \
        if (RV_CAREFUL)                                                                    \
            careful_store(r, TT_LOCAL_RAM);                                                \
        clock += 1;                                                                        \
        op++;                                                                              \
        NEXT();                                                                            \
    }                                                                                      \
    if (LIKELY(address < tile->l1_bytes)) {                                                \
        uint64_t held = clock + STORE_ROOM();                                              \
        if (UNLIKELY(r->store_drain > held))                                               \
            clock = r->store_drain - STORE_ROOM();                                         \
        if (UNLIKELY(clock >= limit))                                                      \
            goto yield;                                                                    \
        if (UNLIKELY(address & ((bytes)-1)))                                               \
            goto misaligned_store;                                                         \
        if (UNLIKELY(address < tile->guard_top ||                                          \
                     (tile->watched >> (address >> 2 & 63) & 1)))                          \
            goto store_guarded;                                                            \
        *(type *)(void *)(tile->l1 + address) = (type)x[op->rs2];                          \
        goto store_issued;                                                                 \
    }                                                                                      \
    goto store_slow;

// A single function, because labels cannot be jumped to from another.
// NOLINTNEXTLINE(readability-function-cognitive-complexity)
static bool RV_UNCOVERED RV_CORE(struct risc *r)
{
    static const void *const labels[] = {RV_KINDS(RV_LABEL)};
    struct tile *const tile = r->tile;
    const struct sim_costs *const k = &tile->chip->costs;
    // Rarely used values are read where needed: a turn is about twenty instructions.
    const uint64_t alu = k->alu;
    uint32_t *const x = r->x;
    uint64_t limit = tile->limit, clock = r->clock, n = 0;
    uint32_t pending = r->pending, address, width, value, latency, target;
    struct fault fault;
    const struct code *code = code_at(r, r->pc);
    if (!code)
        goto bad_pc_at_start;
    const struct rv_op *ops = code->ops, *op = ops + (r->pc - code->base) / 4, *from = op;
    uint32_t base = code->base;
    NEXT();

    RESULT(li, op->imm)
    RESULT(addi, x[op->rs1] + (uint32_t)op->imm)
    RESULT(slti, (int32_t)x[op->rs1] < op->imm)
    RESULT(sltiu, x[op->rs1] < (uint32_t)op->imm)
    RESULT(xori, x[op->rs1] ^ (uint32_t)op->imm)
    RESULT(ori, x[op->rs1] | (uint32_t)op->imm)
    RESULT(andi, x[op->rs1] & (uint32_t)op->imm)
    RESULT(slli, x[op->rs1] << op->imm)
    RESULT(srli, x[op->rs1] >> op->imm)
    RESULT(srai, (int32_t)x[op->rs1] >> op->imm)
    RESULT(add, x[op->rs1] + x[op->rs2])
    RESULT(sub, x[op->rs1] - x[op->rs2])
    RESULT(sll, x[op->rs1] << (x[op->rs2] & 31))
    RESULT(slt, (int32_t)x[op->rs1] < (int32_t)x[op->rs2])
    RESULT(sltu, x[op->rs1] < x[op->rs2])
    RESULT(xor, x[op->rs1] ^ x[op->rs2])
    RESULT(srl, x[op->rs1] >> (x[op->rs2] & 31))
    RESULT(sra, (int32_t)x[op->rs1] >> (x[op->rs2] & 31))
    RESULT(or, x[op->rs1] | x[op->rs2])
    RESULT(and, x[op->rs1] & x[op->rs2])

    PRODUCT(mul, x[op->rs1] * x[op->rs2])
    PRODUCT(mulh, (uint64_t)((int64_t)(int32_t)x[op->rs1] * (int32_t)x[op->rs2]) >> 32)
    PRODUCT(mulhsu, (uint64_t)((int64_t)(int32_t)x[op->rs1] * (int64_t)x[op->rs2]) >> 32)
    PRODUCT(mulhu, (uint64_t)x[op->rs1] * x[op->rs2] >> 32)
    QUOTIENT(div, divide(x[op->rs1], x[op->rs2]), true)
    QUOTIENT(divu, x[op->rs2] ? x[op->rs1] / x[op->rs2] : UINT32_MAX, false)
    QUOTIENT(rem, remainder_of(x[op->rs1], x[op->rs2]), true)
    QUOTIENT(remu, x[op->rs2] ? x[op->rs1] % x[op->rs2] : x[op->rs1], false)

    BRANCH(beq, x[op->rs1] == x[op->rs2])
    BRANCH(bne, x[op->rs1] != x[op->rs2])
    BRANCH(blt, (int32_t)x[op->rs1] < (int32_t)x[op->rs2])
    BRANCH(bge, (int32_t)x[op->rs1] >= (int32_t)x[op->rs2])
    BRANCH(bltu, x[op->rs1] < x[op->rs2])
    BRANCH(bgeu, x[op->rs1] >= x[op->rs2])

    LOAD(lb, int8_t, 1)
    LOAD(lh, int16_t, 2)
    LOAD(lw, uint32_t, 4)
    LOAD(lbu, uint8_t, 1)
    LOAD(lhu, uint16_t, 2)
    STORE(sb, uint8_t, 1)
    STORE(sh, uint16_t, 2)
    STORE(sw, uint32_t, 4)

op_addi_sp:
    WAIT();
    x[op->rd] = x[op->rs1] + (uint32_t)op->imm;
    if (UNLIKELY(x[op->rd] < r->stack_limit)) {
        fault = (struct fault){.kind = FAULT_STACK, .address = x[op->rd]};
        goto faulted;
    }
    clock += alu;
    op++;
    NEXT();

op_jal:
    WAIT();
    if (op->rd == 1)
        r->returns[r->n_returns++ & 3] = (uint32_t)op->imm;
    x[op->rd] = (uint32_t)op->imm;
    clock += alu;
    JUMP(op + op->jump);
    NEXT();

op_jal_back:
    WAIT();
    if (op->rd == 1)
        r->returns[r->n_returns++ & 3] = (uint32_t)op->imm;
    x[op->rd] = (uint32_t)op->imm;
    clock += alu;
    JUMP(op + op->jump);
    goto looped;

op_ret:
    WAIT();
    target = x[1] & ~1u;
    r->n_returns--;
    clock += LIKELY(r->returns[r->n_returns & 3] == target) ? alu : k->jump_indirect;
    r->returns[r->n_returns & 3] = 0; // forget returns deeper than the table
    goto jumped;

op_jalr:
    WAIT();
    target = (x[op->rs1] + (uint32_t)op->imm) & ~1u;
    value = PC() + 4;
    x[op->rd] = value;
    if (op->rd == 1)
        r->returns[r->n_returns++ & 3] = value;
    clock += k->jump_indirect;
    goto jumped;

jumped:
    if (LIKELY(target - base < code->bytes && !(target & 3))) {
        JUMP(ops + (target - base) / 4);
        if (UNLIKELY(clock >= run_ahead(limit)))
            goto yield;
        NEXT();
    }
    {
        const struct code *to = code_at(r, target);
        if (code == &r->code[CODE_FIRMWARE] && (!to || to->own))
            to = code_find(r, target);
        if (!to) {
            fault = (struct fault){.kind = FAULT_PC, .address = target};
            goto faulted;
        }
        if (UNLIKELY(tile->chip->has_truth))
            tile_truth(tile, r->index,
                       to == &r->code[CODE_KERNEL] ? TTDEV_TRUTH_KERNEL_ENTRY
                                                   : TTDEV_TRUTH_KERNEL_EXIT,
                       clock, (r->instructions + COUNT()) << 32 | target, PC());
        JUMP(to->ops + (target - to->base) / 4);
        code = to;
        base = code->base;
        ops = code->ops;
    }
    NEXT();

looped: // a backward transfer: op is its target
    if (UNLIKELY(clock >= run_ahead(limit)))
        goto yield;
#if RV_CAREFUL
    r->pc = PC();
    r->clock = clock;
    r->pending = pending;
    r->instructions += COUNT();
    n = 0;
    from = op;
    if (careful_loop(r))
        return r->state == RISC_RUNS;
    NEXT();
#else
    {
        struct loop *loop = &r->loops[(size_t)(op - ops) % LOOPS];
        if (loop->head != PC()) {
            *loop = (struct loop){.head = PC(), .left = LOOP_FIRST, .backoff = LOOP_FIRST};
        } else if (UNLIKELY(--loop->left == 0) && looks_like_poll(r, loop)) {
            r->pc = PC();
            r->clock = clock;
            r->pending = pending;
            r->instructions += COUNT();
            park_look(r);
            return true;
        }
    }
    NEXT();
#endif

load_issued:
    r->ready[op->rd & 31] = clock + latency;
    r->loads[r->next_load] = clock + latency - 1;
    r->next_load = r->next_load + 1 < k->loads_in_flight ? r->next_load + 1 : 0;
    pending |= 1u << (op->rd & 31);
    clock += 1;
    op++;
    NEXT();

load_slow:
    if (r->loads[r->next_load] > clock)
        clock = r->loads[r->next_load];
    if (clock >= limit)
        goto yield;
    if (RV_CAREFUL)
        careful_note(r, address);
    switch (rv_load_slow(r, address, width, clock, PC(), &value, &latency)) {
    case ACCESS_DONE: break;
    case ACCESS_LATER:
    case ACCESS_WAIT: goto yield;
    case ACCESS_FAULT: goto stopped;
    }
    limit = tile->limit;
    x[op->rd] = op->kind == RV_lb   ? (uint32_t)(int8_t)value
                : op->kind == RV_lh ? (uint32_t)(int16_t)value
                                    : value;
    goto load_issued;

store_issued:
    if (RV_CAREFUL)
        careful_store(r, address);
    if (r->store_drain < clock)
        r->store_drain = clock;
    // Blackhole merges neighbouring stores into one access of 16 bytes.
    r->store_drain += tile->chip->arch == TT_BLACKHOLE && (address ^ r->last_store) < 16 &&
                              address - r->last_store + 4 <= 8
                          ? 1
                          : k->store_l1_period;
    r->last_store = address;
    clock += 1;
    op++;
    NEXT();

store_guarded:
    switch (rv_store_slow(r, address, width, x[op->rs2], clock, PC())) {
    case ACCESS_DONE: break;
    case ACCESS_LATER:
    case ACCESS_WAIT: goto yield;
    case ACCESS_FAULT: goto stopped;
    }
    limit = tile->limit;
    if (UNLIKELY(code->ops != ops)) { // it wrote into its own code
        op = code->ops + (op - ops);
        from = code->ops + (from - ops);
        ops = code->ops;
    }
    goto store_issued;

store_slow:
    if (clock >= limit)
        goto yield;
    if (RV_CAREFUL)
        careful_store(r, address);
    switch (rv_store_slow(r, address, width, x[op->rs2], clock, PC())) {
    case ACCESS_DONE: break;
    case ACCESS_WAIT: goto yield;
    case ACCESS_LATER: clock = r->clock; goto store_slow;
    case ACCESS_FAULT: goto stopped;
    }
    limit = tile->limit;
    clock += 1;
    op++;
    if (UNLIKELY(r->state != RISC_RUNS))
        goto yield; // it reset itself
    NEXT();

op_fence:
op_csr:
    if (tile->chip->arch == TT_BLACKHOLE) {
        clock = latest(r, pending, clock);
        pending = 0;
        if (RV_CAREFUL)
            careful_fence(r);
    }
    x[op->rd] = 0;
    clock += alu;
    op++;
    NEXT();

op_halt:
    n++;
    risc_set_state(r, RISC_HALTED);
    goto yield;

// Silicon rounds such addresses down; by default they are reported instead.
misaligned_load:
    if (!tile->chip->is_strict) {
        address &= ~(width - 1);
        goto load_slow;
    }
    goto misaligned;
misaligned_store:
    if (!tile->chip->is_strict) {
        address &= ~(width - 1);
        goto store_slow;
    }
misaligned:
    fault = (struct fault){.kind = FAULT_MISALIGNED, .address = address};
    goto faulted;
op_end:
    fault = (struct fault){.kind = FAULT_PC, .address = PC()};
    goto faulted;
op_out:
    fault = (struct fault){.kind = FAULT_PC, .address = (uint32_t)op->imm};
    goto faulted;
op_illegal:
    fault = (struct fault){.kind = FAULT_ILLEGAL, .address = (uint32_t)op->jump};
    goto faulted;
bad_pc_at_start:
    risc_set_state(r, RISC_HALTED);
    tile_fault(tile, (struct fault){.kind = FAULT_PC,
                                    .address = r->pc,
                                    .cycle = clock,
                                    .pc = r->pc,
                                    .risc = r->index});
    return false;
faulted:
    fault.cycle = clock;
    fault.pc = PC();
    fault.risc = r->index;
    risc_set_state(r, RISC_HALTED);
    tile_fault(tile, fault);
stopped:
yield:
    r->pc = PC();
    r->clock = clock;
    r->pending = pending;
    r->instructions += COUNT();
    return false;
}

#undef UNLIKELY
#undef LIKELY
#undef WAIT
#undef GO
#undef COUNT
#undef JUMP
#undef NEXT
#undef PC
#undef RESULT
#undef PRODUCT
#undef QUOTIENT
#undef BRANCH
#undef LOAD
#undef STORE
#undef STORE_ROOM
#undef RV_CORE
#undef RV_CAREFUL
