/* Dice: the random numbers of one program (a 64-bit linear congruential generator with its output permuted). */
#ifndef HEDDLE_TESTS_MANUAL_DICE_H
#define HEDDLE_TESTS_MANUAL_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct manual_dice {
    uint64_t state;
};

void manual_dice_seed(struct manual_dice *d, uint64_t seed);
uint32_t manual_dice_word(struct manual_dice *d);
int manual_dice_below(struct manual_dice *d, int limit); /* 0 .. limit-1; limit is at least 1 */
int manual_dice_between(struct manual_dice *d, int least, int most);
bool manual_dice_percent(struct manual_dice *d, int percent); /* true that often */

#endif
