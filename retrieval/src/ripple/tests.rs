//! Ripple files of small workspaces.

use super::*;
