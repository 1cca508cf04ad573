# Sourced by ../viaduct: runs the testbed's program in a user, network, mount and process namespace of
# its own, so that no root is needed and that nothing can outlive it. Needs launch.sh.
# shellcheck shell=bash disable=SC2154

lacks() { ! command -v "$1" >/dev/null 2>&1; }

install_missing() { # packages; only for root on a system with apt-get
	if [ "$(id -u)" != 0 ] || lacks apt-get; then return 1; fi
	echo "viaduct: installing $* (apt-get)" >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null 2>&1 ||
		{ apt-get update -q >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null 2>&1; }
}

requirements() {
	PATH=$PATH:/usr/sbin:/sbin
	export PATH
	! lacks ip || install_missing iproute2 || die 69 "'ip' is missing: install iproute2 (apt-get install iproute2)"
	! lacks unshare || install_missing util-linux || die 69 "'unshare' is missing: install util-linux (apt-get install util-linux)"
	! lacks nft || install_missing nftables ||
		echo "viaduct: 'nft' is missing (apt-get install nftables): the gateways route instead of masquerading" >&2
	[ -c /dev/net/tun ] || die 69 "/dev/net/tun is missing: load it (modprobe tun), or give the container the device (--device /dev/net/tun)"
	{ [ -r /dev/net/tun ] && [ -w /dev/net/tun ]; } || die 77 "/dev/net/tun must be readable and writable for $(id -un): chmod 666 /dev/net/tun"
}

namespaces() { # sets flags to the options of unshare that work here
	flags=(--user --map-root-user --net --mount --pid --fork --kill-child --mount-proc)
	unshare "${flags[@]}" true 2>/dev/null && return
	flags=("${flags[@]:2}")
	if [ "$(id -u)" = 0 ] && unshare "${flags[@]}" true 2>/dev/null; then
		echo "viaduct: user namespaces are not allowed here; as root, plain namespaces do" >&2
	else
		die 77 "unprivileged user namespaces are not allowed here: sysctl -w user.max_user_namespaces=10000 (and on older Debian kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0), or run as root"
	fi
}

# What runs outside: this shell, the relay of the page's port, and the one 'unshare' whose child is the
# first process of the laboratory: a shell, because the first process inherits the orphans of killed
# ones and must reap them. Everything else is inside and dies with that child.
laboratory() {
	local flags java status=0
	requirements
	namespaces
	java=("$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -XX:+UseSerialGC -XX:-UsePerfData
		-cp "$root/testbed/target/testbed-$(version).jar:$root/testbed/target/lib/*")
	trap leave EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	sweep
	work=$(mktemp -d "${TMPDIR:-/tmp}/viaduct-lab.$$.XXXXXX")
	mkdir "$work/lab"
	setpriv --pdeathsig KILL "${java[@]:0:5}" -Xmx64m "${java[@]:5}" io.viaduct.testbed.page.PageRelay "$work" </dev/null &
	relay=$!
	# shellcheck disable=SC2016
	setpriv --pdeathsig KILL unshare "${flags[@]}" bash -c '"$@" & wait $!' first "${java[@]}" io.viaduct.testbed.LaboratoryCommand "$@" --root "$root" --directory "$work" </dev/null &
	inside=$!
	wait "$inside" || status=$?
	inside=
	exit "$status"
}

sweep() { # removes the empty directories of launchers that were killed with SIGKILL
	local left launcher
	for left in "${TMPDIR:-/tmp}"/viaduct-lab.*; do
		launcher=${left##*/viaduct-lab.}
		[ ! -O "$left" ] || [ -d "/proc/${launcher%%.*}" ] || rm -rf "$left"
	done
}

leave() { # kills the laboratory, waits until its first process is gone, and removes the directory
	trap - EXIT
	trap '' INT TERM HUP
	exec 2>/dev/null # what is killed here needs no word of the shell
	if [ -n "${inside:-}" ]; then
		first=$(cat "/proc/$inside/task/$inside/children" 2>/dev/null || true)
		kill -KILL "$inside" 2>/dev/null || true
		while [ -n "${first// /}" ] && [ -d "/proc/${first// /}" ]; do sleep 0.05; done
	fi
	kill -KILL "${relay:-}" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "${work:-}"
}
