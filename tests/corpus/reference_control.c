/* References: control flow and calls. */
#include "reference_kernels.h"

static void call_structs(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        double x = ((double *)buffer[0])[2 * i], y = ((double *)buffer[0])[2 * i + 1], re = 1, im = 0;
        for (int k = 0; k < i % 8; k++) {
            double t = re * x - im * y;
            im = re * y + im * x;
            re = t;
        }
        ((double *)buffer[1])[2 * i] = re;
        ((double *)buffer[1])[2 * i + 1] = im;
        int turns = i % 5 + (i % 3 == 1);
        int first = i * (turns % 6) + 1, fifth = i * ((turns + 4) % 6) + 1;
        ((int32_t *)buffer[2])[i] = first * 7 + fifth + (uint8_t)(i + turns);
    }
}

static uint32_t leave_early(uint32_t sum, int x)
{
    if (x % 2)
        return sum;
    return x % 3 ? (sum + (uint32_t)x) * 2 : sum + (uint32_t)x;
}

static void call_scalars(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        int32_t x = ((int32_t *)buffer[0])[i];
        int64_t sum = (int8_t)x + (uint8_t)x * 2 + (int16_t)x * 3 + (uint16_t)x * 4 + (x >> 8) * 5 +
                      (int64_t)x * 32 + (x >> 20) + (x >> 16) + (x < 0 ? 1000 : 0);
        uint32_t r = leave_early((uint32_t)sum, (uint16_t)x);
        ((uint32_t *)buffer[1])[i] = leave_early(r, (int)((uint32_t)x >> 16));
    }
}

static int ackermann(int m, int n)
{
    return m == 1 ? n + 2 : 2 * n + 3; /* the closed forms for m of 1 and 2 */
}

static void recursion(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++) {
        int32_t *o = (int32_t *)buffer[0] + 3 * i;
        int a = 0, b = 1;
        for (int k = 0; k < i % 11; k++) {
            int next = a + b;
            a = b;
            b = next;
        }
        o[0] = a;
        o[1] = i % 4 == 3 ? ackermann(2, i % 4) : ackermann(1, i % 8);
        /* Down the chain n -> n/2 -> n/2 - 1, one step of each kind. */
        int sum = 0, scale = 1;
        for (int n = i; n > 0;) {
            sum += scale;
            scale *= 2;
            n /= 2;
            if (n == 0)
                break;
            sum += scale * 3 * (n % 2);
            n--;
        }
        o[2] = sum;
    }
}

static void function_table(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 3);
    const int32_t *in = buffer[1];
    for (int i = 0; i < n; i++) {
        int acc = in[i];
        for (int k = 0; k < 4; k++) {
            int x = in[(i + k) % n], code = ((uint8_t *)buffer[0])[4 * i + k] % 4;
            acc = code == 0 ? acc + x : code == 1 ? acc - x : code == 2 ? acc * x : (acc + x) / 2;
        }
        ((int32_t *)buffer[2])[i] = acc;
    }
}

static void virtual_call(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++)
        ((int32_t *)buffer[0])[i] = i % 3 ? i * i * 10 + 4 : (i + 3) * 7 / 2 * 10 + 3;
}

/* One instruction of switch_dense; false where the program returns without a result. */
static bool interpret(uint8_t code, uint32_t *a, uint32_t *b, int *pc, uint32_t steps)
{
    uint32_t argument = code / 16, t = *a;
    switch (code % 16) {
    case 0:
        *a += argument;
        break;
    case 1:
        *a -= *b;
        break;
    case 2:
        *a *= 2 * argument + 1;
        break;
    case 3:
        *b ^= *a;
        break;
    case 4:
        *a = t >> 3 | t << 29;
        break;
    case 5:
        *a = *b;
        *b = t;
        break;
    case 6:
        *pc += t % 2 ? (int)(argument % 4) : 0;
        break;
    case 7:
        *b = *b * 5 + argument;
        break;
    case 8:
        *a = ~t;
        break;
    case 9:
        *a |= *b;
        *b += 3;
        break;
    case 10:
        *b += 3;
        break;
    case 11:
        return *b % 7 != argument;
    case 12:
        *a /= argument + 1;
        break;
    case 13:
        *pc = steps < 60 ? (int)argument : *pc;
        break;
    case 14:
        *b = t < *b ? t : *b;
        break;
    default:
        *a ^= argument << 8;
        break;
    }
    return true;
}

static void switch_dense(const struct test_case *c, void *const *buffer)
{
    int length = arg_s32(c, 2);
    for (int i = 0; i < arg_s32(c, 3); i++) {
        const uint8_t *code = (uint8_t *)buffer[0] + i * length;
        uint32_t a = (uint32_t)i, b = 1, steps = 0;
        bool running = true;
        for (int pc = 0; pc < length && steps < 200 && running; pc++, steps++)
            running = interpret(code[pc], &a, &b, &pc, steps);
        if (running) {
            ((uint32_t *)buffer[1])[2 * i] = a;
            ((uint32_t *)buffer[1])[2 * i + 1] = b ^ steps << 24;
        }
    }
}

/* The inner loop of nested_loops: 1 when the outer loop goes on at once, 2 when it ends, 0 otherwise. */
static int inner_loop(int x, int k, int *sum)
{
    for (;;) {
        k = k * 3 + x;
        *sum += k & 15;
        if (k > 500)
            return 0;
        if (*sum > 900)
            return 2;
        if ((k & 7) == 5)
            return 1;
    }
}

static void nested_loops(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        int x = ((int32_t *)buffer[0])[i], sum = 0, way = 0;
        for (int j = 1; x && j < 20; j++) {
            if (j % 3 == x % 3)
                continue;
            way = inner_loop(x, j, &sum);
            if (way == 2)
                break;
            if (way == 0)
                sum ^= j;
            sum++;
        }
        bool again = x != 0;
        while (again) {
            sum -= x;
            again = sum > 100 && --x > 3;
        }
        ((int32_t *)buffer[1])[i] = ((int32_t *)buffer[0])[i] ? sum : -1;
    }
}

static void jump_into_loop(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        int x = ((int32_t *)buffer[0])[i], count = 0;
        bool upper = x % 2;
        for (;;) {
            if (upper) {
                x--;
                count += 100;
                if (x <= 1 && !(x & 4))
                    break;
                upper = x & 4;
            } else {
                x /= 2;
                count++;
                if (x <= 1)
                    break;
                upper = true;
            }
        }
        ((int32_t *)buffer[1])[i] = count;
    }
}

static void short_circuit(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 4); i++) {
        int x = ((int32_t *)buffer[0])[i], y = ((int32_t *)buffer[1])[i], z = ((int32_t *)buffer[2])[i],
            r = 0;
        bool first = x > 0 && y > x, second = z < 0 && (y & 1);
        if (first || second)
            r = x > z ? y / (1 + (z & 7)) : z % (2 + (x & 3));
        else if (x == y)
            r = 1;
        else
            for (int bit = 0; bit < 4; bit++)
                r += z >> bit & 1 ? (z & 15) >> bit << bit : 0;
        ((int32_t *)buffer[3])[i] = r;
    }
}

/* The number of ways to place queens in rows from `row` on, given those above. */
static uint32_t queens_below(const int *column, int row, int size)
{
    int next[12];
    uint32_t ways = row == size;
    memcpy(next, column, (size_t)row * sizeof *next);
    for (next[row] = 0; row < size && next[row] < size; next[row]++) {
        bool attacked = false;
        for (int r = 0; r < row; r++)
            attacked |=
                next[r] == next[row] || next[r] - next[row] == row - r || next[row] - next[r] == row - r;
        ways += attacked ? 0 : queens_below(next, row + 1, size);
    }
    return ways;
}

static void queens(const struct test_case *c, void *const *buffer)
{
    int size = arg_s32(c, 1);
    for (int t = 0; t < block_threads(c); t++) {
        int column[2] = {t % size, t / size};
        bool possible = column[1] < size && column[0] != column[1] && column[0] - column[1] != 1 &&
                        column[1] - column[0] != 1;
        ((uint32_t *)buffer[0])[t] = possible ? queens_below(column, 2, size) : 0;
    }
}

/* Along the first row left in `rows`, which columns `used` have been taken by the rows above. */
static int64_t laplace(const int8_t *cell, int row, unsigned used)
{
    int64_t sum = row == 4;
    int sign = 1;
    for (int k = 0; row < 4 && k < 4; k++) {
        if (used >> k & 1)
            continue;
        sum += sign * (cell[4 * row + k] % 5) * laplace(cell, row + 1, used | 1u << k);
        sign = -sign;
    }
    return sum;
}

static void template_determinant(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++)
        ((int64_t *)buffer[1])[i] = laplace((int8_t *)buffer[0] + 16 * i, 0, 0);
}

static void check(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i] % 1000, root = 31;
        while (root * root > x)
            root--;
        ((uint32_t *)buffer[1])[i] = root;
    }
}

static void print(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++)
        ((int32_t *)buffer[1])[i] = ((int32_t *)buffer[0])[i] % 4 < 2 ? 4 : 0;
}

const struct reference reference_control[] = {
    {"call_structs", call_structs},
    {"call_scalars", call_scalars},
    {"recursion", recursion},
    {"function_table", function_table},
    {"virtual_call", virtual_call},
    {"switch_dense", switch_dense},
    {"nested_loops", nested_loops},
    {"jump_into_loop", jump_into_loop},
    {"short_circuit", short_circuit},
    {"queens", queens},
    {"template_determinant", template_determinant},
    {"check", check},
    {"print", print},
    {NULL, NULL},
};
