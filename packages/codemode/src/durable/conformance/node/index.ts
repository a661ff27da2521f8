export { crashProcess, type CrashProcessOptions } from "./crash-process.ts";
export { crashProcesses, type CrashProcessesOptions } from "./crash-processes.ts";
