//! The messages of the protocol: introduces the server, lists the tools and answers calls. The
//! protocol library serves both lifecycles, with and without `initialize`.

use super::page_memory::PageMemory;
use super::tool_call::{ToolAnswer, ToolCall, ToolFailure};
use super::tool_texts::{INSTRUCTIONS, find_text};
use super::tools::{TOOLS, ToolEntry, find_tool};
use crate::session_link::SessionLink;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;

/// The key under which Claude Code reads how many characters of a result it may show.
const RESULT_SIZE_KEY: &str = "anthropic/maxResultSizeChars";

/// Number of characters of a result that a client should show. An answer of the default budget has
/// about 16,000; a larger budget is the choice of the caller.
const RESULT_SIZE: u64 = 200_000;

/// The server as the protocol library sees it. Cheap to clone; all clones share their state.
#[derive(Clone)]
pub struct McpHandler {
    call: ToolCall,
    structured_output: bool,
}

impl McpHandler {
    /// Creates a handler that answers from a session.
    pub fn new(link: Arc<SessionLink>, structured_output: bool) -> Self {
        Self { call: ToolCall { link, pages: Arc::new(PageMemory::default()) }, structured_output }
    }

    fn describe_tool(&self, entry: &ToolEntry) -> Tool {
        let text = find_text(entry.name);
        let (title, description) =
            text.map_or(("", ""), |text| (text.title.as_str(), text.description.as_str()));
        let mut tool = Tool::new(entry.name, description, to_object((entry.schema)()));
        tool.title = Some(title.to_owned());
        // No tool changes the workspace: feedback is stored outside of it.
        tool.annotations = Some(ToolAnnotations::new().read_only(true).open_world(false));
        if self.structured_output {
            tool.output_schema = Some(Arc::new(to_object(json!({ "type": "object" }))));
        }
        tool.meta = Some(MetaObject(to_object(json!({ RESULT_SIZE_KEY: RESULT_SIZE }))));
        tool
    }

    fn build_result(&self, answer: Result<ToolAnswer, ToolFailure>) -> CallToolResult {
        match answer {
            Ok(ToolAnswer { text, note, data }) => {
                let mut result =
                    CallToolResult::success(vec![ContentBlock::text(text), ContentBlock::text(note)]);
                result.structured_content = self.structured_output.then_some(data);
                result
            }
            Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.to_string())]),
        }
    }
}

/// The methods that the server answers.
const METHODS: &str = "initialize, server/discover, ping, tools/list and tools/call";

fn unknown_method(method: &str) -> ErrorData {
    let problem = format!("there is no method {method}; the methods are {METHODS}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, problem, None)
}

fn to_object(value: Value) -> JsonObject {
    match value {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("kenning", env!("CARGO_PKG_VERSION")).with_title("Kenning");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|entry| self.describe_tool(entry)).collect()))
    }

    // An agent that tries another method reads which methods there are.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(unknown_method("prompts/list"))
    }

    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(unknown_method("prompts/get"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(unknown_method("resources/list"))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(unknown_method("resources/templates/list"))
    }

    async fn read_resource(
        &self,
        _: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Err(unknown_method("resources/read"))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unknown_method(&request.method))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = find_tool(&request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|entry| entry.name).collect();
            let problem = format!("there is no tool {}; the tools are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(problem, None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        // A panic in a call must not end the server.
        let mut running = tokio::spawn((entry.answer)(self.call.clone(), arguments));
        tokio::select! {
            answer = &mut running => match answer {
                Ok(answer) => Ok(self.build_result(answer).into()),
                Err(error) => {
                    tracing::error!(%error, tool = entry.name, "internal error in a call");
                    Err(ErrorData::internal_error("internal error; the log of the server has the details", None))
                }
            },
            // Dropping a command cancels it in the session.
            () = context.ct.cancelled() => {
                running.abort();
                Err(ErrorData::invalid_request("the call was cancelled", None))
            }
        }
    }
}
