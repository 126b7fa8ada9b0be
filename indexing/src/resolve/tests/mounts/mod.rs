//! Endpoints of routers that another file puts below a path, in the frameworks of each language.

mod csharp;
mod follow;
mod go;
mod places;
mod python;
mod rust;
mod script;
