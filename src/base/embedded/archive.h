#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Plain structs ↔ bytes, for tables compiled by the build (rules, vocabulary). One function
/// `template <class A> void transfer(A& archive, T& value) { archive(value.code, value.name, …); }`
/// next to each struct serves both directions. Little-endian only; writer and reader come from the
/// same build.
namespace epwise::embedded {

/// Elements stored as they are in memory, a whole vector at once: numbers, and structs marked with
/// `using AsBytes = void;`. Such a struct must not contain pointers or padding.
template <class T>
inline constexpr bool kAsBytes =
    ((std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, bool>) || requires {
  typename T::AsBytes;
};

/// Bytes of a vector of such elements.
template <class T>
std::size_t whole(const T& elements) {
  using Element = std::remove_cvref_t<decltype(*elements.data())>;
  static_assert(std::has_unique_object_representations_v<Element> ||
                std::is_floating_point_v<Element>);
  return elements.size() * sizeof(Element);
}

/// Plain elements of a compiled table, read where they lie in it, or elements made at run time, which
/// copies share. Reading thousands of short ones costs no allocation. The bytes of the table must
/// outlive them.
template <class T>
class Sequence {
 public:
  Sequence() = default;

  explicit Sequence(std::vector<T> elements)
      : owner_(std::make_shared<const std::vector<T>>(std::move(elements))),
        elements_(*owner_) {}

  /// Elements that outlive the sequence.
  explicit Sequence(std::span<const T> elements) : elements_(elements) {}

  auto begin() const { return elements_.begin(); }

  auto end() const { return elements_.end(); }

  const T& operator[](std::size_t at) const { return elements_[at]; }

  const T& front() const { return elements_.front(); }

  const T& back() const { return elements_.back(); }

  const T* data() const { return elements_.data(); }

  std::size_t size() const { return elements_.size(); }

  bool empty() const { return elements_.empty(); }

  /// The first elements, shared with this sequence.
  Sequence first(std::size_t count) const {
    Sequence part = *this;
    part.elements_ = elements_.first(count);
    return part;
  }

 private:
  std::shared_ptr<const std::vector<T>> owner_;
  std::span<const T> elements_;
};

/// Of the elements that sequences may have.
inline constexpr std::size_t kAlignment = 8;

template <class T>
inline constexpr bool kIsSequence = false;
template <class T>
inline constexpr bool kIsSequence<Sequence<T>> = true;

/// What parts of one table refer to instead of repeating it: whoever stores such a part derives a
/// struct and passes it to the writer and the reader.
struct Companion {
  Companion() = default;
  Companion(const Companion&) = default;
  Companion& operator=(const Companion&) = default;
  virtual ~Companion() = default;
};

/// Appends fields to a byte string.
class Writer {
 public:
  /// `companion`: filled by the parts that need one.
  explicit Writer(Companion* companion = nullptr) : companion_(companion) {}

  Companion* companion() const { return companion_; }

  /// Zero bytes up to a multiple of `size`: elements read in place lie where their type may.
  void align(std::size_t size) { bytes_.resize((bytes_.size() + size - 1) / size * size); }

  /// Bytes that begin where every sequence in them may.
  void aligned(std::string_view bytes) {
    auto size = static_cast<std::uint32_t>(bytes.size());
    put(size);
    align(kAlignment);
    bytes_.append(bytes);
  }

  template <class... T>
  void operator()(T&... fields) {
    (put(fields), ...);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&field), sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
      auto size = static_cast<std::uint32_t>(field.size());
      put(size);
      bytes_.append(field);
    } else if constexpr (requires { field.has_value(); }) {
      bool there = field.has_value();
      put(there);
      if (there) {
        put(*field);
      }
    } else if constexpr (kIsSequence<T>) {
      auto size = static_cast<std::uint32_t>(field.size());
      put(size);
      align(alignof(std::remove_cvref_t<decltype(*field.data())>));
      bytes_.append(reinterpret_cast<const char*>(field.data()), whole(field));
    } else if constexpr (requires { field.push_back(field.front()); }) {
      auto size = static_cast<std::uint32_t>(field.size());
      put(size);
      if constexpr (kAsBytes<typename T::value_type>) {
        bytes_.append(reinterpret_cast<const char*>(field.data()), whole(field));
      } else {
        for (auto& item : field) {
          put(item);
        }
      }
    } else {
      transfer(*this, field);
    }
  }

  std::string bytes_;
  Companion* companion_;
};

/// Reads fields in the same order. `std::string_view` fields point into the given bytes without
/// copying.
class Reader {
 public:
  explicit Reader(std::string_view bytes, const Companion* companion = nullptr)
      : bytes_(bytes),
        companion_(companion) {}

  const Companion* companion() const { return companion_; }

  void align(std::size_t size) { take((size - offset_ % size) % size); }

  void aligned(std::string_view& bytes) {
    std::uint32_t size = 0;
    get(size);
    align(kAlignment);
    bytes = take(size);
  }

  template <class... T>
  void operator()(T&... fields) {
    (get(fields), ...);
  }

  bool at_end() const { return offset_ == bytes_.size(); }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - offset_) {
      throw std::runtime_error("the compiled table is truncated");
    }
    auto part = bytes_.substr(offset_, size);
    offset_ += size;
    return part;
  }

  template <class T>
  void get(T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      std::memcpy(&field, take(sizeof(T)).data(), sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      std::uint32_t size = 0;
      get(size);
      field = take(size);
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::uint32_t size = 0;
      get(size);
      field = std::string(take(size));
    } else if constexpr (requires { field.has_value(); }) {
      bool there = false;
      get(there);
      if (there) {
        field.emplace();
        get(*field);
      }
    } else if constexpr (kIsSequence<T>) {
      get_in_place(field);
    } else if constexpr (requires { field.push_back(field.front()); }) {
      std::uint32_t size = 0;
      get(size);
      if (size > bytes_.size() - offset_) {
        throw std::runtime_error("the compiled table is damaged");
      }
      field.resize(size);
      if constexpr (kAsBytes<typename T::value_type>) {
        const auto part = take(whole(field));
        if (size > 0) {
          std::memcpy(field.data(), part.data(), part.size());
        }
      } else {
        for (auto& item : field) {
          get(item);
        }
      }
    } else {
      transfer(*this, field);
    }
  }

  template <class T>
  void get_in_place(Sequence<T>& field) {
    std::uint32_t size = 0;
    get(size);
    align(alignof(T));
    if (size > (bytes_.size() - offset_) / sizeof(T)) {
      throw std::runtime_error("the compiled table is damaged");
    }
    const std::string_view part = take(size * sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(part.data());
    if (address % alignof(T) == 0) {
      field = Sequence<T>(std::span(reinterpret_cast<const T*>(part.data()), size));
    } else {  // only tests read bytes that are not aligned
      std::vector<T> elements(size);
      std::memcpy(elements.data(), part.data(), part.size());
      field = Sequence<T>(std::move(elements));
    }
  }

  std::string_view bytes_;
  std::size_t offset_ = 0;
  const Companion* companion_;
};

/// A whole table, or the start of one.
template <class T>
T read_as(std::string_view bytes, const Companion* companion = nullptr) {
  T value;
  Reader read(bytes, companion);
  read(value);
  return value;
}

/// A part of a table that is decoded when it is first read, because most runs read few of them:
///
///   struct Rule { …; Deferred<Prose> prose; };
///   rule.prose->message    decodes the prose of this rule only
///
/// Several threads may read one object at the same time; `edit` needs it alone. The bytes of the
/// table and its companion must outlive it.
template <class T>
class Deferred {
 public:
  Deferred() = default;

  ~Deferred() { delete content_.load(); }

  Deferred(const Deferred& other)
      : bytes_(other.bytes_),
        companion_(other.companion_),
        decode_(other.decode_),
        content_(copy_of(other)) {}

  Deferred(Deferred&& other) noexcept
      : bytes_(other.bytes_),
        companion_(other.companion_),
        decode_(other.decode_),
        content_(other.content_.exchange(nullptr)) {}

  Deferred& operator=(Deferred other) noexcept {
    bytes_ = other.bytes_;
    companion_ = other.companion_;
    decode_ = other.decode_;
    delete content_.exchange(other.content_.exchange(nullptr));
    return *this;
  }

  const T& operator*() const { return *decoded(); }

  const T* operator->() const { return decoded(); }

  T& edit() { return *decoded(); }

  friend void transfer(Writer& archive, Deferred& part) {
    Writer inner(archive.companion());
    inner(part.edit());
    std::string_view bytes = inner.bytes();
    archive.aligned(bytes);
  }

  friend void transfer(Reader& archive, Deferred& part) {
    archive.aligned(part.bytes_);
    part.companion_ = archive.companion();
    part.decode_ = [](std::string_view bytes, const Companion* companion) {
      return new T(read_as<T>(bytes, companion));
    };
  }

 private:
  static T* copy_of(const Deferred& other) {
    const T* content = other.content_.load(std::memory_order_acquire);
    return content == nullptr ? nullptr : new T(*content);
  }

  /// Threads that come at the same time decode for themselves; the first result stays.
  T* decoded() const {
    if (T* known = content_.load(std::memory_order_acquire); known != nullptr) {
      return known;
    }
    std::unique_ptr<T> fresh(decode_ == nullptr ? new T() : decode_(bytes_, companion_));
    T* known = nullptr;
    return content_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)
               ? fresh.release()
               : known;
  }

  std::string_view bytes_;
  const Companion* companion_ = nullptr;
  // Set by the one source that knows how T is stored, so that readers of T need not include it.
  T* (*decode_)(std::string_view bytes, const Companion* companion) = nullptr;
  mutable std::atomic<T*> content_ = nullptr;
};

}  // namespace epwise::embedded
