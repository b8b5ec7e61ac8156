#compdef wt windtunnel
# Completion of wt in zsh: eval "$(wt completion zsh)", or a file _wt in a folder of fpath.

_wt() {
    local line
    local -a answers parts described
    answers=("${(@f)$(${(Q)~words[1]} __complete zsh $((CURRENT - 1)) "${(@)words}" 2>/dev/null)}")
    for line in $answers; do
        parts=("${(@ps:\t:)line}")
        case $parts[1] in
            plain) described+=("${${parts[2]//\\/\\\\}//:/\\:}${parts[3]:+:$parts[3]}") ;;
            file)
                [[ -n $parts[3] ]] && compset -P 1 '*='
                _files
                ;;
            dir)
                [[ -n $parts[3] ]] && compset -P 1 '*='
                _files -/
                ;;
        esac
    done
    (( $#described )) && _describe wt described
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _wt "$@"
else
    compdef _wt wt windtunnel
fi
