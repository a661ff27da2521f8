export interface HealthAddress {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`, `[IPv6]:PORT` or a port of 127.0.0.1. */
export function readHealthAddress(text: string): HealthAddress | undefined {
  const parts = /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):)?(\d{1,5})$/.exec(text);
  if (parts === null) return undefined;
  const port = Number(parts[3]);
  return port > 65_535 ? undefined : { host: parts[1] ?? parts[2] ?? "127.0.0.1", port };
}
