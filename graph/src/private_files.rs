//! Files and folders that only their owner may read, because an index contains words and names of
//! private code.
//!
//! On systems without file modes, the rights of the parent folder apply.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::path::Path;

/// The mode of a folder: all rights for the owner, none for others.
#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;

/// The mode of a file: the owner may read and write, others have no rights.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// Creates a folder and its missing parents for the owner only. Leaves existing folders unchanged.
pub fn create_folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER_MODE);
    builder.create(path)
}

/// Creates a file for the owner only, or truncates an existing file.
pub fn create_file(path: &Path) -> Result<File> {
    write_options().create(true).truncate(true).open(path)
}

/// Creates a file for the owner only.
///
/// # Errors
/// Returns an error if there is a file or a link already.
pub fn create_new_file(path: &Path) -> Result<File> {
    write_options().create_new(true).open(path)
}

/// Opens a file for writing. If it is missing, creates it for the owner only.
pub fn open_or_create(path: &Path) -> Result<File> {
    write_options().create(true).truncate(false).open(path)
}

/// Opens a file for reading and writing. If it is missing, creates it for the owner only.
pub fn open_or_create_readable(path: &Path) -> Result<File> {
    write_options().read(true).create(true).truncate(false).open(path)
}

/// Opens an existing file for reading and writing.
pub fn open_existing(path: &Path) -> Result<File> {
    write_options().read(true).open(path)
}

fn write_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    options
}

/// Removes the rights of group and others from a file or a folder. Leaves missing files and links
/// unchanged.
///
/// # Errors
/// Returns an error if the mode cannot be changed, for example because another user owns the file.
pub fn tighten_permissions(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(metadata) = std::fs::symlink_metadata(path) else { return Ok(()) };
        let mode = metadata.permissions().mode();
        if !metadata.is_symlink() && mode & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn file_mode(path: &Path) -> u32 {
        std::fs::symlink_metadata(path).expect("the file exists").permissions().mode() & 0o777
    }

    #[test]
    fn new_files_are_for_the_owner_only_and_existing_files_are_tightened() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (deep, file) = (dir.path().join("a/b"), dir.path().join("a/b/f"));
        create_folder(&deep).expect("created");
        create_file(&file).expect("created");
        assert_eq!(
            (file_mode(&dir.path().join("a")), file_mode(&deep), file_mode(&file)),
            (0o700, 0o700, 0o600)
        );
        for (path, loose) in [(&deep, 0o755), (&file, 0o644)] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(loose))
                .expect("the mode can be changed");
            tighten_permissions(path).expect("tightened");
        }
        assert_eq!((file_mode(&deep), file_mode(&file)), (0o700, 0o600));
        tighten_permissions(&dir.path().join("absent")).expect("a missing file is skipped");
        let link = dir.path().join("link");
        let target = dir.path().join("target");
        std::fs::write(&target, "").expect("written");
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o644)).expect("set");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        tighten_permissions(&link).expect("a link is skipped");
        assert_eq!(file_mode(&target), 0o644, "the target of a link is unchanged");
    }
}
