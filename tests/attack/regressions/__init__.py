"""Regression checks for the 18 failures that the first attack found, F1 to F18."""

from . import answers, damage, reading, trust
from .outcome import Broken, Unavailable

CHECKS = {
    "F1": trust.cargo_configuration_runs_no_program,
    "F2": trust.rust_toolchain_file_runs_and_downloads_nothing,
    "F3": trust.servers_without_an_untrusted_mode_are_not_started,
    "F4": reading.links_and_pipes_are_read_within_bounds,
    "F5": damage.a_damaged_fact_database_is_rebuilt,
    "F6": damage.flipped_bits_change_no_answer,
    "F7": answers.credentials_are_neither_printed_nor_stored,
    "F8": damage.a_session_survives_the_truncation_of_its_image,
    "F9": reading.a_short_git_index_does_not_panic,
    "F10": reading.exclude_patterns_stop_no_command,
    "F11": answers.unsaved_packages_resolve_as_saved_ones,
    "F12": answers.only_the_owner_can_read_the_index,
    "F13": answers.answers_outside_the_workspace_are_dropped,
    "F14": trust.children_that_leave_the_session_end_as_well,
    "F15": damage.ended_sessions_leave_no_write_ahead_log,
    "F16": reading.objects_are_inflated_within_bounds,
    "F17": damage.feedback_is_on_the_disk_when_it_is_acknowledged,
    "F18": reading.lack_of_memory_ends_with_a_message,
}


def run(context):
    """Runs every check. The attack passes if none of the failures has returned."""
    fixed = 0
    for name, check in CHECKS.items():
        try:
            check(context)
        except Broken as broken:
            context.fail(f"{name} {check.__doc__.rstrip('.')}: {broken}")
        except Unavailable as reason:
            context.skip(f"{name} {check.__name__}", reason)
            context.count("skipped")
        else:
            fixed += 1
    context.figure("fixed", f"{fixed} of {len(CHECKS)}")
    broken = [failure.split()[0] for failure in context.failures]
    context.figure("broken", " ".join(broken) or "none")
