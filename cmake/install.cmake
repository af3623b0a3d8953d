# What `cmake --install` lays down: headers, both libraries, the command, its manual page, a CMake package
# (mechanician::mechanician, mechanician::static) and mechanician.pc. Only the static library asks its users for
# what it is built on; that list is read off mech_dependencies, so it is written once.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/mechanician)

set(pc_modules "")    # found by pkg-config
set(pc_libraries "")  # named to the linker
set(package_links "") # targets of the CMake package
set(package_finds "") # calls that make them
get_target_property(dependencies mech_dependencies INTERFACE_LINK_LIBRARIES)
if(NOT dependencies)
  set(dependencies "")
endif()
foreach(item ${dependencies})
  if(item MATCHES "^PkgConfig::(.+)$")
    set(prefix ${CMAKE_MATCH_1})
    string(TOLOWER ${prefix} module)
    list(APPEND pc_modules ${module})
    list(APPEND package_links PkgConfig::MECHANICIAN_${prefix})
    string(APPEND package_finds "pkg_check_modules(MECHANICIAN_${prefix} QUIET IMPORTED_TARGET ${module})\n")
  elseif(item MATCHES "^SUNDIALS::(.+)$")
    list(APPEND pc_libraries -lsundials_${CMAKE_MATCH_1})
    list(APPEND package_links ${item})
    list(APPEND sundials_components ${CMAKE_MATCH_1})
  else()
    list(APPEND pc_libraries -l${item})
    list(APPEND package_links ${item})
  endif()
endforeach()
if(sundials_components)
  list(JOIN sundials_components " " components)
  string(APPEND package_finds "find_package(SUNDIALS QUIET COMPONENTS ${components})\n")
endif()
list(JOIN pc_modules " " PC_REQUIRES_PRIVATE)
list(APPEND pc_libraries -lm)
list(JOIN pc_libraries " " PC_LIBS_PRIVATE)
set(PACKAGE_FINDS "${package_finds}")
list(JOIN package_links " " PACKAGE_LINKS)

install(DIRECTORY include/mech DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set_target_properties(mechanician_shared PROPERTIES EXPORT_NAME mechanician)
set_target_properties(mechanician_static PROPERTIES EXPORT_NAME static)
target_link_libraries(mechanician_static PUBLIC $<INSTALL_INTERFACE:mechanician::dependencies>)
install(TARGETS mechanician_shared mechanician_static EXPORT mechanician_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT mechanician_targets NAMESPACE mechanician:: DESTINATION ${package_folder})
configure_package_config_file(cmake/mechanician-config.cmake.in ${PROJECT_BINARY_DIR}/mechanician-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mechanician-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mechanician-config.cmake ${PROJECT_BINARY_DIR}/mechanician-config-version.cmake
  DESTINATION ${package_folder})

# The prefix is found from where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH PC_PREFIX_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/mechanician.pc.in ${PROJECT_BINARY_DIR}/mechanician.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mechanician.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET mech)
  install(TARGETS mech RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET mech_mpi)
  install(TARGETS mech_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mechanician)
endif()
if(TARGET mech_fmu)
  install(TARGETS mech_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mechanician)
endif()
install(DIRECTORY editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/mechanician/editors)
if(TARGET mech_pages)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${pages}/completion/mech DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/completion/_mech DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages}/completion/mech.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
elseif(TARGET mech)
  install(FILES man/mech.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
