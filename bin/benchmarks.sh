# Sourced by ../viaduct: the benchmarks per stage, those with both ends in one JVM, that of billing, and the
# simulated fleet. They need no laboratory. Needs launch.sh.
# shellcheck shell=bash disable=SC2154

stages() { # options: passed to the command
	alone io.viaduct.stages.StagesCommand --root "$root" "$@"
}

billing() { # options: passed to the command
	alone io.viaduct.billingbench.BillingBenchCommand --root "$root" "$@"
}

credit-load() { # options: passed to the command
	alone io.viaduct.billingbench.CreditLoadCommand --root "$root" "$@"
}

core() { # savings [TEXT [BYTES [PERCENT]]] | speed: main classes in the tests of tunnel-protocol
	local session=io.viaduct.tunnel.session
	case ${1:-} in
	savings) alone "$session.SavingsCheck" "${@:2}" ;;
	speed) alone "$session.SpeedCheck" ;;
	*) die 64 "unknown benchmark 'core ${1:-}'; usage: viaduct bench core savings [TEXT [HISTORY-BYTES [COMPOUND-PERCENT]]], viaduct bench core speed" ;;
	esac
}

fleet() { # [SNAPTS [DEVICES [SEED [SESSIONS]]]]: a main class in the tests of cnapt-agent
	alone io.viaduct.cnapt.FleetCommand "$@"
}

alone() { # main class, arguments
	mkdir -p "$root/build/tmp" # JMH leaves a lock there, and a killed benchmark its native libraries
	exec setpriv --pdeathsig KILL "$JAVA_HOME/bin/java" "-Djava.io.tmpdir=$root/build/tmp" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
		-XX:-UsePerfData -Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener -cp "$root/lab/benchmarks/target/benchmarks-$(version).jar:$root/lab/benchmarks/target/lib/*" "$@"
}
