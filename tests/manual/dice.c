/* Dice; see dice.h. */
#include "dice.h"

void manual_dice_seed(struct manual_dice *d, uint64_t seed)
{
    d->state = seed * UINT64_C(0xd1342543de82ef95) + UINT64_C(0x5851f42d4c957f2d);
    for (int i = 0; i < 4; i++) /* neighbouring seeds must not begin alike */
        manual_dice_word(d);
}

uint32_t manual_dice_word(struct manual_dice *d)
{
    const uint64_t old = d->state;
    d->state = old * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    const unsigned turn = (unsigned)(old >> 59);
    return mixed >> turn | mixed << (-turn & 31);
}

int manual_dice_below(struct manual_dice *d, int limit)
{
    return (int)((uint64_t)manual_dice_word(d) * (uint64_t)limit >> 32);
}

int manual_dice_between(struct manual_dice *d, int least, int most)
{
    return least + manual_dice_below(d, most - least + 1);
}

bool manual_dice_percent(struct manual_dice *d, int percent)
{
    return manual_dice_below(d, 100) < percent;
}
