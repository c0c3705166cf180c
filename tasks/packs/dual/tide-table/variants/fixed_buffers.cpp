#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Reading {
    int there;
    char time[6];
    int height;
};

static void put_metres(FILE* out, int cm) {
    std::fprintf(out, "%s%d.%02d", cm < 0 ? "-" : "", std::abs(cm) / 100, std::abs(cm) % 100);
}

static int is_time(const char* text) {
    int hours, minutes;
    return std::strlen(text) == 5 && std::sscanf(text, "%2d:%2d", &hours, &minutes) == 2 && hours >= 0 && hours < 24 &&
           minutes >= 0 && minutes < 60;
}

int main(int argc, char** argv) {
    if (argc < 3) return 1;
    FILE* in = std::fopen(argv[1], "r");
    if (!in) return 1;
    char name[96];
    int slots;
    if (std::fscanf(in, "station %[^\n]\n", name) != 1 || std::fscanf(in, "slots %d\n", &slots) != 1) return 1;
    Reading* readings = static_cast<Reading*>(std::calloc(slots, sizeof(Reading)));
    char line[256];
    while (std::fgets(line, sizeof line, in)) {
        int slot, height;
        char time[64];
        if (std::sscanf(line, "%d %63s %d", &slot, time, &height) != 3 || !is_time(time)) return 1;
        if (readings[slot].there) return 1;
        readings[slot].there = 1;
        std::strcpy(readings[slot].time, time);
        readings[slot].height = height;
    }
    FILE* out = std::fopen(argv[2], "w");
    if (!out) return 1;
    std::fprintf(out, "%s\n", name);
    long total = 0, count = 0;
    for (int slot = 0; slot < slots; ++slot) {
        std::fprintf(out, "%d ", slot);
        if (readings[slot].there) {
            std::fprintf(out, "%s ", readings[slot].time);
            put_metres(out, readings[slot].height);
            std::fprintf(out, "\n");
            total += readings[slot].height;
            ++count;
        } else {
            std::fprintf(out, "- -\n");
        }
    }
    std::fprintf(out, "mean ");
    if (count)
        put_metres(out, static_cast<int>(total / count));
    else
        std::fprintf(out, "-");
    std::fprintf(out, "\n");
    std::fclose(out);
    return 0;
}
