/* The line that a failed assertion of a kernel prints. */
#include "device/assertion.h"

#include "base/text.h"

void assertion_report(const struct launch *launch, const struct assertion *a, const uint32_t block[3],
                      const uint32_t thread[3])
{
    if (!launch->assertions.write)
        return;
    struct text line = {0};
    text_printf(&line, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", a->file, a->line,
                a->function, block[0], block[1], block[2], thread[0], thread[1], thread[2], a->condition);
    launch->assertions.write(launch->assertions.context, line.data, line.length);
    text_free(&line);
}
