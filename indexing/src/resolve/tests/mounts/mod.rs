//! Endpoints of routers that another file puts below a path, in the frameworks of each language.

mod go;
mod python;
mod rust;
mod script;
