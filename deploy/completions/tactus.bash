# SPDX-License-Identifier: Apache-2.0
# Written by deploy/make-documents; change what it is made from.
# shellcheck shell=bash disable=SC2207

# What the device or the boards have, quietly, of the bus and boards that were named.
_tactus_ask() {
  local options=() index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${COMP_WORDS[index]} in
    --bus | --boards) options+=("${COMP_WORDS[index]}" "${COMP_WORDS[index + 1]}") ;;
    esac
  done
  "${COMP_WORDS[0]}" complete "$1" "${options[@]}" 2>/dev/null
}

_tactus() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local index verb='' group='' place=0 skip=''
  COMPREPLY=()
  # The verb, and how many operands stand before the word.
  for ((index = 1; index < COMP_CWORD; index++)); do
    local here=${COMP_WORDS[index]}
    if [ -n "$skip" ]; then skip=''; continue; fi
    case $here in
    --) [ "$verb" = run ] && place=1 ;;
    --board | --boards | --bundle | --bus | --card | --category | --control | --debounce | --extends | --from | --gain | --hands | --hold | --knob | --last | --led | --mode | --mute | --name | --out | --play-pause | --players | --png | --record | --seconds | --seed | --seeds | --settings | --silent-switch | --stop-after | --svg | --tick | --ticks | --to | --volume-down | --volume-up | --write) skip=1 ;;
    -*) ;;
    *)
      if [ -z "$verb$group" ]; then
        case $here in
        set | board | trace | policy) group=$here ;;
        *) verb=$here ;;
        esac
      elif [ -z "$verb" ]; then
        case "$group $here" in
        "set volume" | "set ringer" | "set mute" | "set silent" | "set route" | "set balance" | "board check" | "board list" | "board pins" | "board identify" | "board new" | "board compile" | "trace plot" | "policy matrix" | "policy run") verb="$group $here" ;;
        *) verb=$group; place=1 ;;
        esac
      else
        place=$((place + 1))
      fi
      ;;
    esac
  done
  case "$verb:$previous" in
  "watch:--hands" | "bridge:--settings" | "metrics:--write" | "board pins:--svg" | "board new:--out" | "board compile:--settings" | "doctor:--bundle" | "test:--record" | "trace plot:--svg" | "trace plot:--png") compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")); return ;;
  "run:--category") COMPREPLY+=($(compgen -W "$(_tactus_ask categories)" -- "$word")); return ;;
  "run:--mode") COMPREPLY+=($(compgen -W "$(_tactus_ask modes)" -- "$word")); return ;;
  "run:--gain" | "run:--stop-after" | "run:--name" | "press:--hold" | "board new:--volume-up" | "board new:--volume-down" | "board new:--knob" | "board new:--mute" | "board new:--silent-switch" | "board new:--play-pause" | "board new:--led" | "board compile:--tick" | "test:--seconds" | "trace:--from" | "trace:--to" | "trace:--last" | "trace plot:--from" | "trace plot:--to" | "trace plot:--last" | "replay:--debounce" | "sim:--seed" | "sim:--ticks" | "sim:--seeds") :; return ;;
  "bridge:--players") COMPREPLY+=($(compgen -W "system session" -- "$word")); return ;;
  "mixer:--card") COMPREPLY+=($(compgen -W "$(_tactus_ask cards)" -- "$word")); return ;;
  "board new:--extends" | "doctor:--board" | "test:--board" | "replay:--board" | "policy run:--board") COMPREPLY+=($(compgen -W "$(_tactus_ask boards)" -- "$word")); compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")); return ;;
  "test:--control") COMPREPLY+=($(compgen -W "$(_tactus_ask controls)" -- "$word")); return ;;
  *:--bus) COMPREPLY+=($(compgen -W "system session" -- "$word")); return ;;
  *:--boards) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$word")); return ;;
  esac
  if [[ $word == -* ]]; then
    case ${verb:-$group} in
    "status") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "watch") COMPREPLY+=($(compgen -W "--json --hands --bus --boards --help --version" -- "$word")) ;;
    "why") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "set volume") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "set ringer") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "set mute") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "set silent") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "set route") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "set balance") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "play") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "pause") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "stop") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "sound") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "feedback") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "run") COMPREPLY+=($(compgen -W "--category --mode --mix-with-others --duck-others --interrupt-spoken-audio --gain --resumes-always --plays-on-unplug --stop-after --name --bus --boards --help --version" -- "$word")) ;;
    "bridge") COMPREPLY+=($(compgen -W "--players --settings --bus --boards --help --version" -- "$word")) ;;
    "press") COMPREPLY+=($(compgen -W "--hold --bus --boards --help --version" -- "$word")) ;;
    "turn") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "switch") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "metrics") COMPREPLY+=($(compgen -W "--write --bus --boards --help --version" -- "$word")) ;;
    "lines") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "mixer") COMPREPLY+=($(compgen -W "--card --json --bus --boards --help --version" -- "$word")) ;;
    "board check") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "board list") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "board pins") COMPREPLY+=($(compgen -W "--svg --json --bus --boards --help --version" -- "$word")) ;;
    "board identify") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "board new") COMPREPLY+=($(compgen -W "--extends --volume-up --volume-down --knob --mute --silent-switch --play-pause --led --out --bus --boards --help --version" -- "$word")) ;;
    "board compile") COMPREPLY+=($(compgen -W "--settings --tick --lenient --bus --boards --help --version" -- "$word")) ;;
    "doctor") COMPREPLY+=($(compgen -W "--board --json --bundle --bus --boards --help --version" -- "$word")) ;;
    "test") COMPREPLY+=($(compgen -W "--control --seconds --record --sound --board --json --bus --boards --help --version" -- "$word")) ;;
    "trace") COMPREPLY+=($(compgen -W "--follow --all --from --to --last --json --bus --boards --help --version" -- "$word")) ;;
    "trace plot") COMPREPLY+=($(compgen -W "--svg --png --from --to --last --bus --boards --help --version" -- "$word")) ;;
    "record") COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    "replay") COMPREPLY+=($(compgen -W "--board --debounce --json --bus --boards --help --version" -- "$word")) ;;
    "sim") COMPREPLY+=($(compgen -W "--seed --ticks --seeds --canary --measure --bus --boards --help --version" -- "$word")) ;;
    "policy matrix") COMPREPLY+=($(compgen -W "--json --bus --boards --help --version" -- "$word")) ;;
    "policy run") COMPREPLY+=($(compgen -W "--board --json --bus --boards --help --version" -- "$word")) ;;
    *) COMPREPLY+=($(compgen -W "--bus --boards --help --version" -- "$word")) ;;
    esac
    return
  fi
  case "$group:$verb:$place" in
  ::0) COMPREPLY=($(compgen -W "status watch why set play pause stop sound feedback run bridge press turn switch metrics lines mixer board doctor test trace record replay sim policy help" -- "$word")) ;;
  set::0) COMPREPLY=($(compgen -W "volume ringer mute silent route balance" -- "$word")) ;;
  board::0) COMPREPLY=($(compgen -W "check list pins identify new compile" -- "$word")) ;;
  trace::0) COMPREPLY=($(compgen -W "plot" -- "$word")); compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  policy::0) COMPREPLY=($(compgen -W "matrix run" -- "$word")) ;;
  *:"why:0") COMPREPLY+=($(compgen -W "$(_tactus_ask sources)" -- "$word")) ;;
  *:"set mute:0") COMPREPLY+=($(compgen -W "on off toggle" -- "$word")) ;;
  *:"set silent:0") COMPREPLY+=($(compgen -W "on off" -- "$word")) ;;
  *:"set route:0") COMPREPLY+=($(compgen -W "$(_tactus_ask routes)" -- "$word")) ;;
  *:"play:0") COMPREPLY+=($(compgen -W "$(_tactus_ask sources)" -- "$word")) ;;
  *:"pause:0") COMPREPLY+=($(compgen -W "$(_tactus_ask sources)" -- "$word")) ;;
  *:"stop:0") COMPREPLY+=($(compgen -W "$(_tactus_ask sources)" -- "$word")) ;;
  *:"sound:0") COMPREPLY+=($(compgen -W "$(_tactus_ask sounds)" -- "$word")) ;;
  *:"feedback:0") COMPREPLY+=($(compgen -W "$(_tactus_ask feedback)" -- "$word")) ;;
  *:"run:0") COMPREPLY+=($(compgen -c -- "$word")) ;;
  *:"press:0") COMPREPLY+=($(compgen -W "$(_tactus_ask controls)" -- "$word")) ;;
  *:"turn:0") COMPREPLY+=($(compgen -W "$(_tactus_ask controls)" -- "$word")) ;;
  *:"switch:0") COMPREPLY+=($(compgen -W "$(_tactus_ask controls)" -- "$word")) ;;
  *:"switch:1") COMPREPLY+=($(compgen -W "on off" -- "$word")) ;;
  *:"board check:0") COMPREPLY+=($(compgen -W "$(_tactus_ask boards)" -- "$word")); compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"board pins:0") COMPREPLY+=($(compgen -W "$(_tactus_ask boards)" -- "$word")); compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"board compile:0") COMPREPLY+=($(compgen -W "$(_tactus_ask boards)" -- "$word")); compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"trace:0") compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"trace plot:0") compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"record:0") compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"replay:0") compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:"policy run:0") compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
  *:help:0) COMPREPLY=($(compgen -W "status watch why set play pause stop sound feedback run bridge press turn switch metrics lines mixer board doctor test trace record replay sim policy help" -- "$word")) ;;
  esac
}

complete -F _tactus tactus
