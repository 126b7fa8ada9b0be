//! Endpoints in routers that another file mounts, in the frameworks of each language.

mod csharp;
mod follow;
mod go;
mod places;
mod python;
mod rust;
mod script;
