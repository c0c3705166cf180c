// The calls over the channel: which function, with which arguments, and what is told of the outcome.
#pragma once

#include "call.hpp"

namespace arena_driver {

constexpr int HIGH = 100;  // the channel's descriptors go where no program looks by accident

// What an argument is kept in while the function is called.
template <class A, class D = std::decay_t<A>>
using Kept = std::conditional_t<std::is_same_v<D, const char*> || std::is_same_v<D, char*> ||
                                    std::is_same_v<D, std::string_view>,
                                std::string, D>;

template <class A> decltype(auto) passed(Kept<A>& kept) {
    using D = std::decay_t<A>;
    if constexpr (std::is_same_v<D, std::string_view>) return std::string_view(kept);
    else if constexpr (std::is_same_v<D, const char*>) return static_cast<const char*>(kept.c_str());
    else if constexpr (std::is_same_v<D, char*>) return static_cast<char*>(kept.data());
    else return static_cast<A&&>(kept);
}

struct Entry {
    std::function<std::string(const std::vector<Json>&)> call;
    std::vector<std::string> parameters;
    std::string unreadable;  // the type of a parameter that no value can be given for
};

template <class F> std::string value_of(F&& call) {
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        return "null";
    } else {
        Out out;
        decltype(auto) result = call();
        put(out, static_cast<const std::decay_t<decltype(result)>&>(result));
        return out.text;
    }
}

// Calls with the first K of the parameters A..., where the function can be called so.
template <class Call, class... A, std::size_t... I>
std::string with(Call& call, const std::vector<Json>& args, std::index_sequence<I...>) {
    using All = std::tuple<A...>;
    if constexpr (std::is_invocable_v<Call&, std::tuple_element_t<I, All>...>) {
        std::tuple<Kept<std::tuple_element_t<I, All>>...> kept{
            read(Type<Kept<std::tuple_element_t<I, All>>>{}, args[I])...};
        return value_of([&]() -> decltype(auto) { return call(passed<std::tuple_element_t<I, All>>(std::get<I>(kept))...); });
    } else {
        throw std::invalid_argument("takes more than " + std::to_string(sizeof...(I)) + " arguments");
    }
}

template <class Call, class... A, std::size_t... K>
std::string with_count(Call& call, const std::vector<Json>& args, std::index_sequence<K...>) {
    std::string answer;
    const bool done =
        ((args.size() == K ? (answer = with<Call, A...>(call, args, std::make_index_sequence<K>{}), true) : false) || ...);
    if (!done) throw std::invalid_argument("takes " + std::to_string(sizeof...(A)) + " arguments");
    return answer;
}

template <class A> void note_unreadable(std::string& first) {
    if (!readable<Kept<A>> && first.empty()) first = name_of<std::decay_t<A>>();
}

template <class Call, class... A> Entry entry_of(Call call, std::vector<std::string> parameters) {
    Entry made;
    made.parameters = std::move(parameters);
    (note_unreadable<A>(made.unreadable), ...);
    if constexpr ((readable<Kept<A>> && ...))
        made.call = [call](const std::vector<Json>& args) mutable {
            return with_count<Call, A...>(call, args, std::make_index_sequence<sizeof...(A) + 1>{});
        };
    return made;
}

// `type` is the function's pointer, for the types of its parameters; `call` knows its default arguments.
template <class Call, class R, class... A> Entry entry(R (*)(A...), Call call, std::vector<std::string> p) {
    return entry_of<Call, A...>(std::move(call), std::move(p));
}
template <class Call, class R, class... A> Entry entry(R (*)(A...) noexcept, Call call, std::vector<std::string> p) {
    return entry_of<Call, A...>(std::move(call), std::move(p));
}
template <class Call, class C, class R, class... A> Entry entry(R (C::*)(A...), Call call, std::vector<std::string> p) {
    return entry_of<Call, A...>(std::move(call), std::move(p));
}
template <class Call, class C, class R, class... A>
Entry entry(R (C::*)(A...) const, Call call, std::vector<std::string> p) {
    return entry_of<Call, A...>(std::move(call), std::move(p));
}

// The one object of a class, kept from call to call.
template <class C> C& object_of() {
    static C object{};
    return object;
}

#define ARENA_CALL(name) \
    [](auto&&... a) -> decltype(name(std::forward<decltype(a)>(a)...)) { return name(std::forward<decltype(a)>(a)...); }
#define CALLED_FUNCTION(asked, name, ...) \
    entries[asked] = ::arena_driver::entry(&name, ARENA_CALL(name), {__VA_ARGS__}), found[asked] = #name
#define CALLED_METHOD(asked, type, name, ...)                                                                \
    entries[asked] = ::arena_driver::entry(&type::name, ARENA_CALL(::arena_driver::object_of<type>().name), \
                                           {__VA_ARGS__}),                                                  \
    found[asked] = #type "::" #name

inline std::vector<std::string> bases_of(const std::type_info& type) {
    std::vector<std::string> names;
    const std::type_info* at = &type;
    for (int depth = 0; at && depth < 20; ++depth) {
        const std::type_info* base = nullptr;
        if (auto one = dynamic_cast<const abi::__si_class_type_info*>(at)) base = one->__base_type;
        else if (auto many = dynamic_cast<const abi::__vmi_class_type_info*>(at))
            if (many->__base_count) base = many->__base_info[0].__base_type;
        if (base) names.push_back(demangled(base->name()));
        at = base;
    }
    return names;
}

inline std::string raised(const char* text) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    std::string answer = "{\"raised\":" + shown(type ? demangled(type->name()) : "unknown") + ",\"bases\":[";
    const char* between = "";
    for (const std::string& base : type ? bases_of(*type) : std::vector<std::string>{}) {
        answer += between + shown(base);
        between = ",";
    }
    return answer + "],\"text\":" + shown(text) + "}";
}

inline std::string folded(const std::string& name) {
    std::string made;
    for (char letter : name)
        if (letter != '_') made += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    return made;
}

// Arguments given by name go where a parameter is called so, else behind the others in the order given.
inline std::vector<Json> arguments(const Entry& entry, const Json& request) {
    std::vector<Json> args;
    if (const Json* list = request.find("args")) args = list->items;
    const Json* named = request.find("kwargs");
    if (!named) return args;
    std::vector<std::pair<std::size_t, const Json*>> placed;
    for (const auto& [name, value] : named->members)
        for (std::size_t i = args.size(); i < entry.parameters.size(); ++i)
            if (folded(entry.parameters[i]) == folded(name)) placed.emplace_back(i, &value);
    if (placed.size() != named->members.size()) {
        for (const auto& member : named->members) args.push_back(member.second);
        return args;
    }
    std::size_t count = args.size();
    for (const auto& [place, value] : placed) count = std::max(count, place + 1);
    args.resize(count);
    for (const auto& [place, value] : placed) args[place] = *value;
    return args;
}

class Driver {
  public:
    std::map<std::string, Entry> entries;
    std::map<std::string, std::string> found;

    Driver() : owner(getpid()) {
        const char* channel = std::getenv("ARENA_CHANNEL");
        int from = -1, to = -1;
        if (!channel || std::sscanf(channel, "%d,%d", &from, &to) != 2) std::_Exit(97);
        unsetenv("ARENA_CHANNEL");
        reading = fcntl(from, F_DUPFD_CLOEXEC, HIGH);
        writing = fcntl(to, F_DUPFD_CLOEXEC, HIGH);
        ::close(from);
        ::close(to);
    }

    int serve() {
        for (const auto& [name, entry] : entries)
            if (!entry.unreadable.empty()) {
                send("{\"failed\":{\"kind\":\"no-entry-point\",\"type\":" + shown(entry.unreadable) +
                     ",\"text\":\"a parameter's type that no value can be given for\",\"name\":" + shown(name) + "}}");
                return 0;
            }
        std::string names;
        for (const auto& [asked, name] : found) names += (names.empty() ? "" : ",") + shown(asked) + ":" + shown(name);
        send("{\"ready\":true,\"names\":{" + names + "}}");
        std::string text;
        while (line(text)) send(answer(Reader(text).whole()));
        return 0;
    }

  private:
    pid_t owner;
    int reading = -1, writing = -1;
    std::string waiting;

    std::string answer(const Json& request) {
        const Json* name = request.find("call");
        const auto at = entries.find(name ? name->text : "");
        if (at == entries.end()) return "{\"raised\":\"std::out_of_range\",\"bases\":[],\"text\":\"no such function\"}";
        try {
            return "{\"value\":" + at->second.call(arguments(at->second, request)) + "}";
        } catch (const abi::__forced_unwind&) {
            throw;
        } catch (const std::exception& error) {
            return raised(error.what());
        } catch (...) {
            return raised("");
        }
    }

    void send(std::string text) {
        if (getpid() != owner) std::_Exit(0);  // a copy that the candidate forked and that came back
        std::cout.flush();
        std::cerr.flush();
        std::fflush(nullptr);
        text += '\n';
        for (std::size_t at = 0; at < text.size();) {
            const ssize_t count = ::write(writing, text.data() + at, text.size() - at);
            if (count <= 0 && errno != EINTR) std::_Exit(98);
            if (count > 0) at += static_cast<std::size_t>(count);
        }
    }

    bool line(std::string& text) {
        for (;;) {
            const auto end = waiting.find('\n');
            if (end != std::string::npos) {
                text = waiting.substr(0, end);
                waiting.erase(0, end + 1);
                return true;
            }
            char chunk[65536];
            const ssize_t count = ::read(reading, chunk, sizeof chunk);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return false;
            waiting.append(chunk, static_cast<std::size_t>(count));
        }
    }
};

}  // namespace arena_driver
