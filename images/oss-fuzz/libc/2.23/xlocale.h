/* Gone since glibc 2.26. */
#include <locale.h>
