#include "commands/explore/search_task.h"

#include <exception>
#include <utility>

namespace epwise::explore {

void SearchTask::start(const std::function<SearchState(const Reins&)>& search) {
  cancel();
  stop_ = false;
  done_ = 0;
  planned_ = 0;
  {
    const std::lock_guard lock(mutex_);
    state_ = {};
    state_.kind = SearchState::Kind::running;
  }
  thread_ = std::thread([this, search] {
    SearchState result;
    try {
      result = search({&stop_, [this](std::size_t done, std::size_t planned) {
                         done_ = done;
                         planned_ = planned;
                       }});
      result.kind = stop_ ? SearchState::Kind::cancelled : SearchState::Kind::done;
    } catch (const std::exception& error) {
      result = {};
      result.kind = SearchState::Kind::failed;
      result.problem = error.what();
    }
    const std::lock_guard lock(mutex_);
    state_ = std::move(result);
  });
}

void SearchTask::cancel() {
  stop_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
}

SearchState SearchTask::state() const {
  const std::lock_guard lock(mutex_);
  SearchState state = state_;
  if (state.kind == SearchState::Kind::running) {
    state.done = done_;
    state.planned = planned_;
  }
  return state;
}

}  // namespace epwise::explore
