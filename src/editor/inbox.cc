#include "editor/inbox.h"

#include <istream>
#include <utility>

#include "editor/frame.h"
#include "editor/json.h"

namespace epwise::editor {

namespace {

constexpr std::string_view kChange = "textDocument/didChange";

/// A text at a path of members; empty where there is none.
std::string text_at(const Json& message, std::initializer_list<const char*> path) {
  const Json* at = &message;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) {
      return {};
    }
    at = &(*at)[key];
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

Letter letter_of(const std::string& content) {
  Letter letter;
  try {
    letter.message = std::make_shared<const Json>(Json::parse(content));
  } catch (const Json::exception& error) {
    letter.garbled = error.what();
    letter.message = std::make_shared<const Json>();
  }
  return letter;
}

std::string changed_document(const Letter& letter) {
  return letter.message && method_of(*letter.message) == kChange
             ? text_at(*letter.message, {"params", "textDocument", "uri"})
             : std::string();
}

/// The id that a cancellation names.
std::string cancelled_id(const Letter& letter) {
  if (!letter.message || method_of(*letter.message) != "$/cancelRequest") {
    return {};
  }
  const auto params = letter.message->find("params");
  return params == letter.message->end() ? std::string() : id_of(*params);
}

}  // namespace

std::string method_of(const Json& message) {
  return text_at(message, {"method"});
}

std::string id_of(const Json& message) {
  if (!message.is_object()) {
    return {};
  }
  const auto id = message.find("id");
  const bool legal = id != message.end() && (id->is_number_integer() || id->is_string());
  return legal ? id->dump() : std::string();
}

void Inbox::fill(std::istream& in) {
  bool more = true;
  while (more) {
    Frame frame = read_frame(in);
    more = frame.kind == Frame::Kind::message;
    if (!more) {
      put({nullptr, std::move(frame.problem), {}});
      return;
    }
    Letter letter = letter_of(frame.content);
    more = method_of(*letter.message) != "exit";
    put(std::move(letter));
  }
}

void Inbox::put(Letter letter) {
  const std::lock_guard lock(mutex_);
  if (auto uri = changed_document(letter); !uri.empty()) {
    changing_.insert(std::move(uri));
  }
  if (auto id = cancelled_id(letter); !id.empty()) {
    cancelled_.insert(std::move(id));
  }
  letters_.push_back(std::move(letter));
  arrived_.notify_one();
}

Letter Inbox::take() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !letters_.empty(); });
  Letter letter = std::move(letters_.front());
  letters_.pop_front();
  if (const auto found = changing_.find(changed_document(letter)); found != changing_.end()) {
    changing_.erase(found);
  }
  // What it cancels came before it, and has had its answer.
  if (const auto found = cancelled_.find(cancelled_id(letter)); found != cancelled_.end()) {
    cancelled_.erase(found);
  }
  return letter;
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return letters_.empty();
}

bool Inbox::changes(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return changing_.contains(uri);
}

bool Inbox::cancels(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(id);
}

}  // namespace epwise::editor
