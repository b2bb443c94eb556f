# Completion of templated for bash: the options of `templated --help`, and files.

_templated()
{
	local typed=${COMP_WORDS[COMP_CWORD]} line

	COMPREPLY=()
	if [[ $typed != -* ]]; then
		compopt -o default
		return
	fi
	while read -r line; do
		[[ $line =~ ^(-.,\ )?(--[a-z-]+) ]] || continue
		[[ ${BASH_REMATCH[2]} != "$typed"* ]] ||
			COMPREPLY+=("${BASH_REMATCH[2]}")
	done < <(command templated --help 2>/dev/null)
}

complete -F _templated templated
