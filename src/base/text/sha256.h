#pragma once

#include <string>
#include <string_view>

namespace epwise::text {

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits: used by receipts to identify a text.
///   sha256("") → "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
std::string sha256(std::string_view bytes);

}  // namespace epwise::text
