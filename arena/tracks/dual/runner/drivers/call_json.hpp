// The least of JSON that the C++ driver needs: a reader with bounded depth, and a writer of tagged values.
#pragma once

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace arena_driver {

constexpr int DEPTH = 80;

struct Json {
    enum Kind { NONE, TRUTH, NUMBER, TEXT, LIST, DICT };
    Kind kind = NONE;
    bool truth = false;
    std::string text;  // of a text, or the letters of a number
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> members;

    const Json* find(const std::string& name) const {
        for (const auto& member : members)
            if (member.first == name) return &member.second;
        return nullptr;
    }
    // The content of a tag: of {"$bytes": ..} that of "$bytes".
    const Json* tagged(const char* tag) const { return kind == DICT ? find(tag) : nullptr; }
};

class Reader {
  public:
    explicit Reader(const std::string& source) : at(source.data()), end(at + source.size()) {}

    Json whole() {
        Json value = next(0);
        blank();
        if (at != end) fail();
        return value;
    }

  private:
    const char* at;
    const char* end;

    [[noreturn]] static void fail() { throw std::runtime_error("the request is no JSON"); }

    void blank() {
        while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    }

    char peek() {
        blank();
        if (at == end) fail();
        return *at;
    }

    void expect(char letter) {
        if (peek() != letter) fail();
        ++at;
    }

    Json next(int depth) {
        if (depth > DEPTH) fail();
        switch (peek()) {
            case '{': return dict(depth);
            case '[': return list(depth);
            case '"': return text();
            case 't': return word("true", Json::TRUTH, true);
            case 'f': return word("false", Json::TRUTH, false);
            case 'n': return word("null", Json::NONE, false);
            default: return number();
        }
    }

    Json word(const char* letters, Json::Kind kind, bool truth) {
        for (; *letters; ++letters, ++at)
            if (at == end || *at != *letters) fail();
        Json value;
        value.kind = kind;
        value.truth = truth;
        return value;
    }

    Json number() {
        Json value;
        value.kind = Json::NUMBER;
        while (at != end && (std::string("+-.eE").find(*at) != std::string::npos || (*at >= '0' && *at <= '9')))
            value.text += *at++;
        if (value.text.empty()) fail();
        return value;
    }

    Json list(int depth) {
        Json value;
        value.kind = Json::LIST;
        expect('[');
        if (peek() == ']') return ++at, value;
        for (;;) {
            value.items.push_back(next(depth + 1));
            if (peek() == ']') return ++at, value;
            expect(',');
        }
    }

    Json dict(int depth) {
        Json value;
        value.kind = Json::DICT;
        expect('{');
        if (peek() == '}') return ++at, value;
        for (;;) {
            peek();
            std::string name = text().text;
            expect(':');
            value.members.emplace_back(std::move(name), next(depth + 1));
            if (peek() == '}') return ++at, value;
            expect(',');
        }
    }

    unsigned unit() {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i, ++at) {
            if (at == end) fail();
            const char* digits = "0123456789abcdef";
            const char letter = *at >= 'A' && *at <= 'F' ? static_cast<char>(*at + 32) : *at;
            const auto place = std::string(digits).find(letter);
            if (place == std::string::npos) fail();
            code = code * 16 + static_cast<unsigned>(place);
        }
        return code;
    }

    static void add(std::string& to, unsigned code) {
        if (code < 0x80) {
            to += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
        to += static_cast<char>(lead[more] | (code >> (6 * more)));
        for (int i = more - 1; i >= 0; --i) to += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
    }

    void escape(std::string& to) {
        if (at == end) fail();
        const char letter = *at++;
        if (letter != 'u') {
            const std::string from = "\"\\/bfnrt", as = "\"\\/\b\f\n\r\t";
            const auto place = from.find(letter);
            if (place == std::string::npos) fail();
            to += as[place];
            return;
        }
        unsigned code = unit();
        if (code >= 0xD800 && code < 0xDC00 && end - at > 6 && at[0] == '\\' && at[1] == 'u') {
            at += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + (unit() - 0xDC00);
        }
        add(to, code);
    }

    Json text() {
        Json value;
        value.kind = Json::TEXT;
        expect('"');
        while (at != end && *at != '"') {
            if (*at == '\\')
                ++at, escape(value.text);
            else
                value.text += *at++;
        }
        if (at == end) fail();
        ++at;
        return value;
    }
};

const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string from_base64(const std::string& text) {
    std::string bytes;
    unsigned held = 0;
    int bits = 0;
    for (char letter : text) {
        const auto place = std::string(BASE64).find(letter);
        if (place == std::string::npos || letter == '\0') break;
        held = (held << 6 | static_cast<unsigned>(place)) & 0xFFFFFF;
        bits += 6;
        if (bits >= 8) bytes += static_cast<char>((held >> (bits -= 8)) & 0xFF);
    }
    return bytes;
}

inline std::string to_base64(const std::string& bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned held = 0;
        for (std::size_t k = 0; k < 3; ++k)
            held = held << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k > bytes.size() ? '=' : BASE64[(held >> (18 - 6 * k)) & 63];
    }
    return text;
}

// How long the UTF-8 letter at `i` is; 0 when there is none (overlong, surrogate, cut off).
inline std::size_t letter_length(const std::string& text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
    const unsigned lead = byte(i);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(i + k) & 0xC0) != 0x80) return 0;
    const unsigned second = byte(i + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
    return length;
}

inline bool is_utf8(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = letter_length(text, i);
        if (!length) return false;
        i += length;
    }
    return true;
}

inline std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (char letter : text) {
        if (letter == '"' || letter == '\\') {
            made += '\\';
            made += letter;
        } else if (static_cast<unsigned char>(letter) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
            made += code;
        } else {
            made += letter;
        }
    }
    return made + '"';
}

// A text as a value: bytes when it is not UTF-8.
inline std::string text_value(const std::string& text) {
    return is_utf8(text) ? arena_driver::quoted(text) : "{\"$bytes\":\"" + to_base64(text) + "\"}";
}

// A text of ours or of an exception, which has to be a JSON text.
inline std::string shown(std::string text) {
    text = text.substr(0, 2000);
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = letter_length(text, i);
        if (!length) text[i] = '?';
        i += length ? length : 1;
    }
    return arena_driver::quoted(text);
}

}  // namespace arena_driver
