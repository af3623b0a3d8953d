# Everything the full library links; the core build links none of it.
add_library(mech_dependencies INTERFACE)
if(NOT MECH_CORE)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
  pkg_check_modules(BLAS REQUIRED IMPORTED_TARGET openblas)
  pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
  target_link_libraries(mech_dependencies INTERFACE PkgConfig::LAPACKE PkgConfig::BLAS PkgConfig::MATIO)
endif()
