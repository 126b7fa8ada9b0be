//! OpenTelemetry traces in OTLP JSON: one export request, or one per line, as collectors write
//! them to files.
//!
//! The code attributes of a span (semantic conventions `code.function.name`, `code.file.path`,
//! `code.line.number` and their earlier names) name the function that ran; a child span is a call.
//! A span without code attributes is skipped, so its children count as called by the nearest
//! ancestor with code attributes.

use super::{ReadFailure, RunFile, RunRecording, SpanCall, SpanSource, has_key, parse_json};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Maximum number of ancestors of a span whose code attributes are read. Recursive calls make
/// chains of thousands of spans.
const MAX_ANCESTORS: usize = 64;

/// Largest length of the name and of the path of a function, in bytes. Each call of a function
/// repeats them.
const MAX_NAME_BYTES: usize = 4 << 10;

/// Whether a file that begins with `head` is an export.
pub(super) fn accepts(head: &[u8]) -> bool {
    has_key(head, "resourceSpans") || has_key(head, "resource_spans")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportRequest {
    #[serde(alias = "resource_spans", default)]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    #[serde(alias = "scope_spans", alias = "instrumentationLibrarySpans", default)]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Deserialize)]
struct ScopeSpans {
    #[serde(default)]
    spans: Vec<TraceSpan>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TraceSpan {
    #[serde(alias = "span_id", default)]
    span_id: String,
    #[serde(alias = "parent_span_id", default)]
    parent_span_id: String,
    #[serde(alias = "start_time_unix_nano", default)]
    start_time_unix_nano: NanoTime,
    #[serde(default)]
    attributes: Vec<SpanAttribute>,
}

/// A time in nanoseconds. Protobuf's JSON encoding writes 64-bit numbers as strings.
#[derive(Deserialize)]
#[serde(untagged)]
enum NanoTime {
    Number(u64),
    Text(String),
}

impl Default for NanoTime {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl NanoTime {
    fn as_seconds(&self) -> i64 {
        let nanos = match self {
            Self::Number(number) => *number,
            Self::Text(text) => text.parse().unwrap_or_default(),
        };
        (nanos / 1_000_000_000) as i64
    }
}

#[derive(Deserialize)]
struct SpanAttribute {
    key: String,
    #[serde(default)]
    value: serde_json::Value,
}

impl SpanAttribute {
    /// Returns the value as text, whatever its type.
    fn value_text(&self) -> String {
        let value = ["stringValue", "string_value", "intValue", "int_value"]
            .iter()
            .find_map(|kind| self.value.get(kind))
            .unwrap_or(&self.value);
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }
}

/// Reads the calls between spans.
pub(super) fn read_traces(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let mut recording = RunRecording::default();
    add_calls(&read_spans(file.bytes)?, &mut recording);
    Ok(recording)
}

/// Returns the spans of the whole file. A trace may consist of several exports.
fn read_spans(bytes: &[u8]) -> Result<Vec<TraceSpan>, ReadFailure> {
    let collect_spans = |export: ExportRequest| {
        let scopes = export.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect::<Vec<_>>()
    };
    if let Ok(export) = parse_json::<ExportRequest>(bytes) {
        return Ok(collect_spans(export));
    }
    let mut all = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        all.extend(collect_spans(parse_json(line)?));
    }
    Ok(all)
}

fn add_calls(spans: &[TraceSpan], recording: &mut RunRecording) {
    // Each span is read once, because a span can have any number of attributes and of children.
    let sources: Vec<Option<SpanSource>> = spans.iter().map(span_source).collect();
    let by_id: FxHashMap<&str, usize> =
        spans.iter().enumerate().map(|(at, span)| (span.span_id.as_str(), at)).collect();
    let parent_of = |span: usize| by_id.get(spans[span].parent_span_id.as_str()).copied();
    for (at, span) in spans.iter().enumerate() {
        let Some(callee) = &sources[at] else { continue };
        let ancestors = std::iter::successors(parent_of(at), |&ancestor| parent_of(ancestor));
        if let Some(caller) = ancestors.take(MAX_ANCESTORS).find_map(|ancestor| sources[ancestor].as_ref()) {
            let (caller, callee) = (caller.clone(), callee.clone());
            recording.calls.push(SpanCall { caller, callee, at: span.start_time_unix_nano.as_seconds() });
        }
    }
}

/// Returns the location of a span in the source; `None` if it has no code attributes.
fn span_source(span: &TraceSpan) -> Option<SpanSource> {
    let find = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| span.attributes.iter().find(|attribute| attribute.key == *key))
            .map(SpanAttribute::value_text)
    };
    let name = find(&["code.function.name", "code.function"]).unwrap_or_default();
    let namespace = find(&["code.namespace"]).unwrap_or_default();
    let function =
        [namespace, name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    let path = find(&["code.file.path", "code.filepath"]).unwrap_or_default();
    let line =
        find(&["code.line.number", "code.lineno"]).and_then(|line| line.parse().ok()).unwrap_or_default();
    let is_too_long = function.len() > MAX_NAME_BYTES || path.len() > MAX_NAME_BYTES;
    let is_known = !is_too_long && (!function.is_empty() || (!path.is_empty() && line > 0));
    is_known.then_some(SpanSource { function, path, line })
}
