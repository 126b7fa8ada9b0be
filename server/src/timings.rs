//! The durations of the stages of an answer.

use serde::ser::{Serialize, SerializeMap, Serializer};
use std::time::{Duration, Instant};

/// A stopwatch over named stages. The ranking crate reports the names of its stages; it has no
/// clock of its own.
#[derive(Clone, Debug)]
pub struct StageTimings {
    started: Instant,
    stages: Vec<(&'static str, Duration)>,
    running: Option<(&'static str, Instant)>,
}

impl StageTimings {
    /// Starts measuring the total time.
    pub fn start_now() -> Self {
        Self { started: Instant::now(), stages: Vec::new(), running: None }
    }

    /// Ends the running stage and starts another one. The stages `query`, `channels` and `fusion` of
    /// the ranking count as `seeds`, because stage names are part of the answer's format.
    pub fn begin_stage(&mut self, stage: &'static str) {
        self.end_stage();
        let stage = match stage {
            "query" | "channels" | "fusion" => "seeds",
            other => other,
        };
        self.running = Some((stage, Instant::now()));
    }

    /// Ends the running stage, if one is running.
    pub fn end_stage(&mut self) {
        if let Some((name, since)) = self.running.take() {
            let duration = since.elapsed();
            match self.stages.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += duration,
                None => self.stages.push((name, duration)),
            }
        }
    }

    /// Returns the finished stages in the order in which they first started.
    pub fn finished_stages(&self) -> &[(&'static str, Duration)] {
        &self.stages
    }
}

/// Converts a duration to milliseconds with two decimals.
fn round_milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e5).round() / 100.0
}

/// Serializes as `{ "total": ms, stage: ms, ... }`. The total is the time until serialization.
impl Serialize for StageTimings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("total", &round_milliseconds(self.started.elapsed()))?;
        for &(stage, duration) in &self.stages {
            map.serialize_entry(stage, &round_milliseconds(duration))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_begins_twice_is_one_stage() {
        let mut timings = StageTimings::start_now();
        for stage in ["query", "channels", "walk", "fusion"] {
            timings.begin_stage(stage);
        }
        timings.end_stage();
        let names: Vec<_> = timings.finished_stages().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["seeds", "walk"]);
        let json = serde_json::to_value(&timings).unwrap();
        assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["total", "seeds", "walk"]);
    }
}
