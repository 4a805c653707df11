/* The fat binary that nvcc wrote, as bytes in the program; empty where there was no nvcc. */
#if defined(__ELF__)
    .section .note.GNU-stack,"",%progbits
#endif
    .section .rodata
    .global epwise_kernel_image
    .global epwise_kernel_image_end
    .balign 64
epwise_kernel_image:
    .incbin "kernels.fatbin"
epwise_kernel_image_end:
    .byte 0
