//! Writes files that belong to the user.
//!
//! A file is replaced by a new one, which is renamed over it, so that readers see the old or the new
//! content. The new file gets the owner, the group and the mode of the old one. Administrators also
//! configure programs for other users (`sudo kenning agents install`), so files and folders that
//! root creates belong to the owner of the folder around them.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The readers of a file that does not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NewFileReaders {
    /// Those that the user's umask allows.
    Umask,
    /// The owner.
    Owner,
}

/// Replaces a file atomically: readers see the old or the new content. Creates the folder of the
/// file, follows links, and keeps the owner and the permissions of an existing file. The file of
/// another user, which only root can replace like that, is overwritten in place.
///
/// # Errors
/// Returns the error of the system. The file is then unchanged, unless it was overwritten in place.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_or_create(path, content, NewFileReaders::Umask)
}

/// Replaces a file as [`replace_file`] does. Only the owner can read the file, and new folders.
///
/// # Errors
/// Returns the error of the system; the file is then unchanged.
pub fn replace_private_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_or_create(path, content, NewFileReaders::Owner)
}

fn replace_or_create(path: &Path, content: &[u8], readers: NewFileReaders) -> io::Result<()> {
    let target = if path.exists() { path.canonicalize()? } else { path.to_owned() };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_folders(folder, readers)?;
    let old = fs::metadata(&target).ok();
    let mut file = create_temporary_file(folder, old.is_none() && readers == NewFileReaders::Umask)?;
    file.write_all(content)?;
    match &old {
        Some(old) => {
            if !take_over_owner(&file, old)? {
                // The temporary file is removed when it is dropped.
                return fs::write(&target, content);
            }
            if readers == NewFileReaders::Umask {
                file.as_file().set_permissions(old.permissions())?;
            }
        }
        None => give_to_owner_of(folder, file.path())?,
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Creates a folder and its missing parents.
fn create_folders(folder: &Path, readers: NewFileReaders) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists());
    let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    match readers {
        NewFileReaders::Umask => fs::create_dir_all(folder)?,
        NewFileReaders::Owner => kenning_graph::private_files::create_folder(folder)?,
    }
    for new in missing.iter().rev() {
        let above = new.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        give_to_owner_of(above, new)?;
    }
    Ok(())
}

/// Creates a temporary file that only this user can read, or that everyone can read if the umask
/// allows it.
fn create_temporary_file(folder: &Path, for_everyone: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kenning-");
    #[cfg(unix)]
    if for_everyone {
        use std::os::unix::fs::PermissionsExt;
        // The system removes the permissions that the user's umask forbids.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = for_everyone;
    builder.tempfile_in(folder)
}

/// Gives a new file the owner and the group of the old one. Returns false if this user may not.
#[cfg(unix)]
fn take_over_owner(file: &NamedTempFile, old: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.as_file().metadata()?;
    let uid = (new.uid() != old.uid()).then_some(old.uid());
    let gid = (new.gid() != old.gid()).then_some(old.gid());
    if uid.is_none() && gid.is_none() {
        return Ok(true);
    }
    match fchown(file.as_file(), uid, gid) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
        result => result.map(|()| true),
    }
}

#[cfg(not(unix))]
fn take_over_owner(_: &NamedTempFile, _: &Metadata) -> io::Result<bool> {
    Ok(true)
}

/// Gives a file or folder that root has created to the owner of the folder around it.
#[cfg(unix)]
fn give_to_owner_of(folder: &Path, new: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, lchown};
    let (owner, created) = (fs::metadata(folder)?, fs::symlink_metadata(new)?);
    if created.uid() == 0 && owner.uid() != 0 {
        lchown(new, Some(owner.uid()), Some(owner.gid()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn give_to_owner_of(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    fn owner_and_mode(path: &Path) -> (u32, u32, u32) {
        let metadata = fs::metadata(path).unwrap();
        (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
    }

    #[test]
    fn a_replaced_file_keeps_its_owner_and_a_new_one_gets_that_of_its_folder() {
        let home = tempfile::tempdir().unwrap();
        if fs::metadata(home.path()).unwrap().uid() != 0 {
            println!("SKIPPED: files of other users (needs root)");
            return;
        }
        chown(home.path(), Some(4321), Some(1234)).unwrap();
        let config = home.path().join("config.json");
        fs::write(&config, "old").unwrap();
        chown(&config, Some(4321), Some(77)).unwrap();
        fs::set_permissions(&config, fs::Permissions::from_mode(0o640)).unwrap();
        replace_file(&config, b"new").unwrap();
        assert_eq!(owner_and_mode(&config), (4321, 77, 0o640));
        replace_file(&home.path().join("a/b/new.json"), b"new").unwrap();
        replace_private_file(&home.path().join("c/d/private.json"), b"new").unwrap();
        for new in ["a", "a/b", "a/b/new.json", "c", "c/d", "c/d/private.json"] {
            let (uid, gid, _) = owner_and_mode(&home.path().join(new));
            assert_eq!((uid, gid), (4321, 1234), "{new}");
        }
        assert_eq!(owner_and_mode(&home.path().join("c")).2, 0o700);
        assert_eq!(owner_and_mode(&home.path().join("c/d/private.json")).2, 0o600);
    }

    #[test]
    fn a_secret_is_at_no_time_readable_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = create_temporary_file(folder.path(), false).unwrap();
        assert_eq!(owner_and_mode(temporary.path()).2, 0o600);
        let path = folder.path().join("secret");
        replace_private_file(&path, b"1").unwrap();
        replace_file(&path, b"2").unwrap();
        assert_eq!(owner_and_mode(&path).2, 0o600);
        assert_eq!(fs::read_to_string(&path).unwrap(), "2");
    }
}
