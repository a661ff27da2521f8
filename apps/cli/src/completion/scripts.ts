/** The hidden first word with which a shell asks what may come next; the words so far follow. */
export const COMPLETE_WORD = "__complete";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * A shell's part: it hands over its words and shows what comes back, one `value<TAB>description` a line. Where
 * nothing comes back it completes files.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# nestbox completion for bash. Put this into ~/.bashrc:  source <(nestbox completion bash)
_nestbox() {
  local value rest
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    [[ -n $value ]] && COMPREPLY+=("$value")
  done < <(nestbox ${COMPLETE_WORD} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _nestbox nestbox
`,
  zsh: `#compdef nestbox
# nestbox completion for zsh. Put this into ~/.zshrc, after compinit:  source <(nestbox completion zsh)
_nestbox() {
  local line
  local -a found
  while IFS= read -r line; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(nestbox ${COMPLETE_WORD} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe nestbox found; else _files; fi
}
compdef _nestbox nestbox
`,
  fish: `# nestbox completion for fish. Save it:  nestbox completion fish > ~/.config/fish/completions/nestbox.fish
function __nestbox_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  nestbox ${COMPLETE_WORD} $words[2..-1] "$current" 2>/dev/null
end
complete -c nestbox -a '(__nestbox_complete)'
`,
};
