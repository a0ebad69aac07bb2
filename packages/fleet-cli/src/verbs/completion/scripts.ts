/**
 * The completion scripts. Each calls `fleet __complete SHELL PREFIX WORD...`. The last word is the one that is
 * typed, and `PREFIX` is the part of it that the shell does not replace. The scripts never evaluate the answer.
 */

/** Works with bash 3.2, the version of macOS. */
const BASH = String.raw`# Completion of fleet for bash. Load it with:  source <(fleet completion bash)
_fleet_complete() {
  local IFS=$'\n' line=$COMP_LINE word current=\${COMP_WORDS[COMP_CWORD]} prefix found answer
  local -i i count=0
  local -a words
  words=()
  COMPREPLY=()
  # Bash splits at = and : too. What no space stands between is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
      words[count++]=$word
    else
      words[count - 1]+=$word
    fi
    line=\${line#"\${line%%[![:space:]]*}"}
    line=\${line#"$word"}
  done
  word=\${words[count - 1]}
  case $current in
    = | :) prefix=$word ;;
    *) prefix=\${word%"$current"} ;;
  esac
  answer=$("$1" __complete bash "$prefix" "\${words[@]:1}" 2>/dev/null)
  case $answer in
    :folders)
      compopt -o filenames 2>/dev/null
      while read -r found; do COMPREPLY+=("$found"); done < <(compgen -d -- "$current")
      ;;
    :command)
      for ((i = 1; i < COMP_CWORD; i++)); do [[ \${COMP_WORDS[i]} == -- ]] && break; done
      if declare -F _comp_command_offset >/dev/null; then
        unset IFS
        _comp_command_offset $((i + 1))
      elif declare -F _command_offset >/dev/null; then
        unset IFS
        _command_offset $((i + 1))
      elif ((COMP_CWORD == i + 1)); then
        while read -r found; do COMPREPLY+=("$found"); done < <(compgen -c -- "$current")
      else
        compopt -o filenames 2>/dev/null
        while read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$current")
      fi
      ;;
    *)
      while read -r found; do [[ $found ]] && COMPREPLY+=("$found"); done <<<"$answer"
      ;;
  esac
}
complete -F _fleet_complete fleet
`;

const ZSH = String.raw`#compdef fleet
# Completion of fleet for zsh. Load it with:  source <(fleet completion zsh)
# or put it into a folder of $fpath as _fleet.
_fleet() {
  local line
  local -a found
  for line in "\${(@f)$("\${(Q)words[1]}" __complete zsh '' "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :folders)
        _files -/
        return
        ;;
      :command)
        local -i at=\${words[(ie)--]}
        shift at words
        ((CURRENT -= at))
        _normal
        return
        ;;
      *$'\t'*) found+=("\${\${line%%$'\t'*}//:/\\:}:\${line#*$'\t'}") ;;
      ?*) found+=("\${line//:/\\:}") ;;
    esac
  done
  _describe -t fleet fleet found
}
if [[ \${funcstack[1]} == _fleet ]]; then
  _fleet "$@"
elif (( $+functions[compdef] )); then
  compdef _fleet fleet
fi
`;

const FISH = String.raw`# Completion of fleet for fish. Load it with:  fleet completion fish | source
# or put it into ~/.config/fish/completions/fleet.fish
function __fleet_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete fish '' $words[2..-1] $current 2>/dev/null)
        switch $line
            case :folders
                __fish_complete_directories $current
            case :command
                set -l at (contains -i -- -- $words)
                complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) $current)
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c fleet -f -a '(__fleet_complete)'
`;

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Removes the escape of `${`, which TypeScript needs and the shell does not. */
const plain = (script: string): string => script.replaceAll('\\$', '$');

const SCRIPTS: Record<Shell, string> = { bash: plain(BASH), zsh: plain(ZSH), fish: plain(FISH) };

export const scriptFor = (shell: Shell): string => SCRIPTS[shell];
