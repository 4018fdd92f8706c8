// fault.h - the mistakes by number, for the kernel that makes them and the test that asks.
#ifndef TTP_TESTS_FAULT_H
#define TTP_TESTS_FAULT_H

enum { FAULT_CB = 3, FAULT_BUFFER = 0x40000 };

#define FAULT_CASES(X)                                                                     \
    X(none)                                                                                \
    X(illegal)                                                                             \
    X(illegal_after_work)                                                                  \
    X(illegal_after_stores)                                                                \
    X(jump_astray)                                                                         \
    X(load_unmapped)                                                                       \
    X(store_unmapped)                                                                      \
    X(store_part_of_register)                                                              \
    X(store_outside_l1)                                                                    \
    X(load_misaligned)                                                                     \
    X(store_misaligned)                                                                    \
    X(overflow_stack)                                                                      \
    X(wait_for_page)                                                                       \
    X(wait_for_word)                                                                       \
    X(loop_for_ever)                                                                       \
    X(stop_here)                                                                           \
    X(take_long)                                                                           \
    X(noc_to_nowhere)                                                                      \
    X(noc_behind_l1)                                                                       \
    X(noc_from_behind_l1)                                                                  \
    X(noc_behind_bank)                                                                     \
    X(noc_too_long)                                                                        \
    X(noc_skewed)                                                                          \
    X(noc_to_no_register)                                                                  \
    X(host_atomic)                                                                         \
    X(host_multicast)                                                                      \
    X(host_behind_end)                                                                     \
    X(dispatch_command)                                                                    \
    X(dispatch_reason)                                                                     \
    X(dram_too_much)                                                                       \
    X(push_across_end)                                                                     \
    X(reserve_too_many)                                                                    \
    X(wait_for_semaphore)                                                                  \
    X(wait_for_answer)                                                                     \
    X(bad_operation)                                                                       \
    X(overfill_queue)                                                                      \
    X(send_nothing)                                                                        \
    X(send_from_nowhere)

#define FAULT_CASE(name) FAULT_CASE_##name,
enum { FAULT_CASES(FAULT_CASE) FAULT_CASE_COUNT };

#endif
