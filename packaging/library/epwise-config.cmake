# find_package(epwise) gives epwise::epwise: libepwise.a, epwise/epwise.h, and the libraries that the archive calls.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(yaml-cpp)
find_dependency(fmt)
find_dependency(SQLite3)
include(${CMAKE_CURRENT_LIST_DIR}/epwise-targets.cmake)
