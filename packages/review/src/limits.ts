/** Every limit of this package in one place; the README lists them. */
export const limits = {
  /** Bytes of a report file that are read. */
  reportBytes: 64 * 1024 * 1024,
  /** Failures that one result carries. */
  failures: 200,
  /** Bytes of a failure's message, of its expected and actual value each, and of its name. */
  messageBytes: 2_000,
  valueBytes: 1_000,
  nameBytes: 500,
  /** Characters of a stack that are looked at for places in the project. */
  stackChars: 16_000,
  /** Places in the project kept with a failure. */
  frames: 10,
  /** Files that are followed from one failing file to those it imports; bytes of each that are read. */
  imports: 200,
  sourceBytes: 512 * 1024,
  /** Sources that are looked into for the tests of ava, whose report names no file. */
  avaFiles: 5_000,
  /** Failing files whose imports are followed. */
  importingFiles: 50,
  /** Bytes of a step's output in the structured content, and in the text for the model. */
  stepOutputBytes: 64 * 1024,
  stepTextBytes: 6_000,
  /** Problems (type errors, lint messages) kept of one step. */
  problems: 200,
  /** Default and longest time of one step or one test run, in seconds. */
  timeoutSeconds: 600,
  maxTimeoutSeconds: 3_600,
  /** Steps, test runs and projects of one call. */
  steps: 64,
  suites: 32,
  projects: 200,
  /** Steps that run at the same time. */
  parallelSteps: 3,
  /** Files of one page of a diff. */
  diffPageFiles: 50,
  maxDiffPageFiles: 200,
  /** Changed files that a diff lists; what is beyond is counted. */
  diffFiles: 5_000,
  /** Characters of hunks that one file, and one page, carry. */
  diffFileChars: 48 * 1024,
  diffPageChars: 512 * 1024,
  /** Characters of one line of a hunk. */
  diffLineChars: 1_000,
  /** Bytes of a file in the working tree that git is asked to compare; a larger one is told and not read. */
  comparedBytes: 16 * 1024 * 1024,
  /** Bytes of an untracked file that are read. */
  untrackedBytes: 256 * 1024,
  /** Time one git process may take, in milliseconds. */
  gitTimeoutMs: 30_000,
  /** Pages that review_diff reads. */
  reviewPages: 20,
  /** Findings of one review. */
  findings: 300,
  /** Entries of one page of dangers. */
  dangerPage: 50,
  maxDangerPage: 200,
  /** Bytes of the text for the model; what is beyond is in a file that the text names. */
  textBytes: 48 * 1024,
  textLines: 1_900,
} as const;
