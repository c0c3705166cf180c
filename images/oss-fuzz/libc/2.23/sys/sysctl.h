/* Gone since glibc 2.32. */
#include <stddef.h>
#include <linux/sysctl.h>
