//! Whether a member belongs to a type itself or to its values, as its signature says.

/// What stands before the signature of a method that is written in a singleton class of Ruby (`class << self`).
pub const IN_SINGLETON_CLASS: &str = "class << self; ";

/// Whether a member with this signature belongs to the type itself: `static total()`, `def self.total`.
///
/// It is part of what other files may look up in a file ([`crate::Snapshot`]'s record of lookups), unlike the rest of the
/// signature.
pub fn is_static(signature: &str) -> bool {
    if signature.starts_with(IN_SINGLETON_CLASS) {
        return true;
    }
    if let Some(rest) = signature.strip_prefix("def ") {
        return rest.split([' ', '(', ';', '=']).next().is_some_and(|named| named.contains('.'));
    }
    let head = signature.split(['(', '=', ':', '<']).next().unwrap_or("");
    let mut words = head.split_ascii_whitespace().rev();
    words.next();
    words.any(|word| word == "static")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_says_who_has_a_member() {
        for signature in [
            "static total(): number",
            "private static async total(): Promise<number>",
            "static limit = 3",
            "public static int total()",
            "def self.total",
            "def Order.total(of)",
            "class << self; def total",
        ] {
            assert!(is_static(signature), "{signature}");
        }
        for signature in [
            "total(isStatic: static)",
            "static()",
            "staticTotal()",
            "def total(self_cost) = self_cost.to_i",
            "def total(a=b.c)",
            "def total -> t.Self",
            "",
        ] {
            assert!(!is_static(signature), "{signature}");
        }
    }
}
