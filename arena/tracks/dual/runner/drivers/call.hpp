// The C++ driver: arguments and results of functions, by their types, and the calls over the channel.
// It is included behind the candidate, in the same translation unit; `cpp.py` writes the table of entries.
#pragma once

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "call_json.hpp"

namespace arena_driver {

inline std::string demangled(const char* name) {
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    std::string found = text ? text.get() : name;
    const std::string inner = "::__cxx11";
    for (auto at = found.find(inner); at != std::string::npos; at = found.find(inner)) found.erase(at, inner.size());
    return found;
}

template <class T> std::string name_of() { return demangled(typeid(T).name()); }

// ---- arguments ----

template <class T> struct Type {};

[[noreturn]] inline void unfit(const std::string& type) { throw std::invalid_argument("no " + type); }

template <class T> constexpr bool readable = std::is_arithmetic_v<T>;
template <> inline constexpr bool readable<std::string> = true;
template <> inline constexpr bool readable<std::monostate> = true;
template <> inline constexpr bool readable<std::nullptr_t> = true;
template <class T> constexpr bool readable<std::vector<T>> = readable<T>;
template <class T> constexpr bool readable<std::list<T>> = readable<T>;
template <class T> constexpr bool readable<std::deque<T>> = readable<T>;
template <class T> constexpr bool readable<std::set<T>> = readable<T>;
template <class T> constexpr bool readable<std::unordered_set<T>> = readable<T>;
template <class T> constexpr bool readable<std::optional<T>> = readable<T>;
template <class T> constexpr bool readable<std::map<std::string, T>> = readable<T>;
template <class T> constexpr bool readable<std::unordered_map<std::string, T>> = readable<T>;
template <class A, class B> constexpr bool readable<std::pair<A, B>> = readable<A> && readable<B>;
template <class... T> constexpr bool readable<std::tuple<T...>> = (readable<T> && ...);
template <class... T> constexpr bool readable<std::variant<T...>> = (readable<T> && ...);

template <class T> T integer(const std::string& digits) {
    errno = 0;
    char* rest = nullptr;
    const char* start = digits.c_str();
    if constexpr (std::is_signed_v<T>) {
        const long long value = std::strtoll(start, &rest, 10);
        if (!*rest && !errno && value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max())
            return static_cast<T>(value);
    } else {
        const unsigned long long value = std::strtoull(start, &rest, 10);
        if (!*rest && !errno && digits[0] != '-' && value <= std::numeric_limits<T>::max()) return static_cast<T>(value);
    }
    const double value = std::strtod(start, &rest);  // 3.0 is 3
    const bool fits = !*rest && std::floor(value) == value && std::fabs(value) < 9e15;
    if (!fits || digits.find_first_of(".eE") == std::string::npos) unfit(name_of<T>());
    return integer<T>(std::to_string(static_cast<long long>(value)));
}

template <class T> T read(Type<T>, const Json& value) {
    if constexpr (std::is_same_v<T, bool>) {
        if (value.kind != Json::TRUTH) unfit("bool");
        return value.truth;
    } else if constexpr (std::is_same_v<T, char>) {
        if (value.kind == Json::TEXT && value.text.size() == 1) return value.text[0];
        if (value.kind != Json::NUMBER) unfit("char");
        return integer<char>(value.text);
    } else if constexpr (std::is_integral_v<T>) {
        const Json* digits = value.tagged("$int");
        if (!digits && value.kind != Json::NUMBER) unfit(name_of<T>());
        return integer<T>(digits ? digits->text : value.text);
    } else if constexpr (std::is_floating_point_v<T>) {
        const Json* word = value.tagged("$float");
        if (!word && value.kind != Json::NUMBER) unfit(name_of<T>());
        return static_cast<T>(std::strtod((word ? word : &value)->text.c_str(), nullptr));
    } else {
        if (value.kind != Json::NONE && !value.tagged("$undefined")) unfit("null");
        return T{};
    }
}

inline std::string read(Type<std::string>, const Json& value) {
    if (const Json* bytes = value.tagged("$bytes")) return from_base64(bytes->text);
    if (value.kind != Json::TEXT) unfit("std::string");
    return value.text;
}

inline const std::vector<Json>& items_of(const Json& value) {
    for (const char* tag : {"$tuple", "$set", "$iterator"})
        if (const Json* inner = value.tagged(tag)) return inner->items;
    if (value.kind != Json::LIST) unfit("list");
    return value.items;
}

template <class C> C container(const Json& value) {
    C made;
    using T = typename C::value_type;
    if constexpr (sizeof(T) == 1 && std::is_integral_v<T> && !std::is_same_v<T, bool>)
        if (const Json* bytes = value.tagged("$bytes")) {
            const std::string raw = from_base64(bytes->text);
            return C(raw.begin(), raw.end());
        }
    for (const Json& item : items_of(value)) made.insert(made.end(), read(Type<T>{}, item));
    return made;
}

template <class T> std::vector<T> read(Type<std::vector<T>>, const Json& v) { return container<std::vector<T>>(v); }
template <class T> std::list<T> read(Type<std::list<T>>, const Json& v) { return container<std::list<T>>(v); }
template <class T> std::deque<T> read(Type<std::deque<T>>, const Json& v) { return container<std::deque<T>>(v); }
template <class T> std::set<T> read(Type<std::set<T>>, const Json& v) { return container<std::set<T>>(v); }
template <class T> std::unordered_set<T> read(Type<std::unordered_set<T>>, const Json& v) {
    std::unordered_set<T> made;
    for (const Json& item : items_of(v)) made.insert(read(Type<T>{}, item));
    return made;
}

template <class M> M mapping(const Json& value) {
    const Json* plain = value.tagged("$escape");
    if (!plain) plain = &value;
    if (plain->kind != Json::DICT) unfit("map");
    M made;
    for (const auto& member : plain->members) made[member.first] = read(Type<typename M::mapped_type>{}, member.second);
    return made;
}

template <class T> std::map<std::string, T> read(Type<std::map<std::string, T>>, const Json& v) {
    return mapping<std::map<std::string, T>>(v);
}
template <class T> std::unordered_map<std::string, T> read(Type<std::unordered_map<std::string, T>>, const Json& v) {
    return mapping<std::unordered_map<std::string, T>>(v);
}
template <class T> std::optional<T> read(Type<std::optional<T>>, const Json& v) {
    if (v.kind == Json::NONE || v.tagged("$undefined")) return std::nullopt;
    return read(Type<T>{}, v);
}

template <class T, std::size_t... I> T several(const Json& value, std::index_sequence<I...>) {
    const auto& items = items_of(value);
    if (items.size() != sizeof...(I)) unfit(name_of<T>());
    return T{read(Type<std::tuple_element_t<I, T>>{}, items[I])...};
}
template <class A, class B> std::pair<A, B> read(Type<std::pair<A, B>>, const Json& v) {
    return several<std::pair<A, B>>(v, std::make_index_sequence<2>{});
}
template <class... T> std::tuple<T...> read(Type<std::tuple<T...>>, const Json& v) {
    return several<std::tuple<T...>>(v, std::make_index_sequence<sizeof...(T)>{});
}

// Whole numbers are no floating ones where a variant has both: the first kind that fits exactly is taken.
template <class T> bool exact(const Json& value) {
    if constexpr (std::is_floating_point_v<T>)
        return value.tagged("$float") || value.text.find_first_of(".eE") != std::string::npos;
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return value.text.find_first_of(".eE") == std::string::npos;
    else
        return true;
}
template <class V, class T> bool try_as(V& made, const Json& value, bool strictly) {
    if (strictly && !exact<T>(value)) return false;
    try {
        made = read(Type<T>{}, value);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}
template <class... T> std::variant<T...> read(Type<std::variant<T...>>, const Json& v) {
    std::variant<T...> made;
    if ((try_as<std::variant<T...>, T>(made, v, true) || ...)) return made;
    if ((try_as<std::variant<T...>, T>(made, v, false) || ...)) return made;
    unfit(name_of<std::variant<T...>>());
}

// ---- results ----

struct Out {
    std::string text;
};

template <class T, class = void> constexpr bool streamed = false;
template <class T>
constexpr bool streamed<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>> = true;

inline void number(Out& out, double value) {
    if (!std::isfinite(value)) {
        out.text += std::isnan(value) ? "{\"$float\":\"nan\"}" : value > 0 ? "{\"$float\":\"inf\"}" : "{\"$float\":\"-inf\"}";
        return;
    }
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    out.text += digits;
    if (!std::strpbrk(digits, ".e")) out.text += ".0";
}

template <class T> void put(Out& out, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        out.text += value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
        out.text += text_value(std::string(1, value));
    } else if constexpr (std::is_enum_v<T>) {
        put(out, static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
        const std::string digits = std::to_string(value);
        const bool large = digits.size() > 16 || (digits.size() == 16 && digits > "9007199254740992");
        out.text += large ? "{\"$int\":\"" + digits + "\"}" : digits;
    } else if constexpr (std::is_floating_point_v<T>) {
        number(out, static_cast<double>(value));
    } else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullptr_t>) {
        out.text += "null";
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        out.text += text_value(std::string(std::string_view(value)));
    } else {
        out.text += "{\"$object\":" + shown(name_of<T>());
        if constexpr (streamed<T>) {
            std::ostringstream stream;
            stream << value;
            out.text += ",\"text\":" + shown(stream.str());
        }
        out.text += "}";
    }
}

inline void put(Out& out, const char* const& value) { out.text += value ? text_value(value) : "null"; }
inline void put(Out& out, char* const& value) { out.text += value ? text_value(value) : "null"; }

template <class C> void put_items(Out& out, const C& items, const char* open, const char* close) {
    out.text += open;
    const char* between = "";
    for (auto&& item : items) {
        out.text += between;
        put(out, static_cast<const typename C::value_type&>(item));
        between = ",";
    }
    out.text += close;
}

template <class T> void put(Out& out, const std::vector<T>& v) { put_items(out, v, "[", "]"); }
template <class T> void put(Out& out, const std::list<T>& v) { put_items(out, v, "[", "]"); }
template <class T> void put(Out& out, const std::deque<T>& v) { put_items(out, v, "[", "]"); }
template <class T, std::size_t N> void put(Out& out, const std::array<T, N>& v) { put_items(out, v, "[", "]"); }
template <class T> void put(Out& out, const std::set<T>& v) { put_items(out, v, "{\"$set\":[", "]}"); }
template <class T> void put(Out& out, const std::unordered_set<T>& v) { put_items(out, v, "{\"$set\":[", "]}"); }
inline void put(Out& out, const std::vector<unsigned char>& v) {
    out.text += "{\"$bytes\":\"" + to_base64(std::string(v.begin(), v.end())) + "\"}";
}

template <class K> std::string key(const K& name) {
    if constexpr (std::is_convertible_v<const K&, std::string>) return shown(name);
    Out out;
    put(out, name);
    return shown(out.text);
}
template <class M> void put_mapping(Out& out, const M& mapping) {
    std::string members;
    bool escape = false;
    for (const auto& member : mapping) {
        Out item;
        put(item, member.second);
        const std::string name = key(member.first);
        escape = escape || name.compare(0, 2, "\"$") == 0;
        members += (members.empty() ? "" : ",") + name + ":" + item.text;
    }
    out.text += escape ? "{\"$escape\":{" + members + "}}" : "{" + members + "}";
}
template <class K, class V> void put(Out& out, const std::map<K, V>& v) { put_mapping(out, v); }
template <class K, class V> void put(Out& out, const std::unordered_map<K, V>& v) { put_mapping(out, v); }

template <class T> void put(Out& out, const std::optional<T>& v) {
    if (v) put(out, *v);
    else out.text += "null";
}
template <class T> void put(Out& out, const std::unique_ptr<T>& v) {
    if (v) put(out, *v);
    else out.text += "null";
}
template <class T> void put(Out& out, const std::shared_ptr<T>& v) {
    if (v) put(out, *v);
    else out.text += "null";
}
template <class T> void put_tuple(Out& out, const T& items) {
    out.text += "{\"$tuple\":[";
    std::apply(
        [&](const auto&... item) {
            const char* between = "";
            ((out.text += between, put(out, item), between = ","), ...);
        },
        items);
    out.text += "]}";
}
template <class A, class B> void put(Out& out, const std::pair<A, B>& v) { put_tuple(out, v); }
template <class... T> void put(Out& out, const std::tuple<T...>& v) { put_tuple(out, v); }
template <class... T> void put(Out& out, const std::variant<T...>& v) {
    std::visit([&](const auto& item) { put(out, item); }, v);
}

}  // namespace arena_driver
