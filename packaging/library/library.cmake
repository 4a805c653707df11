# The C++ library: include/epwise/epwise.h, libepwise.a, and what find_package(epwise) reads. `cmake --install BUILD
# --component library` installs these alone.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/epwise)
target_compile_features(epwise_archive INTERFACE cxx_std_17)
target_include_directories(epwise_archive INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(epwise_archive INTERFACE
  "$<INSTALL_INTERFACE:yaml-cpp;fmt::fmt;SQLite::SQLite3;Threads::Threads;${CMAKE_DL_LIBS}>")
install(FILES ${PROJECT_SOURCE_DIR}/src/library/epwise.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/epwise COMPONENT library)
install(TARGETS epwise_archive EXPORT epwise-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT epwise-targets NAMESPACE epwise:: DESTINATION ${package} COMPONENT library)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/epwise-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/epwise-config.cmake ${PROJECT_BINARY_DIR}/epwise-config-version.cmake
  DESTINATION ${package} COMPONENT library)
