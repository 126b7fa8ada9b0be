"""Violates the protocol: frames, types of fields, ids, the life cycle, documents, URIs, storms of
messages.

Criterion: after each part, the server answers kenning.status, or has ended with a message if it
could not read a frame. There is no internal error, no lost answer and no panic, memory stays
modest, and Kenning reads nothing outside the workspace.
"""

from . import protocol_documents, protocol_frames, protocol_storms, protocol_types
from .workspaces import write_python_ring

PARTS = {
    "frames": protocol_frames.send_malformed_frames,
    "drip": protocol_frames.send_byte_by_byte,
    "life cycle": protocol_frames.break_life_cycle,
    "types": protocol_types.send_wrong_types,
    "documents": protocol_documents.send_odd_changes,
    "uris": protocol_documents.open_odd_uris,
    "many documents": protocol_documents.open_many,
    "large documents": protocol_documents.open_large,
    "ids": protocol_storms.reuse_ids_and_cancel,
    "burst": protocol_storms.send_burst,
    "folders": protocol_storms.change_folders,
}


class ProtocolAttack:
    """A small indexed workspace, on which each part opens its own sessions."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = write_python_ring(context.folder / "workspace", 60)
        self.lab = context.lab()
        self.lab.run("index", self.workspace)

    def start(self):
        """Starts a session and waits until it is ready."""
        session = self.lab.serve(self.workspace)
        session.wait_until_ready()
        return session

    def expect_sound(self, session, what, timeout=60):
        """Expects that a session answers and has not panicked."""
        answer = session.command("status", timeout)
        self.context.expect(
            "result" in answer, f"{what}: the session does not answer: {answer}, {session.error_text()[-200:]}"
        )
        self.context.expect(not session.has_panicked(), f"{what}: a panic: {session.error_text()[-300:]}")

    def end(self, session, what):
        """Expects that a session is sound and ends with 0."""
        self.expect_sound(session, what)
        ended = session.close()
        self.context.expect(ended == 0, f"{what}: the session ended with {ended}")


def run(context):
    """Runs all parts."""
    attack = ProtocolAttack(context)
    for name, part in PARTS.items():
        context.figure(name, part(attack))
