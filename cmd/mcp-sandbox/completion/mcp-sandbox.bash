# bash completion of mcp-sandbox. The program itself is asked what a word can be: its answer is a line with the kind of the
# word, then a line for each candidate. No word of the command line is evaluated, and only the mcp-sandbox of PATH is executed.

_mcp_sandbox() {
	local words=() starts=() line=${COMP_LINE:0:COMP_POINT} n=-1 i piece gap
	for ((i = 0; i <= COMP_CWORD; i++)); do # readline divides a word at : and = too
		piece=${COMP_WORDS[i]} gap=${line%%[![:space:]]*}
		line=${line#"$gap"}
		((i < COMP_CWORD)) || piece=$line
		if [[ -n $gap || $i -eq 0 ]]; then
			n=$((n + 1)) starts[n]=$i words[n]=$piece
		else
			words[n]+=$piece
		fi
		line=${line#"$piece"}
	done

	local cur=${words[n]} breaks= front= # front: what readline keeps of the word in front of a reply
	[[ $COMP_WORDBREAKS != *:* ]] || breaks+=:
	[[ $COMP_WORDBREAKS != *=* ]] || breaks+==
	if [[ $cur == [\"\']* ]]; then
		cur=${cur:1} words[n]=$cur
	elif [[ -n $breaks ]]; then
		front=${cur%"${cur##*[$breaks]}"}
	fi

	local kind= argument= word text
	COMPREPLY=()
	while IFS=$'\t' read -r word text; do
		if [[ -z $kind ]]; then
			kind=$word argument=$text
		elif [[ $word == "$cur"* ]]; then
			COMPREPLY+=("${word#"$front"}")
		fi
	done <<<"$(command mcp-sandbox __complete "${words[@]:1}" 2>/dev/null)"

	case $kind in
	files) return ;; # without a reply readline completes the path, as "complete -o default" says
	folders) compopt +o default -o dirnames 2>/dev/null ;;
	command)
		n=${starts[argument + 1]}
		if declare -F _comp_command_offset >/dev/null; then
			compopt +o default
			_comp_command_offset "$n"
		elif declare -F _command_offset >/dev/null; then # of bash-completion until 2.11
			compopt +o default
			_command_offset "$n"
		elif [[ $n -eq $COMP_CWORD && $cur != */* ]]; then
			while IFS= read -r word; do
				[[ -z $word ]] || COMPREPLY+=("$word")
			done <<<"$(compgen -c -- "$cur")"
		fi
		;;
	*) compopt +o default 2>/dev/null ;; # bash 3.2 has no compopt, and offers files
	esac
}

complete -o default -F _mcp_sandbox mcp-sandbox
