//! csharp.
