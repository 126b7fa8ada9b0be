//! Endpoints in routers that another file mounts, in the frameworks of each language.

mod csharp;
mod go;
mod incremental;
mod mount_points;
mod python;
mod rust;
mod script;
