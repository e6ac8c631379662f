# SPDX-License-Identifier: Apache-2.0
# Written by deploy/make-documents; change what it is made from.

# The operands before the word: the verb first.
function __tactus_operands
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case --board --boards --bundle --bus --card --category --control --debounce --extends --from --gain --hands --hold --knob --last --led --mode --mute --name --out --play-pause --players --png --record --seconds --seed --seeds --settings --silent-switch --stop-after --svg --tick --ticks --to --volume-down --volume-up --write
        set skip 1
      case '-*'
      case '*'
        echo $word
    end
  end
end

# Whether these are the first operands, and so many others follow (without, any).
function __tactus_at
  set -l operands (__tactus_operands)
  set -l wanted (string split ' ' -- $argv[1])
  test -z "$argv[1]"; and set wanted
  set -l length (count $wanted)
  if test $length -gt 0
    test "$operands[1..$length]" = "$wanted"; or return 1
  end
  test (count $argv) -lt 2; and return 0
  test (math (count $operands) - $length) = $argv[2]
end

# What the device or the boards have, quietly, of the bus and boards that were named.
function __tactus_ask
  set -l words (commandline -opc)
  set -l options
  for index in (seq 2 (count $words))
    switch $words[$index]
      case --bus --boards
        set -a options $words[$index] $words[(math $index + 1)]
      case '--bus=*' '--boards=*'
        set -a options $words[$index]
    end
  end
  $words[1] complete $argv[1] $options 2>/dev/null
end

complete -c tactus -f
complete -c tactus -l bus -x -a 'system session' -d 'where the daemon is: system (default), session or a D-Bus address'
complete -c tactus -l boards -x -a '(__fish_complete_directories)' -d 'where the boards are (default /usr/share/tactus/boards)'
complete -c tactus -l help -d 'this help; also of one verb'
complete -c tactus -l version -d 'the version of this program'
complete -c tactus -n "__tactus_at '' 0" -a status -d 'volume, route, silence and what is heard, at a glance'
complete -c tactus -n "__tactus_at '' 0" -a watch -d 'the same, live on the whole screen'
complete -c tactus -n "__tactus_at '' 0" -a why -d 'which rules decided what is heard, by their ids'
complete -c tactus -n "__tactus_at '' 0" -a set -d 'volume, ringer, mute, silent, route, balance'
complete -c tactus -n "__tactus_at 'set' 0" -a volume -d 'the volume of the route in use'
complete -c tactus -n "__tactus_at 'set' 0" -a ringer -d 'the volume of ringtones, alerts and the device\'s own sounds'
complete -c tactus -n "__tactus_at 'set' 0" -a mute -d 'silence everything but alarms, or hear it again'
complete -c tactus -n "__tactus_at 'set' 0" -a silent -d 'the silent switch, where the board has none'
complete -c tactus -n "__tactus_at 'set' 0" -a route -d 'where sound comes out'
complete -c tactus -n "__tactus_at 'set' 0" -a balance -d 'left against right'
complete -c tactus -n "__tactus_at '' 0" -a play -d 'start a source, as a person would'
complete -c tactus -n "__tactus_at '' 0" -a pause -d 'pause a source'
complete -c tactus -n "__tactus_at '' 0" -a stop -d 'stop a source'
complete -c tactus -n "__tactus_at '' 0" -a sound -d 'play one of the device\'s own sounds'
complete -c tactus -n "__tactus_at '' 0" -a feedback -d 'answer at the device by light, motor and sound'
complete -c tactus -n "__tactus_at '' 0" -a run -d 'run a program as a session: aplay, mpv, a script'
complete -c tactus -n "__tactus_at '' 0" -a bridge -d 'adopt the players of your own session, as long as it runs'
complete -c tactus -n "__tactus_at '' 0" -a press -d 'press a button and let go'
complete -c tactus -n "__tactus_at '' 0" -a turn -d 'turn a knob'
complete -c tactus -n "__tactus_at '' 0" -a switch -d 'move a switch, or plug the headphones in or out'
complete -c tactus -n "__tactus_at '' 0" -a metrics -d 'counters and gauges for fleets, as OpenMetrics text'
complete -c tactus -n "__tactus_at '' 0" -a lines -d 'GPIO chips and their lines, with who uses them'
complete -c tactus -n "__tactus_at '' 0" -a mixer -d 'the raw controls of the sound cards: channels, range, dB, lock'
complete -c tactus -n "__tactus_at '' 0" -a board -d 'check, list, pins, identify, new, compile'
complete -c tactus -n "__tactus_at 'board' 0" -a check -d 'every mistake of a board file, with its place and what to write'
complete -c tactus -n "__tactus_at 'board' 0" -a list -d 'the shipped boards, and what is not confirmed'
complete -c tactus -n "__tactus_at 'board' 0" -a pins -d 'the 40-pin header: which pin is whose, which are free'
complete -c tactus -n "__tactus_at 'board' 0" -a identify -d 'which shipped boards this machine may be, and why'
complete -c tactus -n "__tactus_at 'board' 0" -a new -d 'write a board file for a device of your own'
complete -c tactus -n "__tactus_at 'board' 0" -a compile -d 'what tactusd starts with: board and settings, in bytes for it alone'
complete -c tactus -n "__tactus_at '' 0" -a doctor -d 'check the whole machine; each finding says what to do'
complete -c tactus -n "__tactus_at '' 0" -a test -d 'move each control, see how it bounces and what to set; hear each output'
complete -c tactus -n "__tactus_at '' 0" -a trace -d 'what happened: one line for each tick that did something'
complete -c tactus -n "__tactus_at 'trace' 0" -a plot -d 'a picture of a trace: inputs, level, gain, route, silence, sessions'
complete -c tactus -n "__tactus_at '' 0" -a record -d 'keep the daemon\'s trace in a file'
complete -c tactus -n "__tactus_at '' 0" -a replay -d 'run a trace again, or what was recorded on another board'
complete -c tactus -n "__tactus_at '' 0" -a sim -d 'a speaker in memory, with faults, every rule checked at every tick'
complete -c tactus -n "__tactus_at '' 0" -a policy -d 'matrix, run'
complete -c tactus -n "__tactus_at 'policy' 0" -a matrix -d 'who may be heard beside whom: every category against every other'
complete -c tactus -n "__tactus_at 'policy' 0" -a run -d 'play a scenario through the policy; each change with its rule'
complete -c tactus -n "__tactus_at '' 0" -a help -d 'what a verb does'
complete -c tactus -n "__tactus_at 'status'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'watch'" -l json -d 'one line of JSON at each change, flushed'
complete -c tactus -n "__tactus_at 'watch'" -l hands -r -F -d 'a pipe to a program that moves the contacts: touches go there, one a line'
complete -c tactus -n "__tactus_at 'why'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'why' 0" -x -a '(__tactus_ask sources)'
complete -c tactus -n "__tactus_at 'set mute' 0" -x -a 'on off toggle'
complete -c tactus -n "__tactus_at 'set silent' 0" -x -a 'on off'
complete -c tactus -n "__tactus_at 'set route' 0" -x -a '(__tactus_ask routes)'
complete -c tactus -n "__tactus_at 'play' 0" -x -a '(__tactus_ask sources)'
complete -c tactus -n "__tactus_at 'pause' 0" -x -a '(__tactus_ask sources)'
complete -c tactus -n "__tactus_at 'stop' 0" -x -a '(__tactus_ask sources)'
complete -c tactus -n "__tactus_at 'sound' 0" -x -a '(__tactus_ask sounds)'
complete -c tactus -n "__tactus_at 'feedback' 0" -x -a '(__tactus_ask feedback)'
complete -c tactus -n "__tactus_at 'run'" -l category -x -a '(__tactus_ask categories)' -d 'what kind of sound it is; else you are asked'
complete -c tactus -n "__tactus_at 'run'" -l mode -x -a '(__tactus_ask modes)' -d 'spoken-audio or voice-chat'
complete -c tactus -n "__tactus_at 'run'" -l mix-with-others -d 'sounds beside others'
complete -c tactus -n "__tactus_at 'run'" -l duck-others -d 'others are lowered meanwhile'
complete -c tactus -n "__tactus_at 'run'" -l interrupt-spoken-audio -d 'others\' speech is paused meanwhile, the rest is lowered'
complete -c tactus -n "__tactus_at 'run'" -l gain -x -d 'its own gain, -100 to 0'
complete -c tactus -n "__tactus_at 'run'" -l resumes-always -d 'after every interruption'
complete -c tactus -n "__tactus_at 'run'" -l plays-on-unplug -d 'goes on when headphones are unplugged'
complete -c tactus -n "__tactus_at 'run'" -l stop-after -x -d 'ends the program after so many seconds of interruption'
complete -c tactus -n "__tactus_at 'run'" -l name -x -d 'instead of the program\'s'
complete -c tactus -n "__tactus_at 'run' 0" -x -a '(__fish_complete_subcommand)'
complete -c tactus -n "__tactus_at 'bridge'" -l players -x -a 'system session' -d 'where they are: session (default), system or a D-Bus address'
complete -c tactus -n "__tactus_at 'bridge'" -l settings -r -F -d 'instead of /etc/tactus/tactus.yaml'
complete -c tactus -n "__tactus_at 'press'" -l hold -x -d 'milliseconds until the release, 1 to 120000'
complete -c tactus -n "__tactus_at 'press' 0" -x -a '(__tactus_ask controls)'
complete -c tactus -n "__tactus_at 'turn' 0" -x -a '(__tactus_ask controls)'
complete -c tactus -n "__tactus_at 'switch' 0" -x -a '(__tactus_ask controls)'
complete -c tactus -n "__tactus_at 'switch' 1" -x -a 'on off'
complete -c tactus -n "__tactus_at 'metrics'" -l write -r -F -d 'into this file, all at once, such as node_exporter\'s tactus.prom'
complete -c tactus -n "__tactus_at 'lines'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'mixer'" -l card -x -a '(__tactus_ask cards)' -d 'this card only, such as sndrpihifiberry'
complete -c tactus -n "__tactus_at 'mixer'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'board check'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'board check' 0" -r -F -a '(__tactus_ask boards)'
complete -c tactus -n "__tactus_at 'board list'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'board pins'" -l svg -r -F -d 'draw it into this file (- is standard output)'
complete -c tactus -n "__tactus_at 'board pins'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'board pins' 0" -r -F -a '(__tactus_ask boards)'
complete -c tactus -n "__tactus_at 'board identify'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'board new'" -l extends -r -F -a '(__tactus_ask boards)' -d 'the shipped board that it has'
complete -c tactus -n "__tactus_at 'board new'" -l volume-up -x -d 'a button, by its BCM number'
complete -c tactus -n "__tactus_at 'board new'" -l volume-down -x -d 'a button'
complete -c tactus -n "__tactus_at 'board new'" -l knob -x -d 'a rotary encoder'
complete -c tactus -n "__tactus_at 'board new'" -l mute -x -d 'a mute button'
complete -c tactus -n "__tactus_at 'board new'" -l silent-switch -x -d 'a ring/silent switch'
complete -c tactus -n "__tactus_at 'board new'" -l play-pause -x -d 'a button'
complete -c tactus -n "__tactus_at 'board new'" -l led -x -d 'an LED that shows silence'
complete -c tactus -n "__tactus_at 'board new'" -l out -r -F -d 'where to (default NAME/board.yaml)'
complete -c tactus -n "__tactus_at 'board compile'" -l settings -r -F -d 'instead of /etc/tactus/tactus.yaml'
complete -c tactus -n "__tactus_at 'board compile'" -l tick -x -d 'length of a tick, 1 to 20'
complete -c tactus -n "__tactus_at 'board compile'" -l lenient -d 'leave out what is wrong'
complete -c tactus -n "__tactus_at 'board compile' 0" -r -F -a '(__tactus_ask boards)'
complete -c tactus -n "__tactus_at 'doctor'" -l board -r -F -a '(__tactus_ask boards)' -d 'the board to check for (default: the daemon\'s)'
complete -c tactus -n "__tactus_at 'doctor'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'doctor'" -l bundle -r -F -d 'one tar with all that a report needs, and nothing personal'
complete -c tactus -n "__tactus_at 'test'" -l control -x -a '(__tactus_ask controls)' -d 'this one only, and no sound'
complete -c tactus -n "__tactus_at 'test'" -l seconds -x -d 'how long to wait for each (default 20)'
complete -c tactus -n "__tactus_at 'test'" -l record -r -F -d 'keep the raw edges, as text'
complete -c tactus -n "__tactus_at 'test'" -l sound -d 'only tones on each output, then silence'
complete -c tactus -n "__tactus_at 'test'" -l board -r -F -a '(__tactus_ask boards)' -d 'the board (default: the daemon\'s)'
complete -c tactus -n "__tactus_at 'test'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'trace'" -l follow -d 'go on with what happens from now on'
complete -c tactus -n "__tactus_at 'trace'" -l all -d 'also every write and everything that was read back'
complete -c tactus -n "__tactus_at 'trace'" -l from -x -d 'from a time of day on, such as 20:14'
complete -c tactus -n "__tactus_at 'trace'" -l to -x -d 'up to a time of day'
complete -c tactus -n "__tactus_at 'trace'" -l last -x -d 'only its last 90s, 10m or 2h'
complete -c tactus -n "__tactus_at 'trace'" -l json -d 'one line of JSON for each tick'
complete -c tactus -n "__tactus_at 'trace' 0" -r -F
complete -c tactus -n "__tactus_at 'trace plot'" -l svg -r -F -d 'draw it into this file (- is standard output)'
complete -c tactus -n "__tactus_at 'trace plot'" -l png -r -F -d 'the same as PNG; needs rsvg-convert'
complete -c tactus -n "__tactus_at 'trace plot'" -l from -x -d 'from a time of day on, such as 20:14'
complete -c tactus -n "__tactus_at 'trace plot'" -l to -x -d 'up to a time of day'
complete -c tactus -n "__tactus_at 'trace plot'" -l last -x -d 'only its last 90s, 10m or 2h'
complete -c tactus -n "__tactus_at 'trace plot' 0" -r -F
complete -c tactus -n "__tactus_at 'record' 0" -r -F
complete -c tactus -n "__tactus_at 'replay'" -l board -r -F -a '(__tactus_ask boards)' -d 'on another board, by name or file: what would have happened there'
complete -c tactus -n "__tactus_at 'replay'" -l debounce -x -d 'with another debounce time for every contact, 0 to 1000'
complete -c tactus -n "__tactus_at 'replay'" -l json -d 'one line of JSON for each tick, then one for all'
complete -c tactus -n "__tactus_at 'replay' 0" -r -F
complete -c tactus -n "__tactus_at 'sim'" -l seed -x -d 'where chance begins (default 1)'
complete -c tactus -n "__tactus_at 'sim'" -l ticks -x -d 'how long a run is (default 200000)'
complete -c tactus -n "__tactus_at 'sim'" -l seeds -x -d 'how many runs, from --seed on (default 1)'
complete -c tactus -n "__tactus_at 'sim'" -l canary -d 'with an invariant that must fail'
complete -c tactus -n "__tactus_at 'sim'" -l measure -d 'only what a tick costs with every input active'
complete -c tactus -n "__tactus_at 'policy matrix'" -l json -d 'the same as JSON, for programs'
complete -c tactus -n "__tactus_at 'policy run'" -l board -r -F -a '(__tactus_ask boards)' -d 'the board it happens on, by name or file (default simulated)'
complete -c tactus -n "__tactus_at 'policy run'" -l json -d 'one line of JSON for each change'
complete -c tactus -n "__tactus_at 'policy run' 0" -r -F
