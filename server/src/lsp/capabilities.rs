//! What the client and this server can do for each other.

use super::commands;
use super::from_proto;
use super::to_proto;
use lsp_types::{
    ClientCapabilities, ExecuteCommandOptions, InitializeResult, OneOf, SaveOptions, ServerCapabilities,
    ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

/// What the client offered, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// It shows progress that the server starts.
    pub work_done_progress: bool,
    /// It watches files when it is asked to.
    pub watched_files: bool,
    /// It answers questions for its settings.
    pub configuration: bool,
    /// It tells of changed settings when it is asked to.
    pub configuration_changes: bool,
    /// It asks for lenses again when it is told to.
    pub code_lens_refresh: bool,
}

impl Client {
    /// Reads the client's offer.
    pub fn new(offered: &ClientCapabilities) -> Self {
        let window = offered.window.as_ref();
        let workspace = offered.workspace.as_ref();
        let watched = workspace.and_then(|w| w.did_change_watched_files.as_ref());
        let changes = workspace.and_then(|w| w.did_change_configuration.as_ref());
        let lenses = workspace.and_then(|w| w.code_lens.as_ref());
        Self {
            configuration: workspace.and_then(|w| w.configuration).unwrap_or(false),
            configuration_changes: changes.and_then(|c| c.dynamic_registration).unwrap_or(false),
            code_lens_refresh: lenses.and_then(|l| l.refresh_support).unwrap_or(false),
            work_done_progress: window.and_then(|w| w.work_done_progress).unwrap_or(false),
            watched_files: watched.and_then(|w| w.dynamic_registration).unwrap_or(false),
        }
    }
}

/// The answer to `initialize`.
pub fn answer(offered: &ClientCapabilities) -> InitializeResult {
    let encoding = from_proto::encoding(offered);
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(to_proto::encoding(encoding)),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            })),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: commands::names().map(str::to_owned).collect(),
                work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
            }),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(OneOf::Left(true)),
                }),
                file_operations: None,
            }),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}
