// Nearest neighbours: the distance of every record of a list of storms from a place. One thread has one record, which
// is text, and reads latitude and longitude from it digit by digit.

#include "device.h"

enum { DIGITS = 5 }; // a number is printed as "ddd.d", with spaces for leading zeros

static __device__ float read_number(const char *text)
{
    char digit[DIGITS];
    for (int i = 0; i < DIGITS; i++)
        digit[i] = text[i];
    float number = 0;
    if (digit[0] != ' ')
        number += (digit[0] - '0') * 100;
    if (digit[1] != ' ')
        number += (digit[1] - '0') * 10;
    if (digit[2] != ' ')
        number += (digit[2] - '0') * 1;
    return number + (float)(digit[4] - '0') / 10;
}

// Blocks of 16. A record has `length` characters; its latitude begins with number `column`, and its longitude follows
// after a space.
extern "C" __global__ void measure(const char *records, float latitude, float longitude, float *distance, int count,
                                   int length, int column)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const char *text = records + i * length + column;
        float north = read_number(text) - latitude, east = read_number(text + DIGITS + 1) - longitude;
        distance[i] = sqrtf(north * north + east * east);
    }
}
