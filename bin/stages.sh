# Sourced by ../viaduct: the benchmarks per stage, and those of both ends in one JVM. They need no
# laboratory. Needs launch.sh.
# shellcheck shell=bash disable=SC2154

stages() { # options go to the command
	alone io.viaduct.stages.StagesCommand --root "$root" "$@"
}

core() { # savings [TEXT [BYTES [PERCENT]]] | speed: main classes among the tests of tunnel-protocol
	local session=io.viaduct.tunnel.session
	case ${1:-} in
	savings) alone "$session.SavingsCheck" "${@:2}" ;;
	speed) alone "$session.SpeedCheck" ;;
	*) die 64 "bench core '${1:-}' is not known; there is: viaduct bench core savings [TEXT [HISTORY-BYTES [COMPOUND-PERCENT]]], viaduct bench core speed" ;;
	esac
}

alone() { # main class, arguments
	exec setpriv --pdeathsig KILL "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
		-XX:-UsePerfData -cp "$root/stages/target/stages-$(version).jar:$root/stages/target/lib/*" "$@"
}
