mod tests {
    #[test]
    fn same() {
        panic!("no");
    }
}
