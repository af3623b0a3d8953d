/* Text of src/fundamental/small.c and small.h, put in by the build (cmake/embed.cmake). */
#ifndef OUTPUT_EXPORT_SMALL_H
#define OUTPUT_EXPORT_SMALL_H

extern const char export_small_c[], export_small_h[];

#endif
