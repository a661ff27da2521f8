/** What is wrong with a block, at its place in the page. */
export interface Fault {
  readonly page: string;
  readonly line: number;
  readonly message: string;
}

export function faultLine({ page, line, message }: Fault): string {
  return `${page}:${line}: ${message}`;
}
