#compdef templatectl
# Completion of templatectl for zsh, as `templatectl completion zsh` prints it.
# What may stand at the cursor is what templatectl answers from the table of its
# verbs, and the daemon of its sites: here is only how zsh is told. Nothing of
# that is evaluated.

_templatectl() {
	local -a typed lines values shown stems stems_shown
	local line value meaning
	local -i missing=1

	typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
	typed=("${(@)typed/#\~\//$HOME/}")
	lines=("${(@f)$(command templatectl completion words -- \
		"${(@)typed}" 2>/dev/null)}")
	for line in "${(@)lines}"; do
		value=${line%%$'\t'*}
		meaning=${line#*$'\t'}
		case $value in
		('') ;;
		('?files') _files && missing=0 ;;
		('?folders') _files -/ && missing=0 ;;
		(*[/=])
			stems+=("$value")
			stems_shown+=("$value${meaning:+  -- $meaning}")
			;;
		(*)
			values+=("$value")
			shown+=("$value${meaning:+  -- $meaning}")
			;;
		esac
	done
	(( $#values == 0 )) || compadd -l -d shown -a values && missing=0
	(( $#stems == 0 )) || compadd -l -S '' -d stems_shown -a stems && missing=0
	return missing
}

# read from fpath it is the function itself; by `source` it only defines it
if [[ $funcstack[1] == _templatectl ]]; then
	_templatectl "$@"
else
	compdef _templatectl templatectl
fi
