# Sourced by ../viaduct: runs the testbed's program in its own user, network, mount and process
# namespaces. So it needs no root, and no process can outlive it. Needs launch.sh, programs.sh.
# shellcheck shell=bash disable=SC2154

flags=()

requirements() {
	! lacks ip || install ip:iproute2 || die 69 "'ip' is missing: install iproute2 (apt-get install iproute2)"
	! lacks unshare || install unshare:util-linux || die 69 "'unshare' is missing: install util-linux (apt-get install util-linux)"
	! lacks nft || install nft:nftables ||
		echo "viaduct: 'nft' is missing (apt-get install nftables): the gateways will route instead of masquerade" >&2
	[ -c /dev/net/tun ] || die 69 "/dev/net/tun is missing: load it (modprobe tun), or give the container the device (--device /dev/net/tun)"
	{ : <>/dev/net/tun; } 2>/dev/null || die 77 "/dev/net/tun cannot be opened by $(id -un): chmod 666 /dev/net/tun, load it (modprobe tun), or allow the container the device (--device /dev/net/tun)"
}

user_agent() { # for the call of the demonstration, which has messages in its place without one
	! lacks baresip || install baresip:baresip-core ||
		echo "viaduct: 'baresip' is missing (apt-get install baresip-core): the demonstration will have no call" >&2
}

namespaces() { # command of the laboratory; sets flags to the options of unshare that work on this machine
	local plain=(--net --mount --pid --fork --kill-child --mount-proc)
	flags=("${plain[@]}")
	# In a user namespace nobody may give the impairers of links a real-time priority.
	[ "$(id -u)" = 0 ] && [[ " $1 ${2:-} " =~ " lab "|" handover "|" snapts " ]] && unshare "${flags[@]}" chrt --fifo 1 true 2>/dev/null && return
	flags=(--user --map-root-user "${plain[@]}")
	unshare "${flags[@]}" true 2>/dev/null && return
	flags=("${plain[@]}")
	if [ "$(id -u)" = 0 ]; then
		unshare "${flags[@]}" true 2>/dev/null ||
			die 77 "namespaces are not allowed here, not even to root: sysctl -w user.max_user_namespaces=10000, or give the container the capability (--cap-add SYS_ADMIN --security-opt seccomp=unconfined)"
		echo "viaduct: user namespaces are not allowed here; using plain namespaces as root" >&2
	else
		die 77 "unprivileged user namespaces are not allowed here: sysctl -w user.max_user_namespaces=10000 (and on older Debian kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0), or run as root"
	fi
}

helps() { # succeeds if the arguments ask for help, which needs no namespaces
	[[ " $* " =~ " --help "|" -h " ]]
}

ready() { # checks once what a laboratory needs; called before the build too, which takes minutes
	if [ "${#flags[@]}" != 0 ] || helps "$@"; then return 0; fi
	requirements
	namespaces "$@"
}

# Four processes run outside: this shell, the janitor, the relay of the page's port, and 'unshare'. The
# child of 'unshare' is the first process of the laboratory. It is a shell, because the first process
# inherits orphans and must reap them. All other processes are inside and die with that child.
laboratory() {
	local java life input status=0 module=testbed program=(io.viaduct.testbed.LaboratoryCommand)
	ready "$@"
	if [ "$1 ${2:-}" = "bench control" ]; then # it has code of the services, so it is no part of testbed
		module=benchmarks program=(io.viaduct.controlbench.ControlCommand)
		set -- "${@:3}"
	fi
	java=("$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -XX:+UseSerialGC -XX:-UsePerfData
		-cp "$root/lab/$module/target/$module-$(version).jar:$root/lab/$module/target/lib/*")
	! helps "$@" || exec "${java[@]}" "${program[@]}" "$@"
	trap leave EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	work=$(mktemp -d "${TMPDIR:-/tmp}/viaduct-lab.$$.XXXXXX")
	java+=("-Djava.io.tmpdir=$work")
	janitor
	mkdir "$work/lab"
	setpriv --pdeathsig KILL "${java[@]:0:5}" -Xmx64m "${java[@]:5}" io.viaduct.testbed.page.PageRelay "$work" </dev/null &
	relay=$!
	# Bash gives a background process no standard input of its own accord; only 'lab' reads it.
	if [ "${1:-}" = lab ]; then exec {input}<&0; else exec {input}</dev/null; fi
	# shellcheck disable=SC2016
	setpriv --pdeathsig KILL unshare "${flags[@]}" bash -c '"$@" <&0 & exec 2>/dev/null; wait $!' first "${java[@]}" "${program[@]}" "$@" --root "$root" --directory "$work" <&"$input" &
	inside=$!
	wait "$inside" || status=$?
	inside=
	[ "$status" != 137 ] || echo "viaduct: the laboratory was killed (SIGKILL)" >&2
	exit "$status"
}

# The janitor removes the directory when the last process that inherited its pipe has ended. This works
# even if this shell was killed with SIGKILL. The janitor has its own session, so that signals to the
# other processes do not reach it.
janitor() {
	# shellcheck disable=SC2016
	exec {life}> >(exec setsid bash -c 'trap "" HUP INT TERM; cat >/dev/null; rm -rf "$1"' janitor "$work" >/dev/null 2>&1)
	janitor=$!
}

leave() { # kills the laboratory, waits until its first process is gone and the directory removed
	trap - EXIT
	trap '' INT TERM HUP
	exec 2>/dev/null # the shell must not report the processes that are killed here
	if [ -n "${inside:-}" ]; then
		first=$(cat "/proc/$inside/task/$inside/children" 2>/dev/null || true)
		kill -KILL "$inside" 2>/dev/null || true
		while [ -n "${first// /}" ] && [ -d "/proc/${first// /}" ]; do sleep 0.05; done
	fi
	kill -KILL "${relay:-}" 2>/dev/null || true
	wait "${inside:-}" "${relay:-}" 2>/dev/null || true
	[ -z "${life:-}" ] || exec {life}>&-
	[ -z "${janitor:-}" ] || wait "$janitor" 2>/dev/null || true
}
