/**
 * The names, arguments and results of the server's commands, derived from the generated types.
 */
import type { Commands, Delta, Position, TextDocument, UnchangedPack } from './protocol';

/** The name of a command. */
export type CommandName = keyof Commands;
/** The argument of a command. */
export type CommandArgument<C extends CommandName> = Commands[C]['argument'];

/**
 * The result of a command. The extension never sends `packRoot`, so packs always arrive complete.
 */
export type CommandResult<C extends CommandName> = Exclude<Commands[C]['result'], Delta | UnchangedPack>;

/** The document and the position that a request is about. */
export interface DocumentPosition {
  textDocument: TextDocument;
  position?: Position;
}
