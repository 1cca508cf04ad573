# OpenVPN over UDP, server mode.
: "${extra:=}"
needs="openvpn openssl"
about() { echo "$(openvpn --version | head -n 1 | cut -d' ' -f1,2), UDP, AES-256-GCM $extra"; }
keys() {
	cd "$work"
	curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj"
	# shellcheck disable=SC2086
	openssl req -x509 $curve /CN=ca -keyout ca.key -out ca.crt 2>/dev/null
	for side in near far; do
		# shellcheck disable=SC2086
		openssl req $curve "/CN=$side" -keyout $side.key -out $side.csr 2>/dev/null
		openssl x509 -req -in $side.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out $side.crt 2>/dev/null
	done
}
run() {
	if [ "$1" = far ]; then
		set -- far --port "$port" --dh none --server "${inner_far%.*}.0" 255.255.255.0 --keepalive 10 60
	else
		set -- near --client --nobind --remote "$outer" "$port"
	fi
	side=$1
	shift
	# shellcheck disable=SC2086
	exec openvpn --dev "$tun" --dev-type tun --proto udp4 --float --persist-tun --topology subnet --data-ciphers AES-256-GCM \
		--ca "$work/ca.crt" --cert "$work/$side.crt" --key "$work/$side.key" --verb 3 $extra "$@"
}
up() { [ "$1" = near ] || await ip link show dev "$tun"; }
