//! Writes files that belong to the user.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file atomically: readers see the old or the new content. Creates the folder of the
/// file, follows links, and keeps the permissions of an existing file.
///
/// # Errors
/// Returns the error of the system; the file is then unchanged.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = if path.exists() { path.canonicalize()? } else { path.to_owned() };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kenning-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system removes the permissions that the user's umask forbids.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    if let Ok(metadata) = fs::metadata(&target) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
