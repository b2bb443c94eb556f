# Completion of templatectl for fish, as `templatectl completion fish` prints it.
# What may stand at the cursor is what templatectl answers from the table of its
# verbs, and the daemon of its sites: here is only how fish is told. Nothing of
# that is evaluated.

function __templatectl_words
    set -l typed (commandline -opc) (commandline -ct)
    set typed (string replace -r '^~/' "$HOME/" -- $typed)
    for line in (command templatectl completion words -- $typed[2..-1] 2>/dev/null)
        switch $line
            case '\?files'
                __fish_complete_path (commandline -ct)
            case '\?folders'
                __fish_complete_directories (commandline -ct) ''
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c templatectl -f -a '(__templatectl_words)'
