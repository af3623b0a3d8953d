# Everything the full library links; the core build links none of it.
add_library(mech_dependencies INTERFACE)
if(NOT MECH_CORE)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
  pkg_check_modules(BLAS REQUIRED IMPORTED_TARGET openblas)
  pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
  pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
  find_package(SUNDIALS 6 REQUIRED COMPONENTS cvode arkode nvecserial sunmatrixdense sunlinsoldense)
  # SuiteSparse is loaded when first needed (large systems only): eleven libraries would double the start of every command.
  foreach(library spqr klu)
    string(TOUPPER ${library} upper)
    find_library(${upper}_LIBRARY ${library} REQUIRED)
    file(REAL_PATH ${${upper}_LIBRARY} path)
    string(REGEX MATCH "lib${library}\\.so\\.[0-9]+" MECH_${upper} "${path}")
    if(NOT MECH_${upper})
      set(MECH_${upper} lib${library}.so)
    endif()
    target_compile_definitions(mech_dependencies INTERFACE $<BUILD_INTERFACE:MECH_${upper}="${MECH_${upper}}">)
  endforeach()
  find_path(SUITESPARSE_INCLUDE SuiteSparseQR_C.h PATH_SUFFIXES suitesparse REQUIRED)
  target_include_directories(mech_dependencies SYSTEM INTERFACE ${SUITESPARSE_INCLUDE})
  target_link_libraries(mech_dependencies INTERFACE
    PkgConfig::LAPACKE
    PkgConfig::BLAS
    PkgConfig::MATIO
    PkgConfig::GMP
    SUNDIALS::cvode SUNDIALS::arkode SUNDIALS::nvecserial SUNDIALS::sunmatrixdense SUNDIALS::sunlinsoldense)
endif()
