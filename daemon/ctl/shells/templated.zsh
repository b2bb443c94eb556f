#compdef templated
# Completion of templated for zsh: the options of `templated --help`, and files.

if [[ $funcstack[1] == _templated ]]; then
	_arguments '*:file:_files' --
else
	compdef _gnu_generic templated
fi
