//! Shared parts of the end-to-end tests: a workspace on disk with files of eight languages, and
//! its fresh index.

use kenning_graph::Hash;
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::path::{Path, PathBuf};

/// A temporary folder with a workspace and its databases, removed when dropped.
pub struct Fixture {
    folder: tempfile::TempDir,
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

impl Fixture {
    /// Creates an empty workspace.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("work")).expect("the folder is created");
        Self { folder }
    }

    /// Creates a workspace with a few files each of Go, Python, TypeScript, JavaScript, Rust, Java,
    /// C# and Ruby that call one another.
    pub fn polyglot() -> Self {
        let fixture = Self::new();
        for (path, text) in POLYGLOT {
            fixture.write(path, text);
        }
        fixture
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Returns the path of the database in the folder `name` next to the workspace.
    pub fn database_path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name).join("graph.db")
    }

    /// Writes a file of the workspace.
    pub fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().expect("files have folders")).expect("the folder is created");
        std::fs::write(file, text).expect("the file is written");
    }

    /// Reads a file of the workspace.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).expect("the file is readable")
    }

    /// Opens the workspace with the database in the folder `database`.
    pub fn open(&self, database: &str) -> Workspace {
        open_workspace(&self.root(), &self.database_path(database))
    }

    /// Indexes the workspace from scratch, with its own database, and returns the source root.
    pub fn fresh_source_root(&self) -> Hash {
        let database = tempfile::tempdir().expect("a temporary folder");
        let mut workspace = open_workspace(&self.root(), &database.path().join("graph.db"));
        workspace.refresh_all(&NoProgress).expect("the index succeeds");
        workspace.current_snapshot().source_root()
    }
}

/// Opens the workspace at `root` with the database file `database`.
pub fn open_workspace(root: &Path, database: &Path) -> Workspace {
    let options = WorkspaceOptions { db: Some(database.to_owned()), ..WorkspaceOptions::default() };
    Workspace::open(root, options).expect("the workspace opens")
}

/// A generator of pseudo-random numbers that are the same in every run (SplitMix64; Steele, Lea and
/// Flood 2014). Holds the state, which is the seed at first.
pub struct RandomNumbers(pub u64);

impl RandomNumbers {
    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub fn next_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

/// The path and text of each file of the polyglot workspace.
pub const POLYGLOT: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n\ngo 1.22\n"),
    (
        "store/cart.go",
        "package store\n\nimport \"example.com/shop/tax\"\n\n// Cart holds items.\ntype Cart struct {\n\titems []Item\n}\n\ntype Item struct {\n\tPrice int\n}\n\n// Total sums the prices.\nfunc (c *Cart) Total() int {\n\tsum := 0\n\tfor _, item := range c.items {\n\t\tsum += tax.Apply(item.Price)\n\t}\n\treturn c.round(sum)\n}\n\nfunc (c *Cart) round(n int) int { return n }\n",
    ),
    (
        "tax/tax.go",
        "package tax\n\n// Apply adds the tax.\nfunc Apply(price int) int {\n\treturn price + rate(price)\n}\n\nfunc rate(price int) int { return price / 5 }\n",
    ),
    (
        "py/shop/cart.py",
        "from .tax import apply_tax\nfrom shop.base import Base\n\n\nclass Cart(Base):\n    \"\"\"Holds items.\"\"\"\n\n    def __init__(self):\n        self.items = []\n\n    def total(self):\n        return self.round(sum(apply_tax(i) for i in self.items))\n",
    ),
    ("py/shop/base.py", "class Base:\n    def round(self, n):\n        return n\n"),
    (
        "py/shop/tax.py",
        "RATE = 5\n\n\ndef apply_tax(price):\n    return price + rate(price)\n\n\ndef rate(price):\n    return price // RATE\n",
    ),
    ("py/shop/__init__.py", "from .cart import Cart\n"),
    (
        "web/cart.ts",
        "import { applyTax } from './tax';\n\nexport class Cart {\n  private items: number[] = [];\n  total(): number {\n    return this.round(this.items.map((i) => applyTax(i)).length);\n  }\n  private round(n: number): number {\n    return n;\n  }\n}\n",
    ),
    (
        "web/tax.ts",
        "export function applyTax(price: number): number {\n  return price + rate(price);\n}\n\nfunction rate(price: number): number {\n  return price / 5;\n}\n",
    ),
    (
        "web/view.jsx",
        "import { Cart } from './cart';\n\nexport function View() {\n  const cart = new Cart();\n  return cart.total();\n}\n",
    ),
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "//! Shop.\nmod tax;\nuse crate::tax::apply;\n\n/// Holds items.\npub struct Cart {\n    items: Vec<u32>,\n}\n\nimpl Cart {\n    /// Sums the prices.\n    pub fn total(&self) -> u32 {\n        self.items.iter().map(|i| apply(*i)).sum()\n    }\n}\n",
    ),
    (
        "src/tax.rs",
        "pub fn apply(price: u32) -> u32 {\n    price + rate(price)\n}\n\nfn rate(price: u32) -> u32 {\n    price / 5\n}\n",
    ),
    (
        "java/shop/Cart.java",
        "package shop;\n\nimport shop.tax.Tax;\n\npublic class Cart {\n    private int sum;\n    public int total() { return Tax.apply(sum); }\n    public int total(int extra) { return total() + extra; }\n}\n",
    ),
    (
        "java/shop/tax/Tax.java",
        "package shop.tax;\n\npublic class Tax {\n    public static int apply(int price) { return price + rate(price); }\n    private static int rate(int price) { return price / 5; }\n}\n",
    ),
    (
        "cs/Cart.cs",
        "namespace Shop;\n\npublic class Cart : Base {\n    public int Total() { return Round(Tax.Apply(1)); }\n}\n",
    ),
    (
        "cs/Base.cs",
        "namespace Shop;\n\npublic class Base {\n    protected int Round(int n) { return n; }\n}\n\npublic static class Tax {\n    public static int Apply(int price) { return price; }\n}\n",
    ),
    (
        "rb/cart.rb",
        "require_relative 'tax'\n\nclass Cart\n  def total\n    Tax.apply(round(1))\n  end\n\n  def round(n)\n    n\n  end\nend\n",
    ),
    ("rb/tax.rb", "module Tax\n  def self.apply(price)\n    price + 1\n  end\nend\n"),
];
