/**
 * Shell text before a sandbox takes the shell's place: lists what is open beyond the pipes, which is what the host's own
 * parent left open. Not every shell can close a descriptor beyond 9, so the sandbox does it, by the list that is its
 * last argument: what it opens itself gets other numbers. A number is in the list if it is still open after the folder
 * was read, which the reading itself is not.
 */
export const LIST_INHERITED =
  `o=; for f in ${process.platform === "linux" ? "/proc/self/fd" : "/dev/fd"}/*; ` +
  "do case ${f##*/} in [012]) ;; *) " +
  '[ -e "$f" ] || [ -L "$f" ] && o="$o ${f##*/}";; esac; done';

/** What {@link LIST_INHERITED} found, as the shell adds it to the arguments. */
export const INHERITED = '"$o"';
