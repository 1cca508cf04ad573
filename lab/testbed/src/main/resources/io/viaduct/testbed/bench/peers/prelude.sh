# Sourced before a peer's script. A script sets `needs` (programs that must be installed) and defines
#   about     one line: version and settings
#   keys      once, before anything starts (optional)
#   run SIDE  becomes the tunnel's process, in the foreground; SIDE is far or near
#   up SIDE   configures what run has made, and returns when it is done (optional)
# Variables: tun_near and tun_far (interfaces to make, each in a namespace of its own), inner_near and
# inner_far (addresses inside, /24), in run and up also tun and inner, the side's; outer (the far end
# from the device), port (free for this peer, and so is port + 500), work (its directory, private),
# peers (this directory).
keys() { :; }
up() { :; }
call() { # function, words
	case ${2:-} in
	near) tun=$tun_near inner=$inner_near ;;
	far) tun=$tun_far inner=$inner_far ;;
	esac
	"$@"
}
missing() {
	for program in $needs; do
		command -v "$program" >/dev/null || printf '%s ' "$program"
	done
}
await() { # command...: until it succeeds, ten seconds at most
	tries=500
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || { echo "gave up waiting for: $*"; return 1; }
		sleep 0.02
	done
}
address() { # gives the interface its inner address
	await ip link show dev "$tun"
	ip address replace "$inner/24" dev "$tun"
	ip link set "$tun" mtu "${mtu:-1420}" up
}
