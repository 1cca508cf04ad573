# Sourced by ../viaduct, service and docker/start: the options of a service's JVM, the same wherever it
# runs. The numbers behind them: docs/measurements.md, "Start and memory". Needs JAVA_HOME.
# shellcheck shell=bash disable=SC2034

runtime() { # module, jar, directory of the start caches, verb; sets options
	local cache
	options=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
		-XX:+UseSerialGC -XX:-UsePerfData
		-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0) # mapped as it is: no page of it is written
	case $1 in
	cnapt-agent | snapt-server)
		options+=(-Xms40m -Xmn16m -Xss512k -XX:ReservedCodeCacheSize=48m -XX:TrimNativeHeapInterval=5000)
		export MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
		# Packets go before the compiler; the JVM obeys only root.
		[ "$(id -u)" != 0 ] || options+=(-XX:ThreadPriorityPolicy=1 -XX:CompilerThreadPriority=5)
		;;
	esac
	cache=$(start_cache "$1" "$2")
	[ -z "${TMPDIR:-}" ] || options+=("-Djava.io.tmpdir=$TMPDIR") # Java itself does not look there
	use_or_learn "$@"
	# shellcheck disable=SC2206
	options+=(${JAVA_OPTIONS:-})
}

# The file name of the loaded, linked and profiled classes of an earlier run (JEP 514). It holds a sum of
# what they depend on, so that it goes with the jars and with the JDK.
start_cache() { # module, jar
	local jars=("$2") sum
	[ ! -d "${2%/*}/lib" ] || jars+=("${2%/*}"/lib/*.jar)
	sum=$({ cat "$JAVA_HOME/release" "${BASH_SOURCE[0]}" && stat -c '%n %s %Y' "${jars[@]}"; } 2>/dev/null | cksum)
	echo "$1-${sum%% *}.aot"
}

# VIADUCT_TRAIN is a directory: the service writes its cache there when it is stopped. no: it never
# does. Otherwise the first run after a build or an update does, once: if that run is killed, so be it.
use_or_learn() { # as for runtime; needs cache
	local learn="-Xlog:aot*=error -Xlog:cds*=error"
	if [ -d "${VIADUCT_TRAIN:-}" ] && [[ $4 = run || $4 = up ]]; then
		# shellcheck disable=SC2206
		options+=($learn "-XX:AOTCacheOutput=$VIADUCT_TRAIN/$cache")
	elif [ -r "$3/$cache" ]; then
		options+=("-XX:AOTCache=$3/$cache")
	elif [ "${VIADUCT_TRAIN:-}" != no ] && [[ $4 = run || $4 = up ]] && mkdir -p "$3" 2>/dev/null &&
		[ ! -e "$3/$cache.learning" ] && { : >"$3/$cache.learning"; } 2>/dev/null; then
		find "$3" -maxdepth 1 -name "$1-*" ! -name "$cache.learning" -delete 2>/dev/null || true
		# shellcheck disable=SC2206
		options+=($learn "-XX:AOTCacheOutput=$3/$cache")
	fi
}
