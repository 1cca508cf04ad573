# wireguard-go, configured with wg(8). program: another implementation with the same ways.
: "${program:=$(command -v wireguard || command -v wireguard-go || echo wireguard-go)}"
: "${arguments:=-f}"
needs="$program wg"
about() { echo "$("$program" --version 2>&1 | head -n 1), ChaCha20-Poly1305, MTU 1420, keepalive 25 s"; }
keys() {
	umask 077
	for side in near far; do wg genkey | tee "$work/$side.key" | wg pubkey >"$work/$side.public"; done
}
run() {
	# shellcheck disable=SC2086
	exec "$program" $arguments "$tun"
}
up() {
	await wg show "$tun"
	if [ "$1" = far ]; then
		wg set "$tun" listen-port "$port" private-key "$work/far.key" \
			peer "$(cat "$work/near.public")" allowed-ips "$inner_near/32"
	else
		wg set "$tun" private-key "$work/near.key" peer "$(cat "$work/far.public")" \
			allowed-ips "$inner_far/32" endpoint "$outer:$port" persistent-keepalive 25
	fi
	address
}
