# vtun over UDP with LZO and without encryption (its Blowfish needs an OpenSSL of old).
needs="vtund unshare"
about() { echo "vtun, UDP, LZO level 1, NO encryption"; }
keys() {
	configuration near "$tun_near" "$inner_near"
	configuration far "$tun_far" "$inner_far"
}
configuration() {
	printf '#!/bin/sh\nPATH=%s\nip addr add %s/24 dev $1\nip link set $1 up\n' "$PATH" "$3" >"$work/$1.up"
	chmod +x "$work/$1.up"
	cat >"$work/$1.conf" <<-X
		options { port $port; timeout 5; syslog daemon; }
		bench {
		  passwd bench; type tun; device $2; proto udp; compress lzo:1; encrypt no;
		  keepalive 5:2; stat no; persist yes; multi killold;
		  up { program $work/$1.up "%%" wait; };
		}
	X
}
run() { # each end locks under its own /run/lock
	# shellcheck disable=SC2016
	locked='mkdir -p /run/lock && mount -t tmpfs none /run/lock && mkdir /run/lock/vtund && exec vtund -n "$@"'
	if [ "$1" = far ]; then
		exec unshare --mount sh -c "$locked" vtund -s -f "$work/far.conf"
	fi
	exec unshare --mount sh -c "$locked" vtund -f "$work/near.conf" bench "$outer"
}
