// fmt 9 as an archive, for distributions whose package has only a shared library: the definitions,
// and the templates that are declared but not defined for users of fmt/format.h.

#include <locale>

#include <fmt/format-inl.h>

template std::locale fmt::detail::locale_ref::get<std::locale>() const;
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
