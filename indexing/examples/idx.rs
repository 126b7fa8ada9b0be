use kenning_indexing::workspace::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let root = std::path::Path::new(&args[1]);
    let o = WorkspaceOptions { db: Some(std::path::PathBuf::from(&args[2])), ..Default::default() };
    let t = std::time::Instant::now();
    let mut w = Workspace::open(root, o).unwrap_or_else(|e| {
        println!("{e}");
        std::process::exit(1)
    });
    println!("open {:?}", t.elapsed());
    let r = w.refresh(&NoProgress).unwrap();
    println!(
        "files {} symbols {} parsed {} cache {} resolved {} bytes {} secs {:.2} skipped {} calls {:?} root {}",
        r.files,
        r.symbols,
        r.parsed,
        r.from_cache,
        r.resolved_files,
        r.bytes,
        r.seconds,
        r.skipped.len(),
        r.calls,
        w.snapshot().source_root()
    );
    let s = w.snapshot();
    println!("{:?}", s.counts());
    println!("base {} db {}", s.base().size(), std::fs::metadata(&args[2]).unwrap().len());
}
