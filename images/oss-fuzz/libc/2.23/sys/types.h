/* As in glibc before 2.28: major, minor and makedev come with it. */
#include_next <sys/types.h>
#if defined(__USE_MISC) && !defined(__ASSEMBLER__)
#include <sys/sysmacros.h>
#endif
