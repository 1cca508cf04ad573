# Sourced by ../viaduct, service and docker/start: the options of a service's JVM, the same everywhere.
# docs/measurements/start.md has their measurements. Needs JAVA_HOME.
# shellcheck shell=bash disable=SC2034

# Methods that the JIT compiler must not inline in agent and SNAPT: the stages of the packet path. If they
# were inlined, one large method would be compiled again whenever traffic takes a new branch in any stage
# (docs/adr/0022-start.md).
stages=(
	io.viaduct.host.tun.TunQueue::readable
	io.viaduct.host.udp.UdpSocket::readable
	io.viaduct.host.udp.UdpSocket::deliver
	io.viaduct.snapt.relay.RelayLoop::batchEnd
	io.viaduct.tunnel.session.TunnelSession::offer
	io.viaduct.tunnel.session.TunnelSession::open
	io.viaduct.tunnel.session.ClassCompounds::batchEnd
	io.viaduct.tunnel.session.DatagramWriter::drain
	io.viaduct.tunnel.restore.PacketRestorer::tcp
	io.viaduct.tunnel.compound.BodyBuilder::build
)

runtime() { # module, jar, directory of the start caches, verb; sets options
	local cache
	options=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
		-XX:+UseSerialGC -XX:-UsePerfData
		-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0) # maps the cache without relocation, so no page of it is written
	case $1 in
	cnapt-agent | snapt-server)
		options+=(-Dio.netty.jfr.enabled=false -Xms36m -Xmn12m -Xss512k -XX:ReservedCodeCacheSize=48m -XX:TrimNativeHeapInterval=5000)
		# Avoids generated classes that Jackson calls. Never where virtual threads serve requests: a native frame pins
		# them, and two pinned threads that wait for the database stop a machine of two processors.
		options+=(-Djdk.reflect.useNativeAccessorOnly=true)
		options+=(-XX:CompileCommand=quiet "${stages[@]/#/-XX:CompileCommand=dontinline,}")
		export MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
		# Packets have priority over the JIT compiler; the JVM accepts these options only from root.
		[ "$(id -u)" != 0 ] || options+=(-XX:ThreadPriorityPolicy=1 -XX:CompilerThreadPriority=5)
		;;
	danum-billing) # the JVM would begin with a 64th of the machine's memory; the heap grows when reports come
		options+=(-Xms80m -XX:NewSize=32m)
		;;
	esac
	cache=$(start_cache "$1" "$2")
	natives "$2"
	temporary "$1" "$3"
	use_or_learn "$@"
	# shellcheck disable=SC2206
	options+=(${JAVA_OPTIONS:-})
}

# Adds the options that load native libraries from beside the jars. A process that unpacked them would leave
# them in the temporary directory when it is killed.
natives() { # jar
	local directory=${1%/*}/lib/natives machine=amd64 zstd
	[ -d "$directory" ] || return 0
	[ "$(uname -m)" != aarch64 ] || machine=aarch64
	options+=("-Dviaduct.natives=$directory"
		"-Djava.library.path=$directory/META-INF/native:$directory/net/jpountz/util/linux/$machine")
	# The name has a version; the last build unpacked the right one last.
	# shellcheck disable=SC2012
	zstd=$(ls -tc "$directory/linux/$machine"/libzstd-jni-*.so 2>/dev/null | head -n 1 || true)
	[ -z "$zstd" ] || options+=("-DZstdNativePath=$zstd")
}

# Sets Java's temporary directory. A killed Tomcat leaves its directories behind, so the services with one
# have a directory of their own, which the next start empties unless another process of the module still
# holds its lock. The lock ends with the process.
temporary() { # module, directory of the start caches
	local directory=${TMPDIR:-} lock # Java itself ignores TMPDIR
	case $1 in
	danum-billing | ims-bridge | webgui)
		if [ -n "$2" ] && mkdir -p "$2" 2>/dev/null && { mkdir -m 700 "$2/$1.tmp" 2>/dev/null || [ -O "$2/$1.tmp" ]; } &&
			{ exec {lock}>"$2/$1.lock"; } 2>/dev/null; then
			directory=$2/$1.tmp
			! flock --nonblock "$lock" 2>/dev/null || find "$directory" -mindepth 1 -delete 2>/dev/null || true
		fi
		;;
	esac
	[ -z "$directory" ] || options+=("-Djava.io.tmpdir=$directory")
}

# Prints the file name of the start cache: classes that an earlier run loaded, linked and profiled (JEP 514).
# The name contains a checksum of the jars and the JDK, so that a cache is used only with the same ones.
start_cache() { # module, jar
	local jars=("$2") sum
	[ ! -d "${2%/*}/lib" ] || jars+=("${2%/*}"/lib/*.jar)
	sum=$({ cat "$JAVA_HOME/release" "${BASH_SOURCE[0]}" && stat -c '%n %s %Y' "${jars[@]}"; } 2>/dev/null | cksum)
	echo "$1-${sum%% *}.aot"
}

# Decides by VIADUCT_TRAIN. A directory: the service writes its cache there when it is stopped. "no": it
# writes none. Unset: the first run after a build or an update writes one, and only that run tries it, even
# if it is killed.
use_or_learn() { # arguments as for runtime; needs $cache
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
