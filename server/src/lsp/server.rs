//! The handlers of the protocol's messages. Notifications become changes in the queue of a folder.
//! Requests go to `requests`, and commands to `commands`.
//!
//! Each handler queues its change, or notes the position of the queue, before its first `await`,
//! because the order of messages is not guaranteed after that.

use super::entry_diagnostics::EntryDiagnostics;
use super::progress::CancelTokens;
use super::requests::{self, LensRefresher, RequestContext};
use super::shared_folders::SharedFolders;
use super::{
    capabilities, client_process, commands, configuration, from_proto, log, progress, reader_actions, show,
};
use crate::config::config_file;
use crate::config::options::WatchMode;
use crate::log::ClientLog;
use crate::session::documents::TextEdit;
use crate::session::{EmptyAnswer, FolderChange, ServedFolder, Session, SessionEvent};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CreateFilesParams, DeleteFilesParams,
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, FileSystemWatcher,
    GlobPattern, Hover, HoverParams, InitializeParams, InitializeResult, InitializedParams, LSPAny,
    Registration, RenameFilesParams, Uri, WorkDoneProgressCancelParams, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::Client;
use tower_lsp::jsonrpc::Result;

/// The state of the language server.
pub struct LanguageServer {
    client: Client,
    session: Arc<Session>,
    /// The folder to serve when the client names none.
    root: Option<PathBuf>,
    capabilities: OnceLock<capabilities::ClientFeatures>,
    /// The session's events. The task that forwards them takes the receiver.
    events: Mutex<Option<UnboundedReceiver<SessionEvent>>>,
    log: Option<ClientLog>,
    cancellations: CancelTokens,
    lenses: LensRefresher,
    diagnostics: EntryDiagnostics,
    /// Receives a message when the client's process is gone.
    orphaned: UnboundedSender<()>,
    /// The folders that the session offers to other programs of the user.
    shared: SharedFolders,
}

impl LanguageServer {
    /// Creates a server before `initialize`. `orphaned` receives a message when the client's
    /// process is gone.
    pub fn new(
        client: Client,
        session: Arc<Session>,
        root: Option<PathBuf>,
        events: UnboundedReceiver<SessionEvent>,
        log: Option<ClientLog>,
        orphaned: UnboundedSender<()>,
        shared: SharedFolders,
    ) -> Self {
        Self {
            client,
            session,
            root,
            capabilities: OnceLock::new(),
            events: Mutex::new(Some(events)),
            log,
            cancellations: CancelTokens::default(),
            lenses: LensRefresher::default(),
            diagnostics: EntryDiagnostics::default(),
            orphaned,
            shared,
        }
    }

    /// Handles `window/workDoneProgress/cancel`.
    #[expect(clippy::unused_async, reason = "custom methods are asynchronous")]
    pub async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        progress::cancel_progress(&self.cancellations, &params.token);
    }

    /// Returns the context that requests from the editor need.
    fn request_context(&self) -> RequestContext {
        RequestContext {
            session: Arc::clone(&self.session),
            capabilities: self.capabilities.get().copied().unwrap_or_default(),
        }
    }

    /// Returns the folder of a document and its path in it. Returns `None` if it is not in an open
    /// folder; messages about such a document are ignored.
    fn locate_document(&self, uri: &Uri) -> Option<(Arc<ServedFolder>, String)> {
        let located = from_proto::file_path(uri).and_then(|file| self.session.locate_file(&file));
        if located.is_none() {
            tracing::debug!(uri = uri.as_str(), "ignored: not in an open folder");
        }
        located
    }

    /// Reads the configuration file of a folder again if `path` is that file.
    fn reload_changed_settings(&self, folder: &ServedFolder, path: &str) {
        if path == config_file::FILE_NAME {
            self.session.reload_settings_file(folder);
        }
    }

    /// Schedules a check of the files and folders at these URIs.
    fn refresh_files<'a>(&self, uris: impl Iterator<Item = &'a str>) {
        for uri in uris.filter_map(|uri| uri.parse().ok()) {
            if let Some((folder, path)) = self.locate_document(&uri) {
                folder.push_change(FolderChange::Refresh { path: Some(path) });
            }
        }
    }

    /// Asks the client to report changed files.
    async fn watch_files(client: Client, session: Arc<Session>) {
        let watcher = FileSystemWatcher { glob_pattern: GlobPattern::String("**/*".to_owned()), kind: None };
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
        let Ok(options) = serde_json::to_value(options) else { return };
        let registration = Registration {
            id: "kenning/watched-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(options),
        };
        match client.register_capability(vec![registration]).await {
            Ok(()) => session.record_client_watching(),
            Err(error) if session.session_config().index.watch == WatchMode::Auto => {
                tracing::info!(%error, "the client refused to watch files; Kenning watches them itself");
                session.watch_files();
            }
            Err(error) => {
                tracing::warn!(%error, "the client refused to watch files; requests check the disk");
            }
        }
    }
}

impl tower_lsp::LanguageServer for LanguageServer {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        self.session.set_encoding(from_proto::negotiate_encoding(&params.capabilities));
        self.session.apply_initialization_options(params.initialization_options.as_ref());
        let mut folders = from_proto::workspace_folders(&params);
        if folders.is_empty() {
            folders.extend(self.root.clone());
        }
        self.session.add_folders(folders);
        let _ = self.capabilities.set(capabilities::ClientFeatures::new(&params.capabilities));
        if let Some(id) = params.process_id {
            tokio::spawn(client_process::watch_process(id, self.orphaned.clone()));
        }
        Ok(capabilities::initialize_result(&params.capabilities))
    }

    async fn initialized(&self, _: InitializedParams) {
        let capabilities = self.capabilities.get().copied().unwrap_or_default();
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(events) = events {
            tokio::spawn(progress::forward_events(
                self.client.clone(),
                capabilities,
                Arc::clone(&self.session),
                events,
                Arc::clone(&self.cancellations),
            ));
        }
        if let Some(log) = &self.log {
            tokio::spawn(log::forward_log(self.client.clone(), log.clone()));
        }
        if capabilities.code_lens_refresh {
            self.lenses.start_sending(self.client.clone());
            self.lenses.follow_folders(&self.session);
        }
        if capabilities.publish_diagnostics {
            self.diagnostics.follow_folders(&self.client, &self.session);
        }
        configuration::register_and_pull(&self.client, capabilities, &self.session).await;
        self.session.start_folders();
        self.shared.offer_folders(&self.session);
        // The option is read once: the watcher of the files does not change during a session.
        match self.session.session_config().index.watch {
            WatchMode::Auto | WatchMode::Client if capabilities.watched_files => {
                tokio::spawn(Self::watch_files(self.client.clone(), Arc::clone(&self.session)));
            }
            WatchMode::Auto | WatchMode::Own => self.session.watch_files(),
            WatchMode::Client | WatchMode::Off => {}
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.shared.withdraw_folders();
        self.session.shut_down();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        if let Some((folder, path)) = self.locate_document(&document.uri) {
            let (version, text) = (document.version, document.text);
            let arrival = folder.push_change(FolderChange::Open { path: path.clone(), version, text });
            reader_actions::note_opened(&self.session, &folder, path, arrival);
        }
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        if let Some((folder, path)) = self.locate_document(&params.text_document.uri) {
            let edits: Vec<TextEdit> =
                params.content_changes.into_iter().map(from_proto::text_edit).collect();
            let (version, lines) = (params.text_document.version, reader_actions::edited_lines(&edits));
            let arrival = folder.push_change(FolderChange::Edit { path: path.clone(), version, edits });
            reader_actions::note_edited(&self.session, &folder, path, lines, arrival);
        }
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        if let Some((folder, path)) = self.locate_document(&params.text_document.uri) {
            folder.push_change(FolderChange::Close { path });
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        if let Some((folder, path)) = self.locate_document(&params.text_document.uri) {
            self.reload_changed_settings(&folder, &path);
            folder.push_change(FolderChange::Refresh { path: Some(path) });
        }
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let capabilities = self.capabilities.get().copied().unwrap_or_default();
        configuration::handle_changed_settings(&self.client, capabilities, &self.session, &params.settings)
            .await;
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        // The writer merges these changes, so that many files cost one disk check.
        for change in &params.changes {
            if let Some((folder, path)) = self.locate_document(&change.uri)
                && !is_repository_noise(&path)
            {
                self.reload_changed_settings(&folder, &path);
                folder.push_change(FolderChange::Refresh { path: Some(path) });
            }
        }
    }

    async fn did_create_files(&self, params: CreateFilesParams) {
        self.refresh_files(params.files.iter().map(|file| file.uri.as_str()));
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        self.refresh_files(
            params.files.iter().flat_map(|file| [file.old_uri.as_str(), file.new_uri.as_str()]),
        );
    }

    async fn did_delete_files(&self, params: DeleteFilesParams) {
        self.refresh_files(params.files.iter().map(|file| file.uri.as_str()));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        for folder in &params.event.removed {
            if let Some(root) = from_proto::file_path(&folder.uri) {
                self.session.remove_folder(&root);
            }
        }
        self.session
            .add_folders(params.event.added.iter().filter_map(|folder| from_proto::file_path(&folder.uri)));
        let capabilities = self.capabilities.get().copied().unwrap_or_default();
        if capabilities.code_lens_refresh {
            self.lenses.follow_folders(&self.session);
        }
        if capabilities.publish_diagnostics {
            self.diagnostics.follow_folders(&self.client, &self.session);
        }
        let empty_answer = EmptyAnswer::KeepsSettings;
        configuration::pull_settings(&self.client, capabilities, &self.session, empty_answer).await;
        self.session.start_folders();
        self.shared.offer_folders(&self.session);
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        requests::hover_at(self.request_context(), params).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        requests::workspace_symbols(self.request_context(), params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        requests::code_lenses(self.request_context(), params).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        requests::resolve_lens(self.request_context(), lens).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        requests::code_actions(self.request_context(), params).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        requests::prepare_call_hierarchy(self.request_context(), params).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        requests::incoming_calls(self.request_context(), params).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        requests::outgoing_calls(self.request_context(), params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let capabilities = self.capabilities.get().copied().unwrap_or_default();
        let call = commands::CommandCall {
            session: Arc::clone(&self.session),
            client: self.client.clone(),
            capabilities,
            token: params.work_done_progress_params.work_done_token,
            cancellations: Arc::clone(&self.cancellations),
        };
        let mut arguments = params.arguments;
        let show_result = show::is_show_requested(&mut arguments);
        let result = commands::dispatch_command(call, &params.command, arguments).await;
        if let (true, Ok(value)) = (show_result, &result) {
            show::show_result(
                &self.client,
                capabilities,
                self.session.cache_folder(),
                &params.command,
                value,
            )
            .await;
        }
        if let Err(error) = &result {
            tracing::info!(command = params.command, %error, "a command failed");
        }
        result.map(Some)
    }
}

/// Whether a changed file is internal to git. The files that name the checked-out commit are not.
fn is_repository_noise(path: &str) -> bool {
    let inside = path.strip_prefix(".git/").or_else(|| path.split_once("/.git/").map(|(_, inside)| inside));
    inside.is_some_and(|inside| inside != "HEAD" && inside != "logs/HEAD")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_internals_are_ignored_except_for_the_checked_out_commit() {
        for (path, noise) in [
            (".git/index.lock", true),
            ("sub/.git/objects/ab/cd", true),
            (".git/HEAD", false),
            (".git/logs/HEAD", false),
            (".gitignore", false),
            ("src/.github/x.py", false),
        ] {
            assert_eq!(is_repository_noise(path), noise, "{path}");
        }
    }
}
