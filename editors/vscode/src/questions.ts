/**
 * Questions to the server: the generated types of its commands, as the extension uses them.
 */
import type { Commands, Delta, Position, TextDocument, Unchanged } from './protocol';

export type CommandName = keyof Commands;
export type Arguments<C extends CommandName> = Commands[C]['argument'];

/** The result of a command. The extension never sends `packRoot`, so a pack always arrives whole. */
export type Answer<C extends CommandName> = Exclude<Commands[C]['result'], Delta | Unchanged>;

/** A document, and the position of the cursor in it. */
export interface Place {
  textDocument: TextDocument;
  position?: Position;
}
