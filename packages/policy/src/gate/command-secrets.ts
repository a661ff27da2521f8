/** A program, and the option whose value is a secret although nothing in it says so. */
const options: readonly (readonly [program: string, option: string])[] = [
  ["curl", "-[a-zA-Z]*[uU]|--user|--proxy-user|--oauth2-bearer|--pass|--proxy-pass"],
  ["wget", "--(?:http-|ftp-|proxy-)?password"],
  ["https?|xh", "-a|--auth"],
  ["sshpass", "-p"],
  ["(?:docker|podman|nerdctl|helm registry|az) login", "-p|--password"],
  ["redis-cli", "-a|--pass"],
  ["mongosh?|mongodump", "-p"],
  ["openssl", "-k|-K|-pass(?:in|out)?"],
  ["ssh-keygen", "-N|-P"],
  ["zip|7z", "-P|-p"],
  ["(?:npm|pnpm|yarn) config set", "\\S*(?:_authToken|_auth|_password)"],
  ["vault", "login"],
];

// The option stands in the same command; its value is glued, behind `=`, or the next word, quoted or not.
const patterns = options.map(
  ([program, option]) =>
    new RegExp(
      `((?:^|[\\s/;&|(])(?:${program})\\s(?:[^;&|\\n]{0,500}?\\s)??(?:${option})(?:=|\\s+)?)('[^']*'|"[^"]*"|[^\\s'"=-][^\\s'"]*)`,
      "g",
    ),
);
/** What is handed to a command that asks for a token. */
const handed = /(--(?:with-token|password-stdin)\b[^;&|\n]{0,200}<<<\s*)('[^']*'|"[^"]*"|\S+)/g;
const glued =
  /((?:^|[\s/;&|(])(?:mysql|mysqldump|mysqladmin|mariadb)\s(?:[^;&|\n]{0,500}?\s)??-p)([^\s-]\S*)/g;
const htpasswd = /((?:^|[\s/;&|(])htpasswd\s+-\S*b\S*\s+\S+\s+\S+\s+)(\S+)/g;

/** Takes the values of options that are secrets out of the text of a command. A best effort, like all redaction. */
export function redactCommand(text: string): string {
  let out = text;
  for (const pattern of [...patterns, glued, handed, htpasswd]) out = out.replace(pattern, "$1[redacted]");
  return out;
}
