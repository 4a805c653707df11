#include "ui/spool.h"

#include <stdexcept>

namespace epwise::report {

void Spool::add(std::string_view text) {
  tail_ += text;
  if (tail_.size() > in_memory_ && !refused_) {
    move_out();
  }
}

void Spool::move_out() {
  if (file_ == nullptr) {
    file_.reset(std::tmpfile());
  }
  if (file_ == nullptr) {
    refused_ = true;
    return;
  }
  const std::size_t written = std::fwrite(tail_.data(), 1, tail_.size(), file_.get());
  refused_ = written < tail_.size();  // the disk is full: the rest stays in memory
  tail_.erase(0, written);
}

void Spool::give(const Out& out) const {
  if (file_ != nullptr) {
    if (std::fflush(file_.get()) != 0) {
      throw std::runtime_error("a temporary file cannot be written");
    }
    std::rewind(file_.get());
    constexpr std::size_t kPart = std::size_t{1} << 16U;
    std::string part(kPart, '\0');
    for (std::size_t size = kPart; size == kPart;) {
      size = std::fread(part.data(), 1, part.size(), file_.get());
      out(std::string_view(part).substr(0, size));
    }
    if (std::ferror(file_.get()) != 0) {
      throw std::runtime_error("a temporary file cannot be read");
    }
  }
  if (!tail_.empty()) {
    out(tail_);
  }
}

}  // namespace epwise::report
