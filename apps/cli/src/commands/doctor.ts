import type { DoctorOptions } from "../actions/doctor.ts";
import { type AddCommand, collect, DEFAULT_PORT, JSON_OPTION, port } from "./command.ts";

export const addDoctor: AddCommand = (program, { streams, done }) => {
  program
    .command("doctor")
    .description("find what keeps scripts from running, and say what to do")
    .option("--cwd <folder>", "folder whose policy is looked at")
    .option("--policy <file>", "a policy file to look at, next to the usual places (repeatable)", collect)
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .option("--port <n>", "the port that has to be free", port, DEFAULT_PORT)
    .option(...JSON_OPTION)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import("../actions/doctor.ts");
      done(await doctor(options, streams));
    });
};
