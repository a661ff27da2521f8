/**
 * What lets a script go on after its end within the same turn: functions of its own that the engine calls when a promise
 * is settled, and text that may hold them. Names may be written with escapes.
 */
const MEANS =
  /[Aa]sync|\b(?:then|Promise|queueMicrotask|eval|Function|constructor)\b|\.\s*(?:catch|finally)\b|\\[ux]/;

/**
 * Whether work that a script does not await may go on after its end. The end of such a script is told at once, before
 * what goes on can hang. `false` is a guess for a script that puts a name together while it runs: should one hang after
 * its end, that end is told when its processor time is over.
 */
export const mayGoOn = (source: string): boolean => MEANS.test(source);
