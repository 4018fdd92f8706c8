// pad.h - instructions that are never executed, to make a kernel large.
#ifndef TTP_TESTS_PAD_H
#define TTP_TESTS_PAD_H

#define PAD_TEXT(x)  #x
#define PAD_WORDS(n) PAD_TEXT(n)
// `words` is a constant expression for the assembler.
#define PAD(words) __asm__ volatile("j 1f\n .fill " PAD_WORDS(words) ", 4, 0x13\n 1:")

#endif
