# Sourced by service and by docker/start: the options of a service's JVM, the same wherever it runs.
# The numbers behind them: docs/measurements.md, "Start and memory". Needs JAVA_HOME.
# shellcheck shell=bash disable=SC2034

runtime() { # module, jar, directory of the start caches, verb; sets options
	options=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
		-XX:+UseSerialGC -XX:-UsePerfData)
	[ -z "${TMPDIR:-}" ] || options+=("-Djava.io.tmpdir=$TMPDIR") # Java itself does not look there
	export MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
	case $1 in
	cnapt-agent | snapt-server) options+=(-Xmn24m -Xss512k -XX:ReservedCodeCacheSize=48m -XX:TrimNativeHeapInterval=5000) ;;
	esac
	start_cache "$@"
	# shellcheck disable=SC2206
	options+=(${JAVA_OPTIONS:-})
}

# Loaded, linked and profiled classes of an earlier run (JEP 514). The name holds what it depends on, so
# that it goes with the jar and with the JDK. VIADUCT_TRAIN names a directory: the service
# writes its cache there when it is stopped.
start_cache() {
	local jars=("$2") cache sum
	[ ! -d "${2%/*}/lib" ] || jars+=("${2%/*}"/lib/*.jar)
	sum=$({ cat "$JAVA_HOME/release" && echo "${options[@]}" && stat -c '%n %s %Y' "${jars[@]}"; } 2>/dev/null | cksum)
	cache=$1-${sum%% *}.aot
	if [ -w "${VIADUCT_TRAIN:-}" ] && [[ $4 = run || $4 = up ]]; then
		options+=("-XX:AOTCacheOutput=$VIADUCT_TRAIN/$cache")
	elif [ -r "$3/$cache" ]; then
		options+=("-XX:AOTCache=$3/$cache")
	fi
}
