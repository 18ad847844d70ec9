/* The workload's PTX as a string: WORK_PTX names the file. */
    .section .rodata
    .global work_ptx
    .balign 16
work_ptx:
    .incbin WORK_PTX
    .byte 0
    .section .note.GNU-stack, "", %progbits
