//! Reads the capabilities of the client and declares those of this server.

use super::commands;
use super::from_proto;
use super::requests;
use super::to_proto;
use lsp_types::{
    CallHierarchyServerCapability, ClientCapabilities, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, ExecuteCommandOptions, FileOperationFilter, FileOperationPattern,
    FileOperationRegistrationOptions, HoverProviderCapability, InitializeResult, MarkupKind, OneOf,
    SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde_json::Value;

/// The capabilities of the client that the server uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientFeatures {
    /// The client shows progress that the server starts.
    pub work_done_progress: bool,
    /// The client watches files on request.
    pub watched_files: bool,
    /// The client answers requests for its settings.
    pub configuration: bool,
    /// The client reports changed settings on request.
    pub configuration_changes: bool,
    /// The client shows diagnostics.
    pub publish_diagnostics: bool,
    /// The client requests lenses again on `workspace/codeLens/refresh`.
    pub code_lens_refresh: bool,
    /// The client resolves a lens when it is shown. The protocol expects this of every client with
    /// lenses. A client that does not mention lenses gets the titles immediately.
    pub resolves_lenses: bool,
    /// The client shows Markdown in hovers.
    pub markdown_hover: bool,
    /// The client accepts code actions, not only commands, as the result of
    /// `textDocument/codeAction`.
    pub code_action_literals: bool,
    /// The client opens documents for the server.
    pub show_document: bool,
    /// The commands that the client runs itself.
    pub commands: ClientCommands,
}

/// The commands that a client runs itself, according to `experimental.kenning.clientCommands`: true
/// for all of them, or a list of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCommands {
    /// `kenning.showBlastRadius`: shows what depends on a symbol.
    pub show_blast_radius: bool,
    /// `kenning.copyContext`: copies the pack for a task at a symbol.
    pub copy_context: bool,
}

impl ClientCommands {
    fn new(experimental: Option<&Value>) -> Self {
        let declared = experimental.and_then(|value| value.get("kenning")?.get("clientCommands"));
        let runs = |name: &str| match declared {
            Some(Value::Bool(all)) => *all,
            Some(Value::Array(names)) => names.iter().any(|known| known == name),
            _ => false,
        };
        Self { show_blast_radius: runs("kenning.showBlastRadius"), copy_context: runs("kenning.copyContext") }
    }
}

impl ClientFeatures {
    /// Reads the client's capabilities.
    pub fn new(offered: &ClientCapabilities) -> Self {
        let window = offered.window.as_ref();
        let workspace = offered.workspace.as_ref();
        let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        let changes = workspace.and_then(|workspace| workspace.did_change_configuration.as_ref());
        let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        let document = offered.text_document.as_ref();
        let hover = document.and_then(|document| document.hover.as_ref()?.content_format.as_ref());
        let actions =
            document.and_then(|document| document.code_action.as_ref()?.code_action_literal_support.as_ref());
        Self {
            configuration: workspace.and_then(|workspace| workspace.configuration).unwrap_or(false),
            configuration_changes: changes.and_then(|changes| changes.dynamic_registration).unwrap_or(false),
            publish_diagnostics: document.is_some_and(|document| document.publish_diagnostics.is_some()),
            code_lens_refresh: lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false),
            work_done_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            resolves_lenses: document.is_some_and(|document| document.code_lens.is_some()),
            markdown_hover: hover.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            code_action_literals: actions.is_some(),
            show_document: window
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show_document| show_document.support),
            commands: ClientCommands::new(offered.experimental.as_ref()),
            watched_files: watched.and_then(|watched| watched.dynamic_registration).unwrap_or(false),
        }
    }
}

/// Returns the registrations for files and folders that are created, renamed or deleted in the
/// editor. The client reports these immediately, whichever program watches the disk.
fn file_operations() -> WorkspaceFileOperationsServerCapabilities {
    let all = FileOperationRegistrationOptions {
        filters: vec![FileOperationFilter {
            scheme: Some("file".to_owned()),
            pattern: FileOperationPattern { glob: "**/*".to_owned(), ..FileOperationPattern::default() },
        }],
    };
    WorkspaceFileOperationsServerCapabilities {
        did_create: Some(all.clone()),
        did_rename: Some(all.clone()),
        did_delete: Some(all),
        ..WorkspaceFileOperationsServerCapabilities::default()
    }
}

/// Returns the result of `initialize`.
pub fn initialize_result(offered: &ClientCapabilities) -> InitializeResult {
    let encoding = from_proto::negotiate_encoding(offered);
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(to_proto::position_encoding(encoding)),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            })),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![requests::ACTION_KIND]),
                ..CodeActionOptions::default()
            })),
            // Call hierarchy requests return nothing unless the configuration enables them, which
            // may change at any time.
            call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: commands::command_names().map(str::to_owned).collect(),
                work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
            }),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(OneOf::Left(true)),
                }),
                file_operations: Some(file_operations()),
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
