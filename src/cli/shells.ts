// What a shell has to run so that it completes our commands. Each asks `completion SHELL -- WORDS`, with the words as
// they are and never as code, and gets a line for each candidate: the word, a tab, what it is about. Where there is
// none, the shell completes paths.

export type Shell = "bash" | "zsh" | "fish";

export const SCRIPTS: Record<Shell, string> = {
  // For bash 3.2 on, which is what macOS has. It splits words at : and =, and replaces only what stands behind them.
  bash: `_baton() {
  local piece word about current="" glued="" count=0
  local -a words=() values=() shown=()
  for piece in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ -n $glued || ( $piece == [:=]* && $count -gt 0 ) ]]; then words[count-1]+=$piece
    else words[count]=$piece; count=$((count + 1)); fi
    glued=""
    [[ $piece == *[:=] ]] && glued=1
  done
  current=\${words[count-1]}
  local before=""
  [[ $current == *[:=]* ]] && before=\${current%"\${current##*[:=]}"}
  while IFS=$'\\t' read -r word about; do
    values+=("\${word#"$before"}")
    shown+=("\${word#"$before"}\${about:+  ($about)}")
  done < <(baton completion bash -- "\${words[@]}" 2>/dev/null)
  # What it is about is only for a list that is shown, never for what is put into the line.
  if [[ \${#values[@]} -gt 1 && $COMP_TYPE == 63 ]]; then COMPREPLY=("\${shown[@]}")
  else COMPREPLY=("\${values[@]}"); fi
  type compopt >/dev/null 2>&1 && compopt -o nosort 2>/dev/null
  return 0
}
complete -o default -F _baton baton
`,
  zsh: `#compdef baton
_baton() {
  local line
  local -a values shown
  for line in "\${(@f)$(baton completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  if (( $#values )); then compadd -l -V baton -d shown -a values; else _files; fi
}
if [[ \${funcstack[1]} == _baton ]]; then _baton "$@"; else compdef _baton baton; fi
`,
  fish: `function __baton_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (baton completion fish -- $words[2..-1] "$current" 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c baton -f -k -a '(__baton_complete)'
`,
};
