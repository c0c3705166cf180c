#[test]
fn a_before() {}
#[test]
fn middle() {
    match std::env::var("DIE").as_deref() {
        Ok("crash") => std::process::abort(),
        Ok("exit0") => std::process::exit(0),
        Ok("sleep") => std::thread::sleep(std::time::Duration::from_secs(30)),
        _ => {}
    }
}
#[test]
fn zafter() {}
