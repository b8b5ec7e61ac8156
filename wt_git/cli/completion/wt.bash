# Completion of wt in bash: eval "$(wt completion bash)"

_wt_completion() {
    local kind value about
    COMPREPLY=()
    while IFS=$'\t' read -r kind value about; do
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            # Where nothing else matches, bash looks for paths itself.
            file) compopt -o default 2>/dev/null ;;
            dir) compopt -o dirnames 2>/dev/null ;;
        esac
    done < <("$1" __complete bash "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
}

complete -F _wt_completion wt windtunnel
