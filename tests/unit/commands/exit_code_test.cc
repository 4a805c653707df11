#include "ui/exit_code.h"

#include <cstddef>
#include <iterator>

#include <doctest/doctest.h>

using epwise::cli::ExitCode;
using epwise::cli::worst;

TEST_CASE("The worst code wins, in the order 70, 2, 3, 4, 1, 0") {
  constexpr ExitCode kOrder[] = {ExitCode::internal,
                                 ExitCode::usage,
                                 ExitCode::unreadable,
                                 ExitCode::nothing_checked,
                                 ExitCode::findings,
                                 ExitCode::clean};
  for (std::size_t i = 0; i < std::size(kOrder); ++i) {
    for (std::size_t j = i; j < std::size(kOrder); ++j) {
      CHECK(worst(kOrder[i], kOrder[j]) == kOrder[i]);
      CHECK(worst(kOrder[j], kOrder[i]) == kOrder[i]);
    }
  }
}

TEST_CASE("The numbers are part of the interface") {
  CHECK(to_int(ExitCode::clean) == 0);
  CHECK(to_int(ExitCode::findings) == 1);
  CHECK(to_int(ExitCode::usage) == 2);
  CHECK(to_int(ExitCode::unreadable) == 3);
  CHECK(to_int(ExitCode::nothing_checked) == 4);
  CHECK(to_int(ExitCode::no_device) == 5);
  CHECK(to_int(ExitCode::internal) == 70);
  CHECK(to_int(ExitCode::interrupted) == 130);
}
