# One program per file. tests/unit/<room>/<name>.c is test <room>.<name>; a program whose name ends in
# _fault links the allocation seam's failing twin. Programs run in the source folder.
add_library(test_support INTERFACE)
target_include_directories(test_support INTERFACE tests src)
target_link_libraries(test_support INTERFACE mech_inside mech_warnings)
target_compile_definitions(test_support INTERFACE _GNU_SOURCE)
# A hundred programs hold the whole library with what debuggers want to know: the quick linker, where there is one.
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=gold MECH_HAS_GOLD)
if(MECH_HAS_GOLD)
  target_link_options(test_support INTERFACE -fuse-ld=gold)
endif()
# Seconds on one core, sanitized, of the long ones: they start first, so that none is left alone at the end.
set(costs script.see 60 script.hostile_numbers 40 script.metamorphic 20 script.bodies 15 script.differential 40 script.python 80 property.checkpoint 40 script.hostile_names 40 script.faults 60 script.checkpoint 35
  simulate.sim_fault 30 output.export_native 30 output.export_forces_native 25 property.motion_native 30 script.validate 25 motion.code_native_fault 25
  script.wrong_calls 25 script.wrong_models 20 script.eval 20 property.motion_loops_native 20 script.run 15 lang.hostile 10
  property.redundant_native 15 property.threads_native 10 script.install 8 script.stability 8)
function(set_cost name)
  list(FIND costs ${name} at)
  if(at GREATER_EQUAL 0)
    math(EXPR at "${at} + 1")
    list(GET costs ${at} cost)
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endfunction()

function(add_test_program name label source)
  add_executable(test_${name} ${source})
  if(name MATCHES "_fault$")
    target_sources(test_${name} PRIVATE tests/support/mem_fault.c)
  endif()
  target_link_libraries(test_${name} PRIVATE test_support)
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 1800
    ENVIRONMENT "OPENBLAS_NUM_THREADS=1;XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  if(MECH_SANITIZE MATCHES thread) # kernels that scatter addresses further than the sanitizer allows
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "ThreadSanitizer: unexpected memory mapping")
  endif()
  set_cost(${name})
endfunction()

set(left_out "(lapack|sundials|suitesparse|matio|gmp|expat|native)") # of the core build
if(MECH_CORE_OPENS)
  string(REPLACE "|native" "" left_out "${left_out}")
endif()
file(GLOB unit_sources CONFIGURE_DEPENDS tests/unit/*/*.c)
foreach(source ${unit_sources})
  get_filename_component(stem ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(room ${folder} NAME)
  if(MECH_CORE AND stem MATCHES "${left_out}")
    continue()
  endif()
  add_test_program(${room}.${stem} unit ${source})
endforeach()
if(NOT MECH_CORE) # they read the file back, by another's code
  pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
  target_link_libraries(test_output.state_space_matio PRIVATE PkgConfig::MATIO)
  target_link_libraries(test_output.mat_matio PRIVATE PkgConfig::MATIO)
endif()
file(GLOB property_sources CONFIGURE_DEPENDS tests/property/*.c)
foreach(source ${property_sources})
  get_filename_component(stem ${source} NAME_WE)
  if(MECH_CORE AND stem MATCHES "${left_out}")
    continue()
  endif()
  add_test_program(property.${stem} property ${source})
endforeach()

if(NOT MECH_CORE AND NOT MECH_SANITIZE) # what the differential tester asks of the library without a command
  add_executable(differential_paths tests/differential/paths.c)
  target_link_libraries(differential_paths PRIVATE mechanician_static mech_warnings)
endif()

# Example programs are built and run.
file(GLOB example_programs CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_programs})
  get_filename_component(stem ${source} NAME_WE)
  add_executable(example_${stem} ${source})
  target_link_libraries(example_${stem} PRIVATE mechanician::static mech_warnings)
  set(arguments "")
  if(MECH_SANITIZE AND stem STREQUAL "loop_1khz")
    set(arguments 4) # seconds of the loop, in place of 200
  endif()
  add_test(NAME example.${stem} COMMAND example_${stem} ${arguments} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(example.${stem} PROPERTIES LABELS example TIMEOUT 600)
endforeach()

# Shell tests: they get the folder of the build and run in the source folder.
file(GLOB script_tests CONFIGURE_DEPENDS tests/scripts/*.sh)
list(FILTER script_tests EXCLUDE REGEX "/lib\\.sh$")
foreach(source ${script_tests})
  get_filename_component(stem ${source} NAME_WE)
  if((MECH_CORE AND NOT stem MATCHES "^core_") OR (NOT MECH_CORE AND stem MATCHES "^core_")) # these are for the core build alone
    continue()
  endif()
  if(MECH_SANITIZE AND stem MATCHES "^(differential|metamorphic|bodies)$") # they say why
    continue()
  endif()
  add_test(NAME script.${stem} COMMAND bash ${source} ${PROJECT_BINARY_DIR} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(script.${stem} PROPERTIES LABELS script TIMEOUT 1800 SKIP_RETURN_CODE 77
    ENVIRONMENT "OPENBLAS_NUM_THREADS=1;XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  set_cost(script.${stem})
endforeach()
