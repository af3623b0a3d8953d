add_library(mech_warnings INTERFACE)
target_compile_options(mech_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wdouble-promotion -Wundef -ffp-contract=off)
if(MECH_WERROR)
  target_compile_options(mech_warnings INTERFACE -Werror)
endif()
if(MECH_SANITIZE)
  add_compile_options(-fsanitize=${MECH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MECH_SANITIZE})
endif()
