# precompile(TARGET BASE): TARGET reads the common headers precompiled, as BASE compiles them; BASE may be TARGET itself. Both need the
# same flags. A source still includes what it uses: builds without EPWISE_PRECOMPILE, and with EPWISE_DEEP, hold that.
set(epwise_common_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstddef> <cstdint> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex>
  <numeric> <optional> <ostream> <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <unordered_map> <utility>
  <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

function(precompile target base)
  if(NOT EPWISE_PRECOMPILE OR EPWISE_DEEP)
    return()
  endif()
  if(target STREQUAL base)
    target_precompile_headers(${target} PRIVATE ${epwise_common_headers} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${base})
  endif()
endfunction()
