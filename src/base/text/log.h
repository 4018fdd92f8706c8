// log.h - lines for the person at the terminal, on standard error, with the program's name.
#ifndef TTP_BASE_TEXT_LOG_H
#define TTP_BASE_TEXT_LOG_H

// "ttprof: text". For errors, warnings and oddities.
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
