# tinc 1.0 over UDP, router mode. compression: 0 none, 1 to 9 zlib, 10 and 11 LZO.
: "${compression:=0}"
needs="tincd"
about() { echo "$(tincd --version | head -n 1 | cut -d' ' -f1-3), default cipher, compression $compression"; }
keys() {
	configuration near "$tun_near" "$inner_near"
	configuration far "$tun_far" "$inner_far"
	printf 'Address = %s %s\nPort = %s\n' "$outer" "$port" "$port" >>"$work/far/hosts/far"
	printf 'Port = %s\n' "$((port + 500))" >>"$work/near/hosts/near"
	echo "ConnectTo = far" >>"$work/near/tinc.conf"
	cp "$work/near/hosts/near" "$work/far/hosts/"
	cp "$work/far/hosts/far" "$work/near/hosts/"
}
configuration() {
	mkdir -p "$work/$1/hosts"
	printf '%s\n' "Name = $1" "Interface = $2" "DeviceType = tun" "AddressFamily = ipv4" >"$work/$1/tinc.conf"
	printf '#!/bin/sh\nip addr add %s/24 dev $INTERFACE\nip link set $INTERFACE up\n' "$3" >"$work/$1/tinc-up"
	chmod +x "$work/$1/tinc-up"
	printf '%s\n' "Subnet = $3/32" "Compression = $compression" >"$work/$1/hosts/$1"
	tincd -c "$work/$1" -K2048 </dev/null >/dev/null 2>&1
}
run() { exec tincd -D -d1 -c "$work/$1" --pidfile "$work/$1.pid"; }
up() { await ip link show dev "$tun"; }
