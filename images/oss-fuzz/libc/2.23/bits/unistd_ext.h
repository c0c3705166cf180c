/* Empty as in glibc before 2.30: sources of then define a gettid of their own. */
