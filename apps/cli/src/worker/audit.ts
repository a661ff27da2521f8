import type { AuditSink } from "@nestbox/policy";
import { AUDIT_LIMITS, openAuditLog } from "@nestbox/policy/node";

export interface WorkerAudit extends AuditSink {
  close(): void;
}

/**
 * The audit of one worker; every record names its run. A log that is nearly full is left for a new one: a worker that
 * lives for months must not come to an end of its paper.
 */
export function openWorkerAudit(dir: string, maxFiles: number = AUDIT_LIMITS.maxFiles): WorkerAudit {
  const open = () => openAuditLog({ dir, session: "worker", limits: { maxFiles } });
  let log = open();
  return {
    write(record) {
      if (log.files.length >= maxFiles) {
        log.close();
        log = open();
      }
      log.write(record);
    },
    close: () => log.close(),
  };
}
