# Completion of wt in fish: wt completion fish | source

function __wt_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete fish (count $words) $words $current 2>/dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case plain
                printf '%s\t%s\n' $parts[2] $parts[3]
            case file
                for path in (__fish_complete_path $parts[2])
                    printf '%s%s\n' $parts[3] $path
                end
            case dir
                for path in (__fish_complete_directories $parts[2])
                    printf '%s%s\n' $parts[3] $path
                end
        end
    end
end

for name in wt windtunnel
    complete --command $name --no-files --arguments '(__wt_completion)'
end
