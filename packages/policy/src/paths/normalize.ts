/** The kind of machine that a path is meant for. */
export interface PathWorld {
  readonly platform: "linux" | "darwin" | "win32";
  /** Absolute, with forward slashes. */
  readonly home: string;
}

/** A path made absolute by its words alone; no link is followed. */
export interface LexicalPath {
  /** Absolute, forward slashes, no `.` or `..`, no trailing slash (but `/` and `C:/`). */
  readonly path: string;
  /** Absolute as the system walks it: `..` after a name is still there, because a link in front of it matters. */
  readonly walked: string;
  /** Other spellings that some program takes for this path. */
  readonly also: readonly string[];
  /** Why the words may mean another path than this; such a path is never allowed without a person. */
  readonly doubt?: string;
}

/** Longest path that is looked at. */
export const MAX_PATH_CHARS = 8_192;

/** Makes a path absolute. `undefined` when it names nothing that can be known, such as another user's home. */
export function absolutePath(value: string, base: string, world: PathWorld): LexicalPath | undefined {
  if (value.length > MAX_PATH_CHARS || value.includes("\0")) return undefined;
  if (world.platform === "win32") return windowsPath(value, base, world);
  const expanded = expandHome(value, world);
  if (expanded === undefined) return undefined;
  const walked = expanded.startsWith("/") ? expanded : `${base}/${expanded}`;
  return { path: posixRoot(walked), walked, also: [] };
}

/** Resolves `.`, `..` and double slashes of an absolute path. */
export function resolveDots(path: string): string {
  const root = rootOf(path);
  const parts: string[] = [];
  for (const part of path.slice(root.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return root + parts.join("/");
}

/** `/`, `C:/` or `//server/share/`: what `..` cannot leave. */
export function rootOf(path: string): string {
  const drive = /^[A-Za-z]:\//.exec(path);
  if (drive !== null) return drive[0];
  const share = /^\/\/[^/]+\/[^/]+\/?/.exec(path);
  if (share !== null) return share[0].endsWith("/") ? share[0] : `${share[0]}/`;
  return "/";
}

/** Whether a path is the folder or stands below it, component by component. */
export function isInside(path: string, folder: string): boolean {
  if (path === folder) return true;
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function expandHome(value: string, world: PathWorld): string | undefined {
  if (!value.startsWith("~")) return value;
  if (value === "~") return world.home;
  if (value.startsWith("~/") || (world.platform === "win32" && value.startsWith("~\\")))
    return `${world.home}/${value.slice(2)}`;
  // `~name`, `~+`, `~-`: a shell would look these up; a file of that name in the folder is rarer than a trick.
  return undefined;
}

// One leading double slash is a share on Windows only.
function posixRoot(path: string): string {
  return resolveDots(path.replace(/^\/{2,}/, "/"));
}

function windowsPath(value: string, base: string, world: PathWorld): LexicalPath | undefined {
  const expanded = expandHome(value, world);
  if (expanded === undefined) return undefined;
  const doubts: string[] = [];
  const also: string[] = [];
  let path = expanded.replaceAll("\\", "/");
  const folder = base.replaceAll("\\", "/");
  const device = /^\/\/[?.]\/(.*)$/s.exec(path);
  if (device !== null) {
    const rest = device[1] ?? "";
    const share = /^unc\/(.*)$/is.exec(rest);
    if (share !== null) path = `//${share[1] ?? ""}`;
    else if (/^[A-Za-z]:\//.test(rest)) path = rest;
    else return undefined;
  }
  const share = /^\/\/([^/]+)\/([A-Za-z])\$(\/|$)/.exec(path);
  if (share !== null) {
    // The administrative share of a drive: of this machine's, by a name that is its own or may be.
    const drive = path.replace(/^\/\/[^/]+\/([A-Za-z])\$\/?/, "$1:/");
    if (/^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0--1\.ipv6-literal\.net)$/i.test(share[1] ?? ""))
      path = drive;
    else {
      doubts.push("it may be a drive of this machine under a name of the network");
      also.push(cleanWindows(drive, doubts));
    }
  }
  if (/^[A-Za-z]:$/.test(path)) path = `${path}/`;
  else if (/^[A-Za-z]:[^/]/.test(path)) {
    doubts.push("it is relative to a drive's own folder");
    path =
      path.slice(0, 2).toLowerCase() === folder.slice(0, 2).toLowerCase()
        ? `${folder}/${path.slice(2)}`
        : `${path.slice(0, 2)}/${path.slice(2)}`;
  } else if (/^\/(?:mnt\/|cygdrive\/)?[A-Za-z](\/|$)/.test(path)) {
    // `/c/x` is drive C to the Unix-like shells of Windows, and a folder named c to everything else.
    also.push(cleanWindows(path.replace(/^\/(?:mnt\/|cygdrive\/)?([A-Za-z])(?:\/|$)/, "$1:/"), doubts));
    path = `${rootOf(folder)}${path.slice(1)}`;
  } else if (path.startsWith("/") && !path.startsWith("//")) {
    path = `${rootOf(folder)}${path.slice(1)}`;
  } else if (!/^[A-Za-z]:\//.test(path) && !path.startsWith("//")) {
    path = `${folder}/${path}`;
  }
  const clean = cleanWindows(path, doubts);
  return { path: clean, walked: clean, also, ...(doubts[0] === undefined ? {} : { doubt: doubts[0] }) };
}

/** Upper-case drive, no streams, no trailing dots and spaces: one spelling for one file. */
function cleanWindows(path: string, doubts: string[]): string {
  const resolved = resolveDots(path);
  const root = rootOf(resolved);
  const names = resolved.slice(root.length).split("/");
  const cleaned = names.map((name) => {
    const colon = name.indexOf(":");
    if (colon >= 0) doubts.push("it names a stream of a file");
    const plain = (colon < 0 ? name : name.slice(0, colon)).replace(/[. ]+$/, "");
    if (/~\d/.test(plain)) doubts.push("it is a short name, which stands for another one");
    if (/^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(\.|$)/i.test(plain))
      doubts.push("it names a device");
    return plain;
  });
  const drive = /^[a-z]:\//.test(root) ? root.toUpperCase() : root;
  return drive + cleaned.filter((name) => name !== "").join("/");
}
