-- A ranking reads all answers for tasks like the one at hand.

CREATE INDEX feedback_by_cluster ON feedback (cluster);
