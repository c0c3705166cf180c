/* Empty as in glibc before 2.34: SIGSTKSZ is a constant. */
