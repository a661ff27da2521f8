/** The message of whatever was thrown. Never throws itself: what was thrown may have getters and traps. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(message);
  } catch {
    return "Something was thrown that cannot be described";
  }
}
