//! Loads a model in the format of model2vec from a folder.
//!
//! The folder has `tokenizer.json`, `config.json` and `model.safetensors`: a table with a vector
//! for each token. The vector of a text is the mean of those of its tokens. Nothing is ever
//! downloaded. The files may be malformed, and the library panics on some of them, so that every
//! call is guarded.

use super::tokenizer_check;
use kenning_graph::Hash;
use kenning_graph::hash::HashBuilder;
use kenning_indexing::named_file::{FileRefusal, LinkRule, read_bytes};
use kenning_retrieval::vectors::{TEXT_RULES, TextEmbedder};
use model2vec_rs::model::StaticModel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

/// The files of a model with their maximum sizes in bytes. The largest published model has a table
/// of 500 MB.
const MODEL_FILES: [(&str, u64); 3] =
    [("tokenizer.json", 64 << 20), ("model.safetensors", 1 << 30), ("config.json", 1 << 20)];

/// Maximum number of values in a vector. A malformed file may claim any number.
const MAX_DIMENSIONS: usize = 4_096;

/// The reason why a model cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    /// A file of the model is missing.
    #[error(
        "{} does not exist; set vectors.model to a folder with tokenizer.json, config.json and model.safetensors, as \
         model2vec writes them",
        .0.display()
    )]
    Missing(PathBuf),
    /// A file of the model cannot be read.
    #[error("the model file {} {refusal}; set vectors.model to the folder of a model2vec model", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason.
        refusal: FileRefusal,
    },
    /// The files are not a model.
    #[error(
        "the model in {} cannot be used: {reason}; set vectors.model to the folder of a model2vec model",
        folder.display()
    )]
    Malformed {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// Returns the folder that the option `vectors.model` names, which is absolute or relative to the
/// root of the workspace.
pub fn model_folder(root: &Path, option: &str) -> PathBuf {
    root.join(option)
}

/// The sizes and times of the files of a model, which reveal a change to it.
pub(super) type ModelStamp = Vec<Option<(u64, Option<SystemTime>)>>;

/// A loaded model.
pub struct EmbeddingModel {
    model: StaticModel,
    dimensions: usize,
    /// The identity of the model and of the rules for texts.
    identity: Hash,
}

impl EmbeddingModel {
    /// Loads the model in a folder.
    ///
    /// # Errors
    /// Returns an error that names the file or folder if a file is missing, cannot be read, or is
    /// malformed.
    pub fn load_folder(folder: &Path) -> Result<Self, ModelError> {
        let files = MODEL_FILES.map(|(name, limit)| {
            let path = folder.join(name);
            match read_bytes(&path, limit, LinkRule::Follow) {
                Ok(Some(bytes)) => Ok(bytes),
                Ok(None) => Err(ModelError::Missing(path)),
                Err(refusal) => Err(ModelError::Refused { path, refusal }),
            }
        });
        let [tokenizer, table, config] = files;
        let (tokenizer, table, config) = (tokenizer?, table?, config?);
        let malformed = |reason: String| ModelError::Malformed { folder: folder.to_owned(), reason };
        tokenizer_check::check_growth(&tokenizer).map_err(malformed)?;
        let load = || StaticModel::from_bytes(&tokenizer, &table, &config, Some(true));
        let model = match catch_unwind(AssertUnwindSafe(load)) {
            Ok(Ok(model)) => model,
            Ok(Err(error)) => return Err(malformed(format!("{error:#}"))),
            Err(_) => return Err(malformed("its files contradict one another".to_owned())),
        };
        let dimensions = model.dim();
        if dimensions > MAX_DIMENSIONS {
            let reason =
                format!("its vectors have {dimensions} values, at most {MAX_DIMENSIONS} are allowed");
            return Err(malformed(reason));
        }
        let mut identity = HashBuilder::new("embedding model");
        identity.add_number(u64::from(TEXT_RULES));
        identity.add_bytes(&tokenizer).add_bytes(&table).add_bytes(&config);
        let loaded = Self { model, dimensions, identity: identity.finish() };
        // A table that is too small for its tokenizer is only noticed when a text has such a token.
        match loaded.try_embed("the name of a function") {
            Some(_) => Ok(loaded),
            None => Err(malformed("its table does not fit its tokenizer".to_owned())),
        }
    }

    /// Returns the sizes and times of the files of a model.
    pub(super) fn read_stamp(folder: &Path) -> ModelStamp {
        let stamp = |(name, _): (&str, u64)| {
            let metadata = std::fs::metadata(folder.join(name)).ok()?;
            Some((metadata.len(), metadata.modified().ok()))
        };
        MODEL_FILES.into_iter().map(stamp).collect()
    }

    /// Returns the identity of the vectors of this model.
    pub fn identity(&self) -> Hash {
        self.identity
    }

    /// Returns the vector of a text; `None` if the files of the model contradict one another.
    fn try_embed(&self, text: &str) -> Option<Vec<f32>> {
        catch_unwind(AssertUnwindSafe(|| self.model.encode_single(text))).ok()
    }
}

impl TextEmbedder for EmbeddingModel {
    fn embed_text(&self, text: &str) -> Vec<f32> {
        self.try_embed(text).unwrap_or_else(|| {
            tracing::warn!("the model in vectors.model has no vector for a token; its files do not fit");
            vec![0.0; self.dimensions]
        })
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The tokens of the test model with their vectors. Words of one meaning share a direction.
    const TOKENS: [(&str, [f32; 4]); 12] = [
        ("[UNK]", [0.0, 0.0, 0.0, 0.0]),
        ("cart", [1.0, 0.0, 0.0, 0.0]),
        ("basket", [1.0, 0.0, 0.0, 0.1]),
        ("trolley", [1.0, 0.1, 0.0, 0.0]),
        ("session", [0.0, 1.0, 0.0, 0.0]),
        ("login", [0.0, 1.0, 0.1, 0.0]),
        ("cookie", [0.0, 0.9, 0.0, 0.3]),
        ("price", [0.0, 0.0, 1.0, 0.0]),
        ("cost", [0.1, 0.0, 1.0, 0.0]),
        ("the", [0.01, 0.01, 0.01, 0.01]),
        ("name", [0.0, 0.0, 0.0, 1.0]),
        ("title", [0.0, 0.0, 0.1, 1.0]),
    ];

    /// Writes a tensor of 32-bit numbers in the format of safetensors.
    fn encode_safetensors(shape: [usize; 2], values: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let header = format!(
            r#"{{"embeddings":{{"dtype":"F32","shape":[{},{}],"data_offsets":[0,{}]}}}}"#,
            shape[0],
            shape[1],
            bytes.len()
        );
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(bytes);
        file
    }

    /// Writes a tiny model into a folder.
    pub(crate) fn write_model(folder: &Path) {
        let vocabulary: Vec<String> =
            TOKENS.iter().enumerate().map(|(id, (token, _))| format!(r#""{token}":{id}"#)).collect();
        let tokenizer = format!(
            r#"{{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":{{"type":"Lowercase"}},
               "pre_tokenizer":{{"type":"Whitespace"}},"post_processor":null,"decoder":null,
               "model":{{"type":"WordLevel","vocab":{{{}}},"unk_token":"[UNK]"}}}}"#,
            vocabulary.join(",")
        );
        let values: Vec<f32> = TOKENS.iter().flat_map(|(_, vector)| *vector).collect();
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
        std::fs::write(folder.join("config.json"), r#"{"normalize": true}"#).unwrap();
        std::fs::write(folder.join("model.safetensors"), encode_safetensors([TOKENS.len(), 4], &values))
            .unwrap();
    }

    #[test]
    fn words_of_one_meaning_have_near_vectors() {
        let folder = tempfile::tempdir().unwrap();
        write_model(folder.path());
        let model = EmbeddingModel::load_folder(folder.path()).unwrap();
        let cosine = |a: &str, b: &str| {
            let (a, b) = (model.embed_text(a), model.embed_text(b));
            a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>()
        };
        assert_eq!(model.dimensions(), 4);
        assert!(cosine("Cart", "basket") > 0.9 && cosine("cart", "session") < 0.1);
        assert_eq!(model.embed_text("zebra"), [0.0; 4]);
        assert_eq!(model.identity(), EmbeddingModel::load_folder(folder.path()).unwrap().identity());
    }

    #[test]
    fn unusable_models_say_which_file_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let load = || EmbeddingModel::load_folder(folder.path()).err().map(|error| error.to_string());
        let ends = "set vectors.model to";
        let missing = load().unwrap();
        assert!(missing.contains("tokenizer.json does not exist") && missing.contains(ends), "{missing}");
        let grows = br#"{"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"LONG"}}"#;
        let grows = String::from_utf8_lossy(grows).replace("LONG", &"a".repeat(1000));
        let cases: [(&str, &[u8], &str); 8] = [
            ("tokenizer.json", grows.as_bytes(), "makes texts too long"),
            ("tokenizer.json", b"{", "cannot be used"),
            ("tokenizer.json", b"[]", "cannot be used"),
            ("config.json", b"\xff", "cannot be used"),
            ("model.safetensors", b"", "cannot be used"),
            ("model.safetensors", &[0xff; 64], "cannot be used"),
            ("model.safetensors", b"\x02\0\0\0\0\0\0\0{}", "cannot be used"),
            ("model.safetensors", &encode_safetensors([2, 4], &[1.0; 8]), "does not fit its tokenizer"),
        ];
        for (name, bytes, expected) in cases {
            write_model(folder.path());
            assert_eq!(load(), None);
            std::fs::write(folder.path().join(name), bytes).unwrap();
            let problem = load().unwrap_or_default();
            let says = problem.contains(expected) && problem.contains(ends);
            assert!(says && problem.contains(&folder.path().display().to_string()), "{name}: {problem}");
        }
        write_model(folder.path());
        std::fs::write(folder.path().join("model.safetensors"), encode_safetensors([12, 0], &[])).unwrap();
        assert!(load().is_some());
        std::fs::remove_file(folder.path().join("config.json")).unwrap();
        std::fs::create_dir(folder.path().join("config.json")).unwrap();
        assert!(load().unwrap().contains("config.json is a folder"));
    }
}
