// rows.h - buffers and arguments of the ops that work on whole rows of tiles.
#ifndef ROWS_H
#define ROWS_H

enum { // circular buffers
    CB_ROW = 0,
    CB_SCALER,
    CB_MASK, // of the last tile of a row: 1 where it counts
    CB_GAMMA,
    CB_BETA,
    CB_FACTOR = 24, // one value for each row: greatest, mean, 1 / sum ...
    CB_VALUES,      // a row of tiles
    CB_SQUARES,     // another
    CB_ONE_TILE,
};
enum { // common arguments of all their kernels
    ROW_TILES,
    ROW_EDGE,  // of the last tile; EDGE_NONE: it is full
    ROW_SCALE, // softmax: in front of exp; layer norm: 1 / values of a row (bits of fp32)
    ROW_EPSILON,
    ROW_HAS_GAMMA,
    ROW_HAS_BETA,
    ROW_FIDELITY,
    ROW_OPERANDS, // reader: the input, gamma, beta
};

#endif
