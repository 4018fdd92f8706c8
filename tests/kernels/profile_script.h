// profile_script.h - what the kernels profile_script, _main and _eth do: pairs of a step
// and a number, in their arguments. For the kernels and for the tests that ask.
#ifndef TTP_TESTS_PROFILE_SCRIPT_H
#define TTP_TESTS_PROFILE_SCRIPT_H

enum profile_step {
    PROFILE_END,
    PROFILE_ZONES,    // n zones, one after the other
    PROFILE_NEST,     // n & 0xFF zones in each other, n >> 8 in the innermost
    PROFILE_EVENTS,   // n events: 1, 2, ... n
    PROFILE_EVENT,    // an event with the number n
    PROFILE_DATA,     // n times 8 bytes: i << 32 | ~i
    PROFILE_DATA16,   // n times 16 bytes
    PROFILE_SUM1,     // n runs of a summed scope
    PROFILE_SUM2,     // the same in the other slot
    PROFILE_PUSH,     // n quick pushes
    PROFILE_FLUSH_IF, // a push unless n words and one more are free
    PROFILE_VALID,    // is the program to be recorded
    PROFILE_COUNTER,  // its number
    PROFILE_DELAY,    // n cycles
    PROFILE_MAIN,     // profile_main: n main zones, one after the other
    PROFILE_CHILD,    // profile_main: n main child zones
    PROFILE_POSTED,   // n posted writes, then a push, then a wait for the writes
    PROFILE_LINKED,   // the command buffer is (1) or is not (0) in a linked series
    PROFILE_STEPS,
};

#endif
