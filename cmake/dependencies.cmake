# Everything the full library is built on; the core build has none of it.
add_library(mech_dependencies INTERFACE)
# What few runs need is not linked but opened when first needed (src/base/library.h): fifty libraries would triple the
# time every command takes to start. MECH_<NAME> is the file to open, with the version its headers belong to.
function(open_when_needed library)
  string(TOUPPER ${library} upper)
  find_library(${upper}_LIBRARY ${library} HINTS ${ARGN} REQUIRED)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${${upper}_LIBRARY} OUTPUT_VARIABLE about ERROR_QUIET)
  set(file lib${library}.so)
  if(about MATCHES "SONAME +([^ \n]+)")
    set(file ${CMAKE_MATCH_1})
  endif()
  target_compile_definitions(mech_dependencies INTERFACE $<BUILD_INTERFACE:MECH_${upper}="${file}">)
  set(MECH_${upper} ${file} PARENT_SCOPE)
endfunction()
if(NOT MECH_CORE)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
  pkg_check_modules(BLAS REQUIRED IMPORTED_TARGET openblas)
  pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
  find_package(SUNDIALS 6 REQUIRED COMPONENTS cvode arkode nvecserial sunmatrixdense sunlinsoldense)
  find_path(SUITESPARSE_INCLUDE SuiteSparseQR_C.h PATH_SUFFIXES suitesparse REQUIRED)
  open_when_needed(lapacke ${LAPACKE_LIBRARY_DIRS})
  open_when_needed(openblas ${BLAS_LIBRARY_DIRS})
  open_when_needed(spqr)
  open_when_needed(klu)
  open_when_needed(expat)
  open_when_needed(zip)
  target_include_directories(mech_dependencies SYSTEM INTERFACE
    ${LAPACKE_INCLUDE_DIRS} ${BLAS_INCLUDE_DIRS} ${SUITESPARSE_INCLUDE})
  target_link_libraries(mech_dependencies INTERFACE
    PkgConfig::GMP
    SUNDIALS::cvode SUNDIALS::arkode SUNDIALS::nvecserial SUNDIALS::sunmatrixdense SUNDIALS::sunlinsoldense)
endif()
