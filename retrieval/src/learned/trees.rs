//! The ensemble of regression trees: reading, evaluation and attribution.
//!
//! The trees are gradient boosted with the LambdaMART objective (Burges 2010, "From RankNet to
//! LambdaRank to LambdaMART"). All values of leaves are integers, so that sums are exact and equal
//! on every machine.
//!
//! The file (`data/ranker.bin`, little endian), as `bench/training/train_ranker.py` writes it:
//!
//! * `KRANK1`, the number of features (u16) and of trees (u16).
//! * For each feature: the length of its name (u8), the name, the number of its thresholds (u8) and
//!   the thresholds (f32).
//! * For each tree: the number of inner nodes (u8), and for each inner node: feature (u8),
//!   threshold (u8), left and right child (u8 each; 128 and above are leaves), expected value
//!   (i16). Then one value (i16) for each leaf; there is one leaf more than inner nodes.
//!
//! A candidate goes left if its value is at most the threshold.

/// Divisor that turns a sum of the trees' values into a score. The file stores the trained values
/// in units of 1/4,096, and a division by eight puts the scores of a list on the scale of the other
/// stages, where the best candidate has about 1.
pub(super) const SCALE: f64 = 32_768.0;

/// Lowest child number that denotes a leaf.
const FIRST_LEAF: u8 = 128;

/// The first bytes of the file.
const MAGIC: &[u8] = b"KRANK1";

/// A node with two children.
#[derive(Clone, Copy, Debug)]
struct InnerNode {
    /// Column of the feature.
    column: u16,
    /// Greatest value that goes left.
    threshold: f32,
    left: u8,
    right: u8,
    /// Mean value of the training candidates that reach the node.
    expected: i16,
}

#[derive(Clone, Debug)]
struct RegressionTree {
    nodes: Vec<InnerNode>,
    leaves: Vec<i16>,
}

/// An ensemble of trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeEnsemble {
    trees: Vec<RegressionTree>,
}

impl TreeEnsemble {
    /// Reads an ensemble whose features are among `columns`.
    ///
    /// # Errors
    /// Returns a sentence that describes the first error in the file.
    pub fn parse(bytes: &[u8], columns: &[&str]) -> Result<Self, String> {
        let mut reader = ByteReader { rest: bytes };
        if reader.take(MAGIC.len())? != MAGIC {
            return Err("the file does not begin with KRANK1".to_owned());
        }
        let (feature_count, tree_count) = (reader.read_u16()?, reader.read_u16()?);
        let mut features: Vec<(u16, Vec<f32>)> = Vec::new();
        for _ in 0..feature_count {
            let length = reader.read_u8()?;
            let name = std::str::from_utf8(reader.take(length.into())?).map_err(|error| error.to_string())?;
            let column = columns.iter().position(|known| *known == name);
            let column = column.ok_or_else(|| format!("`{name}` is not a feature"))?;
            let count = reader.read_u8()?;
            let thresholds: Result<Vec<f32>, String> = (0..count).map(|_| reader.read_f32()).collect();
            features.push((column as u16, thresholds?));
        }
        let trees: Result<Vec<RegressionTree>, String> =
            (0..tree_count).map(|_| RegressionTree::parse(&mut reader, &features)).collect();
        if !reader.rest.is_empty() {
            return Err(format!("{} bytes follow the last tree", reader.rest.len()));
        }
        Ok(Self { trees: trees? })
    }

    /// Returns the sum of the trees' values for a row of features.
    #[cfg(test)]
    pub fn score_row(&self, row: &[f32]) -> i32 {
        self.trees.iter().map(|tree| i32::from(tree.evaluate_row(row))).sum()
    }

    /// Returns the expected sum, before any feature is known. It is the same for all candidates.
    #[cfg(test)]
    pub fn expected_sum(&self) -> i32 {
        self.trees.iter().map(|tree| i32::from(tree.expected_value())).sum()
    }

    /// Adds the contribution of each feature to `contributions`, which has one entry for each
    /// column. A split contributes the difference between the expected values of the child that the
    /// row reaches and of the node (path attribution; Saabas 2014). The contributions and the
    /// expected value of the ensemble add up to the sum of the trees exactly.
    pub fn add_contributions(&self, row: &[f32], contributions: &mut [i32]) {
        for tree in &self.trees {
            let mut at = 0u8;
            while let Some(node) = tree.nodes.get(usize::from(at)) {
                let next = node.next_child(row);
                contributions[usize::from(node.column)] +=
                    i32::from(tree.value_at(next)) - i32::from(node.expected);
                if next >= FIRST_LEAF {
                    break;
                }
                at = next;
            }
        }
    }
}

impl InnerNode {
    fn next_child(&self, row: &[f32]) -> u8 {
        if row[usize::from(self.column)] <= self.threshold { self.left } else { self.right }
    }
}

impl RegressionTree {
    fn parse(reader: &mut ByteReader<'_>, features: &[(u16, Vec<f32>)]) -> Result<Self, String> {
        let count = reader.read_u8()?;
        if count >= FIRST_LEAF {
            return Err(format!("a tree has {count} inner nodes"));
        }
        let mut nodes = Vec::new();
        for number in 0..count {
            let [feature, threshold, left, right] = reader.read_array::<4>()?;
            let (column, thresholds) =
                features.get(usize::from(feature)).ok_or_else(|| format!("there is no feature {feature}"))?;
            let threshold = thresholds.get(usize::from(threshold)).copied();
            let threshold = threshold.ok_or_else(|| format!("feature {feature} has too few thresholds"))?;
            // Children come after their node, so that every path ends.
            let is_valid = |child: u8| match child.checked_sub(FIRST_LEAF) {
                Some(leaf) => leaf <= count,
                None => child > number && child < count,
            };
            if !is_valid(left) || !is_valid(right) {
                return Err(format!("node {number} has no valid children"));
            }
            nodes.push(InnerNode { column: *column, threshold, left, right, expected: reader.read_i16()? });
        }
        let leaves: Result<Vec<i16>, String> = (0..=count).map(|_| reader.read_i16()).collect();
        Ok(Self { nodes, leaves: leaves? })
    }

    #[cfg(test)]
    fn evaluate_row(&self, row: &[f32]) -> i16 {
        let mut at = if self.nodes.is_empty() { FIRST_LEAF } else { 0 };
        while at < FIRST_LEAF {
            at = self.nodes[usize::from(at)].next_child(row);
        }
        self.value_at(at)
    }

    /// Returns the value of a leaf, or the expected value of an inner node.
    fn value_at(&self, node: u8) -> i16 {
        match node.checked_sub(FIRST_LEAF) {
            Some(leaf) => self.leaves[usize::from(leaf)],
            None => self.nodes[usize::from(node)].expected,
        }
    }

    #[cfg(test)]
    fn expected_value(&self) -> i16 {
        self.nodes.first().map_or(self.leaves[0], |root| root.expected)
    }
}

/// Reads numbers from bytes.
struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("the file is truncated")?;
        self.rest = rest;
        Ok(taken)
    }

    fn read_array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| "the file is truncated".to_owned())
    }

    fn read_u8(&mut self) -> Result<u8, String> {
        Ok(self.read_array::<1>()?[0])
    }

    fn read_u16(&mut self) -> Result<u16, String> {
        Ok(u16::from_le_bytes(self.read_array()?))
    }

    fn read_i16(&mut self) -> Result<i16, String> {
        Ok(i16::from_le_bytes(self.read_array()?))
    }

    fn read_f32(&mut self) -> Result<f32, String> {
        Ok(f32::from_le_bytes(self.read_array()?))
    }
}

#[cfg(test)]
mod tests {
    use super::TreeEnsemble;

    /// Builds a file with one tree: `b <= 2` gives -10, else `a <= 0.5` gives 20 or 40.
    fn build_file() -> Vec<u8> {
        let mut bytes = b"KRANK1".to_vec();
        bytes.extend([2, 0, 1, 0]);
        bytes.extend([1, b'a', 1]);
        bytes.extend(0.5f32.to_le_bytes());
        bytes.extend([1, b'b', 1]);
        bytes.extend(2.0f32.to_le_bytes());
        bytes.push(2);
        bytes.extend([1, 0, 128, 1, 10, 0]);
        bytes.extend([0, 0, 129, 130, 30, 0]);
        for value in [-10i16, 20, 40] {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn a_row_goes_left_up_to_the_threshold() {
        let trees = TreeEnsemble::parse(&build_file(), &["a", "b"]).unwrap();
        assert_eq!(trees.score_row(&[0.0, 2.0]), -10);
        assert_eq!(trees.score_row(&[0.5, 2.5]), 20);
        assert_eq!(trees.score_row(&[0.6, 2.5]), 40);
    }

    #[test]
    fn contributions_add_up_to_the_sum() {
        let trees = TreeEnsemble::parse(&build_file(), &["a", "b"]).unwrap();
        for row in [[0.0, 0.0], [0.0, 3.0], [1.0, 3.0]] {
            let mut contributions = [0; 2];
            trees.add_contributions(&row, &mut contributions);
            assert_eq!(trees.expected_sum() + contributions.iter().sum::<i32>(), trees.score_row(&row));
        }
    }

    #[test]
    fn damaged_files_give_an_error() {
        let bytes = build_file();
        for length in 0..bytes.len() {
            assert!(TreeEnsemble::parse(&bytes[..length], &["a", "b"]).is_err(), "{length} bytes");
        }
        assert!(TreeEnsemble::parse(&bytes, &["a"]).unwrap_err().contains("`b` is not a feature"));
        let mut endless = bytes.clone();
        let root = bytes.len() - 6 - 12;
        endless[root + 3] = 0;
        assert!(TreeEnsemble::parse(&endless, &["a", "b"]).is_err(), "a node is its own child");
    }
}
