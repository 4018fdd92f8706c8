// sync_words.h - shared by the kernels that measure clocks (kernel/sync*.c) and the host.
// Words of the control vector are in profiler_words.h, addresses in layout.h.
//
// Both kinds of run mark themselves invalid (PROFILER_DONE), so that nothing of them is
// pushed to DRAM; their results stay in the L1 vector until the next program.
//
// Host against chip: image "sync", BRISC of a worker.
//   arguments   0: samples to take, 0 = until the host says stop
//   host        writes an odd word to FW_RESET_L: a sample, the word is kept with it;
//               or TT_SYNC_STOP: the kernel ends. Not before the word has become 0 again.
//   kernel      stores sample i = 1, 2, ... at words TT_SYNC_SAMPLE(i) of BRISC's vector,
//               zeroes FW_RESET_L and writes i to FW_RESET_H (0 when it starts).
//               After the last sample it ends.
//
// Chip against chip: images "sync_sender" and "sync_receiver", ERISC of the two tiles of a
// link; started in any order.
//   arguments   0: rounds to measure, at most TT_SYNC_MOST_ROUNDS
//               1: a serial number of 16 bits, another one than that of the last run
//   One round more is made first and not kept. In a round the sender sends 16 bytes and the
//   receiver answers with 16. Stamps in the tile's vector:
//   word TT_SYNC_ROUNDS      rounds kept so far
//   word TT_SYNC_HIGH        high half of the clock at the first stamp; the low halves that
//                            follow grow, modulo 2^32, by less than 2^32 from row to row
//   words TT_SYNC_ROUND(k)   sender, k = 0, 1, ...: clock low before sending, cycles until
//                            the answer was seen
//                            receiver: clock low when the message was seen, cycles until
//                            the answer was handed to the port
#ifndef TTPROF_SYNC_WORDS_H
#define TTPROF_SYNC_WORDS_H

enum {
    TT_SYNC_STOP = 2, // even, so no sample
    TT_SYNC_SLOTS = 124,
    TT_SYNC_SAMPLE_WORDS = 4,
};
// First word of a sample in the L1 vector, and what its words are.
#define TT_SYNC_SAMPLE(i) (12 + TT_SYNC_SAMPLE_WORDS * ((i) % TT_SYNC_SLOTS))
enum { TT_SAMPLE_HIGH, TT_SAMPLE_LOW, TT_SAMPLE_HOST, TT_SAMPLE_NUMBER };

enum {
    TT_SYNC_ROUNDS = 12,
    TT_SYNC_HIGH = 13,
    TT_SYNC_MOST_ROUNDS = 240,
    TT_SYNC_MESSAGE_BYTES = 16,
    TT_SYNC_INBOX = 496,  // 4 words: what the other tile sent, word 0 serial << 16 | round
    TT_SYNC_OUTBOX = 500, // 4 words
};
#define TT_SYNC_ROUND(k) (14 + 2 * (k))

// Cycles between the moment at which the host's word is in L1 and the stamp, at most: one
// turn of the poll loop, the load that sees the word, the load of the clock. Measured on
// the software device: 24 on Wormhole, 26 on Blackhole.
enum { TT_SYNC_POLL_CYCLES = 28 };

#endif
