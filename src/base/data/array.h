// array.h - arrays of fixed length.
#ifndef TTP_BASE_DATA_ARRAY_H
#define TTP_BASE_DATA_ARRAY_H

#define COUNT_OF(array) (sizeof(array) / sizeof *(array)) // never of a pointer

#endif
