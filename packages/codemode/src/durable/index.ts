export type { CallEnd, CallIdentity } from "./call-record.ts";
export { durableClock, type DurableClock } from "./clock.ts";
export type { CallerFor, WaitingCall } from "./calls.ts";
export type { Difference } from "./compare.ts";
export { repeatablePart } from "./compare.ts";
export type { EntriesOptions, RunDeath, RunEntries, StepEntry } from "./entries.ts";
export type { Change, Divergence, Halt } from "./halt.ts";
export {
  type HistoryCall,
  type HistoryDecision,
  type HistoryQuestion,
  type JournalContents,
  type JournalStep,
  type JournalWait,
  readHistory,
  type RunHistory,
} from "./history.ts";
export { JournalError, type JournalErrorCode } from "./journal-error.ts";
export type { RunJournal, Step, StepOptions, Wait, Woken } from "./journal.ts";
export { createMemoryJournal, type MemoryJournal, type MemoryJournalLimits } from "./memory-journal.ts";
export {
  createParking,
  type ParkedAnswer,
  type ParkedDecision,
  type ParkedPrompt,
  type Parking,
  type ParkingApprover,
} from "./parking.ts";
export { parseRecording, type Recording, recordingText, type RecordOptions, recordRun } from "./recording.ts";
export { replayRecording, type ReplayOptions, type ReplayResult } from "./replay.ts";
export { cancelDurable, type DurableRequest, type DurableResult, runDurable } from "./run-durable.ts";
export { ENDING_CHARS, readRunEnding, type RunEnding } from "./run-end.ts";
export { checkScript, type DurableScript } from "./script.ts";
export type { RunStart, StartEnvironment } from "./start.ts";
