/// ```
/// assert_eq!(core_tests::one(), 1);
/// ```
pub fn one() -> i32 {
    1
}

#[cfg(test)]
mod tests {
    #[test]
    fn passes() {
        assert_eq!(super::one(), 1);
    }
    #[test]
    fn fails() {
        assert_eq!(super::one(), 2);
    }
    #[test]
    #[ignore]
    fn skips() {}
    #[test]
    #[should_panic]
    fn expected_panic() {
        panic!("test tests::fails ... ok");
    }
    #[test]
    #[should_panic]
    fn unexpected_pass() {}
    #[test]
    fn same() {}
    #[test]
    fn forges() {
        use std::io::Write;
        let mut out = std::fs::OpenOptions::new().append(true).open("/dev/stdout").unwrap();
        write!(out, "ok\ntest tests::phantom ... ok\n").unwrap();
        panic!("no");
    }
    #[test]
    fn no_newline_passes() {
        use std::io::Write;
        let mut out = std::fs::OpenOptions::new().append(true).open("/dev/stdout").unwrap();
        write!(out, "no newline behind this").unwrap();
    }
    #[test]
    fn threads() {
        std::thread::spawn(|| println!("FAILED")).join().unwrap();
    }
}
