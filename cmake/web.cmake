# The command for a browser or node: mech.js and mech.wasm, a module whose main is called on files in memory, one fresh
# instance a command (docs/decisions/0036). tools/web puts them into the page.
# All at -O2. Where a run does not spend its time less is inlined, or it would be 1.5 MB (docs/decisions/0036).
set(small ${app_sources} ${library_sources})
list(FILTER small EXCLUDE REGEX "/src/(integrate/|compile/(run|tape_run)|fundamental/(plan_run|sparse_run))")
set_source_files_properties(${small} PROPERTIES COMPILE_OPTIONS "-fno-unroll-loops;-mllvm;-inline-threshold=15")
# web/absent.c has what is left out: commands that the page has no button for, what would be made of XML, which the core
# does not read, and generated code, which nothing there compiles.
list(FILTER app_sources EXCLUDE REGEX
  "/app/(cmd_(equilibrium|export|fmt|gains|import|linearize|lsp|plot|sweep)|linear_figures|lsp_|sweep_)")
get_target_property(room_sources mech_objects SOURCES)
list(FILTER room_sources EXCLUDE REGEX "/src/(import/(urdf|mjcf)|compile/(emit|shapes))")
set_property(TARGET mech_objects PROPERTY SOURCES ${room_sources})
set_property(TARGET mech_objects PROPERTY POSITION_INDEPENDENT_CODE OFF)
add_executable(mech app/main.c web/absent.c ${app_sources} $<TARGET_OBJECTS:mech_objects>)
target_include_directories(mech PRIVATE app include src)
target_link_libraries(mech PRIVATE m mech_warnings)
target_compile_definitions(mech PRIVATE _POSIX_C_SOURCE=200809L MECH_NO_DEPRECATED MECH_LIBDIR="lib")
target_link_options(mech PRIVATE -Os -sMODULARIZE=1 -sEXPORT_NAME=mechModule -sENVIRONMENT=worker,node -sINVOKE_RUN=0
  -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,callMain -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=33554432
  -sTOTAL_STACK=8388608)
