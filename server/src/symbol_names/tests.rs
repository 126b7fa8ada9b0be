//! Tests of the names by which people and agents refer to symbols.

use super::*;
use crate::test_workspace::index_files;

fn shop() -> Snapshot {
    let shop = index_files(&[
        (
            "src/main/java/com/shop/Cart.java",
            "package com.shop;\npublic class Cart {\n  int add(int a) { return a; }\n  int add(long a) { return 0; }\n  int total() { return add(1); }\n}\n",
        ),
        (
            "web/cart.py",
            "class Cart:\n    def total(self):\n        return 1\n\n\ndef checkout():\n    return Cart().total()\n",
        ),
        (
            "tests/test_cart.py",
            "from web.cart import Cart, checkout\n\n\ndef test_total():\n    assert checkout() == 1\n",
        ),
    ]);
    shop.workspace.current_snapshot()
}

/// Returns the qualified names of the symbols that a name means, or the error.
fn found(snapshot: &Snapshot, name: &str) -> String {
    match find_overloads(snapshot, name) {
        Ok(ids) => {
            let names = ids.iter().filter_map(|&id| Some(snapshot.symbol(id)?.qualified_name()));
            names.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn names_work_as_people_paste_them() {
    let snapshot = shop();
    let total = "web/cart.py::Cart.total";
    for name in [
        "web/cart.py::Cart.total",
        "web/cart.py:2::Cart.total",
        "cart.py::Cart.total",
        "cart.py::total",
        "web.cart.Cart.total",
        "cart.Cart#total",
        "cart.Cart::total",
        " web.cart.Cart.total() ",
    ] {
        assert_eq!(found(&snapshot, name), total, "{name}");
    }
    let java = "src/main/java/com/shop/Cart.java::Cart";
    for name in ["com.shop.Cart", "shop.Cart", "Cart.java::Cart"] {
        assert_eq!(found(&snapshot, name), java, "{name}");
    }
    assert_eq!(found(&snapshot, "cart.py"), "web/cart.py");
    let id = find_symbol(&snapshot, "checkout").unwrap();
    let hex = snapshot.symbol(id).unwrap().hash.to_hex();
    assert_eq!(find_symbol(&snapshot, &hex[..8]).unwrap(), id);
    assert!(find_symbol(&snapshot, &hex[..7]).is_err());
    assert_eq!(found(&snapshot, &hex[..12].to_uppercase()), "web/cart.py::checkout");
}

#[test]
fn a_module_names_what_it_re_exports() {
    let shop = index_files(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "mod cart;\nmod order;\npub use crate::cart::Item;\n"),
        ("src/cart.rs", "pub struct Item;\nimpl Item {\n    pub fn price(&self) {}\n}\n"),
        ("src/order.rs", "pub struct Item;\n"),
        ("web/__init__.py", "from .params import Depends\n"),
        ("web/params.py", "def Depends():\n    pass\n"),
        ("web/models.py", "class Depends:\n    pass\n"),
    ]);
    let snapshot = shop.workspace.current_snapshot();
    let item = "src/cart.rs::Item";
    for name in ["shop::Item", "crate::Item", "shop::cart::Item", "crate::cart::Item", "cart.Item"] {
        assert_eq!(found(&snapshot, name), item, "{name}");
    }
    assert_eq!(found(&snapshot, "shop::Item::price"), "src/cart.rs::Item.price");
    assert_eq!(found(&snapshot, "crate::order::Item"), "src/order.rs::Item");
    assert_eq!(found(&snapshot, "web.Depends"), "web/params.py::Depends");
    assert!(found(&snapshot, "shop::stock::Item").starts_with("no symbol is named"));
}

#[test]
fn unknown_and_malformed_ids_are_named() {
    let snapshot = shop();
    let message = found(&snapshot, "0123456789ab");
    assert!(message.starts_with("no symbol has an id that begins with 0123456789ab;"), "{message}");
    assert!(found(&snapshot, "01234567").starts_with("no symbol is named 01234567;"), "it may be a name");
    let hex = |name: &str| {
        let id = find_symbol(&snapshot, name).unwrap();
        (id, snapshot.symbol(id).unwrap().hash.to_hex())
    };
    let ((checkout, first), (total, second)) = (hex("checkout"), hex("web/cart.py::Cart.total"));
    let ids = |ids: &[&str]| {
        find_ids(&snapshot, "pinned", &ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(ids(&[&first[..8], &second, "0123456789ab"]), Ok(vec![checkout, total]));
    assert_eq!(ids(&[&second, &first[..12]]), Ok(vec![total, checkout]));
    for unusable in ["checkout", &first[..7]] {
        let message = ids(&[unusable]).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{unusable} is not the id of a symbol;")), "{message}");
    }
}

#[test]
fn an_id_that_fits_several_symbols_is_ambiguous() {
    let snapshot = shop();
    let symbols: Vec<SymbolId> = snapshot.symbols().into_iter().take(2).collect();
    let found: Vec<(usize, SymbolId)> = symbols.iter().map(|&id| (0, id)).collect();
    let message = ambiguous_id(&snapshot, "01234567", &found).to_string();
    assert!(message.starts_with("01234567 is ambiguous; choose one of: 1) "), "{message}");
    assert!(message.contains(", 2) ") && message.matches(", id ").count() == 2, "{message}");
}

#[test]
fn overloads_of_one_type_are_one_answer() {
    let java = "src/main/java/com/shop/Cart.java::Cart.add";
    assert_eq!(found(&shop(), "Cart.add"), format!("{java} {java}"));
}

#[test]
fn a_name_that_a_bundle_repeats_means_the_source() {
    let text = "function addItem(cart) {\n  return cart;\n}\n";
    let bundle = [text, "function load() {}\n//# sourceMappingURL=shop.js.map\n"].concat();
    let workspace = index_files(&[("lib/cart.js", text), ("dist/shop.js", &bundle)]);
    let snapshot = workspace.workspace.current_snapshot();
    assert_eq!(found(&snapshot, "addItem"), "lib/cart.js::addItem");
    assert_eq!(found(&snapshot, "dist/shop.js::addItem"), "dist/shop.js::addItem");
    assert_eq!(found(&snapshot, "load"), "dist/shop.js::load");
}

#[test]
fn ambiguous_names_are_numbered_with_the_likeliest_first() {
    let message = found(&shop(), "Cart.total");
    let (first, second) =
        (message.find("1) web/cart.py::Cart.total (method, line 2, id "), message.find("2) src/main/java"));
    assert!(message.starts_with("Cart.total is ambiguous; choose one of: 1) "), "{message}");
    assert!(first.is_some() && first < second, "{message}");
}

#[test]
fn overloads_are_one_row_of_an_ambiguous_name_with_a_signature_each() {
    let add = "  int add(int a) { return a; }\n  int add(long a) { return 0; }\n";
    let shop = index_files(&[
        ("a/Cart.java", &format!("package a;\npublic class Cart {{\n{add}}}\n")),
        ("b/Cart.java", &format!("package b;\npublic class Cart {{\n{add}}}\n")),
    ]);
    let message = found(&shop.workspace.current_snapshot(), "Cart.add");
    assert!(message.contains("1) a/Cart.java::Cart.add (method, line 3, id "), "{message}");
    assert!(message.contains("): int add(int a) | int add(long a), 2) b/Cart.java::Cart.add "), "{message}");
    assert!(message.ends_with("): int add(int a) | int add(long a)"), "{message}");
}

#[test]
fn similar_names_are_proposed_for_unknown_ones() {
    let message = found(&shop(), "Cart.chekout");
    assert!(
        message.starts_with("no symbol is named Cart.chekout; did you mean checkout? Otherwise pass"),
        "{message}"
    );
    let message = found(&shop(), "zzz");
    assert!(message.starts_with("no symbol is named zzz; pass Class.method"), "{message}");
}
