# Sourced by ../viaduct, service and docker/start: the options of a service's JVM, the same wherever it
# runs. The numbers behind them: docs/measurements.md, "Start and memory". Needs JAVA_HOME.
# shellcheck shell=bash disable=SC2034

# Where inlining ends in agent and SNAPT: the stages of a packet's way. What is compiled as one is compiled
# anew as one when a later kind of traffic takes another branch somewhere in it (docs/adr/0022-start.md).
stages=(
	io.viaduct.host.tun.TunQueue::readable
	io.viaduct.host.udp.UdpSocket::readable
	io.viaduct.host.udp.UdpSocket::deliver
	io.viaduct.snapt.relay.RelayLoop::batchEnd
	io.viaduct.tunnel.session.TunnelSession::offer
	io.viaduct.tunnel.session.TunnelSession::open
	io.viaduct.tunnel.session.ClassCompounds::batchEnd
	io.viaduct.tunnel.session.DatagramWriter::drain
	io.viaduct.tunnel.session.PacketRestorer::tcp
	io.viaduct.tunnel.compound.BodyBuilder::build
)

runtime() { # module, jar, directory of the start caches, verb; sets options
	local cache
	options=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
		-XX:+UseSerialGC -XX:-UsePerfData
		-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0) # mapped as it is: no page of it is written
	case $1 in
	cnapt-agent | snapt-server)
		options+=(-Dio.netty.jfr.enabled=false -Xms36m -Xmn12m -Xss512k -XX:ReservedCodeCacheSize=48m -XX:TrimNativeHeapInterval=5000)
		options+=(-Djdk.reflect.useNativeAccessorOnly=true) # no class per constructor that Jackson calls once
		options+=(-XX:CompileCommand=quiet "${stages[@]/#/-XX:CompileCommand=dontinline,}")
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
