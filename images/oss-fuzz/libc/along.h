/* What libc++'s <string>, <vector> and <algorithm> of then brought along, and today's leave to the sources. */
#ifdef __cplusplus
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#endif
