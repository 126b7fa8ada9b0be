//! The protocol's messages. Every handler hands over or notes its place in the queue before its first `await`, since
//! nothing is ordered after it (design `architecture.md`, "Ordering under tower-lsp").

use super::progress::Cancellations;
use super::requests::{self, Ask, Refresher};
use super::{capabilities, commands, configuration, from_proto, log, parent, progress, show};
use crate::config::file;
use crate::config::options::Watch;
use crate::log::ClientLog;
use crate::session::documents::TextEdit;
use crate::session::{Change, Event, Folder, Session};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CreateFilesParams, DeleteFilesParams,
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, FileSystemWatcher,
    GlobPattern, Hover, HoverParams, InitializeParams, InitializeResult, InitializedParams, LSPAny,
    Registration, RenameFilesParams, Uri, WorkDoneProgressCancelParams,
};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::Client;
use tower_lsp::jsonrpc::Result;

/// The state behind the protocol.
pub struct LanguageServer {
    client: Client,
    session: Arc<Session>,
    /// The folder to serve when the client names none.
    root: Option<PathBuf>,
    can: OnceLock<capabilities::Client>,
    /// Taken by the task that shows them.
    events: Mutex<Option<UnboundedReceiver<Event>>>,
    log: Option<ClientLog>,
    cancellations: Cancellations,
    lenses: Refresher,
    orphaned: UnboundedSender<()>,
}

impl LanguageServer {
    /// A server before `initialize`. `orphaned` is told when the client's process is gone.
    pub fn new(
        client: Client,
        session: Arc<Session>,
        root: Option<PathBuf>,
        events: UnboundedReceiver<Event>,
        log: Option<ClientLog>,
        orphaned: UnboundedSender<()>,
    ) -> Self {
        Self {
            client,
            session,
            root,
            can: OnceLock::new(),
            events: Mutex::new(Some(events)),
            log,
            cancellations: Cancellations::default(),
            lenses: Refresher::default(),
            orphaned,
        }
    }

    /// `window/workDoneProgress/cancel`.
    #[expect(clippy::unused_async, reason = "custom methods are asynchronous")]
    pub async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        progress::cancel(&self.cancellations, &params.token);
    }

    /// What a request of the editor works with.
    fn ask(&self) -> Ask {
        Ask { session: Arc::clone(&self.session), can: self.can.get().copied().unwrap_or_default() }
    }

    /// Where a document lives, if it is a file of an open folder; nothing else is served.
    fn locate(&self, uri: &Uri) -> Option<(Arc<Folder>, String)> {
        let located = from_proto::file(uri).and_then(|file| self.session.locate(&file));
        if located.is_none() {
            tracing::debug!(uri = uri.as_str(), "no file of an open folder: ignored");
        }
        located
    }

    /// Reads the configuration file of a folder again, if it is what changed.
    fn look_at_settings(&self, folder: &Folder, path: &str) {
        if path == file::NAME {
            self.session.look_at_settings(folder);
        }
    }

    /// Has the files and folders at these URIs looked at.
    fn look_at<'a>(&self, uris: impl Iterator<Item = &'a str>) {
        for uri in uris.filter_map(|uri| uri.parse().ok()) {
            if let Some((folder, path)) = self.locate(&uri) {
                folder.push(Change::Refresh { path: Some(path) });
            }
        }
    }

    /// Asks the client to tell of changed files.
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
            Ok(()) => session.client_watches(),
            Err(error) if session.config().index.watch == Watch::Auto => {
                tracing::info!(%error, "the client refused to watch files; they are watched here");
                session.watch_files();
            }
            Err(error) => {
                tracing::warn!(%error, "the client refused to watch files; requests look at the disk");
            }
        }
    }
}

impl tower_lsp::LanguageServer for LanguageServer {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        self.session.agree_on(from_proto::encoding(&params.capabilities));
        self.session.begin_with(params.initialization_options.as_ref());
        let mut folders = from_proto::folders(&params);
        if folders.is_empty() {
            folders.extend(self.root.clone());
        }
        self.session.add_folders(folders);
        let _ = self.can.set(capabilities::Client::new(&params.capabilities));
        if let Some(id) = params.process_id {
            tokio::spawn(parent::watch(id, self.orphaned.clone()));
        }
        Ok(capabilities::answer(&params.capabilities))
    }

    async fn initialized(&self, _: InitializedParams) {
        let can = self.can.get().copied().unwrap_or_default();
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(events) = events {
            tokio::spawn(progress::forward(
                self.client.clone(),
                can,
                Arc::clone(&self.session),
                events,
                Arc::clone(&self.cancellations),
            ));
        }
        if let Some(log) = &self.log {
            tokio::spawn(log::forward(self.client.clone(), log.clone()));
        }
        if can.code_lens_refresh {
            self.lenses.start(self.client.clone());
            self.lenses.follow(&self.session);
        }
        configuration::begin(&self.client, can, &self.session).await;
        self.session.start();
        // Said at the start; who watches does not change in a session.
        match self.session.config().index.watch {
            Watch::Auto | Watch::Client if can.watched_files => {
                tokio::spawn(Self::watch_files(self.client.clone(), Arc::clone(&self.session)));
            }
            Watch::Auto | Watch::Own => self.session.watch_files(),
            Watch::Client | Watch::Off => {}
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.session.shut_down();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        if let Some((folder, path)) = self.locate(&document.uri) {
            folder.push(Change::Open { path, version: document.version, text: document.text });
        }
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        if let Some((folder, path)) = self.locate(&params.text_document.uri) {
            let edits: Vec<TextEdit> = params.content_changes.into_iter().map(from_proto::edit).collect();
            folder.push(Change::Edit { path, version: params.text_document.version, edits });
        }
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        if let Some((folder, path)) = self.locate(&params.text_document.uri) {
            folder.push(Change::Close { path });
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        if let Some((folder, path)) = self.locate(&params.text_document.uri) {
            self.look_at_settings(&folder, &path);
            folder.push(Change::Refresh { path: Some(path) });
        }
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let can = self.can.get().copied().unwrap_or_default();
        configuration::changed(&self.client, can, &self.session, &params.settings).await;
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        // The writer takes them together: many files cost one look at the disk.
        for change in &params.changes {
            if let Some((folder, path)) = self.locate(&change.uri)
                && !is_repository_noise(&path)
            {
                self.look_at_settings(&folder, &path);
                folder.push(Change::Refresh { path: Some(path) });
            }
        }
    }

    async fn did_create_files(&self, params: CreateFilesParams) {
        self.look_at(params.files.iter().map(|file| file.uri.as_str()));
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        self.look_at(params.files.iter().flat_map(|file| [file.old_uri.as_str(), file.new_uri.as_str()]));
    }

    async fn did_delete_files(&self, params: DeleteFilesParams) {
        self.look_at(params.files.iter().map(|file| file.uri.as_str()));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        for folder in &params.event.removed {
            if let Some(root) = from_proto::file(&folder.uri) {
                self.session.remove_folder(&root);
            }
        }
        self.session
            .add_folders(params.event.added.iter().filter_map(|folder| from_proto::file(&folder.uri)));
        let can = self.can.get().copied().unwrap_or_default();
        if can.code_lens_refresh {
            self.lenses.follow(&self.session);
        }
        configuration::ask(&self.client, can, &self.session, false).await;
        self.session.start();
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        requests::hover(self.ask(), params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        requests::lenses(self.ask(), params).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        requests::resolve(self.ask(), lens).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        requests::actions(self.ask(), params).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        requests::prepare(self.ask(), params).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        requests::incoming(self.ask(), params).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        requests::outgoing(self.ask(), params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let can = self.can.get().copied().unwrap_or_default();
        let call = commands::Call {
            session: Arc::clone(&self.session),
            client: self.client.clone(),
            can,
            token: params.work_done_progress_params.work_done_token,
            cancellations: Arc::clone(&self.cancellations),
        };
        let mut arguments = params.arguments;
        let shown = show::is_asked(&mut arguments);
        let result = commands::run(call, &params.command, arguments).await;
        if let (true, Ok(value)) = (shown, &result) {
            show::result(&self.client, can, self.session.cache(), &params.command, value).await;
        }
        if let Err(error) = &result {
            tracing::info!(command = params.command, %error, "a command was not answered");
        }
        result.map(Some)
    }
}

/// Whether a changed file is version control's own bookkeeping: all of it but what says which commit is checked out.
fn is_repository_noise(path: &str) -> bool {
    let inside = path.strip_prefix(".git/").or_else(|| path.split_once("/.git/").map(|(_, inside)| inside));
    inside.is_some_and(|inside| inside != "HEAD" && inside != "logs/HEAD")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_checked_out_commit_matters_of_version_control() {
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
