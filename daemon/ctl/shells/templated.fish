# Completion of templated for fish: the options of `templated --help`, and files.

function __templated_options
    command templated --help 2>/dev/null |
        string replace -rf '^  (?:-., )?(--[a-z-]+)(?: [A-Z]+)? +(.*)' '$1\t$2'
end

complete -c templated -n 'string match -q -- "-*" (commandline -ct)' \
    -f -a '(__templated_options)'
