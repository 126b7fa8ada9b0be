//! Several processes on one workspace: all answer, one writes, and who is left takes over.

use kenning_indexing::workspace::NoProgress;
use tests::Fixture;

#[test]
fn one_writes_both_answer_and_the_reader_takes_over() {
    let fixture = Fixture::polyglot();
    let mut first = fixture.open("shared");
    first.refresh(&NoProgress).expect("indexed");
    let mut second = fixture.open("shared");
    assert!(first.is_writer() && !second.is_writer());
    assert_eq!(second.snapshot().source_root(), first.snapshot().source_root());

    let written = std::fs::read(fixture.database("shared")).expect("read");
    fixture.write("tax/tax.go", "package tax\n\nfunc Apply(price int) int { return price }\n");
    second.refresh(&NoProgress).expect("a reader answers");
    assert_eq!(second.snapshot().source_root(), fixture.fresh_root(), "a reader sees the disk");
    assert_eq!(std::fs::read(fixture.database("shared")).expect("read"), written, "a reader writes nothing");

    first.refresh(&NoProgress).expect("the writer writes");
    second.refresh(&NoProgress).expect("the reader follows");
    assert_eq!(second.snapshot().source_root(), first.snapshot().source_root());

    drop(first);
    fixture.write("tax/more.go", "package tax\n\nfunc More() int { return Apply(1) }\n");
    second.refresh(&NoProgress).expect("refreshed");
    assert!(second.is_writer(), "the lock is free");
    drop(second);
    let third = fixture.open("shared");
    assert_eq!(third.snapshot().source_root(), fixture.fresh_root(), "what it wrote is there");
}
