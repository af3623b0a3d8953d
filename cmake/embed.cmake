# Files that the library hands out as they are: exported code carries the robust solve with it, and within itself what
# else its model needs.
set(embedded ${PROJECT_BINARY_DIR}/generated/export_small.c)
set(embedded_text "/* Made from src/fundamental, src/dynamics and src/output/frame. */\n#include \"output/export_small.h\"\n\n")
foreach(part small_c:fundamental/small.c small_h:fundamental/small.h control_h:fundamental/control.h
             control_c:fundamental/control.c reaction_h:fundamental/reaction.h reaction_c:fundamental/reaction.c
             root_h:fundamental/root.h root_c:fundamental/root.c
             friction_law_h:dynamics/friction_law.h friction_law_c:dynamics/friction_law.c
             friction_modes_h:dynamics/friction_modes.h friction_modes_c:dynamics/friction_modes.c
             forces_text:output/frame/forces.txt roots_text:output/frame/roots.txt)
  string(REPLACE ":" ";" part "${part}")
  list(GET part 0 part_name)
  list(GET part 1 part_path)
  set(part_file ${PROJECT_SOURCE_DIR}/src/${part_path})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${part_file})
  file(READ ${part_file} part_bytes HEX)
  if(part_name STREQUAL small_c)
    string(HEX "#define SMALL_LEAN\n" lean)
    string(PREPEND part_bytes ${lean})
  endif()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," part_bytes "${part_bytes}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n" part_bytes "${part_bytes}")
  string(APPEND embedded_text "const char export_${part_name}[] = {\n${part_bytes}0x00};\n\n")
endforeach()
file(CONFIGURE OUTPUT ${embedded} CONTENT "${embedded_text}" @ONLY)

# Other files as they are: embed(FILE "comment" header prefix name:path ...), with paths beside src/.
function(embed file made_from header prefix)
  set(text "/* Made from ${made_from}. */\n#include \"${header}\"\n\n")
  foreach(part ${ARGN})
    string(REPLACE ":" ";" part "${part}")
    list(GET part 0 part_name)
    list(GET part 1 part_path)
    set(part_file ${PROJECT_SOURCE_DIR}/${part_path})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${part_file})
    file(READ ${part_file} part_bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," part_bytes "${part_bytes}")
    string(REGEX REPLACE "(0x0a,)" "\\1\n" part_bytes "${part_bytes}")
    string(APPEND text "const char ${prefix}_${part_name}[] = {\n${part_bytes}0x00};\n\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${file} CONTENT "${text}" @ONLY)
  set(embedded ${embedded} ${PROJECT_BINARY_DIR}/generated/${file} PARENT_SCOPE)
endfunction()

# The page of a report: its style and scripts.
embed(show_page.c src/show/page show/show.h page
  css:src/show/page/page.css player:src/show/page/player.js script:src/show/page/page.js)
# What runs on cards, around the functions of a model; and the polynomials that it has in common with the host.
embed(card_text.c "src/ensemble/card and src/base/chebyshev" ensemble/card.h card_text
  frame:src/ensemble/card/frame.cu chebyshev_h:src/base/chebyshev.h chebyshev_c:src/base/chebyshev.c)
# Units in C: the faces of the standard, and an instance over exported code.
embed(fmu_text.c fmu fmu/code.h fmu_text
  fmi2:fmu/fmi2.c fmi3:fmu/fmi3.c instance_h:fmu/instance.h
  instance_c:fmu/source/instance.c onto_c:fmu/source/onto.c events_c:fmu/source/events.c within_h:fmu/source/within.h)
