export {
  openSqliteJournal,
  type SqliteJournal,
  type SqliteJournalOptions,
  type SqliteQuestion,
  type SqliteRun,
} from "./sqlite-journal.ts";
