add_library(mech_warnings INTERFACE)
target_compile_options(mech_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wdouble-promotion -Wundef -ffp-contract=off)
if(MECH_WERROR)
  target_compile_options(mech_warnings INTERFACE -Werror)
endif()
if(MECH_SANITIZE)
  add_compile_options(-fsanitize=${MECH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Kernels may put a position-independent program where the sanitizers keep their own memory: programs stay where they are linked.
  add_link_options(-fsanitize=${MECH_SANITIZE} $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
