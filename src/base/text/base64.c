// base64.c - twelve bits at a time: two characters per lookup in a table of 8 KB.
#include "base/text/base64.h"

// clang-format off
// `of` each of the 64 characters, in order; twice, as macros cannot recurse.
#define EACH_FIRST(of)                                                                     \
  of('A') of('B') of('C') of('D') of('E') of('F') of('G') of('H')                          \
  of('I') of('J') of('K') of('L') of('M') of('N') of('O') of('P')                          \
  of('Q') of('R') of('S') of('T') of('U') of('V') of('W') of('X')                          \
  of('Y') of('Z') of('a') of('b') of('c') of('d') of('e') of('f')                          \
  of('g') of('h') of('i') of('j') of('k') of('l') of('m') of('n')                          \
  of('o') of('p') of('q') of('r') of('s') of('t') of('u') of('v')                          \
  of('w') of('x') of('y') of('z') of('0') of('1') of('2') of('3')                          \
  of('4') of('5') of('6') of('7') of('8') of('9') of('+') of('/')
#define EACH_SECOND(of, a)                                                                 \
  of(a, 'A') of(a, 'B') of(a, 'C') of(a, 'D') of(a, 'E') of(a, 'F') of(a, 'G') of(a, 'H')  \
  of(a, 'I') of(a, 'J') of(a, 'K') of(a, 'L') of(a, 'M') of(a, 'N') of(a, 'O') of(a, 'P')  \
  of(a, 'Q') of(a, 'R') of(a, 'S') of(a, 'T') of(a, 'U') of(a, 'V') of(a, 'W') of(a, 'X')  \
  of(a, 'Y') of(a, 'Z') of(a, 'a') of(a, 'b') of(a, 'c') of(a, 'd') of(a, 'e') of(a, 'f')  \
  of(a, 'g') of(a, 'h') of(a, 'i') of(a, 'j') of(a, 'k') of(a, 'l') of(a, 'm') of(a, 'n')  \
  of(a, 'o') of(a, 'p') of(a, 'q') of(a, 'r') of(a, 's') of(a, 't') of(a, 'u') of(a, 'v')  \
  of(a, 'w') of(a, 'x') of(a, 'y') of(a, 'z') of(a, '0') of(a, '1') of(a, '2') of(a, '3')  \
  of(a, '4') of(a, '5') of(a, '6') of(a, '7') of(a, '8') of(a, '9') of(a, '+') of(a, '/')
// clang-format on
#define PAIR(a, b) {a, b},
#define PAIRS(a)   EACH_SECOND(PAIR, a)

static const char pairs[4096][2] = {EACH_FIRST(PAIRS)};

static void put_three(char *to, uint32_t three)
{
    memcpy(to, pairs[three >> 12], 2);
    memcpy(to + 2, pairs[three & 4095], 2);
}

void base64_put(struct buf *b, const void *data, size_t n)
{
    const unsigned char *from = data;
    char *to = buf_room(b, n / 3 * 4 + 4);
    size_t i = 0;
    for (; i + 3 <= n; i += 3, to += 4)
        put_three(to, (uint32_t)from[i] << 16 | (uint32_t)from[i + 1] << 8 | from[i + 2]);
    if (i < n) {
        bool has_two = i + 2 == n;
        put_three(to, (uint32_t)from[i] << 16 | (has_two ? (uint32_t)from[i + 1] << 8 : 0));
        to[2] = has_two ? to[2] : '=';
        to[3] = '=';
        to += 4;
    }
    b->n = (size_t)(to - b->p);
}
