# fish completion of mcp-sandbox. The program itself is asked what a word can be: its answer is a line with the kind of the
# word, then a line for each candidate. No word of the command line is evaluated, and only the mcp-sandbox of PATH is executed.

function __mcp_sandbox_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    set -l answer (command mcp-sandbox __complete $words "$current" 2>/dev/null)
    set -l kind (string split \t -- "$answer[1]")
    set -e answer[1]
    set -l from (math (string length -- "$kind[2]") + 1)
    set -l path (string sub --start $from -- "$current")
    switch "$kind[1]"
        case words
            string join \n -- $answer
        case files
            string replace -r '^' -- (string escape --style=regex -- "$kind[2]") (__fish_complete_path "$path")
        case folders
            string replace -r '^' -- (string escape --style=regex -- "$kind[2]") (__fish_complete_directories "$path")
        case command
            set -l command
            test (count $words) -gt $kind[2]; and set command (string escape -- $words[(math $kind[2] + 1)..-1])
            complete -C (string join ' ' -- $command "$current")
    end
end

complete -c mcp-sandbox -e
complete -c mcp-sandbox -f -k -a '(__mcp_sandbox_complete)'
