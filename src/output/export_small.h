/* Texts that exported code is made of, put in by the build (cmake/embed.cmake): files that need nothing else, and
   frames, where every $ is the name. */
#ifndef OUTPUT_EXPORT_SMALL_H
#define OUTPUT_EXPORT_SMALL_H

extern const char export_small_c[], export_small_h[];
extern const char export_control_h[], export_control_c[], export_reaction_h[], export_reaction_c[];
extern const char export_root_h[], export_root_c[];
extern const char export_friction_law_h[], export_friction_law_c[], export_friction_modes_h[],
    export_friction_modes_c[];
extern const char export_forces_text[], export_roots_text[];

#endif
