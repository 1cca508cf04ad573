# The bound: relay.c of this directory only copies between TUN and UDP, with every offload.
needs="cc"
mtu=1420
about() { echo "C relay that copies only, offloads on, NO encryption"; }
keys() { cc -O2 -o "$work/relay" "$peers/relay.c" -lpthread; }
run() {
	if [ "$1" = far ]; then
		exec "$work/relay" "$tun" "$port"
	fi
	exec "$work/relay" "$tun" "$port" "$outer"
}
up() { address; }
