# Everything the full library links; the core build links none of it.
add_library(mech_dependencies INTERFACE)
if(NOT MECH_CORE)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
  pkg_check_modules(BLAS REQUIRED IMPORTED_TARGET openblas)
  pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
  pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
  find_package(SUNDIALS 6 REQUIRED COMPONENTS cvode arkode nvecserial sunmatrixdense sunlinsoldense)
  find_path(SUITESPARSE_INCLUDE SuiteSparseQR_C.h PATH_SUFFIXES suitesparse REQUIRED)
  target_include_directories(mech_dependencies SYSTEM INTERFACE ${SUITESPARSE_INCLUDE})
  target_link_libraries(mech_dependencies INTERFACE
    PkgConfig::LAPACKE
    PkgConfig::BLAS
    PkgConfig::MATIO
    PkgConfig::GMP
    SUNDIALS::cvode SUNDIALS::arkode SUNDIALS::nvecserial SUNDIALS::sunmatrixdense SUNDIALS::sunlinsoldense
    spqr cholmod klu)
endif()
