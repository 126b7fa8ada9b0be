//! Renders the metrics of a run: as a table, as JSON, and as rows of a CSV file.
//!
//! In: the means of each group of tasks with their confidence intervals, and the time of each
//! query. Out: a table for people, and one JSON object, both with the times; and CSV rows without
//! them.
//!
//! Invariant: the CSV rows are the same on every machine, because the results of the benchmark are
//! compared in git.

use kenning_retrieval::eval::summary::{ALL, GroupMeans, REPO};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The outcome of a run over a task set.
#[derive(Debug)]
pub struct EvalReport {
    /// The kind of task set: `commits`, `curated` or `nonsense`.
    pub set: &'static str,
    /// The name of the ranking configuration.
    pub config: String,
    /// The command that repeats the run, without this machine's folders.
    pub command: String,
    /// The names of the metrics.
    pub metrics: Vec<&'static str>,
    /// The means per group; the group of all tasks comes first.
    pub groups: Vec<GroupMeans>,
    /// The number of tasks without any answer.
    pub unanswered: usize,
    /// The time of each query, in any order.
    pub latencies: Vec<Duration>,
    /// The number of threads that ranked in parallel.
    pub threads: usize,
}

impl EvalReport {
    /// Renders the table for people.
    pub fn render_table(&self) -> String {
        let tasks = self.groups.first().map_or(0, |all| all.tasks);
        let Self { set, config, unanswered, .. } = self;
        let mut out = format!("{set}, configuration {config}: {tasks} tasks, {unanswered} unanswered\n");
        if let (Some(median), Some(high)) = (self.latency_quantile(0.5), self.latency_quantile(0.95)) {
            let threads = self.threads;
            write_line(
                &mut out,
                format_args!("query: median {median:.1} ms, 95% within {high:.1} ms ({threads} at a time)"),
            );
        }
        let metrics: Vec<String> = self.metrics.iter().map(|metric| format!("{metric:>9}")).collect();
        write_line(&mut out, format_args!("\n{:28}{:>5}{}", "", "n", metrics.concat()));
        for group in &self.groups {
            let name =
                if group.kind == ALL { ALL.to_owned() } else { format!("{}: {}", group.kind, group.value) };
            let means: Vec<f64> = group.means.iter().map(|estimate| estimate.mean).collect();
            write_row(&mut out, &name, &group.tasks.to_string(), &means);
            if group.kind == ALL {
                write_row(&mut out, "  95% from", "", &group.means.iter().map(|e| e.low).collect::<Vec<_>>());
                write_row(&mut out, "  95% to", "", &group.means.iter().map(|e| e.high).collect::<Vec<_>>());
            }
        }
        out
    }

    /// Returns the report as one JSON object. Times are in milliseconds.
    pub fn to_json(&self) -> Value {
        let figures = |group: &GroupMeans| -> Value {
            let pairs = self.metrics.iter().zip(&group.means);
            let object = pairs.map(|(metric, estimate)| {
                let figure = json!({ "mean": estimate.mean, "low": estimate.low, "high": estimate.high });
                ((*metric).to_owned(), figure)
            });
            Value::Object(object.collect())
        };
        let groups = self.groups.iter().map(|group| {
            json!({ "by": group.kind, "value": group.value, "tasks": group.tasks, "figures": figures(group) })
        });
        json!({
            "set": self.set,
            "config": self.config,
            "command": self.command,
            "unanswered": self.unanswered,
            "latency_ms": { "median": self.latency_quantile(0.5), "p95": self.latency_quantile(0.95), "threads": self.threads },
            "groups": groups.collect::<Value>(),
        })
    }

    /// Renders one row per metric, over all tasks and by repository, or by every group for a
    /// nonsense set. The rows contain no times, so that the file changes only when the ranking
    /// changes.
    pub fn to_csv(&self) -> String {
        let mut out = "set,config,repo,tasks,metric,mean,lo,hi,command\n".to_owned();
        // A nonsense set has only one figure, so all its groups are rows.
        let has_row = |group: &&GroupMeans| [ALL, REPO].contains(&group.kind) || self.set == "nonsense";
        for group in self.groups.iter().filter(has_row) {
            let repo = match group.kind {
                ALL => ALL.to_owned(),
                REPO => group.value.clone(),
                kind => format!("{kind}: {}", group.value),
            };
            for (metric, estimate) in self.metrics.iter().zip(&group.means) {
                let (mean, low, high) = (estimate.mean, estimate.low, estimate.high);
                let (set, tasks) = (self.set, group.tasks);
                let (config, repo, command) = (
                    escape_csv_field(&self.config),
                    escape_csv_field(&repo),
                    escape_csv_field(&self.command),
                );
                let text = format_args!(
                    "{set},{config},{repo},{tasks},{metric},{mean:.4},{low:.4},{high:.4},{command}"
                );
                write_line(&mut out, text);
            }
        }
        out
    }

    /// Returns the given quantile of the latencies in milliseconds (nearest rank), or `None` if
    /// nothing was timed.
    fn latency_quantile(&self, share: f64) -> Option<f64> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).map(|time| time.as_secs_f64() * 1_000.0)
    }
}

fn write_row(out: &mut String, name: &str, tasks: &str, values: &[f64]) {
    let values: Vec<String> = values.iter().map(|value| format!("{value:9.4}")).collect();
    write_line(out, format_args!("{name:28}{tasks:>5}{}", values.concat()));
}

fn write_line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a string cannot fail");
}

/// Quotes a field of a CSV row if necessary (RFC 4180).
fn escape_csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::EvalReport;
    use expect_test::expect;
    use kenning_retrieval::eval::statistics::MeanEstimate;
    use kenning_retrieval::eval::summary::GroupMeans;
    use std::time::Duration;

    fn report() -> EvalReport {
        let estimate = |mean: f64| MeanEstimate { mean, low: mean - 0.1, high: mean + 0.1 };
        let group = |kind, value: &str, tasks, mean| GroupMeans {
            kind,
            value: value.to_owned(),
            tasks,
            means: vec![estimate(mean), estimate(0.5)],
        };
        EvalReport {
            set: "curated",
            config: "default".to_owned(),
            command: "kenning eval --repos a,b".to_owned(),
            metrics: vec!["P@10", "MRR"],
            groups: vec![
                group("all", "", 3, 0.25),
                group("tier", "easy", 1, 0.75),
                group("repo", "a", 2, 0.125),
            ],
            unanswered: 1,
            latencies: [30, 10, 20, 400].map(Duration::from_millis).to_vec(),
            threads: 2,
        }
    }

    #[test]
    fn the_table_shows_every_group_and_the_interval_of_all() {
        expect![[r"
            curated, configuration default: 3 tasks, 1 unanswered
            query: median 20.0 ms, 95% within 400.0 ms (2 at a time)

                                            n     P@10      MRR
            all                             3   0.2500   0.5000
              95% from                          0.1500   0.4000
              95% to                            0.3500   0.6000
            tier: easy                      1   0.7500   0.5000
            repo: a                         2   0.1250   0.5000
        "]]
        .assert_eq(&report().render_table());
    }

    #[test]
    fn the_csv_rows_contain_repositories_but_no_times() {
        expect![[r#"
            set,config,repo,tasks,metric,mean,lo,hi,command
            curated,default,all,3,P@10,0.2500,0.1500,0.3500,"kenning eval --repos a,b"
            curated,default,all,3,MRR,0.5000,0.4000,0.6000,"kenning eval --repos a,b"
            curated,default,a,2,P@10,0.1250,0.0250,0.2250,"kenning eval --repos a,b"
            curated,default,a,2,MRR,0.5000,0.4000,0.6000,"kenning eval --repos a,b"
        "#]]
        .assert_eq(&report().to_csv());
    }

    #[test]
    fn the_json_names_each_figure() {
        expect![[r#"
            {
              "set": "curated",
              "config": "default",
              "command": "kenning eval --repos a,b",
              "unanswered": 1,
              "latency_ms": {
                "median": 20.0,
                "p95": 400.0,
                "threads": 2
              },
              "groups": [
                {
                  "by": "all",
                  "value": "",
                  "tasks": 3,
                  "figures": {
                    "P@10": {
                      "mean": 0.25,
                      "low": 0.15,
                      "high": 0.35
                    },
                    "MRR": {
                      "mean": 0.5,
                      "low": 0.4,
                      "high": 0.6
                    }
                  }
                },
                {
                  "by": "tier",
                  "value": "easy",
                  "tasks": 1,
                  "figures": {
                    "P@10": {
                      "mean": 0.75,
                      "low": 0.65,
                      "high": 0.85
                    },
                    "MRR": {
                      "mean": 0.5,
                      "low": 0.4,
                      "high": 0.6
                    }
                  }
                },
                {
                  "by": "repo",
                  "value": "a",
                  "tasks": 2,
                  "figures": {
                    "P@10": {
                      "mean": 0.125,
                      "low": 0.024999999999999994,
                      "high": 0.225
                    },
                    "MRR": {
                      "mean": 0.5,
                      "low": 0.4,
                      "high": 0.6
                    }
                  }
                }
              ]
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(&report().to_json()).unwrap());
    }

    #[test]
    fn without_timed_queries_no_latency_is_shown() {
        let untimed = EvalReport { latencies: Vec::new(), ..report() };
        assert!(!untimed.render_table().contains("query:"));
    }
}
