/*
 * The workload's PTX as strings: the files of its folder, which is among the assembler's folders (-I), or the one file
 * that WORK_PTX names. WORK_HINTS: the folder has the kernels with hints, too. WORK_GENERATED: the program
 * writes its PTX itself.
 */
    .section .rodata
    .global work_ptx
    .balign 16
work_ptx:
#if defined(WORK_GENERATED)
    .global work_ptx_plain, work_ptx_hints, work_ptx_plain_hints
work_ptx_plain:
work_ptx_hints:
work_ptx_plain_hints:
    .byte 0
#elif defined(WORK_PTX)
    .incbin WORK_PTX
    .byte 0
#else
    .incbin "nvcc.ptx"
    .byte 0
    .global work_ptx_plain, work_ptx_hints, work_ptx_plain_hints
work_ptx_plain:
    .incbin "plain.ptx"
    .byte 0
work_ptx_hints:
#ifdef WORK_HINTS
    .incbin "nvcc-hints.ptx"
#endif
    .byte 0
work_ptx_plain_hints:
#ifdef WORK_HINTS
    .incbin "plain-hints.ptx"
#endif
    .byte 0
#endif
    .section .note.GNU-stack, "", %progbits
