// profile_random.h - steps of a script that the host writes into L1 for one RISC: markers
// of all kinds in scopes of all kinds, for the kernels that take them and the test that
// makes them up (tests/prop/prop_profile.c).
#ifndef TTP_TESTS_PROFILE_RANDOM_H
#define TTP_TESTS_PROFILE_RANDOM_H

// A word: the step in bits 7..0, a number in the others. Some have more words behind it.
enum random_step {
    RANDOM_END,      // of a scope, a loop, the script
    RANDOM_ZONE,     // a scope; number: which of the names
    RANDOM_NEST,     // number: zones in each other, around a scope
    RANDOM_LOOP,     // number: how often its scope runs
    RANDOM_EVENT,    // number: the event
    RANDOM_DATA,     // two words: high, low half
    RANDOM_DATA16,   // four words
    RANDOM_SUM1,     // a summed scope of so many cycles
    RANDOM_SUM2,     // the same in the other slot
    RANDOM_DELAY,    // number: cycles
    RANDOM_PUSH,     // a quick push
    RANDOM_FLUSH_IF, // a push unless so many words and one more are free
    RANDOM_READ,     // number: bytes over the NoC
    RANDOM_WRITE,    // the same
    RANDOM_BARRIER,  // for both
    RANDOM_STEPS,
};

// Names of the zones, by number. One is not ASCII, one has a character that assemblers
// mind.
#define RANDOM_RED   "red"
#define RANDOM_GREEN "gr\xC3\xBCn"
#define RANDOM_BLUE  "50% blue"
#define RANDOM_MAIN  "main"
enum { RANDOM_NAMES = 4, RANDOM_NEST_MOST = 120, RANDOM_NOC_BYTES = 4096 };

#endif
