/*
 * A host thread that looks again and again whether another thread has done something pauses between two looks, so that
 * it leaves the core to whoever shares it.
 */
#ifndef HEDDLE_BASE_PAUSE_H
#define HEDDLE_BASE_PAUSE_H

static inline void pause_a_moment(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb" ::: "memory");
#endif
}

#endif
