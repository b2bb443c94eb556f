# Completion of templatectl for bash, as `templatectl completion bash` prints it.
# What may stand at the cursor is what templatectl answers from the table of its
# verbs, and the daemon of its sites: here is only how bash is told. Nothing of
# that is evaluated.

_templatectl()
{
	local line=${COMP_LINE:0:COMP_POINT} word value breaks glue="" i
	local -a words=()

	# bash has cut the line at ":" and "=", too: what no blank is between is
	# one word
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i == 0)) || [[ $line == [[:blank:]]* ]]; then
			line=${line#"${line%%[![:blank:]]*}"}
			words+=('')
		fi
		words[-1]+=${line:0:${#word}}
		line=${line:${#word}}
	done
	# quotes go; what they keep from being evaluated is not evaluated here
	words=("${words[@]//[\\\'\"]/}")
	words=("${words[@]/#\~\//$HOME/}")

	# bash puts a reply in the place of what is behind the last break
	breaks=${COMP_WORDBREAKS//[^:=]/}
	if [[ -n $breaks && ${words[-1]} == *["$breaks"]* ]]; then
		glue=${words[-1]%"${words[-1]##*["$breaks"]}"}
	fi
	COMPREPLY=()
	while IFS=$'\t' read -r value _; do
		case $value in
		'?files') compopt -o default ;;
		'?folders') compopt -o dirnames ;;
		*)
			[[ $value != *[/=] ]] || compopt -o nospace
			value=${value#"$glue"}
			[[ $value != *[!A-Za-z0-9._/:@%+,=-]* ]] ||
				printf -v value %q "$value"
			COMPREPLY+=("$value")
			;;
		esac
	done < <(command templatectl completion words -- "${words[@]:1}" \
		2>/dev/null)
}

complete -F _templatectl templatectl
